//! Applying rules to tables until nothing new follows.

use super::plan::{Column, Estimate, Plan, Step, plan, plan_every};
use super::program::{Arg, FlatLiteral, FlatRule, FlatStratum, TableId};
use super::table::{IndexId, Table};
use crate::budget::{Exceeded, Meter};
use crate::terms::{TermId, Terms};
use std::sync::Arc;

/// The plans of one stratum.
#[derive(Clone, Debug)]
pub(crate) struct StratumPlan {
    /// One plan a rule.
    first: Vec<Plan>,
    /// For a recursive stratum one plan a rule and recursive condition, which reads the new rows there; of a rule with
    /// very many of them one plan that reads all rows.
    again: Vec<Plan>,
    /// The tables that the stratum adds to, ascending.
    pub(crate) heads: Vec<TableId>,
    /// For each of `heads` the plans of `again` that new rows of it concern, ascending.
    readers: Vec<Vec<u32>>,
}

/// A rule has a plan for each of its recursive conditions as long as these plans have so many steps together: with a
/// thousand conditions on the state it would be a million. (The longest rule of the public sheets, 102 conditions in
/// statespacelarge, needs 10,404.)
const MOST_STEPS_OF_RULE: usize = 1 << 14;

/// The same for all rules of a stratum.
const MOST_STEPS_AGAIN: usize = 1 << 20;

impl StratumPlan {
    /// Plans all rules of the stratum; the tables get the indexes they need.
    pub(crate) fn new(
        stratum: &FlatStratum,
        estimates: &[Estimate],
        tables: &mut [Arc<Table>],
    ) -> StratumPlan {
        StratumPlan::of_rules(&stratum.rules, stratum.recursive, stratum.heads(), estimates, tables)
    }

    /// As `new`; `heads` (ascending) may have tables that no rule adds to any more.
    fn of_rules(
        rules: &[FlatRule],
        recursive: bool,
        heads: Vec<TableId>,
        estimates: &[Estimate],
        tables: &mut [Arc<Table>],
    ) -> StratumPlan {
        let first: Vec<Plan> = rules.iter().map(|rule| plan(rule, None, estimates, tables)).collect();
        let mut again = Vec::new();
        let mut readers = vec![Vec::new(); heads.len()];
        let mut steps = 0;
        for (rule, whole) in rules.iter().zip(&first).filter(|_| recursive) {
            let reads: Vec<(usize, usize)> = (0..rule.body.len())
                .filter_map(|position| match &rule.body[position] {
                    FlatLiteral::Positive(atom) => Some((position, heads.binary_search(&atom.table).ok()?)),
                    _ => None,
                })
                .collect();
            let needed = reads.len() * rule.body.len();
            steps += needed;
            if needed <= MOST_STEPS_OF_RULE && steps <= MOST_STEPS_AGAIN {
                for (position, head) in reads {
                    readers[head].push(again.len() as u32);
                    again.push(plan(rule, Some(position), estimates, tables));
                }
            } else {
                reads.iter().for_each(|&(_, head)| readers[head].push(again.len() as u32));
                again.push(whole.clone());
            }
        }
        StratumPlan { first, again, heads, readers }
    }
}

/// A mark for tables, and a list of those that have it.
#[derive(Clone, Debug, Default)]
struct Changed {
    is: Vec<bool>,
    list: Vec<TableId>,
}

impl Changed {
    fn add(&mut self, table: TableId) {
        if self.is.len() <= table.index() {
            self.is.resize(table.index() + 1, false);
        }
        if !std::mem::replace(&mut self.is[table.index()], true) {
            self.list.push(table);
        }
    }

    /// Moves the list over. Nothing is swapped, so that both keep the room that they have once grown to.
    fn move_to(&mut self, list: &mut Vec<TableId>) {
        self.list.iter().for_each(|table| self.is[table.index()] = false);
        list.clear();
        list.append(&mut self.list);
    }
}

/// What is done with each way through the conditions of a rule.
pub(crate) trait Sink {
    /// The variables of the rule have the values of [`Store::value`].
    fn found(&mut self, store: &mut Store, plan: &Plan, meter: &mut Meter) -> Result<(), Exceeded>;
}

/// Adds the head to its table.
struct Insert;

