//! Stepping: 512 games at a time, each in its own state, with moves that the caller gives.
//!
//! A [`Stepper`] is a network compiled for it, a [`Block`] the memory of 512 games. Both share the plans and the kernels of
//! random play ([`super::Lanes`]); what is different is that moves come in as numbers ([`Stepper::play`]), that lanes
//! are in no common phase, so that the whole network is computed at each step.
//!
//! A block keeps the state and what is read of the gates of terminal and legal when the next state is asked for, so that
//! each gate is computed once a step. The gates themselves are in a [`Workspace`], which blocks share one after the other: a
//! thread needs one, and it stays in the cache.
//!
//! The order of a step is: [`Stepper::play`] for each role (numbers to planes, and where they are legal), [`Stepper::make`] for what
//! the caller decides itself, [`Stepper::advance`], then the questions (`terminal`, `options`, `goals`), then
//! [`Stepper::restart`] in the lanes in which a new game begins. What is done with games that are over, or with moves that are not
//! legal, is the caller's business: nothing here refuses a lane.

use super::memory::Memory;
use super::pass::{Instructions, Kernel, Task};
use super::plan::{Choice, FALSE, FLUENTS, Plan, Slot};
use super::transpose::{self, Bytes, Shuffle};
use super::vector::{Plane, Vector};
use super::{LANES, bits};
use crate::budget::Budget;
use crate::engine::Goal;
use crate::propnet::net::Net;
use crate::propnet::phase;
use crate::row::{self, Row};
use crate::vocabulary::{FluentId, MoveId, RoleId};
use std::ops::Range;

/// A network compiled for stepping games with given moves.
#[derive(Debug)]
pub struct Stepper {
    plan: Plan,
    fluents: usize,
    /// The slots beside the fluents that a block keeps; it has them after the fluents.
    kept: Vec<Slot>,
    /// Where a block says that the game is over.
    terminal: Slot,
    /// Where a block says that moves are legal, for each role as in the choices of the plan.
    choices: Vec<Vec<Slot>>,
    /// Where a block says that moves are legal, all moves of a role after those of the role before.
    legal: Columns,
    /// Where the moves of each role are in `legal`.
    roles: Vec<Range<usize>>,
    /// What a new game writes: the planes of a block that are false, and those that are true.
    start: [Vec<Slot>; 2],
    initial: Vec<u64>,
    /// Planes behind those of the plan for decoding numbers.
    scratch: usize,
    instructions: Instructions,
    shuffle: Shuffle,
}

/// 512 games: the constants, the fluents, then what else is kept.
#[derive(Clone, Debug)]
pub struct Block {
    planes: Vec<Plane>,
}

/// Room for computing a step of one block after the other.
#[derive(Clone, Debug)]
pub struct Workspace {
    planes: Vec<Plane>,
}

/// What the rows that leave a block are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    slots: Vec<Slot>,
}

impl Columns {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

/// One column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Always zero.
    Zero,
    /// Whether the fluent holds.
    Fluent(FluentId),
}

/// An integer that stands for a move.
pub trait Number: Copy {
    /// The number, or one that no move has.
    fn number(self) -> u32;
}

macro_rules! numbers {
    ($($integer:ty)*) => {$(
        impl Number for $integer {
            #[inline(always)]
            fn number(self) -> u32 {
                // What is negative or large becomes larger than any move; no branch, so that the loop is vectors.
                (self as u64).min(u64::from(u32::MAX)) as u32
            }
        }
    )*};
}

numbers!(u8 u16 u32 i32 i64);

/// In which lanes a role has a legal move, and in which more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegalCounts {
    /// One or more.
    pub some: Plane,
    /// Two or more.
    pub several: Plane,
}

const NEVER_OVER: &str = "without a deadline nothing is over";

impl Stepper {
    /// Compiles a network; new games begin in `initial`.
    pub fn new(net: &Net, initial: &Row) -> Stepper {
        Stepper::with(net, initial, Instructions::detect())
    }

