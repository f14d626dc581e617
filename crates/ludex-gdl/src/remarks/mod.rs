//! What a sheet with a plain meaning says that its author can hardly have meant: misspelt names, conditions that never
//! hold, parts that nobody reads.
//!
//! Unlike [`crate::check`], nothing here is about the specification: each remark is true of the rules, and whether it is
//! a mistake is for the author to say. They follow from the text alone (the domains of arguments, who reads what);
//! what takes play to see is not found here. Every walk is linear in the rules, and near misses are sought for
//! a bounded number of names only.

mod outcomes;
mod places;
mod possible;
mod readers;
mod spelling;

use crate::analysis::domains::Domains;
use crate::diagnostic::{Code, Diagnostic};
use crate::lower::Lowered;
use crate::rules::Rules;
use crate::spelling::did_you_mean;
use crate::syntax::tree::Tree;
use crate::syntax::{Findings, Notation, Parsed, Span};
use hashbrown::{HashMap, HashSet};
use places::Places;
use std::cell::Cell;

/// Of each kind at most so many are kept; the last one says how many more there are.
const MOST_OF_A_KIND: usize = 10;

/// The domains are not computed beyond so much work (a hundred times what the largest public sheet takes).
const MOST_WORK: usize = 20_000_000;

/// Near misses are sought so often,
const MOST_SOUGHT: usize = 60;

/// and among so many names.
const MOST_NAMES: usize = 2_000;

/// Adds the remarks about rules that have a meaning.
pub(crate) fn remark(lowered: &Lowered, parsed: &Parsed, findings: &mut Findings) {
    let (rules, tree) = (&lowered.rules, &parsed.tree);
    let (text, notation) = (&*parsed.text, parsed.notation);
    let sheet = Remarked { rules, tree, text, notation, places: Places::of(tree), sought: Cell::new(0) };
    let mut remarks = Remarks::default();
    if let Some(domains) = Domains::within(rules, MOST_WORK) {
        possible::remark(&sheet, &domains, &mut remarks);
        outcomes::remark(&sheet, &domains, &mut remarks);
    }
    readers::remark(&sheet, &mut remarks);
    spelling::remark(&sheet, &mut remarks);
    remarks.finish(findings);
}

/// A sheet that is looked at.
struct Remarked<'s> {
    rules: &'s Rules,
    tree: &'s Tree,
    text: &'s str,
    notation: Notation,
    places: Places<'s>,
    /// How often a near miss was sought.
    sought: Cell<usize>,
}

impl Remarked<'_> {
    /// A variable as the sheet writes it.
    fn variable(&self, name: &str) -> String {
        match self.notation {
            Notation::Kif => format!("?{name}"),
            Notation::Infix => name.to_owned(),
        }
    }

    /// The repair of a misspelt name at the beginning of `place`: the name that a hint asks for, if it is one.
    fn respelt(&self, place: Span, name: &str, hint: &str) -> Option<(Span, String)> {
        let (_, meant) = hint.split_once("did you mean `")?;
        let meant = meant.strip_suffix("`?").filter(|meant| !meant.contains('`'))?;
        // A compound term of KIF begins with its parenthesis.
        let text = self.text.get(place.start as usize..place.end as usize)?;
        let opening = text.len() - text.trim_start_matches(['(', ' ']).len();
        let start = place.start as usize + opening;
        let written = self.text.get(start..start + name.len())?;
        (written == name).then(|| (Span::new(start, start + name.len()), meant.to_owned()))
    }

    /// `did you mean ...?`, for the first misspelt names and as long as there are not too many to compare with.
    fn near<'n>(&self, typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
        self.sought.set(self.sought.get() + 1);
        if self.sought.get() > MOST_SOUGHT {
            return None;
        }
        did_you_mean(typed, names.into_iter().filter(|name| *name != typed).take(MOST_NAMES))
    }
}

/// The remarks so far: no place twice for the same reason, and a few of each kind.
#[derive(Default)]
struct Remarks {
    list: Vec<Diagnostic>,
    places: HashSet<(Code, Span)>,
    counts: HashMap<Code, usize>,
}

impl Remarks {
    fn push(&mut self, finding: Diagnostic) {
        if !self.places.insert((finding.code, finding.span)) {
            return;
        }
        let count = self.counts.entry(finding.code).or_default();
        *count += 1;
        if *count <= MOST_OF_A_KIND {
            self.list.push(finding);
        }
    }

    /// True if another remark of the kind would only be counted: whoever composes it may save the words.
    fn is_full(&self, code: Code) -> bool {
        self.counts.get(&code).is_some_and(|&count| count >= MOST_OF_A_KIND)
    }

    fn finish(mut self, findings: &mut Findings) {
        for (code, count) in self.counts {
            let last = self.list.iter_mut().rev().find(|finding| finding.code == code);
            if let Some(last) = last.filter(|_| count > MOST_OF_A_KIND) {
                last.message.push_str(&format!(" (and {} more of this kind)", count - MOST_OF_A_KIND));
            }
        }
        self.list.into_iter().for_each(|remark| findings.push_remark(remark));
    }
}
