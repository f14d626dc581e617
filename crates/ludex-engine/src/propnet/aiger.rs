//! The network as an AIGER text, for model checkers and circuit tools.
//!
//! [AIGER](https://fmv.jku.at/aiger/) 1.9, ASCII (`aag`), variables in the order that the binary form wants too:
//!
//! - an *input* for each move of each role. In each step exactly one of each role should be on: what holds next is
//!   right under that condition only;
//! - a *latch* for each fluent, with its initial value;
//! - an *output* for each legal move, for the end of the game, for each goal value of each role, and last `step`: in
//!   this state the game goes on, and each role makes exactly one move, a legal one. A tool that should look at
//!   reachable states only takes `step` as a constraint on all steps before.
//!
//! The symbol table names them in KIF. Blocks with feedback are written out, one copy of their gates for each round
//! that their variables can need; where that is too much there is a clean refusal.

use super::Compiled;
use super::net::{Net, NetBuilder, Node, Signal};
use crate::row;
use crate::vocabulary::{MoveId, Vocabulary};
use std::fmt::{self, Write};

/// More gates than this are not written: the text would have a hundred megabytes.
const MOST_GATES: usize = 5_000_000;

/// The network is too large to be written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyGates;

impl fmt::Display for TooManyGates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "without feedback the network has more than {MOST_GATES} gates")
    }
}

impl std::error::Error for TooManyGates {}

/// The text.
pub fn aiger(compiled: &Compiled) -> Result<String, TooManyGates> {
    let Compiled { vocabulary, net, initial, .. } = compiled;
    let mut flat = Flat::new(net, vocabulary);
    flat.gates(net)?;
    let outputs = flat.outputs(net, vocabulary);
    let latches = vocabulary.fluent_count();
    let inputs = flat.first_latch - 1;
    let nodes = &flat.builder.nodes;
    let gates = nodes.len() - 1 - inputs - latches;
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "aag {} {inputs} {latches} {} {gates}", nodes.len() - 1, outputs.len());
    for input in 1..=inputs {
        let _ = writeln!(text, "{}", input * 2);
    }
    for (fluent, next) in vocabulary.fluents().zip(&net.next) {
        let latch = Signal::plain(flat.first_latch + fluent.index());
        let starts = u8::from(row::holds(initial, fluent));
        let _ = writeln!(text, "{} {} {starts}", latch.0, flat.signal(*next).0);
    }
    for (_, signal) in &outputs {
        let _ = writeln!(text, "{}", signal.0);
    }
    for (node, what) in nodes.iter().enumerate() {
        if let Node::And(a, b) = what {
            let _ = writeln!(text, "{} {} {}", node * 2, a.0.max(b.0), a.0.min(b.0));
        }
    }
    let moves = vocabulary.roles().flat_map(|role| moves(vocabulary, role).map(move |m| (role, m)));
    for (at, (role, action)) in moves.enumerate() {
        let _ = writeln!(
            text,
            "i{at} (does {} {})",
            vocabulary.show_role(role),
            vocabulary.show_move(role, action)
        );
    }
    for fluent in vocabulary.fluents() {
        let _ = writeln!(text, "l{} (true {})", fluent.0, vocabulary.show_fluent(fluent));
    }
    for (at, (name, _)) in outputs.iter().enumerate() {
        let _ = writeln!(text, "o{at} {name}");
    }
    text.push_str(
        "c\nWritten by ludex. Inputs are moves: one of each role in every step. Latches are fluents.\n\
         The last output, step, says that the game goes on and that each role makes one legal move.\n",
    );
    Ok(text)
}

fn moves(vocabulary: &Vocabulary, role: crate::vocabulary::RoleId) -> impl Iterator<Item = MoveId> + use<> {
    (0..vocabulary.move_count(role) as u32).map(MoveId)
}

/// The network without feedback, inputs first, then latches, then gates. The number of a signal is its literal.
struct Flat {
    builder: NetBuilder,
    /// What each node of the network has become.
    signals: Vec<Signal>,
    first_latch: usize,
}

