//! Faults of connecting, attaching and handing off.
//!
//! Owns the code, the message and the next step of each. Terminals show nearly all of them, so they are in English.

use crate::ports::Missing;
use gstack_base::browser_names::BrowserName;
use gstack_base::profiles::{BadProfileName, ProfileName};
use gstack_protocol::fault::{Fault, FaultCode, Hop};

/// Does not repeat the code: the person reads it in the panel that they mean, so that no other program's key gets
/// confirmed.
pub(super) const CONFIRM: &str =
    "Open gstack's side panel in that browser, and run the command that it shows (`gstack panels confirm CODE`).";

/// `connect`, in its three forms.
#[derive(Debug)]
pub(super) enum ConnectError {
    /// gstack drives another browser than the requested one.
    OtherBrowser,
    /// gstack's own browser is open with another profile than the requested one.
    OtherProfile {
        wanted: ProfileName,
        open: ProfileName,
    },
    /// Another browser of the daemon uses the profile.
    ProfileOfOther {
        profile: ProfileName,
        browser: BrowserName,
    },
    /// Another browser of the daemon is the requested one under another name.
    SameAsOther(BrowserName),
    BadProfile(BadProfileName),
    /// The connected everyday browsers are not confirmed yet. Holds their names.
    Unconfirmed(Vec<String>),
    /// No everyday browser's extension is connected.
    NoEveryday,
    /// Several everyday browsers are connected, and the request names none. Holds their number.
    ManyEveryday(usize),
    /// The side panel did not connect.
    NoPanel(Missing),
    /// The daemon ends meanwhile.
    Ended,
}

impl From<BadProfileName> for ConnectError {
    fn from(error: BadProfileName) -> Self {
        Self::BadProfile(error)
    }
}

impl From<ConnectError> for Fault {
    fn from(error: ConnectError) -> Self {
        use FaultCode::{BadRequest, BrowserDown, Conflict, PanelUnconfirmed, Timeout, Updating};
        let (code, hop, message, hint, command): (_, _, String, String, &str) = match error {
            ConnectError::OtherBrowser => (
                Conflict,
                Hop::Browser,
                "gstack is already driving another browser".to_owned(),
                "Disconnect from it first: gstack disconnect".to_owned(),
                "gstack disconnect",
            ),
            ConnectError::OtherProfile { wanted, open } => (
                Conflict,
                Hop::Browser,
                format!("the open browser uses the profile {open}, not {wanted}"),
                format!(
                    "Close it first: gstack disconnect. Or open a second browser: gstack connect --name {wanted} --profile {wanted}"
                ),
                "gstack disconnect",
            ),
            ConnectError::ProfileOfOther { profile, browser } => (
                Conflict,
                Hop::Browser,
                format!("the browser {browser} already uses the profile {profile}"),
                format!("Name another profile, or close that browser: gstack disconnect --browser {browser}"),
                "gstack status",
            ),
            ConnectError::SameAsOther(browser) => (
                Conflict,
                Hop::Browser,
                format!("gstack already drives this browser, as {browser}"),
                format!("Use it: --browser {browser}. Or leave it first: gstack disconnect --browser {browser}"),
                "gstack status",
            ),
            ConnectError::BadProfile(error) => {
                return Self::new(BadRequest, error.to_string()).hint(BadProfileName::HINT).at(Hop::Browser);
            }
            ConnectError::Unconfirmed(names) => (
                PanelUnconfirmed,
                Hop::Browser,
                wait_to_be_confirmed(&names),
                format!("{CONFIRM} Then run `gstack connect --everyday` again."),
                "gstack panels confirm CODE",
            ),
            ConnectError::NoEveryday => (
                BrowserDown,
                Hop::Background,
                "no everyday browser's extension is connected".to_owned(),
                "Start that browser. The first time: gstack install-host, then load the extension there.".to_owned(),
                "gstack install-host",
            ),
            ConnectError::ManyEveryday(count) => (
                Conflict,
                Hop::Browser,
                format!("{count} everyday browsers are connected"),
                "Select a tab with --tab N instead (`gstack tabs` lists them), or close the other browsers.".to_owned(),
                "gstack tabs",
            ),
            ConnectError::NoPanel(missing) => {
                let (hop, message) = missing_hop(&missing);
                let hint = "Click gstack's icon in the browser's toolbar. `gstack doctor` checks every hop.";
                (Timeout, hop, message.to_owned(), hint.to_owned(), "gstack doctor")
            }
            ConnectError::Ended => (
                Updating,
                Hop::Daemon,
                "gstack ended while it was connecting".to_owned(),
                "Run `gstack connect` again.".to_owned(),
                "gstack connect",
            ),
        };
        Self::new(code, message).hint(hint).command(command).at(hop)
    }
}

/// Returns, for example, `Chrome 140 is connected, but waits to be confirmed`.
pub(super) fn wait_to_be_confirmed(names: &[String]) -> String {
    match names {
        [one] => format!("{one} is connected, but waits to be confirmed"),
        more => format!("{} browsers are connected, but wait to be confirmed: {}", more.len(), more.join(", ")),
    }
}

/// Returns the missing hop when the panel does not connect.
fn missing_hop(missing: &Missing) -> (Hop, &'static str) {
    match missing {
        Missing::Host => (Hop::Host, "the extension is loaded, but its native messaging host did not reach gstack"),
        Missing::Hello => (Hop::Background, "the native messaging host is connected, but the extension said nothing"),
        Missing::Panel => (Hop::Panel, "the extension is connected, but its side panel did not open"),
    }
}

/// `handoff` and `resume`.
#[derive(Debug)]
pub(super) enum HandoffError {
    /// No window could be opened. Holds the reason.
    NoWindow(String),
    NoDisplay,
    /// Turns are running in the browser. Holds their number.
    TurnsRun(usize),
    EndedEarly,
}

impl From<HandoffError> for Fault {
    fn from(error: HandoffError) -> Self {
        match error {
            HandoffError::NoWindow(why) => {
                Self::new(FaultCode::BrowserDown, format!("no window could be opened: {why}"))
                    .hint("The pages are open again without one. Check that the display answers, then run it again.")
                    .at(Hop::Browser)
            }
            HandoffError::NoDisplay => {
                Self::new(FaultCode::Conflict, "there is no display to open a window on; nothing was changed")
                    .hint("Run it in a terminal of a desktop session, or continue without a window.")
                    .at(Hop::Browser)
            }
            HandoffError::TurnsRun(turns) => Self::new(
                FaultCode::Conflict,
                format!(
                    "agents are still working in this browser (running turns: \
                    {turns})"
                ),
            )
            .hint("Wait for them, or stop them: gstack stop-turn")
            .command("gstack stop-turn"),
            HandoffError::EndedEarly => Self::new(FaultCode::Internal, "the handoff ended early"),
        }
    }
}
