//! Covers: a set of states as a list of state descriptions, shared like a BDD.
//!
//! A description is a conjunction of fluents that hold and fluents that do not; the fluents it does not
//! mention are free. A cover is *irredundant* (Minato and Morreale): no description of it can be left out,
//! and none can lose a condition as far as the fixed order of fluents lets one see. Between the states that
//! must be covered and those that may be (ghost states, states already known at a smaller depth) the cover
//! chooses what makes descriptions short.
//!
//! Descriptions that begin alike share what follows, so a million of them can be counted, stored and matched
//! without being written out.

use super::bdd::{Bdd, Bdds, LEAF, Stop};
use hashbrown::HashMap;

/// A list of descriptions in a `Covers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cover(pub(crate) u32);

impl Cover {
    /// No description.
    pub const NONE: Cover = Cover(0);
    /// The one description without conditions.
    pub const ALL: Cover = Cover(1);
}

/// Descriptions that do not hold of the fluent at `level`, those that need it, and those that leave it free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    pub(crate) level: u32,
    pub(crate) without: Cover,
    pub(crate) with: Cover,
    pub(crate) free: Cover,
}

/// All covers of one database.
#[derive(Debug)]
pub(crate) struct Covers {
    pub(crate) parts: Vec<Part>,
    counts: Vec<u64>,
    index: HashMap<Part, Cover>,
}

/// The search for one cover.
struct Search {
    done: HashMap<(Bdd, Bdd), Cover>,
    met: HashMap<(Cover, Bdd), Bdd>,
    /// Give up when there are more diagram nodes than this, or results.
    most: usize,
}

/// Bdd nodes that the search for short descriptions may make, beside some for each node of the set.
const PATIENCE: usize = 20_000;

impl Covers {
    pub(crate) fn new() -> Covers {
        let leaf = Part { level: LEAF, without: Cover::NONE, with: Cover::NONE, free: Cover::NONE };
        Covers { parts: vec![leaf; 2], counts: vec![0, 1], index: HashMap::new() }
    }

    /// How many descriptions a cover has; `u64::MAX` if that is not enough.
    pub(crate) fn count(&self, cover: Cover) -> u64 {
        self.counts[cover.0 as usize]
    }

    fn part(&mut self, part: Part) -> Cover {
        if part.without == Cover::NONE && part.with == Cover::NONE {
            return part.free;
        }
        let next = Cover(self.parts.len() as u32);
        let cover = *self.index.entry(part).or_insert(next);
        if cover == next {
            let count = [part.without, part.with, part.free]
                .iter()
                .fold(0u64, |sum, &list| sum.saturating_add(self.count(list)));
            self.parts.push(part);
            self.counts.push(count);
        }
        cover
    }

    /// Descriptions that cover every state of `must`, and beside those only states of `known` and of the
    /// first of `ghosts` with which short descriptions can be found without too much work. Where there is
    /// none, the ways through the diagram of `must` are taken as they are.
    pub(crate) fn between(
        &mut self,
        bdds: &mut Bdds,
        must: Bdd,
        known: Bdd,
        ghosts: &[Bdd],
    ) -> Result<Cover, Stop> {
        let may = bdds.or(must, known)?;
        for &ghosts in ghosts {
            let may = bdds.or(may, ghosts)?;
            let most = bdds.len() + PATIENCE + 16 * bdds.size(must);
            let mut search = Search { done: HashMap::new(), met: HashMap::new(), most };
            if let Some(cover) = self.shortest(bdds, must, may, &mut search)? {
                return Ok(cover);
            }
        }
        Ok(self.ways(bdds, must, &mut HashMap::new()))
    }

    /// The ways through the diagram of a set, each a description.
    fn ways(&mut self, bdds: &Bdds, set: Bdd, done: &mut HashMap<Bdd, Cover>) -> Cover {
        if set == Bdd::FALSE {
            return Cover::NONE;
        }
        if set == Bdd::TRUE {
            return Cover::ALL;
        }
        if let Some(&known) = done.get(&set) {
            return known;
        }
        let (low, high) = bdds.ways(set);
        let without = self.ways(bdds, low, done);
        let with = self.ways(bdds, high, done);
        let cover = self.part(Part { level: bdds.level(set), without, with, free: Cover::NONE });
        done.insert(set, cover);
        cover
    }

