//! Texts written to break a reader: it must answer, soon, and never panic.

mod common;

use common::{PATIENCE, examine, read_only};
use ludex_engine::random::Random;
use ludex_gdl::syntax::TextLimits;
use ludex_gdl::{Code, Sheet};
use ludex_testkit::report::Report;
use std::time::{Duration, Instant};

/// A small sheet with a bit of everything, in both notations.
const KIF: &str = "; x\n(role a) (role b)\n(init (c 1 b)) (s 1 2)\n\
    (<= (r ?x ?z) (or (s ?x ?z) (and (r ?x ?y) (s ?y ?z))))\n\
    (<= (legal ?p (m ?x)) (role ?p) (true (c ?x \"b\")) (not (r ?x 1)))\n\
    (<= (next (c ?y x)) (does ?p (m ?x)) (s ?x ?y) (distinct ?x ?y))\n\
    (<= terminal (not (true (c 1 b))))\n(<= (goal ?p 50) (role ?p))\n";
const INFIX: &str = "% x\nrole(a). role(b).\ninit(c(1,b)). s(1,2). /* y */\n\
    r(X,Z) :- s(X,Z) or (r(X,Y), s(Y,Z)).\n\
    legal(P,m(X)) :- role(P), true(c(X,'b')), not r(X,1).\n\
    next(c(Y,x)) <= does(P,m(X)), s(X,Y), distinct(X,Y).\n\
    terminal :- not true(c(1,b)).\ngoal(P,50) :- role(P).\n";

/// One case: a text that must be survived.
fn survive(report: &mut Report, name: &str, bytes: &[u8]) {
    report.case(name, || {
        examine(bytes, &TextLimits::default()).map(|_| ()).map_err(|message| {
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(600)]);
            format!("{message}\n  on the input {shown:?}")
        })
    });
}

#[test]
fn the_small_sheets_are_sound() {
    for text in [KIF, INFIX] {
        let sheet = examine(text.as_bytes(), &TextLimits::default()).expect("no broken promise");
        assert!(sheet.game().is_some(), "{:?}", sheet.findings);
    }
}

#[test]
fn every_prefix_and_suffix() {
    let mut report = Report::new("prefixes and suffixes");
    for text in [KIF, INFIX] {
        for at in 0..=text.len() {
            survive(&mut report, &format!("up to {at}"), &text.as_bytes()[..at]);
            survive(&mut report, &format!("from {at}"), &text.as_bytes()[at..]);
        }
    }
    report.finish();
}

#[test]
fn every_single_byte_mutation() {
    let mut report = Report::new("mutations of one byte");
    for text in [KIF, INFIX] {
        let mut bytes = text.as_bytes().to_vec();
        for at in 0..bytes.len() {
            let old = bytes[at];
            for new in 0..=255 {
                bytes[at] = new;
                let name = format!("{new} at {at}");
                if b"()?;%'\"\\.,:-<=_ \n\tabnX1\0\xFF".contains(&new) {
                    survive(&mut report, &name, &bytes);
                } else {
                    // Printing and reading again costs ten times as much as reading.
                    report.case(&name, || read_only(&bytes, &TextLimits::default()).map(|_| ()));
                }
            }
            bytes[at] = old;
        }
    }
    report.finish();
}

#[test]
fn every_single_byte_left_out_or_doubled() {
    let mut report = Report::new("one byte left out or doubled");
    for text in [KIF, INFIX] {
        for at in 0..text.len() {
            let (before, after) = text.as_bytes().split_at(at);
            survive(&mut report, &format!("without {at}"), &[before, &after[1..]].concat());
            survive(&mut report, &format!("twice {at}"), &[before, &after[..1], after].concat());
        }
    }
    report.finish();
}

#[test]
fn random_bytes() {
    let mut random = Random::new(1);
    let mut report = Report::new("random bytes");
    for number in 0..20_000 {
        let length = random.below(200);
        // Half of them from the characters that mean something.
        let bytes: Vec<u8> = if random.below(2) == 0 {
            (0..length).map(|_| random.bits() as u8).collect()
        } else {
            let alphabet = b"()?;%'\"\\.,:-<=_ \n\tabXY01\xC3\xA9";
            (0..length).map(|_| alphabet[random.below(alphabet.len())]).collect()
        };
        survive(&mut report, &format!("text {number}"), &bytes);
    }
    report.finish();
}

