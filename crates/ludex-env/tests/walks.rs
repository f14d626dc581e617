//! Batches against play by a scalar engine, game by game, written down here without anything of the batch.

use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::propnet::{Propnet, compile};
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};
use ludex_env::{
    Autoreset, Batch, Cells, Encoder, Forced, Illegal, Model, Options, Outputs, Rewards, Start, Which,
};
use ludex_gdl::Game;
use ludex_testkit::corpus::{games, shared_games};
use ludex_testkit::report::{Report, note};
use std::sync::Arc;

/// One game as the reference has it. The reference is the scalar execution of the network, which has no faults.
struct One {
    state: Vec<u64>,
    over: Option<End>,
    age: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Terminated,
    Cut,
    Stuck,
}

/// What a step must say of one game.
#[derive(Debug, PartialEq)]
struct Said {
    rewards: Vec<f32>,
    end: Option<End>,
    illegal: Vec<u8>,
    /// The state before a new game began in the same step.
    last: Vec<u64>,
}

struct Reference {
    worker: Box<dyn Worker>,
    roles: Vec<RoleId>,
    options: Options,
    range: (f32, f32),
    initial: Vec<u64>,
}

impl Reference {
    fn legal(&mut self, state: &[u64]) -> Vec<Vec<MoveId>> {
        let mut lists = Vec::new();
        for &role in &self.roles {
            let mut list = Vec::new();
            self.worker.legal(state, role, &mut list).expect("no fault");
            lists.push(list);
        }
        lists
    }

    fn end(&mut self, state: &[u64]) -> Option<End> {
        if self.worker.is_terminal(state).expect("no fault") {
            Some(End::Terminated)
        } else {
            self.legal(state).iter().any(Vec::is_empty).then_some(End::Stuck)
        }
    }

    fn begin(&mut self, one: &mut One) {
        one.state.clone_from(&self.initial);
        one.age = 0;
        let initial = one.state.clone();
        one.over = self.end(&initial);
    }

    fn rewards(&self, goals: &[f32]) -> Vec<f32> {
        let (least, greatest) = self.range;
        let scaled =
            |goal: f32| if greatest > least { 2.0 * (goal - least) / (greatest - least) - 1.0 } else { 0.0 };
        let reward = |role: usize| match self.options.rewards {
            Rewards::Goals => goals[role],
            Rewards::Scaled => scaled(goals[role]),
            Rewards::ZeroSum => {
                let others: f32 = (0..goals.len()).filter(|&r| r != role).map(|r| scaled(goals[r])).sum();
                (scaled(goals[role]) - others / (goals.len() - 1) as f32) / 2.0
            }
        };
        (0..goals.len()).map(reward).collect()
    }

