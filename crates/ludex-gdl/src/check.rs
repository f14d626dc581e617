//! Whether the rules together make a game, one function a condition of the specification.
//!
//! What a single clause can do wrong was found by lowering already. Errors here mean that no meaning can
//! be given; everything else is a warning.

use crate::Game;
use crate::analysis::dependencies::{Dependencies, Phase, phases};
use crate::analysis::strata::{Stratum, stratify};
use crate::diagnostic::{Code, Diagnostic};
use crate::lower::Lowered;
use crate::rewrite::unfold::unfold_facts;
use crate::rules::{Literal, RelationId, Rule, Rules, Term};
use crate::spelling::did_you_mean;
use crate::symbols::Keyword;
use crate::syntax::{Findings, Span};
use hashbrown::{HashMap, HashSet};

/// Looks for everything that is wrong with the rules as a whole; returns them with their strata, if there
/// are any.
pub(crate) fn check(lowered: &Lowered, findings: &mut Findings) -> Option<Game> {
    let rules = &lowered.rules;
    let dependencies = Dependencies::of(rules);
    let phases = phases(rules, &dependencies);
    completeness(rules, findings);
    undefined_relations(lowered, findings);
    roles(rules, &phases, findings);
    initial_state(rules, &dependencies, findings);
    moves_read_too_early(rules, &phases, findings);
    let game = stratification(rules, &dependencies, findings)?;
    recursion(&game.rules, &game.strata, findings);
    Some(game)
}

/// Every keyword that makes a game should have a clause.
fn completeness(rules: &Rules, findings: &mut Findings) {
    let wanted = [
        (Keyword::Role, Code::NoRole, "there is no role", "add `(role name)` for every player"),
        (Keyword::Init, Code::MissingInit, "nothing holds initially", "add `(init fluent)` facts"),
        (Keyword::Legal, Code::MissingLegal, "no move is ever legal", "add rules for `(legal role move)`"),
        (
            Keyword::Next,
            Code::MissingNext,
            "no fluent ever holds after a move",
            "add rules for `(next fluent)`",
        ),
        (Keyword::Terminal, Code::MissingTerminal, "the game never ends", "add a rule for `terminal`"),
        (
            Keyword::Goal,
            Code::MissingGoal,
            "nobody ever gets a goal value",
            "add rules for `(goal role value)`",
        ),
    ];
    for (keyword, code, message, hint) in wanted {
        if rules.rules_for(rules.keyword(keyword)).is_empty() {
            findings.push(Diagnostic::new(code, Span::default(), message, "").hint(hint));
        }
    }
}

/// A relation that no clause defines is false everywhere, which is seldom meant.
fn undefined_relations(lowered: &Lowered, findings: &mut Findings) {
    let rules = &lowered.rules;
    // The first relation of each name that has rules, whatever the case of its letters.
    let mut similar_names: HashMap<String, RelationId> = HashMap::new();
    for relation in rules.relations().filter(|&relation| !rules.rules_for(relation).is_empty()) {
        let name = rules.symbols.name(rules.relation(relation).name).to_ascii_lowercase();
        similar_names.entry(name).or_insert(relation);
    }
    for &(relation, span) in &lowered.first_use {
        let info = rules.relation(relation);
        let given = matches!(info.keyword, Some(Keyword::True | Keyword::Does));
        if given || !rules.rules_for(relation).is_empty() {
            continue;
        }
        let name = rules.symbols.name(info.name);
        let message = format!("nothing defines the relation `{name}` with {} arguments", info.arity);
        let similar = similar_names.get(&name.to_ascii_lowercase()).copied();
        let hint = match similar {
            Some(other) => format!(
                "it is false everywhere; is `{}` with {} arguments meant?",
                rules.symbols.name(rules.relation(other).name),
                rules.relation(other).arity
            ),
            None => match near(name, &similar_names) {
                Some(near) => format!("it is false everywhere; {near}"),
                None => "it is false everywhere; is the name misspelt, or a fact missing?".to_owned(),
            },
        };
        findings.push(Diagnostic::new(Code::UndefinedRelation, span, message, "always false").hint(hint));
    }
}

/// Relations that a misspelt name may mean, where they are few enough to be compared.
fn near(name: &str, known: &HashMap<String, RelationId>) -> Option<String> {
    const MOST_COMPARED: usize = 500;
    if known.len() > MOST_COMPARED {
        return None;
    }
    did_you_mean(name, known.keys().map(String::as_str))
}

/// Roles are facts.
fn roles(rules: &Rules, phases: &[Phase], findings: &mut Findings) {
    let role = rules.keyword(Keyword::Role);
    for &id in rules.rules_for(role) {
        let rule = rules.rule(id);
        let depends = rule.body.iter().any(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                phases[atom.relation.index()] != Phase::Static && atom.relation != role
            }
            Literal::Distinct(..) => false,
        });
        if depends {
            let message = "the roles depend on the state of the game";
            let finding = Diagnostic::new(Code::RoleDependency, rule.places.head, message, "not fixed");
            findings.push(finding.hint("write each role as a fact: `(role name)`"));
        } else if !rule.body.is_empty() {
            let message = "a role is defined by a rule";
            let finding = Diagnostic::new(Code::RoleRule, rule.places.head, message, "should be a fact");
            findings.push(finding.hint("write each role as a fact: `(role name)`"));
        }
    }
}

