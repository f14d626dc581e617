//! Tree to rules: the step at which clauses get their meaning.
//!
//! Negation is pushed to the atoms, disjunctions are split into rules of their own, `not distinct` becomes
//! a substitution, names become relations. Whatever a single clause can do wrong is found here, where its
//! parts still know their places; what concerns the rules together is [`crate::check`]'s.

use crate::diagnostic::{Code, Diagnostic};
use crate::rules::{Atom, Literal, Places, RelationId, Rule, Rules, Term, Variable};
use crate::symbols::{Keyword, Symbol};
use crate::syntax::tree::{self, Clause, Formula, FormulaKind, TermKind};
use crate::syntax::{Findings, Notation, Parsed, Span, TextLimits};
use crate::unify::Substitution;
use hashbrown::{HashMap, HashSet};
use std::hash::BuildHasher;

/// What lowering gives.
pub(crate) struct Lowered {
    pub(crate) rules: Rules,
    /// The place of the first condition that reads each relation.
    pub(crate) first_use: Vec<(RelationId, Span)>,
}

/// The rules of what was parsed. Clauses with errors are reported and left out.
pub(crate) fn lower(parsed: &Parsed, limits: &TextLimits, findings: &mut Findings) -> Lowered {
    let mut lowering = Lowering {
        rules: Rules::new(parsed.tree.symbols.clone()),
        notation: parsed.notation,
        literals: limits.literals,
        limits: *limits,
        findings,
        seen: HashMap::default(),
        arities: HashMap::default(),
        first_use: Vec::new(),
        used: HashSet::default(),
    };
    for clause in &parsed.tree.clauses {
        lowering.clause(clause);
    }
    Lowered { rules: lowering.rules, first_use: lowering.first_use }
}

/// How often bindings are carried over the equalities of a clause.
const MOST_EQUALITY_PASSES: usize = 100;

/// A literal that still points into the tree.
#[derive(Clone, Copy)]
enum Part<'t> {
    Atom { negative: bool, term: &'t tree::Term, span: Span },
    Distinct { left: &'t tree::Term, right: &'t tree::Term, span: Span },
    Equal { left: &'t tree::Term, right: &'t tree::Term },
}

struct Lowering<'f> {
    rules: Rules,
    notation: Notation,
    /// How many more literals splitting may make.
    literals: usize,
    limits: TextLimits,
    findings: &'f mut Findings,
    /// Rules by the hash of what they say, to find duplicates.
    seen: HashMap<u64, Vec<usize>>,
    /// The first number of arguments each relation name was used with, and where.
    arities: HashMap<Symbol, (usize, Span)>,
    first_use: Vec<(RelationId, Span)>,
    used: HashSet<RelationId>,
}

