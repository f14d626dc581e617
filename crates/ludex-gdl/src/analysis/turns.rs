//! Joint moves that no state offers, by induction on the control structure.
//!
//! A *turn* is a group of fluents, the usual `control(P)`, of which never more than one holds: at most one holds
//! initially, and whichever holds, all rules that can then fire give the same next one. If moreover one
//! holds initially and from each some rule is sure to fire, exactly one holds always. Each move of each role is
//! legal in some turns only; moves without a common turn are never made together. A group is all fluents of one
//! name; where that does not work, those that its `next` rules read are added, for games with `place(P)` and
//! `turn(P)` in alternation.
//!
//! The proof uses neither moves nor the end of the game, so what it finds holds in every state that can
//! be reached, also beyond terminal states. It is cheap and syntactic: it sees through facts and helpers, not
//! through conditions on the rest of the state. What it does not find may be impossible all the same.

use super::actions::{PartialJointMove, RoleActions, actions, functor, functors};
use super::domains::{Domains, Functor};
use super::frames::{NextRule, next_rules};
use crate::Game;
use crate::rules::{Atom, Literal, RelationId, Rule, Rules, Term, Variable};
use crate::symbols::{Keyword, Symbol};
use crate::unify::Substitution;
use std::cell::Cell;

/// More fluents than this make no turn.
const MOST_TURNS: usize = 30;

/// How often a group is extended.
const MOST_EXTENSIONS: usize = 3;

/// How deep helpers are looked into.
const MOST_DEPTH: usize = 4;

/// Steps that may be made for all turns of a game; what is not decided by then counts as possible.
const MOST_STEPS: usize = 300_000;

/// Fluents that are tried as turns, times the rules that each of them is compared with.
const MOST_COMPARED: usize = 10_000_000;

/// Sets of moves that are looked at when they are combined.
const MOST_SETS: usize = 20_000;

/// Moves of several roles that are never made together, none containing another of the same turn.
pub fn impossible_joint_moves(game: &Game) -> Vec<PartialJointMove> {
    let rules = &game.rules;
    let domains = Domains::of(rules);
    let Some(roles) = actions(rules, &domains) else { return Vec::new() };
    let next = next_rules(rules, &domains);
    let mut result = Vec::new();
    let holds = rules.keyword(Keyword::True);
    let steps = Cell::new(MOST_STEPS);
    let mut proved: Vec<Functor> = Vec::new();
    // Each of them is compared with all rules.
    let most_fluents = MOST_COMPARED / (1 + next.len());
    for fluent in functors(domains.argument(holds, 0)).into_iter().take(most_fluents) {
        if proved.contains(&fluent) {
            continue;
        }
        let mut group = vec![fluent];
        for _ in 0..=MOST_EXTENSIONS {
            let Some(values) = instances(&group, &domains) else { break };
            let turn = Turn { rules, group: &group, values: &values, steps: &steps };
            if let Some(sure) = turn.proof(&next) {
                for set in turn.impossible(&roles, sure) {
                    if !result.contains(&set) {
                        result.push(set);
                    }
                }
                proved.extend(&group);
                break;
            }
            let before = group.len();
            extend(&mut group, &next, holds);
            if group.len() == before {
                break;
            }
        }
    }
    result
}

/// All fluents of the group; `None` if they are too many, or one has nested arguments.
fn instances(group: &[Functor], domains: &Domains) -> Option<Vec<Term>> {
    let mut result = Vec::new();
    for &(name, count) in group {
        let mut rows: Vec<Vec<Term>> = vec![Vec::new()];
        for position in 0..count {
            let domain = domains.inside((name, count), position);
            if !domain.functors.is_empty() || rows.len() * domain.constants.len() > MOST_TURNS {
                return None;
            }
            let longer = rows.iter().flat_map(|row| {
                let values = domain.constants.iter().map(|&value| Term::Constant(value));
                values.map(|value| row.iter().cloned().chain([value]).collect())
            });
            rows = longer.collect();
        }
        result.extend(rows.into_iter().map(|row| match count {
            0 => Term::Constant(name),
            _ => Term::Compound(name, row),
        }));
    }
    (result.len() <= MOST_TURNS).then_some(result)
}