    /// The same with other instructions than the best that the machine has.
    ///
    /// # Panics
    /// If the machine does not have them.
    pub fn with(net: &Net, initial: &Row, instructions: Instructions) -> Stepper {
        assert!(instructions.available(), "the machine has no such instructions");
        // One pass over a network that was built within a budget.
        let unlimited = &mut Budget::default().clock();
        let net = phase::specialised(net, &phase::anything(net), unlimited).expect(NEVER_OVER);
        let plan = Plan::with(&net, true, unlimited).expect(NEVER_OVER);
        let fluents = net.next.len();
        plan.check(fluents);
        let kept = plan.kept();
        let first_kept = FLUENTS + fluents as Slot;
        // Constants and fluents are where they are in the plan.
        let place = |slot: Slot| match kept.binary_search(&slot) {
            Ok(at) => first_kept + at as Slot,
            Err(_) => slot,
        };
        let choices: Vec<Vec<Slot>> = plan
            .choices
            .iter()
            .map(|choice| choice.legal[..choice.moves.len()].iter().map(|&slot| place(slot)).collect())
            .collect();
        let mut legal = Vec::new();
        let mut roles = Vec::new();
        for ((choice, slots), moves) in plan.choices.iter().zip(&choices).zip(&net.legal) {
            let first = legal.len();
            legal.resize(first + moves.len(), FALSE);
            for (action, slot) in choice.moves.iter().zip(slots) {
                legal[first + action.index()] = *slot;
            }
            roles.push(first..legal.len());
        }
        let most = net.legal.iter().map(Vec::len).max().unwrap_or(0);
        let digits = digits(most);
        let scratch = (1 << (digits - digits / 2)) + (1 << (digits / 2));
        let shuffle = match instructions {
            Instructions::Avx512 => Shuffle::detect(),
            _ => Shuffle::Portable,
        };
        let mut stepper = Stepper {
            fluents,
            terminal: place(plan.terminal),
            choices,
            kept,
            legal: Columns { slots: legal },
            roles,
            start: super::pass::start_slots(&bits(&net, initial)),
            initial: initial.to_vec(),
            scratch,
            instructions,
            shuffle,
            plan,
        };
        // What the initial state makes of the gates is computed once.
        let mut block = stepper.block();
        stepper.refresh(&mut block, &mut stepper.workspace());
        for slot in first_kept..first_kept + stepper.kept.len() as Slot {
            stepper.start[usize::from(block.planes[slot as usize].bit(0))].push(slot);
        }
        stepper
    }

    /// Bytes that a block holds, and bytes of the workspace.
    pub fn bytes(&self) -> (usize, usize) {
        let planes = FLUENTS as usize + self.fluents + self.kept.len();
        (planes * size_of::<Plane>(), (self.plan.slots + self.scratch) * size_of::<Plane>())
    }

    /// Gates of up to four inputs that a step computes, those for goals aside.
    pub fn gates(&self) -> usize {
        self.plan.head.gates() + self.plan.legal.gates() + self.plan.next.gates()
    }

    /// 512 games, all in the initial state.
    pub fn block(&self) -> Block {
        let mut block =
            Block { planes: vec![Plane::ZERO; FLUENTS as usize + self.fluents + self.kept.len()] };
        block.planes[1] = Plane::ONES;
        self.restart(&mut block, &Plane::ONES);
        block
    }

    /// Room for computing, for any block.
    pub fn workspace(&self) -> Workspace {
        let mut space = Workspace { planes: vec![Plane::ZERO; self.plan.slots + self.scratch] };
        space.planes[1] = Plane::ONES;
        space
    }

    /// Begins a new game, in the initial state, in the lanes.
    pub fn restart(&self, block: &mut Block, lanes: &Plane) {
        let block = self.kept_planes(block);
        self.instructions.run(Restart { block, start: &self.start, lanes });
    }

