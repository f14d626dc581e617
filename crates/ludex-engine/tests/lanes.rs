//! Lanes against the reference engine, lane by lane, and against exact probabilities.

use ludex_engine::budget::Budget;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::{Engine, PlayoutBuffer, Worker};
use ludex_engine::propnet::compile;
use ludex_engine::propnet::lanes::{Ended, Instructions, LANES, Lanes};
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};
use ludex_gdl::{Game, Sheet};
use ludex_testkit::corpus::{Source, games, shared_games};
use ludex_testkit::report::{Report, not_run};
use std::collections::BTreeMap;

/// No bound on plies.
const ENDLESS: u64 = u64::MAX;

struct Both {
    engine: Datalog,
    lanes: Lanes,
    start: Vec<u64>,
}

fn both(game: &Game) -> Result<Both, String> {
    let budget = &Budget::default();
    let engine = Datalog::new(game, budget).map_err(|e| e.to_string())?;
    let compiled = compile(game, budget).map_err(|e| e.to_string())?;
    let mut start = vec![0; engine.vocabulary().words()];
    engine.worker().initial(&mut start);
    let lanes = Lanes::new(&compiled.net, &start, budget).map_err(|e| e.to_string())?;
    Ok(Both { engine, lanes, start })
}

fn sheet(text: &str) -> Game {
    Sheet::read(text).into_game().expect("a sound sheet")
}

fn bundled(name: &str) -> Both {
    let source = games().into_iter().find(|source| source.name == name).expect("a bundled game");
    both(&source.game().expect("a sound sheet")).expect("a game that fits the limits")
}

/// Plays `count` random games by the reference engine, all in step, and asks the lanes the same questions
/// about every state, by the general plan and by that of the phase.
fn walk(both: &Both, count: usize, plies: usize, seed: u64) -> Result<(), String> {
    let mut worker = both.engine.worker();
    let mut random = Random::new(seed);
    let roles: Vec<RoleId> = both.engine.vocabulary().roles().collect();
    let mut runners: Vec<_> = [Instructions::Avx512, Instructions::Avx2, Instructions::Portable]
        .into_iter()
        .filter(|instructions| instructions.available())
        .map(|instructions| both.lanes.runner_with(seed, instructions))
        .collect();
    let mut states = vec![both.start.clone(); count];
    for ply in 0..plies {
        if states.is_empty() {
            break;
        }
        let mut legal = Vec::new();
        for state in &states {
            let of_role = |&role: &RoleId| {
                let mut moves = Vec::new();
                worker.legal(state, role, &mut moves).expect("no limit is met");
                moves
            };
            legal.push(roles.iter().map(of_role).collect::<Vec<_>>());
        }
        let terminal: Vec<bool> =
            states.iter().map(|state| worker.is_terminal(state).expect("no limit is met")).collect();
        let goals: Vec<Vec<_>> = states
            .iter()
            .map(|state| {
                roles.iter().map(|&role| worker.goal(state, role).expect("no limit is met")).collect()
            })
            .collect();
        let rows: Vec<&[u64]> = states.iter().map(Vec::as_slice).collect();
        // Where the states did not agree with this phase, `answers` would panic.
        let phase = Some(ply % both.lanes.period());
        let which = ply % runners.len();
        for phase in [None, phase] {
            let answers = runners[which].answers(phase, &rows, &[]);
            for lane in 0..states.len() {
                let at = format!("ply {ply}, phase {phase:?}, lane {lane}");
                if answers.terminal[lane] != terminal[lane] {
                    return Err(format!("{at}: terminal is {}", terminal[lane]));
                }
                if answers.goals[lane] != goals[lane] {
                    return Err(format!("{at}: goals {:?}, not {:?}", goals[lane], answers.goals[lane]));
                }
                if answers.legal[lane] != legal[lane] {
                    return Err(format!("{at}: legal {:?}, not {:?}", legal[lane], answers.legal[lane]));
                }
            }
        }
        // Those that go on.
        let mut lane = 0;
        states.retain(|_| {
            lane += 1;
            !terminal[lane - 1] && legal[lane - 1].iter().all(|moves| !moves.is_empty())
        });
        lane = 0;
        legal.retain(|moves| {
            lane += 1;
            !terminal[lane - 1] && moves.iter().all(|moves| !moves.is_empty())
        });
        if states.is_empty() {
            break;
        }
        let joints: Vec<Vec<MoveId>> = legal
            .iter()
            .map(|moves| moves.iter().map(|moves| moves[random.below(moves.len())]).collect())
            .collect();
        let rows: Vec<&[u64]> = states.iter().map(Vec::as_slice).collect();
        let mut next = states.clone();
        for ((state, joint), out) in states.iter().zip(&joints).zip(&mut next) {
            worker.next(state, joint, out).expect("no limit is met");
        }
        for phase in [None, phase] {
            let answers = runners[which].answers(phase, &rows, &joints);
            if let Some(lane) = (0..next.len()).find(|&lane| answers.next[lane] != next[lane]) {
                let row = |row: &[u64]| ludex_engine::row::show(both.engine.vocabulary(), row).join(" ");
                return Err(format!(
                    "ply {ply}, phase {phase:?}, lane {lane}: next is {}, not {}",
                    row(&next[lane]),
                    row(&answers.next[lane])
                ));
            }
        }
        states = next;
    }
    Ok(())
}

