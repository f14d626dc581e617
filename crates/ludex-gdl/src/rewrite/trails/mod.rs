//! Reachability without the trail of nodes that were visited on the way.
//!
//! Rules that search a graph often carry a list of what they have visited, so that a program that proves them depth
//! first does not run in circles:
//!
//! ```text
//! reaches(X, Y, Trail) :- edge(X, Z), append(Z, Trail, Longer), reaches(Z, Y, Longer).
//! ```
//!
//! where `append` fails if `Z` is in the trail already. Read as logic this enumerates the paths, and there are
//! exponentially many, though all that is asked is whether there is one. Where there is a walk there is a path, so the
//! trail decides nothing: this rewriting leaves it out, and what is left is plain reachability.
//!
//! **When it is right.** Let `p(x, t)` be the relations of a component of the rules in which each rule calls
//! at most one of them, with `t` the trail, and `p'(x)` the same rules without trails and without the
//! conditions on them. If `p(x, t)` holds then `p'(x)` does, since conditions were only left out. Let `p'(x)`
//! hold, and take a shortest derivation: a chain of calls. Only one rule extends the trail, by a *key*. Keys
//! tell the calls apart: two calls of the chain that extend the trail by the same key are the same call
//! (arguments that never change along the chain are equal, and the key determines the others), and then there
//! would be a shorter chain. So the keys on the chain are pairwise different, and the chain is a derivation
//! of `p(x, t)` if all conditions on trails hold for every trail of different keys. That is tried out, once
//! for each length, with symbols in the place of keys (`symbolic.rs`): what is proved of them is true of any
//! different keys.
//!
//! All of this is looked at in the rules, whatever the names are; where one part is missing nothing is changed. What
//! it does not find: trails that begin with a variable, rules with two calls, and trails whose conditions read
//! the state.

mod symbolic;

use crate::Game;
use crate::analysis::dependencies::{Dependencies, Phase, phases};
use crate::analysis::domains::Domains;
use crate::analysis::graph::components;
use crate::analysis::strata::stratify;
use crate::rules::{Atom, Literal, Places, RelationId, Rule, Rules, Term, Variable};
use crate::symbols::Symbol;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The most relations that call each other. Larger components are no searches of a graph.
const MOST_MEMBERS: usize = 8;

/// The most assignments of trails to the relations of a component that are tried.
const MOST_ASSIGNMENTS: usize = 256;

/// The most keys: trails get as long as there are keys.
const MOST_KEYS: usize = 200;

/// The game with plain reachability in the place of trails, where that is proved to say the same. Relations that are
/// `read` from outside, beside those of keywords, stay as they are.
pub fn without_trails<'g>(game: &'g Game, read: &[RelationId]) -> Cow<'g, Game> {
    let mut result = Cow::Borrowed(game);
    while let Some(next) = without_one(&result, read) {
        result = Cow::Owned(next);
    }
    result
}

/// The game without the trails of one component; `None` if there is none that can be left out.
fn without_one(game: &Game, read: &[RelationId]) -> Option<Game> {
    let rules = &game.rules;
    let dependencies = Dependencies::of(rules);
    let phases = phases(rules, &dependencies);
    let mut calls = vec![Vec::new(); rules.relations().count()];
    for rule in rules.rules() {
        for literal in &rule.body {
            if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                calls[atom.relation.index()].push((rule.head.relation, atom));
            }
        }
    }
    for members in components(dependencies.graph()) {
        let members: Vec<RelationId> = members.into_iter().map(RelationId).collect();
        let recursive = members.len() > 1 || dependencies.direct(members[0]).any(|read| read == members[0]);
        let is_read =
            |&relation: &RelationId| rules.relation(relation).keyword.is_some() || read.contains(&relation);
        if !recursive
            || members.len() > MOST_MEMBERS
            || members.iter().any(is_read)
            || members.iter().any(|&member| game.frame == Some(member))
        {
            continue;
        }
        let component = Component { rules, members: &members, phases: &phases, calls: &calls };
        if let Some(trails) = component.trails() {
            return component.rewritten(game, &trails, &dependencies);
        }
    }
    None
}