impl Lowering<'_> {
    fn report(&mut self, code: Code, span: Span, message: String, label: &str, hint: &str) {
        self.findings.push(Diagnostic::new(code, span, message, label).hint(hint));
    }

    fn clause(&mut self, clause: &Clause) {
        if !self.head_is_sound(clause) {
            return;
        }
        let mut sound = self.relation_is_sound(&clause.head);
        for condition in clause.body.iter().flatten() {
            sound &= self.formula_is_sound(condition);
        }
        if !sound {
            return;
        }
        if clause.body.as_ref().is_some_and(Vec::is_empty) {
            let message = "a rule without conditions".to_owned();
            self.report(Code::EmptyBody, clause.span, message, "always true", "write it as a fact");
        }
        self.goal_value(&clause.head);
        let conditions = clause.body.as_deref().unwrap_or(&[]);
        let Some(alternatives) = self.split(clause, conditions) else { return };
        let before = self.rules.rules().len();
        let mut unsafe_found = false;
        for alternative in &alternatives {
            if !unsafe_found {
                unsafe_found = !self.is_safe(clause, alternative);
            }
            if unsafe_found {
                return;
            }
            if !self.rule(clause, alternative) {
                return;
            }
        }
        self.find_duplicate(clause, before);
    }

    // ---- one clause's own faults ----

    fn head_is_sound(&mut self, clause: &Clause) -> bool {
        let head = &clause.head;
        let Some(name) = head.name() else { return false };
        let spelling = self.rules.symbols.name(name).to_owned();
        match Keyword::of(&spelling) {
            Some(keyword @ (Keyword::True | Keyword::Does)) => {
                let message = format!("`{}` cannot be defined by a clause", keyword.name());
                let hint = if keyword == Keyword::True {
                    "use `init` for the first state and `next` for the following ones"
                } else {
                    "`does` is what the players choose; use `legal` for what they may do"
                };
                self.report(Code::StateInHead, head.span, message, "given by the play", hint);
                false
            }
            _ => true,
        }
    }

    /// A constant goal value should be a number from 0 to 100.
    fn goal_value(&mut self, head: &tree::Term) {
        let is_goal =
            head.name().is_some_and(|name| Keyword::of(self.rules.symbols.name(name)) == Some(Keyword::Goal));
        let Some(tree::Term { kind: TermKind::Constant(value), span }) = head.arguments().get(1) else {
            return;
        };
        let spelling = self.rules.symbols.name(*value);
        if is_goal && !spelling.parse::<i64>().is_ok_and(|n| (0..=100).contains(&n)) {
            let message = format!("the goal value `{spelling}` is not a number from 0 to 100");
            self.report(Code::GoalValue, *span, message, "not a goal value", "scale the values to 0..100");
        }
    }

    fn formula_is_sound(&mut self, formula: &Formula) -> bool {
        match &formula.kind {
            FormulaKind::Atom(atom) => {
                let sound = self.relation_is_sound(atom);
                if let Some(name) = atom.name() {
                    let keyword = Keyword::of(self.rules.symbols.name(name));
                    let (code, what) = match keyword {
                        Some(Keyword::Next) => (Code::NextInBody, "next"),
                        Some(Keyword::Init) => (Code::InitInBody, "init"),
                        _ => return sound,
                    };
                    let message = format!("`{what}` in a body");
                    let hint = "the specification allows it in heads only; move the condition into a helper relation";
                    self.report(code, formula.span, message, "only for heads", hint);
                }
                sound
            }
            FormulaKind::Distinct(left, right) => self.term_is_sound(left) & self.term_is_sound(right),
            FormulaKind::Not(inner) => self.formula_is_sound(inner),
            FormulaKind::Or(parts) => {
                parts.iter().fold(true, |sound, part| sound & self.formula_is_sound(part))
            }
            FormulaKind::And(parts) => {
                if self.notation == Notation::Kif {
                    let message = "the operator `and`, which GDL does not have".to_owned();
                    let hint = "list the conditions one after the other";
                    self.report(Code::AndOperator, formula.span, message, "read as a conjunction", hint);
                }
                parts.iter().fold(true, |sound, part| sound & self.formula_is_sound(part))
            }
        }
    }

    /// Checks a term in the place of a relation.
    fn relation_is_sound(&mut self, atom: &tree::Term) -> bool {
        let Some(name) = atom.name() else { return false };
        let count = atom.arguments().len();
        let spelling = self.rules.symbols.name(name).to_owned();
        let keyword = Keyword::of(&spelling);
        if spelling.parse::<i64>().is_ok() {
            let message = format!("the number `{spelling}` in the place of a relation");
            self.report(
                Code::NotAClause,
                atom.span,
                message,
                "not a relation",
                "is a parenthesis misplaced?",
            );
            return false;
        }
        if let Some(arity) = keyword.and_then(Keyword::arity)
            && arity != count
        {
            let message = format!("`{}` takes {}, not {count}", spelling, plural(arity, "argument"));
            let hint = match keyword {
                Some(Keyword::Legal | Keyword::Does | Keyword::Input) => "write the role and the move",
                Some(Keyword::Goal) => "write the role and the value",
                Some(Keyword::Terminal) => "write `terminal` without arguments",
                _ => "put the whole fluent or role into one term",
            };
            self.report(Code::KeywordArity, atom.span, message, "wrong number of arguments", hint);
            return false;
        }
        if count == 0 && matches!(atom.kind, TermKind::Compound(..)) {
            let message = format!("`{spelling}` in parentheses");
            let hint = "a relation without arguments is written bare";
            self.report(Code::ParenthesisedAtom, atom.span, message, "no arguments", hint);
        }
        if keyword.is_none() {
            match self.arities.get(&name) {
                None => {
                    self.arities.insert(name, (count, atom.span));
                }
                Some(&(first, place)) if first != count && first != usize::MAX => {
                    let message =
                        format!("`{spelling}` has {} here and {first} before", plural(count, "argument"));
                    let finding = Diagnostic::new(Code::ArityClash, atom.span, message, "another relation")
                        .related(place, format!("first used with {first}"))
                        .hint("they are two unrelated relations; rename one");
                    self.findings.push(finding);
                    // Say it once a name.
                    self.arities.insert(name, (usize::MAX, place));
                }
                _ => {}
            }
        }
        atom.arguments().iter().fold(true, |sound, argument| sound & self.term_is_sound(argument))
    }

    fn term_is_sound(&mut self, term: &tree::Term) -> bool {
        let TermKind::Compound(name, arguments) = &term.kind else { return true };
        let spelling = self.rules.symbols.name(*name).to_owned();
        if arguments.is_empty() {
            let message = format!("`{spelling}` in parentheses, without arguments");
            let hint = "a constant is written bare";
            self.report(Code::NullaryTerm, term.span, message, "read as the constant", hint);
        } else if Keyword::of(&spelling).is_some() {
            let message = format!("the keyword `{spelling}` inside a term");
            let hint = "it is taken as a function of that name; is a parenthesis misplaced?";
            self.report(Code::KeywordAsFunction, term.span, message, "an ordinary function here", hint);
        }
        arguments.iter().fold(true, |sound, argument| sound & self.term_is_sound(argument))
    }

    /// Every variable of the head, of a negative literal and of `distinct` needs a positive literal.
    fn is_safe(&mut self, clause: &Clause, alternative: &[Part<'_>]) -> bool {
        let mut bound = HashSet::new();
        for part in alternative {
            if let Part::Atom { negative: false, term, .. } = part {
                each_variable(term, &mut |name, _| {
                    bound.insert(name);
                });
            }
        }
        // Equality carries a binding from one side to the other. A chain that needs more passes than this
        // is not safe in any sense a reader could follow.
        for _ in 0..MOST_EQUALITY_PASSES {
            let before = bound.len();
            for part in alternative {
                if let Part::Equal { left, right } = part {
                    for (known, other) in [(left, right), (right, left)] {
                        let mut all = true;
                        each_variable(known, &mut |name, _| all &= bound.contains(&name));
                        if all {
                            each_variable(other, &mut |name, _| {
                                bound.insert(name);
                            });
                        }
                    }
                }
            }
            if bound.len() == before {
                break;
            }
        }
        let mut culprit: Option<(Symbol, Span, &str)> = None;
        let mut look = |term: &tree::Term, place: &'static str| {
            each_variable(term, &mut |name, span| {
                if !bound.contains(&name) && culprit.is_none_or(|(_, first, _)| span < first) {
                    culprit = Some((name, span, place));
                }
            });
        };
        for part in alternative {
            match part {
                Part::Atom { negative: true, term, .. } => look(term, "under `not`"),
                Part::Distinct { left, right, .. } | Part::Equal { left, right } => {
                    look(left, "in `distinct`");
                    look(right, "in `distinct`");
                }
                Part::Atom { .. } => {}
            }
        }
        look(&clause.head, "in the head");
        let Some((name, span, place)) = culprit else { return true };
        let variable = match self.notation {
            Notation::Kif => format!("?{}", self.rules.symbols.name(name)),
            Notation::Infix => self.rules.symbols.name(name).to_owned(),
        };
        let message = format!("the variable `{variable}` stands {place}, but no positive condition binds it");
        let split = if clause.body.iter().flatten().any(has_or) { " in every arm of `or`" } else { "" };
        let hint = format!("add a condition that gives `{variable}` its values{split}");
        self.report(Code::UnsafeVariable, span, message, "not bound", &hint);
        false
    }

    // ---- splitting ----

    /// The body as a disjunction of conjunctions.
    fn split<'t>(&mut self, clause: &Clause, conditions: &'t [Formula]) -> Option<Vec<Vec<Part<'t>>>> {
        let (mut count, mut size) = (1usize, 0usize);
        for condition in conditions {
            let (arms, literals) = measure(condition, false);
            count = count.saturating_mul(arms);
            size = size.saturating_add(literals);
        }
        let total = count.saturating_mul(size.max(1));
        if total > self.literals {
            let message = format!("the disjunctions of this clause split into {count} rules");
            let finding = Diagnostic::new(Code::TooManyAlternatives, clause.span, message, "too many");
            self.findings.push(finding.hint("put each `or` into a helper relation of its own"));
            return None;
        }
        self.literals -= total;
        let mut alternatives = vec![Vec::new()];
        for condition in conditions {
            alternatives = product(alternatives, &arms(condition, false));
        }
        Some(alternatives)
    }

    /// Adds the rule of one alternative; false if it was refused.
    fn rule(&mut self, clause: &Clause, alternative: &[Part<'_>]) -> bool {
        if alternative.len() > self.limits.conditions {
            return self.too_large(clause, alternative.len(), "conditions", self.limits.conditions);
        }
        let mut scope = Scope::default();
        let head = self.atom(&mut scope, &clause.head);
        let mut body = Vec::with_capacity(alternative.len());
        let mut places = Places { clause: clause.span, head: clause.head.span, body: Vec::new() };
        let mut equalities = Substitution::default();
        let mut possible = true;
        for part in alternative {
            match part {
                Part::Atom { negative, term, span } => {
                    let atom = self.atom(&mut scope, term);
                    if self.used.insert(atom.relation) {
                        self.first_use.push((atom.relation, term.span));
                    }
                    places.body.push(*span);
                    body.push(if *negative { Literal::Negative(atom) } else { Literal::Positive(atom) });
                }
                Part::Distinct { left, right, span } => {
                    places.body.push(*span);
                    let (left, right) = (scope.term(left), scope.term(right));
                    body.push(Literal::Distinct(left, right));
                }
                Part::Equal { left, right } => {
                    let (left, right) = (scope.term(left), scope.term(right));
                    possible &= possible && equalities.unify(&left, &right);
                }
            }
        }
        if equalities.is_exhausted() {
            return self.too_complex(clause);
        }
        if !possible {
            return true;
        }
        let mut rule = Rule { head, body, variables: scope.names, places };
        // Equalities may have numbered variables that are now gone, even when they bind nothing.
        if alternative.iter().any(|part| matches!(part, Part::Equal { .. })) {
            let terms = equalities.resolve(rule.variables.len());
            if equalities.is_exhausted() {
                return self.too_complex(clause);
            }
            let by = |v: Variable| terms[v.index()].clone();
            rule.head = rule.head.map(&by);
            rule.body = rule.body.iter().map(|literal| literal.map(&by)).collect();
            rule = rule.renumbered();
        }
        let words = rule.words();
        if words > self.limits.words {
            return self.too_large(clause, words, "names and variables", self.limits.words);
        }
        let widest = rule.widest();
        if widest > self.limits.arguments {
            return self.too_large(clause, widest, "arguments in one place", self.limits.arguments);
        }
        self.rules.push(rule);
        true
    }

    fn too_large(&mut self, clause: &Clause, count: usize, what: &str, limit: usize) -> bool {
        let message = format!("a rule with {count} {what}, more than the limit of {limit}");
        let hint = "put some of its conditions into a helper relation, or write facts instead";
        self.report(Code::RuleTooLarge, clause.head.span, message, "too large", hint);
        false
    }

    fn too_complex(&mut self, clause: &Clause) -> bool {
        let message = "the equalities of this clause make terms that are too large".to_owned();
        let hint = "`not distinct` makes two terms equal; write the term itself instead";
        self.report(Code::TooComplex, clause.span, message, "too complex", hint);
        false
    }

    fn atom(&mut self, scope: &mut Scope, term: &tree::Term) -> Atom {
        let arguments: Vec<Term> = term.arguments().iter().map(|a| scope.term(a)).collect();
        let name = term.name().expect("a relation has a name: variables were refused");
        Atom { relation: self.rules.intern_relation(name, arguments.len()), arguments }
    }

    /// Drops the rules from `from` on that say what an earlier clause says, and reports a clause that adds
    /// nothing.
    fn find_duplicate(&mut self, clause: &Clause, from: usize) {
        let new: Vec<Rule> = self.rules.rules()[from..].to_vec();
        if new.is_empty() {
            return;
        }
        let mut twin = None;
        let mut kept = Vec::new();
        for rule in new {
            let hash = self.seen.hasher().hash_one((&rule.head, &rule.body));
            let slots = self.seen.entry(hash).or_default();
            let position = from + kept.len();
            let same = slots.iter().copied().find(|&i| {
                if i < from { self.rules.rules()[i] == rule } else { kept.get(i - from) == Some(&rule) }
            });
            match same {
                Some(i) if i < from => twin = Some(self.rules.rules()[i].places.clause),
                Some(_) => {}
                None => {
                    slots.push(position);
                    kept.push(rule);
                }
            }
        }
        if kept.is_empty()
            && let Some(first) = twin
        {
            let message = "the same clause stands here twice".to_owned();
            let finding = Diagnostic::new(Code::DuplicateClause, clause.span, message, "again")
                .related(first, "first here")
                .hint("remove one of them; the meaning stays the same");
            self.findings.push(finding);
        }
        self.rules.truncate(from);
        kept.into_iter().for_each(|rule| {
            self.rules.push(rule);
        });
    }
}

