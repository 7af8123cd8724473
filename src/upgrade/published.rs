//! Where releases are published, and the key that they are signed with: `packaging/home.toml` at build time.
//!
//! Owns that file's values. A build in which either is empty downloads nothing.

use super::error::UpgradeError;
use serde::Deserialize;

const HOME: &str = include_str!("../../packaging/home.toml");

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Published {
    address: String,
    /// In base64, as in the second line of a minisign public key file.
    release_key: String,
}

impl Published {
    /// Fails if no release is published.
    pub(super) fn built_in() -> Result<Self, UpgradeError> {
        let found = Self::read(HOME)?;
        #[cfg(debug_assertions)]
        let found = found.replaced();
        if found.address.is_empty() || found.release_key.is_empty() {
            Err(UpgradeError::NotPublished)
        } else {
            Ok(found)
        }
    }

    /// For tests. Not in releases, which are built without debug assertions.
    #[cfg(debug_assertions)]
    fn replaced(self) -> Self {
        let of = |variable: &str, value: String| std::env::var(variable).unwrap_or(value);
        Self {
            address: of("GSTACK_RELEASE_ADDRESS", self.address),
            release_key: of("GSTACK_RELEASE_KEY", self.release_key),
        }
    }

    fn read(file: &str) -> Result<Self, UpgradeError> {
        toml::from_str(file).map_err(|_| UpgradeError::NotPublished)
    }

    /// The folder of the newest release's files.
    pub(super) fn newest(&self) -> String {
        format!("{}/releases/latest/download", self.address)
    }

    pub(super) fn release_key(&self) -> &str {
        &self.release_key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_file_names_an_address_and_a_key() {
        let filled = "address = \"https://releases.example/gstack\"\nrelease-key = \"RW\"\nnpm-scope = \"\"";
        let read = Published::read(filled).unwrap();
        assert_eq!(read.newest(), "https://releases.example/gstack/releases/latest/download");
        assert_eq!(read.release_key(), "RW");
        Published::read(HOME).unwrap();
        assert!(matches!(Published::read("address = \"x\""), Err(UpgradeError::NotPublished)));
    }
}
