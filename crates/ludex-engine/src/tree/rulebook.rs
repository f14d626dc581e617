//! The flat rules, sorted by where the rows of their conditions come from.
//!
//! Relations that depend on neither state nor moves are listed once, by the tables of the reference
//! engine, as long as that takes little; one that would take more (all rows of nine numbers, all lists of
//! cells) keeps its rules and is proved for the questions that are asked, like a relation that depends
//! on the state. So nothing is too large to be listed.

use crate::budget::{Budget, Exceeded};
use crate::frontend::{
    Arg, Estimate, FlatAtom, FlatLiteral, FlatRule, Program, Shape, Store, Table, TableId,
};
use crate::terms::{TermId, Terms};
use hashbrown::HashMap;
use ludex_gdl::Symbol;
use ludex_gdl::analysis::dependencies::Phase;
use std::sync::Arc;

/// A static relation with more rows than this, or one that takes more steps, is not listed. Amazons lists
/// 200,000 rows and needs them all.
const MOST_LISTED_ROWS: usize = 220_000;
const MOST_LISTED_STEPS: u64 = 20_000_000;

/// A relation that is proved: a table of the program, or a part of a rule's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RelationId(pub(super) u32);

impl RelationId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Rows that never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FactsId(pub(super) u32);

impl FactsId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the rows of a condition come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// The state: a function of fluents, by position in `Program::fluents`.
    Fluents(usize),
    /// The moves: a function of moves, by position in `Program::moves`; the role comes first.
    Does(usize),
    /// Rows that never change.
    Facts(FactsId),
    /// What rules derive.
    Proof(RelationId),
}

/// A condition on rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Atom {
    pub(super) place: Place,
    pub(super) args: Vec<Arg>,
    pub(super) negated: bool,
    /// Which arguments are ground as the rule is written, before any remodelling.
    pub(super) written: Vec<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Condition {
    Atom(Atom),
    Distinct(Arg, Arg),
    /// `whole` is `functor` applied to `args`.
    Function {
        whole: Arg,
        functor: Symbol,
        args: Vec<Arg>,
    },
    /// The argument is a constant, not a function.
    Constant(Arg),
}

impl Condition {
    /// Calls `visit` for every argument.
    pub(super) fn each_arg(&self, visit: &mut impl FnMut(Arg)) {
        match self {
            Condition::Atom(atom) => atom.args.iter().for_each(|&arg| visit(arg)),
            Condition::Distinct(left, right) => {
                visit(*left);
                visit(*right);
            }
            Condition::Function { whole, args, .. } => {
                visit(*whole);
                args.iter().for_each(|&arg| visit(arg));
            }
            Condition::Constant(arg) => visit(*arg),
        }
    }

    /// Replaces every argument.
    pub(super) fn map(&mut self, by: &impl Fn(Arg) -> Arg) {
        match self {
            Condition::Atom(Atom { args, .. }) => args.iter_mut().for_each(|arg| *arg = by(*arg)),
            Condition::Distinct(left, right) => (*left, *right) = (by(*left), by(*right)),
            Condition::Function { whole, args, .. } => {
                *whole = by(*whole);
                args.iter_mut().for_each(|arg| *arg = by(*arg));
            }
            Condition::Constant(arg) => *arg = by(*arg),
        }
    }
}

/// `head if body`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rule {
    pub(super) head: Vec<Arg>,
    pub(super) body: Vec<Condition>,
    pub(super) variables: usize,
}

/// The rules of a relation.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    pub(super) rules: Vec<Rule>,
    pub(super) phase: Phase,
    /// What can be said of its size before it is proved.
    pub(super) guess: Estimate,
    /// The table that it is; `None` for a part of a body.
    pub(super) table: Option<TableId>,
}

/// All rules and facts of a game.
#[derive(Clone, Debug)]
pub(super) struct Rulebook {
    pub(super) program: Program,
    pub(super) terms: Terms,
    pub(super) relations: Vec<Relation>,
    pub(super) facts: Vec<Arc<Table>>,
    /// Where the rows of each table of the program come from.
    pub(super) places: Vec<Place>,
}

impl Rulebook {
    /// Lists what can be listed.
    pub(super) fn new(program: Program, budget: &Budget) -> Result<Rulebook, Exceeded> {
        let (store, listed) = list(&program, budget)?;
        let Store { mut tables, terms, .. } = store;
        let mut places: Vec<Place> = (0..program.tables.len() as u32)
            .map(|t| if listed[t as usize] { Place::Facts(FactsId(t)) } else { Place::Proof(RelationId(t)) })
            .collect();
        for (position, fluents) in program.fluents.iter().enumerate() {
            places[fluents.holds.index()] = Place::Fluents(position);
        }
        for (position, moves) in program.moves.iter().enumerate() {
            places[moves.does.index()] = Place::Does(position);
        }
        let mut relations: Vec<Relation> = (0..program.tables.len() as u32)
            .map(TableId)
            .map(|table| Relation {
                rules: Vec::new(),
                phase: program.table(table).phase,
                guess: program.guesses[table.index()].clone(),
                table: Some(table),
            })
            .collect();
        // Facts of a relation that also has rules are one condition, not a rule each.
        let mut given: HashMap<TableId, Table> = HashMap::new();
        for rule in program.strata.iter().flat_map(|stratum| &stratum.rules) {
            if listed[rule.head.table.index()] {
                continue;
            }
            let ground: Option<Vec<TermId>> = rule.head.args.iter().map(ground).collect();
            if let (true, Some(row)) = (rule.body.is_empty(), ground) {
                let table = given.entry(rule.head.table).or_insert_with(|| Table::new(row.len()));
                table.insert(&row);
                continue;
            }
            relations[rule.head.table.index()].rules.push(convert(rule, &places));
        }
        let mut given: Vec<(TableId, Table)> = given.into_iter().collect();
        given.sort_by_key(|(table, _)| *table);
        for (table, rows) in given {
            let args: Vec<Arg> = (0..rows.width() as u32).map(Arg::Variable).collect();
            let place = Place::Facts(FactsId(tables.len() as u32));
            let written = vec![false; args.len()];
            let atom = Atom { place, args: args.clone(), negated: false, written };
            let rule = Rule { variables: args.len(), head: args, body: vec![Condition::Atom(atom)] };
            relations[table.index()].rules.insert(0, rule);
            tables.push(Arc::new(rows));
        }
        Ok(Rulebook { program, terms, relations, facts: tables, places })
    }

