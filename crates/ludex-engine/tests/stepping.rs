//! Stepping blocks of games with given moves, against the reference engine, state for state.

use ludex_engine::budget::Budget;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::propnet::compile;
use ludex_engine::propnet::lanes::{Block, Column, Instructions, LANES, LegalCounts, Plane, Stepper};
use ludex_engine::random::Random;
use ludex_engine::symmetry::Symmetries;
use ludex_engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex_testkit::corpus::games;
use ludex_testkit::report::Report;

/// Games that are really played: the reference is slow. The other lanes stay where they began.
const PLAYED: usize = 24;
const STEPS: usize = 40;

#[test]
fn bundled_games_go_as_the_reference_says() {
    let mut report = Report::new("stepping");
    let mut turned_games = 0;
    for source in games() {
        report.case(&source.name, || {
            let game = source.game()?;
            let budget = Budget::default();
            let engine = Datalog::new(&game, &budget).map_err(|e| e.to_string())?;
            let compiled = compile(&game, &budget).map_err(|e| e.to_string())?;
            let symmetries =
                Symmetries::new(&game, &compiled.vocabulary, &budget.clone().with_steps(5_000_000));
            let all = symmetries.ok().and_then(|found| found.all(64)).unwrap_or_default();
            for instructions in [Instructions::Avx512, Instructions::Avx2, Instructions::Portable] {
                if instructions.available() {
                    let stepper = Stepper::with(&compiled.net, &compiled.initial, instructions);
                    walk(&mut *engine.worker(), &stepper).map_err(|e| format!("{instructions:?}: {e}"))?;
                    let turned =
                        Stepper::turned(&compiled.net, &compiled.initial, &all, instructions, &budget);
                    if let Some(stepper) = turned.map_err(|e| e.to_string())? {
                        let said = walk(&mut *engine.worker(), &stepper);
                        said.map_err(|e| format!("{instructions:?}, as the mover sees it: {e}"))?;
                        turned_games += 1;
                    }
                }
            }
            Ok(())
        });
    }
    report.finish();
    assert!(turned_games > 3, "games of two who are alike");
}

fn walk(worker: &mut dyn Worker, stepper: &Stepper) -> Result<(), String> {
    let vocabulary = worker.vocabulary().clone();
    let roles = vocabulary.role_count();
    let mut random = Random::new(3);
    let (mut block, mut memory) = (stepper.block(), stepper.workspace());
    let mut states = vec![stepper.initial().to_vec(); LANES];
    let none = LegalCounts { some: Plane::ZERO, several: Plane::ZERO };
    let (mut counts, mut counted_anew) = (vec![none; roles], vec![none; roles]);
    for step in 0..STEPS {
        let legal: Vec<Vec<Vec<MoveId>>> =
            states[..PLAYED].iter().map(|state| all_legal(worker, &vocabulary, state)).collect();
        check(worker, stepper, &mut block, &states, &legal).map_err(|e| format!("step {step}: {e}"))?;
        // A fifth of the numbers is anything at all; games that are over, or in which somebody has no move, begin again.
        let mut numbers = vec![-1i64; LANES * roles];
        let mut expected = vec![Plane::ZERO; roles];
        let (mut goes_on, mut again) = (Plane::ZERO, Plane::ZERO);
        for lane in 0..PLAYED {
            if worker.is_terminal(&states[lane]).expect("no fault") || legal[lane].iter().any(Vec::is_empty) {
                again.set(lane);
                states[lane].copy_from_slice(stepper.initial());
                continue;
            }
            let mut joint = Vec::new();
            for (role, moves) in legal[lane].iter().enumerate() {
                let count = vocabulary.move_count(RoleId(role as u32));
                let number = match random.below(5) {
                    0 => [-1, i64::MIN, i64::MAX, count as i64, 1 << 32, random.below(count) as i64]
                        [random.below(6)],
                    _ => i64::from(moves[random.below(moves.len())].0),
                };
                numbers[lane * roles + role] = number;
                if let Some(action) = moves.iter().find(|action| i64::from(action.0) == number) {
                    expected[role].set(lane);
                    joint.push(*action);
                }
            }
            if joint.len() == roles {
                goes_on.set(lane);
                let mut next = vec![0; vocabulary.words()];
                worker.next(&states[lane], &joint, &mut next).expect("no fault");
                states[lane] = next;
            }
        }
        let mut given = vec![Plane::ZERO; roles];
        stepper.read(&mut block, &mut memory, &numbers, &mut given);
        if given != expected {
            return Err(format!("step {step}: what is legal of the numbers"));
        }
        stepper.advance(&mut block, &mut memory, &goes_on, &mut counts);
        stepper.refresh(&mut block.clone(), &mut stepper.workspace(), &mut counted_anew);
        if counts != counted_anew {
            return Err(format!("step {step}: how many moves are legal"));
        }
        stepper.restart(&mut block, &again);
    }
    // States put in from outside: each lane gets that of another.
    let mut turned = states.clone();
    turned.rotate_left(LANES - 5);
    for (lane, state) in turned.iter().enumerate() {
        assert!(stepper.set_state(&mut block, lane, state), "a state of play");
    }
    stepper.refresh(&mut block, &mut memory, &mut counts);
    let legal: Vec<_> = turned[..PLAYED].iter().map(|state| all_legal(worker, &vocabulary, state)).collect();
    check(worker, stepper, &mut block, &turned, &legal)
}

