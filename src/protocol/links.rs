//! The destinations allowed for links in answers, exports and the terminal.
//!
//! Owns the only list of schemes; the panel reads it from `extension/shared/constants.js`. `tests/links.json` lists the
//! expected result for each address, and all code that creates links is tested against it.

use url::Url;

#[cfg(feature = "for-tests")]
mod table;
#[cfg(feature = "for-tests")]
pub use table::lines;

/// The URL schemes that may be links. An address with another scheme stays text.
pub const LINK_SCHEMES: [&str; 2] = ["http", "https"];

/// Returns the address as a browser parses it, or `None` if it must not become a link. Relative addresses must not,
/// because there is no base URL.
pub fn link_to(address: &str) -> Option<Url> {
    Url::parse(address).ok().filter(|url| LINK_SCHEMES.contains(&url.scheme()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_addresses_of_the_table_that_lead_somewhere_are_links() {
        let lines = lines();
        assert!(lines.iter().any(|line| line.leads.is_some()) && lines.iter().any(|line| line.leads.is_none()));
        for line in lines {
            assert_eq!(link_to(&line.address).map(String::from), line.leads, "{:?}", line.address);
        }
    }
}
