//! What observations say, on games whose boards are known.

use ludex_engine::budget::Budget;
use ludex_engine::prepared::Prepared;
use ludex_engine::symmetry::Symmetries;
use ludex_env::{Batch, Cells, Encoder, EnvError, Model, NoBoard, Options, Outputs, Start, Which};
use ludex_gdl::{Game, Sheet};
use ludex_logic::discover;
use ludex_logic::facts::Facts;
use ludex_testkit::corpus::games;
use std::sync::Arc;
use std::time::Duration;

fn bundled(name: &str) -> Game {
    let source = games().into_iter().find(|source| source.name == name).expect("a bundled game");
    source.game().expect("a sound sheet")
}

fn model(game: &Game) -> (Arc<Model>, Facts) {
    let prepared = Prepared::new(game.clone());
    let budget = Budget::default().within(Duration::from_secs(60));
    let facts = discover::facts(&prepared, &budget).expect("it fits");
    let model = Model::new(game, &Budget::default()).expect("it fits").with_facts(&facts);
    (Arc::new(model), facts)
}

/// The number of a move by name.
fn action(model: &Model, role: u32, name: &str) -> i32 {
    let role = ludex_engine::vocabulary::RoleId(role);
    let names = (0..).map(ludex_engine::vocabulary::MoveId).take(model.moves(role).len());
    let found = names.map(|action| model.show_move(role, action)).position(|shown| shown == name);
    found.expect("a move of this name") as i32
}

fn observe(batch: &Batch, encoder: &Encoder) -> Vec<f32> {
    let mut out = vec![9.0; batch.games() * encoder.len()];
    batch.observe(encoder, Cells::Floats(&mut out)).expect("an observation");
    out
}

#[test]
fn tic_tac_toe_is_three_channels_of_three_by_three() {
    let (model, facts) = model(&bundled("tictactoe"));
    let encoder = Encoder::board(&model, &facts).expect("a board");
    assert_eq!(encoder.shape(), [3, 3, 3]);
    let mut names = encoder.names().to_vec();
    names.sort_unstable();
    // Blank squares are those without a mark, and it is the turn of `o` when it is not that of `x`.
    assert_eq!(names[..2], ["(cell * * o)", "(cell * * x)"]);
    assert!(names[2].starts_with("(control "), "{names:?}");
    assert!(encoder.is_bits());

    let mut batch = Batch::new(model.clone(), 2, Options::default()).expect("a batch");
    let actions = [action(&model, 0, "(mark 2 3)"), action(&model, 1, "noop")];
    batch.step(&[actions, actions].concat()[..], Outputs::default()).expect("legal");
    let seen = observe(&batch, &encoder);
    for game in seen.chunks_exact(27) {
        for (channel, name) in game.chunks_exact(9).zip(encoder.names()) {
            let expected = match name.as_str() {
                // Row 2, column 3.
                "(cell * * x)" => [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
                "(control o)" => [1.0; 9],
                _ => [0.0; 9],
            };
            assert_eq!(channel, expected, "{name}");
        }
    }
}

/// Two by two squares to be switched on, within three steps.
const SWITCHES: &str = "(role a) (place 1) (place 2)
    (<= (init (square ?x ?y off)) (place ?x) (place ?y)) (init (step 0)) (init calm)
    (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal a (switch ?x ?y)) (true (square ?x ?y off)))
    (<= (next (square ?x ?y on)) (does a (switch ?x ?y)))
    (<= (next (square ?x ?y ?s)) (true (square ?x ?y ?s)) (not (switched ?x ?y)))
    (<= (switched ?x ?y) (does a (switch ?x ?y)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next calm) (does a (switch 1 1)) (true calm))
    (<= terminal (true (step 3)))
    (<= (goal a 100) (true calm)) (<= (goal a 0) (not (true calm)))";

