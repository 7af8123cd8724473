//! One saved sign-in as the file holds it, secrets included.
//!
//! Owns the check of what is saved. Never leaves this service except as what is filled in.

use super::error::SignInError;
use super::origin;
use super::provider;
use super::totp::Totp;
use gstack_base::visible::visible;
use gstack_protocol::secret_text::SecretText;
use gstack_protocol::sign_in::{PasswordSource, SavedSignIn, SignInFields, SignInSave};
use serde::{Deserialize, Serialize};

const LONGEST_NAME: usize = 64;
const LONGEST_USER: usize = 256;
const LONGEST_SELECTOR: usize = 512;
/// A shorter one can't be kept out of results: its characters are in every text.
pub(super) const SHORTEST_SECRET: usize = 4;
pub(super) const LONGEST_SECRET: usize = 1024;

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) origin: String,
    pub(super) user: String,
    pub(super) password: PasswordSource,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) totp: Option<SecretText>,
    #[serde(default)]
    pub(super) fields: SignInFields,
}

impl Record {
    /// Checks what a person wants to save.
    pub(super) fn of(save: SignInSave) -> Result<Self, SignInError> {
        let SignInSave { name, origin, user, password, totp, fields, replace: _ } = save;
        check_name(&name)?;
        let is_plain = |text: &str| visible(text) == text && !text.chars().any(char::is_control);
        if user.trim().is_empty() || user.len() > LONGEST_USER || !is_plain(&user) {
            return Err(invalid("a user name", "has 1 to 256 visible characters"));
        }
        match &password {
            PasswordSource::Saved(secret) => check_secret(secret.reveal())?,
            PasswordSource::Provider(provider) if totp.is_some() || !provider::is_plausible(provider) => {
                return Err(invalid("a password manager", "needs the absolute path of its program and an entry"));
            }
            PasswordSource::Provider(_) => {}
        }
        if let Some(seed) = &totp {
            Totp::parse(seed.reveal())?;
        }
        for selector in [&fields.user, &fields.password, &fields.code].into_iter().flatten() {
            if selector.trim().is_empty() || selector.len() > LONGEST_SELECTOR || !is_plain(selector) {
                return Err(invalid("a selector", "has 1 to 512 visible characters"));
            }
        }
        Ok(Self { name, origin: origin::parse(&origin)?, user, password, totp, fields })
    }

    /// Describes it without its secrets.
    pub(super) fn described(&self) -> SavedSignIn {
        let (provider, has_codes) = match &self.password {
            PasswordSource::Saved(_) => (None, self.totp.is_some()),
            PasswordSource::Provider(provider) => (Some(provider.kind), provider.totp_entry.is_some()),
        };
        let Self { name, origin, user, .. } = self.clone();
        SavedSignIn { name, origin, user, provider, totp: has_codes }
    }
}

fn check_name(name: &str) -> Result<(), SignInError> {
    let is_of_name = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'@' | b'.' | b'_' | b'-' | b'+');
    let begins_well = name.bytes().next().is_some_and(|letter| letter.is_ascii_alphanumeric());
    match begins_well && name.len() <= LONGEST_NAME && name.bytes().all(is_of_name) {
        true => Ok(()),
        false => {
            Err(invalid("a name", "has up to 64 letters, digits and @ . _ - +, and begins with a letter or digit"))
        }
    }
}

/// Checks a password, wherever it comes from.
pub(super) fn check_secret(secret: &str) -> Result<(), SignInError> {
    let length = secret.chars().count();
    if !(SHORTEST_SECRET..=LONGEST_SECRET).contains(&length) || secret.chars().any(char::is_control) {
        return Err(invalid("a password", "has 4 to 1024 characters, on one line"));
    }
    Ok(())
}

fn invalid(what: &'static str, why: &'static str) -> SignInError {
    SignInError::Invalid { what, why }
}

#[cfg(test)]
mod tests {
    use super::Record;
    use gstack_protocol::secret_text::SecretText;
    use gstack_protocol::sign_in::{PasswordSource, ProviderKind, SecretProvider, SignInFields, SignInSave};

    fn save() -> SignInSave {
        SignInSave {
            name: "ada@shop".to_owned(),
            origin: "https://Shop.example/".to_owned(),
            user: "ada".to_owned(),
            password: PasswordSource::Saved(SecretText::new("correct horse".to_owned())),
            totp: None,
            fields: SignInFields::default(),
            replace: false,
        }
    }

    #[test]
    fn what_is_saved_is_checked() {
        let record = Record::of(save()).ok().unwrap();
        assert_eq!(record.origin, "https://shop.example");
        let provider = |program: &str, entry: &str| {
            PasswordSource::Provider(SecretProvider {
                kind: ProviderKind::Pass,
                program: program.to_owned(),
                entry: entry.to_owned(),
                totp_entry: None,
                environment: Default::default(),
            })
        };
        assert!(Record::of(SignInSave { password: provider("/usr/bin/pass", "shop/ada"), ..save() }).is_ok());
        let secret = |text: &str| PasswordSource::Saved(SecretText::new(text.to_owned()));
        let wrong = [
            SignInSave { name: "-x".to_owned(), ..save() },
            SignInSave { name: "a b".to_owned(), ..save() },
            SignInSave { name: String::new(), ..save() },
            SignInSave { user: " ".to_owned(), ..save() },
            SignInSave { user: "ada\u{202e}nimda".to_owned(), ..save() },
            SignInSave { origin: "http://shop.example".to_owned(), ..save() },
            SignInSave { password: secret("abc"), ..save() },
            SignInSave { password: secret("two\nlines"), ..save() },
            SignInSave { password: provider("pass", "shop/ada"), ..save() },
            SignInSave { password: provider("/usr/bin/pass", "--help"), ..save() },
            SignInSave { totp: Some(SecretText::new("nonsense!".to_owned())), ..save() },
            SignInSave { fields: SignInFields { user: Some(String::new()), ..Default::default() }, ..save() },
        ];
        for (at, save) in wrong.into_iter().enumerate() {
            assert!(Record::of(save).is_err(), "{at}");
        }
    }
}
