//! One connection on `browser.sock`, from the keeper's side.
//!
//! Owns the check of who connects and the framing towards them. Never looks into a DevTools message beyond its id.

use crate::protocol::keeper::{Control, Greeting, KEEPER_IDS, NulFrames};
use bytes::Bytes;
use std::io;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// Messages up to this size go out in one write with their NUL.
const COPIED: usize = 64 * 1024;

/// What a client says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A message for the browser, and its id.
    Message(Bytes, u32),
    Stop,
}

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
    /// Takes a connection of this user; anybody else's is refused without a word.
    pub(super) fn accept(stream: UnixStream) -> io::Result<Self> {
        let peer = stream.peer_cred()?.uid();
        if peer != rustix::process::geteuid().as_raw() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("uid {peer} is not the owner")));
        }
        let (reader, stream) = stream.into_split();
        let reader = ClientReader { frames: NulFrames::new(reader) };
        Ok(Self { reader, writer: ClientWriter { stream, scratch: Vec::new() } })
    }
}

impl ClientReader {
    /// The next thing that the client says; `None` once it is gone. Cancel safe.
    pub(super) async fn next(&mut self) -> io::Result<Option<Said>> {
        let Some(message) = self.frames.next().await? else { return Ok(None) };
        read(message).map(Some).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "neither DevTools nor ours"))
    }
}

impl ClientWriter {
    pub(super) async fn greet(&mut self, greeting: &Greeting) -> io::Result<()> {
        let message = serde_json::to_vec(greeting)?;
        self.send(&message).await
    }
    /// Sends a whole message. When this is dropped in between, the client must be too.
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

/// Our own clients write the id first, so that nothing else needs to be read.
fn read(message: Bytes) -> Option<Said> {
    if message.starts_with(br#"{"keeper""#) {
        let Control::Stop = serde_json::from_slice(&message).ok()?;
        return Some(Said::Stop);
    }
    let digits = message.strip_prefix(br#"{"id":"#)?;
    let length = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    let id = std::str::from_utf8(&digits[..length]).ok()?.parse().ok().filter(|id| *id < KEEPER_IDS)?;
    Some(Said::Message(message, id))
}

#[cfg(test)]
mod tests {
    use super::{Said, read};
    use bytes::Bytes;

    #[test]
    fn only_messages_with_an_id_of_the_clients_range_pass() {
        let message = Bytes::from_static(br#"{"id":12,"method":"Browser.getVersion","params":{}}"#);
        assert_eq!(read(message.clone()), Some(Said::Message(message, 12)));
        assert_eq!(read(Bytes::from_static(br#"{"keeper":"stop"}"#)), Some(Said::Stop));
        for refused in
            [&br#"{"id":2000000000,"method":"X.y"}"#[..], br#"{"method":"X.y","id":1}"#, br#"{"keeper":"dance"}"#, b""]
        {
            assert_eq!(read(Bytes::from_static(refused)), None);
        }
    }
}
