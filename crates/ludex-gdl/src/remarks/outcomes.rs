//! Who plays: roles that nobody speaks of, and those spoken of who are no roles.

use super::{Remarked, Remarks};
use crate::analysis::domains::Domains;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::{Atom, Literal, Rule, Term};
use crate::symbols::{Keyword, Symbol};
use crate::syntax::Span;

pub(super) fn remark(sheet: &Remarked<'_>, domains: &Domains, remarks: &mut Remarks) {
    let rules = sheet.rules;
    let roles = domains.argument(rules.keyword(Keyword::Role), 0);
    let mut stranger = |rule: &Rule, name: Symbol, span: Span| {
        if remarks.is_full(Code::NotARole) {
            return remarks.push(Diagnostic::new(Code::NotARole, span, "", ""));
        }
        let shown = rules.symbols.name(name);
        let message = format!("`{shown}` is no role");
        let variable = rule.variables.iter().find(|v| rules.symbols.name(**v).eq_ignore_ascii_case(shown));
        let hint = match variable {
            Some(v) => format!("is the variable `{}` meant?", sheet.variable(rules.symbols.name(*v))),
            None => sheet
                .near(shown, roles.constants.iter().map(|&role| rules.symbols.name(role)))
                .unwrap_or_else(|| format!("add `(role {shown})`, or name one of the roles")),
        };
        let fix = sheet.respelt(span, shown, &hint);
        let mut remark = Diagnostic::new(Code::NotARole, span, message, "not a role").hint(hint);
        remark.fix = fix;
        remarks.push(remark);
    };
    let of_roles = [Keyword::Does, Keyword::Legal, Keyword::Goal].map(|keyword| rules.keyword(keyword));
    let named = |atom: &Atom| match (of_roles.contains(&atom.relation), atom.arguments.first()) {
        (true, Some(Term::Constant(name))) => roles.constants.binary_search(name).is_err().then_some(*name),
        _ => None,
    };
    for rule in rules.rules() {
        if let Some(name) = named(&rule.head) {
            stranger(rule, name, sheet.places.head(rule, &[0]));
        }
        for (position, literal) in rule.body.iter().enumerate() {
            if let Literal::Positive(atom) | Literal::Negative(atom) = literal
                && let Some(name) = named(atom)
            {
                stranger(rule, name, sheet.places.part(rule, position, &[0]));
            }
        }
    }
    let wanted = [
        (Keyword::Goal, Code::RoleWithoutGoal, "no rule gives a goal value to", "(goal {} 100)"),
        (Keyword::Legal, Code::RoleWithoutMoves, "no rule gives a move to", "(legal {} noop)"),
    ];
    for (keyword, code, what, example) in wanted {
        let relation = rules.keyword(keyword);
        let served = domains.argument(relation, 0);
        // Nobody has one: that is told of the sheet, or of the rules that never fire.
        if served.is_empty() {
            continue;
        }
        for &id in rules.rules_for(rules.keyword(Keyword::Role)) {
            let rule = rules.rule(id);
            if let [Term::Constant(role)] = rule.head.arguments.as_slice()
                && served.constants.binary_search(role).is_err()
            {
                let shown = rules.symbols.name(*role);
                let message = format!("{what} `{shown}`");
                let hint = format!("add a rule such as `{}`", example.replace("{}", shown));
                remarks.push(
                    Diagnostic::new(code, sheet.places.head(rule, &[0]), message, "this role").hint(hint),
                );
            }
        }
    }
}
