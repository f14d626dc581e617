//! Changes of one rule: what may be wrong with a sheet, each as the clauses that would stand there instead.

use crate::review;
use hashbrown::HashSet;
use ludex_engine::engine::Engine;
use ludex_gdl::analysis::domains::{Domain, Domains};
use ludex_gdl::rules::{Atom, Literal, Rule, Term, Variable};
use ludex_gdl::syntax::{Notation, Span, print};
use ludex_gdl::{Keyword, Rules, Sheet, Symbol};

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A constant is another one.
    Constant,
    /// A variable is another one.
    Variable,
    /// A condition is negated, or no longer so.
    Negation,
    /// A condition is added.
    AddedCondition,
    /// A condition is left out.
    DroppedCondition,
    /// What is said of one role is said of the other, too.
    Twin,
    /// What keeps a fluent is added.
    Frame,
    /// A clause is left out.
    DroppedRule,
}

impl Kind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Constant => "another constant",
            Kind::Variable => "another variable",
            Kind::Negation => "a condition negated",
            Kind::AddedCondition => "a condition more",
            Kind::DroppedCondition => "a condition less",
            Kind::Twin => "the same for another role",
            Kind::Frame => "a rule that keeps what holds",
            Kind::DroppedRule => "a rule less",
        }
    }
}

/// A change of one clause, or clauses that are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What is changed.
    pub kind: Kind,
    /// The clause that is replaced; nothing where clauses are added.
    pub place: Option<Span>,
    /// What stands there instead, in the notation of the sheet.
    pub text: String,
}

/// So many changes are thought of.
const MOST_CHANGES: usize = 6_000;

/// Constants that are tried in one place.
const MOST_CONSTANTS: usize = 12;

/// The changes of the sheet, those of rules for these keywords (and what they depend on) first.
pub(super) fn changes(sheet: &Sheet, engine: Option<&dyn Engine>, first: &[Keyword]) -> Vec<Change> {
    let rules = sheet.rules();
    let mut maker = Maker {
        sheet,
        rules,
        domains: Domains::of(rules),
        roles: roles(rules),
        pool: pool(rules),
        seen: HashSet::new(),
        found: Vec::new(),
    };
    let mut order: Vec<&Rule> = rules.rules().iter().collect();
    let rank = |rule: &Rule| {
        let keyword = rules.relation(rule.head.relation).keyword;
        let place = first.iter().position(|wanted| keyword == Some(*wanted));
        (rule.body.is_empty(), place.unwrap_or(first.len()))
    };
    order.sort_by_key(|rule| rank(rule));
    if let Some(engine) = engine {
        maker.frames(engine);
    }
    for rule in order {
        if maker.found.len() >= MOST_CHANGES {
            break;
        }
        maker.rule(rule);
    }
    maker.found
}

fn roles(rules: &Rules) -> Vec<Symbol> {
    let heads = rules.rules_for(rules.keyword(Keyword::Role)).iter();
    heads
        .filter_map(|&id| match rules.rule(id).head.arguments.first() {
            Some(Term::Constant(name)) => Some(*name),
            _ => None,
        })
        .collect()
}

/// The conditions of all rules, with the names of their variables.
fn pool(rules: &Rules) -> Vec<(Literal, Vec<Symbol>)> {
    let mut seen = HashSet::new();
    let mut pool = Vec::new();
    for rule in rules.rules() {
        for literal in &rule.body {
            if matches!(literal, Literal::Distinct(..)) {
                continue;
            }
            let mut names = Vec::new();
            literal.variables(&mut |v| names.push(rule.variables[v.index()]));
            if seen.insert((literal.clone(), names)) {
                pool.push((literal.clone(), rule.variables.clone()));
            }
        }
    }
    pool
}

struct Maker<'s> {
    sheet: &'s Sheet,
    rules: &'s Rules,
    domains: Domains,
    roles: Vec<Symbol>,
    pool: Vec<(Literal, Vec<Symbol>)>,
    seen: HashSet<(Option<Span>, String)>,
    found: Vec<Change>,
}

