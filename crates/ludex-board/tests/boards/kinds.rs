//! What kind of board small sheets have, each written for one kind: names are chosen to say nothing.

use crate::drawing;
use ludex_board::Step;
use ludex_board::scene::{Board, Colour, Glyph, Outline, Scene};
use ludex_engine::row;
use ludex_engine::vocabulary::{RoleId, Vocabulary};
use ludex_gdl::Sheet;

/// Two players, one ending, and the rest of the rules.
fn sheet(rest: &str) -> ludex_gdl::Game {
    let text = format!(
        "(role white) (role black) (init (turn white)) (<= (next (turn black)) (true (turn white)))
         (<= (next (turn white)) (true (turn black))) (legal black pass) (<= terminal (true (turn nobody)))
         (init (ends 1)) (goal white 50) (goal black 50) {rest}"
    );
    match Sheet::read(&text).into_game() {
        Ok(game) => game,
        Err(findings) => panic!("{findings:?}"),
    }
}

/// A 4 by 4 board of cells that are marked.
const CELLS: &str = "(n 1) (n 2) (n 3) (n 4) (s 1 2) (s 2 3) (s 3 4)
    (<= (init (at ?x ?y e)) (n ?x) (n ?y))
    (<= (legal white (put ?x ?y)) (true (at ?x ?y e)))
    (<= (next (at ?x ?y full)) (does white (put ?x ?y)))
    (<= (next (at ?x ?y ?v)) (true (at ?x ?y ?v)) (not (does white (put ?x ?y))))";

fn steps(drawing: &ludex_board::Drawing, vocabulary: &Vocabulary, role: u32, text: &str) -> Vec<Step> {
    let term = vocabulary.read_term(text).expect("a term");
    drawing.clicks(RoleId(role), vocabulary.find_move(RoleId(role), term).expect("a move"))
}

fn spot<'b>(board: &'b Board, name: &str) -> &'b ludex_board::scene::Spot {
    board.spots.iter().find(|spot| spot.name == name).unwrap_or_else(|| panic!("{name} in {:?}", board.spots))
}

#[test]
fn six_neighbours_make_hexagons() {
    // Besides those above and beside it, a cell has two more neighbours, across one diagonal.
    let near = "(<= (near ?x ?y ?z ?y) (s ?x ?z) (n ?y)) (<= (near ?x ?y ?x ?z) (s ?y ?z) (n ?x))
        (<= (near ?x ?z ?w ?y) (s ?x ?w) (s ?y ?z))
        (<= (goal white 100) (true (at ?x ?y full)) (near ?x ?y ?z ?w) (true (at ?z ?w full)))";
    let (drawing, _, initial) = drawing(sheet(&format!("{CELLS} {near}")));
    let layout = drawing.layout();
    assert_eq!((layout.boards[0].kind, layout.boards[0].width, layout.boards[0].height), ("hex", 4, 4));
    let scene = drawing.scene(&initial);
    let board = &scene.boards[0];
    assert!(board.spots.iter().all(|spot| matches!(&spot.outline, Outline::Polygon(c) if c.len() == 6)));
    // Rows run across, each further to one side than the one below; neighbours touch, others do not.
    let centre = |name: &str| spot(board, name).centre;
    assert!((centre("at 1 2").y - centre("at 4 2").y).abs() < 1e-6);
    assert!(centre("at 1 2").y < centre("at 1 1").y && centre("at 1 1").x < centre("at 2 1").x);
    let apart = |a: &str, b: &str| (centre(a).x - centre(b).x).hypot(centre(a).y - centre(b).y);
    let step = apart("at 1 1", "at 2 1");
    for name in ["at 3 2", "at 1 2", "at 2 3", "at 2 1", "at 1 3", "at 3 1"] {
        assert!((apart("at 2 2", name) - step).abs() < 1e-6, "{name} is a neighbour");
    }
    assert!(apart("at 2 2", "at 3 3") > step * 1.5 && apart("at 2 2", "at 1 1") > step * 1.5);
}

