//! Saved sign-ins: what `gstack auth` sends to the daemon and what it gets back.
//!
//! Owns the structures. A secret goes to the daemon and never comes back.

use super::secret_text::SecretText;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `POST /auth/save`: answered by [`SavedSignIn`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignInSave {
    /// The name by which people and agents call it.
    pub name: String,
    /// The only origin that it is filled in on: `https://shop.example`.
    pub origin: String,
    /// The user name or email address.
    pub user: String,
    /// The password, or the password manager that has it.
    pub password: PasswordSource,
    /// The seed of its one-time codes: an `otpauth://` URI or base32. Not with a provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totp: Option<SecretText>,
    /// The selectors of its fields.
    #[serde(default)]
    pub fields: SignInFields,
    /// Whether a saved sign-in with this name is replaced.
    #[serde(default)]
    pub replace: bool,
}

/// Where a password comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PasswordSource {
    /// It is saved by gstack.
    Saved(SecretText),
    /// A password manager is asked each time.
    Provider(SecretProvider),
}

/// A password manager's program and entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretProvider {
    /// Which one.
    pub kind: ProviderKind,
    /// The absolute path of its program.
    pub program: String,
    /// The entry of the password, as that program names it.
    pub entry: String,
    /// The entry of the one-time codes, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totp_entry: Option<String>,
    /// Variables that the program needs, without secrets: `PASSWORD_STORE_DIR`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
}

/// The supported password managers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProviderKind {
    /// The standard Unix password manager.
    Pass,
    /// 1Password's command line.
    Op,
    /// Bitwarden's command line.
    Bw,
}

impl ProviderKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pass, Self::Op, Self::Bw];
    /// Variables without secrets that their programs read. Taken from the terminal when a sign-in is saved.
    pub const VARIABLES: [&str; 5] =
        ["PASSWORD_STORE_DIR", "GNUPGHOME", "OP_ACCOUNT", "OP_CONFIG_DIR", "BITWARDENCLI_APPDATA_DIR"];
    /// Variables with secrets. Taken from the terminal when sign-ins are unlocked, and kept in memory only.
    pub const SECRET_VARIABLES: [&str; 2] = ["BW_SESSION", "OP_SERVICE_ACCOUNT_TOKEN"];

    /// Returns the name on the command line, which is also that of the program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Op => "op",
            Self::Bw => "bw",
        }
    }
}

/// Selectors of the fields, for pages on which they are not found by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SignInFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The field of the user name.
    pub user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The field of the password.
    pub password: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The field of the one-time code.
    pub code: Option<String>,
}

/// A saved sign-in, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SavedSignIn {
    /// Its name.
    pub name: String,
    /// The only origin that it is filled in on.
    pub origin: String,
    /// The user name or email address.
    pub user: String,
    /// The password manager that is asked for the password; absent if gstack saved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderKind>,
    /// Whether it has one-time codes.
    pub totp: bool,
}

/// `GET /auth`, and the answer to the requests that change it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SavedSignIns {
    /// What protects them.
    pub store: SignInStore,
    /// Sorted by name. Empty while the store is locked.
    pub sign_ins: Vec<SavedSignIn>,
    /// Why the keyring could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// What protects the saved sign-ins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SignInStore {
    /// There is none yet.
    #[default]
    Missing,
    /// The key is in the system's keyring.
    Keyring,
    /// The key is a passphrase, which must be given first.
    Locked,
    /// The key is a passphrase, which the daemon knows for now.
    Unlocked,
}

/// `POST /auth/unlock`: answered by [`SavedSignIns`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignInUnlock {
    /// The passphrase; a store that does not exist yet is created with it. Absent: creates one with the keyring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passphrase: Option<SecretText>,
    /// When the daemon forgets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    /// Variables with secrets for password managers: `BW_SESSION`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, SecretText>,
}

/// `POST /auth/remove`: answered by [`SavedSignIns`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SignInRemove {
    /// Its name.
    pub name: String,
}
