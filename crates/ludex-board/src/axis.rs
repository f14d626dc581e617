//! Names that look like coordinates.

/// More columns or rows than this do not fit on a screen.
const LONGEST: usize = 30;

/// The names along one side of a board, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The names.
    pub labels: Vec<String>,
    /// True if they are letters: those run across a board, whichever coordinate comes first.
    pub letters: bool,
}

impl Axis {
    /// The axis that the distinct `names` make, if they look like one: numbers without gaps (`1` to `8`),
    /// numbers behind a common stem (`c1` to `c8`), or letters without gaps (`a` to `h`).
    pub fn of(mut names: Vec<&str>) -> Option<Axis> {
        if !(2..=LONGEST).contains(&names.len()) {
            return None;
        }
        let letters = names.iter().all(|name| name.len() == 1 && name.as_bytes()[0].is_ascii_alphabetic());
        let key = |name: &str| -> Option<i64> {
            if letters {
                return name.bytes().next().map(i64::from);
            }
            let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
            digits.parse().ok()
        };
        // Two letters are more often two sides or two pieces than two columns.
        if letters && names.len() < 3 {
            return None;
        }
        let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let first = names[0];
        if !letters && names.iter().any(|name| name[..stem(name)] != first[..stem(first)]) {
            return None;
        }
        let mut keys = names.iter().map(|name| key(name)).collect::<Option<Vec<i64>>>()?;
        keys.sort_unstable();
        if keys.windows(2).any(|pair| pair[0].checked_add(1) != Some(pair[1])) {
            return None;
        }
        names.sort_by_key(|name| key(name));
        Some(Axis { labels: names.into_iter().map(str::to_owned).collect(), letters })
    }

    /// Where the name stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.labels.iter().position(|label| label == name)
    }
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[test]
    fn coordinates_are_recognised_and_ordered() {
        let labels = |names: &[&str]| Axis::of(names.to_vec()).map(|axis| axis.labels.join(" "));
        assert_eq!(
            labels(&["2", "10", "1", "3", "9", "8", "7", "6", "5", "4"]).as_deref(),
            Some("1 2 3 4 5 6 7 8 9 10")
        );
        assert_eq!(labels(&["b", "c", "a"]).as_deref(), Some("a b c"));
        assert_eq!(labels(&["c2", "c1"]).as_deref(), Some("c1 c2"));
        assert_eq!(labels(&["1", "2", "blank"]), None);
        assert_eq!(labels(&["x", "o", "b"]), None);
        assert_eq!(labels(&["a", "b"]), None);
        assert_eq!(labels(&["1", "3"]), None);
        assert_eq!(labels(&["1"]), None);
        assert_eq!(labels(&["99999999999999999999", "1"]), None);
        assert_eq!(labels(&["é", "1"]), None);
    }
}