impl Sink for Insert {
    fn found(&mut self, store: &mut Store, plan: &Plan, meter: &mut Meter) -> Result<(), Exceeded> {
        store.row.clear();
        let env = &store.env;
        store.row.extend(plan.row.iter().map(|arg| value(env, *arg)));
        let table = Arc::make_mut(&mut store.tables[plan.head.index()]);
        if table.insert(&store.row) {
            if table.len() > store.most_rows {
                return Err(Exceeded::Rows(store.most_rows));
            }
            // Rows of ordinary width count as one.
            meter.spend(1 + store.row.len() / 16)?;
        }
        Ok(())
    }
}

/// Tables with the terms in them, and the scratch that rules need.
///
/// Tables are shared until they are written: workers have the static ones in common.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) tables: Vec<Arc<Table>>,
    pub(crate) terms: Terms,
    env: Vec<TermId>,
    row: Vec<TermId>,
    /// For each table the rows that count as new in the present round.
    new: Vec<(usize, usize)>,
    /// The tables with rows beyond those.
    changed: Changed,
    /// The tables with new rows, and the plans that they concern.
    active: Vec<TableId>,
    queue: Vec<u32>,
    /// The table that a rule was to be applied for when a limit was met.
    pub(super) culprit: Option<TableId>,
    /// How many rows rules may give one table, beside what a meter says of all together.
    pub(super) most_rows: usize,
}

impl Store {
    pub(crate) fn new(widths: impl Iterator<Item = usize>, terms: Terms) -> Store {
        let tables: Vec<_> = widths.map(|width| Arc::new(Table::new(width))).collect();
        let new = vec![(0, 0); tables.len()];
        Store {
            tables,
            terms,
            env: Vec::new(),
            row: Vec::new(),
            new,
            changed: Changed::default(),
            active: Vec::new(),
            queue: Vec::new(),
            culprit: None,
            most_rows: usize::MAX,
        }
    }

    /// An empty table behind the others.
    pub(crate) fn add_table(&mut self, width: usize) {
        self.tables.push(Arc::new(Table::new(width)));
        self.new.push((0, 0));
    }

    pub(crate) fn table(&self, id: TableId) -> &Table {
        &self.tables[id.index()]
    }

    pub(crate) fn table_mut(&mut self, id: TableId) -> &mut Table {
        Arc::make_mut(&mut self.tables[id.index()])
    }

    /// Cuts tables back to these lengths: those whose number satisfies the condition. Tables that are no longer stay
    /// untouched, and so shared.
    pub(crate) fn forget(&mut self, lengths: &[usize], which: impl Fn(usize) -> bool) {
        for (at, &length) in lengths.iter().enumerate() {
            if self.tables[at].len() > length && which(at) {
                self.table_mut(TableId(at as u32)).truncate(length);
            }
        }
    }

    /// Bytes held by tables and terms.
    pub(crate) fn memory(&self) -> usize {
        self.tables.iter().map(|table| table.memory()).sum::<usize>() + self.terms.len() * 32
    }

    /// Applies the rules of one stratum to the fixpoint.
    ///
    /// Rounds are semi-naive: after the first, every rule application must use a row that the round
    /// before has added. A condition may also see rows added in the same round, which is sound (the
    /// stratum is monotone) and only finds some rows a round earlier.
    pub(crate) fn apply(&mut self, stratum: &StratumPlan, meter: &mut Meter) -> Result<(), Exceeded> {
        self.first_round(stratum, meter)?;
        while !stratum.again.is_empty() && self.next_round(stratum, meter)? {}
        Ok(())
    }

    /// As `apply`, for a stratum whose tables nobody has seen filled yet: the rules are planned anew
    /// whenever a table has outgrown what the present plan was made for.
    pub(crate) fn apply_unseen(
        &mut self,
        stratum: &FlatStratum,
        estimates: &mut [Estimate],
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        self.apply_while_useful(stratum.clone(), estimates, meter, |_, _| false)
    }

