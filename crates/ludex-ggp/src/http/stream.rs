//! Reading from a socket with a deadline for the whole and a bound on the size.

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// What was read before the blank line that ends a head, and what came behind it.
pub(super) struct Head {
    pub(super) lines: Vec<String>,
    pub(super) rest: Vec<u8>,
}

/// A socket that is read until a deadline.
pub(super) struct Timed<'s> {
    pub(super) stream: &'s TcpStream,
    pub(super) deadline: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        self.stream.read(buffer)
    }
}

impl Timed<'_> {
    /// Reads to the end of the head, of at most `most` bytes.
    pub(super) fn head(&mut self, most: usize) -> io::Result<Head> {
        let mut bytes = Vec::new();
        let mut chunk = [0; 4096];
        loop {
            if let Some((end, length)) = end_of_head(&bytes) {
                let text = String::from_utf8_lossy(&bytes[..end]);
                let lines = text.lines().map(|line| line.trim_end().to_owned()).collect();
                return Ok(Head { lines, rest: bytes[end + length..].to_vec() });
            }
            if bytes.len() > most {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the head is too long"));
            }
            match self.read(&mut chunk)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => bytes.extend_from_slice(&chunk[..count]),
            }
        }
    }

    /// Reads a body of which `body` has come already: `length` bytes, or all that comes if that is not
    /// known; at most `most`.
    pub(super) fn body(
        &mut self,
        mut body: Vec<u8>,
        length: Option<usize>,
        most: usize,
    ) -> io::Result<Vec<u8>> {
        let too_long = || io::Error::new(io::ErrorKind::FileTooLarge, "the body is too long");
        if length.is_some_and(|length| length > most) || body.len() > most {
            return Err(too_long());
        }
        let mut chunk = [0; 16384];
        while length.is_none_or(|length| body.len() < length) {
            match self.read(&mut chunk)? {
                0 if length.is_some() => return Err(io::ErrorKind::UnexpectedEof.into()),
                0 => break,
                count => body.extend_from_slice(&chunk[..count]),
            }
            if body.len() > most {
                return Err(too_long());
            }
        }
        if let Some(length) = length {
            body.truncate(length);
        }
        Ok(body)
    }
}

/// Where the blank line begins, and its length: some write line ends without the carriage return.
fn end_of_head(bytes: &[u8]) -> Option<(usize, usize)> {
    let find =
        |end: &[u8]| bytes.windows(end.len()).position(|window| window == end).map(|at| (at, end.len()));
    match (find(b"\r\n\r\n"), find(b"\n\n")) {
        (Some(long), Some(short)) => Some(long.min(short)),
        (long, short) => long.or(short),
    }
}

/// The value of a header, whose name is compared in any case.
pub(super) fn header<'l>(lines: &'l [String], name: &str) -> Option<&'l str> {
    lines.iter().skip(1).find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
    })
}