    /// Forgets the relations that are parts of bodies.
    pub(super) fn drop_parts(&mut self) {
        self.relations.truncate(self.program.tables.len());
    }

    /// Makes a relation of a part of a rule's body.
    pub(super) fn add_part(&mut self, rule: Rule, phase: Phase) -> RelationId {
        let id = RelationId(self.relations.len() as u32);
        let guess = Estimate { rows: 1.0, distinct: vec![1.0; rule.head.len()] };
        self.relations.push(Relation { rules: vec![rule], phase, guess, table: None });
        id
    }

    /// True if some rule takes terms apart or puts them together.
    pub(super) fn has_functions(&self) -> bool {
        let mut conditions = self.relations.iter().flat_map(|r| &r.rules).flat_map(|rule| &rule.body);
        conditions.any(|condition| matches!(condition, Condition::Function { .. }))
    }

    /// The names of all relations, for people.
    pub(super) fn names(&self) -> Vec<String> {
        let rules = &self.program.rules;
        let name = |relation: &Relation| {
            let Some(table) = relation.table else { return "part".to_owned() };
            let info = self.program.table(table);
            let name = rules.symbols.name(rules.relation(info.relation).name);
            match info.shape {
                Shape::Function((function, _)) => format!("{name} {}", rules.symbols.name(function)),
                Shape::Plain | Shape::Constant => name.to_owned(),
            }
        };
        self.relations.iter().map(name).collect()
    }

    /// When the rows of a condition are known.
    pub(super) fn phase(&self, condition: &Condition) -> Phase {
        match condition {
            Condition::Atom(atom) => match atom.place {
                Place::Fluents(_) => Phase::State,
                Place::Does(_) => Phase::Move,
                Place::Facts(_) => Phase::Static,
                Place::Proof(relation) => self.relations[relation.index()].phase,
            },
            _ => Phase::Static,
        }
    }
}

fn ground(arg: &Arg) -> Option<TermId> {
    match arg {
        Arg::Term(term) => Some(*term),
        Arg::Variable(_) => None,
    }
}

/// The static tables filled, and for each table whether it holds all that follows.
fn list(program: &Program, budget: &Budget) -> Result<(Store, Vec<bool>), Exceeded> {
    let few = budget.clone().with_rows(MOST_LISTED_ROWS).with_steps(MOST_LISTED_STEPS);
    let mut store = Store::new(program.tables.iter().map(|table| table.width), program.terms.clone());
    let mut listed: Vec<bool> = program.tables.iter().map(|table| table.phase == Phase::Static).collect();
    let mut estimates = program.guesses.clone();
    for stratum in program.strata.iter().filter(|stratum| stratum.phase == Phase::Static) {
        let reads_unlisted = stratum.rules.iter().flat_map(|rule| &rule.body).any(|literal| match literal {
            FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) => !listed[atom.table.index()],
            _ => false,
        });
        let heads = stratum.heads();
        let fits = !reads_unlisted
            && match store.apply_unseen(stratum, &mut estimates, &mut few.meter()) {
                Err(limit) if limit.is_final() => return Err(limit),
                applied => applied.is_ok(),
            };
        for head in heads {
            if fits {
                estimates[head.index()] = Estimate::of(store.table(head));
            } else {
                estimates[head.index()] = program.guesses[head.index()].clone();
                listed[head.index()] = false;
                store.table_mut(head).truncate(0);
            }
        }
    }
    Ok((store, listed))
}

fn convert(rule: &FlatRule, places: &[Place]) -> Rule {
    let atom = |atom: &FlatAtom, negated: bool| {
        let written = atom.args.iter().map(|arg| ground(arg).is_some()).collect();
        Condition::Atom(Atom { place: places[atom.table.index()], args: atom.args.clone(), negated, written })
    };
    let body = rule
        .body
        .iter()
        .map(|literal| match literal {
            FlatLiteral::Positive(a) => atom(a, false),
            FlatLiteral::Negative(a) => atom(a, true),
            FlatLiteral::Distinct(left, right) => Condition::Distinct(*left, *right),
            FlatLiteral::Function { whole, functor, args } => {
                Condition::Function { whole: Arg::Variable(*whole), functor: *functor, args: args.clone() }
            }
            FlatLiteral::Constant(v) => Condition::Constant(Arg::Variable(*v)),
        })
        .collect();
    Rule { head: rule.head.args.clone(), body, variables: rule.variables }
}
