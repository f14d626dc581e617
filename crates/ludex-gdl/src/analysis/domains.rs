//! Which constants and functions each argument of each relation can hold, argument by argument.
//!
//! A superset: negation and the connections between arguments are ignored, `next` and `init` feed `true`,
//! `legal` feeds `does`. It is cheap (no joins) and always finite: positions inside a function are taken
//! together wherever the function occurs, so lists that grow without end have a finite domain too. Where
//! even that is too much, as with thousands of relations that hold thousands of constants each, every place is taken to
//! hold whatever the rules mention. The relational superset, which is sharper and can be too large, is the engine
//! crate's vocabulary.

use crate::rules::{Atom, RelationId, Rule, Rules, Term, Variable};
use crate::symbols::{Keyword, Symbol};
use hashbrown::HashMap;
use std::sync::Arc;

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
    fn len(&self) -> usize {
        self.constants.len() + self.functors.len()
    }

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

    /// Adds what `other` has.
    fn merge(&mut self, other: &Domain) {
        union(&mut self.constants, &other.constants);
        union(&mut self.functors, &other.functors);
    }
}

fn intersect<T: Ord + Copy>(left: &[T], right: &[T]) -> Vec<T> {
    let (small, large) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    small.iter().copied().filter(|item| large.binary_search(item).is_ok()).collect()
}

fn union<T: Ord + Copy>(into: &mut Vec<T>, from: &[T]) {
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
}

/// A place that has a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    Argument(RelationId, usize),
    Inside(Functor, usize),
}

/// The domains of a game.
#[derive(Clone, Debug)]
pub struct Domains {
    slots: HashMap<Slot, Arc<Domain>>,
    /// That of all other places.
    other: Arc<Domain>,
}

/// All domains together have at most so many elements,
const MOST_ELEMENTS: usize = 20_000_000;

/// and so many are looked at on the way. (The public sheets take less than a hundredth of each.)
const MOST_WORK: usize = 200_000_000;

impl Domains {
    /// Computes the domains.
    pub fn of(rules: &Rules) -> Domains {
        Domains::within(rules, MOST_WORK).unwrap_or_else(|| Domains::everywhere(rules))
    }

    /// The domains place by place; `None` if that takes more than so much work. (No public sheet takes two millions.)
    pub(crate) fn within(rules: &Rules, work: usize) -> Option<Domains> {
        Domains::by_place(rules, work)
    }

    /// Whatever the rules mention, in every place.
    fn everywhere(rules: &Rules) -> Domains {
        fn collect(term: &Term, all: &mut Domain) {
            match term {
                Term::Variable(_) => {}
                Term::Constant(name) => all.constants.push(*name),
                Term::Compound(name, arguments) => {
                    all.functors.push((*name, arguments.len()));
                    arguments.iter().for_each(|argument| collect(argument, all));
                }
            }
        }
        let mut all = Domain::default();
        for rule in rules.rules() {
            let conditions = rule.body.iter().filter_map(|literal| literal.positive());
            let terms = conditions.chain([&rule.head]).flat_map(|atom| &atom.arguments);
            terms.for_each(|term| collect(term, &mut all));
        }
        all.constants.sort_unstable();
        all.constants.dedup();
        all.functors.sort_unstable();
        all.functors.dedup();
        Domains { slots: HashMap::new(), other: Arc::new(all) }
    }