    /// Puts a state into a lane; [`Stepper::refresh`] comes before any question.
    pub fn set_state(&self, block: &mut Block, lane: usize, state: &Row) {
        for fluent in 0..self.fluents {
            let plane = &mut block.planes[FLUENTS as usize + fluent].0[lane / 64];
            let bit = u64::from(row::holds(state, FluentId(fluent as u32)));
            *plane = *plane & !(1 << (lane % 64)) | bit << (lane % 64);
        }
    }

    /// Writes the state of a lane.
    pub fn state(&self, block: &Block, lane: usize, out: &mut Row) {
        out.fill(0);
        for (fluent, plane) in block.planes[FLUENTS as usize..][..self.fluents].iter().enumerate() {
            out[fluent / 64] |= u64::from(plane.bit(lane)) << (fluent % 64);
        }
    }

    /// Computes terminal and legal anew, after states were put in.
    pub fn refresh(&self, block: &mut Block, space: &mut Workspace) {
        let task = Compute {
            block: self.kept_planes(block),
            memory: self.memory(space),
            plan: &self.plan,
            fluents: self.fluents,
            kept: &self.kept,
            lanes: None,
        };
        self.instructions.run(task);
    }

    /// Reads the role's move in each lane, the first `numbers.len() / roles` of them: `numbers` has a row a game and a
    /// number a role. Returns the lanes in which the number is that of a legal move; it is made there, and none elsewhere.
    ///
    /// # Panics
    /// If there are more than 512 rows, or rows of another length.
    pub fn play<N: Number>(
        &self,
        block: &mut Block,
        space: &mut Workspace,
        role: RoleId,
        numbers: &[N],
    ) -> Plane {
        let roles = self.roles.len();
        assert!(
            numbers.len() <= LANES * roles && numbers.len().is_multiple_of(roles),
            "rows of a number a role"
        );
        let read = Read {
            block: self.kept_planes(block),
            memory: self.memory(space),
            choice: &self.plan.choices[role.index()],
            legal: &self.choices[role.index()],
            scratch: self.plan.slots,
            count: self.roles[role.index()].len(),
            numbers,
            role: role.index(),
            roles,
            shuffle: self.shuffle,
        };
        self.instructions.run(read)
    }

    /// Makes a move in one lane, in which none of this role is made.
    pub fn make(&self, space: &mut Workspace, role: RoleId, lane: usize, action: MoveId) {
        let choice = &self.plan.choices[role.index()];
        if let Ok(seat) = choice.moves.binary_search(&action) {
            space.planes[choice.does as usize + seat].set(lane);
        }
    }

    /// Makes the only legal move of the role in the lanes, in which it has one and none of this role is made.
    pub fn make_only(&self, block: &Block, space: &mut Workspace, role: RoleId, lanes: &Plane) {
        let does = self.plan.choices[role.index()].does as usize;
        for (seat, legal) in self.choices[role.index()].iter().enumerate() {
            let made = &mut space.planes[does + seat];
            *made = *made | block.planes[*legal as usize] & *lanes;
        }
    }

    /// The next state in the lanes, in which each role has made a move since another block used the workspace; other lanes stay
    /// as they are.
    pub fn advance(&self, block: &mut Block, space: &mut Workspace, lanes: &Plane) {
        let task = Compute {
            block: self.kept_planes(block),
            memory: self.memory(space),
            plan: &self.plan,
            fluents: self.fluents,
            kept: &self.kept,
            lanes: Some(lanes),
        };
        self.instructions.run(task);
    }

