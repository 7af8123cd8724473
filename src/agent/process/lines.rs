//! Splits a byte stream into lines: any chunking, many megabytes per line, with a hard limit.
//!
//! Owns the splitting. Never parses a line, and never holds more than the limit.

use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The longest line. A screenshot as base64 is a few MiB, and agents send nothing longer.
pub const LONGEST_LINE: usize = 32 * 1024 * 1024;

/// Reads lines. Fails at a line that exceeds the limit: what it said is unknown.
pub struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    longest: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn new(reader: R) -> Self {
        Self::with_longest(reader, LONGEST_LINE)
    }

    pub fn with_longest(reader: R, longest: usize) -> Self {
        Self { reader: BufReader::with_capacity(64 * 1024, reader), line: Vec::new(), longest }
    }

    /// Returns the next line without its line break, with invalid UTF-8 replaced by U+FFFD; `None` at the end of the
    /// stream. Cancel safe: a partially read line is kept.
    ///
    /// # Errors
    ///
    /// Fails if the stream can't be read, and for a line that is too long.
    pub async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok((!self.line.is_empty()).then(|| self.take()));
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = end.map_or(chunk, |at| &chunk[..at]);
            if self.line.len() + part.len() > self.longest {
                let said = format!("it sent a line of more than {} MiB", self.longest / (1024 * 1024));
                return Err(io::Error::new(io::ErrorKind::InvalidData, said));
            }
            self.line.extend_from_slice(part);
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    /// Returns the text of the line. Does not keep a large buffer for the small lines that follow.
    fn take(&mut self) -> String {
        let mut bytes = std::mem::take(&mut self.line);
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;
    use tokio::io::AsyncWriteExt;

    async fn read_all(chunks: &[&[u8]], longest: usize) -> Vec<String> {
        let (mut writer, reader) = tokio::io::duplex(3);
        let chunks: Vec<Vec<u8>> = chunks.iter().map(|chunk| chunk.to_vec()).collect();
        let sent = tokio::spawn(async move {
            for chunk in chunks {
                writer.write_all(&chunk).await.unwrap();
            }
        });
        let mut lines = Lines::with_longest(reader, longest);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        sent.await.unwrap();
        all
    }

    #[tokio::test]
    async fn characters_across_chunks_stay_whole() {
        let text = "grüße 🎉\nsecond\r\n\nlast".as_bytes();
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(read_all(&bytes, 100).await, ["grüße 🎉", "second", "", "last"]);
    }

    #[tokio::test]
    async fn a_line_beyond_the_cap_is_an_error_and_its_rest_is_not_read_as_one() {
        let mut lines = Lines::with_longest(&b"ok\n0123456789\nok\n"[..], 5);
        assert_eq!(lines.next().await.unwrap().as_deref(), Some("ok"));
        for _ in 0..2 {
            assert!(lines.next().await.is_err());
        }
    }
}
