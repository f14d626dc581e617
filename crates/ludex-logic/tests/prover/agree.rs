//! Random formulas over small games: the SAT procedures, clingo and exhaustive search agree.

use crate::explored::Explored;
use ludex_engine::budget::Budget;
use ludex_engine::prepared::Prepared;
use ludex_engine::random::Random;
use ludex_engine::terms::TermId;
use ludex_gdl::analysis::dependencies::{Dependencies, Phase, phases};
use ludex_gdl::{Game, Sheet};
use ludex_logic::asp;
use ludex_logic::formula::{Property, Request};
use ludex_logic::prove::{Answer, Options, Prover, prove_in_part, prove_relaxed};
use ludex_logic::transition::System;
use ludex_testkit::{corpus, generate, report::Report};
use std::time::Duration;

const GAMES: u64 = 60;
const FORMULAS: usize = 4;
const MOST_STATES: usize = 600;
/// Each question to clingo starts it several times.
const ASKED_BY_CLINGO: usize = 40;

/// The clock must not decide.
fn unhurried() -> Options {
    Options { time: Duration::from_secs(3600), ..Options::default() }
}

/// Writes random formulas over the names of a game.
struct Writer<'s> {
    system: &'s System,
    random: Random,
    relations: Vec<(String, usize)>,
    variables: usize,
}

impl<'s> Writer<'s> {
    fn new(system: &'s System, seed: u64) -> Writer<'s> {
        let rules = &system.original().rules;
        let phases = phases(rules, &Dependencies::of(rules));
        let relations = rules
            .relations()
            .filter(|id| rules.relation(*id).keyword.is_none() && phases[id.index()] == Phase::State)
            .filter(|id| !rules.rules_for(*id).is_empty())
            .map(|id| (rules.symbols.name(rules.relation(id).name).to_owned(), rules.relation(id).arity))
            .collect();
        Writer { system, random: Random::new(seed), relations, variables: 0 }
    }

    fn formula(&mut self, depth: usize, next: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        match self.random.below(8) {
            0 => format!("not {}", self.formula(depth - 1, next)),
            1 => format!("({} and {})", self.formula(depth - 1, next), self.formula(depth - 1, next)),
            2 | 3 => format!("({} or {})", self.formula(depth - 1, next), self.formula(depth - 1, next)),
            4 => format!("({} => {})", self.formula(depth - 1, next), self.formula(depth - 1, next)),
            5 => format!("({} <=> {})", self.formula(depth - 1, next), self.formula(depth - 1, next)),
            6 if next > 0 => format!("next {}", self.formula(depth - 1, next - 1)),
            _ => self.atom(),
        }
    }

    fn atom(&mut self) -> String {
        let vocabulary = self.system.vocabulary();
        match self.random.below(10) {
            0 => "terminal".to_owned(),
            1 | 2 => {
                let role =
                    vocabulary.roles().nth(self.random.below(vocabulary.role_count())).expect("a role");
                let moves: Vec<_> = self.system.moves(role).collect();
                if moves.is_empty() {
                    return "terminal".to_owned();
                }
                let action = moves[self.random.below(moves.len())];
                let term = self.term(vocabulary.action(role, action));
                format!("legal({}, {term})", self.term(vocabulary.role(role)))
            }
            3 if !self.relations.is_empty() => {
                let (name, arity) = self.relations[self.random.below(self.relations.len())].clone();
                if arity == 0 {
                    return name;
                }
                let variables: Vec<String> = (0..arity).map(|_| self.variable()).collect();
                let list = variables.join(", ");
                format!("({} {list}: {name}({list}))", self.quantifier())
            }
            4 | 5 => {
                let fluent = vocabulary.fluents().nth(self.random.below(vocabulary.fluent_count()));
                let fluent = vocabulary.fluent(fluent.expect("a fluent"));
                let arguments = vocabulary.terms().arguments(fluent).to_vec();
                if arguments.is_empty() {
                    return format!("true({})", self.term(fluent));
                }
                let open = self.random.below(arguments.len());
                let variable = self.variable();
                let written: Vec<String> = arguments
                    .iter()
                    .enumerate()
                    .map(|(at, &argument)| if at == open { variable.clone() } else { self.term(argument) })
                    .collect();
                let name = self.name(fluent);
                format!("({} {variable}: true({name}({})))", self.quantifier(), written.join(", "))
            }
            _ => {
                let fluent = vocabulary.fluents().nth(self.random.below(vocabulary.fluent_count()));
                format!("true({})", self.term(vocabulary.fluent(fluent.expect("a fluent"))))
            }
        }
    }

    fn quantifier(&mut self) -> &'static str {
        ["forall", "exists", "exists 0..1", "exists 1..1", "exists 2..*", "exists 0..0"][self.random.below(6)]
    }