#[test]
fn four_neighbours_and_eight_do_not() {
    let four = "(<= (near ?x ?y ?z ?y) (s ?x ?z) (n ?y)) (<= (near ?x ?y ?x ?z) (s ?y ?z) (n ?x))
        (<= (goal white 100) (true (at ?x ?y full)) (near ?x ?y ?z ?w) (true (at ?z ?w full)))";
    let eight = "(<= (near ?x ?z ?w ?y) (s ?x ?w) (s ?y ?z)) (<= (near ?x ?y ?w ?z) (s ?x ?w) (s ?y ?z))";
    for near in [four.to_owned(), format!("{four} {eight}")] {
        let (drawing, ..) = drawing(sheet(&format!("{CELLS} {near}")));
        assert_eq!(drawing.layout().boards[0].kind, "grid");
    }
}

#[test]
fn lines_between_points_are_lines() {
    let rules = "(n 1) (n 2) (n 3) (s 1 2) (s 2 3)
        (<= (may ?x ?y ?z ?y) (s ?x ?z) (n ?y)) (<= (may ?x ?y ?x ?z) (s ?y ?z) (n ?x))
        (<= (legal white (draw ?a ?b ?c ?d)) (may ?a ?b ?c ?d) (not (true (drawn ?a ?b ?c ?d))))
        (<= (next (drawn ?a ?b ?c ?d)) (does white (draw ?a ?b ?c ?d)))
        (<= (next (drawn ?a ?b ?c ?d)) (true (drawn ?a ?b ?c ?d)))";
    let (drawing, vocabulary, initial) = drawing(sheet(rules));
    let board = &drawing.scene(&initial).boards[0];
    // Three rows of two lines and two rows of three, between nine points.
    assert_eq!((board.spots.len(), board.dots.len()), (12, 9));
    let Outline::Rectangle(width, height) = spot(board, "drawn 1 1 2 1").outline else { panic!("a line") };
    assert!(width > 2.0 * height, "from 1 1 to 2 1 is across");
    let layout = drawing.layout();
    assert_eq!((layout.boards[0].width, layout.boards[0].height), (3, 3));
    assert_eq!(layout.clicks[0].from, [1, 2, 3, 4]);
    let id = spot(board, "drawn 2 2 2 3").id;
    assert_eq!(steps(&drawing, &vocabulary, 0, "(draw 2 2 2 3)"), [Step::Spot(id)]);
}

#[test]
fn what_a_role_has_is_in_its_hand() {
    let rules = format!(
        "{CELLS} (thing p) (thing q) (thing r) (<= (init (has ?r ?t 2)) (role ?r) (thing ?t)) (c 2 1) (c 1 0)
         (<= (legal white (drop ?t ?x ?y)) (true (has white ?t ?k)) (c ?k ?l) (true (at ?x ?y e)))
         (<= (next (has white ?t ?l)) (does white (drop ?t ?x ?y)) (true (has white ?t ?k)) (c ?k ?l))
         (<= (next (at ?x ?y ?t)) (does white (drop ?t ?x ?y)))
         (<= (next (has black ?t ?k)) (true (has black ?t ?k)))"
    );
    let (drawing, vocabulary, initial) = drawing(sheet(&rules));
    let layout = drawing.layout();
    let kinds: Vec<&str> = layout.boards.iter().map(|board| board.kind).collect();
    assert_eq!(kinds, ["grid", "hand", "hand"]);
    let scene = drawing.scene(&initial);
    let held = spot(&scene.boards[1], "has white q");
    assert_eq!(held.marks.iter().map(|mark| mark.text.as_str()).collect::<Vec<_>>(), ["2"]);
    let cell = spot(&scene.boards[0], "at 3 1").id;
    assert_eq!(steps(&drawing, &vocabulary, 0, "(drop q 3 1)"), [Step::Spot(held.id), Step::Spot(cell)]);
    let drop = layout.clicks.iter().find(|click| click.action == "drop").expect("drops are clicked");
    assert_eq!((drop.from.as_slice(), drop.to.as_slice()), ([1].as_slice(), [vec![2, 3]].as_slice()));
}

