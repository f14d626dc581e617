//! One state at a time: the engine for search.
//!
//! A state belongs to a phase of the game (`phase.rs`), which has its own small networks (`turn.rs`). Whether the
//! game is over, which moves are legal and what they do is either asked, reading only what the answer
//! depends on (`formula.rs`), or followed, going along what changes from the state that was asked about before
//! (`tracker.rs`), whichever took less work in a trial (`plan.rs`). So the cost of a move is that of what the
//! move does, whatever the size of the game.

use super::choices::Scratch;
use super::counters::Counters;
use super::formula::{Findings, Layout, View};
use super::goals::{GoalCode, Goals};
use super::net::{Net, Node};
use super::plan::{self, Sample};
use super::tracker::Tracker;
use super::turn::{Questions, Turn};
use super::{Compiled, compile, cut_points};
use crate::budget::{Budget, Exceeded, Meter, Stage};
use crate::engine::{Engine, Goal, PlayoutBuffer, Worker};
use crate::error::BuildError;
use crate::fault::{Fault, Question};
use crate::random::Random;
use crate::row::Row;
use crate::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex_gdl::Game;
use std::sync::Arc;

/// The propositional network as an engine.
#[derive(Debug)]
pub struct Propnet {
    code: Arc<Code>,
}

/// What an engine has compiled, and its workers share.
#[derive(Debug)]
struct Code {
    vocabulary: Arc<Vocabulary>,
    net: Net,
    layout: Layout,
    /// The phases; last one for states that agree with none, which play cannot reach, and for moves that
    /// can never be legal: it follows everything.
    turns: Vec<Turn>,
    terminal: Counters,
    initial: Vec<u64>,
    goals: GoalCode,
}

impl Propnet {
    /// Compiles the rules.
    pub fn new(game: &Game, budget: &Budget) -> Result<Propnet, BuildError> {
        Ok(Propnet::of(compile(game, budget)?, budget)?)
    }

    /// The engine over a network that was compiled already.
    pub fn of(compiled: Compiled, budget: &Budget) -> Result<Propnet, Exceeded> {
        let Compiled { vocabulary, net, initial, .. } = compiled;
        // The size of what is made follows from that of the network, which was bounded when it was built.
        let meter = &mut budget.clock();
        budget.begin(Stage::Phases)?;
        let everything = Counters::new(&net, Questions::ALL, meter)?;
        let sample = Sample::new(&everything, &initial, meter)?;
        let cut_points = cut_points::room(&net, meter)?;
        let layout = Layout::new(sample.odds(), net.legal.iter().map(Vec::len), cut_points);
        let phases = plan::phases(&net, &initial, &sample, meter)?;
        budget.begin(Stage::Code)?;
        let mut turns = plan::turns(&net, &phases, &everything, &layout, &initial, meter)?;
        turns.push(Turn::following(everything));
        let terminal = Counters::new(&net, Questions { terminal: true, ..Questions::NONE }, meter)?;
        let goals = GoalCode::new(&net, &layout, meter)?;
        Ok(Propnet { code: Arc::new(Code { vocabulary, net, layout, turns, terminal, initial, goals }) })
    }

    /// The engine over a network of which little will be asked: it follows the whole network in every state, so
    /// no phases are sought and nothing is tried out. Built in a fraction of the time, it plays more slowly.
    pub fn plain(compiled: Compiled, budget: &Budget) -> Result<Propnet, Exceeded> {
        let Compiled { vocabulary, net, initial, .. } = compiled;
        let layout = Layout::new(vec![0.5; net.next.len()], net.legal.iter().map(Vec::len), 0);
        budget.begin(Stage::Code)?;
        let meter = &mut budget.clock();
        let followed = Questions { terminal: false, ..Questions::ALL };
        let turns = vec![Turn::following(Counters::new(&net, followed, meter)?)];
        let terminal = Counters::new(&net, Questions { terminal: true, ..Questions::NONE }, meter)?;
        let goals = GoalCode::new(&net, &layout, meter)?;
        Ok(Propnet { code: Arc::new(Code { vocabulary, net, layout, turns, terminal, initial, goals }) })
    }

    /// The network.
    pub fn net(&self) -> &Net {
        &self.code.net
    }
}

impl Engine for Propnet {
    fn name(&self) -> &'static str {
        "propnet"
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.code.vocabulary
    }

    fn memory_usage(&self) -> usize {
        let Code { net, turns, terminal, goals, .. } = &*self.code;
        net.nodes.len() * std::mem::size_of::<Node>()
            + turns.iter().map(Turn::memory_usage).sum::<usize>()
            + terminal.memory_usage()
            + goals.memory_usage()
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(ScalarWorker { memory: Memory::new(&self.code), code: self.code.clone(), meter: None })
    }
}

/// One thread's reasoner.
#[derive(Debug)]
struct ScalarWorker {
    code: Arc<Code>,
    memory: Memory,
    /// Counts where a budget is obeyed.
    meter: Option<Meter>,
}

