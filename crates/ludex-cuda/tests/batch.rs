//! Batches without a GPU: the kernels compiled as C, called in the same order, against batches of the CPU, array for
//! array.

use ludex_cuda::batch::{
    ActionKind, Batch, BatchKernel, BatchSource, Call, CellKind, Form, Input, Machine, Plan, Threads, Wanted,
    network,
};
use ludex_cuda::{CudaError, HOST};
use ludex_engine::budget::Budget;
use ludex_engine::random::Random;
use ludex_env::{
    Autoreset, Cells, Encoder, EnvError, Forced, Illegal, Model, Options, Outputs, Rewards, Start, Which,
};
use ludex_testkit::corpus::games;
use ludex_testkit::report::{Report, note};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

/// Does what it is told: a letter, then numbers of 64 bits, then bytes.
const OBEY: &str = r#"
static u64 number(void) { u64 n = 0; if (fread(&n, 8, 1, stdin) != 1) exit(3); return n; }
int main(void) {
    for (;;) {
        int letter = getchar();
        if (letter == EOF) return 0;
        u64 a = number(), b = number(), d = number();
        if (letter == 'r') {
            u64 at = ((u64)calloc(a + 64, 1) + 63) & ~63ull;
            fwrite(&at, 8, 1, stdout);
            fflush(stdout);
        } else if (letter == 'p') {
            if (fread((void *)a, 1, b, stdin) != b) return 4;
        } else if (letter == 'g') {
            fwrite((void *)a, 1, b, stdout);
            fflush(stdout);
        } else if (letter == 'f') {
            memset((void *)a, (int)d, b);
        } else if (letter == 'l') {
            Call c;
            if (fread(&c, sizeof c, 1, stdin) != 1) return 5;
            gridDim.x = (u32)b; gridDim.y = (u32)d;
            for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
                for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) kernels[a](c);
        } else return 6;
    }
}
"#;

/// A program in C that runs the kernels, one thread a block.
struct Host {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
}

fn failed(error: impl std::fmt::Display) -> CudaError {
    CudaError::Driver { doing: "asking the program", says: error.to_string() }
}

