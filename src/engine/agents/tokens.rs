//! The tokens of running agents, and what each one gives access to.
//!
//! Owns the table and its comparison. Never creates a token, and does not know what a token gives access to.

use gstack_base::mutex::lock;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use subtle::ConstantTimeEq;

/// Tokens and what each gives access to. Cheap to clone.
pub(crate) struct Tokens<T: ?Sized>(Arc<Mutex<HashMap<String, Arc<T>>>>);

impl<T: ?Sized> Clone for Tokens<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: ?Sized> Default for Tokens<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: ?Sized> Tokens<T> {
    pub(crate) fn admit(&self, token: &str, opens: Arc<T>) {
        lock(&self.0).insert(token.to_owned(), opens);
    }

    /// Revokes the token.
    pub(crate) fn revoke(&self, token: &str) {
        lock(&self.0).remove(token);
    }

    /// Returns what a token gives access to. Compares every token, each in constant time.
    pub(crate) fn opened_by(&self, presented: &str) -> Option<Arc<T>> {
        let known = lock(&self.0);
        let mut found = None;
        for (token, opens) in known.iter() {
            if bool::from(token.as_bytes().ct_eq(presented.as_bytes())) {
                found = Some(opens.clone());
            }
        }
        found
    }

    /// Returns one entry for which `holds` is true.
    pub(crate) fn find(&self, holds: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        lock(&self.0).values().find(|opens| holds(opens)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::Tokens;
    use std::sync::Arc;

    #[test]
    fn a_token_opens_what_it_was_admitted_for_until_it_is_revoked() {
        let tokens = Tokens::default();
        tokens.admit("one", Arc::new(1));
        tokens.admit("two", Arc::new(2));
        assert_eq!(tokens.opened_by("two").as_deref(), Some(&2));
        for wrong in ["", "on", "onee", "One"] {
            assert_eq!(tokens.opened_by(wrong), None, "{wrong}");
        }
        assert_eq!(tokens.find(|number| *number == 1).as_deref(), Some(&1));
        tokens.clone().revoke("one");
        assert_eq!((tokens.opened_by("one"), tokens.find(|number| *number == 1)), (None, None));
        assert_eq!(tokens.opened_by("two").as_deref(), Some(&2));
    }
}
