//! The judge of the regression: on every reachable state of small games, what the database says must be what
//! exhaustive search finds.
//!
//! The search runs on the reference engine, the regression reads the propositional network: they share the
//! rules and nothing else.

use ludex_engine::budget::{Budget, Cancel, Exceeded};
use ludex_engine::datalog::Datalog;
use ludex_engine::prepared::Prepared;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::{Game, Sheet};
use ludex_logic::endgame::regress::{Assume, Options, Reached, Regression, Summary, regress};
use ludex_logic::endgame::solve::{self, Solution, solve};
use ludex_logic::endgame::{Database, Kind, Stop, regress};
use ludex_logic::facts::{Facts, Group};
use ludex_testkit::report::note;
use ludex_testkit::{corpus, generate, micro};

/// Limits that do not depend on the clock.
fn options<'a>(assume: Assume) -> Options<'a> {
    Options { depth: 10_000, nodes: 2_000_000, assume, ..Options::default() }
}

fn bundled(name: &str) -> Game {
    let source = corpus::games().into_iter().find(|source| source.name == name).expect("a bundled game");
    source.game().expect("a sound sheet")
}

/// The solution, if there are not too many states.
fn solution(game: &Game, most: usize) -> Option<Solution> {
    let engine = Datalog::new(game, &Budget::default()).ok()?;
    let options = solve::Options { states: most, threads: 1, ..solve::Options::default() };
    solve(&engine, &options, &Budget::default(), &solve::Reached::default()).ok()
}

fn database(regression: Regression) -> Database {
    Database::from_bytes(regression.bytes).expect("what was just made is sound")
}

/// Every difference between the database and the solution up to a depth, in words.
fn differences(database: &Database, solution: &Solution, depth: u32) -> Vec<String> {
    let mut found = Vec::new();
    for at in 0..solution.space.len() {
        let state = &solution.space.state(at)[..database.overview().words as usize];
        for role in (0..database.overview().roles).map(RoleId) {
            // A goal that no reachable end gives is never reached.
            let attainable = database.best_goal(role) == solution.best[role.index()];
            let verdict = solution.verdict(at, role);
            let searched =
                [(Kind::Reachable, verdict.reachable), (Kind::Forced, solution.forced_depth(at, role))];
            for (kind, expected) in searched {
                let expected = expected.filter(|&n| attainable && n <= depth);
                let entry = database.depth(state, role, kind).filter(|&n| n <= depth);
                if entry != expected {
                    found.push(format!(
                        "state {at}, {role:?}, {kind:?}: entry {entry:?}, search {expected:?}"
                    ));
                }
            }
        }
    }
    found
}

/// Compares regression with search, with and without what may be assumed. Returns how the regression with it
/// went, or nothing for a game of more states.
fn judge(name: &str, game: &Game, most: usize) -> Option<Summary> {
    let solution = solution(game, most)?;
    let mut last = None;
    for assume in [Assume::Nothing, Assume::Derived] {
        let mut options = options(assume.clone());
        if matches!(assume, Assume::Nothing) {
            // Bdds of ghosts can be huge: this far and no further.
            options.nodes = 300_000;
        }
        let Ok(regression) = regress(&Prepared::new(game.clone()), &options) else { continue };
        let summary = regression.summary.clone();
        let depth = if summary.complete { u32::MAX } else { summary.depth };
        let found = differences(&database(regression), &solution, depth);
        let few = &found[..found.len().min(5)];
        assert!(found.is_empty(), "{name}, {assume:?}: {} differences: {few:?}", found.len());
        if std::env::var_os("LUDEX_VERBOSE").is_some() {
            let states = solution.space.len();
            note(&format!(
                "{name}: {states} states, {assume:?}, depth {}, {} entries",
                summary.depth, summary.entries
            ));
        }
        last = Some(summary);
    }
    last
}

/// Bundled games of which every reachable state is judged, to the end of the game.
const SMALL: [&str; 9] = [
    "buttonsandlights",
    "hanoi",
    "maze",
    "nim",
    "pursuit",
    "racetoten",
    "rockpaperscissors",
    "threeway",
    "tictactoe",
];

#[test]
fn bundled_games_are_judged_to_the_end() {
    for name in SMALL {
        let summary = judge(name, &bundled(name), 6_000).expect("small games are regressed");
        assert!(summary.complete, "{name}: {summary:?}");
    }
}

#[test]
fn micro_games_are_judged() {
    let mut judged = 0;
    for case in micro::load() {
        // Some have no network; the reference engine says so too, by another test.
        let Ok(game) = Sheet::read(&case.rules).into_game() else { continue };
        judged += usize::from(judge(&case.name, &game, 2_000).is_some_and(|summary| summary.complete));
    }
    assert!(judged >= 20, "{judged}");
}

/// Games that make no sense, with recursion, negation and nested terms in every rule.
#[test]
fn generated_games_are_judged() {
    let judged = (0..80).filter(|&seed| {
        let game = Sheet::read(&generate::game(seed)).into_game().expect("generated games are sound");
        judge(&format!("generated {seed}"), &game, 2_000).is_some_and(|summary| summary.complete)
    });
    assert!(judged.count() >= 60);
}

