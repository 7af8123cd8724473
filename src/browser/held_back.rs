//! Requests of an engaged tab's pages to a cloud's metadata service, held back before they are sent: whatever asks
//! (a link, a redirect, a picture, a script).
//!
//! For a browser that somebody else started: one of ours has resolver rules that do the same for all of its tabs. Never
//! sees any other request: those pass the browser without a stop.

use super::browser::Shared;
use super::devtools::fetch::{ContinueRequest, Enable, ErrorReason, FailRequest, RequestPattern};
use super::error::BrowserError;
use super::events::Event;
use super::session::Session;
use super::tab::Tab;
use crate::base::metadata::{self, is_metadata_url};
use serde::Deserialize;
use std::sync::LazyLock;

/// The rest of the block that the list of hosts names only the known ones of.
const LINK_LOCAL: &str = "*169.254.*";

/// Coarse: a request that fits is looked at as a whole, and let go where its host is another one.
static PATTERNS: LazyLock<Vec<RequestPattern>> = LazyLock::new(|| {
    let of_host = |host: String| {
        if host.trim_end_matches('.').contains(['.', ':']) {
            return vec![format!("*{host}*")];
        }
        // A plain word is part of many a path.
        let after = ["/*", ":*"].map(|end| format!("{host}{end}"));
        after.iter().flat_map(|after| [format!("*://{after}"), format!("*@{after}")]).collect()
    };
    let all = metadata::hosts().flat_map(of_host).chain([LINK_LOCAL.to_owned()]);
    all.map(|pattern| RequestPattern { url_pattern: pattern }).collect()
});

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
    request: Asked,
}

#[derive(Deserialize)]
struct Asked {
    url: String,
}

impl Shared {
    /// To a page or frame that is being set up, before it asks for anything.
    pub(super) fn hold_back(&self, session: &Session) {
        if self.options.holds_back {
            session.post(Enable { patterns: &PATTERNS });
        }
    }

    /// `Fetch.requestPaused`
    pub(super) fn request_paused(&self, event: &Event) {
        let Some(id) = event.session().filter(|_| self.options.holds_back) else { return };
        let judged_here = {
            let state = self.state();
            let tab = state.sessions.get(id).and_then(super::browser::Role::tab);
            tab.is_some_and(|tab| !state.desks.get(&tab).is_some_and(|desk| desk.judges_itself))
        };
        if !judged_here {
            return;
        }
        let Some(paused) = event.read::<Paused>() else { return };
        let session = self.cdp.session(id.clone());
        let request_id = paused.request_id;
        if is_metadata_url(&paused.request.url) {
            tracing::warn!("a page asked for a cloud metadata address; the request was held back");
            session.post(FailRequest { request_id, error_reason: ErrorReason::NameNotResolved });
        } else {
            session.post(ContinueRequest { request_id });
        }
    }
}

impl Tab {
    /// The caller looks at every request of this tab from now on, and answers each.
    pub(super) fn judge_requests(&self) -> Result<(), BrowserError> {
        self.with_desk(|desk| desk.judges_itself = true)
    }
}

#[cfg(test)]
mod tests {
    use super::PATTERNS;

    #[test]
    fn patterns_are_narrow_enough_to_leave_pages_alone() {
        let patterns: Vec<&str> = PATTERNS.iter().map(|pattern| pattern.url_pattern.as_str()).collect();
        assert!(patterns.contains(&"*metadata.google.internal*") && patterns.contains(&"*://metadata/*"));
        assert!(patterns.contains(&"*169.254.169.254*") && patterns.contains(&"*::ffff:a9fe:a9fe*"));
        assert!(!patterns.iter().any(|pattern| *pattern == "*" || *pattern == "*metadata*"));
    }
}