    /// As `apply_unseen`. Between rounds `prune` may take rules away, and says whether it did. Both it and planning
    /// read all rules, so they wait until as much work was done with the rules as they have conditions: a chain of a
    /// hundred thousand rules takes as many rounds.
    pub(crate) fn apply_while_useful(
        &mut self,
        mut stratum: FlatStratum,
        estimates: &mut [Estimate],
        meter: &mut Meter,
        mut prune: impl FnMut(&Store, &mut Vec<FlatRule>) -> bool,
    ) -> Result<(), Exceeded> {
        let mut plan = StratumPlan::new(&stratum, estimates, &mut self.tables);
        let mut planned: Vec<usize> = plan.heads.iter().map(|_| 0).collect();
        let price = |rules: &[FlatRule]| rules.iter().map(|rule| 1 + rule.body.len() as u64).sum::<u64>();
        let (mut paid, mut due) = (meter.ticks(), price(&stratum.rules));
        self.first_round(&plan, meter)?;
        while !plan.again.is_empty() {
            if meter.ticks() - paid < due {
                if !self.next_round(&plan, meter)? {
                    break;
                }
                continue;
            }
            (paid, due) = (meter.ticks(), price(&stratum.rules));
            let sizes: Vec<usize> = plan.heads.iter().map(|&head| self.table(head).len()).collect();
            let outgrown = sizes.iter().zip(&planned).any(|(&now, &then)| now > 4 * then + 16);
            if prune(self, &mut stratum.rules) || outgrown {
                for &head in &plan.heads {
                    let table = self.table(head);
                    estimates[head.index()] = Estimate::of(table);
                }
                let (rules, heads) = (&stratum.rules, plan.heads);
                plan = StratumPlan::of_rules(rules, stratum.recursive, heads, estimates, &mut self.tables);
                planned = sizes;
            }
            if !self.next_round(&plan, meter)? {
                break;
            }
        }
        Ok(())
    }

    fn first_round(&mut self, stratum: &StratumPlan, meter: &mut Meter) -> Result<(), Exceeded> {
        for &head in &stratum.heads {
            self.new[head.index()].0 = self.table(head).len();
        }
        // A round that met a limit may have left some.
        self.changed.move_to(&mut self.active);
        stratum.first.iter().try_for_each(|plan| self.run(plan, meter))
    }

    /// Uses the rows that the round before has added; false if there were none.
    fn next_round(&mut self, stratum: &StratumPlan, meter: &mut Meter) -> Result<bool, Exceeded> {
        self.changed.move_to(&mut self.active);
        let mut queue = std::mem::take(&mut self.queue);
        queue.clear();
        for &head in &self.active {
            self.new[head.index()].1 = self.tables[head.index()].len();
            if let Ok(position) = stratum.heads.binary_search(&head) {
                queue.extend(&stratum.readers[position]);
            }
        }
        queue.sort_unstable();
        queue.dedup();
        let ran = queue.iter().try_for_each(|&plan| self.run(&stratum.again[plan as usize], meter));
        self.queue = queue;
        ran?;
        for head in &self.active {
            let range = &mut self.new[head.index()];
            range.0 = range.1;
        }
        Ok(!self.active.is_empty())
    }

    /// Derives what a rule that does not read its own head gives.
    pub(crate) fn apply_once(
        &mut self,
        rule: &FlatRule,
        estimates: &[Estimate],
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        let plan = plan(rule, None, estimates, &mut self.tables);
        self.run(&plan, meter)
    }

    /// Hands every way through the conditions of a rule to `sink`; the tables stay as they are.
    pub(crate) fn each_match<S: Sink>(
        &mut self,
        rule: &FlatRule,
        estimates: &[Estimate],
        sink: &mut S,
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        let plan = plan_every(rule, estimates, &mut self.tables);
        if self.env.len() < plan.variables {
            self.env.resize(plan.variables, TermId(0));
        }
        self.step(&plan, 0, sink, meter).map(|_| ())
    }

    /// The value of an argument under the present match.
    pub(crate) fn value(&self, arg: Arg) -> TermId {
        value(&self.env, arg)
    }

    fn run(&mut self, plan: &Plan, meter: &mut Meter) -> Result<(), Exceeded> {
        if self.env.len() < plan.variables {
            self.env.resize(plan.variables, TermId(0));
        }
        let before = self.table(plan.head).len();
        let applied = self.step(plan, 0, &mut Insert, meter);
        if self.table(plan.head).len() > before {
            self.changed.add(plan.head);
        }
        if applied.is_err() {
            self.culprit = Some(plan.head);
        }
        applied.map(|_| ())
    }

