//! Large rules in parts.
//!
//! A rule over nine variables has as many instances as there are ways through its body, though its head may
//! need only two of them. `goal if gold(p, v) and gold(q, w) and gold(r, u) and v > w and v > u` with three
//! hundred amounts has 300^3; with the auxiliary relation `less(q, v) if gold(q, w) and v > w` it has 2 * 300^2.
//! Such a *part* is a set of conditions with its own private variables, which it projects away: bucket
//! elimination, or one step of a tree decomposition. Meaning and order of evaluation do not change: a part reads
//! what the rule read, and the rule reads the part.
//!
//! Who enumerates all instances needs this (the propositional network). The interpreter does not: it stops at
//! the first way to each head, and pays for each auxiliary relation in every state.
//!
//! The choice is by estimated numbers of instances, so it needs the sizes of the tables. Every set of positive
//! conditions is tried as a part, up to [`MOST_SUBSETS`]; the best one is taken and both halves are tried again. The
//! work is bounded: rules that come after it is spent stay whole.

use super::plan::Estimate;
use super::program::{Arg, FlatAtom, FlatLiteral, FlatRule, Program, Shape, TableId, TableInfo};
use crate::budget::{Exceeded, Meter};
use hashbrown::HashMap;
use ludex_gdl::analysis::dependencies::Phase;
use ludex_gdl::rules::RelationId;

/// A part must save this factor.
const LEAST_GAIN: f64 = 2.0;

/// All sets of up to so many conditions are tried; of longer bodies, those that one or two variables bind
/// together.
const MOST_SUBSETS: usize = 12;

/// A rule with more positive conditions than this stays whole.
const MOST_CONDITIONS: usize = 64;

/// At most so many sets of conditions are tried as the next part of one rule.
const MOST_SETS: usize = 4096;

/// So many conditions are looked at for all rules together (some seconds).
const MOST_WORK: usize = 100_000_000;

/// Parts of parts of parts, up to this.
const MOST_DEPTH: usize = 50;

/// What a condition costs in the judgement of a cut, in steps.
const TICKS_A_CONDITION: u64 = 64;

/// Rules in parts.
#[derive(Debug, Default)]
pub(crate) struct Split {
    /// The auxiliary tables; their numbers follow those of the program.
    pub(crate) tables: Vec<TableInfo>,
    /// The rules of the auxiliary tables, one each and in their order. A part reads only earlier ones.
    pub(crate) parts: Vec<FlatRule>,
    /// The program's rules that are not static, with conditions replaced by parts.
    pub(crate) rules: Vec<FlatRule>,
}

/// Splits the rules of `program` that depend on state or moves and have more than `few` instances.
pub(crate) fn split(
    program: &Program,
    estimates: &[Estimate],
    few: f64,
    meter: &mut Meter,
) -> Result<Split, Exceeded> {
    let estimates = estimates.to_vec();
    let (known, out, work, depth) = (HashMap::new(), Split::default(), MOST_WORK, 0);
    let mut splitter = Splitter { program, few, estimates, known, work, depth, out, meter };
    for stratum in program.strata.iter().filter(|stratum| stratum.phase != Phase::Static) {
        for rule in &stratum.rules {
            let rule = splitter.split(rule.clone())?;
            splitter.out.rules.push(rule);
        }
    }
    Ok(splitter.out)
}

struct Splitter<'p> {
    program: &'p Program,
    few: f64,
    /// Of the program's tables and the auxiliary ones.
    estimates: Vec<Estimate>,
    /// Parts that exist already, by the relation of their reader and by what they say. Relations do not share
    /// parts: those of a question (`rewrite/demand.rs`) are treated otherwise than those of what holds.
    known: HashMap<Key, TableId>,
    /// What is left of [`MOST_WORK`].
    work: usize,
    /// How many rules are being split, each a part of the one before.
    depth: usize,
    out: Split,
    meter: &'p mut Meter,
}

type Key = (RelationId, Vec<Arg>, Vec<FlatLiteral>);

/// A rule cut in two.
struct Cut {
    /// The positions of the conditions in the part.
    inside: Vec<bool>,
    /// The variables of the part that the rest or the head reads.
    shared: Vec<u32>,
    cost: f64,
}

