//! Bit-sliced simulation (SIMD): 512 games at a time, one bit a game.
//!
//! [`Lanes`] is a [`Net`] compiled for batches of random playouts: each signal is a plane of 512 bits, one a
//! game, and a pass over the gates moves every game on by one ply. Moves are chosen inside the lanes, each
//! legal move of a role equally likely; lanes whose game is over get a new one at once; goals are counted.
//!
//! Use it when many playouts from one state are wanted and only statistics of them: Monte-Carlo evaluation,
//! estimates of lengths and outcomes, benchmarks. The scalar execution ([`super::Propnet`]) answers questions
//! about single states and follows only what changes. Where each of many states wants one playout of its own, as the leaves
//! of a tree do, every lane begins in another one (`each.rs`). What lanes cannot do is to tell which moves a playout made.
//!
//! Where the rules make play go in step (players who take turns), the lanes are kept in step too, and passes
//! use a smaller network for each phase (`phase.rs`); a lane then waits for its phase before a
//! new game begins in it.
//!
//! Results depend on the seed and the start only, not on the machine.

mod choose;
mod each;
#[cfg_attr(feature = "native", allow(unsafe_code))]
mod memory;
mod pass;
mod plan;
mod read;
mod step;
#[cfg_attr(feature = "native", allow(unsafe_code))]
mod transpose;
mod turn;
mod valuer;
mod vector;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod x86;

pub use each::Ended;
pub use pass::Instructions;
pub use read::Number;
pub use step::{Block, Column, Columns, LegalCounts, Stepper, Workspace, write_flags};
pub use valuer::{Valuer, Valuers};
pub use vector::Plane;

use super::net::Net;
use super::phase::{self, Phase, Tri};
use crate::budget::{Budget, Exceeded};
use crate::engine::Goal;
use crate::random::Random;
use crate::row::{self, Row};
use crate::vocabulary::{FluentId, MoveId};
use pass::{Job, State, Tally};
use plan::{Code, FLUENTS, GoalPlan, Plan};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// How many games are played at the same time.
pub const LANES: usize = 512;

/// The longest cycle of phases that is tried: players taking turns make one as long as they are many.
const LONGEST_CYCLE: usize = 6;

/// A network compiled for playing many games at a time.
#[derive(Debug)]
pub struct Lanes {
    net: Net,
    phases: Vec<Phase>,
    /// As rows, what all states of each phase have in common: the fluents that are known, and those of them that hold.
    known: Vec<[Vec<u64>; 2]>,
    /// The network of each phase.
    nets: Vec<Net>,
    /// A plan for each phase.
    plans: Vec<Plan>,
    /// For starts that agree with no phase.
    general: OnceLock<Vec<Plan>>,
    goals: GoalPlan,
}

/// How large the compiled lists are, in gates of up to four inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSizes {
    /// Terminal, and what is legal where it reads the same.
    pub head: usize,
    /// What is legal, if not in `head`.
    pub legal: usize,
    /// The next state.
    pub next: usize,
    /// What goals need beyond `head`.
    pub goals: usize,
    /// Moves from which to choose, by role.
    pub moves: Vec<usize>,
    /// Planes of 64 bytes.
    pub slots: usize,
}

