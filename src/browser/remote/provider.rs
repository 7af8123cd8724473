//! The interface of everything that provides a browser on another machine.
//!
//! A provider opens a browser; the `RemoteSession` that comes with it keeps it alive and gives it back.

use super::error::RemoteError;
use super::files::FileSystem;
use crate::transport::Transport;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Provides a browser.
pub trait Provider: Send + Sync {
    /// Returns the name of its kind: `cdp`, `grid`, `browserless`.
    fn kind(&self) -> &'static str;
    /// Returns the redacted address, for people.
    fn shown(&self) -> String;
    /// Returns true if others on the network can read and change the traffic.
    fn is_readable_on_the_way(&self) -> bool;
    /// Reserves a browser there.
    fn reserve<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Arc<dyn RemoteSession>, NotReserved>>;
    /// Returns true if the other machine can report the outcome of a request that gstack stopped waiting for.
    fn finds_requests(&self) -> bool {
        false
    }
    /// Ends what came of such a request. Returns when nothing can come of it any more.
    fn withdraw<'a>(&'a self, _name: &'a str) -> BoxFuture<'a, Result<(), RemoteError>> {
        Box::pin(async { Ok(()) })
    }
    /// Releases a session that an earlier daemon left, by its id.
    fn release_left<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<(), RemoteError>>;
}

/// A request for a browser.
pub struct Request {
    /// The other machine shows it with the session, if it keeps such names. Unique.
    pub name: String,
    /// Cancelled when the daemon ends. A request that `withdraw` finds again then ends at once; any other is waited
    /// for, so that what it creates can be released.
    pub unneeded: CancellationToken,
}

/// Why no browser was reserved.
#[derive(Debug)]
pub struct NotReserved {
    /// The reason.
    pub error: RemoteError,
    /// True if the request may still create a session, which `withdraw` ends.
    pub is_open: bool,
}

impl From<RemoteError> for NotReserved {
    fn from(error: RemoteError) -> Self {
        Self { error, is_open: false }
    }
}

/// A reserved browser. It stays reserved until `release`; dropping this does not release it.
pub trait RemoteSession: Send + Sync {
    /// Returns what is known about it.
    fn facts(&self) -> &Facts;
    /// Returns the machine that it runs on, redacted. A Grid tells it once the session is opened.
    fn node(&self) -> Option<String> {
        self.facts().node.clone()
    }
    /// Returns true if the browser was reserved for us, so that it ends once it is given back. By default it does if a session has
    /// to be released.
    fn ends_with_us(&self) -> bool {
        self.facts().session.is_some()
    }
    /// Opens the DevTools connection.
    fn open(&self) -> BoxFuture<'_, Result<Opened, RemoteError>>;
    /// Reports to the provider that the browser is still in use. By default the open connection does.
    fn keep_alive(&self) -> BoxFuture<'_, Result<(), RemoteError>> {
        Box::pin(async { Ok(()) })
    }
    /// Gives the browser back. A session that has ended already counts as released. By default nothing was reserved.
    fn release(&self) -> BoxFuture<'_, Result<(), RemoteError>> {
        Box::pin(async { Ok(()) })
    }
}

/// An open DevTools connection.
pub struct Opened {
    /// The messages.
    pub transport: Transport,
    /// How files get there.
    pub files: FileSystem,
}

/// The description of a remote browser that `status` shows. Has no secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The redacted address.
    pub at: String,
    /// The provider's id of the session, if one was created and must be released.
    pub session: Option<String>,
    /// The Grid's node, or the place that the provider names.
    pub node: Option<String>,
    /// The redacted address where a person can watch it.
    pub view: Option<String>,
}
