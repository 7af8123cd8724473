//! `release.json`: the signed list of a release's files.
//!
//! Owns its format. It contains the SHA-256 of everything that is installed; the signature covers the whole
//! file, including the version.

use super::error::UpgradeError;
use gstack_base::hex::hexadecimal;
use minisign_verify::{PublicKey, Signature};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

pub(super) const NAME: &str = "release.json";
pub(super) const SIGNATURE: &str = "release.json.minisig";

pub(super) struct Key(PublicKey);

impl Key {
    /// Reads the key that releases are signed with.
    pub(super) fn read(base64: &str) -> Result<Self, UpgradeError> {
        PublicKey::from_base64(base64).map(Self).map_err(|_| UpgradeError::NotPublished)
    }

    /// Returns the release described by a manifest. Fails if the signature is invalid.
    pub(super) fn open(&self, text: &str, signature: &str) -> Result<Release, UpgradeError> {
        let refused = |error: minisign_verify::Error| UpgradeError::Signature(error.to_string());
        let signature = Signature::decode(signature).map_err(refused)?;
        // Accepts only prehashed signatures, minisign's default, not the legacy format.
        self.0.verify(text.as_bytes(), &signature, false).map_err(refused)?;
        let release: Release = serde_json::from_str(text).map_err(|e| UpgradeError::Manifest(e.to_string()))?;
        let is_version = |version: &str| {
            let parts: Vec<&str> = version.split('.').collect();
            parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok())
        };
        if !is_version(&release.version) {
            return Err(UpgradeError::Manifest(format!("{:?} is not a version", release.version)));
        }
        Ok(release)
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Release {
    /// Three numbers, such as `1.2.3`.
    pub version: String,
    /// A date: `2026-11-22`.
    pub published: Option<String>,
    targets: BTreeMap<String, Archive>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Archive {
    pub file: String,
    /// In bytes.
    pub size: u64,
    /// In lower-case hexadecimal.
    sha256: String,
}

impl Release {
    /// Returns this program's target triple.
    pub(super) fn target(&self) -> String {
        let arch = std::env::consts::ARCH;
        match std::env::consts::OS {
            "macos" => format!("{arch}-apple-darwin"),
            _ if cfg!(target_env = "musl") => format!("{arch}-unknown-linux-musl"),
            _ => format!("{arch}-unknown-linux-gnu"),
        }
    }

    /// Returns the archive for this program's target.
    pub(super) fn archive(&self) -> Result<&Archive, UpgradeError> {
        let target = self.target();
        let archive = self.targets.get(&target);
        let archive = archive.ok_or_else(|| UpgradeError::NoTarget { version: self.version.clone(), target })?;
        // The name becomes part of a URL and of a file name.
        let is_plain = |name: &str| {
            !name.starts_with(['.', '-']) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        };
        match is_plain(&archive.file) {
            true => Ok(archive),
            false => Err(UpgradeError::Manifest(format!("{:?} is not a file's name", archive.file))),
        }
    }
}

impl Archive {
    /// Fails unless a downloaded file has the size and hash in the manifest.
    pub(super) fn check(&self, file: &Path) -> Result<(), UpgradeError> {
        let damaged = |how: String| UpgradeError::Damaged { name: self.file.clone(), how };
        let unreadable = |e: std::io::Error| damaged(e.to_string());
        let mut file = File::open(file).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        if size != self.size {
            return Err(damaged(format!("it has {size} bytes instead of {}", self.size)));
        }
        let mut hash = Sha256::new();
        let mut part = vec![0; 1 << 16];
        loop {
            match file.read(&mut part).map_err(unreadable)? {
                0 => break,
                n => hash.update(&part[..n]),
            }
        }
        if hexadecimal(&hash.finalize()) == self.sha256 {
            Ok(())
        } else {
            Err(damaged("its SHA-256 does not match".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signed with minisign 0.11 and a key that was deleted afterwards.
    const TEXT: &str = include_str!("../../tests/fixtures/upgrade/release.json");
    const SIGNED: &str = include_str!("../../tests/fixtures/upgrade/release.json.minisig");
    const PUBLIC: &str = include_str!("../../tests/fixtures/upgrade/release.pub");

    #[test]
    fn a_manifest_that_minisign_signed_is_opened() {
        let release = Key::read(PUBLIC.lines().nth(1).unwrap()).unwrap().open(TEXT, SIGNED).unwrap();
        assert_eq!(release.version, "9.9.9");
        assert_eq!(release.published.as_deref(), Some("2026-11-22"));
    }

    #[test]
    fn a_changed_manifest_signature_or_key_is_refused() {
        let key = Key::read(PUBLIC.lines().nth(1).unwrap()).unwrap();
        let changed = TEXT.replace("9.9.9", "9.9.8");
        assert!(matches!(key.open(&changed, SIGNED), Err(UpgradeError::Signature(_))));
        assert!(matches!(key.open(&format!("{TEXT} "), SIGNED), Err(UpgradeError::Signature(_))));
        // The signature also covers the trusted comment.
        let comment = SIGNED.replace("gstack 9.9.9", "gstack 9.9.8");
        assert_ne!(comment, SIGNED);
        assert!(matches!(key.open(TEXT, &comment), Err(UpgradeError::Signature(_))));
        for signature in ["", "untrusted comment: x\nAAAA\n", &SIGNED[..SIGNED.len() / 2]] {
            assert!(matches!(key.open(TEXT, signature), Err(UpgradeError::Signature(_))), "{signature}");
        }
        let other = Key::read("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3").unwrap();
        assert!(matches!(other.open(TEXT, SIGNED), Err(UpgradeError::Signature(_))));
    }

    #[test]
    fn a_build_without_a_key_upgrades_nothing() {
        for key in ["", "not a key", &PUBLIC[..20]] {
            assert!(matches!(Key::read(key), Err(UpgradeError::NotPublished)), "{key:?}");
        }
    }

    #[test]
    fn a_manifest_can_not_name_a_file_elsewhere() {
        for file in ["../gstack", "/etc/passwd", ".hidden", "-o", "a b", "a?b", "a%2fb"] {
            let archive = |file: &str| Archive { file: file.to_owned(), size: 1, sha256: String::new() };
            let mut release = Release { version: "1.0.0".into(), published: None, targets: BTreeMap::new() };
            release.targets.insert(release.target(), archive(file));
            assert!(matches!(release.archive(), Err(UpgradeError::Manifest(_))), "{file}");
        }
    }
}
