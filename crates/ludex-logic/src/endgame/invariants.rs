//! What is known to hold in every reachable state, as the regression uses it: proved [`Facts`], and what is
//! found here.
//!
//! Regression goes backwards from the goals and does not know where play began, so it also describes states
//! that play cannot reach (*ghosts*: two players to move at once, a cell with two marks). Whatever is proved
//! about all reachable states may be assumed, and cuts them off; it also keeps diagrams small, since of all
//! combinations of fluents only those count that it allows. An empty list is "nothing is known" and always
//! right.
//!
//! Some facts are found here: groups of fluents of which exactly one, or at most one, holds. Candidates are
//! the fluents that agree in some of their arguments; random play drops the wrong ones, and
//! `Groups::drop_broken` those that some joint move breaks from a state in which all candidates hold. What is
//! left when none is broken holds in every reachable state, by induction.

use super::bdd::{Bdd, Bdds, Stop};
use super::transition::JointMove;
use crate::facts::Facts;
use hashbrown::{HashMap, HashSet};
use ludex_engine::engine::{Engine, PlayoutBuffer, Worker};
use ludex_engine::random::Random;
use ludex_engine::row::{self, Row};
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, Vocabulary};

/// How many fluents of a group hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    ExactlyOne,
    AtMostOne,
    None,
}

/// Fluents with a bound on how many of them hold.
#[derive(Clone, Debug)]
struct Group {
    fluents: Vec<FluentId>,
    bound: Bound,
    /// Already proved: not a candidate.
    given: bool,
}

/// Facts in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    list: Vec<Group>,
}

/// A conjunction that makes the diagram grow by more is left out: most groups lie together in the order of
/// fluents and cost a few nodes a fluent, those that lie across others multiply.
const MOST_GROWTH: usize = 100_000;
/// Fluents in a small group: what a cell can hold, not where a piece can be.
const SMALL: usize = 6;
/// Outputs of a function of more arguments are not tried in all combinations.
const MOST_ARGUMENTS: usize = 5;
/// Candidates beyond are not looked at: each is checked with every joint move that touches it.
const MOST_CANDIDATES: usize = 2_000;
/// Random games that candidates must survive, and their length.
const GAMES: usize = 40;
const STEPS: usize = 400;

impl Groups {
    /// What was proved elsewhere.
    pub(crate) fn given(facts: &Facts) -> Groups {
        let groups = facts.groups.iter().map(|group| Group {
            fluents: group.fluents.clone(),
            bound: if group.exactly { Bound::ExactlyOne } else { Bound::AtMostOne },
            given: true,
        });
        let pairs = facts.mutexes.iter().map(|&(a, b)| Group {
            fluents: vec![a, b],
            bound: Bound::AtMostOne,
            given: true,
        });
        let constants = facts.constants.iter().map(|&(fluent, value)| Group {
            fluents: vec![fluent],
            bound: if value { Bound::ExactlyOne } else { Bound::None },
            given: true,
        });
        Groups { list: groups.chain(pairs).chain(constants).collect() }
    }

    /// Adds the groups that random play does not refute.
    pub(crate) fn add_candidates(&mut self, engine: &dyn Engine) {
        let vocabulary = engine.vocabulary();
        let mut candidates = shapes(vocabulary);
        // For each candidate the least and the greatest number of its fluents that held.
        let mut counts = vec![(usize::MAX, 0); candidates.len()];
        sample(&mut *engine.worker(), |state| {
            for (group, (least, most)) in candidates.iter().zip(&mut counts) {
                let count = group.iter().filter(|&&fluent| row::holds(state, fluent)).count();
                (*least, *most) = ((*least).min(count), (*most).max(count));
            }
        });
        let known: HashSet<Vec<FluentId>> = self.list.iter().map(|group| group.fluents.clone()).collect();
        for (fluents, (least, most)) in candidates.drain(..).zip(counts) {
            let bound = match (least, most) {
                (1, 1) => Bound::ExactlyOne,
                (0, 1) => Bound::AtMostOne,
                _ => continue,
            };
            if !known.contains(&fluents) && self.list.len() < MOST_CANDIDATES {
                self.list.push(Group { fluents, bound, given: false });
            }
        }
    }

    /// The groups of which exactly one fluent holds.
    pub(crate) fn exactly_one(&self) -> Vec<Vec<FluentId>> {
        let exact =
            self.list.iter().filter(|group| group.bound == Bound::ExactlyOne && group.fluents.len() > 1);
        exact.map(|group| group.fluents.clone()).collect()
    }

    /// True if something is not proved yet.
    pub(crate) fn has_candidates(&self) -> bool {
        self.list.iter().any(|group| !group.given)
    }

    /// Forgets what is not proved elsewhere.
    pub(crate) fn drop_candidates(&mut self) {
        self.list.retain(|group| group.given);
    }

    /// The states that the groups allow. Groups that would make the diagram large are left out, which is
    /// always sound.
    pub(crate) fn allowed(&self, levels: &[u32], bdds: &mut Bdds) -> Result<Bdd, Stop> {
        self.intersection(levels, bdds, |group| group.bound)
    }

