//! Runs on disk against published counts and against the solver in memory, state by state.

use ludex::engine::Engine;
use ludex::engine::budget::Budget;
use ludex::engine::prepared::Prepared;
use ludex::engines;
use ludex::gdl::Sheet;
use ludex_logic::endgame::solve as in_memory;
use ludex_solve::manifest::Manifest;
use ludex_solve::{Error, Options, Reached, Store, Task, read, resume, start};
use std::fs;
use std::path::Path;
use std::sync::Arc;

mod place;
mod sheets;

use place::{Place, contents};

fn prepared(text: &str) -> (Prepared, Arc<dyn Engine>) {
    let prepared = Prepared::new(Sheet::read(text).into_game().expect("a sound sheet"));
    let engine = engines::AUTO.build_for(&prepared, &Budget::default()).expect("it is small");
    (prepared, engine)
}

fn bundled(name: &str) -> &'static str {
    ludex::games::find(name).expect("a bundled game").text
}

fn options() -> Options {
    Options { memory: 64 << 20, threads: 2, ..Options::default() }
}

fn run(text: &str, task: Task, place: &Path, options: &Options) -> Result<Manifest, Error> {
    let (prepared, engine) = prepared(text);
    start(&prepared, &*engine, task, place, options, &Budget::default(), &Reached::default())
}

fn open(place: &Path) -> Result<(Store, Arc<dyn Engine>), Error> {
    Store::open(place, |plan| Ok(engines::AUTO.build(&plan.game, &Budget::default())?))
}

/// Every state that the solver in memory visits has the same verdict in the folder.
fn compare(name: &str, text: &str, options: &Options) -> Manifest {
    let place = Place::new();
    let manifest =
        run(text, Task::Solve, &place.0, options).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (store, engine) = open(&place.0).unwrap_or_else(|error| panic!("{name}: {error}"));
    let solved = in_memory::solve(
        &*engine,
        &in_memory::Options::default(),
        &Budget::default(),
        &in_memory::Reached::default(),
    )
    .expect("it fits in memory");
    let space = &solved.space;
    assert_eq!(manifest.total(|layer| layer.states), space.len() as u64, "{name}: states");
    assert_eq!(manifest.total(|layer| layer.ends), space.end_count() as u64, "{name}: ends");
    assert_eq!(
        manifest.total(|layer| layer.transitions),
        space.transition_count() as u64,
        "{name}: transitions"
    );
    assert_eq!(manifest.nature(), solved.nature, "{name}");
    let words = engine.vocabulary().words();
    for at in 0..space.len() {
        let state = &space.state(at)[..words];
        for role in engine.vocabulary().roles() {
            let verdict = store.verdict(state, role).expect("undamaged");
            assert_eq!(verdict, Some(solved.verdict(at, role)), "{name}: state {at}, role {}", role.0);
        }
    }
    manifest
}

#[test]
fn bundled_games_have_the_same_values_state_by_state() {
    // Ranked by a counter, up to symmetry; then with cycles in mind; then without symmetry.
    for name in [
        "tictactoe",
        "nim",
        "maze",
        "hanoi",
        "racetoten",
        "rockpaperscissors",
        "threeway",
        "buttonsandlights",
    ] {
        compare(name, bundled(name), &options());
        compare(name, bundled(name), &Options { counter: false, ..options() });
        compare(name, bundled(name), &Options { symmetry: false, threads: 1, ..options() });
    }
}

#[test]
fn a_game_with_cycles_has_the_same_values_state_by_state() {
    let manifest = compare("walk", sheets::WALK, &options());
    assert!(!manifest.ranked, "moves there and back have no counter");
}

#[test]
fn more_bundled_games_have_the_same_values_state_by_state() {
    if std::env::var_os("LUDEX_SLOW").is_none() {
        eprintln!("NOT RUN: the larger bundled games, without LUDEX_SLOW=1");
        return;
    }
    for name in ["connectfour4x4", "pursuit", "tileflip", "eightpuzzle", "krkendgame5x5", "minicheckers"] {
        compare(name, bundled(name), &options());
    }
}