fn walks(sources: Vec<Source>, count: usize, plies: usize) {
    let mut report = Report::new("lanes");
    for source in sources {
        report.case(&source.name, || walk(&both(&source.game()?)?, count, plies, 11));
    }
    report.finish();
}

#[test]
fn bundled_games_agree_with_the_reference() {
    walks(games(), 12, 60);
}

#[test]
fn shared_games_agree_with_the_reference() {
    const NAMES: &[&str] = &[
        "reversi",
        "hex",
        "checkers",
        "breakthrough",
        "connectfour",
        "pacman3p",
        "chinesecheckers2",
        "chinesecheckers3",
        "speedchess",
        "pentago",
        "knightthrough",
        "amazons_8x8",
        "asteroids",
        "battle",
        "biddingtictactoe",
        "blocker",
        "bomberman2p",
        "buttons",
        "3pconnectfour",
        "4pttc",
        "cephalopodmicro",
        "catcha_mouse",
        "brawl",
        "blokbox_simple",
        "2pffa",
        "atarigo_7x7",
    ];
    let sources: Vec<Source> = shared_games("lanes on shared sheets")
        .into_iter()
        .filter(|source| NAMES.contains(&source.name.as_str()))
        .collect();
    if sources.is_empty() {
        return;
    }
    assert_eq!(sources.len(), NAMES.len(), "every sheet of the list is there");
    walks(sources, 3, 12);
}

/// The sum of squared deviations over the expectations, in standard deviations above its mean.
fn chi_square(observed: &[u64], expected: &[f64]) -> f64 {
    let freedom = (observed.len() - 1) as f64;
    if freedom == 0.0 {
        return 0.0;
    }
    let sum: f64 = observed.iter().zip(expected).map(|(&o, &e)| (o as f64 - e).powi(2) / e).sum();
    (sum - freedom) / (2.0 * freedom).sqrt()
}

/// One role that chooses, one ply, `n` legal moves of `all`; the goals of the two roles are the two digits of
/// the move in base `base`. Moves that are not legal are strewn among the others.
fn one_choice(n: usize, all: usize, base: usize) -> Game {
    let mut text = String::from(
        "(role robot) (role other) (legal other noop) (init (ply 0))
        (<= terminal (true (ply 1)))\n(next (ply 1))\n",
    );
    for m in 0..all {
        // A condition, so that nothing is known when the network is built.
        let legal = m * n / all != (m + 1) * n / all;
        if legal {
            text += &format!("(init (open {m}))\n");
        }
        text += &format!("(<= (legal robot (go {m})) (true (open {m})))\n");
        // So that all may change from the view of whoever does not know the moves.
        text += &format!("(<= (next (open {m})) (does robot (go {m})))\n");
        let (high, low) = (m / base, m % base);
        text += &format!("(<= (goal robot {low}) (true (open {m})) (true (ply 1)))\n");
        text += &format!("(<= (goal other {high}) (true (open {m})) (true (ply 1)))\n");
    }
    sheet(&text)
}

