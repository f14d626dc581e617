//! Propositional networks: the rules as a circuit.
//!
//! Grounding (`ground.rs`) writes the rules out without variables; `build.rs` makes a network of two-input
//! gates of them (`net.rs`), in which what does not change costs little. Two executions: [`Propnet`]
//! (`scalar.rs`) answers questions about one state at a time, for search; [`lanes`] plays
//! 512 games at a time, one bit a game.
//!
//! Choose it whenever it can be built: it is faster than interpreting the rules by two orders of
//! magnitude. It cannot take games whose ground rules do not fit the limits.

mod aiger;
mod build;
mod change;
mod choices;
mod counters;
mod cut_points;
mod dot;
mod effects;
mod formula;
mod goals;
pub(crate) mod ground;
mod guards;
mod indexed_set;
mod jit;
pub mod lanes;
mod levelized;
mod net;
mod phase;
mod plan;
mod scalar;
mod tracker;
mod turn;

pub use aiger::{TooManyGates, aiger};
pub use dot::dot;
pub use net::{Block, Net, Node, Signal};
pub use scalar::Propnet;

use crate::budget::{Budget, Exceeded, Stage};
use crate::error::BuildError;
use crate::frontend::{Base, Overrun};
use crate::outputs::{Instance, Outputs};
use crate::row;
use crate::terms::Terms;
use crate::vocabulary::{FluentId, Vocabulary};
use ludex_gdl::Game;
use std::sync::Arc;

/// The sizes of a network after each step of its making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Ground rules.
    pub rules: usize,
    /// Gates that the rules give, equal ones shared and constants folded.
    pub gates: usize,
    /// Gates that some output reads.
    pub swept: usize,
}

/// The network of a game, with the numbering of its inputs and outputs.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The numbering.
    pub vocabulary: Arc<Vocabulary>,
    /// The network.
    pub net: Net,
    /// The initial state.
    pub initial: Vec<u64>,
    /// How it came about.
    pub sizes: Sizes,
    /// The instances of the relations that are outputs.
    pub asked: Asked,
}

impl Compiled {
    /// The fluents of which the network shows that they are in every state of play as in the initial one: whatever
    /// the others are, and whatever moves are made. There may be more.
    pub fn constants(&self, budget: &Budget) -> Result<Vec<FluentId>, Exceeded> {
        let start: Vec<bool> = self.vocabulary.fluents().map(|f| row::holds(&self.initial, f)).collect();
        let phases = phase::cycle(&self.net, &start, 1, &mut budget.meter())?;
        let known = phases.iter().flatten().zip(0..).filter(|(value, _)| value.known().is_some());
        Ok(known.map(|(_, fluent)| FluentId(fluent)).collect())
    }
}

/// When the instances of the relations hold that are outputs ([`Outputs::relations`]). What is not listed never does.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The table of the terms; it begins with the vocabulary's.
    pub terms: Terms,
    /// Each instance that can hold, and when it does.
    pub instances: Vec<(Instance, Signal)>,
}

/// Rules with fewer instances than this stay whole: they are cheap, and common conditions are taken out of them
/// when the network is built.
const FEW_INSTANCES: f64 = 50_000.0;

/// Compiles the rules of a game into a network.
pub fn compile(game: &Game, budget: &Budget) -> Result<Compiled, BuildError> {
    compile_over(game, &Arc::new(Vocabulary::new(game, budget)?), budget)
}

/// As `compile`, with the game's vocabulary already at hand.
pub fn compile_over(
    game: &Game,
    vocabulary: &Arc<Vocabulary>,
    budget: &Budget,
) -> Result<Compiled, BuildError> {
    compile_for(game, vocabulary, &Outputs::default(), budget)
}

/// As `compile_over`, for other outputs.
pub fn compile_for(
    game: &Game,
    vocabulary: &Arc<Vocabulary>,
    outputs: &Outputs,
    budget: &Budget,
) -> Result<Compiled, BuildError> {
    compile_in_parts(game, vocabulary, outputs, budget, FEW_INSTANCES)
}

/// As `compile_for` with the usual outputs, from a base that has them.
pub(crate) fn compile_from(
    base: &Base,
    game: &Game,
    vocabulary: &Arc<Vocabulary>,
    budget: &Budget,
) -> Result<Compiled, BuildError> {
    base.build_over(game, &Outputs::usual(game), vocabulary.terms(), budget, |base| {
        network(base, vocabulary, budget, FEW_INSTANCES)
    })
}

