//! The order in which the conditions of a rule are tried.
//!
//! Conditions that only test come as soon as their variables are known; of the others the one that is
//! expected to leave the fewest rows comes next, judged by the sizes of the tables and the number of
//! different terms in their columns. Sizes are measured in play (see `engine.rs`), so the order fits the
//! game; a wrong guess costs time, never correctness.

use super::program::{Arg, FlatLiteral, FlatRule, TableId};
use super::table::{IndexId, Table};
use hashbrown::HashSet;
use ludex_gdl::Symbol;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Where a value comes from, or goes to, when a row or a function is matched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) column: usize,
    pub(crate) arg: Arg,
}

/// One step of a plan. Steps that can match in several ways are tried in every way.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Rows of a table whose columns in `check` have known values; `bind` takes the others.
    Scan {
        table: TableId,
        index: Option<IndexId>,
        key: Vec<Arg>,
        check: Vec<Column>,
        bind: Vec<(usize, u32)>,
    },
    /// As `Scan`, over the rows that the last round has added.
    ScanNew { table: TableId, check: Vec<Column>, bind: Vec<(usize, u32)> },
    /// The row is there.
    Present { table: TableId, row: Vec<Arg> },
    /// The row is not there.
    Absent { table: TableId, row: Vec<Arg> },
    /// The terms differ.
    Distinct(Arg, Arg),
    /// Takes the known term apart.
    TakeApart { whole: u32, functor: Symbol, count: usize, check: Vec<Column>, bind: Vec<(usize, u32)> },
    /// Puts a term together.
    PutTogether { whole: u32, functor: Symbol, args: Vec<Arg> },
    /// Puts a term together and compares.
    Equals { whole: u32, functor: Symbol, args: Vec<Arg> },
    /// The term is a constant.
    Constant(u32),
}

/// How to apply one rule.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) head: TableId,
    pub(crate) row: Vec<Arg>,
    pub(crate) variables: usize,
    /// From this step on nothing that the head needs is bound: one way to go through is enough.
    pub(crate) decided: usize,
}

/// How large a table is expected to be.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    pub(crate) rows: f64,
    /// Different terms in each column.
    pub(crate) distinct: Vec<f64>,
}

impl Estimate {
    /// The rows expected to match when these columns are known.
    pub(crate) fn matching(&self, known: impl Iterator<Item = usize>) -> f64 {
        known.fold(self.rows, |rows, column| rows / self.distinct[column].max(1.0))
    }

    /// Exact figures of a table.
    pub(crate) fn of(table: &Table) -> Estimate {
        // Beyond a few thousand rows a sample tells as much, if it is spread over the table: rows that were
        // derived together have much in common. The multiplier is odd and large, so it meets no period.
        let (length, sample) = (table.len() as u64, table.len().min(4096) as u64);
        let at = |i: u64| if length > sample { i.wrapping_mul(0x9E37_79B9_7F4A_7C15) % length } else { i };
        let distinct = (0..table.width())
            .map(|column| {
                let seen: HashSet<_> = (0..sample).map(|i| table.row(at(i) as usize)[column]).collect();
                seen.len() as f64
            })
            .collect();
        Estimate { rows: table.len() as f64, distinct }
    }
}

/// Plans `rule`; `new` is the position of the condition that reads the new rows of a recursive table.
/// The tables get the indexes that the plan asks for.
///
/// Several orders are drawn up and the cheapest is taken: the smallest condition next; the same after the conditions
/// that bind the head, which wins where many ways lead to one head, since one of them is enough; and the smallest of
/// those that say something of what is known, which wins where small conditions have nothing to do with each other.
pub(crate) fn plan(
    rule: &FlatRule,
    new: Option<usize>,
    estimates: &[Estimate],
    tables: &mut [Arc<Table>],
) -> Plan {
    let draw = |preference| order(rule, estimates, new, preference);
    let [smallest, head, connected] =
        [Preference::Smallest, Preference::Head, Preference::Connected].map(draw);
    let better = if head.cost < smallest.cost { &head } else { &smallest };
    let order = if CLEARLY * connected.cost < better.cost { &connected } else { better };
    Planner::new(rule).plan(order, tables)
}

/// Of more conditions than this, only the smallest are tried as the first. Each trial orders all.
const MOST_FIRSTS: usize = 128;

