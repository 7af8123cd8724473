//! The messages between the browser's keeper and its only client, besides the browser's own messages.
//!
//! Owns the launch plan, the report to the process that starts the keeper, the handshake on `browser.sock`, and the
//! NUL-terminated framing shared by the DevTools pipe and the socket. Never parses a DevTools message.

use super::ids::BrowserRun;
use bytes::{Bytes, BytesMut};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::io;
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The environment variable that identifies the browser run; native messaging hosts inherit it.
pub const BROWSER_VARIABLE: &str = "GSTACK_BROWSER";
/// Ids from this one on belong to the keeper; a client restarts at 1 before it reaches them. DevTools ids are signed
/// 32-bit numbers.
pub const KEEPER_IDS: u32 = 2_000_000_000;

/// The program to start, read from the keeper's stdin as one JSON document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaunchPlan {
    /// The id of this run of the browser.
    pub run: BrowserRun,
    /// The browser's program.
    pub executable: PathBuf,
    /// The browser's arguments.
    pub args: Vec<String>,
    /// Added to the keeper's own environment.
    pub env: BTreeMap<String, String>,
    /// Whether the browser has no window.
    pub headless: bool,
    /// The only sites that the browser reaches, as they are written in the settings; empty: every site.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub only_sites: String,
    /// The path of the Unix socket on which the keeper serves clients.
    pub socket: PathBuf,
    /// The file where the keeper writes the secret that its clients must prove to know.
    pub key: PathBuf,
    /// Locked (flock) while the keeper runs.
    pub lock: PathBuf,
    /// The browser's profile; `None` from older releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<PlannedProfile>,
}

/// A profile that only one browser may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedProfile {
    /// The profile's name.
    pub name: String,
    /// Locked (flock) while the keeper runs.
    pub lock: PathBuf,
    /// The instance that the browser belongs to, which is written into the lock's file.
    pub holder: String,
}

/// The keeper's only line on stdout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "kebab-case")]
pub enum KeeperReport {
    /// The browser responds and the socket listens.
    Ready {
        /// The browser's process id.
        pid: u32,
        /// The id of this run of the browser.
        run: BrowserRun,
    },
    /// Another keeper holds the lock; connect to its socket.
    AlreadyRunning,
    /// The browser of another instance uses the profile.
    ProfileInUse {
        /// The name of that instance, if it is known.
        holder: Option<String>,
    },
    /// The browser did not start. `detail` ends with its last stderr output.
    Failed {
        /// What went wrong.
        message: String,
        /// The browser's last stderr output; empty if it never ran.
        detail: String,
    },
}

/// The keeper's messages on `browser.sock`: first a challenge, then the result once the client has proven itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "keeper", rename_all = "kebab-case")]
pub enum Greeting {
    /// The first message. The client proves that it knows the secret in `keeper.key` with an HMAC over this nonce.
    Challenge {
        /// The keeper's random text for this connection.
        nonce: String,
    },
    /// The proof is wrong. The keeper closes the connection.
    Refused,
    /// From now on, messages of the browser and of the client pass through unchanged.
    #[serde(rename_all = "camelCase")]
    Hello {
        /// The protocol version that the keeper's program speaks.
        version: u32,
        /// The browser's process id.
        pid: u32,
        /// The id of this run of the browser.
        run: BrowserRun,
        /// Whether the browser has no window.
        headless: bool,
        /// As in the launch plan.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        only_sites: String,
        /// The name of the profile; empty from older releases, which had only the default one.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        profile: String,
        /// Proves that the keeper knows the secret too, over both nonces ([`Greeting::PROOF`]).
        proof: String,
        /// This client's own browser session, used for commands to the browser itself.
        session: String,
        /// The client counts its message ids from here, so that it never accepts a late reply to an earlier client.
        first_id: u32,
    },
    /// The keeper is serving another client.
    Busy,
}

impl Greeting {
    /// The purpose string of the keeper's own proof.
    pub const PROOF: &str = "gstack keeper";
}

/// A client's first message, the only one for the keeper itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "keeper", rename_all = "kebab-case")]
pub enum Control {
    /// `proof` covers the challenge, this nonce and the purpose.
    Prove {
        /// What the client wants.
        purpose: Purpose,
        /// The client's own random text, which the keeper's proof covers too.
        nonce: String,
        /// The HMAC, as text.
        proof: String,
    },
}

/// What a client of the keeper wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// To drive the browser.
    Attach,
    /// To end the browser and the keeper.
    Stop,
}

impl Purpose {
    /// Returns the purpose that a proof is made for. A proof for one purpose is not valid for another.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attach => "gstack client attach",
            Self::Stop => "gstack client stop",
        }
    }
}

/// Splits a byte stream into NUL-terminated messages, and drops those that are too long. Cancel safe: data already read
/// is kept.
#[derive(Debug)]
pub struct NulFrames<R> {
    stream: R,
    buffer: BytesMut,
    /// The length of the prefix of `buffer` without a NUL, so that large messages are searched only once.
    searched: usize,
    longest: usize,
    /// Set until the end of a message that is too long.
    dropping: bool,
}

/// Chromium accepts 100 MiB, but what it sends (a PDF, a screenshot of a whole page) may be larger. A longer message is
/// dropped, and its command times out: a page cannot make gstack use more memory, or crash the browser this way.
const LONGEST_MESSAGE: usize = 256 * 1024 * 1024;
/// Enough to read most batches of events at once.
const READ_SIZE: usize = 64 * 1024;

impl<R: AsyncRead + Unpin> NulFrames<R> {
    /// Reads from `stream`, and drops messages longer than 256 MiB.
    pub fn new(stream: R) -> Self {
        Self::with_longest(stream, LONGEST_MESSAGE)
    }