impl Maker<'_> {
    fn text(&self, rules: &[Rule]) -> String {
        let tree = self.rules.with_rules(rules.iter().cloned()).to_tree();
        match self.sheet.notation {
            Notation::Kif => print::kif(&tree),
            Notation::Infix => print::infix(&tree),
        }
        .trim_end()
        .to_owned()
    }

    fn add(&mut self, kind: Kind, place: Option<Span>, text: String) {
        if self.seen.insert((place, text.clone())) {
            self.found.push(Change { kind, place, text });
        }
    }

    /// A rule in place of another; the other rules of its clause, where it has an `or`, stay as they are.
    fn replace(&mut self, kind: Kind, rule: &Rule, new: Option<&Rule>) {
        let clause = rule.places.clause;
        let all = self.rules.rules().iter().filter(|other| other.places.clause == clause);
        let new: Vec<Rule> = all
            .filter_map(|other| if std::ptr::eq(other, rule) { new.cloned() } else { Some(other.clone()) })
            .collect();
        let text = self.text(&new);
        self.add(kind, Some(clause), text);
    }

    fn rule(&mut self, rule: &Rule) {
        let keyword = self.rules.relation(rule.head.relation).keyword;
        if keyword == Some(Keyword::Role) {
            return;
        }
        self.constants(rule);
        if !rule.body.is_empty() {
            self.variables(rule);
            self.negations(rule);
            self.added(rule);
            for at in 0..rule.body.len() {
                let mut less = rule.clone();
                less.body.remove(at);
                self.replace(Kind::DroppedCondition, rule, Some(&less));
            }
        }
        self.twin(rule);
        self.replace(Kind::DroppedRule, rule, None);
    }

    /// Another constant in each place, of those that can stand there.
    fn constants(&mut self, rule: &Rule) {
        let is_goal = self.rules.relation(rule.head.relation).keyword == Some(Keyword::Goal);
        for place in places(rule) {
            let Some(Term::Constant(old)) = term_at(rule, &place) else { continue };
            let old = *old;
            let mut others: Vec<Symbol> = self.domain(rule, &place).constants.clone();
            let number = |name: Symbol| self.rules.symbols.name(name).parse::<i64>().ok();
            if self.roles.contains(&old) {
                others.extend(&self.roles);
            }
            // The value of a goal is a number that may be one.
            if is_goal && number(old).is_some() {
                others.retain(|&name| number(name).is_some_and(|value| (0..=100).contains(&value)));
            }
            let mut seen: HashSet<Symbol> = HashSet::new();
            seen.insert(old);
            others.retain(|name| seen.insert(*name));
            // Those that look most alike first: a number one off, a name of the same length.
            others.sort_by_key(|&name| match (number(name), number(old)) {
                (Some(a), Some(b)) => (a - b).unsigned_abs(),
                (None, None) => 0,
                _ => u64::MAX,
            });
            for other in others.into_iter().take(MOST_CONSTANTS) {
                let new = with_term(rule, &place, Term::Constant(other));
                self.replace(Kind::Constant, rule, Some(&new));
            }
        }
    }

    /// Another variable of the rule in each place of the body.
    fn variables(&mut self, rule: &Rule) {
        for place in places(rule) {
            let Some(Term::Variable(old)) = term_at(rule, &place) else { continue };
            let old = *old;
            for other in (0..rule.variables.len() as u32).map(Variable).filter(|v| *v != old) {
                let new = with_term(rule, &place, Term::Variable(other));
                self.replace(Kind::Variable, rule, Some(&new));
            }
        }
    }

    fn negations(&mut self, rule: &Rule) {
        for (at, literal) in rule.body.iter().enumerate() {
            let turned = match literal {
                Literal::Positive(atom) => Literal::Negative(atom.clone()),
                Literal::Negative(atom) => Literal::Positive(atom.clone()),
                Literal::Distinct(..) => continue,
            };
            let mut new = rule.clone();
            new.body[at] = turned;
            self.replace(Kind::Negation, rule, Some(&new));
        }
    }

    /// A condition of another rule, whose variables are called as those of this one; or that two variables differ.
    fn added(&mut self, rule: &Rule) {
        let by_name =
            |name: &Symbol| rule.variables.iter().position(|own| own == name).map(|at| Variable(at as u32));
        for (literal, names) in std::mem::take(&mut self.pool).iter() {
            let mut known = true;
            literal.variables(&mut |v| known &= by_name(&names[v.index()]).is_some());
            if known {
                let own =
                    literal.map(&|v| by_name(&names[v.index()]).map_or(Term::Variable(v), Term::Variable));
                for literal in [Some(own.clone()), negated(&own)].into_iter().flatten() {
                    let is_head = literal.positive() == Some(&rule.head);
                    if !rule.body.contains(&literal) && !is_head {
                        let mut new = rule.clone();
                        new.body.push(literal);
                        self.replace(Kind::AddedCondition, rule, Some(&new));
                    }
                }
            }
            self.pool.push((literal.clone(), names.clone()));
        }
        let count = rule.variables.len() as u32;
        for one in 0..count {
            for other in one + 1..count {
                let mut new = rule.clone();
                let terms = [one, other].map(|v| Term::Variable(Variable(v)));
                let [one, other] = terms;
                new.body.push(Literal::Distinct(one, other));
                self.replace(Kind::AddedCondition, rule, Some(&new));
            }
        }
    }

    /// The rule with two roles exchanged.
    fn twin(&mut self, rule: &Rule) {
        let [a, b] = self.roles.as_slice() else { return };
        let (a, b) = (*a, *b);
        let swapped = review::swapped(rule, a, b);
        if swapped.0 == rule.head && swapped.1 == rule.body {
            return;
        }
        let twin = Rule { head: swapped.0, body: swapped.1, ..rule.clone() };
        if !self.rules.rules().contains(&twin) {
            let text = self.text(&[twin]);
            self.add(Kind::Twin, None, text);
        }
    }

    /// What keeps a group of fluents that has one value.
    fn frames(&mut self, engine: &dyn Engine) {
        for text in review::frames(self.rules, self.sheet.notation, engine) {
            self.add(Kind::Frame, None, text.trim_end().to_owned());
        }
    }

    fn domain(&self, rule: &Rule, place: &Place) -> Domain {
        let relation = |atom: &Atom, path: &[usize]| -> Domain {
            let mut term = &atom.arguments[path[0]];
            let mut domain = self.domains.argument(atom.relation, path[0]);
            for &step in &path[1..] {
                let Term::Compound(name, arguments) = term else { break };
                domain = self.domains.inside((*name, arguments.len()), step);
                term = &arguments[step];
            }
            (**domain).clone()
        };
        match place.part {
            Part::Head => relation(&rule.head, &place.path),
            Part::Body(at) => match &rule.body[at] {
                Literal::Positive(atom) | Literal::Negative(atom) => relation(atom, &place.path),
                Literal::Distinct(..) => Domain::default(),
            },
        }
    }
}

