//! Which questions are asked (lazy evaluation) and which are followed (incremental evaluation), phase by phase.
//!
//! A few games are played at random both ways when the engine is built, and the work of each way is counted
//! (parts of formulas looked at, edges gone along). The clock is not consulted, so the plan, and with it the sequence of
//! moves that a seed gives, is the same on every machine.

use super::choices::Scratch;
use super::counters::Counters;
use super::formula::{Findings, Layout, View};
use super::net::{Net, Signal};
use super::phase::{self, Phase};
use super::tracker::Tracker;
use super::turn::{Questions, Turn};
use crate::budget::{Exceeded, Meter};
use crate::random::Random;
use crate::row::{self, Row};
use crate::vocabulary::{FluentId, MoveId};

/// The longest cycle of phases that is tried: players taking turns make one as long as they are many.
const LONGEST_CYCLE: usize = 8;

/// More phases must save this share of the gates to be worth their upkeep, unless fewer roles have a choice in
/// them.
const LEAST_SAVING: f64 = 0.25;

/// The phases in which there is least to do. `sample` is of random play.
pub(super) fn phases(
    net: &Net,
    initial: &Row,
    sample: &Sample,
    meter: &mut Meter,
) -> Result<Vec<Phase>, Exceeded> {
    let start: Vec<bool> = (0..net.next.len() as u32).map(|f| row::holds(initial, FluentId(f))).collect();
    let mut best: Option<(f64, f64, Vec<Phase>)> = None;
    let mut most_known = 0.0;
    for period in 1..=LONGEST_CYCLE {
        // What was seen to vary is not constant: most cycles need no computing.
        if best.is_some() && sample.constant(period) <= most_known {
            continue;
        }
        let phases = phase::cycle(net, &start, period, meter)?;
        let known =
            phases.iter().flatten().filter(|tri| tri.known().is_some()).count() as f64 / period as f64;
        if best.is_some() && known <= most_known {
            continue;
        }
        most_known = known;
        let (mut gates, mut choosing) = (0.0, 0.0);
        for phase in &phases {
            let net = phase::specialised(net, phase, meter)?;
            let signals = net.legal.iter().flatten().chain(&net.next).copied().chain([net.terminal]);
            gates += net.cone_size(signals) as f64 / period as f64;
            let has_choice = |moves: &&Vec<Signal>| moves.iter().filter(|s| **s != Signal::FALSE).count() > 1;
            choosing += net.legal.iter().filter(has_choice).count() as f64 / period as f64;
        }
        let better = best.as_ref().is_none_or(|&(least_gates, least_choosing, _)| {
            choosing < least_choosing - 1e-6 || gates < least_gates * (1.0 - LEAST_SAVING)
        });
        if better {
            best = Some((gates, choosing, phases));
        }
    }
    Ok(best.map_or_else(Vec::new, |(.., phases)| phases))
}

/// Joint moves of the trials, and the work after which they stop.
const TRIAL_MOVES: usize = 400;
const TRIAL_WORK: u64 = 50_000_000;

/// What was seen in random play.
#[derive(Debug)]
pub(super) struct Sample {
    fluents: usize,
    states: u32,
    /// In how many states each fluent held.
    held: Vec<u32>,
    /// For each cycle, from the one of one phase on, and each of its phases, what held always and what ever did.
    cycles: Vec<Vec<(Vec<u64>, Vec<u64>)>>,
}

impl Sample {
    /// Plays; the counters must follow the whole network.
    pub(super) fn new(counters: &Counters, initial: &Row, meter: &mut Meter) -> Result<Sample, Exceeded> {
        let unseen = (vec![u64::MAX; initial.len()], vec![0; initial.len()]);
        let mut sample = Sample {
            fluents: counters.fluents,
            states: 0,
            held: vec![0; counters.fluents],
            cycles: (1..=LONGEST_CYCLE).map(|period| vec![unseen.clone(); period]).collect(),
        };
        let mut tracker = Tracker::new(counters, initial);
        let mut random = Random::new(0);
        let mut state = initial.to_vec();
        let mut joint = Vec::new();
        let mut ply = 0;
        let mut before = 0;
        while sample.states < TRIAL_MOVES as u32 && tracker.work() < TRIAL_WORK {
            meter.tick_by(tracker.work() - before)?;
            before = tracker.work();
            sample.add(&state, ply);
            tracker.load(counters, &state);
            if tracker.is_terminal() || !draw(&tracker, &mut random, &mut joint) {
                state.copy_from_slice(initial);
                ply = 0;
            } else {
                tracker.next(counters, &joint, &mut state);
                ply += 1;
            }
        }
        Ok(sample)
    }