/// As `plan`, for those who want every way through the conditions and not only each head. Every condition is
/// tried as the first: to begin with the smallest can be far from the best where all are large.
pub(crate) fn plan_every(rule: &FlatRule, estimates: &[Estimate], tables: &mut [Arc<Table>]) -> Plan {
    let size = |position: usize| match &rule.body[position] {
        FlatLiteral::Positive(atom) => Some(estimates[atom.table.index()].rows),
        _ => None,
    };
    let mut firsts: Vec<(usize, f64)> =
        (0..rule.body.len()).filter_map(|position| Some((position, size(position)?))).collect();
    if firsts.len() > MOST_FIRSTS {
        firsts.sort_by(|a, b| a.1.total_cmp(&b.1));
        firsts.truncate(MOST_FIRSTS);
        firsts.sort_unstable_by_key(|first| first.0);
    }
    let orders = firsts.iter().map(|&(first, _)| order(rule, estimates, None, Preference::First(first)));
    let best = orders.min_by(|a, b| a.cost.total_cmp(&b.cost));
    let best = best.unwrap_or_else(|| order(rule, estimates, None, Preference::Smallest));
    let mut plan = Planner::new(rule).plan(&best, tables);
    plan.decided = plan.steps.len();
    plan
}

/// What an order begins with; the smallest condition comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preference {
    Smallest,
    /// The conditions that bind the head.
    Head,
    /// The conditions on variables that are known.
    Connected,
    /// This condition; and every way through counts, not only one to each head.
    First(usize),
}

/// The positions of a rule's conditions in the order in which they are tried.
struct Order {
    conditions: Vec<usize>,
    new: bool,
    cost: f64,
}

/// Orders the conditions greedily and adds up the rows that each is expected to be tried with.
fn order(rule: &FlatRule, estimates: &[Estimate], new: Option<usize>, preference: Preference) -> Order {
    let mut draft = Draft::new(rule, estimates);
    let mut cost = 0.0;
    let mut rows = 1.0;
    if let Some(position) = new {
        draft.take(position);
    }
    loop {
        // Tests first: they only ever make less of what follows.
        while let Some(Reverse(test)) = draft.tests.pop() {
            if Some(test) != new {
                draft.take(test);
            }
        }
        let every = matches!(preference, Preference::First(_));
        let decided = !every && draft.open_head == 0;
        draft.judge();
        let preferred = |position: usize| match preference {
            Preference::Smallest => false,
            Preference::Head => !decided && draft.conditions[position].binds_head,
            Preference::Connected => draft.conditions[position].connected,
            Preference::First(first) => position == first,
        };
        let restrict = draft.open.iter().any(|&i| preferred(i));
        let open = draft.open.iter().copied().filter(|&i| !restrict || preferred(i));
        let next = open.map(|i| (i, draft.conditions[i].matching)).min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((position, matching)) = next else { break };
        if decided {
            cost += rows * matching.min(ROWS_UNTIL_FOUND);
        } else {
            rows *= matching;
            cost += rows;
        }
        draft.take(position);
    }
    assert!(draft.order.len() == rule.body.len(), "a safe rule can always be ordered");
    Order { conditions: draft.order, new: new.is_some(), cost }
}

/// Conditions while they are put in order. What is known of each is kept up to date as variables become known, so that
/// an order costs little more than the rule is long and the positive conditions squared.
struct Draft<'r> {
    rule: &'r FlatRule,
    estimates: &'r [Estimate],
    bound: Vec<bool>,
    in_head: Vec<bool>,
    /// How many variables of the head are not known.
    open_head: usize,
    /// For each variable the conditions that it stands in, once for each place.
    readers: Vec<Vec<u32>>,
    conditions: Vec<Judged>,
    /// The positive conditions that are neither taken nor tests, ascending.
    open: Vec<usize>,
    /// The tests that are not taken; the first comes first.
    tests: BinaryHeap<Reverse<usize>>,
    /// Positive conditions of which a variable has become known since they were judged.
    stale: Vec<usize>,
    order: Vec<usize>,
}

/// What is known of a condition that is to be put in order.
#[derive(Clone, Debug, Default)]
struct Judged {
    /// Places with variables that are not known, but for the whole of a function.
    unknown: usize,
    /// It is taken, or waits as a test.
    gone: bool,
    stale: bool,
    /// The rows expected.
    matching: f64,
    binds_head: bool,
    connected: bool,
}

