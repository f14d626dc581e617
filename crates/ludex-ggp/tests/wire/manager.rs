//! The manager with all kinds of players, and what it writes down.

use crate::Running;
use ludex::engine::budget::Budget;
use ludex::engine::prepared::Prepared;
use ludex_ggp::http::client::Address;
use ludex_ggp::http::server::{Answer, Handle, Handler, Server, ServerLimits};
use ludex_ggp::manager::seat::{Chance, Local, Remote, Seat};
use ludex_ggp::manager::{Event, Played, Setting, Terms, Unfit, run, tournament};
use ludex_ggp::message::Message;
use ludex_ggp::record::{MatchRecord, Records};
use ludex_ggp::replay::Replayer;
use ludex_search::agent;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn setting(name: &str) -> Setting {
    let text = ludex::games::find(name).expect("a bundled game").text;
    let sheet = ludex::gdl::Sheet::read(text);
    let game = sheet.game().expect("sound").clone();
    let prepared = Arc::new(Prepared::new(game));
    let engine = ludex::engines::AUTO.build_for(&prepared, &Budget::default()).expect("an engine");
    Setting {
        name: name.to_owned(),
        rules: ludex::gdl::syntax::print::kif(&sheet.tree).into(),
        prepared,
        engine,
    }
}

fn terms() -> Terms {
    Terms {
        start_clock: Duration::from_secs(20),
        play_clock: Duration::from_secs(1),
        most_steps: 1000,
        scramble: false,
        seed: 3,
    }
}

fn remote(player: &Running) -> Box<dyn Seat> {
    Box::new(Remote::new(Address::read(&player.address.to_string()).expect("an address")))
}

/// Everything that the record says is true by the reference engine, and it has the keys of the format.
fn is_sound(setting: &Setting, record: &MatchRecord) {
    let line = record.line();
    let json: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    for key in [
        "matchId",
        "randomToken",
        "startTime",
        "gameMetaURL",
        "isCompleted",
        "isAborted",
        "states",
        "moves",
        "stateTimes",
        "errors",
        "previewClock",
        "startClock",
        "playClock",
        "playerNamesFromHost",
        "isPlayerHuman",
        "scrambled",
    ] {
        assert!(!json[key].is_null(), "{key}: {line}");
    }
    let length = |key: &str| json[key].as_array().expect(key).len();
    assert_eq!(length("states"), length("moves") + 1);
    assert_eq!(length("states"), length("stateTimes"));
    assert_eq!(length("states"), length("errors"));
    let reference = ludex::engines::find("datalog").expect("the reference");
    let reference = reference.build(setting.prepared.game(), &Budget::default()).expect("an engine");
    let mut replayer = Replayer::new(&*reference);
    let mut playouts = 0;
    for playout in Records::new("record", std::io::Cursor::new(line.into_bytes())).expect("a record") {
        let steps = replayer.compare(&playout.expect("a playout")).unwrap_or_else(|d| panic!("{d}"));
        assert_eq!(steps, record.states.len());
        playouts += 1;
    }
    assert_eq!(playouts, 1);
}

#[test]
fn two_players_meet_over_http_and_the_record_replays() {
    let (one, two) = (Running::new(ServerLimits::default()), Running::new(ServerLimits::default()));
    for scramble in [false, true] {
        let setting = setting("tictactoe");
        let mut steps = Vec::new();
        let terms = Terms { scramble, ..terms() };
        let mut watch = |event: Event<'_>| {
            if let Event::State { step, .. } = event {
                steps.push(step);
            }
        };
        let record =
            run(&setting, &mut [remote(&one), remote(&two)], &terms, &mut watch).expect("two players").record;
        assert_eq!(steps, (0..=9).collect::<Vec<_>>());
        assert!(record.is_completed && !record.is_aborted);
        assert_eq!(record.goal_values, [50, 50], "perfect play is a draw");
        assert!(record.errors.iter().flatten().all(String::is_empty), "{:?}", record.errors);
        assert_eq!(record.scrambled, scramble);
        is_sound(&setting, &record);
    }
    // Both were told that it is over.
    assert!(!one.player.is_busy() && !two.player.is_busy());
}

