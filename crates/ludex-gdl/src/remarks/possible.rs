//! Conditions that never hold and rules that never fire, by the domains of arguments.
//!
//! Only the root of each trouble is told: a condition on something that rules would make true, could they fire, is an
//! echo of why they cannot.

use super::{Remarked, Remarks};
use crate::analysis::actions::functors;
use crate::analysis::domains::{Domain, Domains, Functor, Slot};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::{Atom, Literal, RelationId, Rule, Rules, Term};
use crate::symbols::{Keyword, Symbol};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// More values than this are not listed in a hint.
const MOST_LISTED: usize = 6;

pub(super) fn remark(sheet: &Remarked<'_>, domains: &Domains, remarks: &mut Remarks) {
    let rules = sheet.rules;
    let look = Look { sheet, domains, facts: ground_facts(rules), promised: promised(rules, domains) };
    // A clause with `or` is several rules: it never fires if none of them does.
    let mut silent: Option<(&Rule, bool)> = None;
    for rule in rules.rules() {
        for (position, literal) in rule.body.iter().enumerate() {
            look.condition(rule, position, literal, remarks);
        }
        let fires = look.conflict(rule).is_none();
        match &mut silent {
            Some((first, any)) if first.places.clause == rule.places.clause => *any |= fires,
            _ => {
                look.never_fires(silent, remarks);
                silent = Some((rule, fires));
            }
        }
    }
    look.never_fires(silent, remarks);
}

/// The facts of the relations that have nothing but ground facts.
fn ground_facts(rules: &Rules) -> HashMap<RelationId, HashSet<&[Term]>> {
    let is_fact = |rule: &Rule| rule.body.is_empty() && rule.head.arguments.iter().all(Term::is_ground);
    rules
        .relations()
        .filter(|&relation| rules.relation(relation).keyword.is_none())
        .filter(|&relation| !rules.rules_for(relation).is_empty())
        .filter(|&relation| rules.rules_for(relation).iter().all(|&id| is_fact(rules.rule(id))))
        .map(|relation| {
            let facts = rules.rules_for(relation).iter().map(|&id| rules.rule(id).head.arguments.as_slice());
            (relation, facts.collect())
        })
        .collect()
}

/// What the heads of rules that cannot fire would put where; `None` for whatever a variable would be.
fn promised(rules: &Rules, domains: &Domains) -> Promised {
    let mut result = HashSet::new();
    // No rule for `next` at all is told of the sheet.
    if rules.rules_for(rules.keyword(Keyword::Next)).is_empty() {
        result.insert((Slot::Argument(rules.keyword(Keyword::True), 0), None));
    }
    let feeds =
        [(Keyword::Init, Keyword::True), (Keyword::Next, Keyword::True), (Keyword::Legal, Keyword::Does)]
            .map(|(from, to)| (rules.keyword(from), rules.keyword(to)));
    for rule in rules.rules() {
        if domains.variables(rule).is_some() {
            continue;
        }
        let to = feeds.iter().find(|(from, _)| *from == rule.head.relation).map(|(_, to)| *to);
        for relation in [Some(rule.head.relation), to].into_iter().flatten() {
            for (position, term) in rule.head.arguments.iter().enumerate() {
                promise(Slot::Argument(relation, position), term, &mut result);
            }
        }
    }
    result
}

fn promise(slot: Slot, term: &Term, result: &mut Promised) {
    match term {
        Term::Variable(_) => {
            result.insert((slot, None));
        }
        Term::Constant(name) => {
            result.insert((slot, Some((*name, 0))));
        }
        Term::Compound(name, arguments) => {
            let functor = (*name, arguments.len());
            result.insert((slot, Some(functor)));
            for (position, argument) in arguments.iter().enumerate() {
                promise(Slot::Inside(functor, position), argument, result);
            }
        }
    }
}

/// Places with what would stand there.
type Promised = HashSet<(Slot, Option<Functor>)>;

struct Look<'s> {
    sheet: &'s Remarked<'s>,
    domains: &'s Domains,
    facts: HashMap<RelationId, HashSet<&'s [Term]>>,
    promised: Promised,
}

/// What keeps a rule from firing.
enum Conflict {
    /// A condition is the negation of another.
    Negation(usize),
    /// `distinct` of a term with itself.
    Distinct(usize),
    /// No value fits all conditions on a variable; the place of the last of them.
    Variable(Symbol, usize),
    /// A condition that never holds by itself.
    Condition,
}