impl<'r> Draft<'r> {
    fn new(rule: &'r FlatRule, estimates: &'r [Estimate]) -> Draft<'r> {
        let mut draft = Draft {
            rule,
            estimates,
            bound: vec![false; rule.variables],
            in_head: vec![false; rule.variables],
            open_head: 0,
            readers: vec![Vec::new(); rule.variables],
            conditions: vec![Judged::default(); rule.body.len()],
            open: Vec::new(),
            tests: BinaryHeap::new(),
            stale: Vec::new(),
            order: Vec::with_capacity(rule.body.len()),
        };
        for variable in rule.head.args.iter().filter_map(Arg::variable) {
            draft.open_head += usize::from(!std::mem::replace(&mut draft.in_head[variable as usize], true));
        }
        for (position, literal) in rule.body.iter().enumerate() {
            let (readers, condition) = (&mut draft.readers, &mut draft.conditions[position]);
            literal.variables(&mut |variable| {
                readers[variable as usize].push(position as u32);
                condition.unknown += 1;
            });
            match literal {
                // The whole is no argument; see `is_test`.
                FlatLiteral::Function { .. } => condition.unknown -= 1,
                FlatLiteral::Positive(_) => {
                    draft.open.push(position);
                    draft.stale.push(position);
                    condition.stale = true;
                }
                FlatLiteral::Negative(_) | FlatLiteral::Distinct(..) | FlatLiteral::Constant(_) => {}
            }
        }
        (0..rule.body.len()).for_each(|position| draft.look(position));
        draft
    }

    /// Puts the condition with the tests if it has become one.
    fn look(&mut self, position: usize) {
        let condition = &mut self.conditions[position];
        let is_test = condition.unknown == 0
            || match &self.rule.body[position] {
                // Taking apart leaves one way at most, putting together exactly one.
                FlatLiteral::Function { whole, .. } => self.bound[*whole as usize],
                _ => false,
            };
        if is_test && !std::mem::replace(&mut condition.gone, true) {
            self.tests.push(Reverse(position));
            self.close(position);
        }
    }

    fn close(&mut self, position: usize) {
        if let Ok(at) = self.open.binary_search(&position) {
            self.open.remove(at);
        }
    }

    /// Takes a condition next: what it binds is known from here on.
    fn take(&mut self, position: usize) {
        self.conditions[position].gone = true;
        self.close(position);
        self.order.push(position);
        let rule = self.rule;
        match &rule.body[position] {
            FlatLiteral::Positive(atom) => self.bind(&atom.args),
            FlatLiteral::Function { whole, args, .. } => {
                self.bind(args);
                self.bind(&[Arg::Variable(*whole)]);
            }
            FlatLiteral::Negative(_) | FlatLiteral::Distinct(..) | FlatLiteral::Constant(_) => {}
        }
    }

    fn bind(&mut self, args: &[Arg]) {
        for variable in args.iter().filter_map(Arg::variable) {
            if std::mem::replace(&mut self.bound[variable as usize], true) {
                continue;
            }
            self.open_head -= usize::from(self.in_head[variable as usize]);
            for reader in std::mem::take(&mut self.readers[variable as usize]) {
                let position = reader as usize;
                let condition = &mut self.conditions[position];
                match &self.rule.body[position] {
                    FlatLiteral::Function { whole, .. } if *whole == variable => {}
                    _ => condition.unknown -= 1,
                }
                if !std::mem::replace(&mut condition.stale, true) {
                    self.stale.push(position);
                }
                self.look(position);
            }
        }
    }

    /// Brings what is known of the open conditions up to date.
    fn judge(&mut self) {
        for position in std::mem::take(&mut self.stale) {
            self.conditions[position].stale = false;
            let FlatLiteral::Positive(atom) = &self.rule.body[position] else { continue };
            let is_known = |arg: &Arg| arg.variable().is_none_or(|v| self.bound[v as usize]);
            let columns = (0..atom.args.len()).filter(|&column| is_known(&atom.args[column]));
            let matching = self.estimates[atom.table.index()].matching(columns);
            let variables = || atom.args.iter().filter_map(Arg::variable);
            let binds_head = variables().any(|v| !self.bound[v as usize] && self.in_head[v as usize]);
            let connected = variables().any(|v| self.bound[v as usize]);
            let condition = &mut self.conditions[position];
            (condition.matching, condition.binds_head, condition.connected) =
                (matching, binds_head, connected);
        }
    }
}

struct Planner<'r> {
    rule: &'r FlatRule,
    bound: Vec<bool>,
    steps: Vec<Step>,
}

/// An order of connected conditions must promise to be so much cheaper. (Battle then runs twice as fast as without such
/// orders; knightthrough, where the promises are small, was 4 % slower with 1.)
const CLEARLY: f64 = 2.0;

