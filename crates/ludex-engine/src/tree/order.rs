//! The order in which the conditions of a rule are merged.
//!
//! Tests that are looked up come as soon as their variables are known; the others in the order in which least work is
//! expected, by a bounded search. Once all that the head needs is known,
//! the rest of the body only asks whether there is a way through: what falls apart into
//! conditions without common variables is asked part by part, so that rows do not multiply.

use super::rulebook::{Atom, Condition, Place, RelationId, Rule};
use crate::frontend::{Arg, Estimate};
use crate::terms::TermId;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// What a condition does to one row: how many come of it, and the steps of work that it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flow {
    pub(super) rows: f64,
    pub(super) work: f64,
}

impl Flow {
    /// Of a condition that is looked up.
    fn lookup(rows: f64) -> Flow {
        Flow { rows, work: 1.0 }
    }

    /// What it costs to have the rows: the work, and that each is there.
    fn cost(self) -> f64 {
        self.work + self.rows
    }
}

/// How many fluents of a shape hold in a state, and which.
#[derive(Clone, Debug)]
pub(super) struct FluentSize {
    pub(super) estimate: Estimate,
    /// For each column the share of the fluents that has a value there; none before play was seen. Most cells of a
    /// board are blank, and one has the king: values as such say little of how many fluents there are.
    pub(super) shares: Vec<HashMap<TermId, f64>>,
}

impl FluentSize {
    pub(super) fn guess(estimate: Estimate) -> FluentSize {
        FluentSize { estimate, shares: Vec::new() }
    }

    /// The fluents expected to match these arguments, of which some variables are known.
    fn matching(&self, args: &[Arg], known: &[bool]) -> f64 {
        let columns = args.iter().zip(known).zip(&self.estimate.distinct).enumerate();
        columns.fold(self.estimate.rows, |rows, (column, ((arg, &known), &distinct))| {
            let distinct = distinct.max(1.0);
            match (arg, self.shares.get(column)) {
                // A value that was not seen is seldom there.
                (Arg::Term(term), Some(shares)) => rows * shares.get(term).copied().unwrap_or(0.1 / distinct),
                _ if known => rows / distinct,
                _ => rows,
            }
        })
    }
}

/// What is known of the rows that conditions have.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    pub(super) facts: Vec<Estimate>,
    pub(super) fluents: Vec<FluentSize>,
    pub(super) roles: f64,
    /// What calls did in play, by relation and known arguments.
    pub(super) calls: BTreeMap<(RelationId, Vec<bool>), Flow>,
    /// Which arguments callers pass on, for relations where it is not all that they know.
    pub(super) passes: HashMap<RelationId, Vec<bool>>,
}

/// A proof of which nothing is known is taken to cost so many steps for each answer.
const PROOF: f64 = 2.0;

impl Sizes {
    /// What a call is expected to do that knows these arguments. Where play has shown none, the most similar
    /// one that it has shown counts, scaled by the values that the other arguments can have: a guess from the
    /// domains alone is often off by orders of magnitude, and an order that looks cheap only because
    /// nobody has tried it would win over one that is known.
    fn call(&self, relation: RelationId, known: &[bool], guess: &Estimate) -> Flow {
        let seen =
            self.calls.range((relation, Vec::new())..).take_while(|((other, _), _)| *other == relation);
        let difference = |mask: &[bool]| mask.iter().zip(known).filter(|(a, b)| a != b).count();
        let Some(((_, mask), &nearest)) = seen.min_by_key(|((_, mask), _)| difference(mask)) else {
            let rows = guess.matching((0..known.len()).filter(|&column| known[column]));
            return Flow { rows, work: PROOF * rows.max(0.5) };
        };
        let columns = mask.iter().zip(known).zip(&guess.distinct);
        let Flow { rows, work } = columns.fold(nearest, |Flow { rows, work }, (columns, &distinct)| {
            let distinct = distinct.max(1.0);
            match columns {
                (true, false) => Flow { rows: rows * distinct, work },
                (false, true) => Flow { rows: rows / distinct, work: work / distinct },
                _ => Flow { rows, work },
            }
        });
        // Hopeful where it is not known, so that it is tried: the next trial sees what it costs.
        let least = if difference(mask) == 0 { 1.0 } else { PROOF * rows.max(0.5) };
        Flow { rows, work: work.max(least) }
    }
}

/// One step of an order, by positions in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Merge(usize),
    /// These conditions together, of which only matters whether they can hold.
    Part(Vec<usize>),
}

pub(super) fn variable(arg: &Arg) -> Option<u32> {
    match arg {
        Arg::Variable(v) => Some(*v),
        Arg::Term(_) => None,
    }
}

/// The question that a rule answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) relation: RelationId,
    /// Which arguments the question gives, or are fixed in it.
    pub(super) known: &'a [bool],
}