impl Splitter<'_> {
    /// The rule with conditions replaced by parts, until no part saves enough.
    fn split(&mut self, mut rule: FlatRule) -> Result<FlatRule, Exceeded> {
        loop {
            let conditions: Vec<&FlatAtom> = rule.body.iter().filter_map(positive).collect();
            let whole = self.join(&conditions);
            let is_long = conditions.len() > MOST_CONDITIONS;
            if whole.rows <= self.few || is_long || self.depth > MOST_DEPTH {
                return Ok(rule);
            }
            let sets = subsets(&rule);
            let work = sets.len().saturating_mul(rule.body.len() + rule.variables);
            let Some(left) = self.work.checked_sub(work) else { return Ok(rule) };
            self.work = left;
            let mut best: Option<Cut> = None;
            for set in sets {
                // A cut is judged by a few walks over the conditions.
                self.meter.tick_by(TICKS_A_CONDITION * (1 + rule.body.len() as u64))?;
                if let Some(cut) = self.cut(&rule, &set)
                    && best.as_ref().is_none_or(|best| cut.cost.total_cmp(&best.cost).is_lt())
                {
                    best = Some(cut);
                }
            }
            match best {
                Some(cut) if cut.cost * LEAST_GAIN <= whole.rows => rule = self.apply(rule, &cut)?,
                _ => return Ok(rule),
            }
        }
    }

    /// The cut with these positive conditions in the part, if both halves are safe.
    fn cut(&self, rule: &FlatRule, set: &[usize]) -> Option<Cut> {
        let mut inside = vec![false; rule.body.len()];
        set.iter().for_each(|&i| inside[i] = true);
        let mut bound = vec![false; rule.variables];
        set.iter().for_each(|&i| mark(&rule.body[i], &mut bound));
        // Tests go with the part if it has all their variables and the rest has not.
        let mut outside = vec![false; rule.variables];
        rule.head.args.iter().filter_map(Arg::variable).for_each(|v| outside[v as usize] = true);
        for (i, literal) in rule.body.iter().enumerate() {
            if positive(literal).is_some() && !inside[i] {
                mark(literal, &mut outside);
            }
        }
        loop {
            let mut moved = false;
            for (i, literal) in rule.body.iter().enumerate() {
                let is_test = positive(literal).is_none() && !inside[i];
                if is_test && self.is_bound(literal, &bound) && !all_of(literal, &outside) {
                    (inside[i], moved) = (true, true);
                    mark(literal, &mut bound);
                }
            }
            if !moved {
                break;
            }
        }
        for (i, literal) in rule.body.iter().enumerate() {
            if !inside[i] {
                mark(literal, &mut outside);
            }
        }
        let shared: Vec<u32> =
            (0..rule.variables as u32).filter(|&v| bound[v as usize] && outside[v as usize]).collect();
        if !self.is_safe(rule, &inside, &shared) {
            return None;
        }
        let conditions = |part: bool| {
            let rows = rule.body.iter().zip(&inside).filter(move |(_, inside)| **inside == part);
            rows.filter_map(|(literal, _)| positive(literal))
        };
        let part = self.join(&conditions(true).collect::<Vec<_>>());
        let estimate = part.projected(&shared);
        let mut rest: Vec<Joined> = conditions(false).map(|atom| self.joined(atom)).collect();
        rest.push(Joined {
            rows: estimate.rows,
            distinct: shared.iter().copied().zip(estimate.distinct).collect(),
        });
        Some(Cut { inside, shared, cost: part.rows + Joined::all(&rest).rows })
    }

    fn apply(&mut self, rule: FlatRule, cut: &Cut) -> Result<FlatRule, Exceeded> {
        let (mut part, mut rest) = (Vec::new(), Vec::new());
        for (literal, &inside) in rule.body.into_iter().zip(&cut.inside) {
            if inside { part.push(literal) } else { rest.push(literal) }
        }
        let (args, body, variables) = canonical(part, &cut.shared);
        let key = (self.info(rule.head.table).relation, args, body);
        let table = match self.known.get(&key) {
            Some(&table) => table,
            None => self.part(rule.head.table, key, variables)?,
        };
        let args = cut.shared.iter().map(|&v| Arg::Variable(v)).collect();
        rest.push(FlatLiteral::Positive(FlatAtom { table, args }));
        Ok(FlatRule { head: rule.head, body: rest, variables: rule.variables })
    }

    /// Makes the table of a part, itself in parts if it is large.
    fn part(&mut self, reader: TableId, key: Key, variables: usize) -> Result<TableId, Exceeded> {
        let (relation, args, body) = key.clone();
        let conditions: Vec<&FlatAtom> = body.iter().filter_map(positive).collect();
        let shared: Vec<u32> = args.iter().filter_map(Arg::variable).collect();
        let estimate = self.join(&conditions).projected(&shared);
        let phase = body.iter().filter_map(atom).map(|atom| self.info(atom.table).phase).max();
        // The table's number is known only when its own parts have theirs.
        let placeholder = FlatAtom { table: reader, args };
        self.depth += 1;
        let mut rule = self.split(FlatRule { head: placeholder, body, variables })?;
        self.depth -= 1;
        let id = TableId((self.program.tables.len() + self.out.tables.len()) as u32);
        rule.head.table = id;
        self.out.tables.push(TableInfo {
            relation,
            shape: Shape::Plain,
            width: rule.head.args.len(),
            // A part that reads static tables only is small and needs no special treatment.
            phase: phase.unwrap_or(Phase::State).max(Phase::State),
        });
        self.out.parts.push(rule);
        self.estimates.push(estimate);
        self.known.insert(key, id);
        Ok(id)
    }

    fn info(&self, table: TableId) -> TableInfo {
        let own = self.program.tables.len();
        if table.index() < own { self.program.table(table) } else { self.out.tables[table.index() - own] }
    }

    fn is_bound(&self, literal: &FlatLiteral, bound: &[bool]) -> bool {
        match literal {
            FlatLiteral::Function { whole, args, .. } => {
                bound[*whole as usize]
                    || args.iter().all(|arg| arg.variable().is_none_or(|v| bound[v as usize]))
            }
            _ => all_of(literal, bound),
        }
    }

    /// True if both halves bind what they test and derive.
    fn is_safe(&self, rule: &FlatRule, inside: &[bool], shared: &[u32]) -> bool {
        let half =
            |part: bool| rule.body.iter().zip(inside).filter(move |(_, i)| **i == part).map(|(l, _)| l);
        let binds = |part: bool, mut bound: Vec<bool>| {
            half(part).filter(|l| positive(l).is_some()).for_each(|literal| mark(literal, &mut bound));
            let mut tests: Vec<&FlatLiteral> = half(part).filter(|l| positive(l).is_none()).collect();
            loop {
                let before = tests.len();
                tests.retain(|test| {
                    let is_bound = self.is_bound(test, &bound);
                    if is_bound {
                        mark(test, &mut bound);
                    }
                    !is_bound
                });
                if tests.is_empty() {
                    return Some(bound);
                }
                if tests.len() == before {
                    return None;
                }
            }
        };
        let Some(part) = binds(true, vec![false; rule.variables]) else { return false };
        let mut given = vec![false; rule.variables];
        shared.iter().for_each(|&v| given[v as usize] = true);
        let Some(rest) = binds(false, given) else { return false };
        shared.iter().all(|&v| part[v as usize])
            && rule.head.args.iter().filter_map(Arg::variable).all(|v| rest[v as usize])
    }

    fn joined(&self, atom: &FlatAtom) -> Joined {
        let estimate = &self.estimates[atom.table.index()];
        let mut rows = estimate.rows;
        let mut distinct: Vec<(u32, f64)> = Vec::new();
        for (column, arg) in atom.args.iter().enumerate() {
            let values = estimate.distinct[column].max(1.0);
            match arg.variable() {
                Some(v) if distinct.iter().all(|(other, _)| *other != v) => distinct.push((v, values)),
                _ => rows /= values,
            }
        }
        Joined { rows, distinct }
    }

    fn join(&self, atoms: &[&FlatAtom]) -> Joined {
        Joined::all(&atoms.iter().map(|atom| self.joined(atom)).collect::<Vec<_>>())
    }
}