/// Where one way through is enough, a condition is expected to show it within so many rows.
const ROWS_UNTIL_FOUND: f64 = 8.0;

impl<'r> Planner<'r> {
    fn new(rule: &'r FlatRule) -> Planner<'r> {
        Planner { rule, bound: vec![false; rule.variables], steps: Vec::new() }
    }

    fn head_is_bound(&self) -> bool {
        self.all_known(&self.rule.head.args)
    }

    fn plan(mut self, order: &Order, tables: &mut [Arc<Table>]) -> Plan {
        let rule = self.rule;
        let mut decided = None;
        for (at, &position) in order.conditions.iter().enumerate() {
            let literal = &rule.body[position];
            if at == 0 && order.new {
                self.take_new(literal);
                continue;
            }
            if decided.is_none() && self.head_is_bound() && !self.is_test(literal) {
                decided = Some(self.steps.len());
            }
            if self.is_test(literal) {
                self.take_test(literal);
            } else {
                self.take(literal, tables);
            }
        }
        Plan {
            decided: decided.unwrap_or(self.steps.len()),
            steps: self.steps,
            head: rule.head.table,
            row: rule.head.args.clone(),
            variables: rule.variables,
        }
    }

    fn known(&self, arg: &Arg) -> bool {
        arg.variable().is_none_or(|v| self.bound[v as usize])
    }

    fn all_known(&self, args: &[Arg]) -> bool {
        args.iter().all(|arg| self.known(arg))
    }

    fn is_test(&self, literal: &FlatLiteral) -> bool {
        match literal {
            FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) => self.all_known(&atom.args),
            FlatLiteral::Distinct(left, right) => self.known(left) && self.known(right),
            FlatLiteral::Function { whole, args, .. } => {
                // Taking apart leaves one way at most, putting together exactly one.
                self.bound[*whole as usize] || self.all_known(args)
            }
            FlatLiteral::Constant(v) => self.bound[*v as usize],
        }
    }

    fn take_test(&mut self, literal: &FlatLiteral) {
        let step = match literal {
            FlatLiteral::Positive(atom) => Step::Present { table: atom.table, row: atom.args.clone() },
            FlatLiteral::Negative(atom) => Step::Absent { table: atom.table, row: atom.args.clone() },
            FlatLiteral::Distinct(left, right) => Step::Distinct(*left, *right),
            FlatLiteral::Function { whole, functor, args } => {
                let (whole, functor) = (*whole, *functor);
                if !self.bound[whole as usize] {
                    self.bound[whole as usize] = true;
                    Step::PutTogether { whole, functor, args: args.clone() }
                } else if self.all_known(args) {
                    Step::Equals { whole, functor, args: args.clone() }
                } else {
                    let (check, bind) = self.columns(args);
                    Step::TakeApart { whole, functor, count: args.len(), check, bind }
                }
            }
            FlatLiteral::Constant(v) => Step::Constant(*v),
        };
        self.steps.push(step);
    }

    fn take(&mut self, literal: &FlatLiteral, tables: &mut [Arc<Table>]) {
        let FlatLiteral::Positive(atom) = literal else { return };
        let known: Vec<usize> =
            (0..atom.args.len()).filter(|&column| self.known(&atom.args[column])).collect();
        let index = if known.is_empty() {
            None
        } else {
            Arc::make_mut(&mut tables[atom.table.index()]).index_on(&known)
        };
        let key = known.iter().map(|&column| atom.args[column]).collect();
        let (check, bind) = self.columns(&atom.args);
        self.steps.push(Step::Scan { table: atom.table, index, key, check, bind });
    }

    fn take_new(&mut self, literal: &FlatLiteral) {
        let FlatLiteral::Positive(atom) = literal else { return };
        let (check, bind) = self.columns(&atom.args);
        self.steps.push(Step::ScanNew { table: atom.table, check, bind });
    }

    /// Sorts columns into those with a known value and those that bind a variable. A variable that stands
    /// in two columns is bound by the first and checked by the second: `bind` runs before `check`.
    fn columns(&mut self, args: &[Arg]) -> (Vec<Column>, Vec<(usize, u32)>) {
        let (mut check, mut bind) = (Vec::new(), Vec::new());
        for (column, arg) in args.iter().enumerate() {
            match arg {
                Arg::Variable(v) if !self.bound[*v as usize] => {
                    self.bound[*v as usize] = true;
                    bind.push((column, *v));
                }
                _ => check.push(Column { column, arg: *arg }),
            }
        }
        (check, bind)
    }
}
