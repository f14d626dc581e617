//! Every discovered fact is checked in every reachable state, by the reference engine.

use crate::explored::Explored;
use ludex_engine::budget::Budget;
use ludex_engine::engine::Worker;
use ludex_engine::prepared::Prepared;
use ludex_engine::propnet::compile;
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::row;
use ludex_engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex_gdl::Keyword;
use ludex_gdl::analysis::domains::Functor;
use ludex_logic::discover::{discover, facts, statements};
use ludex_logic::facts::{Facts, Turns};
use ludex_logic::formula::Request;
use ludex_logic::prove::{Answer, Options, Prover, Reference};
use ludex_logic::transition::System;
use ludex_testkit::corpus::{self, Source};
use ludex_testkit::report::{Report, note, runs_slow};
use std::time::Duration;

const MOST_STATES: usize = 3000;

/// What a game's facts say, by kind.
#[derive(Default)]
struct Tally {
    turns: usize,
    groups: usize,
    playable: usize,
    sums: usize,
    lengths: usize,
    facts: usize,
}

/// Checks all facts of a game; false if it has too many states to enumerate.
fn examine(source: &Source, tally: &mut Tally) -> Result<bool, String> {
    let game = source.game()?;
    let goal = game.rules.keyword(Keyword::Goal);
    let system =
        System::new(&Prepared::new(game), &[goal], &Budget::default()).map_err(|error| error.to_string())?;
    let reference = Reference::new(&system, &Budget::default()).map_err(|error| error.to_string())?;
    let property = Request::read("terminal").ok().and_then(|r| r.property(&system).ok()?).expect("a formula");
    let Some(explored) = Explored::new(&reference, &property, system.initial(), MOST_STATES) else {
        return Ok(false);
    };
    let options = Options { time: Duration::from_secs(3600), ..Options::default() };
    let prover = Prover::new(&system, options);
    let facts = discover(&prover);
    tally.turns += usize::from(facts.turns != Turns::Unknown);
    tally.groups += usize::from(facts.exactly_one().next().is_some());
    tally.playable += usize::from(facts.playable);
    tally.sums += usize::from(facts.goal_sum.is_some());
    tally.lengths += usize::from(facts.length.is_some());
    tally.facts += facts.groups.len() + facts.constants.len() + facts.mutexes.len() + facts.persistent.len();
    let mut worker = reference.worker();
    for (number, moment) in explored.moments.iter().enumerate() {
        if let Some(wrong) = facts.contradiction(&moment.state) {
            return Err(format!("state {number}: {wrong}"));
        }
        in_state(&facts, system.vocabulary(), &mut *worker, &moment.state, moment.terminal, &moment.legal)?;
        for &next in &explored.successors[number] {
            let next = &explored.moments[next].state;
            for &(fluent, value) in &facts.persistent {
                if row::holds(&moment.state, fluent) == value && row::holds(next, fluent) != value {
                    return Err(format!("fluent {} does not stay {value}", fluent.0));
                }
            }
        }
    }
    if let Some(bound) = facts.length {
        let longest = longest(&explored).ok_or("a match can be endless")?;
        if longest > bound {
            return Err(format!("a match of {longest} moves, bound {bound}"));
        }
    }
    Ok(true)
}

fn in_state(
    facts: &Facts,
    vocabulary: &Vocabulary,
    worker: &mut dyn Worker,
    state: &[u64],
    terminal: bool,
    legal: &[Vec<MoveId>],
) -> Result<(), String> {
    if terminal {
        let goals: Vec<_> =
            vocabulary.roles().map(|role| worker.goal(state, role).expect("no limit is met")).collect();
        if facts.unique_goals && goals.iter().any(Option::is_none) {
            return Err(format!("goals {goals:?}"));
        }
        if let Some(sum) = facts.goal_sum
            && goals.iter().copied().sum::<Option<i32>>() != Some(sum)
        {
            return Err(format!("goals {goals:?} do not add up to {sum}"));
        }
        return Ok(());
    }
    if facts.playable && legal.iter().any(Vec::is_empty) {
        return Err("a role has no legal move".to_owned());
    }
    if facts.turns != Turns::Unknown {
        let choosing: Vec<usize> = (0..legal.len()).filter(|&role| legal[role].len() > 1).collect();
        if choosing.len() > 1 {
            return Err("two roles have a choice".to_owned());
        }
        if let (Some(mover), Some(&role)) = (facts.to_move(state), choosing.first())
            && mover.index() != role
        {
            return Err("another role than the one in control has a choice".to_owned());
        }
    }
    let name = |role: RoleId, action: MoveId| -> Functor {
        let term = vocabulary.action(role, action);
        (vocabulary.terms().functor(term), vocabulary.terms().arguments(term).len())
    };
    for pair in &facts.impossible {
        let has =
            |(role, wanted): (RoleId, Functor)| legal[role.index()].iter().any(|&m| name(role, m) == wanted);
        if has(pair.first) && has(pair.second) {
            return Err(format!("{pair:?} go together"));
        }
    }
    Ok(())
}

