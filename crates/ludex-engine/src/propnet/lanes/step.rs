//! Stepping: 512 games at a time, each in its own state, with moves that the caller gives.
//!
//! A [`Stepper`] is a network compiled for it, a [`Block`] the memory of 512 games. Both share the plans and the kernels of
//! random play ([`super::Lanes`]); what is different is that moves come in as numbers ([`Stepper::play`]), that lanes
//! are in no common phase, so that the whole network is computed at each step, and that a block keeps all planes from
//! one step to the next: what terminal and legal have computed is there when the next state is asked for. A block
//! therefore takes 64 bytes a gate.
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
    /// Where each move is said to be legal, all moves of a role after those of the role before.
    legal: Columns,
    /// Where the moves of each role are in `legal`.
    roles: Vec<Range<usize>>,
    /// What a new game writes: slots that are false, and slots that are true.
    start: [Vec<Slot>; 2],
    initial: Vec<u64>,
    /// Planes behind those of the plan for decoding numbers.
    scratch: usize,
    instructions: Instructions,
    shuffle: Shuffle,
}

/// 512 games.
#[derive(Clone, Debug)]
pub struct Block {
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
        plan.check(net.next.len());
        let mut legal = Vec::new();
        let mut roles = Vec::new();
        for (choice, moves) in plan.choices.iter().zip(&net.legal) {
            let first = legal.len();
            legal.resize(first + moves.len(), FALSE);
            for (action, slot) in choice.moves.iter().zip(&choice.legal) {
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
            fluents: net.next.len(),
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
        let mut block = Block { planes: vec![Plane::ZERO; stepper.plan.slots + scratch] };
        block.planes[1] = Plane::ONES;
        stepper.restart(&mut block, &Plane::ONES);
        stepper.refresh(&mut block);
        for slot in stepper.plan.kept() {
            stepper.start[usize::from(block.planes[slot as usize].bit(0))].push(slot);
        }
        stepper
    }

    /// Bytes that a block holds.
    pub fn block_bytes(&self) -> usize {
        (self.plan.slots + self.scratch) * size_of::<Plane>()
    }

    /// Gates of up to four inputs that a step computes, those for goals aside.
    pub fn gates(&self) -> usize {
        self.plan.head.gates() + self.plan.legal.gates() + self.plan.next.gates()
    }

    /// Memory for 512 games, all in the initial state.
    pub fn block(&self) -> Block {
        let mut block = Block { planes: vec![Plane::ZERO; self.plan.slots + self.scratch] };
        block.planes[1] = Plane::ONES;
        self.restart(&mut block, &Plane::ONES);
        block
    }

    /// Begins a new game, in the initial state, in the lanes.
    pub fn restart(&self, block: &mut Block, lanes: &Plane) {
        let memory = self.memory(block);
        self.instructions.run(Restart { memory, start: &self.start, lanes });
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
    pub fn refresh(&self, block: &mut Block) {
        let memory = self.memory(block);
        self.instructions.run(Refresh { memory, plan: &self.plan });
    }

    /// Reads the role's move in each lane, the first `numbers.len() / roles` of them: `numbers` has a row a game and a
    /// number a role. Returns the lanes in which the number is that of a legal move; it is made there, and none elsewhere.
    ///
    /// # Panics
    /// If there are more than 512 rows, or rows of another length.
    pub fn play<N: Number>(&self, block: &mut Block, role: RoleId, numbers: &[N]) -> Plane {
        let memory = self.memory(block);
        let choice = &self.plan.choices[role.index()];
        let roles = self.roles.len();
        assert!(
            numbers.len() <= LANES * roles && numbers.len().is_multiple_of(roles),
            "rows of a number a role"
        );
        let read = Read {
            memory,
            choice,
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
    pub fn make(&self, block: &mut Block, role: RoleId, lane: usize, action: MoveId) {
        let choice = &self.plan.choices[role.index()];
        if let Ok(seat) = choice.moves.binary_search(&action) {
            block.planes[choice.does as usize + seat].set(lane);
        }
    }

    /// Makes the only legal move of the role in the lanes, in which it has one and none of this role is made.
    pub fn make_only(&self, block: &mut Block, role: RoleId, lanes: &Plane) {
        let choice = &self.plan.choices[role.index()];
        for (seat, legal) in choice.legal[..choice.moves.len()].iter().enumerate() {
            let made = block.planes[*legal as usize] & *lanes;
            let does = &mut block.planes[choice.does as usize + seat];
            *does = *does | made;
        }
    }

    /// The next state in the lanes, in which each role has made a move; other lanes stay as they are.
    pub fn advance(&self, block: &mut Block, lanes: &Plane) {
        let memory = self.memory(block);
        self.instructions.run(Advance { memory, plan: &self.plan, lanes });
    }

    /// Where the game is over.
    pub fn terminal<'b>(&self, block: &'b Block) -> &'b Plane {
        &block.planes[self.plan.terminal as usize]
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
        let memory = self.memory(block);
        self.instructions.run(Count { memory, choice: &self.plan.choices[role.index()] })
    }

    /// Computes the goals. They mean nothing in lanes in which a new game has begun since the last step.
    pub fn compute_goals(&self, block: &mut Block) {
        super::pass::execute_with(self.instructions, &mut block.planes, self.plan.slots, &self.plan.goal);
    }

    /// The role's goal values and where they hold, as computed last; a value that is no number is `None`.
    pub fn goals<'b>(
        &'b self,
        block: &'b Block,
        role: RoleId,
    ) -> impl Iterator<Item = (Option<Goal>, &'b Plane)> {
        self.plan.goals[role.index()].iter().map(|&(value, slot)| (value, &block.planes[slot as usize]))
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

    /// The planes, of which there are enough for the plan and the decoding.
    fn memory<'b>(&self, block: &'b mut Block) -> Memory<'b> {
        assert_eq!(block.planes.len(), self.plan.slots + self.scratch, "a block of another game");
        Memory::new(&mut block.planes, self.plan.slots)
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
    memory: Memory<'t>,
    start: &'t [Vec<Slot>; 2],
    lanes: &'t Plane,
}

impl Task for Restart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Kernel>(mut self, machine: V::Machine) {
        let [cleared, set] = self.start;
        let lanes = V::load(machine, self.lanes);
        for &slot in cleared {
            let plane = self.memory.at_mut(slot);
            V::load(machine, plane).minus(lanes).store(plane);
        }
        for &slot in set {
            let plane = self.memory.at_mut(slot);
            V::load(machine, plane).or(lanes).store(plane);
        }
    }
}