#[test]
fn what_never_changes_is_the_ground() {
    let rules = format!(
        "{CELLS} (hole 2 2) (hole 3 4) (<= (legal white (jump ?x ?y)) (hole ?x ?y) (true (at ?x ?y e)))"
    );
    let (drawing, _, initial) = drawing(sheet(&rules));
    let scene = drawing.scene(&initial);
    let filled: Vec<&str> = scene.boards[0]
        .spots
        .iter()
        .filter(|spot| spot.ground.iter().any(|mark| mark.glyph == Glyph::Fill))
        .map(|spot| spot.name.as_str())
        .collect();
    assert_eq!(filled, ["at 2 2", "at 3 4"]);
    // A successor relation is no ground, though its arguments are names of both sides.
    assert!(
        scene.boards[0]
            .spots
            .iter()
            .flat_map(|spot| &spot.ground)
            .all(|mark| mark.tooltip.starts_with("(hole"))
    );
}

#[test]
fn spots_of_one_name_are_a_graph() {
    // A ring of five with one spot in its middle, named in no order.
    let edges = ["k m", "m a", "a z", "z f", "f k", "o k", "o m", "o a", "o z", "o f"];
    let facts: String = edges.iter().map(|edge| format!("(road {edge}) ")).collect();
    let rules = format!(
        "{facts} (<= (spot ?a) (road ?a ?b)) (<= (init (on ?a e)) (spot ?a))
         (<= (legal white (go ?a ?b)) (true (on ?a ?v)) (road ?a ?b))
         (<= (next (on ?b full)) (does white (go ?a ?b)))
         (<= (next (on ?c ?v)) (true (on ?c ?v)) (distinct ?c ?b) (does white (go ?a ?b)))"
    );
    let (drawing, _, initial) = drawing(sheet(&rules));
    let scene = drawing.scene(&initial);
    assert_eq!((scene.boards[0].kind.name(), scene.boards[0].spots.len()), ("graph", 6));
    assert_eq!(scene.boards[0].lines.len(), 10);
    let middle = spot(&scene.boards[0], "on o").centre;
    for name in ["on k", "on m", "on a", "on z", "on f"] {
        let other = spot(&scene.boards[0], name).centre;
        let apart = (other.x - middle.x).hypot(other.y - middle.y);
        assert!((30.0..100.0).contains(&apart), "{name} is {apart} from the middle");
    }
}

#[test]
fn pieces_have_shapes_in_the_colours_of_their_owners() {
    // Whose a piece is says a fact; what it is says its name, where it says anything.
    let rules = "(f a) (f b) (f c) (f d) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (n a b) (n b c) (n c d)
        (init (on a 1 wk)) (init (on b 1 wq)) (init (on c 4 br)) (init (on d 4 zz)) (init (on d 5 wq))
        (is white wk) (is white wq) (is black br) (is black zz)
        (<= (legal white (go ?a ?b ?c ?d)) (true (on ?a ?b ?p)) (is white ?p) (f ?c) (s ?d ?e))
        (<= (next (on ?c ?d ?p)) (does white (go ?a ?b ?c ?d)) (true (on ?a ?b ?p)))";
    let (drawing, _, initial) = drawing(sheet(rules));
    let scene: Scene = drawing.scene(&initial);
    let of = |name: &str| {
        let marks = &spot(&scene.boards[0], name).marks;
        (marks[0].glyph.clone(), marks[0].colour)
    };
    // `zz` is no chess piece, so letters say nothing of the others either.
    assert_eq!(of("on c 4").1, Colour::Role(RoleId(1)));
    assert_eq!(of("on d 4"), (Glyph::Text("zz".to_owned()), Colour::Role(RoleId(1))));
    assert_eq!(of("on a 1").1, Colour::Role(RoleId(0)));
    let svg = scene.svg();
    assert!(svg.contains("var(--role-0)") && svg.contains("var(--role-1)"));
}

