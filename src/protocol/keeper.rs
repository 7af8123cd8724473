//! What the browser's keeper and its one client say to each other, beside the browser's own messages.
//!
//! Owns the launch plan, the report to the starter, the greeting on `browser.sock`, and the NUL-ended framing
//! that the DevTools pipe and the socket share. Never looks into a DevTools message.

use super::ids::BrowserRun;
use bytes::{Bytes, BytesMut};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::io;
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The hidden role's name: the binary's first argument.
pub const KEEPER_ROLE: &str = "browser-keeper";
/// Names the browser run in the browser's environment; native hosts inherit it.
pub const BROWSER_VARIABLE: &str = "GSTACK_BROWSER";
/// Ids from here on are the keeper's own; a client starts again at 1 before it gets here.
/// DevTools takes ids as 32-bit signed numbers.
pub const KEEPER_IDS: u32 = 2_000_000_000;

/// What to start, on the keeper's stdin as one JSON document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaunchPlan {
    pub run: BrowserRun,
    pub executable: PathBuf,
    pub args: Vec<String>,
    /// Added to the keeper's own environment.
    pub env: BTreeMap<String, String>,
    pub headless: bool,
    pub socket: PathBuf,
    /// Held (flock) while the keeper lives.
    pub lock: PathBuf,
}

/// The keeper's only line on stdout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "kebab-case")]
pub enum KeeperReport {
    /// The browser answers and the socket listens.
    Ready { pid: u32, run: BrowserRun },
    /// Another keeper holds the lock: connect to its socket.
    AlreadyRunning,
    /// The browser did not start. `detail` ends with what it wrote to stderr last.
    Failed { message: String, detail: String },
}

/// The first message on `browser.sock`, from the keeper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "keeper", rename_all = "kebab-case")]
pub enum Greeting {
    /// From now on the browser's messages come as they are, and the client's go as they are.
    #[serde(rename_all = "camelCase")]
    Hello {
        version: u32,
        /// The browser's process.
        pid: u32,
        run: BrowserRun,
        headless: bool,
        /// This client's own browser session: commands to the browser itself carry it.
        session: String,
        /// The client counts its message ids up from here, so that a late reply to an earlier client is never taken.
        first_id: u32,
    },
    /// Another client is served.
    Busy,
}

/// A client's word to the keeper itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "keeper", rename_all = "kebab-case")]
pub enum Control {
    /// End the browser and the keeper.
    Stop,
}

/// Cuts a byte stream into whole NUL-ended messages. Cancel safe: what was read is kept.
#[derive(Debug)]
pub struct NulFrames<R> {
    stream: R,
    buffer: BytesMut,
    /// How much of `buffer` is known to hold no NUL, so that a large message is searched once.
    searched: usize,
}

/// Enough for most batches of events in one read.
const READ_SIZE: usize = 64 * 1024;

impl<R: AsyncRead + Unpin> NulFrames<R> {
    pub fn new(stream: R) -> Self {
        Self { stream, buffer: BytesMut::new(), searched: 0 }
    }

    /// The next message without its NUL; `None` at the end of the stream. A cut-off message at the end is dropped.
    pub async fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            // The standard library's own memchr: messages run to megabytes.
            if let Ok(text) = CStr::from_bytes_until_nul(&self.buffer[self.searched..]) {
                let end = self.searched + text.count_bytes();
                let mut message = self.buffer.split_to(end + 1);
                message.truncate(end);
                self.searched = 0;
                return Ok(Some(message.freeze()));
            }
            self.searched = self.buffer.len();
            self.buffer.reserve(READ_SIZE);
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Control, Greeting, NulFrames};
    use crate::protocol::ids::BrowserRun;

    #[tokio::test]
    async fn messages_are_cut_at_nul_and_a_cut_off_one_is_dropped() {
        let mut frames = NulFrames::new(&b"{\"a\":1}\0\0{\"b\":2}\0{\"cut"[..]);
        assert_eq!(frames.next().await.unwrap().as_deref(), Some(&b"{\"a\":1}"[..]));
        assert_eq!(frames.next().await.unwrap().as_deref(), Some(&b""[..]));
        assert_eq!(frames.next().await.unwrap().as_deref(), Some(&b"{\"b\":2}"[..]));
        assert_eq!(frames.next().await.unwrap(), None);
    }

    #[test]
    fn spelling() {
        assert_eq!(serde_json::to_string(&Control::Stop).unwrap(), r#"{"keeper":"stop"}"#);
        let hello = Greeting::Hello {
            version: 1,
            pid: 7,
            run: BrowserRun::new("r"),
            headless: true,
            session: "S".to_owned(),
            first_id: 1,
        };
        assert_eq!(
            serde_json::to_string(&hello).unwrap(),
            r#"{"keeper":"hello","version":1,"pid":7,"run":"r","headless":true,"session":"S","firstId":1}"#
        );
    }
}
