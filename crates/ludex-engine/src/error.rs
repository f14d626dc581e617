//! Why an engine could not be built.

use crate::budget::Exceeded;
use std::fmt;

/// An engine declined a game. Built engines do not fail; what they cannot do is one of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    kind: Kind,
}

/// Of a longer name the beginning is told.
const MOST_NAME: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    TooLarge { limit: Exceeded, relation: Option<String> },
    NotOnDemand,
}

impl BuildError {
    /// As it is; the rules of that relation met the limit.
    #[must_use]
    pub(crate) fn in_rules_for(mut self, name: &str) -> BuildError {
        if let Kind::TooLarge { relation, .. } = &mut self.kind {
            *relation = Some(name.chars().take(MOST_NAME).collect());
        }
        self
    }

    pub(crate) fn not_on_demand() -> BuildError {
        BuildError { kind: Kind::NotOnDemand }
    }

    /// The limit that was hit, if one was: the game may fit another engine, or larger limits.
    pub fn limit(&self) -> Option<Exceeded> {
        match self.kind {
            Kind::TooLarge { limit, .. } => Some(limit),
            Kind::NotOnDemand => None,
        }
    }
}

impl From<Exceeded> for BuildError {
    fn from(limit: Exceeded) -> BuildError {
        BuildError { kind: Kind::TooLarge { limit, relation: None } }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::TooLarge { limit, .. } if limit.is_final() => {
                write!(f, "building the engine takes {limit}")
            }
            Kind::TooLarge { limit, relation: None } => {
                write!(f, "the game is too large for this engine: what its rules derive takes {limit}")
            }
            Kind::TooLarge { limit, relation: Some(name) } => {
                write!(
                    f,
                    "the game is too large for this engine: what its rules for `{name}` derive takes {limit}"
                )
            }
            Kind::NotOnDemand => f.write_str("a relation of the rules cannot be computed on demand"),
        }
    }
}

impl std::error::Error for BuildError {}
