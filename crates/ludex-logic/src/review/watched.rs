//! A game in which every rule leaves a trace: a fluent that holds in the next state if the rule fired.

use ludex_gdl::syntax::print;
use ludex_gdl::syntax::tree::{Clause, Term, TermKind};
use ludex_gdl::{Game, Keyword, Rules, Sheet};

/// The name of the traces; a sheet that uses it is not watched.
pub(super) const TRACE: &str = "ludexfired";

/// More rules than this are not watched.
const MOST_RULES: usize = 3_000;

/// The game with a trace for each rule that has conditions. `None` if that is too much, or makes the rules unsound.
pub(super) fn watched(rules: &Rules) -> Option<Game> {
    if rules.rules().len() > 10 * MOST_RULES || rules.symbols.get(TRACE).is_some() {
        return None;
    }
    let next = rules.keyword(Keyword::Next);
    let mut tree = rules.to_tree();
    let (head, trace) = (tree.symbols.intern("next"), tree.symbols.intern(TRACE));
    let mut traces: Vec<Clause> = Vec::new();
    for (index, clause) in tree.clauses.iter().enumerate() {
        let reads_next = rules.rules()[index].body.iter().any(|literal| {
            literal.positive().or(literal.negative()).is_some_and(|atom| atom.relation == next)
        });
        if reads_next {
            return None;
        }
        if clause.body.is_none() {
            continue;
        }
        let number = tree.symbols.intern(&index.to_string());
        let term = |kind| Term { kind, span: clause.span };
        let fluent = term(TermKind::Compound(trace, vec![term(TermKind::Constant(number))]));
        traces.push(Clause { head: term(TermKind::Compound(head, vec![fluent])), ..clause.clone() });
    }
    if traces.len() > MOST_RULES {
        return None;
    }
    tree.clauses.extend(traces);
    Sheet::read(&print::kif(&tree)).into_game().ok()
}