/// The variables of one rule, numbered as they appear.
#[derive(Default)]
struct Scope {
    names: Vec<Symbol>,
    positions: HashMap<Symbol, u32>,
}

impl Scope {
    fn term(&mut self, term: &tree::Term) -> Term {
        match &term.kind {
            TermKind::Variable(name) => {
                let next = self.names.len() as u32;
                let position = *self.positions.entry(*name).or_insert(next);
                if position == next {
                    self.names.push(*name);
                }
                Term::Variable(Variable(position))
            }
            TermKind::Constant(name) => Term::Constant(*name),
            TermKind::Compound(name, arguments) if arguments.is_empty() => Term::Constant(*name),
            TermKind::Compound(name, arguments) => {
                Term::Compound(*name, arguments.iter().map(|a| self.term(a)).collect())
            }
        }
    }
}

fn each_variable(term: &tree::Term, visit: &mut impl FnMut(Symbol, Span)) {
    match &term.kind {
        TermKind::Variable(name) => visit(*name, term.span),
        TermKind::Constant(_) => {}
        TermKind::Compound(_, arguments) => arguments.iter().for_each(|a| each_variable(a, visit)),
    }
}

fn has_or(formula: &Formula) -> bool {
    match &formula.kind {
        FormulaKind::Or(_) => true,
        FormulaKind::Not(inner) => has_or(inner),
        FormulaKind::And(parts) => parts.iter().any(has_or),
        FormulaKind::Atom(_) | FormulaKind::Distinct(..) => false,
    }
}

