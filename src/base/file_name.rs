//! Untrusted file names, and files that are moved into a folder under such a name.
//!
//! Owns the characters and lengths that a name may have. A file never replaces another one, never leaves its folder and
//! never has a name that begins with a dot.

use super::atomic::FILE_MODE;
use super::pinned::PinnedFolder;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The longest name in characters, with its extension.
const LONGEST_NAME: usize = 100;
const LONGEST_EXTENSION: usize = 12;
/// Gives up after this many files of the same name.
const MOST_OF_ONE_NAME: u32 = 1000;

/// Returns the last component of a name with only harmless characters, or an empty string if none are left.
pub fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last
        .chars()
        .map(|character| if character.is_alphanumeric() || "._- ()+".contains(character) { character } else { '_' })
        .collect();
    let kept = kept.trim_start_matches(['.', ' ', '-']).trim_end_matches(['.', ' ']);
    let (stem, extension) = split(kept);
    let room = LONGEST_NAME - extension.chars().count();
    stem.chars().take(room).chain(extension.chars()).collect()
}

/// Splits a name into `report` and `.pdf`. An extension that is too long counts as part of the stem.
fn split(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(at) if at > 0 && name[at..].chars().count() <= LONGEST_EXTENSION => name.split_at(at),
        _ => (name, ""),
    }
}

/// Moves a file into a folder under this name, or under `name-2.ext` and so on if the name is taken. Only the owner can
/// read it.
/// `folder` is absolute and has no symlinks. Never replaces a file in the folder, and follows no symlinks. Blocks on
/// disk I/O.
pub fn move_into(file: &Path, folder: &Path, name: &str) -> io::Result<PathBuf> {
    if !fs::symlink_metadata(file)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"));
    }
    fs::set_permissions(file, fs::Permissions::from_mode(FILE_MODE))?;
    let pinned = PinnedFolder::open(folder)?;
    let name = Some(safe_name(name)).filter(|name| !name.is_empty()).unwrap_or_else(|| "download".to_owned());
    let (stem, extension) = split(&name);
    for count in 1..=MOST_OF_ONE_NAME {
        let numbered = if count == 1 { name.clone() } else { format!("{stem}-{count}{extension}") };
        match take_place(file, &pinned.place(numbered.as_ref())) {
            Ok(()) => return Ok(folder.join(numbered)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("the folder holds too many files named {name}")))
}

/// Hard-links the file into its place, which fails if the name is taken. Copies it into a new file if the folder is on
/// another disk.
fn take_place(file: &Path, place: &Path) -> io::Result<()> {
    match fs::hard_link(file, place) {
        Ok(()) => fs::remove_file(file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => copy(file, place),
    }
}

fn copy(file: &Path, place: &Path) -> io::Result<()> {
    let mut target = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(place)?;
    let copied = fs::File::open(file).and_then(|mut source| io::copy(&mut source, &mut target));
    if let Err(error) = copied {
        // Report the first error.
        fs::remove_file(place).ok();
        return Err(error);
    }
    fs::remove_file(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_hostile_name_is_no_path_no_dotfile_and_keeps_its_extension() {
        for (given, name) in [
            ("../../etc/passwd", "passwd"),
            ("..\\..\\x.exe", "x.exe"),
            (".bashrc", "bashrc"),
            ("...", ""),
            ("a\u{0}b:c.pdf", "a_b_c.pdf"),
            ("photo\u{202e}gpj.exe", "photo_gpj.exe"),
            ("-rf", "rf"),
            (" .ssh", "ssh"),
            ("report.pdf. ", "report.pdf"),
        ] {
            assert_eq!(safe_name(given), name, "{given:?}");
        }
        let long = safe_name(&format!("{}.pdf", "ä".repeat(500)));
        assert!(long.ends_with("ä.pdf") && long.chars().count() == LONGEST_NAME, "{long}");
    }

    #[test]
    fn nothing_in_the_folder_is_replaced_or_followed() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap().join("folder");
        fs::create_dir(&folder).unwrap();
        let outside = home.path().join("outside");
        fs::write(folder.join("a.txt"), "mine").unwrap();
        symlink(&outside, folder.join("a-2.txt")).unwrap();
        let file = home.path().join("file");
        for (count, expected) in [(3, "a-3.txt"), (4, "a-4.txt")] {
            fs::write(&file, count.to_string()).unwrap();
            let place = move_into(&file, &folder, "../a.txt").unwrap();
            assert_eq!(place, folder.join(expected));
            assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, FILE_MODE);
        }
        assert_eq!(fs::read_to_string(folder.join("a.txt")).unwrap(), "mine");
        assert!(!outside.exists() && !file.exists());
        // A symlink that replaced the saved file is not moved.
        symlink(folder.join("a.txt"), &file).unwrap();
        assert!(move_into(&file, &folder, "b").is_err());
        // The folder was replaced with a symlink.
        fs::remove_file(&file).unwrap();
        fs::write(&file, "new").unwrap();
        fs::create_dir(&outside).unwrap();
        fs::rename(&folder, home.path().join("moved")).unwrap();
        symlink(&outside, &folder).unwrap();
        assert!(move_into(&file, &folder, "c").is_err());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