#[test]
fn rings_around_one_another_are_drawn_so() {
    // The board of nine men's morris: three rings of eight, joined where no corner is.
    let rules =
        "(round k l) (round l m) (round m o) (round o p) (round p q) (round q r) (round r t) (round t k)
        (in a b) (in b c) (join k) (join m) (join p) (join r)
        (<= (ring ?a) (in ?a ?b)) (<= (ring ?b) (in ?a ?b))
        (<= (near ?a ?x ?a ?y) (round ?x ?y) (ring ?a)) (<= (near ?a ?x ?b ?x) (in ?a ?b) (join ?x))
        (<= (init (on ?a ?x e)) (ring ?a) (round ?x ?y))
        (<= (legal white (go ?a ?x ?b ?y)) (true (on ?a ?x ?v)) (near ?a ?x ?b ?y))
        (<= (next (on ?b ?y full)) (does white (go ?a ?x ?b ?y)))
        (<= (next (on ?c ?z ?v)) (true (on ?c ?z ?v)) (does white (go ?a ?x ?b ?y)) (distinct ?c ?b))";
    let (drawing, _, initial) = drawing(sheet(rules));
    let board = &drawing.scene(&initial).boards[0];
    assert_eq!((board.kind.name(), board.spots.len(), board.lines.len()), ("graph", 24, 32));
    // Lines are straight, across or up, and cross none of the spots that they do not join.
    for (from, to) in &board.lines {
        let (x, y) = ((from.x - to.x).abs(), (from.y - to.y).abs());
        assert!(x < 1e-6 || y < 1e-6, "{from:?} to {to:?}");
    }
    let centre = |name: &str| spot(board, name).centre;
    assert!(
        centre("on a k").y > centre("on b k").y && centre("on b k").y > centre("on c k").y,
        "the first is inside"
    );
    assert!((centre("on a k").x - centre("on c k").x).abs() < 1e-6);
}

#[test]
fn boards_that_only_look_alike_stand_side_by_side() {
    // Each says of every cell what is there, and no rule speaks of one cell of both.
    let twins = "(n 1) (n 2) (n 3) (s 1 2) (s 2 3)
        (<= (init (left ?x ?y e)) (n ?x) (n ?y)) (<= (init (right ?x ?y e)) (n ?x) (n ?y))
        (<= (legal white (put ?x ?y ?z ?w)) (true (left ?x ?y e)) (true (right ?z ?w e)))
        (<= (next (left ?x ?y full)) (does white (put ?x ?y ?z ?w)))
        (<= (next (right ?z ?w full)) (does white (put ?x ?y ?z ?w)))
        (<= (next (left ?x ?y ?v)) (true (left ?x ?y ?v)) (not (does white (put ?x ?y 1 1))))
        (<= (next (right ?x ?y ?v)) (true (right ?x ?y ?v)) (not (does white (put 1 1 ?x ?y))))";
    let (drawing, vocabulary, initial) = drawing(sheet(twins));
    let scene = drawing.scene(&initial);
    let [left, right] = scene.boards.as_slice() else { panic!("two boards: {:?}", drawing.layout()) };
    let clicked = steps(&drawing, &vocabulary, 0, "(put 1 2 3 1)");
    let wanted = [spot(left, "left 1 2").id, spot(right, "right 3 1").id].map(Step::Spot);
    assert_eq!(clicked, wanted, "each cell is clicked on its own board");
}

