//! Leaves of a search, valued on a GPU: thousands of states a call, several games from each.
//!
//! A batch takes a GPU about as long as its longest game, however many games it is, until the GPU is full. But the longer a
//! leaf waits, the less the search knows when it looks for the next. So a short trial finds the smallest batch for which the
//! tree, which gathers leaves meanwhile one by one, hardly waits; and each state gets as many games as take no longer. The lanes of the CPU stand behind it. They value states of no known phase, games with another bound, and
//! everything once the GPU has failed; a batch that was begun there is played again.

use super::device::{Device, Kernel, failed};
use super::error::CudaError;
use super::source::{Ends, LIVE, Shape, Source};
use cudarc::driver::{CudaFunction, CudaSlice, DriverError, LaunchConfig, PushKernelArg, sys};
use ludex_engine::propnet::lanes::{Ended, LANES, Lanes, LanesRunner, Valuer, Valuers};
use ludex_engine::row::Row;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// States of a call, tried from the fewest on.
const FEW_ROWS: usize = 2 * LANES;
const MOST_ROWS: usize = 64 * LANES;

/// Games of a state, at most: more say little more about it.
const MOST_GAMES: usize = 32;

/// What a batch may take for each state: a fraction of what the tree takes to come to a leaf.
const A_STATE: Duration = Duration::from_nanos(500);

/// A batch may take so long at most.
const LONGEST: Duration = Duration::from_millis(20);

/// Threads of a block that moves states.
const BLOCK: u32 = 128;

/// Passes of a launch, at most.
const PASSES: u64 = 1024;

const DOING: &str = "valuing leaves";

/// A game on a GPU, for all threads of a search.
pub struct Leaves {
    lanes: Arc<Lanes>,
    kernel: Kernel,
    /// Games are broken off after so many plies.
    most: u64,
    /// States of a call, and games of each.
    rows: usize,
    games: usize,
    /// What was tried: states, games of each, and how long a batch took. The choice is the last.
    trials: Vec<(usize, usize, Duration)>,
    has_failed: AtomicBool,
    /// What has failed, until somebody asks.
    complaint: Mutex<Option<String>>,
}

impl fmt::Debug for Leaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaves").field("rows", &self.rows).field("games", &self.games).finish_non_exhaustive()
    }
}

impl fmt::Display for Leaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Leaves { rows, games, trials, kernel, .. } = self;
        let took = trials.last().map_or(Duration::ZERO, |(_, _, took)| *took);
        let times = if *games == 1 { String::new() } else { format!(" by {games} games each") };
        write!(
            f,
            "{} values leaves: {rows} states{times} took {:.1} ms, compiling {:.2} s",
            kernel.device().name(),
            took.as_secs_f64() * 1e3,
            kernel.compiled.as_secs_f64()
        )
    }
}

impl Leaves {
    /// Compiles a game for games of at most so many plies, or takes what was compiled before from the folder `cache`. The
    /// trial begins in `initial`. A game whose smallest batches take too long is too large.
    pub fn new(
        device: &Device,
        lanes: Arc<Lanes>,
        initial: &Row,
        most: u64,
        cache: Option<&Path>,
    ) -> Result<Leaves, CudaError> {
        let most = most.max(1);
        let Some(phase) = lanes.phase_of(initial) else {
            return Err(CudaError::Large("its first state is of no phase".to_owned()));
        };
        let source = Source::fitting(&lanes, false, Shape { ends: Ends::Kept, ..Shape::bounded(most) })?;
        if source.words > usize::from(u16::MAX) {
            return Err(CudaError::Large(format!("{} fluents; 65,000 can be", source.fluents)));
        }
        let kernel = device.load(source, cache)?;
        kernel.bound(most)?;
        let full = kernel.full()? as usize * 32;
        let mut leaves = Leaves {
            lanes,
            kernel,
            most,
            rows: 0,
            games: 0,
            trials: Vec::new(),
            has_failed: AtomicBool::new(false),
            complaint: Mutex::new(None),
        };
        leaves.fit(initial, phase, full)?;
        Ok(leaves)
    }

