//! Many games of one rule sheet on a device, stepped with moves from outside.
//!
//! What `ludex_env::Batch` is on the CPU, with the same answers number for number; but everything stays on the
//! device: actions are read there, and masks, observations, rewards and flags are written there, into arrays that
//! the batch owns. [`Batch`] says in which order the kernels are called, for any [`Machine`]; the tests compile the
//! same kernels as C.

mod call;
mod source;

pub use call::{BatchKernel, Call, Machine, Threads};
pub use source::{BatchSource, Form};

use crate::data::Data;
use crate::error::CudaError;
use crate::table::possible_moves;
use ludex_engine::propnet::lanes::Column;
use ludex_engine::row;
use ludex_engine::vocabulary::RoleId;
use ludex_engine::vocabulary::{FluentId, MoveId};
use ludex_env::{
    Autoreset, Encoder, EnvError, Forced, Illegal, Model, Options, Outputs, Rewards, Scale, Start, Which,
};
use source::Planes;
use std::sync::Arc;

/// Bits of `flags` in the kernels.
mod flags {
    pub(super) const NEXT_STEP: u64 = 1;
    pub(super) const SAME_STEP: u64 = 2;
    pub(super) const LOSE: u64 = 4;
    pub(super) const DRAW_ANOTHER: u64 = 8;
    pub(super) const MAKE_ONLY: u64 = 16;
    pub(super) const LOOK: u64 = 32;
    pub(super) const FLOATS: u64 = 64;
    pub(super) const LIVE_ONLY: u64 = 128;
    pub(super) const KEEP_LAST: u64 = 256;
}

/// No plane, and no move.
const NONE: u32 = u32::MAX;

/// Threads of a block that each have their own work.
const BLOCK: u32 = 256;

/// Words that a block gathers before it writes rows (`HELD` in the kernels), and at most so many of a column: as
/// many as lie in 32 bytes of memory.
const HELD: usize = 12288;
const MOST_SPAN: usize = 8;

/// The words of a batch are a multiple of this, so that whole blocks have work.
const WORDS: u64 = 128;

/// Rows in one direction of a launch, at most.
const MOST_ROWS: u64 = 65535;

/// How an observation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// One or zero.
    Bytes,
    /// Any number.
    Floats,
}

impl CellKind {
    fn bytes(self) -> usize {
        match self {
            CellKind::Bytes => 1,
            CellKind::Floats => 4,
        }
    }
}

/// Which arrays a batch writes; what is not wanted is not computed. They mean what [`Outputs`] says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// [`Outputs::legal`].
    pub legal: bool,
    /// [`Outputs::rewards`].
    pub rewards: bool,
    /// [`Outputs::terminated`], [`Outputs::truncated`] and [`Outputs::stuck`].
    pub ends: bool,
    /// [`Outputs::turn`].
    pub turn: bool,
    /// [`Outputs::illegal`].
    pub illegal: bool,
    /// [`Outputs::made`].
    pub made: bool,
    /// [`Outputs::observation`].
    pub observation: Option<CellKind>,
    /// [`Outputs::final_observation`].
    pub final_observation: Option<CellKind>,
}

/// The arrays of a batch, each with a row a game: addresses of the machine's memory, zero where nothing is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrays {
    /// Bytes: games x moves.
    pub legal: u64,
    /// Floats: games x roles.
    pub rewards: u64,
    /// Bytes: games.
    pub terminated: u64,
    /// Bytes: games.
    pub truncated: u64,
    /// Bytes: games.
    pub stuck: u64,
    /// Signed bytes: games.
    pub turn: u64,
    /// Bytes: games x roles.
    pub illegal: u64,
    /// 32-bit numbers: games x roles.
    pub made: u64,
    /// Games x columns.
    pub observation: u64,
    /// Games x columns.
    pub final_observation: u64,
}

/// What comes in: bytes here, or an address of the machine's memory. Whoever gives an address has seen to it that as
/// many bytes are there as the batch reads.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// In this process.
    Here(&'a [u8]),
    /// On the machine.
    There(u64),
}

/// The kind of numbers that actions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// 16 bits without a sign.
    U16,
}

impl ActionKind {
    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            ActionKind::I32 => 4,
            ActionKind::I64 => 8,
            ActionKind::U16 => 2,
        }
    }
}

/// Columns whose planes are a list of the device's.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    from: usize,
    width: usize,
    /// Where the numbers between zero and one are listed, and how many there are.
    numbers: (usize, usize),
}