fn all_legal(worker: &mut dyn Worker, vocabulary: &Vocabulary, state: &[u64]) -> Vec<Vec<MoveId>> {
    let of = |role| {
        let mut moves = Vec::new();
        worker.legal(state, role, &mut moves).expect("no fault");
        moves
    };
    vocabulary.roles().map(of).collect()
}

fn check(
    worker: &mut dyn Worker,
    stepper: &Stepper,
    block: &mut Block,
    states: &[Vec<u64>],
    legal: &[Vec<Vec<MoveId>>],
) -> Result<(), String> {
    let vocabulary = worker.vocabulary().clone();
    let fluents = stepper.columns(vocabulary.fluents().map(Column::Fluent));
    let mut words = vec![0; LANES * vocabulary.words()];
    stepper.write_words(block, &fluents, &Plane::ONES, &mut words);
    let columns = stepper.legal_columns().len();
    let mut mask = vec![0; LANES * columns];
    stepper.write_bytes(block, stepper.legal_columns(), &Plane::ONES, &mut mask);
    let mut counts = vec![LegalCounts { some: Plane::ZERO, several: Plane::ZERO }; vocabulary.role_count()];
    // Goals are asked for before new games begin.
    let goals = &mut stepper.workspace();
    stepper.refresh(&mut block.clone(), goals, &mut counts);
    stepper.compute_goals(goals);
    let mut row = vec![0; vocabulary.words()];
    for (lane, state) in states.iter().enumerate() {
        stepper.state(block, lane, &mut row);
        if row != *state || words[lane * vocabulary.words()..][..vocabulary.words()] != row {
            return Err(format!("lane {lane}: another state"));
        }
        let Some(legal) = legal.get(lane) else { continue };
        if stepper.terminal(block).bit(lane) != worker.is_terminal(state).expect("no fault") {
            return Err(format!("lane {lane}: terminal"));
        }
        let mut first = 0;
        for (role, moves) in vocabulary.roles().zip(legal) {
            let mut expected = vec![0; vocabulary.move_count(role)];
            moves.iter().for_each(|action| expected[action.index()] = 1);
            let one_by_one =
                (0..expected.len() as u32).map(|m| stepper.is_legal(block, role, MoveId(m), lane));
            if mask[lane * columns + first..][..expected.len()] != expected
                || !one_by_one.map(u8::from).eq(expected.iter().copied())
            {
                return Err(format!("lane {lane}: legal moves of role {}", role.0));
            }
            first += expected.len();
            let counted = [counts[role.index()].some.bit(lane), counts[role.index()].several.bit(lane)];
            if counted != [!moves.is_empty(), moves.len() > 1] {
                return Err(format!("lane {lane}: number of legal moves of role {}", role.0));
            }
            let mut given = stepper.goals(block, goals, role).filter(|(_, plane)| plane.bit(lane));
            let goal = match (given.next(), given.next()) {
                (Some((value, _)), None) => value,
                _ => None,
            };
            if goal != worker.goal(state, role).expect("no fault") {
                return Err(format!("lane {lane}: goal of role {}", role.0));
            }
        }
    }
    Ok(())
}
