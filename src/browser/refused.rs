//! The documents of one tab that came from, or requested, an address that nothing may be read from (a cloud's metadata
//! service).
//!
//! Owns the memory of them, filled from each answer's remote address. This is the last of three guards, after the check
//! of the address's spelling and the browser's resolver rules, for names that resolve there all the same. Never judges
//! an address: `AttachOptions::refuses` does.

use std::collections::HashMap;

/// Beyond this many, a tab's further documents are not recorded, and every document that it shows counts as refused.
const MOST: usize = 1000;

/// The refused addresses that answered one tab.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// The refused address, by the loader of the document that requested it or came from it.
    pub(super) documents: HashMap<String, String>,
    /// Counts how often such a document was shown or got such an answer, so that a document that has been replaced
    /// since is noticed too.
    pub(super) times: u64,
    pub(super) last: String,
    /// There were more documents than are recorded.
    overflowed: bool,
}

impl Refused {
    /// Records an answer from a refused address. `is_shown`: a frame shows that document now. A document that is still
    /// loading counts once it is shown; a request of a document that was left (its icon) comes too late to be read.
    pub(super) fn add(&mut self, document: &str, address: &str, is_shown: bool) {
        if self.documents.len() < MOST {
            self.documents.insert(document.to_owned(), address.to_owned());
        } else if !self.documents.contains_key(document) {
            self.overflowed = true;
            address.clone_into(&mut self.last);
        }
        if is_shown {
            self.shown(document);
        }
    }
    pub(super) fn shown(&mut self, document: &str) {
        if let Some(address) = self.documents.get(document) {
            self.times += 1;
            self.last.clone_from(address);
        } else if self.overflowed {
            self.times += 1;
        }
    }
}

/// The refusal count of a tab when a read began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefusalMark(pub(super) u64);

#[cfg(test)]
mod tests {
    use super::{MOST, Refused};

    #[test]
    fn a_document_counts_when_it_answers_and_each_time_it_is_shown() {
        let mut refused = Refused::default();
        refused.shown("fine");
        assert_eq!(refused.times, 0);
        refused.add("coming", "10.0.0.1", false);
        assert_eq!(refused.times, 0);
        refused.shown("coming");
        refused.shown("coming");
        refused.add("asks", "10.0.0.2", true);
        assert_eq!((refused.times, refused.last.as_str()), (3, "10.0.0.2"));
    }

    #[test]
    fn more_documents_than_are_recorded_open_no_way_around() {
        let mut refused = Refused::default();
        for number in 0..=MOST {
            refused.add(&number.to_string(), "10.0.0.1", false);
        }
        refused.shown(&MOST.to_string());
        assert_eq!((refused.times, refused.last.as_str()), (1, "10.0.0.1"));
    }
}
