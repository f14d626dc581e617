//! Stepping: 512 games at a time, each in its own state, with moves that the caller gives.
//!
//! A [`Stepper`] is a network compiled for it, a [`Block`] the memory of 512 games. Both share the plans and the kernels of
//! random play ([`super::Lanes`]); what is different is that moves come in as numbers ([`Stepper::read`]), and that lanes
//! are in no common phase, so that the whole network is computed at each step.
//!
//! Where two players take turns and a symmetry of the rules exchanges them, lanes can be kept as whoever is to move sees them
//! ([`Stepper::turned`], `turn.rs`): then all are in one phase after all, and the network is about half as large. What comes in and
//! what goes out is the same.
//!
//! A block keeps the state and what is read of the gates of terminal and legal when the next state is asked for, so that
//! each gate is computed once a step. The gates themselves are in a [`Workspace`], which blocks share one after the other: a
//! thread needs one, and it stays in the cache.
//!
//! The order of a step is: [`Stepper::read`] (numbers to planes, and where they are legal), [`Stepper::make`] for what
//! the caller decides itself, [`Stepper::advance`], then the questions (`terminal`, `options`, `goals`), then
//! [`Stepper::restart`] in the lanes in which a new game begins. What is done with games that are over, or with moves that are not
//! legal, is the caller's business: nothing here refuses a lane.

use super::memory::Memory;
use super::pass::{Instructions, Kernel, Task};
use super::plan::{Choice, FALSE, FLUENTS, Plan, Slot};
use super::read::{Decoder, Number, Read};
use super::transpose::{self, Shuffle, Turned};
use super::turn::Turn;
use super::vector::Plane;
use super::{LANES, bits};
use crate::budget::{Budget, Exceeded};
use crate::engine::Goal;
use crate::propnet::net::Net;
use crate::propnet::phase;
use crate::row::{self, Row};
use crate::symmetry::Symmetry;
use crate::vocabulary::{FluentId, MoveId, RoleId};
use std::ops::Range;

/// A network compiled for stepping games with given moves.
#[derive(Debug)]
pub struct Stepper {
    plan: Plan,
    fluents: usize,
    /// The slots beside the fluents that a block keeps; it has them after the fluents.
    kept: Vec<Slot>,
    /// Of these the slots that the next state reads, and where the block has them.
    needed: Vec<(Slot, Slot)>,
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
    decoders: Vec<Decoder>,
    /// Set if games are kept as whoever is to move sees them.
    turn: Option<Turn>,
    instructions: Instructions,
    shuffle: Shuffle,
}

