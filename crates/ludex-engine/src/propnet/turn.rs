//! How the states of one phase are played.
//!
//! Each question has two ways to its answer: *asking* formulas (lazy evaluation: `choices.rs`,
//! `effects.rs`) and *following* changes (incremental evaluation: `tracker.rs`). Which one is cheaper depends on the rules; `plan.rs` finds out.

use super::choices::Choices;
use super::counters::Counters;
use super::cut_points;
use super::effects::{Draft, Effects};
use super::formula::{Formula, Formulas, Layout, Test};
use super::net::{Net, NetBuilder, Signal};
use super::phase::Phase;
use crate::budget::{Exceeded, Meter};
use crate::row::Row;

/// Some of the questions about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Questions {
    pub(super) legal: bool,
    pub(super) next: bool,
    pub(super) terminal: bool,
}

impl Questions {
    pub(super) const ALL: Questions = Questions { legal: true, next: true, terminal: true };
    pub(super) const NONE: Questions = Questions { legal: false, next: false, terminal: false };
}

/// A phase, compiled. What is not asked is followed: legal moves and the next state by the counters of the
/// turn, the end of the game, which is the same question in all phases, by counters of the whole network.
#[derive(Debug)]
pub(super) struct Turn {
    /// What is common to the states of the phase.
    pattern: Vec<Test>,
    pub(super) formulas: Formulas,
    /// For each role its moves.
    pub(super) legal: Option<Vec<Choices>>,
    /// What each move does to cut points, which effects depend on, layer by layer.
    pub(super) cut_points: Vec<Effects>,
    pub(super) effects: Option<Effects>,
    pub(super) terminal: Option<Formula>,
    pub(super) counters: Option<Counters>,
}

impl Turn {
    /// Compiles the network of a phase. Of the questions to be asked those are followed for which that is
    /// impossible or too large.
    pub(super) fn new(
        net: &Net,
        phase: &Phase,
        layout: &Layout,
        ask: Questions,
        meter: &mut Meter,
    ) -> Result<Turn, Exceeded> {
        let literals: Vec<(u32, bool)> =
            (0..).zip(phase).filter_map(|(fluent, tri)| Some((fluent, tri.known()?))).collect();
        let pattern = Test::all(&literals).unwrap_or_default();
        let whole = net;
        let mut builder = NetBuilder::continuing(net, meter)?;
        let mut draft = if ask.next { Draft::new(net, 0, phase, &mut builder, meter)? } else { None };
        let cut = if ask.next && draft.is_none() && layout.has_cut_points() {
            cut_points::cut(net, meter)?
        } else {
            None
        };
        let net = cut.as_ref().map_or(net, |cut| &cut.net);
        if let Some(cut) = &cut {
            builder = NetBuilder::continuing(net, meter)?;
            draft = Draft::new(net, cut.first, phase, &mut builder, meter)?;
        }
        let mut expressible = |signals: &[Signal]| Formulas::can_express(&builder.nodes, signals, meter);
        let draft = match draft {
            Some(draft) if expressible(draft.conditions())? => Some(draft),
            _ => None,
        };
        let legal: Vec<Signal> = net.legal.iter().flatten().copied().collect();
        let legal = if ask.legal && expressible(&legal)? { legal } else { Vec::new() };
        let terminal = [net.terminal];
        let terminal = if ask.terminal && expressible(&terminal)? { &terminal[..] } else { &[] };
        let conditions = draft.as_ref().map_or(&[][..], Draft::conditions);
        let signals: Vec<Signal> = [&legal, terminal, conditions].into_iter().flatten().copied().collect();
        let Some((formulas, list)) = Formulas::new(&builder.nodes, &signals, layout, meter)? else {
            // Together they are nested too deep.
            let followed = Questions { terminal: false, ..Questions::ALL };
            return Ok(Turn { pattern, ..Turn::following(Counters::new(whole, followed, meter)?) });
        };
        let (legal_formulas, rest) = list.split_at(legal.len());
        let (terminal, conditions) = rest.split_at(terminal.len());
        let mut legal_formulas = legal_formulas.iter().copied();
        let legal = (!legal.is_empty()).then(|| {
            let choices = |moves: &Vec<Signal>| {
                Choices::new(legal_formulas.by_ref().take(moves.len()), &formulas, layout)
            };
            net.legal.iter().map(choices).collect()
        });
        let compiled = draft.map(|draft| draft.compile(conditions, &formulas, layout));
        let (cut_points, effects) =
            compiled.map_or((Vec::new(), None), |(cut_points, effects)| (cut_points, Some(effects)));
        let followed = Questions { legal: legal.is_none(), next: effects.is_none(), terminal: false };
        let counters = match followed {
            Questions::NONE => None,
            followed => Some(Counters::new(whole, followed, meter)?),
        };
        Ok(Turn {
            pattern,
            formulas,
            terminal: terminal.first().copied(),
            counters,
            legal,
            cut_points,
            effects,
        })
    }

    /// Any state, and nothing asked. The counters must follow legal moves and the next state.
    pub(super) fn following(counters: Counters) -> Turn {
        Turn {
            pattern: Vec::new(),
            formulas: Formulas::default(),
            legal: None,
            cut_points: Vec::new(),
            effects: None,
            terminal: None,
            counters: Some(counters),
        }
    }

    /// Writes machine code for what is asked.
    pub(super) fn assemble(&mut self, meter: &mut Meter) -> Result<(), Exceeded> {
        let legal = self.legal.iter().flatten().flat_map(Choices::conditions);
        let effects: Vec<&Effects> = self.effects.iter().chain(&self.cut_points).collect();
        self.formulas.assemble(legal.chain(self.terminal), &effects, meter)
    }

    /// What is asked and not followed.
    pub(super) fn asks(&self) -> Questions {
        Questions {
            legal: self.legal.is_some(),
            next: self.effects.is_some(),
            terminal: self.terminal.is_some(),
        }
    }

    /// True if the state is one of the phase.
    #[inline]
    pub(super) fn admits(&self, state: &Row) -> bool {
        self.pattern.iter().all(|test| test.holds(state))
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.formulas.memory_usage()
            + self.effects.iter().chain(&self.cut_points).map(Effects::memory_usage).sum::<usize>()
            + self.counters.as_ref().map_or(0, Counters::memory_usage)
    }
}
