//! The reference engine as the judge of counterexamples: a line of play is replayed, and the property evaluated
//! on it by the definition, before anyone is told.

use crate::formula::{Arg, Expression, Property, Question};
use crate::transition::System;
use crate::unroll::{ground, matches};
use hashbrown::HashSet;
use ludex_engine::budget::Budget;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::error::BuildError;
use ludex_engine::fault::Fault;
use ludex_engine::outputs::{Instance, Outputs};
use ludex_engine::row;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{MoveId, RoleId};

/// A line of play from the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The joint moves, each in the order of the roles.
    pub joints: Vec<Vec<MoveId>>,
    /// The state in which the property fails, by the number of moves that lead there; what follows shows why.
    pub at: usize,
}

/// What the reference says of the state that a line shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The state.
    pub state: Vec<u64>,
    /// Whether the game is over.
    pub terminal: bool,
    /// What each role has there, in the order of the roles.
    pub roles: Vec<RoleWitness>,
}

/// What a role has in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleWitness {
    /// Legal moves.
    pub moves: usize,
    /// All of its goal values, as they are written: one where the rules are sound. Only where the game is over.
    pub goals: Vec<String>,
}

/// The reference engine over a system's rules.
#[derive(Debug)]
pub struct Reference<'s> {
    system: &'s System,
    engine: Datalog,
}

/// A state of a play, with what the reference says of it.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The state.
    pub state: Vec<u64>,
    /// Whether the game is over.
    pub terminal: bool,
    /// For each role its legal moves.
    pub legal: Vec<Vec<MoveId>>,
    /// The instances of the relations asked that hold, as terms of the property.
    instances: HashSet<Instance>,
}

impl Moment {
    /// True if no joint move is possible.
    pub fn is_last(&self) -> bool {
        self.terminal || self.legal.iter().any(Vec::is_empty)
    }
}

