//! Proving questions: the walk through the tree.
//!
//! The walk has a stack of its own, so a chain of a hundred thousand relations needs no deep recursion. An AND
//! node is worked off operation by operation; a call whose questions are new puts the called node on top and
//! goes on when it is proved. What nodes have answered stays until the state (or the moves, for what
//! depends on them) changes.

use super::Options;
use super::answers::{Answers, NONE};
use super::cell::{Cell, Source, value};
use super::facts::Facts;
use super::groups::Groups;
use super::lookup::{Added, Key};
use super::merge::{FromAnswers, FromFacts, FromGroups, FromMoves, FromState, merge, retain, take_over};
use super::node::{AndId, ComponentId, Op, OrAndTree, OrId, SiteId, Target};
use super::recursion::Waiting;
use super::rowset::RowSet;
use crate::budget::{Budget, Exceeded, Meter};
use crate::row::Row;
use crate::terms::{TermId, Terms};
use crate::vocabulary::MoveId;
use ludex_gdl::analysis::dependencies::Phase;

/// What is being worked on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    /// The rules of a node, for a range of its questions.
    Rules { or: OrId, rule: u32, op: Option<u32>, from: u32, to: u32 },
    /// One rule from an operation on, with the rows that are in its RowSet.
    Resume { and: AndId, op: u32 },
    /// Nodes that need each other, until nothing new follows.
    Component(ComponentId),
}

/// Where the work on an AND node stands.
enum Progress {
    Finished,
    /// A call must be proved before this operation.
    Waits {
        op: u32,
        called: OrId,
    },
}

/// What is proved with.
#[derive(Debug)]
pub(super) struct Code<'c, C> {
    pub(super) tree: &'c OrAndTree,
    pub(super) facts: &'c Facts<C>,
}

impl<C> Clone for Code<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Code<'_, C> {}

/// One thread's memory: the state at hand, and what has been asked and answered about it. It does not hold the tree:
/// every call takes the code that it was made for.
#[derive(Debug)]
pub(super) struct Prover<C> {
    options: Options,
    pub(super) state: Vec<u64>,
    /// For each role the position of its move in `Facts::moves`.
    pub(super) joint: Vec<u32>,
    /// How often the state, and the state or the moves, have changed.
    state_changes: u64,
    move_changes: u64,
    pub(super) answers: Vec<Answers<C>>,
    groups: Vec<Groups<C>>,
    pub(super) rows: Vec<RowSet<C>>,
    /// For each site the questions of the rows that are being merged.
    questions: Vec<Vec<u32>>,
    /// For each site the rows that wait for answers.
    pub(super) waiting: Vec<Waiting<C>>,
    /// For each site the rows that came, and those that went on.
    flows: Vec<(u64, u64)>,
    /// For each site how often its filter left nothing out: all questions that there can be had been put.
    whole: Vec<u64>,
    /// For each rule the rows that its operations were applied to.
    steps: Vec<u64>,
    /// For each component the change that its answers belong to.
    stamps: Vec<u64>,
    pub(super) stack: Vec<Frame>,
    terms: Terms,
    /// What a root with a target has derived.
    bits: Vec<u64>,
    /// The key of questions without inputs.
    no_values: Key,
    scratch: Vec<TermId>,
    inside: Vec<C>,
    meter: Meter,
    /// Steps of work before the present question.
    work: u64,
}

impl<C: Cell> Prover<C> {
    pub(super) fn new(
        tree: &OrAndTree,
        terms: &Terms,
        words: usize,
        options: Options,
        budget: &Budget,
    ) -> Prover<C> {
        Prover {
            options,
            state: vec![0; words],
            joint: Vec::new(),
            state_changes: 1,
            move_changes: 1,
            answers: tree.ors.iter().map(Answers::new).collect(),
            groups: tree.groupings.iter().map(Groups::new).collect(),
            rows: tree.ands.iter().map(|and| RowSet::new(and.width)).collect(),
            questions: vec![Vec::new(); tree.sites.len()],
            waiting: tree.sites.iter().map(|site| Waiting::new(tree, site)).collect(),
            flows: vec![(0, 0); tree.sites.len()],
            whole: vec![0; tree.sites.len()],
            steps: vec![0; tree.ands.len()],
            stamps: vec![0; tree.components.len()],
            stack: Vec::new(),
            terms: terms.clone(),
            bits: Vec::new(),
            no_values: Key::Direct { base: 0, parts: Vec::new() },
            scratch: Vec::new(),
            inside: Vec::new(),
            meter: budget.meter(),
            work: 0,
        }
    }

    /// Makes the proofs speak of another state.
    pub(super) fn set_state(&mut self, state: &Row) {
        if self.state != state {
            self.state.copy_from_slice(state);
            self.forget();
        }
    }