    /// `made` is what the batch says was played, for moves that are drawn.
    fn step(&mut self, one: &mut One, actions: &[i32], made: &[i32]) -> Result<Said, String> {
        let roles = self.roles.len();
        let mut said =
            Said { rewards: vec![0.0; roles], end: None, illegal: vec![0; roles], last: one.state.clone() };
        if one.over.is_some() {
            if self.options.autoreset != Autoreset::Disabled {
                self.begin(one);
            }
            said.end = one.over;
            return if made.iter().all(|&m| m == -1) { Ok(said) } else { Err("a move after the end".into()) };
        }
        let legal = self.legal(&one.state.clone());
        let mut joint = Vec::new();
        for role in 0..roles {
            let given = legal[role].iter().find(|action| action.0 as i32 == actions[role]);
            let forced = self.options.forced == Forced::Made && legal[role].len() == 1;
            let action = match given {
                Some(action) => Some(*action),
                None if forced => Some(legal[role][0]),
                None => {
                    said.illegal[role] = 1;
                    let drawn = legal[role].iter().find(|action| action.0 as i32 == made[role]);
                    match self.options.illegal {
                        Illegal::Random => Some(*drawn.ok_or("a move was drawn that is not legal")?),
                        _ => None,
                    }
                }
            };
            joint.extend(action);
        }
        if joint.len() < roles {
            let goals: Vec<f32> =
                said.illegal.iter().map(|&bad| if bad == 1 { self.range.0 } else { self.range.1 }).collect();
            said.rewards = self.rewards(&goals);
            one.over = Some(End::Terminated);
            if made.iter().any(|&m| m != -1) {
                return Err("a move in a lost game".into());
            }
        } else {
            if !joint.iter().map(|m| m.0 as i32).eq(made.iter().copied()) {
                return Err(format!("made {made:?}, not {joint:?}"));
            }
            let mut next = vec![0; one.state.len()];
            self.worker.next(&one.state, &joint, &mut next).expect("no fault");
            one.state = next;
            one.age += 1;
            let state = one.state.clone();
            one.over = self.end(&state);
            if one.over == Some(End::Terminated) {
                let least = self.range.0;
                let goals: Vec<f32> = (self.roles.clone().into_iter())
                    .map(|role| {
                        self.worker.goal(&state, role).expect("no fault").map_or(least, |goal| goal as f32)
                    })
                    .collect();
                said.rewards = self.rewards(&goals);
            }
            if one.over.is_none() && one.age == self.options.length {
                one.over = Some(End::Cut);
            }
        }
        said.end = one.over;
        said.last.clone_from(&one.state);
        if one.over.is_some() && self.options.autoreset == Autoreset::SameStep {
            self.begin(one);
        }
        Ok(said)
    }
}

/// Arrays of a batch.
#[derive(Default, Clone, PartialEq, Debug)]
struct Arrays {
    legal: Vec<u8>,
    legal_words: Vec<u64>,
    rewards: Vec<f32>,
    terminated: Vec<u8>,
    truncated: Vec<u8>,
    stuck: Vec<u8>,
    turn: Vec<i8>,
    illegal: Vec<u8>,
    made: Vec<i32>,
    observation: Vec<u8>,
    last: Vec<f32>,
}

impl Arrays {
    fn new(batch: &Batch) -> Arrays {
        let (model, games) = (batch.model(), batch.games());
        let columns = batch.encoder().map_or(0, |encoder| encoder.len());
        Arrays {
            // Whatever was there must be written over.
            legal: vec![7; games * model.move_count()],
            legal_words: vec![7; games * model.move_count().div_ceil(64)],
            rewards: vec![7.0; games * model.role_count()],
            terminated: vec![7; games],
            truncated: vec![7; games],
            stuck: vec![7; games],
            turn: vec![7; games],
            illegal: vec![7; games * model.role_count()],
            made: vec![7; games * model.role_count()],
            observation: vec![7; games * columns],
            last: vec![7.0; games * columns],
        }
    }

    fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            legal: Some(&mut self.legal),
            legal_words: Some(&mut self.legal_words),
            rewards: Some(&mut self.rewards),
            terminated: Some(&mut self.terminated),
            truncated: Some(&mut self.truncated),
            stuck: Some(&mut self.stuck),
            turn: Some(&mut self.turn),
            illegal: Some(&mut self.illegal),
            made: Some(&mut self.made),
            observation: Some(Cells::Bytes(&mut self.observation)),
            final_observation: Some(Cells::Floats(&mut self.last)),
        }
    }
}