impl<'s> Reference<'s> {
    /// Builds the engine, with the outputs that the system was made for.
    pub fn new(system: &'s System, budget: &Budget) -> Result<Reference<'s>, BuildError> {
        let outputs = Outputs { goals: true, ..system.outputs().clone() };
        let engine = Datalog::with_outputs(system.original(), system.vocabulary(), &outputs, budget)?;
        Ok(Reference { system, engine })
    }

    /// A worker for the moves.
    pub fn worker(&self) -> Box<dyn Worker> {
        self.engine.worker()
    }

    /// What the reference says of a state, as far as the property asks. `None` where it ran into a limit.
    pub fn moment(&self, worker: &mut dyn Worker, state: &[u64], property: &Property) -> Option<Moment> {
        let roles = self.system.vocabulary().role_count() as u32;
        let mut legal = vec![Vec::new(); roles as usize];
        for (role, list) in (0..roles).zip(&mut legal) {
            worker.legal(state, RoleId(role), list).ok()?;
        }
        let mut instances = HashSet::new();
        if self.system.has_questions() {
            let mut terms = property.terms.clone();
            instances.extend(self.engine.asked(state, &mut terms).ok()?);
        }
        let terminal = worker.is_terminal(state).ok()?;
        Some(Moment { state: state.to_vec(), terminal, legal, instances })
    }

    /// Replays a line. `None` if a move is not legal, or the property does not fail where the line says, or a question
    /// ran into a limit.
    pub fn replay(&self, property: &Property, line: &Line) -> Option<Vec<Vec<u64>>> {
        let mut worker = self.worker();
        let mut state = vec![0; self.system.vocabulary().words()];
        worker.initial(&mut state);
        let mut moments = vec![self.moment(&mut *worker, &state, property)?];
        let mut next = state.clone();
        for joint in &line.joints {
            let last = moments.last()?;
            let legal = last.legal.iter().zip(joint).all(|(list, action)| list.contains(action));
            if last.terminal || !legal {
                return None;
            }
            worker.next(&state, joint, &mut next).ok()?;
            state.copy_from_slice(&next);
            moments.push(self.moment(&mut *worker, &state, property)?);
        }
        let path = moments.get(line.at..)?;
        // A line that is cut short before the formula has seen enough shows nothing.
        let complete = path.len() > property.degree || path.last().is_some_and(Moment::is_last);
        (complete && !self.holds(property, path)).then(|| moments.into_iter().map(|m| m.state).collect())
    }

    /// True if the line is legal and its last state is the one it had after `line.at` moves. A line that runs into a
    /// limit shows nothing.
    pub fn repeats(&self, line: &Line) -> bool {
        self.comes_back(line).unwrap_or(false)
    }

    fn comes_back(&self, line: &Line) -> Result<bool, Fault> {
        let states = self.states(line)?;
        Ok(states.is_some_and(|states| line.at + 1 < states.len() && states.get(line.at) == states.last()))
    }

    /// The state that a line leads to; nothing if a move is not legal or a question runs into a limit.
    pub fn reached(&self, line: &Line) -> Option<Vec<u64>> {
        self.states(line).ok()??.pop()
    }

    /// What there is to see in the state that the line is about; nothing if it cannot be replayed.
    pub fn witness(&self, line: &Line) -> Option<Witness> {
        let state = self.states(line).ok()??.into_iter().nth(line.at)?;
        let mut worker = self.worker();
        let vocabulary = self.system.vocabulary();
        let terminal = worker.is_terminal(&state).ok()?;
        let goal = self.system.goal();
        let mut terms = self.system.terms().clone();
        let said = match terminal && self.system.outputs().relations.contains(&goal) {
            true => self.engine.asked(&state, &mut terms).ok()?,
            false => Vec::new(),
        };
        let mut legal = Vec::new();
        let mut roles = Vec::new();
        for role in vocabulary.roles() {
            worker.legal(&state, role, &mut legal).ok()?;
            let mine = |instance: &&Instance| {
                instance.relation == goal && instance.arguments[0] == vocabulary.role(role)
            };
            let mut goals: Vec<String> = said
                .iter()
                .filter(mine)
                .map(|instance| terms.show(self.system.symbols(), instance.arguments[1]))
                .collect();
            goals.sort();
            goals.dedup();
            if goals.is_empty() && terminal {
                goals.extend(worker.goal(&state, role).ok()?.map(|goal| goal.to_string()));
            }
            roles.push(RoleWitness { moves: legal.len(), goals });
        }
        Some(Witness { state, terminal, roles })
    }

    /// The states of a line, the initial one first; nothing if a move is not legal.
    fn states(&self, line: &Line) -> Result<Option<Vec<Vec<u64>>>, Fault> {
        let mut worker = self.worker();
        let mut states = vec![vec![0; self.system.vocabulary().words()]];
        worker.initial(&mut states[0]);
        let mut legal = Vec::new();
        for joint in &line.joints {
            let state = &states[states.len() - 1];
            let mut allowed = !worker.is_terminal(state)?;
            for (role, action) in self.system.vocabulary().roles().zip(joint) {
                worker.legal(state, role, &mut legal)?;
                allowed &= legal.contains(action);
            }
            if !allowed {
                return Ok(None);
            }
            let mut next = vec![0; state.len()];
            worker.next(state, joint, &mut next)?;
            states.push(next);
        }
        Ok(Some(states))
    }

    /// True if the line is legal and ends the game with that goal for the role.
    pub fn wins(&self, line: &Line, role: RoleId, goal: Goal) -> bool {
        let Some(state) = self.reached(line) else { return false };
        let mut worker = self.worker();
        worker.is_terminal(&state) == Ok(true) && worker.goal(&state, role) == Ok(Some(goal))
    }

    /// Evaluates a property on a sequence of states by its definition.
    pub fn holds(&self, property: &Property, path: &[Moment]) -> bool {
        let mut values = vec![None; property.variables];
        self.expression(property, path, &property.root, &mut values)
    }

    fn expression(
        &self,
        property: &Property,
        path: &[Moment],
        expression: &Expression,
        values: &mut Vec<Option<TermId>>,
    ) -> bool {
        match expression {
            Expression::Atom(atom) => {
                path.first().is_some_and(|m| self.atom(property, m, atom.question, &atom.arguments, values))
            }
            Expression::Equal(a, b) => matches(&property.terms, a, b, values),
            Expression::Not(inner) => !self.expression(property, path, inner, values),
            Expression::And(parts) => parts.iter().all(|p| self.expression(property, path, p, values)),
            Expression::Or(parts) => parts.iter().any(|p| self.expression(property, path, p, values)),
            Expression::Iff(a, b) => {
                self.expression(property, path, a, values) == self.expression(property, path, b, values)
            }
            Expression::Next(inner) => {
                path.len() <= 1 || self.expression(property, &path[1..], inner, values)
            }
            Expression::All { variables, body } => {
                let (count, total) = self.count(property, path, variables, body, values);
                count == total
            }
            Expression::Count { variables, least, most, body } => {
                let (count, _) = self.count(property, path, variables, body, values);
                count >= *least && most.is_none_or(|most| count <= most)
            }
        }
    }

    /// For how many combinations the body holds, and how many there are.
    fn count(
        &self,
        property: &Property,
        path: &[Moment],
        variables: &[(usize, Vec<TermId>)],
        body: &Expression,
        values: &mut Vec<Option<TermId>>,
    ) -> (usize, usize) {
        let Some(((variable, domain), rest)) = variables.split_first() else {
            return (usize::from(self.expression(property, path, body, values)), 1);
        };
        let mut sum = (0, 0);
        for &value in domain {
            values[*variable] = Some(value);
            let (count, total) = self.count(property, path, rest, body, values);
            sum = (sum.0 + count, sum.1 + total);
        }
        sum
    }

    fn atom(
        &self,
        property: &Property,
        moment: &Moment,
        question: Question,
        arguments: &[Arg],
        values: &[Option<TermId>],
    ) -> bool {
        let arguments: Option<Vec<TermId>> =
            arguments.iter().map(|argument| ground(&property.terms, argument, values)).collect();
        let Some(arguments) = arguments else { return false };
        let vocabulary = self.system.vocabulary();
        let role = |term: TermId| vocabulary.find_role(term);
        match question {
            Question::True => {
                vocabulary.find_fluent(arguments[0]).is_some_and(|fluent| row::holds(&moment.state, fluent))
            }
            Question::Legal => role(arguments[0]).is_some_and(|role| {
                let action = vocabulary.find_move(role, arguments[1]);
                action.is_some_and(|action| moment.legal[role.index()].contains(&action))
            }),
            Question::Terminal => moment.terminal,
            Question::Role => role(arguments[0]).is_some(),
            Question::Relation(relation) => moment.instances.contains(&Instance { relation, arguments }),
        }
    }
}
