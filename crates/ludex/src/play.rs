//! A match that is played move by move, in words.

use crate::error::Result;
use crate::game::Game;
use crate::moves::Moves;
use ludex_engine::words::StateError;
use ludex_engine::{Engine, Goal, MoveId, Random, RoleId, Vocabulary, Worker, row};
use ludex_gdl::spelling::nearest;
use std::fmt;
use std::sync::Arc;

/// A match: the states so far, and what holds in the last one.
///
/// What can be asked of the state, who may do what and whether the match is over, is computed with each move, so
/// that only moving can meet an engine's limit.
///
/// ```
/// let mut play = ludex::Game::load("nim")?.start()?;
/// assert_eq!(play.roles(), ["alice", "bob"]);
/// play.play("take d 7")?;
/// assert!(!play.is_over());
/// let refused = play.play("take d 1").unwrap_err().to_string();
/// assert!(refused.starts_with("`take d 1` is not legal for bob"), "{refused}");
/// # Ok::<(), ludex::Error>(())
/// ```
pub struct Match {
    game: Game,
    engine: Arc<dyn Engine>,
    worker: Box<dyn Worker>,
    roles: Vec<String>,
    /// From the first to the current one.
    states: Vec<Vec<u64>>,
    joints: Vec<Vec<MoveId>>,
    now: Now,
}

/// What holds in the current state.
#[derive(Clone, Debug, Default)]
struct Now {
    over: bool,
    legal: Vec<Vec<MoveId>>,
    goals: Vec<Option<Goal>>,
}

impl Now {
    fn of(worker: &mut dyn Worker, state: &[u64]) -> Result<Now> {
        let mut now = Now { over: worker.is_terminal(state)?, ..Now::default() };
        for role in worker.vocabulary().roles() {
            let mut legal = Vec::new();
            // What is legal at the end is of no use to anybody.
            if !now.over {
                worker.legal(state, role, &mut legal)?;
            }
            now.legal.push(legal);
            now.goals.push(worker.goal(state, role)?);
        }
        Ok(now)
    }
}

impl fmt::Debug for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (game, step, over) = (self.game.name(), self.step(), self.now.over);
        f.debug_struct("Match").field("game", &game).field("step", &step).field("over", &over).finish()
    }
}

impl Clone for Match {
    /// The same match, to be played on in another way.
    fn clone(&self) -> Match {
        Match {
            game: self.game.clone(),
            engine: self.engine.clone(),
            worker: self.engine.worker(),
            roles: self.roles.clone(),
            states: self.states.clone(),
            joints: self.joints.clone(),
            now: self.now.clone(),
        }
    }
}

impl Match {
    pub(crate) fn new(game: &Game) -> Result<Match> {
        let engine = game.engine()?;
        let mut state = vec![0; engine.vocabulary().words()];
        engine.worker().initial(&mut state);
        Match::at(game, state)
    }

    /// A match that begins in this state of the game's engine.
    pub(crate) fn at(game: &Game, state: Vec<u64>) -> Result<Match> {
        let engine = game.engine()?.clone();
        let vocabulary = engine.vocabulary();
        let mut worker = engine.worker();
        let roles = vocabulary.roles().map(|role| vocabulary.show_role(role)).collect();
        let now = Now::of(&mut *worker, &state)?;
        Ok(Match { game: game.clone(), worker, roles, states: vec![state], joints: Vec::new(), now, engine })
    }

    /// The game that is played.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The roles, in the order of the rules.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// How many joint moves have been made.
    pub fn step(&self) -> usize {
        self.joints.len()
    }

    /// True if the rules say that the game is over.
    pub fn is_over(&self) -> bool {
        self.now.over
    }

    /// True if somebody cannot move though the game is not over, which is a mistake in the rules.
    pub fn is_stuck(&self) -> bool {
        !self.now.over && self.now.legal.iter().any(Vec::is_empty)
    }

    /// The legal moves of a role, in a fixed order; none when the game is over.
    pub fn legal(&self, role: &str) -> Result<Vec<String>, PlayError> {
        let role = self.role(role)?;
        Ok(self.show_moves(role))
    }

    /// The roles with more than one legal move: in most games the one whose turn it is.
    pub fn choosing(&self) -> Vec<&str> {
        let choosing = self.roles.iter().zip(&self.now.legal).filter(|(_, legal)| legal.len() > 1);
        choosing.map(|(role, _)| role.as_str()).collect()
    }

    /// The goal value of each role in the current state, in the order of the roles. `None` where the rules give none or
    /// several, as they may before the end.
    pub fn goals(&self) -> &[Option<Goal>] {
        &self.now.goals
    }

    /// The goal value of a role in the current state.
    pub fn goal(&self, role: &str) -> Result<Option<Goal>, PlayError> {
        Ok(self.now.goals[self.role(role)?.index()])
    }

    /// Makes a joint move ([`Moves`] says how it can be given). What cannot be made leaves the match as it was.
    pub fn play(&mut self, moves: impl Into<Moves>) -> Result<()> {
        let joint = self.joint(&moves.into())?;
        self.make(joint)
    }

