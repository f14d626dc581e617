//! Which constants and functions each argument of each relation can hold, argument by argument.
//!
//! A superset: negation and the connections between arguments are ignored, `next` and `init` feed `true`,
//! `legal` feeds `does`. It is cheap (no joins) and always finite: positions inside a function are taken
//! together wherever the function occurs, so lists that grow without end have a finite domain too. The
//! relational superset, which is sharper and can be too large, is the engine crate's vocabulary.

use crate::rules::{Atom, RelationId, Rule, Rules, Term, Variable};
use crate::symbols::{Keyword, Symbol};
use hashbrown::HashMap;
use std::collections::VecDeque;

/// A function name with its number of arguments.
pub type Functor = (Symbol, usize);

/// What can stand in one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// The constants, ascending.
    pub constants: Vec<Symbol>,
    /// The functions in front, ascending.
    pub functors: Vec<Functor>,
}

impl Domain {
    /// True if nothing can stand there.
    pub fn is_empty(&self) -> bool {
        self.constants.is_empty() && self.functors.is_empty()
    }

    /// What can stand in both places.
    #[must_use]
    pub fn intersection(&self, other: &Domain) -> Domain {
        Domain {
            constants: intersect(&self.constants, &other.constants),
            functors: intersect(&self.functors, &other.functors),
        }
    }

    /// Adds what `other` has; true if that was news.
    fn merge(&mut self, other: &Domain) -> bool {
        let a = union(&mut self.constants, &other.constants);
        let b = union(&mut self.functors, &other.functors);
        a || b
    }
}

fn intersect<T: Ord + Copy>(left: &[T], right: &[T]) -> Vec<T> {
    let (small, large) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    small.iter().copied().filter(|item| large.binary_search(item).is_ok()).collect()
}

fn union<T: Ord + Copy>(into: &mut Vec<T>, from: &[T]) -> bool {
    let before = into.len();
    // Single additions are the common case (facts), and cheap to refuse.
    if let [only] = from {
        if let Err(position) = into.binary_search(only) {
            into.insert(position, *only);
        }
    } else if !from.iter().all(|item| into.binary_search(item).is_ok()) {
        into.extend_from_slice(from);
        into.sort_unstable();
        into.dedup();
    }
    into.len() > before
}

/// A place that has a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Slot {
    Argument(RelationId, usize),
    Inside(Functor, usize),
}

/// The domains of a game.
#[derive(Clone, Debug)]
pub struct Domains {
    slots: HashMap<Slot, Domain>,
    empty: Domain,
}

impl Domains {
    /// Computes the domains.
    pub fn of(rules: &Rules) -> Domains {
        let mut domains = Domains { slots: HashMap::new(), empty: Domain::default() };
        // Rules by the slots they read, so that a change wakes only those.
        let mut readers: HashMap<Slot, Vec<usize>> = HashMap::new();
        let mut queued = vec![true; rules.rules().len()];
        // Facts first, and whatever changes waits its turn: a reader should see many changes at once, not each of six
        // hundred numbers as it comes.
        let mut queue: VecDeque<usize> = (0..rules.rules().len()).collect();
        queue.make_contiguous().sort_by_key(|&index| !rules.rules()[index].body.is_empty());
        for (index, rule) in rules.rules().iter().enumerate() {
            for atom in rule.body.iter().filter_map(|l| l.positive()) {
                each_slot(atom, &mut |slot, _| {
                    let list = readers.entry(slot).or_default();
                    if list.last() != Some(&index) {
                        list.push(index);
                    }
                });
            }
        }
        let feeds =
            [(Keyword::Init, Keyword::True), (Keyword::Next, Keyword::True), (Keyword::Legal, Keyword::Does)]
                .map(|(from, to)| (rules.keyword(from), rules.keyword(to)));
        let mut changed = Vec::new();
        while let Some(index) = queue.pop_front() {
            queued[index] = false;
            let rule = &rules.rules()[index];
            let Some(variables) = domains.variables(rule) else { continue };
            let feed = feeds.iter().find(|(from, _)| *from == rule.head.relation).map(|(_, to)| *to);
            for (position, argument) in rule.head.arguments.iter().enumerate() {
                let slot = Slot::Argument(rule.head.relation, position);
                domains.add(slot, argument, &variables, &mut changed);
                if let Some(to) = feed {
                    domains.add(Slot::Argument(to, position), argument, &variables, &mut changed);
                }
            }
            for slot in changed.drain(..) {
                for &reader in readers.get(&slot).into_iter().flatten() {
                    if !std::mem::replace(&mut queued[reader], true) {
                        queue.push_back(reader);
                    }
                }
            }
        }
        domains
    }

    /// What argument `position` of `relation` can be.
    pub fn argument(&self, relation: RelationId, position: usize) -> &Domain {
        self.slots.get(&Slot::Argument(relation, position)).unwrap_or(&self.empty)
    }

    /// What argument `position` of a function can be, wherever the function occurs.
    pub fn inside(&self, functor: Functor, position: usize) -> &Domain {
        self.slots.get(&Slot::Inside(functor, position)).unwrap_or(&self.empty)
    }

    /// What each variable of the rule can be, from its positive conditions; `None` if one of them can
    /// never hold. Variables that no positive condition binds have an empty domain.
    pub fn variables(&self, rule: &Rule) -> Option<Vec<Domain>> {
        let mut result: Vec<Option<Domain>> = vec![None; rule.variables.len()];
        let mut possible = true;
        for atom in rule.body.iter().filter_map(|l| l.positive()) {
            each_slot(atom, &mut |slot, term| {
                let domain = self.slots.get(&slot).unwrap_or(&self.empty);
                match term {
                    Term::Variable(Variable(v)) => {
                        let known = &mut result[*v as usize];
                        let narrowed = match known {
                            Some(known) => known.intersection(domain),
                            None => domain.clone(),
                        };
                        possible &= !narrowed.is_empty();
                        *known = Some(narrowed);
                    }
                    Term::Constant(name) => possible &= domain.constants.binary_search(name).is_ok(),
                    Term::Compound(name, arguments) => {
                        possible &= domain.functors.binary_search(&(*name, arguments.len())).is_ok();
                    }
                }
            });
        }
        possible.then(|| result.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn add(&mut self, slot: Slot, term: &Term, variables: &[Domain], changed: &mut Vec<Slot>) {
        let news = match term {
            Term::Variable(v) => variables[v.index()].clone(),
            Term::Constant(name) => Domain { constants: vec![*name], functors: Vec::new() },
            Term::Compound(name, arguments) => {
                let functor = (*name, arguments.len());
                for (position, argument) in arguments.iter().enumerate() {
                    self.add(Slot::Inside(functor, position), argument, variables, changed);
                }
                Domain { constants: Vec::new(), functors: vec![functor] }
            }
        };
        if self.slots.entry(slot).or_default().merge(&news) {
            changed.push(slot);
        }
    }
}

/// Visits every place in the atom with what stands there.
fn each_slot(atom: &Atom, visit: &mut impl FnMut(Slot, &Term)) {
    fn inside(slot: Slot, term: &Term, visit: &mut impl FnMut(Slot, &Term)) {
        visit(slot, term);
        if let Term::Compound(name, arguments) = term {
            for (position, argument) in arguments.iter().enumerate() {
                inside(Slot::Inside((*name, arguments.len()), position), argument, visit);
            }
        }
    }
    for (position, argument) in atom.arguments.iter().enumerate() {
        inside(Slot::Argument(atom.relation, position), argument, visit);
    }
}
