//! A site, in the sense that people use the word: the host of a URL, with its port unless it is the default.
//!
//! Owns the comparison of the current page with the one on which something was allowed. Never asks a browser.

use std::fmt;
use url::Url;

/// Returns the site of a URL, or `None` if it has no host (`about:blank`). The port is part of the site: another port
/// is another site.
pub fn of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let name = url.host_str()?.to_owned();
    Some(match url.port() {
        Some(port) => format!("{name}:{port}"),
        None => name,
    })
}

/// The place on which something was allowed. A page without a host matches only itself, never every page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Site(String),
    /// The URL without its fragment: `about:blank`, `file:///…`, `blob:…`.
    Page(String),
}

impl Place {
    pub fn of(url: &str) -> Self {
        match of(url) {
            Some(site) => Self::Site(site),
            None => {
                let address = url.split_once('#').map_or(url, |(address, _)| address);
                Self::Page(if address.is_empty() { "about:blank" } else { address }.to_owned())
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Site(site) => to.write_str(site),
            // A `data:` URL may contain a whole document.
            Self::Page(_) => to.write_str("that page"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn a_page_without_a_host_is_no_other_page() {
        let blank = Place::of("about:blank");
        assert_eq!(blank, Place::of("about:blank#top"));
        assert_eq!(blank, Place::of(""));
        for other in ["http://bank.example/", "file:///etc/hosts", "data:text/html,x", "about:srcdoc"] {
            assert_ne!(blank, Place::of(other), "{other}");
        }
        assert_eq!(Place::of("http://a.example/one"), Place::of("https://a.example/two#x"));
        assert_ne!(Place::of("http://a.example/"), Place::of("http://a.example:8080/"));
        assert_ne!(Place::of("blob:http://a.example/1"), Place::of("http://a.example/"));
    }
}