/// A batch that has not got a machine yet: what is to be compiled, and what its memory begins with.
#[derive(Debug)]
pub struct Plan {
    model: Arc<Model>,
    options: Options,
    wanted: Wanted,
    games: u64,
    source: BatchSource,
    text: String,
    info: Data,
    legal: Rows,
    observation: Rows,
    final_observation: Rows,
}

impl Plan {
    /// So many games as `options` say, with what is `wanted` of them.
    pub fn new(
        model: Arc<Model>,
        source: BatchSource,
        games: usize,
        options: Options,
        encoder: Option<&Encoder>,
        wanted: Wanted,
    ) -> Result<Plan, CudaError> {
        if games == 0 || games > i32::MAX as usize {
            return Err(EnvError::Games(games).into());
        }
        if options.rewards == Rewards::ZeroSum && model.role_count() < 2 {
            return Err(EnvError::OneRole.into());
        }
        let cells = [wanted.observation, wanted.final_observation];
        match encoder {
            None if cells.iter().any(Option::is_some) => return Err(EnvError::NoEncoder.into()),
            Some(encoder) if !encoder.is_of(&model) => return Err(EnvError::AnotherGame.into()),
            Some(encoder) if !encoder.is_bits() && cells.contains(&Some(CellKind::Bytes)) => {
                return Err(EnvError::BytesForFloats.into());
            }
            _ => {}
        }
        let mut defined = String::new();
        let mut info = Data::default();
        write_info(&mut defined, &mut info, &model, &options)?;
        let planes = source.planes;
        let legal = legal_rows(&mut info, &model, &planes);
        let [observation, final_observation] = match encoder {
            None => [Rows::default(); 2],
            Some(encoder) => [0, planes.last].map(|from| state_rows(&mut info, encoder, from)),
        };
        let text = source.text(&defined);
        let games = games as u64;
        Ok(Plan { model, options, wanted, games, source, text, info, legal, observation, final_observation })
    }

    /// What is to be compiled.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Threads of a block of the network, and bytes of its shared memory.
    pub fn network(&self) -> (u32, u32) {
        (self.source.block, self.source.shared)
    }

    /// Whether each thread of the network has its own work.
    pub fn is_straight(&self) -> bool {
        self.source.form == Form::Straight
    }
}

/// The network of a model.
pub fn network(model: &Model) -> Result<&ludex_engine::propnet::Net, CudaError> {
    let compiled =
        model.network().ok_or_else(|| CudaError::Large("it has no network within the limits".to_owned()));
    compiled.map(|compiled| &compiled.net)
}

fn plane(set: bool) -> u32 {
    if set { u32::MAX } else { 0 }
}

