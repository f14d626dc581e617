//! A server from outside, without a browser: who is refused, and that nothing grows.

use ludex_web::{Limits, Options, serve};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

const TOKEN: &str = "letters-for-the-test";

struct Visitor {
    address: SocketAddr,
    folder: PathBuf,
}

impl Drop for Visitor {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A server of its own on a free port, with small limits.
fn visitor(name: &str) -> Visitor {
    let folder = std::env::temp_dir().join(format!("ludex-web-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    start(folder)
}

fn start(folder: PathBuf) -> Visitor {
    start_at([127, 0, 0, 1], folder)
}

fn start_at(own: [u8; 4], folder: PathBuf) -> Visitor {
    let (sender, receiver) = mpsc::channel();
    let limits = Limits { matches: 20, awake: 4, streams: 3, ..Limits::default() };
    let options = Options {
        address: SocketAddr::from((own, 0)),
        token: Some(TOKEN.to_owned()),
        games: None,
        keep: folder.clone(),
        first: None,
        evaluations: Vec::new(),
        solved: Vec::new(),
        limits,
    };
    std::thread::spawn(move || {
        serve(&options, |address| {
            let place = address.trim_start_matches("http://").split('/').next().unwrap_or_default();
            sender.send(place.parse().expect("an address")).expect("somebody waits");
            Ok(())
        })
    });
    let address = receiver.recv_timeout(Duration::from_secs(20)).expect("the server listens");
    let port = SocketAddr::port(&address);
    Visitor { address: SocketAddr::from(([127, 0, 0, 1], port)), folder }
}

impl Visitor {
    /// Sends bytes as they are; the answer, head and body.
    fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        // A server that has refused already may close while we write.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn head(&self, method: &str, path: &str, more: &str) -> String {
        format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{more}", self.address)
    }

    fn cookie(&self) -> String {
        format!("Cookie: ludex-{}={TOKEN}\r\n", self.address.port())
    }

    fn origin(&self) -> String {
        format!("Origin: http://{}\r\n", self.address)
    }

    fn get(&self, path: &str, more: &str) -> String {
        self.raw(format!("{}\r\n", self.head("GET", path, more)).as_bytes())
    }

    /// A command by somebody who may ask.
    fn ask(&self, body: &str) -> String {
        self.post("/api", &(self.cookie() + &self.origin()), body)
    }

    fn post(&self, path: &str, more: &str, body: &str) -> String {
        let length = format!("Content-Length: {}\r\n", body.len());
        let head = self.head("POST", path, &(more.to_owned() + &length));
        self.raw(format!("{head}\r\n{body}").as_bytes())
    }
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

/// The value of a text in a flat answer.
fn field(answer: &str, name: &str) -> String {
    let after = answer.split(&format!("\"{name}\":\"")).nth(1).unwrap_or_default();
    after.split('"').next().unwrap_or_default().to_owned()
}

#[test]
fn the_token_is_asked_for_once_and_becomes_a_cookie_that_scripts_cannot_read() {
    let visitor = visitor("token");
    assert_eq!(status(&visitor.get("/", "")), "401");
    assert_eq!(status(&visitor.get("/?token=wrong", "")), "401");
    let answer = visitor.get(&format!("/?token={TOKEN}"), "");
    assert_eq!(status(&answer), "303", "{answer}");
    let answer = answer.to_ascii_lowercase();
    assert!(answer.contains("httponly") && answer.contains("samesite=strict"), "{answer}");
    let page = visitor.get("/", &visitor.cookie());
    assert_eq!(status(&page), "200");
    assert!(page.contains("default-src 'none'") && page.contains("require-trusted-types-for"), "{page}");
    assert!(!page.to_ascii_lowercase().contains("access-control-allow"), "no other site may read");
}

#[test]
fn foreign_hosts_origins_and_paths_are_refused() {
    let visitor = visitor("foreign");
    let cookie = visitor.cookie();
    let request = format!("GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n{cookie}\r\n");
    assert_eq!(status(&visitor.raw(request.as_bytes())), "421");
    let gallery = r#"{"command":"gallery"}"#;
    assert_eq!(status(&visitor.post("/api", &cookie, gallery)), "403", "without an origin");
    let foreign = format!("{cookie}Origin: http://example.org\r\n");
    assert_eq!(status(&visitor.post("/api", &foreign, gallery)), "403");
    assert_eq!(status(&visitor.post("/api/events", &foreign, r#"{"matches":[]}"#)), "403");
    assert_eq!(status(&visitor.post("/api", &visitor.origin(), gallery)), "401", "without a cookie");
    assert_eq!(status(&visitor.ask(gallery)), "200");
    for path in
        ["/../Cargo.toml", "/..%2fCargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/page/index.html"]
    {
        assert_eq!(status(&visitor.get(path, &cookie)), "404", "{path}");
    }
    for game in ["../../secret", "bundled.../x", "folder.99999", "pasted.../x", ""] {
        let answer = visitor.ask(&format!(r#"{{"command":"rules","game":"{game}"}}"#));
        assert_eq!(status(&answer), "404", "{game}: {answer}");
    }
    assert_eq!(status(&visitor.ask(r#"{"command":"record","id":"../matches"}"#)), "404");
}

#[test]
fn large_and_broken_bodies_are_refused() {
    let visitor = visitor("bodies");
    let head = visitor.head(
        "POST",
        "/api",
        &(visitor.cookie() + &visitor.origin() + "Content-Length: 100000000\r\n"),
    );
    let answer = visitor.raw(format!("{head}\r\n").as_bytes());
    assert_eq!(status(&answer), "413", "{answer}");
    // Without a length the body is cut where the limit is.
    let head = visitor.head(
        "POST",
        "/api",
        &(visitor.cookie() + &visitor.origin() + "Transfer-Encoding: chunked\r\n"),
    );
    let chunk = format!("100000\r\n{}\r\n", "x".repeat(0x10_0000));
    let answer = visitor.raw(format!("{head}\r\n{chunk}{chunk}{chunk}{chunk}0\r\n\r\n").as_bytes());
    assert!(answer.is_empty() || status(&answer) == "413", "{answer}");
    for body in ["", "{", "[]", "{}", r#"{"command":"nothing"}"#, "\u{0}"] {
        assert_eq!(status(&visitor.ask(body)), "400", "{body}");
    }
    let sheet = "(".repeat(200_000);
    let answer = visitor.ask(&format!(r#"{{"command":"paste","text":"{sheet}"}}"#));
    assert_eq!(status(&answer), "400", "rules with errors");
    let answer = visitor.ask(&format!(r#"{{"command":"check","text":"{sheet}"}}"#));
    assert_eq!(status(&answer), "200", "findings are an answer");
}

#[test]
fn matches_beyond_the_limit_are_refused_and_those_within_are_there_after_a_restart() {
    let visitor = visitor("matches");
    let new = r#"{"command":"new","game":"bundled.tictactoe","seats":["person","person"]}"#;
    let first = field(&visitor.ask(new), "id");
    for _ in 1..20 {
        assert_eq!(status(&visitor.ask(new)), "200");
    }
    assert_eq!(status(&visitor.ask(new)), "429");
    let play = |at: usize, role: usize, action: usize| {
        visitor
            .ask(&format!(r#"{{"command":"move","id":"{first}","at":{at},"role":{role},"action":{action}}}"#))
    };
    // Moves are numbered over the vocabulary: some of the first ten is a mark.
    let made = (0..12).map(|action| play(0, 0, action)).find(|answer| status(answer) == "200");
    assert!(made.is_some(), "x can mark somewhere");
    assert_eq!(status(&play(0, 1, 1)), "409", "the match has gone on");
    assert_eq!(status(&play(1, 0, 1)), "400", "x has nothing to choose, and this is not it");
    assert_eq!(status(&play(1, 7, 1)), "400");
    let record = visitor.ask(&format!(r#"{{"command":"record","id":"{first}"}}"#));
    assert!(record.contains("mark"), "{record}");
    // Another server with the same folder, as after a kill: nothing is asked of the first.
    let again = start(visitor.folder.clone());
    let restored = again.ask(&format!(r#"{{"command":"record","id":"{first}"}}"#));
    assert_eq!(field(&restored, "record"), field(&record, "record"));
    assert_eq!(status(&again.ask(new)), "429");
    assert_eq!(status(&again.ask(&format!(r#"{{"command":"remove","id":"{first}"}}"#))), "200");
    assert_eq!(status(&again.ask(new)), "200");
}

#[test]
fn streams_beyond_the_limit_are_refused() {
    let visitor = visitor("streams");
    let body = r#"{"matches":[]}"#;
    let length = format!("Content-Length: {}\r\n", body.len());
    let head = visitor.head("POST", "/api/events", &(visitor.cookie() + &visitor.origin() + &length));
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(visitor.address).expect("a connection");
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).expect("a request");
        let mut first = [0; 12];
        stream.read_exact(&mut first).expect("an answer");
        assert_eq!(&first, b"HTTP/1.1 200");
        open.push(stream);
    }
    assert_eq!(status(&visitor.post("/api/events", &(visitor.cookie() + &visitor.origin()), body)), "429");
}

#[test]
fn questions_are_answered_for_games_and_for_texts() {
    let visitor = visitor("questions");
    let fails = visitor.ask(
        r#"{"command":"prove","game":"bundled.tictactoe","formula":"forall X, Y: not true(cell(X,Y,o))"}"#,
    );
    assert!(fails.contains(r#""answer":"fails""#) && fails.contains("mark"), "{fails}");
    assert_eq!(
        status(&visitor.ask(r#"{"command":"prove","game":"bundled.tictactoe","formula":"true(("}"#)),
        "400"
    );
    let solved = visitor.ask(r#"{"command":"solve","game":"bundled.tictactoe"}"#);
    // 5,478 positions, and a draw: published figures of the game.
    assert!(solved.contains(r#""states":5478"#) && solved.contains(r#""value":50"#), "{solved}");
    let card = visitor.ask(r#"{"command":"card","game":"bundled.nim"}"#);
    assert!(card.contains(r#""roles":["alice","bob"]"#), "{card}");
    let played = visitor.ask(r#"{"command":"playtest","text":"(role r) (init a) (legal r go) (<= (next b) (true a)) (<= terminal (true b)) (goal r 7)","seed":1}"#);
    assert!(played.contains(r#""over":true"#) && played.contains(r#""goals":[7]"#), "{played}");
    let checked = visitor.ask(r#"{"command":"check","text":"(role r"}"#);
    assert!(checked.contains("unclosed-parenthesis") && checked.contains(r#""bytes":[0,"#), "{checked}");
}

#[test]
fn moves_at_the_same_time_wait_unseen_until_all_are_in() {
    let visitor = visitor("hidden");
    let id = field(
        &visitor.ask(r#"{"command":"new","game":"bundled.pursuit","seats":["person","person"]}"#),
        "id",
    );
    let play = |role: usize| {
        let tried = (0..20).map(|action| {
            visitor
                .ask(&format!(r#"{{"command":"move","id":"{id}","at":0,"role":{role},"action":{action}}}"#))
        });
        tried.map(|answer| status(&answer).to_owned()).find(|status| status == "200")
    };
    let moves =
        || visitor.ask(&format!(r#"{{"command":"record","id":"{id}"}}"#)).contains(r#"\"moves\":[[\""#);
    assert_eq!(play(0).as_deref(), Some("200"));
    assert!(!moves(), "the hunter's move is not there yet");
    assert_eq!(play(0), None, "nobody moves twice");
    assert_eq!(play(1).as_deref(), Some("200"));
    assert!(moves(), "both moves are there");
}

#[test]
fn a_server_that_is_open_to_a_network_writes_to_no_address_that_a_visitor_names() {
    let folder = std::env::temp_dir().join(format!("ludex-web-open-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let visitor = start_at([0, 0, 0, 0], folder);
    let named = r#"{"command":"new","game":"bundled.tictactoe","seats":["http://127.0.0.1:9147","person"]}"#;
    assert_eq!(status(&visitor.ask(named)), "403");
    let people = r#"{"command":"new","game":"bundled.tictactoe","seats":["person","person"]}"#;
    let id = field(&visitor.ask(people), "id");
    let set = format!(r#"{{"command":"set","id":"{id}","seats":["http://127.0.0.1:9147","person"]}}"#);
    assert_eq!(status(&visitor.ask(&set)), "403");
    for seat in ["file:///etc/passwd", "127.0.0.1:9147", "http://", "http://a b", "nobody"] {
        let set = format!(r#"{{"command":"set","id":"{id}","seats":["{seat}","person"]}}"#);
        assert_eq!(status(&visitor.ask(&set)), "400", "{seat}");
    }
}

/// A player that answers with what it is told to, and keeps what it was sent.
fn player(answers: &'static [&'static str]) -> (SocketAddr, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for (stream, answer) in listener.incoming().zip(answers.iter().cycle()) {
            let Ok(mut stream) = stream else { return };
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            let body = loop {
                let Ok(count @ 1..) = stream.read(&mut buffer) else { break String::new() };
                request.extend_from_slice(&buffer[..count]);
                let text = String::from_utf8_lossy(&request).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
                });
                if body.len() >= length.unwrap_or(0) {
                    break body.to_owned();
                }
            };
            let body_sent = sender.send(body);
            let head = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", answer.len());
            let _ = stream.write_all((head + answer).as_bytes());
            if body_sent.is_err() {
                return;
            }
        }
    });
    (address, receiver)
}

#[test]
fn a_player_that_answers_nonsense_is_replaced_by_chance_and_hears_the_moves_that_were_made() {
    let visitor = visitor("player");
    let (address, heard) = player(&["ready", "(mark 9 9)"]);
    let new =
        format!(r#"{{"command":"new","game":"bundled.tictactoe","seats":["http://{address}","person"]}}"#);
    let id = field(&visitor.ask(&new), "id");
    // Blanks around parentheses are as good as none.
    let hear = || {
        let message = heard.recv_timeout(Duration::from_secs(20)).expect("the player is asked");
        message.to_ascii_lowercase().replace("( ", "(").replace(" )", ")")
    };
    let start = hear();
    assert!(start.starts_with("(start ludex.") && start.contains("(role x)"), "{start}");
    let play = hear();
    assert!(play.starts_with("(play ludex.") && play.trim_end().ends_with("nil)"), "{play}");
    // The move that was made instead is a legal one; o answers, and the player hears both.
    let made = |count: usize| {
        let record = visitor.ask(&format!(r#"{{"command":"record","id":"{id}"}}"#));
        record.matches("noop").count() == count
    };
    for _ in 0..200 {
        if made(1) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(made(1), "a random move was made");
    let answers = (0..40).any(|action| {
        let body = format!(r#"{{"command":"move","id":"{id}","at":1,"role":1,"action":{action}}}"#);
        status(&visitor.ask(&body)) == "200"
    });
    assert!(answers, "o can mark somewhere");
    // It waits for x, whose last move o's noop goes with.
    let next = hear();
    assert!(next.contains("(mark") && next.contains("noop") && !next.contains("nil"), "{next}");
}
