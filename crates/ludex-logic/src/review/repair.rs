//! A missing frame rule, written out.

use super::groups::Family;
use ludex_gdl::Rules;
use ludex_gdl::rules::{Rule, Term};
use ludex_gdl::syntax::tree::{self, Tree};
use ludex_gdl::syntax::{Notation, TextLimits, parse, print};

/// What keeps the value of a group unless a rule sets it: a helper that says when one does, and the frame rule that
/// reads it. `None` where a rule for the fluent has no name in its head.
pub(super) fn frame_rule(
    rules: &Rules,
    notation: Notation,
    family: &Family,
    next: &[&Rule],
) -> Option<String> {
    let kif = in_kif(rules, family, next)?;
    Some(match notation {
        Notation::Kif => kif,
        Notation::Infix => print::infix(&parse(&kif, &TextLimits::default()).tree),
    })
}

fn in_kif(rules: &Rules, family: &Family, next: &[&Rule]) -> Option<String> {
    let changes = format!("{}_changes", family.name);
    if rules.symbols.get(&changes).is_some() {
        return None;
    }
    let variables: Vec<String> = (1..=family.arguments).map(|n| format!("?x{n}")).collect();
    let key: Vec<&str> = (0..family.arguments)
        .filter(|&at| family.value.is_some_and(|value| value != at))
        .map(|at| variables[at].as_str())
        .collect();
    let atom = |name: &str, arguments: &[&str]| match arguments {
        [] => name.to_owned(),
        _ => format!("({name} {})", arguments.join(" ")),
    };
    let fluent = atom(&family.name, &variables.iter().map(String::as_str).collect::<Vec<_>>());
    if next.is_empty() {
        return Some(format!("(<= (next {fluent}) (true {fluent}))\n"));
    }
    let frame = format!("(<= (next {fluent})\n    (true {fluent})\n    (not {}))\n", atom(&changes, &key));
    let mut out = String::new();
    let source = rules.with_rules(next.iter().map(|&rule| rule.clone())).to_tree();
    for (rule, clause) in next.iter().zip(source.clauses) {
        let Term::Compound(_, arguments) = &rule.head.arguments[0] else { return None };
        let mut symbols = source.symbols.clone();
        let name = symbols.intern(&changes);
        let written = clause.head.arguments().first()?.arguments().to_vec();
        let kept: Vec<tree::Term> = written
            .into_iter()
            .enumerate()
            .filter(|(at, _)| family.value.is_some_and(|value| value != *at))
            .map(|(_, term)| term)
            .collect();
        debug_assert_eq!(arguments.len(), family.arguments);
        let kind = match kept.is_empty() {
            true => tree::TermKind::Constant(name),
            false => tree::TermKind::Compound(name, kept),
        };
        let head = tree::Term { kind, span: clause.span };
        out.push_str(
            print::kif(&Tree { symbols, clauses: vec![tree::Clause { head, ..clause }] }).trim_end(),
        );
        out.push('\n');
    }
    Some(frame + &out)
}
