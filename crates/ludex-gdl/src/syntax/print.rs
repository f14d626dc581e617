//! Trees to text.
//!
//! What is printed reads back as the same rules ([`crate::Rules`] compare equal); printing what was read
//! back gives the same text. Keywords come out in their usual spelling, all other names exactly as they
//! were written; names that a notation cannot write bare are quoted. Comments and layout are not kept.

use super::token::{is_bare_name, is_variable_name};
use super::tree::{Clause, Formula, FormulaKind, Term, TermKind, Tree};
use crate::rules::{Literal, Rules};
use crate::symbols::{Keyword, Symbol, Symbols};
use hashbrown::{HashMap, HashSet};
use std::fmt::Write;

/// Lines longer than this are broken, one condition a line.
const WIDTH: usize = 100;

/// The tree in KIF, one clause a paragraph.
pub fn kif(tree: &Tree) -> String {
    let mut out = String::new();
    for clause in &tree.clauses {
        kif_clause(&tree.symbols, clause, &mut out);
        out.push('\n');
    }
    out
}

/// The tree in infix notation.
pub fn infix(tree: &Tree) -> String {
    let mut out = String::new();
    for clause in &tree.clauses {
        let names = infix_variables(&tree.symbols, clause);
        Infix { symbols: &tree.symbols, names: &names }.clause(clause, &mut out);
        out.push('\n');
    }
    out
}

/// The rules as a program for clingo and its kin: disjunctions split, `distinct` as `!=`, and names that
/// such a program cannot write replaced one to one (a comment says which stands for which).
pub fn asp(rules: &Rules) -> String {
    let mut renamed = Vec::new();
    for index in 0..rules.symbols.len() {
        let name = rules.symbols.name(rules.symbol_at(index));
        if asp_name(name) != name {
            renamed.push(format!("% {} stands for {name:?}\n", asp_name(name)));
        }
    }
    let tree = rules.to_tree();
    let mut out = renamed.concat();
    for keyword in [Keyword::True, Keyword::Does] {
        let _ = writeln!(out, "#defined {}/{}.", keyword.name(), keyword.arity().unwrap_or(0));
    }
    for relation in rules.relations() {
        let info = rules.relation(relation);
        let used = rules.rules().iter().any(|rule| {
            rule.body
                .iter()
                .any(|l| matches!(l, Literal::Positive(a) | Literal::Negative(a) if a.relation == relation))
        });
        if info.keyword.is_none() && used && rules.rules_for(relation).is_empty() {
            let _ = writeln!(out, "#defined {}/{}.", asp_name(rules.symbols.name(info.name)), info.arity);
        }
    }
    for clause in &tree.clauses {
        let names = infix_variables(&tree.symbols, clause);
        let printer = Asp { symbols: &tree.symbols, names: &names };
        printer.atom(&clause.head, &mut out);
        for (i, condition) in clause.body.iter().flatten().enumerate() {
            out.push_str(if i == 0 { " :- " } else { ", " });
            printer.literal(condition, &mut out);
        }
        out.push_str(".\n");
    }
    out
}

/// The name as it may stand in an answer-set program: names of letters, digits and underscores that begin
/// with a small letter, and plain integers, stay; all others become `q_` and their characters in hex
/// where needed. The map is one to one.
pub fn asp_name(name: &str) -> String {
    let bare = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with("q_")
        && name != "not";
    let integer = name.parse::<i32>().is_ok_and(|n| n.to_string() == name);
    if bare || integer {
        return name.to_owned();
    }
    let mut out = "q_".to_owned();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else {
            let _ = write!(out, "_{:x}_", u32::from(c));
        }
    }
    out
}

/// The canonical spelling of a relation in a condition or head.
fn relation_name(symbols: &Symbols, name: Symbol) -> &str {
    let spelling = symbols.name(name);
    match Keyword::of(spelling) {
        Some(keyword) if Keyword::RELATIONS.contains(&keyword) => keyword.name(),
        _ => spelling,
    }
}

// ---- KIF ----

fn kif_clause(symbols: &Symbols, clause: &Clause, out: &mut String) {
    let Some(body) = &clause.body else {
        kif_atom(symbols, &clause.head, out);
        out.push('\n');
        return;
    };
    let start = out.len();
    out.push_str("(<= ");
    kif_atom(symbols, &clause.head, out);
    let conditions: Vec<String> = body
        .iter()
        .map(|condition| {
            let mut text = String::new();
            kif_formula(symbols, condition, &mut text);
            text
        })
        .collect();
    let length = out.len() - start + conditions.iter().map(|c| c.len() + 1).sum::<usize>();
    let separator = if length < WIDTH { " " } else { "\n    " };
    for condition in conditions {
        out.push_str(separator);
        out.push_str(&condition);
    }
    out.push_str(")\n");
}