/// For each relation of a component the argument that is its trail.
type Trails = HashMap<RelationId, usize>;

/// Relations that call each other.
struct Component<'r> {
    rules: &'r Rules,
    members: &'r [RelationId],
    phases: &'r [Phase],
    /// For each relation where it is read: the head of the rule, and the condition.
    calls: &'r [Vec<(RelationId, &'r Atom)>],
}

/// A rule of a component, taken apart.
struct Step<'r> {
    rule: &'r Rule,
    /// The trail of the head.
    trail: Variable,
    /// The call, and its trail.
    call: Option<(&'r Atom, Variable)>,
    /// The conditions on trails.
    conditions: Vec<&'r Literal>,
    /// All other conditions, without the call.
    others: Vec<&'r Literal>,
    /// The variables that conditions on trails share with the rest of the rule.
    keys: Vec<Variable>,
}

impl<'r> Step<'r> {
    /// The extended trail, if the rule extends it.
    fn extended(&self) -> Option<Variable> {
        self.call.map(|(_, trail)| trail).filter(|&trail| trail != self.trail)
    }
}

/// How often a variable occurs in some terms.
fn occurrences<'t>(terms: impl IntoIterator<Item = &'t Term>, variable: Variable) -> usize {
    let mut count = 0;
    for term in terms {
        term.variables(&mut |v| count += usize::from(v == variable));
    }
    count
}

fn variables_of(literal: &Literal) -> HashSet<Variable> {
    let mut found = HashSet::new();
    literal.variables(&mut |v| {
        found.insert(v);
    });
    found
}

fn as_variable(term: &Term) -> Option<Variable> {
    if let Term::Variable(v) = term { Some(*v) } else { None }
}

impl<'r> Component<'r> {
    fn is_member(&self, atom: &Atom) -> bool {
        self.members.contains(&atom.relation)
    }

    fn own_rules(&self) -> impl Iterator<Item = &'r Rule> + '_ {
        let rules = self.rules;
        self.members.iter().flat_map(move |&m| rules.rules_for(m)).map(move |&id| rules.rule(id))
    }

    /// The calls from outside.
    fn calls(&self) -> impl Iterator<Item = &'r Atom> + '_ {
        let all = self.members.iter().flat_map(|member| &self.calls[member.index()]);
        all.filter(|(head, _)| !self.members.contains(head)).map(|&(_, atom)| atom)
    }

    /// Which arguments are trails that can be left out.
    fn trails(&self) -> Option<Trails> {
        let calls: Vec<&Atom> = self.calls().collect();
        // A variable alone in the head, and ground wherever it is called from outside.
        let can_be = |&(member, at): &(RelationId, usize)| {
            let heads = self.own_rules().map(|rule| &rule.head).filter(|head| head.relation == member);
            let mut begins = calls.iter().filter(|call| call.relation == member);
            heads.into_iter().all(|head| {
                let alone = |v| occurrences(&head.arguments, v) == 1;
                as_variable(&head.arguments[at]).is_some_and(alone)
            }) && begins.all(|call| call.arguments[at].is_ground())
        };
        let mut assignments: Vec<Trails> = vec![Trails::new()];
        for &member in self.members {
            let places = (0..self.rules.relation(member).arity).map(|at| (member, at)).filter(can_be);
            let places: Vec<usize> = places.map(|(_, at)| at).collect();
            let with = |trails: &Trails, at: usize| {
                let mut trails = trails.clone();
                trails.insert(member, at);
                trails
            };
            assignments = assignments
                .iter()
                .flat_map(|trails| places.iter().map(|&at| with(trails, at)).collect::<Vec<_>>())
                .take(MOST_ASSIGNMENTS)
                .collect();
        }
        let begins = |trails: &Trails| -> BTreeSet<Term> {
            calls.iter().map(|call| call.arguments[trails[&call.relation]].clone()).collect()
        };
        assignments.into_iter().find(|trails| self.decide_nothing(trails, &begins(trails)).is_some())
    }

