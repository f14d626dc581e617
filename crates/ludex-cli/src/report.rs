//! Findings drawn with carets and hints.

use ludex::gdl::Diagnostic;
use ludex::gdl::diagnostic::Report;
use ludex::gdl::syntax::line_column;
use ludex::logic::formula::FormulaError;
use miette::{GraphicalReportHandler, GraphicalTheme, MietteDiagnostic, Severity};
use std::io::IsTerminal;
use std::sync::Arc;

/// Where a drawing goes: colours are for terminals.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Target {
    fn wants_colour(self) -> bool {
        let terminal = match self {
            Target::Stdout => std::io::stdout().is_terminal(),
            Target::Stderr => std::io::stderr().is_terminal(),
        };
        terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
    }
}

/// Draws the findings about `text`, one below the other.
pub fn draw<'f>(
    source: &str,
    text: &Arc<str>,
    findings: impl Iterator<Item = &'f Diagnostic>,
    target: Target,
) -> String {
    let theme =
        if target.wants_colour() { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(100).with_links(false);
    let mut out = String::new();
    for finding in findings {
        let drawn = if finding.label.is_empty() {
            handler.render_report(&mut out, &placeless(finding))
        } else {
            handler.render_report(&mut out, &Report::new(source, text, finding.clone()))
        };
        // Drawing fails only where a span lies outside the text; the words are still worth having.
        if drawn.is_err() {
            out.push_str(&finding.message);
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

/// More warnings than this are left to `ludex check`.
const MOST_WARNINGS: usize = 5;

/// The warnings about a sheet, one line each, for commands that are about something else.
pub fn warnings(source: &str, text: &str, findings: &[Diagnostic]) -> String {
    let mut out = String::new();
    for finding in findings.iter().take(MOST_WARNINGS) {
        let (line, column) = line_column(text, finding.span.start);
        let hint = finding.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        out.push_str(&format!(
            "warning: {source}:{line}:{column}: {}{hint} [{}]\n",
            finding.message, finding.code
        ));
    }
    if findings.len() > MOST_WARNINGS {
        let more = findings.len() - MOST_WARNINGS;
        out.push_str(&format!("warning: {more} more; `ludex check` shows all of them\n"));
    }
    out
}

/// Draws what is wrong with a formula.
pub fn draw_formula(error: &FormulaError, target: Target) -> String {
    let theme =
        if target.wants_colour() { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(100).with_links(false);
    let mut out = String::new();
    // As above: the words are worth having without the drawing.
    if handler.render_report(&mut out, error).is_err() {
        out.push_str(&error.message);
    }
    out
}

/// A finding about the sheet as a whole, such as a missing `terminal`: there is no line to show.
fn placeless(finding: &Diagnostic) -> MietteDiagnostic {
    let severity = if finding.is_error() { Severity::Error } else { Severity::Warning };
    let drawn =
        MietteDiagnostic::new(&finding.message).with_code(finding.code.name()).with_severity(severity);
    match &finding.hint {
        Some(hint) => drawn.with_help(hint),
        None => drawn,
    }
}

/// `1 error`, `2 errors`.
pub fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