#[test]
fn moves_are_equally_likely() {
    let mut report = Report::new("choice");
    let sizes = (1..=40).chain([63, 64, 65, 100, 127, 128, 513, 600]);
    for n in sizes {
        for all in [n, n + 7, 2 * n + 1] {
            if n > 40 && all == 2 * n + 1 {
                continue;
            }
            report.case(&format!("{n} of {all}"), || {
                let base = if all <= 100 { 100 } else { 37 };
                let both = both(&one_choice(n, all, base))?;
                let count = 400 * n as u64 + 20_000;
                let result = both.lanes.runner(5).playouts(&both.start, count, ENDLESS);
                if result.playouts != count || result.transitions != count {
                    return Err(format!("{result:?}"));
                }
                // How many legal moves have the digit.
                let legal: Vec<usize> = (0..all).filter(|m| m * n / all != (m + 1) * n / all).collect();
                for (role, digit) in [|m: usize, base: usize| m % base, |m, base| m / base].iter().enumerate()
                {
                    let counts = &result.goals[role];
                    let mut observed = Vec::new();
                    let mut expected = Vec::new();
                    for &(value, times) in &counts.values {
                        let moves = legal.iter().filter(|m| digit(**m, base) == value as usize).count();
                        if moves > 0 {
                            observed.push(times);
                            expected.push(count as f64 * moves as f64 / n as f64);
                        } else if times > 0 {
                            return Err(format!("no legal move has digit {value}"));
                        }
                    }
                    if counts.none != 0 || observed.iter().sum::<u64>() != count {
                        return Err(format!("{result:?}"));
                    }
                    // About 250 tests: beyond this is less likely than one in ten thousand runs; the tail
                    // is heavier for few degrees of freedom.
                    let deviation = chi_square(&observed, &expected);
                    if deviation > if observed.len() < 6 { 12.0 } else { 6.5 } {
                        return Err(format!("{deviation} {observed:?}"));
                    }
                }
                Ok(())
            });
        }
    }
    report.finish();
}

/// The exact distribution of goals (of all roles) and the mean length when all play at random.
fn exact(worker: &mut dyn Worker, state: &[u64], memo: &mut BTreeMap<Vec<u64>, Exact>) -> Exact {
    if let Some(known) = memo.get(state) {
        return known.clone();
    }
    let roles: Vec<RoleId> = worker.vocabulary().roles().collect();
    let mut result = Exact::default();
    if worker.is_terminal(state).expect("no limit is met") {
        let goals = roles.iter().map(|&role| worker.goal(state, role).expect("no limit is met")).collect();
        result.goals.insert(goals, 1.0);
    } else {
        let mut joints: Vec<Vec<MoveId>> = vec![Vec::new()];
        for &role in &roles {
            let mut moves = Vec::new();
            worker.legal(state, role, &mut moves).expect("no limit is met");
            joints = joints.iter().flat_map(|j| moves.iter().map(|&m| [&j[..], &[m]].concat())).collect();
        }
        let share = 1.0 / joints.len() as f64;
        result.length = 1.0;
        for joint in joints {
            let mut next = vec![0; state.len()];
            worker.next(state, &joint, &mut next).expect("no limit is met");
            let below = exact(worker, &next, memo);
            result.length += below.length * share;
            for (goals, chance) in below.goals {
                *result.goals.entry(goals).or_default() += chance * share;
            }
        }
    }
    memo.insert(state.to_vec(), result.clone());
    result
}

#[derive(Clone, Debug, Default)]
struct Exact {
    goals: BTreeMap<Vec<Option<i32>>, f64>,
    length: f64,
}

