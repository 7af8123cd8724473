//! Pages that extensions cannot access: the browser's own pages, pages of extensions, and extension stores.
//!
//! Owns the list. Examines only the URL.

use url::Url;

const SCHEMES: [&str; 9] = [
    "chrome",
    "chrome-extension",
    "chrome-untrusted",
    "chrome-error",
    "devtools",
    "edge",
    "brave",
    "vivaldi",
    "view-source",
];
/// The extension stores.
const STORES: [&str; 3] = ["chromewebstore.google.com", "chrome.google.com", "microsoftedge.microsoft.com"];

/// The owner of such a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnPage {
    Browser,
    Store,
}

/// Returns the owner of the page at a URL, or `None` for all other pages.
pub fn of(url: &str) -> Option<OwnPage> {
    let parsed = Url::parse(url).ok()?;
    if parsed.host_str().is_some_and(|host| STORES.contains(&host)) {
        return Some(OwnPage::Store);
    }
    SCHEMES.contains(&parsed.scheme()).then_some(OwnPage::Browser)
}

#[cfg(test)]
mod tests {
    use super::{OwnPage, of};

    #[test]
    fn pages_of_the_browser_and_of_the_stores_are_known_by_their_address() {
        for url in ["chrome://settings/", "chrome://newtab/", "chrome-extension://abc/sidepanel.html"] {
            assert_eq!(of(url), Some(OwnPage::Browser), "{url}");
        }
        assert_eq!(of("https://chromewebstore.google.com/x"), Some(OwnPage::Store));
        for url in ["https://example.com/", "about:blank", "http://127.0.0.1:8000/", "file:///tmp/a.html", ""] {
            assert_eq!(of(url), None, "{url}");
        }
    }
}