/// The lists that all kernels read: what depends on the game and the options.
fn write_info(
    text: &mut String,
    info: &mut Data,
    model: &Arc<Model>,
    options: &Options,
) -> Result<(), CudaError> {
    let net = network(model)?;
    let roles = model.role_count();
    let possible: Vec<Vec<u32>> = net.legal.iter().map(|list| possible_moves(list)).collect();
    let sums = |counts: &mut dyn Iterator<Item = usize>| -> Vec<u32> {
        let mut so_far = 0;
        let mut all = vec![0];
        all.extend(counts.map(|count| {
            so_far += count as u32;
            so_far
        }));
        all
    };
    info.list(text, "I_FROM", sums(&mut possible.iter().map(Vec::len)));
    info.list(text, "I_COUNT", net.legal.iter().map(|list| list.len() as u32));
    info.list(text, "I_PLACE_FROM", sums(&mut net.legal.iter().map(Vec::len)));
    let mut places = Vec::new();
    let mut so_far = 0;
    for (list, moves) in net.legal.iter().zip(&possible) {
        for action in 0..list.len() as u32 {
            let place = moves.binary_search(&action);
            places.push(place.map_or(NONE, |place| so_far + place as u32));
        }
        so_far += moves.len() as u32;
    }
    info.list(text, "I_PLACE", places);
    info.list(text, "I_NUMBER", possible.iter().flatten().copied());
    // What is said of the initial state, by the batch of the CPU.
    let bare = Options { length: 0, threads: 1, rewards: Rewards::Goals, ..*options };
    let mut one = ludex_env::Batch::new(model.clone(), 1, bare)?;
    let (mut legal, mut ends) = (vec![0; model.move_count()], [[0u8]; 3]);
    let [terminated, truncated, stuck] = &mut ends;
    let out = Outputs {
        legal: Some(&mut legal),
        terminated: Some(terminated),
        truncated: Some(truncated),
        stuck: Some(stuck),
        ..Outputs::default()
    };
    one.reset(Which::All, Start::Initial, out)?;
    let initial = model.initial();
    let holds = (0..net.next.len() as u32).map(|fluent| row::holds(initial, FluentId(fluent)));
    let is_legal =
        |role: usize, action: u32| legal[model.moves(RoleId(role as u32)).start + action as usize] != 0;
    let legal_at_first =
        || possible.iter().enumerate().map(|(role, moves)| moves.iter().map(move |action| (role, *action)));
    let opening = legal_at_first().flatten().map(|(role, action)| is_legal(role, action));
    info.list(text, "I_START", holds.chain(opening).map(plane));
    let several =
        legal_at_first().map(|moves| moves.filter(|(role, action)| is_legal(*role, *action)).count() > 1);
    info.list(text, "I_SEVERAL", several.map(plane));
    info.list(text, "I_OPENING", ends.iter().map(|end| plane(end[0] != 0)));
    let goals = || net.goals.iter().flatten().map(|(value, _)| *value);
    info.list(text, "I_GOAL_FROM", sums(&mut net.goals.iter().map(Vec::len)));
    info.list(text, "I_IS_NUMBER", goals().map(|value| u32::from(value.is_some())));
    let scale = Scale::new(options.rewards, model.goal_range(), roles);
    let least = model.goal_range().0;
    let worth: Vec<[f32; 2]> = goals()
        .map(|value| scale.shares(value.unwrap_or(least)))
        .chain([scale.shares(model.goal_range().1)])
        .collect();
    info.list(text, "I_OWN", worth.iter().map(|[own, _]| own.to_bits()));
    info.list(text, "I_OTHERS", worth.iter().map(|[_, others]| others.to_bits()));
    info.list(text, "I_WORTH", [scale.base().to_bits()]);
    let control = model.control();
    let pairs = control.iter().flat_map(|(fluent, role)| [fluent.0, role.0]);
    info.list(text, "I_CONTROL", [control.len() as u32].into_iter().chain(pairs));
    Ok(())
}

fn legal_rows(info: &mut Data, model: &Model, planes: &Planes) -> Rows {
    let mut place = planes.legal as u32;
    let mut columns = Vec::new();
    for list in network(model).map_or(&[][..], |net| &net.legal) {
        let moves = possible_moves(list);
        for action in 0..list.len() as u32 {
            match moves.binary_search(&action) {
                Ok(at) => columns.push(place + at as u32),
                Err(_) => columns.push(NONE),
            }
        }
        place += moves.len() as u32;
    }
    Rows { width: columns.len(), from: info.add(columns), numbers: (0, 0) }
}

/// The columns of an encoder, of states whose fluents begin at a plane.
fn state_rows(info: &mut Data, encoder: &Encoder, first: usize) -> Rows {
    let columns = encoder.columns().iter().map(|column| match column {
        Column::Zero => NONE,
        Column::Fluent(fluent) => first as u32 + fluent.0,
    });
    let from = info.add(columns);
    let numbers: Vec<[u32; 4]> = encoder
        .counters()
        .iter()
        .flat_map(|counter| {
            let columns = [counter.columns.start as u32, counter.columns.len() as u32];
            let [start, count] = columns;
            counter
                .values
                .iter()
                .map(move |(fluent, value)| [first as u32 + fluent.0, start, count, value.to_bits()])
        })
        .collect();
    let count = numbers.len();
    Rows { from, width: encoder.len(), numbers: (info.add(numbers.into_iter().flatten()), count) }
}

/// Games of one rule sheet on a machine, each in its own state.
#[derive(Debug)]
pub struct Batch<M: Machine> {
    machine: M,
    plan: Plan,
    call: Call,
    arrays: Arrays,
    /// Where what comes from this process is put, and how many bytes have room there.
    inbox: (u64, usize),
    words: u64,
    steps: u64,
}