    /// Short descriptions that cover `must` within `may`, or `None` when patience is at an end.
    fn shortest(
        &mut self,
        bdds: &mut Bdds,
        must: Bdd,
        may: Bdd,
        search: &mut Search,
    ) -> Result<Option<Cover>, Stop> {
        if must == Bdd::FALSE {
            return Ok(Some(Cover::NONE));
        }
        if may == Bdd::TRUE {
            return Ok(Some(Cover::ALL));
        }
        if let Some(&known) = search.done.get(&(must, may)) {
            return Ok(Some(known));
        }
        if bdds.len() > search.most || search.done.len() > search.most {
            return Ok(None);
        }
        let level = bdds.level(must).min(bdds.level(may));
        let (must0, must1) = bdds.split(must, level);
        let (may0, may1) = bdds.split(may, level);
        // What only descriptions that mention the fluent can cover.
        let only0 = bdds.without(must0, may1)?;
        let only1 = bdds.without(must1, may0)?;
        let Some(without) = self.shortest(bdds, only0, may0, search)? else { return Ok(None) };
        let Some(with) = self.shortest(bdds, only1, may1, search)? else { return Ok(None) };
        let met0 = self.met(bdds, without, must0, search)?;
        let met1 = self.met(bdds, with, must1, search)?;
        let rest0 = bdds.without(must0, met0)?;
        let rest1 = bdds.without(must1, met1)?;
        let rest = bdds.or(rest0, rest1)?;
        let both = bdds.and(may0, may1)?;
        let Some(free) = self.shortest(bdds, rest, both, search)? else { return Ok(None) };
        let cover = self.part(Part { level, without, with, free });
        search.done.insert((must, may), cover);
        Ok(Some(cover))
    }

    /// The states of `set` that meet some description of the cover. Never all states that do: without what is
    /// known of reachable states the union of a few short descriptions can have a huge diagram.
    fn met(&self, bdds: &mut Bdds, cover: Cover, set: Bdd, search: &mut Search) -> Result<Bdd, Stop> {
        if cover == Cover::NONE || set == Bdd::FALSE {
            return Ok(Bdd::FALSE);
        }
        if cover == Cover::ALL {
            return Ok(set);
        }
        if let Some(&known) = search.met.get(&(cover, set)) {
            return Ok(known);
        }
        let part = self.parts[cover.0 as usize];
        let level = part.level.min(bdds.level(set));
        let (set0, set1) = bdds.split(set, level);
        let (low, high) = if part.level == level {
            let low = self.met(bdds, part.without, set0, search)?;
            let high = self.met(bdds, part.with, set1, search)?;
            let free0 = self.met(bdds, part.free, set0, search)?;
            let free1 = self.met(bdds, part.free, set1, search)?;
            (bdds.or(low, free0)?, bdds.or(high, free1)?)
        } else {
            (self.met(bdds, cover, set0, search)?, self.met(bdds, cover, set1, search)?)
        };
        let met = bdds.node(level, low, high)?;
        search.met.insert((cover, set), met);
        Ok(met)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgame::bdd::tests::{FLUENTS, bdds, random_set};
    use ludex_engine::random::Random;

    /// The states that meet some description, and the number of descriptions.
    fn states(covers: &Covers, cover: Cover, fixed: u32, value: u32) -> (u32, u64) {
        if cover == Cover::NONE {
            return (0, 0);
        }
        if cover == Cover::ALL {
            let meets = |state: &u32| state & fixed == value;
            return ((0..1u32 << FLUENTS).filter(meets).fold(0, |bits, state| bits | 1 << state), 1);
        }
        let part = covers.parts[cover.0 as usize];
        let bit = 1 << part.level;
        let ways = [
            states(covers, part.without, fixed | bit, value),
            states(covers, part.with, fixed | bit, value | bit),
            states(covers, part.free, fixed, value),
        ];
        ways.iter().fold((0, 0), |(all, sum), (bits, count)| (all | bits, sum + count))
    }

    #[test]
    fn covers_lie_between_what_must_and_what_may_be() {
        let mut bdds = bdds();
        let mut covers = Covers::new();
        let mut random = Random::new(6);
        for _ in 0..200 {
            let (a, x) = random_set(&mut bdds, &mut random);
            let (b, y) = random_set(&mut bdds, &mut random);
            let (c, z) = random_set(&mut bdds, &mut random);
            let cover = covers.between(&mut bdds, a, b, &[c]).expect("small");
            let (bits, count) = states(&covers, cover, 0, 0);
            assert_eq!(x & !bits, 0, "all that must be is");
            assert_eq!(bits & !(x | y | z), 0, "nothing else is but what may be");
            assert_eq!(count, covers.count(cover));
            // Without anything that may be taken in, and without patience: the ways through the diagram.
            let plain = covers.between(&mut bdds, a, Bdd::FALSE, &[]).expect("small");
            assert_eq!(states(&covers, plain, 0, 0).0, x);
        }
    }
}