impl Lanes {
    /// Compiles a network. `initial` is the state from which most playouts will start: others are possible,
    /// but those that no play from it reaches may be slower.
    pub fn new(net: &Net, initial: &Row, budget: &Budget) -> Result<Lanes, Exceeded> {
        let meter = &mut budget.clock();
        let start = bits(net, initial);
        let everything = phase::specialised(net, &phase::anything(net), meter)?;
        let goals = GoalPlan::new(&everything, meter)?;
        let mut lanes = Lanes {
            net: everything,
            phases: Vec::new(),
            known: Vec::new(),
            nets: Vec::new(),
            plans: Vec::new(),
            general: OnceLock::new(),
            goals,
        };
        let mut best = (f64::INFINITY, Vec::new(), Vec::new(), Vec::new());
        let mut most_known = 0;
        for period in 1..=LONGEST_CYCLE {
            let phases = phase::cycle(net, &start, period, meter)?;
            // A longer cycle is worth a look only if more is constant in its phases.
            let known: usize = phases.iter().map(|p| p.iter().filter(|t| t.known().is_some()).count()).sum();
            let known = known * 60 / period;
            if period > 1 && known <= most_known {
                continue;
            }
            most_known = most_known.max(known);
            let mut nets = Vec::new();
            lanes.plans.clear();
            for phase in &phases {
                let net = phase::specialised(net, phase, meter)?;
                lanes.plans.push(Plan::new(&net, meter)?);
                nets.push(net);
            }
            plan::check(&lanes.plans, &lanes.goals, net.next.len());
            lanes.known = phases.iter().map(|phase| turn::known(phase, |fluent| fluent)).collect();
            lanes.phases = phases;
            let occupancy = lanes.occupancy(initial, budget)?;
            let cost = nets.iter().map(cost).sum::<usize>() as f64 / period as f64 / occupancy;
            // More plans are more memory and time to build, so they must pay.
            if cost < best.0 * 0.97 {
                best = (cost, std::mem::take(&mut lanes.phases), std::mem::take(&mut lanes.plans), nets);
            }
        }
        (_, lanes.phases, lanes.plans, lanes.nets) = best;
        lanes.known = lanes.phases.iter().map(|phase| turn::known(phase, |fluent| fluent)).collect();
        Ok(lanes)
    }

    /// The part of the lanes in which something is played: some wait at the end of a game for the phase in
    /// which the next one can begin. A trial by a fixed seed, so that it depends on the rules only.
    fn occupancy(&self, initial: &Row, budget: &Budget) -> Result<f64, Exceeded> {
        const PASSES: u64 = 100;
        let mut runner = self.runner(0);
        let (mut passes, mut transitions) = (0, 0);
        // One at a time: a pass over a large network takes milliseconds.
        for _ in 0..PASSES {
            budget.check()?;
            let result = runner.run(initial, 1, u64::MAX);
            passes += result.passes;
            transitions += result.transitions;
        }
        let full = (passes * LANES as u64).max(1) as f64;
        Ok((transitions as f64 / full).max(1e-3))
    }

    /// How many phases play goes through again and again; one if it does not.
    pub fn period(&self) -> usize {
        self.plans.len()
    }

    /// The network of each phase, with what is constant in it folded in: what another execution of the same
    /// games compiles.
    pub fn nets(&self) -> &[Net] {
        &self.nets
    }

    /// The network of any state, for starts that agree with no phase.
    pub fn general_net(&self) -> &Net {
        &self.net
    }

    /// The phase whose constants the state has.
    pub fn phase_of(&self, state: &Row) -> Option<usize> {
        let agrees = |[known, holding]: &[Vec<u64>; 2]| {
            state.iter().zip(known).zip(holding).all(|((word, known), holding)| word & known == *holding)
        };
        self.known.iter().position(agrees)
    }

    /// The sizes of the plan of each phase.
    pub fn sizes(&self) -> Vec<PlanSizes> {
        let sizes = self.plans.iter().map(|plan| PlanSizes {
            head: plan.head.gates(),
            legal: plan.legal.gates(),
            next: plan.next.gates(),
            goals: plan.goal.gates().min(self.goals.code.gates()),
            moves: plan.choices.iter().map(|choice| choice.moves.len()).collect(),
            slots: plan.slots,
        });
        sizes.collect()
    }

    /// Bytes held, roughly.
    pub fn memory_usage(&self) -> usize {
        let code = |code: &Code| code.inputs.len() * 4 + code.runs.len() * 20;
        let plan = |p: &Plan| code(&p.head) + code(&p.goal) + code(&p.legal) + code(&p.next);
        self.plans.iter().map(plan).sum::<usize>() + code(&self.goals.code) + self.net.nodes.len() * 12
    }

