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
use crate::engine::{Engine, Goal, PlayoutBuffer, Worker};
use crate::error::BuildError;
use crate::limits::Limits;
use crate::random::Random;
use crate::row::Row;
use crate::vocabulary::{MoveId, RoleId, Vocabulary};
use crate::watch::{Stage, begin};
use ludex_gdl::Game;
use std::sync::Arc;

/// The propositional network as an engine.
#[derive(Debug)]
pub struct Propnet {
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
    pub fn new(game: &Game, limits: Limits) -> Result<Propnet, BuildError> {
        Ok(Propnet::of(compile(game, limits)?))
    }

    /// The engine over a network that was compiled already.
    pub fn of(compiled: Compiled) -> Propnet {
        let Compiled { vocabulary, net, initial, .. } = compiled;
        let everything = Counters::new(&net, Questions::ALL);
        let sample = Sample::new(&everything, &initial);
        let layout = Layout::new(sample.odds(), net.legal.iter().map(Vec::len), cut_points::room(&net));
        begin(Stage::Phases);
        let phases = plan::phases(&net, &initial, &sample);
        begin(Stage::Code);
        let mut turns = plan::turns(&net, &phases, &everything, &layout, &initial);
        turns.push(Turn::following(everything));
        let terminal = Counters::new(&net, Questions { terminal: true, ..Questions::NONE });
        let goals = GoalCode::new(&net, &layout);
        Propnet { vocabulary, net, layout, turns, terminal, initial, goals }
    }

    /// The engine over a network of which little will be asked: it follows the whole network in every state, so
    /// no phases are sought and nothing is tried out. Built in a fraction of the time, it plays more slowly.
    pub fn plain(compiled: Compiled) -> Propnet {
        let Compiled { vocabulary, net, initial, .. } = compiled;
        let layout = Layout::new(vec![0.5; net.next.len()], net.legal.iter().map(Vec::len), 0);
        let followed = Questions { terminal: false, ..Questions::ALL };
        let turns = vec![Turn::following(Counters::new(&net, followed))];
        let terminal = Counters::new(&net, Questions { terminal: true, ..Questions::NONE });
        let goals = GoalCode::new(&net, &layout);
        Propnet { vocabulary, net, layout, turns, terminal, initial, goals }
    }

    /// The network.
    pub fn net(&self) -> &Net {
        &self.net
    }

    fn new_worker(&self) -> ScalarWorker<'_> {
        ScalarWorker {
            engine: self,
            row: vec![0; self.layout.words()],
            flips: vec![0; self.layout.words()],
            turns: self.turns.iter().map(TurnMemory::new).collect(),
            time: 2,
            terminal: None,
            goals: Goals::new(&self.goals),
            scratch: Scratch::default(),
        }
    }
}

impl Engine for Propnet {
    fn name(&self) -> &'static str {
        "propnet"
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    fn memory_usage(&self) -> usize {
        self.net.nodes.len() * std::mem::size_of::<Node>()
            + self.turns.iter().map(Turn::memory_usage).sum::<usize>()
            + self.terminal.memory_usage()
            + self.goals.memory_usage()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self.new_worker())
    }
}

/// What a worker knows about the states of one phase.
#[derive(Debug)]
struct TurnMemory<'e> {
    findings: Findings,
    /// Made when it is first needed.
    tracker: Option<Tracker<'e>>,
}

impl<'e> TurnMemory<'e> {
    fn new(turn: &Turn) -> TurnMemory<'e> {
        TurnMemory { findings: Findings::new(&turn.formulas), tracker: None }
    }

    /// The tracker, brought to the state.
    #[inline]
    fn tracker(&mut self, engine: &'e Propnet, turn: &'e Turn, state: &Row) -> &mut Tracker<'e> {
        let tracker = self.tracker.get_or_insert_with(|| {
            let counters = turn.counters.as_ref().expect("what is not asked is followed");
            Tracker::new(counters, &engine.initial)
        });
        tracker.load(state);
        tracker
    }
}

/// One thread's memory.
#[derive(Debug)]
struct ScalarWorker<'e> {
    engine: &'e Propnet,
    /// The state that the findings speak of, and behind it the moves that are on.
    row: Vec<u64>,
    /// The bits of the row that a move changes; zero in between.
    flips: Vec<u64>,
    turns: Vec<TurnMemory<'e>>,
    /// Another one for each row: even, and never zero.
    time: u32,
    /// Made when it is first needed.
    terminal: Option<Tracker<'e>>,
    goals: Goals<'e>,
    scratch: Scratch,
}

