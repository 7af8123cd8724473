//! The terminal that gstack was called from: its folder, its PATH, its tab, and what a browser needs of its environment.
//!
//! Owns reading them. Never sends them anywhere.

use crate::protocol::command::TAB_VARIABLE;
use crate::protocol::control::ConnectRequest;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::TabId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a browser needs of the terminal's environment to find its display, fonts and language.
const PASSED_VARIABLES: [&str; 9] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
    "DBUS_SESSION_BUS_ADDRESS",
    "LANG",
    "GSTACK_BROWSER_PATH",
    "GSTACK_BROWSER_ARGS",
];

/// What this terminal is: its folder, its PATH, and what a browser needs of its environment.
pub fn here() -> Result<ConnectRequest, Fault> {
    let cwd = match std::env::current_dir().map(PathBuf::into_os_string) {
        Ok(folder) => Some(folder.into_string().map_err(|odd| not_utf8("the current folder", odd.as_ref()))?),
        // It was deleted.
        Err(_) => None,
    };
    Ok(ConnectRequest {
        cwd,
        environment: browser_environment(),
        path: std::env::var("PATH").ok().filter(|path| !path.is_empty()),
        ..ConnectRequest::default()
    })
}

/// Paths travel as JSON. Another name in the place of one that does not fit would be another file.
pub fn not_utf8(what: &str, name: &Path) -> Fault {
    Fault::new(FaultCode::BadRequest, format!("{what} is not valid UTF-8: {}", name.display()))
        .hint("Rename the file or folder, or use a link to it with another name.")
}

/// The tab that `--tab` named, or else the environment.
pub fn tab(named: Option<TabId>) -> Result<Option<TabId>, Fault> {
    if named.is_some() {
        return Ok(named);
    }
    let named = std::env::var_os(TAB_VARIABLE).map(|text| text.to_string_lossy().into_owned());
    match named.filter(|text| !text.is_empty()) {
        None => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            Fault::new(FaultCode::BadRequest, format!("{TAB_VARIABLE}={text} is not a tab number"))
                .hint("`gstack tabs` lists the numbers.")
        }),
    }
}

/// The environment that a browser is started with, taken from this terminal.
pub fn browser_environment() -> BTreeMap<String, String> {
    PASSED_VARIABLES
        .iter()
        .filter_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()).map(|value| ((*name).to_owned(), value)))
        .collect()
}
