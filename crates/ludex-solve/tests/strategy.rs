//! What a role can force, by search: against the solver that visits every state, known results, and the checker.

use ludex::engine::Engine;
use ludex::engine::budget::Budget;
use ludex::engine::datalog::Datalog;
use ludex::engine::engine::Goal;
use ludex::engine::prepared::Prepared;
use ludex::engine::vocabulary::RoleId;
use ludex::engines;
use ludex::gdl::Sheet;
use ludex_logic::endgame::solve as in_memory;
use ludex_solve::strategy::{
    Certificate, Entry, FOR_EVER, Flaw, GoalAim, Options, Outcome, Question, Searched, Why, Wish, check,
    search,
};
use ludex_testkit::generate;
use std::sync::Arc;

mod sheets;

struct Subject {
    prepared: Prepared,
    engine: Arc<dyn Engine>,
    reference: Datalog,
}

impl Subject {
    fn new(text: &str) -> Subject {
        let prepared = Prepared::new(Sheet::read(text).into_game().expect("a sound sheet"));
        let engine = engines::AUTO.build_for(&prepared, &Budget::default()).expect("it is small");
        let reference = Datalog::new(prepared.game(), &Budget::default()).expect("it is small");
        Subject { prepared, engine, reference }
    }

    fn ask(&self, role: RoleId, value: Goal, within: Option<u32>, options: &Options) -> Outcome {
        let (wish, aim) = (Wish::Goal(value), GoalAim { role, value });
        let question = Question { role, wish: &wish, aim: &aim, within };
        let searched = Searched::default();
        search(&self.prepared, &*self.engine, question, options, &Budget::default(), &searched)
            .expect("the engine answers")
    }

    /// The answer, after its certificate was accepted and read back.
    fn settled(&self, role: RoleId, value: Goal, within: Option<u32>, options: &Options) -> Certificate {
        let certificate = match self.ask(role, value, within, options) {
            Outcome::Settled(certificate) => certificate,
            Outcome::Unknown(why) => panic!("role {} and {value}: {why}", role.0),
        };
        assert_eq!(self.check(&certificate), Ok(()), "role {} and {value}", role.0);
        assert_eq!(Certificate::from_bytes(&certificate.to_bytes()), Ok(certificate.clone()));
        certificate
    }

    fn check(&self, certificate: &Certificate) -> Result<(), Flaw> {
        let role = certificate.claim.role;
        let Wish::Goal(value) = certificate.claim.wish else { panic!("a goal was wished for") };
        check(certificate, &self.reference, &GoalAim { role, value }, 1, &Budget::default())
    }
}

fn options() -> Options {
    Options { memory: 64 << 20, threads: 1, ..Options::default() }
}

/// Every goal of every role, as the solver in memory has it; returns how many questions there were.
fn judge(name: &str, text: &str, most: usize, all_options: &[Options]) -> Option<usize> {
    let subject = Subject::new(text);
    let in_memory = in_memory::solve(
        &*subject.engine,
        &in_memory::Options { states: most, threads: 1, ..Default::default() },
        &Budget::default(),
        &in_memory::Reached::default(),
    )
    .ok()?;
    let mut questions = 0;
    for role in subject.engine.vocabulary().roles() {
        let forced = in_memory.verdict(0, role);
        let mut goals: Vec<Goal> =
            (0..in_memory.space.len()).filter_map(|at| in_memory.space.goal(at, role.index())).collect();
        goals.sort_unstable();
        goals.dedup();
        for (value, options) in goals.iter().flat_map(|value| all_options.iter().map(move |o| (*value, o))) {
            let can = forced.value.is_some_and(|forced| forced >= value);
            let found = subject.settled(role, value, None, options);
            assert_eq!(found.claim.can, can, "{name}: role {}, {value}, {options:?}", role.0);
            questions += 1;
            // The greatest value, in exactly as many joint moves as it takes, and not in fewer.
            if let (Some(value), Some(depth)) = (forced.value.filter(|forced| *forced == value), forced.depth)
            {
                assert!(
                    subject.settled(role, value, Some(depth), options).claim.can,
                    "{name}: within {depth}"
                );
                if let Some(fewer) = depth.checked_sub(1) {
                    let found = subject.settled(role, value, Some(fewer), options);
                    assert!(!found.claim.can, "{name}: within {fewer}");
                }
            }
        }
    }
    Some(questions)
}

#[test]
fn bundled_games_are_as_the_solver_has_them() {
    let slow = std::env::var_os("LUDEX_SLOW").is_some();
    let mut names = vec![
        "tictactoe",
        "nim",
        "maze",
        "hanoi",
        "racetoten",
        "rockpaperscissors",
        "threeway",
        "buttonsandlights",
        "pursuit",
    ];
    if slow {
        names.extend(["connectfour4x4", "tileflip", "eightpuzzle", "krkendgame5x5", "minicheckers"]);
    } else {
        eprintln!("NOT RUN: the larger bundled games, without LUDEX_SLOW=1");
    }
    for name in names {
        let text = ludex::games::find(name).expect("a bundled game").text;
        let two = Options { threads: 2, ..options() };
        let plain = Options { symmetry: false, ..options() };
        let questions = judge(name, text, 1_000_000, &[options(), two, plain]);
        assert!(questions.is_some_and(|questions| questions > 0), "{name}");
    }
}