    /// Whether the trails, which begin with one of these terms, decide nothing.
    fn decide_nothing(&self, trails: &Trails, begins: &BTreeSet<Term>) -> Option<()> {
        let steps: Vec<Step<'r>> =
            self.own_rules().map(|rule| self.step(rule, trails)).collect::<Option<_>>()?;
        let mut extending = steps.iter().filter(|step| step.extended().is_some());
        let (extending, None) = (extending.next()?, extending.next()) else { return None };
        let is_safe = |step: &Step<'_>| remains_safe(step, trails);
        if begins.is_empty() || !steps.iter().all(is_safe) {
            return None;
        }
        let &[key] = &extending.keys[..] else { return None };
        if steps.iter().any(|step| step.extended().is_none() && !step.keys.is_empty()) {
            return None;
        }
        let determined = self.determined(extending, key);
        let (call, _) = extending.call?;
        let tells_apart = |atom: &Atom| {
            let fixed = self.fixed(&steps, atom.relation);
            let trail = trails[&atom.relation];
            let varying = (0..).zip(&atom.arguments).filter(|(at, _)| *at != trail && !fixed.contains(at));
            let mut all = true;
            varying.for_each(|(_, term)| term.variables(&mut |v| all &= determined.contains(&v)));
            all
        };
        if !tells_apart(&extending.rule.head) && !tells_apart(call) {
            return None;
        }
        let keys = self.possible(extending, key)?;
        symbolic::hold_for_all_trails(self.rules, &steps, extending, key, &keys, begins).then_some(())
    }

