//! The inner loops, compiled for each kind of machine.

use super::choose::{Draw, Planes, choose};
use super::memory::{Distance, Memory};
use super::plan::{Choice, Code, FLUENTS, GROUP, GoalPlan, Goals, Plan, Run, Slot, Step};
use super::vector::{Plane, Vector};
#[cfg(all(feature = "native", target_arch = "x86_64"))]
use super::x86;
use crate::engine::Goal;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What the machine can do. The same code is compiled for each; results are equal bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// 512 bits at a time.
    Avx512,
    /// 256 bits at a time.
    Avx2,
    /// What every machine has.
    Portable,
}

impl Instructions {
    /// The best that this machine has.
    pub fn detect() -> Instructions {
        [Instructions::Avx512, Instructions::Avx2]
            .into_iter()
            .find(|i| i.available())
            .unwrap_or(Instructions::Portable)
    }

    /// True if this machine has them, and native code was built in and is not switched off ([`crate::native`]).
    pub fn available(self) -> bool {
        match self {
            Instructions::Portable => true,
            #[cfg(all(feature = "native", target_arch = "x86_64"))]
            Instructions::Avx512 => x86::HasAvx512::detect().is_some(),
            #[cfg(all(feature = "native", target_arch = "x86_64"))]
            Instructions::Avx2 => x86::HasAvx2::detect().is_some(),
            #[cfg(not(all(feature = "native", target_arch = "x86_64")))]
            _ => false,
        }
    }

    /// Runs the task with these instructions, or without any where they are not there.
    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        #[cfg(all(feature = "native", target_arch = "x86_64"))]
        match self {
            Instructions::Avx512 => {
                if let Some(machine) = x86::HasAvx512::detect() {
                    return x86::Avx512::run(machine, task);
                }
            }
            Instructions::Avx2 => {
                if let Some(machine) = x86::HasAvx2::detect() {
                    return x86::Avx2::run(machine, task);
                }
            }
            Instructions::Portable => {}
        }
        Plane::run((), task)
    }
}

/// What can be done with any vectors.
pub(super) trait Task {
    type Output;

    /// Is inlined into a function that has the instructions.
    fn run<V: Kernel>(self, machine: V::Machine) -> Self::Output;
}

/// Gates of `P` plain and `Q` inverted inputs.
#[inline(always)]
fn gates<V: Vector, const P: usize, const Q: usize>(
    machine: V::Machine,
    memory: &mut Memory<'_>,
    run: &Run,
    inputs: &[Distance],
) {
    let inputs = &inputs[run.inputs as usize..][..run.count as usize * (P + Q)];
    for (to, gate) in (run.to..).zip(inputs.chunks_exact(P + Q)) {
        let value = if P > 0 {
            let mut value = V::load(machine, memory.at_distance(gate[0]));
            for &input in &gate[1..P] {
                value = value.and(V::load(machine, memory.at_distance(input)));
            }
            for &input in &gate[P..P + Q] {
                value = value.minus(V::load(machine, memory.at_distance(input)));
            }
            value
        } else {
            let mut value = V::load(machine, memory.at_distance(gate[0]));
            for &input in &gate[1..Q] {
                value = value.or(V::load(machine, memory.at_distance(input)));
            }
            value.not()
        };
        value.store(memory.at_mut(to));
    }
}

#[inline(always)]
fn run_gates<V: Vector>(machine: V::Machine, memory: &mut Memory<'_>, run: &Run, inputs: &[Distance]) {
    macro_rules! shapes {
        ($(($p:literal, $q:literal))*) => {
            match (run.plain, run.inverted) {
                $(($p, $q) => gates::<V, $p, $q>(machine, memory, run, inputs),)*
                _ => unreachable!("no gate has more than four inputs"),
            }
        };
    }
    shapes!((2, 0)(1, 1)(0, 2)(3, 0)(2, 1)(1, 2)(0, 3)(4, 0)(3, 1)(2, 2)(1, 3)(0, 4)(1, 0)(0, 1));
}

