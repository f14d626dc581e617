//! What the analyses say about names: when a relation is known, and what can stand where.

use super::Document;
use super::names::Thing;
use super::outline::{Node, NodeKind, Place};
use ludex_gdl::Rules;
use ludex_gdl::analysis::dependencies::{Dependencies, Phase, phases};
use ludex_gdl::analysis::domains::{Domain, Domains};
use ludex_gdl::rules::RelationId;
use std::collections::BTreeSet;

/// The analyses of the clauses that could be understood.
#[derive(Debug)]
pub(super) struct Meaning {
    phases: Vec<Phase>,
    recursive: Vec<bool>,
    domains: std::sync::OnceLock<Domains>,
}

impl Meaning {
    pub(super) fn of(rules: &Rules) -> Meaning {
        let dependencies = Dependencies::of(rules);
        Meaning {
            phases: phases(rules, &dependencies),
            recursive: dependencies.recursive(),
            domains: std::sync::OnceLock::new(),
        }
    }
}

impl Document {
    fn relation(&self, thing: Thing) -> Option<RelationId> {
        let (name, arity) = match thing {
            Thing::Relation(symbol, arity) => (self.outline.symbols.name(symbol), arity as usize),
            Thing::Keyword(keyword) => (keyword.name(), keyword.arity()?),
            _ => return None,
        };
        self.sheet.rules().find_relation(name, arity)
    }

    /// When the relation is known, if it could be understood.
    pub(super) fn phase(&self, thing: Thing) -> Option<Phase> {
        let relation = self.relation(thing)?;
        Some(self.meaning().phases[relation.index()])
    }

    pub(super) fn is_recursive(&self, thing: Thing) -> bool {
        self.relation(thing).is_some_and(|relation| self.meaning().recursive[relation.index()])
    }

    fn domains(&self) -> &Domains {
        self.meaning().domains.get_or_init(|| Domains::of(self.sheet.rules()))
    }

    /// What can stand as an argument of the node: names with their numbers of arguments, in their natural order.
    pub(super) fn argument_domain(&self, node: &Node, position: u32) -> Vec<(String, usize)> {
        let rules = self.sheet.rules();
        let Some(symbol) = node.symbol else { return Vec::new() };
        let name = self.outline.symbols.name(symbol);
        let (arity, position) = (node.arguments as usize, position as usize);
        if position >= arity || node.kind == NodeKind::Variable {
            return Vec::new();
        }
        match node.place {
            Place::Head | Place::Condition => match rules.find_relation(name, arity) {
                Some(relation) => self.listed(self.domains().argument(relation, position)),
                None => Vec::new(),
            },
            _ => match rules.symbols.get(name) {
                Some(symbol) => self.listed(self.domains().inside((symbol, arity), position)),
                None => Vec::new(),
            },
        }
    }

    /// What a variable of the clause with this head can be, over all rules that the clause is split into.
    pub(super) fn variable_domain(&self, name: &str, clause: u32) -> Vec<(String, usize)> {
        let rules = self.sheet.rules();
        let span = self.outline.clauses[clause as usize].span;
        let mut all = BTreeSet::new();
        for rule in rules.rules().iter().filter(|rule| rule.places.clause == span) {
            let Some(domains) = self.domains().variables(rule) else { continue };
            for (symbol, domain) in rule.variables.iter().zip(domains) {
                if rules.symbols.name(*symbol) == name {
                    all.extend(self.listed(&domain));
                }
            }
        }
        let mut all: Vec<(String, usize)> = all.into_iter().collect();
        all.sort_by(natural);
        all
    }

    fn listed(&self, domain: &Domain) -> Vec<(String, usize)> {
        let symbols = &self.sheet.rules().symbols;
        let constants = domain.constants.iter().map(|&symbol| (symbols.name(symbol).to_owned(), 0));
        let functors =
            domain.functors.iter().map(|&(symbol, arity)| (symbols.name(symbol).to_owned(), arity));
        let mut all: Vec<(String, usize)> = constants.chain(functors).collect();
        all.sort_by(natural);
        all
    }
}

/// Numbers by value before names by spelling.
fn natural(left: &(String, usize), right: &(String, usize)) -> std::cmp::Ordering {
    let key = |name: &str| name.parse::<i64>().map_or((1, 0), |number| (0, number));
    key(&left.0).cmp(&key(&right.0)).then_with(|| left.cmp(right))
}
