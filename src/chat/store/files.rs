//! `files/`: a conversation's attachments, written once and read in parts; its newest export; and `evidence/`, the
//! pictures of its acts.
//!
//! A file's id ends with its type (`….png`), so only the bytes are stored. Ids come from outside and are checked.

use crate::error::ChatError;
use gstack_base::atomic::FILE_MODE;
use gstack_protocol::chat::{Attachment, ChatEvent};
use gstack_protocol::ids::FileId;
use rustix::fs::OFlags;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The largest accepted file.
pub const MAX_FILE: u64 = 32 * 1024 * 1024;
/// The largest part of one read: as base64 in its envelope it fits into one frame to Chrome.
pub const MAX_PART: usize = 512 * 1024;
const FOLDER: &str = "files";
/// The folder of the newest export, which the next one replaces.
const EXPORT_FOLDER: &str = "export";
/// The folder of the pictures that show what an act did.
const PICTURE_FOLDER: &str = "evidence";
/// The limits of that folder. The oldest pictures go first.
const MOST_PICTURES: usize = 200;
const MOST_PICTURE_BYTES: u64 = 32 * 1024 * 1024;
const LONGEST_NAME: usize = 200;

/// Media types and their extensions in ids. Any other type is stored as bytes, and types that a browser would execute
/// are stored as text.
const KINDS: &[(&str, &str)] = &[
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("application/pdf", "pdf"),
    ("application/json", "json"),
    ("text/csv", "csv"),
    ("text/markdown", "md"),
    ("text/plain", "txt"),
];

const UNKNOWN: (&str, &str) = ("application/octet-stream", "bin");

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The bytes from the requested offset; empty at the end.
    pub bytes: Vec<u8>,
    pub total: u64,
    pub mime: &'static str,
}

/// Stores a file with the conversation in `folder`. Blocks on disk I/O.
pub(crate) fn write(folder: &Path, name: &str, mime: &str, bytes: &[u8]) -> Result<Attachment, ChatError> {
    write_in(&folder.join(FOLDER), name, mime, bytes)
}

/// Writes an export of the conversation in `folder`, which can be read like its files, and removes the previous one.
/// Blocks on disk I/O.
pub(crate) fn write_export(folder: &Path, name: &str, mime: &str, bytes: &[u8]) -> Result<Attachment, ChatError> {
    let exports = folder.join(EXPORT_FOLDER);
    match fs::remove_dir_all(&exports) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            return Err(ChatError::storage("remove", &exports, source));
        }
        _ => {}
    }
    write_in(&exports, name, mime, bytes)
}

/// Writes a picture of an act, and removes the oldest ones above the limits. Blocks on disk I/O.
pub(crate) fn keep_picture(folder: &Path, bytes: &[u8]) -> Result<FileId, ChatError> {
    let pictures = folder.join(PICTURE_FOLDER);
    let kept = write_in(&pictures, "picture.jpg", "image/jpeg", bytes)?;
    thin_out(&pictures, MOST_PICTURES, MOST_PICTURE_BYTES)
        .map_err(|source| ChatError::storage("remove", &pictures, source))?;
    Ok(kept.id)
}

/// Gives the conversation in `to` the files of the one in `from` that the events name. They are never changed once
/// written, so both conversations share them. A missing file is left out. Blocks on disk I/O.
pub(crate) fn link(from: &Path, to: &Path, events: &[ChatEvent]) -> Result<(), ChatError> {
    let named = events.iter().map(|event| serde_json::to_string(&event.body)).collect::<Result<String, _>>();
    let named = named.map_err(|error| ChatError::storage("read", from, error.into()))?;
    for folder in [FOLDER, PICTURE_FOLDER] {
        let files = from.join(folder);
        let listed = match fs::read_dir(&files) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            listed => listed.map_err(|source| ChatError::storage("read", &files, source))?,
        };
        for entry in listed {
            let entry = entry.map_err(|source| ChatError::storage("read", &files, source))?;
            let name = entry.file_name();
            if !name.to_str().is_some_and(|name| named.contains(&format!("\"{name}\""))) {
                continue;
            }
            let into = to.join(folder);
            let linked = DirBuilder::new().recursive(true).mode(0o700).create(&into).and_then(|()| {
                fs::hard_link(entry.path(), into.join(&name)).or_else(|_| copy(&entry.path(), &into.join(&name)))
            });
            match linked {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                linked => linked.map_err(|source| ChatError::storage("create", &into, source))?,
            }
        }
    }
    Ok(())
}

