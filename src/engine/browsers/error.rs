//! Errors when a browser is needed and none is open, or when opening or closing one fails.
//!
//! Owns the code, the message and the next step of each.

use gstack_base::browser_names::{BadBrowserName, BrowserName};
use gstack_base::home::HomeError;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::ids::TabId;
use std::io;

#[derive(Debug)]
pub(crate) enum BrowsersError {
    /// No browser is open. Explains why a browser is required, or how the last one ended.
    NotOpen(Sentence),
    /// The everyday browser in use is away, and gstack does not open another one in its place.
    EverydayAway,
    /// The browser of a tab is not connected.
    NotConnected,
    /// The browser in use was closed or crashed.
    Closed,
    /// `disconnect` finds nothing to close. Shown in a terminal, so it is in English.
    NothingToClose,
    /// The text is not the name of a browser.
    BadName(BadBrowserName),
    /// No browser in use has the name. Holds the names that there are.
    NoSuchName { name: BrowserName, known: Vec<String> },
    /// The browser of this name ended without gstack closing it, for this reason.
    Lost { name: BrowserName, why: String },
    /// The browser on another machine ended for this reason, and a command would open one on this machine.
    RemoteLost { why: String },
    /// Another browser than the named one has the tab, or none.
    NotItsTab { tab: TabId, name: BrowserName },
    /// Only some sites may be reached, which only a browser that gstack starts can be held to.
    NotLimited,
    /// No further browser may be opened.
    TooMany { most: usize },
    /// The folder of a browser's files can't be used.
    NoFolder(HomeError),
    /// The capture file for DevTools messages cannot be opened.
    CaptureNotWritten(io::Error),
}

impl From<BrowsersError> for Fault {
    fn from(error: BrowsersError) -> Self {
        let down = |message: Sentence, hint: Sentence, command: &str, hop| {
            Self::new(FaultCode::BrowserDown, message).hint(hint).command(command).at(hop)
        };
        let connect = |message, hint| down(message, hint, "gstack connect", Hop::Browser);
        match error {
            BrowsersError::NotOpen(what) => connect(what, catalogue::NO_BROWSER_NEXT.into()),
            BrowsersError::NotConnected => {
                connect(catalogue::BROWSER_NOT_CONNECTED.into(), catalogue::BROWSER_NOT_CONNECTED_NEXT.into())
            }
            BrowsersError::Closed => connect(catalogue::BROWSER_CLOSED.into(), catalogue::BROWSER_CLOSED_NEXT.into()),
            BrowsersError::EverydayAway => {
                let (message, hint) = (catalogue::EVERYDAY_AWAY.into(), catalogue::EVERYDAY_AWAY_NEXT.into());
                down(message, hint, "gstack disconnect", Hop::Background)
            }
            BrowsersError::NothingToClose => {
                Self::new(FaultCode::BrowserDown, "no browser was open").hint("Nothing to do.").at(Hop::Browser)
            }
            BrowsersError::BadName(error) => {
                Self::new(FaultCode::BadRequest, error.to_string()).hint(BadBrowserName::HINT).at(Hop::Browser)
            }
            BrowsersError::NoSuchName { name, known } => {
                let open = format!("gstack connect --name {name}");
                let others = match known.as_slice() {
                    [] => String::new(),
                    known => format!(" These are: {}.", known.join(", ")),
                };
                Self::new(FaultCode::BrowserDown, format!("no browser named {name} is open"))
                    .hint(format!("Open it: {open}.{others}"))
                    .command(open)
                    .at(Hop::Browser)
            }
            BrowsersError::Lost { name, why } => {
                let open = format!("gstack connect --name {name}");
                Self::new(FaultCode::BrowserDown, format!("the browser {name} is gone: {why}"))
                    .hint(format!("Open it again: {open}. Its profile is kept, its tabs are not."))
                    .command(open)
                    .at(Hop::Browser)
            }
            BrowsersError::RemoteLost { why } => Self::new(
                FaultCode::BrowserDown,
                format!("the browser on the other machine is gone: {why}"),
            )
            .hint(
                "gstack opens none on this machine in its place. Connect to it again as before. To work on this \
                         machine instead: gstack disconnect",
            )
            .command("gstack disconnect")
            .at(Hop::Browser),
            BrowsersError::NotItsTab { tab, name } => {
                Self::new(FaultCode::TabGone, format!("tab {tab} is not in the browser {name}"))
                    .hint("`gstack tabs` lists the tabs of all browsers. A tab alone names its browser.")
                    .at(Hop::Browser)
            }
            BrowsersError::NotLimited => Self::new(
                FaultCode::Conflict,
                "only gstack's own browser can be limited to some sites, and such a limit is set",
            )
            .hint("Run `gstack connect`, or lift the limit: gstack policy only --off")
            .command("gstack connect")
            .at(Hop::Browser),
            BrowsersError::TooMany { most } => Self::new(
                FaultCode::Conflict,
                format!("{most} browsers are in use, which is the most that a daemon drives"),
            )
            .hint("Close one: gstack disconnect --browser NAME. `gstack status` lists them.")
            .command("gstack status")
            .at(Hop::Browser),
            BrowsersError::NoFolder(error) => {
                Self::new(FaultCode::Storage, error.to_string()).hint(error.hint()).at(Hop::Browser)
            }
            BrowsersError::CaptureNotWritten(error) => {
                let message = catalogue::CAPTURE_NOT_WRITTEN.with([&error.to_string()]);
                Self::new(FaultCode::Storage, message).hint(catalogue::CAPTURE_NOT_WRITTEN_NEXT)
            }
        }
    }
}