    fn variable(&mut self) -> String {
        self.variables += 1;
        format!("X{}", self.variables)
    }

    fn name(&self, term: TermId) -> String {
        let name = self.system.symbols().name(self.system.terms().functor(term));
        let bare = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric());
        if bare { name.to_owned() } else { format!("'{name}'") }
    }

    fn term(&self, term: TermId) -> String {
        let arguments = self.system.terms().arguments(term);
        if arguments.is_empty() {
            return self.name(term);
        }
        let written: Vec<String> = arguments.iter().map(|&argument| self.term(argument)).collect();
        format!("{}({})", self.name(term), written.join(", "))
    }
}

/// A game, a formula that has a meaning in it, and the property.
fn random_formula(game: &Game, seed: u64) -> Option<(String, Request)> {
    let plain = System::new(&Prepared::new(game.clone()), &[], &Budget::default()).ok()?;
    let mut writer = Writer::new(&plain, seed);
    (0..20).find_map(|_| {
        let text = writer.formula(3, 2);
        let request = Request::read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        // Places that hold functions have no listed domain; another formula then.
        request.relations(&game.rules).ok()?;
        request.property(&plain).ok()?;
        Some((text, request))
    })
}

#[test]
fn random_formulas_are_decided_as_exhaustive_search_decides_them() {
    let clingo = crate::clingo::clingo("random formulas by clingo");
    let mut report = Report::new("random formulas");
    let (mut held, mut failed, mut by_clingo) = (0, 0, 0);
    for seed in 0..GAMES {
        let game = corpus::into_game(Sheet::read(&generate::game(seed))).expect("generated games are sound");
        for number in 0..FORMULAS {
            let Some((text, request)) = random_formula(&game, seed * 100 + number as u64) else { continue };
            let relations = request.relations(&game.rules).expect("checked");
            let system =
                System::new(&Prepared::new(game.clone()), &relations, &Budget::default()).expect("small");
            let prover = Prover::new(&system, unhurried());
            let property: Property = request.property(&system).expect("checked").expect("a formula");
            let reference = prover.reference(&prover.budget()).expect("small");
            let explored = Explored::new(reference, &property, system.initial(), MOST_STATES);
            let Some(explored) = explored else { continue };
            let truth = explored.holds(reference, &property);
            *(if truth { &mut held } else { &mut failed }) += 1;
            report.case(&format!("seed {seed}: {text}"), || {
                let agrees = |answer: &Answer| match answer {
                    Answer::Holds(_) => truth,
                    Answer::Fails(_) => !truth,
                    Answer::Unknown(_) => false,
                };
                let parts = [prove_in_part, prove_relaxed].map(|prove| prove(&game, &request, &unhurried()));
                if parts.iter().flatten().any(|answer| !agrees(answer)) {
                    return Err("exhaustive search says false, a part of the game that it holds".to_owned());
                }
                let answer = prover.prove(&property);
                if !agrees(&answer) {
                    return Err(format!("exhaustive search says {truth}, SAT {answer:?}"));
                }
                if let Some(clingo) = clingo.as_ref().filter(|_| by_clingo < ASKED_BY_CLINGO && number == 0) {
                    by_clingo += 1;
                    let budget = prover.budget();
                    let lemmas = prover.turns(&budget);
                    let answer = asp::prove(&prover, &property, lemmas, clingo, &budget);
                    let answer = answer.map_err(|error| error.to_string())?;
                    // Plain induction need not decide, but must not be wrong.
                    if !agrees(&answer) && !matches!(answer, Answer::Unknown(_)) {
                        return Err(format!("exhaustive search says {truth}, clingo {answer:?}"));
                    }
                }
                Ok(())
            });
        }
    }
    assert!(held >= 30 && failed >= 30, "too one-sided: {held} hold, {failed} fail");
    report.finish();
}
