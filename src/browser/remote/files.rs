//! Files between this machine and a browser on another one.
//!
//! Owns the interface. A Grid moves files by its own endpoints; without any, a page gets contents by DevTools.

use super::error::RemoteError;
use futures_util::future::BoxFuture;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// Moves files to and from the machine of a browser.
pub trait RemoteFiles: Debug + Send + Sync {
    /// Copies a file there and returns its path there.
    fn send<'a>(&'a self, file: &'a Path) -> BoxFuture<'a, Result<String, RemoteError>>;
    /// Returns the content of a file that the browser downloaded there under this name.
    fn fetch<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<u8>, RemoteError>>;
}

/// The file system of a browser.
#[derive(Clone, Debug, Default)]
pub enum FileSystem {
    /// The browser reads and writes our files by their paths.
    #[default]
    Ours,
    /// It is on another machine. `None`: nothing there moves files.
    Remote(Option<Arc<dyn RemoteFiles>>),
}
