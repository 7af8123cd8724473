//! The terminal that gstack was called from: its folder, its PATH, its tab, and the environment that a browser needs.
//!
//! Owns reading them. Never sends them anywhere.

use gstack_base::browser_names::{BadBrowserName, BrowserName};
use gstack_protocol::command::{BROWSER_NAME_VARIABLE, DRIVER_VARIABLE, TAB_VARIABLE};
use gstack_protocol::control::ConnectRequest;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use std::collections::BTreeMap;
use std::env::VarError;
use std::path::{Path, PathBuf};

/// The variables of the terminal's environment by which a browser finds its display, fonts and language.
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

/// Returns the terminal's folder, its PATH, and the environment that a browser needs. Fails if a path is not valid
/// UTF-8.
pub(super) fn here() -> Result<ConnectRequest, Fault> {
    let cwd = match std::env::current_dir().map(PathBuf::into_os_string) {
        Ok(folder) => Some(folder.into_string().map_err(|odd| not_utf8("the current folder", odd.as_ref()))?),
        // The folder was deleted.
        Err(_) => None,
    };
    Ok(ConnectRequest {
        cwd,
        environment: browser_environment(),
        path: std::env::var("PATH").ok().filter(|path| !path.is_empty()),
        ..ConnectRequest::default()
    })
}

/// Returns the fault for a path that is not valid UTF-8. Paths are sent as JSON, and a lossy conversion would name
/// another file.
pub(super) fn not_utf8(what: &str, name: &Path) -> Fault {
    Fault::new(FaultCode::BadRequest, format!("{what} is not valid UTF-8: {}", name.display()))
        .hint("Rename the file or folder, or use a link to it with another name.")
}

/// Returns the tab that `--tab` or else the environment names. Fails if the variable is not a tab number.
pub(super) fn tab(named: Option<TabId>) -> Result<Option<TabId>, Fault> {
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

/// A tab, and the name of a browser: where a command works.
pub(super) type Place = (Option<TabId>, Option<String>);

/// Returns the tab and the browser that the options or else the environment name. An option wins over a variable for the
/// other one, so that `--tab` finds the browser of its tab.
///
/// # Errors
///
/// Fails if a variable is not a tab number, or not the name of a browser.
pub(super) fn place(named_tab: Option<TabId>, browser: Option<&BrowserName>) -> Result<Place, Fault> {
    if let Some(name) = browser {
        return Ok((named_tab, Some(name.to_string())));
    }
    if named_tab.is_some() {
        return Ok((named_tab, None));
    }
    let named = std::env::var_os(BROWSER_NAME_VARIABLE).map(|text| text.to_string_lossy().into_owned());
    let named = named.filter(|text| !text.is_empty()).map(|text| BrowserName::parse(&text)).transpose();
    let name = named.map_err(|error| {
        Fault::new(FaultCode::BadRequest, format!("{BROWSER_NAME_VARIABLE}: {error}")).hint(BadBrowserName::HINT)
    })?;
    Ok((tab(None)?, name.map(|name| name.to_string())))
}

/// Returns the name that `--driver` or else the environment gives this shell or script. The daemon checks it.
pub(super) fn driver(named: Option<&str>) -> Result<Option<String>, Fault> {
    if let Some(name) = named {
        return Ok(Some(name.to_owned()));
    }
    match std::env::var(DRIVER_VARIABLE) {
        Ok(name) => Ok(Some(name).filter(|name| !name.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => {
            Err(Fault::new(FaultCode::BadRequest, format!("{DRIVER_VARIABLE} is not valid UTF-8"))
                .hint("Set it to one word, such as shop-tests."))
        }
    }
}

/// Returns the environment for starting a browser, taken from this terminal.
pub(super) fn browser_environment() -> BTreeMap<String, String> {
    PASSED_VARIABLES
        .iter()
        .filter_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()).map(|value| ((*name).to_owned(), value)))
        .collect()
}
