//! One sign-in that is about to be filled in, and the interface that commands have to all of them.
//!
//! Owns the source of each secret. Fetches it when there is a field for it, and keeps none.

use super::error::SignInError;
use super::provider;
use super::record::Record;
use super::service::SignIns;
use super::totp::Totp;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use gstack_base::clock::now_millis;
use gstack_command::{SignInSecrets, SignInSource};
use gstack_protocol::fault::Fault;
use gstack_protocol::secret_text::SecretText;
use gstack_protocol::sign_in::{PasswordSource, SavedSignIn, SignInFields, SignInStore};
use std::collections::BTreeMap;

/// A sign-in with the means to get its secrets.
pub(super) struct Chosen {
    record: Record,
    /// Secrets of password managers.
    environment: BTreeMap<String, SecretText>,
}

impl Chosen {
    pub(super) fn new(record: Record, environment: BTreeMap<String, SecretText>) -> Self {
        Self { record, environment }
    }

    async fn ask_password(&self) -> Result<SecretText, SignInError> {
        match &self.record.password {
            PasswordSource::Saved(secret) => Ok(secret.clone()),
            PasswordSource::Provider(of) => Ok(provider::password(of, &self.environment).await?),
        }
    }

    async fn ask_code(&self) -> Result<Option<SecretText>, SignInError> {
        match (&self.record.totp, &self.record.password) {
            (Some(seed), _) => {
                let code = Totp::parse(seed.reveal())?.code(now_millis() / 1000);
                Ok(Some(SecretText::new(code.to_string())))
            }
            (None, PasswordSource::Provider(of)) => Ok(provider::code(of, &self.environment).await?),
            (None, PasswordSource::Saved(_)) => Ok(None),
        }
    }
}

impl SignInSecrets for Chosen {
    fn described(&self) -> SavedSignIn {
        self.record.described()
    }

    fn fields(&self) -> SignInFields {
        self.record.fields.clone()
    }

    fn password(&self) -> BoxFuture<'_, Result<SecretText, Fault>> {
        self.ask_password().map(|asked| Ok(asked?)).boxed()
    }

    fn code(&self) -> BoxFuture<'_, Result<Option<SecretText>, Fault>> {
        self.ask_code().map(|asked| Ok(asked?)).boxed()
    }
}

impl SignInSource for SignIns {
    fn list(&self) -> BoxFuture<'_, Result<Vec<SavedSignIn>, Fault>> {
        async {
            let known = self.listed().await?;
            match known.store {
                SignInStore::Locked => Err(SignInError::Locked.into()),
                _ => Ok(known.sign_ins),
            }
        }
        .boxed()
    }

    fn find<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Box<dyn SignInSecrets>, Fault>> {
        async move { Ok(Box::new(self.chosen(name).await?) as Box<dyn SignInSecrets>) }.boxed()
    }
}
