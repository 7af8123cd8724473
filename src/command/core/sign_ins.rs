//! The saved sign-ins, as a command may use them.
//!
//! Owns the interface. The engine has the store behind it; a command gets a secret only to fill it in.

use futures_util::future::BoxFuture;
use gstack_protocol::fault::Fault;
use gstack_protocol::secret_text::SecretText;
use gstack_protocol::sign_in::{SavedSignIn, SignInFields};

/// The saved sign-ins.
pub trait SignInSource: Send + Sync {
    /// Lists them without secrets.
    fn list(&self) -> BoxFuture<'_, Result<Vec<SavedSignIn>, Fault>>;
    /// Returns one by its name, without asking for its secrets yet.
    fn find<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Box<dyn SignInSecrets>, Fault>>;
}

/// One sign-in, with the means to get its secrets.
pub trait SignInSecrets: Send + Sync {
    /// Describes it without its secrets.
    fn described(&self) -> SavedSignIn;
    /// Returns the selectors that the person gave.
    fn fields(&self) -> SignInFields;
    /// Returns the password. A password manager may ask the person for it.
    fn password(&self) -> BoxFuture<'_, Result<SecretText, Fault>>;
    /// Returns the one-time code of this moment. `None` if it has no such codes.
    fn code(&self) -> BoxFuture<'_, Result<Option<SecretText>, Fault>>;
}