    /// Finds the batch, for a GPU that plays so many games at a time.
    fn fit(&mut self, initial: &Row, phase: usize, full: usize) -> Result<(), CudaError> {
        let allowed = |rows: usize| A_STATE * rows as u32;
        let (mut rows, mut games) = (FEW_ROWS, 1);
        let mut took = self.time(initial, phase, rows, games)?;
        while rows < MOST_ROWS && took > allowed(rows) && took < LONGEST / 2 {
            rows *= 2;
            took = self.time(initial, phase, rows, games)?;
        }
        if took > LONGEST {
            rows = LANES;
            took = self.time(initial, phase, rows, games)?;
        }
        if took > LONGEST {
            let time = took.as_millis();
            return Err(CudaError::Large(format!("a batch of {LANES} leaves takes {time} ms")));
        }
        let most = LONGEST.min(allowed(rows).max(took) * 5 / 4);
        while games < MOST_GAMES && 2 * games * rows <= full {
            let more = self.time(initial, phase, rows, 2 * games)?;
            if more > most {
                break;
            }
            (games, took) = (2 * games, more);
        }
        (self.rows, self.games) = (rows, games);
        self.trials.push((rows, games, took));
        Ok(())
    }

    /// How long a batch from the first state takes.
    fn time(
        &mut self,
        initial: &Row,
        phase: usize,
        rows: usize,
        games: usize,
    ) -> Result<Duration, CudaError> {
        (self.rows, self.games) = (rows, games);
        let mut playing = Games::new(self, 1)?;
        let states = initial.repeat(rows);
        let mut ended = Ended::default();
        let mut took = Duration::ZERO;
        // The first time more is loaded than is played.
        for _ in 0..2 {
            let begun = Instant::now();
            playing.play(self, phase, &states, &mut ended)?;
            took = begun.elapsed();
        }
        self.trials.push((rows, games, took));
        Ok(took)
    }

    /// What was tried: states, games of each, and how long a batch took. The choice is the last.
    pub fn trials(&self) -> &[(usize, usize, Duration)] {
        &self.trials
    }

    /// Games that a call plays from each state.
    pub fn games_a_state(&self) -> usize {
        self.games
    }

    /// States of a call, at most.
    pub fn capacity(&self) -> usize {
        self.rows
    }

    fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// From now on the CPU plays.
    fn fail(&self, error: &CudaError) {
        if !self.has_failed.swap(true, Ordering::Relaxed) {
            self.complain(error);
        }
    }

    fn complain(&self, error: &CudaError) {
        let says = Some(format!("{error}; the CPU goes on"));
        *self.complaint.lock().unwrap_or_else(PoisonError::into_inner) = says;
    }
}

impl Valuers for Leaves {
    fn valuer(&self, seed: u64) -> Box<dyn Valuer + '_> {
        let playing = if self.has_failed() { None } else { self.playing(seed) };
        Box::new(LeafValuer { leaves: self, playing, runner: self.lanes.runner(seed), games: 1 })
    }

    fn complaint(&self) -> Option<String> {
        self.complaint.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Leaves {
    fn playing(&self, seed: u64) -> Option<Games> {
        let playing = Games::new(self, seed);
        match &playing {
            // Others have found room.
            Err(error @ CudaError::Memory { .. }) => self.complain(error),
            Err(error) => self.fail(error),
            Ok(_) => {}
        }
        playing.ok()
    }
}

/// A thread's share of a GPU.
struct LeafValuer<'l> {
    leaves: &'l Leaves,
    playing: Option<Games>,
    runner: LanesRunner<'l>,
    /// Games of each state of the last call.
    games: usize,
}

impl Valuer for LeafValuer<'_> {
    fn lanes(&self) -> &Lanes {
        &self.leaves.lanes
    }

    fn capacity(&self) -> usize {
        if self.playing.is_some() { self.leaves.rows } else { LANES }
    }

    fn games_a_state(&self) -> usize {
        self.games
    }

    fn value(&mut self, phase: Option<usize>, states: &[u64], most: u64, ended: &mut Ended) {
        let leaves = self.leaves;
        if leaves.has_failed() {
            self.playing = None;
        }
        if let (Some(playing), Some(phase)) = (&mut self.playing, phase)
            && most.max(1) == leaves.most
        {
            match playing.play(leaves, phase, states, ended) {
                Ok(games) => {
                    self.games = games;
                    return;
                }
                Err(error) => {
                    leaves.fail(&error);
                    self.playing = None;
                }
            }
        }
        self.games = 1;
        by_the_cpu(&mut self.runner, phase, states, most, ended);
    }
}

/// Plays from more states than lanes.
fn by_the_cpu(
    runner: &mut LanesRunner<'_>,
    phase: Option<usize>,
    states: &[u64],
    most: u64,
    ended: &mut Ended,
) {
    let stride = Valuer::lanes(runner).general_net().next.len().div_ceil(64);
    let mut part = Ended { states: ended.states.as_ref().map(|_| Vec::new()), ..Ended::default() };
    ended.goals.clear();
    ended.transitions = 0;
    ended.states.iter_mut().for_each(Vec::clear);
    for states in states.chunks((LANES * stride).max(1)) {
        runner.playouts_each(phase, states, most, &mut part);
        ended.goals.append(&mut part.goals);
        ended.transitions += part.transitions;
        if let (Some(all), Some(more)) = (&mut ended.states, &mut part.states) {
            all.append(more);
        }
    }
}