#[test]
fn tictactoe_has_the_exact_distribution() {
    let both = bundled("tictactoe");
    let exact = exact(&mut *both.engine.worker(), &both.start, &mut BTreeMap::new());
    for instructions in [Instructions::Avx512, Instructions::Avx2, Instructions::Portable] {
        if !instructions.available() {
            not_run(&format!("lanes with {instructions:?}"), "the machine lacks them or LUDEX_NATIVE is 0");
            continue;
        }
        let count = 3_000_000;
        let result = both.lanes.runner_with(9, instructions).playouts(&both.start, count, ENDLESS);
        assert_eq!((result.playouts, result.unfinished, result.stuck, result.cut), (count, 0, 0, 0));
        for role in 0..2 {
            let expected = |value: i32| {
                let of = exact.goals.iter().filter(|(goals, _)| goals[role] == Some(value));
                of.map(|(_, chance)| chance).sum::<f64>() * count as f64
            };
            let counts = &result.goals[role];
            let observed: Vec<u64> = counts.values.iter().map(|(_, n)| *n).collect();
            let expected: Vec<f64> = counts.values.iter().map(|(value, _)| expected(*value)).collect();
            assert_eq!(observed.iter().sum::<u64>(), count);
            assert!(chi_square(&observed, &expected) < 12.0, "{observed:?} {expected:?}");
        }
        // The length has a standard deviation of about 1.4.
        let mean = result.transitions as f64 / count as f64;
        assert!((mean - exact.length).abs() < 5.0 * 1.4 / (count as f64).sqrt(), "{mean} {}", exact.length);
    }
}

#[test]
fn results_depend_on_the_seed_and_nothing_else() {
    for name in ["tictactoe", "breakthrough", "hex", "rockpaperscissors"] {
        let both = bundled(name);
        let play = |seed, instructions| {
            let mut runner = both.lanes.runner_with(seed, instructions);
            let first = runner.run(&both.start, 700, 50);
            let second = runner.run(&both.start, 700, 50);
            (first, second, runner.playouts(&both.start, 1234, 50))
        };
        let expected = play(3, Instructions::Portable);
        assert_ne!(expected, play(4, Instructions::Portable), "{name}");
        for instructions in [Instructions::Avx512, Instructions::Avx2] {
            if instructions.available() {
                assert_eq!(play(3, instructions), expected, "{name} {instructions:?}");
            }
        }
        let parallel = |threads| both.lanes.run_parallel(threads, 8, &both.start, 100_000, 50);
        let one = parallel(1);
        assert_eq!(one.playouts, 100_000);
        assert_eq!(parallel(2), one, "{name}");
    }
}

/// Mean and variance of the length of playouts by the reference engine.
fn lengths(both: &Both, start: &[u64], count: usize, most: usize) -> (f64, f64, Vec<f64>) {
    let mut worker = both.engine.worker();
    let mut random = Random::new(17);
    let mut buffer = PlayoutBuffer::default();
    let (mut sum, mut squares) = (0.0, 0.0);
    let roles: Vec<RoleId> = both.engine.vocabulary().roles().collect();
    let mut goals = vec![0.0; roles.len()];
    for _ in 0..count {
        let mut state = start.to_vec();
        let length =
            worker.playout(&mut state, most, &mut random, &mut buffer).expect("no limit is met") as f64;
        sum += length;
        squares += length * length;
        for &role in &roles {
            goals[role.index()] +=
                f64::from(worker.goal(&state, role).expect("no limit is met").unwrap_or(0)) / count as f64;
        }
    }
    let mean = sum / count as f64;
    (mean, squares / count as f64 - mean * mean, goals)
}

#[test]
fn refilled_lanes_play_like_single_games() {
    let mut report = Report::new("refill");
    for source in games() {
        report.case(&source.name, || {
            let both = both(&source.game()?)?;
            let count = 150;
            let most = 40;
            // From the start, and from a state in the middle.
            let mut middle = both.start.clone();
            both.engine
                .worker()
                .playout(&mut middle, 3, &mut Random::new(2), &mut PlayoutBuffer::default())
                .expect("no limit is met");
            for start in [&both.start, &middle] {
                let (mean, variance, goals) = lengths(&both, start, count, most);
                let mut runner = both.lanes.runner(1);
                let playouts = 40_000;
                let result = runner.playouts(start, playouts, most as u64);
                if result.playouts != playouts {
                    return Err(format!("{} playouts", result.playouts));
                }
                // Some games nearly always have one length: then the sample says too little of the variance.
                let error = 5.0 * (variance.max(1.0) / count as f64).sqrt();
                let found = result.transitions as f64 / playouts as f64;
                if (found - mean).abs() > error {
                    return Err(format!("length {found}, not {mean} +- {error}"));
                }
                for (role, counts) in result.goals.iter().enumerate() {
                    let all: u64 = counts.values.iter().map(|(_, n)| n).sum();
                    if all + counts.none != playouts {
                        return Err("goals are missing".into());
                    }
                    let found = counts.mean().unwrap_or(0.0) * all as f64 / playouts as f64;
                    // Values within 0..100 deviate by 50 at most.
                    let error = 5.0 * 50.0 / (count as f64).sqrt();
                    if (found - goals[role]).abs() > error {
                        return Err(format!("goal {found}, not {}", goals[role]));
                    }
                }
                // Going on and on gives the same mean but for what has been begun and not ended.
                let result = runner.run(start, 4000, most as u64);
                let found = result.transitions as f64 / result.playouts as f64;
                if (found - mean).abs() > error + 0.02 * mean {
                    return Err(format!("length {found} of busy lanes, not {mean} +- {error}"));
                }
                if mean > 0.0 && result.transitions > result.passes * LANES as u64 {
                    return Err("more transitions than lanes".into());
                }
            }
            Ok(())
        });
    }
    report.finish();
}

