//! Names that look misspelt: a variable or constant that occurs once and is nearly another one, and a constant that is
//! called like a variable of its clause.
//!
//! Occurring once is nothing odd by itself: `(true (cell ?x ?y b))` asks for any blank cell. Names that differ in
//! a digit, or in their first or last letter alone (`?oldx`, `?oldy`), are taken to differ on purpose.

use super::{Remarked, Remarks};
use crate::diagnostic::{Code, Diagnostic};
use crate::spelling::distance;
use crate::symbols::Symbol;
use crate::syntax::Span;
use crate::syntax::tree::{Clause, Formula, FormulaKind, Term, TermKind};
use hashbrown::HashMap;

/// In a clause with more variables none is compared with the others.
const MOST_VARIABLES: usize = 60;

/// A name in the sheet: how often, where first, and in how many clauses.
struct Occurrence {
    count: usize,
    span: Span,
    clauses: usize,
    last: usize,
}

pub(super) fn remark(sheet: &Remarked<'_>, remarks: &mut Remarks) {
    let symbols = &sheet.tree.symbols;
    let mut constants: HashMap<Symbol, Occurrence> = HashMap::new();
    let mut like_variables: Vec<(Symbol, Symbol)> = Vec::new();
    for (index, clause) in sheet.tree.clauses.iter().enumerate() {
        let mut variables: HashMap<Symbol, (usize, Span)> = HashMap::new();
        let mut here: Vec<Symbol> = Vec::new();
        each_term(clause, &mut |term| match &term.kind {
            TermKind::Variable(name) => variables.entry(*name).or_insert((0, term.span)).0 += 1,
            TermKind::Constant(name) => {
                let fresh = || Occurrence { count: 0, span: term.span, clauses: 0, last: usize::MAX };
                let occurrence = constants.entry(*name).or_insert_with(fresh);
                occurrence.count += 1;
                if occurrence.last != index {
                    occurrence.last = index;
                    occurrence.clauses += 1;
                    here.push(*name);
                }
            }
            TermKind::Compound(..) => {}
        });
        single_variables(sheet, &variables, remarks);
        if !variables.is_empty() {
            let by_name: HashMap<String, Symbol> =
                variables.keys().map(|v| (symbols.name(*v).to_lowercase(), *v)).collect();
            let like = |name: &Symbol| Some((*name, *by_name.get(&symbols.name(*name).to_lowercase())?));
            like_variables.extend(here.iter().filter_map(like));
        }
    }
    for (name, variable) in like_variables {
        let Some(occurrence) = constants.get(&name).filter(|occurrence| occurrence.clauses == 1) else {
            continue;
        };
        let shown = symbols.name(name);
        let variable = sheet.variable(symbols.name(variable));
        let message =
            format!("the constant `{shown}` occurs in this clause only, which has a variable `{variable}`");
        let hint = format!("is `{variable}` meant?");
        remarks.push(
            Diagnostic::new(Code::LooksLikeVariable, occurrence.span, message, "a constant").hint(hint),
        );
    }
    single_constants(sheet, &constants, remarks);
}

/// A variable that occurs once, in a clause with another that it may be a misspelling of.
fn single_variables(sheet: &Remarked<'_>, variables: &HashMap<Symbol, (usize, Span)>, remarks: &mut Remarks) {
    if variables.len() > MOST_VARIABLES || remarks.is_full(Code::SingleVariable) {
        return;
    }
    let symbols = &sheet.tree.symbols;
    for (name, (_, span)) in variables.iter().filter(|(_, (count, _))| *count == 1) {
        let typed = symbols.name(*name);
        // Of two that occur once the later one is told.
        let earlier = |(count, place): &(usize, Span)| *count > 1 || place < span;
        let others = variables.iter().filter(|(other, at)| *other != name && earlier(at));
        let mut near: Vec<&str> = others.map(|(other, _)| symbols.name(*other)).collect();
        near.retain(|other| is_slip(typed, other));
        if let Some(other) = near.into_iter().min() {
            let (typed, other) = (sheet.variable(typed), sheet.variable(other));
            let message = format!("the variable `{typed}` occurs once, and is nearly `{other}`");
            let hint = format!("is `{other}` meant? If any value will do, give it another name");
            remarks.push(Diagnostic::new(Code::SingleVariable, *span, message, "occurs once").hint(hint));
        }
    }
}

