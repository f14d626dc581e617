//! The source of a batch: the network of its game as a kernel, and what stands around it.
//!
//! Games are each at a ply of their own, so there are no phases: one network takes any state. Small networks are
//! straight-line code, a thread for 32 games; others are tables, as for playouts.

use crate::circuit::{Plane, tables};
use crate::data::Data;
use crate::error::CudaError;
use crate::interpreted::{INTERPRETER, Layout, THREADS, is_soon_compiled};
use crate::lut::Cover;
use crate::source::{PRELUDE, Pass, Shape, put};
use crate::table::{Table, possible_moves};
use ludex_engine::propnet::{Net, Node, Signal};
use std::fmt::Write;

const AROUND: &str = include_str!("around.cu");
const TABLE: &str = include_str!("table.cu");

/// So many tables of three inputs are written as straight-line code: more take the compiler longer than seconds.
const STRAIGHT: usize = 2500;

/// Threads of a block of straight-line code.
pub(crate) const BLOCK: u32 = 128;

/// Planes of a game's age.
const DIGITS: usize = 32;

/// How a network is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As straight-line code.
    Straight,
    /// As a table in shared memory.
    Table,
    /// As a table whose values lie in the device's memory.
    Room,
}

/// Where the planes of a batch are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planes {
    pub(crate) fluents: usize,
    pub(crate) moves: usize,
    pub(crate) roles: usize,
    pub(crate) legal: usize,
    pub(crate) does: usize,
    pub(crate) last: usize,
    text_of: [(&'static str, usize); 15],
}

impl Planes {
    fn new(net: &Net) -> Planes {
        let (fluents, roles) = (net.next.len(), net.legal.len());
        let moves: usize = net.legal.iter().map(|list| possible_moves(list).len()).sum();
        let goals: usize = net.goals.iter().map(Vec::len).sum();
        let mut at = 0;
        let mut next = |name: &'static str, count: usize| {
            at += count;
            (name, at - count)
        };
        next("fluents", fluents);
        // What is zero before actions are read lies together.
        let text_of = [
            next("P_LEGAL", moves),
            next("P_DOES", moves),
            next("P_ILLEGAL", roles),
            next("P_LOST", 1),
            next("P_STEPPING", 1),
            next("P_OVER", 3),
            next("P_SAID", 3),
            next("P_RULED", 1),
            next("P_ENDED", 1),
            next("P_AGAIN", 1),
            next("P_SEVERAL", roles),
            next("P_TERMINAL", 1),
            next("P_GOALS", goals),
            next("P_AGE", DIGITS),
            next("P_LAST", fluents),
        ];
        let [(_, legal), (_, does), ..] = text_of;
        Planes { fluents, moves, roles, legal, does, last: text_of[14].1, text_of }
    }

    /// Planes that are zero before actions are read: made moves, illegal actions, lost games.
    pub(crate) fn zeroed(&self) -> usize {
        self.moves + self.roles + 1
    }

    /// How many planes there are, with or without those of last states.
    pub(crate) fn count(&self, last: bool) -> usize {
        self.last + if last { self.fluents } else { 0 }
    }
}

/// The source of a batch, and how it is laid out.
#[derive(Clone, Debug)]
pub struct BatchSource {
    /// What is defined first; where the lists are that depend on the batch comes after it.
    head: String,
    /// The kernels.
    body: String,
    pub(crate) data: Data,
    pub(crate) planes: Planes,
    /// How the network is written.
    pub form: Form,
    /// Tables of three inputs.
    pub operations: usize,
    /// Words of 32 games of a block, its threads, and bytes of shared memory.
    pub(crate) units: u32,
    pub(crate) block: u32,
    pub(crate) shared: u32,
    /// Bytes of the device's memory that a block computes in.
    pub(crate) room: usize,
}

/// What is computed of the next state, and of a state as it is.
fn outputs(net: &Net) -> [Vec<Signal>; 2] {
    let legal = net.legal.iter().flatten().copied();
    let goals = net.goals.iter().flatten().map(|(_, signal)| *signal);
    [net.next.clone(), legal.chain([net.terminal]).chain(goals).collect()]
}

impl BatchSource {
    /// Writes a network in the form that its counted cost asks for.
    pub fn fitting(net: &Net) -> Result<BatchSource, CudaError> {
        // A table of three inputs takes the place of at most two gates in the mean.
        let outputs = outputs(net);
        let small = outputs.iter().all(|signals| net.cone_size(signals.iter().copied()) <= 4 * STRAIGHT);
        let cost = || outputs.iter().map(|signals| Cover::new(net, signals).size()).sum::<usize>();
        if small && cost() <= STRAIGHT {
            let source = BatchSource::new(net, Form::Straight)?;
            if is_soon_compiled(&source.body, source.planes.fluents) {
                return Ok(source);
            }
        }
        BatchSource::new(net, Form::Table).or_else(|_| BatchSource::new(net, Form::Room))
    }

    /// Writes a network in a form.
    pub fn new(net: &Net, form: Form) -> Result<BatchSource, CudaError> {
        let planes = Planes::new(net);
        if planes.fluents + planes.moves > usize::from(u16::MAX) || planes.roles > 64 {
            let Planes { fluents, moves, roles, .. } = planes;
            return Err(CudaError::Large(format!(
                "{fluents} fluents, {moves} moves and {roles} roles; a batch takes 65535 of the first two together \
                 and 64 roles"
            )));
        }
        let mut text = String::from(PRELUDE);
        let goals: usize = net.goals.iter().map(Vec::len).sum();
        let numbers =
            [("FLUENTS", planes.fluents), ("MOVES", planes.moves), ("ROLES", planes.roles), ("GOALS", goals)];
        for (name, number) in numbers.iter().chain(&planes.text_of) {
            put!(text, "#define {name} {number}u");
        }
        let mut source = BatchSource {
            head: text,
            body: String::from(AROUND),
            data: Data::default(),
            planes,
            form,
            operations: 0,
            units: BLOCK,
            block: BLOCK,
            shared: 0,
            room: 0,
        };
        match form {
            Form::Straight => source.write_straight(net),
            Form::Table | Form::Room => source.write_table(net, form == Form::Room)?,
        }
        Ok(source)
    }