    /// A thread's memory, with random numbers from the seed.
    pub fn runner(&self, seed: u64) -> LanesRunner<'_> {
        self.runner_with(seed, Instructions::detect())
    }

    /// The same with other instructions than the best that the machine has.
    ///
    /// # Panics
    /// If the machine does not have them.
    pub fn runner_with(&self, seed: u64, instructions: Instructions) -> LanesRunner<'_> {
        assert!(instructions.available(), "the machine has no such instructions");
        LanesRunner { lanes: self, instructions, state: State::new(seed), running: None, is_detailed: false }
    }

    /// Plays `count` playouts from `start`, each to its end or to `most` plies, on several threads.
    /// The result depends on the seed, not on the number of threads.
    pub fn run_parallel(&self, threads: usize, seed: u64, start: &Row, count: u64, most: u64) -> BatchResult {
        self.run_shares(threads, seed, start, count, most, false)
    }

    /// As [`Lanes::run_parallel`], also counting winners and lengths.
    pub fn survey(&self, threads: usize, seed: u64, start: &Row, count: u64, most: u64) -> BatchResult {
        self.run_shares(threads, seed, start, count, most, true)
    }

    fn run_shares(
        &self,
        threads: usize,
        seed: u64,
        start: &Row,
        count: u64,
        most: u64,
        is_detailed: bool,
    ) -> BatchResult {
        // Shares that are long enough for their ends, when lanes run empty, not to matter.
        let share = (count / 64).clamp(64 * LANES as u64, 1 << 22);
        let mut seeds = Random::new(seed);
        let shares: Vec<(u64, u64)> =
            (0..count.div_ceil(share)).map(|i| (seeds.bits(), share.min(count - i * share))).collect();
        let play = || {
            shares
                .par_iter()
                .map(|&(seed, count)| {
                    LanesRunner { is_detailed, ..self.runner(seed) }.playouts(start, count, most)
                })
                .collect::<Vec<_>>()
        };
        // More threads than shares have nothing to do.
        let threads = threads.min(shares.len()).max(1);
        let results = match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool.install(play),
            // Without threads of its own it goes by those that there are.
            Err(_) => play(),
        };
        let mut total = BatchResult::new(&self.goals, Tally::new(&self.goals.goals, is_detailed));
        results.iter().for_each(|result| total.add(result));
        total
    }

    fn general(&self) -> &[Plan] {
        self.general.get_or_init(|| {
            let unlimited = &mut Budget::default().clock();
            let plans = vec![Plan::new(&self.net, unlimited).expect("without a deadline nothing is over")];
            plan::check(&plans, &self.goals, self.net.next.len());
            plans
        })
    }
}

/// The state as one value a fluent.
fn bits(net: &Net, state: &Row) -> Vec<bool> {
    (0..net.next.len() as u32).map(|fluent| row::holds(state, FluentId(fluent))).collect()
}

fn agrees(phase: &[Tri], bits: &[bool]) -> bool {
    phase.iter().zip(bits).all(|(tri, bit)| tri.admits(*bit))
}

/// What a pass costs, roughly in gates.
fn cost(net: &Net) -> usize {
    let legal = net.legal.iter().flatten().copied();
    let gates = net.cone_size(legal.chain(net.next.iter().copied()).chain([net.terminal]));
    let choices = net.legal.iter().map(|list| {
        // Counting and choosing take about four operations a move, drawing the numbers a hundred.
        match list.iter().filter(|s| **s != super::net::Signal::FALSE).count() {
            0 | 1 => 0,
            n => 100 + 4 * n,
        }
    });
    gates + choices.sum::<usize>()
}

/// How often each goal value was reached by one role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalCounts {
    /// Each value with its number of playouts, ascending.
    pub values: Vec<(Goal, u64)>,
    /// Playouts whose last state gives no value, several, or one that is no number.
    pub none: u64,
}

impl GoalCounts {
    /// The mean over the playouts that have a value.
    pub fn mean(&self) -> Option<f64> {
        let count: u64 = self.values.iter().map(|(_, n)| n).sum();
        let sum: f64 = self.values.iter().map(|&(value, n)| f64::from(value) * n as f64).sum();
        (count > 0).then(|| sum / count as f64)
    }
}