    /// Tries the steps from `at` on; true if there was a way through to the head.
    fn step<S: Sink>(
        &mut self,
        plan: &Plan,
        from: usize,
        sink: &mut S,
        meter: &mut Meter,
    ) -> Result<bool, Exceeded> {
        // Steps that match in one way at most come one after the other; only those that can match in several go
        // deeper, and a rule has no more of them than conditions.
        for at in from.. {
            if at == plan.decided && at < plan.steps.len() {
                // The head is known: if it was derived before, the rest is not worth trying.
                let row = plan.row.iter().map(|arg| value(&self.env, *arg));
                if self.tables[plan.head.index()].has(row) {
                    return Ok(true);
                }
            }
            let Some(step) = plan.steps.get(at) else { break };
            meter.tick()?;
            let holds = match step {
                Step::Scan { table, index, key, check, bind } => {
                    let (table, columns) = (table.index(), (check.as_slice(), bind.as_slice()));
                    return match *index {
                        Some(index) => {
                            let key = key.iter().map(|arg| value(&self.env, *arg));
                            let newest = self.tables[table].newest(index, key);
                            self.look_up(plan, at, (index, newest), table, columns, sink, meter)
                        }
                        None => {
                            let all = (0, self.tables[table].len());
                            self.scan(plan, at, all, table, columns, sink, meter)
                        }
                    };
                }
                Step::ScanNew { table, check, bind } => {
                    let table = table.index();
                    return self.scan(plan, at, self.new[table], table, (check, bind), sink, meter);
                }
                Step::Present { table, row } => {
                    self.tables[table.index()].has(row.iter().map(|arg| value(&self.env, *arg)))
                }
                Step::Absent { table, row } => {
                    !self.tables[table.index()].has(row.iter().map(|arg| value(&self.env, *arg)))
                }
                Step::Distinct(left, right) => value(&self.env, *left) != value(&self.env, *right),
                Step::TakeApart { whole, functor, count, check, bind } => {
                    let term = self.env[*whole as usize];
                    let (terms, env) = (&self.terms, &mut self.env);
                    terms.functor(term) == *functor
                        && terms.arguments(term).len() == *count
                        && fits(terms.arguments(term), env, check, bind)
                }
                Step::PutTogether { whole, functor, args } => {
                    let term = self.put_together(*functor, args)?;
                    self.env[*whole as usize] = term;
                    true
                }
                Step::Equals { whole, functor, args } => {
                    self.put_together(*functor, args)? == self.env[*whole as usize]
                }
                Step::Constant(variable) => self.terms.is_constant(self.env[*variable as usize]),
            };
            if !holds {
                return Ok(false);
            }
        }
        sink.found(self, plan, meter)?;
        Ok(true)
    }

    /// Tries the rows of an index from `newest` on.
    #[allow(clippy::too_many_arguments)]
    fn look_up<S: Sink>(
        &mut self,
        plan: &Plan,
        at: usize,
        (index, newest): (IndexId, Option<usize>),
        table: usize,
        (check, bind): (&[Column], &[(usize, u32)]),
        sink: &mut S,
        meter: &mut Meter,
    ) -> Result<bool, Exceeded> {
        let (mut found, mut row) = (false, newest);
        while let Some(at_row) = row {
            meter.tick()?;
            if self.matches(table, at_row, check, bind) && self.step(plan, at + 1, sink, meter)? {
                found = true;
                if at >= plan.decided {
                    break;
                }
            }
            row = self.tables[table].older(index, at_row);
        }
        Ok(found)
    }

    /// Tries every row of a range.
    #[allow(clippy::too_many_arguments)]
    fn scan<S: Sink>(
        &mut self,
        plan: &Plan,
        at: usize,
        (from, to): (usize, usize),
        table: usize,
        (check, bind): (&[Column], &[(usize, u32)]),
        sink: &mut S,
        meter: &mut Meter,
    ) -> Result<bool, Exceeded> {
        let mut found = false;
        for row in from..to {
            meter.tick()?;
            if self.matches(table, row, check, bind) && self.step(plan, at + 1, sink, meter)? {
                found = true;
                if at >= plan.decided {
                    break;
                }
            }
        }
        Ok(found)
    }

    fn matches(&mut self, table: usize, row: usize, check: &[Column], bind: &[(usize, u32)]) -> bool {
        fits(self.tables[table].row(row), &mut self.env, check, bind)
    }

    fn put_together(&mut self, functor: ludex_gdl::Symbol, args: &[Arg]) -> Result<TermId, Exceeded> {
        let start = self.row.len();
        let env = &self.env;
        self.row.extend(args.iter().map(|arg| value(env, *arg)));
        let term = self.terms.derive(functor, &self.row[start..]);
        self.row.truncate(start);
        term
    }
}

fn value(env: &[TermId], arg: Arg) -> TermId {
    match arg {
        Arg::Variable(v) => env[v as usize],
        Arg::Term(term) => term,
    }
}

/// Binds, then compares.
fn fits(cells: &[TermId], env: &mut [TermId], check: &[Column], bind: &[(usize, u32)]) -> bool {
    for &(column, variable) in bind {
        env[variable as usize] = cells[column];
    }
    check.iter().all(|c| cells[c.column] == value(env, c.arg))
}
