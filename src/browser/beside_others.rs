//! Downloads in a browser that gstack did not start, and that other clients of its port may use too.
//!
//! Owns what is done there in place of a download behavior: that is one setting for the whole browser, nobody can read it, and
//! it ends with the client that set it. gstack leaves it alone, hears of the downloads of its own tabs, and copies the files that
//! its acts download before the client whose folder they are in leaves. Never opens a file that the download did not just write.

use super::browser::Browser;
use super::cdp::CdpError;
use super::contexts::CREATE;
use super::devtools::browser::{InContext, SetDownloadBehaviorBehavior, download_behavior};
use super::error::BrowserError;
use super::remote::FileSystem;
use super::shared::Shared;
use gstack_base::file_name::move_into;
use serde_json::json;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Time for the browser's answer.
const LIMIT: Duration = Duration::from_secs(10);
/// A file may be made before the browser reports its download, by as much as gstack is late to read that.
const MADE_EARLIER: Duration = Duration::from_secs(10);

/// A complete download as the browser reports it.
pub(super) struct Written {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// When the browser reported that it began.
    pub(super) since: SystemTime,
    /// An act of gstack started it. Then it is copied; otherwise it belongs to another client, or to the person.
    pub(super) is_ours: bool,
}

impl Shared {
    /// Returns true for a browser on this machine that was attached to by its port.
    pub(super) fn is_beside_others(&self) -> bool {
        self.options.holds_back && matches!(self.options.files, FileSystem::Ours)
    }

    /// Returns true if the browser's own session reports no downloads.
    pub(super) fn hears_of_downloads_from_pages(&self) -> bool {
        let is_everyday = self.options.lets_go_after.is_some();
        is_everyday || (self.is_beside_others() && !self.state().downloads.are_reported)
    }

    /// Copies a file that an act has downloaded, and gives it its name.
    pub(super) fn copy_download(self: &Arc<Self>, id: String, written: Written, name: String, folder: Option<PathBuf>) {
        let Some(folders) = self.options.downloads.clone() else { return self.download_saved(&id, None) };
        let shared = self.clone();
        let folder = folder.unwrap_or(folders.saved);
        self.cdp.tasks().spawn_blocking(move || match written.take(&folders.incoming, &folder, &name) {
            Ok(path) => shared.download_saved(&id, Some(&path)),
            Err(_) if !written.is_ours => shared.download_saved(&id, None),
            Err(error) => {
                let reason = format!("its file could not be copied from {}: {error}", written.path.display());
                shared.state().downloads.fail(&id, &reason);
            }
        });
    }
}

impl Browser {
    /// Asks for reports of downloads. The behavior that comes with the request is that of an empty context, made for this.
    pub(super) async fn hear_of_downloads(&self) -> Result<(), BrowserError> {
        let created = self.root().call_json(CREATE, &json!({ "disposeOnDetach": true }), LIMIT).await;
        let context = match created {
            Ok(created) => created["browserContextId"].as_str().map(str::to_owned),
            Err(error @ CdpError::Gone) => return Err(error.into()),
            // A browser that has no contexts reports downloads by their pages only, without the place of the file.
            Err(_) => None,
        };
        let Some(context) = context else { return Ok(()) };
        self.root().call(download_behavior(SetDownloadBehaviorBehavior::Default, None).in_context(&context)).await?;
        self.shared.state().downloads.are_reported = true;
        Ok(())
    }
}

impl Written {
    /// Returns the place of the file: of the copy, if it is ours.
    fn take(&self, incoming: &Path, folder: &Path, name: &str) -> io::Result<PathBuf> {
        let mut file = self.open(fs::metadata(incoming)?.uid())?;
        if !self.is_ours {
            return Ok(self.path.clone());
        }
        // The id comes from the browser, so it names no file.
        let part = incoming.join(uuid::Uuid::new_v4().to_string());
        let copied = File::create_new(&part).and_then(|mut target| io::copy(&mut file, &mut target));
        let moved = copied.and_then(|_| move_into(&part, folder, name));
        if moved.is_err() {
            // The first error is reported.
            fs::remove_file(&part).ok();
        }
        moved
    }

    /// Opens the file, if it can be the one that the browser has just written: whoever answers at the port could name any file
    /// of the person.
    fn open(&self, owner: u32) -> io::Result<File> {
        let seen = fs::symlink_metadata(&self.path)?;
        if !seen.is_file() {
            return Err(io::Error::other("it is not a plain file"));
        }
        let file = File::open(&self.path)?;
        let opened = file.metadata()?;
        let is_same = (opened.dev(), opened.ino()) == (seen.dev(), seen.ino());
        let made = opened.created().or_else(|_| opened.modified())?;
        let is_new = made + MADE_EARLIER >= self.since;
        if !is_same || !is_new || opened.uid() != owner || opened.len() != self.bytes {
            return Err(io::Error::other("it is not what the browser has just written"));
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::Written;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    fn written(path: &Path, bytes: u64, since: SystemTime) -> Written {
        Written { path: path.to_owned(), bytes, since, is_ours: true }
    }

    #[test]
    fn a_port_that_names_an_older_file_of_the_person_gets_no_copy_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for made in ["incoming", "saved"] {
            fs::create_dir(at(made)).unwrap();
        }
        fs::write(at("file"), "abc").unwrap();
        symlink(at("file"), at("link")).unwrap();
        let now = SystemTime::now();
        let take = |one: &Written| one.take(&at("incoming"), &at("saved"), "a.txt");
        let copy = take(&written(&at("file"), 3, now)).unwrap();
        assert_eq!((copy.clone(), fs::read_to_string(&copy).unwrap()), (at("saved/a.txt"), "abc".to_owned()));
        assert!(at("file").exists(), "the browser's own file stays");
        let later = now + Duration::from_secs(3600);
        for wrong in [
            written(&at("file"), 3, later),
            written(&at("file"), 4, now),
            written(&at("link"), 3, now),
            written(&at("saved"), 3, now),
            written(&at("none"), 3, now),
        ] {
            assert!(take(&wrong).is_err(), "{}", wrong.path.display());
        }
        let owner = fs::metadata(at("file")).unwrap().uid();
        assert!(written(&at("file"), 3, now).open(owner + 1).is_err());
        assert_eq!(fs::read_dir(at("incoming")).unwrap().count(), 0);
        assert_eq!(fs::read_dir(at("saved")).unwrap().count(), 1);
        let theirs = Written { is_ours: false, ..written(&at("file"), 3, now) };
        assert_eq!(take(&theirs).unwrap(), at("file"), "it is named, not copied");
    }
}
