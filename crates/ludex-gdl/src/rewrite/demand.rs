//! Magic sets: a relation computed only for the arguments that somebody asks for.
//!
//! Some helper relations are meant to be called, not enumerated: all lists of up to 25 cells, all rows of
//! nine numbers. Bottom-up evaluation would list them. This is the magic-set transformation (Bancilhon and
//! others, 1986) for chosen relations: a relation `p` gets a companion that collects the arguments it
//! is asked with, and its rules fire for those only.
//!
//! Each relation is asked in one way: the argument positions that *every* call knows. Other relations
//! keep their full meaning; a chosen one afterwards holds only what was asked for, so it must not be one
//! that is read from outside: a keyword's, such as `legal`, or one that the caller names.

use crate::analysis::dependencies::Dependencies;
use crate::analysis::strata::stratify;
use crate::rules::{Atom, Literal, Places, RelationId, Rule, Rules, Term, Variable};
use crate::{Game, Symbol};
use hashbrown::HashMap;

/// The game with the relations of `chosen`, and those that cannot ask them without being asked
/// themselves, computed on demand; `None` if that is not possible, for instance because one of them is `read` from
/// outside.
pub fn on_demand(game: &Game, chosen: &[RelationId], read: &[RelationId]) -> Option<Game> {
    let mut calls = Calls { chosen: HashMap::new(), read };
    for &relation in chosen {
        calls.add(&game.rules, relation)?;
    }
    while let Some(caller) = calls.narrow(&game.rules) {
        calls.add(&game.rules, caller)?;
        if calls.chosen.len() > MOST_ASKED {
            return None;
        }
    }
    let mut literals = 0;
    let mut rules = game.rules.with_rules([]);
    let asked: HashMap<RelationId, RelationId> = calls
        .chosen
        .iter()
        .map(|(&relation, known)| {
            let name = format!("asked-{}", rules.symbols.name(rules.relation(relation).name));
            (relation, rules.fresh_relation(&name, known.len()))
        })
        .collect();
    for rule in game.rules.rules() {
        let question = |atom: &Atom| {
            let known = &calls.chosen[&atom.relation];
            let arguments = known.iter().map(|&position| atom.arguments[position].clone()).collect();
            Atom { relation: asked[&atom.relation], arguments }
        };
        let guard =
            calls.chosen.contains_key(&rule.head.relation).then(|| Literal::Positive(question(&rule.head)));
        // What is known before each call: the question, the free conditions, the answers so far.
        let order = calls.order(rule);
        let mut before: Vec<Literal> = guard.iter().cloned().collect();
        before.extend(order.free.iter().map(|&i| rule.body[i].clone()));
        for &call in &order.calls {
            let (Literal::Positive(atom) | Literal::Negative(atom)) = &rule.body[call] else { continue };
            let head = question(atom);
            literals += before.len();
            if literals > MOST_LITERALS {
                return None;
            }
            if Some(&Literal::Positive(head.clone())) != guard.as_ref() {
                rules.push(made(head, before.clone(), &rule.variables));
            }
            if let Literal::Positive(_) = &rule.body[call] {
                before.push(rule.body[call].clone());
            }
        }
        let body = guard.into_iter().chain(rule.body.iter().cloned()).collect();
        rules.push(made(rule.head.clone(), body, &rule.variables));
    }
    let strata = stratify(&rules, &Dependencies::of(&rules)).ok()?;
    Some(Game { rules, strata, frame: game.frame })
}

/// With more relations asked than this, little is left that is not: each of them takes another pass over all rules.
const MOST_ASKED: usize = 100;

/// The questions have at most so many conditions together: each repeats what its rule knows before it.
const MOST_LITERALS: usize = 4_000_000;

fn made(head: Atom, body: Vec<Literal>, variables: &[Symbol]) -> Rule {
    Rule { head, body, variables: variables.to_vec(), places: Places::default() }
}

/// The relations on demand and the positions that every call of them knows.
struct Calls<'r> {
    chosen: HashMap<RelationId, Vec<usize>>,
    /// The relations that are read from outside, beside those of keywords.
    read: &'r [RelationId],
}

/// The conditions of a rule, sorted for asking.
struct Order {
    /// Conditions on other relations, in the order of the rule; negative ones are left out.
    free: Vec<usize>,
    /// Conditions on chosen relations, in the order in which they are asked.
    calls: Vec<usize>,
}