#[test]
fn random_words() {
    let kif = [
        "(",
        ")",
        "(<=",
        "<=",
        "(role",
        "(init",
        "(true",
        "(does",
        "(legal",
        "(next",
        "terminal",
        "(goal",
        "(distinct",
        "(not",
        "(or",
        "(and",
        "?x",
        "?y",
        "a",
        "b",
        "1",
        "100",
        "(f",
        "(p",
        "p",
        "\"q r\"",
        ";",
        "\n",
        "()",
        "(TRUE",
        "(Not",
    ];
    let infix = [
        "(",
        ")",
        ",",
        ".",
        ":-",
        "<=",
        "role(",
        "init(",
        "true(",
        "does(",
        "legal(",
        "next(",
        "terminal",
        "goal(",
        "distinct(",
        "not",
        "or",
        "and(",
        "X",
        "Y",
        "_",
        "a",
        "b",
        "1",
        "100",
        "f(",
        "p(",
        "p",
        "'Q r'",
        "%",
        "/*",
        "*/",
        "\n",
    ];
    let mut random = Random::new(2);
    let mut report = Report::new("random words");
    for words in [&kif[..], &infix[..]] {
        for number in 0..10_000 {
            let count = random.below(40);
            let opening = if words.len() == kif.len() { "(role a) " } else { "role(a). " };
            let text: String =
                (0..count).map(|_| words[random.below(words.len())].to_owned() + " ").collect();
            survive(&mut report, &format!("text {number}"), (opening.to_owned() + &text).as_bytes());
        }
    }
    report.finish();
}

/// Reads a large text; an error says how long that took if it was too long.
fn read_large(text: &str, patience: Duration) -> Result<Vec<Code>, String> {
    let started = Instant::now();
    let sheet = Sheet::read(text);
    let codes = sheet.findings.iter().map(|f| f.code).collect();
    // Giving the memory back counts too.
    drop(sheet);
    let elapsed = started.elapsed();
    if elapsed < patience { Ok(codes) } else { Err(format!("took {elapsed:?}")) }
}

#[test]
fn deep_nesting() {
    let million = 1_000_000;
    let mut report = Report::new("deep nesting");
    for (what, text) in [
        ("open", "(".repeat(million)),
        ("close", ")".repeat(million)),
        ("open and close", "(".repeat(million) + &")".repeat(million)),
        ("terms", format!("(p {}x{})", "(f ".repeat(million), ")".repeat(million))),
        ("not", format!("(<= p {}q{})", "(not ".repeat(million), ")".repeat(million))),
        ("or", format!("(<= p {}q{})", "(or ".repeat(million), ")".repeat(million))),
        ("rules", "(<= ".repeat(million)),
        ("infix terms", format!("p({}x{}).", "f(".repeat(million), ")".repeat(million))),
        ("infix open", format!("p :- {}", "(".repeat(million))),
        ("infix open and close", format!("p :- {}q{}.", "(".repeat(million), ")".repeat(million))),
        ("infix not", format!("p :- {}q.", "not ".repeat(million))),
        ("infix comment", format!("p. {}", "/*".repeat(million))),
        ("quotes", "(p \"\n".repeat(million / 4)),
        ("backslashes", format!("(p \"{}", "\\".repeat(million))),
    ] {
        report.case(what, || match read_large(&text, PATIENCE)?.as_slice() {
            [] => Err("no finding".to_owned()),
            _ => Ok(()),
        });
    }
    report.finish();
}

#[test]
fn fifty_megabytes() {
    let limits = TextLimits::default();
    // What is read at all, 16 MiB, are millions of clauses: seconds, but not hours.
    let patience = PATIENCE * 6;
    let mut report = Report::new("fifty megabytes");
    for text in [" ".repeat(50 << 20), "(p a)\n".repeat(9 << 20), "a".repeat(50 << 20)] {
        let name = text[..4].to_owned();
        report.case(&name, || match read_large(&text, PATIENCE)?.as_slice() {
            [Code::InputTooLarge] => Ok(()),
            other => Err(format!("found {other:?}")),
        });
        let text = &text[..limits.bytes];
        report.case(&format!("{name} in KIF"), || read_large(text, patience).map(|_| ()));
        let infix = format!("p. {}", &text[..limits.bytes - 3]);
        report.case(&format!("{name} in infix"), || read_large(&infix, patience).map(|_| ()));
    }
    report.finish();
}

