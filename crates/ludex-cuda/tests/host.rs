//! The kernels without a GPU: compiled by the C compiler as plain C, one thread a word of 32 games.

mod as_c;

use as_c::{Compiled, Layout, can_compile, compiled, definitions, lists, program};
use ludex_cuda::{Shape, StepSource};
use ludex_engine::propnet::lanes::BatchResult;
use ludex_engine::random::Random;
use ludex_engine::row;
use ludex_engine::vocabulary::{FluentId, MoveId};
use ludex_gdl::{Game, Sheet};
use ludex_testkit::corpus::{Source as SheetSource, games};
use ludex_testkit::report::{Report, note};
use std::io::Write;
use std::process::{Command, Stdio};

/// Plays: `play THREADS SEED COUNT START_PHASE MOST START`, the last a digit a fluent. Prints the counters.
const PLAY: &str = r#"
int main(int argc, char **argv) {
    u32 threads = atoi(argv[1]), phase = atoi(argv[4]);
    u64 seed = strtoull(argv[2], 0, 10), count = strtoull(argv[3], 0, 10), bound = strtoull(argv[5], 0, 10);
    for (u32 i = 0; i < FLUENTS; i++) start[i] = argv[6][i] == '1' ? ~0u : 0u;
    for (u32 i = 0; i < DIGITS; i++) most[i] = bound >> i & 1 ? ~0u : 0u;
    u32 *words = calloc((size_t)WORDS * threads, 4);
    u64 tally[COUNTERS] = {0};
    u32 *room = aligned_alloc(64, ROOM_BYTES * (threads / UNITS) + 64);
    for (u32 t = 0; t < threads; t++) {
        blockIdx.x = t;
        begin(words, threads, seed);
        words[(FLUENTS + 4ull) * threads + t] = count / threads + (t < count % threads);
    }
    for (u32 b = 0; b < threads / UNITS; b++) {
        blockIdx.x = b;
        play(words, tally, threads, ~0u, phase, phase, 1u, lists, room);
    }
    for (u32 i = 0; i < COUNTERS; i++) printf("%llu ", tally[i]);
    return 0;
}
"#;

/// Reads the inputs of one thread and prints its outputs, until there are no more. A line is a phase and words.
const STEP: &str = r#"
int main(void) {
    static u32 in[INPUTS + 1], out[OUTPUTS];
    u32 phase;
    while (scanf("%u", &phase) == 1) {
        for (u32 i = 0; i < INPUTS; i++) if (scanf("%u", &in[i]) != 1) return 1;
        step(in, out, 1, phase);
        for (u32 i = 0; i < OUTPUTS; i++) printf("%u ", out[i]);
        printf("\n");
    }
    return 0;
}
"#;

/// Whether the straight-line code of the game is short: the C compiler takes long for the others, which are for
/// `LUDEX_SLOW`.
fn is_small(sheet: &SheetSource) -> bool {
    const SMALL: &[&str] = &[
        "buttonsandlights",
        "connectfour4x4",
        "maze",
        "nim",
        "pursuit",
        "rockpaperscissors",
        "threeway",
        "tictactoe",
    ];
    std::env::var_os("LUDEX_SLOW").is_some() || SMALL.contains(&sheet.name.as_str())
}

/// Says loudly which games a part leaves out.
fn without_large(what: &str) {
    let large: Vec<String> =
        games().into_iter().filter(|sheet| !is_small(sheet)).map(|sheet| sheet.name).collect();
    if !large.is_empty() {
        note(&format!("NOT RUN: {what} on {} (set LUDEX_SLOW)", large.join(", ")));
    }
}

fn bits(state: &[u64], fluents: usize) -> Vec<bool> {
    (0..fluents).map(|fluent| row::holds(state, FluentId(fluent as u32))).collect()
}