    /// Where the game is over.
    pub fn terminal<'b>(&self, block: &'b Block) -> &'b Plane {
        &block.planes[self.terminal as usize]
    }

    /// Where the fluent holds.
    pub fn holding<'b>(&self, block: &'b Block, fluent: FluentId) -> &'b Plane {
        assert!(fluent.index() < self.fluents, "there is no such fluent");
        &block.planes[FLUENTS as usize + fluent.index()]
    }

    /// How many roles there are.
    pub fn role_count(&self) -> usize {
        self.roles.len()
    }

    /// Where the move is legal.
    pub fn legal<'b>(&self, block: &'b Block, role: RoleId, action: MoveId) -> &'b Plane {
        let moves = &self.legal.slots[self.roles[role.index()].clone()];
        &block.planes[moves[action.index()] as usize]
    }

    /// Where the role has legal moves.
    pub fn legal_counts(&self, block: &mut Block, role: RoleId) -> LegalCounts {
        let block = self.kept_planes(block);
        self.instructions.run(Count { block, legal: &self.choices[role.index()] })
    }

    /// Computes the goals of the block that was the last to use the workspace, in the states to which it advanced.
    pub fn compute_goals(&self, space: &mut Workspace) {
        super::pass::execute_with(self.instructions, &mut space.planes, self.plan.slots, &self.plan.goal);
    }

    /// The role's goal values and where they hold, as computed last; a value that is no number is `None`.
    pub fn goals<'m>(
        &'m self,
        space: &'m Workspace,
        role: RoleId,
    ) -> impl Iterator<Item = (Option<Goal>, &'m Plane)> {
        self.plan.goals[role.index()].iter().map(|&(value, slot)| (value, &space.planes[slot as usize]))
    }

    /// The initial state.
    pub fn initial(&self) -> &Row {
        &self.initial
    }

    /// A column for each move of each role, saying whether it is legal.
    pub fn legal_columns(&self) -> &Columns {
        &self.legal
    }

    /// Columns that say what a state is.
    ///
    /// # Panics
    /// If there is no such fluent.
    pub fn columns(&self, columns: impl IntoIterator<Item = Column>) -> Columns {
        let slot = |column| match column {
            Column::Zero => FALSE,
            Column::Fluent(fluent) => {
                assert!(fluent.index() < self.fluents, "there is no such fluent");
                FLUENTS + fluent.0
            }
        };
        Columns { slots: columns.into_iter().map(slot).collect() }
    }

    /// Writes a row a game and a byte a column, one or zero. `out` has as many rows as there are games; rows of lanes
    /// that are not in `keep` are zero.
    ///
    /// # Panics
    /// If `out` has more than 512 rows, or rows of another length.
    pub fn write_bytes(&self, block: &Block, columns: &Columns, keep: &Plane, out: &mut [u8]) {
        transpose::rows(self.shuffle, &block.planes, &columns.slots, keep, out);
    }

    /// The same with floats.
    ///
    /// # Panics
    /// As for bytes.
    pub fn write_floats(&self, block: &Block, columns: &Columns, keep: &Plane, out: &mut [f32]) {
        transpose::rows(self.shuffle, &block.planes, &columns.slots, keep, out);
    }

    /// The same with a bit a column, in rows of whole words: for all fluents in their order these are states.
    ///
    /// # Panics
    /// As for bytes.
    pub fn write_words(&self, block: &Block, columns: &Columns, keep: &Plane, out: &mut [u64]) {
        transpose::words(self.shuffle, &block.planes, &columns.slots, keep, out);
    }

    /// The planes of a block of this stepper.
    fn kept_planes<'b>(&self, block: &'b mut Block) -> &'b mut [Plane] {
        let count = FLUENTS as usize + self.fluents + self.kept.len();
        assert_eq!(block.planes.len(), count, "a block of another game");
        &mut block.planes
    }

    /// The planes of a workspace, of which there are enough for the plan and the decoding.
    fn memory<'w>(&self, space: &'w mut Workspace) -> Memory<'w> {
        assert_eq!(space.planes.len(), self.plan.slots + self.scratch, "a workspace of another game");
        Memory::new(&mut space.planes, self.plan.slots)
    }
}

