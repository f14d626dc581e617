//! The game manager: runs matches between seats, judges moves, keeps records.
//!
//! [`run`] plays one match. All seats are asked at the same time, each on its own thread; an illegal move
//! (`IL`), one that comes too late (`TO`) and a connection that fails (`CE`) are replaced by a random legal
//! move and logged, as GGP-Base does. A player that cannot be reached at the start is another matter: there
//! is no match. The role `random` of the rules is chance. [`tournament`] plays many
//! matches and counts.

pub mod seat;
pub mod tournament;

use crate::record::MatchRecord;
use crate::scramble::Scrambler;
use crate::sexp;
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::prepared::Prepared;
use ludex_engine::random::Random;
use ludex_engine::row;
use ludex_engine::vocabulary::{MoveId, RoleId, Vocabulary};
use seat::{Briefing, Reply, Seat};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What a match is about.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The name of the game, for the record.
    pub name: String,
    /// The game, with what has been made for it: players in this process share it.
    pub prepared: Arc<Prepared>,
    /// The rules in KIF, for players outside.
    pub rules: Arc<str>,
    /// The judge.
    pub engine: Arc<dyn Engine>,
}

/// How a match is run.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Time until the first move.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
    /// The match is broken off after so many joint moves.
    pub most_steps: usize,
    /// Give every name a random word.
    pub scramble: bool,
    /// The seed of chance, substitutes and words.
    pub seed: u64,
}

/// Why a match cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// Not as many players as roles to be played.
    Seats {
        /// Roles of the rules that are not chance's.
        roles: usize,
        /// Players that were given.
        seats: usize,
    },
    /// The rules have no role.
    NoRole,
    /// A player could not be reached when the match was to begin.
    Unreachable {
        /// Who.
        player: String,
        /// Why.
        reason: String,
    },
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Seats { roles, seats } => write!(f, "the game is for {roles} players, not for {seats}"),
            Unfit::NoRole => f.write_str("the game has no role"),
            Unfit::Unreachable { player, reason } => {
                write!(f, "the player {player} cannot be reached: {reason}")
            }
        }
    }
}

impl std::error::Error for Unfit {}

/// Something that happens in a match, for those who watch.
#[derive(Debug)]
pub enum Event<'m> {
    /// A state has been reached; the first one after everybody is ready.
    State {
        /// How many joint moves have been made.
        step: usize,
        /// The state.
        state: &'m [u64],
        /// The joint move that led here; none led to the first.
        joint: Option<Joint<'m>>,
    },
    /// The match is over.
    Over {
        /// The goal values in the order of the roles; `None` where the rules give no single one.
        goals: &'m [Option<i32>],
        /// True if it was broken off before the end.
        aborted: bool,
        /// Why the judge could not go on, if that broke it off.
        fault: Option<&'m Fault>,
    },
}

/// A match that was run.
#[derive(Clone, Debug)]
pub struct Played {
    /// Its record.
    pub record: MatchRecord,
    /// The question that the judge could not answer; the match was broken off there.
    pub fault: Option<Fault>,
}

/// A joint move that was made, in the order of the roles.
#[derive(Clone, Copy, Debug)]
pub struct Joint<'m> {
    /// The moves.
    pub moves: &'m [String],
    /// What went wrong with each: nothing, `IL <move>`, `TO` or `CE`.
    pub errors: &'m [String],
    /// What the players say about them.
    pub remarks: &'m [String],
}

/// The roles of the rules that somebody has to play.
pub fn roles_to_play(vocabulary: &Vocabulary) -> Vec<RoleId> {
    vocabulary.roles().filter(|&role| !is_chance(vocabulary, role)).collect()
}

fn is_chance(vocabulary: &Vocabulary, role: RoleId) -> bool {
    vocabulary.role_count() > 1 && vocabulary.show_role(role).eq_ignore_ascii_case("random")
}

/// Whether so many players can play the game.
pub fn fits(vocabulary: &Vocabulary, seats: usize) -> Result<(), Unfit> {
    let roles = roles_to_play(vocabulary).len();
    match (vocabulary.role_count(), roles == seats) {
        (0, _) => Err(Unfit::NoRole),
        (_, true) => Ok(()),
        (_, false) => Err(Unfit::Seats { roles, seats }),
    }
}

