//! Paths that no model gets, no matter who runs it: hidden files and folders, credential folders, gstack's own home, files with
//! several names.
//!
//! Owns the list for both directions. What lies outside of the open folders never comes here: `path_guard` has refused it.

use crate::protocol::fault::{Fault, FaultCode};
use std::fs::OpenOptions;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// Folders and files that hold credentials, wherever they lie.
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
/// What a model may write over: pictures and prints, which it made or can make again.
const REPLACEABLE: [&str; 5] = ["png", "jpg", "jpeg", "webp", "pdf"];

/// Fails if a model may not read this file. `path` and `open` have no symlinks left in them.
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
        format!("{} exists, and a model replaces only pictures and PDFs", path.display()),
    )
    .hint("Give a name that is not taken."))
}

fn check_place(path: &Path, open: &[PathBuf], gstack_home: &Path) -> Result<(), Fault> {
    let own = gstack_home.canonicalize().unwrap_or_else(|_| gstack_home.to_owned());
    let names =
        || path.components().filter_map(|part| if let Component::Normal(name) = part { name.to_str() } else { None });
    let holds_credentials = names().any(|name| CREDENTIALS.contains(&name));
    // Where a person runs a client is theirs to choose, also below a hidden folder; what is hidden in there is not open.
    let below =
        open.iter().filter_map(|folder| path.strip_prefix(folder).ok()).min_by_key(|below| below.components().count());
    let is_hidden =
        below.unwrap_or(path).components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    if path.starts_with(&own) || holds_credentials || is_hidden {
        return Err(closed(path, "hidden files, credential folders and gstack's own home are closed to models"));
    }
    Ok(())
}

/// Fails for a file of several names: one of them may lie where nothing is open. It is opened, so that it is the file
/// that was judged, and no symlink.
fn check_names(path: &Path) -> Result<(), Fault> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let found = OpenOptions::new().read(true).custom_flags(flags).open(path).and_then(|file| file.metadata());
    match found {
        Ok(found) if found.is_file() && found.nlink() == 1 => Ok(()),
        Ok(found) if found.is_file() => Err(closed(path, "it has several names (hard links)")),
        Ok(_) => Err(closed(path, "it is not a regular file")),
        // What is not there is the caller's to say.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(_) => Err(closed(path, "it can't be looked at")),
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