#[test]
fn counters_are_scaled_and_what_else_there_is_is_everywhere() {
    let game = Sheet::read(SWITCHES).into_game().expect("a sound sheet");
    let (model, facts) = model(&game);
    let encoder = Encoder::board(&model, &facts).expect("a board");
    assert_eq!(encoder.names(), ["(square * * on)", "(step *) / 3", "calm"]);
    assert_eq!((encoder.shape(), encoder.is_bits()), (&[3, 2, 2][..], false));
    let batch = Batch::new(model.clone(), 3, Options::default()).expect("a batch");
    let mut batch = batch.with_encoder(Arc::new(encoder.clone())).expect("of this game");
    let (one, other) = (action(&model, 0, "(switch 1 1)"), action(&model, 0, "(switch 2 1)"));
    let mut bytes = [0; 36];
    let outputs = Outputs { observation: Some(Cells::Bytes(&mut bytes)), ..Outputs::default() };
    assert_eq!(batch.step(&[one; 3][..], outputs), Err(EnvError::BytesForFloats));
    batch.step(&[one, other, other][..], Outputs::default()).expect("legal");
    let third = 1.0 / 3.0;
    let first = [1.0, 0.0, 0.0, 0.0, third, third, third, third, 1.0, 1.0, 1.0, 1.0];
    let second = [0.0, 0.0, 1.0, 0.0, third, third, third, third, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(observe(&batch, &encoder), [first, second, second].concat());
}

/// A wall that stays is no channel, and squares that nothing ever is on are not there: while it is shut, which it always is, no third
/// row of switches can be used.
#[test]
fn boards_leave_out_what_never_changes() {
    let more = "(init shut) (<= (next shut) (true shut)) (init (wall 1 2)) (<= (next (wall ?x ?y)) (true (wall ?x ?y)))
        (<= (legal a (switch 3 ?y)) (true (square 1 ?y off)) (not (true shut)))";
    let game = Sheet::read(&format!("{SWITCHES} {more}")).into_game().expect("a sound sheet");
    let (model, mut facts) = model(&game);
    // The network shows as much where nothing is proved.
    facts.constants.clear();
    let vocabulary = model.vocabulary();
    let named = |name: &str| vocabulary.fluents().any(|fluent| vocabulary.show_fluent(fluent) == name);
    assert!(named("(square 3 1 on)") && named("(wall 1 2)") && named("shut"));
    let encoder = Encoder::board(&model, &facts).expect("a board");
    assert_eq!(encoder.names(), ["(square * * on)", "(step *) / 3", "calm"]);
    assert_eq!(encoder.shape(), [3, 2, 2]);
}

#[test]
fn a_game_without_squares_has_no_board() {
    let text = "(role a) (init (at 0)) (succ 0 1) (legal a go)
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 1))) (goal a 100)";
    let (model, facts) = model(&Sheet::read(text).into_game().expect("a sound sheet"));
    assert_eq!(Encoder::board(&model, &facts).err(), Some(NoBoard::NoSquares));
}

#[test]
fn constants_are_left_out_of_flat_observations_if_they_are_proved() {
    let text = "(role a) (init wall) (init (at 0)) (succ 0 1) (legal a go) (<= (next wall) (true wall))
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 1))) (goal a 100)";
    let (model, facts) = model(&Sheet::read(text).into_game().expect("a sound sheet"));
    assert_eq!(Encoder::flat(&model, None).names(), ["(at 0)", "(at 1)", "wall"]);
    assert_eq!(Encoder::flat(&model, Some(&facts)).names(), ["(at 0)", "(at 1)"]);
    // The network shows as much without a proof.
    assert_eq!(Encoder::flat_without(&model, model.constants()).names(), ["(at 0)", "(at 1)"]);
}

#[test]
fn through_a_symmetry_a_state_looks_as_its_image_does() {
    let game = bundled("breakthrough");
    let (model, facts) = model(&game);
    let symmetries = Symmetries::new(&game, model.vocabulary(), &Budget::default()).expect("it fits");
    let board = Encoder::board(&model, &facts).expect("a board");
    let mut batch = Batch::new(model.clone(), 5, Options::default()).expect("a batch");
    let mut actions = vec![0; 10];
    for step in 0..7 {
        batch.sample(step, &mut actions).expect("actions");
        batch.step(&actions[..], Outputs::default()).expect("legal");
    }
    let words = model.words();
    let mut states = vec![0; 5 * words];
    batch.states(&mut states).expect("rows");
    assert!(!symmetries.generators.is_empty());
    for symmetry in &symmetries.generators {
        let through = observe(&batch, &board.through(symmetry, &model));
        let mut images = vec![0; 5 * words];
        for (state, image) in states.chunks_exact(words).zip(images.chunks_exact_mut(words)) {
            symmetry.state(state, image);
        }
        let mut other = Batch::new(model.clone(), 5, Options::default()).expect("a batch");
        other.reset(Which::All, Start::States(&images), Outputs::default()).expect("states");
        assert_eq!(through, observe(&other, &board));
        assert_ne!(through, observe(&batch, &board));
    }
}
