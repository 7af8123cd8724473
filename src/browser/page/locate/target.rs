//! An element as a call names it: a ref or a selector.

use super::refs::RefName;
use std::fmt;

/// A client's choice of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Ref(RefName),
    Selector(String),
}

impl Target {
    pub fn parse(text: &str) -> Self {
        RefName::parse(text).map_or_else(|| Self::Selector(text.to_owned()), Self::Ref)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ref(name) => name.fmt(f),
            Self::Selector(selector) => f.write_str(selector),
        }
    }
}
