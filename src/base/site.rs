//! A site, in the sense that people use the word: the host of a URL, with its port unless it is that of https.
//!
//! Owns the comparison of the current page with the one on which something was allowed. Never asks a browser.

use std::fmt;
use url::Url;

/// The port of http, which is always named: anyone on the way can change what http brings, so what was allowed on a host
/// over https is not allowed there over http.
const HTTP: &str = ":80";

/// Returns the site of a URL, or `None` if it has no host (`about:blank`). The port is part of the site: another port
/// is another site. `https://a.example/` is `a.example`, `http://a.example/` is `a.example:80`.
pub fn of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let name = url.host_str()?.to_owned();
    Some(match url.port() {
        Some(port) => format!("{name}:{port}"),
        None if url.scheme() == "http" => name + HTTP,
        None => name,
    })
}

/// Returns the origin of a URL as HTML serializes it: `https://a.example`, or `null` if it has none.
pub fn origin(url: &str) -> String {
    Url::parse(url).map_or_else(|_| "null".to_owned(), |url| url.origin().ascii_serialization())
}

/// Returns the site of the host or the address that a person typed: `shop.example`, `http://shop.example/cart`.
pub fn typed(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains("://") { of(text) } else { of(&format!("https://{text}")) }
}

/// Returns a site without the port of http, as URLs and request patterns write it.
pub fn without_http_port(site: &str) -> &str {
    site.strip_suffix(HTTP).unwrap_or(site)
}

/// The place on which something was allowed. A page without a host matches only itself, never every page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteOrPage {
    /// A site, as [`of`] returns it: `example.com`, `localhost:3000`.
    Site(String),
    /// The URL without its fragment: `about:blank`, `file:///…`, `blob:…`.
    Page(String),
}

impl SiteOrPage {
    /// Returns the place of a URL.
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

impl fmt::Display for SiteOrPage {
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
    use super::SiteOrPage;

    #[test]
    fn a_page_without_a_host_is_no_other_page() {
        let blank = SiteOrPage::of("about:blank");
        assert_eq!(blank, SiteOrPage::of("about:blank#top"));
        assert_eq!(blank, SiteOrPage::of(""));
        for other in ["http://bank.example/", "file:///etc/hosts", "data:text/html,x", "about:srcdoc"] {
            assert_ne!(blank, SiteOrPage::of(other), "{other}");
        }
        assert_eq!(SiteOrPage::of("https://a.example/one"), SiteOrPage::of("https://a.example/two#x"));
        assert_ne!(SiteOrPage::of("http://a.example/"), SiteOrPage::of("https://a.example/"));
        assert_eq!(SiteOrPage::of("http://a.example/").to_string(), "a.example:80");
        assert_ne!(SiteOrPage::of("http://a.example/"), SiteOrPage::of("http://a.example:8080/"));
        assert_ne!(SiteOrPage::of("blob:http://a.example/1"), SiteOrPage::of("http://a.example/"));
    }
}