fn negated(literal: &Literal) -> Option<Literal> {
    match literal {
        Literal::Positive(atom) => Some(Literal::Negative(atom.clone())),
        Literal::Negative(atom) => Some(Literal::Positive(atom.clone())),
        Literal::Distinct(..) => None,
    }
}

/// Where a term stands in a rule.
#[derive(Clone, Debug)]
struct Place {
    part: Part,
    /// The argument, and the arguments inside of it.
    path: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Head,
    Body(usize),
}

/// All places of a rule that hold a constant or a variable.
fn places(rule: &Rule) -> Vec<Place> {
    fn inside(term: &Term, part: Part, path: &mut Vec<usize>, out: &mut Vec<Place>) {
        match term {
            Term::Compound(_, arguments) => {
                for (at, argument) in arguments.iter().enumerate() {
                    path.push(at);
                    inside(argument, part, path, out);
                    path.pop();
                }
            }
            _ => out.push(Place { part, path: path.clone() }),
        }
    }
    let mut out = Vec::new();
    let mut all = |part: Part, terms: &[&Term]| {
        for (at, term) in terms.iter().enumerate() {
            inside(term, part, &mut vec![at], &mut out);
        }
    };
    all(Part::Head, &rule.head.arguments.iter().collect::<Vec<_>>());
    for (at, literal) in rule.body.iter().enumerate() {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                all(Part::Body(at), &atom.arguments.iter().collect::<Vec<_>>());
            }
            Literal::Distinct(one, other) => all(Part::Body(at), &[one, other]),
        }
    }
    out
}

fn arguments(rule: &mut Rule, part: Part, first: usize) -> &mut Term {
    match part {
        Part::Head => &mut rule.head.arguments[first],
        Part::Body(at) => match &mut rule.body[at] {
            Literal::Positive(atom) | Literal::Negative(atom) => &mut atom.arguments[first],
            Literal::Distinct(one, other) => {
                if first == 0 {
                    one
                } else {
                    other
                }
            }
        },
    }
}

fn term_at<'r>(rule: &'r Rule, place: &Place) -> Option<&'r Term> {
    let mut term = match place.part {
        Part::Head => &rule.head.arguments[place.path[0]],
        Part::Body(at) => match &rule.body[at] {
            Literal::Positive(atom) | Literal::Negative(atom) => &atom.arguments[place.path[0]],
            Literal::Distinct(one, other) => [one, other][place.path[0]],
        },
    };
    for &step in &place.path[1..] {
        let Term::Compound(_, arguments) = term else { return None };
        term = &arguments[step];
    }
    Some(term)
}

fn with_term(rule: &Rule, place: &Place, new: Term) -> Rule {
    let mut changed = rule.clone();
    let mut term = arguments(&mut changed, place.part, place.path[0]);
    for &step in &place.path[1..] {
        if let Term::Compound(_, arguments) = term {
            term = &mut arguments[step];
        } else {
            return rule.clone();
        }
    }
    *term = new;
    changed
}
