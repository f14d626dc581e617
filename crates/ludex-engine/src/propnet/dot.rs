//! The network as a graph for Graphviz: a picture for those who want to see what became of some rules.

use super::Compiled;
use super::net::{Node, Signal};
use crate::vocabulary::{FluentId, MoveId, RoleId};
use std::fmt::Write;

/// The text. Boxes are fluents and moves, circles gates, an arrow with a dot at its head is inverted; double boxes
/// are what is read: `next`, `legal`, `terminal`, `goal`.
pub fn dot(compiled: &Compiled) -> String {
    let Compiled { vocabulary, net, .. } = compiled;
    let mut text = String::from("digraph net {\n  rankdir=LR;\n  node [fontsize=10];\n");
    let edge = |text: &mut String, from: Signal, to: &str| {
        let head = if from.is_inverted() { " [arrowhead=odot]" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  n{} -> {to}{head};", from.node());
    };
    let named = |text: &mut String, node: usize, shape: &str, name: &str| {
        let _ = writeln!(text, "  n{node} [shape={shape}, label=\"{}\"];", name.replace('"', "'"));
    };
    for (node, what) in net.nodes.iter().enumerate() {
        match *what {
            Node::False => named(&mut text, node, "plaintext", "false"),
            Node::Fluent(fluent) => {
                named(&mut text, node, "box", &vocabulary.show_fluent(FluentId(fluent)));
            }
            Node::Move(role, action) => {
                let (role, action) = (RoleId(role), MoveId(action));
                let name =
                    format!("does {} {}", vocabulary.show_role(role), vocabulary.show_move(role, action));
                named(&mut text, node, "box", &name);
            }
            Node::Feedback => named(&mut text, node, "diamond", "again"),
            Node::And(a, b) => {
                named(&mut text, node, "circle", "and");
                for input in [a, b] {
                    edge(&mut text, input, &format!("n{node}"));
                }
            }
        }
    }
    for (variable, signal) in net.blocks.iter().flat_map(|block| &block.feedback) {
        edge(&mut text, *signal, &format!("n{variable}"));
    }
    let mut outputs = vec![("terminal".to_owned(), net.terminal)];
    for (fluent, signal) in vocabulary.fluents().zip(&net.next) {
        outputs.push((format!("next {}", vocabulary.show_fluent(fluent)), *signal));
    }
    for (role, legal) in vocabulary.roles().zip(&net.legal) {
        for (action, signal) in (0..).map(MoveId).zip(legal) {
            let name = format!("legal {} {}", vocabulary.show_role(role), vocabulary.show_move(role, action));
            outputs.push((name, *signal));
        }
    }
    for (role, goals) in vocabulary.roles().zip(&net.goals) {
        for (value, signal) in goals {
            let value = value.map_or_else(|| "no number".to_owned(), |value| value.to_string());
            outputs.push((format!("goal {} {value}", vocabulary.show_role(role)), *signal));
        }
    }
    for (at, (name, signal)) in outputs.iter().enumerate() {
        let _ = writeln!(text, "  o{at} [shape=box, peripheries=2, label=\"{}\"];", name.replace('"', "'"));
        edge(&mut text, *signal, &format!("o{at}"));
    }
    text.push_str("}\n");
    text
}
