//! Many games of one rule sheet, stepped together.

use crate::encode::Encoder;
use crate::error::EnvError;
use crate::model::Model;
use crate::options::{Illegal, Options, Rewards};
use crate::outputs::{Cells, Outputs, Widths};
use crate::part::{Opening, Part, Shared};
use crate::reward::Scale;
use crate::simulate::{Actions, Held, Rows, Source, View};
use ludex_engine::propnet::lanes::{Column, LANES, Plane};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;

/// More threads make nothing faster.
const MOST_THREADS: usize = 1024;

/// Which games a reset is about.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// All.
    All,
    /// Those whose byte is not zero.
    Marked(&'a [u8]),
}

/// Where games begin.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// In the initial state.
    Initial,
    /// Each in the state of its row ([`Batch::states`] writes such rows); rows of games that are not reset are not looked at.
    States(&'a [u64]),
}

/// Games of one rule sheet, each in its own state.
///
/// Everything is determined by the options, the seed among them, and the calls; the number of threads makes no difference. A step
/// allocates nothing.
#[derive(Debug)]
pub struct Batch {
    model: Arc<Model>,
    options: Options,
    scale: Scale,
    encoder: Option<Arc<Encoder>>,
    opening: Opening,
    games: usize,
    parts: Vec<Part>,
    pool: Option<ThreadPool>,
    /// Steps since the seed was set.
    steps: u64,
    /// All fluents, for states.
    state: View,
    /// For drawing random actions: a part's legal moves.
    words: Vec<u64>,
}

impl Batch {
    /// So many games, all in the initial state.
    pub fn new(model: Arc<Model>, games: usize, options: Options) -> Result<Batch, EnvError> {
        if games == 0 || games > i32::MAX as usize {
            return Err(EnvError::Games(games));
        }
        if options.rewards == Rewards::ZeroSum && model.role_count() < 2 {
            return Err(EnvError::OneRole);
        }
        let starts = (0..games).step_by(LANES);
        let parts = starts.map(|first| Part::new(&model, &options, first, LANES.min(games - first)));
        let parts = parts.collect::<Result<Vec<Part>, EnvError>>()?;
        // More threads than parts have nothing to do.
        let threads = options.threads.clamp(1, parts.len().min(MOST_THREADS));
        let pool = match threads {
            1 => None,
            threads => {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build();
                Some(pool.map_err(|e| EnvError::Threads(e.to_string()))?)
            }
        };
        let fluents = model.vocabulary().fluents().map(Column::Fluent).collect();
        model.reserve(threads);
        Ok(Batch {
            scale: Scale::new(options.rewards, model.goal_range(), model.role_count()),
            opening: parts[0].opening(),
            state: model.view(fluents),
            words: vec![0; LANES * model.move_count().div_ceil(64)],
            encoder: None,
            steps: 0,
            model,
            options,
            games,
            parts,
            pool,
        })
    }

    /// The same with observations.
    pub fn with_encoder(mut self, encoder: Arc<Encoder>) -> Result<Batch, EnvError> {
        if !encoder.is_of(&self.model) {
            return Err(EnvError::AnotherGame);
        }
        self.encoder = Some(encoder);
        Ok(self)
    }

    /// The game.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// How it plays.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// How many games there are.
    pub fn games(&self) -> usize {
        self.games
    }

    /// What observations are made of.
    pub fn encoder(&self) -> Option<&Arc<Encoder>> {
        self.encoder.as_ref()
    }

    /// Begins the sequence of random moves anew.
    pub fn reseed(&mut self, seed: u64) {
        self.options.seed = seed;
        self.steps = 0;
    }

    /// Begins games anew, and writes what all games are like.
    pub fn reset(&mut self, which: Which<'_>, from: Start<'_>, out: Outputs<'_>) -> Result<(), EnvError> {
        self.check(&out)?;
        let words = self.model.words();
        if let Which::Marked(marks) = which {
            expect("mask", self.games, marks.len())?;
        }
        let marked = |game: usize| match which {
            Which::All => true,
            Which::Marked(marks) => marks[game] != 0,
        };
        if let Start::States(states) = from {
            expect("states", self.games * words, states.len())?;
            let beyond = words * 64 - self.model.vocabulary().fluent_count();
            let bad = |game: &usize| {
                let last = states[game * words..][..words].last();
                marked(*game) && last.is_some_and(|word| beyond > 0 && word >> (64 - beyond) != 0)
            };
            if let Some(game) = (0..self.games).find(bad) {
                return Err(EnvError::NoState { game });
            }
        }
        let (shared, parts, _) = self.shared();
        for (at, part) in parts.iter_mut().enumerate() {
            let first = at * LANES;
            let mut lanes = Plane::ZERO;
            (0..part.games).filter(|lane| marked(first + lane)).for_each(|lane| lanes.set(lane));
            let states = match from {
                Start::Initial => None,
                Start::States(states) => Some(&states[first * words..][..part.games * words]),
            };
            part.reset(&shared, lanes, states)?;
        }
        self.show(out)
    }

    /// Writes what all games are like, and changes nothing.
    pub fn show(&mut self, out: Outputs<'_>) -> Result<(), EnvError> {
        self.check(&out)?;
        let widths = self.widths();
        let (shared, parts, _) = self.shared();
        let mut rest = out;
        for part in parts {
            part.show(&shared, &mut rest.take_rows(part.games, widths));
        }
        Ok(())
    }