/// Plays so many games by the C form of the kernel.
fn play(
    name: &str,
    compiled: &Compiled,
    layout: Layout,
    general: bool,
    count: u64,
    most: u64,
) -> Result<BatchResult, String> {
    let source = layout.source(&compiled.lanes, general, Shape::bounded(most))?;
    let main = lists(&source) + PLAY;
    let program = program(name, &source.text, &main, &definitions(&source, layout))?;
    let phase = if general { 0 } else { compiled.lanes.phase_of(&compiled.initial).unwrap_or(0) };
    let start: String =
        bits(&compiled.initial, source.fluents).iter().map(|bit| if *bit { '1' } else { '0' }).collect();
    let output = Command::new(program)
        .args(["64", "5", &count.to_string(), &phase.to_string(), &most.to_string(), &start])
        .output()
        .map_err(|e| e.to_string())?;
    let tally: Vec<u64> = String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .map(|word| word.parse().map_err(|e| format!("{e}")))
        .collect::<Result<_, _>>()?;
    if tally.len() != source.counters {
        return Err(format!("the program ended with {} and said {tally:?}", output.status));
    }
    source.summary(&tally, 0).map_err(|e| e.to_string())
}

/// Two samples of playouts of the same number: the same distribution of goals and the same mean length.
fn alike(a: &BatchResult, b: &BatchResult, count: u64) -> Result<(), String> {
    for result in [a, b] {
        if (result.playouts, result.unfinished) != (count, 0) {
            return Err(format!("{result:?}"));
        }
    }
    for (role, (x, y)) in a.goals.iter().zip(&b.goals).enumerate() {
        let counts =
            x.values.iter().zip(&y.values).map(|((_, n), (_, m))| (*n, *m)).chain([(x.none, y.none)]);
        let counts: Vec<(f64, f64)> =
            counts.filter(|(n, m)| n + m > 0).map(|(n, m)| (n as f64, m as f64)).collect();
        let sum: f64 = counts.iter().map(|(n, m)| (n - m).powi(2) / (n + m)).sum();
        let freedom = (counts.len() - 1) as f64;
        // The tail is heavier for few degrees of freedom.
        if freedom > 0.0 && (sum - freedom) / (2.0 * freedom).sqrt() > 12.0 {
            return Err(format!("role {role}: {counts:?}"));
        }
    }
    let [x, y] = [a, b].map(|result| result.transitions as f64 / count as f64);
    // Lengths deviate by less than their mean in all bundled games.
    if (x - y).abs() > 6.0 * x.max(1.0) * (2.0 / count as f64).sqrt() {
        return Err(format!("length {x}, not {y}"));
    }
    Ok(())
}

#[test]
fn playouts_are_distributed_as_on_the_cpu() {
    if !can_compile("playouts as C") {
        return;
    }
    let mut report = Report::new("playouts as C");
    without_large("straight-line code as C");
    for source in games() {
        report.case(&source.name, || {
            let compiled = compiled(&source.game()?)?;
            let small = is_small(&source);
            let (count, most) = (if small { 20_000 } else { 4_000 }, 60);
            let expected = compiled.lanes.runner(3).playouts(&compiled.initial, count, most);
            let table = [(Layout::Table, false)];
            let all = [
                (Layout::Table, false),
                (Layout::Room, false),
                (Layout::Table, true),
                (Layout::Straight, false),
                (Layout::Straight, true),
            ];
            for &(layout, general) in if small { &all[..] } else { &table[..] } {
                let name = format!("play-{}-{layout:?}-{general}", source.name);
                let found = play(&name, &compiled, layout, general, count, most)?;
                alike(&found, &expected, count).map_err(|e| format!("{layout:?}, general {general}: {e}"))?;
                if (found.cut > 0) != (expected.cut > 0) || (found.stuck > 0) != (expected.stuck > 0) {
                    return Err(format!("{found:?}, not {expected:?}"));
                }
            }
            Ok(())
        });
    }
    report.finish();
}

fn sheet(text: &str) -> Game {
    Sheet::read(text).into_game().expect("a sound sheet")
}

