//! Findings about a sheet: what is wrong, where, and what to do.
//!
//! An *error* means that no meaning can be given to the rules; a *warning* that the letter of the
//! specification is broken while the meaning stays plain, or that the meaning is hardly the one meant. Findings are values: nothing here prints.
//! [`Report`] joins findings with their text and implements [`miette::Diagnostic`], so a program that
//! depends on `miette` with its `fancy` feature can draw them with carets.

use crate::caret;
use crate::syntax::{Span, floor};
use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// No meaning can be given to the rules.
    Error,
    /// The meaning is plain, but the specification is broken or the rules are odd.
    Warning,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident $name:literal $severity:ident,)*) => {
        /// What kind of finding. The names are stable: programs and tests may rely on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $variant,)* }

        impl Code {
            /// Every code, errors before warnings.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The stable name, in kebab case.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// Whether findings of this kind are errors or warnings.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }
        }
    };
}

codes! {
    /// The text is longer than the limit.
    InputTooLarge "input-too-large" Error,
    /// Parentheses are nested deeper than the limit.
    NestingTooDeep "nesting-too-deep" Error,
    /// More findings than anyone reads; the rest is left out.
    TooManyFindings "too-many-findings" Error,
    /// A parenthesis is never closed.
    UnclosedParenthesis "unclosed-parenthesis" Error,
    /// A closing parenthesis without an opening one.
    UnexpectedClosing "unexpected-closing" Error,
    /// A token in a place where the grammar has no use for it.
    UnexpectedToken "unexpected-token" Error,
    /// A quoted name that does not end.
    UnterminatedQuote "unterminated-quote" Error,
    /// `()`.
    EmptyList "empty-list" Error,
    /// Something at top level that is neither a fact nor a rule.
    NotAClause "not-a-clause" Error,
    /// The head of a rule is not an atom.
    BadHead "bad-head" Error,
    /// `true` or `does` in a head.
    StateInHead "state-in-head" Error,
    /// A keyword with the wrong number of arguments.
    KeywordArity "keyword-arity" Error,
    /// A variable that no positive condition binds.
    UnsafeVariable "unsafe-variable" Error,
    /// Negation through recursion.
    Unstratified "unstratified" Error,
    /// `init` depends on the state of the game.
    InitDependency "init-dependency" Error,
    /// `legal`, `terminal` or `goal` depends on `does`.
    DoesDependency "does-dependency" Error,
    /// `role` depends on the state of the game.
    RoleDependency "role-dependency" Error,
    /// There is no role.
    NoRole "no-role" Error,
    /// Splitting the disjunctions gives more rules than the limit.
    TooManyAlternatives "too-many-alternatives" Error,
    /// The equalities of a clause (`not distinct`) make terms beyond all measure.
    TooComplex "too-complex" Error,
    /// A rule with more conditions, or more names, than the limit.
    RuleTooLarge "rule-too-large" Error,

    /// `role` is defined by a rule.
    RoleRule "role-rule" Warning,
    /// `next` in a body.
    NextInBody "next-in-body" Warning,
    /// `init` in a body.
    InitInBody "init-in-body" Warning,
    /// Nothing holds initially.
    MissingInit "missing-init" Warning,
    /// No move is ever legal.
    MissingLegal "missing-legal" Warning,
    /// No fluent ever holds after a move.
    MissingNext "missing-next" Warning,
    /// The game never ends.
    MissingTerminal "missing-terminal" Warning,
    /// Nobody ever gets a goal value.
    MissingGoal "missing-goal" Warning,
    /// One relation name with two numbers of arguments.
    ArityClash "arity-clash" Warning,
    /// A relation that nothing defines.
    UndefinedRelation "undefined-relation" Warning,
    /// A goal value that is not a number from 0 to 100.
    GoalValue "goal-value" Warning,
    /// A recursive rule that can build terms without end.
    RecursionRestriction "recursion-restriction" Warning,
    /// The same clause twice.
    DuplicateClause "duplicate-clause" Warning,
    /// `(terminal)`.
    ParenthesisedAtom "parenthesised-atom" Warning,
    /// The operator `and`, which GDL does not have.
    AndOperator "and-operator" Warning,
    /// A rule without conditions.
    EmptyBody "empty-body" Warning,
    /// `(nil)` in the place of a term.
    NullaryTerm "nullary-term" Warning,
    /// A keyword inside a term.
    KeywordAsFunction "keyword-as-function" Warning,
    /// The text begins with a byte-order mark.
    ByteOrderMark "byte-order-mark" Warning,
    /// A quoted name: GDL has none, and other systems may not read it.
    QuotedSymbol "quoted-symbol" Warning,
    /// The text is not UTF-8.
    NotUtf8 "not-utf8" Warning,
    /// A condition that can never hold.
    NeverHolds "never-holds" Warning,
    /// A rule whose conditions never hold together.
    NeverFires "never-fires" Warning,
    /// A move, a legal move or a goal of somebody who is no role.
    NotARole "not-a-role" Warning,
    /// A role that no goal rule speaks of.
    RoleWithoutGoal "role-without-goal" Warning,
    /// A role that no rule gives a move.
    RoleWithoutMoves "role-without-moves" Warning,
    /// A fluent that no rule reads, but for keeping it.
    UnreadFluent "unread-fluent" Warning,
    /// A move that no rule reads.
    MoveWithoutEffect "move-without-effect" Warning,
    /// A relation that no rule reads.
    UnusedRelation "unused-relation" Warning,
    /// A variable that occurs once and is nearly another one.
    SingleVariable "single-variable" Warning,
    /// A constant that is called like a variable of its clause.
    LooksLikeVariable "looks-like-variable" Warning,
    /// A constant that occurs once and is nearly another one.
    SingleConstant "single-constant" Warning,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind.
    pub code: Code,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// A few words at the caret.
    pub label: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Another place that plays a part.
    pub related: Option<(Span, String)>,
    /// A place and what to write there instead, where there is one likely repair.
    pub fix: Option<(Span, String)>,
}

