//! Requests of an engaged tab's pages to a cloud's metadata service, held back before they are sent: whatever asks
//! (a link, a redirect, a picture, a script).
//!
//! For a browser that somebody else started: one of ours has resolver rules that do the same for all of its tabs. Owns which
//! requests are looked at; `paused` looks at them.

use super::devtools::fetch::RequestPattern;
use super::error::BrowserError;
use super::tab::Tab;
use crate::base::metadata;
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

/// What is looked at before it is sent.
pub(super) fn patterns() -> &'static [RequestPattern] {
    &PATTERNS
}

impl Tab {
    /// The caller looks at every request of this tab from now on, and answers each.
    pub(super) fn judge_requests(&self) -> Result<(), BrowserError> {
        self.with_tab_state(|tab_state| tab_state.judges_itself = true)
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
