//! Ground rules to network.
//!
//! The inferential frame problem shows here as a disjunction over all moves that leave a fluent alone:
//! `next(f)` if `f` and one of a hundred moves was made. Each role makes exactly one move, so a disjunction
//! over most of a role's moves is the negation of the disjunction over the few others; that makes the
//! network linear in what moves touch.

use super::ground::{AtomId, Ground, GroundLiteral};
use super::net::{Block, Net, NetBuilder, Node, Signal, TICKS_A_GATE};
use crate::budget::{Exceeded, Meter};
use crate::engine::Goal;
use crate::frontend::{Base, Program, Shape, Stay};
use crate::outputs::Instance;
use crate::terms::{TermId, Terms};
use crate::vocabulary::{MoveId, RoleId, Vocabulary};
use hashbrown::{HashMap, HashSet};
use ludex_gdl::analysis::dependencies::Phase;
use ludex_gdl::analysis::graph::components_within;
use std::collections::BTreeMap;

/// Builds the network of a game.
pub(crate) fn build(
    base: &Base,
    ground: &Ground,
    vocabulary: &Vocabulary,
    meter: &mut Meter,
) -> Result<Net, Exceeded> {
    let mut builder = Builder {
        net: NetBuilder::new(),
        signals: vec![None; ground.atoms],
        choices: HashMap::new(),
        fluent_signals: Vec::new(),
        move_signals: Vec::new(),
        ground,
        meter,
    };
    builder.inputs(&base.program, vocabulary)?;
    builder.atoms()?;
    builder.finish(&base.program, vocabulary)
}

struct Builder<'g> {
    net: NetBuilder,
    /// The signal of each atom that has been built.
    signals: Vec<Option<Signal>>,
    /// The moves of which an atom is the disjunction, where it is one: *does* atoms, and what only says that
    /// one of some moves is made.
    choices: HashMap<AtomId, Vec<Choice>>,
    /// The signals of the fluents.
    fluent_signals: Vec<Signal>,
    /// For each role the signals of its moves.
    move_signals: Vec<Vec<Signal>>,
    ground: &'g Ground,
    meter: &'g mut Meter,
}

/// One of some moves of a role.
#[derive(Clone, Debug)]
struct Choice {
    role: RoleId,
    /// Ascending.
    moves: Vec<MoveId>,
    /// True if `moves` are those that it is not.
    others: bool,
}

impl Choice {
    /// One of `moves`, or of all but one of `others`; `count` is the number of the role's moves.
    fn union(role: RoleId, count: usize, mut moves: Vec<MoveId>, others: &[&[MoveId]]) -> Choice {
        /// Marking every move costs as much as sorting about this part of them.
        const FEW: usize = 16;
        if others.is_empty() && moves.len() * FEW <= count {
            moves.sort_unstable();
            moves.dedup();
            return Choice { role, moves, others: false };
        }
        let mut marks = vec![false; count];
        moves.iter().for_each(|m| marks[m.index()] = true);
        let Some((first, more)) = others.split_first() else {
            let others = marks.iter().filter(|mark| **mark).count() * 2 > count;
            let moves = (0..).map(MoveId).zip(&marks).filter(|(_, mark)| **mark != others).map(|(m, _)| m);
            return Choice { role, moves: moves.collect(), others };
        };
        // What none of the parts has.
        let mut missing = first.to_vec();
        missing.retain(|m| !marks[m.index()] && more.iter().all(|other| other.binary_search(m).is_ok()));
        Choice { role, moves: missing, others: true }
    }
}

