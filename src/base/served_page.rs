//! A page that gstack serves to a browser: one response with its style and its script, which loads nothing else.
//!
//! Owns the text and its policy. Source: Content Security Policy Level 3, "hash-source".

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The text of a page, and the value of its `Content-Security-Policy` header.
#[derive(Debug)]
pub struct ServedPage {
    pub html: String,
    /// Only this page's style and script run, and it talks only to its own origin.
    pub policy: String,
}

impl ServedPage {
    /// Puts the style and the script where the page has `/* style */` and `/* script */`.
    pub fn new(html: &str, style: &str, script: &str) -> Self {
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
        Self {
            html: html.replace("/* style */", style).replace("/* script */", script),
            policy: format!(
                "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; connect-src 'self'; base-uri 'none'; \
                 form-action 'none'; frame-ancestors 'none'",
                hash(style),
                hash(script)
            ),
        }
    }

    /// Returns what the page has that it must not: an address from which it would load, or a way to turn text into HTML.
    pub fn reaches_out(&self) -> Option<&'static str> {
        const OUTSIDE: [&str; 8] =
            ["http:", "https:", "src=", "href=", "innerHTML", "insertAdjacent", "document.write", "eval("];
        OUTSIDE.into_iter().find(|outside| self.html.contains(outside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_style_and_script_and_nothing_unsafe_may_run() {
        let page = ServedPage::new("<style>/* style */</style><script>/* script */</script>", "a{}", "b()");
        assert_eq!(page.html, "<style>a{}</style><script>b()</script>");
        assert!(page.policy.starts_with("default-src 'none'") && !page.policy.contains("unsafe"), "{}", page.policy);
        assert_eq!(page.reaches_out(), None);
        assert_eq!(ServedPage::new("<img src=x>", "", "").reaches_out(), Some("src="));
    }
}
