//! The operations of one AND node: the steps of a rule in their order, with a column for each variable that is bound.

use super::{Compiler, MOST_COPIES};
use crate::frontend::Arg;
use crate::terms::TermId;
use crate::tree::cell::Source;
use crate::tree::lookup::Key;
use crate::tree::node::{And, AndId, FactPath, FluentPath, Merge, Op, OrId, Site, SiteId, Take};
use crate::tree::order::{Step, variable};
use crate::tree::remodel::Slot;
use crate::tree::rulebook::{Atom, Condition, Place, Rule};
use hashbrown::HashSet;
use ludex_gdl::analysis::dependencies::Phase;

/// Writes the node of a rule, of which the question wants some variables.
pub(super) fn emit(
    compiler: &mut Compiler<'_>,
    and: AndId,
    or: OrId,
    question: &[Slot],
    rule: &Rule,
    steps: &[Step],
    wanted: &[u32],
) -> And {
    let last_use = last_uses(rule, steps, wanted);
    let mut ending = vec![Vec::new(); steps.len()];
    for (v, &last) in (0..).zip(&last_use) {
        if let Some(list) = ending.get_mut(last) {
            list.push(v);
        }
    }
    let mut emitter = Emitter {
        compiler,
        and,
        rule,
        columns: vec![None; rule.variables],
        free: Vec::new(),
        width: 0,
        ops: Vec::new(),
        last_use,
        distinct: true,
    };
    let start = emitter.start(question);
    for (at, step) in steps.iter().enumerate() {
        emitter.step(at, step);
        emitter.release(&ending[at]);
    }
    let answer: Vec<Source> = question
        .iter()
        .zip(&rule.head)
        .filter(|(slot, _)| **slot == Slot::Output)
        .map(|(_, &arg)| emitter.source(arg))
        .collect();
    // A variable that the answer leaves out can have several values for one answer.
    let read: HashSet<u32> = wanted.iter().copied().collect();
    let left_out = |v: usize| emitter.columns[v].is_some() && !read.contains(&(v as u32));
    let distinct = emitter.distinct && !(0..rule.variables).any(left_out);
    let (width, ops) = (emitter.width, emitter.ops);
    let place = Key::Hashed(answer.clone());
    And { or, width, start, ops, answer, place, distinct }
}

/// For each variable the last step that reads it; those that the answer needs are read for ever.
fn last_uses(rule: &Rule, steps: &[Step], wanted: &[u32]) -> Vec<usize> {
    let mut last = vec![0; rule.variables];
    for (at, step) in steps.iter().enumerate() {
        let positions = match step {
            Step::Merge(position) => std::slice::from_ref(position),
            Step::Part(positions) => positions,
        };
        for &position in positions {
            rule.body[position].each_arg(&mut |arg| {
                if let Some(v) = variable(&arg) {
                    last[v as usize] = at;
                }
            });
        }
    }
    for &v in wanted {
        last[v as usize] = usize::MAX;
    }
    last
}

/// Writes the operations of one AND node.
struct Emitter<'c, 'b> {
    compiler: &'c mut Compiler<'b>,
    and: AndId,
    rule: &'c Rule,
    /// The column of each variable that is bound.
    columns: Vec<Option<u16>>,
    /// Columns whose variable is not read any more.
    free: Vec<u16>,
    width: usize,
    ops: Vec<Op>,
    last_use: Vec<usize>,
    /// True as long as no condition can give a row twice.
    distinct: bool,
}

impl Emitter<'_, '_> {
    fn number(&mut self, term: TermId) -> u32 {
        self.compiler.lexicon.number(&self.compiler.book.terms, term)
    }

    /// Where the value of a known argument is.
    fn source(&mut self, arg: Arg) -> Source {
        match arg {
            Arg::Term(term) => Source::Constant(self.number(term)),
            Arg::Variable(v) => {
                Source::Column(self.columns[v as usize].expect("conditions come after what binds them"))
            }
        }
    }

    fn is_known(&self, arg: Arg) -> bool {
        variable(&arg).is_none_or(|v| self.columns[v as usize].is_some())
    }

    fn bind(&mut self, v: u32) -> u16 {
        let column = self.free.pop().unwrap_or_else(|| {
            self.width += 1;
            (self.width - 1) as u16
        });
        self.columns[v as usize] = Some(column);
        column
    }

    fn bound_count(&self) -> usize {
        self.columns.iter().flatten().count()
    }