#[test]
fn public_sheets_have_the_same_values_state_by_state() {
    for (name, text) in sheets::public("public sheets on disk, state by state") {
        let started = std::time::Instant::now();
        compare(&name, &text, &options());
        compare(&name, &text, &Options { counter: false, ..options() });
        eprintln!("{name}: {:.1} s", started.elapsed().as_secs_f64());
    }
}

#[test]
fn published_counts_of_connect_four() {
    // OEIS and John Tromp: positions of the game in which a win ends play.
    let slow = std::env::var_os("LUDEX_SLOW").is_some();
    let mut boards = vec![(4, 4, 161_029)];
    if slow {
        boards.extend([(5, 4, 3_945_711), (4, 5, 1_706_255), (4, 6, 15_835_683)]);
    } else {
        eprintln!("NOT RUN: counts of larger boards, without LUDEX_SLOW=1");
    }
    for (width, height, states) in boards {
        let place = Place::new();
        let sheet = sheets::connect_four(width, height);
        let manifest = run(&sheet, Task::Count, &place.0, &options()).expect("it is counted");
        assert!(manifest.ranked, "every disc raises the count");
        assert_eq!(manifest.total(|layer| layer.states), states, "{width}x{height}");
    }
}

#[test]
fn tic_tac_toe_up_to_symmetry() {
    let place = Place::new();
    let manifest = run(bundled("tictactoe"), Task::Count, &place.0, &options()).expect("it is counted");
    assert_eq!(manifest.total(|layer| layer.states), 5478);
    assert_eq!(manifest.total(|layer| layer.representatives), 765);
}

#[test]
fn lines_of_play_are_counted() {
    // 9!/(9-n)! until somebody can have won; the rest is well known.
    let expected: [u128; 10] = [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872];
    let place = Place::new();
    let manifest = run(bundled("tictactoe"), Task::Perft(9), &place.0, &options()).expect("it is counted");
    let lines: Vec<u128> = manifest.layers.values().map(|layer| layer.lines).collect();
    assert_eq!(lines, expected);
}

#[test]
fn columns_of_discs_take_few_bits() {
    let (prepared, engine) = prepared(&sheets::connect_four(4, 4));
    let wanted = ludex_solve::plan::Wanted { symmetry: true, counter: true };
    let plan = ludex_solve::plan::Plan::make(&prepared, &*engine, wanted, &Budget::default()).expect("small");
    let packing = plan.packing(&*engine).expect("narrow");
    assert_eq!(packing.symmetry_count(), 2, "the board and its mirror image");
    // 31 fillings of a column of four, and whose turn it is: 20.8 bits where the row has 50.
    assert!(packing.bits() < 4.0 * 31f64.log2() + 1.1, "{}", packing.bits());
}

#[test]
fn a_run_that_met_its_bound_goes_on_to_the_same_bytes() {
    for counter in [true, false] {
        let (whole, cut) = (Place::new(), Place::new());
        let options = Options { counter, ..options() };
        run(bundled("tictactoe"), Task::Solve, &whole.0, &options).expect("it is solved");
        let mut result = run(bundled("tictactoe"), Task::Solve, &cut.0, &Options { disk: 4_000, ..options });
        let mut most = 4_000;
        while let Err(error) = result {
            assert!(matches!(error, Error::Disk(_)), "{error}");
            assert!(matches!(open(&cut.0), Err(Error::Unfinished(_) | Error::NoRun(_))));
            most += 2_000;
            let (plan, _) = read(&cut.0).expect("it was begun");
            let engine = engines::AUTO.build(&plan.game, &Budget::default()).expect("small");
            let options = Options { disk: most, threads: 1, ..options };
            result = resume(&engine, &cut.0, &options, &Budget::default(), &Reached::default());
        }
        assert!(most > 4_000, "the bound was met");
        assert_eq!(contents(&whole.0), contents(&cut.0));
    }
}