    /// Makes the proofs speak of these moves.
    pub(super) fn set_moves(&mut self, joint: &[MoveId]) {
        self.joint.clear();
        self.joint.extend(joint.iter().map(|action| action.0));
        self.move_changes += 1;
    }

    /// Forgets everything about the state.
    pub(super) fn forget(&mut self) {
        self.state_changes += 1;
        self.move_changes += 1;
    }

    /// For each node how many questions it was asked and how many answers it gave, in all states together.
    pub(super) fn counts(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.answers.iter().map(Answers::counts)
    }

    /// For each site how many rows came and how many went on, in all states together.
    pub(super) fn flows(&self) -> &[(u64, u64)] {
        &self.flows
    }

    /// For each site how often its filter left nothing out, in all states together.
    pub(super) fn whole(&self) -> &[u64] {
        &self.whole
    }

    /// For each rule the steps of work that it took, in all states together.
    pub(super) fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// Steps of work in all states together: a measure that does not depend on the machine.
    pub(super) fn work(&self) -> u64 {
        self.work + self.meter.ticks()
    }

    /// From now on works within this budget.
    pub(super) fn set_budget(&mut self, budget: &Budget) {
        self.work += self.meter.ticks();
        self.meter = budget.meter();
    }

    /// Proves a question without inputs.
    pub(super) fn prove(&mut self, code: Code<'_, C>, or: OrId) -> Result<&Answers<C>, Exceeded> {
        self.work += self.meter.ticks();
        self.meter.restart();
        let node = &code.tree.ors[or.index()];
        if !self.options.sharing || node.target.is_some() {
            self.stamps[node.component.index()] = 0;
        }
        self.refresh(code, or);
        let answers = &mut self.answers[or.index()];
        if let Added::New(_) = answers.questions.add(&self.no_values, &[]) {
            answers.open_questions();
            self.enter(code, or);
            if let Err(limit) = self.run(code) {
                self.stack.clear();
                self.forget();
                return Err(limit);
            }
        }
        Ok(&self.answers[or.index()])
    }

    /// Proves a root and sets the bits of what it derives.
    pub(super) fn prove_bits(
        &mut self,
        code: Code<'_, C>,
        or: OrId,
        target: Target,
        bits: &mut [u64],
    ) -> Result<(), Exceeded> {
        if code.tree.ors[or.index()].target.is_some() {
            self.bits.clear();
            self.bits.resize(bits.len(), 0);
            self.prove(code, or)?;
            bits.iter_mut().zip(&self.bits).for_each(|(word, new)| *word |= new);
        } else {
            let numbers = code.facts.numbers(target);
            for number in self.prove(code, or)?.all().filter_map(|answer| numbers.find_whole(answer)) {
                set_bit(bits, number);
            }
        }
        Ok(())
    }

    /// Forgets what a node, and those it needs that need it, have answered about another state.
    fn refresh(&mut self, code: Code<'_, C>, or: OrId) {
        let node = &code.tree.ors[or.index()];
        let change = match node.phase {
            Phase::Static => 1,
            Phase::State => self.state_changes,
            Phase::Move => self.move_changes,
        };
        if self.stamps[node.component.index()] == change {
            return;
        }
        self.stamps[node.component.index()] = change;
        let component = &code.tree.components[node.component.index()];
        for member in &component.members {
            self.answers[member.index()].forget();
            for grouping in &code.tree.ors[member.index()].groupings {
                self.groups[grouping.index()].forget();
            }
        }
        for site in &component.sites {
            self.waiting[site.index()].forget();
        }
    }

    /// Puts the questions of a node that were not taken up yet on the stack.
    fn enter(&mut self, code: Code<'_, C>, or: OrId) {
        let node = &code.tree.ors[or.index()];
        if node.recursive {
            self.stack.push(Frame::Component(node.component));
        } else {
            self.push_rules(or);
        }
    }

    /// Takes up the open questions of a node.
    pub(super) fn push_rules(&mut self, or: OrId) {
        let answers = &mut self.answers[or.index()];
        let (from, to) = (answers.taken, answers.questions.len());
        answers.taken = to;
        self.stack.push(Frame::Rules { or, rule: 0, op: None, from, to });
    }

    fn run(&mut self, code: Code<'_, C>) -> Result<(), Exceeded> {
        while let Some(frame) = self.stack.pop() {
            match frame {
                Frame::Rules { or, rule, op, from, to } => self.rules(code, or, rule, op, from, to)?,
                Frame::Resume { and, op } => {
                    if let Progress::Waits { op, called } = self.advance(code, and, op)? {
                        self.stack.push(Frame::Resume { and, op });
                        self.enter(code, called);
                    }
                }
                Frame::Component(component) => self.component(code, component)?,
            }
        }
        Ok(())
    }