/// Orders the body; `known` are the variables that the question gives, `wanted` those that the head needs, `guess` the
/// sizes of relations that were not seen in play.
pub(super) fn order(
    rule: &Rule,
    asked: Asked<'_>,
    known: Vec<bool>,
    wanted: &[u32],
    sizes: &Sizes,
    guess: &dyn Fn(RelationId) -> Estimate,
) -> Vec<Step> {
    let mut uses = vec![0; known.len()];
    rule.body.iter().for_each(|condition| {
        condition.each_arg(&mut |arg| {
            if let Some(v) = variable(&arg) {
                uses[v as usize] += 1;
            }
        });
    });
    wanted.iter().collect::<HashSet<_>>().into_iter().for_each(|&v| uses[v as usize] += 1);
    let rest = Rest { known, open: (0..rule.body.len()).collect(), uses };
    let mut planner = Planner { rule, asked, wanted, sizes, guess, rest, steps: Vec::new() };
    planner.run();
    planner.steps
}

/// What is still to be placed.
#[derive(Clone)]
struct Rest {
    /// The variables that are known by now.
    known: Vec<bool>,
    /// The conditions that are not placed yet.
    open: Vec<usize>,
    /// For each variable in how many places of these it stands, and once more if the head needs it.
    uses: Vec<u32>,
}

impl Rest {
    fn knows(&self, arg: &Arg) -> bool {
        variable(arg).is_none_or(|v| self.known[v as usize])
    }
}

struct Planner<'a> {
    rule: &'a Rule,
    asked: Asked<'a>,
    /// The variables that the head needs.
    wanted: &'a [u32],
    sizes: &'a Sizes,
    guess: &'a dyn Fn(RelationId) -> Estimate,
    rest: Rest,
    steps: Vec<Step>,
}

/// How many conditions the search for an order may place, for each one that is then placed in fact.
const MOST_PLACED: usize = 100;

/// With more conditions than this to be placed, the next is the one that looks cheapest, without a search.
const MOST_SEARCHED: usize = 64;

/// The cheapest order that was found.
struct Best {
    cost: f64,
    /// Its first condition.
    first: Option<usize>,
    /// How many conditions may still be placed.
    left: usize,
}

