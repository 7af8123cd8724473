//! The documents of one tab that have to do with an address from which nothing is read (a cloud's metadata service).
//!
//! Owns the memory of them, fed by each answer's remote address: the last of three guards, behind the spelling of an
//! address and the browser's own resolver rules, for names that lead there all the same. Never judges an address:
//! `AttachOptions::refuses` does.

use std::collections::HashMap;

/// More documents of one tab than this are not remembered one by one: each is a refusal of its own already.
const MOST: usize = 1000;

/// What one tab got from refused addresses.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// The address, by the document (its loader) that asked for it or came from it.
    pub(super) documents: HashMap<String, String>,
    /// Counts the times that such a document was shown or got such an answer, so that one that has gone meanwhile is
    /// noticed too.
    pub(super) times: u64,
    pub(super) last: String,
}

impl Refused {
    /// `is_shown`: a frame has that document now. One that is still to come counts when it does, and what was asked for
    /// by a document that was left (its icon) comes too late to be read.
    pub(super) fn add(&mut self, document: &str, address: &str, is_shown: bool) {
        if self.documents.len() < MOST {
            self.documents.insert(document.to_owned(), address.to_owned());
        }
        if is_shown {
            self.shown(document);
        }
    }
    pub(super) fn shown(&mut self, document: &str) {
        if let Some(address) = self.documents.get(document) {
            self.times += 1;
            self.last.clone_from(address);
        }
    }
}

/// How far a tab had got when something began to read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefusalMark(pub(super) u64);

#[cfg(test)]
mod tests {
    use super::Refused;

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
}