struct Refresh<'t> {
    memory: Memory<'t>,
    plan: &'t Plan,
}

impl Task for Refresh<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Kernel>(mut self, machine: V::Machine) {
        V::execute(machine, &mut self.memory, &self.plan.head);
        V::execute(machine, &mut self.memory, &self.plan.legal);
    }
}

struct Advance<'t> {
    memory: Memory<'t>,
    plan: &'t Plan,
    lanes: &'t Plane,
}

impl Task for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Kernel>(self, machine: V::Machine) {
        let Advance { mut memory, plan, lanes } = self;
        V::execute(machine, &mut memory, &plan.next);
        let lanes = V::load(machine, lanes);
        for &(fluent, from) in &plan.copies {
            let new = V::load(machine, memory.at(from));
            let plane = memory.at_mut(fluent);
            V::blend(lanes, new, V::load(machine, plane)).store(plane);
        }
        for &(fluent, from) in &plan.inverse_copies {
            let new = V::load(machine, memory.at(from)).not();
            let plane = memory.at_mut(fluent);
            V::blend(lanes, new, V::load(machine, plane)).store(plane);
        }
        V::execute(machine, &mut memory, &plan.head);
        V::execute(machine, &mut memory, &plan.legal);
    }
}

struct Count<'t> {
    memory: Memory<'t>,
    choice: &'t Choice,
}