/// Plays a batch and the reference side by side.
fn walk(
    model: &Arc<Model>,
    engine: &dyn Engine,
    options: Options,
    count: usize,
    steps: usize,
) -> Result<(), String> {
    let encoder = Arc::new(Encoder::flat(model, None));
    let batch = Batch::new(model.clone(), count, options).map_err(|e| e.to_string())?;
    let mut batch = batch.with_encoder(encoder).map_err(|e| e.to_string())?;
    let vocabulary = engine.vocabulary();
    let (least, greatest) = model.goal_range();
    let mut reference = Reference {
        worker: engine.worker(),
        roles: vocabulary.roles().collect(),
        options,
        range: (least as f32, greatest as f32),
        initial: model.initial().to_vec(),
    };
    let mut ones: Vec<One> = (0..count).map(|_| One { state: Vec::new(), over: None, age: 0 }).collect();
    ones.iter_mut().for_each(|one| reference.begin(one));
    let mut arrays = Arrays::new(&batch);
    batch.reset(Which::All, Start::Initial, arrays.outputs()).map_err(|e| e.to_string())?;
    compare(&mut reference, &batch, &ones, &arrays).map_err(|e| format!("at first: {e}"))?;
    let mut random = Random::new(options.seed);
    let roles = vocabulary.role_count();
    let mut actions = vec![0; count * roles];
    for step in 0..steps {
        batch.sample(random.bits(), &mut actions).map_err(|e| e.to_string())?;
        if options.illegal != Illegal::Raise {
            for (at, action) in actions.iter_mut().enumerate() {
                let moves = vocabulary.move_count(RoleId((at % roles) as u32));
                if random.below(30) == 0 {
                    *action =
                        [-1, i32::MIN, i32::MAX, moves as i32, random.below(moves) as i32][random.below(5)];
                }
            }
        }
        batch.step(&actions[..], arrays.outputs()).map_err(|e| e.to_string())?;
        for (game, one) in ones.iter_mut().enumerate() {
            let at = |e: String| format!("step {step}, game {game}: {e}");
            let row = game * roles..(game + 1) * roles;
            let said = reference.step(one, &actions[row.clone()], &arrays.made[row.clone()]).map_err(at)?;
            let end = match (arrays.terminated[game], arrays.truncated[game], arrays.stuck[game]) {
                (0, 0, 0) => None,
                (1, 0, 0) => Some(End::Terminated),
                (0, 1, 0) => Some(End::Cut),
                (0, 1, 1) => Some(End::Stuck),
                other => return Err(at(format!("flags {other:?}"))),
            };
            if end != said.end {
                return Err(at(format!("{end:?}, not {:?}", said.end)));
            }
            let rewards = &arrays.rewards[row.clone()];
            if rewards.iter().zip(&said.rewards).any(|(a, b)| (a - b).abs() > 1e-4) {
                return Err(at(format!("rewards {rewards:?}, not {:?}", said.rewards)));
            }
            if arrays.illegal[row] != said.illegal {
                return Err(at(format!("illegal {:?}", said.illegal)));
            }
            let columns = vocabulary.fluent_count();
            let last = &arrays.last[game * columns..][..columns];
            if !last.iter().enumerate().all(|(f, &x)| x == (said.last[f / 64] >> (f % 64) & 1) as f32) {
                return Err(at("another last observation".into()));
            }
        }
        compare(&mut reference, &batch, &ones, &arrays).map_err(|e| format!("step {step}: {e}"))?;
    }
    Ok(())
}

/// What is said of the games as they are.
fn compare(reference: &mut Reference, batch: &Batch, ones: &[One], arrays: &Arrays) -> Result<(), String> {
    let model = batch.model();
    let words = model.words();
    let mut states = vec![0; ones.len() * words];
    batch.states(&mut states).map_err(|e| e.to_string())?;
    let columns = model.vocabulary().fluent_count();
    for (game, one) in ones.iter().enumerate() {
        if states[game * words..][..words] != one.state {
            return Err(format!("game {game}: another state"));
        }
        let observation = &arrays.observation[game * columns..][..columns];
        if !observation.iter().enumerate().all(|(f, &x)| u64::from(x) == one.state[f / 64] >> (f % 64) & 1) {
            return Err(format!("game {game}: another observation"));
        }
        let mut row = vec![0; model.move_count()];
        let mut turn = -1;
        if one.over.is_none() {
            let legal = reference.legal(&one.state);
            for (role, list) in reference.roles.iter().zip(&legal) {
                list.iter().for_each(|action| row[model.moves(*role).start + action.index()] = 1);
            }
            let mut choosers = (0..legal.len()).filter(|&role| legal[role].len() > 1);
            if let (Some(role), None) = (choosers.next(), choosers.next()) {
                turn = role as i8;
            }
        }
        if arrays.legal[game * row.len()..][..row.len()] != row {
            return Err(format!("game {game}: other legal moves"));
        }
        let words = row.len().div_ceil(64);
        for (column, &bit) in row.iter().enumerate() {
            if arrays.legal_words[game * words + column / 64] >> (column % 64) & 1 != u64::from(bit) {
                return Err(format!("game {game}: other bits of legal moves"));
            }
        }
        if arrays.turn[game] != turn {
            return Err(format!("game {game}: it is the turn of {turn}, not of {}", arrays.turn[game]));
        }
    }
    Ok(())
}

