//! Messages that the side panel leaves for an agent or a person who works in a folder:
//! `<root>/.context/sidebar-inbox/*.json`.
//!
//! Owns the format, the names and the limits of the files. A file is written atomically. The folder may come from an
//! untrusted repository, so symlinks are not followed and large files are not read.

use super::atomic;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Nested folders in the root. Each must be a real folder, not a symlink.
const FOLDERS: [&str; 2] = [".context", "sidebar-inbox"];
/// The size limit of one message with all its fields, in bytes.
pub const LARGEST_MESSAGE: usize = 256 * 1024;
/// Only this many messages are read, the newest ones.
const MOST_MESSAGES: usize = 500;

/// A waiting message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Letters, digits and `-`, at most 64.
    pub id: String,
    /// The time at which it was left.
    pub at: Timestamp,
    /// The conversation that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The title of the page that it is about. The page sets it.
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub url: String,
    /// The person's text. It may quote the page.
    pub text: String,
}

/// The content of an inbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Oldest first.
    pub messages: Vec<Message>,
    /// The number of files that are not messages: too large, unreadable or malformed.
    pub unreadable: usize,
    /// The number of older messages that are not listed.
    pub more: usize,
}

/// Returns the folder that holds the inbox of `folder`: the root of its git repository, or else `folder` itself.
pub fn root_of(folder: &Path) -> &Path {
    folder.ancestors().find(|above| above.join(".git").exists()).unwrap_or(folder)
}

/// Writes a message and returns the path of its file. Fails if its id is not valid or the message is too large.
pub fn write(root: &Path, message: &Message) -> io::Result<PathBuf> {
    if !is_id(&message.id) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the message's id is not a plain word"));
    }
    let bytes = serde_json::to_vec_pretty(message)?;
    if bytes.len() > LARGEST_MESSAGE {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {LARGEST_MESSAGE} bytes")));
    }
    let mut folder = root.to_owned();
    for name in FOLDERS {
        folder.push(name);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    let Some(folder) = folder_of(root)? else { return Err(io::ErrorKind::NotADirectory.into()) };
    let file = folder.join(format!("{:013}-{}.json", message.at.as_millisecond(), message.id));
    atomic::write(&file, &bytes)?;
    Ok(file)
}

/// Reads the waiting messages. Fails if the inbox is not a real folder.
pub fn list(root: &Path) -> io::Result<Listed> {
    let mut files = files(root)?;
    let mut listed = Listed { more: files.len().saturating_sub(MOST_MESSAGES), ..Listed::default() };
    // The names begin with their timestamp.
    files.sort();
    for file in files.split_off(listed.more) {
        match read(&file) {
            Ok(message) => listed.messages.push(message),
            Err(error) => {
                tracing::info!(file = %file.display(), %error, "a file in the inbox is not a message");
                listed.unreadable += 1;
            }
        }
    }
    listed.messages.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    Ok(listed)
}

/// Removes the waiting messages, and nothing else. Returns their number. Fails if the inbox is not a real folder.
pub fn clear(root: &Path) -> io::Result<usize> {
    let files = files(root)?;
    for file in &files {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(files.len())
}

/// Returns the inbox's folder, or `None` if it does not exist.
fn folder_of(root: &Path) -> io::Result<Option<PathBuf>> {
    let mut folder = root.to_owned();
    for name in FOLDERS {
        folder.push(name);
        match fs::symlink_metadata(&folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                let message = format!("{} is a link or a file, and should be a folder", folder.display());
                return Err(io::Error::new(io::ErrorKind::NotADirectory, message));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    Ok(Some(folder))
}

/// Returns the finished files of the inbox, without symlinks and temporary files.
fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(folder) = folder_of(root)? else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let is_message = path.extension() == Some(OsStr::new("json"))
            && !entry.file_name().as_encoded_bytes().starts_with(b".")
            && entry.file_type()?.is_file();
        if is_message {
            files.push(path);
        }
    }
    Ok(files)
}

fn read(file: &Path) -> io::Result<Message> {
    // Do not follow a symlink that has replaced the file, and do not block on a pipe.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(file)?;
    let mut bytes = Vec::new();
    file.take(LARGEST_MESSAGE as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LARGEST_MESSAGE {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(serde_json::from_slice(&bytes)?)
}

fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn message(id: &str, second: i64) -> Message {
        Message {
            id: id.to_owned(),
            at: Timestamp::from_second(second).unwrap(),
            conversation: Some("c1".to_owned()),
            title: "A page".to_owned(),
            url: "https://a.example/".to_owned(),
            text: format!("look at {id}"),
        }
    }

    #[test]
    fn messages_are_read_in_their_order_and_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(list(root).unwrap(), Listed::default());
        assert_eq!(clear(root).unwrap(), 0);
        let (late, early) = (message("b", 1_800_000_000), message("c", 1_700_000_000));
        write(root, &late).unwrap();
        let file = write(root, &early).unwrap();
        assert!(file.starts_with(root.join(".context/sidebar-inbox")), "{}", file.display());
        assert_eq!(list(root).unwrap().messages, [early, late]);
        assert_eq!(clear(root).unwrap(), 2);
        assert_eq!(list(root).unwrap(), Listed::default());
        assert!(write(root, &message("../x", 0)).is_err());
    }

    #[test]
    fn what_is_no_message_is_counted_or_passed_over_and_never_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        let secret = folder.path().join("secret.json");
        fs::create_dir(&root).unwrap();
        let inbox = write(&root, &message("a", 1)).unwrap().parent().unwrap().to_owned();
        fs::write(&secret, serde_json::to_vec(&message("secret", 2)).unwrap()).unwrap();
        symlink(&secret, inbox.join("link.json")).unwrap();
        fs::write(inbox.join(".half.json"), "{").unwrap();
        fs::write(inbox.join("note.txt"), "x").unwrap();
        fs::write(inbox.join("huge.json"), vec![b' '; LARGEST_MESSAGE + 1]).unwrap();
        fs::write(inbox.join("wrong.json"), "[]").unwrap();
        let listed = list(&root).unwrap();
        assert_eq!((listed.messages.len(), listed.unreadable), (1, 2));
        clear(&root).unwrap();
        assert!(secret.exists() && inbox.join("link.json").is_symlink() && inbox.join("note.txt").exists());
    }

    #[test]
    fn a_repository_can_not_lead_the_inbox_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let (root, elsewhere) = (folder.path().join("root"), folder.path().join("elsewhere"));
        fs::create_dir_all(elsewhere.join("sidebar-inbox")).unwrap();
        fs::create_dir(&root).unwrap();
        symlink(&elsewhere, root.join(".context")).unwrap();
        assert!(write(&root, &message("a", 1)).is_err());
        assert!(list(&root).is_err() && clear(&root).is_err());
        assert_eq!(fs::read_dir(elsewhere.join("sidebar-inbox")).unwrap().count(), 0);
    }

    #[test]
    fn the_inbox_is_the_repositorys() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("repo/a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::create_dir(folder.path().join("repo/.git")).unwrap();
        assert_eq!(root_of(&inner), folder.path().join("repo"));
    }
}
