//! The language service on sheets written by hand, on the public ones, and on texts that mean no good.

mod completion;
mod hostile;
mod layout;
mod names;
mod rename;
mod shape;

use ludex_lsp::service::Document;

/// A text with `|` where the question is asked, without it.
#[track_caller]
fn at_cursor(text: &str) -> (Document, usize) {
    let offset = text.find('|').expect("a cursor");
    (Document::new(text.replacen('|', "", 1)), offset)
}

/// What stands at these places, each with its offset.
fn shown(document: &Document, spans: &[ludex_gdl::syntax::Span]) -> Vec<(usize, String)> {
    let place = |span: &ludex_gdl::syntax::Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        (start, document.text()[start..end].to_owned())
    };
    spans.iter().map(place).collect()
}

/// The offsets at which the word stands in the text, each time it does.
fn all(text: &str, word: &str) -> Vec<(usize, String)> {
    text.match_indices(word).map(|(at, word)| (at, word.to_owned())).collect()
}

/// A small game: a counter that one player moves up, in KIF.
const COUNTER: &str = "\
; One player counts to three.
(role ann)
(init (at 0))
; What comes after what.
(succ 0 1)
(succ 1 2)
(succ 2 3)
(<= (legal ann (step ?y))
    (true (at ?x))
    (succ ?x ?y))
(<= (next (at ?y))
    (does ann (step ?y)))
(<= done (true (at 3)))
(<= terminal done)
(<= (goal ann 100) done)
(<= (goal ann 0) (not done))
";

/// The same game in infix notation.
const COUNTER_INFIX: &str = "\
% One player counts to three.
role(ann).
init(at(0)).
% What comes after what.
succ(0, 1).
succ(1, 2).
succ(2, 3).
legal(ann, step(Y)) :- true(at(X)), succ(X, Y).
next(at(Y)) :- does(ann, step(Y)).
done :- true(at(3)).
terminal :- done.
goal(ann, 100) :- done.
goal(ann, 0) :- not done.
";