fn kif_formula(symbols: &Symbols, formula: &Formula, out: &mut String) {
    let list = |word: &str, parts: &[Formula], out: &mut String| {
        out.push('(');
        out.push_str(word);
        for part in parts {
            out.push(' ');
            kif_formula(symbols, part, out);
        }
        out.push(')');
    };
    match &formula.kind {
        FormulaKind::Atom(atom) => kif_atom(symbols, atom, out),
        FormulaKind::Distinct(left, right) => {
            out.push_str("(distinct ");
            kif_term(symbols, left, out);
            out.push(' ');
            kif_term(symbols, right, out);
            out.push(')');
        }
        FormulaKind::Not(inner) => list("not", std::slice::from_ref(inner), out),
        FormulaKind::Or(arms) => list("or", arms, out),
        FormulaKind::And(parts) => list("and", parts, out),
    }
}

fn kif_atom(symbols: &Symbols, atom: &Term, out: &mut String) {
    match &atom.kind {
        TermKind::Compound(name, arguments) => {
            out.push('(');
            kif_relation(relation_name(symbols, *name), out);
            kif_arguments(symbols, arguments, out);
        }
        TermKind::Constant(name) => kif_relation(relation_name(symbols, *name), out),
        TermKind::Variable(_) => kif_term(symbols, atom, out),
    }
}

/// Writes the name of a relation: one that is spelt like a connective is quoted, or it would be read as one.
fn kif_relation(name: &str, out: &mut String) {
    if is_connective(name) { quote(name, '"', out) } else { kif_name(name, out) }
}

fn is_connective(name: &str) -> bool {
    matches!(Keyword::of(name), Some(Keyword::Not | Keyword::Or | Keyword::And | Keyword::Distinct))
}

/// Writes the arguments of a list and closes it.
fn kif_arguments(symbols: &Symbols, arguments: &[Term], out: &mut String) {
    for argument in arguments {
        out.push(' ');
        kif_term(symbols, argument, out);
    }
    out.push(')');
}

fn kif_term(symbols: &Symbols, term: &Term, out: &mut String) {
    match &term.kind {
        TermKind::Variable(name) => {
            out.push('?');
            out.push_str(symbols.name(*name));
        }
        TermKind::Constant(name) => kif_name(symbols.name(*name), out),
        TermKind::Compound(name, arguments) => {
            out.push('(');
            kif_name(symbols.name(*name), out);
            kif_arguments(symbols, arguments, out);
        }
    }
}

/// Writes a constant in KIF, quoted if it would not read back as a bare word.
pub fn kif_name(name: &str, out: &mut String) {
    let bare = !name.is_empty()
        && !name.contains("<=")
        && !name.contains(":-")
        && !name.ends_with('.')
        && !name.starts_with(['?', '"', '\''])
        && !name.contains([' ', '\t', '\r', '\n', '\x0C', '(', ')', ';', '\u{FEFF}']);
    if bare {
        out.push_str(name);
    } else {
        quote(name, '"', out);
    }
}

fn quote(name: &str, mark: char, out: &mut String) {
    out.push(mark);
    for c in name.chars() {
        if c == mark || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push(mark);
}

// ---- infix ----

/// Names for the clause's variables that begin with a capital, one to one.
fn infix_variables(symbols: &Symbols, clause: &Clause) -> HashMap<Symbol, String> {
    let mut order = Vec::new();
    variables_of_term(&clause.head, &mut order);
    for condition in clause.body.iter().flatten() {
        variables_of_formula(condition, &mut order);
    }
    let mut names = HashMap::new();
    let mut taken = HashSet::new();
    // Names that are fine already come first, so that none of them has to give way.
    order.sort_by_key(|symbol| !is_variable_name(symbols.name(*symbol)));
    for symbol in order {
        if names.contains_key(&symbol) {
            continue;
        }
        let name = symbols.name(symbol);
        let mut candidate: String =
            name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
        if !is_variable_name(&candidate) {
            let mut chars = candidate.chars();
            candidate = match chars.next() {
                Some(first) => first.to_uppercase().chain(chars).collect(),
                None => "X".to_owned(),
            };
        }
        if !is_variable_name(&candidate) {
            candidate.insert(0, 'X');
        }
        let stem = candidate.clone();
        let mut count = 1;
        while !taken.insert(candidate.clone()) {
            count += 1;
            candidate = format!("{stem}_{count}");
        }
        names.insert(symbol, candidate);
    }
    names
}

fn variables_of_formula(formula: &Formula, out: &mut Vec<Symbol>) {
    match &formula.kind {
        FormulaKind::Atom(atom) => variables_of_term(atom, out),
        FormulaKind::Distinct(left, right) => {
            variables_of_term(left, out);
            variables_of_term(right, out);
        }
        FormulaKind::Not(inner) => variables_of_formula(inner, out),
        FormulaKind::Or(parts) | FormulaKind::And(parts) => {
            parts.iter().for_each(|part| variables_of_formula(part, out));
        }
    }
}

fn variables_of_term(term: &Term, out: &mut Vec<Symbol>) {
    match &term.kind {
        TermKind::Variable(name) => out.push(*name),
        TermKind::Constant(_) => {}
        TermKind::Compound(_, arguments) => arguments.iter().for_each(|a| variables_of_term(a, out)),
    }
}

struct Infix<'a> {
    symbols: &'a Symbols,
    names: &'a HashMap<Symbol, String>,
}

