//! Rules made flat: every argument a variable or a known ground term.
//!
//! Two things are flattened. A fluent or move is spread over the columns of a table of its own, one table a
//! function: `true(cell(X, Y, b))` reads the table *true cell/3*, so its arguments can be indexed;
//! fluents that are bare constants share one table. The same is done for one argument of any other
//! relation that holds functions of constants. Where a variable stands for the whole function, the rule is
//! copied for each one that the variable can be. Any other nested term becomes a variable and a condition
//! that takes it apart or puts it together.

use super::evaluate::Store;
use super::plan::Estimate;
use crate::budget::{Budget, Exceeded};
use crate::error::BuildError;
use crate::outputs::Outputs;
use crate::terms::{TermId, Terms};
use hashbrown::{HashMap, HashSet};
use ludex_gdl::analysis::dependencies::{Dependencies, Phase, phases};
use ludex_gdl::analysis::domains::{Domain, Domains, Functor};
use ludex_gdl::rules::{Atom, Literal, RelationId, Rule, Term, Variable};
use ludex_gdl::{Game, Keyword, Rules, Symbol};
use std::sync::Arc;

/// A table of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TableId(pub(crate) u32);

impl TableId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a relation's arguments are laid out in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// A column an argument.
    Plain,
    /// A column an argument; the argument that can be a function is a constant.
    Constant,
    /// The argument that can be a function is this one, in as many columns as it has arguments.
    Function(Functor),
}

impl Shape {
    /// The fluent or move that some columns (without the role) stand for, if `terms` has it.
    pub(crate) fn find(self, terms: &Terms, columns: &[TermId]) -> Option<TermId> {
        match self {
            Shape::Function((name, _)) => terms.find(name, columns),
            Shape::Constant | Shape::Plain => Some(columns[0]),
        }
    }

