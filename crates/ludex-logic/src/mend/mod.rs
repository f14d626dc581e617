//! Repairs of a game of which a property fails: changes of a single rule, each proved before it is shown.
//!
//! What fails comes with a line of play. A change is worth looking at only if that line no longer shows the failure, nor
//! does any line that another change has failed by: most changes are ruled out by a few moves on the reference engine,
//! before anything is compiled for them. The rest is decided by the prover. A change after which hardly anything can be
//! played any more makes most properties true and mends nothing: it is left out.
//!
//! Single rules only: a game with two mistakes is not mended. What is not proved within the time is not shown.

mod changes;

pub use changes::{Change, Kind};

use crate::formula::Request;
use crate::prove::{Answer, Line, Options, Proof, Prover, Refutation};
use crate::transition::System;
use changes::changes;
use hashbrown::{HashMap, HashSet};
use ludex_engine::budget::Budget;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::prepared::Prepared;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex_gdl::rules::Term;
use ludex_gdl::{Game, Keyword, Sheet};
use std::time::Duration;

/// A change that was proved to mend the game.
#[derive(Clone, Debug)]
pub struct Repair {
    /// What is changed.
    pub change: Change,
    /// The whole sheet with the change.
    pub text: String,
    /// Why the property holds now.
    pub proof: Proof,
}

/// What a search for repairs came to.
#[derive(Clone, Debug, Default)]
pub struct Repairs {
    /// Those that were found, in the order of the search.
    pub found: Vec<Repair>,
    /// Changes that were looked at,
    pub tried: usize,
    /// of so many.
    pub of: usize,
    /// Changes that no line of play spoke against, so that the prover was asked.
    pub asked: usize,
}

/// A refutation, in words that mean the same in a changed game.
#[derive(Clone, Debug)]
struct Warning {
    joints: Vec<Vec<String>>,
    shows: Shows,
}

/// What the end of the line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shows {
    Stuck,
    NoSingleGoal,
    Repetition(usize),
}

/// Random matches by which a game is compared with what it was, and their longest.
const MATCHES: usize = 12;
const LONGEST: usize = 120;

/// A change is looked at for a twentieth of the time at most.
const SHARE: u32 = 20;

/// Searches for changes of one rule after which the property holds, until there are so many or the budget ends. The property
/// must have failed of the sheet, with this refutation.
pub fn repairs(
    sheet: &Sheet,
    request: &Request,
    refutation: &Refutation,
    vocabulary: &Vocabulary,
    most: usize,
    budget: &Budget,
) -> Repairs {
    let Some(game) = sheet.game() else { return Repairs::default() };
    let engine = Datalog::new(game, &budget.share(4)).ok();
    let before = engine.as_ref().map_or_else(Play::default, |engine| Play::of(game, engine, budget));
    let all =
        changes(sheet, engine.as_ref().map(|engine| engine as &dyn Engine), suspects(refutation, request));
    let mut warnings: Vec<Warning> = warning(refutation, request, vocabulary).into_iter().collect();
    let mut repairs = Repairs { of: all.len(), ..Repairs::default() };
    for change in all {
        if repairs.found.len() >= most || budget.check().is_err() {
            break;
        }
        repairs.tried += 1;
        let text = changed(&sheet.text, &change);
        let Some(game) = Sheet::read(&text).into_game().ok() else { continue };
        let share = budget.share(SHARE);
        if !is_worth_asking(&game, &warnings, &before, &share) {
            continue;
        }
        repairs.asked += 1;
        match decide(game, request, &share) {
            Some((Answer::Holds(proof), _)) => repairs.found.push(Repair { change, text, proof }),
            Some((Answer::Fails(why), Some(vocabulary))) => {
                warnings.extend(warning(&why, request, &vocabulary));
            }
            _ => {}
        }
    }
    repairs
}

/// The sheet with the change.
fn changed(text: &str, change: &Change) -> String {
    match change.place {
        Some(span) => {
            format!("{}{}{}", &text[..span.start as usize], change.text, &text[span.end as usize..])
        }
        None => format!("{}\n{}\n", text.trim_end(), change.text),
    }
}

/// The relations whose rules are likely at fault.
fn suspects(refutation: &Refutation, request: &Request) -> &'static [Keyword] {
    match part(refutation, request).0 {
        "playable" => &[Keyword::Legal, Keyword::Next, Keyword::Terminal],
        "unique-goals" | "weakly-winnable" => &[Keyword::Goal, Keyword::Terminal, Keyword::Next],
        _ => &[Keyword::Next, Keyword::Terminal, Keyword::Legal],
    }
}

/// The property that failed, and how.
fn part<'r>(refutation: &'r Refutation, request: &'r Request) -> (&'r str, &'r Refutation) {
    match refutation {
        Refutation::Part(name, inner) => (*name, inner),
        other => (request.text.trim(), other),
    }
}

fn warning(refutation: &Refutation, request: &Request, vocabulary: &Vocabulary) -> Option<Warning> {
    let (name, inner) = part(refutation, request);
    let (line, shows): (&Line, Shows) = match (name, inner) {
        ("playable", Refutation::Line(line)) => (line, Shows::Stuck),
        ("unique-goals", Refutation::Line(line)) => (line, Shows::NoSingleGoal),
        (_, Refutation::Repetition(line)) => (line, Shows::Repetition(line.at)),
        _ => return None,
    };
    let show = |joint: &Vec<MoveId>| {
        vocabulary.roles().zip(joint).map(|(role, &action)| vocabulary.show_move(role, action)).collect()
    };
    Some(Warning { joints: line.joints.iter().map(show).collect(), shows })
}

