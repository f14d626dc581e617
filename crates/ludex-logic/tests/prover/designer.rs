//! What a designer asks, against exhaustive search by the reference: the parts of `well-formed`, and repairs.

use ludex_engine::budget::Budget;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::perft::each_joint_move;
use ludex_engine::prepared::Prepared;
use ludex_engine::vocabulary::MoveId;
use ludex_gdl::rules::Term;
use ludex_gdl::{Game, Keyword, Sheet};
use ludex_logic::formula::Request;
use ludex_logic::mend::{Kind, repairs};
use ludex_logic::prove::{Answer, Options, Prover, Refutation, prove_relaxed};
use ludex_logic::transition::System;
use ludex_testkit::{corpus, generate, report::Report};
use std::collections::HashMap;
use std::convert::Infallible;
use std::time::Duration;

const GAMES: u64 = 80;
const MOST_STATES: usize = 800;

/// What is true of all reachable states, part by part.
#[derive(Debug, PartialEq, Eq)]
struct Truth {
    playable: bool,
    unique_goals: bool,
    terminates: bool,
    weakly_winnable: bool,
}

impl Truth {
    fn of(&self, part: &str) -> bool {
        match part {
            "playable" => self.playable,
            "unique-goals" => self.unique_goals,
            "terminates" => self.terminates,
            "weakly-winnable" => self.weakly_winnable,
            _ => self.playable && self.unique_goals && self.terminates && self.weakly_winnable,
        }
    }
}

/// The greatest goal values that rule heads name, where every head has a role and a number.
fn named(game: &Game, engine: &Datalog) -> Option<Vec<Goal>> {
    let rules = &game.rules;
    let mut best: HashMap<String, Goal> = HashMap::new();
    for &id in rules.rules_for(rules.keyword(Keyword::Goal)) {
        let [Term::Constant(role), Term::Constant(value)] = rules.rule(id).head.arguments.as_slice() else {
            return None;
        };
        let value = rules.symbols.name(*value).parse().ok()?;
        let known = best.entry(rules.symbols.name(*role).to_owned()).or_insert(value);
        *known = value.max(*known);
    }
    let vocabulary = engine.vocabulary();
    vocabulary.roles().map(|role| best.get(&vocabulary.show_role(role)).copied()).collect()
}

/// Every reachable state by the reference engine; nothing if there are too many.
fn explore(game: &Game) -> Option<Truth> {
    let engine = Datalog::new(game, &Budget::default()).ok()?;
    let best = named(game, &engine)?;
    let vocabulary = engine.vocabulary();
    let mut worker = engine.worker();
    let mut initial = vec![0; vocabulary.words()];
    worker.initial(&mut initial);
    let mut index = HashMap::from([(initial.clone(), 0)]);
    let (mut states, mut successors) = (vec![initial], Vec::new());
    let mut truth = Truth { playable: true, unique_goals: true, terminates: true, weakly_winnable: true };
    let mut reached = vec![None; best.len()];
    while successors.len() < states.len() {
        let state = states[successors.len()].clone();
        let mut following = Vec::new();
        if worker.is_terminal(&state).ok()? {
            for (role, best) in vocabulary.roles().zip(&mut reached) {
                let goal = worker.goal(&state, role).ok()?;
                truth.unique_goals &= goal.is_some();
                *best = goal.max(*best);
            }
        } else {
            let mut legal = vec![Vec::new(); best.len()];
            for (role, list) in vocabulary.roles().zip(&mut legal) {
                worker.legal(&state, role, list).ok()?;
                truth.playable &= !list.is_empty();
            }
            if legal.iter().map(Vec::len).product::<usize>() > MOST_STATES {
                return None;
            }
            let mut joints: Vec<Vec<MoveId>> = Vec::new();
            let Ok(()) = each_joint_move(&legal, &mut Vec::new(), &mut |joint| -> Result<(), Infallible> {
                joints.push(joint.to_vec());
                Ok(())
            });
            for joint in joints {
                let mut next = vec![0; state.len()];
                worker.next(&state, &joint, &mut next).ok()?;
                let new = states.len();
                let number = *index.entry(next.clone()).or_insert(new);
                if number == new {
                    states.push(next);
                }
                following.push(number);
            }
        }
        successors.push(following);
        if states.len() > MOST_STATES {
            return None;
        }
    }
    truth.weakly_winnable = reached.iter().zip(&best).all(|(reached, best)| *reached >= Some(*best));
    truth.terminates = !comes_back(&successors);
    Some(truth)
}