    /// Goes on with the rules of a node until a call must be proved first.
    fn rules(
        &mut self,
        code: Code<'_, C>,
        or: OrId,
        mut rule: u32,
        mut op: Option<u32>,
        from: u32,
        to: u32,
    ) -> Result<(), Exceeded> {
        let node = &code.tree.ors[or.index()];
        while let Some(&and) = node.ands.get(rule as usize) {
            let start = op.take();
            if start.is_none() {
                // One proof is enough where nothing but yes or no is asked.
                if node.outputs == 0 && to - from == 1 && self.answers[or.index()].holds(from) {
                    return Ok(());
                }
                self.start(code, and, from, to);
            }
            if let Progress::Waits { op, called } = self.advance(code, and, start.unwrap_or(0))? {
                self.stack.push(Frame::Rules { or, rule, op: Some(op), from, to });
                self.enter(code, called);
                return Ok(());
            }
            rule += 1;
        }
        Ok(())
    }

    /// Fills the RowSet of a rule with the questions.
    fn start(&mut self, code: Code<'_, C>, and: AndId, from: u32, to: u32) {
        let node = &code.tree.ands[and.index()];
        let or = &code.tree.ors[node.or.index()];
        let answers = &self.answers[node.or.index()];
        let rows = &mut self.rows[and.index()];
        rows.clear();
        for question in from..to {
            if or.outputs == 0 && answers.holds(question) {
                continue;
            }
            let row = rows.push(question);
            if !take_over(row, answers.questions.key(question), &node.start) {
                rows.swap_remove(rows.len() - 1);
            }
        }
    }

    /// Works off the operations of a rule from `at` on.
    fn advance(&mut self, code: Code<'_, C>, and: AndId, at: u32) -> Result<Progress, Exceeded> {
        let node = &code.tree.ands[and.index()];
        let mut rows = std::mem::take(&mut self.rows[and.index()]);
        let mut progress = Ok(Progress::Finished);
        let mut steps = 0;
        for (position, op) in node.ops.iter().enumerate().skip(at as usize) {
            if rows.len() == 0 {
                break;
            }
            steps += rows.len() as u64;
            if let Err(limit) = self.meter.tick_by(rows.len() as u64) {
                progress = Err(limit);
                break;
            }
            if let Op::Ask(site) = op {
                if let Some(called) = self.ask(code, *site, &rows) {
                    progress = Ok(Progress::Waits { op: position as u32 + 1, called });
                    break;
                }
            } else {
                if let Err(limit) = self.apply(code, op, &mut rows) {
                    progress = Err(limit);
                    break;
                }
                if rows.len() > self.meter.budget().rows() {
                    progress = Err(Exceeded::Rows(self.meter.budget().rows()));
                    break;
                }
            }
        }
        if let Ok(Progress::Finished) = progress {
            steps += rows.len() as u64;
            progress = self.answer(code, and, &rows).map(|()| Progress::Finished);
        }
        self.rows[and.index()] = rows;
        self.steps[and.index()] += steps;
        progress
    }

    /// The return query: rows become answers.
    fn answer(&mut self, code: Code<'_, C>, and: AndId, rows: &RowSet<C>) -> Result<(), Exceeded> {
        let node = &code.tree.ands[and.index()];
        let or = &code.tree.ors[node.or.index()];
        if let Some(target) = or.target {
            let numbers = code.facts.numbers(target);
            for at in 0..rows.len() {
                // What the vocabulary does not have cannot be reached by legal moves.
                if let Some(number) = numbers.find(&node.place, rows.row(at)) {
                    set_bit(&mut self.bits, number);
                }
            }
            return Ok(());
        }
        let answers = &mut self.answers[node.or.index()];
        let before = answers.len();
        for at in 0..rows.len() {
            answers.add(or, node, rows.question(at), rows.row(at));
        }
        self.meter.spend((answers.len() - before) as usize)
    }

