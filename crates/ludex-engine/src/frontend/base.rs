//! What can be computed before any state is given: the static tables, and a superset of everything else.

use super::evaluate::Store;
use super::plan::Estimate;
use super::program::{Arg, FlatAtom, FlatLiteral, FlatRule, FlatStratum, Program, TableId};
use super::split::Split;
use crate::budget::{Budget, Exceeded};
use crate::error::BuildError;
use crate::outputs::Outputs;
use crate::row;
use crate::terms::Terms;
use crate::vocabulary::Vocabulary;
use hashbrown::HashSet;
use ludex_gdl::Game;
use ludex_gdl::analysis::dependencies::Phase;
use ludex_gdl::rewrite::demand::on_demand;
use ludex_gdl::rewrite::trails::without_trails;
use ludex_gdl::rules::RelationId;
use std::sync::Arc;

/// A flat program with its static tables filled.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) program: Program,
    pub(crate) store: Store,
    /// The relations that are computed on demand, because listing them takes too long.
    pub(crate) demanded: Vec<RelationId>,
    /// How many relations the rules have as they were written; the others are the rewriting's.
    pub(crate) original_relations: usize,
}

/// A relation with more static atoms than this is computed on demand where that is possible. The largest
/// among the public sheets that is still worth listing has 200,000 (amazons); those beyond, sudoku's
/// rows of nine numbers for one, have 10^9 and more.
const MOST_STATIC_ROWS: usize = 300_000;

/// No more relations than this are computed on demand because they ran into a limit, nor tried for that at a time: with
/// each of them everything is computed anew.
const MOST_DEMANDED: usize = 16;

/// Which tables [`Base::relaxed`] fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Those of fluents and moves, and what they are computed from.
    Vocabulary,
    /// All.
    Everything,
}

/// Rules that ran into a limit.
#[derive(Clone, Debug)]
pub(crate) struct Overrun {
    /// The relations that they define, the largest first.
    pub(crate) relations: Vec<RelationId>,
    /// The relation whose rule met it, if one did.
    pub(crate) culprit: Option<RelationId>,
    pub(crate) limit: Exceeded,
}

impl From<Exceeded> for Overrun {
    /// A limit for which no relation in particular is to blame.
    fn from(limit: Exceeded) -> Overrun {
        Overrun { relations: Vec::new(), culprit: None, limit }
    }
}

impl Overrun {
    pub(crate) fn new(program: &Program, store: &Store, heads: &[TableId], limit: Exceeded) -> Overrun {
        let mut tables = heads.to_vec();
        tables.sort_by_key(|table| std::cmp::Reverse(store.table(*table).len()));
        Overrun {
            relations: tables.iter().map(|&table| program.table(table).relation).collect(),
            culprit: store.culprit.map(|table| program.table(table).relation),
            limit,
        }
    }
}

/// Flattens the rules and hands them to `build`. A relation that runs into a limit there is rewritten to be computed
/// on demand, and it is tried again.
pub(super) fn fitting<T>(
    game: &Game,
    outputs: &Outputs,
    mut demanded: Vec<RelationId>,
    terms: &Terms,
    budget: &Budget,
    mut build: impl FnMut(Program, &[RelationId]) -> Result<T, Overrun>,
) -> Result<T, BuildError> {
    loop {
        let rewritten =
            if demanded.is_empty() { None } else { on_demand(game, &demanded, &outputs.relations) };
        if rewritten.is_none() && !demanded.is_empty() {
            return Err(BuildError::not_on_demand());
        }
        let program = Program::new(rewritten.as_ref().unwrap_or(game), outputs, terms.clone(), budget)?;
        let overrun = match build(program, &demanded) {
            Ok(result) => return Ok(result),
            Err(overrun) => overrun,
        };
        demanded.push(next_on_demand(game, outputs, &demanded, &overrun, budget)?);
    }
}

/// The relation to compute on demand as well, after rules ran into a limit; an error if there is none that helps.
fn next_on_demand(
    game: &Game,
    outputs: &Outputs,
    demanded: &[RelationId],
    overrun: &Overrun,
    budget: &Budget,
) -> Result<RelationId, BuildError> {
    let original_relations = game.rules.relations().count();
    let error = || {
        let error = BuildError::from(overrun.limit);
        match overrun.culprit.filter(|relation| relation.index() < original_relations) {
            Some(culprit) => error.in_rules_for(game.rules.symbols.name(game.rules.relation(culprit).name)),
            None => error,
        }
    };
    if overrun.limit.is_final() || demanded.len() >= MOST_DEMANDED {
        return Err(error());
    }
    // Demanding a relation again, or one that only the rewriting brought, would lead nowhere.
    let mut tried = HashSet::new();
    let is_asked_from_outside = |relation: RelationId| {
        game.rules.relation(relation).keyword.is_some() || outputs.relations.contains(&relation)
    };
    let likely = overrun.relations.iter().copied().filter(|&relation| {
        relation.index() < original_relations && !is_asked_from_outside(relation) && tried.insert(relation)
    });
    for relation in likely.take(MOST_DEMANDED).filter(|relation| !demanded.contains(relation)) {
        budget.check()?;
        if on_demand(game, &[demanded, &[relation]].concat(), &outputs.relations).is_some() {
            return Ok(relation);
        }
    }
    Err(error())
}

