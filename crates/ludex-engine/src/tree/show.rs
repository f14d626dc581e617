//! The tree as text, for whoever wants to see why a game is slow.

use super::engine::Seen;
use super::node::{Op, Or, OrAndTree, OrId, Paths, Site};
use std::fmt::Write;

/// Every OR node with its rules, and what was seen of it in a few moves of play.
pub(super) fn show(tree: &OrAndTree, paths: &Paths, seen: &Seen) -> String {
    let mut out = format!("{} steps of work\n", seen.work);
    for (at, (or, (asked, answered))) in tree.ors.iter().zip(&seen.counts).enumerate() {
        let recursive = if or.recursive { ", recursive" } else { "" };
        let target = if or.target.is_some() { ", to bits" } else { "" };
        let _ = writeln!(
            out,
            "{} ({:?}{recursive}{target}): {asked} questions, {answered} answers",
            name(tree, OrId(at as u32), or),
            or.phase
        );
        for and in &or.ands {
            let steps = seen.steps[and.index()];
            let and = &tree.ands[and.index()];
            let _ = writeln!(out, "  rule of {} columns, {steps} steps, takes {:?}", and.width, and.start);
            for op in &and.ops {
                let _ = match op {
                    Op::Ask(_) => Ok(()),
                    Op::Merge(site) => {
                        let Site { or, merge, values, take, waits, group, .. } = &tree.sites[site.index()];
                        let called = name(tree, *or, &tree.ors[or.index()]);
                        let waits = if *waits { " waits" } else { "" };
                        let (came, went) = seen.flows[site.index()];
                        let whole = match seen.whole[site.index()] {
                            0 => String::new(),
                            times => format!(", nothing left out {times} times"),
                        };
                        let group = group.as_ref().map(|group| &group.values);
                        writeln!(
                            out,
                            "    {merge:?} {called} of {values:?} by {group:?} takes {take:?}{waits} ({came} rows, {went} after{whole})"
                        )
                    }
                    Op::Fluents { index, merge, take, .. } => {
                        let path = &paths.fluents[index.index()];
                        writeln!(out, "    {merge:?} state {path:?} takes {take:?}")
                    }
                    Op::Facts { index, merge, take, .. } => {
                        let path = &paths.facts[index.index()];
                        writeln!(out, "    {merge:?} facts {path:?} takes {take:?}")
                    }
                    other => writeln!(out, "    {other:?}"),
                };
            }
            let _ = writeln!(out, "    gives {:?}", and.answer);
        }
    }
    out
}

fn name(tree: &OrAndTree, id: OrId, or: &Or) -> String {
    let passed: String = or.passed.iter().map(|&passed| if passed { '+' } else { '-' }).collect();
    format!("#{} {}[{passed}]", id.0, tree.names[or.relation.index()])
}