/// Adds the fluents that the rules for the group read.
fn extend(group: &mut Vec<Functor>, next: &[NextRule], holds: RelationId) {
    let rules: Vec<&NextRule> = next.iter().filter(|rule| group.contains(&rule.fluent)).collect();
    for atom in rules.iter().flat_map(|rule| &rule.rule.body).filter_map(|literal| literal.positive()) {
        if atom.relation == holds
            && let Some(fluent) = functor(&atom.arguments[0])
            && !group.contains(&fluent)
        {
            group.push(fluent);
        }
    }
}

/// Fluents that may be a turn.
struct Turn<'g> {
    rules: &'g Rules,
    group: &'g [Functor],
    values: &'g [Term],
    steps: &'g Cell<usize>,
}

/// Which fluent of the turn holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Now<'v> {
    Value(&'v Term),
    Nothing,
}

impl Turn<'_> {
    /// Whether at most one instance holds in every state; `Some(true)` if exactly one does.
    fn proof(&self, next: &[NextRule]) -> Option<bool> {
        let initial = self.initial()?;
        let rules: Vec<&Rule> =
            next.iter().filter(|rule| self.group.contains(&rule.fluent)).map(|rule| &rule.rule).collect();
        let mut sure = initial == 1;
        for value in self.values {
            self.at_most_one(&rules, Now::Value(value))?;
            sure &= rules.iter().any(|rule| self.is_sure(rule, value));
        }
        if !sure {
            self.at_most_one(&rules, Now::Nothing)?;
        }
        Some(sure)
    }

    /// How many instances hold initially; `None` if rules decide that, or there are several.
    fn initial(&self) -> Option<usize> {
        let mut count = 0;
        for &rule in self.rules.rules_for(self.rules.keyword(Keyword::Init)) {
            let rule = self.rules.rule(rule);
            match &rule.head.arguments[0] {
                Term::Variable(_) => return None,
                term if functor(term).is_some_and(|f| self.group.contains(&f)) => {
                    if !rule.body.is_empty() {
                        return None;
                    }
                    count += 1;
                }
                _ => {}
            }
        }
        (count <= 1).then_some(count)
    }

    /// All rules that can fire give one and the same value.
    fn at_most_one(&self, rules: &[&Rule], now: Now<'_>) -> Option<()> {
        let mut only = None;
        for rule in rules {
            let head = self.fluent(&rule.head)?;
            let mut decided = true;
            let query = Query { turn: self, now, depth: 0 };
            query.each(rule, Substitution::default(), &mut |substitution| {
                let value = substitution.resolved(head);
                let same = only.as_ref().is_none_or(|known| *known == value);
                decided &= same && value.is_ground();
                only = Some(value);
                decided
            });
            if !decided || self.steps.get() == 0 {
                return None;
            }
        }
        Some(())
    }

    /// True if the rule fires whatever else holds.
    fn is_sure(&self, rule: &Rule, value: &Term) -> bool {
        let mut sure = false;
        let query = Query { turn: self, now: Now::Value(value), depth: 0 };
        query.each(rule, Substitution::default(), &mut |substitution| {
            sure = rule.body.iter().all(|literal| match literal {
                Literal::Positive(atom) => self.is_turn(atom) || query.facts(atom.relation).is_some(),
                Literal::Negative(atom) => match self.fluent(atom) {
                    Some(term) => {
                        let term = substitution.resolved(term);
                        term.is_ground() && term != *value
                    }
                    None => false,
                },
                Literal::Distinct(left, right) => {
                    let [left, right] = [left, right].map(|term| substitution.resolved(term));
                    left.is_ground() && right.is_ground() && left != right
                }
            });
            !sure
        });
        sure
    }

    fn is_turn(&self, atom: &Atom) -> bool {
        self.fluent(atom).is_some()
    }

    /// The fluent of the turn in `true(...)` or `next(...)`.
    fn fluent<'a>(&self, atom: &'a Atom) -> Option<&'a Term> {
        let of_state = [Keyword::True, Keyword::Next].map(|keyword| self.rules.keyword(keyword));
        let term = atom.arguments.first()?;
        let is_member = functor(term).is_some_and(|f| self.group.contains(&f));
        (is_member && of_state.contains(&atom.relation)).then_some(term)
    }

    /// The moves that have no turn in common.
    fn impossible(&self, roles: &[RoleActions], sure: bool) -> Vec<PartialJointMove> {
        // One bit a value, and one for no value at all.
        let mut nows: Vec<Now<'_>> = self.values.iter().map(Now::Value).collect();
        if !sure {
            nows.push(Now::Nothing);
        }
        let turns_of = |role: Symbol, action: Functor| -> u32 {
            let bit = |(at, &now): (usize, &Now<'_>)| u32::from(self.is_legal(role, action, now)) << at;
            nows.iter().enumerate().map(bit).sum()
        };
        let table: Vec<Vec<(Functor, u32)>> = roles
            .iter()
            .map(|entry| entry.actions.iter().map(|&a| (a, turns_of(entry.role, a))).collect())
            .collect();
        let mut result = Vec::new();
        let mut level: Vec<(Vec<(usize, usize)>, u32)> = vec![(Vec::new(), u32::MAX)];
        let mut looked = 0;
        while !level.is_empty() {
            let mut longer = Vec::new();
            for (set, mask) in &level {
                let first = set.last().map_or(0, |(role, _)| role + 1);
                for (role, list) in table.iter().enumerate().skip(first) {
                    for (at, (_, turns)) in list.iter().enumerate() {
                        looked += 1;
                        let mut set = set.clone();
                        set.push((role, at));
                        if mask & turns != 0 {
                            longer.push((set, mask & turns));
                        } else if is_minimal(&set, &table) {
                            result.push(set.iter().map(|&(r, a)| (roles[r].role, table[r][a].0)).collect());
                        }
                    }
                }
                if looked > MOST_SETS {
                    return result;
                }
            }
            level = longer;
        }
        result
    }

    /// Whether the role may have such a move in that turn; `true` if in doubt.
    fn is_legal(&self, role: Symbol, action: Functor, now: Now<'_>) -> bool {
        let legal = self.rules.keyword(Keyword::Legal);
        self.rules.rules_for(legal).iter().any(|&rule| {
            let rule = self.rules.rule(rule);
            let first = rule.variables.len() as u32;
            let arguments: Vec<Term> =
                (first..first + action.1 as u32).map(|v| Term::Variable(Variable(v))).collect();
            let move_term =
                if action.1 == 0 { Term::Constant(action.0) } else { Term::Compound(action.0, arguments) };
            let mut substitution = Substitution::default();
            let fits = substitution.unify(&rule.head.arguments[0], &Term::Constant(role))
                && substitution.unify(&rule.head.arguments[1], &move_term);
            (fits || substitution.is_exhausted())
                && Query { turn: self, now, depth: 0 }.can_fire(rule, substitution)
        })
    }
}