/// Whether no line that is known speaks against the game, and it can still be played.
fn is_worth_asking(game: &Game, warnings: &[Warning], before: &Play, budget: &Budget) -> bool {
    let Ok(engine) = Datalog::new(game, budget) else { return false };
    let mut worker = engine.worker();
    worker.obey(budget);
    if warnings.iter().any(|warning| still_shows(&mut *worker, engine.vocabulary(), warning) != Some(false)) {
        return false;
    }
    let play = Play::of(game, &engine, budget);
    2 * play.moves >= before.moves.max(2)
        && (before.gets_stuck || !play.gets_stuck)
        && before.best_goals.iter().all(|(role, best)| play.best_goals.get(role) >= Some(best))
}

/// Whether the line leads to what it showed; nothing where a question ran into a limit.
fn still_shows(worker: &mut dyn Worker, vocabulary: &Vocabulary, warning: &Warning) -> Option<bool> {
    let mut states = vec![vec![0; vocabulary.words()]];
    worker.initial(&mut states[0]);
    let mut legal = Vec::new();
    for joint in &warning.joints {
        let state = states[states.len() - 1].clone();
        if worker.is_terminal(&state).ok()? || joint.len() != vocabulary.role_count() {
            return Some(false);
        }
        let mut made = Vec::new();
        for (role, action) in vocabulary.roles().zip(joint) {
            worker.legal(&state, role, &mut legal).ok()?;
            let found = vocabulary.read_term(action).and_then(|term| vocabulary.find_move(role, term));
            let Some(action) = found.filter(|action| legal.contains(action)) else { return Some(false) };
            made.push(action);
        }
        let mut next = vec![0; state.len()];
        worker.next(&state, &made, &mut next).ok()?;
        states.push(next);
    }
    let last = &states[states.len() - 1];
    let terminal = worker.is_terminal(last).ok()?;
    Some(match warning.shows {
        Shows::Stuck => !terminal && is_stuck(worker, vocabulary, last)?,
        Shows::NoSingleGoal => {
            let mut lacks = false;
            for role in vocabulary.roles().filter(|_| terminal) {
                lacks |= worker.goal(last, role).ok()?.is_none();
            }
            lacks
        }
        Shows::Repetition(at) => states.get(at) == Some(last),
    })
}

fn is_stuck(worker: &mut dyn Worker, vocabulary: &Vocabulary, state: &[u64]) -> Option<bool> {
    let mut legal = Vec::new();
    let mut stuck = false;
    for role in vocabulary.roles() {
        worker.legal(state, role, &mut legal).ok()?;
        stuck |= legal.is_empty();
    }
    Some(stuck)
}

/// What a few random matches show of a game, and what its rules promise: no repair may take it away.
#[derive(Debug, Default)]
struct Play {
    /// How many different moves are legal where all roles have one.
    moves: usize,
    /// Somebody has no move before the end.
    gets_stuck: bool,
    /// The greatest goal that rules name for each role; for all of them, without a name.
    best_goals: HashMap<String, u32>,
}

impl Play {
    fn of(game: &Game, engine: &Datalog, budget: &Budget) -> Play {
        let mut worker = engine.worker();
        worker.obey(budget);
        let vocabulary = engine.vocabulary();
        let mut random = Random::new(41);
        let mut seen: HashSet<(RoleId, MoveId)> = HashSet::new();
        let mut gets_stuck = false;
        for _ in 0..MATCHES {
            let mut state = vec![0; vocabulary.words()];
            worker.initial(&mut state);
            for _ in 0..LONGEST {
                if worker.is_terminal(&state) != Ok(false) {
                    break;
                }
                let mut legal = vec![Vec::new(); vocabulary.role_count()];
                let listed = vocabulary
                    .roles()
                    .zip(&mut legal)
                    .all(|(role, list)| worker.legal(&state, role, list).is_ok());
                let is_stuck = legal.iter().any(Vec::is_empty);
                gets_stuck |= listed && is_stuck;
                if !listed || is_stuck {
                    break;
                }
                seen.extend(
                    vocabulary
                        .roles()
                        .zip(&legal)
                        .flat_map(|(role, list)| list.iter().map(move |&m| (role, m))),
                );
                let joint: Vec<MoveId> = legal.iter().map(|list| list[random.below(list.len())]).collect();
                let mut next = vec![0; state.len()];
                if worker.next(&state, &joint, &mut next).is_err() {
                    break;
                }
                state = next;
            }
        }
        let rules = &game.rules;
        let mut best_goals: HashMap<String, u32> = HashMap::new();
        for &id in rules.rules_for(rules.keyword(Keyword::Goal)) {
            let [who, Term::Constant(value)] = rules.rule(id).head.arguments.as_slice() else { continue };
            let Ok(value) = rules.symbols.name(*value).parse::<u32>() else { continue };
            let who = match who {
                Term::Constant(role) => rules.symbols.name(*role).to_owned(),
                _ => String::new(),
            };
            let best = best_goals.entry(who).or_default();
            *best = value.max(*best);
        }
        Play { moves: seen.len(), gets_stuck, best_goals }
    }
}

/// The property of the changed game, with the vocabulary in which a line is given.
fn decide(
    game: Game,
    request: &Request,
    budget: &Budget,
) -> Option<(Answer, Option<std::sync::Arc<Vocabulary>>)> {
    let relations = request.relations(&game.rules).ok()?;
    let prepared = Prepared::new(game);
    let system = System::new(&prepared, &relations, budget).ok()?;
    let options = Options { budget: budget.clone(), time: Duration::MAX, ..Options::default() };
    let answer = Prover::new(&system, options).answer(request).ok()?;
    Some((answer, Some(system.vocabulary().clone())))
}