#[test]
fn what_every_second_cell_holds_is_no_blank_where_others_hold_nothing() {
    // Five men of each side on the twelve cells: as many of one as of the other, and two cells without any.
    let men = |side: &str, rows: [u32; 2]| -> String {
        let cells = rows.into_iter().flat_map(|y| (1..=3).map(move |x| (x, y))).take(5);
        cells.map(|(x, y)| format!("(init (at {x} {y} {side}))")).collect()
    };
    let board = format!(
        "(n 1) (n 2) (n 3) (m 1) (m 2) (m 3) (m 4) (s 1 2) (s 2 3) (s 3 4) {} {}
         (<= (legal white (take ?x ?y)) (true (at ?x ?y ours)))
         (<= (next (at ?x ?y ?v)) (true (at ?x ?y ?v)) (not (does white (take ?x ?y))))
         (<= (goal white 100) (n ?x) (m ?y) (true (at ?x ?y theirs)))",
        men("ours", [1, 2]),
        men("theirs", [4, 3])
    );
    let (drawing, _, initial) = drawing(sheet(&board));
    let scene = drawing.scene(&initial);
    assert_eq!(scene.boards[0].spots.iter().filter(|spot| !spot.marks.is_empty()).count(), 10);
}

#[test]
fn walls_lie_over_the_cells_on_the_side_that_they_name() {
    let walls = "(init (barrier 1 1 north)) (init (barrier 1 1 east)) (init (barrier 3 2 east)) (init (barrier 4 4 north))
        (init (barrier 2 2 north)) (init (barrier 2 3 east)) (init (barrier 4 1 north)) (init (barrier 1 4 east))
        (<= (next (barrier ?x ?y ?side)) (true (barrier ?x ?y ?side)))
        (<= (goal white 100) (true (at ?x ?y full)) (true (barrier ?x ?y north)))";
    let (drawing, _, initial) = drawing(sheet(&format!("{CELLS} {walls}")));
    let scene = drawing.scene(&initial);
    assert_eq!(scene.boards.len(), 1, "{:?}", drawing.layout());
    let ground: Vec<&Glyph> =
        spot(&scene.boards[0], "at 1 1").ground.iter().map(|mark| &mark.glyph).collect();
    assert!(ground.contains(&&Glyph::Arrow(0)) && ground.contains(&&Glyph::Arrow(90)), "{ground:?}");
}

#[test]
fn things_are_drawn_where_they_are() {
    // Three rings on two pegs, all on one at first: what moves name with the ring is a place, and none of them is nothing.
    let rings = "(ring 1) (ring 2) (ring 3) (peg left) (peg right)
        (<= (init (on ?r left)) (ring ?r))
        (<= (legal white (carry ?r ?p ?q)) (true (on ?r ?p)) (peg ?q) (distinct ?p ?q))
        (<= (next (on ?r ?q)) (does white (carry ?r ?p ?q)))
        (<= (next (on ?r ?p)) (true (on ?r ?p)) (does white (carry ?s ?q ?t)) (distinct ?r ?s))";
    let (drawing, vocabulary, initial) = drawing(sheet(rings));
    let scene = drawing.scene(&initial);
    let marks: Vec<usize> = scene.boards[0].spots.iter().map(|spot| spot.marks.len()).collect();
    assert_eq!(marks, [3, 0], "{:?}", drawing.layout());
    let (left, right) = (scene.boards[0].spots[0].id, scene.boards[0].spots[1].id);
    assert_eq!(
        steps(&drawing, &vocabulary, 0, "(carry 2 left right)"),
        [Step::Spot(left), Step::Spot(right)]
    );
}

#[test]
fn one_fluent_that_says_a_whole_order_is_a_row() {
    let order = "(init (order c a b)) (legal white turn)
        (<= (next (order ?y ?x ?z)) (true (order ?x ?y ?z)) (does white turn))
        (<= (next (order ?x ?z ?y)) (true (order ?x ?y ?z)) (does white turn) (true (turn black)))
        (<= (goal white 100) (true (order a b c)))";
    let (drawing, _, initial) = drawing(sheet(order));
    let scene = drawing.scene(&initial);
    let texts: Vec<&str> =
        scene.boards[0].spots.iter().flat_map(|spot| &spot.marks).map(|mark| mark.text.as_str()).collect();
    assert_eq!((texts, drawing.layout().boards[0].kind), (vec!["c", "a", "b"], "track"));
}