/// Whether some state can be reached from itself: states are taken away from which nothing leads on, until none is left.
fn comes_back(successors: &[Vec<usize>]) -> bool {
    let mut gone = vec![false; successors.len()];
    loop {
        let ends = (0..gone.len()).filter(|&at| !gone[at] && successors[at].iter().all(|&next| gone[next]));
        let ends: Vec<usize> = ends.collect();
        if ends.is_empty() {
            return gone.iter().any(|gone| !gone);
        }
        ends.into_iter().for_each(|at| gone[at] = true);
    }
}

fn decide(game: &Game, text: &str) -> (Answer, System) {
    let request = Request::read(text).expect(text);
    let relations = request.relations(&game.rules).expect(text);
    let system = System::new(&Prepared::new(game.clone()), &relations, &Budget::default()).expect("small");
    // The clock must not decide.
    let options = Options { time: Duration::from_secs(3600), ..Options::default() };
    let answer = Prover::new(&system, options).answer(&request).expect(text);
    (answer, system)
}

#[test]
fn the_parts_of_well_formed_are_those_of_exhaustive_search() {
    let mut report = Report::new("what a designer asks");
    let (mut asked, mut held, mut failed) = (0, 0, 0);
    let generated = (0..GAMES).map(|seed| (format!("seed {seed}"), generate::game(seed)));
    for (name, text) in generated {
        let game = corpus::into_game(Sheet::read(&text)).expect("generated games are sound");
        let Some(truth) = explore(&game) else { continue };
        asked += 1;
        for part in ["playable", "unique-goals", "terminates", "weakly-winnable", "well-formed"] {
            let expected = truth.of(part);
            *(if expected { &mut held } else { &mut failed }) += 1;
            report.case(&format!("{name}: {part}"), || {
                let (answer, system) = decide(&game, part);
                match (&answer, expected) {
                    (Answer::Holds(_), true) => Ok(()),
                    (Answer::Fails(why), false) => is_shown(why, &system),
                    _ => Err(format!("exhaustive search says {expected}: {truth:?}, the prover {answer:?}")),
                }
            });
        }
    }
    assert!(asked >= 20 && held >= 20 && failed >= 20, "{asked} games, {held} hold, {failed} fail");
    report.finish();
}

/// A refutation has a witness that shows what it says.
fn is_shown(refutation: &Refutation, system: &System) -> Result<(), String> {
    let (name, inner) = match refutation {
        Refutation::Part(name, inner) => (*name, &**inner),
        other => ("", other),
    };
    let Some(line) = inner.line() else { return Ok(()) };
    let reference = ludex_logic::prove::Reference::new(system, &Budget::default()).expect("small");
    let seen = reference.witness(line).ok_or("the line does not replay")?;
    let is_right = match name {
        "playable" => !seen.terminal && seen.roles.iter().any(|role| role.moves == 0),
        "unique-goals" => seen.terminal && seen.roles.iter().any(|role| role.goals.len() != 1),
        _ => true,
    };
    if is_right { Ok(()) } else { Err(format!("{name}: {seen:?}")) }
}