    /// True if nobody but the condition at hand reads the variable, and that once.
    fn is_ignored(&self, at: usize, v: u32, args: &[Arg]) -> bool {
        self.last_use[v as usize] <= at && args.iter().filter(|a| variable(a) == Some(v)).count() == 1
    }

    /// How the values of the question enter the first row.
    fn start(&mut self, question: &[Slot]) -> Take {
        let mut take = Take::default();
        let inputs = question.iter().zip(&self.rule.head).filter(|(slot, _)| **slot == Slot::Input);
        for (position, (_, &arg)) in (0..).zip(inputs) {
            match arg {
                Arg::Variable(v) if !self.is_known(arg) => {
                    let column = self.bind(v);
                    take.bind.push((position, column));
                }
                _ => take.check.push((position, self.source(arg))),
            }
        }
        take
    }

    fn step(&mut self, at: usize, step: &Step) {
        match step {
            Step::Merge(position) => self.condition(at, &self.rule.body[*position]),
            Step::Part(positions) => {
                let atom = self.part(positions);
                self.proof(at, &atom);
            }
        }
    }

    /// These variables are read for the last time. They keep their columns, so that they count as known; others may
    /// overwrite them.
    fn release(&mut self, variables: &[usize]) {
        self.free.extend(variables.iter().filter_map(|&v| self.columns[v]));
    }

    /// Makes a relation of some conditions, of which the known variables are the arguments.
    fn part(&mut self, positions: &[usize]) -> Atom {
        let body: Vec<Condition> = positions.iter().map(|&i| self.rule.body[i].clone()).collect();
        let mut head: Vec<Arg> = Vec::new();
        let mut seen: HashSet<Arg> = HashSet::new();
        for condition in &body {
            condition.each_arg(&mut |arg| {
                if variable(&arg).is_some() && self.is_known(arg) && seen.insert(arg) {
                    head.push(arg);
                }
            });
        }
        let phase = body.iter().map(|c| self.compiler.book.phase(c)).max().unwrap_or(Phase::Static);
        let rule = Rule { head: head.clone(), body, variables: self.rule.variables };
        let relation = self.compiler.book.add_part(rule, phase);
        let written = vec![false; head.len()];
        Atom { place: Place::Proof(relation), args: head, negated: false, written }
    }

    fn condition(&mut self, at: usize, condition: &Condition) {
        match condition {
            Condition::Atom(atom) => match atom.place {
                Place::Fluents(_) | Place::Facts(_) => self.leaf(at, atom),
                Place::Does(shape) => self.does(at, shape, atom),
                Place::Proof(_) => self.proof(at, atom),
            },
            Condition::Distinct(left, right) => {
                let op = Op::Distinct(self.source(*left), self.source(*right));
                self.ops.push(op);
            }
            Condition::Constant(arg) => {
                let op = Op::Constant(self.source(*arg));
                self.ops.push(op);
            }
            Condition::Function { whole, functor, args } => {
                let functor = *functor;
                let op = if !self.is_known(*whole) {
                    let args = args.iter().map(|&arg| self.source(arg)).collect();
                    let v = variable(whole).expect("ground terms are known");
                    Op::PutTogether { functor, args, to: self.bind(v) }
                } else if args.iter().all(|&arg| self.is_known(arg)) {
                    let whole = self.source(*whole);
                    let args = args.iter().map(|&arg| self.source(arg)).collect();
                    Op::Equals { whole, functor, args }
                } else {
                    let whole = self.source(*whole);
                    let (_, take) = self.split(at, args, &[], |position| position as u16);
                    Op::TakeApart { whole, functor, count: args.len(), take }
                };
                self.ops.push(op);
            }
        }
    }

    /// Which arguments are looked up by (those known and not `skipped`), and how the others are taken.
    /// `place` says where a match has the value of an argument.
    fn split(
        &mut self,
        at: usize,
        args: &[Arg],
        key: &[usize],
        place: impl Fn(usize) -> u16,
    ) -> (usize, Take) {
        let mut take = Take::default();
        let (mut common, mut ignored) = (0, false);
        for (position, &arg) in args.iter().enumerate() {
            let in_row = matches!(arg, Arg::Variable(v) if self.columns[v as usize].is_some());
            common += usize::from(in_row);
            if key.contains(&position) {
                continue;
            }
            match arg {
                Arg::Variable(v) if !self.is_known(arg) => {
                    if self.is_ignored(at, v, args) {
                        ignored = true;
                    } else {
                        let column = self.bind(v);
                        take.bind.push((place(position), column));
                    }
                }
                _ => take.check.push((place(position), self.source(arg))),
            }
        }
        self.distinct &= !ignored || take.bind.is_empty();
        (common, take)
    }