    /// As `find`; the term is made if it is new.
    pub(crate) fn intern(self, terms: &mut Terms, columns: &[TermId]) -> TermId {
        match self {
            Shape::Function((name, _)) => terms.intern(name, columns),
            Shape::Constant | Shape::Plain => columns[0],
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TableInfo {
    pub(crate) relation: RelationId,
    pub(crate) shape: Shape,
    pub(crate) width: usize,
    pub(crate) phase: Phase,
}

/// A variable of a flat rule, or a ground term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Arg {
    Variable(u32),
    Term(TermId),
}

impl Arg {
    pub(crate) fn variable(&self) -> Option<u32> {
        match self {
            Arg::Variable(v) => Some(*v),
            Arg::Term(_) => None,
        }
    }

    pub(crate) fn term(&self) -> Option<TermId> {
        match self {
            Arg::Variable(_) => None,
            Arg::Term(term) => Some(*term),
        }
    }

    fn renumbered(self, by: &mut impl FnMut(u32) -> u32) -> Arg {
        match self {
            Arg::Variable(v) => Arg::Variable(by(v)),
            Arg::Term(term) => Arg::Term(term),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FlatAtom {
    pub(crate) table: TableId,
    pub(crate) args: Vec<Arg>,
}

impl FlatAtom {
    fn renumbered(self, by: &mut impl FnMut(u32) -> u32) -> FlatAtom {
        FlatAtom { table: self.table, args: self.args.into_iter().map(|arg| arg.renumbered(by)).collect() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FlatLiteral {
    Positive(FlatAtom),
    Negative(FlatAtom),
    Distinct(Arg, Arg),
    /// `whole` is `functor` applied to `args`.
    Function {
        whole: u32,
        functor: Symbol,
        args: Vec<Arg>,
    },
    /// The variable is a constant, not a function.
    Constant(u32),
}

impl FlatLiteral {
    /// Calls `visit` for every variable occurrence.
    pub(crate) fn variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) => {
                atom.args.iter().filter_map(Arg::variable).for_each(visit);
            }
            FlatLiteral::Distinct(left, right) => {
                [left, right].into_iter().filter_map(Arg::variable).for_each(visit);
            }
            FlatLiteral::Function { whole, args, .. } => {
                visit(*whole);
                args.iter().filter_map(Arg::variable).for_each(visit);
            }
            FlatLiteral::Constant(v) => visit(*v),
        }
    }

    /// The literal with every variable's number replaced.
    #[must_use]
    pub(crate) fn renumbered(self, by: &mut impl FnMut(u32) -> u32) -> FlatLiteral {
        match self {
            FlatLiteral::Positive(atom) => FlatLiteral::Positive(atom.renumbered(by)),
            FlatLiteral::Negative(atom) => FlatLiteral::Negative(atom.renumbered(by)),
            FlatLiteral::Distinct(left, right) => {
                FlatLiteral::Distinct(left.renumbered(by), right.renumbered(by))
            }
            FlatLiteral::Function { whole, functor, args } => FlatLiteral::Function {
                whole: by(whole),
                functor,
                args: args.into_iter().map(|arg| arg.renumbered(by)).collect(),
            },
            FlatLiteral::Constant(v) => FlatLiteral::Constant(by(v)),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct FlatRule {
    pub(crate) head: FlatAtom,
    pub(crate) body: Vec<FlatLiteral>,
    pub(crate) variables: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct FlatStratum {
    pub(crate) rules: Vec<FlatRule>,
    pub(crate) recursive: bool,
    pub(crate) phase: Phase,
}

impl FlatStratum {
    /// The tables that the rules add to, ascending.
    pub(crate) fn heads(&self) -> Vec<TableId> {
        let mut heads: Vec<TableId> = self.rules.iter().map(|rule| rule.head.table).collect();
        heads.sort_unstable();
        heads.dedup();
        heads
    }
}

/// The tables of one function of fluents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FluentTables {
    pub(crate) shape: Shape,
    pub(crate) init: TableId,
    pub(crate) holds: TableId,
    pub(crate) next: TableId,
    pub(crate) stay: Stay,
}

/// What of a function's fluents holds on without being derived anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stay {
    /// Nothing: the game is as it was written, or all of them end with every move.
    Never,
    /// Everything but the rows of this table: the game is translated for the frame problem.
    Unless(TableId),
}

/// The tables of one function of moves; the role is the first column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveTables {
    pub(crate) shape: Shape,
    pub(crate) legal: TableId,
    pub(crate) does: TableId,
}

/// A whole game made flat.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) rules: Arc<Rules>,
    pub(crate) terms: Terms,
    pub(crate) tables: Vec<TableInfo>,
    pub(crate) strata: Vec<FlatStratum>,
    pub(crate) fluents: Vec<FluentTables>,
    pub(crate) moves: Vec<MoveTables>,
    pub(crate) role: TableId,
    pub(crate) goal: TableId,
    pub(crate) terminal: TableId,
    /// The tables of the relations that are asked for beside those of keywords.
    pub(crate) outputs: Vec<OutputTable>,
    /// What each column of each table can hold.
    pub(crate) columns: Vec<Vec<Arc<Domain>>>,
    /// What can be said of the sizes of the tables before any is filled.
    pub(crate) guesses: Vec<Estimate>,
}

/// A table of a relation that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputTable {
    pub(crate) relation: RelationId,
    pub(crate) table: TableId,
    /// The argument that is spread over columns.
    spread: usize,
}

impl OutputTable {
    /// The arguments that a row of the table stands for.
    pub(crate) fn arguments(&self, shape: Shape, terms: &mut Terms, row: &[TermId]) -> Vec<TermId> {
        let Shape::Function((name, count)) = shape else { return row.to_vec() };
        let (before, rest) = row.split_at(self.spread);
        let (inside, after) = rest.split_at(count);
        [before, &[terms.intern(name, inside)], after].concat()
    }
}

impl Program {
    /// Flattens the rules that the outputs need, unless that gives too many. The numbers of `terms` stay valid in the
    /// program.
    pub(crate) fn new(
        game: &Game,
        outputs: &Outputs,
        terms: Terms,
        budget: &Budget,
    ) -> Result<Program, BuildError> {
        let meter = &mut budget.clock();
        let rules = &game.rules;
        let domains = Domains::of(rules);
        budget.check()?;
        let dependencies = Dependencies::of(rules);
        let phases = phases(rules, &dependencies);
        // `base`, `input` and whatever else no question reads is left out.
        let read = dependencies.closure(
            [Keyword::Role, Keyword::Init, Keyword::Legal, Keyword::Next, Keyword::Terminal]
                .into_iter()
                .chain(outputs.goals.then_some(Keyword::Goal))
                .map(|keyword| rules.keyword(keyword))
                .chain(outputs.relations.iter().copied())
                .chain(game.frame),
        );
        let mut builder = Builder {
            rules,
            domains: &domains,
            phases: &phases,
            spread: rules
                .relations()
                .map(|relation| match game.frame == Some(relation) {
                    true => Some(0),
                    false => spread_position(rules, &domains, relation),
                })
                .collect(),
            terms: terms.over(&rules.symbols),
            tables: Vec::new(),
            by_shape: HashMap::new(),
            conditions: 0,
        };
        let mut fluents = Vec::new();
        for shape in builder.shapes(Keyword::True, 0) {
            let init = builder.table(rules.keyword(Keyword::Init), shape);
            let holds = builder.table(rules.keyword(Keyword::True), shape);
            let next = builder.table(rules.keyword(Keyword::Next), shape);
            let stay = game.frame.map_or(Stay::Never, |frame| Stay::Unless(builder.table(frame, shape)));
            fluents.push(FluentTables { shape, init, holds, next, stay });
        }
        let mut moves = Vec::new();
        for shape in builder.shapes(Keyword::Legal, 1) {
            let legal = builder.table(rules.keyword(Keyword::Legal), shape);
            let does = builder.table(rules.keyword(Keyword::Does), shape);
            moves.push(MoveTables { shape, legal, does });
        }
        let [role, goal, terminal] = [Keyword::Role, Keyword::Goal, Keyword::Terminal]
            .map(|keyword| builder.table(rules.keyword(keyword), Shape::Plain));
        let mut strata = Vec::new();
        for stratum in &game.strata {
            let mut flat = Vec::new();
            let relation = rules.rule(stratum.rules[0]).head.relation;
            if !read[relation.index()] {
                continue;
            }
            let phase = phases[relation.index()];
            for &id in &stratum.rules {
                meter.tick()?;
                builder.flatten(rules.rule(id), &mut flat).map_err(|limit| {
                    BuildError::from(limit).in_rules_for(rules.symbols.name(rules.relation(relation).name))
                })?;
            }
            if !flat.is_empty() {
                strata.push(FlatStratum { rules: flat, recursive: stratum.recursive, phase });
            }
        }
        drop_certain_ends(&mut fluents, &mut strata);
        let spread = &builder.spread;
        let outputs = (0..).map(TableId).zip(&builder.tables).filter_map(|(table, info)| {
            let relation = outputs.relations.contains(&info.relation).then_some(info.relation)?;
            Some(OutputTable { relation, table, spread: spread[relation.index()].unwrap_or(0) })
        });
        let outputs = outputs.collect();
        let columns: Vec<Vec<Arc<Domain>>> = builder
            .tables
            .iter()
            .map(|t| column_domains(&domains, t, spread[t.relation.index()].unwrap_or(0)))
            .collect();
        Ok(Program {
            guesses: columns.iter().map(|columns| guess(columns)).collect(),
            columns,
            terms: builder.terms,
            tables: builder.tables,
            rules: Arc::new(rules.clone()),
            strata,
            fluents,
            moves,
            role,
            goal,
            terminal,
            outputs,
        })
    }

    pub(crate) fn table(&self, id: TableId) -> TableInfo {
        self.tables[id.index()]
    }

    /// The tables of what holds and of what is done.
    pub(crate) fn fluents_and_moves(&self) -> Vec<TableId> {
        self.fluents.iter().map(|f| f.holds).chain(self.moves.iter().map(|m| m.does)).collect()
    }

    /// Tables without rows.
    pub(crate) fn empty_store(&self) -> Store {
        Store::new(self.tables.iter().map(|table| table.width), self.terms.clone())
    }
}

/// What each column of a table can hold; `spread` is the argument that is spread over columns.
fn column_domains(domains: &Domains, table: &TableInfo, spread: usize) -> Vec<Arc<Domain>> {
    let domain = |column: usize| match table.shape {
        Shape::Function((name, count)) if (spread..spread + count).contains(&column) => {
            domains.inside((name, count), column - spread)
        }
        Shape::Function((_, count)) if column >= spread + count => {
            domains.argument(table.relation, column + 1 - count)
        }
        _ => domains.argument(table.relation, column),
    };
    (0..table.width).map(|column| domain(column).clone()).collect()
}

/// Where a rule says that all fluents of a function end, whatever is done, nobody needs to list them.
fn drop_certain_ends(fluents: &mut [FluentTables], strata: &mut Vec<FlatStratum>) {
    let ends = |tables: &FluentTables| match tables.stay {
        Stay::Unless(ends) => Some(ends),
        Stay::Never => None,
    };
    let holds: HashMap<TableId, TableId> =
        fluents.iter().filter_map(|tables| Some((ends(tables)?, tables.holds))).collect();
    let is_certain = |rule: &FlatRule| {
        let [FlatLiteral::Positive(only)] = rule.body.as_slice() else { return false };
        let mut seen = HashSet::new();
        holds.get(&rule.head.table) == Some(&only.table)
            && only.args == rule.head.args
            && rule.head.args.iter().all(|arg| arg.variable().is_some() && seen.insert(*arg))
    };
    let all = strata.iter().flat_map(|stratum| &stratum.rules);
    let certain: HashSet<TableId> = all.filter(|rule| is_certain(rule)).map(|rule| rule.head.table).collect();
    for tables in fluents {
        if ends(tables).is_some_and(|ends| certain.contains(&ends)) {
            tables.stay = Stay::Never;
        }
    }
    strata.iter_mut().for_each(|stratum| stratum.rules.retain(|rule| !certain.contains(&rule.head.table)));
    strata.retain(|stratum| !stratum.rules.is_empty());
}

/// A table is taken to hold every combination of its columns' domains, up to a thousand rows.
fn guess(columns: &[Arc<Domain>]) -> Estimate {
    let size = |domain: &Arc<Domain>| (domain.constants.len() + 10 * domain.functors.len()).max(1) as f64;
    let distinct: Vec<f64> = columns.iter().map(size).collect();
    Estimate { rows: distinct.iter().product::<f64>().min(1000.0), distinct }
}

/// Which argument of a relation is spread over columns: the fluent or move of a keyword, else the first
/// that holds functions whose own arguments are constants. Lists, which hold themselves, stay whole.
fn spread_position(rules: &Rules, domains: &Domains, relation: RelationId) -> Option<usize> {
    let info = rules.relation(relation);
    match info.keyword {
        Some(Keyword::Init | Keyword::True | Keyword::Next | Keyword::Base) => Some(0),
        Some(Keyword::Legal | Keyword::Does | Keyword::Input) => Some(1),
        Some(_) => None,
        None => (0..info.arity).find(|&position| {
            let functors = &domains.argument(relation, position).functors;
            let flat = |&(name, count): &Functor| {
                (0..count).all(|inside| domains.inside((name, count), inside).functors.is_empty())
            };
            !functors.is_empty() && functors.iter().all(flat)
        }),
    }
}

struct Builder<'g> {
    rules: &'g Rules,
    domains: &'g Domains,
    phases: &'g [Phase],
    /// For each relation the argument that is spread over columns.
    spread: Vec<Option<usize>>,
    terms: Terms,
    tables: Vec<TableInfo>,
    by_shape: HashMap<(RelationId, Shape), TableId>,
    /// The conditions of the flat rules so far.
    conditions: usize,
}

/// The flat rules together have at most so many conditions. A rule over three whole fluents of a game with a thousand
/// functions would have a thousand million copies.
const MOST_CONDITIONS: usize = 5_000_000;

impl Builder<'_> {
    /// The shapes that an argument of a keyword relation can take.
    fn shapes(&self, keyword: Keyword, position: usize) -> Vec<Shape> {
        let domain = self.domains.argument(self.rules.keyword(keyword), position);
        let constant = (!domain.constants.is_empty()).then_some(Shape::Constant);
        constant.into_iter().chain(domain.functors.iter().map(|&f| Shape::Function(f))).collect()
    }

    fn table(&mut self, relation: RelationId, shape: Shape) -> TableId {
        if let Some(&id) = self.by_shape.get(&(relation, shape)) {
            return id;
        }
        let arity = self.rules.relation(relation).arity;
        let width = match shape {
            Shape::Plain | Shape::Constant => arity,
            Shape::Function((_, count)) => arity - 1 + count,
        };
        let id = TableId(self.tables.len() as u32);
        self.tables.push(TableInfo { relation, shape, width, phase: self.phases[relation.index()] });
        self.by_shape.insert((relation, shape), id);
        id
    }

    /// The flat forms of a rule: one, unless a variable stands in the place of an argument that is spread.
    fn flatten(&mut self, rule: &Rule, out: &mut Vec<FlatRule>) -> Result<(), Exceeded> {
        let mut open = vec![(rule.clone(), Vec::new())];
        while let Some((rule, constants)) = open.pop() {
            self.conditions += 1 + rule.body.len();
            if self.conditions > MOST_CONDITIONS {
                return Err(Exceeded::Rules(MOST_CONDITIONS));
            }
            // A condition that can never hold makes the rule idle.
            let Some(domains) = self.domains.variables(&rule) else { continue };
            let Some(variable) = self.whole_variable(&rule, &constants) else {
                out.push(self.flat_rule(&rule, &constants, &domains));
                continue;
            };
            let domain = &domains[variable.index()];
            for &(name, count) in &domain.functors {
                let first = rule.variables.len() as u32;
                let fresh = (first..first + count as u32).map(|v| Term::Variable(Variable(v))).collect();
                let function = Term::Compound(name, fresh);
                let by = |v: Variable| if v == variable { function.clone() } else { Term::Variable(v) };
                let mut copy = rule.clone();
                copy.head = rule.head.map(&by);
                copy.body = rule.body.iter().map(|literal| literal.map(&by)).collect();
                copy.variables.extend(std::iter::repeat_n(name, count));
                open.push((copy, constants.clone()));
            }
            if !domain.constants.is_empty() {
                let mut constants = constants;
                constants.push(variable);
                open.push((rule, constants));
            }
        }
        Ok(())
    }

    /// A variable in the place of an argument that is spread, and not yet known to be a constant.
    fn whole_variable(&self, rule: &Rule, constants: &[Variable]) -> Option<Variable> {
        let atoms = rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Distinct(..) => None,
        });
        atoms.chain([&rule.head]).find_map(|atom| {
            let position = self.spread[atom.relation.index()]?;
            match atom.arguments[position] {
                Term::Variable(v) if !constants.contains(&v) => Some(v),
                _ => None,
            }
        })
    }