impl<'e> ScalarWorker<'e> {
    /// Makes the state the one that is asked about. Gives its phase.
    #[inline]
    fn load(&mut self, state: &Row) -> usize {
        let row = &mut self.row[..state.len()];
        if row != state {
            row.copy_from_slice(state);
            self.row_changed();
        }
        self.phase()
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
    fn phase(&self) -> usize {
        let turns = &self.engine.turns;
        turns.iter().position(|turn| turn.admits(&self.row)).unwrap_or(turns.len() - 1)
    }

    #[inline]
    fn is_over(&mut self, phase: usize) -> bool {
        let turn = &self.engine.turns[phase];
        if let Some(terminal) = turn.terminal {
            let view = View { formulas: &turn.formulas, row: &self.row, time: self.time };
            return self.turns[phase].findings.holds(view, terminal);
        }
        let engine = self.engine;
        let tracker = self.terminal.get_or_insert_with(|| Tracker::new(&engine.terminal, &engine.initial));
        tracker.load(&self.row[..engine.layout.state_words()]);
        tracker.is_terminal()
    }

    /// Replaces the moves of `joint` by one of each role at random; false if somebody has none.
    #[inline]
    fn choose(&mut self, phase: usize, random: &mut Random, joint: &mut Vec<MoveId>) -> bool {
        let (engine, memory) = (self.engine, &mut self.turns[phase]);
        let turn = &engine.turns[phase];
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
        let tracker = memory.tracker(engine, turn, &self.row[..engine.layout.state_words()]);
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
    fn advance(&mut self, phase: usize, joint: &[MoveId]) {
        let engine = self.engine;
        let turn = &engine.turns[phase];
        if let Some(effects) = &turn.effects {
            let reads_moves = turn.formulas.reads_moves();
            if reads_moves {
                engine.layout.set_moves(&mut self.row, joint);
                self.row_changed();
            }
            let findings = &mut self.turns[phase].findings;
            for cut_points in &turn.cut_points {
                cut_points.make(joint, &turn.formulas, &mut self.row, self.time, findings, &mut self.flips);
            }
            effects.make(joint, &turn.formulas, &mut self.row, self.time, findings, &mut self.flips);
            if reads_moves {
                engine.layout.clear_moves(&mut self.row);
            }
        } else {
            let state = &mut self.row[..engine.layout.state_words()];
            self.turns[phase].tracker(engine, turn, state).next(joint, state);
        }
        self.row_changed();
    }

    /// The phase after that one, moves being legal.
    #[inline]
    fn phase_after(&self, phase: usize) -> usize {
        // The last one is for states that agree with none, and has no fixed place in the cycle.
        let phases = self.engine.turns.len() - 1;
        match phase + 1 {
            next if next < phases => next,
            next if next == phases => 0,
            _ => self.phase(),
        }
    }
}

impl Worker for ScalarWorker<'_> {
    fn vocabulary(&self) -> &Vocabulary {
        &self.engine.vocabulary
    }

    fn initial(&mut self, out: &mut Row) {
        out.copy_from_slice(&self.engine.initial);
    }

    fn is_terminal(&mut self, state: &Row) -> bool {
        let phase = self.load(state);
        self.is_over(phase)
    }

    fn legal(&mut self, state: &Row, role: RoleId, out: &mut Vec<MoveId>) {
        let phase = self.load(state);
        let (engine, memory) = (self.engine, &mut self.turns[phase]);
        let turn = &engine.turns[phase];
        if let Some(legal) = &turn.legal {
            let view = View { formulas: &turn.formulas, row: &self.row, time: self.time };
            legal[role.index()].list(view, &mut memory.findings, &mut self.scratch, out);
            return;
        }
        out.clear();
        let tracker = memory.tracker(engine, turn, state);
        out.extend(tracker.legal()[role.index()].members().iter().map(|&action| MoveId(action)));
        out.sort_unstable();
    }

    fn next(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) {
        let phase = self.load(state);
        // Moves that can never be legal in this phase: the whole network has an answer for them, too.
        let effects = self.engine.turns[phase].effects.as_ref();
        let unknown = effects.is_some_and(|effects| !effects.know(joint));
        self.advance(if unknown { self.engine.turns.len() - 1 } else { phase }, joint);
        out.copy_from_slice(&self.row[..state.len()]);
    }

    fn goal(&mut self, state: &Row, role: RoleId) -> Option<Goal> {
        self.load(state);
        self.goals.goal(state, self.time, role)
    }

    fn playout(
        &mut self,
        state: &mut Row,
        most: usize,
        random: &mut Random,
        buffer: &mut PlayoutBuffer,
    ) -> usize {
        let mut phase = self.load(state);
        let mut made = 0;
        while made < most && !self.is_over(phase) && self.choose(phase, random, &mut buffer.joint) {
            self.advance(phase, &buffer.joint);
            phase = self.phase_after(phase);
            made += 1;
        }
        state.copy_from_slice(&self.row[..state.len()]);
        made
    }
}
