//! The errors of a browser and their messages.
//!
//! Owns the errors of everything above one DevTools command and their mapping to faults, in one place.

use super::cdp::CdpError;
use super::relay::refusals;
use gstack_protocol::catalogue::{self, MessageTemplate, Sentence};
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::ids::TabId;
use gstack_protocol::relay::Refusal;
use std::time::Duration;

/// The reasons why something above a single DevTools command fails.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BrowserError {
    /// The browser or the connection to it has ended.
    #[error("the browser is gone")]
    Gone,
    /// The browser reported more tabs and frames than gstack holds.
    #[error("the browser reports more tabs and frames than gstack holds")]
    TooMuch,
    /// No open tab has this number.
    #[error("there is no tab {0}")]
    NoSuchTab(TabId),
    /// No tab is open, so there is no current one.
    #[error("there is no open tab")]
    NoTab,
    /// The tab was closed meanwhile.
    #[error("tab {0} was closed")]
    TabClosed(TabId),
    /// The process of the tab's page has crashed; a navigation or reload restores it.
    #[error("the page of tab {0} crashed")]
    TabCrashed(TabId),
    /// The frame, its document or its session no longer exists.
    #[error("the frame is gone")]
    FrameGone,
    /// `reason` is the browser's error text: `net::ERR_…`.
    #[error("{url} could not be loaded: {reason}")]
    Navigation {
        /// The address that was to be loaded.
        url: String,
        /// The browser's error text.
        reason: String,
    },
    /// Another navigation by the page replaced it, several times in a row.
    #[error("{url} was not reached: the page itself navigated to {instead} meanwhile")]
    Diverted {
        /// The address that was to be loaded.
        url: String,
        /// The address that the page went to.
        instead: String,
    },
    /// A page got an answer from an address that nothing may be read from.
    #[error("the page involves {0}, an address that gstack never reads")]
    RefusedAddress(String),
    /// It took longer than its limit.
    #[error("{what} took longer than {} s", seconds(*after))]
    Timeout {
        /// The slow step, as the subject of a sentence: `loading https://…`.
        what: String,
        /// The limit.
        after: Duration,
    },
    /// Like `Timeout`, for a command that the browser received and may still run.
    #[error("{what} took longer than {} s", seconds(*after))]
    Unanswered {
        /// The slow step, as the subject of a sentence: `closing tab 2`.
        what: String,
        /// The limit.
        after: Duration,
    },
    /// Nothing in the page runs, not even what interrupts a busy script: a dialog stops it.
    #[error("tab {0} does not answer: its page shows a dialog, it seems")]
    Stopped(TabId),
    /// A tab of an everyday browser that gstack may not act on.
    #[error("{}", refusals::words(*.0))]
    Relay(Refusal),
    /// A DevTools command failed for another reason.
    #[error(transparent)]
    Cdp(CdpError),
}

impl From<CdpError> for BrowserError {
    fn from(error: CdpError) -> Self {
        match error {
            CdpError::Gone => Self::Gone,
            CdpError::Protocol { code, method, message } => match refusals::of_code(code) {
                Some(refusal) => Self::Relay(refusal),
                None => Self::Cdp(CdpError::Protocol { code, method, message }),
            },
            other => Self::Cdp(other),
        }
    }
}

impl From<CdpError> for Fault {
    fn from(error: CdpError) -> Self {
        BrowserError::from(error).into()
    }
}

/// Formats seconds: `5`, `0.2`.
pub(crate) fn seconds(time: Duration) -> String {
    let hundredths = (time.as_secs_f64() * 100.0).round() / 100.0;
    format!("{hundredths}")
}

