//! Suggested repairs as a patch: names that are respelt, clauses that are added at the end.

use ludex::gdl::Sheet;
use ludex::logic::review::Review;

/// A sheet with its repairs.
pub struct Patch {
    /// The whole text with the repairs.
    pub text: String,
    /// What changes, as a unified diff that `patch` takes.
    pub diff: String,
}

/// The repairs that the findings suggest; `None` if there are none.
pub fn patch(source: &str, sheet: &Sheet, review: Option<&Review>) -> Option<Patch> {
    let mut fixes: Vec<_> = sheet.findings.iter().filter_map(|finding| finding.fix.clone()).collect();
    fixes.sort_unstable();
    fixes.dedup();
    // Of two repairs of one place the first is taken.
    fixes.dedup_by(|later, first| later.0.start < first.0.end);
    let old = &*sheet.text;
    let mut text = String::with_capacity(old.len());
    let mut from = 0;
    for (span, name) in &fixes {
        text.push_str(old.get(from..span.start as usize)?);
        text.push_str(name);
        from = span.end as usize;
    }
    text.push_str(old.get(from..)?);
    let mut diff = format!("--- {source}\n+++ {source}\n");
    // A repair stays within its line, so that lines correspond.
    let (before, after): (Vec<&str>, Vec<&str>) = (old.lines().collect(), text.lines().collect());
    for (number, (old, new)) in before.iter().zip(&after).enumerate().filter(|(_, (old, new))| old != new) {
        let number = number + 1;
        diff.push_str(&format!("@@ -{number} +{number} @@\n-{old}\n+{new}\n"));
    }
    let mut added: Vec<&str> =
        review.iter().flat_map(|review| &review.suspicions).filter_map(|s| s.repair.as_deref()).collect();
    added.dedup();
    let added = added.concat();
    if !added.is_empty() {
        let (length, count) = (before.len(), added.lines().count());
        diff.push_str(&format!("@@ -{length},0 +{},{count} @@\n", length + 1));
        added.lines().for_each(|line| diff.push_str(&format!("+{line}\n")));
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&added);
    }
    (!fixes.is_empty() || !added.is_empty()).then_some(Patch { text, diff })
}