/// Copies a file where the disk has no hard links.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let bytes = fs::read(from)?;
    OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(to)?.write_all(&bytes)
}

/// Removes the oldest files until at most `most` with `bytes` in total are left.
fn thin_out(folder: &Path, most: usize, bytes: u64) -> io::Result<()> {
    let mut kept: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = match entry.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            metadata => metadata?,
        };
        kept.push((metadata.modified()?, metadata.len(), entry.path()));
    }
    kept.sort();
    let (mut count, mut total) = (kept.len(), kept.iter().map(|(_, length, _)| length).sum::<u64>());
    for (_, length, path) in kept {
        if count <= most && total <= bytes {
            break;
        }
        match fs::remove_file(path) {
            // Another act thins out at the same time.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed?,
        }
        (count, total) = (count - 1, total - length);
    }
    Ok(())
}

/// Reads a whole image, attached or of an act, of at most `most` bytes. Blocks on disk I/O.
pub(crate) fn image(folder: &Path, id: &FileId, most: u64) -> Option<Vec<u8>> {
    let attached = path(folder, id).ok()?;
    let of_act = folder.join(PICTURE_FOLDER).join(id.as_str());
    // NOFOLLOW is a small positive constant on every platform that we build for.
    let flags = OFlags::NOFOLLOW.bits() as i32;
    let open = |path: &Path| OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = open(&attached).or_else(|_| open(&of_act)).ok()?;
    let length = file.metadata().ok()?.len();
    let mut bytes = vec![0; usize::try_from(length).ok().filter(|_| length <= most)?];
    file.read_exact_at(&mut bytes, 0).ok()?;
    Some(bytes)
}

fn write_in(files: &Path, name: &str, mime: &str, bytes: &[u8]) -> Result<Attachment, ChatError> {
    if bytes.len() as u64 > MAX_FILE {
        return Err(ChatError::TooLarge { what: "the file", bytes: bytes.len() as u64, limit: MAX_FILE });
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(files)
        .map_err(|source| ChatError::storage("create", files, source))?;
    let (mime, ending) = kind(mime);
    let id = FileId::new(format!("{}.{ending}", uuid::Uuid::new_v4().simple()));
    let path = files.join(id.as_str());
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(&path)
        .map_err(|source| ChatError::storage("create", &path, source))?;
    if let Err(source) = file.write_all(bytes) {
        // Report the first error; half a file is useless.
        fs::remove_file(&path).ok();
        return Err(ChatError::storage("write", &path, source));
    }
    Ok(Attachment { id, name: shown_name(name), mime: mime.to_owned(), bytes: bytes.len() as u64 })
}

/// Reads at most [`MAX_PART`] bytes from `offset` on. Blocks on disk I/O.
pub(crate) fn read(folder: &Path, id: &FileId, offset: u64) -> Result<Part, ChatError> {
    let mut path = path(folder, id)?;
    let exported = folder.join(EXPORT_FOLDER).join(id.as_str());
    if !path.exists() && exported.exists() {
        path = exported;
    }
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ChatError::NoFile(id.clone()),
        _ => ChatError::storage("read", &path, source),
    };
    // NOFOLLOW is a small positive constant on every platform that we build for.
    let flags = OFlags::NOFOLLOW.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(&path).map_err(failed)?;
    let total = file.metadata().map_err(failed)?.len();
    let length = usize::try_from(total.saturating_sub(offset)).unwrap_or(usize::MAX).min(MAX_PART);
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, offset).map_err(failed)?;
    Ok(Part { bytes, total, mime: mime_of(id) })
}

