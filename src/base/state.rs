//! `browse.json`: how scripts find the running daemon.
//!
//! Owns the file's shape. "Alive" is never read from it: the daemon's lock says that.

use super::atomic;
use super::home::Home;
use serde::{Deserialize, Serialize};
use std::{fs, io};

/// What a daemon writes when it is ready and removes when it ends. Mode 0600: it holds the token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// For display; a reused pid proves nothing.
    pub pid: u32,
    /// The port on 127.0.0.1.
    pub port: u16,
    /// What an HTTP client on the port sends as `Authorization: Bearer …`.
    pub token: String,
    pub version: String,
    /// As `gstack status` says it: `headed`, `headless`, `attached`, `everyday` or `none`. Written again when it changes.
    pub mode: String,
}

impl State {
    pub fn write(&self, home: &Home) -> io::Result<()> {
        atomic::write(&home.state_file(), &serde_json::to_vec_pretty(self)?)
    }
    /// None when there is no file or it is not one of ours; a daemon that lives writes it again.
    pub fn read(home: &Home) -> Option<Self> {
        serde_json::from_slice(&fs::read(home.state_file()).ok()?).ok()
    }
    pub fn remove(home: &Home) {
        // Missing is what is wanted; anything else is overwritten by the next daemon.
        fs::remove_file(home.state_file()).ok();
    }
}