/// Computes the static tables that are `wanted`; what they are computed from must be.
pub(super) fn fill(
    program: &Program,
    store: &mut Store,
    budget: &Budget,
    wanted: impl Fn(TableId) -> bool,
) -> Result<(), Overrun> {
    let mut estimates = program.guesses.clone();
    let budget = budget.clone().with_rows(budget.rows().min(MOST_STATIC_ROWS));
    for stratum in program.strata.iter().filter(|stratum| stratum.phase == Phase::Static) {
        let heads = stratum.heads();
        if heads.iter().any(|&head| wanted(head)) {
            let filled = store.apply_unseen(stratum, &mut estimates, &mut budget.meter());
            filled.map_err(|limit| Overrun::new(program, store, &heads, limit))?;
            heads.iter().for_each(|&head| estimates[head.index()] = Estimate::of(store.table(head)));
        }
    }
    Ok(())
}

impl Base {
    /// Flattens the rules, trails left out ([`without_trails`]), and computes what depends on neither state nor moves, then
    /// hands the result to `build`. A relation that runs into a limit, here or there, is rewritten to be computed on demand.
    pub(crate) fn build<T>(
        game: &Game,
        budget: &Budget,
        build: impl FnMut(&Base) -> Result<T, Overrun>,
    ) -> Result<T, BuildError> {
        Base::build_on_demand(game, &Outputs::default(), Vec::new(), &Terms::default(), budget, build)
    }

    /// As `build`, with other outputs, some relations on demand from the start, and terms whose numbers stay valid.
    pub(crate) fn build_on_demand<T>(
        game: &Game,
        outputs: &Outputs,
        demanded: Vec<RelationId>,
        terms: &Terms,
        budget: &Budget,
        mut build: impl FnMut(&Base) -> Result<T, Overrun>,
    ) -> Result<T, BuildError> {
        let game = without_trails(game, &outputs.relations);
        let original_relations = game.rules.relations().count();
        fitting(&game, outputs, demanded, terms, budget, |program, demanded| {
            let mut store = program.empty_store();
            fill(&program, &mut store, budget, |_| true)?;
            build(&Base { program, store, demanded: demanded.to_vec(), original_relations })
        })
    }

    /// The base alone.
    pub(crate) fn new(
        game: &Game,
        outputs: &Outputs,
        terms: &Terms,
        budget: &Budget,
    ) -> Result<Base, BuildError> {
        Base::build_on_demand(game, outputs, Vec::new(), terms, budget, |base| Ok(base.clone()))
    }

    /// As `build`, from a base of the same game and outputs that is at hand.
    pub(crate) fn build_over<T>(
        &self,
        game: &Game,
        outputs: &Outputs,
        terms: &Terms,
        budget: &Budget,
        mut build: impl FnMut(&Base) -> Result<T, Overrun>,
    ) -> Result<T, BuildError> {
        let overrun = match build(self) {
            Ok(result) => return Ok(result),
            Err(overrun) => overrun,
        };
        let next = next_on_demand(
            &without_trails(game, &outputs.relations),
            outputs,
            &self.demanded,
            &overrun,
            budget,
        )?;
        let demanded = [self.demanded.as_slice(), &[next]].concat();
        Base::build_on_demand(game, outputs, demanded, terms, budget, build)
    }

    /// The same with rules in parts: the auxiliary tables follow the others.
    pub(crate) fn in_parts(&self, split: Split) -> Base {
        let mut base = self.clone();
        for table in &split.tables {
            base.store.add_table(table.width);
            base.program.guesses.push(Estimate { rows: 1000.0, distinct: vec![10.0; table.width] });
            base.program.columns.push(vec![Arc::default(); table.width]);
        }
        base.program.tables.extend(split.tables);
        base.program.strata.retain(|stratum| stratum.phase == Phase::Static);
        let rules = split.parts.into_iter().chain(split.rules).collect();
        base.program.strata.push(FlatStratum { rules, recursive: true, phase: Phase::Move });
        base
    }

