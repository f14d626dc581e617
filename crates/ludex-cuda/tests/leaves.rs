//! Games that each begin in a state of their own, without a GPU: the kernels as C against the rules and the CPU lanes.

mod as_c;

use as_c::{Compiled, Layout, can_compile, compiled, definitions, lists, program};
use ludex_cuda::{Ends, Shape, Source};
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::propnet::Propnet;
use ludex_engine::propnet::lanes::Ended;
use ludex_engine::random::Random;
use ludex_engine::row;
use ludex_engine::vocabulary::{MoveId, RoleId};
use ludex_gdl::{Game, Sheet};
use ludex_testkit::corpus::games;
use ludex_testkit::report::Report;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// `leaves THREADS USED EACH WIDTH ROWS PHASE MOST CHUNK ROUNDS`: reads rows, plays them so many times over and writes for
/// each time the counters, what was told and the last states.
const LEAVES: &str = r#"
int main(int argc, char **argv) {
    u32 n[9];
    for (u32 i = 0; i < 9; i++) n[i] = strtoul(argv[1 + i], 0, 10);
    u32 threads = n[0], used = n[1], each = n[2], width = n[3], rows = n[4], chunk = n[7];
    u32 *words = calloc((size_t)WORDS * threads, 4), *told = calloc((size_t)ALL * used + 1, 4);
    u64 *states = calloc((size_t)rows * width + 1, 8);
    u32 *room = aligned_alloc(64, (size_t)ROOM_BYTES * (threads / UNITS) + 64);
    if (fread(states, 8, (size_t)rows * width, stdin) != (size_t)rows * width) return 1;
    for (u32 i = 0; i < DIGITS; i++) most[i] = n[6] >> i & 1 ? ~0u : 0u;
    for (u32 t = 0; t < threads; t++) { blockIdx.x = t; begin(words, threads, 5); }
    for (u32 round = 0; round < n[8]; round++) {
        u64 tally[COUNTERS] = {0};
        u32 phase = n[5];
        for (blockIdx.y = 0; blockIdx.y < WORDS; blockIdx.y++)
            for (u32 t = 0; t < used; t++) { blockIdx.x = t; put_states(words, states, threads, width, each, rows * each, FLUENTS); }
        do {
            tally[5] = 0;
            gridDim.x = used / UNITS;
            for (u32 b = 0; b < used / UNITS; b++) { blockIdx.x = b; play(words, tally, threads, chunk, phase, phase, 1u, lists, room, told); }
            phase = (phase + chunk) % PERIOD;
        } while (tally[5]);
        u64 *ends = calloc((size_t)rows * width + 1, 8);
        for (blockIdx.y = 0; blockIdx.y < width; blockIdx.y++)
            for (u32 r = 0; r < rows; r++) { blockIdx.x = r; get_states(words, ends, threads, width, each, rows, FLUENTS); }
        fwrite(tally, 8, COUNTERS, stdout);
        fwrite(told, 4, (size_t)ALL * used, stdout);
        fwrite(ends, 8, (size_t)rows * width, stdout);
        free(ends);
    }
    return 0;
}
"#;

/// A game as a program that values its states.
struct Program {
    program: PathBuf,
    source: Source,
    units: usize,
    general: bool,
}

/// What one call came to.
struct Valued {
    goals: Vec<Option<Goal>>,
    states: Vec<u64>,
    tally: Vec<u64>,
}

impl Program {
    fn new(name: &str, compiled: &Compiled, layout: Layout, general: bool) -> Result<Program, String> {
        // Of a bound of nine digits.
        let shape = Shape { ends: Ends::Kept, ..Shape::bounded(500) };
        let source = layout.source(&compiled.lanes, general, shape)?;
        let mut all = definitions(&source, layout);
        let units = all[0].1;
        all.extend([("PERIOD", source.period), ("ALL", source.goals.iter().map(Vec::len).sum())]);
        let name = format!("leaves-{name}-{layout:?}-{general}");
        let program = program(&name, &source.text, &(lists(&source) + LEAVES), &all)?;
        Ok(Program { program, source, units, general })
    }

