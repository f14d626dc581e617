//! How a command ends.

use std::fmt;

/// The answer of a command, as scripts see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Yes, or done: exit status 0.
    Yes,
    /// No: exit status 1.
    No,
    /// The caller's mistake, which was told on the way: exit status 2.
    Misused,
}

impl Status {
    /// [`Status::Yes`] if the condition holds.
    pub fn of(condition: bool) -> Status {
        if condition { Status::Yes } else { Status::No }
    }
}

/// The caller's mistake: exit status 2. Any other error is 1.
#[derive(Clone, Debug)]
pub struct Misuse(pub String);

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}
