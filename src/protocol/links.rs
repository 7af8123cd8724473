//! Where a link in an answer, an export or the terminal may lead.
//!
//! Owns the one list of schemes; the panel has it from `extension/shared/constants.js`. `tests/links.json` holds what
//! the list means, address by address, and everything that makes links is tested against it.

use url::Url;

#[cfg(test)]
mod table;
#[cfg(test)]
pub use table::lines;

/// The schemes of addresses that may be links. An address with another one stays text.
pub const LINK_SCHEMES: [&str; 2] = ["http", "https"];

/// The address as a browser understands it, or `None` unless a link may lead there. Relative addresses may not: there
/// is no base that they could be relative to.
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