/// The initial state comes before any state, move or outcome.
fn initial_state(rules: &Rules, dependencies: &Dependencies, findings: &mut Findings) {
    let forbidden =
        [Keyword::True, Keyword::Does, Keyword::Legal, Keyword::Next, Keyword::Terminal, Keyword::Goal];
    let tainted = forbidden.map(|keyword| (keyword, dependencies.dependents([rules.keyword(keyword)])));
    for &id in rules.rules_for(rules.keyword(Keyword::Init)) {
        let rule = rules.rule(id);
        let reads = |relations: &[bool]| {
            rule.body.iter().any(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => relations[atom.relation.index()],
                Literal::Distinct(..) => false,
            })
        };
        if let Some((keyword, _)) = tainted.iter().find(|(_, relations)| reads(relations)) {
            let message = format!("the initial state depends on `{}`", keyword.name());
            let finding = Diagnostic::new(Code::InitDependency, rule.places.head, message, "not yet known");
            findings.push(finding.hint("`init` may use fixed facts and their consequences only"));
        }
    }
}

/// What is legal, whether the game is over and who has won are known before anybody moves.
fn moves_read_too_early(rules: &Rules, phases: &[Phase], findings: &mut Findings) {
    for keyword in [Keyword::Legal, Keyword::Terminal, Keyword::Goal] {
        let relation = rules.keyword(keyword);
        if phases[relation.index()] != Phase::Move {
            continue;
        }
        for &id in rules.rules_for(relation) {
            let rule = rules.rule(id);
            let early = rule.body.iter().any(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => {
                    phases[atom.relation.index()] == Phase::Move
                }
                Literal::Distinct(..) => false,
            });
            if early {
                let message = format!("`{}` depends on the moves being made", keyword.name());
                let finding = Diagnostic::new(Code::DoesDependency, rule.places.head, message, "too early");
                findings.push(finding.hint("remember the move in a fluent through `next`, and read that"));
            }
        }
    }
}

/// No negation through recursion. Where there seems to be one, the facts may show that it never comes back
/// to the same arguments.
fn stratification(rules: &Rules, dependencies: &Dependencies, findings: &mut Findings) -> Option<Game> {
    match stratify(rules, dependencies) {
        Ok(strata) => Some(Game { rules: rules.clone(), strata, frame: None }),
        Err(cycles) => {
            let unfolded = unfold_facts(rules, &cycles);
            if let Some(rules) = unfolded
                && let Ok(strata) = stratify(&rules, dependencies)
            {
                return Some(Game { rules, strata, frame: None });
            }
            for cycle in cycles {
                let rule = rules.rule(cycle.rule);
                let name = rules.symbols.name(rules.relation(rule.head.relation).name);
                let message = format!("`{name}` depends on its own negation");
                let span = rule.places.body.get(cycle.literal).copied().unwrap_or(rule.places.clause);
                let finding = Diagnostic::new(Code::Unstratified, span, message, "negation inside a cycle")
                    .related(rule.places.head, "this relation is needed to compute it")
                    .hint("split the relation in two, so that the negated one is complete first");
                findings.push(finding);
            }
            None
        }
    }
}

/// The recursion restriction: each argument of a recursive condition is ground, or an argument of the
/// head, or an argument of a condition outside the cycle. It keeps what can be derived finite.
fn recursion(rules: &Rules, strata: &[Stratum], findings: &mut Findings) {
    for stratum in strata.iter().filter(|stratum| stratum.recursive) {
        let cycle: HashSet<RelationId> =
            stratum.rules.iter().map(|&id| rules.rule(id).head.relation).collect();
        let makes_term = |argument: &Term| matches!(argument, Term::Compound(..));
        let builds = stratum.rules.iter().any(|&id| rules.rule(id).head.arguments.iter().any(makes_term));
        for &id in &stratum.rules {
            let rule = rules.rule(id);
            if let Some(argument) = unrestricted(&cycle, rule) {
                let name = rules.symbols.name(rules.relation(rule.head.relation).name);
                let message = format!(
                    "argument {} of a recursive condition for `{name}` stands neither in the head nor elsewhere",
                    argument + 1
                );
                let hint = if builds {
                    "the recursion may build terms without end; let another condition bound the argument"
                } else {
                    "the specification forbids it; it does no harm here, since no terms are built"
                };
                let span = rule.places.head;
                findings.push(
                    Diagnostic::new(Code::RecursionRestriction, span, message, "unrestricted").hint(hint),
                );
            }
        }
    }
}

/// The first argument of a condition on a relation of the cycle that breaks the restriction.
fn unrestricted(cycle: &HashSet<RelationId>, rule: &Rule) -> Option<usize> {
    let in_cycle = |literal: &Literal| literal.positive().is_some_and(|atom| cycle.contains(&atom.relation));
    let (recursive, others): (Vec<&Literal>, Vec<&Literal>) = rule.body.iter().partition(|l| in_cycle(l));
    let elsewhere = others.iter().filter_map(|literal| literal.positive()).flat_map(|atom| &atom.arguments);
    let known: HashSet<&Term> = rule.head.arguments.iter().chain(elsewhere).collect();
    let bounded = |term: &Term| term.is_ground() || known.contains(term);
    recursive.iter().find_map(|l| l.positive()?.arguments.iter().position(|term| !bounded(term)))
}
