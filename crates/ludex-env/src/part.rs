//! 512 games of a batch: what actions, ends, cuts and new games mean.

use crate::encode::Encoder;
use crate::error::EnvError;
use crate::model::Model;
use crate::options::{Autoreset, Forced, Illegal, Options};
use crate::outputs::Outputs;
use crate::reward::Scale;
use crate::simulate::{Actions, Held, Rows, Simulator, Source};
use ludex_engine::propnet::lanes::{LegalCounts, Plane, write_flags};
use ludex_engine::vocabulary::{MoveId, RoleId};

/// What all parts of a batch share.
pub(crate) struct Shared<'b> {
    pub(crate) model: &'b Model,
    pub(crate) options: &'b Options,
    pub(crate) scale: Scale,
    pub(crate) encoder: Option<&'b Encoder>,
    pub(crate) opening: &'b Opening,
    /// The number of the step.
    pub(crate) step: u64,
}

/// What is to be said of the initial state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opening {
    terminal: bool,
    stuck: bool,
    /// For each role whether it has a legal move, and whether it has more than one.
    counts: Vec<(bool, bool)>,
}

/// How games have ended.
#[derive(Clone, Copy, Debug)]
struct Ends {
    terminated: Plane,
    truncated: Plane,
    stuck: Plane,
}

impl Ends {
    const NONE: Ends = Ends { terminated: Plane::ZERO, truncated: Plane::ZERO, stuck: Plane::ZERO };

    fn all(&self) -> Plane {
        self.terminated | self.truncated
    }

    fn or(&self, other: &Ends) -> Ends {
        Ends {
            terminated: self.terminated | other.terminated,
            truncated: self.truncated | other.truncated,
            stuck: self.stuck | other.stuck,
        }
    }