/// Computes all gates of a list.
#[inline(always)]
pub(super) fn execute<V: Vector>(machine: V::Machine, memory: &mut Memory<'_>, code: &Code) {
    for step in &code.steps {
        match step {
            Step::Gates(runs) => {
                for run in &code.runs[runs.start as usize..runs.end as usize] {
                    run_gates::<V>(machine, memory, run, &code.inputs);
                }
            }
            Step::Block { runs, feedback } => {
                for (variable, ..) in feedback {
                    *memory.at_mut(*variable) = Plane::ZERO;
                }
                loop {
                    for run in &code.runs[runs.start as usize..runs.end as usize] {
                        run_gates::<V>(machine, memory, run, &code.inputs);
                    }
                    let mut changed = V::splat(machine, 0);
                    for &(variable, from, inverted) in feedback {
                        let mut new = V::load(machine, memory.at(from));
                        if inverted {
                            new = new.not();
                        }
                        let old = V::load(machine, memory.at(variable));
                        changed = changed.or(new.xor(old));
                        new.store(memory.at_mut(variable));
                    }
                    if !changed.any() {
                        break;
                    }
                }
            }
        }
    }
}

/// Chooses a move of one role in every lane.
#[inline(always)]
pub(super) fn choose_any<V: Vector>(
    machine: V::Machine,
    memory: &mut Memory<'_>,
    choice: &Choice,
    draw: &mut Draw<V>,
    scratch: &mut [Plane],
) -> V {
    macro_rules! widths {
        ($($b:literal)*) => {
            match usize::BITS - choice.moves.len().leading_zeros() {
                $(..=$b => choose::<V, $b>(machine, memory, choice, draw, scratch),)*
                _ => unreachable!("a role has fewer than 2^24 moves"),
            }
        };
    }
    widths!(2 3 4 5 6 7 8 10 12 16 24)
}

/// The kernels of one kind of machine. They are functions of their own, not inlined, so that each is
/// compiled once with the machine's instructions.
pub(super) trait Kernel: Vector {
    /// As [`execute`].
    fn execute(machine: Self::Machine, memory: &mut Memory<'_>, code: &Code);

    /// As [`choose_any`].
    fn choose(
        machine: Self::Machine,
        memory: &mut Memory<'_>,
        choice: &Choice,
        draw: &mut Draw<Self>,
        scratch: &mut [Plane],
    ) -> Plane;

    /// Runs the task with the machine's instructions.
    fn run<T: Task>(machine: Self::Machine, task: T) -> T::Output;
}

impl Kernel for Plane {
    fn execute((): (), memory: &mut Memory<'_>, code: &Code) {
        execute::<Plane>((), memory, code);
    }

    fn choose(
        (): (),
        memory: &mut Memory<'_>,
        choice: &Choice,
        draw: &mut Draw<Plane>,
        scratch: &mut [Plane],
    ) -> Plane {
        choose_any::<Plane>((), memory, choice, draw, scratch)
    }

    fn run<T: Task>((): (), task: T) -> T::Output {
        task.run::<Plane>(())
    }
}

/// Goal values that were said to hold, by role and place in the role's list; and how often there was not
/// exactly one number.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) values: Vec<Vec<u64>>,
    pub(super) none: Vec<u64>,
    /// Who has the highest goal, a bit a role, and how often; nobody where somebody has none. Counted where it is asked.
    pub(super) winners: Option<BTreeMap<u64, u64>>,
}

impl Tally {
    pub(super) fn new(goals: &Goals, with_winners: bool) -> Tally {
        let values = goals.iter().map(|list| vec![0; list.len()]).collect();
        Tally { values, none: vec![0; goals.len()], winners: with_winners.then(BTreeMap::new) }
    }

    /// Counts the lanes of `who`; `plane(role, place)` says where a goal holds.
    fn add(&mut self, goals: &Goals, who: &Plane, plane: impl Fn(usize, usize) -> Plane) {
        let mut ranked = *who;
        for (role, list) in goals.iter().enumerate() {
            let mut once = Plane::ZERO;
            let mut twice = Plane::ZERO;
            for at in 0..list.len() {
                let here = plane(role, at);
                twice = twice.zip(&once.zip(&here, |a, b| a & b), |a, b| a | b);
                once = once.zip(&here, |a, b| a | b);
            }
            let proper = who.zip(&once.zip(&twice, |a, b| a & !b), |a, b| a & b);
            let mut counted = Plane::ZERO;
            for (at, (value, _)) in list.iter().enumerate() {
                if value.is_some() {
                    let here = plane(role, at).zip(&proper, |a, b| a & b);
                    self.values[role][at] += here.count();
                    counted = counted.zip(&here, |a, b| a | b);
                }
            }
            self.none[role] += who.count() - counted.count();
            ranked = ranked.zip(&counted, |a, b| a & b);
        }
        if let Some(winners) = &mut self.winners {
            let nobody = who.zip(&ranked, |a, b| a & !b).count();
            if nobody > 0 {
                *winners.entry(0).or_default() += nobody;
            }
            rank(goals, 0, &ranked, None, 0, &plane, winners);
        }
    }
}