/// One choice among `n` moves; the goals of the two roles are the digits of the move to the base 10.
fn one_choice(n: usize) -> Game {
    let mut text = String::from(
        "(role robot) (role other) (legal other noop) (init (ply 0))
        (<= terminal (true (ply 1)))\n(next (ply 1))\n",
    );
    for m in 0..n {
        text += &format!("(init (open {m})) (<= (legal robot (go {m})) (true (open {m})))\n");
        text += &format!("(<= (next (open {m})) (does robot (go {m})))\n");
        text += &format!("(<= (goal robot {}) (true (open {m})) (true (ply 1)))\n", m % 10);
        text += &format!("(<= (goal other {}) (true (open {m})) (true (ply 1)))\n", m / 10);
    }
    sheet(&text)
}

#[test]
fn moves_are_equally_likely() {
    if !can_compile("choice as C") {
        return;
    }
    let mut report = Report::new("choice as C");
    for n in [1, 2, 3, 7, 16, 17, 40, 100] {
        report.case(&format!("{n} moves"), || {
            let compiled = compiled(&one_choice(n))?;
            let count = 1000 * n as u64 + 20_000;
            let mut results = Vec::new();
            for layout in [Layout::Straight, Layout::Table] {
                results.push(play(
                    &format!("choice-{n}-{layout:?}"),
                    &compiled,
                    layout,
                    false,
                    count,
                    u64::MAX,
                )?);
            }
            for (result, (role, of)) in results.iter().flat_map(|result| {
                let digits: [fn(usize) -> usize; 2] = [|m| m % 10, |m| m / 10];
                digits.into_iter().enumerate().map(move |digit| (result, digit))
            }) {
                let (mut sum, mut all) = (0.0, 0);
                let values = &result.goals[role].values;
                for &(value, times) in values {
                    let moves = (0..n).filter(|m| of(*m) == value as usize).count();
                    let expected = count as f64 * moves as f64 / n as f64;
                    sum += (times as f64 - expected).powi(2) / expected;
                    all += times;
                }
                let freedom = (values.len() - 1) as f64;
                let deviation = if freedom > 0.0 { (sum - freedom) / (2.0 * freedom).sqrt() } else { 0.0 };
                if all != count || deviation > 8.0 {
                    return Err(format!("{deviation}: {values:?}"));
                }
            }
            Ok(())
        });
    }
    report.finish();
}