/// What a batch of playouts came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchResult {
    /// Playouts that ended.
    pub playouts: u64,
    /// Joint moves made, those of unfinished playouts included.
    pub transitions: u64,
    /// Passes that it took; each could have made 512 transitions.
    pub passes: u64,
    /// Playouts that ended because somebody had no legal move though the game was not over.
    pub stuck: u64,
    /// Playouts that were cut off at the bound on plies. Their goals are counted as the rules give them.
    pub cut: u64,
    /// Playouts under way at the end.
    pub unfinished: u64,
    /// The goals, by role.
    pub goals: Vec<GoalCounts>,
    /// How often which roles had the highest goal, a bit a role from the lowest on; no bit where some role had no goal.
    /// Those that were cut off or got stuck count by their last state. Counted by [`Lanes::survey`] only.
    pub winners: BTreeMap<u64, u64>,
    /// Playouts by their number of joint moves. Counted by [`Lanes::survey`] only.
    pub lengths: Vec<u64>,
}

impl BatchResult {
    fn new(goals: &GoalPlan, tally: Tally) -> BatchResult {
        let goals = goals.goals.iter().enumerate().map(|(role, list)| {
            let mut values: Vec<(Goal, u64)> = list
                .iter()
                .zip(&tally.values[role])
                .filter_map(|((value, _), n)| value.map(|value| (value, *n)))
                .collect();
            values.sort_unstable();
            values.dedup_by(|b, a| {
                a.0 == b.0 && {
                    a.1 += b.1;
                    true
                }
            });
            GoalCounts { values, none: tally.none[role] }
        });
        let goals = goals.collect();
        BatchResult {
            playouts: 0,
            transitions: 0,
            passes: 0,
            stuck: 0,
            cut: 0,
            unfinished: 0,
            goals,
            winners: tally.winners.unwrap_or_default(),
            lengths: Vec::new(),
        }
    }

    /// Adds the result of another batch of the same game.
    pub fn add(&mut self, other: &BatchResult) {
        self.playouts += other.playouts;
        self.transitions += other.transitions;
        self.passes += other.passes;
        self.stuck += other.stuck;
        self.cut += other.cut;
        self.unfinished += other.unfinished;
        for (who, count) in &other.winners {
            *self.winners.entry(*who).or_default() += count;
        }
        self.lengths.resize(self.lengths.len().max(other.lengths.len()), 0);
        self.lengths.iter_mut().zip(&other.lengths).for_each(|(this, other)| *this += other);
        for (these, others) in self.goals.iter_mut().zip(&other.goals) {
            these.none += others.none;
            for (this, other) in these.values.iter_mut().zip(&others.values) {
                this.1 += other.1;
            }
        }
    }
}

/// The answers about up to 512 given states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Whether the game is over.
    pub terminal: Vec<bool>,
    /// The legal moves of each role.
    pub legal: Vec<Vec<Vec<MoveId>>>,
    /// The goal of each role.
    pub goals: Vec<Vec<Option<Goal>>>,
    /// The next state, if moves were given.
    pub next: Vec<Vec<u64>>,
}

/// One thread's games.
#[derive(Debug)]
pub struct LanesRunner<'l> {
    lanes: &'l Lanes,
    instructions: Instructions,
    state: State,
    /// The start and the bound on plies of the games in the lanes.
    running: Option<(Vec<u64>, u64)>,
    /// Winners and lengths are counted, too.
    is_detailed: bool,
}

