//! Paths closed to every model, whoever runs it: hidden files and folders, credential folders, gstack's home, files
//! with several hard links.
//!
//! Owns the list for both reading and writing. Paths outside the open folders never reach it: `path_guard` has refused
//! them.

use gstack_protocol::fault::{Fault, FaultCode};
use std::fs::{Metadata, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// Folders and files that hold credentials, at any depth.
const CREDENTIALS: [&str; 17] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".password-store",
    ".mozilla",
    ".gstack",
    "gcloud",
    "Keychains",
    "keyrings",
];
/// Extensions of files that a model may overwrite: pictures and PDFs, which it created or can create again.
const REPLACEABLE: [&str; 5] = ["png", "jpg", "jpeg", "webp", "pdf"];

/// Fails if a model may not read this file. `path` and `open` must have their symlinks resolved.
pub(super) fn check_input(path: &Path, open: &[PathBuf], gstack_home: &Path) -> Result<(), Fault> {
    check_place(path, open, gstack_home)?;
    check_names(path)
}

/// Fails if a model may not write this file.
pub(super) fn check_output(path: &Path, open: &[PathBuf], gstack_home: &Path) -> Result<(), Fault> {
    check_place(path, open, gstack_home)?;
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    check_names(path)?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase();
    if REPLACEABLE.contains(&extension.as_str()) {
        return Ok(());
    }
    Err(Fault::new(
        FaultCode::PathRefused,
        format!("{} already exists, and a model can replace only pictures and PDFs", path.display()),
    )
    .hint("Give a name that is not taken."))
}

fn check_place(path: &Path, open: &[PathBuf], gstack_home: &Path) -> Result<(), Fault> {
    let own = gstack_home.canonicalize().unwrap_or_else(|_| gstack_home.to_owned());
    let names =
        || path.components().filter_map(|part| if let Component::Normal(name) = part { name.to_str() } else { None });
    let holds_credentials = names().any(|name| CREDENTIALS.contains(&name));
    // A person may run a client in any folder, even inside a hidden one; hidden entries below that folder stay closed.
    let below =
        open.iter().filter_map(|folder| path.strip_prefix(folder).ok()).min_by_key(|below| below.components().count());
    let is_hidden =
        below.unwrap_or(path).components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    if path.starts_with(&own) || holds_credentials || is_hidden {
        return Err(closed(path, "hidden files, credential folders and gstack's own home are closed to models"));
    }
    Ok(())
}

/// Fails if a file has several hard links: one of them may be outside the open folders. Opens the file without
/// following symlinks, so that the check applies to the file itself.
fn check_names(path: &Path) -> Result<(), Fault> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let found = OpenOptions::new().read(true).custom_flags(flags).open(path).and_then(|file| file.metadata());
    match found {
        Ok(found) => check_opened(path, &found),
        // The caller reports missing files.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(_) => Err(closed(path, "it can't be inspected")),
    }
}

/// Does the same for a file that is open. `path` is only for the fault.
pub(super) fn check_opened(path: &Path, found: &Metadata) -> Result<(), Fault> {
    match found.nlink() {
        _ if !found.is_file() => Err(closed(path, "it is not a regular file")),
        1 => Ok(()),
        _ => Err(closed(path, "it has several hard links")),
    }
}

fn closed(path: &Path, why: &str) -> Fault {
    Fault::new(FaultCode::PathRefused, format!("{} is refused: {why}", path.display()))
        .hint("Ask the person to do it, or use another file.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_credential_and_own_files_are_closed_in_both_directions() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let work = root.join(".hidden-work");
        let home = work.join("gstack-home");
        for inside in ["src", ".git", "x/.ssh", "x/gcloud", "gstack-home"] {
            std::fs::create_dir_all(work.join(inside)).unwrap();
        }
        let open = [work.clone()];
        for closed in [".git/config", ".bashrc", "src/.env", "x/.ssh/id", "x/gcloud/a", "gstack-home/policy.json"] {
            let path = work.join(closed);
            std::fs::write(&path, "x").unwrap();
            assert!(check_input(&path, &open, &home).is_err(), "{closed}");
            std::fs::remove_file(&path).unwrap();
            assert!(check_output(&path, &open, &home).is_err(), "{closed}");
        }
        let source = work.join("src/main.rs");
        assert!(check_output(&source, &open, &home).is_ok(), "a new file");
        std::fs::write(&source, "fn main() {}").unwrap();
        assert!(check_output(&source, &open, &home).is_err(), "a file that is there");
        assert!(check_input(&source, &open, &home).is_ok());
        let picture = work.join("a.png");
        std::fs::write(&picture, "x").unwrap();
        assert!(check_output(&picture, &open, &home).is_ok());
        std::fs::hard_link(&picture, work.join("b.png")).unwrap();
        assert!(check_output(&picture, &open, &home).is_err() && check_input(&picture, &open, &home).is_err());
    }
}