    fn leaf(&mut self, at: usize, atom: &Atom) {
        let before = self.bound_count();
        let known: Vec<usize> = (0..atom.args.len()).filter(|&i| self.is_known(atom.args[i])).collect();
        let key: Vec<Source> = known.iter().map(|&i| self.source(atom.args[i])).collect();
        let common = key.iter().filter(|s| matches!(s, Source::Column(_))).count();
        match atom.place {
            Place::Fluents(shape) => {
                let (_, take) = self.split(at, &atom.args, &known, |position| position as u16);
                let merge = Merge::of(atom.negated, take.bind.len(), common, before);
                let index = self.compiler.paths.fluent(FluentPath { shape, key: known });
                self.ops.push(Op::Fluents { index, key: Key::Hashed(key), merge, take });
            }
            Place::Facts(facts) => {
                // Only the columns that are read become part of a match.
                let values: Vec<usize> = (0..atom.args.len())
                    .filter(|i| !known.contains(i))
                    .filter(|&i| variable(&atom.args[i]).is_some_and(|v| !self.is_ignored(at, v, &atom.args)))
                    .collect();
                let place =
                    |position: usize| values.iter().position(|&v| v == position).unwrap_or_default() as u16;
                let (_, take) = self.split(at, &atom.args, &known, place);
                let merge = Merge::of(atom.negated, take.bind.len(), common, before);
                let index = self.compiler.paths.fact(FactPath { facts, key: known, values });
                self.ops.push(Op::Facts { index, key: Key::Hashed(key), merge, take });
            }
            Place::Does(_) | Place::Proof(_) => {}
        }
    }

    fn does(&mut self, at: usize, shape: usize, atom: &Atom) {
        let before = self.bound_count();
        let (common, take) = self.split(at, &atom.args, &[], |position| position as u16);
        let merge = Merge::of(atom.negated, take.bind.len(), common, before);
        self.ops.push(Op::Does { shape, merge, take });
    }

    fn proof(&mut self, at: usize, atom: &Atom) {
        let Place::Proof(relation) = atom.place else { return };
        let before = self.bound_count();
        let copied = self.compiler.copies.get(&relation).copied().unwrap_or(0) < MOST_COPIES;
        let passes = self.compiler.passes(relation, atom.args.len());
        let known: Vec<bool> = atom.args.iter().map(|&arg| self.is_known(arg)).collect();
        let (mut question, mut key) = (Vec::new(), Vec::new());
        let mut take = Take::default();
        let (mut outputs, mut common) = (0, 0);
        for (position, &arg) in atom.args.iter().enumerate() {
            let first = atom.args[..position].iter().position(|&a| a == arg);
            let slot = match (arg, first) {
                (Arg::Term(term), _) if copied || atom.written[position] || !passes[position] => {
                    Slot::Constant(term)
                }
                (Arg::Variable(_), Some(first)) => Slot::Same(first),
                (Arg::Variable(v), None) if !self.is_known(arg) => {
                    if self.is_ignored(at, v, &atom.args) {
                        Slot::Any
                    } else {
                        let column = self.bind(v);
                        take.bind.push((outputs, column));
                        Slot::Output
                    }
                }
                (_, None) | (Arg::Term(_), _) => {
                    let source = self.source(arg);
                    common += usize::from(matches!(source, Source::Column(_)));
                    if passes[position] {
                        key.push(source);
                        Slot::Input
                    } else {
                        take.check.push((outputs, source));
                        Slot::Output
                    }
                }
            };
            outputs += u16::from(slot == Slot::Output);
            question.push(slot);
        }
        let merge = Merge::of(atom.negated, take.bind.len(), common, before);
        let or = self.compiler.or(relation, question);
        let id = SiteId(self.compiler.tree.sites.len() as u32);
        let op = self.ops.len() + 1;
        let values = key.clone();
        let key = self.compiler.tree.ors[or.index()].space.key(&key);
        let group = if values.is_empty() { self.compiler.group(or, &mut take) } else { None };
        let site = Site { or, and: self.and, known, group, op, values, key, merge, take, waits: false };
        self.compiler.tree.sites.push(site);
        self.ops.extend([Op::Ask(id), Op::Merge(id)]);
    }
}
