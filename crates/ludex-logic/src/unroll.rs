//! Bounded model checking: a system written out over several moments, as clauses.
//!
//! Frame 0 is any state, or a given one; a fluent of frame `t + 1` is the signal that gives it from frame `t`.
//! Only what is asked for is written: a question about one fluent costs the gates that this fluent depends on,
//! and where a state or moves are given, constants are folded until little or nothing remains.
//!
//! **Moves.** The `next` signals mean something only while exactly one move of each role is on. A move that is
//! written excludes the other moves of its role (each has a number, in binary) and is legal. That some move is
//! made, and that the game goes on, is added by [`Unrolling::complete`]. Without it there are more models than
//! transitions, so "no model" is already a proof; a model is a counterexample only when all frames are complete.
//!
//! **Recursion.** The variables of a block are the least fixpoint: the block is computed as often as it has
//! variables, from false, with constants folded and equal gates shared. Where that is too large only the
//! fixpoint equation is written, which again allows more models ([`Unrolling::is_exact`]).

use crate::formula::{Arg, Atom, Expression, Property, Question};
use crate::solver::{Lit, Outcome, Solver};
use crate::transition::System;
use hashbrown::HashMap;
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::propnet::{Node, Signal};
use ludex_engine::row;
use ludex_engine::terms::{TermId, Terms};
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};

/// Gates that the exact form of one block may take in one frame.
const MOST_BLOCK_GATES: usize = 400_000;

/// Where frame 0 begins.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// In any state at all.
    Anywhere,
    /// In this one.
    State(&'a [u64]),
}

/// Some moments of a game as clauses.
#[derive(Debug)]
pub struct Unrolling<'s> {
    /// The clauses.
    pub solver: Solver,
    system: &'s System,
    start: Option<Vec<u64>>,
    frames: Vec<Frame>,
    /// The block of each variable of a block, and the signal that gives its value.
    feedback: HashMap<usize, (usize, Signal)>,
    /// Moves that were written and whose legality was not yet.
    pending: Vec<(usize, RoleId, MoveId)>,
    /// Legality binds while this holds: the constant, unless someone must reason without it.
    strict: Lit,
    /// Of legality only what it demands of fluents is written.
    is_light: bool,
    exact: bool,
}

#[derive(Debug)]
struct Frame {
    /// The literal of each node, where it is written.
    nodes: Vec<Option<Lit>>,
    /// For each role the bits of the number of its move.
    codes: Vec<Vec<Lit>>,
    moves: Vec<Vec<Option<Lit>>>,
    given: Option<Vec<MoveId>>,
    ended: Option<Lit>,
    complete: bool,
}

