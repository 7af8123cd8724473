//! The two lists of sites that limit a browser: the one it was opened with, and the one in the configuration.
//!
//! Owns the choice of the limit that refuses an address.

use super::site_list::SiteList;
use url::Url;

/// An address must be on both lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteLimits {
    /// The list that the open browser's resolver rules enforce until it closes.
    pub open: SiteList,
    /// The list in the configuration, which may have changed since.
    pub configured: SiteList,
}

impl SiteLimits {
    /// Returns the list that an address is not on. `None` if it may be reached.
    pub fn refusing(&self, url: &Url) -> Option<&SiteList> {
        [&self.configured, &self.open].into_iter().find(|sites| !sites.covers_url(url))
    }
    /// Whether every host may be reached.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.configured.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{SiteLimits, SiteList};
    use url::Url;

    #[test]
    fn an_address_must_be_on_both_lists() {
        let list = |text: &str| SiteList::parse(text).unwrap();
        let limits = SiteLimits { open: list("a.example b.example"), configured: list("b.example c.example") };
        let refusing = |url: &str| limits.refusing(&Url::parse(url).unwrap()).cloned();
        assert_eq!(refusing("https://b.example/"), None);
        assert_eq!(refusing("https://a.example/"), Some(limits.configured.clone()));
        assert_eq!(refusing("https://c.example/"), Some(limits.open.clone()));
        assert!(!limits.is_empty() && SiteLimits::default().is_empty());
    }
}
