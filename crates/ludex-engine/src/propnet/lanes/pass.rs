//! The inner loops, compiled for each kind of machine.

use super::choose::{Draw, Planes, choose};
use super::plan::{Choice, Code, FLUENTS, GROUP, GoalPlan, Goals, Plan, Run, Slot, Step};
use super::vector::{Plane, Vector};

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

    /// True if this machine has them.
    pub fn available(self) -> bool {
        match self {
            Instructions::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("popcnt"),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt"),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }
}

/// Gates of `P` plain and `Q` inverted inputs.
///
/// # Safety
/// As for [`execute`]; `P` and `Q` are those of the run.
#[inline(always)]
unsafe fn gates<V: Vector, const P: usize, const Q: usize>(memory: *mut Plane, run: &Run, inputs: &[Slot]) {
    let inputs = &inputs[run.inputs as usize..][..run.count as usize * (P + Q)];
    // SAFETY: slots are below the number of planes, as the compiler of plans promises and `execute` demands.
    unsafe {
        let mut to = memory.add(run.to as usize);
        for gate in inputs.chunks_exact(P + Q) {
            let value = if P > 0 {
                let mut value = V::load(&*memory.byte_add(gate[0] as usize));
                for &input in &gate[1..P] {
                    value = value.and(V::load(&*memory.byte_add(input as usize)));
                }
                for &input in &gate[P..P + Q] {
                    value = value.minus(V::load(&*memory.byte_add(input as usize)));
                }
                value
            } else {
                let mut value = V::load(&*memory.byte_add(gate[0] as usize));
                for &input in &gate[1..Q] {
                    value = value.or(V::load(&*memory.byte_add(input as usize)));
                }
                value.not()
            };
            value.store(&mut *to);
            to = to.add(1);
        }
    }
}

/// # Safety
/// As for [`execute`].
#[inline(always)]
unsafe fn run_gates<V: Vector>(memory: *mut Plane, run: &Run, inputs: &[Slot]) {
    macro_rules! shapes {
        ($(($p:literal, $q:literal))*) => {
            match (run.plain, run.inverted) {
                // SAFETY: the shape is that of the run; the rest is the caller's promise.
                $(($p, $q) => unsafe { gates::<V, $p, $q>(memory, run, inputs) },)*
                _ => unreachable!("no gate has more than four inputs"),
            }
        };
    }
    shapes!((2, 0)(1, 1)(0, 2)(3, 0)(2, 1)(1, 2)(0, 3)(4, 0)(3, 1)(2, 2)(1, 3)(0, 4)(1, 0)(0, 1));
}

/// Computes all gates of a list.
///
/// # Safety
/// The machine has the instructions of `V`; `memory` points to at least as many planes as the plan of the
/// code has slots, and nothing else uses them meanwhile.
#[inline(always)]
unsafe fn execute<V: Vector>(memory: *mut Plane, code: &Code) {
    for step in &code.steps {
        match step {
            Step::Gates(runs) => {
                for run in &code.runs[runs.start as usize..runs.end as usize] {
                    // SAFETY: the caller's promise.
                    unsafe { run_gates::<V>(memory, run, &code.inputs) };
                }
            }
            Step::Block { runs, feedback } => {
                for (variable, ..) in feedback {
                    // SAFETY: slots lie in memory.
                    unsafe { *memory.add(*variable as usize) = Plane::ZERO };
                }
                loop {
                    for run in &code.runs[runs.start as usize..runs.end as usize] {
                        // SAFETY: the caller's promise.
                        unsafe { run_gates::<V>(memory, run, &code.inputs) };
                    }
                    // SAFETY: slots lie in memory, and references to it live for one expression.
                    let changed = unsafe {
                        let mut changed = V::splat(0);
                        for &(variable, from, inverted) in feedback {
                            let mut new = V::load(&*memory.add(from as usize));
                            if inverted {
                                new = new.not();
                            }
                            let old = V::load(&*memory.add(variable as usize));
                            changed = changed.or(new.xor(old));
                            new.store(&mut *memory.add(variable as usize));
                        }
                        changed.any()
                    };
                    if !changed {
                        break;
                    }
                }
            }
        }
    }
}

/// Chooses a move of one role in every lane.
///
/// # Safety
/// As for [`choose`], but for the number of bits, which is found here.
#[inline(always)]
unsafe fn choose_any<V: Vector>(
    memory: *mut Plane,
    choice: &Choice,
    draw: &mut Draw<V>,
    scratch: &mut [Plane],
) -> V {
    macro_rules! widths {
        ($($b:literal)*) => {
            match usize::BITS - choice.moves.len().leading_zeros() {
                // SAFETY: so many bits hold the number of moves; the rest is the caller's promise.
                $(..=$b => unsafe { choose::<V, $b>(memory, choice, draw, scratch) },)*
                _ => unreachable!("a role has fewer than 2^24 moves"),
            }
        };
    }
    widths!(2 3 4 5 6 7 8 10 12 16 24)
}

/// The kernels of one kind of machine. They are functions of their own, not inlined, so that each is
/// compiled once with the machine's instructions.
pub(super) trait Kernel: Vector {
    /// # Safety
    /// As for [`execute`].
    unsafe fn execute(memory: *mut Plane, code: &Code);

    /// # Safety
    /// As for [`choose_any`].
    unsafe fn choose(
        memory: *mut Plane,
        choice: &Choice,
        draw: &mut Draw<Self>,
        scratch: &mut [Plane],
    ) -> Plane;
}

macro_rules! kernels {
    ($($vector:ty, $drive:ident, $features:literal;)*) => {$(
        #[cfg(target_arch = "x86_64")]
        impl Kernel for $vector {
            #[inline(always)]
            unsafe fn execute(memory: *mut Plane, code: &Code) {
                #[target_feature(enable = $features)]
                unsafe fn inner(memory: *mut Plane, code: &Code) {
                    // SAFETY: the features are those of the vector; the rest is the caller's promise.
                    unsafe { execute::<$vector>(memory, code) }
                }
                // SAFETY: the caller's promise.
                unsafe { inner(memory, code) }
            }

            #[inline(always)]
            unsafe fn choose(
                memory: *mut Plane,
                choice: &Choice,
                draw: &mut Draw<Self>,
                scratch: &mut [Plane],
            ) -> Plane {
                #[target_feature(enable = $features)]
                unsafe fn inner(
                    memory: *mut Plane,
                    choice: &Choice,
                    draw: &mut Draw<$vector>,
                    scratch: &mut [Plane],
                ) -> Plane {
                    let mut none = Plane::ZERO;
                    // SAFETY: the features are those of the vector; the rest is the caller's promise.
                    unsafe { choose_any::<$vector>(memory, choice, draw, scratch) }.store(&mut none);
                    none
                }
                // SAFETY: the caller's promise.
                unsafe { inner(memory, choice, draw, scratch) }
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        unsafe fn $drive(state: &mut State, plans: &[Plan], goals: &GoalPlan, job: &mut Job) {
            // SAFETY: the features are those of the vector; the rest is the caller's promise.
            unsafe { drive::<$vector>(state, plans, goals, job) }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
use super::vector::{Avx2, Avx512};

kernels! {
    Avx512, drive_avx512, "avx512f,avx2,bmi1,popcnt";
    Avx2, drive_avx2, "avx2,bmi1,popcnt";
}

impl Kernel for Plane {
    unsafe fn execute(memory: *mut Plane, code: &Code) {
        // SAFETY: the caller's promise.
        unsafe { execute::<Plane>(memory, code) }
    }

    unsafe fn choose(
        memory: *mut Plane,
        choice: &Choice,
        draw: &mut Draw<Plane>,
        scratch: &mut [Plane],
    ) -> Plane {
        // SAFETY: the caller's promise.
        unsafe { choose_any::<Plane>(memory, choice, draw, scratch) }
    }
}

/// Goal values that were said to hold, by role and place in the role's list; and how often there was not
/// exactly one number.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) values: Vec<Vec<u64>>,
    pub(super) none: Vec<u64>,
}

impl Tally {
    pub(super) fn new(goals: &Goals) -> Tally {
        Tally { values: goals.iter().map(|list| vec![0; list.len()]).collect(), none: vec![0; goals.len()] }
    }

    /// Counts the lanes of `who`; `plane(role, place)` says where a goal holds.
    fn add(&mut self, goals: &Goals, who: &Plane, plane: impl Fn(usize, usize) -> Plane) {
        for (role, list) in goals.iter().enumerate() {
            let mut once = Plane::ZERO;
            let mut twice = Plane::ZERO;
            for at in 0..list.len() {
                let here = plane(role, at);
                twice = twice.zip(&once.zip(&here, |a, b| a & b), |a, b| a | b);
                once = once.zip(&here, |a, b| a | b);
            }
            let proper = who.zip(&once.zip(&twice, |a, b| a & !b), |a, b| a & b);
            let mut counted = 0;
            for (at, (value, _)) in list.iter().enumerate() {
                if value.is_some() {
                    let n = plane(role, at).zip(&proper, |a, b| a & b).count();
                    self.values[role][at] += n;
                    counted += n;
                }
            }
            self.none[role] += who.count() - counted;
        }
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
    let slots = plans.iter().map(|plan| plan.slots).max().unwrap_or(0);
    assert!(state.planes.len() >= slots && state.aside.len() >= goals.slots, "reset comes first");
    assert!(instructions.available(), "the machine has no such instructions");
    // SAFETY: there are as many planes as the plans have slots, and the machine has the instructions.
    unsafe {
        match instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => drive_avx512(state, plans, goals, job),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => drive_avx2(state, plans, goals, job),
            _ => drive::<Plane>(state, plans, goals, job),
        }
    }
}

/// Computes one list of gates, for questions about given states.
pub(super) fn execute_with(instructions: Instructions, planes: &mut [Plane], slots: usize, code: &Code) {
    assert!(planes.len() >= slots && instructions.available());
    // SAFETY: there are as many planes as the plan has slots, and the machine has the instructions.
    unsafe {
        match instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => Avx512::execute(planes.as_mut_ptr(), code),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => Avx2::execute(planes.as_mut_ptr(), code),
            _ => Plane::execute(planes.as_mut_ptr(), code),
        }
    }
}

/// Chooses moves of all roles, for measuring what that costs.
pub(super) fn choose_with(instructions: Instructions, state: &mut State, plan: &Plan) {
    /// # Safety
    /// As for [`drive`].
    unsafe fn all<V: Kernel>(state: &mut State, plan: &Plan) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut draw = Draw::<V>::new(&state.random);
            for choice in plan.choices.iter().filter(|choice| choice.moves.len() > 1) {
                V::choose(state.planes.as_mut_ptr(), choice, &mut draw, &mut state.scratch);
            }
            draw.save(&mut state.random);
        }
    }
    assert!(state.planes.len() >= plan.slots && instructions.available());
    // SAFETY: there are as many planes as the plan has slots, and the machine has the instructions.
    unsafe {
        match instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => all::<Avx512>(state, plan),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => all::<Avx2>(state, plan),
            _ => all::<Plane>(state, plan),
        }
    }
}

/// # Safety
/// The machine has the instructions of `V`; the planes of `state` are at least as many as the slots of each
/// plan, and those aside as the slots of `goals`.
#[inline(always)]
unsafe fn drive<V: Kernel>(state: &mut State, plans: &[Plan], goals: &GoalPlan, job: &mut Job) {
    // SAFETY: promised by the caller.
    let mut draw = unsafe { Draw::<V>::new(&state.random) };
    let memory = state.planes.as_mut_ptr();
    while job.passes > 0 {
        let plan = &plans[state.phase];
        let in_step = state.phase == job.start_phase;
        if plan.refill_late && in_step {
            // SAFETY: the caller's promise.
            unsafe { refill::<V>(memory, state, job) };
        }
        if job.to_start == 0 && !state.live.any() {
            break;
        }
        job.passes -= 1;
        job.passes_done += 1;
        // SAFETY: the caller's promise.
        unsafe { V::execute(memory, &plan.head) };
        let mut over = state.planes[plan.terminal as usize].zip(&state.live, |a, b| a & b);
        if !state.age.is_empty() {
            over = cut_off(state, job, &over);
        }
        if over.any() {
            state.live = state.live.zip(&over, |a, b| a & !b);
            job.playouts += over.count();
            if plan.goal.gates() <= goals.fluents.len() {
                // SAFETY: the caller's promise.
                unsafe { hold::<V>(memory, state, plan, job, &over) };
            } else {
                // SAFETY: the caller's promise.
                unsafe { put_aside::<V>(memory, state, goals, job, &over) };
            }
        }
        if !plan.refill_late && in_step {
            // SAFETY: the caller's promise.
            unsafe { refill::<V>(memory, state, job) };
        }
        // SAFETY: the caller's promise; there are as many planes of scratch as the largest choice needs.
        unsafe {
            V::execute(memory, &plan.legal);
            let mut stuck = Plane::ZERO;
            for choice in &plan.choices {
                let none = match choice.moves.len() {
                    0 => Plane::ONES,
                    1 => (*memory.add(choice.legal[0] as usize)).zip(&Plane::ONES, |a, b| !a & b),
                    _ => V::choose(memory, choice, &mut draw, &mut state.scratch),
                };
                stuck = stuck.zip(&none, |a, b| a | b);
            }
            stuck = stuck.zip(&state.live, |a, b| a & b);
            if stuck.any() {
                state.live = state.live.zip(&stuck, |a, b| a & !b);
                job.playouts += stuck.count();
                job.stuck += stuck.count();
                put_aside::<V>(memory, state, goals, job, &stuck);
            }
            V::execute(memory, &plan.next);
            for &(fluent, from) in &plan.copies {
                V::load(&*memory.add(from as usize)).store(&mut *memory.add(fluent as usize));
            }
            for &(fluent, from) in &plan.inverse_copies {
                V::load(&*memory.add(from as usize)).not().store(&mut *memory.add(fluent as usize));
            }
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
    draw.save(&mut state.random);
    count_held(state, goals, job);
    // SAFETY: the caller's promise.
    unsafe { count_aside::<V>(state, goals, job) };
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

/// Starts games in lanes without one.
///
/// # Safety
/// As for [`drive`].
#[inline(always)]
unsafe fn refill<V: Vector>(memory: *mut Plane, state: &mut State, job: &mut Job) {
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
    // SAFETY: the caller's promise; fluents have slots.
    unsafe {
        let lanes = V::load(&free);
        for &fluent in &job.start[0] {
            let plane = &mut *memory.add(fluent as usize);
            V::load(plane).minus(lanes).store(plane);
        }
        for &fluent in &job.start[1] {
            let plane = &mut *memory.add(fluent as usize);
            V::load(plane).or(lanes).store(plane);
        }
    }
}

/// Keeps the goals of finished games.
///
/// # Safety
/// As for [`drive`].
#[inline(always)]
unsafe fn hold<V: Kernel>(memory: *mut Plane, state: &mut State, plan: &Plan, job: &mut Job, who: &Plane) {
    // SAFETY: the caller's promise.
    unsafe { V::execute(memory, &plan.goal) };
    if state.held_lanes.zip(who, |a, b| a & b).any() {
        count_held_by(state, &plan.goals, job);
    }
    state.held_lanes = state.held_lanes.zip(who, |a, b| a | b);
    // SAFETY: the caller's promise.
    unsafe {
        let lanes = V::load(who);
        for ((_, slot), held) in plan.goals.iter().flatten().zip(&mut state.held) {
            V::blend(lanes, V::load(&*memory.add(*slot as usize)), V::load(held)).store(held);
        }
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
///
/// # Safety
/// As for [`drive`].
#[inline(always)]
unsafe fn put_aside<V: Kernel>(
    memory: *mut Plane,
    state: &mut State,
    goals: &GoalPlan,
    job: &mut Job,
    who: &Plane,
) {
    if state.aside_lanes.zip(who, |a, b| a & b).any() {
        // SAFETY: the caller's promise.
        unsafe { count_aside::<V>(state, goals, job) };
    }
    state.aside_lanes = state.aside_lanes.zip(who, |a, b| a | b);
    // SAFETY: the caller's promise; fluents have the same slot in all plans.
    unsafe {
        let lanes = V::load(who);
        for &fluent in &goals.fluents {
            let kept = &mut state.aside[fluent as usize];
            V::blend(lanes, V::load(&*memory.add(fluent as usize)), V::load(kept)).store(kept);
        }
    }
}

/// # Safety
/// As for [`drive`].
#[inline(always)]
unsafe fn count_aside<V: Kernel>(state: &mut State, goals: &GoalPlan, job: &mut Job) {
    if state.aside_lanes.any() {
        // SAFETY: the caller's promise.
        unsafe { V::execute(state.aside.as_mut_ptr(), &goals.code) };
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
