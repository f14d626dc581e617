//! Printing and reading again changes nothing: on every sheet there is, and on generated ones.

mod common;

use common::{corpus, examine};
use ludex_gdl::syntax::TextLimits;
use ludex_testkit::generate;
use ludex_testkit::report::Report;

#[test]
fn on_every_sheet() {
    let mut report = Report::new("round trip");
    for source in corpus("round trip of the public sheets") {
        report.case(&source.path.display().to_string(), || {
            examine(&source.bytes, &TextLimits::default()).map(|_| ())
        });
    }
    report.finish();
}

#[test]
fn on_generated_games() {
    let mut report = Report::new("round trip of generated games");
    for seed in 0..1500 {
        report.case(&format!("seed {seed}"), || {
            let sheet = examine(generate::game(seed).as_bytes(), &TextLimits::default())?;
            if sheet.game().is_some() { Ok(()) } else { Err(format!("{:?}", sheet.findings)) }
        });
    }
    report.finish();
}
