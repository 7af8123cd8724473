//! The page that a message, a note or a turn refers to, cut to a size that fits into any frame.

use serde::{Deserialize, Serialize};

/// The page that a person was viewing when they wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct PageContext {
    /// The page's address.
    pub url: String,
    /// The page's title.
    pub title: String,
    /// The text that was selected in the page, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
}

/// The maximum length of a page's address. Pages choose their addresses, and frames that contain them are limited in
/// size.
pub const LONGEST_ADDRESS: usize = 2048;
/// The maximum length of a page's title.
pub const LONGEST_TITLE: usize = 512;
/// The maximum length of a page's selection. Agents get less.
pub const LONGEST_SELECTION: usize = 32 * 1024;

impl PageContext {
    /// Returns the page with its address, title and selection cut to fit into any message.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        if self.url.len() > LONGEST_ADDRESS
            && let Ok(mut parsed) = url::Url::parse(&self.url)
        {
            // User information precedes the host: if the cut fell inside it, the address would name a different host.
            let cleared = parsed.set_username("").and_then(|()| parsed.set_password(None));
            if cleared.is_ok() {
                self.url = parsed.into();
            }
        }
        cut(&mut self.url, LONGEST_ADDRESS);
        cut(&mut self.title, LONGEST_TITLE);
        if let Some(selection) = &mut self.selection {
            cut(selection, LONGEST_SELECTION);
        }
        self
    }
}

/// Cuts to `longest` bytes, including the ellipsis.
fn cut(text: &mut String, longest: usize) {
    const SIGN: &str = "…";
    if text.len() > longest {
        let end = (0..=longest - SIGN.len()).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str(SIGN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_address_that_is_cut_keeps_its_host() {
        let page = |url: String| PageContext { url, ..PageContext::default() }.bounded().url;
        let long = "x".repeat(600_000);
        assert!(page(format!("https://a.example/#{long}")).starts_with("https://a.example/#xx"));
        assert!(page(format!("https://bank.example{long}@b.example/")).starts_with("https://b.example/"));
        assert_eq!(page("https://me:pw@a.example/".into()), "https://me:pw@a.example/", "a short one is left alone");
    }

    proptest! {
        #[test]
        fn whatever_a_page_calls_itself_fits(url in any::<String>(), title in any::<String>(), times in 1_usize..2000) {
            let page = PageContext { url: url.repeat(times), title: title.repeat(times), selection: None }.bounded();
            prop_assert!(page.url.len() <= LONGEST_ADDRESS && page.title.len() <= LONGEST_TITLE);
            prop_assert_eq!(page.clone().bounded(), page);
        }
    }
}