    /// Steps every game by an action of each role: games x roles, each the number of a move of the role.
    pub fn step<'a>(&mut self, actions: impl Into<Actions<'a>>, out: Outputs<'_>) -> Result<(), EnvError> {
        let actions = actions.into();
        self.check(&out)?;
        let roles = self.model.role_count();
        expect("actions", self.games * roles, actions.len())?;
        let widths = self.widths();
        let (shared, parts, pool) = self.shared();
        if shared.options.illegal == Illegal::Raise {
            let read = |part: &mut Part, actions: Actions<'_>, _: &mut Outputs<'_>| {
                part.read(&shared, actions);
                part.complain(shared.model, actions)
            };
            each(pool, parts, actions, Outputs::default(), widths, &read)?;
        }
        let step = |part: &mut Part, actions: Actions<'_>, out: &mut Outputs<'_>| {
            part.read(&shared, actions);
            part.step(&shared, actions, out)
        };
        each(pool, parts, actions, out, widths, &step)?;
        self.steps += 1;
        Ok(())
    }

    /// Writes a random legal action of each role in each game, zero where a game is over: games x roles. The same seed gives the
    /// same actions in the same states.
    pub fn sample(&mut self, seed: u64, out: &mut [i32]) -> Result<(), EnvError> {
        let roles = self.model.role_count();
        expect("actions", self.games * roles, out.len())?;
        for (part, out) in self.parts.iter().zip(out.chunks_mut(LANES * roles)) {
            part.sample(&self.model, seed, &mut self.words, out);
        }
        Ok(())
    }

    /// Writes the state of each game: games x words, a bit a fluent of the vocabulary.
    pub fn states(&self, out: &mut [u64]) -> Result<(), EnvError> {
        let words = self.model.words();
        expect("states", self.games * words, out.len())?;
        for (part, out) in self.parts.iter().zip(out.chunks_mut((LANES * words).max(1))) {
            part.simulator().write(Source::State(&self.state), &Plane::ONES, Rows::Words(out));
        }
        Ok(())
    }

    /// Writes what an encoder says of each game, whichever the batch has: games x columns.
    pub fn observe(&self, encoder: &Encoder, out: Cells<'_>) -> Result<(), EnvError> {
        if !encoder.is_of(&self.model) {
            return Err(EnvError::AnotherGame);
        }
        let mut rest = Outputs { observation: Some(out), ..Outputs::default() };
        let widths = Widths { columns: Some(encoder.len()), ..self.widths() };
        rest.check(self.games, widths)?;
        encoder.check(&rest)?;
        for part in &self.parts {
            if let Some(cells) = rest.take_rows(part.games, widths).observation {
                encoder.write(part.simulator(), &Plane::first(part.games), cells);
            }
        }
        Ok(())
    }

    fn widths(&self) -> Widths {
        let columns = self.encoder.as_ref().map(|encoder| encoder.len());
        Widths { roles: self.model.role_count(), moves: self.model.move_count(), columns }
    }

    fn check(&self, out: &Outputs<'_>) -> Result<(), EnvError> {
        out.check(self.games, self.widths())?;
        match &self.encoder {
            Some(encoder) => encoder.check(out),
            None => Ok(()),
        }
    }

    fn shared(&mut self) -> (Shared<'_>, &mut [Part], Option<&ThreadPool>) {
        let shared = Shared {
            model: &self.model,
            options: &self.options,
            scale: self.scale,
            encoder: self.encoder.as_deref(),
            opening: &self.opening,
            step: self.steps,
        };
        (shared, &mut self.parts, self.pool.as_ref())
    }
}

fn expect(array: &'static str, expected: usize, given: usize) -> Result<(), EnvError> {
    if expected == given { Ok(()) } else { Err(EnvError::Length { array, expected, given }) }
}

/// Work on one part, with its rows of actions and outputs.
type Work<'w> = dyn Fn(&mut Part, Actions<'_>, &mut Outputs<'_>) -> Result<(), EnvError> + Sync + 'w;

/// Works on all parts, on the threads of the pool if there is one. The first error in the order of the games is told.
fn each(
    pool: Option<&ThreadPool>,
    parts: &mut [Part],
    actions: Actions<'_>,
    out: Outputs<'_>,
    widths: Widths,
    work: &Work<'_>,
) -> Result<(), EnvError> {
    match pool {
        Some(pool) => pool.install(|| halve(true, parts, actions, out, widths, work)),
        None => halve(false, parts, actions, out, widths, work),
    }
}

fn halve(
    threads: bool,
    parts: &mut [Part],
    mut actions: Actions<'_>,
    mut out: Outputs<'_>,
    widths: Widths,
    work: &Work<'_>,
) -> Result<(), EnvError> {
    if !threads || parts.len() <= 1 {
        let mut held = Held::default();
        let mut done = Ok(());
        for part in parts {
            let (own_actions, more_actions) = actions.split_at(part.games * widths.roles);
            part.enter(&mut held);
            let worked = work(part, own_actions, &mut out.take_rows(part.games, widths));
            part.leave(&mut held);
            done = done.and(worked);
            actions = more_actions;
        }
        return done;
    }
    let (left, right) = parts.split_at_mut(parts.len() / 2);
    let games: usize = left.iter().map(|part| part.games).sum();
    let (own_actions, more_actions) = actions.split_at(games * widths.roles);
    let own_out = out.take_rows(games, widths);
    let (one, other) = rayon::join(
        || halve(true, left, own_actions, own_out, widths, work),
        || halve(true, right, more_actions, out, widths, work),
    );
    one.and(other)
}