impl<M: Machine> Batch<M> {
    /// The games of a plan on a machine that has its kernels, all in the initial state.
    pub fn new(plan: Plan, mut machine: M) -> Result<Batch<M>, CudaError> {
        let words = plan.games.div_ceil(32).next_multiple_of(WORDS);
        let planes = plan.source.planes.count(plan.wanted.final_observation.is_some());
        let bytes =
            |numbers: &[u32]| -> Vec<u8> { numbers.iter().flat_map(|number| number.to_le_bytes()).collect() };
        let mut list = |numbers: &[u32]| {
            let at = machine.room(numbers.len().max(1) * 4)?;
            machine.put(at, &bytes(numbers))?;
            Ok::<u64, CudaError>(at)
        };
        let mut call = Call {
            info: list(&plan.info.words)?,
            data: list(&plan.source.data.words)?,
            games: plan.games,
            words,
            length: u64::from(plan.options.length),
            seed: plan.options.seed,
            ..Call::default()
        };
        call.planes = machine.room(planes * words as usize * 4)?;
        call.first = machine.room(8)?;
        let (games, roles) = (plan.games as usize, plan.model.role_count());
        let mut array = |wanted: bool, bytes: usize| if wanted { machine.room(bytes.max(1)) } else { Ok(0) };
        let wanted = plan.wanted;
        let mut cells = |kind: Option<CellKind>| {
            array(kind.is_some(), games * plan.observation.width * kind.map_or(0, CellKind::bytes))
        };
        let arrays = Arrays {
            observation: cells(wanted.observation)?,
            final_observation: cells(wanted.final_observation)?,
            legal: array(wanted.legal, games * plan.legal.width)?,
            rewards: array(wanted.rewards, games * roles * 4)?,
            terminated: array(wanted.ends, games)?,
            truncated: array(wanted.ends, games)?,
            stuck: array(wanted.ends, games)?,
            turn: array(wanted.turn, games)?,
            illegal: array(wanted.illegal, games * roles)?,
            made: array(wanted.made, games * roles * 4)?,
        };
        call.rewards = arrays.rewards;
        call.terminated = arrays.terminated;
        call.truncated = arrays.truncated;
        call.stuck = arrays.stuck;
        call.turn = arrays.turn;
        call.illegal = arrays.illegal;
        call.made = arrays.made;
        if plan.source.room > 0 {
            let blocks =
                machine.blocks(plan.source.room)?.min(words.div_ceil(u64::from(plan.source.units)) as u32);
            call.room = machine.room(plan.source.room * blocks as usize)?;
            // As many at a time as have room.
            call.span = u64::from(blocks);
        }
        let mut batch = Batch { machine, plan, call, arrays, inbox: (0, 0), words, steps: 0 };
        batch.reset(None, None)?;
        Ok(batch)
    }

    /// Where the results are.
    pub fn arrays(&self) -> &Arrays {
        &self.arrays
    }

    /// The machine.
    pub fn machine(&mut self) -> &mut M {
        &mut self.machine
    }

    /// The game.
    pub fn model(&self) -> &Arc<Model> {
        &self.plan.model
    }

    /// Begins the sequence of random moves anew.
    pub fn reseed(&mut self, seed: u64) {
        self.call.seed = seed;
        self.steps = 0;
    }

    /// Begins games anew, all or those whose byte is not zero, in the initial state or in rows of 64-bit words, and
    /// writes what all games are like.
    pub fn reset(&mut self, marks: Option<Input<'_>>, states: Option<Input<'_>>) -> Result<(), CudaError> {
        let words = self.plan.model.words();
        let games = self.plan.games as usize;
        let marks = marks.map(|marks| self.take("mask", marks, games, 0)).transpose()?;
        // Behind the marks, where both come from here.
        let states =
            states.map(|states| self.take("states", states, games * words * 8, games)).transpose()?;
        let width = words as u64;
        let call = Call { marks: marks.unwrap_or(0), states: states.unwrap_or(0), width, ..self.call };
        let call = Call { flags: flags::LOOK, ..call };
        self.forget_first()?;
        self.by_word(BatchKernel::Mark, 1, &call)?;
        if states.is_some() {
            if let Some(game) = self.first()? {
                return Err(EnvError::NoState { game: game as usize }.into());
            }
            self.by_word(BatchKernel::Put, self.plan.source.planes.fluents, &call)?;
            self.run_network(&call)?;
            self.by_word(BatchKernel::Finish, 1, &call)?;
        } else {
            self.by_word(BatchKernel::Begin, 1, &call)?;
            self.renew(&call)?;
        }
        let roles = self.plan.model.role_count();
        if self.arrays.illegal != 0 {
            self.machine.fill(self.arrays.illegal, 0, games * roles)?;
        }
        if self.arrays.made != 0 {
            self.machine.fill(self.arrays.made, 0xFF, games * roles * 4)?;
        }
        self.show(flags::LOOK)
    }

