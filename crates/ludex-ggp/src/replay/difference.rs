//! The first place where a record and an engine disagree, or where the engine has no answer.

use ludex_engine::fault::Fault;
use serde::Serialize;
use std::fmt;

/// Why the comparison of a playout ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Record and engine disagree.
    Difference(Difference),
    /// The engine could not answer within its limits.
    Limit(Limit),
}

impl Stopped {
    /// The step of the playout, from zero.
    pub fn step(&self) -> usize {
        match self {
            Stopped::Difference(difference) => difference.step,
            Stopped::Limit(limit) => limit.step,
        }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Difference(difference) => difference.fmt(f),
            Stopped::Limit(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for Stopped {}

/// A step about which the engine has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The record, as it was named when it was opened.
    pub record: String,
    /// The number of the playout in its record, from zero.
    pub playout: usize,
    /// The step of the playout, from zero.
    pub step: usize,
    /// What was asked, and which limit was met.
    pub fault: Fault,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limit { record, playout, step, fault } = self;
        write!(f, "{record}: playout {playout}, step {step}: {fault}")
    }
}

/// A disagreement between a record and an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The record, as it was named when it was opened.
    pub record: String,
    /// The number of the playout in its record, from zero.
    pub playout: usize,
    /// The step of the playout, from zero.
    pub step: usize,
    /// What differs.
    #[serde(flatten)]
    pub kind: Kind,
}

/// What differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// The roles or their order.
    Roles {
        /// As recorded.
        #[serde(rename = "recorded")]
        record: Vec<String>,
        /// As the rules have them.
        engine: Vec<String>,
    },
    /// A joint move, or a list of goals, has not one entry for each role of the rules.
    RoleCount {
        /// Entries in the record.
        #[serde(rename = "recorded")]
        record: usize,
        /// Roles of the game.
        engine: usize,
    },
    /// The record speaks of fluents that the rules can never make true.
    UnknownFluents {
        /// Those fluents.
        fluents: Vec<String>,
    },
    /// The initial state.
    InitialState(Sets),
    /// The state after the joint move of the step before.
    Successor {
        /// The joint move that led here.
        moves: Vec<String>,
        /// How the states differ.
        #[serde(flatten)]
        sets: Sets,
    },
    /// Whether the game is over.
    Terminal {
        /// As recorded; the engine says the opposite.
        #[serde(rename = "recorded")]
        record: bool,
    },
    /// The legal moves of a role.
    Legal {
        /// Whose moves.
        role: String,
        /// How the moves differ.
        #[serde(flatten)]
        sets: Sets,
    },
    /// The goal value of a role.
    Goal {
        /// Whose goal.
        role: String,
        /// As recorded.
        #[serde(rename = "recorded")]
        record: Option<i32>,
        /// As computed.
        engine: Option<i32>,
    },
    /// A move was made that the engine holds to be illegal.
    IllegalMove {
        /// Whose move.
        role: String,
        /// The move.
        #[serde(rename = "move")]
        action: String,
    },
}

/// How two sets differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sets {
    /// What only the record has, sorted.
    pub only_in_record: Vec<String>,
    /// What only the engine has, sorted.
    pub only_in_engine: Vec<String>,
}

impl fmt::Display for Difference {
    /// Several lines: where, what, and the lists in full.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: playout {}, step {}: {}", self.record, self.playout, self.step, self.kind.title())?;
        match &self.kind {
            Kind::Roles { record, engine } => {
                writeln!(f, "  in the record: {}", record.join(" "))?;
                write!(f, "  in the rules:  {}", engine.join(" "))
            }
            Kind::RoleCount { record, engine } => {
                write!(f, "  {record} entries in the record, {engine} roles in the rules")
            }
            Kind::UnknownFluents { fluents } => list(f, "in the record", fluents),
            Kind::InitialState(sets) => sets.fmt(f),
            Kind::Successor { moves, sets } => {
                writeln!(f, "  after the joint move: {}", moves.join("  "))?;
                sets.fmt(f)
            }
            Kind::Terminal { record } => {
                let (yes, no) = ("terminal", "not terminal");
                let (left, right) = if *record { (yes, no) } else { (no, yes) };
                write!(f, "  the record says {left}, the engine {right}")
            }
            Kind::Legal { role, sets } => {
                writeln!(f, "  role: {role}")?;
                sets.fmt(f)
            }
            Kind::Goal { role, record, engine } => {
                let show =
                    |value: &Option<i32>| value.map_or("no single value".to_owned(), |v| v.to_string());
                write!(f, "  role: {role}; the record says {}, the engine {}", show(record), show(engine))
            }
            Kind::IllegalMove { role, action } => write!(f, "  role: {role}; move: {action}"),
        }
    }
}

impl std::error::Error for Difference {}

impl Kind {
    fn title(&self) -> &'static str {
        match self {
            Kind::Roles { .. } => "the roles differ",
            Kind::RoleCount { .. } => "the number of roles differs",
            Kind::UnknownFluents { .. } => "the rules can never make these fluents true",
            Kind::InitialState(_) => "the initial state differs",
            Kind::Successor { .. } => "the successor differs",
            Kind::Terminal { .. } => "the end of the game differs",
            Kind::Legal { .. } => "the legal moves differ",
            Kind::Goal { .. } => "a goal value differs",
            Kind::IllegalMove { .. } => "the recorded move is not legal",
        }
    }
}

impl Sets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, "only in the record", &self.only_in_record)?;
        writeln!(f)?;
        list(f, "only in the engine", &self.only_in_engine)
    }
}

fn list(f: &mut fmt::Formatter<'_>, title: &str, items: &[String]) -> fmt::Result {
    if items.is_empty() {
        return write!(f, "  {title}: nothing");
    }
    write!(f, "  {title} ({}):", items.len())?;
    items.iter().try_for_each(|item| write!(f, "\n    {item}"))
}
