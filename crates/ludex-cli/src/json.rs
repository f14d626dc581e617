//! Answers for programs: one JSON object a line.

use serde_json::Value;
use std::io::{self, Write};

/// Writes `value` as a line of its own, at once: a program may be waiting for it.
pub fn line(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    writeln!(out, "{value}")?;
    out.flush()
}