    /// The numbers of the legal moves of a role ([`Vocabulary::show_move`] has their names), ascending.
    pub fn legal_ids(&self, role: RoleId) -> &[MoveId] {
        self.now.legal.get(role.index()).map_or(&[], Vec::as_slice)
    }

    /// Makes a joint move given by numbers, in the order of the roles.
    pub fn play_ids(&mut self, joint: &[MoveId]) -> Result<()> {
        if self.is_over() {
            return Err(PlayError::Over.into());
        }
        if joint.len() != self.roles.len() {
            return Err(PlayError::Count { given: joint.len(), roles: self.roles.clone() }.into());
        }
        for (role, action) in self.engine.vocabulary().roles().zip(joint) {
            if self.legal_ids(role).binary_search(action).is_err() {
                let known = action.index() < self.engine.vocabulary().move_count(role);
                let given = match known {
                    true => self.engine.vocabulary().show_move(role, *action),
                    false => format!("move {}", action.0),
                };
                let (role, legal) = (self.roles[role.index()].clone(), self.show_moves(role));
                return Err(PlayError::Illegal { role, given, legal }.into());
            }
        }
        self.make(joint.to_vec())
    }

    /// Makes a random legal move for every role. False, and nothing is done, if the match cannot go on.
    pub fn play_random(&mut self, random: &mut Random) -> Result<bool> {
        if self.is_over() || self.is_stuck() {
            return Ok(false);
        }
        let joint = self.now.legal.iter().map(|legal| legal[random.below(legal.len())]).collect();
        self.make(joint)?;
        Ok(true)
    }

    fn make(&mut self, joint: Vec<MoveId>) -> Result<()> {
        let mut next = vec![0; self.state().len()];
        let state = self.states.last().map_or(&[][..], Vec::as_slice);
        self.worker.next(state, &joint, &mut next)?;
        self.now = Now::of(&mut *self.worker, &next)?;
        self.states.push(next);
        self.joints.push(joint);
        Ok(())
    }

    /// Takes the last joint move back. False if there was none.
    pub fn undo(&mut self) -> Result<bool> {
        let [.., before, _] = self.states.as_slice() else { return Ok(false) };
        self.now = Now::of(&mut *self.worker, before)?;
        self.states.pop();
        self.joints.pop();
        Ok(true)
    }

    /// The joint moves so far, each in the order of the roles.
    pub fn history(&self) -> Vec<Vec<String>> {
        show_line(self.engine.vocabulary(), &self.joints)
    }

    /// What holds in the current state.
    pub fn fluents(&self) -> Vec<String> {
        row::show(self.engine.vocabulary(), self.state())
    }

    /// The current state as a board, where the fluents look like one, and a list of the rest.
    pub fn draw(&self) -> String {
        self.game.drawing_by(&*self.engine).scene(self.state()).text()
    }

    /// The same as a picture, an SVG document.
    pub fn svg(&self) -> String {
        self.game.drawing_by(&*self.engine).scene(self.state()).svg()
    }

    /// The current state as engines know it.
    pub fn state(&self) -> &[u64] {
        self.states.last().map_or(&[], Vec::as_slice)
    }

    /// The game that begins in the current state, of which everything can be asked that can be asked of a game: what
    /// holds from there on, who wins from there, how random matches end.
    ///
    /// ```
    /// let mut play = ludex::Game::load("tictactoe")?.start()?;
    /// for mark in ["mark 1 1", "mark 1 2", "mark 2 2", "mark 2 1"] {
    ///     play.play(mark)?;
    /// }
    /// let solved = play.onward().solve().run()?;
    /// assert_eq!(solved.role("x").map(|x| x.value), Some(Some(100)), "three in a row at once");
    /// # Ok::<(), ludex::Error>(())
    /// ```
    pub fn onward(&self) -> Game {
        self.game.beginning_in(self.engine.vocabulary(), self.state())
    }

    /// The engine that computes.
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    pub(crate) fn role(&self, name: &str) -> Result<RoleId, PlayError> {
        let found = self.engine.vocabulary().roles().zip(&self.roles).find(|(_, role)| *role == name);
        let unknown = || PlayError::UnknownRole { role: name.to_owned(), roles: self.roles.clone() };
        found.map(|(id, _)| id).ok_or_else(unknown)
    }

    /// The role to search for if nobody says: the first that has a choice, else the first.
    #[cfg(feature = "search")]
    pub(crate) fn first_to_choose(&self) -> RoleId {
        let choosing = self.now.legal.iter().position(|legal| legal.len() > 1);
        RoleId(choosing.unwrap_or(0) as u32)
    }

    fn show_moves(&self, role: RoleId) -> Vec<String> {
        let legal = &self.now.legal[role.index()];
        legal.iter().map(|&action| self.engine.vocabulary().show_move(role, action)).collect()
    }