    /// Steps every game by an action of each role: games x roles, each the number of a move of the role.
    pub fn step(&mut self, kind: ActionKind, actions: Input<'_>) -> Result<(), CudaError> {
        let Options { autoreset, illegal, forced, .. } = self.plan.options;
        let roles = self.plan.model.role_count();
        let count = self.plan.games as usize * roles;
        let address = self.take("actions", actions, count * kind.bytes(), 0)?;
        let mut flags = match autoreset {
            Autoreset::NextStep => flags::NEXT_STEP,
            Autoreset::SameStep => flags::SAME_STEP,
            Autoreset::Disabled => 0,
        };
        flags |= match illegal {
            Illegal::Raise => 0,
            Illegal::Lose => flags::LOSE,
            Illegal::Random => flags::DRAW_ANOTHER,
        };
        flags |= if forced == Forced::Made { flags::MAKE_ONLY } else { 0 };
        flags |= if self.plan.wanted.final_observation.is_some() { flags::KEEP_LAST } else { 0 };
        let call = Call { actions: address, kind: kind as u64, flags, step: self.steps, ..self.call };
        let planes = self.plan.source.planes;
        let plane = self.words * 4;
        self.machine.fill(
            self.call.planes + planes.does as u64 * plane,
            0,
            planes.zeroed() * plane as usize,
        )?;
        if illegal == Illegal::Raise {
            self.forget_first()?;
        }
        self.by_game(BatchKernel::Read, 1, &call)?;
        if illegal == Illegal::Raise
            && let Some(at) = self.first()?
        {
            return Err(self.complaint(at as usize, kind, address)?);
        }
        self.run_network(&call)?;
        self.by_word(BatchKernel::Finish, 1, &call)?;
        self.renew(&call)?;
        self.steps += 1;
        self.show(flags)
    }

    /// Writes a random legal action of each role in each game, zero where a game is over: 32-bit numbers, games x
    /// roles, at an address of the machine. The same seed gives the same actions in the same states, those of the CPU.
    pub fn sample(&mut self, seed: u64, to: u64) -> Result<(), CudaError> {
        let call = Call { seed, out: to, ..self.call };
        self.by_game(BatchKernel::Sample, 1, &call)
    }

    /// Writes the state of each game: games x words, at an address of the machine.
    pub fn states(&mut self, to: u64) -> Result<(), CudaError> {
        let words = self.plan.model.words();
        let call = Call { out: to, width: words as u64, ..self.call };
        self.by_game(BatchKernel::States, words, &call)
    }

    /// Bytes that come in, as an address. Those of this process are put behind `offset` bytes of others.
    fn take(
        &mut self,
        array: &'static str,
        input: Input<'_>,
        expected: usize,
        offset: usize,
    ) -> Result<u64, CudaError> {
        match input {
            Input::There(address) => Ok(address),
            Input::Here(bytes) => {
                if bytes.len() != expected {
                    return Err(EnvError::Length { array, expected, given: bytes.len() }.into());
                }
                let offset = offset.next_multiple_of(64);
                let room = offset + expected;
                if self.inbox.1 < room {
                    // Whoever needs a larger one later gets it; what is behind an offset is asked for first.
                    let games = self.plan.games as usize;
                    let all = room.max(games * (self.plan.model.words() * 8 + 1) + 64);
                    self.inbox = (self.machine.room(all)?, all);
                }
                let to = self.inbox.0 + offset as u64;
                self.machine.put(to, bytes)?;
                Ok(to)
            }
        }
    }

    fn forget_first(&mut self) -> Result<(), CudaError> {
        self.machine.fill(self.call.first, 0xFF, 8)
    }

    fn first(&mut self) -> Result<Option<u64>, CudaError> {
        let mut bytes = [0; 8];
        self.machine.get(self.call.first, &mut bytes)?;
        Ok(Some(u64::from_le_bytes(bytes)).filter(|first| *first != u64::MAX))
    }