/// What a worker knows about the states of one phase.
#[derive(Debug)]
struct TurnMemory {
    findings: Findings,
    /// Made when it is first needed.
    tracker: Option<Tracker>,
}

impl TurnMemory {
    fn new(turn: &Turn) -> TurnMemory {
        TurnMemory { findings: Findings::new(&turn.formulas), tracker: None }
    }

    /// The tracker, brought to the state, and what it follows.
    #[inline]
    fn tracker<'c>(&mut self, code: &Code, turn: &'c Turn, state: &Row) -> (&mut Tracker, &'c Counters) {
        let counters = turn.counters.as_ref().expect("what is not asked is followed");
        let tracker = self.tracker.get_or_insert_with(|| Tracker::new(counters, &code.initial));
        tracker.load(counters, state);
        (tracker, counters)
    }
}

/// One thread's memory. It does not hold the engine: every call takes the code that it was made for.
#[derive(Debug)]
struct Memory {
    /// The state that the findings speak of, and behind it the moves that are on.
    row: Vec<u64>,
    /// The bits of the row that a move changes; zero in between.
    flips: Vec<u64>,
    turns: Vec<TurnMemory>,
    /// Another one for each row: even, and never zero.
    time: u32,
    /// Made when it is first needed.
    terminal: Option<Tracker>,
    goals: Goals,
    scratch: Scratch,
}

impl Memory {
    fn new(code: &Code) -> Memory {
        Memory {
            row: vec![0; code.layout.words()],
            flips: vec![0; code.layout.words()],
            turns: code.turns.iter().map(TurnMemory::new).collect(),
            time: 2,
            terminal: None,
            goals: Goals::new(&code.goals),
            scratch: Scratch::default(),
        }
    }

    /// Makes the state the one that is asked about. Gives its phase.
    #[inline]
    fn load(&mut self, code: &Code, state: &Row) -> usize {
        let row = &mut self.row[..state.len()];
        if row != state {
            row.copy_from_slice(state);
            self.row_changed();
        }
        self.phase(code)
    }

    #[inline]
    fn row_changed(&mut self) {
        self.time = self.time.wrapping_add(2);
        if self.time == 0 {
            self.turns.iter_mut().for_each(|turn| turn.findings.forget());
            self.goals.forget();
            self.time = 2;
        }
    }

    /// The phase of the state.
    #[inline]
    fn phase(&self, code: &Code) -> usize {
        let turns = &code.turns;
        turns.iter().position(|turn| turn.admits(&self.row)).unwrap_or(turns.len() - 1)
    }

    #[inline]
    fn is_over(&mut self, code: &Code, phase: usize) -> bool {
        let turn = &code.turns[phase];
        if let Some(terminal) = turn.terminal {
            let view = View { formulas: &turn.formulas, row: &self.row, time: self.time };
            return self.turns[phase].findings.holds(view, terminal);
        }
        let tracker = self.terminal.get_or_insert_with(|| Tracker::new(&code.terminal, &code.initial));
        tracker.load(&code.terminal, &self.row[..code.layout.state_words()]);
        tracker.is_terminal()
    }

    /// Replaces the moves of `joint` by one of each role at random; false if somebody has none.
    #[inline]
    fn choose(&mut self, code: &Code, phase: usize, random: &mut Random, joint: &mut Vec<MoveId>) -> bool {
        let (turn, memory) = (&code.turns[phase], &mut self.turns[phase]);
        joint.clear();
        if let Some(legal) = &turn.legal {
            let view = View { formulas: &turn.formulas, row: &self.row, time: self.time };
            for choices in legal {
                match choices.pick(view, &mut memory.findings, random, &mut self.scratch) {
                    Some(action) => joint.push(action),
                    None => return false,
                }
            }
            return true;
        }
        let (tracker, _) = memory.tracker(code, turn, &self.row[..code.layout.state_words()]);
        for legal in tracker.legal() {
            let members = legal.members();
            if members.is_empty() {
                return false;
            }
            let choice = if members.len() == 1 { 0 } else { random.below(members.len()) };
            joint.push(MoveId(members[choice]));
        }
        true
    }

    /// Makes the moves, which may be legal in states of the phase.
    #[inline]
    fn advance(&mut self, code: &Code, phase: usize, joint: &[MoveId]) {
        let turn = &code.turns[phase];
        if let Some(effects) = &turn.effects {
            let reads_moves = turn.formulas.reads_moves();
            if reads_moves {
                code.layout.set_moves(&mut self.row, joint);
                self.row_changed();
            }
            let findings = &mut self.turns[phase].findings;
            for cut_points in &turn.cut_points {
                cut_points.make(joint, &turn.formulas, &mut self.row, self.time, findings, &mut self.flips);
            }
            effects.make(joint, &turn.formulas, &mut self.row, self.time, findings, &mut self.flips);
            if reads_moves {
                code.layout.clear_moves(&mut self.row);
            }
        } else {
            let state = &mut self.row[..code.layout.state_words()];
            let (tracker, counters) = self.turns[phase].tracker(code, turn, state);
            tracker.next(counters, joint, state);
        }
        self.row_changed();
    }

