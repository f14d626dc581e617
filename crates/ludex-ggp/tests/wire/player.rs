//! The player, message by message.

use crate::{Running, parts, start};
use ludex_ggp::http::server::ServerLimits;
use std::time::{Duration, Instant};

#[test]
fn a_match_goes_by_the_protocol() {
    let player = Running::new(ServerLimits::default());
    assert_eq!(player.ask("( INFO )"), "( ( name ludex ) ( status available ) )");
    assert_eq!(player.ask(&start("m1", "tictactoe", "x", "60 60")), "ready");
    assert_eq!(player.ask("(info)"), "( ( name ludex ) ( status busy ) )");
    assert_eq!(player.ask(&start("m2", "tictactoe", "x", "60 60")), "busy");
    assert_eq!(player.ask("( PLAY m2 NIL )"), "busy");
    assert_eq!(player.ask("( STOP m2 NIL )"), "busy");
    assert_eq!(player.ask("( ABORT M1 )"), "busy", "ids compare exactly");
    let mine = player.ask("( PLAY m1 NIL )");
    assert!(mine.starts_with("(mark "), "{mine}");
    // One legal move: the answer comes at once, and is the only one there is.
    assert_eq!(player.ask(&format!("( PLAY m1 ( {mine} noop ) )")), "noop");
    let reply = if mine == "(mark 1 1)" { "(mark 2 2)" } else { "(mark 1 1)" };
    let next = player.ask(&format!("( PLAY m1 ( noop {reply} ) )"));
    assert!(next.starts_with("(mark ") && next != mine && next != reply, "{next}");
    assert_eq!(player.ask(&format!("( STOP m1 ( {next} noop ) )")), "done");
    assert_eq!(player.ask("( INFO )"), "( ( name ludex ) ( status available ) )");
    // The next match is another one, whatever its id.
    assert_eq!(player.ask(&start("m1", "nim", "alice", "60 60")), "ready");
    assert!(player.ask("( PLAY m1 nil )").starts_with("(take "));
    assert_eq!(player.ask("( ABORT m1 )"), "aborted");
    assert_eq!(player.ask("( PREVIEW ( ( role x ) ) 5 )"), "ready");
    assert!(!player.player.is_busy());
}

#[test]
fn every_form_of_request_is_answered_and_closed() {
    let player = Running::new(ServerLimits::default());
    let info = "( ( name ludex ) ( status available ) )";
    let good = |answer: &str| {
        let (status, body) = parts(answer);
        assert_eq!((status.as_str(), body.as_str()), ("HTTP/1.0 200 OK", info), "{answer}");
        for header in [
            "Content-type: text/acl\r\n",
            &format!("Content-length: {}\r\n", info.len()),
            "Access-Control-Allow-Origin: *\r\n",
            "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n",
            "Access-Control-Allow-Headers: Content-Type\r\n",
            "Access-Control-Allow-Age: 86400\r\n",
        ] {
            assert!(answer.contains(header), "{header:?}: {answer}");
        }
    };
    good(&player.raw(b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )"));
    good(&player.raw(b"POST / HTTP/1.0\r\ncontent-length:8\r\nHost: here\r\n\r\n( INFO )and more"));
    good(&player.raw(b"POST / HTTP/1.1\nContent-Length: 8\n\n( INFO )"));
    good(&player.raw(b"GET /%28%20INFO+%29 HTTP/1.0\r\n\r\n"));
    good(&player.raw(b"GET /( INFO ) HTTP/1.0\r\n\r\n"));
    let options = player.raw(b"OPTIONS / HTTP/1.0\r\n\r\n");
    assert_eq!(parts(&options), ("HTTP/1.0 200 OK".to_owned(), String::new()));
    assert!(options.contains("Access-Control-Allow-Origin: *\r\n"), "{options}");
    // Without a length the body ends with the stream.
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(player.address).expect("it listens");
    stream.write_all(b"POST / HTTP/1.0\r\n\r\n( INFO )").expect("it reads");
    stream.shutdown(std::net::Shutdown::Write).expect("connected");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    good(&answer);
}

#[test]
fn info_and_abort_are_answered_while_it_thinks() {
    let player = Running::new(ServerLimits::default());
    assert_eq!(player.ask(&start("long", "reversi", "black", "60 3600")), "ready");
    std::thread::scope(|scope| {
        let thinking = scope.spawn(|| player.ask("( PLAY long NIL )"));
        assert_eq!(player.ask("( INFO )"), "( ( name ludex ) ( status busy ) )");
        // An hour on the clock: only the abort can end the thinking.
        assert_eq!(player.ask("( ABORT long )"), "aborted");
        let action = thinking.join().expect("no panic");
        assert!(action.starts_with('(') || ["nil", "busy"].contains(&action.as_str()), "{action}");
    });
    assert_eq!(player.ask("( INFO )"), "( ( name ludex ) ( status available ) )");
}

#[test]
fn broken_matches_are_refused_and_leave_it_free() {
    let player = Running::new(ServerLimits::default());
    for message in [
        "( START m x ( ( role x ) ( <= ( legal x ?m ) ( true ( on ?n ) ) ) ) 5 5 )".to_owned(),
        "( START m x ( ) 5 5 )".to_owned(),
        start("m", "tictactoe", "nobody", "60 5"),
        start("m", "tictactoe", "X", "60 5"),
    ] {
        let (status, body) = player.post(&message);
        assert_eq!(status, "HTTP/1.0 400 Bad Request", "{body}");
        assert!(!body.is_empty());
        assert_eq!(player.ask("( INFO )"), "( ( name ludex ) ( status available ) )");
    }
    assert_eq!(player.ask(&start("m", "tictactoe", "x", "60 60")), "ready");
    // Moves that cannot be are passed over; there is still a legal answer.
    for moves in ["( (mark 9 9) noop )", "( noop )", "( noop noop )", "( ( ) )"] {
        let answer = player.ask(&format!("( PLAY m {moves} )"));
        assert!(answer.starts_with("(mark "), "{moves}: {answer}");
    }
    assert_eq!(player.ask("( STOP m ( a b c ) )"), "done");
    assert!(player.log.lock().expect("no panic").iter().any(|line| line.contains("no move `(mark 9 9)`")));
}

#[test]
fn spelling_is_kept_and_keywords_are_read_in_any_case() {
    let player = Running::new(ServerLimits::default());
    let shouted = crate::rules("tictactoe").to_uppercase();
    assert_eq!(player.ask(&format!("( START M1 X ( {shouted} ) 60 60 )")), "ready");
    assert!(player.ask("( PLAY M1 NIL )").starts_with("(MARK "));
    assert_eq!(player.ask("( STOP M1 NIL )"), "done");
}

#[test]
fn short_clocks_are_kept() {
    let player = Running::new(ServerLimits::default());
    assert_eq!(player.ask(&start("m", "connectfour", "red", "5 1")), "ready");
    let asked = Instant::now();
    let action = player.ask("( PLAY m NIL )");
    assert!(action.starts_with("(drop "), "{action}");
    // Not a measurement: an hour of thinking would show, a busy machine would not.
    assert!(asked.elapsed() < Duration::from_secs(60));
    assert_eq!(player.ask("( ABORT m )"), "aborted");
}
