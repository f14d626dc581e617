//! Certificates of properties that hold, and the checker that believes nobody.
//!
//! The checker shares with the prover the network of the rules, what [`System::demands`] reads off it, and the SAT solver, and nothing else: it writes
//! the frames anew, in the plainest form, from the certificate alone, and asks four questions. A proof counts
//! only if it has passed here.

use super::SMALL_NETWORK;
use super::lemma::Lemma;
use crate::formula::{Arg, Expression, Property, Question};
use crate::solver::{Lit, Outcome, Solver};
use crate::transition::System;
use crate::unroll::{ground, matches};
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::propnet::{Block, Node, Signal};
use ludex_engine::row;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};

/// Why a property holds: the lemmas are true initially and each move keeps them, all together; and wherever
/// they are true, a state after `depth` states with the property has it too. In the first `depth` states of
/// every match it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// The lemmas.
    pub lemmas: Vec<Lemma>,
    /// How many states in a row the induction needs; zero if the lemmas imply the property.
    pub depth: usize,
}

/// What a checker finds wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// A lemma is false in the initial state.
    LemmaInitially,
    /// The lemmas are not kept by a move.
    LemmaStep,
    /// The property fails within the first states.
    Base,
    /// The property does not follow.
    Step,
    /// Checking ran into a limit.
    Limit(Exceeded),
}

impl From<Exceeded> for Flaw {
    fn from(limit: Exceeded) -> Flaw {
        Flaw::Limit(limit)
    }
}

