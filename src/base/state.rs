//! `browse.json`: how scripts find the running daemon.
//!
//! Owns the format of the file. It never shows whether the daemon is alive: only the daemon's lock does.

use super::atomic;
use super::home::Home;
use serde::{Deserialize, Serialize};
use std::{fs, io};

/// The record that a daemon writes when it is ready and removes when it ends. Mode 0600, because it holds the token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// For display only: the pid may have been reused.
    pub pid: u32,
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The token that an HTTP client on the port sends as `Authorization: Bearer …`.
    pub token: String,
    pub version: String,
    /// As in `gstack status`: `headed`, `headless`, `attached`, `everyday` or `none`. Rewritten when it changes.
    pub mode: String,
}

impl State {
    pub fn write(&self, home: &Home) -> io::Result<()> {
        atomic::write(&home.state_file(), &serde_json::to_vec_pretty(self)?)
    }
    /// Reads the file. `None` if it does not exist or is not valid; a running daemon writes it again.
    pub fn read(home: &Home) -> Option<Self> {
        serde_json::from_slice(&fs::read(home.state_file()).ok()?).ok()
    }
    pub fn remove(home: &Home) {
        // It may be missing already; after any other error the next daemon overwrites it.
        fs::remove_file(home.state_file()).ok();
    }
}