/// 512 games: the constants, the fluents, then what else is kept.
#[derive(Clone, Debug)]
pub struct Block {
    planes: Vec<Plane>,
    /// Lanes in which the planes say what the second player sees.
    flipped: Plane,
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
    /// What the slots are as the other player sees it, if they are those of moves; else fluents are looked up.
    legal_turned: Option<Vec<Slot>>,
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
        // One pass over a network that was built within a budget.
        let unlimited = &mut Budget::default().clock();
        let net = phase::specialised(net, &phase::anything(net), unlimited).expect(NEVER_OVER);
        Stepper::of(&net, initial, None, instructions)
    }

    /// The same with games kept as whoever is to move sees them; `None` if none of the symmetries allows it, or if that would
    /// not make the network much smaller.
    ///
    /// # Panics
    /// If the machine does not have the instructions.
    pub fn turned(
        net: &Net,
        initial: &Row,
        symmetries: &[Symmetry],
        instructions: Instructions,
        budget: &Budget,
    ) -> Result<Option<Stepper>, Exceeded> {
        let found = Turn::find(net, &bits(net, initial), symmetries, &mut budget.clock())?;
        Ok(found.map(|(turn, net)| Stepper::of(&net, initial, Some(turn), instructions)))
    }

    fn of(net: &Net, initial: &Row, turn: Option<Turn>, instructions: Instructions) -> Stepper {
        assert!(instructions.available(), "the machine has no such instructions");
        let unlimited = &mut Budget::default().clock();
        let plan = Plan::with(net, true, unlimited).expect(NEVER_OVER);
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
        let legal_turned = turn.as_ref().map(|turn| {
            let other = |role: usize| {
                let first = roles[1 - role].start;
                turn.moves[role].iter().map(move |action| first + action.index())
            };
            other(0).chain(other(1)).map(|column| legal[column]).collect()
        });
        let decoder = |(role, choice): (usize, &Choice)| {
            let turned = turn.as_ref().map(|turn| &turn.moves[role][..]);
            Decoder::new(&choice.moves, net.legal[role].len(), turned, plan.slots)
        };
        let decoders: Vec<Decoder> = plan.choices.iter().enumerate().map(decoder).collect();
        let scratch = decoders.iter().map(Decoder::planes).max().unwrap_or(0);
        let shuffle = match instructions {
            Instructions::Avx512 => Shuffle::detect(),
            _ => Shuffle::Portable,
        };
        let mut stepper = Stepper {
            fluents,
            terminal: place(plan.terminal),
            choices,
            needed: plan.needed(&kept).map(|slot| (slot, place(slot))).collect(),
            kept,
            legal: Columns { slots: legal, legal_turned },
            roles,
            start: super::pass::start_slots(&bits(net, initial)),
            initial: initial.to_vec(),
            scratch,
            decoders,
            turn,
            instructions,
            shuffle,
            plan,
        };
        // What the initial state makes of the gates is computed once.
        let mut block = stepper.block();
        stepper.refresh(&mut block, &mut stepper.workspace(), &mut []);
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
        let planes = vec![Plane::ZERO; FLUENTS as usize + self.fluents + self.kept.len()];
        let mut block = Block { planes, flipped: Plane::ZERO };
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
        block.flipped = block.flipped & !*lanes;
        let block = self.kept_planes(block);
        self.instructions.run(Restart { block, start: &self.start, lanes });
    }

    /// Puts a state into a lane; [`Stepper::refresh`] comes before any question. False, and the lane as it was, if games are kept as
    /// whoever is to move sees them and the state is none of such play.
    #[must_use]
    pub fn set_state(&self, block: &mut Block, lane: usize, state: &Row) -> bool {
        let flipped = match &self.turn {
            None => false,
            Some(turn) if turn.admits(state, false) => false,
            Some(turn) if turn.admits(state, true) => true,
            Some(_) => return false,
        };
        for fluent in (0..self.fluents as u32).map(FluentId) {
            let place = self.seen(fluent, flipped);
            block.planes[place as usize].put(lane, row::holds(state, fluent));
        }
        block.flipped.put(lane, flipped);
        true
    }

    /// Writes the state of a lane.
    pub fn state(&self, block: &Block, lane: usize, out: &mut Row) {
        out.fill(0);
        let flipped = block.flipped.bit(lane);
        for fluent in (0..self.fluents as u32).map(FluentId) {
            if block.planes[self.seen(fluent, flipped) as usize].bit(lane) {
                row::set(out, fluent);
            }
        }
    }

    /// The games of a block of another stepper of the same game; [`Stepper::refresh`] comes before any question.
    ///
    /// # Panics
    /// If games are kept as whoever is to move sees them here.
    pub fn adopt(&self, other: &Stepper, block: &Block) -> Block {
        assert!(self.turn.is_none() && self.fluents == other.fluents, "a stepper that takes any state");
        let mut adopted = self.block();
        for fluent in (0..self.fluents as u32).map(FluentId) {
            adopted.planes[(FLUENTS + fluent.0) as usize] = other.holding(block, fluent);
        }
        adopted
    }

    /// Where a block says whether the fluent holds.
    fn seen(&self, fluent: FluentId, flipped: bool) -> Slot {
        match &self.turn {
            Some(turn) if flipped => turn.slots[(FLUENTS + fluent.0) as usize],
            _ => FLUENTS + fluent.0,
        }
    }

    /// What is said by one plane, and in the lanes that are flipped by another.
    fn either(&self, block: &Block, plane: &Plane, turned: &Plane) -> Plane {
        *plane & !block.flipped | *turned & block.flipped
    }

    /// The role that sees itself as this one in lanes that are flipped.
    fn other(&self, role: RoleId) -> RoleId {
        if self.turn.is_some() { RoleId(1 - role.0) } else { role }
    }

    /// Computes terminal and legal anew, after states were put in. Writes for each role where it has legal moves, for as many roles
    /// as `counts` has room for.
    pub fn refresh(&self, block: &mut Block, space: &mut Workspace, counts: &mut [LegalCounts]) {
        self.compute(block, space, None, counts);
    }

    /// Reads the moves of all roles in each lane, the first `numbers.len() / roles` of them: `numbers` has a row a game and a
    /// number a role. Writes for each role the lanes in which the number is that of a legal move; it is made there, and none
    /// elsewhere.
    ///
    /// # Panics
    /// If there are more than 512 rows, rows of another length, or another number of roles in `legal`.
    pub fn read<N: Number>(
        &self,
        block: &mut Block,
        space: &mut Workspace,
        numbers: &[N],
        legal: &mut [Plane],
    ) {
        let roles = self.roles.len();
        assert!(
            numbers.len() <= LANES * roles && numbers.len().is_multiple_of(roles) && legal.len() == roles,
            "rows of a number a role"
        );
        let flipped = block.flipped;
        let read = Read {
            block: self.kept_planes(block),
            memory: self.memory(space),
            plan: &self.plan,
            legal: &self.choices,
            decoders: &self.decoders,
            roles: &self.roles,
            turn: self.turn.as_ref().map(|turn| (turn, flipped)),
            numbers,
            shuffle: self.shuffle,
            out: legal,
        };
        self.instructions.run(read);
    }

    /// Makes a move in one lane, in which none of this role is made.
    pub fn make(&self, block: &Block, space: &mut Workspace, role: RoleId, lane: usize, action: MoveId) {
        let (role, action) = match &self.turn {
            Some(turn) if block.flipped.bit(lane) => {
                (self.other(role), turn.moves[role.index()][action.index()])
            }
            _ => (role, action),
        };
        let choice = &self.plan.choices[role.index()];
        if let Ok(seat) = choice.moves.binary_search(&action) {
            space.planes[choice.does as usize + seat].set(lane);
        }
    }

    /// Makes the only legal move of the role in the lanes, in which it has one and none of this role is made.
    pub fn make_only(&self, block: &Block, space: &mut Workspace, role: RoleId, lanes: &Plane) {
        let lanes = [(role, *lanes & !block.flipped), (self.other(role), *lanes & block.flipped)];
        for (role, lanes) in lanes.into_iter().filter(|(_, lanes)| !lanes.is_empty()) {
            let does = self.plan.choices[role.index()].does as usize;
            for (seat, legal) in self.choices[role.index()].iter().enumerate() {
                let made = &mut space.planes[does + seat];
                *made = *made | block.planes[*legal as usize] & lanes;
            }
        }
    }

    /// The next state in the lanes, in which each role has made a move since another block used the workspace; other lanes stay
    /// as they are. Writes for each role where it has legal moves then, in all lanes.
    pub fn advance(
        &self,
        block: &mut Block,
        space: &mut Workspace,
        lanes: &Plane,
        counts: &mut [LegalCounts],
    ) {
        if self.turn.is_some() {
            block.flipped = block.flipped ^ *lanes;
        }
        self.compute(block, space, Some(lanes), counts);
    }

    fn compute(
        &self,
        block: &mut Block,
        space: &mut Workspace,
        lanes: Option<&Plane>,
        counts: &mut [LegalCounts],
    ) {
        let flipped = self.turn.is_some().then_some(block.flipped);
        let task = Compute {
            block: self.kept_planes(block),
            memory: self.memory(space),
            plan: &self.plan,
            fluents: self.fluents,
            kept: &self.kept,
            needed: &self.needed,
            lanes,
            flipped,
            counts,
        };
        self.instructions.run(task);
    }

    /// Where the game is over.
    pub fn terminal<'b>(&self, block: &'b Block) -> &'b Plane {
        &block.planes[self.terminal as usize]
    }

    /// Where the fluent holds.
    pub fn holding(&self, block: &Block, fluent: FluentId) -> Plane {
        assert!(fluent.index() < self.fluents, "there is no such fluent");
        let plane = |flipped: bool| &block.planes[self.seen(fluent, flipped) as usize];
        self.either(block, plane(false), plane(true))
    }

    /// How many roles there are.
    pub fn role_count(&self) -> usize {
        self.roles.len()
    }

    /// Whether the move is legal in a lane.
    pub fn is_legal(&self, block: &Block, role: RoleId, action: MoveId, lane: usize) -> bool {
        let column = self.roles[role.index()].start + action.index();
        let slots = match &self.legal.legal_turned {
            Some(turned) if block.flipped.bit(lane) => turned,
            _ => &self.legal.slots,
        };
        block.planes[slots[column] as usize].bit(lane)
    }

    /// Computes the goals of the block that was the last to use the workspace, in the states to which it advanced.
    pub fn compute_goals(&self, space: &mut Workspace) {
        super::pass::execute_with(self.instructions, &mut space.planes, self.plan.slots, &self.plan.goal);
    }

    /// The role's goal values and where they hold, as computed last for this block; a value that is no number is `None`. A value may
    /// come twice, in different lanes.
    pub fn goals<'m>(
        &'m self,
        block: &'m Block,
        space: &'m Workspace,
        role: RoleId,
    ) -> impl Iterator<Item = (Option<Goal>, Plane)> {
        let of = move |role: RoleId, lanes: Plane| {
            let goals = self.plan.goals[role.index()].iter();
            goals.map(move |&(value, slot)| (value, space.planes[slot as usize] & lanes))
        };
        let other = self.turn.is_some().then(|| of(self.other(role), block.flipped));
        of(role, !block.flipped).chain(other.into_iter().flatten())
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
        Columns { slots: columns.into_iter().map(slot).collect(), legal_turned: None }
    }

    /// Writes a row a game and a byte a column, one or zero. `out` has as many rows as there are games; rows of lanes
    /// that are not in `keep` are zero.
    ///
    /// # Panics
    /// If `out` has more than 512 rows, or rows of another length.
    pub fn write_bytes(&self, block: &Block, columns: &Columns, keep: &Plane, out: &mut [u8]) {
        transpose::rows(self.shuffle, &self.shown(block, columns), keep, out);
    }

    /// The same with floats.
    ///
    /// # Panics
    /// As for bytes.
    pub fn write_floats(&self, block: &Block, columns: &Columns, keep: &Plane, out: &mut [f32]) {
        transpose::rows(self.shuffle, &self.shown(block, columns), keep, out);
    }

    /// The same with a bit a column, in rows of whole words: for all fluents in their order these are states.
    ///
    /// # Panics
    /// As for bytes.
    pub fn write_words(&self, block: &Block, columns: &Columns, keep: &Plane, out: &mut [u64]) {
        transpose::words(self.shuffle, &self.shown(block, columns), keep, out);
    }

    fn shown<'b>(&'b self, block: &'b Block, columns: &'b Columns) -> transpose::Shown<'b> {
        let turned = self.turn.as_ref().map(|turn| match &columns.legal_turned {
            Some(slots) => Turned { flipped: &block.flipped, slots, by_column: true },
            None => Turned { flipped: &block.flipped, slots: &turn.slots, by_column: false },
        });
        transpose::Shown { planes: &block.planes, slots: &columns.slots, turned }
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
        Memory::new(&mut space.planes, self.plan.slots + self.scratch)
    }
}