/// The expected size of a join: rows, and for each variable how many values it takes.
struct Joined {
    rows: f64,
    distinct: Vec<(u32, f64)>,
}

impl Joined {
    /// A variable that several conditions share takes the values that the most selective one leaves; the others
    /// are thinned out accordingly.
    fn all(conditions: &[Joined]) -> Joined {
        let mut rows = 1.0;
        let mut distinct: HashMap<u32, f64> = HashMap::new();
        for condition in conditions {
            rows *= condition.rows;
            for &(variable, values) in &condition.distinct {
                match distinct.get_mut(&variable) {
                    Some(known) => {
                        rows /= known.max(values);
                        *known = known.min(values);
                    }
                    None => {
                        distinct.insert(variable, values);
                    }
                }
            }
        }
        Joined { rows, distinct: distinct.into_iter().collect() }
    }

    /// The size of the table of these variables.
    fn projected(&self, variables: &[u32]) -> Estimate {
        let values = |v: &u32| self.distinct.iter().find(|(other, _)| other == v).map_or(1.0, |(_, n)| *n);
        let distinct: Vec<f64> = variables.iter().map(values).collect();
        Estimate { rows: distinct.iter().product::<f64>().min(self.rows), distinct }
    }
}

/// The sets of positive conditions that are worth trying as a part.
fn subsets(rule: &FlatRule) -> Vec<Vec<usize>> {
    let conditions: Vec<usize> =
        (0..rule.body.len()).filter(|&i| positive(&rule.body[i]).is_some()).collect();
    if conditions.len() <= MOST_SUBSETS {
        // Neither none nor all of them.
        let sets = 1u32..(1 << conditions.len()) - 1;
        let pick = |set: u32| conditions.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1);
        return sets.map(|set| pick(set).map(|(_, &i)| i).collect()).collect();
    }
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); rule.variables];
    for &i in &conditions {
        rule.body[i].variables(&mut |v| {
            if readers[v as usize].last() != Some(&i) {
                readers[v as usize].push(i);
            }
        });
    }
    readers.retain(|list| !list.is_empty());
    let pairs = (0..readers.len()).flat_map(|a| (a..readers.len()).map(move |b| (a, b)));
    let sets = pairs.take(MOST_SETS).map(|(a, b)| {
        let mut set: Vec<usize> = readers[a].iter().chain(&readers[b]).copied().collect();
        set.sort_unstable();
        set.dedup();
        set
    });
    sets.filter(|set| set.len() < conditions.len()).collect()
}

