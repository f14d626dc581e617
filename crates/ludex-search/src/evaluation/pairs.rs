//! What two fluents that hold together are worth beside what each is worth by itself.
//!
//! There are too many pairs to learn all of them. Once the fluents have their weights, what they do not explain is summed up
//! for each pair over the states in which both hold; the pairs for which that is farthest from chance get a weight of their
//! own, and all is fitted anew. So a pair needs no shape that is known beforehand: two stones in a row, a piece and the one
//! that guards it, a piece and whose turn it is.

use super::fit::Samples;
use ludex_engine::row::{self, Row};

/// What pairs add to a score: for each fluent its partners, with what the two add.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pairs {
    /// Each pair twice, by either of its fluents; the partners of each fluent end where `ends` says.
    partners: Vec<(u32, i32)>,
    ends: Vec<u32>,
}

/// Pairs that are learnt at most, for each fluent that there is and in all: a move changes a few fluents, and each costs a
/// look at its partners.
const MOST_BY_FLUENT: usize = 12;
const MOST: usize = 4000;
/// Fluents among which pairs are sought: those that tell most states apart.
const MOST_FLUENTS: usize = 1500;
/// Pairs that are counted at most, in all states together.
const MOST_COUNTED: usize = 150_000_000;
/// States in which both must have held.
const LEAST_STATES: f64 = 50.0;
/// Standard errors from zero. States of one game say much the same, so chance alone goes farther than three.
const LEAST_ERRORS: f64 = 6.0;

impl Pairs {
    /// Pairs of fluents, the lesser first, with what they add.
    pub(super) fn new(fluents: usize, list: &[(u32, u32, i32)]) -> Pairs {
        let mut by_fluent = vec![Vec::new(); fluents];
        for &(a, b, weight) in list {
            for (of, partner) in [(a, b), (b, a)] {
                if let Some(partners) = by_fluent.get_mut(of as usize) {
                    partners.push((partner, weight));
                }
            }
        }
        let mut pairs = Pairs::default();
        if list.is_empty() {
            return pairs;
        }
        for mut partners in by_fluent {
            partners.sort_unstable();
            pairs.partners.extend(partners);
            pairs.ends.push(pairs.partners.len() as u32);
        }
        pairs
    }

    pub(super) fn is_empty(&self) -> bool {
        self.partners.is_empty()
    }

    fn of(&self, fluent: u32) -> &[(u32, i32)] {
        let at = fluent as usize;
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.partners[from..self.ends[at] as usize]
    }

    /// Each pair once, the lesser fluent first.
    pub(super) fn list(&self) -> impl Iterator<Item = (u32, u32, i32)> {
        (0..self.ends.len() as u32).flat_map(move |a| {
            self.of(a).iter().filter(move |(b, _)| a < *b).map(move |&(b, weight)| (a, b, weight))
        })
    }

    /// What the pairs of a state add.
    pub(super) fn score(&self, state: &Row) -> i32 {
        if self.is_empty() {
            return 0;
        }
        let with_lesser = |a: u32| {
            let partners = self.of(a).iter().take_while(move |(b, _)| *b < a);
            partners.filter(|(b, _)| holds(state, *b)).map(|(_, weight)| *weight)
        };
        row::fluents(state).flat_map(|fluent| with_lesser(fluent.0)).fold(0, i32::saturating_add)
    }

    /// What a change of state changes of that.
    pub(super) fn change(&self, before: &Row, after: &Row) -> i32 {
        let mut sum: i32 = 0;
        for (at, (&old, &new)) in before.iter().zip(after).enumerate() {
            let mut changed = old ^ new;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                let fluent = at as u32 * 64 + bit;
                if fluent as usize >= self.ends.len() {
                    continue;
                }
                // A pair of which both come, or both go, counts with the lesser one.
                let (with, without, sign) =
                    if new >> bit & 1 == 1 { (after, before, 1) } else { (before, after, -1) };
                for &(partner, weight) in self.of(fluent) {
                    if holds(with, partner) && (holds(without, partner) || partner > fluent) {
                        sum = sum.saturating_add(sign * weight);
                    }
                }
            }
        }
        sum
    }
}

fn holds(row: &Row, fluent: u32) -> bool {
    row[fluent as usize / 64] >> (fluent % 64) & 1 == 1
}