/// Writes the lanes of a set as bytes, one or zero.
pub fn write_flags(plane: &Plane, out: &mut [u8]) {
    transpose::flags(plane, out);
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
    needed: &'t [(Slot, Slot)],
    lanes: Option<&'t Plane>,
    /// Lanes in which two roles are exchanged afterwards.
    flipped: Option<Plane>,
    counts: &'t mut [LegalCounts],
}

impl Task for Compute<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Kernel>(self, machine: V::Machine) {
        let Compute { block, mut memory, plan, fluents, kept, needed, lanes, flipped, counts } = self;
        if lanes.is_some() {
            for &(slot, place) in needed {
                V::load(machine, &block[place as usize]).store(memory.at_mut(slot));
            }
        }
        let (state, gates) = block.split_at_mut(FLUENTS as usize + fluents);
        for (slot, plane) in (FLUENTS..).zip(&state[FLUENTS as usize..]) {
            V::load(machine, plane).store(memory.at_mut(slot));
        }
        if let Some(lanes) = lanes {
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
        for (choice, counts) in plan.choices.iter().zip(&mut *counts) {
            let (mut some, mut several) = (V::splat(machine, 0), V::splat(machine, 0));
            for &slot in &choice.legal[..choice.moves.len()] {
                let legal = V::load(machine, memory.at(slot));
                several = several.or_and(some, legal);
                some = some.or(legal);
            }
            some.store(&mut counts.some);
            several.store(&mut counts.several);
        }
        if let (Some(flipped), [a, b]) = (flipped, counts) {
            exchange(&mut a.some, &mut b.some, &flipped);
            exchange(&mut a.several, &mut b.several, &flipped);
        }
    }
}

/// Exchanges two planes in some lanes.
#[inline(always)]
pub(super) fn exchange(a: &mut Plane, b: &mut Plane, lanes: &Plane) {
    let different = (*a ^ *b) & *lanes;
    *a = *a ^ different;
    *b = *b ^ different;
}