    /// Takes a rule apart, if it calls at most one relation of the component, and conditions on trails read nothing but
    /// what is static.
    fn step(&self, rule: &'r Rule, trails: &Trails) -> Option<Step<'r>> {
        let trail = as_variable(&rule.head.arguments[trails[&rule.head.relation]])?;
        let mut call = None;
        for literal in &rule.body {
            match literal {
                Literal::Positive(atom) if self.is_member(atom) => {
                    let next = as_variable(&atom.arguments[trails[&atom.relation]])?;
                    let alone = occurrences(&atom.arguments, next) == 1;
                    let unmixed = next == trail || occurrences(&atom.arguments, trail) == 0;
                    if call.is_some() || !alone || !unmixed || (next != trail && is_in(&rule.head, next)) {
                        return None;
                    }
                    call = Some((atom, next));
                }
                Literal::Negative(atom) if self.is_member(atom) => return None,
                _ => {}
            }
        }
        let is_trail = |v: &Variable| *v == trail || call.is_some_and(|(_, next)| next == *v);
        let is_call = |literal: &&Literal| literal.positive().is_some_and(|atom| self.is_member(atom));
        let (conditions, others): (Vec<&Literal>, Vec<&Literal>) = rule
            .body
            .iter()
            .filter(|literal| !is_call(literal))
            .partition(|literal| variables_of(literal).iter().any(is_trail));
        let is_static = |literal: &&Literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                self.phases[atom.relation.index()] == Phase::Static
            }
            Literal::Distinct(..) => true,
        };
        if !conditions.iter().all(is_static) {
            return None;
        }
        let mut elsewhere: HashSet<Variable> = others.iter().flat_map(|l| variables_of(l)).collect();
        rule.head.variables(&mut |v| {
            elsewhere.insert(v);
        });
        if let Some((atom, _)) = call {
            atom.variables(&mut |v| {
                elsewhere.insert(v);
            });
        }
        let mut keys: Vec<Variable> = conditions.iter().flat_map(|l| variables_of(l)).collect();
        keys.retain(|v| !is_trail(v) && elsewhere.contains(v));
        keys.sort_unstable();
        keys.dedup();
        Some(Step { rule, trail, call, conditions, others, keys })
    }

    /// The arguments of `anchor` that are the same in all its calls along any chain of calls.
    fn fixed(&self, steps: &[Step<'_>], anchor: RelationId) -> HashSet<usize> {
        // For each relation and argument the arguments of the anchor that it is a copy of; a relation that is not there
        // has not been reached yet.
        let mut copies: HashMap<RelationId, Vec<BTreeSet<usize>>> = HashMap::new();
        let arity = self.rules.relation(anchor).arity;
        copies.insert(anchor, (0..arity).map(|at| BTreeSet::from([at])).collect());
        loop {
            let mut changed = false;
            for step in steps {
                let (Some((call, _)), Some(known)) = (step.call, copies.get(&step.rule.head.relation)) else {
                    continue;
                };
                let sources = |term: &Term| -> BTreeSet<usize> {
                    let Term::Variable(_) = term else { return BTreeSet::new() };
                    let same = step.rule.head.arguments.iter().zip(known).filter(|(head, _)| *head == term);
                    same.flat_map(|(_, sources)| sources.iter().copied()).collect()
                };
                let found: Vec<BTreeSet<usize>> = call.arguments.iter().map(sources).collect();
                match copies.get_mut(&call.relation) {
                    None => {
                        copies.insert(call.relation, found);
                        changed = true;
                    }
                    Some(old) => {
                        for (old, found) in old.iter_mut().zip(&found) {
                            let before = old.len();
                            old.retain(|at| found.contains(at));
                            changed |= old.len() < before;
                        }
                    }
                }
            }
            if !changed {
                let own = &copies[&anchor];
                return (0..arity).filter(|&at| own[at].contains(&at)).collect();
            }
        }
    }

    /// The variables whose values follow from that of the key, by conditions on relations that are given by facts.
    fn determined(&self, step: &Step<'_>, key: Variable) -> HashSet<Variable> {
        let mut determined = HashSet::from([key]);
        let atoms: Vec<&Atom> = step.others.iter().filter_map(|literal| literal.positive()).collect();
        loop {
            let before = determined.len();
            for atom in &atoms {
                let is_known = |term: &&Term| {
                    let mut all = true;
                    term.variables(&mut |v| all &= determined.contains(&v));
                    all
                };
                let known: Vec<usize> =
                    (0..).zip(&atom.arguments).filter(|(_, term)| is_known(term)).map(|(at, _)| at).collect();
                if known.len() < atom.arguments.len() && self.tell_facts_apart(atom.relation, &known) {
                    atom.variables(&mut |v| {
                        determined.insert(v);
                    });
                }
            }
            if determined.len() == before {
                return determined;
            }
        }
    }

    /// Whether the relation is given by facts alone, of which no two agree in these arguments.
    fn tell_facts_apart(&self, relation: RelationId, arguments: &[usize]) -> bool {
        let mut seen: HashMap<Vec<&Term>, &Atom> = HashMap::new();
        self.rules.relation(relation).keyword.is_none()
            && self.rules.rules_for(relation).iter().map(|&id| self.rules.rule(id)).all(|rule| {
                let head = &rule.head;
                let part: Vec<&Term> = arguments.iter().map(|&at| &head.arguments[at]).collect();
                let is_fact = rule.body.is_empty() && head.arguments.iter().all(Term::is_ground);
                is_fact && *seen.entry(part).or_insert(head) == head
            })
    }

    /// What the key can be, by the conditions that stay: constants, not too many.
    fn possible(&self, step: &Step<'_>, key: Variable) -> Option<Vec<Symbol>> {
        let rule = Rule { body: step.others.iter().copied().cloned().collect(), ..step.rule.clone() };
        let domain = Domains::of(self.rules).variables(&rule)?.swap_remove(key.index());
        let few = (1..=MOST_KEYS).contains(&domain.constants.len());
        (domain.functors.is_empty() && few).then(|| domain.constants.clone())
    }

    /// The rules without the trails, and without what nobody reads any more.
    fn rewritten(&self, game: &Game, trails: &Trails, dependencies: &Dependencies) -> Option<Game> {
        let mut names = self.rules.with_rules([]);
        let shorter: HashMap<RelationId, RelationId> = self
            .members
            .iter()
            .map(|&member| {
                let relation = names.relation(member);
                let stem = format!("{}-without-trail", names.symbols.name(relation.name));
                (member, names.fresh_relation(&stem, relation.arity - 1))
            })
            .collect();
        let short = |atom: &Atom| match shorter.get(&atom.relation) {
            None => atom.clone(),
            Some(&relation) => {
                let mut arguments = atom.arguments.clone();
                arguments.remove(trails[&atom.relation]);
                Atom { relation, arguments }
            }
        };
        let literal = |literal: &Literal| match literal {
            Literal::Positive(atom) => Literal::Positive(short(atom)),
            Literal::Negative(atom) => Literal::Negative(short(atom)),
            Literal::Distinct(left, right) => Literal::Distinct(left.clone(), right.clone()),
        };
        let mut rules = Vec::new();
        for rule in self.rules.rules() {
            let reads_us = || {
                rule.body
                    .iter()
                    .any(|l| matches!(l, Literal::Positive(a) | Literal::Negative(a) if self.is_member(a)))
            };
            if self.is_member(&rule.head) {
                let step = self.step(rule, trails)?;
                let call = step.call.map(|(atom, _)| Literal::Positive(atom.clone()));
                let body = step.others.into_iter().cloned().chain(call).map(|l| literal(&l)).collect();
                rules.push(made(short(&rule.head), body, rule));
            } else if reads_us() {
                rules.push(made(rule.head.clone(), rule.body.iter().map(literal).collect(), rule));
            } else {
                rules.push(rule.clone());
            }
        }
        let rules = names.with_rules(rules);
        // What only the trails were computed from is not computed any more: all lists, for one.
        let behind = dependencies.closure(self.members.iter().copied());
        let outside = rules.relations().filter(|r| {
            let is_new = r.index() >= behind.len();
            !is_new && (!behind[r.index()] || rules.relation(*r).keyword.is_some())
        });
        let needed = Dependencies::of(&rules).closure(outside);
        let kept = rules.rules().iter().filter(|rule| needed[rule.head.relation.index()]).cloned();
        let rules = rules.with_rules(kept.collect::<Vec<_>>());
        let strata = stratify(&rules, &Dependencies::of(&rules)).ok()?;
        Some(Game { rules, strata, frame: game.frame })
    }
}