    fn flat_rule(&mut self, rule: &Rule, constants: &[Variable], domains: &[Arc<Domain>]) -> FlatRule {
        let mut scope = Scope { variables: rule.variables.len() as u32, functions: Vec::new() };
        let mut body = Vec::new();
        for literal in &rule.body {
            let flat = match literal {
                Literal::Positive(atom) => FlatLiteral::Positive(self.flat_atom(&mut scope, atom)),
                Literal::Negative(atom) => FlatLiteral::Negative(self.flat_atom(&mut scope, atom)),
                Literal::Distinct(left, right) => {
                    FlatLiteral::Distinct(self.arg(&mut scope, left), self.arg(&mut scope, right))
                }
            };
            body.push(flat);
        }
        let head = self.flat_atom(&mut scope, &rule.head);
        body.append(&mut scope.functions);
        for &variable in constants {
            if !domains[variable.index()].functors.is_empty() {
                body.push(FlatLiteral::Constant(variable.0));
            }
        }
        FlatRule { head, body, variables: scope.variables as usize }
    }

    fn flat_atom(&mut self, scope: &mut Scope, atom: &Atom) -> FlatAtom {
        let mut terms: Vec<&Term> = atom.arguments.iter().collect();
        let shape = match self.spread[atom.relation.index()] {
            None => Shape::Plain,
            Some(position) => match &atom.arguments[position] {
                Term::Compound(name, arguments) => {
                    terms.splice(position..=position, arguments);
                    Shape::Function((*name, arguments.len()))
                }
                Term::Constant(_) | Term::Variable(_) => Shape::Constant,
            },
        };
        let table = self.table(atom.relation, shape);
        FlatAtom { table, args: terms.into_iter().map(|term| self.arg(scope, term)).collect() }
    }

    fn arg(&mut self, scope: &mut Scope, term: &Term) -> Arg {
        if let Some(ground) = self.ground(term) {
            return Arg::Term(ground);
        }
        match term {
            Term::Variable(v) => Arg::Variable(v.0),
            Term::Constant(name) => Arg::Term(self.terms.constant(*name)),
            Term::Compound(name, arguments) => {
                let args = arguments.iter().map(|a| self.arg(scope, a)).collect();
                let whole = scope.variables;
                scope.variables += 1;
                scope.functions.push(FlatLiteral::Function { whole, functor: *name, args });
                Arg::Variable(whole)
            }
        }
    }

    fn ground(&mut self, term: &Term) -> Option<TermId> {
        match term {
            Term::Variable(_) => None,
            Term::Constant(name) => Some(self.terms.constant(*name)),
            Term::Compound(name, arguments) => {
                let arguments: Vec<TermId> =
                    arguments.iter().map(|a| self.ground(a)).collect::<Option<_>>()?;
                Some(self.terms.intern(*name, &arguments))
            }
        }
    }
}

struct Scope {
    variables: u32,
    functions: Vec<FlatLiteral>,
}