/// A player that answers as it is told, and keeps what it hears.
struct Puppet {
    address: Address,
    handle: Handle,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Puppet {
    fn new(answer: impl Fn(&Message) -> String + Send + Sync + 'static) -> Puppet {
        let server = Server::bind("127.0.0.1:0", ServerLimits::default()).expect("a free port");
        let address = Address::read(&server.address().expect("bound").to_string()).expect("an address");
        let handle = server.handle().expect("bound");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = heard.clone();
        let handler: Arc<Handler> = Arc::new(move |text: &str| {
            ears.lock().expect("no panic").push(text.to_owned());
            Answer::Good(Message::read(text).map_or("what?".to_owned(), |message| answer(&message)))
        });
        std::thread::spawn(move || server.serve(&handler));
        Puppet { address, handle, heard }
    }
}

impl Drop for Puppet {
    fn drop(&mut self) {
        self.handle.stop();
    }
}

/// A player that is ready, and then gone.
fn leaver() -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound").to_string();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody comes");
        // All of the message is taken, or the system would break the connection before the answer is read.
        let mut text = String::new();
        let whole = |text: &str| {
            let (head, body) = text.split_once("\r\n\r\n")?;
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "))?;
            (body.len() >= length.parse::<usize>().ok()?).then_some(())
        };
        while whole(&text).is_none() {
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).expect("it can be read");
            text.push_str(std::str::from_utf8(&bytes[..count]).expect("ASCII"));
        }
        stream.write_all(b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nready").expect("it can be answered");
    });
    Address::read(&address).expect("an address")
}

#[test]
fn a_player_that_is_not_there_is_no_match() {
    let setting = setting("tictactoe");
    // Nobody listens at a port that was free a moment ago.
    let gone =
        TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
    let other = Puppet::new(|_| "ready".to_owned());
    let seat = |address: &str| -> Box<dyn Seat> {
        Box::new(Remote::new(Address::read(address).expect("an address")))
    };
    let mut seats = [seat(&other.address.to_string()), seat(&gone.to_string())];
    let wrong =
        run(&setting, &mut seats, &terms(), &mut |_| panic!("nothing happens")).expect_err("nobody is there");
    let reason = "connection refused".to_owned();
    assert_eq!(wrong, Unfit::Unreachable { player: gone.to_string(), reason });
    // Who was told of the match is told that there is none.
    let heard = other.heard.lock().expect("no panic");
    assert!(heard[0].starts_with("( START ") && heard[1].starts_with("( ABORT "), "{heard:?}");
}

#[test]
fn illegal_late_and_missing_answers_are_replaced_and_logged() {
    let setting = setting("tictactoe");
    let fool = Puppet::new(|message| match message {
        Message::Start(_) => "ready".to_owned(),
        Message::Play { .. } => "(mark 9 9)".to_owned(),
        _ => "done".to_owned(),
    });
    let sleeper = Puppet::new(|message| {
        if matches!(message, Message::Play { .. }) {
            std::thread::sleep(Duration::from_millis(1500));
        }
        "noop".to_owned()
    });
    let terms = Terms { play_clock: Duration::from_millis(1), most_steps: 1, ..terms() };
    for (address, expected) in
        [(fool.address.clone(), "IL (mark 9 9)"), (sleeper.address.clone(), "TO"), (leaver(), "CE")]
    {
        let mut seats: [Box<dyn Seat>; 2] = [Box::new(Remote::new(address)), Box::new(Chance)];
        let record = run(&setting, &mut seats, &terms, &mut |_| {}).expect("two players").record;
        assert_eq!(record.errors.last().expect("a move was made"), &[expected.to_owned(), String::new()]);
        assert_eq!(record.moves.len(), 1, "a legal move was made all the same");
        assert!(record.is_aborted && !record.is_completed && record.goal_values.is_empty());
        is_sound(&setting, &record);
    }
    // What was broken off is aborted, not stopped.
    let heard = fool.heard.lock().expect("no panic");
    assert!(heard[0].starts_with("( START ludex.tictactoe."), "{}", heard[0]);
    assert!(heard[0].ends_with(" 20 1 )"), "{}", heard[0]);
    assert!(heard[1].starts_with("( PLAY ludex.tictactoe.") && heard[1].ends_with(" NIL )"), "{}", heard[1]);
    assert!(heard[2].starts_with("( ABORT ludex.tictactoe."), "{}", heard[2]);
}