impl Builder<'_> {
    /// Fluents and moves, in the order of the vocabulary. Atoms of the superset that the vocabulary does not
    /// have never hold.
    fn inputs(&mut self, program: &Program, vocabulary: &Vocabulary) -> Result<(), Exceeded> {
        let fluents: Vec<Signal> =
            vocabulary.fluents().map(|fluent| self.net.input(Node::Fluent(fluent.0))).collect();
        for role in vocabulary.roles() {
            let count = vocabulary.move_count(role) as u32;
            self.move_signals.push((0..count).map(|m| self.net.input(Node::Move(role.0, m))).collect());
        }
        for tables in &program.fluents {
            for (row, columns) in self.ground.store.table(tables.holds).rows().enumerate() {
                self.meter.tick_by(TICKS_A_GATE)?;
                let atom = self.ground.atom(tables.holds, row);
                let fluent =
                    tables.shape.find(vocabulary.terms(), columns).and_then(|t| vocabulary.find_fluent(t));
                self.signals[atom.index()] = Some(fluent.map_or(Signal::FALSE, |f| fluents[f.index()]));
            }
        }
        self.fluent_signals = fluents;
        for tables in &program.moves {
            for (row, columns) in self.ground.store.table(tables.does).rows().enumerate() {
                self.meter.tick_by(TICKS_A_GATE)?;
                let atom = self.ground.atom(tables.does, row);
                let signal = find_move(vocabulary, tables.shape, columns).map(|(role, action)| {
                    self.choices.insert(atom, vec![Choice { role, moves: vec![action], others: false }]);
                    self.move_signals[role.index()][action.index()]
                });
                self.signals[atom.index()] = Some(signal.unwrap_or(Signal::FALSE));
            }
        }
        Ok(())
    }

    /// Builds all atoms, those that feed back into each other together.
    fn atoms(&mut self) -> Result<(), Exceeded> {
        let ground = self.ground;
        // What each atom reads, in one list: there can be millions.
        let (mut graph, mut ends, mut reads) = (Vec::new(), vec![0], Vec::new());
        for atom in 0..ground.atoms as u32 {
            // Inputs are given, whatever rules there may be for them.
            if self.signals[atom as usize].is_none() {
                reads.extend(ground.bodies(AtomId(atom)).flatten().map(|literal| literal.atom().0));
                self.meter.tick_by(1 + 4 * reads.len() as u64)?;
                reads.sort_unstable();
                reads.dedup();
                graph.append(&mut reads);
            }
            ends.push(graph.len());
        }
        let read_by = |atom: usize| &graph[ends[atom]..ends[atom + 1]];
        let components = components_within(ground.atoms, read_by, self.meter)?;
        for component in components.iter() {
            self.meter.tick_by(component.len() as u64)?;
            let alone = component.len() == 1 && !read_by(component[0] as usize).contains(&component[0]);
            if alone {
                let atom = AtomId(component[0]);
                if self.signals[atom.index()].is_none() {
                    let signal = self.disjunction(atom)?;
                    self.signals[atom.index()] = Some(signal);
                }
            } else {
                self.block(component)?;
            }
        }
        Ok(())
    }

    fn block(&mut self, atoms: &[u32]) -> Result<(), Exceeded> {
        let start = self.net.nodes.len();
        let variables: Vec<Signal> = atoms.iter().map(|_| self.net.input(Node::Feedback)).collect();
        for (&atom, &variable) in atoms.iter().zip(&variables) {
            self.signals[atom as usize] = Some(variable);
        }
        let mut feedback = Vec::with_capacity(atoms.len());
        for (&atom, variable) in atoms.iter().zip(&variables) {
            feedback.push((variable.node(), self.disjunction(AtomId(atom))?));
        }
        self.net.blocks.push(Block { nodes: start..self.net.nodes.len(), feedback });
        Ok(())
    }

    fn signal(&self, literal: GroundLiteral) -> Signal {
        let signal = self.signals[literal.atom().index()].expect("what a rule reads is built before");
        if literal.is_negative() { signal.inverse() } else { signal }
    }

    /// The disjunction of an atom's bodies.
    fn disjunction(&mut self, atom: AtomId) -> Result<Signal, Exceeded> {
        let ground = self.ground;
        if ground.bodies(atom).all(|body| body.len() == 1) {
            // Nothing to take out.
            let literals = ground.bodies(atom).map(|body| body[0]);
            let (signal, choices) = self.one_of(literals, Vec::new())?;
            if let Some(choices) = choices {
                self.choices.insert(atom, choices);
            }
            return Ok(signal);
        }
        let bodies: Vec<Vec<GroundLiteral>> = ground.bodies(atom).map(<[_]>::to_vec).collect();
        self.factored(bodies)
    }

    /// A disjunction of conjunctions with common literals taken out: the literal that most bodies share
    /// first, conditions on the state before moves. What then remains of a frame rule is a plain
    /// disjunction of moves.
    fn factored(&mut self, mut bodies: Vec<Vec<GroundLiteral>>) -> Result<Signal, Exceeded> {
        let mut arms = Vec::new();
        loop {
            if bodies.iter().any(Vec::is_empty) {
                return Ok(Signal::TRUE);
            }
            self.meter.tick_by(TICKS_A_GATE * bodies.iter().map(Vec::len).sum::<usize>() as u64)?;
            let common = self.most_common(&bodies);
            let Some(&first) = common.first() else { break };
            let (mut with, without): (Vec<_>, Vec<_>) =
                bodies.into_iter().partition(|body| body.binary_search(&first).is_ok());
            let taken: HashSet<GroundLiteral> = common.iter().copied().collect();
            for body in &mut with {
                body.retain(|literal| !taken.contains(literal));
            }
            let rest = self.factored(with)?;
            let arm = common.iter().rev().fold(rest, |rest, &literal| {
                let signal = self.signal(literal);
                self.net.and(signal, rest)
            });
            arms.push(arm);
            bodies = without;
        }
        let (single, several): (Vec<_>, Vec<_>) = bodies.into_iter().partition(|body| body.len() == 1);
        for body in several {
            let mut parts = body.iter().map(|&literal| self.signal(literal)).collect();
            arms.push(self.net.and_all(&mut parts));
        }
        Ok(self.one_of(single.iter().map(|body| body[0]), arms)?.0)
    }

    /// The literal that most bodies of several literals share, if at least two do; where all bodies share some, all
    /// of these.
    fn most_common(&self, bodies: &[Vec<GroundLiteral>]) -> Vec<GroundLiteral> {
        if bodies.len() < 2 {
            return Vec::new();
        }
        let mut counts: HashMap<GroundLiteral, usize> = HashMap::new();
        for literal in bodies.iter().flatten() {
            *counts.entry(*literal).or_default() += 1;
        }
        let rank = |literal: GroundLiteral, count: usize| {
            (count, !self.choices.contains_key(&literal.atom()), literal)
        };
        let mut shared: Vec<GroundLiteral> =
            counts.iter().filter(|(_, count)| **count == bodies.len()).map(|(literal, _)| *literal).collect();
        if !shared.is_empty() {
            shared.sort_unstable_by_key(|&literal| std::cmp::Reverse(rank(literal, bodies.len())));
            return shared;
        }
        let several = counts.into_iter().filter(|(_, count)| *count > 1);
        let most = several.max_by_key(|&(literal, count)| rank(literal, count));
        most.map(|(literal, _)| literal).into_iter().collect()
    }

    /// The disjunction of the literals and of `arms`; and which moves it is, if it is nothing but moves.
    ///
    /// Exactly one move of each role is made, so one of most of a role's moves is none of the others.
    fn one_of(
        &mut self,
        literals: impl Iterator<Item = GroundLiteral>,
        mut arms: Vec<Signal>,
    ) -> Result<(Signal, Option<Vec<Choice>>), Exceeded> {
        // For each role the moves among the literals, and those of which the literals are all but.
        let mut chosen: BTreeMap<RoleId, (Vec<MoveId>, Vec<&[MoveId]>)> = BTreeMap::new();
        let mut only_moves = arms.is_empty();
        for literal in literals {
            self.meter.tick_by(TICKS_A_GATE)?;
            match self.choices.get(&literal.atom()).map(Vec::as_slice) {
                // Of a single role the inverse is a choice too.
                Some(choices) if !literal.is_negative() || choices.len() == 1 => {
                    for choice in choices {
                        let (moves, others) = chosen.entry(choice.role).or_default();
                        if choice.others == literal.is_negative() {
                            moves.extend_from_slice(&choice.moves);
                        } else {
                            others.push(&choice.moves);
                        }
                    }
                }
                _ => {
                    arms.push(self.signal(literal));
                    only_moves = false;
                }
            }
        }
        let mut choices = Vec::new();
        for (role, (moves, others)) in chosen {
            if !moves.is_empty() || !others.is_empty() {
                let count = self.move_signals[role.index()].len();
                let listed = moves.len() + others.iter().map(|list| list.len()).sum::<usize>();
                self.meter.tick_by((count + 4 * listed) as u64)?;
                choices.push(Choice::union(role, count, moves, &others));
            }
        }
        for choice in &choices {
            self.meter.tick_by(TICKS_A_GATE * choice.moves.len() as u64)?;
            let all = &self.move_signals[choice.role.index()];
            let mut signals = choice.moves.iter().map(|m| all[m.index()]).collect();
            let one = self.net.or_all(&mut signals);
            arms.push(if choice.others { one.inverse() } else { one });
        }
        only_moves &= !choices.is_empty();
        self.meter.tick_by(TICKS_A_GATE * arms.len() as u64)?;
        Ok((self.net.or_all(&mut arms), only_moves.then_some(choices)))
    }

    fn finish(mut self, program: &Program, vocabulary: &Vocabulary) -> Result<Net, Exceeded> {
        let stays = self.stays(program, vocabulary)?;
        let ground = self.ground;
        let store = &ground.store;
        let is_static = |table: crate::frontend::TableId| program.table(table).phase == Phase::Static;
        let signal = |table, row| {
            // What is static and in the table always holds.
            if is_static(table) {
                return Signal::TRUE;
            }
            self.signals[ground.atom(table, row).index()].expect("all atoms are built")
        };
        let mut legal: Vec<Vec<Signal>> =
            vocabulary.roles().map(|role| vec![Signal::FALSE; vocabulary.move_count(role)]).collect();
        for tables in &program.moves {
            for (row, columns) in store.table(tables.legal).rows().enumerate() {
                self.meter.tick_by(TICKS_A_GATE)?;
                if let Some((role, action)) = find_move(vocabulary, tables.shape, columns) {
                    legal[role.index()][action.index()] = signal(tables.legal, row);
                }
            }
        }
        let mut next = vec![Signal::FALSE; vocabulary.fluent_count()];
        for tables in &program.fluents {
            for (row, columns) in store.table(tables.next).rows().enumerate() {
                self.meter.tick_by(TICKS_A_GATE)?;
                let term = tables.shape.find(vocabulary.terms(), columns);
                if let Some(fluent) = term.and_then(|term| vocabulary.find_fluent(term)) {
                    next[fluent.index()] = signal(tables.next, row);
                }
            }
        }
        for (next, stays) in next.iter_mut().zip(stays) {
            *next = self.net.or_all(&mut vec![*next, stays]);
        }
        let terminal =
            if store.table(program.terminal).len() > 0 { signal(program.terminal, 0) } else { Signal::FALSE };
        let mut goals = vec![Vec::new(); vocabulary.role_count()];
        for (row, columns) in store.table(program.goal).rows().enumerate() {
            if let Some(role) = vocabulary.find_role(columns[0]) {
                let name = program.rules.symbols.name(store.terms.functor(columns[1]));
                let value = name.parse::<Goal>().ok().filter(|_| store.terms.is_constant(columns[1]));
                goals[role.index()].push((value, signal(program.goal, row)));
            }
        }
        let rows = |table| (0..store.table(table).len()).map(move |row| (table, row));
        let asked = program.outputs.iter().flat_map(|output| rows(output.table));
        let asked = asked.map(|(table, row)| signal(table, row)).collect();
        Ok(Net { nodes: self.net.nodes, blocks: self.net.blocks, legal, next, terminal, goals, asked })
    }
}