/// As `compile`, with rules of more than `few` instances taken apart.
fn compile_in_parts(
    game: &Game,
    vocabulary: &Arc<Vocabulary>,
    outputs: &Outputs,
    budget: &Budget,
    few: f64,
) -> Result<Compiled, BuildError> {
    Base::build_on_demand(game, outputs, Vec::new(), vocabulary.terms(), budget, |base| {
        network(base, vocabulary, budget, few)
    })
}

fn network(
    base: &Base,
    vocabulary: &Arc<Vocabulary>,
    budget: &Budget,
    few: f64,
) -> Result<Compiled, Overrun> {
    budget.begin(Stage::Grounding)?;
    let ground = ground::Ground::new(base, budget, few)?;
    budget.begin(Stage::Gates)?;
    let meter = &mut budget.clock();
    let net = build::build(base, &ground, vocabulary, meter)?;
    let mut swept = net.swept(meter)?;
    let sizes = Sizes { rules: ground.rule_count(), gates: net.gate_count(), swept: swept.gate_count() };
    let initial = base.initial(vocabulary);
    let mut asked = Asked { terms: ground.store.terms.clone(), instances: Vec::new() };
    let signals = std::mem::take(&mut swept.asked);
    asked.instances = build::instances(base, &ground, &mut asked.terms).into_iter().zip(signals).collect();
    Ok(Compiled { vocabulary: vocabulary.clone(), net: swept, initial, sizes, asked })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Worker};
    use crate::random::Random;
    use crate::vocabulary::RoleId;

    /// Whether rules are taken apart is nobody's business but the grounder's: networks of whole rules and of
    /// rules in the smallest parts give the same answers in random play, compiled for speed and plain.
    #[test]
    fn parts_change_no_answer() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../ludex/games");
        let (mut games, mut apart) = (0, 0);
        for entry in std::fs::read_dir(folder).expect("the bundled games") {
            let path = entry.expect("a readable folder").path();
            if path.extension().is_none_or(|extension| extension != "kif") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a readable sheet");
            let game = ludex_gdl::Sheet::read(&text).into_game().expect("bundled games have no errors");
            let budget = Budget::default();
            let vocabulary = Arc::new(Vocabulary::new(&game, &budget).expect("it fits"));
            let [whole, parts] = [f64::INFINITY, 0.0].map(|few| {
                compile_in_parts(&game, &vocabulary, &Outputs::default(), &budget, few).expect("it fits")
            });
            games += 1;
            apart += usize::from(whole.sizes.rules != parts.sizes.rules);
            let whole = Propnet::of(whole, &budget).expect("it fits");
            let parts = Propnet::plain(parts, &budget).expect("it fits");
            same_play(&path.display().to_string(), &whole, &parts);
        }
        assert!(games > 5 && apart > 3, "{games} games, of which {apart} could be taken apart");
    }

    fn same_play(name: &str, whole: &Propnet, parts: &Propnet) {
        let (mut a, mut b) = (whole.worker(), parts.worker());
        let words = whole.vocabulary().words();
        let mut random = Random::new(1);
        let (mut state, mut next, mut other) = (vec![0; words], vec![0; words], vec![0; words]);
        for _ in 0..3 {
            a.initial(&mut state);
            for _ in 0..60 {
                assert_eq!(
                    a.is_terminal(&state).expect("no limit is met"),
                    b.is_terminal(&state).expect("no limit is met"),
                    "{name}"
                );
                let mut joint = Vec::new();
                for role in whole.vocabulary().roles() {
                    assert_eq!(
                        a.goal(&state, role).expect("no limit is met"),
                        b.goal(&state, role).expect("no limit is met"),
                        "{name}"
                    );
                    let [left, right] = [legal(&mut *a, &state, role), legal(&mut *b, &state, role)];
                    assert_eq!(left, right, "{name}");
                    joint.extend((!left.is_empty()).then(|| left[random.below(left.len())]));
                }
                if a.is_terminal(&state).expect("no limit is met")
                    || joint.len() < whole.vocabulary().role_count()
                {
                    break;
                }
                a.next(&state, &joint, &mut next).expect("no limit is met");
                b.next(&state, &joint, &mut other).expect("no limit is met");
                assert_eq!(next, other, "{name}");
                std::mem::swap(&mut state, &mut next);
            }
        }
    }

    fn legal(worker: &mut dyn Worker, state: &[u64], role: RoleId) -> Vec<crate::vocabulary::MoveId> {
        let mut moves = Vec::new();
        worker.legal(state, role, &mut moves).expect("no limit is met");
        moves
    }
}
