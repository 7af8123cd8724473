//! A connection on `browser.sock`, from the keeper's side.
//!
//! Owns the framing. `door` decides who may connect. Never reads a DevTools message beyond its id.

use bytes::Bytes;
use gstack_protocol::keeper::{Control, Greeting, KEEPER_IDS, NulFrames};
use std::io;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// Messages up to this size are sent in one write with their NUL.
const COPIED: usize = 64 * 1024;
/// The memory limit for a client that has not proven itself, in bytes.
const LONGEST_PROOF: usize = 4096;

pub(super) struct Client {
    pub(super) reader: ClientReader,
    pub(super) writer: ClientWriter,
}

pub(super) struct ClientReader {
    frames: NulFrames<OwnedReadHalf>,
}

pub(super) struct ClientWriter {
    stream: OwnedWriteHalf,
    scratch: Vec<u8>,
}

impl Client {
    pub(super) fn new(stream: UnixStream) -> Self {
        let (reader, stream) = stream.into_split();
        let reader = ClientReader { frames: NulFrames::new(reader) };
        Self { reader, writer: ClientWriter { stream, scratch: Vec::new() } }
    }
}

impl ClientReader {
    /// Reads the client's first message: its proof.
    pub(super) async fn first(&mut self) -> io::Result<Control> {
        let message = self.frames.next_within(LONGEST_PROOF).await?.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(serde_json::from_slice(&message)?)
    }
    /// Returns the next message for the browser and its id, or `None` if the client has disconnected. Cancel safe.
    pub(super) async fn next(&mut self) -> io::Result<Option<(Bytes, u32)>> {
        let Some(message) = self.frames.next().await? else { return Ok(None) };
        read(message).map(Some).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a DevTools message"))
    }
}

impl ClientWriter {
    pub(super) async fn greet(&mut self, greeting: &Greeting) -> io::Result<()> {
        let message = serde_json::to_vec(greeting)?;
        self.send(&message).await
    }
    /// Sends a whole message. If this is dropped before its end, the client must be dropped too.
    pub(super) async fn send(&mut self, message: &[u8]) -> io::Result<()> {
        if message.len() > COPIED {
            self.stream.write_all(message).await?;
            return self.stream.write_all(&[0]).await;
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(message);
        self.scratch.push(0);
        self.stream.write_all(&self.scratch).await
    }
}

/// Parses the id. Our own clients write it first, so that nothing else needs to be parsed.
fn read(message: Bytes) -> Option<(Bytes, u32)> {
    let digits = message.strip_prefix(br#"{"id":"#)?;
    let length = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    let id = std::str::from_utf8(&digits[..length]).ok()?.parse().ok().filter(|id| *id < KEEPER_IDS)?;
    Some((message, id))
}

#[cfg(test)]
mod tests {
    use super::read;
    use bytes::Bytes;

    #[test]
    fn only_messages_with_an_id_of_the_clients_range_pass() {
        let message = Bytes::from_static(br#"{"id":12,"method":"Browser.getVersion","params":{}}"#);
        assert_eq!(read(message.clone()), Some((message, 12)));
        for refused in
            [&br#"{"id":2000000000,"method":"X.y"}"#[..], br#"{"method":"X.y","id":1}"#, br#"{"keeper":"stop"}"#, b""]
        {
            assert_eq!(read(Bytes::from_static(refused)), None);
        }
    }
}
