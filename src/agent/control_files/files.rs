//! Reads and writes single control files, in folders that an agent may be changing.
//!
//! Owns opening their folders without following links. Never removes a folder: it is put aside beside itself.

use gstack_base::pinned::PinnedFolder;
use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A person does not write a larger control file.
const MOST_BYTES: u64 = 256 * 1024;

/// The kind of entry at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Folder,
    File {
        text: Vec<u8>,
        mode: u32,
    },
    Link(PathBuf),
    /// A device, a pipe, or a file that is too large.
    Other,
}

/// Returns what is at a path without following a link in its last component; `None` if there is nothing.
pub(super) fn read(path: &Path) -> Option<Entry> {
    let about = path.symlink_metadata().ok()?;
    if about.is_dir() {
        return Some(Entry::Folder);
    }
    if about.is_symlink() {
        return Some(fs::read_link(path).map_or(Entry::Other, Entry::Link));
    }
    let text = about.is_file().then(|| text_of(path)).and_then(Result::ok);
    Some(text.map_or(Entry::Other, |text| Entry::File { text, mode: about.permissions().mode() & 0o777 }))
}

fn text_of(path: &Path) -> io::Result<Vec<u8>> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let mut text = Vec::new();
    PinnedFolder::open(above)?.open_file(name)?.take(MOST_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(text)
}

/// Makes a path what `entry` says, or leaves nothing there. Returns where it put aside a folder that was there.
pub(super) fn put(path: &Path, entry: Option<&Entry>) -> io::Result<Option<PathBuf>> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let folder = PinnedFolder::open(above)?;
    let place = folder.place(name);
    let number = uuid::Uuid::new_v4().simple().to_string();
    let beside = |what: &str| {
        let mut other = OsString::from(name);
        other.push(format!(".{what}-{number}"));
        other
    };
    let mut aside = None;
    match (place.symlink_metadata(), entry) {
        (Ok(about), Some(Entry::Folder)) if about.is_dir() => return Ok(None),
        (Ok(about), _) if about.is_dir() => {
            let other = beside("put-aside");
            fs::rename(&place, folder.place(&other))?;
            aside = Some(above.join(other));
        }
        (Ok(_), None | Some(Entry::Folder | Entry::Other)) => fs::remove_file(&place)?,
        _ => {}
    }
    match entry {
        Some(Entry::File { text, mode }) => {
            let new = folder.place(&beside("new"));
            let mut file = OpenOptions::new().write(true).create_new(true).mode(*mode).open(&new)?;
            file.write_all(text)?;
            file.set_permissions(Permissions::from_mode(*mode))?;
            fs::rename(&new, &place)?;
        }
        Some(Entry::Link(target)) => {
            let new = folder.place(&beside("new"));
            std::os::unix::fs::symlink(target, &new)?;
            fs::rename(&new, &place)?;
        }
        // A removed folder can't be restored: its content was removed with it.
        None | Some(Entry::Folder | Entry::Other) => {}
    }
    Ok(aside)
}
