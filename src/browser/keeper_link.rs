//! The daemon's end of `browser.sock`: from a socket path to a transport and the browser run behind it.
//!
//! Owns the handshake. Never starts a keeper: `launch` does.

use super::transport::Transport;
use crate::protocol::ids::BrowserRun;
use crate::protocol::keeper::{Control, Greeting, NulFrames};
use chromiumoxide::cdp::browser_protocol::target::SessionId;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;

/// The keeper answers at once; it waits this long only for an earlier client's connection to end.
const GREETING_LIMIT: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("no browser keeper answers at {path}: {source}")]
    Unreachable { path: PathBuf, source: io::Error },
    #[error("another process is connected to the browser")]
    Busy,
    #[error("the browser keeper did not answer within {0:?}")]
    Silent(Duration),
    #[error("the browser keeper's greeting is not readable: {0}")]
    Garbled(String),
}

/// A way to a kept browser.
pub struct KeeperLink {
    pub transport: Transport,
    pub run: BrowserRun,
    /// The browser's process.
    pub pid: u32,
    pub headless: bool,
    /// This connection's own browser session; everything attached through it ends with the connection.
    pub session: SessionId,
    pub first_id: u32,
}

/// Connects to the keeper and reads its greeting.
pub async fn connect(socket: &Path) -> Result<KeeperLink, LinkError> {
    let stream = UnixStream::connect(socket)
        .await
        .map_err(|source| LinkError::Unreachable { path: socket.to_owned(), source })?;
    let (reader, writer) = stream.into_split();
    let mut frames = NulFrames::new(reader);
    let first = tokio::time::timeout(GREETING_LIMIT, frames.next())
        .await
        .map_err(|_| LinkError::Silent(GREETING_LIMIT))?
        .map_err(|source| LinkError::Unreachable { path: socket.to_owned(), source })?
        .ok_or_else(|| LinkError::Unreachable { path: socket.to_owned(), source: closed() })?;
    match serde_json::from_slice(&first).map_err(|error| LinkError::Garbled(error.to_string()))? {
        Greeting::Busy => Err(LinkError::Busy),
        Greeting::Hello { pid, run, headless, session, first_id, .. } => Ok(KeeperLink {
            transport: Transport::from_frames(frames, writer),
            run,
            pid,
            headless,
            session: session.into(),
            first_id,
        }),
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it closed the connection")
}

/// Asks the keeper to end the browser, on a connection of its own. Returns once the keeper has closed it.
pub async fn stop(socket: &Path) -> io::Result<()> {
    let mut stream = UnixStream::connect(socket).await?;
    let mut message = serde_json::to_vec(&Control::Stop)?;
    message.push(0);
    stream.write_all(&message).await?;
    let mut frames = NulFrames::new(stream);
    while frames.next().await?.is_some() {}
    Ok(())
}