#[test]
fn damage_is_refused_and_never_a_wrong_value() {
    let place = Place::new();
    run(bundled("nim"), Task::Solve, &place.0, &options()).expect("it is solved");
    let (store, engine) = open(&place.0).expect("whole");
    let space = in_memory::explore(
        &*engine,
        &in_memory::Options::default(),
        &Budget::default(),
        &in_memory::Reached::default(),
    )
    .expect("small");
    let words = engine.vocabulary().words();
    let verdicts = |store: &Store| -> Result<Vec<_>, Error> {
        (0..space.len())
            .flat_map(|at| engine.vocabulary().roles().map(move |role| (at, role)))
            .map(|(at, role)| store.verdict(&space.state(at)[..words], role))
            .collect()
    };
    let right = verdicts(&store).expect("whole");
    let mut refused = 0;
    for (name, bytes) in contents(&place.0).into_iter() {
        let path = place.0.join(&name);
        let places = (0..bytes.len()).step_by((bytes.len() / 3).max(1)).map(Some);
        for at in places.chain([None]) {
            let mut damaged = bytes.clone();
            match at {
                Some(at) => damaged[at] ^= 4,
                None => damaged.truncate(bytes.len() * 2 / 3),
            }
            fs::write(&path, &damaged).expect("written");
            // The engine is made once; what is damaged is the folder.
            let opened = Store::open(&place.0, |_| Ok(engine.clone()));
            match opened.and_then(|(store, _)| verdicts(&store)) {
                Ok(same) => assert_eq!(same, right, "{name} at {at:?}"),
                Err(_) => refused += 1,
            }
        }
        fs::write(&path, &bytes).expect("written");
    }
    assert!(refused > 40, "{refused}");
    assert_eq!(verdicts(&open(&place.0).expect("whole again").0).expect("whole again"), right);
}

#[test]
fn foreign_rules_old_versions_and_second_runs_are_refused() {
    let place = Place::new();
    run(bundled("nim"), Task::Solve, &place.0, &options()).expect("it is solved");
    // A second run in the same folder.
    let again = run(bundled("nim"), Task::Solve, &place.0, &options());
    assert!(matches!(again, Err(Error::Occupied(_))), "{again:?}");
    // An engine of another game.
    let (_, other) = prepared(bundled("tictactoe"));
    let foreign = resume(&other, &place.0, &options(), &Budget::default(), &Reached::default());
    assert!(matches!(foreign, Err(Error::Foreign(_))), "{foreign:?}");
    // Somebody else works in it.
    let held = ludex_solve::folder::Folder::reopen(&place.0, u64::MAX).expect("free");
    let (_, engine) = prepared(bundled("nim"));
    let locked = resume(&engine, &place.0, &options(), &Budget::default(), &Reached::default());
    assert!(matches!(locked, Err(Error::Locked(_))), "{locked:?}");
    drop(held);
    // Another version.
    let path = place.0.join("manifest");
    let text = fs::read_to_string(&path).expect("a manifest");
    fs::write(&path, text.replace("ludex-solve 1", "ludex-solve 0")).expect("written");
    let old = open(&place.0);
    assert!(matches!(old, Err(Error::Version(..))), "{:?}", old.err());
    // A count is no solution.
    let count = Place::new();
    run(bundled("nim"), Task::Count, &count.0, &options()).expect("it is counted");
    assert!(matches!(open(&count.0), Err(Error::Kind(..))));
}

#[test]
fn estimates_are_near_the_known_numbers_of_states() {
    use ludex_solve::estimate::{Effort, estimate};
    let of = |text: &str, effort: &Effort| {
        let (_, engine) = prepared(text);
        estimate(&*engine, effort, &Budget::default()).expect("it ends")
    };
    // Few states in every layer: all of them, with and without a counter.
    let all = Effort { states: 10_000, ..Effort::default() };
    for (game, states) in [("tictactoe", 5478.0), ("nim", 752.0), ("pursuit", 4974.0)] {
        let found = of(bundled(game), &all);
        assert!(found.exact && (found.mean() - states).abs() < 0.5, "{found:?}");
        assert_eq!(found.interval(), (found.mean(), found.mean()));
    }
    // Samples: the published number lies in the interval, which says something.
    let found = of(&sheets::connect_four(4, 4), &Effort::default());
    let (least, most) = found.interval();
    assert!(!found.exact && least < 161_029.0 && 161_029.0 < most, "{found:?}");
    assert!(most < 2.0 * 161_029.0 && least > 161_029.0 / 3.0, "{least} to {most}");
    assert_eq!((found.known, found.given_up), (found.changes, 0), "discs only come");
}
