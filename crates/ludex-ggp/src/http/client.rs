//! The client: posts a message, reads the answer.

use super::stream::{Timed, header};
use std::fmt;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// An answer has one line; more than this is none.
const LONGEST_ANSWER: usize = 1 << 20;

/// Where a player listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
}

/// The port that players use by convention.
pub const PORT: u16 = 9147;

impl Address {
    /// Reads `http://host:port/`, `host:port` or `host`.
    pub fn read(text: &str) -> Option<Address> {
        let rest = text.strip_prefix("http://").unwrap_or(text);
        let rest = rest.split('/').next()?;
        let (host, port) = match rest.rsplit_once(':') {
            // An IPv6 address has colons of its own, and brackets around them.
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (rest, PORT),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        let sound = !host.is_empty() && host.chars().all(plain);
        sound.then(|| Address { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// Nobody could be reached, or the connection broke, or what came was no HTTP.
    Connection(io::Error),
    /// The time was up.
    Late,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Connection(error) => write!(f, "no connection: {error}"),
            Failure::Late => f.write_str("no answer in time"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Failure::Late,
            _ => Failure::Connection(error),
        }
    }
}

/// Sends `body` to the player called `receiver` and waits for the answer until `deadline`. `connect` bounds
/// the time to reach it.
pub fn post(
    address: &Address,
    receiver: &str,
    body: &str,
    connect: Duration,
    deadline: Instant,
) -> Result<String, Failure> {
    let targets: Vec<SocketAddr> =
        (address.host.trim_matches(['[', ']']), address.port).to_socket_addrs()?.collect();
    let mut stream = Err(io::ErrorKind::NotFound.into());
    for target in &targets {
        stream = TcpStream::connect_timeout(target, connect);
        if stream.is_ok() {
            break;
        }
    }
    // A player that cannot be reached is not late: there was nobody to think.
    let mut stream = stream.map_err(Failure::Connection)?;
    stream.set_write_timeout(Some(connect))?;
    let head = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {}\r\nSender: GAMESERVER\r\nReceiver: {receiver}\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n",
        address.host,
        body.len()
    );
    stream.write_all((head + body).as_bytes())?;
    let mut timed = Timed { stream: &stream, deadline };
    let head = timed.head(LONGEST_ANSWER)?;
    let status = head.lines.first().and_then(|line| line.split_whitespace().nth(1));
    if status != Some("200") {
        let line = head.lines.first().cloned().unwrap_or_default();
        return Err(Failure::Connection(io::Error::new(io::ErrorKind::InvalidData, line)));
    }
    let length = header(&head.lines, "content-length").and_then(|length| length.parse().ok());
    let body = timed.body(head.rest, length, LONGEST_ANSWER)?;
    Ok(String::from_utf8_lossy(&body).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn addresses_are_read_in_all_their_forms() {
        for (text, shown) in [
            ("http://localhost:9148/", "localhost:9148"),
            ("localhost:9148", "localhost:9148"),
            ("127.0.0.1", "127.0.0.1:9147"),
            ("http://[::1]:80", "[::1]:80"),
            ("[::1]", "[::1]:9147"),
        ] {
            assert_eq!(Address::read(text).map(|a| a.to_string()).as_deref(), Some(shown), "{text}");
        }
        for text in ["", "http://", "host:port", "host:99999", "a b", "host\r\n:80"] {
            assert_eq!(Address::read(text), None, "{text}");
        }
    }
}
