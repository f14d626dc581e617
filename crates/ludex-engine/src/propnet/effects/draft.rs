//! What each move does as signals, before they are compiled.

use super::{Effects, Guards, NO_LIST};
use crate::budget::{Exceeded, Meter};
use crate::propnet::change::{Change, fluents};
use crate::propnet::formula::{Formula, Formulas, Layout, Test};
use crate::propnet::net::{Net, NetBuilder, Node, Signal, TICKS_A_GATE};
use crate::propnet::phase::Phase;
use hashbrown::HashMap;

/// Effects of moves, all moves together.
const MOST_EFFECTS: usize = 400_000;

/// Of these no more than so many for what happens also when nothing is done.
const MOST_WITH_CHOICE: usize = 100_000;

/// Gates that may be looked at for single moves, all moves together: a second or less.
const MOST_WORK: usize = 4_000_000;

/// The effects of moves as signals, before they are compiled.
#[derive(Debug)]
pub(in crate::propnet) struct Draft {
    /// For each role and move its list.
    lists: Vec<Vec<u32>>,
    effects: Vec<Vec<(u32, Effect)>>,
    /// For each layer of cut points (`cut_points.rs`) and each list those that go on, and when.
    cut_points: [Vec<Vec<(u32, Effect)>>; 2],
    /// The conditions that effects mention, in order.
    conditions: Vec<Signal>,
}

/// What happens to a fluent.
#[derive(Clone, Copy, Debug)]
enum Effect {
    Becomes(bool),
    FlipsIf(Signal),
}

impl Draft {
    /// The effects of the moves that may be legal in states of the phase, whose network is `net`. What they
    /// need is added to the nodes of `builder`, which goes on from those of `net`. `None` if that takes too
    /// much work. The signals that `net` is asked for are those of cut points, so many of the first layer.
    pub(in crate::propnet) fn new(
        net: &Net,
        first_layer: usize,
        phase: &Phase,
        builder: &mut NetBuilder,
        meter: &mut Meter,
    ) -> Result<Option<Draft>, Exceeded> {
        let possible = |role: usize| {
            let legal = net.legal[role].iter().enumerate();
            legal.filter(|(_, signal)| **signal != Signal::FALSE).map(|(action, _)| action)
        };
        // What happens also when nothing is done goes into the lists of one role, the one that has a choice if
        // there is one; as far as that role has no influence on it, or that would be too much, into one list for all
        // its moves, and into no other.
        let roles = 0..net.legal.len();
        let main = roles.clone().find(|&role| possible(role).count() > 1).or(roles.clone().next());
        let Some(main) = main else { return Ok(None) };
        let mut drafter = Drafter::new(net, phase, builder, meter)?;
        let mut draft = Draft {
            lists: Vec::new(),
            effects: Vec::new(),
            cut_points: Default::default(),
            conditions: Vec::new(),
        };
        let (mut with_choice, mut common) = drafter.without_moves(main, meter)?;
        if possible(main).count() * with_choice.len() > MOST_WITH_CHOICE {
            common.append(&mut with_choice);
        }
        common.iter().for_each(|&fluent| drafter.common[fluent as usize] = true);
        // Counting is cheap; so what would be too much is not begun.
        let mut count = possible(main).count() * with_choice.len() + common.len();
        for role in roles.clone() {
            for action in possible(role) {
                count += drafter.touched((role as u32, action as u32), meter)?;
                if count > MOST_EFFECTS {
                    return Ok(None);
                }
            }
        }
        for role in roles {
            let off = drafter.switched_off(|r| r as usize == role, meter)?;
            let mut lists = vec![NO_LIST; net.legal[role].len()];
            for action in possible(role) {
                lists[action] = draft.effects.len() as u32;
                let also = if role == main { &with_choice[..] } else { &[] };
                let effects = drafter.effects((role as u32, action as u32), &off, also, meter)?;
                let Some(effects) = effects else { return Ok(None) };
                draft.effects.push(effects);
                draft.cut_points[0].push(drafter.cut_points(first_layer, &off));
            }
            draft.lists.push(lists);
        }
        drafter.stamp += 1;
        let on = drafter.switched_off(|_| false, meter)?;
        let Some(effects) = drafter.classified(&common, &on, meter)? else { return Ok(None) };
        draft.effects.push(effects);
        draft.cut_points[0].push(Vec::new());
        // The second layer does not depend on moves much; it is left to the list for all moves.
        draft.cut_points[1].resize(draft.effects.len() - 1, Vec::new());
        // Disjuncts one by one: each has a cut point of the first layer as its guard.
        let mut late = Vec::new();
        for (cut_point, &signal) in (0u32..).zip(&net.asked).skip(first_layer) {
            let mut open = vec![signal];
            while let Some(signal) = open.pop() {
                match net.nodes[signal.node()] {
                    Node::And(a, b) if signal.is_inverted() => open.extend([a.inverse(), b.inverse()]),
                    _ => late.push((cut_point, Effect::FlipsIf(signal))),
                }
            }
            if late.len() > MOST_EFFECTS {
                return Ok(None);
            }
        }
        draft.cut_points[1].push(late);
        let conditions = draft.effects.iter().chain(draft.cut_points.iter().flatten()).flatten().filter_map(
            |(_, effect)| match effect {
                Effect::FlipsIf(signal) => Some(*signal),
                Effect::Becomes(_) => None,
            },
        );
        let mut conditions: Vec<Signal> = conditions.collect();
        conditions.sort_unstable();
        conditions.dedup();
        Ok(Some(Draft { conditions, ..draft }))
    }