impl Infix<'_> {
    fn clause(&self, clause: &Clause, out: &mut String) {
        let start = out.len();
        self.atom(&clause.head, out);
        let Some(body) = &clause.body else {
            out.push_str(".\n");
            return;
        };
        out.push_str(" :-");
        // A body that is one conjunction reads back as its parts.
        let mut body = body.as_slice();
        while let [Formula { kind: FormulaKind::And(parts) | FormulaKind::Or(parts), .. }] = body {
            if matches!(body[0].kind, FormulaKind::Or(_)) && parts.len() > 1 {
                break;
            }
            body = parts;
        }
        let conditions: Vec<String> = body
            .iter()
            .map(|condition| {
                let mut text = String::new();
                self.formula(condition, &mut text);
                text
            })
            .collect();
        let length = out.len() - start + conditions.iter().map(|c| c.len() + 2).sum::<usize>();
        let separator = if length < WIDTH { " " } else { "\n    " };
        for (i, condition) in conditions.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { "," });
            out.push_str(separator);
            out.push_str(condition);
        }
        out.push_str(".\n");
    }

    /// A condition; everything but atoms and `not` in parentheses, so precedence never matters.
    fn formula(&self, formula: &Formula, out: &mut String) {
        let join = |word: &str, parts: &[Formula], out: &mut String| {
            if let [only] = parts {
                return self.formula(only, out);
            }
            out.push('(');
            for (i, part) in parts.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { word });
                self.formula(part, out);
            }
            out.push(')');
        };
        match &formula.kind {
            FormulaKind::Atom(atom) => self.atom(atom, out),
            FormulaKind::Distinct(left, right) => {
                out.push_str("distinct(");
                self.term(left, out);
                out.push_str(", ");
                self.term(right, out);
                out.push(')');
            }
            FormulaKind::Not(inner) => {
                out.push_str("not ");
                self.formula(inner, out);
            }
            FormulaKind::Or(arms) => join(" or ", arms, out),
            FormulaKind::And(parts) => join(", ", parts, out),
        }
    }

    fn atom(&self, atom: &Term, out: &mut String) {
        if let Some(name) = atom.name() {
            infix_name(relation_name(self.symbols, name), out);
        }
        self.arguments(atom, out);
    }

    fn term(&self, term: &Term, out: &mut String) {
        match &term.kind {
            TermKind::Variable(name) => out.push_str(&self.names[name]),
            TermKind::Constant(name) | TermKind::Compound(name, _) => {
                infix_name(self.symbols.name(*name), out);
            }
        }
        self.arguments(term, out);
    }

    fn arguments(&self, term: &Term, out: &mut String) {
        if let TermKind::Compound(_, arguments) = &term.kind {
            out.push('(');
            for (i, argument) in arguments.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                self.term(argument, out);
            }
            out.push(')');
        }
    }
}

/// Writes a constant in infix notation, quoted if it would not read back as a bare name.
pub fn infix_name(name: &str, out: &mut String) {
    if is_bare_name(name) && !is_connective(name) {
        out.push_str(name);
    } else {
        quote(name, '\'', out);
    }
}

// ---- answer-set programs ----

struct Asp<'a> {
    symbols: &'a Symbols,
    names: &'a HashMap<Symbol, String>,
}

impl Asp<'_> {
    /// The rules are split already, so a condition is a literal.
    fn literal(&self, formula: &Formula, out: &mut String) {
        match &formula.kind {
            FormulaKind::Atom(atom) => self.atom(atom, out),
            FormulaKind::Distinct(left, right) => {
                self.term(left, out);
                out.push_str(" != ");
                self.term(right, out);
            }
            FormulaKind::Not(inner) => {
                out.push_str("not ");
                self.literal(inner, out);
            }
            FormulaKind::Or(parts) | FormulaKind::And(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    self.literal(part, out);
                }
            }
        }
    }

    fn atom(&self, atom: &Term, out: &mut String) {
        if let Some(name) = atom.name() {
            out.push_str(&asp_name(relation_name(self.symbols, name)));
        }
        self.arguments(atom, out);
    }

    fn term(&self, term: &Term, out: &mut String) {
        match &term.kind {
            TermKind::Variable(name) => {
                // Anonymous in clingo is a lone underscore only; a leading one is harmless but reads badly.
                out.push_str(&self.names[name]);
            }
            TermKind::Constant(name) | TermKind::Compound(name, _) => {
                out.push_str(&asp_name(self.symbols.name(*name)));
            }
        }
        self.arguments(term, out);
    }

    fn arguments(&self, term: &Term, out: &mut String) {
        let arguments = term.arguments();
        if arguments.is_empty() {
            return;
        }
        out.push('(');
        for (i, argument) in arguments.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { "," });
            self.term(argument, out);
        }
        out.push(')');
    }
}