#[test]
fn what_stands_on_something_is_drawn_above_it() {
    // Two blocks on one another, one beside them, and two on which nothing stands.
    let blocks = "(block a) (block b) (block c) (init (above b a)) (init (open b)) (init (open c))
        (<= (legal white (put ?x ?y)) (true (open ?x)) (true (open ?y)) (distinct ?x ?y))
        (<= (next (above ?x ?y)) (does white (put ?x ?y)))
        (<= (next (above ?x ?y)) (true (above ?x ?y)) (does white (put ?z ?w)) (distinct ?x ?z))
        (<= (next (open ?x)) (does white (put ?x ?y)))
        (<= (next (open ?y)) (does white (put ?x ?z)) (true (above ?x ?y)))
        (<= (next (open ?x)) (true (open ?x)) (does white (put ?y ?z)) (distinct ?x ?z))
        (<= (goal white 100) (true (above c b)))";
    let (drawing, vocabulary, initial) = drawing(sheet(blocks));
    let fluent =
        |text: &str| vocabulary.read_term(text).and_then(|t| vocabulary.find_fluent(t)).expect("a fluent");
    let place = |state: &[u64], name: &str| {
        let scene = drawing.scene(state);
        let centre = spot(&scene.boards[0], &format!("above {name}")).centre;
        (centre.x, centre.y)
    };
    let [a, b, c] = ["a", "b", "c"].map(|name| place(&initial, name));
    assert!(a.0 == b.0 && b.1 < a.1 && c.0 > a.0 && c.1 == a.1, "{a:?} {b:?} {c:?}");
    let mut next = initial.clone();
    row::clear(&mut next, fluent("(above b a)"));
    row::set(&mut next, fluent("(above b c)"));
    let [a, b, c] = ["a", "b", "c"].map(|name| place(&next, name));
    assert!(b.0 == c.0 && b.1 < c.1 && a.0 < c.0, "{a:?} {b:?} {c:?}");
    // Rules may let things stand on one another in a ring: that is drawn as well.
    row::set(&mut next, fluent("(above c b)"));
    assert_eq!(drawing.scene(&next).boards[0].spots.len(), 3);
    let [one, other] = ["above a", "above b"].map(|name| {
        let scene = drawing.scene(&initial);
        Step::Spot(spot(&scene.boards[0], name).id)
    });
    assert_eq!(steps(&drawing, &vocabulary, 0, "(put b a)"), [other, one]);
}

#[test]
fn a_cell_without_a_man_is_empty_also_where_moves_name_the_men() {
    let men = "(n 1) (n 2) (n 3) (n 4) (s 1 2) (s 2 3) (s 3 4) (man up) (man down)
        (<= (init (at 1 ?y up)) (n ?y)) (<= (init (at 4 ?y down)) (n ?y))
        (<= (init (at ?x ?y e)) (s 1 ?x) (n ?y)) (<= (init (at ?x ?y e)) (s 2 ?x) (n ?y))
        (<= (legal white (go ?m ?x ?y ?z ?w)) (man ?m) (true (at ?x ?y ?m)) (true (at ?z ?w e)))
        (<= (next (at ?z ?w ?m)) (does white (go ?m ?x ?y ?z ?w)))
        (<= (next (at ?x ?y e)) (does white (go ?m ?x ?y ?z ?w)))
        (<= (next (at ?x ?y ?v)) (true (at ?x ?y ?v)) (not (does white (go ?v ?x ?y 2 2))))";
    let (drawing, _, initial) = drawing(sheet(men));
    let scene = drawing.scene(&initial);
    assert_eq!(scene.boards[0].spots.iter().filter(|spot| !spot.marks.is_empty()).count(), 8);
}