#[test]
fn a_start_without_moves_ends_at_once() {
    let game =
        sheet("(role a) (init (s 0)) (legal a go) (next (s 0)) (<= terminal (true (s 0))) (goal a 70)");
    let over = both(&game).expect("a network");
    let result = over.lanes.runner(1).playouts(&over.start, 10, ENDLESS);
    assert_eq!((result.playouts, result.transitions, result.goals[0].values[0]), (10, 0, (70, 10)));
    let game = sheet(
        "(role a) (init (s 0)) (<= (legal a go) (true (s 1))) (next (s 1)) (<= terminal (true (s 1))) \
        (<= (goal a 30) (true (s 0))) (<= (goal a 40) (true (s 1)))",
    );
    let stuck = both(&game).expect("a network");
    let result = stuck.lanes.runner(1).playouts(&stuck.start, 10, ENDLESS);
    assert_eq!((result.playouts, result.stuck, result.transitions), (10, 10, 0));
    assert_eq!(result.goals[0].values, [(30, 10), (40, 0)]);
    let result = over.lanes.runner(1).run(&over.start, 2, 0);
    assert_eq!(result.playouts, 2 * LANES as u64);
}

#[test]
fn those_who_are_stuck_on_the_way_are_counted() {
    // A fork: left ends the game, right leads where nobody can move.
    let game = sheet(
        "(role a) (init (at 0)) (<= (legal a ?m) (true (at 0)) (side ?m)) (side left) (side right)
        (<= (next (at 1)) (does a left)) (<= (next (at 2)) (does a right)) (<= terminal (true (at 1)))
        (<= (goal a 10) (true (at 1))) (<= (goal a 20) (true (at 2)))",
    );
    let both = both(&game).expect("a network");
    let result = both.lanes.runner(1).playouts(&both.start, 10_000, ENDLESS);
    assert_eq!((result.playouts, result.transitions), (10_000, 10_000));
    assert_eq!(result.goals[0].values[1], (20, result.stuck));
    assert!((4700..5300).contains(&result.stuck), "{}", result.stuck);
}