impl LanesRunner<'_> {
    /// Plays `passes` passes from `start`, cutting playouts off after `most` plies. All lanes are always
    /// busy, and a later call with the same start and bound goes on where this one ended: the way to the
    /// highest rate.
    ///
    /// Playouts that end within few passes are mostly short ones, so the goals of a short run lean towards
    /// those of short games. The bias is of the order of one playout a lane: make `passes` a hundred times
    /// the length of the game, or use [`LanesRunner::playouts`], which has none.
    pub fn run(&mut self, start: &Row, passes: u64, most: u64) -> BatchResult {
        let goes_on = self.running.as_ref().is_some_and(|(row, bound)| row == start && *bound == most);
        self.play(start, passes, u64::MAX, most, goes_on)
    }

    /// Plays exactly `count` playouts from `start`, each to its end or to `most` plies: no playout that is
    /// started is left out, so long and short ones have their share. Towards the end lanes run empty, which
    /// costs about the length of the longest playout.
    pub fn playouts(&mut self, start: &Row, count: u64, most: u64) -> BatchResult {
        let result = self.play(start, u64::MAX, count.min(u64::MAX - 1), most, false);
        self.running = None;
        result
    }

    fn play(&mut self, start: &Row, passes: u64, to_start: u64, most: u64, goes_on: bool) -> BatchResult {
        let lanes = self.lanes;
        let phase = lanes.phase_of(start);
        let plans = if phase.is_some() { &lanes.plans[..] } else { lanes.general() };
        let start_phase = phase.unwrap_or(0);
        if !goes_on {
            let ends_at_once = self.ends_at_once(start, most);
            if let Some((stuck, cut)) = ends_at_once {
                return self.without_moves(start, passes, to_start, stuck, cut);
            }
            self.state.reset(plans, &lanes.goals, most);
            self.state.phase = start_phase;
            self.running = Some((start.to_vec(), most));
        }
        let mut job = Job {
            start_phase,
            start: pass::start_slots(&bits(&lanes.net, start)),
            passes,
            to_start,
            most,
            playouts: 0,
            transitions: 0,
            stuck: 0,
            cut: 0,
            passes_done: 0,
            tally: Tally::new(&lanes.goals.goals, self.is_detailed),
            lengths: self.is_detailed.then(Vec::new),
            is_by_lane: false,
        };
        pass::drive_with(self.instructions, &mut self.state, plans, &lanes.goals, &mut job);
        BatchResult {
            playouts: job.playouts,
            transitions: job.transitions,
            passes: job.passes_done,
            stuck: job.stuck,
            cut: job.cut,
            unfinished: self.state.live.count(),
            lengths: job.lengths.unwrap_or_default(),
            ..BatchResult::new(&lanes.goals, job.tally)
        }
    }

    /// Computes the gates of a pass again and again, `repeats` times for each phase, without anything else:
    /// for measuring what part of the time they take. The games in the lanes, which must be those that
    /// [`LanesRunner::run`] plays from the initial state, are lost.
    pub fn repeat_gates(&mut self, repeats: u32) {
        self.running = None;
        for plan in &self.lanes.plans {
            for _ in 0..repeats {
                for code in [&plan.head, &plan.legal, &plan.next] {
                    pass::execute_with(self.instructions, &mut self.state.planes, plan.slots, code);
                }
            }
        }
    }

    /// The same for the choice of moves.
    pub fn repeat_choices(&mut self, repeats: u32) {
        self.running = None;
        for plan in &self.lanes.plans {
            for _ in 0..repeats {
                pass::choose_with(self.instructions, &mut self.state, plan);
            }
        }
    }

    /// If no move is made from `start`: whether somebody is stuck, and whether the bound is to blame.
    fn ends_at_once(&mut self, start: &Row, most: u64) -> Option<(bool, bool)> {
        let answers = self.answers(None, &[start], &[]);
        if answers.terminal[0] {
            Some((false, false))
        } else if most == 0 {
            Some((false, true))
        } else if answers.legal[0].iter().any(Vec::is_empty) {
            Some((true, false))
        } else {
            None
        }
    }

    /// The result of playouts without a single move.
    fn without_moves(&mut self, start: &Row, passes: u64, count: u64, stuck: bool, cut: bool) -> BatchResult {
        let playouts = if count == u64::MAX { passes.saturating_mul(LANES as u64) } else { count };
        let goals = self.answers(None, &[start], &[]).goals.swap_remove(0);
        let mut result = BatchResult::new(&self.lanes.goals, Tally::new(&self.lanes.goals.goals, false));
        result.playouts = playouts;
        result.stuck = if stuck { playouts } else { 0 };
        result.cut = if cut { playouts } else { 0 };
        if self.is_detailed {
            let best = goals.iter().max().copied().flatten().filter(|_| !goals.contains(&None));
            let bits = goals.iter().zip(0..64).filter(|(goal, _)| goal.is_some() && **goal == best);
            result.winners.insert(bits.map(|(_, role)| 1 << role).sum(), playouts);
            result.lengths = vec![playouts];
        }
        for (counts, goal) in result.goals.iter_mut().zip(goals) {
            match counts.values.iter_mut().find(|(value, _)| Some(*value) == goal) {
                Some((_, n)) => *n = playouts,
                None => counts.none = playouts,
            }
        }
        result
    }

    /// Answers all questions about given states, lane by lane, by the plan of a phase or the general one;
    /// with the successors if each state has a joint move in `joints`. For tests: it is no faster than
    /// asking one by one. Games under way in the lanes are lost.
    ///
    /// # Panics
    /// If there are more than 512 states, there is no such phase, a state does not agree with the phase, or
    /// a move is not legal.
    pub fn answers(&mut self, phase: Option<usize>, states: &[&Row], joints: &[Vec<MoveId>]) -> Answers {
        assert!(states.len() <= LANES, "there are only so many lanes");
        let lanes = self.lanes;
        self.running = None;
        let plans = match phase {
            Some(phase) => std::slice::from_ref(&lanes.plans[phase]),
            None => lanes.general(),
        };
        let plan = &plans[0];
        self.state.reset(plans, &lanes.goals, u64::MAX);
        for (lane, state) in states.iter().enumerate() {
            if let Some(phase) = phase {
                assert!(agrees(&lanes.phases[phase], &bits(&lanes.net, state)), "another phase");
            }
            for fluent in row::fluents(state) {
                self.state.planes[FLUENTS as usize + fluent.index()].set(lane);
            }
        }
        let planes = &mut self.state.planes;
        let execute = |planes: &mut [Plane], code: &Code| {
            pass::execute_with(self.instructions, planes, plan.slots, code);
        };
        execute(planes, &plan.head);
        execute(planes, &plan.goal);
        execute(planes, &plan.legal);
        let lane_count = states.len();
        let terminal = (0..lane_count).map(|lane| planes[plan.terminal as usize].bit(lane)).collect();
        let goal = |lane: usize, list: &[(Option<Goal>, u32)]| {
            let mut given = list.iter().filter(|(_, slot)| planes[*slot as usize].bit(lane));
            match (given.next(), given.next()) {
                (Some((value, _)), None) => *value,
                _ => None,
            }
        };
        let goals =
            (0..lane_count).map(|lane| plan.goals.iter().map(|list| goal(lane, list)).collect()).collect();
        let legal = |lane: usize, choice: &plan::Choice| {
            let moves = choice.moves.iter().zip(&choice.legal);
            moves.filter(|(_, slot)| planes[**slot as usize].bit(lane)).map(|(m, _)| *m).collect()
        };
        let legal = (0..lane_count)
            .map(|lane| plan.choices.iter().map(|choice| legal(lane, choice)).collect())
            .collect();
        let mut next = Vec::new();
        if !joints.is_empty() {
            for (lane, joint) in joints.iter().enumerate() {
                for (choice, action) in plan.choices.iter().zip(joint) {
                    let seat = choice.moves.iter().position(|m| m == action).expect("a legal move");
                    if choice.moves.len() > 1 {
                        planes[choice.does as usize + seat].set(lane);
                    }
                }
            }
            execute(planes, &plan.next);
            for &(fluent, from) in &plan.copies {
                planes[fluent as usize] = planes[from as usize];
            }
            for &(fluent, from) in &plan.inverse_copies {
                planes[fluent as usize] = planes[from as usize].zip(&Plane::ONES, |a, b| !a & b);
            }
            let fluents = self.lanes.net.next.len();
            for lane in 0..joints.len() {
                let mut state = vec![0; fluents.div_ceil(64)];
                for fluent in 0..fluents {
                    if planes[FLUENTS as usize + fluent].bit(lane) {
                        row::set(&mut state, FluentId(fluent as u32));
                    }
                }
                next.push(state);
            }
        }
        Answers { terminal, legal, goals, next }
    }
}