impl Planner<'_> {
    fn run(&mut self) {
        while !self.rest.open.is_empty() {
            if let Some(&position) = self.rest.open.iter().find(|&&i| self.is_cheap_test(&self.rest, i)) {
                self.take(position);
                continue;
            }
            if self.wanted.iter().all(|&v| self.rest.known[v as usize]) && self.split() {
                continue;
            }
            let first = if self.rest.open.len() > MOST_SEARCHED {
                let flows = self.rest.open.iter().filter_map(|&i| Some((i, self.flow(&self.rest, i)?)));
                flows.min_by(|(_, a), (_, b)| a.cost().total_cmp(&b.cost())).map(|(position, _)| position)
            } else {
                let mut best = Best { cost: f64::INFINITY, first: None, left: MOST_PLACED };
                self.search(self.rest.clone(), 1.0, 0.0, None, &mut best);
                best.first
            };
            // A condition that must wait for others can only be left at the end of rules that are not safe,
            // which the reader refuses.
            self.take(first.expect("a safe rule can always be ordered"));
        }
    }

    /// Tries what can come next, the cheapest first, and goes on from there as long as that may become cheaper
    /// than the best order so far. `rows` and `cost` are those of what is placed, `first` is its first condition.
    fn search(&self, mut rest: Rest, mut rows: f64, mut cost: f64, first: Option<usize>, best: &mut Best) {
        while let Some(&test) = rest.open.iter().find(|&&i| self.is_cheap_test(&rest, i)) {
            let passing = self.flow(&rest, test).map_or(1.0, |flow| flow.rows);
            cost += rows;
            rows *= passing;
            self.place(&mut rest, test);
        }
        let mut choices: Vec<(usize, Flow)> =
            rest.open.iter().filter_map(|&i| Some((i, self.flow(&rest, i)?))).collect();
        if choices.is_empty() {
            if cost < best.cost {
                best.cost = cost;
                best.first = first;
            }
            return;
        }
        choices.sort_by(|(_, a), (_, b)| a.cost().total_cmp(&b.cost()));
        for (position, flow) in choices {
            // Until an order is complete, the search goes straight down.
            let bounded = best.first.is_some();
            let cost = cost + rows * flow.cost();
            if bounded && (cost >= best.cost || best.left == 0) {
                return;
            }
            best.left = best.left.saturating_sub(1);
            let mut rest = rest.clone();
            self.place(&mut rest, position);
            self.search(rest, rows * flow.rows, cost, first.or(Some(position)), best);
        }
    }

    fn take(&mut self, position: usize) {
        let empty = Rest { known: Vec::new(), open: Vec::new(), uses: Vec::new() };
        let mut rest = std::mem::replace(&mut self.rest, empty);
        self.place(&mut rest, position);
        self.rest = rest;
        self.steps.push(Step::Merge(position));
    }

    /// The variables of a condition become known.
    fn place(&self, rest: &mut Rest, position: usize) {
        rest.open.retain(|&open| open != position);
        let binds = !matches!(&self.rule.body[position], Condition::Atom(Atom { negated: true, .. }));
        let (known, uses) = (&mut rest.known, &mut rest.uses);
        self.rule.body[position].each_arg(&mut |arg| {
            if let Some(v) = variable(&arg) {
                known[v as usize] |= binds;
                uses[v as usize] -= 1;
            }
        });
    }

    /// True if the variable stands once in what is left of the rule.
    fn is_lonely(&self, rest: &Rest, arg: &Arg) -> bool {
        variable(arg).is_some_and(|v| rest.uses[v as usize] == 1)
    }

    fn is_test(&self, rest: &Rest, position: usize) -> bool {
        match &self.rule.body[position] {
            Condition::Atom(atom) => atom.args.iter().all(|arg| rest.knows(arg) || self.is_lonely(rest, arg)),
            Condition::Distinct(left, right) => rest.knows(left) && rest.knows(right),
            Condition::Function { whole, args, .. } => {
                rest.knows(whole) || args.iter().all(|arg| rest.knows(arg))
            }
            Condition::Constant(arg) => rest.knows(arg),
        }
    }

    fn is_cheap_test(&self, rest: &Rest, position: usize) -> bool {
        let proof = matches!(&self.rule.body[position], Condition::Atom(Atom { place: Place::Proof(_), .. }));
        !proof && self.is_test(rest, position)
    }

    /// What the condition is expected to do to each row so far; `None` if it must wait, or is no atom.
    fn flow(&self, rest: &Rest, position: usize) -> Option<Flow> {
        let Condition::Atom(atom) = &self.rule.body[position] else { return None };
        let test = self.is_test(rest, position);
        if atom.negated && !test {
            return None;
        }
        let known: Vec<bool> = atom.args.iter().map(|arg| rest.knows(arg)).collect();
        let matching = |estimate: &Estimate| {
            Flow::lookup(estimate.matching((0..known.len()).filter(|&column| known[column])))
        };
        let flow = match atom.place {
            _ if atom.negated && !matches!(atom.place, Place::Proof(_)) => Flow::lookup(1.0),
            Place::Fluents(shape) => Flow::lookup(self.sizes.fluents[shape].matching(&atom.args, &known)),
            Place::Does(_) if known[0] => Flow::lookup(0.5),
            Place::Does(_) => Flow::lookup(self.sizes.roles),
            Place::Facts(facts) => matching(&self.sizes.facts[facts.index()]),
            Place::Proof(relation) => {
                let flow = self.sizes.call(relation, &known, &(self.guess)(relation));
                let again = relation == self.asked.relation && self.is_asked_again(atom, &known);
                if again { Flow::lookup(flow.rows) } else { flow }
            }
        };
        // A test keeps the row or drops it.
        Some(if test { Flow { rows: flow.rows.min(1.0), ..flow } } else { flow })
    }

    /// True if a call of the relation that is being proved puts the question at hand once more: its answers are
    /// those that the rule helps to find, and cost nothing beside.
    fn is_asked_again(&self, atom: &Atom, known: &[bool]) -> bool {
        let mut same = atom.args.iter().zip(&self.rule.head).zip(self.asked.known);
        known == self.asked.known && same.all(|((arg, head), &given)| !given || arg == head)
    }

    /// Makes parts of conditions that have no variable in common with the rest; false if all hang together.
    fn split(&mut self) -> bool {
        // Conditions hang together through variables: each is joined with the first that reads the variable.
        let open = &self.rest.open;
        let mut joined = Joined::new(open.len());
        let mut first_reader: HashMap<u32, usize> = HashMap::new();
        for (at, &position) in open.iter().enumerate() {
            self.rule.body[position].each_arg(&mut |arg| {
                if let Some(v) = variable(&arg).filter(|&v| !self.rest.known[v as usize]) {
                    joined.join(*first_reader.entry(v).or_insert(at), at);
                }
            });
        }
        // The parts in the order of their last conditions.
        let mut of_root: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, &position) in open.iter().enumerate() {
            of_root.entry(joined.root(at)).or_default().push(position);
        }
        let mut parts: Vec<Vec<usize>> = of_root.into_values().collect();
        parts.sort_unstable_by_key(|positions| positions.last().copied());
        if parts.len() < 2 {
            return false;
        }
        // The last one of several conditions needs no relation of its own: nothing comes after it.
        let last = parts.iter().rposition(|positions| positions.len() > 1);
        for (at, positions) in parts.into_iter().enumerate() {
            match positions.as_slice() {
                [only] => self.take(*only),
                _ if Some(at) == last => {}
                _ => {
                    // What a part reads stands nowhere else, but for what is known.
                    self.rest.open.retain(|i| positions.binary_search(i).is_err());
                    self.steps.push(Step::Part(positions));
                }
            }
        }
        true
    }
}

/// Sets that grow together.
struct Joined {
    parents: Vec<usize>,
}

impl Joined {
    fn new(count: usize) -> Joined {
        Joined { parents: (0..count).collect() }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, left: usize, right: usize) {
        let (left, right) = (self.root(left), self.root(right));
        self.parents[left.max(right)] = left.min(right);
    }
}