fn is_minimal(set: &[(usize, usize)], table: &[Vec<(Functor, u32)>]) -> bool {
    (0..set.len()).all(|without| {
        let others = set.iter().enumerate().filter(|(at, _)| *at != without);
        others.fold(u32::MAX, |mask, (_, &(role, at))| mask & table[role][at].1) != 0
    })
}

/// Whether rules can fire in a turn.
struct Query<'t, 'g> {
    turn: &'t Turn<'g>,
    now: Now<'t>,
    depth: usize,
}

impl Query<'_, '_> {
    /// True unless the rule certainly cannot fire.
    fn can_fire(&self, rule: &Rule, substitution: Substitution) -> bool {
        let mut found = false;
        self.each(rule, substitution, &mut |_| {
            found = true;
            false
        });
        found || self.turn.steps.get() == 0
    }

    /// Calls `visit` for every way to satisfy what is known of the conditions, until it returns false.
    fn each(
        &self,
        rule: &Rule,
        mut substitution: Substitution,
        visit: &mut dyn FnMut(&mut Substitution) -> bool,
    ) {
        // The turn first: it binds most.
        for literal in &rule.body {
            if let Some(term) = literal.positive().and_then(|atom| self.turn.fluent(atom)) {
                let fits = match self.now {
                    Now::Value(value) => substitution.unify(term, value),
                    Now::Nothing => false,
                };
                if !fits && !substitution.is_exhausted() {
                    return;
                }
            }
        }
        let facts: Vec<(&Atom, Vec<&Atom>)> = rule
            .body
            .iter()
            .filter_map(|literal| literal.positive())
            .filter_map(|atom| Some((atom, self.facts(atom.relation)?)))
            .collect();
        self.branch(rule, &facts, substitution, visit);
    }