    /// The conditions that effects depend on.
    pub(in crate::propnet) fn conditions(&self) -> &[Signal] {
        &self.conditions
    }

    /// Puts the formulas of the conditions, in their order, into place: for each layer of cut points that there is, and for
    /// the fluents.
    pub(in crate::propnet) fn compile(
        self,
        list: &[Formula],
        formulas: &Formulas,
        layout: &Layout,
    ) -> (Vec<Effects>, Effects) {
        let effects = self.compile_part(&self.effects, 0, list, formulas, layout);
        let bit = |&(cut_point, effect): &(u32, Effect)| (layout.cut_point(cut_point), effect);
        let mut cut_points: Vec<Effects> = Vec::new();
        for layer in &self.cut_points {
            let layer: Vec<Vec<(u32, Effect)>> =
                layer.iter().map(|list| list.iter().map(bit).collect()).collect();
            if layer.iter().any(|list| !list.is_empty()) {
                let code = effects.count() * (1 + cut_points.len());
                cut_points.push(self.compile_part(&layer, code, list, formulas, layout));
            }
        }
        (cut_points, effects)
    }

    fn compile_part(
        &self,
        part: &[Vec<(u32, Effect)>],
        code: usize,
        list: &[Formula],
        formulas: &Formulas,
        layout: &Layout,
    ) -> Effects {
        let acts =
            |lists: &[u32]| lists.iter().any(|&list| list != NO_LIST && !part[list as usize].is_empty());
        let mut effects = Effects {
            acting: (0..self.lists.len()).filter(|&role| acts(&self.lists[role])).collect(),
            lists: self.lists.clone(),
            common: part.len() - 1,
            code,
            starts: Vec::new(),
            patches: Vec::new(),
            conditions: Vec::new(),
            flips: Vec::new(),
            guards: Guards::default(),
        };
        for drafted in part {
            let mut constant = Vec::new();
            // In the order of the conditions, so that the flips of one stand together.
            let mut conditional: Vec<(Signal, u32)> = Vec::new();
            for &(fluent, effect) in drafted {
                match effect {
                    Effect::Becomes(value) => constant.push((fluent, value)),
                    Effect::FlipsIf(signal) => conditional.push((signal, fluent)),
                }
            }
            conditional.sort_unstable();
            let groups = conditional.chunk_by(|a, b| a.0 == b.0).map(|group| {
                let at = self.conditions.partition_point(|condition| *condition < group[0].0);
                let bits: Vec<(u32, bool)> = group.iter().map(|&(_, fluent)| (fluent, true)).collect();
                (formulas.guard(list[at], layout), list[at], Test::all(&bits).unwrap_or_default())
            });
            effects.add_list(Test::all(&constant).unwrap_or_default(), groups.collect());
        }
        effects.starts.push(effects.end());
        // Where the flips of the last condition end.
        effects.conditions.push((Formula::NEVER, effects.flips.len() as u32));
        effects
    }
}

