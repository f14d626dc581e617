//! Games of two who take turns, as whoever is to move sees them.
//!
//! Half of the network of such a game is idle in every state, but which half is not the same in all lanes. Where a symmetry of
//! the rules exchanges the players, the states of one are those of the other after it: a lane in which the second player is to
//! move is kept as its image, and every lane is in the phase of the first player. The network of this phase is all that a step
//! computes; it makes the next state, whose image is that of the phase again, and taking the image of all lanes is but a renaming
//! of planes, done once for all when the network is compiled.
//!
//! Nothing is guessed: the symmetry was compared with the rules, and the phase is inductive (`phase.rs`). States from outside
//! that are of neither player's phase are not admitted.

use super::plan::{FLUENTS, Slot};
use super::{cost, phase};
use crate::budget::{Exceeded, Meter};
use crate::propnet::net::Net;
use crate::propnet::phase::Phase;
use crate::row::{self, Row};
use crate::symmetry::Symmetry;
use crate::vocabulary::{FluentId, MoveId};

/// A symmetry that exchanges two players and is its own inverse.
#[derive(Debug)]
pub(super) struct Turn {
    /// What the slots of constants and fluents become.
    pub(super) slots: Vec<Slot>,
    /// What the moves of each role become: moves of the other one.
    pub(super) moves: Vec<Vec<MoveId>>,
    /// What all states have in common in which the first player is to move, and those of the second: the fluents that are known, and
    /// those of them that hold.
    known: [[Vec<u64>; 2]; 2],
}

impl Turn {
    /// A symmetry that does, with the network of a state as the mover sees it; the next state is as the next mover sees it.
    pub(super) fn find(
        net: &Net,
        start: &[bool],
        symmetries: &[Symmetry],
        meter: &mut Meter,
    ) -> Result<Option<(Turn, Net)>, Exceeded> {
        let exchanges = symmetries.iter().filter(|symmetry| exchanges_two(symmetry));
        // One that leaves the numbers of moves as they are is decoded with less work.
        let Some(symmetry) =
            exchanges.max_by_key(|symmetry| symmetry.moves[0].iter().zip(0..).all(|(a, b)| a.0 == b))
        else {
            return Ok(None);
        };
        let [phase, after] = &phase::cycle(net, start, 2, meter)?[..] else { return Ok(None) };
        let image = |fluent: usize| symmetry.fluents[fluent].index();
        // The image of what comes after is of the phase again.
        let fits = |(fluent, next): (usize, &phase::Tri)| {
            let here = phase[image(fluent)];
            here.known().is_none() || here == *next
        };
        if !after.iter().enumerate().all(fits) {
            return Ok(None);
        }
        let whole = phase::specialised(net, &phase::anything(net), meter)?;
        let mut half = phase::specialised(net, phase, meter)?;
        if cost(&half) * 5 > cost(&whole) * 4 {
            return Ok(None);
        }
        let next = half.next.clone();
        for (fluent, signal) in next.into_iter().enumerate() {
            half.next[image(fluent)] = signal;
        }
        let fluents = symmetry.fluents.iter().map(|fluent| FLUENTS + fluent.0);
        let turn = Turn {
            slots: (0..FLUENTS).chain(fluents).collect(),
            moves: symmetry.moves.clone(),
            known: [known(phase, |fluent| fluent), known(phase, image)],
        };
        Ok(Some((turn, half)))
    }

    /// True if the first player is to move in the state, or the second.
    pub(super) fn admits(&self, state: &Row, second: bool) -> bool {
        let [known, holding] = &self.known[usize::from(second)];
        state.iter().zip(known).zip(holding).all(|((word, known), holding)| word & known == *holding)
    }
}

/// What is known of the states whose image is in the phase: which fluents, and which of them hold.
pub(super) fn known(phase: &Phase, image: impl Fn(usize) -> usize) -> [Vec<u64>; 2] {
    let mut rows = [(); 2].map(|()| vec![0; phase.len().div_ceil(64)]);
    for fluent in 0..phase.len() {
        let id = FluentId(fluent as u32);
        if let Some(holds) = phase[image(fluent)].known() {
            row::set(&mut rows[0], id);
            if holds {
                row::set(&mut rows[1], id);
            }
        }
    }
    rows
}

fn exchanges_two(symmetry: &Symmetry) -> bool {
    let own_inverse =
        || symmetry.fluents.iter().zip(0..).all(|(to, from)| symmetry.fluents[to.index()].0 == from);
    let back = |role: usize| {
        let moves = symmetry.moves[role].iter().zip(0..);
        moves.clone().all(|(to, from)| symmetry.moves[1 - role].get(to.index()).is_some_and(|m| m.0 == from))
    };
    symmetry.roles.len() == 2 && !symmetry.keeps_roles() && own_inverse() && back(0) && back(1)
}