    /// States with an easier complement than those that are allowed: of a large group any number less than
    /// two may hold. Descriptions then say which fluent of it holds, where otherwise they may say of all
    /// others that they do not.
    pub(crate) fn told_apart(&self, levels: &[u32], bdds: &mut Bdds) -> Result<Bdd, Stop> {
        self.intersection(levels, bdds, |group| {
            if group.bound == Bound::ExactlyOne && group.fluents.len() > SMALL {
                Bound::AtMostOne
            } else {
                group.bound
            }
        })
    }

    fn intersection(
        &self,
        levels: &[u32],
        bdds: &mut Bdds,
        bound: impl Fn(&Group) -> Bound,
    ) -> Result<Bdd, Stop> {
        let mut all = Bdd::TRUE;
        for group in &self.list {
            let before = bdds.len();
            let one = group.states(bound(group), levels, bdds)?;
            let both = bdds.and(all, one)?;
            if bdds.len() - before <= MOST_GROWTH {
                all = both;
            }
        }
        Ok(all)
    }

    /// Drops the candidates that some joint move breaks from a state of `care`. True if there were any.
    pub(crate) fn drop_broken(
        &mut self,
        levels: &[u32],
        joint_moves: &[JointMove],
        care: Bdd,
        bdds: &mut Bdds,
    ) -> Result<bool, Stop> {
        let mut by_level: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, group) in self.list.iter().enumerate().filter(|(_, group)| !group.given) {
            for fluent in &group.fluents {
                by_level.entry(levels[fluent.index()]).or_default().push(at);
            }
        }
        let mut broken = vec![false; self.list.len()];
        let mut done = HashMap::new();
        for joint in joint_moves {
            let touched = joint.changes.iter().filter_map(|change| by_level.get(&change.level)).flatten();
            let mut touched: Vec<usize> = touched.copied().collect();
            touched.sort_unstable();
            touched.dedup();
            for at in touched.into_iter().filter(|&at| !broken[at]).collect::<Vec<_>>() {
                let one = self.list[at].states(self.list[at].bound, levels, bdds)?;
                let next = bdds.substituted(one, &joint.changes, &mut done)?;
                let outside = bdds.without(joint.guard, next)?;
                broken[at] = bdds.and(outside, care)? != Bdd::FALSE;
            }
        }
        let mut at = 0;
        self.list.retain(|_| {
            at += 1;
            !broken[at - 1]
        });
        Ok(broken.contains(&true))
    }
}

impl Group {
    /// The states in which the bound is kept.
    fn states(&self, bound: Bound, levels: &[u32], bdds: &mut Bdds) -> Result<Bdd, Stop> {
        let mut order: Vec<u32> = self.fluents.iter().map(|fluent| levels[fluent.index()]).collect();
        order.sort_unstable();
        // From the last fluent back: what must follow when none, and when one has held so far.
        let mut after_none = if bound == Bound::ExactlyOne { Bdd::FALSE } else { Bdd::TRUE };
        let mut after_one = if bound == Bound::None { Bdd::FALSE } else { Bdd::TRUE };
        for &level in order.iter().rev() {
            after_none = bdds.node(level, after_none, after_one)?;
            after_one = bdds.node(level, after_one, Bdd::FALSE)?;
        }
        Ok(after_none)
    }
}

/// Sets of at least two fluents of one name that agree in some arguments, the largest first.
fn shapes(vocabulary: &Vocabulary) -> Vec<Vec<FluentId>> {
    let terms = vocabulary.terms();
    let mut groups: HashMap<(usize, Vec<Option<TermId>>), Vec<FluentId>> = HashMap::new();
    for fluent in vocabulary.fluents() {
        let term = vocabulary.fluent(fluent);
        let (name, arguments) = (terms.functor(term).index(), terms.arguments(term));
        let all = (1u32 << arguments.len().min(MOST_ARGUMENTS)) - 1;
        for free in 1..=all {
            let is_free = |at: usize| at >= MOST_ARGUMENTS || free >> at & 1 == 1;
            let inputs = arguments.iter().enumerate().map(|(at, &term)| (!is_free(at)).then_some(term));
            groups.entry((name, inputs.collect())).or_default().push(fluent);
        }
    }
    let mut list: Vec<Vec<FluentId>> = groups.into_values().filter(|group| group.len() > 1).collect();
    list.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    list.dedup();
    list
}

/// Visits the states of some random games.
fn sample(worker: &mut dyn Worker, mut visit: impl FnMut(&Row)) {
    let mut random = Random::new(7);
    let mut buffer = PlayoutBuffer::default();
    let mut state = vec![0; worker.vocabulary().words()];
    for _ in 0..GAMES {
        worker.initial(&mut state);
        visit(&state);
        for _ in 0..STEPS {
            // What is not seen refutes nothing, whether the game was over or a limit was met.
            if !matches!(worker.playout(&mut state, 1, &mut random, &mut buffer), Ok(1)) {
                break;
            }
            visit(&state);
        }
    }
}