/// One of each option, and lengths at which some games are cut off.
fn all_options(roles: usize, seed: u64) -> Vec<Options> {
    let zero_sum = if roles > 1 { Rewards::ZeroSum } else { Rewards::Scaled };
    let base = Options { seed, ..Options::default() };
    vec![
        Options { illegal: Illegal::Lose, ..base },
        Options {
            autoreset: Autoreset::SameStep,
            illegal: Illegal::Random,
            rewards: Rewards::Scaled,
            length: 7,
            ..base
        },
        Options { autoreset: Autoreset::Disabled, rewards: zero_sum, length: 20, ..base },
        Options {
            autoreset: Autoreset::SameStep,
            illegal: Illegal::Lose,
            forced: Forced::Made,
            rewards: zero_sum,
            length: 12,
            ..base
        },
    ]
}

/// On the network, one state at a time, and the engine to compare with.
type Models = (Arc<Model>, Arc<Model>, Arc<dyn Engine>);

fn models(game: &Game, budget: &Budget) -> Result<Models, String> {
    let compiled = compile(game, budget).map_err(|e| e.to_string())?;
    let engine: Arc<dyn Engine> = Arc::new(Propnet::of(compiled.clone(), budget).map_err(|e| e.to_string())?);
    let network = Model::of_network(&Arc::new(game.clone()), &Arc::new(compiled));
    Ok((Arc::new(network), Arc::new(Model::of_engine(game, engine.clone())), engine))
}

/// As whoever is to move sees the games; the search for symmetries is bounded.
fn turned(model: &Model) -> Arc<Model> {
    Arc::new(model.clone().turned(&Budget::default().with_rows(100_000).with_steps(5_000_000)))
}

#[test]
fn bundled_games_in_blocks() {
    let mut report = Report::new("batches");
    for source in games() {
        report.case(&source.name, || {
            let budget = Budget::default();
            let (network, _, engine) = models(&source.game()?, &budget)?;
            let turned = turned(&network);
            for options in all_options(network.role_count(), 1) {
                walk(&network, &*engine, options, 600, 40).map_err(|e| format!("{options:?}: {e}"))?;
                if turned.is_turned() {
                    let said = walk(&turned, &*engine, options, 600, 40);
                    said.map_err(|e| format!("as the mover sees it, {options:?}: {e}"))?;
                }
            }
            Ok(())
        });
    }
    report.finish();
}

#[test]
fn games_of_two_who_are_alike_are_kept_as_the_mover_sees_them() {
    // Whoever begins in pursuit is not whoever is hunted; hanoi is for one.
    for (name, expected) in [
        ("tictactoe", true),
        ("connectfour", true),
        ("breakthrough", true),
        ("pursuit", false),
        ("hanoi", false),
    ] {
        let source = games().into_iter().find(|source| source.name == name).expect("a bundled game");
        let model = Model::new(&source.game().expect("a sound sheet"), &Budget::default()).expect("it fits");
        assert_eq!(model.turned(&Budget::default()).is_turned(), expected, "{name}");
    }
}

