//! Messages that the side panel leaves for an agent or a person that works in a folder: `<root>/.context/sidebar-inbox/*.json`.
//!
//! Owns the files' form, their names and their limits. A file is whole or not there: it is written beside its place and
//! renamed into it. The folder may come from a stranger's repository, so no link is followed and nothing large is read.

use super::atomic;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Beneath the root, one after the other: each must be a folder and no link.
const FOLDERS: [&str; 2] = [".context", "sidebar-inbox"];
/// One message with all its fields, in bytes.
pub const LARGEST_MESSAGE: usize = 256 * 1024;
/// More are not read; the newest are.
const MOST_MESSAGES: usize = 500;

/// A message that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Letters, digits and `-`, at most 64.
    pub id: String,
    /// When it was left.
    pub at: Timestamp,
    /// The conversation that it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The page that it is about: the page's own words.
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub url: String,
    /// What the person left; it may quote the page.
    pub text: String,
}

/// What lies in an inbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// The oldest first.
    pub messages: Vec<Message>,
    /// Files that are no messages: too large, unreadable, of another form.
    pub unreadable: usize,
    /// Older messages that are not among these.
    pub more: usize,
}

/// The folder whose inbox a folder has: the root of its git repository, else itself.
pub fn root_of(folder: &Path) -> &Path {
    folder.ancestors().find(|above| above.join(".git").exists()).unwrap_or(folder)
}

/// Leaves a message; gives its file.
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

/// Reads the messages that wait.
pub fn list(root: &Path) -> io::Result<Listed> {
    let mut files = files(root)?;
    let mut listed = Listed { more: files.len().saturating_sub(MOST_MESSAGES), ..Listed::default() };
    // The names begin with their time.
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

/// Removes the messages that wait, and nothing else; gives how many those were.
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

/// The inbox's folder; none where there is none.
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

/// The whole files of the inbox: no links, no names that a writer has not finished.
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
    // No link that was put there meanwhile, and no pipe that never answers.
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
