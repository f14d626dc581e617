//! What a game designer asks first: `well-formed`, and how its parts share what is found out.
//!
//! A game of few states is visited whole. Else random play comes first: what it shows to fail needs no proof. Then every
//! part is tried for a short time by its own proof, so that the hard one does not take the time of those that are
//! easy; what is still open gets the rest of the time: a visit of all states as far as memory goes, play that looks for
//! the one thing that is asked, and the proof once more.

use super::answer::{Answer, Proof, Reason, Refutation};
use super::hunt::Prey;
use super::reference::Line;
use super::visit::Visit;
use super::{Certificate, Prover};
use crate::formula::{FormulaError, Named, Property, Request};
use ludex_engine::budget::Budget;
use ludex_engine::vocabulary::RoleId;

/// The names of the parts, in the order in which they are told.
const PARTS: [&str; 4] = ["playable", "unique-goals", "terminates", "weakly-winnable"];

/// States that are visited before anything is proved, and when nothing else has helped.
const FEW_STATES: usize = 30_000;
const MANY_STATES: usize = 20_000_000;

/// What is asked, ready to be decided.
struct Asked {
    playable: Property,
    unique_goals: Property,
}

impl Prover<'_> {
    /// Answers whatever a user asked. The system must have been built for the request's relations.
    pub fn answer(&self, request: &Request) -> Result<Answer, FormulaError> {
        let budget = self.budget();
        if request.named() == Some(&Named::UniqueGoals) {
            return Ok(self.prove_within(&self.unique_goals(), &budget));
        }
        if let Some(property) = request.property(self.system())? {
            return Ok(self.prove_within(&property, &budget));
        }
        Ok(match request.named() {
            Some(Named::ConstantSum) => self.constant_sum(&budget).1,
            Some(Named::WeaklyWinnable) => self.alone("weakly-winnable", &budget),
            Some(Named::Terminates) => self.alone("terminates", &budget),
            Some(Named::CanForce(_) | Named::Fair) => Answer::Unknown(Reason::NothingFound(
                "strategies are found by search, not by proofs over states",
            )),
            _ => self.well_formed(&budget)?,
        })
    }

    fn asked(&self) -> Result<Asked, FormulaError> {
        let playable = Request::read("playable")?.property(self.system())?;
        let playable = playable.expect("a property with a formula of its own");
        Ok(Asked { playable, unique_goals: self.unique_goals() })
    }

    /// All parts; the first that fails decides.
    fn well_formed(&self, budget: &Budget) -> Result<Answer, FormulaError> {
        let asked = self.asked()?;
        if let Some(visit) = self.visit(FEW_STATES, &budget.share(8)) {
            return Ok(self.all_by(&visit, &asked, budget));
        }
        self.survey(&budget.share(10));
        let mut open: Vec<&'static str> = PARTS.to_vec();
        let mut proofs: Vec<(&'static str, Proof)> = Vec::new();
        for shown in [true, false] {
            for part in std::mem::take(&mut open) {
                let answer = match shown {
                    true => self.by_play(part, &asked, budget),
                    false => self.part(part, &asked, &budget.share(8)),
                };
                match answer {
                    Answer::Holds(proof) => proofs.push((part, proof)),
                    Answer::Fails(why) => return Ok(Answer::Fails(Refutation::Part(part, Box::new(why)))),
                    Answer::Unknown(_) => open.push(part),
                }
            }
        }
        if open.is_empty() {
            return Ok(Answer::Holds(Proof::Parts(in_order(proofs))));
        }
        if let Some(visit) = self.visit(MANY_STATES, &budget.share(4)) {
            return Ok(self.all_by(&visit, &asked, budget));
        }
        let mut unknown = None;
        for (left, part) in (1..=open.len() as u32).rev().zip(open) {
            match self.at_length(part, &asked, &budget.share(left)) {
                Answer::Holds(proof) => proofs.push((part, proof)),
                Answer::Fails(why) => return Ok(Answer::Fails(Refutation::Part(part, Box::new(why)))),
                Answer::Unknown(why) => {
                    unknown = unknown.or(Some(Reason::Part(part, Box::new(why))));
                }
            }
        }
        Ok(unknown.map_or_else(|| Answer::Holds(Proof::Parts(in_order(proofs))), Answer::Unknown))
    }

    /// One part that is asked for itself and is no single formula.
    fn alone(&self, part: &str, budget: &Budget) -> Answer {
        // A proof tells more than a visit does.
        let answer = match part {
            "terminates" => self.terminates(&budget.share(2)),
            _ => self.weakly_winnable(&budget.share(2)),
        };
        if !matches!(answer, Answer::Unknown(_)) {
            return answer;
        }
        let visit = self.visit(MANY_STATES, budget);
        match visit.map(|visit| self.by_visit(part, &visit, None, budget)) {
            None | Some(Answer::Unknown(_)) => answer,
            Some(visited) => visited,
        }
    }

    /// A part by its own proof.
    fn part(&self, part: &str, asked: &Asked, budget: &Budget) -> Answer {
        match part {
            "playable" => self.prove_within(&asked.playable, budget),
            "unique-goals" => self.prove_within(&asked.unique_goals, budget),
            "terminates" => self.terminates(budget),
            _ => self.weakly_winnable(budget),
        }
    }

    /// What the survey has shown to fail, or nothing.
    fn by_play(&self, part: &str, asked: &Asked, budget: &Budget) -> Answer {
        let survey = self.survey(budget);
        let shown = match part {
            "playable" => survey.stuck.clone().map(|line| self.replayed(&asked.playable, line, budget)),
            "unique-goals" => {
                survey.without_goal.clone().map(|line| self.replayed(&asked.unique_goals, line, budget))
            }
            "terminates" => survey.again.clone().map(|line| self.endless(line, budget)),
            _ => None,
        };
        shown.unwrap_or(Answer::Unknown(Reason::NothingFound("random play shows nothing")))
    }

    /// A part that is hard: play that looks for it, and then its proof.
    fn at_length(&self, part: &str, asked: &Asked, budget: &Budget) -> Answer {
        let found = match part {
            "playable" => {
                let line = self.hunt(Prey::Stuck, &budget.share(3));
                line.map(|line| self.replayed(&asked.playable, line, budget))
            }
            "terminates" => self.retrace(&budget.share(3)).map(|line| self.endless(line, budget)),
            _ => None,
        };
        match found {
            Some(answer @ Answer::Fails(_)) => answer,
            _ => self.part(part, asked, budget),
        }
    }

    fn replayed(&self, property: &Property, line: Line, budget: &Budget) -> Answer {
        self.refuted(property, line, budget).unwrap_or_else(Answer::Unknown)
    }

    /// All parts by what the visit says.
    fn all_by(&self, visit: &Visit<'_>, asked: &Asked, budget: &Budget) -> Answer {
        let mut proofs = Vec::new();
        let mut unknown = None;
        for part in PARTS {
            match self.by_visit(part, visit, Some(asked), budget) {
                Answer::Holds(proof) => proofs.push((part, proof)),
                Answer::Fails(why) => return Answer::Fails(Refutation::Part(part, Box::new(why))),
                Answer::Unknown(why) => unknown = unknown.or(Some(Reason::Part(part, Box::new(why)))),
            }
        }
        unknown.map_or(Answer::Holds(Proof::Parts(proofs)), Answer::Unknown)
    }

    fn by_visit(&self, part: &str, visit: &Visit<'_>, asked: Option<&Asked>, budget: &Budget) -> Answer {
        let holds = |longest| Answer::Holds(Proof::Visit { states: visit.len(), longest });
        match (part, asked) {
            ("playable", Some(asked)) => match visit.stuck() {
                Some(line) => self.replayed(&asked.playable, line, budget),
                None => holds(None),
            },
            ("unique-goals", Some(asked)) => match visit.without_goal() {
                Some(line) => self.replayed(&asked.unique_goals, line, budget),
                None => holds(None),
            },
            ("terminates", _) => match visit.longest() {
                Ok(longest) => holds(Some(longest)),
                Err(Some(line)) => self.endless(line, budget),
                Err(None) => Answer::Unknown(Reason::NothingFound("a state comes back")),
            },
            _ => self.winnable_by(visit, budget),
        }
    }

    fn winnable_by(&self, visit: &Visit<'_>, budget: &Budget) -> Answer {
        let mut lines = Vec::new();
        let roles: Vec<RoleId> = self.system().vocabulary().roles().collect();
        for role in roles {
            let Some(best) = self.best_goal(role) else {
                return Answer::Unknown(Reason::NothingFound("a role has no goal value that is a number"));
            };
            let reached = visit.best(role);
            match reached {
                Some((goal, line)) if goal >= best => match self.reference(budget) {
                    Ok(reference) if reference.wins(&line, role, goal) => lines.push((role, goal, line)),
                    Ok(_) => return Answer::Unknown(Reason::NotReplayed),
                    Err(why) => return Answer::Unknown(why),
                },
                most => {
                    let proof = match self.goal_values(role).iter().any(|(value, _)| *value == best) {
                        true => Proof::Visit { states: visit.len(), longest: None },
                        false => Proof::Induction(Certificate::default()),
                    };
                    return Answer::Fails(Refutation::Unreachable {
                        role,
                        goal: best,
                        proof: Box::new(proof),
                        most,
                    });
                }
            }
        }
        Answer::Holds(Proof::Lines(lines))
    }
}

/// The parts in the order in which they are told.
fn in_order(mut proofs: Vec<(&'static str, Proof)>) -> Vec<(&'static str, Proof)> {
    proofs.sort_by_key(|(name, _)| PARTS.iter().position(|part| part == name));
    proofs
}
