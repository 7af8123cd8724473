//! The extension, embedded in the program and unpacked into gstack's home.
//!
//! Owns the unpacked folder. A single rename replaces it with another version, so a browser never reads a mix of
//! versions. Never loads it into a browser.

use super::InstallError;
use gstack_base::atomic::FILE_MODE;
use gstack_base::home::Home;
use gstack_protocol::EXTENSION_ID;
use include_dir::{Dir, include_dir};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

static EXTENSION: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/extension");

/// The file name that Chrome requires; it also contains the version.
#[cfg(test)]
const MANIFEST: &str = "manifest.json";

/// Whether the program embeds this file. False for files that only the type checker reads.
fn is_shipped(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    !(name.ends_with(".d.ts") || matches!(name, "tsconfig.json" | "jsconfig.json"))
}

/// Returns the embedded files by path.
fn carried() -> BTreeMap<PathBuf, &'static [u8]> {
    fn gather(folder: &'static Dir<'static>, files: &mut BTreeMap<PathBuf, &'static [u8]>) {
        let shipped = folder.files().filter(|file| is_shipped(file.path()));
        files.extend(shipped.map(|file| (file.path().to_owned(), file.contents())));
        folder.dirs().for_each(|inner| gather(inner, files));
    }
    let mut files = BTreeMap::new();
    gather(&EXTENSION, &mut files);
    files
}

/// Unpacks this program's extension into `home.extension()`. Leaves a folder with the same content untouched.
pub(crate) fn unpack(home: &Home) -> Result<PathBuf, InstallError> {
    let place = home.extension();
    replace(&place, &carried()).map_err(|source| InstallError::Write { path: place.clone(), source })?;
    Ok(place)
}

/// Returns the version in an unpacked extension's manifest, or `None` if there is none.
#[cfg(test)]
pub(crate) fn version(folder: &Path) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?).ok()?;
    manifest["version"].as_str().map(str::to_owned)
}

/// The steps to load the unpacked extension into an everyday browser.
#[derive(Clone, Debug)]
pub(crate) struct LoadingSteps {
    pub folder: PathBuf,
}

impl fmt::Display for LoadingSteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "To have the side panel in your everyday browser:")?;
        writeln!(f, "  1. open chrome://extensions and switch on Developer mode (top right)")?;
        writeln!(f, "  2. click \"Load unpacked\" and choose {}", self.folder.display())?;
        writeln!(
            f,
            "  3. click the puzzle piece in the toolbar, then gstack (its pin keeps the icon in view): the side panel opens"
        )?;
        writeln!(f, "  4. run the command that it shows: it confirms this browser, once")?;
        write!(f, "The extension's id must read {EXTENSION_ID}.")
    }
}

fn replace(place: &Path, files: &BTreeMap<PathBuf, &[u8]>) -> io::Result<()> {
    if holds(place, files)? {
        return Ok(());
    }
    let fresh = place.with_file_name(format!(".extension.{}", uuid::Uuid::new_v4().simple()));
    let outcome = write_all(&fresh, files).and_then(|()| swap(&fresh, place));
    // After the swap this is the old version; after a failure, the incomplete new one.
    let cleared = fs::remove_dir_all(&fresh);
    outcome?;
    match cleared {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Swaps `fresh` with `place`; afterwards `fresh` holds the previous content.
fn swap(fresh: &Path, place: &Path) -> io::Result<()> {
    if !place.try_exists()? {
        return fs::rename(fresh, place);
    }
    match renameat_with(CWD, fresh, CWD, place, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // File systems without exchange (overlay, network): two renames in quick succession.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
            let old = fresh.with_extension("old");
            fs::rename(place, &old)?;
            fs::rename(fresh, place)?;
            fs::rename(&old, fresh)
        }
        Err(error) => Err(error.into()),
    }
}

fn write_all(folder: &Path, files: &BTreeMap<PathBuf, &[u8]>) -> io::Result<()> {
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path.parent().unwrap_or(folder))?;
        OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&path)?.write_all(bytes)?;
    }
    Ok(())
}

/// Whether the folder contains exactly these files with this content. Ignores Chrome's own `_metadata`.
fn holds(folder: &Path, files: &BTreeMap<PathBuf, &[u8]>) -> io::Result<bool> {
    let mut found = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = match fs::read_dir(&next) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_name() == "_metadata" {
                continue;
            }
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
                continue;
            }
            let path = entry.path();
            let wanted = path.strip_prefix(folder).ok().and_then(|inner| files.get(inner));
            match wanted {
                Some(bytes) if fs::read(&path)? == *bytes => found += 1,
                _ => return Ok(false),
            }
        }
    }
    Ok(found == files.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files<'a>(list: &[(&str, &'a str)]) -> BTreeMap<PathBuf, &'a [u8]> {
        list.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes())).collect()
    }

    #[test]
    fn the_folder_becomes_exactly_what_is_carried() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("extension");
        let first = files(&[("manifest.json", r#"{"version":"1"}"#), ("lib/a.js", "a"), ("gone.js", "g")]);
        replace(&place, &first).unwrap();
        assert!(holds(&place, &first).unwrap());
        let second = files(&[("manifest.json", r#"{"version":"2"}"#), ("lib/a.js", "a")]);
        replace(&place, &second).unwrap();
        assert!(holds(&place, &second).unwrap());
        assert!(!place.join("gone.js").exists());
        assert_eq!(version(&place).as_deref(), Some("2"));
        let left: Vec<_> = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["extension"], "nothing is left beside it");
    }

    #[test]
    fn the_same_again_touches_nothing() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("extension");
        let all = files(&[("manifest.json", "{}")]);
        replace(&place, &all).unwrap();
        fs::create_dir(place.join("_metadata")).unwrap();
        replace(&place, &all).unwrap();
        assert!(place.join("_metadata").exists());
    }

    #[test]
    fn a_file_that_someone_changed_is_put_right() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("extension");
        let all = files(&[("manifest.json", "{}")]);
        replace(&place, &all).unwrap();
        fs::write(place.join(MANIFEST), "{ }").unwrap();
        replace(&place, &all).unwrap();
        assert!(holds(&place, &all).unwrap());
    }

    #[test]
    fn the_carried_extension_is_whole_and_of_this_release() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let place = unpack(&home).unwrap();
        assert_eq!(version(&place).as_deref(), Some(gstack_protocol::VERSION));
        assert!(carried().keys().all(|path| is_shipped(path)));
    }
}