fn is_in(atom: &Atom, variable: Variable) -> bool {
    occurrences(&atom.arguments, variable) > 0
}

fn made(head: Atom, body: Vec<Literal>, from: &Rule) -> Rule {
    Rule { head, body, variables: from.variables.clone(), places: Places::default() }.renumbered()
}

/// Whether every variable that is left occurs in a positive condition that is left, outside of trails.
fn remains_safe(step: &Step<'_>, trails: &Trails) -> bool {
    let mut bound: HashSet<Variable> = HashSet::new();
    let without_trail = |atom: &Atom, visit: &mut dyn FnMut(Variable)| {
        let trail = trails[&atom.relation];
        let rest = (0..).zip(&atom.arguments).filter(|(at, _)| *at != trail);
        rest.for_each(|(_, term)| term.variables(&mut |v| visit(v)));
    };
    for atom in step.others.iter().filter_map(|literal| literal.positive()) {
        atom.variables(&mut |v| {
            bound.insert(v);
        });
    }
    if let Some((call, _)) = step.call {
        without_trail(call, &mut |v| {
            bound.insert(v);
        });
    }
    let mut safe = true;
    without_trail(&step.rule.head, &mut |v| safe &= bound.contains(&v));
    for literal in &step.others {
        literal.variables(&mut |v| safe &= bound.contains(&v));
    }
    safe
}