/// A constant that occurs once, where another that is nearly the same occurs often.
fn single_constants(sheet: &Remarked<'_>, constants: &HashMap<Symbol, Occurrence>, remarks: &mut Remarks) {
    let symbols = &sheet.tree.symbols;
    let mut single: Vec<(Span, Symbol)> = constants
        .iter()
        .filter(|(_, occurrence)| occurrence.count == 1)
        .map(|(name, occurrence)| (occurrence.span, *name))
        .collect();
    single.sort_unstable();
    let mut common: Vec<&str> = constants
        .iter()
        .filter(|(_, occurrence)| occurrence.count > 2)
        .map(|(name, _)| symbols.name(*name))
        .collect();
    common.sort_unstable();
    common.truncate(super::MOST_NAMES);
    for (span, name) in single.into_iter().take(super::MOST_SOUGHT) {
        let typed = symbols.name(name);
        // `b` and `bb` are two pieces of many a set.
        if let Some(other) = common.iter().find(|other| other.len() > 2 && is_slip(typed, other)) {
            let message = format!("the constant `{typed}` occurs once, and is nearly `{other}`");
            let hint = format!("is `{other}` meant?");
            remarks.push(Diagnostic::new(Code::SingleConstant, span, message, "occurs once").hint(hint));
        }
    }
}

/// Whether one name may be a slip of the keyboard for the other: one letter too many, too few, swapped, in the wrong
/// case, or wrong in the middle of a longer name.
fn is_slip(typed: &str, other: &str) -> bool {
    let numbered = |name: &str| name.chars().any(|c| c.is_ascii_digit()) || name.starts_with('_');
    if numbered(typed) || numbered(other) || typed.len().max(other.len()) > 40 {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (typed.chars().collect(), other.chars().collect());
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    if typed.to_lowercase() == other.to_lowercase() {
        return true;
    }
    if distance(typed, other) != 1 {
        return false;
    }
    let longest = a.len().max(b.len());
    if a.len() != b.len() {
        // `?x` and `?xx`, or `?col` and `?co`; not `?x` and `?xp`.
        let (short, long) = if a.len() < b.len() { (&a, &b) } else { (&b, &a) };
        let doubled =
            long.windows(2).any(|pair| pair[0] == pair[1]) && !short.windows(2).any(|p| p[0] == p[1]);
        return short.first() == long.first() && (doubled || longest > 3);
    }
    let differing: Vec<usize> = (0..a.len()).filter(|&at| a[at] != b[at]).collect();
    match differing.as_slice() {
        [at] => longest > 4 && *at > 0 && at + 1 < a.len(),
        _ => longest > 2,
    }
}

fn each_term(clause: &Clause, visit: &mut impl FnMut(&Term)) {
    fn terms(term: &Term, visit: &mut impl FnMut(&Term)) {
        visit(term);
        term.arguments().iter().for_each(|argument| terms(argument, visit));
    }
    fn formula(part: &Formula, visit: &mut impl FnMut(&Term)) {
        match &part.kind {
            // The relation itself is no constant.
            FormulaKind::Atom(atom) => atom.arguments().iter().for_each(|argument| terms(argument, visit)),
            FormulaKind::Distinct(left, right) => {
                terms(left, visit);
                terms(right, visit);
            }
            FormulaKind::Not(inner) => formula(inner, visit),
            FormulaKind::Or(parts) | FormulaKind::And(parts) => {
                parts.iter().for_each(|part| formula(part, visit));
            }
        }
    }
    clause.head.arguments().iter().for_each(|argument| terms(argument, visit));
    clause.body.iter().flatten().for_each(|part| formula(part, visit));
}
