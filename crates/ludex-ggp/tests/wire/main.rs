//! The protocol over real sockets on this machine: the player as managers see it, the manager as players
//! see it.

mod hostile;
mod manager;
mod player;

use ludex_ggp::http::server::{Handle, Handler, Server, ServerLimits};
use ludex_ggp::player::{Player, Settings};
use ludex_search::agent;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What arrives until the other side closes the connection, in order or not. Fails if it stays open.
fn read_to_close(stream: &mut impl Read) -> Vec<u8> {
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        let closed = [ErrorKind::ConnectionReset, ErrorKind::ConnectionAborted, ErrorKind::BrokenPipe];
        assert!(closed.contains(&error.kind()), "the connection is still open: {error}");
    }
    answer
}

/// A player that listens on a free port until it is dropped.
struct Running {
    address: SocketAddr,
    handle: Handle,
    player: Arc<Player>,
    log: Arc<Mutex<Vec<String>>>,
}

impl Running {
    fn new(limits: ServerLimits) -> Running {
        let agent = agent::Settings { threads: 1, memory: 64 << 20, ..agent::Settings::default() };
        let settings = Settings { agent, ..Settings::default() };
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = log.clone();
        let say = Arc::new(move |line: &str| lines.lock().expect("no panic").push(line.to_owned()));
        let player = Arc::new(Player::new(settings, say));
        let server = Server::bind("127.0.0.1:0", limits).expect("a free port");
        let (address, handle) = (server.address().expect("bound"), server.handle().expect("bound"));
        let answering = player.clone();
        let handler: Arc<Handler> = Arc::new(move |text: &str| answering.answer(text));
        std::thread::spawn(move || server.serve(&handler));
        Running { address, handle, player, log }
    }

    /// Sends raw bytes and reads to the end of the stream.
    fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a sound time");
        // A server that has seen enough may close before all is sent.
        let _ = stream.write_all(request);
        String::from_utf8_lossy(&read_to_close(&mut stream)).into_owned()
    }

    /// Posts a message as the Dresden controller does, without a Host; gives status line and body.
    fn post(&self, message: &str) -> (String, String) {
        let request = format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{message}", message.len());
        parts(&self.raw(request.as_bytes()))
    }

    /// The body of the answer to a message that makes sense.
    fn ask(&self, message: &str) -> String {
        let (status, body) = self.post(message);
        assert_eq!(status, "HTTP/1.0 200 OK", "{message}: {body}");
        body
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handle.stop();
    }
}

/// Status line and body.
fn parts(answer: &str) -> (String, String) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    (head.lines().next().unwrap_or_default().to_owned(), body.to_owned())
}

/// The rules of a bundled game on one line.
fn rules(name: &str) -> String {
    let text = ludex::games::find(name).expect("a bundled game").text;
    let sheet = ludex::gdl::Sheet::read(text);
    ludex::gdl::syntax::print::kif(&sheet.tree).replace('\n', " ")
}

/// A START of a bundled game.
fn start(id: &str, game: &str, role: &str, clocks: &str) -> String {
    format!("( START {id} {role} ( {} ) {clocks} )", rules(game))
}