/// Counts the lanes of `who`, in which every role has one goal, by the roles that have the highest: those from `role`
/// on are still to be looked at, of those before the ones in `best` have the highest, `goal`. There are no more ways
/// to look at than lanes.
fn rank(
    goals: &Goals,
    role: usize,
    who: &Plane,
    goal: Option<Goal>,
    best: u64,
    plane: &impl Fn(usize, usize) -> Plane,
    winners: &mut BTreeMap<u64, u64>,
) {
    if !who.any() {
        return;
    }
    let Some(list) = goals.get(role) else {
        *winners.entry(best).or_default() += who.count();
        return;
    };
    let bit = 1u64.checked_shl(role as u32).unwrap_or(0);
    for (at, (value, _)) in list.iter().enumerate().filter(|(_, (value, _))| value.is_some()) {
        let here = plane(role, at).zip(who, |a, b| a & b);
        let (goal, best) = match (*value).cmp(&goal) {
            Ordering::Greater => (*value, bit),
            Ordering::Equal => (goal, best | bit),
            Ordering::Less => (goal, best),
        };
        rank(goals, role + 1, &here, goal, best, plane, winners);
    }
}

/// The games in the lanes.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) planes: Vec<Plane>,
    /// States put aside until their goals are read, each in the lane in which the game was played.
    aside: Vec<Plane>,
    aside_lanes: Plane,
    /// Goals of finished games that are not counted yet, role by role, each in its lane.
    held: Vec<Plane>,
    held_lanes: Plane,
    scratch: Vec<Plane>,
    random: Planes,
    /// Lanes in which a game is being played.
    pub(super) live: Plane,
    /// The last states of games, a plane a fluent, each in the lane in which the game was played. Empty if nobody asks.
    pub(super) ends: Vec<Plane>,
    /// Plies played, a plane a binary digit. Empty if there is no bound.
    age: Vec<Plane>,
    pub(super) phase: usize,
}

/// What to do, and what was done.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) start_phase: usize,
    /// Fluents of the start, by slot: those that hold and those that do not.
    pub(super) start: [Vec<Slot>; 2],
    /// Passes left.
    pub(super) passes: u64,
    /// Playouts that may still be started.
    pub(super) to_start: u64,
    /// Plies after which a playout is cut off.
    pub(super) most: u64,
    pub(super) playouts: u64,
    pub(super) transitions: u64,
    pub(super) stuck: u64,
    pub(super) cut: u64,
    pub(super) passes_done: u64,
    pub(super) tally: Tally,
    /// Playouts by their number of plies, where that is asked; playouts must be bounded.
    pub(super) lengths: Option<Vec<u64>>,
    /// Goals are not counted: each lane has one game, and what it came to stays in its lane ([`goals_by_lane`]).
    pub(super) is_by_lane: bool,
}

impl Job {
    /// Counts the lengths of the games that are over.
    fn measure(&mut self, age: &[Plane], over: &Plane) {
        let Some(lengths) = &mut self.lengths else { return };
        for lane in (0..super::LANES).filter(|&lane| over.bit(lane)) {
            let digits = age.iter().enumerate();
            let length: usize = digits.map(|(at, digit)| usize::from(digit.bit(lane)) << at).sum();
            if lengths.len() <= length {
                lengths.resize(length + 1, 0);
            }
            lengths[length] += 1;
        }
    }
}

impl State {
    pub(super) fn new(seed: u64) -> State {
        State {
            planes: Vec::new(),
            aside: Vec::new(),
            aside_lanes: Plane::ZERO,
            held: Vec::new(),
            held_lanes: Plane::ZERO,
            scratch: Vec::new(),
            random: Planes::new(seed),
            live: Plane::ZERO,
            ends: Vec::new(),
            age: Vec::new(),
            phase: 0,
        }
    }