impl<'s> Unrolling<'s> {
    /// Frame 0 of the system.
    pub fn new(system: &'s System, start: Start<'_>, budget: &Budget) -> Unrolling<'s> {
        let solver = Solver::new(budget);
        let mut feedback = HashMap::new();
        for (position, block) in system.net().blocks.iter().enumerate() {
            for &(variable, signal) in &block.feedback {
                feedback.insert(variable, (position, signal));
            }
        }
        let start = match start {
            Start::Anywhere => None,
            Start::State(row) => Some(row.to_vec()),
        };
        let strict = solver.truth();
        let pending = Vec::new();
        Unrolling {
            solver,
            system,
            start,
            frames: Vec::new(),
            feedback,
            pending,
            strict,
            is_light: false,
            exact: true,
        }
    }

    /// Of the legality of moves writes only what it demands of fluents ([`System::demands`]): far fewer clauses where the
    /// legality of a move depends on the whole board. "No model" is a proof all the same; frames are not to be
    /// completed but by [`Unrolling::complete_lightly`]. Before anything is written.
    pub fn light(&mut self) {
        self.is_light = true;
    }

    /// The system.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// Makes legality bind only under a new literal, which is returned. Before anything is written.
    pub fn legality_on_demand(&mut self) -> Lit {
        self.strict = self.solver.fresh();
        self.strict
    }

    /// False if a recursive component was too large for its exact form: models may then be no real plays.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    fn frame(&mut self, time: usize) -> &mut Frame {
        let vocabulary = self.system.vocabulary();
        while self.frames.len() <= time {
            self.frames.push(Frame {
                nodes: vec![None; self.system.net().nodes.len()],
                codes: vec![Vec::new(); vocabulary.role_count()],
                moves: vocabulary.roles().map(|role| vec![None; vocabulary.move_count(role)]).collect(),
                given: None,
                ended: None,
                complete: false,
            });
        }
        &mut self.frames[time]
    }

    /// Fixes the joint move of a frame. Before any of its moves is written.
    pub fn give_moves(&mut self, time: usize, joint: &[MoveId]) {
        self.frame(time).given = Some(joint.to_vec());
    }

    /// The literal of a fluent.
    pub fn fluent(&mut self, time: usize, fluent: FluentId) -> Lit {
        match time {
            0 => self.signal(0, self.system.input(fluent)),
            _ => self.signal(time - 1, self.system.net().next[fluent.index()]),
        }
    }

    /// The literal of a signal, written with all that it depends on.
    pub fn signal(&mut self, time: usize, signal: Signal) -> Lit {
        let lit = self.written(time, signal);
        while let Some((time, role, action)) = self.pending.pop() {
            let demands = match self.is_light {
                true => self.system.demands(role, action),
                false => vec![self.system.net().legal[role.index()][action.index()]],
            };
            for demand in demands {
                let demanded = self.written(time, demand);
                let made = self.action(time, role, action);
                let strict = self.strict;
                self.solver.clause([!strict, !made, demanded]);
            }
        }
        lit
    }

    fn written(&mut self, time: usize, signal: Signal) -> Lit {
        let mut open = vec![(time, signal.node())];
        while let Some(&(at, node)) = open.last() {
            if !self.solver.step() {
                break;
            }
            self.frame(at);
            if self.frames[at].nodes[node].is_some() {
                open.pop();
                continue;
            }
            let lit = match self.system.net().nodes[node] {
                Node::False => Some(self.solver.constant(false)),
                Node::Fluent(fluent) => self.input(at, FluentId(fluent), &mut open),
                Node::Move(role, action) => Some(self.action(at, RoleId(role), MoveId(action))),
                Node::And(a, b) => self.both(at, a, b, &mut open),
                Node::Feedback => self.block(at, node, &mut open),
            };
            if let Some(lit) = lit {
                self.frames[at].nodes[node] = Some(lit);
                open.pop();
            }
        }
        self.read(time, signal).unwrap_or_else(|| self.solver.constant(false))
    }

    /// The literal of a signal that is written. Work that was called off may have no such frame.
    fn read(&self, time: usize, signal: Signal) -> Option<Lit> {
        let lit = self.frames.get(time)?.nodes[signal.node()]?;
        Some(if signal.is_inverted() { !lit } else { lit })
    }

    fn input(&mut self, time: usize, fluent: FluentId, open: &mut Vec<(usize, usize)>) -> Option<Lit> {
        if time == 0 {
            let given = self.start.as_ref().map(|state| row::holds(state, fluent));
            return Some(match given {
                Some(value) => self.solver.constant(value),
                None => self.solver.fresh(),
            });
        }
        let source = self.system.net().next[fluent.index()];
        let lit = self.read(time - 1, source);
        if lit.is_none() {
            open.push((time - 1, source.node()));
        }
        lit
    }

    fn both(&mut self, time: usize, a: Signal, b: Signal, open: &mut Vec<(usize, usize)>) -> Option<Lit> {
        // The left side alone may decide; then the right is never written.
        let Some(left) = self.read(time, a) else {
            open.push((time, a.node()));
            return None;
        };
        if self.solver.known(left) == Some(false) {
            return Some(left);
        }
        let Some(right) = self.read(time, b) else {
            open.push((time, b.node()));
            return None;
        };
        Some(self.solver.and(left, right))
    }

    /// The move of a role in a frame. Writing one excludes the others of the role.
    pub fn action(&mut self, time: usize, role: RoleId, action: MoveId) -> Lit {
        let frame = self.frame(time);
        if let Some(lit) = frame.moves[role.index()][action.index()] {
            return lit;
        }
        let given = frame.given.as_ref().map(|joint| joint[role.index()] == action);
        let lit = match given {
            Some(value) => self.solver.constant(value),
            None => {
                let lit = self.solver.fresh();
                let count = self.system.vocabulary().move_count(role);
                let bits = usize::BITS - count.saturating_sub(1).leading_zeros();
                while self.frames[time].codes[role.index()].len() < bits as usize {
                    let bit = self.solver.fresh();
                    self.frames[time].codes[role.index()].push(bit);
                }
                for bit in 0..bits as usize {
                    let code = self.frames[time].codes[role.index()][bit];
                    let code = if action.index() >> bit & 1 == 1 { code } else { !code };
                    self.solver.clause([!lit, code]);
                }
                self.pending.push((time, role, action));
                lit
            }
        };
        self.frames[time].moves[role.index()][action.index()] = Some(lit);
        lit
    }

    /// Writes the block of a variable, exactly if that is affordable.
    fn block(&mut self, time: usize, variable: usize, open: &mut Vec<(usize, usize)>) -> Option<Lit> {
        let (position, _) = self.feedback[&variable];
        let block = &self.system.net().blocks[position];
        // Everything that the block reads from outside comes first.
        let inside = |node: usize| block.nodes.contains(&node);
        let mut waiting = false;
        for node in block.nodes.clone() {
            let reads: &[Signal] = match &self.system.net().nodes[node] {
                Node::And(a, b) => &[*a, *b],
                _ => &[],
            };
            for signal in reads.iter().filter(|signal| !inside(signal.node())) {
                if self.read(time, *signal).is_none() {
                    open.push((time, signal.node()));
                    waiting = true;
                }
            }
        }
        for (_, signal) in block.feedback.iter().filter(|(_, signal)| !inside(signal.node())) {
            if self.read(time, *signal).is_none() {
                open.push((time, signal.node()));
                waiting = true;
            }
        }
        if waiting {
            return None;
        }
        let rounds = block.feedback.len();
        if rounds * block.nodes.len() > MOST_BLOCK_GATES {
            self.exact = false;
            return Some(self.equations(time, position, variable));
        }
        let falsity = self.solver.constant(false);
        let mut values: Vec<Lit> = vec![falsity; rounds];
        for _ in 0..rounds {
            let next = self.round(time, position, &values);
            if next == values {
                break;
            }
            values = next;
        }
        for (&(variable, _), value) in block.feedback.iter().zip(values) {
            self.frames[time].nodes[variable] = Some(value);
        }
        self.frames[time].nodes[variable]
    }

    /// The values of a block's variables computed once more.
    fn round(&mut self, time: usize, position: usize, values: &[Lit]) -> Vec<Lit> {
        let net = self.system.net();
        let block = &net.blocks[position];
        let start = block.nodes.start;
        let mut inner: Vec<Lit> = vec![self.solver.constant(false); block.nodes.len()];
        for (&(variable, _), &value) in block.feedback.iter().zip(values) {
            inner[variable - start] = value;
        }
        let lit = |unrolling: &Self, inner: &[Lit], signal: Signal| {
            if block.nodes.contains(&signal.node()) {
                let lit = inner[signal.node() - start];
                return if signal.is_inverted() { !lit } else { lit };
            }
            unrolling.read(time, signal).unwrap_or_else(|| unrolling.solver.constant(false))
        };
        for node in block.nodes.clone() {
            if let Node::And(a, b) = net.nodes[node] {
                let (a, b) = (lit(self, &inner, a), lit(self, &inner, b));
                inner[node - start] = self.solver.and(a, b);
            }
        }
        block.feedback.iter().map(|&(_, signal)| lit(self, &inner, signal)).collect()
    }

    /// Writes that the variables of a block are a fixpoint, not that it is the least.
    fn equations(&mut self, time: usize, position: usize, wanted: usize) -> Lit {
        let feedback = &self.system.net().blocks[position].feedback;
        let values: Vec<Lit> = feedback.iter().map(|_| self.solver.fresh()).collect();
        let next = self.round(time, position, &values);
        for (&value, &again) in values.iter().zip(&next) {
            self.solver.clause([!value, again]);
            self.solver.clause([value, !again]);
        }
        let mut result = self.solver.constant(false);
        for (&(variable, _), &value) in feedback.iter().zip(&values) {
            self.frames[time].nodes[variable] = Some(value);
            if variable == wanted {
                result = value;
            }
        }
        result
    }

    /// The literal that says that nothing follows a frame. It means something only once the frame is complete.
    pub fn ended(&mut self, time: usize) -> Lit {
        if let Some(lit) = self.frame(time).ended {
            return lit;
        }
        let lit = self.solver.fresh();
        self.frames[time].ended = Some(lit);
        lit
    }

    /// Adds all that makes a frame's models real: the game has ended, or each role makes a legal move.
    pub fn complete(&mut self, time: usize) {
        if std::mem::replace(&mut self.frame(time).complete, true) {
            return;
        }
        let system = self.system;
        let ended = self.ended(time);
        let mut reasons = vec![self.signal(time, system.net().terminal)];
        for role in system.vocabulary().roles() {
            let legal: Vec<Lit> = system
                .moves(role)
                .map(|m| self.signal(time, system.net().legal[role.index()][m.index()]))
                .collect();
            reasons.push(!self.solver.or_all(legal.iter().copied()));
            let mut made = vec![!self.strict, ended];
            for (action, legal) in system.moves(role).zip(legal) {
                if self.solver.known(legal) == Some(false) {
                    let lit = self.action(time, role, action);
                    let strict = self.strict;
                    self.solver.clause([!strict, !lit]);
                } else {
                    made.push(self.action(time, role, action));
                }
            }
            self.solver.clause(made);
        }
        let reason = self.solver.or_all(reasons);
        self.solver.clause([!ended, reason]);
        self.solver.clause([ended, !reason]);
        // The legality of the moves that were just written.
        let truth = Signal::TRUE;
        self.signal(time, truth);
    }

    /// Adds that the game has ended or each role makes a move, of whose legality [`Unrolling::light`] says how much is
    /// written.
    pub fn complete_lightly(&mut self, time: usize) {
        let system = self.system;
        let ended = self.ended(time);
        for role in system.vocabulary().roles() {
            let mut made = vec![!self.strict, ended];
            made.extend(system.moves(role).map(|action| self.action(time, role, action)));
            self.solver.clause(made);
        }
        self.signal(time, Signal::TRUE);
    }

    /// Asserts that the number of a role's move in the next frame is greater than in this one, unless nothing follows the
    /// next. Both frames are complete. Where moves can be made in any order this leaves one order of many.
    pub fn ascend(&mut self, time: usize, role: RoleId) {
        let [now, next] = [time, time + 1].map(|at| self.frame(at).codes[role.index()].clone());
        let mut less = self.solver.constant(false);
        for (a, b) in now.into_iter().zip(next) {
            let (rises, falls) = (self.solver.and(!a, b), self.solver.and(a, !b));
            let kept = self.solver.and(less, !falls);
            less = self.solver.or(rises, kept);
        }
        let ended = self.ended(time + 1);
        self.solver.clause([ended, less]);
    }

    /// Asserts that a move follows a frame.
    pub fn go_on(&mut self, time: usize) {
        let ended = self.ended(time);
        self.solver.clause([!ended]);
    }

    /// True if something that was written depends on the fluent of frame 0.
    pub fn is_written(&self, fluent: FluentId) -> bool {
        let node = self.system.input(fluent).node();
        self.frames.first().is_some_and(|frame| frame.nodes[node].is_some())
    }

    /// The literal of a property of the sequence that begins at a frame.
    pub fn property(&mut self, time: usize, property: &Property) -> Lit {
        let mut values = vec![None; property.variables];
        self.expression(time, property, &property.root, &mut values)
    }

    /// The literal of one of the [`Property::parts`] of a property.
    pub fn part(&mut self, time: usize, property: &Property, part: usize) -> Lit {
        let (expression, mut values) = property.part(part);
        self.expression(time, property, expression, &mut values)
    }

    fn expression(
        &mut self,
        time: usize,
        property: &Property,
        expression: &Expression,
        values: &mut Vec<Option<TermId>>,
    ) -> Lit {
        match expression {
            Expression::Atom(atom) => self.atom(time, &property.terms, atom, values),
            Expression::Equal(left, right) => {
                let equal = matches(&property.terms, left, right, values);
                self.solver.constant(equal)
            }
            Expression::Not(inner) => !self.expression(time, property, inner, values),
            Expression::And(parts) => {
                let list: Vec<Lit> =
                    parts.iter().map(|part| self.expression(time, property, part, values)).collect();
                self.solver.and_all(list)
            }
            Expression::Or(parts) => {
                let list: Vec<Lit> =
                    parts.iter().map(|part| self.expression(time, property, part, values)).collect();
                self.solver.or_all(list)
            }
            Expression::Iff(a, b) => {
                let a = self.expression(time, property, a, values);
                let b = self.expression(time, property, b, values);
                let (both, neither) = (self.solver.and(a, b), self.solver.and(!a, !b));
                self.solver.or(both, neither)
            }
            Expression::Next(inner) => {
                let ended = self.ended(time);
                let then = self.expression(time + 1, property, inner, values);
                self.solver.or(ended, then)
            }
            Expression::All { variables, body } => {
                let list = self.instances(time, property, variables, body, values);
                self.solver.and_all(list)
            }
            Expression::Count { variables, least, most, body } => {
                let list = self.instances(time, property, variables, body, values);
                let bound = least.max(&most.map_or(0, |most| most + 1)).to_owned().min(list.len() + 1);
                let counts = self.solver.at_least(list, bound);
                let reached = |counts: &[Lit], solver: &Solver, number: usize| match number {
                    0 => solver.truth(),
                    _ => counts.get(number - 1).copied().unwrap_or(!solver.truth()),
                };
                let enough = reached(&counts, &self.solver, *least);
                let too_many =
                    most.map_or(!self.solver.truth(), |most| reached(&counts, &self.solver, most + 1));
                self.solver.and(enough, !too_many)
            }
        }
    }

    /// The body for each combination of the variables' values.
    fn instances(
        &mut self,
        time: usize,
        property: &Property,
        variables: &[(usize, Vec<TermId>)],
        body: &Expression,
        values: &mut Vec<Option<TermId>>,
    ) -> Vec<Lit> {
        let Some(((variable, domain), rest)) = variables.split_first() else {
            return vec![self.expression(time, property, body, values)];
        };
        let mut list = Vec::new();
        for &value in domain {
            values[*variable] = Some(value);
            list.extend(self.instances(time, property, rest, body, values));
        }
        values[*variable] = None;
        list
    }

    fn atom(&mut self, time: usize, terms: &Terms, atom: &Atom, values: &[Option<TermId>]) -> Lit {
        let never = self.solver.constant(false);
        let arguments: Option<Vec<TermId>> =
            atom.arguments.iter().map(|argument| ground(terms, argument, values)).collect();
        // A term that is in no table is nothing that can hold.
        let Some(arguments) = arguments else { return never };
        let system = self.system;
        let vocabulary = system.vocabulary();
        let find_role = |term: TermId| vocabulary.find_role(term);
        match atom.question {
            Question::True => match vocabulary.find_fluent(arguments[0]) {
                Some(fluent) => self.fluent(time, fluent),
                None => never,
            },
            Question::Legal => {
                let found = find_role(arguments[0])
                    .and_then(|role| Some((role, vocabulary.find_move(role, arguments[1])?)));
                match found {
                    Some((role, action)) => {
                        self.signal(time, system.net().legal[role.index()][action.index()])
                    }
                    None => never,
                }
            }
            Question::Terminal => self.signal(time, system.net().terminal),
            Question::Role => self.solver.constant(find_role(arguments[0]).is_some()),
            Question::Relation(relation) => {
                let signal = system.answer(relation, &arguments);
                self.signal(time, signal)
            }
        }
    }

    /// Searches for a model in which the assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Result<Outcome, Exceeded> {
        self.solver.solve(assumptions)
    }

    /// The joint move of a complete frame in the model.
    pub fn joint(&self, time: usize) -> Option<Vec<MoveId>> {
        let frame = self.frames.get(time)?;
        if let Some(given) = &frame.given {
            return Some(given.clone());
        }
        let made = |list: &Vec<Option<Lit>>| {
            let on = |lit: &Option<Lit>| lit.is_some_and(|lit| self.solver.value(lit));
            list.iter().position(on).map(|action| MoveId(action as u32))
        };
        frame.moves.iter().map(made).collect()
    }

    /// The joint moves of the model from frame 0 until nothing follows, at most as many as frames are complete.
    pub fn line(&self) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        for (time, frame) in self.frames.iter().enumerate() {
            let ended = frame.ended.is_none_or(|lit| self.solver.value(lit));
            match self.joint(time).filter(|_| frame.complete && !ended) {
                Some(joint) => line.push(joint),
                None => break,
            }
        }
        line
    }
}

/// The term that an argument stands for, if the table has it.
pub(crate) fn ground(terms: &Terms, argument: &Arg, values: &[Option<TermId>]) -> Option<TermId> {
    match argument {
        Arg::Variable(number) => values[*number],
        Arg::Ground(id) => Some(*id),
        Arg::Compound(name, arguments) => {
            let arguments: Vec<TermId> =
                arguments.iter().map(|argument| ground(terms, argument, values)).collect::<Option<_>>()?;
            terms.find(*name, &arguments)
        }
    }
}

/// True if two arguments stand for the same term. Terms that are in no table are compared part by part.
pub(crate) fn matches(terms: &Terms, left: &Arg, right: &Arg, values: &[Option<TermId>]) -> bool {
    match (ground(terms, left, values), ground(terms, right, values)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => match (left, right) {
            (Arg::Compound(f, a), Arg::Compound(g, b)) => {
                f == g && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| matches(terms, a, b, values))
            }
            _ => false,
        },
        _ => false,
    }
}
