//! Mutation fuzzing of the reader: sheets cut up, mixed and spoilt at random, and everything examined that
//! must hold for any input (`common::examine`).
//!
//! `LUDEX_FUZZ_SECONDS` sets how long, `LUDEX_FUZZ_SEED` with which seed; without either it is five seconds
//! with the same seed every time. An input that breaks a promise is made small and saved in
//! `testdata/fuzz`, where it is replayed for ever: mend what it shows, and commit it.

mod common;

use common::{corpus, examine};
use ludex_engine::random::Random;
use ludex_gdl::syntax::{Notation, TextLimits};
use ludex_testkit::corpus::testdata;
use ludex_testkit::generate;
use ludex_testkit::report::{Report, note};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Longest input: reading is linear in the good case, so more of it finds less a second.
const LONGEST: usize = 6000;

/// How many different broken promises end a run.
const ENOUGH: usize = 20;

/// Small, so that disjunctions which multiply stop early.
fn limits() -> TextLimits {
    TextLimits { literals: 20_000, ..TextLimits::default() }
}

/// Words that mean something to a reader.
const WORDS: [&str; 66] = [
    "(",
    ")",
    "()",
    "(<= ",
    "<=",
    ":-",
    ".",
    ",",
    " or ",
    "or(",
    "(or ",
    "not ",
    "(not ",
    "not(",
    "(and ",
    "and",
    "distinct",
    "(distinct ",
    "role",
    "(role ",
    "init",
    "(init ",
    "true",
    "(true ",
    "does",
    "(does ",
    "legal",
    "(legal ",
    "next",
    "(next ",
    "terminal",
    "(terminal)",
    "goal",
    "(goal ",
    "base",
    "input",
    "TRUE",
    "Role",
    "?",
    "?x",
    "?_",
    "X",
    "_",
    "_1",
    "'",
    "\"",
    "\\",
    "'a b'",
    "\"a b\"",
    "''",
    "\"\"",
    ";",
    "%",
    "/*",
    "*/",
    "\n",
    "\r\n",
    "\u{FEFF}",
    "\u{21D0}",
    "é",
    "ẞ",
    "-1",
    "01",
    "1.0",
    "\0",
    "\u{2028}",
];

/// The message of the first broken promise, if there is one.
fn broken(bytes: &[u8]) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(|| examine(bytes, &limits()))) {
        Ok(outcome) => outcome.err(),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            Some(format!("panicked: {}", text.unwrap_or_default()))
        }
    }
}

/// The message without what differs from input to input.
fn kind(message: &str) -> String {
    let mut quoted = false;
    let kept = message.chars().filter(|c| {
        quoted ^= matches!(c, '`' | '"');
        !quoted && !c.is_ascii_digit()
    });
    kept.take(70).collect()
}

struct Fuzzer {
    random: Random,
    seeds: Vec<Vec<u8>>,
}

impl Fuzzer {
    /// A piece of some sheet, whole clauses where it can be.
    fn piece(&mut self) -> Vec<u8> {
        if self.random.below(8) == 0 {
            return generate::game(self.random.bits()).into_bytes();
        }
        let seed = &self.seeds[self.random.below(self.seeds.len())];
        if seed.len() <= LONGEST {
            return seed.clone();
        }
        let from = self.random.below(seed.len() - LONGEST / 2);
        let from = seed[from..].iter().position(|&b| b == b'\n').map_or(from, |i| from + i);
        seed[from..(from + LONGEST).min(seed.len())].to_vec()
    }

    /// A range of the text, mostly short.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.random.below(length + 1);
        let most = [1, 4, 16, 64, 1000][self.random.below(5)];
        from..(from + self.random.below(most + 1)).min(length)
    }

    fn input(&mut self) -> Vec<u8> {
        let mut text = self.piece();
        for _ in 0..1 + self.random.below(6) {
            let range = self.range(text.len());
            match self.random.below(10) {
                0 => drop(text.drain(range)),
                1 => {
                    let part = text[range.clone()].to_vec();
                    text.splice(range.start..range.start, part);
                }
                2 => {
                    let other = self.piece();
                    let taken = self.range(other.len());
                    text.splice(range, other[taken].iter().copied());
                }
                3 => {
                    let at = range.start.min(text.len().saturating_sub(1));
                    if let Some(byte) = text.get_mut(at) {
                        *byte = self.random.bits() as u8;
                    }
                }
                4 => {
                    let part = text[range.clone()].to_vec();
                    let at = self.random.below(text.len() + 1);
                    text.splice(at..at, part);
                }
                5 => {
                    for byte in &mut text[range] {
                        *byte ^= if byte.is_ascii_alphabetic() { 0x20 } else { 0 };
                    }
                }
                6 => text.truncate(range.end),
                _ => {
                    let word = WORDS[self.random.below(WORDS.len())];
                    let end = if self.random.below(2) == 0 { range.start } else { range.end };
                    text.splice(range.start..end, word.bytes());
                }
            }
        }
        text.truncate(2 * LONGEST);
        text
    }
}