    /// The domains place by place; `None` if that is too much.
    fn by_place(rules: &Rules, most_work: usize) -> Option<Domains> {
        let mut domains = Domains { slots: HashMap::new(), other: Arc::default() };
        let (mut elements, mut work) = (0, 0);
        // Rules by the slots they read, so that a change wakes only those.
        let mut readers: HashMap<Slot, Vec<usize>> = HashMap::new();
        // Facts first, and whatever changes waits its turn: a reader should see many changes at once, not each of six
        // hundred numbers as it comes. When each slot has changed last, and each rule was looked at, says which readers
        // have seen it: a slot that thousands of rules read and change is gone through once a round, not once a change.
        let mut queue: Vec<usize> = (0..rules.rules().len()).collect();
        queue.sort_by_key(|&index| !rules.rules()[index].body.is_empty());
        let mut looked = vec![0; rules.rules().len()];
        let mut now = 0;
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
        let mut last_change: HashMap<Slot, usize> = HashMap::new();
        while !queue.is_empty() {
            for index in queue.drain(..) {
                now += 1;
                looked[index] = now;
                let rule = &rules.rules()[index];
                let variables = domains.narrowed(rule, &mut work);
                if elements > MOST_ELEMENTS || work > most_work {
                    return None;
                }
                let Some(variables) = variables else { continue };
                work += variables.iter().map(|domain| domain.len()).sum::<usize>();
                let feed = feeds.iter().find(|(from, _)| *from == rule.head.relation).map(|(_, to)| *to);
                for (position, argument) in rule.head.arguments.iter().enumerate() {
                    for relation in [Some(rule.head.relation), feed].into_iter().flatten() {
                        let slot = Slot::Argument(relation, position);
                        elements += domains.add(slot, argument, &variables, &mut changed);
                    }
                }
                last_change.extend(changed.drain(..).map(|slot| (slot, now)));
            }
            for (slot, when) in last_change.drain() {
                let unaware =
                    readers.get(&slot).into_iter().flatten().filter(|&&reader| looked[reader] <= when);
                queue.extend(unaware);
            }
            queue.sort_unstable();
            queue.dedup();
        }
        Some(domains)
    }

    /// What argument `position` of `relation` can be.
    pub fn argument(&self, relation: RelationId, position: usize) -> &Arc<Domain> {
        self.at(Slot::Argument(relation, position))
    }

    /// What argument `position` of a function can be, wherever the function occurs.
    pub fn inside(&self, functor: Functor, position: usize) -> &Arc<Domain> {
        self.at(Slot::Inside(functor, position))
    }

    pub(crate) fn at(&self, slot: Slot) -> &Arc<Domain> {
        self.slots.get(&slot).unwrap_or(&self.other)
    }

    /// What each variable of the rule can be, from its positive conditions; `None` if one of them can
    /// never hold. Variables that no positive condition binds have an empty domain.
    pub fn variables(&self, rule: &Rule) -> Option<Vec<Arc<Domain>>> {
        self.narrowed(rule, &mut 0)
    }

    /// As `variables`; `work` grows by the elements that were looked at.
    fn narrowed(&self, rule: &Rule, work: &mut usize) -> Option<Vec<Arc<Domain>>> {
        let mut result: Vec<Option<Arc<Domain>>> = vec![None; rule.variables.len()];
        let mut possible = true;
        for atom in rule.body.iter().filter_map(|l| l.positive()) {
            each_slot(atom, &mut |slot, term| {
                let domain = self.at(slot);
                *work += 1;
                match term {
                    Term::Variable(Variable(v)) => {
                        let known = &mut result[*v as usize];
                        let narrowed = match known {
                            Some(known) if !Arc::ptr_eq(known, domain) => {
                                *work += domain.len().min(known.len());
                                Arc::new(known.intersection(domain))
                            }
                            _ => domain.clone(),
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

    /// Adds what the term can be; how many elements are new.
    fn add(&mut self, slot: Slot, term: &Term, variables: &[Arc<Domain>], changed: &mut Vec<Slot>) -> usize {
        let mut elements = 0;
        let news = match term {
            Term::Variable(v) => variables[v.index()].clone(),
            Term::Constant(name) => Arc::new(Domain { constants: vec![*name], functors: Vec::new() }),
            Term::Compound(name, arguments) => {
                let functor = (*name, arguments.len());
                for (position, argument) in arguments.iter().enumerate() {
                    elements += self.add(Slot::Inside(functor, position), argument, variables, changed);
                }
                Arc::new(Domain { constants: Vec::new(), functors: vec![functor] })
            }
        };
        let domain = self.slots.entry(slot).or_default();
        let before = domain.len();
        if domain.is_empty() {
            *domain = news;
        } else if !Arc::ptr_eq(domain, &news) {
            Arc::make_mut(domain).merge(&news);
        }
        if domain.len() > before {
            changed.push(slot);
        }
        elements + domain.len() - before
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
