//! The errors of reading from a page or acting on it, and their messages.
//!
//! Owns the mapping to faults of every error that concerns one page.

use crate::cdp::CdpError;
use crate::error::{BrowserError, seconds};
use gstack_protocol::catalogue::{self, MessageTemplate, Sentence};
use gstack_protocol::fault::{Fault, FaultCode, Hop, PageWords};
use gstack_protocol::ids::TabId;
use std::time::Duration;

#[derive(Clone, Debug, thiserror::Error)]
pub enum PageError {
    #[error(transparent)]
    Browser(BrowserError),
    /// The ref as the client wrote it: `@e3`.
    #[error("Ref {0} not found. Run 'snapshot' to get fresh refs.")]
    RefNotFound(String),
    /// `was`: the role and name that its element had, if known.
    #[error("Ref {name}{} is stale: its element left the page. Run 'snapshot' to get fresh refs.", in_brackets(was))]
    RefStale { name: String, was: Option<String> },
    #[error("Selector not found: {0}")]
    NotFound(String),
    /// `message` contains the count and the first few matches.
    #[error("{selector}: {message}")]
    Several { selector: String, message: String },
    #[error("{0}")]
    BadSelector(String),
    /// The conditions were not met in time. `reason`: `it is covered by <div class="x">`.
    #[error("{what} was not ready for {action} within {} s: {reason}", seconds(*waited))]
    NotReady { what: String, action: &'static str, reason: String, waited: Duration },
    /// Nothing matched in time.
    #[error("{what} did not appear within {} s", seconds(*waited))]
    NeverAppeared { what: String, waited: Duration },
    /// The element cannot take this value.
    #[error("{what}: {reason}")]
    Refused { what: String, reason: String },
    /// The tab now shows another site; no action was performed.
    #[error("the tab no longer shows {wanted}: nothing was done")]
    OtherSite { wanted: String },
    /// The element has changed since it was checked; no action was performed.
    #[error("{what} has changed since it was looked at: nothing was done")]
    Changed { what: String },
    /// An exception thrown by the page.
    #[error("{0}")]
    Script(String),
    #[error("{what} took longer than {} s", seconds(*after))]
    Timeout { what: String, after: Duration },
    /// Input was sent, but its effect is unknown.
    #[error("{what}: the input was sent, but it is unknown whether it arrived ({reason})")]
    Unknown { what: String, reason: String },
    /// Input was sent, and the page's document saw none of it.
    #[error("{what}: the page did not receive the input; a prompt of the browser may be in front of it")]
    NotReceived { what: String },
    /// A script ran, but its outcome is unknown.
    #[error("{what} has no result: {reason}; it is unknown whether it took effect")]
    Unanswered { what: String, reason: String },
    /// The document was replaced or closed before it answered.
    #[error("the page navigated away while gstack was reading it")]
    DocumentGone,
    /// The chosen frame is gone; from now on selectors match in the main frame.
    #[error("the frame that you had switched to is gone")]
    FrameLost,
    /// A reply that our own script never gives.
    #[error("the page's answer can't be read: {0}")]
    Unreadable(String),
    #[error("{url} could not be fetched: {reason}")]
    NotFetched { url: String, reason: String },
    /// The address, or one that it redirects to, is not allowed.
    #[error("it leads to {0}, an address that gstack does not open")]
    AddressRefused(String),
    /// The browser is on another machine, and the files did not get there.
    #[error("the files could not be sent to the browser's machine: {0}")]
    FilesNotMoved(String),
    /// Another tab has set it for the process that both share.
    #[error("tab {tab} has {what} {value}, which also applies here: pages that open one another share it")]
    HeldByTab { tab: TabId, what: &'static str, value: String, command: &'static str },
    #[error("{0}")]
    Usage(String),
}

impl PageError {
    /// Returns the part of the message that is the page's own text: classes, labels, exception messages.
    fn page_words(&self) -> Option<PageWords> {
        let (ours, theirs) = match self {
            Self::Several { selector, message } => (format!("{selector} is more than one element:"), message.clone()),
            Self::NotReady { what, action, reason, waited } => (
                format!("The element was not ready for {action} within {} s:", seconds(*waited)),
                format!("{what}: {reason}"),
            ),
            Self::Refused { what, reason } => (
                "The element does not accept this:".to_owned(),
                format!(
                    "{what}: \
                {reason}"
                ),
            ),
            Self::RefStale { name, was: Some(was) } => {
                (format!("Ref {name} is stale. Run 'snapshot' to get fresh refs. It was:"), was.clone())
            }
            Self::Script(thrown) => ("It threw:".to_owned(), thrown.clone()),
            _ => return None,
        };
        Some(PageWords { ours, theirs })
    }
}

impl From<BrowserError> for PageError {
    fn from(error: BrowserError) -> Self {
        Self::Browser(error)
    }
}

impl From<CdpError> for PageError {
    fn from(error: CdpError) -> Self {
        Self::Browser(error.into())
    }
}

impl PageError {
    /// Names the limit of the whole action in an error of its last part, which had only the rest of it.
    pub(in crate::page) fn of_whole(mut self, limit: Duration) -> Self {
        if let Self::NotReady { waited: part, .. }
        | Self::NeverAppeared { waited: part, .. }
        | Self::Timeout { after: part, .. } = &mut self
        {
            *part = limit;
        }
        self
    }
}

fn in_brackets(was: &Option<String>) -> String {
    was.as_ref().map(|was| format!(" ({was})")).unwrap_or_default()
}

/// Returns the translatable message for errors that the panel's own actions can cause too.
fn told_of(error: &PageError) -> Option<(FaultCode, Sentence, MessageTemplate)> {
    Some(match error {
        PageError::Timeout { what, after } => {
            (FaultCode::Timeout, catalogue::PAGE_TIMEOUT.with([what, &seconds(*after)]), catalogue::PAGE_TIMEOUT_NEXT)
        }
        PageError::DocumentGone => (FaultCode::TabGone, catalogue::PAGE_LEFT.into(), catalogue::LOOK_AND_REPEAT),
        PageError::FrameLost => (FaultCode::TabGone, catalogue::FRAME_LOST.into(), catalogue::FRAME_LOST_NEXT),
        PageError::Unreadable(why) => {
            (FaultCode::Internal, Sentence::from(catalogue::PAGE_UNREADABLE).said(why), catalogue::SEE_DAEMON_LOG)
        }
        PageError::NotFound(selector) => {
            (FaultCode::Element, catalogue::SELECTOR_NOT_FOUND.with([selector]), catalogue::SELECTOR_NOT_FOUND_NEXT)
        }
        PageError::NeverAppeared { what, waited } => {
            (FaultCode::Element, catalogue::NEVER_APPEARED.with([what, &seconds(*waited)]), catalogue::LOOK_AGAIN)
        }
        PageError::OtherSite { wanted } => {
            (FaultCode::Denied, catalogue::ANOTHER_SITE.with([wanted]), catalogue::LOOK_AGAIN)
        }
        PageError::Changed { what } => {
            (FaultCode::Conflict, catalogue::ELEMENT_CHANGED.with([what]), catalogue::LOOK_AGAIN)
        }
        PageError::NotFetched { url, reason } => {
            (FaultCode::Navigation, catalogue::NOT_FETCHED.with([url, reason]), catalogue::NOT_FETCHED_NEXT)
        }
        PageError::AddressRefused(address) => {
            (FaultCode::UrlRefused, catalogue::NOT_FETCHED_REFUSED.with([address]), catalogue::NOT_FETCHED_REFUSED_NEXT)
        }
        _ => return None,
    })
}

impl From<PageError> for Fault {
    fn from(error: PageError) -> Self {
        if let Some((code, message, hint)) = told_of(&error) {
            let page_changed = matches!(error, PageError::Changed { .. });
            return Fault { page_changed, ..Fault::new(code, message).hint(hint).at(Hop::Browser) };
        }
        let message = error.to_string();
        let page_words = error.page_words();
        let (code, hint): (_, Sentence) = match error {
            PageError::Browser(error) => return error.into(),
            PageError::RefNotFound(name) => {
                return Fault::new(FaultCode::Element, catalogue::REF_NOT_FOUND.with([&name])).at(Hop::Browser);
            }
            PageError::RefStale { name, was } => {
                let message = match &was {
                    Some(was) => catalogue::REF_STALE_WAS.with([&name, was]),
                    None => catalogue::REF_STALE.with([&name]),
                };
                return Fault::new(FaultCode::Element, message).at(Hop::Browser).page_words(page_words);
            }
            PageError::Several { .. } => (FaultCode::Element, catalogue::NAME_ONE.into()),
            PageError::BadSelector(_) => (FaultCode::BadRequest, catalogue::SELECTOR_KINDS.into()),
            PageError::NotReady { .. } | PageError::Refused { .. } => {
                (FaultCode::Element, catalogue::LOOK_AGAIN.into())
            }
            PageError::Script(_) => (FaultCode::Script, catalogue::CORRECT_EXPRESSION.into()),
            PageError::Unknown { .. } | PageError::Unanswered { .. } => {
                (FaultCode::OutcomeUnknown, catalogue::LOOK_AT_SNAPSHOT.into())
            }
            PageError::NotReceived { .. } => (FaultCode::OutcomeUnknown, catalogue::ANSWER_PROMPT.into()),
            PageError::FilesNotMoved(_) => (FaultCode::Storage, catalogue::LOOK_AGAIN.into()),
            // The client adds how the command is written.
            PageError::Usage(_) => {
                return Fault::new(FaultCode::BadRequest, message).at(Hop::Browser).page_words(page_words);
            }
            PageError::HeldByTab { tab, command, .. } => {
                (FaultCode::Conflict, format!("Turn it off there first: `{command} off` in tab {tab}.").into())
            }
            PageError::Timeout { .. }
            | PageError::DocumentGone
            | PageError::FrameLost
            | PageError::Unreadable(_)
            | PageError::NotFound(_)
            | PageError::OtherSite { .. }
            | PageError::Changed { .. }
            | PageError::NotFetched { .. }
            | PageError::AddressRefused(_)
            | PageError::NeverAppeared { .. } => (FaultCode::Internal, catalogue::LOOK_AGAIN.into()),
        };
        Fault::new(code, message).hint(hint).at(Hop::Browser).page_words(page_words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_that_ran_out_of_time_names_its_own_limit_and_not_the_rest_of_it() {
        let (rest, limit) = (Duration::from_millis(370), Duration::from_secs(5));
        let errors = [
            PageError::NotReady { what: "@e1".into(), action: "a click", reason: "it moves".into(), waited: rest },
            PageError::NeverAppeared { what: "#order".into(), waited: rest },
            PageError::Timeout { what: "the page's answer".into(), after: rest },
        ];
        for error in errors {
            assert!(error.to_string().contains("0.37 s"), "{error}");
            let whole = error.of_whole(limit).to_string();
            assert!(whole.contains(" 5 s") && !whole.contains("0.37"), "{whole}");
        }
        assert_eq!(PageError::DocumentGone.of_whole(limit).to_string(), PageError::DocumentGone.to_string());
    }
}