impl Host {
    fn compile(name: &str, text: &str) -> Result<PathBuf, String> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let names: Vec<&str> = BatchKernel::ALL.iter().map(|kernel| kernel.name()).collect();
        let table = format!("static void (*kernels[])(Call) = {{{}}};", names.join(", "));
        let write =
            |file: &str, text: &str| std::fs::write(folder.join(file), text).map_err(|e| e.to_string());
        write("host.h", HOST)?;
        write("batch.c", &format!("{text}\n{table}\n{OBEY}"))?;
        let program = folder.join("batch");
        let mut cc = Command::new("cc");
        cc.args(["-std=gnu11", "-O1", "-w", "-o"]).arg(&program).arg(folder.join("batch.c"));
        let output = cc.output().map_err(|e| format!("the C compiler cannot be run: {e}"))?;
        match output.status.success() {
            true => Ok(program),
            false => Err(String::from_utf8_lossy(&output.stderr).chars().take(2000).collect()),
        }
    }

    fn start(program: &Path) -> Result<Host, CudaError> {
        let mut child =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let to = BufWriter::new(child.stdin.take().ok_or_else(|| failed("no input"))?);
        let from = BufReader::new(child.stdout.take().ok_or_else(|| failed("no output"))?);
        Ok(Host { child, to, from })
    }

    fn say(&mut self, letter: u8, numbers: [u64; 3]) -> Result<(), CudaError> {
        self.to.write_all(&[letter]).map_err(failed)?;
        numbers.iter().try_for_each(|number| self.to.write_all(&number.to_le_bytes())).map_err(failed)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Machine for Host {
    fn room(&mut self, bytes: usize) -> Result<u64, CudaError> {
        self.say(b'r', [bytes as u64, 0, 0])?;
        self.to.flush().map_err(failed)?;
        let mut address = [0; 8];
        self.from.read_exact(&mut address).map_err(failed)?;
        Ok(u64::from_le_bytes(address))
    }

    fn put(&mut self, to: u64, bytes: &[u8]) -> Result<(), CudaError> {
        self.say(b'p', [to, bytes.len() as u64, 0])?;
        self.to.write_all(bytes).map_err(failed)
    }

    fn get(&mut self, from: u64, bytes: &mut [u8]) -> Result<(), CudaError> {
        self.say(b'g', [from, bytes.len() as u64, 0])?;
        self.to.flush().map_err(failed)?;
        self.from.read_exact(bytes).map_err(failed)
    }

    fn fill(&mut self, to: u64, byte: u8, bytes: usize) -> Result<(), CudaError> {
        self.say(b'f', [to, bytes as u64, u64::from(byte)])
    }

    fn launch(&mut self, kernel: BatchKernel, threads: Threads, call: &Call) -> Result<(), CudaError> {
        let Threads { blocks: [x, y], block, together, .. } = threads;
        let place =
            BatchKernel::ALL.iter().position(|other| *other == kernel).ok_or_else(|| failed("no kernel"))?;
        // A block is one thread here: it does all work of the block, or there are as many as threads.
        let x = u64::from(x) * if together { 1 } else { u64::from(block) };
        self.say(b'l', [place as u64, x, u64::from(y)])?;
        call.words().iter().try_for_each(|word| self.to.write_all(&word.to_le_bytes())).map_err(failed)
    }

    fn blocks(&self, _: usize) -> Result<u32, CudaError> {
        // Few, so that they take turns.
        Ok(2)
    }
}

/// The arrays of a batch, on this side.
#[derive(Default, PartialEq)]
struct Arrays {
    legal: Vec<u8>,
    rewards: Vec<f32>,
    terminated: Vec<u8>,
    truncated: Vec<u8>,
    stuck: Vec<u8>,
    turn: Vec<i8>,
    illegal: Vec<u8>,
    made: Vec<i32>,
    observation: Vec<u8>,
    last: Vec<f32>,
}

impl Arrays {
    fn new(model: &Model, games: usize, columns: usize) -> Arrays {
        let roles = model.role_count();
        Arrays {
            // Whatever was there must be written over.
            legal: vec![7; games * model.move_count()],
            rewards: vec![7.0; games * roles],
            terminated: vec![7; games],
            truncated: vec![7; games],
            stuck: vec![7; games],
            turn: vec![7; games],
            illegal: vec![7; games * roles],
            made: vec![7; games * roles],
            observation: vec![7; games * columns],
            last: vec![7.0; games * columns],
        }
    }

    fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            legal: Some(&mut self.legal),
            legal_words: None,
            rewards: Some(&mut self.rewards),
            terminated: Some(&mut self.terminated),
            truncated: Some(&mut self.truncated),
            stuck: Some(&mut self.stuck),
            turn: Some(&mut self.turn),
            illegal: Some(&mut self.illegal),
            made: Some(&mut self.made),
            observation: Some(Cells::Bytes(&mut self.observation)),
            final_observation: Some(Cells::Floats(&mut self.last)),
        }
    }

    fn read(&mut self, batch: &mut Batch<Host>) -> Result<(), CudaError> {
        let at = *batch.arrays();
        let machine = batch.machine();
        let mut bytes = |at: u64, list: &mut Vec<u8>| machine.get(at, list);
        bytes(at.legal, &mut self.legal)?;
        bytes(at.terminated, &mut self.terminated)?;
        bytes(at.truncated, &mut self.truncated)?;
        bytes(at.stuck, &mut self.stuck)?;
        bytes(at.illegal, &mut self.illegal)?;
        bytes(at.observation, &mut self.observation)?;
        let mut turn = vec![0; self.turn.len()];
        bytes(at.turn, &mut turn)?;
        self.turn = turn.iter().map(|byte| *byte as i8).collect();
        let mut words = |at: u64, count: usize| -> Result<Vec<u32>, CudaError> {
            let mut bytes = vec![0; count * 4];
            machine.get(at, &mut bytes)?;
            Ok(bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect())
        };
        let floats = |words: Vec<u32>| -> Vec<f32> { words.into_iter().map(f32::from_bits).collect() };
        self.rewards = floats(words(at.rewards, self.rewards.len())?);
        self.last = floats(words(at.final_observation, self.last.len())?);
        self.made = words(at.made, self.made.len())?.into_iter().map(|word| word as i32).collect();
        Ok(())
    }

    /// The name of an array that is another one.
    fn difference(&self, other: &Arrays) -> Option<String> {
        macro_rules! each {
            ($($name:ident),*) => {
                $(if let Some(at) = self.$name.iter().zip(&other.$name).position(|(a, b)| a != b) {
                    return Some(format!(
                        "{} at {at}: {:?}, not {:?}", stringify!($name), self.$name[at], other.$name[at]
                    ));
                })*
            };
        }
        each!(terminated, truncated, stuck, legal, observation, last, rewards, turn, illegal, made);
        None
    }
}

