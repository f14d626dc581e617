//! Messages over a stream: a header with the length of a JSON text, a blank line, the text.
//!
//! Whatever comes, the reader goes on behind it: lines that are no header are passed over, a text that is not
//! JSON is reported and skipped, and so is one that claims to be longer than any sheet could be. Memory grows with what
//! arrives, not with what a header claims.

use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// A sheet of 16 MiB, each character of it written as an escape, and as much again.
const MOST_BYTES: u64 = 256 << 20;

/// Longer lines are no headers.
const MOST_HEADER: u64 = 4096;

/// What a stream gave.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Message(Value),
    /// Something that is no message, with the reason.
    Malformed(String),
    End,
}

/// Reads one message.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Incoming> {
    let mut length: Option<u64> = None;
    loop {
        let mut line = Vec::new();
        input.by_ref().take(MOST_HEADER).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(Incoming::End);
        }
        if line.last() != Some(&b'\n') {
            // Too long, or the stream has ended; what is left of the line is the next one.
            continue;
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            break;
        }
        let text = String::from_utf8_lossy(line);
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    let Some(length) = length else {
        return Ok(Incoming::Malformed("a header without a Content-Length that is a number".to_owned()));
    };
    if length > MOST_BYTES {
        let skipped = io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        let reason = format!("a message of {length} bytes, more than {MOST_BYTES}");
        return Ok(if skipped < length { Incoming::End } else { Incoming::Malformed(reason) });
    }
    let mut body = Vec::new();
    let read = input.by_ref().take(length).read_to_end(&mut body)?;
    if (read as u64) < length {
        return Ok(Incoming::End);
    }
    Ok(match serde_json::from_slice(&body) {
        Ok(value) => Incoming::Message(value),
        Err(error) => Incoming::Malformed(format!("not JSON: {error}")),
    })
}

/// Writes one message and sends it off.
pub(super) fn write(output: &mut dyn Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// The error codes of JSON-RPC and of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorCode {
    Parse = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    NotInitialized = -32002,
    RequestFailed = -32803,
    Cancelled = -32800,
}

pub(super) fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub(super) fn error(id: &Value, code: ErrorCode, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message } })
}

pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

#[cfg(test)]
mod tests {
    use super::{Incoming, read};
    use serde_json::json;

    fn all(bytes: &[u8]) -> Vec<Incoming> {
        let mut input = bytes;
        let mut list = Vec::new();
        loop {
            match read(&mut input).expect("memory does not fail") {
                Incoming::End => return list,
                other => list.push(other),
            }
        }
    }

    #[test]
    fn messages_are_found_between_anything() {
        let good = b"Content-Length: 8\r\n\r\n{\"a\": 1}";
        let message = || Incoming::Message(json!({ "a": 1 }));
        let malformed = |list: &[Incoming]| matches!(list[0], Incoming::Malformed(_));
        assert_eq!(all(good), [message()]);
        assert_eq!(all(b"content-length:8\nContent-Type: x\n\n{\"a\": 1}"), [message()]);
        for bad in [
            &b"\r\n"[..],
            b"Content-Length: many\r\n\r\n",
            b"hello\r\n\r\n",
            b"Content-Length: 3\r\n\r\n{a}",
            b"Content-Length: 2\r\n\r\n\xFF\xFE",
            b"Content-Length: 0\r\n\r\n",
        ] {
            let list = all(&[bad, good].concat());
            assert!(list.len() == 2 && malformed(&list) && list[1] == message(), "{bad:?}: {list:?}");
        }
        let long = [&vec![b'x'; 100_000][..], b"\r\n", good].concat();
        assert_eq!(all(&long), [message()]);
    }

    #[test]
    fn lengths_are_not_believed() {
        assert_eq!(all(b"Content-Length: 99999999999999\r\n\r\nabc"), []);
        assert_eq!(all(b"Content-Length: 200000000\r\n\r\nabc"), []);
        assert_eq!(all(b"Content-Length: 5\r\n\r\nabc"), []);
        assert_eq!(all(b"Content-Le"), []);
    }
}