    fn branch(
        &self,
        rule: &Rule,
        facts: &[(&Atom, Vec<&Atom>)],
        mut substitution: Substitution,
        visit: &mut dyn FnMut(&mut Substitution) -> bool,
    ) -> bool {
        let Some(((atom, list), rest)) = facts.split_first() else {
            return !self.is_open(rule, &mut substitution) || visit(&mut substitution);
        };
        for fact in list {
            if self.turn.steps.get() == 0 {
                return false;
            }
            self.turn.steps.set(self.turn.steps.get() - 1);
            let mut trial = substitution.clone();
            let fits = trial.unify_atoms(atom, fact);
            if trial.is_exhausted() {
                // Undecided, which whoever asked must take for possible.
                self.turn.steps.set(0);
                return false;
            }
            if fits && !self.branch(rule, rest, trial, visit) {
                return false;
            }
        }
        true
    }

    /// False if a condition other than turn and facts certainly fails.
    fn is_open(&self, rule: &Rule, substitution: &mut Substitution) -> bool {
        rule.body.iter().all(|literal| match literal {
            Literal::Negative(atom) => match (self.turn.fluent(atom), self.now) {
                (Some(term), Now::Value(value)) => substitution.resolved(term) != *value,
                _ => true,
            },
            Literal::Distinct(left, right) => substitution.resolved(left) != substitution.resolved(right),
            Literal::Positive(atom) => self.is_open_helper(atom, substitution),
        })
    }

    /// A helper of the rules must have a rule that can fire.
    fn is_open_helper(&self, atom: &Atom, substitution: &mut Substitution) -> bool {
        let relation = self.turn.rules.relation(atom.relation);
        if relation.keyword.is_some() || self.facts(atom.relation).is_some() || self.depth >= MOST_DEPTH {
            return true;
        }
        let arguments: Vec<Term> = atom.arguments.iter().map(|a| substitution.resolved(a)).collect();
        let deeper = Query { turn: self.turn, now: self.now, depth: self.depth + 1 };
        self.turn.rules.rules_for(atom.relation).iter().any(|&rule| {
            let rule = self.turn.rules.rule(rule);
            let count = rule.variables.len() as u32;
            let mut inner = Substitution::default();
            let mut pairs = rule.head.arguments.iter().zip(&arguments);
            let fits = pairs.all(|(head, argument)| inner.unify(head, &argument.shifted(count)));
            (fits || inner.is_exhausted()) && deeper.can_fire(rule, inner)
        })
    }

    /// The facts of a relation that has few facts and nothing else.
    fn facts(&self, relation: RelationId) -> Option<Vec<&Atom>> {
        const MOST_FACTS: usize = 64;
        let rules = self.turn.rules;
        let list = rules.rules_for(relation);
        let plain = (1..=MOST_FACTS).contains(&list.len())
            && list.iter().all(|&rule| rules.rule(rule).body.is_empty());
        plain.then(|| list.iter().map(|&rule| &rules.rule(rule).head).collect())
    }
}
