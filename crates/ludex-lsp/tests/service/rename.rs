//! Renaming, and what is refused.

use crate::{COUNTER, COUNTER_INFIX, at_cursor};
use ludex_lsp::service::{Document, Edit, RenameError};

fn applied(text: &str, edits: &[Edit]) -> String {
    let mut result = text.to_owned();
    for edit in edits.iter().rev() {
        result.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    }
    result
}

/// The text after the name at `word` got another one.
fn renamed(text: &str, word: &str, name: &str) -> Result<String, RenameError> {
    let offset = text.find(word).expect(word);
    Document::new(text).rename(offset, name).map(|edits| applied(text, &edits))
}

#[test]
fn every_place_gets_the_new_name() {
    assert_eq!(renamed(COUNTER, "succ", "after"), Ok(COUNTER.replace("succ", "after")));
    assert_eq!(renamed(COUNTER, "ann", "bob"), Ok(COUNTER.replace("ann", "bob")));
    assert_eq!(renamed(COUNTER, "step", "go"), Ok(COUNTER.replace("step", "go")));
    assert_eq!(renamed(COUNTER_INFIX, "succ", "after"), Ok(COUNTER_INFIX.replace("succ", "after")));
    // A variable in its clause only, with or without the question mark.
    let expected = COUNTER.replacen("?x", "?from", 2);
    assert_eq!(renamed(COUNTER, "?x", "?from"), Ok(expected.clone()));
    assert_eq!(renamed(COUNTER, "?x", "from"), Ok(expected));
    assert_eq!(renamed(COUNTER_INFIX, "X", "From"), Ok(COUNTER_INFIX.replace('X', "From")));
    // Keeping the name changes nothing.
    assert_eq!(renamed(COUNTER, "done", "done"), Ok(COUNTER.to_owned()));
}

#[test]
fn a_constant_is_renamed_wherever_it_stands() {
    // The role is also a mark: a variable carries it from one place to the other.
    let text = "(role x) (role o) (<= (next (cell 1 ?p)) (does ?p mark)) (<= terminal (true (cell 1 x)))";
    assert_eq!(renamed(text, "x)", "cross"), Ok(text.replace("x)", "cross)")));
}

#[test]
fn quoted_names_become_plain() {
    let text = "(role \"a b\") (<= terminal (role \"a b\"))";
    assert_eq!(renamed(text, "\"a b\"", "ab"), Ok("(role ab) (<= terminal (role ab))".to_owned()));
}

#[test]
fn names_that_cannot_be_are_refused() {
    let invalid = |text: &str, word: &str, name: &str| {
        matches!(renamed(text, word, name), Err(RenameError::Invalid { .. }))
    };
    for name in ["", "a b", "(a", "a)", "?a", "a;b", "\"a\"", "<=", "a\nb", &"a".repeat(201)] {
        assert!(invalid(COUNTER, "succ", name), "{name}");
    }
    for name in ["", "a b", "X", "_x", "a-b", "f(", "."] {
        assert!(invalid(COUNTER_INFIX, "succ", name), "{name}");
    }
    for name in ["x", "_", "", "A b"] {
        assert!(invalid(COUNTER_INFIX, "X", name), "{name}");
    }
    assert!(invalid(COUNTER, "succ", "7"));
}

#[test]
fn keywords_numbers_and_clashes_are_refused() {
    assert_eq!(renamed(COUNTER, "legal", "may"), Err(RenameError::Reserved("legal".to_owned())));
    assert_eq!(renamed(COUNTER, "succ", "Legal"), Err(RenameError::Reserved("legal".to_owned())));
    assert_eq!(renamed(COUNTER, "100", "all"), Err(RenameError::Number("100".to_owned())));
    assert!(matches!(renamed(COUNTER, "succ", "done"), Err(RenameError::Taken(_))));
    assert!(matches!(renamed(COUNTER, "step", "at"), Err(RenameError::Taken(_))));
    assert!(matches!(renamed(COUNTER, "?x", "y"), Err(RenameError::Taken(_))));
    // Another clause's variables do not count; nor does a term of the name of a relation.
    assert!(renamed(COUNTER, "?x", "z").is_ok());
    assert!(renamed(COUNTER, "step", "succ").is_ok());
    assert_eq!(renamed("role(a). p :- q(_).", "_", "X"), Err(RenameError::Anonymous));
    assert_eq!(renamed("(role a) (p (q 1)", "q", "r"), Err(RenameError::Broken));
    let (document, offset) = at_cursor("(role a) | (p 1)");
    assert_eq!(document.renameable(offset), Err(RenameError::NoName));
}
