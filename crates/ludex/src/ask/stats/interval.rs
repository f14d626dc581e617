//! Shares and means with their intervals.

/// The part of some cases in which something is so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Cases in which it is so.
    pub count: u64,
    /// All cases.
    pub of: u64,
}

/// Two standard deviations and a little less: 95 % of a normal distribution.
const Z: f64 = 1.959_963_984_540_054;

impl Share {
    /// From 0 to 1; 0 where there are no cases.
    pub fn value(self) -> f64 {
        self.count as f64 / (self.of as f64).max(1.0)
    }

    /// Wilson's interval, in which the true share lies 95 times of 100: from 0 to 1 where there are no cases.
    pub fn interval(self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        let (n, p) = (self.of as f64, self.value());
        let middle = p + Z * Z / (2.0 * n);
        let width = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        (((middle - width) / scale).max(0.0), ((middle + width) / scale).min(1.0))
    }
}

/// A mean over a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Mean {
    /// The mean; 0 over no cases.
    pub mean: f64,
    /// The standard deviation of single cases.
    pub deviation: f64,
    /// How many cases.
    pub count: u64,
}

impl Mean {
    /// Of values with how often each occurs.
    pub fn of(values: impl Iterator<Item = (f64, u64)>) -> Mean {
        let (mut count, mut mean, mut squares) = (0u64, 0.0, 0.0);
        for (value, times) in values.filter(|(_, times)| *times > 0) {
            count += times;
            let step = value - mean;
            mean += step * times as f64 / count as f64;
            squares += times as f64 * step * (value - mean);
        }
        let deviation = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
        Mean { mean, deviation, count }
    }

    /// The interval in which the true mean lies 95 times of 100, where the sample is not very small.
    pub fn interval(self) -> (f64, f64) {
        let width = Z * self.deviation / (self.count as f64).max(1.0).sqrt();
        (self.mean - width, self.mean + width)
    }
}

#[cfg(test)]
mod tests {
    use super::{Mean, Share};

    /// The values are those of the formula in Wilson (1927), worked out with twenty digits.
    #[test]
    fn intervals_are_wilsons() {
        for (count, of, low, high) in
            [(0, 10, 0.0, 0.277_533), (5, 10, 0.236_593, 0.763_407), (81, 263, 0.255_289, 0.366_210)]
        {
            let (from, to) = Share { count, of }.interval();
            assert!((from - low).abs() < 1e-5 && (to - high).abs() < 1e-5, "{count} of {of}: {from} to {to}");
        }
        assert_eq!(Share::default().interval(), (0.0, 1.0));
    }

    #[test]
    fn means_weigh_what_occurs_often() {
        let mean = Mean::of([(1.0, 1), (4.0, 3), (9.0, 0)].into_iter());
        assert_eq!((mean.mean, mean.deviation, mean.count), (3.25, 1.5, 4));
        assert_eq!(Mean::of(std::iter::empty()), Mean::default());
    }
}