impl Task for Count<'_> {
    type Output = LegalCounts;

    #[inline(always)]
    fn run<V: Kernel>(self, machine: V::Machine) -> LegalCounts {
        let mut counts = LegalCounts { some: Plane::ZERO, several: Plane::ZERO };
        let (mut some, mut several) = (V::splat(machine, 0), V::splat(machine, 0));
        for &slot in &self.choice.legal[..self.choice.moves.len()] {
            let legal = V::load(machine, self.memory.at(slot));
            several = several.or_and(some, legal);
            some = some.or(legal);
        }
        some.store(&mut counts.some);
        several.store(&mut counts.several);
        counts
    }
}

struct Read<'t, N> {
    memory: Memory<'t>,
    choice: &'t Choice,
    /// Where the planes for decoding begin.
    scratch: usize,
    /// How many moves the role has.
    count: usize,
    numbers: &'t [N],
    role: usize,
    roles: usize,
    shuffle: Shuffle,
}

/// The bytes of all numbers, and whether each is below the count.
struct Split {
    bytes: [Bytes; 3],
    valid: Bytes,
}

impl<N: Number> Read<'_, N> {
    #[inline(always)]
    fn split(&self, split: &mut Split) {
        // Where rows are short the compiler knows the distance and makes vectors of it.
        match self.roles {
            1 => self.split_by::<1>(split),
            2 => self.split_by::<2>(split),
            _ => {
                for (lane, row) in self.numbers.chunks_exact(self.roles).enumerate() {
                    self.put(split, lane, row[self.role].number());
                }
            }
        }
    }

    #[inline(always)]
    fn split_by<const ROLES: usize>(&self, split: &mut Split) {
        let count = self.count as u32;
        let (rows, _) = self.numbers.as_chunks::<ROLES>();
        let role = self.role.min(ROLES - 1);
        for ((low, valid), row) in split.bytes[0].0.iter_mut().zip(&mut split.valid.0).zip(rows) {
            let number = row[role].number();
            *low = number as u8;
            *valid = u8::from(number < count);
        }
        if self.count > 1 << 8 {
            for (high, row) in split.bytes[1].0.iter_mut().zip(rows) {
                *high = (row[role].number() >> 8) as u8;
            }
        }
        if self.count > 1 << 16 {
            for (high, row) in split.bytes[2].0.iter_mut().zip(rows) {
                *high = (row[role].number() >> 16) as u8;
            }
        }
    }

    #[inline(always)]
    fn put(&self, split: &mut Split, lane: usize, number: u32) {
        for (at, bytes) in split.bytes.iter_mut().enumerate() {
            bytes.0[lane] = (number >> (8 * at)) as u8;
        }
        split.valid.0[lane] = u8::from((number as usize) < self.count);
    }
}

impl<N: Number> Task for Read<'_, N> {
    type Output = Plane;

    /// Numbers become planes of binary digits, these become planes of their halves, one for each value that a half
    /// can have, and a move is made where both halves are its own: an operation or two a move, whatever the numbers are.
    ///
    /// PERF: setting one bit a game instead costs about as much as the whole step of a small game.
    #[inline(always)]
    fn run<V: Kernel>(mut self, machine: V::Machine) -> Plane {
        let mut split = Split { bytes: [Bytes([0; LANES]); 3], valid: Bytes([0; LANES]) };
        self.split(&mut split);
        let count = digits(self.count);
        let mut planes = [Plane::ZERO; 24];
        for (bytes, planes) in split.bytes.iter().zip(planes[..count].chunks_mut(8)) {
            transpose::digits(self.shuffle, bytes, planes);
        }
        let mut valid = [Plane::ZERO];
        transpose::digits(self.shuffle, &split.valid, &mut valid);
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
        let moves = self.choice.moves.iter().zip(&self.choice.legal);
        for (does, (action, &legal)) in (self.choice.does..).zip(moves) {
            let this = V::load(machine, self.memory.own(low + (action.index() & mask)));
            let other = self.memory.own(high + (action.index() >> low_digits.len()));
            let this = this.and(V::load(machine, other));
            let this = this.and(V::load(machine, self.memory.at(legal)));
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
