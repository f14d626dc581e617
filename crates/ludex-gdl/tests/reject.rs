//! Sheets with one planted mistake: exactly the expected findings, at the expected place, and their
//! rendered text as a golden file beside them.

use ludex_gdl::diagnostic::Report as Rendered;
use ludex_gdl::syntax::{TextLimits, line_column};
use ludex_gdl::{Code, Severity, Sheet};
use ludex_testkit::corpus::{Source, sheets_in, testdata};
use ludex_testkit::golden;
use ludex_testkit::report::Report;
use std::collections::BTreeSet;

/// The findings that the first lines of the sheet announce: severity, code, line and column.
fn expected(source: &Source) -> Vec<String> {
    let text = String::from_utf8_lossy(&source.bytes);
    let lines = text.trim_start_matches('\u{FEFF}').lines();
    let lines = lines.map_while(|line| line.trim_start_matches([';', '%', ' ']).strip_prefix("expect: "));
    lines.map(|line| line.trim().to_owned()).collect()
}

fn found(sheet: &Sheet) -> Vec<String> {
    let show = |finding: &ludex_gdl::Diagnostic| {
        let severity = match finding.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let (line, column) = line_column(&sheet.text, finding.span.start);
        format!("{severity} {} {line}:{column}", finding.code)
    };
    sheet.findings.iter().map(show).collect()
}

/// The findings as a terminal without colours shows them.
fn rendered(source: &Source, sheet: &Sheet) -> String {
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .with_links(false);
    let name = source.path.file_name().expect("a file name").to_string_lossy();
    let mut text = String::new();
    for finding in &sheet.findings {
        let report = Rendered::new(&name, &sheet.text, finding.clone());
        handler.render_report(&mut text, &report).expect("writing to a string");
        text.push('\n');
    }
    // Editors strip what stands behind the last letter of a line, so it is not kept.
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn sources() -> Vec<Source> {
    sheets_in(&testdata("reject"))
}

#[test]
fn findings_are_exactly_the_expected_ones() {
    let mut report = Report::new("reject");
    for source in sources() {
        report.case(&source.path.file_name().expect("a name").to_string_lossy(), || {
            let (expected, found) = (expected(&source), found(&source.sheet()));
            if expected.is_empty() {
                return Err("the first line does not say what is expected".to_owned());
            }
            if expected == found { Ok(()) } else { Err(format!("expected {expected:?}, found {found:?}")) }
        });
    }
    report.finish();
}

#[test]
fn rendered_findings_are_golden() {
    let mut report = Report::new("reject, rendered");
    let mut goldens = BTreeSet::new();
    for source in sources() {
        let path = source.path.with_file_name(format!(
            "{}.txt",
            source.path.file_name().expect("a file name").to_string_lossy()
        ));
        report.case(&source.name, || golden::compare(&path, &rendered(&source, &source.sheet())));
        goldens.insert(path);
    }
    report.case("goldens without a sheet", || {
        let folder = testdata("reject");
        for entry in std::fs::read_dir(&folder).map_err(|e| e.to_string())? {
            let path = entry.map_err(|e| e.to_string())?.path();
            if path.extension().is_some_and(|ending| ending == "txt") && !goldens.contains(&path) {
                return Err(format!("{} belongs to no sheet", path.display()));
            }
        }
        Ok(())
    });
    report.finish();
}

/// Sheets too large to keep in a file, one for each limit.
fn generated() -> [(Code, String, TextLimits); 9] {
    let limits = TextLimits::default();
    let few = TextLimits { bytes: 100, ..limits };
    let deep = format!("(role a)\n(p {}x{})", "(f ".repeat(300), ")".repeat(300));
    let deep_infix = format!("role(a).\np({}x{}).", "f(".repeat(300), ")".repeat(300));
    // Ten thousand names, four hundred at a time.
    let deep_list = format!("(f {})", format!("(g {}) ", "x ".repeat(399)).repeat(30));
    let arms = "(or (true p) (true q)) ".repeat(24);
    // Sixty equalities that double a term each time.
    let doubled: String =
        (0..60).map(|i| format!("(not (distinct ?x{i} (f ?x{} ?x{}))) ", i + 1, i + 1)).collect();
    [
        (Code::InputTooLarge, "(role a)".repeat(20), few),
        (Code::NestingTooDeep, deep, limits),
        (Code::NestingTooDeep, deep_infix, limits),
        (Code::TooManyFindings, ")".repeat(1000), limits),
        (Code::TooComplex, format!("(role a) (<= (p ?x0) (q ?x60) {doubled})"), limits),
        (Code::RuleTooLarge, format!("(role a) (p x) (<= terminal {})", "(p x) ".repeat(1_001)), limits),
        (Code::RuleTooLarge, format!("(role a) {}", "(p x) ".repeat(2).replace('x', &deep_list)), limits),
        (Code::RuleTooLarge, format!("(role a) (p {})", "x ".repeat(401)), limits),
        (Code::TooManyAlternatives, format!("(role a) (<= terminal {arms})"), limits),
    ]
}

#[test]
fn every_limit_has_its_finding() {
    for (code, text, limits) in generated() {
        let sheet = Sheet::read_bytes(text.as_bytes(), &limits);
        let found = found(&sheet);
        assert!(sheet.findings.iter().any(|f| f.code == code), "expected {code}, found {found:?}");
        assert!(sheet.game().is_none(), "{code} is an error");
    }
}

#[test]
fn every_code_is_covered() {
    let mut covered: BTreeSet<Code> = generated().into_iter().map(|(code, ..)| code).collect();
    covered.extend(sources().iter().flat_map(|source| source.sheet().findings).map(|f| f.code));
    let missing: Vec<&str> = Code::ALL.iter().filter(|c| !covered.contains(c)).map(|c| c.name()).collect();
    assert!(missing.is_empty(), "no sheet in testdata/reject shows {missing:?}");
}

/// A sheet without mistakes must not be found fault with: neither the bundled games nor what is only odd.
#[test]
fn bundled_games_have_no_findings() {
    let mut report = Report::new("bundled games");
    for source in ludex_testkit::corpus::games() {
        report.case(&source.name, || match found(&source.sheet()).as_slice() {
            [] => Ok(()),
            findings => Err(format!("{findings:?}")),
        });
    }
    report.finish();
}
