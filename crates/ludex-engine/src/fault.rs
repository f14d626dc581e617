//! A question that an engine could not answer.
//!
//! An engine that interprets rules can meet a state from which more follows than it may derive. Whoever asked gets a
//! [`Fault`] instead of an answer: which limit was met, and by which question. It is one pointer wide, so that the
//! results of questions travel in registers, and it allocates only when there is one.

use crate::budget::Exceeded;
use crate::vocabulary::{RoleId, Vocabulary};
use std::fmt;

/// What was asked about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether the game is over.
    Terminal,
    /// The legal moves of a role.
    Legal(RoleId),
    /// The next state.
    Next,
    /// The goal of a role.
    Goal(RoleId),
}

/// The limit that a question has run into.
#[derive(Clone, PartialEq, Eq)]
pub struct Fault(Box<Detail>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Detail {
    engine: &'static str,
    limit: Exceeded,
    question: Question,
    /// The name of the role that was asked about.
    role: Option<String>,
}

impl Fault {
    /// The engine called `engine` met `limit` on the way to an answer.
    #[cold]
    pub fn new(engine: &'static str, limit: Exceeded, question: Question, vocabulary: &Vocabulary) -> Fault {
        let role = match question {
            Question::Terminal | Question::Next => None,
            Question::Legal(role) | Question::Goal(role) => Some(vocabulary.show_role(role)),
        };
        Fault(Box::new(Detail { engine, limit, question, role }))
    }

    /// The name of the engine that was asked.
    pub fn engine(&self) -> &'static str {
        self.0.engine
    }

    /// The limit that was met.
    pub fn limit(&self) -> Exceeded {
        self.0.limit
    }

    /// What was asked.
    pub fn question(&self) -> Question {
        self.0.question
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Detail { engine, limit, question, role } = &*self.0;
        let role = role.as_deref().unwrap_or_default();
        match question {
            Question::Terminal => f.write_str("whether the game is over takes")?,
            Question::Legal(_) => write!(f, "the legal moves of {role} take")?,
            Question::Next => f.write_str("the next state takes")?,
            Question::Goal(_) => write!(f, "the goal of {role} takes")?,
        }
        write!(f, " {limit} to derive here with the engine {engine}")
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::{Fault, Question};
    use crate::budget::{Budget, Exceeded};
    use crate::vocabulary::{RoleId, Vocabulary};
    use ludex_gdl::Sheet;

    #[test]
    fn a_fault_says_what_was_asked_and_is_one_pointer_wide() {
        let game = Sheet::read("(role white) (init p) (legal white go) terminal (goal white 100)");
        let game = game.into_game().expect("a sound sheet");
        let vocabulary = Vocabulary::new(&game, &Budget::default()).expect("it is small");
        let fault = |question| Fault::new("tree", Exceeded::Steps(7), question, &vocabulary).to_string();
        assert_eq!(
            fault(Question::Legal(RoleId(0))),
            "the legal moves of white take more than 7 steps to derive here with the engine tree"
        );
        assert_eq!(
            fault(Question::Goal(RoleId(0))),
            "the goal of white takes more than 7 steps to derive here with the engine tree"
        );
        assert!(fault(Question::Terminal).starts_with("whether the game is over takes more than 7 steps"));
        assert!(fault(Question::Next).starts_with("the next state takes more than 7 steps"));
        assert_eq!(size_of::<Result<(), Fault>>(), size_of::<usize>());
    }
}