/// Returns the path of a file, for agents that take paths. Fails if the id is malformed.
pub(crate) fn path(folder: &Path, id: &FileId) -> Result<PathBuf, ChatError> {
    let name = id.as_str();
    let well_formed = name.split_once('.').is_some_and(|(stem, ending)| {
        let known = ending == UNKNOWN.1 || KINDS.iter().any(|kind| kind.1 == ending);
        known && stem.len() == 32 && stem.bytes().all(|b| b.is_ascii_hexdigit())
    });
    if well_formed { Ok(folder.join(FOLDER).join(name)) } else { Err(ChatError::NoFile(id.clone())) }
}

fn kind(mime: &str) -> (&'static str, &'static str) {
    let plain = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let known = KINDS.iter().find(|kind| kind.0 == plain).copied();
    known.unwrap_or(if plain.starts_with("text/") { ("text/plain", "txt") } else { UNKNOWN })
}

fn mime_of(id: &FileId) -> &'static str {
    let ending = id.as_str().rsplit('.').next().unwrap_or_default();
    KINDS.iter().find(|kind| kind.1 == ending).map_or(UNKNOWN.0, |kind| kind.0)
}

/// Returns the display name: the last component of a path, on one line.
fn shown_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let shown: String = last.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    if shown.trim().is_empty() { "file".to_owned() } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_back_in_parts() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..MAX_PART + 100).map(|n| n as u8).collect();
        let kept = write(folder.path(), "../../evil\n/shot.png", "image/png; x=y", &bytes).unwrap();
        assert_eq!((kept.name.as_str(), kept.mime.as_str(), kept.bytes), ("shot.png", "image/png", bytes.len() as u64));
        let first = read(folder.path(), &kept.id, 0).unwrap();
        let rest = read(folder.path(), &kept.id, MAX_PART as u64).unwrap();
        assert_eq!([first.bytes, rest.bytes].concat(), bytes);
        let end = read(folder.path(), &kept.id, u64::MAX).unwrap();
        assert_eq!((end.bytes.len(), end.total, end.mime), (0, bytes.len() as u64, "image/png"));
    }

    #[test]
    fn an_export_is_read_like_a_file_and_goes_with_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let attached = write(folder.path(), "a.txt", "text/plain", b"attached").unwrap();
        let first = write_export(folder.path(), "one.md", "text/markdown", b"one").unwrap();
        assert_eq!(read(folder.path(), &first.id, 0).unwrap().bytes, b"one");
        let second = write_export(folder.path(), "two.md", "text/markdown", b"two").unwrap();
        assert_eq!(read(folder.path(), &second.id, 0).unwrap().bytes, b"two");
        assert!(matches!(read(folder.path(), &first.id, 0), Err(ChatError::NoFile(_))));
        assert_eq!(read(folder.path(), &attached.id, 0).unwrap().bytes, b"attached");
    }

    #[test]
    fn the_oldest_pictures_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let ids: Vec<FileId> = (0..3).map(|_| keep_picture(folder.path(), b"jpeg").unwrap()).collect();
        let pictures = folder.path().join(PICTURE_FOLDER);
        for (id, age) in ids.iter().zip([9, 5, 1]) {
            let file = OpenOptions::new().write(true).open(pictures.join(id.as_str())).unwrap();
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
        }
        thin_out(&pictures, 2, 100).unwrap();
        let kept = |at: usize| image(folder.path(), &ids[at], 100).is_some();
        assert!(!kept(0) && kept(1) && kept(2));
        thin_out(&pictures, 2, 4).unwrap();
        assert!(!kept(1) && kept(2));
    }

    #[test]
    fn what_a_browser_would_run_is_text_or_bytes() {
        assert_eq!(kind("text/html").0, "text/plain");
        assert_eq!(kind("image/svg+xml").0, "application/octet-stream");
    }

    #[test]
    fn an_id_never_leads_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(FOLDER)).unwrap();
        fs::write(folder.path().join("session.json"), b"{}").unwrap();
        let link = format!("{}.png", "a".repeat(32));
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join(FOLDER).join(&link)).unwrap();
        for id in
            ["../session.json", "/etc/hostname", "", ".", "..", "a.png", "a\0b", "files/x.png", "..%2fsession.json"]
        {
            assert!(matches!(read(folder.path(), &FileId::new(id), 0), Err(ChatError::NoFile(_))), "{id}");
        }
        assert!(read(folder.path(), &FileId::new(link), 0).is_err());
    }
}
