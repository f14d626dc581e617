//! Logistic regression: the weights with which features foretell outcomes, by Newton's method with conjugate
//! gradients. Each pass costs as many operations as fluents hold in the samples, whatever the number of features.

use super::features::Features;

/// States of games with what came of them, as lists of fluents.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    fluents: Vec<u32>,
    ends: Vec<u32>,
    /// What the first role got of what there was to get, 0 to 1.
    pub(super) outcomes: Vec<f64>,
}

impl Samples {
    pub(super) fn push(&mut self, fluents: impl Iterator<Item = u32>, outcome: f64) {
        self.fluents.extend(fluents);
        self.ends.push(self.fluents.len() as u32);
        self.outcomes.push(outcome);
    }

    /// Adds all samples of another list.
    pub(super) fn extend(&mut self, other: &Samples) {
        let held = self.fluents.len() as u32;
        self.fluents.extend_from_slice(&other.fluents);
        self.ends.extend(other.ends.iter().map(|end| held + end));
        self.outcomes.extend_from_slice(&other.outcomes);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Fluents held in all.
    pub(super) fn size(&self) -> usize {
        self.fluents.len()
    }

    /// The fluents of a sample.
    pub(super) fn of(&self, sample: usize) -> &[u32] {
        let from = sample.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.fluents[from..self.ends[sample] as usize]
    }

    /// In how many samples each fluent holds.
    pub(super) fn frequencies(&self, fluents: usize) -> Vec<f64> {
        let mut counts = vec![0.0; fluents];
        self.fluents.iter().for_each(|&fluent| counts[fluent as usize] += 1.0);
        counts
    }

    /// The sum of weights of each sample's fluents.
    pub(super) fn sums(&self, weights: &[f64]) -> Vec<f64> {
        (0..self.len()).map(|s| self.of(s).iter().map(|&f| weights[f as usize]).sum()).collect()
    }
}

/// How strongly weights are drawn to zero, in samples: what a feature shows must outweigh so many.
const RIDGE: f64 = 4.0;
/// The same of a fluent by itself, of which there are many: states of one game say much the same of it.
const RIDGE_SINGLE: f64 = 40.0;
const NEWTON_STEPS: usize = 6;
const GRADIENT_STEPS: usize = 24;

/// A constant and a weight for each feature; none if `is_over` says that the time is up.
pub(super) fn fit(
    samples: &Samples,
    features: &Features,
    fluents: usize,
    is_over: &mut dyn FnMut() -> bool,
) -> Option<(f64, Vec<f64>)> {
    let model = Model { samples, features, fluents };
    let count = features.len();
    // The last place is the constant.
    let mut weights = vec![0.0; count + 1];
    for _ in 0..NEWTON_STEPS {
        let guesses: Vec<f64> = model.apply(&weights).into_iter().map(logistic).collect();
        let residue: Vec<f64> = samples.outcomes.iter().zip(&guesses).map(|(y, p)| y - p).collect();
        let mut gradient = model.transpose(&residue);
        for ((g, w), ridge) in gradient.iter_mut().zip(&weights).zip(model.ridges()) {
            *g -= ridge * w;
        }
        let curvature: Vec<f64> = guesses.iter().map(|p| (p * (1.0 - p)).max(1e-6)).collect();
        let step = conjugate_gradients(&model, &curvature, &gradient, is_over)?;
        weights.iter_mut().zip(&step).for_each(|(w, s)| *w += s);
        if step.iter().all(|s| s.abs() < 1e-4) {
            break;
        }
    }
    let constant = weights.pop()?;
    weights.iter().all(|w| w.is_finite()).then_some((constant, weights))
}

struct Model<'a> {
    samples: &'a Samples,
    features: &'a Features,
    fluents: usize,
}

impl Model<'_> {
    /// How strongly each feature is drawn to zero.
    fn ridges(&self) -> impl Iterator<Item = f64> {
        self.features.single.iter().map(|&single| if single { RIDGE_SINGLE } else { RIDGE })
    }

    fn apply(&self, weights: &[f64]) -> Vec<f64> {
        let constant = weights[self.features.len()];
        let mut sums = self.samples.sums(&by_fluent(self.features, self.fluents, weights));
        sums.iter_mut().for_each(|sum| *sum += constant);
        sums
    }

    fn transpose(&self, residue: &[f64]) -> Vec<f64> {
        let mut by_fluent = vec![0.0; self.fluents];
        for (sample, r) in residue.iter().enumerate() {
            for &fluent in self.samples.of(sample) {
                by_fluent[fluent as usize] += r;
            }
        }
        let mut out = vec![0.0; self.features.len() + 1];
        for (fluent, sum) in by_fluent.iter().enumerate() {
            for &(feature, share) in self.features.of(fluent) {
                out[feature as usize] += f64::from(share) * sum;
            }
        }
        out[self.features.len()] = residue.iter().sum();
        out
    }
}

/// Weights of features as weights of fluents.
pub(super) fn by_fluent(features: &Features, fluents: usize, weights: &[f64]) -> Vec<f64> {
    let sum = |fluent| {
        features.of(fluent).iter().map(|&(feature, share)| f64::from(share) * weights[feature as usize]).sum()
    };
    (0..fluents).map(sum).collect()
}

/// Solves (X' C X + ridge) step = gradient, roughly.
fn conjugate_gradients(
    model: &Model<'_>,
    curvature: &[f64],
    gradient: &[f64],
    is_over: &mut dyn FnMut() -> bool,
) -> Option<Vec<f64>> {
    let count = model.features.len();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut step = vec![0.0; count + 1];
    let mut rest = gradient.to_vec();
    let mut direction = rest.clone();
    let mut size = dot(&rest, &rest);
    let first = size;
    for _ in 0..GRADIENT_STEPS {
        if size <= 1e-8 * first || size == 0.0 {
            break;
        }
        if is_over() {
            return None;
        }
        let mut along = model.apply(&direction);
        along.iter_mut().zip(curvature).for_each(|(a, c)| *a *= c);
        let mut image = model.transpose(&along);
        for ((i, d), ridge) in image.iter_mut().zip(&direction).zip(model.ridges()) {
            *i += ridge * d;
        }
        let length = size / dot(&direction, &image).max(1e-12);
        step.iter_mut().zip(&direction).for_each(|(s, d)| *s += length * d);
        rest.iter_mut().zip(&image).for_each(|(r, i)| *r -= length * i);
        let smaller = dot(&rest, &rest);
        let turn = smaller / size;
        size = smaller;
        direction.iter_mut().zip(&rest).for_each(|(d, r)| *d = r + turn * *d);
    }
    Some(step)
}

pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