/// Writes the lanes of a set as bytes, one or zero.
pub fn write_flags(plane: &Plane, out: &mut [u8]) {
    transpose::flags(plane, out);
}

/// How many binary digits the numbers below `count` have.
fn digits(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros()) as usize
}

struct Restart<'t> {
    block: &'t mut [Plane],
    start: &'t [Vec<Slot>; 2],
    lanes: &'t Plane,
}

impl Task for Restart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Kernel>(self, machine: V::Machine) {
        let [cleared, set] = self.start;
        let lanes = V::load(machine, self.lanes);
        for &place in cleared {
            let plane = &mut self.block[place as usize];
            V::load(machine, plane).minus(lanes).store(plane);
        }
        for &place in set {
            let plane = &mut self.block[place as usize];
            V::load(machine, plane).or(lanes).store(plane);
        }
    }
}

/// The next state in the lanes, if there are any, and in any case what terminal and legal are.
struct Compute<'t> {
    block: &'t mut [Plane],
    memory: Memory<'t>,
    plan: &'t Plan,
    fluents: usize,
    kept: &'t [Slot],
    lanes: Option<&'t Plane>,
}

impl Task for Compute<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Kernel>(self, machine: V::Machine) {
        let Compute { block, mut memory, plan, fluents, kept, lanes } = self;
        let (state, gates) = block.split_at_mut(FLUENTS as usize + fluents);
        for (slot, plane) in (0..).zip(state.iter()).skip(FLUENTS as usize) {
            V::load(machine, plane).store(memory.at_mut(slot));
        }
        if let Some(lanes) = lanes {
            for (&slot, plane) in kept.iter().zip(gates.iter()) {
                V::load(machine, plane).store(memory.at_mut(slot));
            }
            V::execute(machine, &mut memory, &plan.next);
            let lanes = V::load(machine, lanes);
            for &(fluent, from) in &plan.copies {
                let new = V::load(machine, memory.at(from));
                let plane = &mut state[fluent as usize];
                let new = V::blend(lanes, new, V::load(machine, plane));
                new.store(plane);
                new.store(memory.at_mut(fluent));
            }
            for &(fluent, from) in &plan.inverse_copies {
                let new = V::load(machine, memory.at(from)).not();
                let plane = &mut state[fluent as usize];
                let new = V::blend(lanes, new, V::load(machine, plane));
                new.store(plane);
                new.store(memory.at_mut(fluent));
            }
        }
        V::execute(machine, &mut memory, &plan.head);
        V::execute(machine, &mut memory, &plan.legal);
        for (&slot, plane) in kept.iter().zip(gates) {
            V::load(machine, memory.at(slot)).store(plane);
        }
    }
}

struct Count<'t> {
    block: &'t [Plane],
    legal: &'t [Slot],
}

impl Task for Count<'_> {
    type Output = LegalCounts;

    #[inline(always)]
    fn run<V: Kernel>(self, machine: V::Machine) -> LegalCounts {
        let mut counts = LegalCounts { some: Plane::ZERO, several: Plane::ZERO };
        let (mut some, mut several) = (V::splat(machine, 0), V::splat(machine, 0));
        for &place in self.legal {
            let legal = V::load(machine, &self.block[place as usize]);
            several = several.or_and(some, legal);
            some = some.or(legal);
        }
        some.store(&mut counts.some);
        several.store(&mut counts.several);
        counts
    }
}

struct Read<'t, N> {
    block: &'t [Plane],
    memory: Memory<'t>,
    choice: &'t Choice,
    /// Where the block says that the moves of the choice are legal.
    legal: &'t [Slot],
    /// Where the planes for decoding begin.
    scratch: usize,
    /// How many moves the role has.
    count: usize,
    numbers: &'t [N],
    role: usize,
    roles: usize,
    shuffle: Shuffle,
}