impl From<BrowserError> for Fault {
    fn from(error: BrowserError) -> Self {
        if let BrowserError::Relay(refusal) = error {
            return refusals::fault(refusal);
        }
        let known = match &error {
            BrowserError::Gone => {
                Some((FaultCode::BrowserDown, catalogue::BROWSER_GONE.into(), catalogue::BROWSER_GONE_NEXT))
            }
            BrowserError::TooMuch => {
                Some((FaultCode::BrowserDown, catalogue::BROWSER_TOO_MUCH.into(), catalogue::BROWSER_TOO_MUCH_NEXT))
            }
            BrowserError::TabClosed(tab) => {
                Some((FaultCode::TabGone, catalogue::TAB_CLOSED.with([&tab.to_string()]), catalogue::SEE_OPEN_TABS))
            }
            BrowserError::TabCrashed(tab) => {
                Some((FaultCode::TabGone, catalogue::TAB_CRASHED.with([&tab.to_string()]), catalogue::TAB_CRASHED_NEXT))
            }
            BrowserError::Timeout { what, after } | BrowserError::Unanswered { what, after } => {
                let message = catalogue::PAGE_TIMEOUT.with([what, &seconds(*after)]);
                Some((FaultCode::Timeout, message, catalogue::PAGE_TIMEOUT_NEXT))
            }
            BrowserError::Stopped(tab) => {
                let message = catalogue::PAGE_STOPPED.with([&tab.to_string()]);
                Some((FaultCode::Conflict, message, catalogue::PAGE_STOPPED_NEXT))
            }
            BrowserError::NoSuchTab(tab) => {
                Some((FaultCode::NotFound, catalogue::NO_SUCH_TAB.with([&tab.to_string()]), catalogue::SEE_OPEN_TABS))
            }
            BrowserError::NoTab => {
                Some((FaultCode::NotFound, catalogue::NO_OPEN_TAB.into(), catalogue::NO_OPEN_TAB_NEXT))
            }
            BrowserError::FrameGone => {
                Some((FaultCode::TabGone, catalogue::FRAME_GONE.into(), catalogue::LOOK_AND_REPEAT))
            }
            // Commands to the browser itself, whose names say nothing to a person.
            BrowserError::Cdp(CdpError::Timeout { method, .. })
                if ["Target.", "Browser.", "SystemInfo."].iter().any(|domain| method.starts_with(domain)) =>
            {
                let fault =
                    Fault::new(FaultCode::Timeout, catalogue::BROWSER_SILENT).hint(catalogue::BROWSER_SILENT_NEXT);
                return fault.command("gstack restart").at(Hop::Browser).unanswered(true);
            }
            BrowserError::RefusedAddress(address) => {
                let message = catalogue::ADDRESS_NOT_READ.with([address]);
                Some((FaultCode::UrlRefused, message, catalogue::ADDRESS_NOT_READ_NEXT))
            }
            _ => None,
        };
        let unanswered = matches!(error, BrowserError::Unanswered { .. } | BrowserError::Cdp(CdpError::Timeout { .. }));
        if let Some((code, message, hint)) = known {
            return Fault::new(code, message).hint(hint).at(Hop::Browser).unanswered(unanswered);
        }
        let (code, hint): (_, Sentence) = match &error {
            BrowserError::Navigation { url, reason } => {
                let message = catalogue::NOT_LOADED.with([url, reason]);
                return Fault::new(FaultCode::Navigation, message).hint(navigation_hint(reason)).at(Hop::Browser);
            }
            BrowserError::Diverted { url, instead } => {
                let message = catalogue::LOAD_DIVERTED.with([url, instead]);
                return Fault::new(FaultCode::Navigation, message).hint(catalogue::LOAD_DIVERTED_NEXT).at(Hop::Browser);
            }
            BrowserError::Cdp(CdpError::Timeout { .. }) => (FaultCode::Timeout, catalogue::PAGE_TIMEOUT_NEXT.into()),
            BrowserError::Cdp(error) if error.is_session_gone() => {
                (FaultCode::TabGone, catalogue::LOOK_AND_REPEAT.into())
            }
            _ => (FaultCode::Internal, catalogue::SEE_DAEMON_LOG.into()),
        };
        Fault::new(code, error.to_string()).hint(hint).at(Hop::Browser).unanswered(unanswered)
    }
}

/// Returns the next step for the most common network errors. Source:
/// <https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h>
fn navigation_hint(reason: &str) -> MessageTemplate {
    match reason {
        "net::ERR_NAME_NOT_RESOLVED" => catalogue::NO_SUCH_HOST,
        "net::ERR_CONNECTION_REFUSED" => catalogue::NOTHING_LISTENS,
        "net::ERR_INTERNET_DISCONNECTED" | "net::ERR_NETWORK_CHANGED" => catalogue::CHECK_NETWORK_ONLY,
        "net::ERR_ABORTED" => catalogue::LOAD_ABORTED,
        "net::ERR_UNSAFE_PORT" => catalogue::UNSAFE_PORT,
        "net::ERR_INVALID_AUTH_CREDENTIALS" => catalogue::LOAD_NEEDS_PASSWORD,
        "net::ERR_TOO_MANY_REDIRECTS" => catalogue::REDIRECTS_IN_CIRCLE,
        "net::ERR_BLOCKED_BY_CLIENT" => catalogue::LOAD_BLOCKED,
        _ if reason.starts_with("net::ERR_CERT_") || reason.starts_with("net::ERR_SSL_") => catalogue::CERTIFICATE,
        _ => catalogue::CHECK_ADDRESS,
    }
}
