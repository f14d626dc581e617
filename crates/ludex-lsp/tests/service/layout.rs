//! Formatting: by hand, and on every sheet there is.

use ludex_gdl::Sheet;
use ludex_gdl::syntax::Notation;
use ludex_lsp::service::{Document, FormatError};
use ludex_testkit::corpus::{Source, games, shared_games};
use ludex_testkit::report::Report;
use ludex_testkit::treatment::difference;

#[track_caller]
fn becomes(text: &str, expected: &str) {
    assert_eq!(Document::new(text).format().as_deref(), Ok(expected));
    assert_eq!(Document::new(expected).format().as_deref(), Ok(expected), "once more");
}

#[test]
fn rules_have_a_condition_a_line() {
    becomes("(role   a)(role b )", "(role a)\n(role b)\n");
    becomes("(<= (p ?x)(q ?x) (not\n(r ?x)))", "(<= (p ?x)\n    (q ?x)\n    (not (r ?x)))\n");
    becomes("( <= terminal\n)", "(<= terminal)\n");
    becomes("\n\n\n(p)\n\n\n\n(q)\n(r)", "(p)\n\n(q)\n(r)\n");
    becomes("", "");
    becomes("terminal", "terminal\n");
}

#[test]
fn comments_stay() {
    becomes(
        ";; first\n\n(role a) ; the player\n;; a rule\n(<= (p ?x) ; head\n  ; before q\n  (q ?x)) ; end\n; last",
        ";; first\n\n(role a) ; the player\n;; a rule\n(<= (p ?x) ; head\n    ; before q\n    (q ?x)) ; end\n; last\n",
    );
    becomes("(<= p q ; why\n)", "(<= p\n    q ; why\n    )\n");
    becomes("( ; odd\n p a)", "( ; odd\n p\n a)\n");
    becomes("(p a ; x   \r\n b)", "(p a ; x\n   b)\n");
}

#[test]
fn long_lists_are_broken() {
    let long = "x".repeat(40);
    becomes(
        &format!("(<= p (or (q {long}) (r {long}) (s {long})))"),
        &format!("(<= p\n    (or (q {long})\n        (r {long})\n        (s {long})))\n"),
    );
    becomes(&format!("({long} {long} {long})"), &format!("({long}\n    {long}\n    {long})\n"));
}

#[test]
fn what_has_no_shape_is_refused() {
    for text in ["(p", "p)", "(p \"a)", "(p))", &"(".repeat(300), &("(".repeat(300) + &")".repeat(300))] {
        assert_eq!(Document::new(text).format(), Err(FormatError::Broken), "{text:.20}");
    }
    assert_eq!(Document::new("role(a).").format(), Err(FormatError::Infix));
    assert_eq!(Document::new(" ".repeat((16 << 20) + 1)).format(), Err(FormatError::TooLong));
}

/// Formatted, a sheet has the same rules and the same words, and formatting it again changes nothing.
fn examine(source: &Source) -> Result<(), String> {
    let text = String::from_utf8_lossy(&source.bytes);
    let document = Document::new(text.as_ref());
    if document.notation() == Notation::Infix {
        return match document.format() {
            Err(FormatError::Infix) => Ok(()),
            other => Err(format!("{other:?}")),
        };
    }
    let formatted = document.format().map_err(|error| error.to_string())?;
    let again = Sheet::read(&formatted);
    match (document.sheet().game(), again.game()) {
        (Some(before), Some(after)) if before.rules != after.rules => {
            return Err(format!("other rules: {}", difference(&before.rules, &after.rules)));
        }
        (before, after) if before.is_some() != after.is_some() => return Err("a game only once".to_owned()),
        _ => {}
    }
    let words = |text: &str| text.split_whitespace().collect::<String>();
    if words(&text) != words(&formatted) {
        return Err("other words".to_owned());
    }
    match Document::new(formatted.as_str()).format() {
        Ok(twice) if twice == formatted => Ok(()),
        _ => Err("formatted twice it is another text".to_owned()),
    }
}

#[test]
fn sheets_keep_their_meaning() {
    let mut sources = games();
    sources.extend(shared_games("formatting of the public sheets"));
    let mut report = Report::new("formatting");
    for source in &sources {
        report.case(&source.name, || examine(source));
    }
    report.finish();
}
