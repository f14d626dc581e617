//! Clients that break the rules, by mistake or on purpose: nothing they do may harm a match.

use crate::{Running, read_to_close, start};
use ludex_engine::random::Random;
use ludex_ggp::http::server::ServerLimits;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const AVAILABLE: &str = "( ( name ludex ) ( status available ) )";

#[test]
fn messages_that_make_no_sense_harm_nothing() {
    let player = Running::new(ServerLimits::default());
    assert_eq!(player.ask(&start("m", "tictactoe", "x", "60 60")), "ready");
    for message in
        ["", "(", ")", "()", "( PLAY )", "( DANCE m )", "\0\u{1}\u{2}", "( START m x ( ( role x ) 5 5 )"]
    {
        let (status, body) = player.post(message);
        assert_eq!(status, "HTTP/1.0 400 Bad Request", "{message:?}: {body}");
    }
    let deep = format!("( START d x {}{} 5 5 )", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(player.ask(&deep), "busy");
    for request in [
        &b"\r\n\r\n"[..],
        b"BREW / HTTP/1.0\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: many\r\n\r\n( INFO )",
        b"POST / HTTP/1.0\r\nContent-Length: -1\r\n\r\n( INFO )",
        b"\xFF\xFE\x00\x01\r\n\r\n",
    ] {
        let answer = player.raw(request);
        assert!(answer.starts_with("HTTP/1.0 4"), "{request:?}: {answer}");
    }
    assert!(player.ask("( PLAY m NIL )").starts_with("(mark "));
    assert_eq!(player.ask("( STOP m NIL )"), "done");
}

#[test]
fn random_bytes_and_cut_messages_harm_nothing() {
    let player = Running::new(ServerLimits::default());
    let sound = start("m", "tictactoe", "x", "60 60");
    let mut random = Random::new(8);
    for round in 0..200 {
        let message: Vec<u8> = if round % 2 == 0 {
            (0..random.below(300)).map(|_| random.bits() as u8).collect()
        } else {
            sound.as_bytes()[..random.below(sound.len())].to_vec()
        };
        let mut request =
            format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n", message.len()).into_bytes();
        request.extend(message);
        let answer = player.raw(&request);
        assert!(answer.starts_with("HTTP/1.0 400"), "round {round}: {answer}");
    }
    assert_eq!(player.ask("( INFO )"), AVAILABLE);
}

#[test]
fn too_much_is_refused() {
    let player = Running::new(ServerLimits { head: 10_000, body: 100_000, ..ServerLimits::default() });
    let announced = player.raw(b"POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n");
    assert!(announced.starts_with("HTTP/1.0 413"), "{announced}");
    let mut sent = b"POST / HTTP/1.0\r\n\r\n".to_vec();
    sent.resize(200_000, b'(');
    let answer = player.raw(&sent);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.0 413"), "{answer}");
    let long_head = [b"GET /".to_vec(), vec![b'a'; 50_000]].concat();
    let answer = player.raw(&long_head);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.0 400"), "{answer}");
    assert_eq!(player.ask("( INFO )"), AVAILABLE);
}

#[test]
fn silent_and_slow_connections_make_room() {
    let limits =
        ServerLimits { connections: 20, request: Duration::from_secs(3600), ..ServerLimits::default() };
    let player = Running::new(limits);
    // More than there is room for: the oldest of them are closed, so that there is always room for a message.
    let silent: Vec<TcpStream> =
        (0..50).map(|_| TcpStream::connect(player.address).expect("it listens")).collect();
    let mut slow = TcpStream::connect(player.address).expect("it listens");
    slow.write_all(b"POST / HTTP/1.0\r\nContent-Le").expect("connected");
    for _ in 0..5 {
        assert_eq!(player.ask("( INFO )"), AVAILABLE);
    }
    let mut first = &silent[0];
    first.set_read_timeout(Some(Duration::from_secs(60))).expect("a sound time");
    // Closed with or without a word; but closed, though an hour has not passed.
    read_to_close(&mut first);
    drop(silent);
    assert_eq!(player.ask("( INFO )"), AVAILABLE);
}

#[test]
fn requests_that_do_not_arrive_are_given_up() {
    let player = Running::new(ServerLimits { request: Duration::from_millis(50), ..ServerLimits::default() });
    let mut stream = TcpStream::connect(player.address).expect("it listens");
    stream.write_all(b"POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( IN").expect("connected");
    let mut answer = String::new();
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a sound time");
    stream.read_to_string(&mut answer).expect("an answer, and the end");
    assert!(answer.starts_with("HTTP/1.0 408"), "{answer}");
}