    /// The action at a place, which is not legal, as an error.
    fn complaint(&mut self, at: usize, kind: ActionKind, address: u64) -> Result<CudaError, CudaError> {
        let mut bytes = [0; 8];
        let size = kind.bytes();
        self.machine.get(address + (at * size) as u64, &mut bytes[..size])?;
        let number = i64::from_le_bytes(bytes);
        let action = match kind {
            ActionKind::I32 => i64::from(number as i32),
            ActionKind::I64 | ActionKind::U16 => number,
        };
        let model = &self.plan.model;
        let (game, role) = (at / model.role_count(), at % model.role_count());
        let id = RoleId(role as u32);
        let named = u32::try_from(action).ok().filter(|&a| (a as usize) < model.moves(id).len());
        let error = EnvError::Illegal {
            game,
            role: (role, model.vocabulary().show_role(id)),
            action,
            action_name: named.map(|action| model.show_move(id, MoveId(action))),
        };
        Ok(error.into())
    }

    fn by_game(&mut self, kernel: BatchKernel, rows: usize, call: &Call) -> Result<(), CudaError> {
        self.own(kernel, self.plan.games, rows, call)
    }

    fn by_word(&mut self, kernel: BatchKernel, rows: usize, call: &Call) -> Result<(), CudaError> {
        self.own(kernel, self.words, rows, call)
    }

    /// A thread for each game or word.
    fn own(&mut self, kernel: BatchKernel, count: u64, rows: usize, call: &Call) -> Result<(), CudaError> {
        if rows == 0 {
            return Ok(());
        }
        let blocks = [count.div_ceil(u64::from(BLOCK)) as u32, rows as u32];
        let threads = Threads { blocks, block: BLOCK, shared: 0, together: false };
        self.machine.launch(kernel, threads, call)
    }

    fn renew(&mut self, call: &Call) -> Result<(), CudaError> {
        let Planes { fluents, moves, .. } = self.plan.source.planes;
        self.by_word(BatchKernel::Renew, fluents + moves, call)
    }

    fn run_network(&mut self, call: &Call) -> Result<(), CudaError> {
        let BatchSource { units, block, shared, room, .. } = self.plan.source;
        let together = !self.plan.is_straight();
        let all = self.words.div_ceil(u64::from(units)) as u32;
        // Those that compute in memory of their own take turns where there is not enough of it.
        let at_a_time = if room > 0 { self.call.span as u32 } else { all };
        let mut from = 0;
        while from < all {
            let blocks = at_a_time.min(all - from);
            let threads = Threads { blocks: [blocks, 1], block, shared, together };
            let call = Call { from: u64::from(from), ..*call };
            self.machine.launch(BatchKernel::Network, threads, &call)?;
            from += blocks;
        }
        Ok(())
    }

    fn show(&mut self, flags: u64) -> Result<(), CudaError> {
        let call = Call { flags, ..self.call };
        self.by_game(BatchKernel::Tell, 1, &call)?;
        let Plan { wanted, legal, observation, final_observation, .. } = self.plan;
        if wanted.legal {
            self.rows(&legal, CellKind::Bytes, flags::LIVE_ONLY, self.arrays.legal)?;
        }
        if let Some(kind) = wanted.observation {
            self.rows(&observation, kind, 0, self.arrays.observation)?;
        }
        if let Some(kind) = wanted.final_observation {
            let rows = if flags & flags::LOOK != 0 { observation } else { final_observation };
            self.rows(&rows, kind, 0, self.arrays.final_observation)?;
        }
        Ok(())
    }

    fn rows(&mut self, rows: &Rows, kind: CellKind, flags: u64, out: u64) -> Result<(), CudaError> {
        let Rows { from, width, numbers } = *rows;
        if width == 0 {
            return Ok(());
        }
        let flags = flags | if kind == CellKind::Floats { flags::FLOATS } else { 0 };
        let mut call = Call { flags, out, from: from as u64, width: width as u64, ..self.call };
        let mut span = MOST_SPAN;
        while span > 1 && span * width > HELD {
            span /= 2;
        }
        if width <= HELD {
            call.span = span as u64;
            let blocks = [self.plan.games.div_ceil(32 * span as u64) as u32, 1];
            let shared = (span * width * 4) as u32;
            let threads = Threads { blocks, block: BLOCK, shared, together: true };
            self.machine.launch(BatchKernel::Rows, threads, &call)?;
        } else {
            let blocks = [width.div_ceil(BLOCK as usize) as u32, self.plan.games.min(MOST_ROWS) as u32];
            let threads = Threads { blocks, block: BLOCK, shared: 0, together: false };
            self.machine.launch(BatchKernel::LongRows, threads, &call)?;
        }
        if numbers.1 > 0 {
            call.from = numbers.0 as u64;
            call.span = numbers.1 as u64;
            self.by_game(BatchKernel::Numbers, 1, &call)?;
        }
        Ok(())
    }
}