/// How many conjunctions a condition splits into, and a bound on the literals of one of them.
fn measure(formula: &Formula, negative: bool) -> (usize, usize) {
    let (parts, disjunction) = match &formula.kind {
        FormulaKind::Atom(_) | FormulaKind::Distinct(..) => return (1, 1),
        FormulaKind::Not(inner) => return measure(inner, !negative),
        FormulaKind::Or(parts) => (parts, !negative),
        FormulaKind::And(parts) => (parts, negative),
    };
    parts.iter().map(|part| measure(part, negative)).fold(
        if disjunction { (0, 0) } else { (1, 0) },
        |(count, size), (arms, literals)| {
            if disjunction {
                (count.saturating_add(arms), size.max(literals))
            } else {
                (count.saturating_mul(arms), size.saturating_add(literals))
            }
        },
    )
}

/// The conjunctions that a condition splits into.
fn arms(formula: &Formula, negative: bool) -> Vec<Vec<Part<'_>>> {
    let (parts, disjunction) = match &formula.kind {
        FormulaKind::Atom(term) => return vec![vec![Part::Atom { negative, term, span: formula.span }]],
        FormulaKind::Distinct(left, right) if negative => return vec![vec![Part::Equal { left, right }]],
        FormulaKind::Distinct(left, right) => {
            return vec![vec![Part::Distinct { left, right, span: formula.span }]];
        }
        FormulaKind::Not(inner) => {
            let mut split = arms(inner, !negative);
            // A negated atom is pointed at with its `not`.
            if let [alternative] = split.as_mut_slice()
                && let [Part::Atom { span, .. }] = alternative.as_mut_slice()
                && matches!(inner.kind, FormulaKind::Atom(_))
            {
                *span = formula.span;
            }
            return split;
        }
        FormulaKind::Or(parts) => (parts, !negative),
        FormulaKind::And(parts) => (parts, negative),
    };
    if disjunction {
        parts.iter().flat_map(|part| arms(part, negative)).collect()
    } else {
        parts.iter().fold(vec![Vec::new()], |all, part| product(all, &arms(part, negative)))
    }
}

fn product<'t>(left: Vec<Vec<Part<'t>>>, right: &[Vec<Part<'t>>]) -> Vec<Vec<Part<'t>>> {
    if let [only] = right {
        return left
            .into_iter()
            .map(|mut a| {
                a.extend(only);
                a
            })
            .collect();
    }
    left.iter()
        .flat_map(|a| right.iter().map(move |b| a.iter().chain(b).copied().collect::<Vec<_>>()))
        .collect()
}

fn plural(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}