/// Games under way on a GPU, each from a state of its own, and their memory.
struct Games {
    put: CudaFunction,
    get: CudaFunction,
    /// Words of 32 games that there is memory for.
    threads: u32,
    words: CudaSlice<u32>,
    states: CudaSlice<u64>,
    told: CudaSlice<u32>,
    tally: CudaSlice<u64>,
    data: CudaSlice<u32>,
    room: CudaSlice<u8>,
}

impl Games {
    /// Memory for the largest batch.
    fn new(leaves: &Leaves, seed: u64) -> Result<Games, CudaError> {
        let Leaves { kernel, rows, games, .. } = leaves;
        let Source { words, fluents, units, counters, ref goals, ref data, room, .. } = *kernel.source();
        let stream = kernel.device().stream();
        let threads = ((rows * games).div_ceil(32) as u32).next_multiple_of(units);
        let values: usize = goals.iter().map(Vec::len).sum();
        let many = |each: usize| each * threads as usize;
        let bytes = (many(words) + many(values)) * 4 + room * (threads / units) as usize;
        let memory = |error: DriverError| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => CudaError::Memory { bytes: bytes as u64 },
            _ => failed(DOING)(error),
        };
        let mut place = stream.alloc_zeros::<u32>(many(words)).map_err(memory)?;
        kernel.begin(&mut place, threads, seed).map_err(failed(DOING))?;
        Ok(Games {
            put: kernel.function("put_states")?,
            get: kernel.function("get_states")?,
            threads,
            words: place,
            states: stream.alloc_zeros(rows * fluents.div_ceil(64)).map_err(memory)?,
            told: stream.alloc_zeros(many(values).max(1)).map_err(memory)?,
            tally: stream.alloc_zeros(counters).map_err(memory)?,
            data: stream.clone_htod(data).map_err(memory)?,
            room: stream.alloc_zeros((room * (threads / units) as usize).max(4)).map_err(memory)?,
        })
    }

    /// Plays from each state, all of the phase, and tells what each game came to. Returns how many games that were from each.
    fn play(
        &mut self,
        leaves: &Leaves,
        phase: usize,
        states: &[u64],
        ended: &mut Ended,
    ) -> Result<usize, CudaError> {
        let Leaves { kernel, .. } = leaves;
        // A last state belongs to what its own game came to.
        let each = if ended.states.is_some() { 1 } else { leaves.games };
        let source = kernel.source();
        let stream = kernel.device().stream();
        let fail = failed(DOING);
        let width = source.fluents.div_ceil(64);
        let rows = states.len() / width;
        let games = rows * each;
        let used = (games.div_ceil(32) as u32).next_multiple_of(source.units);
        assert!(states.len() == rows * width && used <= self.threads, "whole rows, and no more than fit");
        ended.goals.clear();
        ended.transitions = 0;
        if rows == 0 {
            ended.states.iter_mut().for_each(Vec::clear);
            return Ok(each);
        }
        stream.memcpy_htod(states, &mut self.states.slice_mut(..states.len())).map_err(&fail)?;
        let [stride, games_a_state, count] = [width as u32, each as u32, games as u32];
        let fluents = source.fluents as u32;
        let by = |items: u32, y: u32| LaunchConfig {
            grid_dim: (items.div_ceil(BLOCK), y, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the arguments are those of the kernel. It reads rows of states, which were copied, and writes words of
        // threads that there are.
        unsafe {
            stream
                .launch_builder(&self.put)
                .arg(&mut self.words)
                .arg(&self.states)
                .arg(&self.threads)
                .arg(&stride)
                .arg(&games_a_state)
                .arg(&count)
                .arg(&fluents)
                .launch(by(used, source.words as u32))
        }
        .map_err(&fail)?;
        stream.memset_zeros(&mut self.tally).map_err(&fail)?;
        let (tally, passes) = self.pass_until_over(leaves, phase as u32, used)?;
        source.check_kept(&tally, games as u64, passes)?;
        let values: usize = source.goals.iter().map(Vec::len).sum();
        let told = stream.clone_dtoh(&self.told.slice(..values * used as usize)).map_err(&fail)?;
        source.goals_told(&told, used as usize, games, &mut ended.goals);
        ended.transitions = tally[super::source::TRANSITIONS];
        if let Some(last) = &mut ended.states {
            let count = rows as u32;
            // SAFETY: as above; it writes as many rows as were copied.
            unsafe {
                stream
                    .launch_builder(&self.get)
                    .arg(&self.words)
                    .arg(&mut self.states)
                    .arg(&self.threads)
                    .arg(&stride)
                    .arg(&games_a_state)
                    .arg(&count)
                    .arg(&fluents)
                    .launch(by(count, stride))
            }
            .map_err(&fail)?;
            *last = stream.clone_dtoh(&self.states.slice(..states.len())).map_err(&fail)?;
        }
        Ok(each)
    }

    /// Plays until no game is left. Returns what was counted, and the passes.
    fn pass_until_over(
        &mut self,
        leaves: &Leaves,
        phase: u32,
        used: u32,
    ) -> Result<(Vec<u64>, u64), CudaError> {
        let Leaves { kernel, most, .. } = leaves;
        let source = kernel.source();
        let stream = kernel.device().stream();
        let shape = LaunchConfig {
            grid_dim: (used / source.units, 1, 1),
            block_dim: (source.block, 1, 1),
            shared_mem_bytes: source.shared,
        };
        // A game of so many plies ends in one pass more.
        let passes = (most + 1).min(PASSES) as u32;
        let (mut phase, mut done, counted) = (phase, 0u64, 1u32);
        loop {
            let start = phase;
            // SAFETY: the arguments are those of the kernel; it reads and writes the words of its threads, what they tell
            // and the counters, which have the sizes that the source states.
            unsafe {
                stream
                    .launch_builder(kernel.play())
                    .arg(&mut self.words)
                    .arg(&mut self.tally)
                    .arg(&self.threads)
                    .arg(&passes)
                    .arg(&phase)
                    .arg(&start)
                    .arg(&counted)
                    .arg(&self.data)
                    .arg(&mut self.room)
                    .arg(&mut self.told)
                    .launch(shape)
            }
            .map_err(failed(DOING))?;
            done += u64::from(passes);
            let mut tally = stream.clone_dtoh(&self.tally).map_err(failed(DOING))?;
            if tally[LIVE] == 0 {
                return Ok((tally, done));
            }
            if done > *most {
                let (live, most) = (tally[LIVE], *most);
                return Err(CudaError::Tally(format!("{live} games are longer than {most} plies")));
            }
            phase = (phase + passes) % source.period as u32;
            tally[LIVE] = 0;
            stream.memcpy_htod(&tally, &mut self.tally).map_err(failed(DOING))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::by_the_cpu;
    use ludex_engine::budget::Budget;
    use ludex_engine::propnet::compile;
    use ludex_engine::propnet::lanes::{Ended, LANES, Lanes};
    use ludex_gdl::Sheet;

    #[test]
    fn the_cpu_goes_on_with_batches_of_any_size() {
        // Each state has one way to go, so what every game comes to is plain.
        let rules = "(role a) (init (at 0)) (step 0 1) (step 1 2) (step 2 3) (legal a go)
            (<= (next (at ?n)) (true (at ?m)) (step ?m ?n)) (<= terminal (true (at 3)))
            (<= (next moved) (true (at 0))) (<= (next moved) (true moved))
            (<= (goal a 100) (true moved) (true (at 3))) (<= (goal a 30) (not (true moved)) (true (at 3)))";
        let game = Sheet::read(rules).into_game().expect("a sound sheet");
        let compiled = compile(&game, &Budget::default()).expect("a small game");
        let lanes = Lanes::new(&compiled.net, &compiled.initial, &Budget::default()).expect("a small game");
        let mut runner = lanes.runner(1);
        let mut last = Ended { states: Some(Vec::new()), ..Ended::default() };
        runner.playouts_each(None, &compiled.initial, 2, &mut last);
        let before_the_end = last.states.take().expect("they were asked for");
        let rows = 3 * LANES + 7;
        let states: Vec<u64> = (0..rows)
            .flat_map(|row| if row % 3 == 0 { compiled.initial.clone() } else { before_the_end.clone() })
            .collect();
        let mut ended = Ended { states: Some(vec![9]), goals: vec![None], transitions: 9 };
        by_the_cpu(&mut runner, None, &states, 1000, &mut ended);
        assert_eq!(ended.goals, vec![Some(100); rows]);
        assert_eq!(ended.states.map(|states| states.len()), Some(states.len()));
        let from_the_start = rows.div_ceil(3) as u64;
        assert_eq!(ended.transitions, 3 * from_the_start + (rows as u64 - from_the_start));
        let mut nothing = Ended::default();
        by_the_cpu(&mut runner, None, &[], 1000, &mut nothing);
        assert_eq!(nothing, Ended::default());
    }
}
