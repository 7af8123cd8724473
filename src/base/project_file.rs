//! The files of a project for gstack: `.gstack/NAME` in a folder and in the folders above it, up to the root of its git
//! repository.
//!
//! Owns searching and reading them. The files may be a stranger's: no symlink is followed, no pipe waited
//! for, and nothing is read beyond a limit. Never decides what a file means.

use super::pinned::PinnedFolder;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder of a project that has the files.
pub const FOLDER: &str = ".gstack";

/// Returns the folders that may have a project's files for someone who works in `folder`, the innermost first. `own_home`
/// is gstack's own folder, which has none.
///
/// # Errors
///
/// Fails if the folder cannot be resolved. A folder that does not exist has none.
pub fn places(folder: &Path, own_home: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_absolute() {
        return Ok(Vec::new());
    }
    // The folders above a symlink are those of its target.
    let folder = match folder.canonicalize() {
        Ok(folder) => folder,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let own_home = own_home.canonicalize().unwrap_or_else(|_| own_home.to_owned());
    let root = folder.ancestors().find(|above| is_repository(above)).unwrap_or(&folder);
    let inside = folder.ancestors().take_while(|above| above.starts_with(root));
    Ok(inside.map(|above| above.join(FOLDER)).filter(|place| *place != own_home).collect())
}

/// Returns true if a folder is the root of a git repository or of a work tree that this user or root made. Another user's
/// `.git` in a shared folder decides nothing.
fn is_repository(folder: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    folder.join(".git").symlink_metadata().is_ok_and(|git| git.uid() == own || git.uid() == 0)
}

/// Returns the text of a file in such a folder, or `None` if there is none.
///
/// # Errors
///
/// Fails with the reason if it is a symlink, not a regular file, not text or longer than `most` bytes.
pub fn read(place: &Path, name: &str, most: u64) -> Result<Option<String>, String> {
    // Most folders have none: one look is enough to tell.
    if place.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    let opened = PinnedFolder::open(place).and_then(|folder| folder.open_file(OsStr::new(name)));
    match opened.and_then(|file| contents(file, most)) {
        Ok(text) => Ok(Some(text)),
        Err(_) if is_symlink(place) || is_symlink(&place.join(name)) => Err("symlinks are not followed".to_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

fn is_symlink(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_symlink())
}

fn contents(file: File, most: u64) -> io::Result<String> {
    let mut text = String::new();
    // One byte more than allowed shows that it is too long.
    file.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(io::Error::new(ErrorKind::InvalidData, format!("it is longer than {} KiB", most / 1024)));
    }
    Ok(text)
}

/// Describes a syntax error in a file by its line. Quotes nothing of the file.
pub fn syntax(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    format!("line {} is not valid TOML", before.matches('\n').count() + 1)
}