/// Any bits are a state, also where no play leads: games then change over to the whole network, and back when all
/// begin anew.
#[test]
fn states_that_no_play_reaches_are_played_as_by_the_whole_network() {
    let source = games().into_iter().find(|source| source.name == "connectfour").expect("a bundled game");
    let plain = Model::new(&source.game().expect("a sound sheet"), &Budget::default()).expect("it fits");
    let turned = turned(&plain);
    assert!(turned.is_turned());
    let options = Options { illegal: Illegal::Random, autoreset: Autoreset::SameStep, ..Options::default() };
    let make = |model: &Arc<Model>| {
        let batch = Batch::new(model.clone(), 600, options).expect("a batch");
        batch.with_encoder(Arc::new(Encoder::flat(model, None))).expect("of this game")
    };
    let (mut batch, mut other) = (make(&turned), make(&Arc::new(plain)));
    let (mut said, mut again) = (Arrays::new(&batch), Arrays::new(&other));
    let fluents = turned.vocabulary().fluent_count();
    let mut random = Random::new(4);
    for round in 0..6 {
        let mut states = vec![0; 600 * turned.words()];
        batch.states(&mut states).expect("rows");
        // Every third game gets anything at all, the others go on where they are.
        for row in states.chunks_exact_mut(turned.words()).step_by(3) {
            row.iter_mut().for_each(|word| *word = random.bits() & random.bits());
            if !fluents.is_multiple_of(64) {
                row[fluents / 64] &= (1 << (fluents % 64)) - 1;
            }
        }
        if round == 3 {
            batch.reset(Which::All, Start::Initial, said.outputs()).expect("a reset");
            other.reset(Which::All, Start::Initial, again.outputs()).expect("a reset");
        } else {
            batch.reset(Which::All, Start::States(&states), said.outputs()).expect("states");
            other.reset(Which::All, Start::States(&states), again.outputs()).expect("states");
        }
        assert!(said == again, "round {round}");
        for step in 0..9 {
            let actions: Vec<i64> = (0..1200).map(|_| random.below(9) as i64).collect();
            batch.step(&actions[..], said.outputs()).expect("a step");
            other.step(&actions[..], again.outputs()).expect("a step");
            assert!(said == again, "round {round}, step {step}");
        }
    }
}

#[test]
fn bundled_games_one_by_one() {
    let mut report = Report::new("batches by an engine");
    for source in games() {
        report.case(&source.name, || {
            let budget = Budget::default();
            let (_, scalar, engine) = models(&source.game()?, &budget)?;
            for options in all_options(scalar.role_count(), 2) {
                walk(&scalar, &*engine, options, 20, 40).map_err(|e| format!("{options:?}: {e}"))?;
            }
            Ok(())
        });
    }
    report.finish();
}

/// What the network of a small sheet takes at most.
fn small() -> Budget {
    Budget::default().with_rows(100_000).with_steps(10_000_000)
}

/// What the network of any sheet takes at most: as much as the Python package spends.
fn large() -> Budget {
    Budget::default().with_rows(200_000).with_steps(20_000_000)
}

/// Batches of so many games and steps against play by an engine, with all options.
///
/// The engine follows what changes from state to state, and goes from game to game here, so that each look at a large network costs
/// as much as all of it.
fn walks((network, _, engine): &Models, games: usize, steps: usize) -> Result<(), String> {
    let turned = turned(network);
    for options in all_options(network.role_count(), 3) {
        if turned.is_turned() {
            let said = walk(&turned, &**engine, options, games, steps);
            said.map_err(|e| format!("as the mover sees it, {options:?}: {e}"))?;
        }
        walk(network, &**engine, options, games, steps).map_err(|e| format!("{options:?}: {e}"))?;
    }
    Ok(())
}

#[test]
fn small_public_sheets_in_blocks() {
    let slow = std::env::var_os("LUDEX_SLOW").is_some();
    if !slow {
        note("NOT RUN: batches of all small public sheets (set LUDEX_SLOW); every sixteenth is");
    }
    let mut report = Report::new("batches of small public sheets");
    let mut walked = 0;
    for source in shared_games("batches of small public sheets").iter().step_by(if slow { 1 } else { 16 }) {
        // Sheets with errors and games without a network are other tests' business.
        let Ok(models) = source.game().and_then(|game| models(&game, &small())) else { continue };
        walked += 1;
        report.case(&source.name, || walks(&models, 40, 25));
    }
    report.finish();
    println!("{walked} small sheets");
}

