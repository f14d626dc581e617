//! What could be typed where, and the arguments of what is being typed.

use crate::{COUNTER, COUNTER_INFIX, at_cursor};
use ludex_lsp::service::{Completion, Sort};

fn completions(before: &str, clause: &str) -> Vec<Completion> {
    let (document, offset) = at_cursor(&format!("{before}{clause}"));
    document.completions(offset)
}

fn labels(before: &str, clause: &str, sort: Sort) -> Vec<String> {
    let list = completions(before, clause);
    list.into_iter().filter(|item| item.sort == sort).map(|item| item.label).collect()
}

#[test]
fn relations_at_heads_and_conditions() {
    for clause in ["(<= (|", "(<= (do|", "(|", "|", "(<= (p ?x) (|", "(<= (p ?x) (not (|", "(<= p (or q (s|"]
    {
        let mut relations = labels(COUNTER, clause, Sort::Relation);
        relations.retain(|label| label.len() > 1);
        assert_eq!(relations, ["done", "succ"], "{clause}");
        assert_eq!(labels(COUNTER, clause, Sort::Fluent), [""; 0], "{clause}");
    }
    let head = labels(COUNTER, "(<= (|", Sort::Keyword);
    assert!(head.contains(&"legal".to_owned()) && !head.contains(&"true".to_owned()), "{head:?}");
    let condition = labels(COUNTER, "(<= p (|", Sort::Keyword);
    assert!(
        condition.contains(&"true".to_owned()) && !condition.contains(&"init".to_owned()),
        "{condition:?}"
    );
    for clause in ["p :- |", "p :- su|", "p :- q, |", "p :- not |", "p :- (q or |", "|"] {
        let mut relations = labels(COUNTER_INFIX, clause, Sort::Relation);
        relations.retain(|label| label.len() > 1);
        assert_eq!(relations, ["done", "succ"], "{clause}");
    }
}

#[test]
fn fluents_moves_and_roles_in_their_places() {
    for clause in ["(<= p (true (|", "(<= p (true |", "(<= p (true (a|", "(<= (next (|", "(init |"] {
        assert_eq!(labels(COUNTER, clause, Sort::Fluent), ["at"], "{clause}");
        assert_eq!(labels(COUNTER, clause, Sort::Move), [""; 0], "{clause}");
    }
    for clause in ["(<= p (does ann |", "(<= p (does ann (st|", "(<= (legal ann |"] {
        assert_eq!(labels(COUNTER, clause, Sort::Move), ["step"], "{clause}");
    }
    for clause in ["(<= p (does |", "(<= (legal |", "(<= (goal an|"] {
        assert_eq!(labels(COUNTER, clause, Sort::Role), ["ann"], "{clause}");
    }
    for (clause, sort, expected) in [
        ("p :- true(|", Sort::Fluent, "at"),
        ("p :- true(a|)", Sort::Fluent, "at"),
        ("p :- does(ann, |", Sort::Move, "step"),
        ("p :- does(|", Sort::Role, "ann"),
    ] {
        assert_eq!(labels(COUNTER_INFIX, clause, sort), [expected], "{clause}");
    }
}

#[test]
fn variables_and_values_as_arguments() {
    assert_eq!(labels(COUNTER, "(<= (p ?a) (succ ?a |", Sort::Variable), ["?a"]);
    assert_eq!(labels(COUNTER, "(<= (p ?a) (succ ?a ?|", Sort::Variable), ["?a"]);
    assert_eq!(labels(COUNTER, "(<= (p ?a) (succ ?a |", Sort::Constant), ["1", "2", "3"]);
    assert_eq!(labels(COUNTER, "(<= p (true (at |", Sort::Constant), ["0", "1", "2", "3"]);
    assert_eq!(labels(COUNTER_INFIX, "p(A) :- succ(A, |", Sort::Variable), ["A"]);
    assert_eq!(labels(COUNTER_INFIX, "p(A) :- succ(A, |", Sort::Constant), ["1", "2", "3"]);
}

#[test]
fn what_is_inserted_fits_the_place() {
    let insert = |clause: &str, label: &str, before: &str| {
        let list = completions(before, clause);
        let item = list.iter().find(|item| item.label == label).expect(clause);
        (item.edit.span.end - item.edit.span.start, item.edit.text.clone())
    };
    assert_eq!(insert("(<= p (true |", "at", COUNTER), (0, "(at".to_owned()));
    assert_eq!(insert("(<= p (true (a|", "at", COUNTER), (1, "at".to_owned()));
    assert_eq!(insert("(<= p do|", "done", COUNTER), (2, "done".to_owned()));
    assert_eq!(insert("p :- true(|", "at", COUNTER_INFIX), (0, "at(".to_owned()));
    assert_eq!(insert("p :- tr|(at(1)).", "true", COUNTER_INFIX), (2, "true".to_owned()));
}

#[test]
fn nothing_in_comments_and_quotes() {
    for text in ["(role a) ; ro|", "(role \"r|\")", "(role \"r|", "(role a) ;|"] {
        let (document, offset) = at_cursor(text);
        assert_eq!(document.completions(offset), [], "{text}");
    }
    let (document, offset) = at_cursor("role(a). /* r| */");
    assert_eq!(document.completions(offset), []);
    // What is being typed is not proposed to itself.
    assert!(!labels("(role a) ", "(<= (fooba|", Sort::Relation).contains(&"fooba".to_owned()));
}

#[test]
fn signatures_name_the_arguments() {
    let signature = |before: &str, clause: &str| {
        let (document, offset) = at_cursor(&format!("{before}{clause}"));
        document.signature(offset).map(|s| {
            let active = s.arguments[s.active];
            (s.label.clone(), s.label[active.start as usize..active.end as usize].to_owned())
        })
    };
    let pair = |label: &str, active: &str| Some((label.to_owned(), active.to_owned()));
    assert_eq!(signature(COUNTER, "(<= p (succ |"), pair("(succ ?x ?y)", "?x"));
    assert_eq!(signature(COUNTER, "(<= p (succ 1 |"), pair("(succ ?x ?y)", "?y"));
    assert_eq!(signature(COUNTER, "(<= p (does ann (step |"), pair("(step ?y)", "?y"));
    assert_eq!(signature(COUNTER, "(<= p |"), None);
    assert_eq!(signature(COUNTER_INFIX, "p :- succ(1, |"), pair("succ(X, Y)", "Y"));
    assert_eq!(signature("", "|"), None);
}