fn bytes_of(numbers: &[i32], kind: ActionKind) -> Vec<u8> {
    let bytes = |number: i32| match kind {
        ActionKind::I32 => number.to_le_bytes().to_vec(),
        ActionKind::I64 => i64::from(number).to_le_bytes().to_vec(),
        ActionKind::U16 => (number as u16).to_le_bytes().to_vec(),
    };
    numbers.iter().copied().flat_map(bytes).collect()
}

/// Plays both side by side.
fn walk(
    program: &Path,
    model: &Arc<Model>,
    source: &BatchSource,
    options: Options,
    games: usize,
    steps: usize,
) -> Result<(), String> {
    let text = |error: EnvError| error.to_string();
    let encoder = Arc::new(Encoder::flat(model, None));
    let cpu = ludex_env::Batch::new(model.clone(), games, options).map_err(text)?;
    let mut cpu = cpu.with_encoder(encoder.clone()).map_err(text)?;
    let wanted = Wanted {
        legal: true,
        rewards: true,
        ends: true,
        turn: true,
        illegal: true,
        made: true,
        observation: Some(CellKind::Bytes),
        final_observation: Some(CellKind::Floats),
    };
    let said = |error: CudaError| error.to_string();
    let plan =
        Plan::new(model.clone(), source.clone(), games, options, Some(&encoder), wanted).map_err(said)?;
    let mut batch = Batch::new(plan, Host::start(program).map_err(said)?).map_err(said)?;
    let mut expected = Arrays::new(model, games, encoder.len());
    let mut found = Arrays::new(model, games, encoder.len());
    cpu.reset(Which::All, Start::Initial, expected.outputs()).map_err(text)?;
    let mut random = Random::new(options.seed + 1);
    let roles = model.role_count();
    let words = model.words();
    let to = batch.machine().room(games * roles.max(words * 2) * 4).map_err(said)?;
    let (mut actions, mut states) = (vec![0; games * roles], vec![0; games * words]);
    for step in 0..steps {
        let at = |what: String| format!("step {step}: {what}");
        found.read(&mut batch).map_err(said)?;
        found.difference(&expected).map_or(Ok(()), |what| Err(at(what)))?;
        // The states, and random actions.
        batch.states(to).map_err(said)?;
        cpu.states(&mut states).map_err(text)?;
        let mut bytes = vec![0; games * words * 8];
        batch.machine().get(to, &mut bytes).map_err(said)?;
        if bytes.as_chunks::<8>().0.iter().zip(&states).any(|(a, b)| u64::from_le_bytes(*a) != *b) {
            return Err(at("other states".into()));
        }
        let seed = random.bits();
        batch.sample(seed, to).map_err(said)?;
        cpu.sample(seed, &mut actions).map_err(text)?;
        let mut bytes = vec![0; games * roles * 4];
        batch.machine().get(to, &mut bytes).map_err(said)?;
        if bytes != bytes_of(&actions, ActionKind::I32) {
            return Err(at("other random actions".into()));
        }
        // Some games begin anew, some in other states.
        if step % 7 == 6 {
            let marks: Vec<u8> = (0..games).map(|_| u8::from(random.below(3) == 0)).collect();
            cpu.reset(Which::Marked(&marks), Start::Initial, expected.outputs()).map_err(text)?;
            batch.reset(Some(Input::Here(&marks)), None).map_err(said)?;
        }
        if step % 7 == 3 {
            states.rotate_left(words * (games / 2));
            let rows: Vec<u8> = states.iter().flat_map(|word| word.to_le_bytes()).collect();
            let marks: Vec<u8> = (0..games).map(|_| u8::from(random.below(3) == 0)).collect();
            cpu.reset(Which::Marked(&marks), Start::States(&states), expected.outputs()).map_err(text)?;
            batch.reset(Some(Input::Here(&marks)), Some(Input::Here(&rows))).map_err(said)?;
        }
        if step % 7 == 6 || step % 7 == 3 {
            found.read(&mut batch).map_err(said)?;
            found.difference(&expected).map_or(Ok(()), |what| Err(at(format!("reset: {what}"))))?;
            cpu.sample(seed, &mut actions).map_err(text)?;
        }
        let kind = [ActionKind::I32, ActionKind::I64, ActionKind::U16][step % 3];
        let illegal = options.illegal != Illegal::Raise || step % 5 == 4;
        if illegal {
            for action in &mut actions {
                if random.below(25) == 0 {
                    let other = [-1, i32::MAX, random.below(9) as i32][random.below(3)];
                    *action = if kind == ActionKind::U16 { i32::from(other as u16) } else { other };
                }
            }
        }
        let there = bytes_of(&actions, kind);
        match cpu.step(&actions[..], expected.outputs()) {
            Ok(()) => batch.step(kind, Input::Here(&there)).map_err(|e| at(e.to_string()))?,
            Err(error) => {
                if batch.step(kind, Input::Here(&there)) != Err(CudaError::Asked(error.clone())) {
                    return Err(at(format!("not the error: {error}")));
                }
                // Nothing has changed.
                cpu.show(expected.outputs()).map_err(text)?;
                batch.reset(Some(Input::Here(&vec![0; games])), None).map_err(said)?;
            }
        }
    }
    Ok(())
}