    /// Puts the questions of a call; gives the node that must be proved before they are answered.
    fn ask(&mut self, code: Code<'_, C>, site: SiteId, rows: &RowSet<C>) -> Option<OrId> {
        let call = &code.tree.sites[site.index()];
        let or = &code.tree.ors[call.or.index()];
        if !self.options.sharing && !call.waits {
            self.stamps[or.component.index()] = 0;
        }
        self.refresh(code, call.or);
        let answers = &mut self.answers[call.or.index()];
        let questions = &mut self.questions[site.index()];
        questions.clear();
        let count = if call.key.is_fixed() { 1 } else { rows.len() };
        for at in 0..count {
            let row = rows.row(at);
            questions.push(match answers.questions.add(&call.key, row) {
                Added::Known(question) => question,
                Added::New(question) => {
                    answers.questions.note(call.values.iter().map(|&source| value(row, source)));
                    question
                }
                Added::Impossible => NONE,
            });
        }
        if or.inputs > 0 && or.space.holds(answers.questions.len()) {
            self.whole[site.index()] += 1;
        }
        answers.open_questions();
        let open = answers.taken < answers.questions.len();
        (open && !call.waits).then_some(call.or)
    }

    /// Applies one operation that needs no further proof.
    fn apply(&mut self, code: Code<'_, C>, op: &Op, rows: &mut RowSet<C>) -> Result<(), Exceeded> {
        let most = self.meter.budget().rows();
        match op {
            Op::Fluents { index, key, merge: kind, take } => {
                let index = &code.facts.fluent_indexes[index.index()];
                let fluents = &code.facts.fluents;
                let provider = FromState { state: &self.state, fluents, index, key };
                merge(rows, &provider, *kind, take, most);
            }
            Op::Facts { index, key, merge: kind, take } => {
                let provider = FromFacts { index: &code.facts.fact_indexes[index.index()], key };
                merge(rows, &provider, *kind, take, most);
            }
            Op::Does { shape, merge: kind, take } => {
                let provider = FromMoves { moves: &code.facts.moves, joint: &self.joint, shape: *shape };
                merge(rows, &provider, *kind, take, most);
            }
            Op::Ask(_) => {}
            Op::Merge(site) => self.merge_answers(code, *site, rows),
            Op::Distinct(left, right) => retain(rows, |row| value(row, *left) != value(row, *right)),
            Op::Constant(source) => {
                let terms = &self.terms;
                retain(rows, |row| terms.is_constant(TermId(value(row, *source).number())));
            }
            Op::TakeApart { whole, functor, count, take } => {
                let (terms, scratch) = (&self.terms, &mut self.inside);
                retain(rows, |row| {
                    let term = TermId(value(row, *whole).number());
                    let inside = terms.arguments(term);
                    if terms.functor(term) != *functor || inside.len() != *count {
                        return false;
                    }
                    scratch.clear();
                    scratch.extend(inside.iter().map(|id| C::of(id.0)));
                    take_over(row, scratch, take)
                });
            }
            Op::PutTogether { functor, args, to } => {
                for at in 0..rows.len() {
                    let term = self.put_together(*functor, args, rows.row(at))?;
                    rows.row_mut(at)[*to as usize] = C::of(term.0);
                }
            }
            Op::Equals { whole, functor, args } => {
                for at in (0..rows.len()).rev() {
                    self.scratch.clear();
                    let row = rows.row(at);
                    self.scratch.extend(args.iter().map(|&arg| TermId(value(row, arg).number())));
                    let term = self.terms.find(*functor, &self.scratch);
                    if term != Some(TermId(value(row, *whole).number())) {
                        rows.swap_remove(at);
                    }
                }
            }
        }
        Ok(())
    }

    /// Merges the answers of a call.
    fn merge_answers(&mut self, code: Code<'_, C>, site: SiteId, rows: &mut RowSet<C>) {
        let call = &code.tree.sites[site.index()];
        let questions = self.questions[site.index()].as_slice();
        let answers = &self.answers[call.or.index()];
        let most = self.meter.budget().rows();
        self.flows[site.index()].0 += rows.len() as u64;
        let (mut before, kind) = (NONE, call.merge);
        if call.waits {
            let waiting = &mut self.waiting[site.index()];
            waiting.add(call, rows, questions);
            before = waiting.served;
        }
        if let Some(group) = &call.group {
            let groups = &mut self.groups[group.grouping.index()];
            groups.update(&code.tree.groupings[group.grouping.index()], answers);
            merge(rows, &FromGroups { answers, groups, key: &group.key, before }, kind, &call.take, most);
        } else {
            merge(rows, &FromAnswers { answers, questions, before }, kind, &call.take, most);
        }
        self.flows[site.index()].1 += rows.len() as u64;
    }

    fn put_together(
        &mut self,
        functor: ludex_gdl::Symbol,
        args: &[Source],
        row: &[C],
    ) -> Result<TermId, Exceeded> {
        self.scratch.clear();
        self.scratch.extend(args.iter().map(|&arg| TermId(value(row, arg).number())));
        self.terms.derive(functor, &self.scratch)
    }
}

fn set_bit(bits: &mut [u64], number: u32) {
    bits[number as usize / 64] |= 1 << (number % 64);
}
