//! Downloads in a browser on another machine, which keeps their files.
//!
//! Owns getting them: a Grid gives a complete file by its name. Without such a service a download is refused as soon as
//! it begins, so that no part of it stays on the other machine.

use super::devtools::browser::{SetDownloadBehaviorBehavior, download_behavior};
use super::remote::{FileSystem, RemoteFiles};
use super::shared::Shared;
use gstack_base::file_name::move_into;
use std::path::Path;
use std::sync::Arc;

/// The reason of a refused download. The command requests the file again, with the page's cookies.
pub(super) const NOT_HERE: &str =
    "the browser is on another machine and cannot send the file; request it with: gstack download URL";

impl Shared {
    /// Sets the download behavior of a browser on another machine. Returns false for any other browser.
    pub(super) fn set_up_remote_downloads(&self) -> bool {
        let behavior = match &self.options.files {
            FileSystem::Ours => return false,
            // The node has chosen the folder.
            FileSystem::Remote(Some(_)) => SetDownloadBehaviorBehavior::Default,
            FileSystem::Remote(None) => SetDownloadBehaviorBehavior::Deny,
        };
        self.cdp.root().post(download_behavior(behavior, None));
        true
    }

    /// Returns true if a download that begins now cannot be had.
    pub(super) fn cannot_have_downloads(&self) -> bool {
        matches!(self.options.files, FileSystem::Remote(None))
    }

    /// Gets a file that is complete on the other machine. Returns false if the browser writes to our disk.
    pub(super) fn fetch_download(self: &Arc<Self>, id: &str, name: &str, path_there: Option<&Path>) -> bool {
        let FileSystem::Remote(Some(remote)) = &self.options.files else { return false };
        // If the name was taken there, the browser chose another one.
        let name_there = path_there.and_then(|path| path.to_str()).map(last_part).unwrap_or(name).to_owned();
        let (shared, remote, id, name) = (self.clone(), remote.clone(), id.to_owned(), name.to_owned());
        self.cdp.tasks().spawn(async move {
            let saved = shared.save_fetched(&remote, &id, &name, &name_there).await;
            match saved {
                Ok(path) => shared.download_saved(&id, Some(&path)),
                Err(why) => shared.state().downloads.fail(&id, &why),
            }
        });
        true
    }

    async fn save_fetched(
        &self,
        remote: &Arc<dyn RemoteFiles>,
        id: &str,
        name: &str,
        name_there: &str,
    ) -> Result<std::path::PathBuf, String> {
        let folders = self.options.downloads.as_ref().ok_or("downloads are not saved")?;
        let content = tokio::select! {
            content = remote.fetch(name_there) => content.map_err(|error| error.to_string())?,
            () = self.cdp.gone().cancelled() => return Err("the browser went away".to_owned()),
        };
        let folder = self.state().downloads.get_mut(id).and_then(|record| record.folder.clone());
        let folder = folder.unwrap_or_else(|| folders.saved.clone());
        // The id comes from the browser, so it names no file.
        let part = folders.incoming.join(uuid::Uuid::new_v4().to_string());
        tokio::fs::write(&part, content).await.map_err(|error| format!("it could not be written: {error}"))?;
        let (from, name) = (part.clone(), name.to_owned());
        let moved = tokio::task::spawn_blocking(move || move_into(&from, &folder, &name)).await;
        match moved {
            Ok(Ok(path)) => Ok(path),
            failed => {
                tokio::fs::remove_file(&part).await.ok();
                Err(format!(
                    "it could not be saved: {}",
                    failed.map_or_else(
                        |e| e.to_string(),
                        |inner| match inner {
                            Ok(_) => String::new(),
                            Err(error) => error.to_string(),
                        }
                    )
                ))
            }
        }
    }
}

/// Returns the name in a path of any system.
fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
