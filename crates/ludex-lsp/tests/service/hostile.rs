//! Every question about texts that are broken, deep, long or strange: an answer, and no panic.

use crate::{COUNTER, COUNTER_INFIX};
use ludex_gdl::syntax::Span;
use ludex_lsp::service::{Document, Position};

/// Asks everything, at places all over the text. Answers lie in the text, on whole characters.
fn ask(text: &str, places: usize) {
    let document = Document::new(text);
    let sound = |span: Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        assert!(document.text().get(start..end).is_some(), "{start}..{end} of {text:.60}");
    };
    document.diagnostics().iter().for_each(|finding| sound(finding.span));
    for symbol in document.symbols() {
        sound(symbol.span);
        sound(symbol.name_span);
    }
    let mut end = 0;
    for token in document.colours() {
        sound(token.span);
        assert!(token.span.start >= end && token.span.end > token.span.start, "tokens overlap in {text:.60}");
        end = token.span.end;
    }
    document.folds().iter().for_each(|fold| assert!(fold.first < fold.last));
    if let Ok(formatted) = document.format() {
        assert_eq!(Document::new(formatted.as_str()).format().as_ref(), Ok(&formatted), "{text:.60}");
    }
    let step = (text.len() / places).max(1);
    for offset in (0..=text.len() + 1).step_by(step) {
        let position = document.position(offset);
        let back = document.offset(position);
        // Between the two characters of a line's end there is no place: it is the end of the line.
        assert!(document.text().is_char_boundary(back) && document.position(back) <= position);
        if let Some(hover) = document.hover(offset) {
            sound(hover.span);
            assert!(hover.markdown().len() < 20_000);
        }
        document.definitions(offset).into_iter().for_each(sound);
        document.references(offset).into_iter().for_each(sound);
        document.completions(offset).iter().for_each(|item| sound(item.edit.span));
        document.signature(offset);
        if let Ok(edits) = document.rename(offset, "fresh_name_1") {
            edits.iter().for_each(|edit| sound(edit.span));
        }
    }
    assert_eq!(document.offset(Position { line: u32::MAX, character: u32::MAX }), text.len());
}

#[test]
fn texts_that_are_cut_anywhere() {
    for text in [COUNTER, COUNTER_INFIX] {
        for end in (0..text.len()).step_by(7) {
            ask(&text[..end], 20);
            ask(&text[end..], 20);
        }
    }
}

#[test]
fn texts_of_odd_characters() {
    for text in [
        "",
        "\0",
        "(role \0) (\0 a)",
        "role(\0).",
        "\u{FEFF}(role a)",
        "\u{FEFF}",
        "(role 𝄞ä) (<= (p ?ä) (q ?ä 𝄞ä))",
        "role('𝄞 ä'). p(Ä) :- q(Ä, '𝄞",
        "((((",
        "))))",
        "()()",
        "(())",
        "(?x a)",
        "(<= <= <=)",
        "(<= (<= p) q)",
        "(\"a\" 'b' \"c",
        "<=",
        "?",
        "(role ?)",
        ":-",
        "p :- :- q.",
        "p. . . q",
        "p(,,).",
        "p((a, b), c) :- (q or (r, s)).",
        "not(a).",
        "p :- not not q(X), or, X.",
        "(role a)\r(role b)\r\n(role c)",
        "/* never ended",
        "p. /* never ended",
        "(p ; never ended",
    ] {
        ask(text, 200);
    }
}

#[test]
fn deep_and_long_texts() {
    let n = 100_000;
    for text in [
        "(".repeat(n),
        ")".repeat(n),
        "(".repeat(n) + &")".repeat(n),
        format!("(<= p {}q{})", "(not ".repeat(n), ")".repeat(n)),
        format!("p({}x{}).", "f(".repeat(n), ")".repeat(n)),
        format!("p :- {}q.", "not ".repeat(n)),
        format!("(role {})", "a".repeat(n)),
        format!("(role {})", "ä𝄞".repeat(n)),
        "(p a) ".repeat(n),
        format!("(p {})", "a ".repeat(n)),
        format!("(<= p {})", (0..n).map(|i| format!("(q ?x{i})")).collect::<String>()),
        "\n".repeat(n),
        "; x\n".repeat(n),
        format!("p :- q({}).", "'".repeat(n)),
        "(p \"\n".repeat(n),
        "%".repeat(n),
        (0..n / 10).map(|i| format!("(p{i} {i})\n")).collect::<String>(),
    ] {
        ask(&text, 10);
    }
}

#[test]
fn a_text_beyond_the_limit_is_only_reported() {
    let text = "(p a)\n".repeat(3 << 20);
    let document = Document::new(text.as_str());
    assert_eq!(document.diagnostics()[0].code.name(), "input-too-large");
    assert_eq!(document.symbols(), []);
    assert_eq!(document.colours(), []);
    assert_eq!(document.hover(1), None);
}