/// Checks a certificate from scratch.
pub fn check(
    system: &System,
    property: &Property,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<(), Flaw> {
    let Certificate { lemmas, depth } = certificate;
    if !lemmas.iter().all(|lemma| lemma.holds(system.initial())) {
        return Err(Flaw::LemmaInitially);
    }
    if !lemmas.is_empty() {
        let mut sheet = Sheet::new(system, None, budget);
        let violated: Vec<Lit> = lemmas
            .iter()
            .map(|lemma| {
                let now = sheet.lemma(0, lemma);
                sheet.solver.clause([now]);
                !sheet.lemma(1, lemma)
            })
            .collect();
        sheet.path(1);
        sheet.solver.clause(violated);
        sheet.refute(1, Flaw::LemmaStep)?;
    }
    for time in 0..*depth {
        let mut sheet = Sheet::new(system, Some(system.initial()), budget);
        sheet.path(time);
        let holds = sheet.property(time, property);
        sheet.solver.clause([!holds]);
        sheet.refute(time + property.degree, Flaw::Base)?;
    }
    let mut sheet = Sheet::after(system, property, certificate, budget);
    let holds = sheet.property(*depth, property);
    sheet.solver.clause([!holds]);
    let end = depth + property.degree;
    if sheet.is_refuted()?
        || end > 0
            && system.net().nodes.len() > SMALL_NETWORK
            && follows_at_first_sight(system, property, certificate, budget)?
    {
        return Ok(());
    }
    sheet.refute_with_moves(end, Flaw::Step)
}

/// True if each part of the property follows for itself, from little about the moves.
fn follows_at_first_sight(
    system: &System,
    property: &Property,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<bool, Exceeded> {
    for part in 0..property.parts() {
        let mut sheet = Sheet::after(system, property, certificate, budget);
        let (expression, mut values) = property.part(part);
        let holds = sheet.expression(certificate.depth, property, expression, &mut values);
        sheet.solver.clause([!holds]);
        (0..certificate.depth + property.degree).for_each(|time| sheet.bind_lightly(time));
        if !sheet.is_refuted()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The most joint moves that a measure is checked for, and the most fluents that one of them may change.
const MOST_JOINT_MOVES: usize = 200_000;
const MOST_CHANGES: usize = 60;

/// Checks that the lemmas hold in every reachable state, and that wherever they do every legal joint move lowers what the
/// fluents that hold weigh together.
pub(super) fn check_measure(
    system: &System,
    lemmas: &[Lemma],
    weights: &[(FluentId, u32)],
    budget: &Budget,
) -> Result<(), Flaw> {
    let nothing = Property::made("lemmas", Expression::And(Vec::new()), system);
    check(system, &nothing, &Certificate { lemmas: lemmas.to_vec(), depth: 0 }, budget)?;
    let net = system.net();
    let joint_moves = net.legal.iter().map(Vec::len).try_fold(1usize, usize::checked_mul);
    if joint_moves.is_none_or(|count| count > MOST_JOINT_MOVES) {
        return Err(Flaw::Step);
    }
    // Most combinations are never legal together; one sheet tells which.
    let mut together = Sheet::anywhere(system, lemmas, budget);
    let legal: Vec<Vec<Lit>> =
        net.legal.iter().map(|list| list.iter().map(|&s| together.signal(0, s)).collect()).collect();
    let mut joint = vec![MoveId(0); legal.len()];
    for number in 0..joint_moves.unwrap_or(0) {
        let mut rest = number;
        for (action, list) in joint.iter_mut().zip(&legal) {
            *action = MoveId((rest % list.len()) as u32);
            rest /= list.len();
        }
        let assumptions: Vec<Lit> = legal.iter().zip(&joint).map(|(list, m)| list[m.index()]).collect();
        if together.solver.solve(&assumptions)? == Outcome::Satisfiable {
            lowers(system, lemmas, weights, &joint, budget)?;
        }
    }
    Ok(())
}

/// Checks that the joint move lowers the sum of the weights.
fn lowers(
    system: &System,
    lemmas: &[Lemma],
    weights: &[(FluentId, u32)],
    joint: &[MoveId],
    budget: &Budget,
) -> Result<(), Flaw> {
    let net = system.net();
    let mut sheet = Sheet::anywhere(system, lemmas, budget);
    sheet.given = Some(joint.to_vec());
    let over = sheet.signal(0, net.terminal);
    sheet.solver.clause([!over]);
    for (list, action) in net.legal.iter().zip(joint) {
        let legal = sheet.signal(0, list[action.index()]);
        sheet.solver.clause([legal]);
    }
    // The sum before and the sum of what is missing after: together more than all that changes weighs.
    let mut terms = Vec::new();
    let mut enough = 1;
    for &(fluent, weight) in weights {
        let (before, after) = (sheet.fluent(0, fluent), sheet.fluent(1, fluent));
        if before != after {
            terms.extend([(before, weight), (!after, weight)]);
            enough += u64::from(weight);
        }
    }
    if terms.len() > 2 * MOST_CHANGES {
        return Err(Flaw::Step);
    }
    let lowered = sheet.solver.weighs(&terms, enough);
    sheet.solver.clause([!lowered]);
    match sheet.solver.solve(&[])? {
        Outcome::Unsatisfiable => Ok(()),
        Outcome::Satisfiable => Err(Flaw::Step),
    }
}

/// Frames written as far as they are read.
struct Sheet<'s> {
    system: &'s System,
    solver: Solver,
    state: Option<&'s [u64]>,
    /// The joint move of frame 0, where it is given.
    given: Option<Vec<MoveId>>,
    frames: Vec<Written>,
}

struct Written {
    nodes: Vec<Option<Lit>>,
    ended: Option<Lit>,
}

impl<'s> Sheet<'s> {
    /// Frame 0 is the given state, or any.
    fn new(system: &'s System, state: Option<&'s [u64]>, budget: &Budget) -> Sheet<'s> {
        Sheet { system, solver: Solver::new(budget), state, given: None, frames: Vec::new() }
    }

    /// Frame 0 is any state in which the lemmas are true.
    fn anywhere(system: &'s System, lemmas: &[Lemma], budget: &Budget) -> Sheet<'s> {
        let mut sheet = Sheet::new(system, None, budget);
        for lemma in lemmas {
            let lit = sheet.lemma(0, lemma);
            sheet.solver.clause([lit]);
        }
        sheet
    }

    /// States in a row with the lemmas, and with the property in all but the last.
    fn after(
        system: &'s System,
        property: &Property,
        certificate: &Certificate,
        budget: &Budget,
    ) -> Sheet<'s> {
        let mut sheet = Sheet::new(system, None, budget);
        sheet.path(certificate.depth);
        for time in 0..=certificate.depth {
            for lemma in &certificate.lemmas {
                let lit = sheet.lemma(time, lemma);
                sheet.solver.clause([lit]);
            }
            if time < certificate.depth {
                let holds = sheet.property(time, property);
                sheet.solver.clause([holds]);
            }
        }
        sheet
    }

    /// The literal of a signal. Recursive in the frames and blocks, not in the gates, of which chains are long.
    fn signal(&mut self, time: usize, signal: Signal) -> Lit {
        while self.frames.len() <= time {
            self.frames.push(Written { nodes: vec![None; self.system.net().nodes.len()], ended: None });
        }
        if self.frames[time].nodes[signal.node()].is_none() {
            self.write(time, signal);
        }
        self.known(time, signal)
    }

    fn write(&mut self, time: usize, signal: Signal) {
        let net = self.system.net();
        let mut open = vec![signal.node()];
        while let Some(&node) = open.last() {
            if self.frames[time].nodes[node].is_some() {
                open.pop();
                continue;
            }
            let lit = match net.nodes[node] {
                Node::False => self.solver.constant(false),
                Node::Fluent(fluent) if time == 0 => match self.state {
                    Some(state) => self.solver.constant(row::holds(state, FluentId(fluent))),
                    None => self.solver.fresh(),
                },
                Node::Fluent(fluent) => self.signal(time - 1, net.next[fluent as usize]),
                Node::Move(role, action) => match &self.given {
                    Some(joint) if time == 0 => self.solver.constant(joint[role as usize].0 == action),
                    _ => self.solver.fresh(),
                },
                Node::And(a, b) => {
                    let missing = |s: &Signal| self.frames[time].nodes[s.node()].is_none();
                    if let Some(missing) = [a, b].iter().find(|s| missing(s)) {
                        open.push(missing.node());
                        continue;
                    }
                    let (a, b) = (self.known(time, a), self.known(time, b));
                    self.solver.and(a, b)
                }
                Node::Feedback => {
                    self.block(time, node);
                    continue;
                }
            };
            self.frames[time].nodes[node] = Some(lit);
        }
    }

    /// The literal of a signal that is written; what a block has not computed yet is false.
    fn known(&self, time: usize, signal: Signal) -> Lit {
        let lit = self.frames[time].nodes[signal.node()].unwrap_or_else(|| self.solver.constant(false));
        if signal.is_inverted() { !lit } else { lit }
    }

    /// From false, once for each variable and once more: that many rounds reach the least fixpoint.
    fn block(&mut self, time: usize, variable: usize) {
        let net = self.system.net();
        let inside = |block: &&Block| block.nodes.contains(&variable);
        let Some(block) = net.blocks.iter().find(inside) else { return };
        for node in block.nodes.clone() {
            if let Node::And(a, b) = net.nodes[node] {
                for outside in [a, b].into_iter().filter(|s| !block.nodes.contains(&s.node())) {
                    self.signal(time, outside);
                }
            }
        }
        for &(_, outside) in block.feedback.iter().filter(|(_, s)| !block.nodes.contains(&s.node())) {
            self.signal(time, outside);
        }
        for _ in 0..=block.feedback.len() {
            for node in block.nodes.clone() {
                if let Node::And(a, b) = net.nodes[node] {
                    let (a, b) = (self.known(time, a), self.known(time, b));
                    let lit = self.solver.and(a, b);
                    self.frames[time].nodes[node] = Some(lit);
                }
            }
            let values: Vec<Lit> = block.feedback.iter().map(|&(_, s)| self.known(time, s)).collect();
            let mut changed = false;
            for (&(variable, _), value) in block.feedback.iter().zip(values) {
                changed |= self.frames[time].nodes[variable].replace(value) != Some(value);
            }
            if !changed {
                break;
            }
        }
    }

    /// The literal that says that nothing follows a frame; [`Sheet::bind`] gives it its meaning.
    fn ended(&mut self, time: usize) -> Lit {
        self.signal(time, Signal::TRUE);
        if self.frames[time].ended.is_none() {
            self.frames[time].ended = Some(self.solver.fresh());
        }
        self.frames[time].ended.unwrap_or_else(|| self.solver.truth())
    }

    /// Asserts that the game has ended, or that each role makes exactly one move and it is legal.
    fn bind(&mut self, time: usize) {
        let net = self.system.net();
        let ended = self.ended(time);
        let mut reasons = vec![self.signal(time, net.terminal)];
        let mut moves = vec![Vec::new(); net.legal.len()];
        for (node, kind) in net.nodes.iter().enumerate() {
            if let Node::Move(role, action) = *kind {
                let made = self.signal(time, self.system.net().signal(node));
                let legal = self.signal(time, net.legal[role as usize][action as usize]);
                self.solver.clause([!made, legal]);
                moves[role as usize].push((made, legal));
            }
        }
        for list in moves {
            reasons.push(!self.solver.or_all(list.iter().map(|&(_, legal)| legal)));
            self.solver.clause(list.iter().map(|&(made, _)| made).chain([ended]));
            self.at_most_one(&list.iter().map(|&(made, _)| made).collect::<Vec<Lit>>());
        }
        let reason = self.solver.or_all(reasons);
        self.solver.clause([!ended, reason]);
        self.solver.clause([ended, !reason]);
    }

    /// Asserts that the game goes on until frame `end`.
    fn path(&mut self, end: usize) {
        for time in 0..end {
            let ended = self.ended(time);
            self.solver.clause([!ended]);
        }
    }

    /// Asserts that the game has ended, or that each role makes exactly one move; of its legality only what that demands of
    /// fluents.
    fn bind_lightly(&mut self, time: usize) {
        let (net, system) = (self.system.net(), self.system);
        let ended = self.ended(time);
        let mut moves = vec![Vec::new(); net.legal.len()];
        for (node, kind) in net.nodes.iter().enumerate() {
            if let Node::Move(role, action) = *kind {
                let made = self.signal(time, self.system.net().signal(node));
                for demand in system.demands(RoleId(role), MoveId(action)) {
                    let demanded = self.signal(time, demand);
                    self.solver.clause([!made, demanded]);
                }
                moves[role as usize].push(made);
            }
        }
        for list in moves {
            self.solver.clause(list.iter().copied().chain([ended]));
            self.at_most_one(&list);
        }
    }

    /// Two moves differ in a bit of their numbers, so at most one is made.
    fn at_most_one(&mut self, list: &[Lit]) {
        let bits = usize::BITS - list.len().leading_zeros();
        for bit in 0..bits {
            let code = self.solver.fresh();
            for (number, &made) in list.iter().enumerate() {
                self.solver.clause([!made, if number >> bit & 1 == 1 { code } else { !code }]);
            }
        }
    }

    /// Shows that there is no model: without a word about moves if that is enough, else with all about the
    /// moves of the frames before `end`.
    fn refute(mut self, end: usize, flaw: Flaw) -> Result<(), Flaw> {
        if self.is_refuted()? { Ok(()) } else { self.refute_with_moves(end, flaw) }
    }

    /// As `refute`, where saying nothing about moves is known not to be enough.
    fn refute_with_moves(mut self, end: usize, flaw: Flaw) -> Result<(), Flaw> {
        (0..end).for_each(|time| self.bind(time));
        if self.is_refuted()? { Ok(()) } else { Err(flaw) }
    }

    /// True if what is written has no model.
    fn is_refuted(&mut self) -> Result<bool, Exceeded> {
        Ok(self.solver.solve(&[])? == Outcome::Unsatisfiable)
    }

    fn lemma(&mut self, time: usize, lemma: &Lemma) -> Lit {
        match lemma {
            Lemma::AtMostOne(fluents) | Lemma::ExactlyOne(fluents) => {
                let list: Vec<Lit> = fluents.iter().map(|&f| self.fluent(time, f)).collect();
                let counts = self.solver.at_least(list, 2);
                match lemma {
                    Lemma::ExactlyOne(_) => self.solver.and(counts[0], !counts[1]),
                    _ => !counts[1],
                }
            }
            Lemma::Clause(literals) => {
                let list: Vec<Lit> = literals
                    .iter()
                    .map(|&(f, value)| if value { self.fluent(time, f) } else { !self.fluent(time, f) })
                    .collect();
                self.solver.or_all(list)
            }
        }
    }

    fn fluent(&mut self, time: usize, fluent: FluentId) -> Lit {
        self.signal(time, self.system.input(fluent))
    }

    fn property(&mut self, time: usize, property: &Property) -> Lit {
        let mut values = vec![None; property.variables];
        self.expression(time, property, &property.root, &mut values)
    }

    fn expression(
        &mut self,
        time: usize,
        property: &Property,
        expression: &Expression,
        values: &mut Vec<Option<TermId>>,
    ) -> Lit {
        match expression {
            Expression::Atom(atom) => self.atom(time, property, atom.question, &atom.arguments, values),
            Expression::Equal(a, b) => self.solver.constant(matches(&property.terms, a, b, values)),
            Expression::Not(inner) => !self.expression(time, property, inner, values),
            Expression::And(parts) | Expression::Or(parts) => {
                let list: Vec<Lit> =
                    parts.iter().map(|part| self.expression(time, property, part, values)).collect();
                match expression {
                    Expression::And(_) => self.solver.and_all(list),
                    _ => self.solver.or_all(list),
                }
            }
            Expression::Iff(a, b) => {
                let a = self.expression(time, property, a, values);
                let b = self.expression(time, property, b, values);
                let (both, neither) = (self.solver.and(a, b), self.solver.and(!a, !b));
                self.solver.or(both, neither)
            }
            Expression::Next(inner) => {
                let then = self.expression(time + 1, property, inner, values);
                let ended = self.ended(time);
                self.solver.or(ended, then)
            }
            Expression::All { variables, body } | Expression::Count { variables, body, .. } => {
                let mut list = Vec::new();
                self.instances(time, property, variables, body, values, &mut list);
                let Expression::Count { least, most, .. } = expression else {
                    return self.solver.and_all(list);
                };
                let bound = (*least).max(most.map_or(0, |most| most + 1)).min(list.len() + 1);
                let counts = self.solver.at_least(list, bound);
                let reached = |solver: &Solver, number: usize| match number {
                    0 => solver.truth(),
                    _ => counts.get(number - 1).copied().unwrap_or(!solver.truth()),
                };
                let enough = reached(&self.solver, *least);
                let over = most.map_or(!self.solver.truth(), |most| reached(&self.solver, most + 1));
                self.solver.and(enough, !over)
            }
        }
    }

    fn instances(
        &mut self,
        time: usize,
        property: &Property,
        variables: &[(usize, Vec<TermId>)],
        body: &Expression,
        values: &mut Vec<Option<TermId>>,
        list: &mut Vec<Lit>,
    ) {
        match variables.split_first() {
            None => list.push(self.expression(time, property, body, values)),
            Some(((variable, domain), rest)) => {
                for &value in domain {
                    values[*variable] = Some(value);
                    self.instances(time, property, rest, body, values, list);
                }
            }
        }
    }

    fn atom(
        &mut self,
        time: usize,
        property: &Property,
        question: Question,
        arguments: &[Arg],
        values: &[Option<TermId>],
    ) -> Lit {
        let never = self.solver.constant(false);
        let arguments: Option<Vec<TermId>> =
            arguments.iter().map(|argument| ground(&property.terms, argument, values)).collect();
        let Some(arguments) = arguments else { return never };
        let (net, vocabulary) = (self.system.net(), self.system.vocabulary());
        let role = |term: TermId| vocabulary.find_role(term);
        let signal = match question {
            Question::True => vocabulary.find_fluent(arguments[0]).map(|fluent| self.system.input(fluent)),
            Question::Legal => role(arguments[0]).and_then(|role| {
                let action = vocabulary.find_move(role, arguments[1])?;
                Some(net.legal[role.index()][action.index()])
            }),
            Question::Terminal => Some(net.terminal),
            Question::Role => role(arguments[0]).map(|_| Signal::TRUE),
            Question::Relation(relation) => Some(self.system.answer(relation, &arguments)),
        };
        signal.map_or(never, |signal| self.signal(time, signal))
    }
}