    fn only(&self, lanes: Plane) -> Ends {
        Ends {
            terminated: self.terminated & lanes,
            truncated: self.truncated & lanes,
            stuck: self.stuck & lanes,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Part {
    simulator: Box<dyn Simulator>,
    /// The number of the first game.
    first: usize,
    pub(crate) games: usize,
    present: Plane,
    /// Games that are over, and how; those that are not.
    over: Ends,
    live: Plane,
    /// Steps made in each game, a plane a binary digit. Empty if there is no bound.
    age: Vec<Plane>,
    counts: Vec<LegalCounts>,
    /// Actions of the last step that were not legal, by role.
    illegal: Vec<Plane>,
}

impl Part {
    pub(crate) fn new(
        model: &Model,
        options: &Options,
        first: usize,
        games: usize,
    ) -> Result<Part, EnvError> {
        let digits = (u32::BITS - options.length.leading_zeros()) as usize;
        let none = LegalCounts { some: Plane::ZERO, several: Plane::ZERO };
        let mut part = Part {
            simulator: model.simulator(games),
            first,
            games,
            present: Plane::first(games),
            over: Ends::NONE,
            live: Plane::first(games),
            age: vec![Plane::ZERO; digits],
            counts: vec![none; model.role_count()],
            illegal: vec![Plane::ZERO; model.role_count()],
        };
        part.simulator.refresh(&mut part.counts)?;
        part.simulator.leave(&mut Held::default());
        part.take_up(part.present);
        Ok(part)
    }

    /// What is said of the initial state, before any move is made.
    pub(crate) fn opening(&self) -> Opening {
        Opening {
            terminal: self.over.terminated.bit(0),
            stuck: self.over.stuck.bit(0),
            counts: self.counts.iter().map(|counts| (counts.some.bit(0), counts.several.bit(0))).collect(),
        }
    }

    /// Takes what a step is computed with from the part before.
    pub(crate) fn enter(&mut self, held: &mut Held) {
        self.simulator.enter(held);
    }

    /// Gives back what a step was computed with.
    pub(crate) fn leave(&mut self, held: &mut Held) {
        self.simulator.leave(held);
    }

    pub(crate) fn simulator(&self) -> &dyn Simulator {
        &*self.simulator
    }

    /// Finds out in the lanes which games are over or stuck, as the counts of legal moves are.
    fn look(&self, lanes: Plane) -> Ends {
        let unblocked = self.counts.iter().fold(lanes, |all, counts| all & counts.some);
        let terminated = self.simulator.terminal() & lanes;
        let stuck = lanes & !terminated & !unblocked;
        Ends { terminated, truncated: stuck, stuck }
    }

    /// Begins with the states that are in the lanes.
    fn take_up(&mut self, lanes: Plane) {
        let ends = self.look(lanes);
        self.over = self.over.only(!lanes).or(&ends);
        self.live = self.present & !self.over.all();
    }

    /// New games in the initial state, or in the states given, a row a game of this part.
    pub(crate) fn reset(
        &mut self,
        shared: &Shared<'_>,
        which: Plane,
        states: Option<&[u64]>,
    ) -> Result<(), EnvError> {
        let which = which & self.present;
        for digit in &mut self.age {
            *digit = *digit & !which;
        }
        match states {
            None => self.begin(shared, which),
            Some(states) => {
                let words = shared.model.words();
                for lane in which.lanes() {
                    self.simulator.set_state(lane, &states[lane * words..][..words]);
                }
                self.simulator.refresh(&mut self.counts)?;
                self.simulator.leave(&mut Held::default());
                self.take_up(which);
                Ok(())
            }
        }
    }

    /// New games in the initial state.
    fn begin(&mut self, shared: &Shared<'_>, lanes: Plane) -> Result<(), EnvError> {
        if lanes.is_empty() {
            return Ok(());
        }
        self.simulator.restart(&lanes)?;
        for digit in &mut self.age {
            *digit = *digit & !lanes;
        }
        for (counts, &(some, several)) in self.counts.iter_mut().zip(&shared.opening.counts) {
            put(&mut counts.some, &lanes, some);
            put(&mut counts.several, &lanes, several);
        }
        let &Opening { terminal, stuck, .. } = shared.opening;
        put(&mut self.over.terminated, &lanes, terminal);
        put(&mut self.over.truncated, &lanes, stuck);
        put(&mut self.over.stuck, &lanes, stuck);
        put(&mut self.live, &lanes, !terminal && !stuck);
        Ok(())
    }

    /// Reads the actions and finds those that are not legal. What is legal is made when the games are stepped.
    pub(crate) fn read(&mut self, shared: &Shared<'_>, actions: Actions<'_>) {
        let live = self.live;
        self.simulator.read(actions, &mut self.illegal);
        for (role, illegal) in (0..).zip(&mut self.illegal) {
            let role = RoleId(role);
            *illegal = live & !*illegal;
            if shared.options.forced == Forced::Made && !illegal.is_empty() {
                let counts = &self.counts[role.index()];
                let only = *illegal & counts.some & !counts.several;
                self.simulator.make_only(role, &only);
                *illegal = *illegal & !only;
            }
        }
    }

    /// The first action that is not legal, as an error.
    pub(crate) fn complain(&self, model: &Model, actions: Actions<'_>) -> Result<(), EnvError> {
        let first = |(role, illegal): (usize, &Plane)| illegal.lanes().next().map(|lane| (lane, role));
        let Some((lane, role)) = self.illegal.iter().enumerate().filter_map(first).min() else {
            return Ok(());
        };
        let action = actions.get(lane * model.role_count() + role);
        let id = RoleId(role as u32);
        let named = u32::try_from(action).ok().filter(|&a| (a as usize) < model.moves(id).len());
        Err(EnvError::Illegal {
            game: self.first + lane,
            role: (role, model.vocabulary().show_role(id)),
            action,
            action_name: named.map(|action| model.show_move(id, MoveId(action))),
        })
    }

    /// Steps the games by the actions that were read.
    pub(crate) fn step(
        &mut self,
        shared: &Shared<'_>,
        actions: Actions<'_>,
        out: &mut Outputs<'_>,
    ) -> Result<(), EnvError> {
        let roles = shared.model.role_count();
        let live = self.live;
        let waiting = self.present & !live;
        let offended = self.illegal.iter().fold(Plane::ZERO, |all, illegal| all | *illegal);
        let (stepping, lost) = match shared.options.illegal {
            Illegal::Lose => (live & !offended, offended),
            Illegal::Random | Illegal::Raise => (live, Plane::ZERO),
        };
        if let Some(made) = &mut out.made {
            self.tell_made(actions, &stepping, made);
        }
        if !offended.is_empty() && lost.is_empty() {
            self.draw(shared, out);
        }
        if let Some(out) = &mut out.illegal {
            out.fill(0);
            for (role, illegal) in self.illegal.iter().enumerate() {
                illegal.lanes().for_each(|lane| out[lane * roles + role] = 1);
            }
        }

        self.simulator.advance(&stepping, &mut self.counts)?;
        let mut ends = self.look(stepping);
        let over = ends.terminated;
        if !self.age.is_empty() {
            let old = self.grow_old(shared.options.length, &stepping);
            ends.truncated = ends.truncated | old & !over;
        }
        ends.terminated = over | lost;
        self.over = self.over.or(&ends);
        self.live = self.live & !ends.all();

        if let Some(rewards) = &mut out.rewards {
            rewards.fill(0.0);
            shared.scale.begin(&ends.terminated, rewards);
            if !over.is_empty() {
                let add = &mut |role, goal, lanes: &Plane| shared.scale.add(role, goal, lanes, rewards);
                self.simulator.goals(&over, add)?;
            }
            if !lost.is_empty() {
                let greatest = shared.model.goal_range().1;
                for (role, illegal) in (0..).zip(&self.illegal) {
                    shared.scale.add(RoleId(role), greatest, &(lost & !*illegal), rewards);
                }
            }
        }
        if let (Some(cells), Some(encoder)) = (out.final_observation.take(), shared.encoder) {
            encoder.write(&*self.simulator, &self.present, cells);
        }
        let again = match shared.options.autoreset {
            Autoreset::Disabled => Plane::ZERO,
            Autoreset::NextStep => waiting,
            Autoreset::SameStep => waiting | ends.all(),
        };
        self.begin(shared, again)?;
        self.tell(shared, &ends, &waiting, out);
        Ok(())
    }

    /// Writes what is to be said of the games as they are.
    pub(crate) fn show(&self, shared: &Shared<'_>, out: &mut Outputs<'_>) {
        if let Some(rewards) = &mut out.rewards {
            rewards.fill(0.0);
        }
        if let Some(illegal) = &mut out.illegal {
            illegal.fill(0);
        }
        if let Some(made) = &mut out.made {
            made.fill(-1);
        }
        if let (Some(cells), Some(encoder)) = (out.final_observation.take(), shared.encoder) {
            encoder.write(&*self.simulator, &self.present, cells);
        }
        self.tell(shared, &Ends::NONE, &self.present, out);
    }

    /// Tells what ended now, and in the other lanes named how games are over.
    fn tell(&self, shared: &Shared<'_>, ends: &Ends, others: &Plane, out: &mut Outputs<'_>) {
        let over = &self.over;
        for (out, now, before) in [
            (&mut out.terminated, &ends.terminated, &over.terminated),
            (&mut out.truncated, &ends.truncated, &over.truncated),
            (&mut out.stuck, &ends.stuck, &over.stuck),
        ] {
            if let Some(out) = out {
                write_flags(&(*now | *before & *others), out);
            }
        }
        if let Some(out) = &mut out.legal {
            self.simulator.write(Source::Legal, &self.live, Rows::Bytes(out));
        }
        if let Some(out) = &mut out.legal_words {
            self.simulator.write(Source::Legal, &self.live, Rows::Words(out));
        }
        if let Some(out) = &mut out.turn {
            self.tell_turn(shared.model, self.live, out);
        }
        if let (Some(cells), Some(encoder)) = (out.observation.take(), shared.encoder) {
            encoder.write(&*self.simulator, &self.present, cells);
        }
    }

    /// Writes whose turn it is: as the state says where that is proved, else who alone has a choice.
    fn tell_turn(&self, model: &Model, live: Plane, out: &mut [i8]) {
        out.fill(-1);
        let mut put = |role: usize, lanes: Plane| {
            if let Ok(role) = i8::try_from(role) {
                lanes.lanes().for_each(|lane| out[lane] = role);
            }
        };
        for &(fluent, role) in model.control() {
            put(role.index(), live & self.simulator.holding(fluent));
        }
        if model.control().is_empty() {
            let (mut once, mut twice) = (Plane::ZERO, Plane::ZERO);
            for counts in &self.counts {
                twice = twice | once & counts.several;
                once = once | counts.several;
            }
            for (role, counts) in self.counts.iter().enumerate() {
                put(role, live & counts.several & !twice);
            }
        }
    }

    /// Writes the actions of the games that are stepped; forced moves are looked up.
    fn tell_made(&self, actions: Actions<'_>, stepping: &Plane, made: &mut [i32]) {
        let roles = self.counts.len();
        made.fill(-1);
        for lane in stepping.lanes() {
            for (role, out) in made[lane * roles..][..roles].iter_mut().enumerate() {
                let id = RoleId(role as u32);
                let counts = &self.counts[role];
                let action = actions.get(lane * roles + role);
                *out = if counts.several.bit(lane) {
                    i32::try_from(action).unwrap_or(-1)
                } else {
                    let only = (0..).take_while(|_| counts.some.bit(lane)).map(MoveId);
                    let mut only = only.skip_while(|&action| !self.simulator.is_legal(id, lane, action));
                    only.next().map_or(-1, |action| action.0 as i32)
                };
            }
        }
    }

    /// Draws a legal move for each action that is not.
    fn draw(&mut self, shared: &Shared<'_>, out: &mut Outputs<'_>) {
        let roles = self.illegal.len();
        for role in 0..roles {
            let id = RoleId(role as u32);
            let illegal = self.illegal[role];
            for lane in illegal.lanes() {
                let moves = 0..shared.model.moves(id).len() as u32;
                let legal = || moves.clone().map(MoveId).filter(|&m| self.simulator.is_legal(id, lane, m));
                let count = legal().count();
                if count == 0 {
                    continue;
                }
                let drawn = below(count, shared.options.seed, self.first + lane, shared.step, role);
                if let Some(action) = legal().nth(drawn) {
                    if let Some(made) = &mut out.made {
                        made[lane * roles + role] = action.0 as i32;
                    }
                    self.simulator.make(id, lane, action);
                }
            }
        }
    }

    /// Counts the step in the lanes. Returns those that have reached the length.
    fn grow_old(&mut self, length: u32, stepping: &Plane) -> Plane {
        let mut carry = *stepping;
        let mut old = *stepping;
        for (at, digit) in self.age.iter_mut().enumerate() {
            let new = *digit ^ carry;
            carry = *digit & carry;
            *digit = new;
            old = old & if length >> at & 1 == 1 { new } else { !new };
        }
        old
    }

    /// A random legal action of each role in each game; zero in games that are over.
    pub(crate) fn sample(&self, model: &Model, seed: u64, words: &mut [u64], out: &mut [i32]) {
        let stride = model.move_count().div_ceil(64);
        let words = &mut words[..self.games * stride];
        self.simulator.write(Source::Legal, &self.live, Rows::Words(words));
        let roles = model.role_count();
        for lane in 0..self.games {
            let row = &words[lane * stride..][..stride];
            for role in 0..roles {
                let moves = model.moves(RoleId(role as u32));
                let legal = |word: usize| {
                    let low = moves.start.saturating_sub(word * 64).min(64);
                    let high = moves.end.saturating_sub(word * 64).min(64);
                    let below = |bits: usize| if bits == 64 { !0 } else { (1 << bits) - 1 };
                    row[word] & below(high) & !below(low)
                };
                let range = moves.start / 64..moves.end.div_ceil(64);
                let count: u32 = range.clone().map(|word| legal(word).count_ones()).sum();
                out[lane * roles + role] = 0;
                if count == 0 {
                    continue;
                }
                let mut left = below(count as usize, seed, self.first + lane, 0, role) as u32;
                for word in range {
                    let mut bits = legal(word);
                    if left >= bits.count_ones() {
                        left -= bits.count_ones();
                        continue;
                    }
                    for _ in 0..left {
                        bits &= bits - 1;
                    }
                    let column = word * 64 + bits.trailing_zeros() as usize;
                    out[lane * roles + role] = (column - moves.start) as i32;
                    break;
                }
            }
        }
    }
}

/// Puts the lanes in, or takes them out.
fn put(plane: &mut Plane, lanes: &Plane, inside: bool) {
    *plane = if inside { *plane | *lanes } else { *plane & !*lanes };
}

/// A random number below `count`, which is not zero, of one game, step and role, whichever thread plays it. All are equally likely to
/// one part in 2^32 or better.
fn below(count: usize, seed: u64, game: usize, step: u64, role: usize) -> usize {
    let mut mixed = seed;
    for part in [game as u64, step, role as u64] {
        // SplitMix64, from where the last part has led.
        mixed = (mixed ^ part).wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
    }
    ((u128::from(mixed) * count as u128) >> 64) as usize
}
