//! Findings about a sheet: what is wrong, where, and what to do.
//!
//! An *error* means that no meaning can be given to the rules; a *warning* that the letter of the
//! specification is broken while the meaning stays plain. Findings are values: nothing here prints.
//! [`Report`] joins findings with their text and implements [`miette::Diagnostic`], so a program that
//! depends on `miette` with its `fancy` feature can draw them with carets.

use crate::caret;
use crate::syntax::Span;
use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// No meaning can be given to the rules.
    Error,
    /// The specification is broken, the meaning is plain.
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
}

impl Diagnostic {
    /// A finding without hint or second place.
    pub fn new(code: Code, span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic { code, message: message.into(), span, label: label.into(), hint: None, related: None }
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

/// A finding together with the text it speaks of.
#[derive(Clone, Debug)]
pub struct Report {
    source: miette::NamedSource<std::sync::Arc<str>>,
    finding: Diagnostic,
}

impl Report {
    /// Joins `finding` with the text `text` called `name`.
    pub fn new(name: &str, text: &std::sync::Arc<str>, finding: Diagnostic) -> Report {
        Report { source: miette::NamedSource::new(name, text.clone()), finding }
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