/// The part's columns, conditions and number of variables, with its variables numbered from zero: those that are
/// shared first, in their order.
fn canonical(body: Vec<FlatLiteral>, shared: &[u32]) -> (Vec<Arg>, Vec<FlatLiteral>, usize) {
    let mut numbers: HashMap<u32, u32> = (0..).zip(shared).map(|(i, &v)| (v, i)).collect();
    let mut renumber = |v: u32| {
        let next = numbers.len() as u32;
        *numbers.entry(v).or_insert(next)
    };
    let body: Vec<FlatLiteral> = body.into_iter().map(|literal| literal.renumbered(&mut renumber)).collect();
    let args = (0..shared.len() as u32).map(Arg::Variable).collect();
    (args, body, numbers.len())
}

fn positive(literal: &FlatLiteral) -> Option<&FlatAtom> {
    match literal {
        FlatLiteral::Positive(atom) => Some(atom),
        _ => None,
    }
}

fn atom(literal: &FlatLiteral) -> Option<&FlatAtom> {
    match literal {
        FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) => Some(atom),
        _ => None,
    }
}

fn mark(literal: &FlatLiteral, marks: &mut [bool]) {
    literal.variables(&mut |v| marks[v as usize] = true);
}

fn all_of(literal: &FlatLiteral, marks: &[bool]) -> bool {
    let mut all = true;
    literal.variables(&mut |v| all &= marks[v as usize]);
    all
}