    /// True for the tables that the rewriting on demand brought: they say what is asked, not what holds.
    pub(crate) fn is_question(&self, table: TableId) -> bool {
        self.program.table(table).relation.index() >= self.original_relations
    }

    /// The initial state. Its terms begin with the vocabulary's, so their numbers mean the same.
    pub(crate) fn initial(&self, vocabulary: &Vocabulary) -> Vec<u64> {
        let mut row = vec![0; vocabulary.words()];
        for tables in &self.program.fluents {
            for columns in self.store.table(tables.init).rows() {
                let term = tables.shape.find(vocabulary.terms(), columns);
                if let Some(fluent) = term.and_then(|term| vocabulary.find_fluent(term)) {
                    row::set(&mut row, fluent);
                }
            }
        }
        row
    }

    /// What is known of the sizes of the tables: static ones exactly, the others by guess.
    pub(crate) fn estimates(&self) -> Vec<Estimate> {
        estimates(&self.program, &self.store)
    }

    /// The rule without the negations that depend on the state.
    pub(crate) fn relaxed_rule(&self, rule: &FlatRule) -> FlatRule {
        relaxed_rule(&self.program, rule)
    }

    /// The tables filled with a superset of what any reachable state can hold: negation of what is not
    /// static is ignored, what is legal is done, what is next is true.
    pub(crate) fn relaxed(&self, extent: Extent, budget: &Budget) -> Result<Store, Overrun> {
        let program = &self.program;
        let mut rules = relaxed_rules(program);
        if extent == Extent::Vocabulary {
            let needed = needed_tables(&rules, program.tables.len(), &program.fluents_and_moves());
            rules.retain(|rule| needed[rule.head.table.index()]);
        }
        let stratum = FlatStratum { rules, recursive: true, phase: Phase::Move };
        let mut store = self.store.clone();
        let filled = store.apply_unseen(&stratum, &mut self.estimates(), &mut budget.meter());
        filled.map_err(|limit| Overrun::new(program, &store, &stratum.heads(), limit))?;
        Ok(store)
    }
}

/// What is known of the sizes of the tables: static ones exactly, the others by guess.
pub(super) fn estimates(program: &Program, store: &Store) -> Vec<Estimate> {
    let sizes = program.tables.iter().zip(&store.tables).zip(&program.guesses);
    sizes
        .map(|((info, table), guess)| match info.phase {
            Phase::Static => Estimate::of(table),
            Phase::State | Phase::Move => guess.clone(),
        })
        .collect()
}

fn relaxed_rule(program: &Program, rule: &FlatRule) -> FlatRule {
    let mut rule = rule.clone();
    rule.body.retain(|literal| match literal {
        FlatLiteral::Negative(atom) => program.table(atom.table).phase == Phase::Static,
        _ => true,
    });
    rule
}

/// The rules that are not static, without negation of what is not; what is legal is done, what is next is true.
pub(super) fn relaxed_rules(program: &Program) -> Vec<FlatRule> {
    let mut rules = Vec::new();
    for tables in &program.fluents {
        rules.push(copy(tables.init, tables.holds, program.table(tables.holds).width));
        rules.push(copy(tables.next, tables.holds, program.table(tables.holds).width));
    }
    for tables in &program.moves {
        rules.push(copy(tables.legal, tables.does, program.table(tables.does).width));
    }
    for stratum in program.strata.iter().filter(|stratum| stratum.phase != Phase::Static) {
        rules.extend(stratum.rules.iter().map(|rule| relaxed_rule(program, rule)));
    }
    rules
}

/// The tables that the rules need for `wanted`, indexed by table.
pub(super) fn needed_tables(rules: &[FlatRule], count: usize, wanted: &[TableId]) -> Vec<bool> {
    let mut by_head = vec![Vec::new(); count];
    for rule in rules {
        by_head[rule.head.table.index()].push(rule);
    }
    let mut needed = vec![false; count];
    let mut open: Vec<TableId> = wanted.to_vec();
    while let Some(table) = open.pop() {
        if std::mem::replace(&mut needed[table.index()], true) {
            continue;
        }
        for literal in by_head[table.index()].iter().flat_map(|rule| &rule.body) {
            if let FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) = literal {
                open.push(atom.table);
            }
        }
    }
    needed
}

/// The rule that every row of one table is a row of another.
fn copy(from: TableId, to: TableId, width: usize) -> FlatRule {
    let args: Vec<Arg> = (0..width as u32).map(Arg::Variable).collect();
    FlatRule {
        head: FlatAtom { table: to, args: args.clone() },
        body: vec![FlatLiteral::Positive(FlatAtom { table: from, args })],
        variables: width,
    }
}