/// Public sheets with few states.
#[test]
fn public_games_are_judged() {
    const NAMES: [&str; 31] = [
        "dresden_simple",
        "onestep",
        "troublemaker01",
        "haystack",
        "survival",
        "switches",
        "troublemaker02",
        "ad_game_2x2",
        "buttons",
        "blocks",
        "blocksworld",
        "pearls",
        "untwistycomplex2",
        "nim1",
        "maze",
        "tictactoe-init1",
        "dresden_nim",
        "factoringgeorgeforman",
        "blocksworldparallel",
        "circlesolitaire",
        "hodgepodge",
        "statespacesmall",
        "coins",
        "coins_atomic",
        "roshambo2",
        "blocksworldserial",
        "duplicatestatesmall",
        "gt_centipede",
        "gt_dollar",
        "duplicatestatemedium",
        "kitten_escapes_from_fire",
    ];
    let sheets = corpus::shared_games("the judge of end-game databases on public sheets");
    let there = sheets.iter().filter(|source| NAMES.contains(&source.name.as_str())).count();
    assert!(sheets.is_empty() || there == NAMES.len(), "{there} of the sheets are there");
    for source in sheets.iter().filter(|source| NAMES.contains(&source.name.as_str())) {
        let game = source.game().expect("a sound sheet");
        let summary = judge(&source.name, &game, 20_000).expect("small games are regressed");
        assert!(summary.complete, "{}: {summary:?}", source.name);
    }
}

#[test]
fn the_short_way_changes_nothing_but_the_time() {
    let game = bundled("tictactoe");
    let mut options = options(Assume::Derived);
    options.depth = 2;
    let short = regress(&Prepared::new(game.clone()), &options).expect("it fits");
    assert!(short.summary.is_strips());
    options.strips = false;
    let long = regress(&Prepared::new(game), &options).expect("it fits");
    assert_eq!(short.bytes, long.bytes);
}

#[test]
fn given_facts_are_used() {
    let game = bundled("maze");
    let derived = regress(&Prepared::new(game.clone()), &options(Assume::Derived)).expect("it fits");
    let groups = Database::from_bytes(derived.bytes.clone()).expect("sound").groups();
    assert_eq!(groups.len(), 3, "the robot, the gold and the step are each in one place");
    let groups = groups.into_iter().map(|fluents| Group { fluents, exactly: true }).collect();
    let facts = Facts { groups, ..Facts::default() };
    let given = regress(&Prepared::new(game), &options(Assume::Given(facts))).expect("it fits");
    assert_eq!(given.bytes, derived.bytes);
}

#[test]
fn whoever_watches_sees_how_far_it_got() {
    let reached = Reached::default();
    let options = Options { reached: Some(&reached), ..options(Assume::Derived) };
    let summary = regress(&Prepared::new(bundled("maze")), &options).expect("it fits").summary;
    assert_eq!((reached.depth(), reached.entries()), (summary.depth, summary.entries));
    assert!(summary.depth > 0 && summary.complete);
}

#[test]
fn limits_leave_what_is_finished() {
    let game = bundled("nim");
    let solution = solution(&game, 2_000).expect("small");
    let whole = regress(&Prepared::new(game.clone()), &options(Assume::Derived)).expect("it fits").summary;
    let mut shallow = options(Assume::Derived);
    shallow.depth = 3;
    let regression = regress(&Prepared::new(game.clone()), &shallow).expect("it fits");
    assert_eq!((regression.summary.depth, regression.summary.stop), (3, None));
    assert!(!regression.summary.complete);
    assert_eq!(differences(&database(regression), &solution, 3), Vec::<String>::new());
    let mut few = options(Assume::Derived);
    few.entries = whole.entries / 2;
    let regression = regress(&Prepared::new(game.clone()), &few).expect("the goals fit");
    assert_eq!(regression.summary.stop, Some(Stop::Entries(whole.entries / 2)));
    assert!(regression.summary.entries <= whole.entries / 2);
    let depth = regression.summary.depth;
    assert!(depth > 0 && depth < whole.depth, "{depth}");
    assert_eq!(differences(&database(regression), &solution, depth), Vec::<String>::new());
    let mut small = options(Assume::Derived);
    small.nodes = 20_000;
    let regression = regress(&Prepared::new(game.clone()), &small).expect("the goals fit");
    assert_eq!(regression.summary.stop, Some(Stop::Nodes(20_000)));
    let depth = regression.summary.depth;
    assert_eq!(differences(&database(regression), &solution, depth), Vec::<String>::new());
    let mut hasty = options(Assume::Derived);
    hasty.steps = 20_000;
    let regression = regress(&Prepared::new(game.clone()), &hasty).expect("the goals fit");
    assert_eq!(regression.summary.stop, Some(Stop::Limit(Exceeded::Steps(20_000))));
    let cancel = Cancel::default();
    let mut cancelled = options(Assume::Derived);
    cancelled.budget = Budget::default().with_cancel(cancel.clone());
    cancel.cancel();
    let error = regress(&Prepared::new(game), &cancelled).expect_err("there is no network yet");
    assert!(
        matches!(error, regress::RegressError::Network(error) if error.limit() == Some(Exceeded::Cancelled))
    );
}