/// The longest match from the initial state, or `None` if there is a cycle.
fn longest(explored: &Explored) -> Option<usize> {
    let graph: Vec<Vec<u32>> =
        explored.successors.iter().map(|list| list.iter().map(|&next| next as u32).collect()).collect();
    let mut longest = vec![0; graph.len()];
    // Components come after those that they lead to.
    for component in ludex_gdl::analysis::graph::components(&graph) {
        let [only] = component.as_slice() else { return None };
        let node = *only as usize;
        if graph[node].contains(only) {
            return None;
        }
        longest[node] = graph[node].iter().map(|&next| longest[next as usize] + 1).max().unwrap_or(0);
    }
    Some(longest[0])
}

/// Names of games that can be enumerated and are quick, from `testdata/properties/enumerable.txt`; with
/// `LUDEX_SLOW` all sheets are tried.
/// What is proved here of turns is what the network has proved by itself, by another way: play goes through as
/// many phases as there are fluents that tell the turn. So nothing is handed on to it.
#[test]
fn the_network_finds_the_turns_by_itself() {
    for (name, roles) in [("tictactoe", 2), ("nim", 2), ("connectfour4x4", 2), ("hanoi", 1)] {
        let source = corpus::games().into_iter().find(|source| source.name == name).expect(name);
        let game = source.game().expect(name);
        let facts = facts(&Prepared::new(game.clone()), &Budget::default()).expect(name);
        let control = match &facts.turns {
            Turns::Alternate { control } => control.len().max(1),
            Turns::Unknown => 0,
        };
        let compiled = compile(&game, &Budget::default()).expect(name);
        let lanes = Lanes::new(&compiled.net, &compiled.initial, &Budget::default()).expect(name);
        assert_eq!((control, lanes.period()), (roles, roles), "{name}");
    }
}

#[test]
fn facts_hold_in_every_reachable_state() {
    let list =
        std::fs::read_to_string(corpus::testdata("properties/enumerable.txt")).expect("the list is there");
    let mut names: Vec<String> =
        list.lines().filter(|line| !line.starts_with('#')).map(|line| line.trim().to_owned()).collect();
    let bundled = corpus::games();
    let public = corpus::shared_games("discovery on public sheets");
    let wanted = if public.is_empty() { 5 } else { 30 };
    let sources: Vec<&Source> = bundled.iter().chain(&public).collect();
    if runs_slow("discovery on sheets that are large or slow to enumerate") {
        names = sources.iter().map(|source| source.name.clone()).collect();
        names.dedup();
    }
    let mut report = Report::new("discovered facts");
    let mut tally = Tally::default();
    let mut games = Vec::new();
    for name in &names {
        let Some(source) = sources.iter().find(|source| source.name == *name) else { continue };
        report.case(name, || {
            if examine(source, &mut tally)? {
                games.push(name.as_str());
            }
            Ok(())
        });
    }
    note(&format!(
        "{} games ({}): {} take turns, {} have exactly-one groups, {} are playable, {} have a constant sum, {} end \
         by proof; {} facts about fluents, all checked in every state",
        games.len(),
        games.join(" "),
        tally.turns,
        tally.groups,
        tally.playable,
        tally.sums,
        tally.lengths,
        tally.facts
    ));
    assert!(games.len() >= wanted, "{}", games.len());
    report.finish();
}

/// The formulas of what was discovered are read again, mean something in the game, and are proved once more.
fn prove_again(name: &str, game: &ludex_gdl::Game) -> usize {
    let goal = game.rules.keyword(Keyword::Goal);
    let system = System::new(&Prepared::new(game.clone()), &[goal], &Budget::default()).expect(name);
    let options = Options { time: Duration::from_secs(3600), ..Options::default() };
    let prover = Prover::new(&system, options);
    let found = statements(&discover(&prover), system.vocabulary());
    for statement in &found {
        let text = &statement.formula;
        let request = Request::read(text).unwrap_or_else(|error| panic!("{name}: {text}: {error}"));
        let answer = prover.answer(&request).unwrap_or_else(|error| panic!("{name}: {text}: {error}"));
        assert!(matches!(answer, Answer::Holds(_)), "{name}: {text}: {answer:?}");
    }
    found.len()
}

#[test]
fn discovered_facts_are_formulas_that_hold() {
    for name in ["tictactoe", "nim", "maze", "buttonsandlights", "rockpaperscissors", "racetoten", "threeway"]
    {
        let source = corpus::games().into_iter().find(|source| source.name == name).expect(name);
        let count = prove_again(name, &source.game().expect(name));
        assert!(count >= 4, "{name}: {count} statements");
    }
}

/// Names that the infix notation must quote, and words of the language of formulas.
#[test]
fn discovered_formulas_quote_what_must_be_quoted() {
    let sheet = ludex_gdl::Sheet::read(
        "(role Red) (init (at it's)) (init (next in)) (step it's less-than) (step less-than Over)
         (<= (legal Red (go ?y)) (true (at ?x)) (step ?x ?y))
         (<= (next (at ?y)) (does Red (go ?y)))
         (<= (next (next in)) (true (next in)))
         (<= terminal (true (at Over)))
         (<= (goal Red 100) (true (at Over)))",
    );
    let game = sheet.into_game().expect("a sound sheet");
    assert!(prove_again("names", &game) >= 4);
}