#[test]
fn each_state_has_a_playout_of_its_own() {
    let both = bundled("tictactoe");
    let mut worker = both.engine.worker();
    let mut memo = BTreeMap::new();
    exact(&mut *worker, &both.start, &mut memo);
    for instructions in [Instructions::Avx512, Instructions::Avx2, Instructions::Portable] {
        if !instructions.available() {
            continue;
        }
        let mut runner = both.lanes.runner_with(5, instructions);
        let mut ended = Ended::default();
        let mut seen = 0;
        for phase in (0..both.lanes.period()).map(Some).chain([None]) {
            // Every eleventh state of the game that is of the phase, those in which it is over too; fewer than lanes at the end.
            let of_phase = |state: &&Vec<u64>| phase.is_none() || both.lanes.phase_of(state) == phase;
            let states: Vec<&Vec<u64>> = memo.keys().filter(of_phase).step_by(11).collect();
            seen += states.len();
            for states in states.chunks(LANES) {
                let rows: Vec<u64> = states.iter().flat_map(|state| state.iter().copied()).collect();
                let repeats = 2000;
                let mut sums = vec![0i64; states.len()];
                for _ in 0..repeats {
                    runner.playouts_each(phase, &rows, ENDLESS, &mut ended);
                    assert_eq!(ended.goals.len(), 2 * states.len());
                    for (sum, goals) in sums.iter_mut().zip(ended.goals.chunks(2)) {
                        let [Some(mine), Some(theirs)] = goals else { panic!("a goal each: {goals:?}") };
                        assert_eq!(mine + theirs, 100);
                        *sum += i64::from(*mine);
                    }
                }
                for (state, sum) in states.iter().zip(sums) {
                    let goals = &memo[*state].goals;
                    let value = |goals: &Vec<Option<i32>>| f64::from(goals[0].expect("a goal"));
                    let mean: f64 = goals.iter().map(|(goals, chance)| value(goals) * chance).sum();
                    let spread: f64 =
                        goals.iter().map(|(goals, chance)| (value(goals) - mean).powi(2) * chance).sum();
                    let seen = sum as f64 / f64::from(repeats);
                    // Of some thousand states one may well be four deviations off; none is five and a half.
                    let most = 5.5 * (spread / f64::from(repeats)).sqrt() + 1e-9;
                    assert!((seen - mean).abs() <= most, "{seen} instead of {mean} +- {most}");
                }
            }
        }
        assert!(seen > 900, "{seen} states");
        runner.playouts_each(None, &[], ENDLESS, &mut ended);
        assert_eq!(ended, Ended::default());
    }
}

#[test]
fn each_state_ends_as_the_rules_say() {
    // One way ends the game, one leads where nobody can move, one where two goals hold, one where none does.
    let game = sheet(
        "(role a) (init (at 0)) (<= (legal a ?m) (true (at 0)) (way ?m ?to)) (<= (next (at ?to)) (does a ?m) (way ?m ?to))
        (way left 1) (way right 2) (way both 4) (way none 5)
        (<= terminal (true (at 1))) (<= terminal (true (at 4))) (<= terminal (true (at 5)))
        (<= (goal a 10) (true (at 1))) (<= (goal a 20) (true (at 2)))
        (<= (goal a 30) (true (at 4))) (<= (goal a 40) (true (at 4)))",
    );
    let both = both(&game).expect("a network");
    let vocabulary = both.engine.vocabulary();
    let at = |place: u32| {
        let term = vocabulary.read_term(&format!("(at {place})")).expect("a term");
        let mut row = vec![0; vocabulary.words()];
        vocabulary
            .fluents()
            .filter(|f| vocabulary.fluent(*f) == term)
            .for_each(|f| ludex_engine::row::set(&mut row, f));
        row
    };
    let mut ended = Ended::default();
    let states = [at(1), at(2), at(4), at(5)].concat();
    both.lanes.runner(1).playouts_each(None, &states, ENDLESS, &mut ended);
    assert_eq!((&ended.goals[..], ended.transitions), (&[Some(10), Some(20), None, None][..], 0));
}

#[test]
fn the_last_states_are_told_where_somebody_asks() {
    for name in ["tictactoe", "connectfour", "breakthrough"] {
        let both = bundled(name);
        let mut worker = both.engine.worker();
        let words = both.start.len();
        for most in [3, ENDLESS] {
            let rows = both.start.repeat(LANES - 5);
            let mut ended = Ended { states: Some(Vec::new()), ..Ended::default() };
            let phase = both.lanes.phase_of(&both.start);
            both.lanes.runner(9).playouts_each(phase, &rows, most, &mut ended);
            let mut plain = Ended::default();
            both.lanes.runner(9).playouts_each(phase, &rows, most, &mut plain);
            assert_eq!(plain.goals, ended.goals, "{name}");
            let states = ended.states.as_deref().expect("they were asked for");
            assert_eq!(states.len(), rows.len());
            for (state, goals) in states.chunks(words).zip(ended.goals.chunks(2)) {
                assert_eq!(worker.is_terminal(state).expect("no limit"), most == ENDLESS, "{name}");
                let told = [0, 1].map(|role| worker.goal(state, RoleId(role)).expect("no limit"));
                assert_eq!(goals, told, "{name}");
            }
            let distinct: std::collections::BTreeSet<_> = states.chunks(words).collect();
            assert!(distinct.len() > 50, "{name}: {} states", distinct.len());
        }
    }
}
