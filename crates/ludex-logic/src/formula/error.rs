//! What is wrong with a formula, and where.

use ludex_gdl::caret;
use ludex_gdl::syntax::Span;
use std::fmt;
use std::sync::Arc;

/// A formula that has no meaning for the game, with the place in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// A few words at the caret.
    pub label: String,
    /// What to do about it.
    pub hint: Option<String>,
    text: Arc<str>,
}

impl FormulaError {
    /// An error at a place of `text`.
    pub(crate) fn new(
        text: &Arc<str>,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> FormulaError {
        FormulaError { message: message.into(), span, label: label.into(), hint: None, text: text.clone() }
    }

    /// Adds what to do.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> FormulaError {
        self.hint = Some(hint.into());
        self
    }

    /// The message with its place in the formula and the hint, over several lines.
    pub fn drawn(&self) -> String {
        let place = caret::draw("formula", &self.text, self.span, &self.label);
        let hint = self.hint.as_ref().map_or(String::new(), |hint| format!("help: {hint}\n"));
        format!("error: {}\n{place}{hint}", self.message)
    }

    /// The text of the formula.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FormulaError {}

impl miette::Diagnostic for FormulaError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.hint.as_ref().map(|hint| Box::new(hint) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let place = (self.span.start as usize, (self.span.end - self.span.start) as usize);
        let label = miette::LabeledSpan::new_primary_with_span(Some(self.label.clone()), place);
        Some(Box::new(std::iter::once(label)))
    }
}
