//! Findings, hover, definitions and references.

use crate::{COUNTER, COUNTER_INFIX, all, at_cursor, shown};
use ludex_gdl::Sheet;
use ludex_lsp::service::{Document, Position, Sort};

#[test]
fn findings_are_those_of_the_reader() {
    for text in
        [COUNTER, COUNTER_INFIX, "(role a) (<= (p ?x) (not (q ?x)))", "(role", "role(a", "", "\u{FEFF}(p)"]
    {
        assert_eq!(Document::new(text).diagnostics(), Sheet::read(text).findings, "{text}");
    }
    // By hand: `?x` in the head is bound by nothing.
    let document = Document::new("(role a)\n(<= (p ?x) (role a))\n");
    let unsafe_variable = document.diagnostics().iter().find(|f| f.code.name() == "unsafe-variable");
    let span = unsafe_variable.expect("an unsafe variable").span;
    assert_eq!(document.position(span.start as usize), Position { line: 1, character: 7 });
    assert_eq!(document.position(span.end as usize), Position { line: 1, character: 9 });
}

fn hover(text: &str) -> Vec<String> {
    let (document, offset) = at_cursor(text);
    let hover = document.hover(offset).expect("a name");
    let mut lines = hover.lines;
    lines.extend(hover.comment.map(|comment| format!("comment: {comment}")));
    lines.extend(hover.code.into_iter().map(|code| format!("code: {code}")));
    lines
}

#[test]
fn hover_says_what_a_name_is() {
    let with = |before: &str, cursor: &str| COUNTER.replacen(before, cursor, 1);
    assert_eq!(
        hover(&with("(succ ?x ?y)", "(su|cc ?x ?y)")),
        [
            "relation with 2 arguments, static: the same in every state",
            "defined by 3 facts; read once",
            "argument 1: `0`, `1`, `2`",
            "argument 2: `1`, `2`, `3`",
            "comment: What comes after what.",
            "code: (succ 0 1)",
            "code: (succ 1 2)",
            "code: (succ 2 3)",
        ]
    );
    assert_eq!(
        hover(&with("(true (at ?x))", "(true (|at ?x))")),
        [
            "fluent with 1 argument",
            "stands 4 times in the sheet",
            "argument 1: `0`, `1`, `2`, `3`",
            "code: (init (at 0))",
            "code: (<= (next (at ?y))\n    (does ann (step ?y)))",
        ]
    );
    assert_eq!(
        hover(&with("(step ?y))\n    (true", "(step| ?y))\n    (true")),
        [
            "move with 1 argument",
            "stands twice in the sheet",
            "argument 1: `1`, `2`, `3`",
            "code: (<= (legal ann (step ?y))\n    (true (at ?x))\n    (succ ?x ?y))",
        ]
    );
    assert_eq!(
        hover(&with("(does ann", "(does a|nn")),
        [
            "role 1 of 1",
            "stands 5 times in the sheet",
            "comment: One player counts to three.",
            "code: (role ann)",
        ]
    );
    assert_eq!(
        hover(&with("(succ ?x ?y)", "(succ ?x ?|y)")),
        ["variable, twice in this clause", "can be `1`, `2`, `3`"]
    );
    assert_eq!(
        hover(&with("terminal done", "terminal do|ne")),
        [
            "relation with no arguments, depends on the state",
            "defined by 1 rule; read 3 times",
            "code: (<= done (true (at 3)))",
        ]
    );
    assert_eq!(
        hover(&with("(true (at 3))", "(tr|ue (at 3))"))[0],
        "keyword: what holds in the present state"
    );
    assert_eq!(hover(&with("(at 3)", "(at |3)")), ["constant", "stands twice in the sheet"]);
}

#[test]
fn hover_in_infix_notation() {
    let with = |before: &str, cursor: &str| COUNTER_INFIX.replacen(before, cursor, 1);
    assert_eq!(
        hover(&with("succ(X, Y)", "su|cc(X, Y)"))[..2],
        ["relation with 2 arguments, static: the same in every state", "defined by 3 facts; read once",]
    );
    assert_eq!(hover(&with("succ(X, Y)", "succ(X, |Y)"))[1], "can be `1`, `2`, `3`");
    assert_eq!(hover("role(a). p :- q(|_, _)."), ["variable without a name: each `_` is another one"]);
}

#[test]
fn what_depends_on_moves_says_so() {
    let text = "(role a) (<= (mo|ved ?x) (does a ?x)) (<= (next (f ?x)) (moved ?x))";
    assert_eq!(hover(text)[0], "relation with 1 argument, depends on the moves");
    let text =
        "(role a) (edge 1 2) (<= (pa|th ?x ?y) (edge ?x ?y)) (<= (path ?x ?z) (edge ?x ?y) (path ?y ?z))";
    assert_eq!(hover(text)[1], "defined by 2 rules, recursive; read once");
    assert_eq!(hover("(role a) (<= p (q|))")[1], "nothing defines it: it is false everywhere; read once");
}

