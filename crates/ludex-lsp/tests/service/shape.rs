//! Outline, colours and folding.

use crate::{COUNTER, COUNTER_INFIX};
use ludex_lsp::service::{Colour, Document, Fold, FoldKind, Sort};

#[test]
fn the_outline_joins_clauses_of_one_relation() {
    let document = Document::new(COUNTER);
    let symbols = document.symbols();
    let names: Vec<(&str, usize)> = symbols.iter().map(|s| (s.name.as_str(), s.clauses.len())).collect();
    assert_eq!(
        names,
        [
            ("(role ann)", 0),
            ("(init (at 0))", 0),
            ("succ", 3),
            ("(legal ann (step ?y))", 0),
            ("(next (at ?y))", 0),
            ("done", 0),
            ("terminal", 0),
            ("goal", 2),
        ]
    );
    assert_eq!(symbols[2].clauses[1].name, "(succ 1 2)");
    for symbol in &symbols {
        for part in symbol.clauses.iter().chain([symbol]) {
            assert!(symbol.span.start <= part.span.start && part.span.end <= symbol.span.end);
            assert!(part.span.start <= part.name_span.start && part.name_span.end <= part.span.end);
        }
    }
    assert_eq!(Document::new(COUNTER_INFIX).symbols().len(), 8);
}

#[test]
fn colours_follow_the_places() {
    use Sort::{Constant, Fluent, Keyword, Move, Relation, Role, Variable};
    let colours = |text: &str| -> Vec<(String, Colour, bool, bool)> {
        let document = Document::new(text);
        let word = |span: ludex_gdl::syntax::Span| text[span.start as usize..span.end as usize].to_owned();
        document.colours().iter().map(|t| (word(t.span), t.colour, t.defines, t.is_static)).collect()
    };
    let name =
        |word: &str, sort, defines, is_static| (word.to_owned(), Colour::Name(sort), defines, is_static);
    let text = "; c\n(role a)\n(<= (next (f ?x)) (does a m) (p ?x b 7))\n(p 1 b 7)";
    let expected = vec![
        ("; c".to_owned(), Colour::Comment, false, false),
        name("role", Keyword, false, false),
        name("a", Role, true, false),
        ("<=".to_owned(), Colour::Operator, false, false),
        name("next", Keyword, false, false),
        name("f", Fluent, true, false),
        name("?x", Variable, false, false),
        name("does", Keyword, false, false),
        name("a", Role, false, false),
        name("m", Move, false, false),
        name("p", Relation, false, true),
        name("?x", Variable, false, false),
        name("b", Constant, false, false),
        ("7".to_owned(), Colour::Number, false, false),
        name("p", Relation, true, true),
        ("1".to_owned(), Colour::Number, false, false),
        name("b", Constant, false, false),
        ("7".to_owned(), Colour::Number, false, false),
    ];
    assert_eq!(colours(text), expected);
    // The infix notation has the same names in the same order.
    let infix = "% c\nrole(a).\nnext(f(X)) :- does(a, m), p(X, b, 7).\np(1, b, 7).";
    let sorts = |list: Vec<(String, Colour, bool, bool)>| -> Vec<(Colour, bool, bool)> {
        let names = list.into_iter().filter(|(_, colour, ..)| *colour != Colour::Operator);
        names.map(|(_, colour, defines, is_static)| (colour, defines, is_static)).collect()
    };
    assert_eq!(sorts(colours(infix)), sorts(expected));
}

#[test]
fn a_comment_over_lines_comes_in_lines() {
    let text = "role(a). /* one\r\n\r\ntwo */ terminal.";
    let comments: Vec<&str> = Document::new(text)
        .colours()
        .iter()
        .filter(|token| token.colour == Colour::Comment)
        .map(|token| &text[token.span.start as usize..token.span.end as usize])
        .collect();
    assert_eq!(comments, ["/* one", "two */"]);
}

#[test]
fn clauses_and_comments_fold() {
    let text = "; a\n; b\n\n; c\n(role a) ; d\n; e\n; f\n(<= p\n    q)\n(q\n)\n";
    let fold = |first, last, kind| Fold { first, last, kind };
    let expected = [
        fold(0, 1, FoldKind::Comment),
        fold(5, 6, FoldKind::Comment),
        fold(7, 8, FoldKind::Clause),
        fold(9, 10, FoldKind::Clause),
    ];
    assert_eq!(Document::new(text).folds(), expected);
}