    /// Makes room for the plans, and lets no game be played.
    pub(super) fn reset(&mut self, plans: &[Plan], goals: &GoalPlan, most: u64) {
        let slots = plans.iter().map(|plan| plan.slots).max().unwrap_or(0);
        // The first planes are constants.
        let fresh = |planes: &mut Vec<Plane>, slots: usize| {
            planes.clear();
            planes.resize(slots, Plane::ZERO);
            planes[1] = Plane::ONES;
        };
        fresh(&mut self.planes, slots);
        fresh(&mut self.aside, goals.slots);
        self.held.clear();
        self.held.resize(goals.goals.iter().map(Vec::len).sum(), Plane::ZERO);
        self.aside_lanes = Plane::ZERO;
        self.held_lanes = Plane::ZERO;
        let choices = plans.iter().flat_map(|plan| &plan.choices);
        let groups = choices.map(|choice| choice.legal.len() / GROUP).max().unwrap_or(0);
        self.scratch.resize(groups * 5, Plane::ZERO);
        self.live = Plane::ZERO;
        self.ends.clear();
        self.age.clear();
        let digits = if most == u64::MAX { 0 } else { 64 - most.leading_zeros() };
        self.age.resize(digits as usize, Plane::ZERO);
    }
}

/// Plays until the job is done.
pub(super) fn drive_with(
    instructions: Instructions,
    state: &mut State,
    plans: &[Plan],
    goals: &GoalPlan,
    job: &mut Job,
) {
    struct Drive<'w>(&'w mut State, &'w [Plan], &'w GoalPlan, &'w mut Job);
    impl Task for Drive<'_> {
        type Output = ();

        #[inline(always)]
        fn run<V: Kernel>(self, machine: V::Machine) {
            drive::<V>(machine, self.0, self.1, self.2, self.3);
        }
    }
    instructions.run(Drive(state, plans, goals, job));
}

/// Computes one list of gates, for questions about given states.
pub(super) fn execute_with(instructions: Instructions, planes: &mut [Plane], slots: usize, code: &Code) {
    struct Execute<'w>(Memory<'w>, &'w Code);
    impl Task for Execute<'_> {
        type Output = ();

        #[inline(always)]
        fn run<V: Kernel>(mut self, machine: V::Machine) {
            V::execute(machine, &mut self.0, self.1);
        }
    }
    instructions.run(Execute(Memory::new(planes, slots), code));
}

/// Chooses moves of all roles, for measuring what that costs.
pub(super) fn choose_with(instructions: Instructions, state: &mut State, plan: &Plan) {
    struct Choose<'w>(&'w mut State, &'w Plan);
    impl Task for Choose<'_> {
        type Output = ();

        #[inline(always)]
        fn run<V: Kernel>(self, machine: V::Machine) {
            let Choose(state, plan) = self;
            let mut draw = Draw::<V>::new(machine, &state.random);
            let mut memory = Memory::new(&mut state.planes, plan.slots);
            for choice in plan.choices.iter().filter(|choice| choice.moves.len() > 1) {
                V::choose(machine, &mut memory, choice, &mut draw, &mut state.scratch);
            }
            draw.save(&mut state.random);
        }
    }
    instructions.run(Choose(state, plan));
}

