//! The server: a thread a connection, one request each.

use super::stream::{Timed, header};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What clients may cost.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// Connections at a time. Beyond, the one that has been sending its request longest is closed.
    pub connections: usize,
    /// Time for a request to arrive as a whole.
    pub request: Duration,
    /// Longest head in bytes: a message in the address of a GET is part of it.
    pub head: usize,
    /// Longest body in bytes.
    pub body: usize,
}

impl Default for ServerLimits {
    /// 128 connections, ten seconds, a megabyte of head, 16 of body.
    fn default() -> ServerLimits {
        ServerLimits { connections: 128, request: Duration::from_secs(10), head: 1 << 20, body: 16 << 20 }
    }
}

/// Answers a message. It may take its time: each connection has its own thread.
pub type Handler = dyn Fn(&str) -> Answer + Send + Sync;

/// The answer to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// What the protocol says.
    Good(String),
    /// The message made no sense.
    Bad(String),
}

/// A listening server.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    limits: ServerLimits,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    connections: AtomicUsize,
    numbers: AtomicU64,
    /// Connections whose request is still arriving, the oldest first.
    arriving: Mutex<VecDeque<(u64, TcpStream)>>,
}

/// Ends a server from another thread.
#[derive(Clone, Debug)]
pub struct Handle {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Handle {
    /// Ends it: no new connections from now on.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // The server waits for a connection: this is one. If it cannot be made the server is gone.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }

    /// Connections at this moment.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }
}

impl Server {
    /// Listens at an address; port 0 takes a free one.
    pub fn bind(address: impl ToSocketAddrs, limits: ServerLimits) -> io::Result<Server> {
        Ok(Server { listener: TcpListener::bind(address)?, limits, shared: Arc::default() })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// A handle to end it.
    pub fn handle(&self) -> io::Result<Handle> {
        Ok(Handle { address: self.address()?, shared: self.shared.clone() })
    }

    /// Serves until the handle ends it. Connections under way are finished on their own threads.
    pub fn serve(&self, handler: &Arc<Handler>) {
        for stream in self.listener.incoming() {
            if self.shared.stop.load(Ordering::Relaxed) {
                return;
            }
            let Ok(stream) = stream else {
                // Out of file descriptors, most likely: others will end soon.
                std::thread::sleep(Duration::from_millis(50));
                continue;
            };
            self.accept(stream, handler.clone());
        }
    }

    fn accept(&self, stream: TcpStream, handler: Arc<Handler>) {
        let shared = self.shared.clone();
        let number = shared.numbers.fetch_add(1, Ordering::Relaxed);
        if let Ok(copy) = stream.try_clone() {
            let mut arriving = shared.arriving.lock().unwrap_or_else(PoisonError::into_inner);
            arriving.push_back((number, copy));
            if shared.connections.load(Ordering::Relaxed) >= self.limits.connections
                && let Some((_, oldest)) = arriving.pop_front()
            {
                // Its thread sees the end of the stream and leaves.
                let _ = oldest.shutdown(Shutdown::Both);
            }
        }
        shared.connections.fetch_add(1, Ordering::Relaxed);
        let limits = self.limits;
        let counted = shared.clone();
        let spawned = std::thread::Builder::new().name("connection".to_owned()).spawn(move || {
            let request = read(&stream, &limits);
            shared
                .arriving
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .retain(|(other, _)| *other != number);
            let (status, body) = match request {
                Ok(Request::Message(text)) => match handler(&text) {
                    Answer::Good(body) => ("200 OK", body),
                    Answer::Bad(reason) => ("400 Bad Request", reason),
                },
                Ok(Request::Options) => ("200 OK", String::new()),
                Ok(Request::Other) => ("405 Method Not Allowed", String::new()),
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    ("413 Content Too Large", error.to_string())
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    ("400 Bad Request", error.to_string())
                }
                Err(_) => ("408 Request Timeout", String::new()),
            };
            // Whoever has gone away does not need an answer.
            let _ = write(&stream, status, &body);
            shared.connections.fetch_sub(1, Ordering::Relaxed);
        });
        if spawned.is_err() {
            counted.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

enum Request {
    Message(String),
    Options,
    Other,
}

fn read(stream: &TcpStream, limits: &ServerLimits) -> io::Result<Request> {
    let mut timed = Timed { stream, deadline: Instant::now() + limits.request };
    let head = timed.head(limits.head)?;
    let line = head.lines.first().map_or("", String::as_str);
    let (method, target) = line.split_once(' ').unwrap_or((line, ""));
    match method {
        "POST" => {
            let length = header(&head.lines, "content-length").map(str::parse).transpose();
            let length = length
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "Content-Length is no number"))?;
            let body = timed.body(head.rest, length, limits.body)?;
            Ok(Request::Message(String::from_utf8_lossy(&body).into_owned()))
        }
        "GET" => {
            // What stands between the slash and the version; the message itself may hold blanks.
            let target = target.rsplit_once(" HTTP/").map_or(target, |(target, _)| target);
            Ok(Request::Message(decoded(target.strip_prefix('/').unwrap_or(target))))
        }
        "OPTIONS" => Ok(Request::Options),
        _ => Ok(Request::Other),
    }
}

/// The text of an address: `+` is a blank, `%2B` a plus.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match (first, digits.and_then(|pair| u8::from_str_radix(pair, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &behind[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            (byte, _) => bytes.push(byte),
        }
        rest = behind;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes the answer and closes the connection: some managers read to the end of the stream.
fn write(mut stream: &TcpStream, status: &str, body: &str) -> io::Result<()> {
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    let head = format!(
        "HTTP/1.0 {status}\r\nContent-type: text/acl\r\nContent-length: {}\r\n\
         Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
         Access-Control-Allow-Headers: Content-Type\r\nAccess-Control-Allow-Age: 86400\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
    // Closing a socket with unread data in it would throw our answer away; so read a little more.
    let mut timed = Timed { stream, deadline: Instant::now() + Duration::from_millis(200) };
    let mut chunk = [0; 16384];
    let mut most = 64;
    while most > 0 && matches!(timed.read(&mut chunk), Ok(count) if count > 0) {
        most -= 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn addresses_are_decoded() {
        assert_eq!(decoded("%28+INFO%20)"), "( INFO )");
        assert_eq!(decoded("a%2Bb"), "a+b");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%4"), "%zz%4");
        assert_eq!(decoded("%C3%A9"), "é");
    }
}