/// The instances of the relations that are outputs, in the order of `Net::asked`, as terms of `terms`.
pub(super) fn instances(base: &Base, ground: &Ground, terms: &mut Terms) -> Vec<Instance> {
    let program = &base.program;
    let mut instances = Vec::new();
    for output in &program.outputs {
        let shape = program.table(output.table).shape;
        instances.extend(ground.store.table(output.table).rows().map(|row| Instance {
            relation: output.relation,
            arguments: output.arguments(shape, terms, row),
        }));
    }
    instances
}

impl Builder<'_> {
    /// In a translated game, for each fluent whether it holds and does not end.
    fn stays(&mut self, program: &Program, vocabulary: &Vocabulary) -> Result<Vec<Signal>, Exceeded> {
        let ground = self.ground;
        let mut stays = vec![Signal::FALSE; vocabulary.fluent_count()];
        for tables in &program.fluents {
            let Stay::Unless(ends) = tables.stay else { continue };
            let find = |columns: &[TermId]| {
                tables.shape.find(vocabulary.terms(), columns).and_then(|term| vocabulary.find_fluent(term))
            };
            for fluent in ground.store.table(tables.holds).rows().filter_map(find) {
                stays[fluent.index()] = self.fluent_signals[fluent.index()];
            }
            for (row, columns) in ground.store.table(ends).rows().enumerate() {
                self.meter.tick_by(TICKS_A_GATE)?;
                let Some(fluent) = find(columns) else { continue };
                // What is static and in the table always ends.
                let is_static = program.table(ends).phase == Phase::Static;
                let ends = match is_static {
                    true => Signal::TRUE,
                    false => self.signals[ground.atom(ends, row).index()].expect("all atoms are built"),
                };
                stays[fluent.index()] = self.net.and(self.fluent_signals[fluent.index()], ends.inverse());
            }
        }
        Ok(stays)
    }
}

fn find_move(vocabulary: &Vocabulary, shape: Shape, columns: &[TermId]) -> Option<(RoleId, MoveId)> {
    let role = vocabulary.find_role(columns[0])?;
    let action = vocabulary.find_move(role, shape.find(vocabulary.terms(), &columns[1..])?)?;
    Some((role, action))
}