    fn write_straight(&mut self, net: &Net) {
        let [next, look] = outputs(net);
        let mut text = String::new();
        put!(
            text,
            "KERNEL __launch_bounds__({BLOCK}, 1) batch_network(Call c) {{
OWN_WORD
if ((word & ~31ull) * 32u >= c.games) return;
u32 stepping = c.flags & LOOK ? PLANE(P_STEPPING) : LIVE(word) & ~PLANE(P_LOST);
PLANE(P_STEPPING) = stepping;"
        );
        for fluent in 0..self.planes.fluents {
            put!(text, "u32 f{fluent} = PLANE({fluent}u);");
        }
        let pass = |signals: &[Signal]| {
            let mut pass = Pass::new(net, Cover::new(net, signals));
            for (fluent, plane) in pass.fluents.iter_mut().enumerate() {
                *plane = Plane::word(format!("f{fluent}"));
            }
            pass
        };
        let mut advance = pass(&next);
        let needed = net.cone(next.iter().copied());
        let read =
            net.nodes.iter().zip(&needed).filter(|(_, needed)| **needed).filter_map(|(node, _)| match node {
                Node::Move(role, action) => Some((*role, *action)),
                _ => None,
            });
        let read: hashbrown::HashSet<(u32, u32)> = read.collect();
        let mut place = 0;
        for (role, list) in (0u32..).zip(&net.legal) {
            let moves = possible_moves(list);
            for action in &moves {
                let made = if moves.len() == 1 {
                    Some(Plane::TRUE)
                } else {
                    read.contains(&(role, *action)).then(|| {
                        advance.circuit.line(&format!("u32 d{place} = PLANE(P_DOES + {place}u);"));
                        Plane::word(format!("d{place}"))
                    })
                };
                advance.does.extend(made.map(|made| ((role, *action), (made, Plane::TRUE))));
                place += 1;
            }
        }
        let stepping = Plane::word("stepping");
        let blended: Vec<Plane> = (next.iter().zip(advance.fluents.clone()))
            .map(|(signal, old)| {
                let new = advance.value(*signal);
                advance.circuit.table(tables::BLEND, &[&stepping, &new, &old])
            })
            .collect();
        put!(text, "if (!(c.flags & LOOK)) {{\n{}", advance.circuit.text);
        for (fluent, plane) in blended.iter().enumerate() {
            if *plane != Plane::word(format!("f{fluent}")) {
                put!(text, "f{fluent} = {};\nPLANE({fluent}u) = f{fluent};", plane.text());
            }
        }
        put!(text, "}}");
        let mut now = pass(&look);
        let terminal = now.value(net.terminal).text();
        now.circuit.line(&format!("u32 over = {terminal};\nPLANE(P_TERMINAL) = over;"));
        let mut place = 0;
        for list in &net.legal {
            for action in possible_moves(list) {
                let legal = now.value(list[action as usize]).text();
                now.circuit.line(&format!("PLANE(P_LEGAL + {place}u) = {legal};"));
                place += 1;
            }
        }
        now.circuit.line("if (ANY(over & stepping)) {");
        for (place, (_, signal)) in net.goals.iter().flatten().enumerate() {
            let goal = now.value(*signal).text();
            now.circuit.line(&format!("PLANE(P_GOALS + {place}u) = {goal};"));
        }
        now.circuit.line("}");
        put!(text, "{}}}", now.circuit.text);
        self.operations = advance.circuit.operations + now.circuit.operations;
        self.body.push_str(&text);
    }

    /// The text, with what is defined of the batch.
    pub(crate) fn text(&self, defined: &str) -> String {
        [&self.head, defined, &self.body].concat()
    }

    fn write_table(&mut self, net: &Net, room: bool) -> Result<(), CudaError> {
        let Some(table) = Table::for_steps(net) else {
            return Err(CudaError::Large(format!(
                "{} fluents and their gates need too many slots",
                net.next.len()
            )));
        };
        let blocks = if room { 2 } else { 1 };
        let layout = Layout::new(&table, blocks, room, |words| words * 4)?;
        let shape = Shape { block: THREADS, blocks, ..Shape::bounded(u64::MAX) };
        let (text, data) = (&mut self.head, &mut self.data);
        layout.write(text, data, &table, &shape);
        let [next, look] = &table.passes[..] else { unreachable!("there are two passes") };
        data.list(text, "HEADS", [next, look].iter().flat_map(|pass| pass.heads));
        data.list(text, "DOES", next.moves.iter().flatten().map(|(_, does)| *does));
        data.list(text, "LEGAL", look.moves.iter().flatten().map(|(legal, _)| *legal));
        data.list(text, "GOAL_REFS", look.goals.iter().copied());
        put!(text, "#define TERMINAL {}u", look.terminal);
        self.body.push_str(INTERPRETER);
        self.body.push_str(TABLE);
        self.operations = table.gates.len();
        self.units = layout.words as u32;
        self.block = THREADS;
        self.shared = layout.shared(&table);
        self.room = layout.bytes(&table);
        Ok(())
    }
}
