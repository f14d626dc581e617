//! Lines of a plain or compressed text, within bounds.

use super::error::{Problem, RecordError};
use flate2::bufread::MultiGzDecoder;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

/// What a record may cost. The longest line of the oracle data has a quarter of a megabyte.
#[derive(Clone, Copy, Debug)]
pub struct RecordLimits {
    /// Longest line in bytes.
    pub line: usize,
    /// Most text of one playout in bytes: its steps are kept in memory together.
    pub playout: usize,
    /// Most text of one record in bytes, after decompression.
    pub total: u64,
}

impl Default for RecordLimits {
    /// 64 MiB a line, 128 MiB a playout, 1 GiB a record.
    fn default() -> RecordLimits {
        RecordLimits { line: 64 << 20, playout: 128 << 20, total: 1 << 30 }
    }
}

/// Reads line by line and counts.
pub(super) struct Lines {
    reader: Box<dyn BufRead>,
    compressed: bool,
    limits: RecordLimits,
    /// Number of the last line that was read, from one.
    line: usize,
    read: u64,
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("line", &self.line).field("read", &self.read).finish_non_exhaustive()
    }
}

impl Lines {
    /// Looks at the first bytes to see whether the text is compressed.
    pub(super) fn new(bytes: impl Read + 'static, limits: RecordLimits) -> Result<Lines, RecordError> {
        let mut reader = BufReader::new(bytes);
        let compressed = reader.fill_buf()?.starts_with(&[0x1F, 0x8B]);
        let reader: Box<dyn BufRead> =
            if compressed { Box::new(BufReader::new(MultiGzDecoder::new(reader))) } else { Box::new(reader) };
        Ok(Lines { reader, compressed, limits, line: 0, read: 0 })
    }

    /// The next line that is not blank, without its end; `None` at the end of the text.
    pub(super) fn next_line(&mut self) -> Result<Option<Vec<u8>>, RecordError> {
        loop {
            let mut buffer = Vec::new();
            // One byte more than allowed tells a line at the limit from one beyond it.
            let most = self.limits.line as u64 + 1;
            let read = (&mut *self.reader).take(most).read_until(b'\n', &mut buffer);
            let read = read.map_err(|error| self.failed(error))?;
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            self.count(read)?;
            if buffer.last() == Some(&b'\n') {
                buffer.pop();
            }
            if buffer.len() > self.limits.line {
                return Err(RecordError::LineTooLong { line: self.line, limit: self.limits.line });
            }
            if !buffer.trim_ascii().is_empty() {
                return Ok(Some(buffer));
            }
        }
    }

    /// Appends all that is left. It counts as one line against the limits.
    pub(super) fn rest(&mut self, text: &mut Vec<u8>) -> Result<(), RecordError> {
        text.push(b'\n');
        let most = (self.limits.line + 1).saturating_sub(text.len()) as u64;
        let read = (&mut *self.reader).take(most).read_to_end(text);
        let read = read.map_err(|error| self.failed(error))?;
        self.count(read)?;
        if text.len() > self.limits.line {
            return Err(RecordError::LineTooLong { line: self.line, limit: self.limits.line });
        }
        Ok(())
    }

    /// The finding `problem` about the last line that was read.
    pub(super) fn malformed(&self, problem: Problem) -> RecordError {
        RecordError::Malformed { line: self.line, problem }
    }

    /// Number of the last line that was read, from one.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn limits(&self) -> RecordLimits {
        self.limits
    }

    fn count(&mut self, read: usize) -> Result<(), RecordError> {
        self.read += read as u64;
        if self.read > self.limits.total {
            return Err(RecordError::TooLarge { limit: self.limits.total });
        }
        Ok(())
    }

    fn failed(&self, error: io::Error) -> RecordError {
        let damaged = matches!(
            error.kind(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
        );
        if self.compressed && damaged { RecordError::Gzip(error) } else { RecordError::Io(error) }
    }
}