impl Look<'_> {
    fn name(&self, symbol: Symbol) -> &str {
        self.sheet.rules.symbols.name(symbol)
    }

    /// Says it if the condition can never hold.
    fn condition(&self, rule: &Rule, position: usize, literal: &Literal, remarks: &mut Remarks) {
        let (atom, negative) = match literal {
            Literal::Positive(atom) => (atom, false),
            Literal::Negative(atom) => (atom, true),
            Literal::Distinct(..) => return,
        };
        let rules = self.sheet.rules;
        let info = rules.relation(atom.relation);
        if rules.rules_for(atom.relation).is_empty()
            && !matches!(info.keyword, Some(Keyword::True | Keyword::Does))
        {
            // Told as a relation that nothing defines.
            return;
        }
        let mut path = Vec::new();
        let culprit = self.culprit(&mut path, Slot::Argument(atom.relation, 0), &atom.arguments);
        let (slot, term) = match culprit {
            Some(found) => found,
            None => {
                if let Some(facts) = self.facts.get(&atom.relation)
                    && atom.arguments.iter().all(Term::is_ground)
                    && !facts.contains(atom.arguments.as_slice())
                {
                    let message = format!("no fact says this of `{}`", self.name(info.name));
                    let hint = format!("{}; is a fact missing, or a name wrong?", effect(negative));
                    self.tell(rule, position, &[], message, hint, remarks);
                }
                return;
            }
        };
        let functor = match term {
            Term::Variable(_) => return,
            Term::Constant(name) => (*name, 0),
            Term::Compound(name, arguments) => (*name, arguments.len()),
        };
        let domain = self.domains.at(slot);
        let is_promised = |what| self.promised.contains(&(slot, what));
        if domain.is_empty() || is_promised(Some(functor)) || is_promised(None) {
            return;
        }
        let is_role = slot == Slot::Argument(rules.keyword(Keyword::Role), 0)
            || [Keyword::Does, Keyword::Legal, Keyword::Goal]
                .iter()
                .any(|&keyword| slot == Slot::Argument(rules.keyword(keyword), 0));
        if is_role && self.is_unknown_role(functor) {
            // Told as somebody who is no role.
            return;
        }
        let message = self.message(rules, slot, functor, domain);
        let hint = format!("{}; {}", effect(negative), self.advice(rule, functor, domain));
        self.tell(rule, position, &path, message, hint, remarks);
    }

    fn is_unknown_role(&self, functor: Functor) -> bool {
        let role = self.sheet.rules.keyword(Keyword::Role);
        self.domains.argument(role, 0).constants.binary_search(&functor.0).is_err()
    }

    fn tell(
        &self,
        rule: &Rule,
        position: usize,
        path: &[usize],
        message: String,
        hint: String,
        remarks: &mut Remarks,
    ) {
        let span = self.sheet.places.part(rule, position, path);
        let fix = message.split('`').nth(1).and_then(|name| self.sheet.respelt(span, name, &hint));
        let mut remark = Diagnostic::new(Code::NeverHolds, span, message, "never holds").hint(hint);
        remark.fix = fix;
        remarks.push(remark);
    }

    /// The first part of an atom that can never stand where it does.
    fn culprit<'t>(&self, path: &mut Vec<usize>, first: Slot, terms: &'t [Term]) -> Option<(Slot, &'t Term)> {
        for (position, term) in terms.iter().enumerate() {
            let slot = match first {
                Slot::Argument(relation, _) => Slot::Argument(relation, position),
                Slot::Inside(functor, _) => Slot::Inside(functor, position),
            };
            let domain = self.domains.at(slot);
            path.push(position);
            let fits = match term {
                Term::Variable(_) => true,
                Term::Constant(name) => domain.constants.binary_search(name).is_ok(),
                Term::Compound(name, arguments) => {
                    domain.functors.binary_search(&(*name, arguments.len())).is_ok()
                }
            };
            if !fits {
                return Some((slot, term));
            }
            if let Term::Compound(name, arguments) = term {
                let inside = Slot::Inside((*name, arguments.len()), 0);
                if let Some(found) = self.culprit(path, inside, arguments) {
                    return Some(found);
                }
            }
            path.pop();
        }
        None
    }

    fn message(&self, rules: &Rules, slot: Slot, functor: Functor, domain: &Domain) -> String {
        let (name, count) = functor;
        let shown = self.name(name);
        let kind = match slot {
            Slot::Argument(relation, 0) if relation == rules.keyword(Keyword::True) => Some("fluent"),
            Slot::Argument(relation, 1)
                if [Keyword::Does, Keyword::Legal].iter().any(|&k| relation == rules.keyword(k)) =>
            {
                Some("move")
            }
            _ => None,
        };
        if let Some(kind) = kind {
            let other = functors(domain).into_iter().find(|(known, _)| *known == name);
            return match other {
                Some((_, arguments)) => {
                    format!("the {kind} `{shown}` has {} here, but {arguments} elsewhere", counted(count))
                }
                None => format!("there is no {kind} `{shown}`"),
            };
        }
        let (place, of) = match slot {
            Slot::Argument(relation, position) => (position, self.name(rules.relation(relation).name)),
            Slot::Inside((function, _), position) => (position, self.name(function)),
        };
        format!("`{shown}` never stands as argument {} of `{of}`", place + 1)
    }

    /// What may have been meant.
    fn advice(&self, rule: &Rule, functor: Functor, domain: &Domain) -> String {
        let (name, count) = functor;
        let typed = self.name(name);
        if let Some((_, arguments)) = functors(domain).into_iter().find(|(known, _)| *known == name) {
            return format!("give it {}", counted(arguments));
        }
        if count == 0
            && let Some(variable) = rule.variables.iter().find(|v| self.name(**v).eq_ignore_ascii_case(typed))
        {
            return format!("is the variable `{}` meant?", self.sheet.variable(self.name(*variable)));
        }
        let names = functors(domain).into_iter().map(|(known, _)| self.name(known));
        if let Some(near) = self.sheet.near(typed, names) {
            return near;
        }
        let known = functors(domain);
        if known.len() <= MOST_LISTED {
            let list: Vec<String> =
                known.iter().map(|(known, _)| format!("`{}`", self.name(*known))).collect();
            return format!("there can be {}", list.join(", "));
        }
        "is the name misspelt, or a rule missing?".to_owned()
    }

    /// Why the conditions of a rule cannot hold together.
    fn conflict(&self, rule: &Rule) -> Option<Conflict> {
        let positive: HashSet<&Atom> = rule.body.iter().filter_map(|literal| literal.positive()).collect();
        for (position, literal) in rule.body.iter().enumerate() {
            match literal {
                Literal::Negative(atom) if positive.contains(atom) => {
                    return Some(Conflict::Negation(position));
                }
                Literal::Distinct(left, right) if left == right => return Some(Conflict::Distinct(position)),
                _ => {}
            }
        }
        if self.domains.variables(rule).is_some() {
            return None;
        }
        // Condition by condition, until a variable has no value left.
        let mut known: Vec<Option<Arc<Domain>>> = vec![None; rule.variables.len()];
        for (position, literal) in rule.body.iter().enumerate() {
            let Some(atom) = literal.positive() else { continue };
            if self.culprit(&mut Vec::new(), Slot::Argument(atom.relation, 0), &atom.arguments).is_some() {
                return Some(Conflict::Condition);
            }
            let mut empty = None;
            self.narrow(Slot::Argument(atom.relation, 0), &atom.arguments, &mut known, &mut empty);
            if let Some((variable, is_known)) = empty {
                let conflict = Conflict::Variable(rule.variables[variable], position);
                return Some(if is_known { conflict } else { Conflict::Condition });
            }
        }
        Some(Conflict::Condition)
    }

    /// Narrows the variables of an atom; `empty` becomes one that has no value left, and whether it had one before.
    fn narrow(
        &self,
        first: Slot,
        terms: &[Term],
        known: &mut [Option<Arc<Domain>>],
        empty: &mut Option<(usize, bool)>,
    ) {
        for (position, term) in terms.iter().enumerate() {
            let slot = match first {
                Slot::Argument(relation, _) => Slot::Argument(relation, position),
                Slot::Inside(functor, _) => Slot::Inside(functor, position),
            };
            match term {
                Term::Variable(v) => {
                    let domain = self.domains.at(slot);
                    let before = known[v.index()].take();
                    let narrowed = match &before {
                        Some(before) => Arc::new(before.intersection(domain)),
                        None => domain.clone(),
                    };
                    if narrowed.is_empty() && empty.is_none() {
                        *empty = Some((v.index(), before.is_some() && !domain.is_empty()));
                    }
                    known[v.index()] = Some(narrowed);
                }
                Term::Constant(_) => {}
                Term::Compound(name, arguments) => {
                    self.narrow(Slot::Inside((*name, arguments.len()), 0), arguments, known, empty);
                }
            }
        }
    }

    fn never_fires(&self, clause: Option<(&Rule, bool)>, remarks: &mut Remarks) {
        let Some((rule, false)) = clause else { return };
        let (position, message, hint) = match self.conflict(rule) {
            None | Some(Conflict::Condition) => return,
            Some(Conflict::Negation(position)) => (
                position,
                "a condition and its negation in one rule".to_owned(),
                "the rule never fires; remove one of them",
            ),
            Some(Conflict::Distinct(position)) => (
                position,
                "a term never differs from itself".to_owned(),
                "the rule never fires; is another variable meant?",
            ),
            Some(Conflict::Variable(variable, position)) => (
                position,
                format!(
                    "no value of `{}` fits this condition and the others on it",
                    self.sheet.variable(self.name(variable))
                ),
                "the rule never fires; is another variable meant, or another order of the arguments?",
            ),
        };
        let span = rule.places.body.get(position).copied().unwrap_or(rule.places.clause);
        remarks.push(Diagnostic::new(Code::NeverFires, span, message, "never together").hint(hint));
    }
}

fn effect(negative: bool) -> &'static str {
    if negative { "its negation always holds" } else { "the rule never fires" }
}

fn counted(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    }
}