/// Plays until the job is done.
#[inline(always)]
fn drive<V: Kernel>(machine: V::Machine, state: &mut State, plans: &[Plan], goals: &GoalPlan, job: &mut Job) {
    let slots = plans.iter().map(|plan| plan.slots).max().unwrap_or(0);
    // Apart from the rest of the state, which changes meanwhile.
    let mut planes = std::mem::take(&mut state.planes);
    let memory = &mut Memory::new(&mut planes, slots);
    let mut draw = Draw::<V>::new(machine, &state.random);
    while job.passes > 0 {
        let plan = &plans[state.phase];
        let in_step = state.phase == job.start_phase;
        if plan.refill_late && in_step {
            refill::<V>(machine, memory, state, job);
        }
        if job.to_start == 0 && !state.live.any() {
            break;
        }
        job.passes -= 1;
        job.passes_done += 1;
        V::execute(machine, memory, &plan.head);
        let mut over = memory.at(plan.terminal).zip(&state.live, |a, b| a & b);
        if !state.age.is_empty() {
            over = cut_off(state, job, &over);
        }
        if over.any() {
            state.live = state.live.zip(&over, |a, b| a & !b);
            job.playouts += over.count();
            job.measure(&state.age, &over);
            keep_ends::<V>(machine, memory, &mut state.ends, &over);
            if plan.goal.gates() <= goals.fluents.len() {
                hold::<V>(machine, memory, state, plan, job, &over);
            } else {
                put_aside::<V>(machine, memory, state, goals, job, &over);
            }
        }
        if !plan.refill_late && in_step {
            refill::<V>(machine, memory, state, job);
        }
        V::execute(machine, memory, &plan.legal);
        let mut stuck = Plane::ZERO;
        for choice in &plan.choices {
            let none = match choice.moves.len() {
                0 => Plane::ONES,
                1 => memory.at(choice.legal[0]).zip(&Plane::ONES, |a, b| !a & b),
                _ => V::choose(machine, memory, choice, &mut draw, &mut state.scratch),
            };
            stuck = stuck.zip(&none, |a, b| a | b);
        }
        stuck = stuck.zip(&state.live, |a, b| a & b);
        if stuck.any() {
            state.live = state.live.zip(&stuck, |a, b| a & !b);
            job.playouts += stuck.count();
            job.stuck += stuck.count();
            job.measure(&state.age, &stuck);
            keep_ends::<V>(machine, memory, &mut state.ends, &stuck);
            put_aside::<V>(machine, memory, state, goals, job, &stuck);
        }
        V::execute(machine, memory, &plan.next);
        for &(fluent, from) in &plan.copies {
            V::load(machine, memory.at(from)).store(memory.at_mut(fluent));
        }
        for &(fluent, from) in &plan.inverse_copies {
            V::load(machine, memory.at(from)).not().store(memory.at_mut(fluent));
        }
        job.transitions += state.live.count();
        let mut carry = Plane::ONES;
        for digit in &mut state.age {
            let old = *digit;
            *digit = old.zip(&carry, |a, b| a ^ b);
            carry = old.zip(&carry, |a, b| a & b);
        }
        state.phase = (state.phase + 1) % plans.len();
    }
    state.planes = planes;
    draw.save(&mut state.random);
    if job.is_by_lane {
        return;
    }
    count_held(state, goals, job);
    count_aside::<V>(machine, state, goals, job);
}

/// Calls `found` with lane, role and goal for each goal of a game of a job that was by lane. A role without a goal is not
/// told of, one with several is told of more than once.
pub(super) fn goals_by_lane(
    instructions: Instructions,
    state: &mut State,
    goals: &GoalPlan,
    mut found: impl FnMut(usize, usize, Option<Goal>),
) {
    let mut tell = |who: &Plane, plane: &mut dyn FnMut(usize, usize) -> Plane| {
        for (role, list) in goals.goals.iter().enumerate() {
            for (at, (value, _)) in list.iter().enumerate() {
                (plane(role, at) & *who).lanes().for_each(|lane| found(lane, role, *value));
            }
        }
    };
    let first = |role: usize| goals.goals[..role].iter().map(Vec::len).sum::<usize>();
    if state.held_lanes.any() {
        tell(&state.held_lanes, &mut |role, at| state.held[first(role) + at]);
    }
    if state.aside_lanes.any() {
        execute_with(instructions, &mut state.aside, goals.slots, &goals.code);
        tell(&state.aside_lanes, &mut |role, at| state.aside[goals.goals[role][at].1 as usize]);
    }
}

/// Adds the games that have reached the bound on plies to those that are over.
fn cut_off(state: &State, job: &mut Job, over: &Plane) -> Plane {
    let mut old = state.live.zip(over, |a, b| a & !b);
    for (at, digit) in state.age.iter().enumerate() {
        let wanted = if job.most >> at & 1 == 1 { u64::MAX } else { 0 };
        old = old.zip(digit, |a, b| a & !(b ^ wanted));
    }
    job.cut += old.count();
    over.zip(&old, |a, b| a | b)
}

