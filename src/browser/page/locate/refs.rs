//! The refs of one tab: maps `@e3` to an element.
//!
//! Owns the numbers. An element keeps its ref while its document lives; a number is never reused in a tab. Never holds
//! an element: the script in the document does.

use crate::frames::FrameId;
use std::collections::{HashMap, VecDeque};
use std::fmt;

/// The kind of a ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefKind {
    /// `@e1`: a line of the accessibility tree.
    Element,
    /// `@c1`: clickable, but not in the accessibility tree.
    Cursor,
}

/// `@e3` or `@c1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RefName {
    /// Whether it is `@e…` or `@c…`.
    pub kind: RefKind,
    /// The number after the letter.
    pub number: u32,
}

impl RefName {
    /// Parses `@e3`; returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('@')?;
        let (kind, digits) = match (rest.strip_prefix('e'), rest.strip_prefix('c')) {
            (Some(digits), _) => (RefKind::Element, digits),
            (_, Some(digits)) => (RefKind::Cursor, digits),
            _ => return None,
        };
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(Self { kind, number: digits.parse().ok()? })
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.kind {
            RefKind::Element => 'e',
            RefKind::Cursor => 'c',
        };
        write!(f, "@{letter}{}", self.number)
    }
}

/// An element in one document of one frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ElementPlace {
    /// The frame.
    pub frame: FrameId,
    /// The script's id of its document.
    pub document: String,
    /// The script's number of the element, in that document.
    pub number: u32,
}

/// The number of stale refs whose descriptions are kept.
const MOST_FORGOTTEN: usize = 300;
/// In characters.
const LONGEST_LABEL: usize = 80;

#[derive(Debug, Default)]
pub(in crate::page) struct RefTable {
    names: HashMap<(RefKind, ElementPlace), u32>,
    places: HashMap<RefName, ElementPlace>,
    labels: HashMap<RefName, String>,
    /// The descriptions of stale refs: `button "Save"`.
    forgotten: VecDeque<(RefName, String)>,
    roles: HashMap<RefName, String>,
    last: HashMap<RefKind, u32>,
}

impl RefTable {
    /// Returns the element's ref; assigns a new number if it has none.
    pub(in crate::page) fn name(&mut self, kind: RefKind, place: ElementPlace) -> RefName {
        let last = self.last.entry(kind).or_default();
        let number = *self.names.entry((kind, place.clone())).or_insert_with(|| {
            *last += 1;
            *last
        });
        let name = RefName { kind, number };
        self.places.insert(name, place);
        name
    }

    /// Records the element's name in the newest snapshot that listed it.
    pub(in crate::page) fn label(&mut self, name: RefName, label: &str) {
        self.labels.insert(name, label.to_owned());
    }
    pub(in crate::page) fn label_of(&self, name: RefName) -> Option<&str> {
        self.labels.get(&name).map(String::as_str).filter(|label| !label.is_empty())
    }

    pub(in crate::page) fn role(&mut self, name: RefName, role: &str) {
        self.roles.insert(name, role.to_owned());
    }
    /// Returns the role and the name of a ref's element, from the newest snapshot that listed it.
    pub(in crate::page) fn role_and_name(&self, name: RefName) -> Option<(String, String)> {
        let role = self.roles.get(&name)?.clone();
        let label = self.label_of(name).filter(|label| *label != role).unwrap_or_default().to_owned();
        Some((role, label))
    }

    /// Returns the role and name of a ref from the newest snapshot that listed it, even if it is stale.
    pub(super) fn described(&self, name: RefName) -> Option<String> {
        let known = self.roles.get(&name).map(|role| describe(role, self.label_of(name)));
        known.or_else(|| Some(self.forgotten.iter().rev().find(|(old, _)| *old == name)?.1.clone()))
    }

    pub(in crate::page) fn place(&self, name: RefName) -> Option<&ElementPlace> {
        self.places.get(&name)
    }

    /// Drops the elements of documents that were replaced or whose frame is gone.
    pub(in crate::page) fn keep(&mut self, is_alive: impl Fn(&ElementPlace) -> bool) {
        self.names.retain(|(_, place), _| is_alive(place));
        let gone: Vec<RefName> = self.places.extract_if(|_, place| !is_alive(place)).map(|(name, _)| name).collect();
        for name in gone {
            if let Some(words) = self.described(name) {
                self.forgotten.push_back((name, words));
            }
            self.roles.remove(&name);
        }
        let too_many = self.forgotten.len().saturating_sub(MOST_FORGOTTEN);
        self.forgotten.drain(..too_many);
        self.labels.retain(|name, _| self.places.contains_key(name));
    }
}

fn describe(role: &str, label: Option<&str>) -> String {
    let label = label.filter(|label| *label != role);
    let Some(label) = label else { return role.to_owned() };
    let short: String = label.chars().take(LONGEST_LABEL).collect();
    let dots = if label.chars().count() > LONGEST_LABEL { "…" } else { "" };
    format!("{role} \"{short}{dots}\"")
}

#[cfg(test)]
mod tests {
    use super::{ElementPlace, RefKind, RefName, RefTable};
    use crate::frames::FrameId;

    fn place(document: &str, number: u32) -> ElementPlace {
        ElementPlace { frame: FrameId::new("f"), document: document.to_owned(), number }
    }

    #[test]
    fn only_whole_refs_are_refs() {
        assert_eq!(RefName::parse("@e12").map(|name| name.to_string()).as_deref(), Some("@e12"));
        assert_eq!(RefName::parse("@c1").map(|name| name.kind), Some(RefKind::Cursor));
        for text in ["e1", "@e", "@x1", "@e1x", "@e+1", "@", "@e99999999999999"] {
            assert_eq!(RefName::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_element_keeps_its_ref_and_numbers_are_never_given_twice() {
        let mut table = RefTable::default();
        let first = table.name(RefKind::Element, place("a", 7));
        assert_eq!(table.name(RefKind::Element, place("a", 7)), first);
        assert_eq!(table.name(RefKind::Cursor, place("a", 7)).to_string(), "@c1");
        table.keep(|place| place.document == "b");
        assert_eq!(table.place(first), None);
        assert_eq!(table.name(RefKind::Element, place("b", 7)).to_string(), "@e2");
    }
}