impl Calls<'_> {
    fn add(&mut self, rules: &Rules, relation: RelationId) -> Option<()> {
        let info = rules.relation(relation);
        // What is read from outside is wanted whole.
        if info.keyword.is_some() || self.read.contains(&relation) {
            return None;
        }
        self.chosen.insert(relation, (0..info.arity).collect());
        Some(())
    }

    /// Narrows the known positions until they fit every call. Returns a relation that must be asked itself,
    /// because one of its rules has a call of which nothing is known.
    fn narrow(&mut self, rules: &Rules) -> Option<RelationId> {
        loop {
            let mut changed = false;
            for rule in rules.rules() {
                let mut bound = self.bound_by_question(rule);
                let order = self.order(rule);
                for &free in &order.free {
                    rule.body[free].variables(&mut |v| bound[v.index()] = true);
                }
                for &call in &order.calls {
                    let (Literal::Positive(atom) | Literal::Negative(atom)) = &rule.body[call] else {
                        continue;
                    };
                    let known = self.chosen.get_mut(&atom.relation).expect("calls are of chosen relations");
                    let before = known.len();
                    known.retain(|&position| all_bound(&atom.arguments[position], &bound));
                    changed |= known.len() < before;
                    let nothing_known = known.is_empty() && !atom.arguments.is_empty();
                    if nothing_known && !self.chosen.contains_key(&rule.head.relation) {
                        // Start again with the caller asked, which may know more.
                        let names: Vec<RelationId> = self.chosen.keys().copied().collect();
                        for relation in names {
                            self.chosen.insert(relation, (0..rules.relation(relation).arity).collect());
                        }
                        return Some(rule.head.relation);
                    }
                    if let Literal::Positive(_) = &rule.body[call] {
                        atom.variables(&mut |v| bound[v.index()] = true);
                    }
                }
            }
            if !changed {
                return None;
            }
        }
    }

    fn bound_by_question(&self, rule: &Rule) -> Vec<bool> {
        let mut bound = vec![false; rule.variables.len()];
        for &position in self.chosen.get(&rule.head.relation).into_iter().flatten() {
            rule.head.arguments[position].variables(&mut |v: Variable| bound[v.index()] = true);
        }
        bound
    }

    /// Of the calls that are left, the one with the largest share of known arguments is asked next.
    fn order(&self, rule: &Rule) -> Order {
        let mut bound = self.bound_by_question(rule);
        let (mut free, mut open) = (Vec::new(), Vec::new());
        for (position, literal) in rule.body.iter().enumerate() {
            match literal {
                Literal::Positive(atom) if !self.chosen.contains_key(&atom.relation) => {
                    free.push(position);
                    atom.variables(&mut |v| bound[v.index()] = true);
                }
                Literal::Positive(atom) | Literal::Negative(atom)
                    if self.chosen.contains_key(&atom.relation) =>
                {
                    open.push(position);
                }
                _ => {}
            }
        }
        let mut calls = Vec::new();
        while !open.is_empty() {
            let share = |&position: &usize| {
                let (Literal::Positive(atom) | Literal::Negative(atom)) = &rule.body[position] else {
                    return 0;
                };
                let known = atom.arguments.iter().filter(|a| all_bound(a, &bound)).count();
                // Negative conditions bind nothing, so they wait until all is known.
                let waits =
                    matches!(rule.body[position], Literal::Negative(_)) && known < atom.arguments.len();
                if waits { 0 } else { 1 + 1000 * known / atom.arguments.len().max(1) }
            };
            let (at, _) = open
                .iter()
                .enumerate()
                .rev()
                .max_by_key(|(_, position)| share(position))
                .expect("there is a call left");
            let call = open.remove(at);
            if let Literal::Positive(atom) = &rule.body[call] {
                atom.variables(&mut |v| bound[v.index()] = true);
            }
            calls.push(call);
        }
        // `distinct` narrows the questions where its variables are known without any answer.
        let mut known = self.bound_by_question(rule);
        for &position in &free {
            rule.body[position].variables(&mut |v| known[v.index()] = true);
        }
        for (position, literal) in rule.body.iter().enumerate() {
            if let Literal::Distinct(left, right) = literal
                && all_bound(left, &known)
                && all_bound(right, &known)
            {
                free.push(position);
            }
        }
        Order { free, calls }
    }
}

fn all_bound(term: &Term, bound: &[bool]) -> bool {
    let mut all = true;
    term.variables(&mut |v| all &= bound[v.index()]);
    all
}
