//! The daemon's end of `browser.sock`: connects to a home's keeper and returns a transport and the browser run behind
//! it.
//!
//! Owns the handshake. Never starts a keeper: `launch` does.

use super::transport::Transport;
use crate::devtools::target::SessionId;
use gstack_base::home::Home;
use gstack_base::profiles::ProfileName;
use gstack_base::proof::{self, Key};
use gstack_base::site_list::SiteList;
use gstack_protocol::ids::BrowserRun;
use gstack_protocol::keeper::{Control, Greeting, NulFrames, Purpose};
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// The keeper answers at once; it takes this long only if an earlier client's connection must end first.
const GREETING_LIMIT: Duration = Duration::from_secs(10);

/// The reasons why a keeper cannot be connected to.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The socket does not answer, the connection broke, or the keeper's key cannot be read.
    #[error("no browser keeper answers at {path}: {source}")]
    Unreachable {
        /// The path of the socket.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The keeper did not accept this process's proof.
    #[error("the open browser does not accept this daemon")]
    Refused,
    /// The program at the socket did not prove that it knows the secret.
    #[error("the program at {path} could not prove that it keeps this browser")]
    Impostor {
        /// The path of the socket.
        path: PathBuf,
    },
    /// The keeper is serving another client.
    #[error("another process is connected to the browser")]
    Busy,
    /// The keeper did not answer within this time.
    #[error("the browser keeper did not answer within {0:?}")]
    Silent(Duration),
    /// The keeper sent a message that is not part of the handshake. The text says what is wrong.
    #[error("the browser keeper's greeting is not readable: {0}")]
    Garbled(String),
}

/// A connection to a kept browser.
pub struct KeeperLink {
    /// The DevTools connection.
    pub transport: Transport,
    /// The run of the browser.
    pub run: BrowserRun,
    /// The process id of the browser.
    pub pid: u32,
    /// Whether the browser has no window.
    pub headless: bool,
    /// The only sites that the browser reaches.
    pub only_sites: SiteList,
    /// The profile of the browser.
    pub profile: ProfileName,
    /// This connection's own browser session; everything attached through it ends with the connection.
    pub session: SessionId,
    /// The first message id to use. Earlier ones belong to earlier clients.
    pub first_id: u32,
}

/// A connection to the keeper and the data for the proof of both sides.
struct Known {
    frames: NulFrames<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    path: PathBuf,
    key: Key,
    challenge: String,
    nonce: String,
}

/// Connects to the keeper, proves that this is the user's daemon, and reads the greeting.
///
/// # Errors
///
/// Fails if no keeper answers on this home's socket, it serves another client, or one side cannot prove that it knows
/// the secret.
pub async fn connect(home: &Home) -> Result<KeeperLink, LinkError> {
    let mut known = introduce(home, Purpose::Attach).await?;
    match known.next().await? {
        Greeting::Busy => Err(LinkError::Busy),
        Greeting::Refused => Err(LinkError::Refused),
        Greeting::Challenge { .. } => Err(LinkError::Garbled("it asks twice".to_owned())),
        Greeting::Hello { pid, run, headless, only_sites, profile, proof, session, first_id, .. } => {
            if !known.key.accepts(Greeting::PROOF, &[&known.challenge, &known.nonce], &proof) {
                return Err(LinkError::Impostor { path: known.path });
            }
            Ok(KeeperLink {
                transport: Transport::from_frames(known.frames, known.writer),
                run,
                pid,
                headless,
                only_sites: SiteList::parse(&only_sites).map_err(|error| LinkError::Garbled(error.to_string()))?,
                profile: ProfileName::parse(&profile).unwrap_or_default(),
                session: session.into(),
                first_id,
            })
        }
    }
}

/// Asks the keeper, on a separate connection, to end the browser. Returns once the keeper has closed that connection.
///
/// # Errors
///
/// Fails if no keeper answers on this home's socket, or it does not accept the proof.
pub async fn stop(home: &Home) -> Result<(), LinkError> {
    let mut known = introduce(home, Purpose::Stop).await?;
    let path = known.path;
    while let Some(said) =
        known.frames.next().await.map_err(|source| LinkError::Unreachable { path: path.clone(), source })?
    {
        if serde_json::from_slice(&said).is_ok_and(|said: Greeting| said == Greeting::Refused) {
            return Err(LinkError::Refused);
        }
    }
    Ok(())
}

/// Connects and answers the keeper's challenge.
async fn introduce(home: &Home, purpose: Purpose) -> Result<Known, LinkError> {
    let path = home.browser_socket();
    let unreachable = |source| LinkError::Unreachable { path: home.browser_socket(), source };
    let (reader, writer) = UnixStream::connect(&path).await.map_err(unreachable)?.into_split();
    // The keeper writes the key before it listens.
    let key = Key::read(&home.keeper_key()).map_err(unreachable)?;
    let (challenge, nonce) = (String::new(), proof::nonce());
    let mut known = Known { frames: NulFrames::new(reader), writer, path, key, challenge, nonce };
    known.challenge = match known.next().await? {
        Greeting::Challenge { nonce } => nonce,
        Greeting::Refused => return Err(LinkError::Refused),
        _ => return Err(LinkError::Impostor { path: known.path }),
    };
    let proof = known.key.proof(purpose.name(), &[&known.challenge, &known.nonce]);
    let answer = Control::Prove { purpose, nonce: known.nonce.clone(), proof };
    let mut message = serde_json::to_vec(&answer).map_err(|error| unreachable(error.into()))?;
    message.push(0);
    known.writer.write_all(&message).await.map_err(unreachable)?;
    Ok(known)
}

impl Known {
    async fn next(&mut self) -> Result<Greeting, LinkError> {
        let unreachable = |source| LinkError::Unreachable { path: self.path.clone(), source };
        let said = tokio::time::timeout(GREETING_LIMIT, self.frames.next())
            .await
            .map_err(|_| LinkError::Silent(GREETING_LIMIT))?
            .map_err(unreachable)?
            .ok_or_else(|| unreachable(closed()))?;
        serde_json::from_slice(&said).map_err(|error| LinkError::Garbled(error.to_string()))
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it closed the connection")
}