/// Leaves out whatever can be left out while the same promise stays broken: first whole lists, which a
/// cut at random would only unbalance, then ranges of bytes.
fn smallest(mut bytes: Vec<u8>, kind_of: &str) -> Vec<u8> {
    let deadline = Instant::now() + Duration::from_secs(20);
    let without = |bytes: &[u8], from: usize, to: usize| {
        let shorter = [&bytes[..from], &bytes[to.min(bytes.len())..]].concat();
        let same = Instant::now() < deadline && broken(&shorter).is_some_and(|m| kind(&m) == kind_of);
        same.then_some(shorter)
    };
    let mut at = 0;
    while at < bytes.len() {
        match list_end(&bytes, at).and_then(|end| without(&bytes, at, end)) {
            Some(shorter) => bytes = shorter,
            None => at += 1,
        }
    }
    let mut size = bytes.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < bytes.len() {
            match without(&bytes, at, at + size) {
                Some(shorter) => bytes = shorter,
                None => at += size,
            }
        }
        size /= 2;
    }
    bytes
}

/// The offset behind the list that opens at `at`.
fn list_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (offset, byte) in bytes[at..].iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (offset > 0).then_some(at + offset + 1);
        }
    }
    None
}

fn save(bytes: &[u8], kind_of: &str) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let slug: String = kind_of.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let slug = slug.split('-').filter(|s| !s.is_empty()).take(6).collect::<Vec<_>>().join("-");
    let ending = match Notation::of(&String::from_utf8_lossy(bytes)) {
        Notation::Kif => "kif",
        Notation::Infix => "gdl",
    };
    let path = testdata("fuzz").join(format!("{slug}-{:08x}.{ending}", hasher.finish() as u32));
    std::fs::write(&path, bytes).unwrap_or_else(|e| panic!("cannot write {}: {e}", path.display()));
    path.display().to_string()
}

#[test]
fn earlier_finds_are_mended() {
    let mut report = Report::new("earlier finds of the fuzzer");
    // There may be none yet; an empty text stands in.
    report.case("an empty text", || broken(b"").map_or(Ok(()), Err));
    for source in ludex_testkit::corpus::sheets_in(&testdata("fuzz")) {
        report.case(&source.name, || broken(&source.bytes).map_or(Ok(()), Err));
    }
    report.finish();
}

#[test]
fn mutated_sheets() {
    let variable = |name: &str| {
        let value = std::env::var(name).ok()?;
        Some(value.parse::<u64>().unwrap_or_else(|_| panic!("{name} must be a number, not {value:?}")))
    };
    let seconds = variable("LUDEX_FUZZ_SECONDS");
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |t| t.as_nanos() as u64);
    // A short run is a test and must be the same every time; a long one should see something new.
    let seed = variable("LUDEX_FUZZ_SEED").unwrap_or(if seconds.is_some() { clock } else { 1 });
    let budget = Duration::from_secs(seconds.unwrap_or(5));
    note(&format!("fuzzing the reader for {budget:?} with LUDEX_FUZZ_SEED={seed}"));

    let seeds = corpus("fuzzing with the public sheets").into_iter().map(|source| source.bytes).collect();
    let mut fuzzer = Fuzzer { random: Random::new(seed), seeds };
    let started = Instant::now();
    let (mut inputs, mut sound) = (0u64, 0u64);
    let mut slowest = Duration::ZERO;
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    while started.elapsed() < budget && found.len() < ENOUGH {
        let bytes = fuzzer.input();
        inputs += 1;
        let before = Instant::now();
        let message = broken(&bytes);
        let Some(message) = message else {
            slowest = slowest.max(before.elapsed());
            sound += u64::from(ludex_gdl::Sheet::read_bytes(&bytes, &limits()).game().is_some());
            continue;
        };
        let kind_of = kind(&message);
        if found.contains_key(&kind_of) {
            continue;
        }
        let small = smallest(bytes, &kind_of);
        let message = broken(&small).unwrap_or(message);
        let path = save(&small, &kind_of);
        let line = format!("{message}\n    {:?}\n    saved as {path}", String::from_utf8_lossy(&small));
        note(&line);
        found.insert(kind_of, line);
    }
    note(&format!("fuzzed {inputs} inputs, {sound} of them sound games, slowest {slowest:?}"));
    assert!(inputs > 100, "only {inputs} inputs in {budget:?}: something hangs");
    let list = found.into_values().collect::<Vec<_>>().join("\n- ");
    assert!(list.is_empty(), "seed {seed}:\n- {list}");
}