/// Each option, and lengths at which some games are cut off.
fn all_options(roles: usize) -> Vec<Options> {
    let zero_sum = if roles > 1 { Rewards::ZeroSum } else { Rewards::Scaled };
    let one = |seed, autoreset, illegal, forced, rewards, length| Options {
        autoreset,
        illegal,
        forced,
        rewards,
        length,
        seed,
        threads: 1,
    };
    vec![
        one(1, Autoreset::SameStep, Illegal::Lose, Forced::Made, Rewards::Goals, 9),
        one(2, Autoreset::NextStep, Illegal::Random, Forced::Given, Rewards::Scaled, 0),
        one(3, Autoreset::Disabled, Illegal::Raise, Forced::Made, zero_sum, 13),
        one(4, Autoreset::SameStep, Illegal::Random, Forced::Made, zero_sum, 0),
        one(5, Autoreset::NextStep, Illegal::Lose, Forced::Given, Rewards::Goals, 4),
    ]
}

#[test]
fn batches_agree_with_those_of_the_cpu_array_for_array() {
    if !Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success()) {
        note("NOT RUN: batches as C (no C compiler `cc` on this machine)");
        return;
    }
    let slow = std::env::var_os("LUDEX_SLOW").is_some();
    let mut report = Report::new("batches as C");
    let mut left_out = 0;
    for sheet in games() {
        report.case(&sheet.name, || {
            let model = Arc::new(Model::new(&sheet.game()?, &Budget::default()).map_err(|e| e.to_string())?);
            let net = network(&model).map_err(|e| e.to_string())?;
            let chosen = BatchSource::fitting(net).map_err(|e| e.to_string())?;
            let small = chosen.operations < 400;
            for form in [Form::Straight, Form::Table, Form::Room] {
                // The C compiler takes long for straight code, and the program for tables of large games.
                if !slow
                    && !small
                    && form != chosen.form
                    && (form == Form::Straight || chosen.operations > 3000)
                {
                    left_out += 1;
                    continue;
                }
                let source = BatchSource::new(net, form).map_err(|e| format!("{form:?}: {e}"))?;
                let plan =
                    Plan::new(model.clone(), source.clone(), 1, Options::default(), None, Wanted::default());
                let plan = plan.map_err(|e| e.to_string())?;
                let program = Host::compile(&format!("batch-{}-{form:?}", sheet.name), plan.text())?;
                let all = all_options(model.role_count());
                let of_form = if slow || form == chosen.form { &all[..] } else { &all[..1] };
                for options in of_form {
                    let (games, steps) = if small { (70, 24) } else { (40, 12) };
                    walk(&program, &model, &source, *options, games, steps)
                        .map_err(|e| format!("{form:?}, {options:?}: {e}"))?;
                }
            }
            Ok(())
        });
    }
    report.finish();
    if left_out > 0 {
        note(&format!("NOT RUN: {left_out} forms of large games as C (set LUDEX_SLOW)"));
    }
}
