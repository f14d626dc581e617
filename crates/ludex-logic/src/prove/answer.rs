//! The three answers.

use super::certificate::{Certificate, Flaw};
use super::reference::Line;
use super::termination::Ranking;
use ludex_engine::budget::Exceeded;
use ludex_engine::engine::Goal;
use ludex_engine::vocabulary::RoleId;
use std::fmt;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The property holds; what shows it has been checked.
    Holds(Proof),
    /// The property fails; what shows it has been replayed or checked.
    Fails(Refutation),
    /// Neither was shown.
    Unknown(Reason),
}

/// Why a property holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// By induction.
    Induction(Certificate),
    /// Every match ends because something is used up.
    Ranking(Ranking),
    /// A line of play to the best goal value of each role.
    Lines(Vec<(RoleId, Goal, Line)>),
    /// Each part for itself.
    Parts(Vec<(&'static str, Proof)>),
    /// All reachable states were visited, so many; of what ends also the joint moves of the longest match.
    Visit {
        /// Reachable states.
        states: usize,
        /// Joint moves of the longest match, where that was asked.
        longest: Option<usize>,
    },
    /// In a game of its own that some of the rules make, and that does not depend on the others.
    Part {
        /// The proof in the part, whose fluents are numbered by themselves.
        proof: Box<Proof>,
        /// Rules of the part.
        rules: usize,
        /// Rules of the game.
        of: usize,
    },
}

/// Why a property fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// A line of play leads to where it fails.
    Line(Line),
    /// A line of play comes back to the state that it had after so many moves.
    Repetition(Line),
    /// A role never gets its best goal value.
    Unreachable {
        /// The role.
        role: RoleId,
        /// The greatest value that the rules name for it.
        goal: Goal,
        /// Why it does not get that.
        proof: Box<Proof>,
        /// The most that it got in a match, with the match.
        most: Option<(Goal, Line)>,
    },
    /// A part fails.
    Part(&'static str, Box<Refutation>),
}

impl Refutation {
    /// The line of play, where there is one. Of a goal that is never reached it leads to the most that was.
    pub fn line(&self) -> Option<&Line> {
        match self {
            Refutation::Line(line) | Refutation::Repetition(line) => Some(line),
            Refutation::Unreachable { most, .. } => most.as_ref().map(|(_, line)| line),
            Refutation::Part(_, part) => part.line(),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A limit was hit.
    Limit(Exceeded),
    /// The game is too large to be compiled, or the reference engine to be built.
    TooLarge(String),
    /// A counterexample was found that the reference engine does not confirm: recursive rules were too large
    /// to be written exactly.
    NotReplayed,
    /// A proof was found that the checker does not accept.
    NotCertified(Flaw),
    /// Neither a counterexample nor a proof was found, and there is nothing more to try.
    NothingFound(&'static str),
    /// A part has no answer.
    Part(&'static str, Box<Reason>),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Limit(limit) => write!(f, "no answer within the limits: {limit}"),
            Reason::TooLarge(why) => f.write_str(why),
            Reason::NotReplayed => f.write_str("a counterexample was found that play does not confirm"),
            Reason::NotCertified(flaw) => write!(f, "a proof was found that the checker refuses ({flaw:?})"),
            Reason::NothingFound(what) => f.write_str(what),
            Reason::Part(part, reason) => write!(f, "{part}: {reason}"),
        }
    }
}

impl From<Exceeded> for Reason {
    fn from(limit: Exceeded) -> Reason {
        Reason::Limit(limit)
    }
}