impl<N: Number> Read<'_, N> {
    /// A byte of each number.
    #[inline(always)]
    fn bytes(&self, out: &mut Bytes, shift: u32) {
        self.each(out, |number| (number >> shift) as u8);
    }

    /// Whether each number is below the count.
    #[inline(always)]
    fn valid(&self, out: &mut Bytes) {
        let count = self.count as u32;
        self.each(out, |number| u8::from(number < count));
    }

    /// Lanes without a number stay as they are.
    #[inline(always)]
    fn each(&self, out: &mut Bytes, byte: impl Fn(u32) -> u8) {
        // Where rows are short the compiler knows the distance and makes vectors of it.
        match self.roles {
            1 => each_row::<N, 1>(self.numbers, out, byte),
            2 => each_row::<N, 2>(&self.numbers[self.role..], out, byte),
            _ => {
                for (out, row) in out.0.iter_mut().zip(self.numbers.chunks_exact(self.roles)) {
                    *out = byte(row[self.role].number());
                }
            }
        }
    }
}

/// The first number of each row; the last row may lack the others.
#[inline(always)]
fn each_row<N: Number, const ROLES: usize>(numbers: &[N], out: &mut Bytes, byte: impl Fn(u32) -> u8) {
    let (rows, rest) = numbers.as_chunks::<ROLES>();
    for (out, row) in out.0.iter_mut().zip(rows) {
        *out = byte(row[0].number());
    }
    if let Some(last) = rest.first() {
        out.0[rows.len()] = byte(last.number());
    }
}

impl<N: Number> Task for Read<'_, N> {
    type Output = Plane;

    /// Numbers become planes of binary digits, these become planes of their halves, one for each value that a half
    /// can have, and a move is made where both halves are its own: an operation or two a move, whatever the numbers are.
    #[inline(always)]
    fn run<V: Kernel>(mut self, machine: V::Machine) -> Plane {
        let count = digits(self.count);
        let mut planes = [Plane::ZERO; 24];
        let mut bytes = Bytes([0; LANES]);
        let mut valid = [Plane::ZERO];
        self.valid(&mut bytes);
        transpose::digits(self.shuffle, &bytes, &mut valid);
        for (planes, shift) in planes[..count].chunks_mut(8).zip([0, 8, 16]) {
            self.bytes(&mut bytes, shift);
            transpose::digits(self.shuffle, &bytes, planes);
        }
        let (low_digits, high_digits) = planes[..count].split_at(count - count / 2);
        let mut made = Plane::ZERO;
        let low = self.scratch;
        let high = low + (1 << low_digits.len());
        *self.memory.own_mut(low) = valid[0];
        halves::<V>(machine, &mut self.memory, low, low_digits);
        *self.memory.own_mut(high) = Plane::ONES;
        halves::<V>(machine, &mut self.memory, high, high_digits);
        let mask = (1 << low_digits.len()) - 1;
        let mut some = V::splat(machine, 0);
        let moves = self.choice.moves.iter().zip(self.legal);
        for (does, (action, &legal)) in (self.choice.does..).zip(moves) {
            let this = V::load(machine, self.memory.own(low + (action.index() & mask)));
            let other = self.memory.own(high + (action.index() >> low_digits.len()));
            let this = this.and(V::load(machine, other));
            let this = this.and(V::load(machine, &self.block[legal as usize]));
            this.store(self.memory.at_mut(does));
            some = some.or(this);
        }
        some.store(&mut made);
        made
    }
}

/// From the plane at `table` and some digits a plane for each number that the digits can be: where that is the number.
#[inline(always)]
fn halves<V: Vector>(machine: V::Machine, memory: &mut Memory<'_>, table: usize, digits: &[Plane]) {
    for (at, digit) in digits.iter().enumerate() {
        let digit = V::load(machine, digit);
        for number in 0..1 << at {
            let plane = V::load(machine, memory.own(table + number));
            plane.and(digit).store(memory.own_mut(table + number + (1 << at)));
            plane.minus(digit).store(memory.own_mut(table + number));
        }
    }
}