/// From an end of the game in which a role has lost it is not winnable, whatever is still possible for it there.
#[test]
fn the_best_goal_is_that_of_the_rules() {
    let walk = "(role a) (init (at 2)) (succ 0 1) (succ 1 2)
         (<= (legal a go) (true (at ?x)))
         (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
         (<= terminal (true (at 2)))
         (<= (goal a 100) (true (at 1))) (<= (goal a 0) (true (at 2)))";
    let game = corpus::into_game(Sheet::read(walk)).expect("sound");
    let (answer, _) = decide(&game, "weakly-winnable");
    let Answer::Fails(Refutation::Unreachable { goal, most, .. }) = answer else { panic!("{answer:?}") };
    assert_eq!((goal, most.map(|(goal, line)| (goal, line.joints.len()))), (100, Some((0, 0))));
}

/// That a square holds one piece depends on what moves do, and not on which are legal.
#[test]
fn one_piece_a_square_is_proved_whatever_is_legal() {
    for (name, formula) in
        [("breakthrough", "functional(pawn(_,_,_))"), ("connectfour", "functional(cell(_,_,_))")]
    {
        let source = corpus::games().into_iter().find(|source| source.name == name).expect("a bundled game");
        let game = source.game().expect("sound");
        let request = Request::read(formula).expect(formula);
        let options = Options { time: Duration::from_secs(3600), ..Options::default() };
        let answer = prove_relaxed(&game, &request, &options);
        assert!(matches!(answer, Some(Answer::Holds(_))), "{name}: {answer:?}");
    }
}

/// Sheets with one mistake, the property that it breaks, and how it is mended.
#[test]
fn mistakes_are_mended() {
    let sheets = [
        // The only move asks for the first state.
        (
            "(role a) (init (at 0)) (succ 0 1) (succ 1 2)
             (<= (legal a go) (true (at 0)))
             (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
             (<= terminal (true (at 2)))
             (goal a 100)",
            "well-formed",
            Kind::DroppedCondition,
        ),
        // Nothing keeps the lamps that are not lit.
        (
            "(role a) (number 1) (number 2)
             (<= (init (lamp ?n off)) (number ?n))
             (<= (legal a (light ?n)) (number ?n))
             (<= (next (lamp ?n on)) (does a (light ?n)))
             (<= lit (true (lamp 1 on)) (true (lamp 2 on)))
             (<= terminal lit) (<= (goal a 100) lit) (<= (goal a 0) (not lit))",
            "forall N: true(lamp(N,on)) => next true(lamp(N,on))",
            Kind::Frame,
        ),
        // Who is not to move may wait, but for the second player.
        (
            "(role x) (role o) (init (control x)) (init (n 0)) (succ 0 1) (succ 1 2)
             (<= (legal ?p go) (role ?p) (true (control ?p)))
             (<= (legal x wait) (true (control o)))
             (<= (legal x wait) (true (control x)))
             (<= (next (control o)) (true (control x)))
             (<= (next (control x)) (true (control o)))
             (<= (next (n ?b)) (true (n ?a)) (succ ?a ?b))
             (<= terminal (true (n 2)))
             (goal x 50) (goal o 50)",
            "playable",
            Kind::Constant,
        ),
    ];
    for (text, property, kind) in sheets {
        let sheet = Sheet::read(text);
        let game = sheet.game().expect("sound").clone();
        let (answer, system) = decide(&game, property);
        let Answer::Fails(why) = &answer else { panic!("{property}: {answer:?}") };
        let request = Request::read(property).expect("read before");
        let found = repairs(&sheet, &request, why, system.vocabulary(), 200, &Budget::default());
        let kinds: Vec<Kind> = found.found.iter().map(|repair| repair.change.kind).collect();
        assert!(kinds.contains(&kind), "{property}: {kinds:?} of {} tried", found.tried);
        for repair in &found.found {
            let mended = Sheet::read(&repair.text).into_game().expect("a repair is sound");
            let (again, _) = decide(&mended, property);
            assert!(matches!(again, Answer::Holds(_)), "{property}: {}: {again:?}", repair.change.text);
        }
    }
}

/// What makes a game unplayable, or promises a role less, is no repair, whatever the property says of it.
#[test]
fn repairs_take_nothing_away() {
    let sheet = Sheet::read(
        "(role x) (role o) (init (control x)) (init (n 0)) (succ 0 1) (succ 1 2)
         (<= (legal ?p go) (true (control ?p)))
         (<= (legal x wait) (true (control o)))
         (<= (legal o wait) (true (control x)))
         (<= (next (control o)) (true (control x)))
         (<= (next (control x)) (true (control o)))
         (<= (next (n ?b)) (true (n ?a)) (succ ?a ?b))
         (<= terminal (true (n 2)))
         (goal x 100)
         (<= (goal o 100) (true (n 5)))
         (<= (goal o 0) (not (true (n 5))))",
    );
    let game = sheet.game().expect("sound").clone();
    let mut found = 0;
    for property in ["not terminal", "weakly-winnable"] {
        let (answer, system) = decide(&game, property);
        let Answer::Fails(why) = &answer else { panic!("{property}: {answer:?}") };
        let request = Request::read(property).expect("read before");
        for repair in repairs(&sheet, &request, why, system.vocabulary(), 200, &Budget::default()).found {
            let mended = Sheet::read(&repair.text).into_game().expect("a repair is sound");
            let (playable, _) = decide(&mended, "playable");
            assert!(matches!(playable, Answer::Holds(_)), "{property}: {}: {playable:?}", repair.change.text);
            let rules = &mended.rules;
            let promised = rules.rules_for(rules.keyword(Keyword::Goal)).iter().any(|&id| {
                let head = &rules.rule(id).head.arguments;
                let named = |at: usize, name: &str| {
                    matches!(&head[at], Term::Constant(symbol) if rules.symbols.name(*symbol) == name)
                };
                named(0, "o") && named(1, "100")
            });
            assert!(promised, "{property}: {}", repair.change.text);
            found += 1;
        }
    }
    assert!(found > 0, "nothing was found at all");
}