/// Specialises a network to single moves.
struct Drafter<'n> {
    net: &'n Net,
    phase: &'n Phase,
    builder: &'n mut NetBuilder,
    fluents: Vec<Signal>,
    move_nodes: HashMap<(u32, u32), usize>,
    /// For each node those that read it.
    readers: Vec<Vec<u32>>,
    /// For each node the fluents whose next value it is.
    next_of: Vec<Vec<u32>>,
    /// For each node what it becomes under the move at hand; valid if `stamps` says so.
    now: Vec<Signal>,
    stamps: Vec<u32>,
    stamp: u32,
    work: usize,
    /// For each fluent whether it is left to the list for all moves.
    common: Vec<bool>,
}

impl<'n> Drafter<'n> {
    fn new(
        net: &'n Net,
        phase: &'n Phase,
        builder: &'n mut NetBuilder,
        meter: &mut Meter,
    ) -> Result<Drafter<'n>, Exceeded> {
        let n = net.nodes.len();
        let mut move_nodes = HashMap::new();
        let mut readers = vec![Vec::new(); n];
        let mut next_of = vec![Vec::new(); n];
        for (index, node) in net.nodes.iter().enumerate() {
            meter.tick_by(TICKS_A_GATE)?;
            match *node {
                Node::Move(role, action) => _ = move_nodes.insert((role, action), index),
                Node::And(a, b) => {
                    readers[a.node()].push(index as u32);
                    readers[b.node()].push(index as u32);
                }
                Node::False | Node::Fluent(_) | Node::Feedback => {}
            }
        }
        for (fluent, signal) in (0u32..).zip(&net.next) {
            next_of[signal.node()].push(fluent);
        }
        let fluents = fluents(net, builder);
        let (now, stamps) = (vec![Signal::FALSE; n], vec![0; n]);
        let common = vec![false; net.next.len()];
        let (stamp, work) = (0, 0);
        Ok(Drafter {
            net,
            phase,
            builder,
            fluents,
            move_nodes,
            readers,
            next_of,
            now,
            stamps,
            stamp,
            work,
            common,
        })
    }

    /// For each node what it becomes when no move of the roles is made.
    fn switched_off(
        &mut self,
        off: impl Fn(u32) -> bool,
        meter: &mut Meter,
    ) -> Result<Vec<Signal>, Exceeded> {
        let net = self.net;
        let mut signals: Vec<Signal> = Vec::with_capacity(net.nodes.len());
        for (index, node) in net.nodes.iter().enumerate() {
            meter.tick_by(TICKS_A_GATE)?;
            let moved = |signal: Signal| signals[signal.node()].inverse_if(signal.is_inverted());
            signals.push(match *node {
                Node::Move(role, _) if off(role) => Signal::FALSE,
                Node::And(a, b) => {
                    let (x, y) = (moved(a), moved(b));
                    // Untouched gates keep their place.
                    if (x, y) == (a, b) { Signal::plain(index) } else { self.builder.and(x, y) }
                }
                _ => Signal::plain(index),
            });
        }
        Ok(signals)
    }

    /// The fluents that do not simply stay as they are when no move is made: those that moves of the role
    /// have influence on, and the others.
    fn without_moves(&mut self, role: usize, meter: &mut Meter) -> Result<(Vec<u32>, Vec<u32>), Exceeded> {
        // CutPoints are no role's.
        let roles = self.net.legal.len();
        let off = self.switched_off(|r| (r as usize) < roles, meter)?;
        let next = |fluent: u32| {
            let next = self.net.next[fluent as usize];
            off[next.node()].inverse_if(next.is_inverted())
        };
        let known = |fluent: u32| self.phase[fluent as usize].known();
        let changing = (0..self.net.next.len() as u32).filter(|&fluent| {
            let next = next(fluent);
            next != self.fluents[fluent as usize] && (next.known().is_none() || next.known() != known(fluent))
        });
        let mut influenced = vec![false; self.net.nodes.len()];
        for (index, node) in self.net.nodes.iter().enumerate() {
            influenced[index] = match *node {
                Node::Move(r, _) => r as usize == role,
                Node::And(a, b) => influenced[a.node()] || influenced[b.node()],
                Node::False | Node::Fluent(_) | Node::Feedback => false,
            };
        }
        Ok(changing.partition(|&fluent| influenced[self.net.next[fluent as usize].node()]))
    }

    /// The effects of a move, given what nodes become without any move of its role: those that it reaches, and
    /// those on the fluents of `also`. `None` if that is too much work.
    fn effects(
        &mut self,
        action: (u32, u32),
        off: &[Signal],
        also: &[u32],
        meter: &mut Meter,
    ) -> Result<Option<Vec<(u32, Effect)>>, Exceeded> {
        let mut touched: Vec<u32> = also.to_vec();
        let reached = self.reached(action);
        self.work += reached.len();
        meter.tick_by(TICKS_A_GATE * reached.len() as u64)?;
        for node in reached.into_iter().map(|node| node as usize) {
            touched.extend_from_slice(&self.next_of[node]);
            self.now[node] = match self.net.nodes[node] {
                Node::And(a, b) => {
                    let (a, b) = (self.under_move(off, a), self.under_move(off, b));
                    self.builder.and(a, b)
                }
                _ => Signal::TRUE,
            };
        }
        touched.retain(|&fluent| !self.common[fluent as usize]);
        touched.sort_unstable();
        touched.dedup();
        self.classified(&touched, off, meter)
    }

    /// The cut points that the move at hand switches on.
    fn cut_points(&mut self, first_layer: usize, off: &[Signal]) -> Vec<(u32, Effect)> {
        let mut cut_points = Vec::new();
        for (cut_point, &definition) in (0u32..).zip(&self.net.asked[..first_layer]) {
            // One that the move does not reach stays off.
            if self.stamps[definition.node()] == self.stamp {
                let on = self.under_move(off, definition);
                match on.known() {
                    Some(true) => cut_points.push((cut_point, Effect::Becomes(true))),
                    Some(false) => {}
                    None => cut_points.push((cut_point, Effect::FlipsIf(on))),
                }
            }
        }
        cut_points
    }

    /// The nodes that depend on a move, in order, and marks them.
    fn reached(&mut self, action: (u32, u32)) -> Vec<u32> {
        self.stamp += 1;
        let mut reached: Vec<u32> =
            self.move_nodes.get(&action).map(|&node| node as u32).into_iter().collect();
        reached.iter().for_each(|&node| self.stamps[node as usize] = self.stamp);
        let mut at = 0;
        while at < reached.len() {
            for &reader in &self.readers[reached[at] as usize] {
                if self.stamps[reader as usize] != self.stamp {
                    self.stamps[reader as usize] = self.stamp;
                    reached.push(reader);
                }
            }
            at += 1;
        }
        // Each reads earlier ones only.
        reached.sort_unstable();
        reached
    }

    /// How many fluents the move touches.
    fn touched(&mut self, action: (u32, u32), meter: &mut Meter) -> Result<usize, Exceeded> {
        let reached = self.reached(action);
        meter.tick_by(TICKS_A_GATE * reached.len() as u64)?;
        let own = |&fluent: &&u32| !self.common[*fluent as usize];
        Ok(reached.into_iter().map(|node| self.next_of[node as usize].iter().filter(own).count()).sum())
    }

    /// What a signal becomes under the move at hand.
    fn under_move(&self, off: &[Signal], signal: Signal) -> Signal {
        let node = signal.node();
        let new = if self.stamps[node] == self.stamp { self.now[node] } else { off[node] };
        new.inverse_if(signal.is_inverted())
    }

    /// What happens to the fluents under the move at hand.
    fn classified(
        &mut self,
        fluents: &[u32],
        off: &[Signal],
        meter: &mut Meter,
    ) -> Result<Option<Vec<(u32, Effect)>>, Exceeded> {
        self.work += fluents.len();
        let mut effects = Vec::new();
        for &fluent in fluents {
            meter.tick()?;
            if self.work > MOST_WORK {
                return Ok(None);
            }
            let next = self.under_move(off, self.net.next[fluent as usize]);
            let now = self.fluents[fluent as usize];
            if let Some(value) = next.known() {
                effects.push((fluent, Effect::Becomes(value)));
            } else if next != now {
                let Change { falls, rises, work } = Change::new(self.builder, now, next);
                self.work += work;
                meter.tick_by(TICKS_A_GATE * work as u64)?;
                let conditions = [falls, rises].into_iter().filter(|signal| *signal != Signal::FALSE);
                effects.extend(conditions.map(|signal| (fluent, Effect::FlipsIf(signal))));
            }
        }
        Ok(Some(effects))
    }
}
