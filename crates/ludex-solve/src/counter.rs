//! A counter that every move raises: a weight for each fluent, found by linear equations over random play.
//!
//! Where there is one, states of different counts are different states: duplicates need only be sought among states
//! of one count, and values can be worked back count by count. The equations say that every move that was seen raises the
//! count by one; where they have no solution, weights that every move seen raises by something are sought by
//! corrections, one move at a time. Play proposes, nothing more: whoever uses a counter looks at every move of the game and
//! says so if one does not raise it.

use ludex_engine::row::{self, Row};
use ludex_engine::symmetry::Symmetry;
use ludex_engine::vocabulary::FluentId;

/// Weights of fluents; the count of a state is the sum over those that hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    weights: Vec<i64>,
    /// For each weight that is not zero the words of a row and the bits in them.
    masks: Vec<(i64, Vec<(usize, u64)>)>,
}

/// A state and one that follows.
pub type Step<'s> = (&'s Row, &'s Row);

/// Equations over more fluents are not solved.
const MOST_FLUENTS: usize = 2_000;

/// Passes over all moves seen until corrections are given up.
const MOST_PASSES: usize = 2_000;

/// The range of counts that is worth layers.
const MOST_WEIGHT: i64 = 1 << 20;

impl Counter {
    /// The counter of these weights.
    pub fn new(weights: Vec<i64>) -> Counter {
        let mut masks: Vec<(i64, Vec<(usize, u64)>)> = Vec::new();
        for (at, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0) {
            let place = masks.iter().position(|(of, _)| *of == weight).unwrap_or_else(|| {
                masks.push((weight, Vec::new()));
                masks.len() - 1
            });
            let words = &mut masks[place].1;
            match words.iter_mut().find(|(word, _)| *word == at / 64) {
                Some((_, bits)) => *bits |= 1 << (at % 64),
                None => words.push((at / 64, 1 << (at % 64))),
            }
        }
        Counter { weights, masks }
    }

    /// The weights, one a fluent.
    pub fn weights(&self) -> &[i64] {
        &self.weights
    }

    /// The count of a state.
    pub fn count(&self, state: &Row) -> i64 {
        let of = |words: &[(usize, u64)]| {
            words.iter().map(|&(word, bits)| i64::from((state[word] & bits).count_ones())).sum::<i64>()
        };
        self.masks.iter().map(|(weight, words)| weight * of(words)).sum()
    }

    /// A counter that all these steps raise, and that symmetric states agree on.
    pub fn find(fluents: usize, steps: &[Step<'_>], symmetries: &[Symmetry]) -> Option<Counter> {
        if steps.is_empty() || fluents > MOST_FLUENTS {
            return None;
        }
        let rises =
            |counter: &Counter| steps.iter().all(|(one, next)| counter.count(next) > counter.count(one));
        let differences: Vec<Vec<(usize, i64)>> =
            steps.iter().map(|&(one, next)| difference(one, next)).collect();
        let by_equations = equations(fluents, &differences)
            .and_then(|weights| whole(&weights, symmetries))
            .map(Counter::new)
            .filter(rises);
        by_equations.or_else(|| {
            let weights = corrections(fluents, &differences)?;
            let summed: Vec<i64> = (0..fluents)
                .map(|at| symmetries.iter().map(|symmetry| weights[symmetry.fluents[at].index()]).sum())
                .collect();
            let common = summed.iter().fold(0, |common, weight| gcd(common, weight.abs())).max(1);
            Some(Counter::new(summed.into_iter().map(|weight| weight / common).collect())).filter(rises)
        })
    }
}

/// The fluents that differ, with one for those that come and minus one for those that go.
fn difference(one: &Row, next: &Row) -> Vec<(usize, i64)> {
    let changed: Vec<u64> = one.iter().zip(next).map(|(one, next)| one ^ next).collect();
    let sign = |fluent: FluentId| if row::holds(next, fluent) { 1 } else { -1 };
    row::fluents(&changed).map(|fluent| (fluent.index(), sign(fluent))).collect()
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Weights by which every difference is worth one, by elimination.
fn equations(fluents: usize, differences: &[Vec<(usize, i64)>]) -> Option<Vec<f64>> {
    // Each row has its pivot, a one, where no other row has anything.
    let mut rows: Vec<(usize, Vec<f64>)> = Vec::new();
    for difference in differences {
        let mut row = vec![0.0; fluents + 1];
        difference.iter().for_each(|&(at, sign)| row[at] = sign as f64);
        row[fluents] = 1.0;
        for (pivot, known) in &rows {
            let factor = row[*pivot];
            if factor != 0.0 {
                row.iter_mut().zip(known).for_each(|(value, known)| *value -= factor * known);
            }
        }
        row.iter_mut().for_each(|value| *value = if value.abs() < 1e-9 { 0.0 } else { *value });
        let pivot = (0..fluents).max_by(|&a, &b| row[a].abs().total_cmp(&row[b].abs()))?;
        if row[pivot] == 0.0 {
            if row[fluents] != 0.0 {
                return None;
            }
            continue;
        }
        let scale = row[pivot];
        row.iter_mut().for_each(|value| *value /= scale);
        for (_, other) in &mut rows {
            let factor = other[pivot];
            if factor != 0.0 {
                other.iter_mut().zip(&row).for_each(|(value, new)| *value -= factor * new);
            }
        }
        rows.push((pivot, row));
    }
    let mut weights = vec![0.0; fluents];
    rows.iter().for_each(|(pivot, row)| weights[*pivot] = row[fluents]);
    Some(weights)
}

/// The same summed over the symmetries, in whole numbers without a common divisor.
fn whole(weights: &[f64], symmetries: &[Symmetry]) -> Option<Vec<i64>> {
    let summed: Vec<f64> = (0..weights.len())
        .map(|at| symmetries.iter().map(|symmetry| weights[symmetry.fluents[at].index()]).sum())
        .collect();
    let near = |value: f64| (value - value.round()).abs() < 1e-6 && value.abs() < MOST_WEIGHT as f64;
    let scale = (1..=60).map(f64::from).find(|scale| summed.iter().all(|weight| near(weight * scale)))?;
    let numbers: Vec<i64> = summed.iter().map(|weight| (weight * scale).round() as i64).collect();
    let common = numbers.iter().fold(0, |common, weight| gcd(common, weight.abs())).max(1);
    Some(numbers.into_iter().map(|weight| weight / common).collect())
}

/// Weights by which every difference is worth something: a difference that is not is added to them.
fn corrections(fluents: usize, differences: &[Vec<(usize, i64)>]) -> Option<Vec<i64>> {
    let mut weights = vec![0i64; fluents];
    for _ in 0..MOST_PASSES {
        let mut right = true;
        for difference in differences {
            if difference.iter().map(|&(at, sign)| weights[at] * sign).sum::<i64>() <= 0 {
                difference.iter().for_each(|&(at, sign)| weights[at] += sign);
                right = false;
            }
        }
        if right {
            return weights.iter().all(|weight| weight.abs() < MOST_WEIGHT).then_some(weights);
        }
    }
    None
}
