//! Near misses: the known names that a misspelt one may have meant.
//!
//! For complaints only. Nothing is ever corrected by itself.

/// Longer names are not compared: the cost of a comparison grows with the product of the lengths.
const LONGEST: usize = 80;

/// More suggestions than this are no help.
const MOST: usize = 3;

/// How many letters must be put in, left out, changed or swapped with their neighbour to make one word of the
/// other (optimal string alignment).
pub fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for i in 0..left.len() {
        let mut next = vec![i + 1];
        for j in 0..right.len() {
            let replaced = row[j] + usize::from(left[i] != right[j]);
            let mut best = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j] {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[right.len()]
}

/// Up to three of `names` that `typed` may have meant, the nearest first; case does not count.
///
/// A third of the letters wrong is still a misspelling, more is another word. The beginning of a name is as near
/// to it as one wrong letter, however much is missing.
pub fn nearest<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let typed = typed.trim().to_lowercase();
    if typed.is_empty() || typed.len() > LONGEST {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .filter(|name| name.len() <= LONGEST)
        .map(|name| (name, name.to_lowercase()))
        .filter_map(|(name, lower)| {
            if typed.chars().count() > 1 && lower.starts_with(&typed) {
                return Some((1, name));
            }
            let distance = distance(&typed, &lower);
            let letters = lower.chars().count().max(typed.chars().count());
            // One wrong letter of one would make every name of a letter a suggestion.
            (distance < letters && distance <= letters.div_ceil(3)).then_some((distance, name))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// `did you mean ...?`, if something is near.
pub fn did_you_mean<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let near: Vec<String> = nearest(typed, names).iter().map(|name| format!("`{name}`")).collect();
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, distance, nearest};

    #[test]
    fn distance_counts_edits() {
        for (left, right, expected) in [
            ("", "", 0),
            ("nim", "", 3),
            ("hex", "hax", 1),
            ("maze", "amaze", 1),
            ("contorl", "control", 1),
            ("ab", "ba", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(left, right), expected, "{left} {right}");
            assert_eq!(distance(right, left), expected, "{right} {left}");
        }
    }

    #[test]
    fn near_names_come_first_and_far_ones_not_at_all() {
        let names = ["control", "cell", "column", "step"];
        assert_eq!(nearest("contrl", names), ["control"]);
        assert_eq!(nearest("Cel", names), ["cell"]);
        assert_eq!(nearest("col", names), ["column", "cell"]);
        assert_eq!(nearest("queen", names), [""; 0]);
        assert_eq!(nearest("x", ["y", "z"]), [""; 0]);
        assert_eq!(nearest("", names), [""; 0]);
        assert_eq!(nearest(&"c".repeat(1000), names), [""; 0]);
        assert_eq!(did_you_mean("stpe", names).as_deref(), Some("did you mean `step`?"));
        assert_eq!(did_you_mean("queen", names), None);
    }
}