    fn add(&mut self, state: &Row, ply: usize) {
        self.states += 1;
        row::fluents(state).for_each(|fluent| self.held[fluent.index()] += 1);
        for cycle in &mut self.cycles {
            let phase = ply % cycle.len();
            let (always, ever) = &mut cycle[phase];
            always.iter_mut().zip(state).for_each(|(always, word)| *always &= word);
            ever.iter_mut().zip(state).for_each(|(ever, word)| *ever |= word);
        }
    }

    /// How often each fluent holds.
    pub(super) fn odds(&self) -> Vec<f32> {
        // Nothing is certain after a few games.
        self.held.iter().map(|&held| (held as f32 + 0.1) / (self.states as f32 + 0.2)).collect()
    }

    /// How many fluents did not vary in a phase of the cycle, on average.
    fn constant(&self, period: usize) -> f64 {
        let constant = |(always, ever): &(Vec<u64>, Vec<u64>)| {
            let varying =
                always.iter().zip(ever).map(|(always, ever)| (ever & !always).count_ones() as usize);
            self.fluents - varying.sum::<usize>()
        };
        self.cycles[period - 1].iter().map(constant).sum::<usize>() as f64 / period as f64
    }
}

/// Draws a move for each role; false if somebody has none.
fn draw(tracker: &Tracker, random: &mut Random, joint: &mut Vec<MoveId>) -> bool {
    joint.clear();
    for legal in tracker.legal() {
        let members = legal.members();
        if members.is_empty() {
            return false;
        }
        joint.push(MoveId(members[random.below(members.len())]));
    }
    true
}

/// The phases compiled, each to ask what is better asked. `everything` follows the whole network.
pub(super) fn turns(
    net: &Net,
    phases: &[Phase],
    everything: &Counters,
    layout: &Layout,
    initial: &Row,
    meter: &mut Meter,
) -> Result<Vec<Turn>, Exceeded> {
    let only = Questions::NONE;
    let mut nets: Vec<Net> = Vec::new();
    for phase in phases {
        nets.push(phase::specialised(net, phase, meter)?);
    }
    let mut candidates = Vec::new();
    for (phase, net) in phases.iter().zip(&nets) {
        let turn = Turn::new(net, phase, layout, Questions::ALL, meter)?;
        // What cannot be asked needs no comparison.
        let mut counters = |can_be_asked: bool, question: Questions| {
            can_be_asked.then(|| Counters::new(net, question, meter)).transpose()
        };
        let legal = counters(turn.legal.is_some(), Questions { legal: true, ..only })?;
        let next = counters(turn.effects.is_some(), Questions { next: true, ..only })?;
        candidates.push((turn, legal, next));
    }
    let terminal = Counters::new(net, Questions { terminal: true, ..only }, meter)?;
    let follower = |counters| Follower { counters, tracker: Tracker::new(counters, initial) };
    let ways = candidates.iter().map(|(turn, legal, next)| Ways {
        turn,
        findings: Findings::new(&turn.formulas),
        legal: legal.as_ref().map(follower),
        next: next.as_ref().map(follower),
        asking: Work::default(),
        following: Work::default(),
    });
    let mut trial = Trial {
        ways: ways.collect(),
        play: follower(everything),
        terminal: follower(&terminal),
        row: vec![0; layout.words()],
        flips: vec![0; layout.words()],
        scratch: Scratch::default(),
        time: 0,
        layout,
    };
    trial.play(initial, meter)?;
    let verdict = trial.verdict();
    let tried = candidates.into_iter().map(|(turn, ..)| turn);
    let decided = phases.iter().zip(&nets).zip(tried).zip(verdict);
    // Compiling can take seconds, so what was tried is kept if only the end of the game is not to be asked for.
    let mut turns = Vec::new();
    for (((phase, net), mut tried), ask) in decided {
        tried.terminal = tried.terminal.filter(|_| ask.terminal);
        let mut turn = if tried.asks() == ask { tried } else { Turn::new(net, phase, layout, ask, meter)? };
        turn.assemble(meter)?;
        turns.push(turn);
    }
    Ok(turns)
}

/// Work by question.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    legal: u64,
    next: u64,
    terminal: u64,
}

impl Work {
    fn total(self) -> u64 {
        self.legal + self.next + self.terminal
    }
}

/// The work of finding out what has changed.
const LOAD: u64 = 100;

/// A network that is followed, with its tracker.
struct Follower<'t> {
    counters: &'t Counters,
    tracker: Tracker,
}

impl Follower<'_> {
    fn load(&mut self, state: &Row) {
        self.tracker.load(self.counters, state);
    }

    fn next(&mut self, joint: &[MoveId], state: &mut Row) {
        self.tracker.next(self.counters, joint, state);
    }

    fn work(&self) -> u64 {
        self.tracker.work()
    }
}