    /// The phase after that one, moves being legal.
    #[inline]
    fn phase_after(&self, code: &Code, phase: usize) -> usize {
        // The last one is for states that agree with none, and has no fixed place in the cycle.
        let phases = code.turns.len() - 1;
        match phase + 1 {
            next if next < phases => next,
            next if next == phases => 0,
            _ => self.phase(code),
        }
    }
}

impl Memory {
    fn legal(&mut self, code: &Code, state: &Row, role: RoleId, out: &mut Vec<MoveId>) {
        let phase = self.load(code, state);
        let (turn, memory) = (&code.turns[phase], &mut self.turns[phase]);
        if let Some(legal) = &turn.legal {
            let view = View { formulas: &turn.formulas, row: &self.row, time: self.time };
            legal[role.index()].list(view, &mut memory.findings, &mut self.scratch, out);
            return;
        }
        out.clear();
        let (tracker, _) = memory.tracker(code, turn, state);
        out.extend(tracker.legal()[role.index()].members().iter().map(|&action| MoveId(action)));
        out.sort_unstable();
    }

    fn next(&mut self, code: &Code, state: &Row, joint: &[MoveId], out: &mut Row) {
        let phase = self.load(code, state);
        // Moves that can never be legal in this phase: the whole network has an answer for them, too.
        let effects = code.turns[phase].effects.as_ref();
        let unknown = effects.is_some_and(|effects| !effects.know(joint));
        self.advance(code, if unknown { code.turns.len() - 1 } else { phase }, joint);
        out.copy_from_slice(&self.row[..state.len()]);
    }

    fn playout(
        &mut self,
        code: &Code,
        state: &mut Row,
        most: usize,
        random: &mut Random,
        joint: &mut Vec<MoveId>,
    ) -> usize {
        let mut phase = self.load(code, state);
        let mut made = 0;
        while made < most && !self.is_over(code, phase) && self.choose(code, phase, random, joint) {
            self.advance(code, phase, joint);
            phase = self.phase_after(code, phase);
            made += 1;
        }
        state.copy_from_slice(&self.row[..state.len()]);
        made
    }
}

/// A network has an answer to every question: there are no faults but those of a budget that is obeyed.
impl Worker for ScalarWorker {
    fn vocabulary(&self) -> &Vocabulary {
        &self.code.vocabulary
    }

    fn initial(&mut self, out: &mut Row) {
        out.copy_from_slice(&self.code.initial);
    }

    fn is_terminal(&mut self, state: &Row) -> Result<bool, Fault> {
        self.look(Question::Terminal)?;
        let phase = self.memory.load(&self.code, state);
        Ok(self.memory.is_over(&self.code, phase))
    }

    fn legal(&mut self, state: &Row, role: RoleId, out: &mut Vec<MoveId>) -> Result<(), Fault> {
        self.look(Question::Legal(role))?;
        self.memory.legal(&self.code, state, role, out);
        Ok(())
    }

    fn next(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) -> Result<(), Fault> {
        self.look(Question::Next)?;
        self.memory.next(&self.code, state, joint, out);
        Ok(())
    }

    fn goal(&mut self, state: &Row, role: RoleId) -> Result<Option<Goal>, Fault> {
        self.look(Question::Goal(role))?;
        self.memory.load(&self.code, state);
        Ok(self.memory.goals.goal(&self.code.goals, state, self.memory.time, role))
    }

    fn obey(&mut self, budget: &Budget) {
        self.meter = Some(budget.clock());
    }

    fn playout(
        &mut self,
        state: &mut Row,
        most: usize,
        random: &mut Random,
        buffer: &mut PlayoutBuffer,
    ) -> Result<usize, Fault> {
        let mut made = 0;
        // A random game goes on where it was left, so looking in between changes nothing.
        loop {
            let part = if self.meter.is_some() { MOVES_A_LOOK.min(most - made) } else { most - made };
            let now = self.memory.playout(&self.code, state, part, random, &mut buffer.joint);
            made += now;
            if now < part || made == most {
                return Ok(made);
            }
            self.look_after(MOVES_A_LOOK, Question::Next)?;
        }
    }
}

/// A question takes some hundred nanoseconds, in large games a millisecond.
const TICKS_A_QUESTION: u64 = 1024;

/// Moves of a random game between two looks at the budget.
const MOVES_A_LOOK: usize = 16;

impl ScalarWorker {
    /// Counts a question where a budget is obeyed.
    #[inline]
    fn look(&mut self, question: Question) -> Result<(), Fault> {
        self.look_after(1, question)
    }

    #[inline]
    fn look_after(&mut self, questions: usize, question: Question) -> Result<(), Fault> {
        let Some(meter) = &mut self.meter else { return Ok(()) };
        match meter.tick_by(TICKS_A_QUESTION * questions as u64) {
            Ok(()) => Ok(()),
            Err(limit) => Err(Fault::new("propnet", limit, question, &self.code.vocabulary)),
        }
    }
}