#[test]
fn one_term_in_several_places() {
    let text = "(role x) (init (cell 1 b)) (<= (next (cell 1 |x)) (does x mark))";
    assert_eq!(hover(text)[..3], ["constant", "elsewhere role", "stands 3 times in the sheet"]);
}

#[test]
fn definitions_and_references() {
    for text in [COUNTER, COUNTER_INFIX] {
        let document = Document::new(text);
        let at = |word: &str| text.rfind(word).expect("it stands there");
        // The relation stands three times as a head, and once as a condition.
        let succ = all(text, "succ");
        assert_eq!(succ.len(), 4);
        assert_eq!(shown(&document, &document.references(at("succ"))), succ);
        assert_eq!(shown(&document, &document.definitions(at("succ"))), succ[..3]);
        // The player: of five places the first is the definition.
        let ann = all(text, "ann");
        assert_eq!(shown(&document, &document.references(at("ann"))), ann);
        assert_eq!(shown(&document, &document.definitions(at("ann"))), ann[..1]);
        // The fluent is defined where it is initial and where it is next.
        let fluent: Vec<usize> = document.references(at("at")).iter().map(|s| s.start as usize).collect();
        assert_eq!(fluent.len(), 4);
        let defined: Vec<usize> = document.definitions(fluent[3]).iter().map(|s| s.start as usize).collect();
        assert_eq!(defined, [fluent[0], fluent[2]]);
        // What a move is says `legal`.
        let step = all(text, "step");
        assert_eq!(shown(&document, &document.definitions(at("step"))), step[..1]);
    }
    // A variable stays in its clause.
    let document = Document::new(COUNTER);
    let first = COUNTER.find("?y").expect("a variable");
    assert_eq!(document.references(first).len(), 2);
    assert_eq!(
        document.name_at(first),
        Some((ludex_gdl::syntax::Span::new(first, first + 2), Sort::Variable))
    );
    // The same name with another number of arguments is another relation.
    let (document, offset) = at_cursor("(role a) (p| 1) (<= (p 1 2) (p 1))");
    assert_eq!(document.references(offset).len(), 2);
    // A comment and a blank have no name.
    assert_eq!(document.references(0), []);
    assert_eq!(Document::new("; role").name_at(3), None);
}

#[test]
fn relations_and_terms_of_one_name_are_two() {
    let (document, offset) = at_cursor("(role a) (mark| mark) (<= (legal a mark) (mark mark))");
    assert_eq!(document.references(offset).len(), 2);
    assert_eq!(document.references(offset + 2).len(), 3);
}

#[test]
fn a_broken_clause_does_not_hide_the_next() {
    // The second clause has no end; the third begins in the first column.
    let text = "(role a)\n(<= (p ?x) (q ?x\n(q 1)\n(<= terminal (q 1))\n";
    let document = Document::new(text);
    assert_eq!(shown(&document, &document.references(text.find("q").expect("q"))), all(text, "q"));
    assert_eq!(document.definitions(text.rfind("q").expect("q")).len(), 1);
    let text = "role(a).\np(X) :- q(X.\nq(1).\nterminal :- q(1).\n";
    let document = Document::new(text);
    assert_eq!(shown(&document, &document.references(text.find("q").expect("q"))), all(text, "q"));
}

#[test]
fn conditions_in_the_first_column_belong_to_their_clause() {
    let text = "(role a)\n(<= (p ?x)\n(q ?x)\n)\n(q 1)\n";
    let document = Document::new(text);
    assert_eq!(document.references(text.find("?x").expect("a variable")).len(), 2);
}

#[test]
fn names_of_any_script() {
    let text = "(role ä) ; 𝄞\n(<= (legal ä 𝄞) (role ä))";
    let document = Document::new(text);
    let last = text.rfind('𝄞').expect("a clef");
    assert_eq!(document.position(last), Position { line: 1, character: 13 });
    assert_eq!(document.offset(Position { line: 1, character: 15 }), last + 4);
    assert_eq!(document.name_at(last).map(|(_, sort)| sort), Some(Sort::Move));
    assert_eq!(document.references(text.rfind('ä').expect("a role")).len(), 3);
    assert_eq!(document.utf16(text.len()), text.encode_utf16().count());
    assert_eq!(document.offset_of_utf16(13), text.find('\n').expect("a line"));
    // Inside the clef of the first line, which has two units.
    assert_eq!(document.offset_of_utf16(12), text.find('𝄞').expect("a clef"));
}