/// Plays one match. `seats` are in the order of the roles, without the one of chance.
pub fn run(
    setting: &Setting,
    seats: &mut [Box<dyn Seat>],
    terms: &Terms,
    watch: &mut dyn FnMut(Event<'_>),
) -> Result<Played, Unfit> {
    let vocabulary: &Vocabulary = setting.engine.vocabulary();
    fits(vocabulary, seats.len())?;
    let mut given = seats.iter_mut();
    let seats: Vec<Option<&mut Box<dyn Seat>>> = vocabulary
        .roles()
        .map(|role| if is_chance(vocabulary, role) { None } else { given.next() })
        .collect();
    Table::new(setting, seats, terms).play(watch)
}

/// A match under way. Where there is no seat chance moves.
struct Table<'m> {
    setting: &'m Setting,
    terms: &'m Terms,
    vocabulary: &'m Vocabulary,
    worker: Box<dyn Worker>,
    seats: Vec<Option<&'m mut Box<dyn Seat>>>,
    random: Random,
    record: MatchRecord,
}

impl<'m> Table<'m> {
    fn new(setting: &'m Setting, seats: Vec<Option<&'m mut Box<dyn Seat>>>, terms: &'m Terms) -> Table<'m> {
        let mut random = Random::new(terms.seed);
        let now = milliseconds();
        let name =
            |seat: &Option<&mut Box<dyn Seat>>| seat.as_ref().map_or("random".to_owned(), |s| s.name());
        let record = MatchRecord {
            match_id: format!("ludex.{}.{now}.{:08x}", token(&setting.name), random.bits() as u32),
            random_token: format!("{:016x}", random.bits()),
            start_time: now,
            game_meta_url: setting.name.clone(),
            start_clock: terms.start_clock.as_secs(),
            play_clock: terms.play_clock.as_secs(),
            player_names_from_host: seats.iter().map(name).collect(),
            is_player_human: seats.iter().map(|seat| seat.as_ref().is_some_and(|s| s.is_human())).collect(),
            scrambled: terms.scramble,
            ..MatchRecord::default()
        };
        let vocabulary: &Vocabulary = setting.engine.vocabulary();
        Table { setting, terms, vocabulary, worker: setting.engine.worker(), seats, random, record }
    }

    fn play(mut self, watch: &mut dyn FnMut(Event<'_>)) -> Result<Played, Unfit> {
        if let Err(unreachable) = self.start() {
            self.each(|seat, _| seat.stop(None));
            return Err(unreachable);
        }
        let mut last: Option<Vec<String>> = None;
        let played = self.play_on(&mut last, watch);
        let (completed, goals, fault) = match played {
            Ok((completed, goals)) => (completed, goals, None),
            Err(fault) => (false, vec![None; self.vocabulary.role_count()], Some(fault)),
        };
        self.record.is_completed = completed;
        self.record.is_aborted = !completed;
        if completed {
            // A server's record has a number for everybody; no single value is the rules' fault.
            self.record.goal_values = goals.iter().map(|goal| goal.unwrap_or(0)).collect();
        }
        let aborted = !completed;
        watch(Event::Over { goals: &goals, aborted, fault: fault.as_ref() });
        let last = last.as_deref().filter(|_| !aborted);
        self.each(|seat, _| seat.stop(last));
        Ok(Played { record: self.record, fault })
    }

    /// Plays until the game is over or the match is broken off; says whether it is over, and the goals.
    fn play_on(
        &mut self,
        last: &mut Option<Vec<String>>,
        watch: &mut dyn FnMut(Event<'_>),
    ) -> Result<(bool, Vec<Option<i32>>), Fault> {
        let mut state = vec![0; self.vocabulary.words()];
        self.worker.initial(&mut state);
        self.note_state(&state);
        watch(Event::State { step: 0, state: &state, joint: None });
        let is_over = loop {
            if self.worker.is_terminal(&state)? {
                break true;
            }
            let legal = self.legal(&state)?;
            if self.record.moves.len() >= self.terms.most_steps || legal.iter().any(Vec::is_empty) {
                break false;
            }
            let (joint, errors) = self.joint(&legal, last.as_deref());
            let mut next = vec![0; state.len()];
            self.worker.next(&state, &joint, &mut next)?;
            state = next;
            let moves: Vec<String> = self
                .vocabulary
                .roles()
                .zip(&joint)
                .map(|(role, &id)| self.vocabulary.show_move(role, id))
                .collect();
            self.record.moves.push(moves.iter().map(|text| spaced(text)).collect());
            self.note_state(&state);
            let step = self.record.moves.len();
            let remarks: Vec<String> =
                self.seats.iter().map(|seat| seat.as_ref().map_or(String::new(), |s| s.remark())).collect();
            let joint = Joint { moves: &moves, errors: &errors, remarks: &remarks };
            watch(Event::State { step, state: &state, joint: Some(joint) });
            self.record.errors.push(errors);
            *last = Some(moves);
        };
        let goals = self.vocabulary.roles().map(|role| self.worker.goal(&state, role));
        Ok((is_over, goals.collect::<Result<_, _>>()?))
    }

    /// Tells everybody that the match begins. Who is not ready now will be asked all the same.
    fn start(&mut self) -> Result<(), Unfit> {
        let setting = self.setting;
        let words = if self.terms.scramble {
            Scrambler::new(&setting.rules, self.random.bits())
        } else {
            Scrambler::default()
        };
        let briefing = Briefing {
            id: self.record.match_id.clone(),
            role: String::new(),
            prepared: setting.prepared.clone(),
            rules: setting.rules.clone(),
            scrambler: Arc::new(words),
            start_clock: self.terms.start_clock,
            play_clock: self.terms.play_clock,
        };
        let roles: Vec<String> = self.vocabulary.roles().map(|r| self.vocabulary.show_role(r)).collect();
        let replies =
            self.each(|seat, role| seat.start(&Briefing { role: roles[role].clone(), ..briefing.clone() }));
        for (reply, seat) in replies.iter().zip(&self.seats) {
            if let (Some(Reply::Unreachable(reason)), Some(seat)) = (reply, seat) {
                return Err(Unfit::Unreachable { player: seat.name(), reason: reason.clone() });
            }
        }
        let complaint = |reply: &Option<Reply>| match reply {
            Some(Reply::Late) => "TO".to_owned(),
            _ => String::new(),
        };
        self.record.errors.push(replies.iter().map(complaint).collect());
        Ok(())
    }

    /// Asks every seat at the same time; `None` where chance sits.
    fn each<T: Send>(&mut self, ask: impl Fn(&mut dyn Seat, usize) -> T + Sync) -> Vec<Option<T>> {
        std::thread::scope(|scope| {
            let ask = &ask;
            let asked: Vec<_> = self
                .seats
                .iter_mut()
                .enumerate()
                .map(|(role, seat)| seat.as_mut().map(|seat| scope.spawn(move || ask(&mut ***seat, role))))
                .collect();
            // A seat that panics has not answered.
            asked.into_iter().map(|thread| thread.and_then(|thread| thread.join().ok())).collect()
        })
    }

    fn legal(&mut self, state: &[u64]) -> Result<Vec<Vec<MoveId>>, Fault> {
        let worker = &mut self.worker;
        self.vocabulary
            .roles()
            .map(|role| {
                let mut moves = Vec::new();
                worker.legal(state, role, &mut moves)?;
                Ok(moves)
            })
            .collect()
    }

    /// A legal move for everybody, and what went wrong with each.
    fn joint(&mut self, legal: &[Vec<MoveId>], last: Option<&[String]>) -> (Vec<MoveId>, Vec<String>) {
        let vocabulary = self.vocabulary;
        let shown: Vec<Vec<String>> = vocabulary
            .roles()
            .zip(legal)
            .map(|(role, moves)| moves.iter().map(|&id| vocabulary.show_move(role, id)).collect())
            .collect();
        let replies = self.each(|seat, role| seat.play(last, &shown[role]));
        let mut joint = Vec::with_capacity(legal.len());
        let mut errors = Vec::with_capacity(legal.len());
        for ((reply, moves), shown) in replies.into_iter().zip(legal).zip(&shown) {
            let (chosen, error) = match reply {
                Some(Reply::Move(text)) => match shown.iter().position(|legal| *legal == text) {
                    Some(at) => (Some(moves[at]), String::new()),
                    None => (None, format!("IL {}", shortened(&text))),
                },
                Some(Reply::Late) => (None, "TO".to_owned()),
                Some(Reply::Unreachable(_)) => (None, "CE".to_owned()),
                Some(Reply::Pass) | None => (None, String::new()),
            };
            joint.push(chosen.unwrap_or_else(|| moves[self.random.below(moves.len())]));
            errors.push(error);
        }
        (joint, errors)
    }

    fn note_state(&mut self, state: &[u64]) {
        let fluents = row::show(self.vocabulary, state).iter().map(|text| spaced(text)).collect::<Vec<_>>();
        self.record.states.push(if fluents.is_empty() {
            "( )".to_owned()
        } else {
            format!("( {} )", fluents.join(" "))
        });
        self.record.state_times.push(milliseconds());
    }
}

fn spaced(text: &str) -> String {
    sexp::spaced(text, |_| None)
}

/// The beginning of what a player sent, enough to see what is wrong with it.
fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// The name as one token of the protocol.
fn token(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

/// Milliseconds since 1970.
fn milliseconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}