impl Flat {
    fn new(net: &Net, vocabulary: &Vocabulary) -> Flat {
        let mut builder = NetBuilder::new();
        let mut first_move = Vec::new();
        for role in vocabulary.roles() {
            first_move.push(builder.nodes.len());
            for action in moves(vocabulary, role) {
                builder.input(Node::Move(role.0, action.0));
            }
        }
        let first_latch = builder.nodes.len();
        for fluent in vocabulary.fluents() {
            builder.input(Node::Fluent(fluent.0));
        }
        let signals = net
            .nodes
            .iter()
            .map(|node| match *node {
                Node::Fluent(fluent) => Signal::plain(first_latch + fluent as usize),
                Node::Move(role, action) => Signal::plain(first_move[role as usize] + action as usize),
                Node::False | Node::Feedback | Node::And(..) => Signal::FALSE,
            })
            .collect();
        Flat { builder, signals, first_latch }
    }

    fn signal(&self, signal: Signal) -> Signal {
        let plain = self.signals[signal.node()];
        if signal.is_inverted() { plain.inverse() } else { plain }
    }

    fn gates(&mut self, net: &Net) -> Result<(), TooManyGates> {
        let mut from = 0;
        for block in &net.blocks {
            self.copy(net, from..block.nodes.start)?;
            // Variables start false. Each round but the last makes one more of them true, or nothing changes.
            for _ in 0..block.feedback.len() {
                self.copy(net, block.nodes.clone())?;
                let next: Vec<Signal> =
                    block.feedback.iter().map(|(_, signal)| self.signal(*signal)).collect();
                let mut settled = true;
                for ((variable, _), next) in block.feedback.iter().zip(next) {
                    settled &= std::mem::replace(&mut self.signals[*variable], next) == next;
                }
                if settled {
                    break;
                }
            }
            self.copy(net, block.nodes.clone())?;
            from = block.nodes.end;
        }
        self.copy(net, from..net.nodes.len())
    }

    fn copy(&mut self, net: &Net, nodes: std::ops::Range<usize>) -> Result<(), TooManyGates> {
        for node in nodes {
            if let Node::And(a, b) = net.nodes[node] {
                self.signals[node] = self.builder.and(self.signal(a), self.signal(b));
            }
        }
        if self.builder.nodes.len() > MOST_GATES { Err(TooManyGates) } else { Ok(()) }
    }

    /// All outputs with their names.
    fn outputs(&mut self, net: &Net, vocabulary: &Vocabulary) -> Vec<(String, Signal)> {
        let mut outputs = Vec::new();
        let mut step = vec![self.signal(net.terminal).inverse()];
        for role in vocabulary.roles() {
            let name = vocabulary.show_role(role);
            // Some legal move is made, and no two moves.
            let (mut made, mut seen) = (Vec::new(), Signal::FALSE);
            for action in moves(vocabulary, role) {
                let legal = self.signal(net.legal[role.index()][action.index()]);
                outputs.push((format!("(legal {name} {})", vocabulary.show_move(role, action)), legal));
                let does = Signal::plain(self.input_of(vocabulary, role, action));
                made.push(self.builder.and(does, legal));
                step.push(self.builder.and(does, seen).inverse());
                seen = self.builder.or_all(&mut vec![seen, does]);
            }
            step.push(self.builder.or_all(&mut made));
        }
        outputs.push(("terminal".to_owned(), self.signal(net.terminal)));
        for (role, goals) in vocabulary.roles().zip(&net.goals) {
            for (value, signal) in goals {
                let value = value.map_or_else(|| "no-number".to_owned(), |value| value.to_string());
                let name = format!("(goal {} {value})", vocabulary.show_role(role));
                outputs.push((name, self.signal(*signal)));
            }
        }
        outputs.push(("step".to_owned(), self.builder.and_all(&mut step)));
        outputs
    }

    fn input_of(&self, vocabulary: &Vocabulary, role: crate::vocabulary::RoleId, action: MoveId) -> usize {
        let before: usize =
            vocabulary.roles().take(role.index()).map(|other| vocabulary.move_count(other)).sum();
        1 + before + action.index()
    }
}
