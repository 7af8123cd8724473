//! `remote-sessions.json`: the sessions that were created on other machines and are not yet released.
//!
//! Owns the file. An entry is written before its session is used and removed once it is released, so that the next
//! daemon can release what a killed one left; so is a request for one, if the other machine tells what became of it. Holds
//! no secret: an entry names its endpoint in `config.toml`.

use gstack_base::atomic;
use gstack_base::home::Home;
use gstack_base::mutex::lock;
use gstack_protocol::remote::RemoteBrowser;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Mutex;
use std::{fs, io};

/// One session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RemoteEntry {
    pub(super) browser: RemoteBrowser,
    /// The provider's id, or the name of the request.
    pub(super) session: String,
    /// Set until the request is answered: when it was sent, in ms since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) requested: Option<u64>,
}

pub(super) struct RemoteRecord {
    file: PathBuf,
    entries: Mutex<Entries>,
    /// Held while sessions are released, so that two tasks never release the same one.
    pub(super) releasing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Entries {
    /// Of earlier daemons, and those of this one that could not be released.
    left: Vec<RemoteEntry>,
    /// Of this one.
    held: Vec<RemoteEntry>,
}

impl RemoteRecord {
    pub(super) fn open(home: &Home) -> Self {
        let file = home.remote_sessions_file();
        let left = match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, "the record of sessions on other machines can't be read");
                Vec::new()
            }),
            Err(_) => Vec::new(),
        };
        Self { file, entries: Mutex::new(Entries { left, held: Vec::new() }), releasing: tokio::sync::Mutex::default() }
    }

    /// Returns the sessions that are not in use and not yet released.
    pub(super) fn left(&self) -> Vec<RemoteEntry> {
        lock(&self.entries).left.clone()
    }

    /// Records a session of this daemon.
    pub(super) fn add(&self, entry: RemoteEntry) -> io::Result<()> {
        let mut entries = lock(&self.entries);
        entries.held.push(entry);
        self.write(&entries)
    }

    /// Records the session that a request of this daemon has created.
    pub(super) fn add_created(&self, entry: RemoteEntry, request: &str) -> io::Result<()> {
        let mut entries = lock(&self.entries);
        entries.held.retain(|held| held.session != request);
        entries.held.push(entry);
        self.write(&entries)
    }

    /// Removes a session that was released.
    pub(super) fn remove(&self, session: &str) {
        let mut entries = lock(&self.entries);
        entries.left.retain(|entry| entry.session != session);
        entries.held.retain(|entry| entry.session != session);
        if let Err(error) = self.write(&entries) {
            tracing::warn!(%error, "the record of sessions on other machines can't be written");
        }
    }

    /// Notes that a session of this daemon could not be released.
    pub(super) fn leave(&self, session: &str) {
        let entries = &mut *lock(&self.entries);
        entries.left.extend(entries.held.extract_if(.., |entry| entry.session == session));
    }

    fn write(&self, entries: &Entries) -> io::Result<()> {
        let all: Vec<&RemoteEntry> = entries.left.iter().chain(&entries.held).collect();
        if all.is_empty() {
            return match fs::remove_file(&self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        atomic::write(&self.file, &serde_json::to_vec(&all)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_known_to_the_next_daemon_until_it_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let browser = RemoteBrowser::Cdp("team".to_owned());
        let entry = RemoteEntry { browser, session: "s1".to_owned(), requested: None };
        let record = RemoteRecord::open(&home);
        record.add(entry.clone()).unwrap();
        assert!(record.left().is_empty(), "it is this daemon's own");
        record.leave("s2");
        assert!(record.left().is_empty(), "it is in use");
        record.leave("s1");
        assert_eq!(record.left(), std::slice::from_ref(&entry), "it is not in use any more");
        let next = RemoteRecord::open(&home);
        assert_eq!(next.left(), [entry]);
        next.remove("s1");
        assert!(next.left().is_empty() && !home.remote_sessions_file().exists());
        fs::write(home.remote_sessions_file(), "{half").unwrap();
        assert!(RemoteRecord::open(&home).left().is_empty());
    }
}
