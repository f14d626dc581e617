//! The judge of the regression: on every reachable state of small games, what the database says must be what exhaustive search finds.

use ludex_engine::datalog::Datalog;
use ludex_engine::engine::Engine;
use ludex_engine::limits::Limits;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::{Game, Sheet};
use ludex_logic::endgame::regress::{Assume, Options, Summary};
use ludex_logic::endgame::solve::{self, Solution, solve};
use ludex_logic::endgame::{Database, Kind, regress};
use ludex_testkit::report::note;
use ludex_testkit::{corpus, generate};
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Limits that do not depend on the clock.
fn options<'a>(assume: Assume) -> Options<'a> {
    let limits = regress::Limits {
        depth: 10_000,
        nodes: 4_000_000,
        steps: 200_000_000,
        time: Duration::from_secs(100_000),
        ..regress::Limits::default()
    };
    Options { limits, assume, ..Options::default() }
}

/// By the reference engine, which shares nothing with the network that the regression reads.
fn solution(game: &Game, most: usize) -> Option<Solution> {
    let limits = Limits { time: Duration::from_secs(100_000), ..Limits::default() };
    let engine = Datalog::new(game, limits).expect("small games have an engine");
    let limits = solve::Limits {
        states: most,
        time: Duration::from_secs(100_000),
        threads: 1,
        ..solve::Limits::default()
    };
    solve(&engine as &dyn Engine, &limits, &AtomicU64::new(0)).ok()
}

/// Every difference between the database and the solution, in words.
fn differences(database: &Database, solution: &Solution, depth: u32) -> Vec<String> {
    let mut found = Vec::new();
    for at in 0..solution.space.len() {
        let state = solution.space.state(at);
        for role in (0..database.overview().roles).map(RoleId) {
            // A goal that no reachable end gives is never reached.
            let attainable = database.best_goal(role) == solution.best[role.index()];
            let verdict = solution.verdict(at, role);
            for (kind, expected) in
                [(Kind::Reachable, verdict.reachable), (Kind::Forced, solution.forced_depth(at, role))]
            {
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

/// Compares regression with search, with and without what may be assumed. Returns the number of states.
fn judge(name: &str, game: &Game, most: usize) -> Option<(usize, Summary)> {
    let solution = solution(game, most)?;
    let mut last = None;
    for assume in [Assume::Nothing, Assume::Derived] {
        let bare = matches!(assume, Assume::Nothing);
        let mut options = options(assume.clone());
        if bare {
            options.limits.nodes = 300_000;
        }
        let regression = match regress::regress(game, &options) {
            Ok(regression) => regression,
            // Without what may be assumed some diagrams are too large; what there is must still be right.
            Err(_) if bare => continue,
            Err(error) => panic!("{name}: {error}"),
        };
        let summary = regression.summary.clone();
        note(&format!(
            "{name}: {} states, depth {}, {} entries, {assume:?}, {:.3} s",
            solution.space.len(),
            summary.depth,
            summary.entries,
            summary.seconds
        ));
        assert!(bare || summary.stop.is_none(), "{name}: {summary:?}");
        assert!(bare || summary.complete, "{name}: {summary:?}");
        let database = Database::from_bytes(regression.bytes).expect("what was just made is sound");
        let found =
            differences(&database, &solution, if summary.complete { u32::MAX } else { summary.depth });
        assert!(
            found.is_empty(),
            "{name}, {assume:?}: {} differences: {:?}",
            found.len(),
            &found[..found.len().min(5)]
        );
        last = Some(summary);
    }
    last.map(|summary| (solution.space.len(), summary))
}

#[test]
fn bundled_games() {
    let mut judged = 0;
    for source in corpus::games() {
        let game = source.game().expect("a sound sheet");
        judged += usize::from(judge(&source.name, &game, 20_000).is_some());
    }
    assert!(judged >= 10, "{judged}");
}

#[test]
fn generated_games() {
    for seed in 0..60 {
        let game = Sheet::read(&generate::game(seed)).into_game().expect("generated games are sound");
        judge(&format!("generated {seed}"), &game, 3_000);
    }
}
