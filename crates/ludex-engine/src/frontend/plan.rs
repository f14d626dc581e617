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
    let draw = |preference| Planner::new(rule, estimates).order(new, preference);
    let [smallest, head, connected] =
        [Preference::Smallest, Preference::Head, Preference::Connected].map(draw);
    let better = if head.cost < smallest.cost { &head } else { &smallest };
    let order = if CLEARLY * connected.cost < better.cost { &connected } else { better };
    Planner::new(rule, estimates).plan(order, tables)
}

/// As `plan`, for those who want every way through the conditions and not only each head. Every condition is
/// tried as the first: to begin with the smallest can be far from the best where all are large.
pub(crate) fn plan_every(rule: &FlatRule, estimates: &[Estimate], tables: &mut [Arc<Table>]) -> Plan {
    let firsts = (0..rule.body.len()).filter(|&i| matches!(rule.body[i], FlatLiteral::Positive(_)));
    let orders = firsts.map(|first| Planner::new(rule, estimates).order(None, Preference::First(first)));
    let smallest = Planner::new(rule, estimates).order(None, Preference::Smallest);
    let order = orders.min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap_or(smallest);
    let mut plan = Planner::new(rule, estimates).plan(&order, tables);
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

struct Planner<'r> {
    rule: &'r FlatRule,
    estimates: &'r [Estimate],
    bound: Vec<bool>,
    steps: Vec<Step>,
}

/// An order of connected conditions must promise to be so much cheaper. (Battle then runs twice as fast as without such
/// orders; knightthrough, where the promises are small, was 4 % slower with 1.)
const CLEARLY: f64 = 2.0;

/// Where one way through is enough, a condition is expected to show it within so many rows.
const ROWS_UNTIL_FOUND: f64 = 8.0;

impl<'r> Planner<'r> {
    fn new(rule: &'r FlatRule, estimates: &'r [Estimate]) -> Planner<'r> {
        Planner { rule, estimates, bound: vec![false; rule.variables], steps: Vec::new() }
    }

    /// Orders the conditions greedily and adds up the rows that each is expected to be tried with.
    fn order(&mut self, new: Option<usize>, preference: Preference) -> Order {
        let rule = self.rule;
        let mut open: Vec<usize> = (0..rule.body.len()).collect();
        let mut order = Order { conditions: Vec::new(), new: new.is_some(), cost: 0.0 };
        let mut rows = 1.0;
        if let Some(position) = new {
            open.retain(|&i| i != position);
            self.bind(position, &mut order);
        }
        loop {
            // Tests first: they only ever make less of what follows.
            while let Some(at) = open.iter().position(|&i| self.is_test(&rule.body[i])) {
                self.bind(open.remove(at), &mut order);
            }
            let every = matches!(preference, Preference::First(_));
            let decided = !every && self.head_is_bound();
            let binds_head = |position: usize| {
                let FlatLiteral::Positive(atom) = &rule.body[position] else { return false };
                atom.args.iter().any(|arg| !self.known(arg) && rule.head.args.contains(arg))
            };
            let preferred = |position: usize| match preference {
                Preference::Smallest => false,
                Preference::Head => !decided && binds_head(position),
                Preference::Connected => self.is_connected(&rule.body[position]),
                Preference::First(first) => position == first,
            };
            let restrict = open.iter().any(|&i| preferred(i));
            let next = open
                .iter()
                .enumerate()
                .filter(|(_, i)| !restrict || preferred(**i))
                .filter_map(|(at, &i)| Some((at, self.cost(&rule.body[i])?)))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            let Some((at, matching)) = next else { break };
            if decided {
                order.cost += rows * matching.min(ROWS_UNTIL_FOUND);
            } else {
                rows *= matching;
                order.cost += rows;
            }
            self.bind(open.remove(at), &mut order);
        }
        assert!(open.is_empty(), "a safe rule can always be ordered");
        order
    }

    fn bind(&mut self, position: usize, order: &mut Order) {
        order.conditions.push(position);
        let mark = |args: &[Arg], bound: &mut [bool]| {
            args.iter().filter_map(Arg::variable).for_each(|v| bound[v as usize] = true);
        };
        match &self.rule.body[position] {
            FlatLiteral::Positive(atom) => mark(&atom.args, &mut self.bound),
            FlatLiteral::Function { whole, args, .. } => {
                mark(args, &mut self.bound);
                self.bound[*whole as usize] = true;
            }
            FlatLiteral::Negative(_) | FlatLiteral::Distinct(..) | FlatLiteral::Constant(_) => {}
        }
    }

    fn is_connected(&self, literal: &FlatLiteral) -> bool {
        let FlatLiteral::Positive(atom) = literal else { return false };
        atom.args.iter().any(|arg| arg.variable().is_some() && self.known(arg))
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

    /// The rows expected from a condition that is no test; `None` if it must wait for others.
    fn cost(&self, literal: &FlatLiteral) -> Option<f64> {
        let FlatLiteral::Positive(atom) = literal else { return None };
        let known = atom.args.iter().enumerate().filter(|(_, arg)| self.known(arg)).map(|(column, _)| column);
        Some(self.estimates[atom.table.index()].matching(known))
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
        let index =
            (!known.is_empty()).then(|| Arc::make_mut(&mut tables[atom.table.index()]).index_on(&known));
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