#[test]
fn large_public_sheets_in_blocks() {
    if std::env::var_os("LUDEX_SLOW").is_none() {
        note("NOT RUN: batches of the large public sheets that have a network (set LUDEX_SLOW)");
        return;
    }
    let mut report = Report::new("batches of large public sheets");
    let (mut walked, mut without) = (0, Vec::new());
    for source in shared_games("batches of large public sheets") {
        let Ok(game) = source.game() else { continue };
        if compile(&game, &small()).is_ok() {
            continue;
        }
        match models(&game, &large()) {
            Ok(models) => {
                walked += 1;
                report.case(&source.name, || walks(&models, 8, 22));
            }
            Err(_) => without.push(source.name),
        }
    }
    report.finish();
    println!("{walked} large sheets; without a network: {without:?}");
}

#[test]
fn threads_make_no_difference() {
    for name in ["tictactoe", "pursuit", "hanoi"] {
        let source = games().into_iter().find(|source| source.name == name).expect("a bundled game");
        let game = source.game().expect("a sound sheet");
        let model = Arc::new(Model::new(&game, &Budget::default()).expect("it fits"));
        let runs: Vec<Vec<Arrays>> = [1, 2, 5]
            .into_iter()
            .map(|threads| {
                let options = Options {
                    threads,
                    seed: 5,
                    illegal: Illegal::Random,
                    autoreset: Autoreset::SameStep,
                    ..Options::default()
                };
                let encoder = Arc::new(Encoder::flat(&model, None));
                let batch = Batch::new(model.clone(), 2000, options).expect("a batch");
                let mut batch = batch.with_encoder(encoder).expect("of this game");
                // Mostly not legal: nearly all moves are drawn.
                let mut random = Random::new(9);
                let mut actions = vec![0i64; 2000 * model.role_count()];
                let mut arrays = Arrays::new(&batch);
                let mut run = Vec::new();
                for _ in 0..20 {
                    actions.iter_mut().for_each(|action| *action = random.below(9) as i64 - 1);
                    batch.step(&actions[..], arrays.outputs()).expect("a step");
                    run.push(arrays.clone());
                }
                run
            })
            .collect();
        assert!(runs.iter().all(|run| *run == runs[0]), "{name}");
        assert!(runs[0].iter().any(|arrays| arrays.terminated.contains(&1)), "{name}: no game has ended");
    }
}

#[test]
fn states_can_be_taken_and_put_back() {
    for source in games() {
        let game = source.game().expect("a sound sheet");
        let model = Arc::new(Model::new(&game, &Budget::default()).expect("it fits"));
        let options = Options { autoreset: Autoreset::Disabled, ..Options::default() };
        let make = || {
            let batch = Batch::new(model.clone(), 700, options).expect("a batch");
            batch.with_encoder(Arc::new(Encoder::flat(&model, None))).expect("of this game")
        };
        let (mut batch, mut other) = (make(), make());
        let mut actions = vec![0; 700 * model.role_count()];
        let mut states = vec![0; 700 * model.words()];
        let (mut said, mut again) = (Arrays::new(&batch), Arrays::new(&batch));
        for step in 0..12 {
            batch.states(&mut states).expect("rows");
            other.reset(Which::All, Start::States(&states), again.outputs()).expect("states");
            batch.show(said.outputs()).expect("arrays");
            assert_eq!(said, again, "{}, step {step}", source.name);
            batch.sample(step, &mut actions).expect("actions");
            batch.step(&actions[..], said.outputs()).expect("a step");
            other.step(&actions[..], again.outputs()).expect("a step");
            assert_eq!(said, again, "{}, step {step}", source.name);
        }
    }
}