/// Keeps all fluents of finished games, if somebody asks for them.
#[inline(always)]
fn keep_ends<V: Vector>(machine: V::Machine, memory: &mut Memory<'_>, ends: &mut [Plane], who: &Plane) {
    let lanes = V::load(machine, who);
    for (slot, end) in (FLUENTS..).zip(ends) {
        V::blend(lanes, V::load(machine, memory.at(slot)), V::load(machine, end)).store(end);
    }
}

/// Starts games in lanes without one.
#[inline(always)]
fn refill<V: Vector>(machine: V::Machine, memory: &mut Memory<'_>, state: &mut State, job: &mut Job) {
    let mut free = state.live.zip(&Plane::ONES, |a, b| !a & b);
    let count = free.count();
    if job.to_start != u64::MAX {
        if job.to_start < count {
            free = free.lowest(job.to_start);
        }
        job.to_start -= count.min(job.to_start);
    }
    if !free.any() {
        return;
    }
    state.live = state.live.zip(&free, |a, b| a | b);
    for digit in &mut state.age {
        *digit = digit.zip(&free, |a, b| a & !b);
    }
    let lanes = V::load(machine, &free);
    for &fluent in &job.start[0] {
        let plane = memory.at_mut(fluent);
        V::load(machine, plane).minus(lanes).store(plane);
    }
    for &fluent in &job.start[1] {
        let plane = memory.at_mut(fluent);
        V::load(machine, plane).or(lanes).store(plane);
    }
}

/// Keeps the goals of finished games.
#[inline(always)]
fn hold<V: Kernel>(
    machine: V::Machine,
    memory: &mut Memory<'_>,
    state: &mut State,
    plan: &Plan,
    job: &mut Job,
    who: &Plane,
) {
    V::execute(machine, memory, &plan.goal);
    if state.held_lanes.zip(who, |a, b| a & b).any() {
        count_held_by(state, &plan.goals, job);
    }
    state.held_lanes = state.held_lanes.zip(who, |a, b| a | b);
    let lanes = V::load(machine, who);
    for ((_, slot), held) in plan.goals.iter().flatten().zip(&mut state.held) {
        V::blend(lanes, V::load(machine, memory.at(*slot)), V::load(machine, held)).store(held);
    }
}

fn count_held(state: &mut State, goals: &GoalPlan, job: &mut Job) {
    count_held_by(state, &goals.goals, job);
}

fn count_held_by(state: &mut State, goals: &Goals, job: &mut Job) {
    if state.held_lanes.any() {
        let who = std::mem::replace(&mut state.held_lanes, Plane::ZERO);
        let first = |role: usize| goals[..role].iter().map(Vec::len).sum::<usize>();
        job.tally.add(goals, &who, |role, at| state.held[first(role) + at]);
    }
}

/// Keeps the states of finished games.
#[inline(always)]
fn put_aside<V: Kernel>(
    machine: V::Machine,
    memory: &mut Memory<'_>,
    state: &mut State,
    goals: &GoalPlan,
    job: &mut Job,
    who: &Plane,
) {
    if state.aside_lanes.zip(who, |a, b| a & b).any() {
        count_aside::<V>(machine, state, goals, job);
    }
    state.aside_lanes = state.aside_lanes.zip(who, |a, b| a | b);
    let lanes = V::load(machine, who);
    // Fluents have the same slot in all plans.
    for &fluent in &goals.fluents {
        let kept = &mut state.aside[fluent as usize];
        V::blend(lanes, V::load(machine, memory.at(fluent)), V::load(machine, kept)).store(kept);
    }
}

/// Counts the goals of the states that were put aside.
#[inline(always)]
fn count_aside<V: Kernel>(machine: V::Machine, state: &mut State, goals: &GoalPlan, job: &mut Job) {
    if state.aside_lanes.any() {
        V::execute(machine, &mut Memory::new(&mut state.aside, goals.slots), &goals.code);
        let who = std::mem::replace(&mut state.aside_lanes, Plane::ZERO);
        job.tally.add(&goals.goals, &who, |role, at| state.aside[goals.goals[role][at].1 as usize]);
    }
}

/// The slots of the fluents that do not hold and of those that hold.
pub(super) fn start_slots(bits: &[bool]) -> [Vec<Slot>; 2] {
    [false, true].map(|wanted| {
        (FLUENTS..).zip(bits).filter(|(_, bit)| **bit == wanted).map(|(slot, _)| slot).collect()
    })
}
