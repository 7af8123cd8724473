//! Blocks requests of an engaged tab to a cloud's metadata service before they are sent, whatever causes them (a link,
//! a redirect, an image, a script).
//!
//! For a browser that gstack did not start: the ones it starts use resolver rules that do the same for all tabs. Owns
//! the patterns of requests to pause; `paused` checks each one.

use super::devtools::fetch::{RequestPattern, pattern};
use super::error::BrowserError;
use super::tab::Tab;
use gstack_base::metadata;
use std::sync::LazyLock;

/// The rest of the link-local block: the list of hosts names only the known addresses in it.
const LINK_LOCAL: &str = "*169.254.*";

/// Coarse patterns: `paused` parses the URL of each match and continues the request if its host is another one.
static PATTERNS: LazyLock<Vec<RequestPattern>> = LazyLock::new(|| {
    let of_host = |host: String| {
        if host.trim_end_matches('.').contains(['.', ':']) {
            return vec![format!("*{host}*")];
        }
        // A plain word occurs in many paths.
        let after = ["/*", ":*"].map(|end| format!("{host}{end}"));
        after.iter().flat_map(|after| [format!("*://{after}"), format!("*@{after}")]).collect()
    };
    let all = metadata::hosts().flat_map(of_host).chain([LINK_LOCAL.to_owned()]);
    all.map(pattern).collect()
});

/// Returns the patterns of requests to pause.
pub(super) fn patterns() -> &'static [RequestPattern] {
    &PATTERNS
}

impl Tab {
    /// Makes the caller responsible for every request of this tab: it must answer each one.
    pub(super) fn judge_requests(&self) -> Result<(), BrowserError> {
        self.with_tab_state(|tab_state| tab_state.judges_itself = true)
    }
}

#[cfg(test)]
mod tests {
    use super::PATTERNS;

    #[test]
    fn patterns_are_narrow_enough_to_leave_pages_alone() {
        let patterns: Vec<&str> = PATTERNS.iter().filter_map(|pattern| pattern.url_pattern.as_deref()).collect();
        assert!(patterns.contains(&"*metadata.google.internal*") && patterns.contains(&"*://metadata/*"));
        assert!(patterns.contains(&"*169.254.169.254*") && patterns.contains(&"*::ffff:a9fe:a9fe*"));
        assert!(!patterns.iter().any(|pattern| *pattern == "*" || *pattern == "*metadata*"));
    }
}
