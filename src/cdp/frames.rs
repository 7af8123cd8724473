//! Frames that show no web page but one of the browser's own pages, an extension (which also shows PDF files) or a local file. No
//! client has a session there, however the frame got there.
//!
//! Owns the set of these frames, which the browser reports before it replaces the document. Never ends a session: `reports` does.

use gstack_engine::is_web_page;
use std::collections::HashSet;

/// The frames that show, or are about to show, a page of the browser's own. A frame has its target's id.
#[derive(Default)]
pub(super) struct BrowserFrames(HashSet<String>);

impl BrowserFrames {
    pub(super) fn has(&self, frame: &str) -> bool {
        self.0.contains(frame)
    }

    /// Records a frame's next address. Returns true if it is not a web page.
    pub(super) fn leaves(&mut self, frame: &str, url: &str) -> bool {
        if !is_of_browser(url) {
            self.0.remove(frame);
            return false;
        }
        self.0.insert(frame.to_owned());
        true
    }
}

/// Returns true for the address of a frame in which no client has a session.
pub(super) fn is_of_browser(url: &str) -> bool {
    // A frame without an origin may show a blob.
    !is_web_page(url) && !url.starts_with("blob:null/")
}

#[cfg(test)]
mod tests {
    use super::{BrowserFrames, is_of_browser};

    #[test]
    fn a_frame_is_closed_from_when_it_goes_to_the_browsers_own_until_it_goes_to_a_web_page() {
        let mut frames = BrowserFrames::default();
        for url in
            ["chrome-extension://abc/index.html", "chrome://settings/", "file:///etc/passwd", "blob:chrome://a/1"]
        {
            assert!(!frames.has("F") && frames.leaves("F", url) && frames.has("F"), "{url}");
            assert!(!frames.leaves("F", "https://a.example/") && !frames.has("F"));
        }
        for url in
            ["", "about:blank", "about:srcdoc", "data:text/html,x", "blob:null/1", "blob:https://a/1", "http://a/"]
        {
            assert!(!is_of_browser(url), "{url}");
        }
    }
}
