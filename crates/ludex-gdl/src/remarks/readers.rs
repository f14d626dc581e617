//! What nobody reads: relations, fluents, moves.

use super::{Remarked, Remarks};
use crate::analysis::actions::functor;
use crate::analysis::domains::Functor;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::{Atom, Literal, RelationId, Rule, Rules, Term};
use crate::spelling::distance;
use crate::symbols::Keyword;
use hashbrown::{HashMap, HashSet};

pub(super) fn remark(sheet: &Remarked<'_>, remarks: &mut Remarks) {
    // In a sheet that is not yet written to its end what is read last is still missing, and that is told.
    let wanted = [Keyword::Legal, Keyword::Next, Keyword::Terminal, Keyword::Goal];
    if wanted.iter().any(|&keyword| sheet.rules.rules_for(sheet.rules.keyword(keyword)).is_empty()) {
        return;
    }
    unused_relations(sheet, remarks);
    unread_fluents(sheet, remarks);
    moves_without_effect(sheet, remarks);
}

fn atoms(rule: &Rule) -> impl Iterator<Item = &Atom> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
        Literal::Distinct(..) => None,
    })
}

/// Relations with rules that only their own rules read, or none.
fn unused_relations(sheet: &Remarked<'_>, remarks: &mut Remarks) {
    let rules = sheet.rules;
    let mut read: HashSet<RelationId> = HashSet::new();
    for rule in rules.rules() {
        read.extend(atoms(rule).map(|atom| atom.relation).filter(|&relation| relation != rule.head.relation));
    }
    let undefined = |relation: &RelationId| {
        rules.rules_for(*relation).is_empty() && rules.relation(*relation).keyword.is_none()
    };
    let wanted: Vec<&str> =
        rules.relations().filter(undefined).map(|id| rules.symbols.name(rules.relation(id).name)).collect();
    for relation in rules.relations() {
        let info = rules.relation(relation);
        let Some(&first) = rules.rules_for(relation).first() else { continue };
        if info.keyword.is_some() || read.contains(&relation) {
            continue;
        }
        let rule = rules.rule(first);
        let name = rules.symbols.name(info.name);
        let message = format!("no rule reads the relation `{name}`");
        let near = (!remarks.is_full(Code::UnusedRelation)).then(|| {
            let misspelt = sheet.near(name, wanted.iter().copied());
            let keywords = Keyword::RELATIONS.iter().map(|keyword| keyword.name());
            misspelt.or_else(|| sheet.near(name, keywords.filter(|keyword| distance(name, keyword) < 2)))
        });
        let hint = near.flatten().unwrap_or_else(|| {
            "it has no influence on the game; is a condition missing, or may it go?".to_owned()
        });
        remarks
            .push(Diagnostic::new(Code::UnusedRelation, rule.places.head, message, "never read").hint(hint));
    }
}

/// Fluents that no rule reads but those that keep them.
fn unread_fluents(sheet: &Remarked<'_>, remarks: &mut Remarks) {
    let rules = sheet.rules;
    let (next, init) = (rules.keyword(Keyword::Next), rules.keyword(Keyword::Init));
    let read = match Readers::of(rules, Keyword::True, 0) {
        Readers::All => return,
        Readers::These(read) => read,
    };
    let mut told: HashSet<Functor> = HashSet::new();
    // What is only kept is not read.
    let in_use = read.iter().filter(|(_, is_read)| **is_read);
    let mut names: Vec<&str> = in_use.map(|((name, _), _)| rules.symbols.name(*name)).collect();
    names.sort_unstable();
    for rule in rules.rules() {
        if rule.head.relation != next && rule.head.relation != init {
            continue;
        }
        let Some(fluent) = functor(&rule.head.arguments[0]) else { continue };
        if read.get(&fluent).copied().unwrap_or(false) || !told.insert(fluent) {
            continue;
        }
        let name = rules.symbols.name(fluent.0);
        let message = format!("no rule reads the fluent `{name}`");
        let hint = unread_hint(sheet, remarks, Code::UnreadFluent, name, &names);
        let span = sheet.places.head(rule, &[0]);
        remarks.push(Diagnostic::new(Code::UnreadFluent, span, message, "never read").hint(hint));
    }
}

/// Moves with arguments that no `does` reads. A bare name is a way to pass, which needs no reader.
fn moves_without_effect(sheet: &Remarked<'_>, remarks: &mut Remarks) {
    let rules = sheet.rules;
    let read = match Readers::of(rules, Keyword::Does, 1) {
        Readers::All => return,
        Readers::These(read) => read,
    };
    let mut told: HashSet<Functor> = HashSet::new();
    let mut names: Vec<&str> = read.keys().map(|(name, _)| rules.symbols.name(*name)).collect();
    names.sort_unstable();
    for &id in rules.rules_for(rules.keyword(Keyword::Legal)) {
        let rule = rules.rule(id);
        let Some(action) = functor(&rule.head.arguments[1]) else { continue };
        if action.1 == 0 || read.contains_key(&action) || !told.insert(action) {
            continue;
        }
        let name = rules.symbols.name(action.0);
        let message = format!("no rule reads the move `{name}`");
        let hint = unread_hint(sheet, remarks, Code::MoveWithoutEffect, name, &names);
        let span = sheet.places.head(rule, &[1]);
        remarks.push(Diagnostic::new(Code::MoveWithoutEffect, span, message, "without effect").hint(hint));
    }
}

fn unread_hint(sheet: &Remarked<'_>, remarks: &Remarks, code: Code, name: &str, names: &[&str]) -> String {
    if names.binary_search(&name).is_ok() {
        return "it is read with another number of arguments".to_owned();
    }
    let near = if remarks.is_full(code) { None } else { sheet.near(name, names.iter().copied()) };
    near.unwrap_or_else(|| {
        "it has no influence on the play; is a condition missing, or may it go?".to_owned()
    })
}

/// The names that conditions on a keyword read.
enum Readers {
    /// Whatever there is: a variable stands there.
    All,
    /// These; false for a fluent that only the rules that keep it read.
    These(HashMap<Functor, bool>),
}

impl Readers {
    fn of(rules: &Rules, keyword: Keyword, position: usize) -> Readers {
        let (relation, next) = (rules.keyword(keyword), rules.keyword(Keyword::Next));
        let mut read = HashMap::new();
        for rule in rules.rules() {
            let kept = (rule.head.relation == next).then(|| &rule.head.arguments[0]);
            for atom in atoms(rule).filter(|atom| atom.relation == relation) {
                match &atom.arguments[position] {
                    Term::Variable(_) if kept == Some(&atom.arguments[position]) => {}
                    Term::Variable(_) => return Readers::All,
                    term => {
                        let Some(name) = functor(term) else { continue };
                        let keeps = kept.and_then(functor) == Some(name);
                        *read.entry(name).or_insert(false) |= !keeps;
                    }
                }
            }
        }
        Readers::These(read)
    }
}