#[test]
fn many_of_everything() {
    let facts = |n: usize| (0..n).map(|i| format!("(p {i})\n")).collect::<String>();
    let arms = |n: usize| (0..n).map(|i| format!("(true (p {i})) ")).collect::<String>();
    let n = 100_000;
    let mut report = Report::new("many of everything");
    for (what, text) in [
        ("facts", facts(n)),
        ("equal facts", "(p a)\n".repeat(n)),
        ("arms", format!("(<= p (or {}))", arms(n))),
        ("a million arms", format!("(<= p (or {}))", "q ".repeat(1_000_000))),
        ("a million infix arms", format!("p :- q{}.", " or q".repeat(1_000_000))),
        ("conditions", format!("(<= p {})", arms(n))),
        ("negated disjunction", format!("(<= p (not (or {})))", arms(n))),
        ("negated conjunction", format!("(<= p (not (and {})))", arms(n))),
        ("arguments", format!("(p {})", "a ".repeat(n))),
        (
            "variables in a head",
            format!("(<= (p {}) q)", (0..n).map(|i| format!("?x{i} ")).collect::<String>()),
        ),
        (
            "variables in a body",
            format!("(<= p {})", (0..n).map(|i| format!("(q ?x{i} ?x{})\n", i + 1)).collect::<String>()),
        ),
        (
            "equalities",
            format!(
                "(<= p (q ?x0) {})",
                (0..2000).map(|i| format!("(not (distinct ?x{} ?x{i}))\n", i + 1)).collect::<String>()
            ),
        ),
        (
            "equalities backwards",
            format!(
                "(<= p (q ?x2000) {})",
                (0..2000).map(|i| format!("(not (distinct ?x{i} ?x{}))\n", i + 1)).collect::<String>()
            ),
        ),
        ("disjunctions", format!("(<= p {})", "(or q r) ".repeat(1000))),
        (
            "nested disjunctions",
            format!("(<= p {} q {})", "(or (or a b) (not (and ".repeat(60), ")))".repeat(60)),
        ),
        ("a chain", (0..n).map(|i| format!("(<= p{i} p{})\n", i + 1)).collect()),
        ("a negative cycle", (0..n).map(|i| format!("(<= p{i} (not p{}))\n", (i + 1) % n)).collect()),
        ("recursion", (0..3000).map(|i| format!("(<= (p ?x) (p ?x) (q{i} ?x))\n")).collect()),
        (
            "mutual recursion",
            (0..3000)
                .map(|i| format!("(<= (p{i} ?x) (p{} ?x) (p{} ?x))\n", (i + 1) % 3000, (i * 7) % 3000))
                .collect(),
        ),
        ("init rules", (0..3000).map(|i| format!("(<= (init (p {i})) q{i})\n")).collect()),
        ("arities", (0..1000).map(|i| format!("(p {})\n", "a ".repeat(i))).collect()),
        ("long names", (0..100).map(|i| format!("({}{i} a)\n", "x".repeat(50_000))).collect()),
        (
            "clashing variables",
            format!(
                "(<= p {})",
                (0..2000).map(|i| format!("(q ?x{} ?X{})", "-".repeat(i % 50), i)).collect::<String>()
            ),
        ),
        ("a cycle", (0..n).map(|i| format!("(<= p{i} p{})\n", (i + 1) % n)).collect()),
    ] {
        // A role in front, in the same notation, so that the check of the rules as a whole is reached.
        let role = if what.contains("infix") { "role(a)." } else { "(role a)" };
        report.case(what, || read_large(&format!("{role}\n{text}"), PATIENCE).map(|_| ()));
    }
    report.finish();
}

/// Equalities that double a term each time: unification without bounds makes 2^60 nodes of 60 of them.
#[test]
fn doubling_equalities() {
    // Twenty would fit into the memory, so a reader without bounds fails here instead of taking it all.
    let doubled: String =
        (0..20).map(|i| format!("(not (distinct ?x{i} (f ?x{} ?x{})))\n", i + 1, i + 1)).collect();
    let text = format!("(role a) (<= (p ?x0) (q ?x20) {doubled})");
    let sheet = Sheet::read(&text);
    let mut nodes = 0;
    for rule in sheet.game().iter().flat_map(|game| game.rules.rules()) {
        rule.variables(&mut |_| nodes += 1);
    }
    assert!(nodes < 100_000, "a text of {} bytes became rules with {nodes} variables", text.len());
}

/// A sheet that is large but sound must also be printed in reasonable time.
#[test]
fn printing_many_variables() {
    let body: String = (0..1000).map(|i| format!("(q ?x{i} ?X{})\n", i + 1)).collect();
    let text = format!("(role a) (q a a) (<= p {body})");
    let started = Instant::now();
    examine(text.as_bytes(), &TextLimits::default()).expect("no broken promise");
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
}