    /// The joint move that was meant, or why there is none.
    fn joint(&self, moves: &Moves) -> Result<Vec<MoveId>, PlayError> {
        if self.is_over() {
            return Err(PlayError::Over);
        }
        let roles = || self.engine.vocabulary().roles();
        match moves {
            Moves::All(texts) if texts.len() != self.roles.len() => {
                Err(PlayError::Count { given: texts.len(), roles: self.roles.clone() })
            }
            Moves::All(texts) => roles().zip(texts).map(|(role, text)| self.legal_move(role, text)).collect(),
            Moves::One(text) => {
                let able = roles().find(|&role| self.legal_move(role, text).is_ok());
                let choosing = roles().find(|role| self.now.legal[role.index()].len() > 1);
                let Some(role) = able.or(choosing).or(roles().next()) else { return Ok(Vec::new()) };
                self.with_the_others(&[(role, self.legal_move(role, text)?)])
            }
            Moves::ByRole(pairs) => {
                let mut given = Vec::new();
                for (name, text) in pairs {
                    let role = self.role(name)?;
                    given.push((role, self.legal_move(role, text)?));
                }
                self.with_the_others(&given)
            }
        }
    }

    /// The given moves, and of all other roles the only one.
    fn with_the_others(&self, given: &[(RoleId, MoveId)]) -> Result<Vec<MoveId>, PlayError> {
        let move_of = |role: RoleId| match given.iter().find(|(other, _)| *other == role) {
            Some((_, action)) => Ok(*action),
            None => match self.now.legal[role.index()].as_slice() {
                [only] => Ok(*only),
                _ => Err(PlayError::Missing {
                    role: self.roles[role.index()].clone(),
                    legal: self.show_moves(role),
                }),
            },
        };
        self.engine.vocabulary().roles().map(move_of).collect()
    }

    /// The legal move of the role that the text spells.
    fn legal_move(&self, role: RoleId, text: &str) -> Result<MoveId, PlayError> {
        let vocabulary = self.engine.vocabulary();
        let term = vocabulary.read_term(text).or_else(|| vocabulary.read_term(&format!("({text})")));
        let action = term.and_then(|term| vocabulary.find_move(role, term));
        let legal = &self.now.legal[role.index()];
        action.filter(|action| legal.binary_search(action).is_ok()).ok_or_else(|| PlayError::Illegal {
            role: self.roles[role.index()].clone(),
            given: text.to_owned(),
            legal: self.show_moves(role),
        })
    }
}

/// Joint moves in words.
pub(crate) fn show_line(vocabulary: &Vocabulary, joints: &[Vec<MoveId>]) -> Vec<Vec<String>> {
    let show = |joint: &Vec<MoveId>| {
        vocabulary.roles().zip(joint).map(|(role, &action)| vocabulary.show_move(role, action)).collect()
    };
    joints.iter().map(show).collect()
}

/// Why a move cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayError {
    /// The match is over.
    Over,
    /// The game has no such role.
    UnknownRole {
        /// The role that was given.
        role: String,
        /// Those that there are.
        roles: Vec<String>,
    },
    /// A state that the game does not have.
    State(StateError),
    /// Not one move for each role.
    Count {
        /// How many moves were given.
        given: usize,
        /// The roles.
        roles: Vec<String>,
    },
    /// A move that the role cannot make now, or that the game does not have.
    Illegal {
        /// Whose move.
        role: String,
        /// The move as it was given.
        given: String,
        /// The role's legal moves.
        legal: Vec<String>,
    },
    /// A role for which no move was given has several, or none.
    Missing {
        /// The role.
        role: String,
        /// The role's legal moves.
        legal: Vec<String>,
    },
}

/// Legal moves beyond this number are counted, not listed.
const MOST_LISTED: usize = 12;

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::Over => f.write_str("the game is over"),
            PlayError::UnknownRole { role, roles } => {
                write!(f, "there is no role `{role}`; the roles are {}", roles.join(", "))
            }
            PlayError::State(error) => error.fmt(f),
            PlayError::Count { given, roles } => {
                write!(f, "{given} moves for {} roles; the order is {}", roles.len(), roles.join(", "))
            }
            PlayError::Illegal { role, given, legal } => {
                write!(f, "`{given}` is not legal for {role}")?;
                // Parentheses say nothing about what was meant.
                let plain = |text: &str| {
                    text.replace(['(', ')', ','], " ").split_whitespace().collect::<Vec<_>>().join(" ")
                };
                let words: Vec<String> = legal.iter().map(|text| plain(text)).collect();
                let near = nearest(&plain(given), words.iter().map(String::as_str));
                let near: Vec<String> = near.iter().map(|text| format!("`{text}`")).collect();
                if !near.is_empty() {
                    write!(f, "; did you mean {}?", near.join(" or "))?;
                }
                list(f, legal)
            }
            PlayError::Missing { role, legal } => {
                write!(f, "no move was given for {role}")?;
                list(f, legal)
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, legal: &[String]) -> fmt::Result {
    if legal.is_empty() {
        return f.write_str("; it has no legal move");
    }
    let shown = legal[..legal.len().min(MOST_LISTED)].join(", ");
    match legal.len().saturating_sub(MOST_LISTED) {
        0 => write!(f, "; legal: {shown}"),
        more => write!(f, "; legal: {shown} and {more} more"),
    }
}

impl std::error::Error for PlayError {}