#[test]
fn public_sheets_are_as_the_solver_has_them() {
    for (name, text) in sheets::public("what can be forced in public sheets") {
        judge(&name, &text, 20_000, &[options()]).unwrap_or_else(|| panic!("{name} is small"));
    }
}

#[test]
fn generated_games_are_as_the_solver_has_them() {
    // Without visiting all states, so that lines which come back are searched too.
    let searched = Options { visit: false, ..options() };
    let (mut games, mut questions) = (0, 0);
    let seeds = if std::env::var_os("LUDEX_SLOW").is_some() { 400 } else { 30 };
    for seed in 0..seeds {
        if let Some(more) = judge(&format!("generated {seed}"), &generate::game(seed), 3_000, &[searched]) {
            games += 1;
            questions += more;
        }
    }
    assert!(games as u64 > seeds / 2 && questions as u64 > seeds / 2, "{games} games, {questions} questions");
}

#[test]
fn a_game_with_cycles_is_as_the_solver_has_it() {
    let searched = Options { visit: false, ..options() };
    assert_eq!(judge("walk", sheets::WALK, 10_000, &[options(), searched]), Some(8));
}

#[test]
fn shapes_of_four_and_fewer_on_a_board_of_four() {
    // Harary's animals: the smallest boards on which the first player wins are 4 (I3), 3 (L3), 3 (S4), 4 (L4), 5 (T4),
    // 7 (I4) and none (O4). Nobody can wish for more than a draw as second player.
    for (shape, wins) in
        [("I3", true), ("L3", true), ("S4", true), ("L4", true), ("T4", false), ("O4", false)]
    {
        let subject = Subject::new(&sheets::polyomino(4, 4, shape).expect("a known shape"));
        let found = subject.ask(RoleId(0), 100, None, &options());
        let Outcome::Settled(certificate) = found else { panic!("{shape}: {found:?}") };
        assert_eq!(certificate.claim.can, wins, "{shape}");
    }
}

#[test]
fn a_certificate_that_was_changed_is_refused() {
    let subject = Subject::new(ludex::games::find("tictactoe").expect("a bundled game").text);
    let draw = subject.settled(RoleId(1), 50, None, &options());
    assert!(draw.claim.can);
    let refuted = subject.settled(RoleId(0), 100, None, &options());
    assert!(!refuted.claim.can);
    let changed = |of: &Certificate, change: &dyn Fn(&mut Entry)| {
        let mut refused = 0;
        for at in 0..of.entries.len() {
            let mut certificate = of.clone();
            change(&mut certificate.entries[at]);
            refused += usize::from(subject.check(&certificate).is_err());
        }
        refused
    };
    // Another claim, a state that is missing, a measure that does not fall, a move that is not legal.
    let mut more = draw.clone();
    more.claim.wish = Wish::Goal(100);
    assert!(subject.check(&more).is_err());
    let mut turned = refuted.clone();
    turned.claim.can = true;
    assert!(subject.check(&turned).is_err());
    for of in [&draw, &refuted] {
        for at in 0..of.entries.len() {
            let mut fewer = of.clone();
            fewer.entries.remove(at);
            assert!(subject.check(&fewer).is_err(), "without entry {at}");
        }
    }
    assert_eq!(changed(&draw, &|entry| entry.measure = 0), draw.entries.len());
    assert_eq!(changed(&draw, &|entry| entry.choices[0] = 1 << 20), draw.entries.len());
    assert_eq!(changed(&refuted, &|entry| entry.measure = 3), refuted.entries.len());
    assert!(refuted.entries.iter().all(|entry| entry.measure == FOR_EVER));
    // Bytes that are damaged never read as something else.
    let bytes = draw.to_bytes();
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 16;
        assert!(Certificate::from_bytes(&damaged).is_err(), "byte {at}");
        assert!(Certificate::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
    }
    // A strategy for another game.
    let other = Subject::new(ludex::games::find("nim").expect("a bundled game").text);
    assert_eq!(other.check(&draw), Err(Flaw::Foreign));
}

#[test]
fn limits_are_named_and_no_answers() {
    let subject = Subject::new(&sheets::connect_four(5, 4));
    let few = Options { entries: 3, ..options() };
    assert_eq!(subject.ask(RoleId(1), 50, None, &few), Outcome::Unknown(Why::Entries(3)));
    let (wish, aim) = (Wish::Goal(50), GoalAim { role: RoleId(1), value: 50 });
    let question = Question { role: RoleId(1), wish: &wish, aim: &aim, within: None };
    let budget = Budget::default().within(std::time::Duration::ZERO);
    let searched = Searched::default();
    let outcome = search(&subject.prepared, &*subject.engine, question, &options(), &budget, &searched);
    assert!(matches!(outcome, Ok(Outcome::Unknown(Why::Limit(_)))), "{outcome:?}");
}