/// The pairs that go most with what is left unexplained of the outcomes, the lesser fluent first.
pub(super) fn promising(samples: &Samples, residue: &[f64], fluents: usize) -> Vec<(u32, u32)> {
    let states = samples.len() as f64;
    let mut by_spread: Vec<(f64, u32)> = samples
        .frequencies(fluents)
        .into_iter()
        .zip(0..)
        .map(|(count, fluent)| (count * (states - count), fluent))
        .filter(|(spread, _)| *spread > 0.0)
        .collect();
    by_spread.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    by_spread.truncate(MOST_FLUENTS);
    let mut chosen: Vec<u32> = by_spread.into_iter().map(|(_, fluent)| fluent).collect();
    chosen.sort_unstable();
    let count = chosen.len();
    let mut place = vec![u32::MAX; fluents];
    chosen.iter().zip(0..).for_each(|(&fluent, at)| place[fluent as usize] = at);
    // For each pair, by the lesser place: states with both, and what was left of their outcomes and its square.
    let mut sums = vec![[0f32; 3]; count * count];
    let mut held = Vec::new();
    let a_state = samples.size() / samples.len().max(1);
    let stride = (samples.len() * a_state * a_state / 2 / MOST_COUNTED).max(1);
    for sample in (0..samples.len()).step_by(stride) {
        held.clear();
        held.extend(
            samples.of(sample).iter().map(|&fluent| place[fluent as usize]).filter(|&at| at != u32::MAX),
        );
        let left = residue[sample] as f32;
        for (number, &a) in held.iter().enumerate() {
            for &b in &held[number + 1..] {
                let [n, sum, squares] = &mut sums[a as usize * count + b as usize];
                (*n, *sum, *squares) = (*n + 1.0, *sum + left, *squares + left * left);
            }
        }
    }
    let mut found: Vec<(f64, u32, u32)> = Vec::new();
    for (at, &[n, sum, squares]) in sums.iter().enumerate() {
        let errors = f64::from(sum).abs() / f64::from(squares).max(1e-12).sqrt();
        if f64::from(n) >= LEAST_STATES && errors >= LEAST_ERRORS {
            found.push((errors, chosen[at / count], chosen[at % count]));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    found.truncate((MOST_BY_FLUENT * fluents).min(MOST));
    found.into_iter().map(|(_, a, b)| (a, b)).collect()
}

/// The samples with a fluent more for each pair, numbered from `fluents` on, that holds where both do.
pub(super) fn with_pairs(samples: &Samples, pairs: &[(u32, u32)], fluents: usize) -> Samples {
    let mut greater: Vec<Vec<(u32, u32)>> = vec![Vec::new(); fluents];
    for (&(a, b), number) in pairs.iter().zip(fluents as u32..) {
        greater[a as usize].push((b, number));
    }
    let mut is_held = vec![false; fluents];
    let mut out = Samples::default();
    for sample in 0..samples.len() {
        let held = samples.of(sample);
        held.iter().for_each(|&fluent| is_held[fluent as usize] = true);
        let both = held.iter().flat_map(|&a| greater[a as usize].iter());
        let both = both.filter(|(b, _)| is_held[*b as usize]).map(|(_, number)| *number);
        out.push(held.iter().copied().chain(both), samples.outcomes[sample]);
        held.iter().for_each(|&fluent| is_held[fluent as usize] = false);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Pairs, promising, with_pairs};
    use crate::evaluation::fit::Samples;
    use ludex_engine::random::Random;

    #[test]
    fn a_change_of_state_changes_what_the_new_state_has_more() {
        let mut random = Random::new(7);
        let list: Vec<(u32, u32, i32)> = (0..100)
            .flat_map(|a| (a + 1..100).map(move |b| (a, b, (a * 31 + b * 17) as i32 % 23 - 11)))
            .collect();
        let pairs = Pairs::new(100, &list);
        assert_eq!(pairs.list().collect::<Vec<_>>(), list);
        let mut state = || [random.bits(), random.bits() & ((1 << 36) - 1)];
        for _ in 0..50 {
            let (before, after) = (state(), state());
            let by_hand: i32 = list
                .iter()
                .filter(|(a, b, _)| super::holds(&after, *a) && super::holds(&after, *b))
                .map(|(_, _, weight)| weight)
                .sum();
            assert_eq!(pairs.score(&after), by_hand);
            assert_eq!(pairs.score(&before) + pairs.change(&before, &after), by_hand);
        }
        assert_eq!(Pairs::new(100, &[]).score(&[u64::MAX; 2]), 0);
    }

    #[test]
    fn what_only_two_together_explain_is_found() {
        // Of four coins, the outcome is whether the first two show the same: neither says anything by itself.
        let mut random = Random::new(3);
        let (mut samples, mut residue) = (Samples::default(), Vec::new());
        for _ in 0..2000 {
            let coins: Vec<u32> = (0..4).filter(|_| random.below(2) == 1).collect();
            let won = coins.contains(&0) == coins.contains(&1);
            residue.push(if won { 0.5 } else { -0.5 });
            samples.push(coins.into_iter(), f64::from(u8::from(won)));
        }
        assert_eq!(promising(&samples, &residue, 4), [(0, 1)]);
        let more = with_pairs(&samples, &[(0, 1)], 4);
        for sample in 0..samples.len() {
            let both = samples.of(sample).starts_with(&[0, 1]);
            assert_eq!(more.of(sample).ends_with(&[4]), both);
            assert_eq!(more.of(sample).len(), samples.of(sample).len() + usize::from(both));
        }
    }
}