#[test]
fn the_last_joint_move_reaches_everybody() {
    let setting = setting("rockpaperscissors");
    let puppet = Puppet::new(|message| match message {
        Message::Start(_) => "ready".to_owned(),
        Message::Play { .. } => "( ROCK )".to_owned(),
        _ => "done".to_owned(),
    });
    let mut seats: [Box<dyn Seat>; 2] = [Box::new(Remote::new(puppet.address.clone())), Box::new(Chance)];
    let record = run(&setting, &mut seats, &terms(), &mut |_| {}).expect("two players").record;
    assert!(record.is_completed);
    is_sound(&setting, &record);
    let heard = puppet.heard.lock().expect("no panic");
    let last = record.moves.last().expect("a move").join(" ");
    assert!(heard.last().expect("messages").ends_with(&format!("( {last} ) )")), "{heard:?}");
    assert_eq!(heard.len(), record.moves.len() + 2);
}

#[test]
fn chance_plays_the_role_of_that_name() {
    let text = "(role random) (role guesser) (init (round 1)) (succ 1 2) (succ 2 3)
        (<= (legal random (toss ?s)) (side ?s)) (side heads) (side tails)
        (<= (legal guesser (guess ?s)) (side ?s))
        (<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))
        (<= (next hit) (does random (toss ?s)) (does guesser (guess ?s)))
        (<= (next hit) (true hit))
        (<= terminal (true (round 3)))
        (<= (goal guesser 100) (true hit)) (<= (goal guesser 0) (not (true hit))) (goal random 0)";
    let sheet = ludex::gdl::Sheet::read(text);
    let game = sheet.game().expect("sound").clone();
    let prepared = Arc::new(Prepared::new(game));
    let engine = ludex::engines::AUTO.build_for(&prepared, &Budget::default()).expect("an engine");
    let setting =
        Setting { name: "guess".to_owned(), rules: text.replace('\n', " ").into(), prepared, engine };
    let player = Running::new(ServerLimits::default());
    let record = run(&setting, &mut [remote(&player)], &terms(), &mut |_| {}).expect("one player").record;
    assert_eq!(record.player_names_from_host[0], "random");
    assert!(record.errors.iter().flatten().all(String::is_empty), "{:?}", record.errors);
    is_sound(&setting, &record);
    let wrong = run(&setting, &mut [remote(&player), remote(&player)], &terms(), &mut |_| {});
    assert_eq!(wrong.err(), Some(Unfit::Seats { roles: 1, seats: 2 }));
}

#[test]
fn a_tournament_counts_what_its_records_say() {
    let setting = setting("racetoten");
    let agent = agent::Settings { threads: 1, memory: 16 << 20, ..agent::Settings::default() };
    let mut make = |number: usize| -> Box<dyn Seat> {
        if number == 0 { Box::new(Local::new("ludex", agent.clone())) } else { Box::new(Chance) }
    };
    let mut totals = [0, 0];
    let mut report = |played: &Played, _: &[tournament::Score]| {
        let record = &played.record;
        is_sound(&setting, record);
        for (name, goal) in record.player_names_from_host.iter().zip(&record.goal_values) {
            totals[usize::from(name == "random")] += goal;
        }
    };
    let scores = tournament::play(&setting, 2, 10, &terms(), &mut make, &mut report).expect("two players");
    assert_eq!(
        scores.iter().map(|s| (s.name.as_str(), s.matches)).collect::<Vec<_>>(),
        [("ludex", 10), ("random", 10)]
    );
    for (score, total) in scores.iter().zip(totals) {
        assert!((score.mean() * 10.0 - f64::from(total)).abs() < 1e-9);
        assert_eq!(score.errors, 0);
    }
    // The first player has a forced win, and chance seldom holds it: at the very least its own five are won.
    assert!(scores[0].mean() >= 50.0, "{}", scores[0].mean());
}

#[test]
fn a_match_of_two_players_in_this_process_grounds_the_rules_once() {
    let setting = setting("connectfour");
    let settings = agent::Settings { threads: 1, memory: 32 << 20, ..agent::Settings::default() };
    let mut seats: Vec<Box<dyn Seat>> = ["one", "other"]
        .map(|name| Box::new(Local::new(name, settings.clone())) as Box<dyn Seat>)
        .into_iter()
        .collect();
    let terms = Terms { play_clock: Duration::from_millis(20), ..terms() };
    let record = run(&setting, &mut seats, &terms, &mut |_| {}).expect("two players").record;
    assert!(record.is_completed);
    is_sound(&setting, &record);
    assert_eq!(setting.prepared.groundings(), 1);
}