/// Asks the C form of `step` and the CPU lanes the same questions about 32 random games, all in step.
fn walk(name: &str, compiled: &Compiled, plies: usize) -> Result<(), String> {
    let lanes = &compiled.lanes;
    let source = StepSource::new(lanes);
    let program =
        program(name, &source.text, STEP, &[("INPUTS", source.inputs), ("OUTPUTS", source.outputs)])?;
    let net = lanes.general_net();
    let fluents = net.next.len();
    let mut runner = lanes.runner(1);
    let mut random = Random::new(3);
    let mut states = vec![compiled.initial.clone(); 32];
    let mut asked = String::new();
    let mut expected: Vec<(usize, Vec<u32>)> = Vec::new();
    let first = lanes.phase_of(&compiled.initial).unwrap_or(0);
    for ply in 0..plies {
        let rows: Vec<&[u64]> = states.iter().map(Vec::as_slice).collect();
        let answers = runner.answers(None, &rows, &[]);
        let goes_on: Vec<bool> = (0..states.len())
            .map(|game| !answers.terminal[game] && answers.legal[game].iter().all(|moves| !moves.is_empty()))
            .collect();
        let pick = |game: usize, random: &mut Random| -> Vec<MoveId> {
            answers.legal[game].iter().map(|moves| moves[random.below(moves.len())]).collect()
        };
        let joints: Vec<Option<Vec<MoveId>>> =
            (0..states.len()).map(|game| goes_on[game].then(|| pick(game, &mut random))).collect();
        let moving: Vec<usize> = (0..states.len()).filter(|game| goes_on[*game]).collect();
        let next = if moving.is_empty() {
            Vec::new()
        } else {
            let rows: Vec<&[u64]> = moving.iter().map(|game| states[*game].as_slice()).collect();
            let moves: Vec<Vec<MoveId>> = moving.iter().filter_map(|game| joints[*game].clone()).collect();
            runner.answers(None, &rows, &moves).next
        };
        let word = |f: &dyn Fn(usize) -> bool| {
            (0..states.len()).filter(|game| f(*game)).fold(0u32, |word, game| word | 1 << game)
        };
        let mut input: Vec<u32> =
            (0..fluents).map(|f| word(&|game| row::holds(&states[game], FluentId(f as u32)))).collect();
        let mut output = vec![word(&|game| answers.terminal[game])];
        for (role, list) in net.legal.iter().enumerate() {
            for action in (0..list.len() as u32).map(MoveId) {
                input.push(word(&|game| joints[game].as_ref().is_some_and(|joint| joint[role] == action)));
                output.push(word(&|game| answers.legal[game][role].contains(&action)));
            }
        }
        // Goals are planes here and values there: compared where exactly one is said to hold.
        for phase in [(first + ply) % lanes.period(), lanes.period()] {
            asked += &format!("{phase}");
            input.iter().for_each(|word| asked += &format!(" {word}"));
            asked += "\n";
            expected.push((phase, output.clone()));
            let mut tail = Vec::new();
            for (role, list) in net.goals.iter().enumerate() {
                for (value, _) in list {
                    tail.push(word(&|game| value.is_some() && answers.goals[game][role] == *value));
                }
            }
            for fluent in 0..fluents {
                let holds = |game: usize| {
                    let place = moving.iter().position(|other| *other == game);
                    place.is_some_and(|place| row::holds(&next[place], FluentId(fluent as u32)))
                };
                tail.push(word(&holds));
            }
            let masks = vec![word(&|_| true), word(&|game| goes_on[game])];
            expected.push((usize::MAX, [masks, tail].concat()));
        }
        if moving.is_empty() {
            break;
        }
        states = next;
    }
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut stdin = child.stdin.take().ok_or("no input")?;
    let writer = std::thread::spawn(move || stdin.write_all(asked.as_bytes()));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    writer.join().map_err(|_| "the writer panicked")?.map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Vec<u32>> = text
        .lines()
        .map(|line| line.split_whitespace().filter_map(|word| word.parse().ok()).collect())
        .collect();
    if lines.len() * 2 != expected.len() {
        return Err(format!("{} answers to {} questions", lines.len(), expected.len() / 2));
    }
    let goals: usize = net.goals.iter().map(Vec::len).sum();
    for (at, (line, pair)) in lines.iter().zip(expected.chunks(2)).enumerate() {
        let [(phase, head), (_, tail)] = pair else { return Err("a question without its end".into()) };
        let (asked, mask, tail) = (tail[0], tail[1], &tail[2..]);
        if line.iter().zip(head).any(|(found, wanted)| found & asked != *wanted) {
            return Err(format!("question {at}, phase {phase}: terminal or legal differ"));
        }
        let rest = &line[head.len()..];
        if rest.len() != tail.len() {
            return Err(format!("{} words, not {}", rest.len(), tail.len()));
        }
        if let Some(fluent) = (0..fluents).find(|f| (rest[goals + f] ^ tail[goals + f]) & mask != 0) {
            return Err(format!("question {at}, phase {phase}: fluent {fluent} differs"));
        }
        let mut place = 0;
        for list in &net.goals {
            let planes = &rest[place..place + list.len()];
            let twice = |game: u32| planes.iter().filter(|plane| **plane >> game & 1 == 1).count() > 1;
            let proper = (0..32).filter(|game| !twice(*game)).fold(0u32, |word, game| word | 1 << game);
            for (offset, plane) in planes.iter().enumerate() {
                let wanted = tail[place + offset];
                if list[offset].0.is_some() && plane & proper & asked != wanted {
                    return Err(format!("question {at}, phase {phase}: goal {offset} differs"));
                }
            }
            place += list.len();
        }
    }
    Ok(())
}

fn walks(sources: Vec<SheetSource>, plies: usize) {
    let mut report = Report::new("steps as C");
    for source in sources {
        report.case(&source.name, || {
            walk(&format!("step-{}", source.name), &compiled(&source.game()?)?, plies)
        });
    }
    report.finish();
}

#[test]
fn steps_agree_with_the_cpu_lanes_state_by_state() {
    if can_compile("steps as C") {
        without_large("steps as C");
        walks(games().into_iter().filter(is_small).collect(), 40);
    }
}