    /// Plays `each` games from each row, of the phase, so many times over.
    fn value(
        &self,
        phase: usize,
        rows: &[u64],
        each: usize,
        most: u32,
        rounds: usize,
    ) -> Result<Vec<Valued>, String> {
        let width = self.source.fluents.div_ceil(64);
        let count = rows.len() / width;
        let used = (count * each).div_ceil(32).next_multiple_of(self.units);
        // More words than are used, and launches that end in the middle of games.
        let numbers = [
            used + self.units,
            used,
            each,
            width,
            count,
            if self.general { 0 } else { phase },
            most as usize,
            7,
            rounds,
        ];
        let mut child = Command::new(&self.program)
            .args(numbers.map(|number| number.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let mut stdin = child.stdin.take().ok_or("no input")?;
        let bytes: Vec<u8> = rows.iter().flat_map(|word| word.to_le_bytes()).collect();
        stdin.write_all(&bytes).map_err(|e| e.to_string())?;
        drop(stdin);
        let output = child.wait_with_output().map_err(|e| e.to_string())?;
        let all: usize = self.source.goals.iter().map(Vec::len).sum();
        let lengths = [self.source.counters * 8, all * used * 4, rows.len() * 8];
        let length: usize = lengths.iter().sum();
        if output.stdout.len() != rounds * length {
            return Err(format!(
                "the program ended with {} and {} bytes",
                output.status,
                output.stdout.len()
            ));
        }
        let longs =
            |bytes: &[u8]| bytes.as_chunks::<8>().0.iter().map(|eight| u64::from_le_bytes(*eight)).collect();
        let rounds = output.stdout.chunks(length).map(|round| {
            let (tally, rest) = round.split_at(lengths[0]);
            let (told, ends) = rest.split_at(lengths[1]);
            let told: Vec<u32> =
                told.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
            let mut goals = Vec::new();
            self.source.goals_told(&told, used, count * each, &mut goals);
            Valued { goals, states: longs(ends), tally: longs(tally) }
        });
        Ok(rounds.collect())
    }
}

const LAYOUTS: [(Layout, bool); 5] = [
    (Layout::Straight, false),
    (Layout::Straight, true),
    (Layout::Table, false),
    (Layout::Table, true),
    (Layout::Room, false),
];

fn sheet(text: &str) -> Game {
    Sheet::read(text).into_game().expect("a sound sheet")
}

/// The state of these facts.
fn state(engine: &Propnet, facts: &[String]) -> Vec<u64> {
    let vocabulary = engine.vocabulary();
    let mut row = vec![0; vocabulary.words()];
    for fact in facts {
        let term = vocabulary.read_term(fact).expect("a term");
        let fluent = vocabulary.fluents().find(|f| vocabulary.fluent(*f) == term).expect("a fluent");
        row::set(&mut row, fluent);
    }
    row
}

#[test]
fn what_is_forced_comes_out_exactly() {
    if !can_compile("leaves as C") {
        return;
    }
    // A value is chosen at first and reached nine steps later, whatever the other one does.
    let mut rules = String::from(
        "(role a) (role b) (init (at 0)) (<= (legal a (take ?v)) (true (at 0)) (value ?v))
        (<= (legal a go) (not (true (at 0)))) (legal b left) (legal b right)
        (<= (next (mark ?v)) (does a (take ?v))) (<= (next (mark ?v)) (true (mark ?v)))
        (<= (next (at ?n)) (true (at ?m)) (follows ?m ?n)) (<= terminal (true (at 10)))
        (<= (goal a ?v) (true (mark ?v)) (true (at 10))) (<= (goal b 100) (true (mark 7)) (true (at 10)))
        (<= (goal b 0) (true (at 10)))\n",
    );
    (0..10).for_each(|n| rules += &format!("(follows {n} {}) ", n + 1));
    (0..40).for_each(|v| rules += &format!("(value {v}) "));
    let game = sheet(&rules);
    let compiled = compiled(&game).expect("a network");
    let engine = Propnet::new(&game, &Budget::default()).expect("a network");
    let begun = |v: usize, n: usize| state(&engine, &[format!("(mark {v})"), format!("(at {n})")]);
    let mut report = Report::new("forced leaves as C");
    for (layout, general) in LAYOUTS {
        report.case(&format!("{layout:?}, general {general}"), || {
            let program = Program::new("forced", &compiled, layout, general)?;
            for (each, most) in [(1, 500), (3, 500), (2, 4)] {
                // All of one ply, so of one phase, and of many.
                for ply in [Some(3), Some(10), None] {
                    let rows: Vec<(usize, usize)> =
                        (0..90).map(|i| (i % 40, ply.unwrap_or(1 + i * 7 % 10))).collect();
                    let states: Vec<u64> = rows.iter().flat_map(|(v, n)| begun(*v, *n)).collect();
                    let width = states.len() / rows.len();
                    let phase = compiled.lanes.phase_of(&states[..width]).unwrap_or(0);
                    if ply.is_none() && !general && compiled.lanes.period() > 1 {
                        continue;
                    }
                    for valued in program.value(phase, &states, each, most, 2)? {
                        let mut made = 0;
                        for (at, (v, n)) in rows.iter().enumerate() {
                            let plies = (10 - n).min(most as usize);
                            made += (plies * each) as u64;
                            let is_over = n + plies == 10;
                            let (a, b) = (*v as Goal, if *v == 7 { None } else { Some(0) });
                            let expected = if is_over { [Some(a), b] } else { [None, None] };
                            for game in 0..each {
                                let found = &valued.goals[2 * (at * each + game)..][..2];
                                if found != expected {
                                    return Err(format!("row {at}: {found:?}, not {expected:?}"));
                                }
                            }
                            if valued.states[at * width..][..width] != begun(*v, n + plies) {
                                return Err(format!("row {at} ends in another state"));
                            }
                        }
                        if (valued.tally[0], valued.tally[1]) != ((rows.len() * each) as u64, made) {
                            return Err(format!("{:?}, not {made} moves", valued.tally));
                        }
                    }
                }
            }
            Ok(())
        });
    }
    report.finish();
}

/// The mean goal of the first role and its variance, under random play.
fn expected(worker: &mut dyn Worker, state: &[u64], memo: &mut BTreeMap<Vec<u64>, (f64, f64)>) -> (f64, f64) {
    if let Some(found) = memo.get(state) {
        return *found;
    }
    // The mean, and the mean of the squares.
    let (mut mean, mut squares) = (0.0, 0.0);
    if worker.is_terminal(state).expect("no limit") {
        let goal = worker.goal(state, RoleId(0)).expect("no limit").expect("a goal");
        (mean, squares) = (f64::from(goal), f64::from(goal).powi(2));
    } else {
        let mut legal = [Vec::new(), Vec::new()];
        for (role, list) in (0..).map(RoleId).zip(&mut legal) {
            worker.legal(state, role, list).expect("no limit");
        }
        let mut next = vec![0; state.len()];
        let [mine, theirs] = &legal;
        let share = 1.0 / (mine.len() * theirs.len()) as f64;
        for joint in mine.iter().flat_map(|a| theirs.iter().map(move |b| [*a, *b])) {
            worker.next(state, &joint, &mut next).expect("no limit");
            let (m, variance) = expected(worker, &next.clone(), memo);
            mean += m * share;
            squares += (variance + m * m) * share;
        }
    }
    let found = (mean, squares - mean * mean);
    memo.insert(state.to_vec(), found);
    found
}

#[test]
fn leaves_of_tictactoe_are_worth_what_chance_makes_them() {
    if !can_compile("leaves as C") {
        return;
    }
    let game = games().into_iter().find(|game| game.name == "tictactoe").expect("a bundled game");
    let game = game.game().expect("a sound sheet");
    let compiled = compiled(&game).expect("a network");
    let engine = Propnet::new(&game, &Budget::default()).expect("a network");
    let mut memo = BTreeMap::new();
    expected(&mut *engine.worker(), &compiled.initial, &mut memo);
    let mut report = Report::new("leaves of tic-tac-toe as C");
    for (layout, general) in LAYOUTS {
        report.case(&format!("{layout:?}, general {general}"), || {
            let program = Program::new("tictactoe", &compiled, layout, general)?;
            const EACH: usize = 400;
            let mut seen = 0;
            for phase in 0..compiled.lanes.period() {
                let of_phase = |(state, _): &(&Vec<u64>, &(f64, f64))| {
                    general || compiled.lanes.phase_of(state) == Some(phase)
                };
                let chosen: Vec<(&Vec<u64>, &(f64, f64))> =
                    memo.iter().filter(of_phase).step_by(29).collect();
                let rows: Vec<u64> = chosen.iter().flat_map(|(state, _)| state.iter().copied()).collect();
                let valued = program.value(phase, &rows, EACH, 500, 3)?;
                for (at, (_, (mean, variance))) in chosen.iter().enumerate() {
                    let goals = valued.iter().flat_map(|valued| &valued.goals[2 * EACH * at..][..2 * EACH]);
                    let mine: Vec<f64> =
                        goals.step_by(2).map(|goal| goal.map_or(f64::NAN, f64::from)).collect();
                    let found = mine.iter().sum::<f64>() / mine.len() as f64;
                    // Of a thousand states one may be four deviations off; none is six.
                    let most = 6.0 * (variance / mine.len() as f64).sqrt() + 1e-9;
                    if (found - mean).abs().partial_cmp(&most) != Some(std::cmp::Ordering::Less) {
                        return Err(format!("state {at} of phase {phase}: {found}, not {mean} +- {most}"));
                    }
                    seen += 1;
                }
            }
            if seen < 150 { Err(format!("{seen} states")) } else { Ok(()) }
        });
    }
    report.finish();
}

/// States that random play comes through, of one phase, and the phase.
fn states_on_the_way(
    compiled: &Compiled,
    worker: &mut dyn Worker,
    count: usize,
) -> Result<(usize, Vec<u64>), String> {
    let mut random = Random::new(9);
    let roles = worker.vocabulary().role_count() as u32;
    let mut states: BTreeMap<usize, Vec<Vec<u64>>> = BTreeMap::new();
    let mut legal = Vec::new();
    while states.values().all(|states| states.len() < count) {
        let mut state = compiled.initial.clone();
        for _ in 0..60 {
            let phase = compiled.lanes.phase_of(&state).ok_or("a state of no phase")?;
            states.entry(phase).or_default().push(state.clone());
            if worker.is_terminal(&state).map_err(|e| e.to_string())? {
                break;
            }
            let mut joint: Vec<MoveId> = Vec::new();
            for role in (0..roles).map(RoleId) {
                worker.legal(&state, role, &mut legal).map_err(|e| e.to_string())?;
                joint.extend((!legal.is_empty()).then(|| legal[random.below(legal.len())]));
            }
            if joint.len() < roles as usize {
                break;
            }
            let mut next = vec![0; state.len()];
            worker.next(&state, &joint, &mut next).map_err(|e| e.to_string())?;
            state = next;
        }
    }
    let (phase, mut states) = states.into_iter().max_by_key(|(_, states)| states.len()).ok_or("no state")?;
    states.truncate(count);
    Ok((phase, states.concat()))
}

/// How often each joint outcome was seen.
fn outcomes<'a>(goals: impl Iterator<Item = &'a [Option<Goal>]>) -> BTreeMap<Vec<Option<Goal>>, f64> {
    let mut counts = BTreeMap::new();
    goals.for_each(|goals| *counts.entry(goals.to_vec()).or_default() += 1.0);
    counts
}

#[test]
fn leaves_are_valued_as_by_the_lanes() {
    if !can_compile("leaves as C") {
        return;
    }
    let mut report = Report::new("leaves as C");
    for game in games() {
        report.case(&game.name, || {
            let rules = game.game()?;
            let compiled = compiled(&rules)?;
            let engine = Propnet::new(&rules, &Budget::default()).map_err(|e| e.to_string())?;
            let mut worker = engine.worker();
            const ROWS: usize = 75;
            const EACH: usize = 6;
            let (phase, rows) = states_on_the_way(&compiled, &mut *worker, ROWS)?;
            let width = rows.len() / ROWS;
            let roles = worker.vocabulary().role_count();
            let program = Program::new(&game.name, &compiled, Layout::Table, false)?;
            for most in [3, 60] {
                let rounds = if most == 60 { 8 } else { 2 };
                let valued = program.value(phase, &rows, EACH, most, rounds)?;
                for valued in &valued {
                    for (at, last) in valued.states.chunks(width).enumerate() {
                        for role in 0..roles {
                            let goal = worker.goal(last, RoleId(role as u32)).map_err(|e| e.to_string())?;
                            let found = valued.goals[at * EACH * roles + role];
                            if found != goal {
                                return Err(format!("row {at}, role {role}: {found:?}, not {goal:?}"));
                            }
                        }
                    }
                }
                // As many games from the same states on the CPU.
                let mut runner = compiled.lanes.runner(4);
                let mut ended = Ended::default();
                let mut mine = Vec::new();
                for _ in 0..EACH * rounds {
                    runner.playouts_each(Some(phase), &rows, u64::from(most), &mut ended);
                    mine.extend_from_slice(&ended.goals);
                }
                let theirs = outcomes(valued.iter().flat_map(|valued| valued.goals.chunks(roles)));
                let mine = outcomes(mine.chunks(roles));
                let keys: std::collections::BTreeSet<_> = mine.keys().chain(theirs.keys()).collect();
                let count = |of: &BTreeMap<_, f64>, key| of.get(key).copied().unwrap_or(0.0);
                let sum: f64 = keys
                    .iter()
                    .map(|key| (count(&mine, *key), count(&theirs, *key)))
                    .map(|(n, m)| (n - m).powi(2) / (n + m))
                    .sum();
                let freedom = (keys.len() - 1) as f64;
                if freedom > 0.0 && (sum - freedom) / (2.0 * freedom).sqrt() > 12.0 {
                    return Err(format!("at most {most} plies: {mine:?}, {theirs:?}"));
                }
            }
            Ok(())
        });
    }
    report.finish();
}