impl Diagnostic {
    /// A finding without hint or second place.
    pub fn new(code: Code, span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            message: message.into(),
            span,
            label: label.into(),
            hint: None,
            related: None,
            fix: None,
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        self.related = Some((span, label.into()));
        self
    }

    /// Adds a repair: what to write in a place.
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.fix = Some((span, text.into()));
        self
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// True for errors.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }

    /// The finding with its place in `text`, which is called `source`, and the hint, over several lines.
    pub fn drawn(&self, source: &str, text: &str) -> String {
        let kind = if self.is_error() { "error" } else { "warning" };
        let mut out = format!("{kind}[{}]: {}\n", self.code.name(), self.message);
        // A finding about the sheet as a whole has no place.
        if !self.label.is_empty() {
            out.push_str(&caret::draw(source, text, self.span, &self.label));
        }
        if let Some((span, label)) = &self.related {
            out.push_str(&caret::draw(source, text, *span, label));
        }
        if let Some(hint) = &self.hint {
            out.push_str(&format!("help: {hint}\n"));
        }
        out
    }
}

/// Of a longer place only the beginning is drawn, and of a longer line only what stands around the place: a sheet may be
/// one line of megabytes.
const MOST_SHOWN: usize = 2_000;

/// A finding together with the text it speaks of.
#[derive(Clone, Debug)]
pub struct Report {
    source: Source,
    finding: Diagnostic,
}

impl Report {
    /// Joins `finding` with the text `text` called `name`.
    pub fn new(name: &str, text: &std::sync::Arc<str>, mut finding: Diagnostic) -> Report {
        let source = Source { name: name.to_owned(), text: text.clone() };
        finding.span = source.shown(finding.span);
        let is_long = |span: Span| source.line(span).len() > MOST_SHOWN;
        // Two places are drawn together, which long lines would keep apart.
        let first = finding.span;
        finding.related = finding.related.filter(|(second, _)| !is_long(first) && !is_long(*second));
        finding.related = finding.related.map(|(span, label)| (source.shown(span), label));
        Report { source, finding }
    }
}

/// A text as it is drawn: long lines are cut.
#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: std::sync::Arc<str>,
}

impl Source {
    /// The place without what is too long to be drawn.
    fn shown(&self, span: Span) -> Span {
        let (start, end) = (span.start as usize, span.end as usize);
        if end.saturating_sub(start) <= MOST_SHOWN {
            return span;
        }
        Span::new(start, floor(&self.text, start + MOST_SHOWN))
    }

    /// The line in which the place begins.
    fn line(&self, span: Span) -> &str {
        let at = floor(&self.text, span.start as usize);
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
        &self.text[start..end]
    }
}

impl miette::SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &miette::SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let contents = self.text.read_span(span, lines_before, lines_after)?;
        let (mut from, mut column) = (contents.span().offset(), contents.column());
        let (mut line, mut count) = (contents.line(), contents.line_count());
        let mut to = from + contents.data().len();
        // At most two places with the lines around them are shorter than this, unless a line is long.
        if to - from > 16 * MOST_SHOWN {
            let (start, end) = (span.offset(), span.offset() + span.len());
            let before = self.text.read_span(&(start, 0).into(), 0, 0)?;
            from = floor(&self.text, start.saturating_sub(MOST_SHOWN / 20)).max(before.span().offset());
            to = floor(&self.text, (end + MOST_SHOWN / 20).min(to)).max(end);
            line = before.line();
            column = 0;
            count = self.text[from..to].matches('\n').count() + 1;
        }
        Ok(Box::new(miette::MietteSpanContents::new_named(
            self.name.clone(),
            &self.text.as_bytes()[from..to],
            (from, to - from).into(),
            line,
            column,
            count,
        )))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.finding.message)
    }
}

impl std::error::Error for Report {}

fn source_span(span: Span) -> miette::SourceSpan {
    (span.start as usize, (span.end.saturating_sub(span.start)) as usize).into()
}

impl miette::Diagnostic for Report {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.finding.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.finding.severity() {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.finding.hint.as_ref().map(|hint| Box::new(hint) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let first = miette::LabeledSpan::new_primary_with_span(
            Some(self.finding.label.clone()),
            source_span(self.finding.span),
        );
        let second =
            self.finding.related.iter().map(|(span, label)| {
                miette::LabeledSpan::new_with_span(Some(label.clone()), source_span(*span))
            });
        Some(Box::new(std::iter::once(first).chain(second)))
    }
}