/// Play in which every question is answered both ways.
struct Trial<'t> {
    ways: Vec<Ways<'t>>,
    /// Decides what is played.
    play: Follower<'t>,
    terminal: Follower<'t>,
    layout: &'t Layout,
    row: Vec<u64>,
    flips: Vec<u64>,
    scratch: Scratch,
    time: u32,
}

/// Both ways to play one phase.
struct Ways<'t> {
    turn: &'t Turn,
    findings: Findings,
    legal: Option<Follower<'t>>,
    next: Option<Follower<'t>>,
    asking: Work,
    following: Work,
}

impl Trial<'_> {
    fn play(&mut self, initial: &Row, meter: &mut Meter) -> Result<(), Exceeded> {
        let mut random = Random::new(0);
        let mut state = initial.to_vec();
        let mut joint = Vec::new();
        let total = |ways: &Ways<'_>| ways.asking.total() + ways.following.total();
        let mut before = 0;
        for _ in 0..TRIAL_MOVES {
            let work = self.play.work() + self.ways.iter().map(total).sum::<u64>();
            if work > TRIAL_WORK {
                break;
            }
            meter.tick_by(work - before)?;
            before = work;
            let Some(at) = self.ways.iter().position(|ways| ways.turn.admits(&state)) else { break };
            self.row[..state.len()].copy_from_slice(&state);
            self.ask(at, &mut random);
            self.follow(at, &state);
            self.play.load(&state);
            if self.play.tracker.is_terminal() || !draw(&self.play.tracker, &mut random, &mut joint) {
                state.copy_from_slice(initial);
                continue;
            }
            self.ask_next(at, &joint);
            self.follow_next(at, &joint, &state);
            self.play.next(&joint, &mut state);
        }
        Ok(())
    }

    /// Asks whether the game is over, and for a move of each role.
    fn ask(&mut self, at: usize, random: &mut Random) {
        self.time += 2;
        let Ways { turn, findings, asking, .. } = &mut self.ways[at];
        let view = View { formulas: &turn.formulas, row: &self.row, time: self.time };
        let before = findings.work();
        if let Some(terminal) = turn.terminal {
            findings.holds(view, terminal);
        }
        let between = findings.work();
        for choices in turn.legal.iter().flatten() {
            choices.pick(view, findings, random, &mut self.scratch);
        }
        asking.terminal += between - before;
        asking.legal += findings.work() - between;
    }

    fn ask_next(&mut self, at: usize, joint: &[MoveId]) {
        let Ways { turn, findings, asking, .. } = &mut self.ways[at];
        let Some(effects) = turn.effects.as_ref().filter(|effects| effects.know(joint)) else { return };
        self.layout.set_moves(&mut self.row, joint);
        self.time += 2;
        let before = findings.work();
        for cut_points in &turn.cut_points {
            cut_points.make(joint, &turn.formulas, &mut self.row, self.time, findings, &mut self.flips);
        }
        let view = View { formulas: &turn.formulas, row: &self.row, time: self.time };
        effects.collect(joint, view, findings, &mut self.flips);
        self.flips.fill(0);
        self.layout.clear_moves(&mut self.row);
        asking.next += findings.work() - before;
    }

    fn follow(&mut self, at: usize, state: &Row) {
        let Ways { legal, following, .. } = &mut self.ways[at];
        let load = |follower: &mut Follower<'_>| {
            let before = follower.work();
            follower.load(state);
            follower.work() - before + LOAD
        };
        following.terminal += load(&mut self.terminal);
        following.legal += legal.as_mut().map_or(0, load);
    }

    fn follow_next(&mut self, at: usize, joint: &[MoveId], state: &Row) {
        let Ways { next, following, .. } = &mut self.ways[at];
        if let Some(follower) = next {
            let before = follower.work();
            follower.load(state);
            follower.next(joint, &mut state.to_vec());
            following.next += follower.work() - before + LOAD;
        }
    }

    fn verdict(&self) -> Vec<Questions> {
        // The end of the game is followed in all phases or in none.
        let sum = |part: fn(&Ways<'_>) -> u64| self.ways.iter().map(part).sum::<u64>();
        let terminal = sum(|ways| ways.asking.terminal) <= sum(|ways| ways.following.terminal);
        let questions = self.ways.iter().map(|Ways { turn, asking, following, .. }| Questions {
            legal: turn.legal.is_some() && asking.legal <= following.legal,
            next: turn.effects.is_some() && asking.next <= following.next,
            terminal: turn.terminal.is_some() && terminal,
        });
        questions.collect()
    }
}
