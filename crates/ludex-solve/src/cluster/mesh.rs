//! Connections between all processes, each after both sides have seen that they are of the same run.
//!
//! A process connects to those before it in the list and waits for those after it. Who says something else than is
//! expected is refused with a sentence and does not disturb the others.

use crate::error::{Error, Result};
use ludex_engine::budget::Budget;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

const MAGIC: [u8; 8] = *b"LUDEXCLU";

/// Bytes of a greeting or an answer.
const MOST: usize = 4096;

/// How long the other side may take for a greeting.
const GREETING: Duration = Duration::from_secs(5);

const PAUSE: Duration = Duration::from_millis(50);

/// What both sides must say, a line each, and where this process is in the list.
pub(crate) struct Mesh<'m> {
    pub hosts: &'m [String],
    pub process: usize,
    pub lines: Vec<(&'static str, String)>,
    pub wait: Duration,
}

fn send(stream: &mut TcpStream, text: &str) -> io::Result<()> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    stream.write_all(&bytes)
}

fn receive(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let mut head = [0; 10];
    stream.read_exact(&mut head)?;
    let length = usize::from(u16::from_le_bytes([head[8], head[9]]));
    if head[..8] != MAGIC || length > MOST {
        return Ok(None);
    }
    let mut text = vec![0; length];
    stream.read_exact(&mut text)?;
    Ok(String::from_utf8(text).ok())
}

impl Mesh<'_> {
    /// A connection to each process, none to this one.
    pub fn connect(&self, budget: &Budget) -> Result<Vec<Option<TcpStream>>> {
        let end = Instant::now() + self.wait;
        let host = &self.hosts[self.process];
        let refused = |error: io::Error| Error::Refused(format!("`{host}` cannot be listened at: {error}"));
        let listener = TcpListener::bind(host).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let mut streams: Vec<Option<TcpStream>> = self.hosts.iter().map(|_| None).collect();
        for (other, host) in self.hosts.iter().enumerate().take(self.process) {
            streams[other] = Some(loop {
                budget.check()?;
                if let Some(stream) = self.call(host, other)? {
                    break stream;
                }
                if Instant::now() > end {
                    return Err(Error::Refused(format!("process {other} at `{host}` did not answer")));
                }
                std::thread::sleep(PAUSE);
            });
        }
        while let Some(missing) = (self.process + 1..self.hosts.len()).find(|&other| streams[other].is_none())
        {
            budget.check()?;
            match listener.accept() {
                Ok((stream, _)) => {
                    // Whoever does not speak as expected is no concern of the others. One who comes again was restarted.
                    if let Ok(Some((other, stream))) = self.admit(stream) {
                        streams[other] = Some(stream);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() > end {
                        return Err(Error::Refused(format!("process {missing} did not come")));
                    }
                    std::thread::sleep(PAUSE);
                }
                Err(error) => return Err(refused(error)),
            }
        }
        Ok(streams)
    }

    fn greeting(&self) -> String {
        let lines = self.lines.iter().map(|(what, is)| format!("{what} {is}\n"));
        format!("process {}\n{}", self.process, lines.collect::<String>())
    }

    /// Calls a process; nothing if it is not there yet.
    fn call(&self, host: &str, other: usize) -> Result<Option<TcpStream>> {
        let greeted = TcpStream::connect(host).and_then(|mut stream| {
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(GREETING))?;
            send(&mut stream, &self.greeting())?;
            let answer = receive(&mut stream)?;
            stream.set_read_timeout(None)?;
            Ok((stream, answer))
        });
        match greeted {
            Ok((stream, Some(answer))) if answer == "welcome" => Ok(Some(stream)),
            Ok((_, Some(answer))) => {
                Err(Error::Refused(format!("process {other} refuses this one: {answer}")))
            }
            Ok((_, None)) => Err(Error::Refused(format!("at `{host}` is no process of a cluster"))),
            Err(_) => Ok(None),
        }
    }

    /// Greets a process that calls; nothing if it is refused.
    fn admit(&self, mut stream: TcpStream) -> io::Result<Option<(usize, TcpStream)>> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(GREETING))?;
        let Some(text) = receive(&mut stream)? else { return Ok(None) };
        match self.judge(&text) {
            Ok(process) => {
                send(&mut stream, "welcome")?;
                stream.set_read_timeout(None)?;
                Ok(Some((process, stream)))
            }
            Err(why) => {
                send(&mut stream, &why)?;
                Ok(None)
            }
        }
    }

    /// Which process a greeting is of, or why it is refused.
    fn judge(&self, text: &str) -> std::result::Result<usize, String> {
        let mut lines = text.lines();
        let process = lines.next().and_then(|line| line.strip_prefix("process ")?.parse::<usize>().ok());
        for (what, is) in &self.lines {
            let said = lines.next().and_then(|line| line.strip_prefix(what)?.strip_prefix(' '));
            if said != Some(is) {
                return Err(format!("{what}: {} instead of {is}", said.unwrap_or("nothing")));
            }
        }
        let process = process.filter(|process| (self.process + 1..self.hosts.len()).contains(process));
        process.ok_or_else(|| "its number is not one that is waited for".to_owned())
    }
}
