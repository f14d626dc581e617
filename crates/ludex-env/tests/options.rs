//! What the options mean, on small games whose answers are worked out by hand.

use ludex_engine::budget::Budget;
use ludex_env::{
    Autoreset, Batch, Cells, EnvError, Forced, Illegal, Model, Options, Outputs, Rewards, Start, Which,
};
use ludex_gdl::Sheet;
use std::sync::Arc;

/// Two walk at the same time; whoever steps is at 1 and the game is over. Moves by name: `step` 0, `wait` 1.
const RACE: &str = "(role a) (role b) (init (on a)) (init (on b))
    (<= (legal ?p step) (true (on ?p)))
    (<= (legal ?p wait) (true (on ?p)))
    (<= (next (on ?p)) (true (on ?p)) (does ?p wait))
    (<= (next (done ?p)) (does ?p step))
    (<= terminal (true (done ?p)))
    (<= (goal ?p 100) (true (done ?p)))
    (<= (goal ?p 10) (true (on ?p)))";

/// Robot walks from 0 to 3 and may `rest` before; there it has no move though nothing is over.
const DEAD_END: &str = "(role robot) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal robot go) (true (at ?x)) (succ ?x ?y))
    (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
    (<= terminal (true (at 9)))
    (<= (goal robot 50) (true (at ?x)))";

fn model(text: &str) -> Arc<Model> {
    let game = Sheet::read(text).into_game().expect("a sound sheet");
    Arc::new(Model::new(&game, &Budget::default()).expect("it fits"))
}

fn batch(text: &str, games: usize, options: Options) -> Batch {
    Batch::new(model(text), games, options).expect("a batch")
}

#[derive(Debug, Default, PartialEq)]
struct Said {
    rewards: Vec<f32>,
    terminated: Vec<u8>,
    truncated: Vec<u8>,
    stuck: Vec<u8>,
    legal: Vec<u8>,
}

fn step(batch: &mut Batch, actions: &[i32]) -> Result<Said, EnvError> {
    let games = batch.games();
    let mut said = Said {
        rewards: vec![9.0; games * batch.model().role_count()],
        terminated: vec![9; games],
        truncated: vec![9; games],
        stuck: vec![9; games],
        legal: vec![9; games * batch.model().move_count()],
    };
    let outputs = Outputs {
        rewards: Some(&mut said.rewards),
        terminated: Some(&mut said.terminated),
        truncated: Some(&mut said.truncated),
        stuck: Some(&mut said.stuck),
        legal: Some(&mut said.legal),
        ..Outputs::default()
    };
    batch.step(actions, outputs)?;
    Ok(said)
}

#[test]
fn an_illegal_action_is_an_error_that_names_it_and_nothing_is_stepped() {
    let mut batch = batch(RACE, 600, Options::default());
    let mut actions = vec![0; 1200];
    actions[2 * 555 + 1] = 2;
    let error = step(&mut batch, &actions).expect_err("there is no move 2");
    assert_eq!(error.to_string(), "game 555: action 2 of role 1 (b) is not the number of a move");
    let mut states = vec![0; 600];
    batch.states(&mut states).expect("rows");
    assert!(states.iter().all(|state| *state == batch.model().initial()[0]), "a game has been stepped");
    // Where nothing is left to play actions are not looked at.
    actions[2 * 555 + 1] = 0;
    step(&mut batch, &actions).expect("legal");
    step(&mut batch, &vec![77; 1200]).expect("all games begin anew in this step");

    // Negative numbers are no moves.
    let mut dead = self::batch(DEAD_END, 1, Options::default());
    assert!(step(&mut dead, &[-1]).is_err_and(|e| e.to_string().contains("action -1 of role 0 (robot)")));
}

#[test]
fn who_plays_what_is_not_legal_loses() {
    let options = Options { illegal: Illegal::Lose, ..Options::default() };
    let mut goals = batch(RACE, 3, options);
    let said = step(&mut goals, &[9, 0, 0, -5, 7, 7]).expect("survived");
    assert_eq!(said.rewards, [10.0, 100.0, 100.0, 10.0, 10.0, 10.0]);
    assert_eq!(said.terminated, [1, 1, 1]);
    let mut zero = batch(RACE, 3, Options { rewards: Rewards::ZeroSum, ..options });
    let said = step(&mut zero, &[9, 0, 0, -5, 7, 7]).expect("survived");
    assert_eq!(said.rewards, [-1.0, 1.0, 1.0, -1.0, 0.0, 0.0]);
}

#[test]
fn games_begin_anew_when_the_option_says() {
    let options = |autoreset| Options { autoreset, ..Options::default() };
    // Game 0 ends in the first step, game 1 goes on.
    let actions = [0, 1, 1, 1];
    let legal = [1, 1, 1, 1];
    let none = [0, 0, 0, 0];

    let mut next = batch(RACE, 2, options(Autoreset::NextStep));
    let said = step(&mut next, &actions).expect("legal");
    assert_eq!((said.terminated, said.rewards), (vec![1, 0], vec![100.0, 10.0, 0.0, 0.0]));
    assert_eq!(said.legal, [none, legal].concat());
    let said = step(&mut next, &actions).expect("legal");
    assert_eq!((said.terminated, said.rewards), (vec![0, 0], vec![0.0; 4]));
    assert_eq!(said.legal, [legal, legal].concat());

    let mut same = batch(RACE, 2, options(Autoreset::SameStep));
    for _ in 0..3 {
        let said = step(&mut same, &actions).expect("legal");
        assert_eq!((said.terminated, said.rewards), (vec![1, 0], vec![100.0, 10.0, 0.0, 0.0]));
        assert_eq!(said.legal, [legal, legal].concat());
    }

    let mut never = batch(RACE, 2, options(Autoreset::Disabled));
    step(&mut never, &actions).expect("legal");
    let said = step(&mut never, &[5, 5, 1, 1]).expect("the first game is over");
    assert_eq!((said.terminated, said.rewards), (vec![1, 0], vec![0.0; 4]));
    assert_eq!(said.legal, [none, legal].concat());
    never.reset(Which::Marked(&[1, 0]), Start::Initial, Outputs::default()).expect("a mask");
    assert!(step(&mut never, &[5, 5, 1, 1]).is_err(), "the first game is on again");
}

#[test]
fn games_are_cut_off_at_the_length() {
    let mut batch = batch(RACE, 1, Options { length: 3, ..Options::default() });
    let flags: Vec<(u8, u8)> = (0..8)
        .map(|_| {
            step(&mut batch, &[1, 1]).map(|said| (said.terminated[0], said.truncated[0])).expect("legal")
        })
        .collect();
    // Three steps, the step that begins anew, three steps, ...
    assert_eq!(flags, [(0, 0), (0, 0), (0, 1), (0, 0), (0, 0), (0, 0), (0, 1), (0, 0)]);
    // An end at the length is an end.
    let mut batch = self::batch(RACE, 1, Options { length: 1, ..Options::default() });
    let said = step(&mut batch, &[0, 0]).expect("legal");
    assert_eq!((said.terminated, said.truncated, said.rewards), (vec![1], vec![0], vec![100.0, 100.0]));
}

#[test]
fn a_role_without_a_move_ends_the_game_as_stuck() {
    let mut batch = batch(DEAD_END, 1, Options::default());
    let said: Vec<_> = (0..3).map(|_| step(&mut batch, &[0]).expect("legal")).collect();
    assert_eq!(
        said.iter().map(|s| (s.truncated[0], s.stuck[0])).collect::<Vec<_>>(),
        [(0, 0), (0, 0), (1, 1)]
    );
    // Goals hold in every state of this sheet; what is cut off gets nothing all the same.
    assert_eq!(
        (&said[2].terminated[..], &said[2].rewards[..], &said[2].legal[..]),
        (&[0][..], &[0.0][..], &[0][..])
    );
}

#[test]
fn the_only_legal_move_may_be_left_out() {
    let mut batch = batch(DEAD_END, 2, Options { forced: Forced::Made, ..Options::default() });
    step(&mut batch, &[0, 99]).expect("99 is as good as 0");
    let mut states = [0; 2];
    batch.states(&mut states).expect("rows");
    assert!(states[0] == states[1] && states[0] != batch.model().initial()[0]);
}

#[test]
fn what_is_drawn_is_told_and_comes_from_the_seed() {
    let run = |seed| {
        let options =
            Options { illegal: Illegal::Random, autoreset: Autoreset::SameStep, seed, ..Options::default() };
        let mut batch = batch(RACE, 1000, options);
        let (mut made, mut illegal) = (vec![9; 2000], vec![9; 2000]);
        let mut actions = vec![2; 2000];
        actions[0] = 1;
        let outputs = Outputs { made: Some(&mut made), illegal: Some(&mut illegal), ..Outputs::default() };
        batch.step(&actions[..], outputs).expect("survived");
        assert_eq!((made[0], illegal[0]), (1, 0));
        assert!(illegal[1..].iter().all(|&flag| flag == 1));
        made
    };
    let made = run(1);
    let steps = made.iter().filter(|&&m| m == 0).count();
    // Six standard deviations around 1000 of 2000.
    assert!((866..1134).contains(&steps) && made.iter().all(|m| [0, 1].contains(m)), "{steps} steps");
    assert_eq!(made, run(1));
    assert_ne!(made, run(2));
}

#[test]
fn a_game_that_is_over_from_the_start_is_said_to_be() {
    let text = "(role a) (init over) (legal a noop) (<= terminal (true over)) (goal a 30)";
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled] {
        let mut batch = batch(text, 2, Options { autoreset, ..Options::default() });
        for _ in 0..3 {
            let said = step(&mut batch, &[0, 5]).expect("nothing is played");
            assert_eq!((said.terminated, said.legal, said.rewards), (vec![1, 1], vec![0, 0], vec![0.0, 0.0]));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let model = model(RACE);
    let new = |games, options| Batch::new(model.clone(), games, options).map(|_| ()).expect_err("refused");
    assert_eq!(new(0, Options::default()), EnvError::Games(0));
    let mut batch = Batch::new(model.clone(), 4, Options::default()).expect("a batch");
    let wrong = |array, expected, given| EnvError::Length { array, expected, given };
    assert_eq!(batch.step(&[0; 7][..], Outputs::default()), Err(wrong("actions", 8, 7)));
    let mut short = [0; 15];
    let outputs = Outputs { legal: Some(&mut short), ..Outputs::default() };
    assert_eq!(batch.step(&[0i64; 8][..], outputs), Err(wrong("legal", 16, 15)));
    let mut cells = [0; 4];
    let outputs = Outputs { observation: Some(Cells::Bytes(&mut cells)), ..Outputs::default() };
    assert_eq!(batch.step(&[0u16; 8][..], outputs), Err(EnvError::NoEncoder));
    let reset = |batch: &mut Batch, which, start| batch.reset(which, start, Outputs::default());
    assert_eq!(reset(&mut batch, Which::Marked(&[1]), Start::Initial), Err(wrong("mask", 4, 1)));
    assert_eq!(reset(&mut batch, Which::All, Start::States(&[0; 5])), Err(wrong("states", 4, 5)));
    let states = Start::States(&[0, 0, 1 << 63, 0]);
    assert_eq!(reset(&mut batch, Which::All, states), Err(EnvError::NoState { game: 2 }));
    assert_eq!(reset(&mut batch, Which::Marked(&[1, 1, 0, 1]), states), Ok(()));
    let solo = self::model(DEAD_END);
    let zero = Options { rewards: Rewards::ZeroSum, ..Options::default() };
    assert_eq!(Batch::new(solo, 1, zero).map(|_| ()), Err(EnvError::OneRole));
}