    fn with_longest(stream: R, longest: usize) -> Self {
        Self { stream, buffer: BytesMut::new(), searched: 0, longest, dropping: false }
    }

    /// Returns the next message without its NUL, or `None` at the end of the stream. Drops an incomplete last message.
    ///
    /// # Errors
    ///
    /// Fails if the stream cannot be read.
    pub async fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            // Uses the standard library's memchr, because messages can have megabytes.
            if let Ok(text) = CStr::from_bytes_until_nul(&self.buffer[self.searched..]) {
                let end = self.searched + text.count_bytes();
                let mut message = self.buffer.split_to(end + 1);
                message.truncate(end);
                self.searched = 0;
                if std::mem::take(&mut self.dropping) || message.len() > self.longest {
                    tracing::warn!(longest = self.longest, "dropped a message that was too long");
                    continue;
                }
                return Ok(Some(message.freeze()));
            }
            self.searched = self.buffer.len();
            if self.dropping || self.searched > self.longest {
                self.dropping = true;
                self.searched = 0;
                self.buffer = BytesMut::new();
            }
            if !self.read_more().await? {
                return Ok(None);
            }
        }
    }

    /// Returns the next message.
    ///
    /// # Errors
    ///
    /// Fails if the message is longer than `most` bytes, without reading more of it, or if the stream cannot be read.
    pub async fn next_within(&mut self, most: usize) -> io::Result<Option<Bytes>> {
        let too_long = || io::Error::new(io::ErrorKind::InvalidData, format!("a message of more than {most} bytes"));
        while !self.buffer.contains(&0) {
            if self.buffer.len() > most {
                return Err(too_long());
            }
            if !self.read_more().await? {
                return Ok(None);
            }
        }
        self.next().await?.filter(|message| message.len() <= most).map(Some).ok_or_else(too_long)
    }

    /// Returns false at the end of the stream.
    async fn read_more(&mut self) -> io::Result<bool> {
        self.buffer.reserve(READ_SIZE);
        Ok(self.stream.read_buf(&mut self.buffer).await? > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Control, Greeting, NulFrames, Purpose};
    use crate::ids::BrowserRun;

    #[tokio::test]
    async fn messages_are_cut_at_nul_and_a_cut_off_one_is_dropped() {
        let mut frames = NulFrames::new(&b"{\"a\":1}\0\0{\"b\":2}\0{\"cut"[..]);
        assert_eq!(frames.next().await.unwrap().as_deref(), Some(&b"{\"a\":1}"[..]));
        assert_eq!(frames.next().await.unwrap().as_deref(), Some(&b""[..]));
        assert_eq!(frames.next().await.unwrap().as_deref(), Some(&b"{\"b\":2}"[..]));
        assert_eq!(frames.next().await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_message_that_is_too_long_is_dropped_and_the_next_one_comes() {
        let long = "x".repeat(100_000);
        for text in [format!("{long}\0next\0"), format!("a\0{long}\0next\0"), format!("{long}\0{long}\0next\0{long}")] {
            let mut frames = NulFrames::with_longest(text.as_bytes(), 1000);
            let mut got = Vec::new();
            while let Some(message) = frames.next().await.unwrap() {
                got.push(message);
            }
            assert_eq!(got.last().unwrap(), "next", "{}", got.len());
            assert!(frames.buffer.capacity() < 100_000, "{}", frames.buffer.capacity());
        }
    }

    #[tokio::test]
    async fn what_proves_nothing_yet_is_read_no_further_than_a_proof_is_long() {
        let long = "x".repeat(100_000);
        for text in [long.clone(), format!("{long}\0"), format!("{}\0", &long[..11])] {
            let mut frames = NulFrames::new(text.as_bytes());
            assert!(frames.next_within(10).await.is_err(), "{}", text.len());
        }
        let mut frames = NulFrames::new(&b"1234567890\0rest\0"[..]);
        assert_eq!(frames.next_within(10).await.unwrap().as_deref(), Some(&b"1234567890"[..]));
        assert_eq!(frames.next().await.unwrap().as_deref(), Some(&b"rest"[..]));
    }

    #[test]
    fn a_newer_releases_messages_are_understood() {
        let challenge = r#"{"keeper":"challenge","nonce":"n","algorithm":"sha256"}"#;
        assert_eq!(serde_json::from_str::<Greeting>(challenge).unwrap(), Greeting::Challenge { nonce: "n".to_owned() });
        let prove = r#"{"keeper":"prove","purpose":"attach","nonce":"n","proof":"p","release":"9.0.0"}"#;
        let Control::Prove { purpose, .. } = serde_json::from_str(prove).unwrap();
        assert_eq!(purpose, Purpose::Attach);
    }

    #[test]
    fn spelling() {
        let stop = Control::Prove { purpose: Purpose::Stop, nonce: "n".to_owned(), proof: "p".to_owned() };
        let text = r#"{"keeper":"prove","purpose":"stop","nonce":"n","proof":"p"}"#;
        assert_eq!(serde_json::to_string(&stop).unwrap(), text);
        let hello = Greeting::Hello {
            version: 1,
            pid: 7,
            run: BrowserRun::new("r"),
            headless: true,
            only_sites: String::new(),
            profile: String::new(),
            proof: "p".to_owned(),
            session: "S".to_owned(),
            first_id: 1,
        };
        assert_eq!(
            serde_json::to_string(&hello).unwrap(),
            r#"{"keeper":"hello","version":1,"pid":7,"run":"r","headless":true,"proof":"p","session":"S","firstId":1}"#
        );
    }
}
