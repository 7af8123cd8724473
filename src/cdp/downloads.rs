//! Downloads of a client's tabs: what it is told of them, and the copy that it gets.
//!
//! Owns the client's folder for them. gstack or the browser saves the file as always; the client's folder gets a copy
//! under the download's id or its name, in place of nothing that is there.

use super::message::{self, Refusal};
use super::session::Session;
use gstack_base::file_name::safe_name;
use gstack_browser::events::Event;
use gstack_protocol::effects::DownloadState;
use gstack_protocol::ids::TabId;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Giving a complete file its name takes moments.
const SAVED_LIMIT: Duration = Duration::from_secs(60);

/// A download that has ended, with the event for the client.
pub(super) struct Ended {
    params: Value,
}

pub(super) struct Downloads {
    /// Sends events to the client.
    events: bool,
    folder: Option<PathBuf>,
    /// Files are named by the download's id.
    by_id: bool,
    denied: bool,
    /// The client's downloads with their names.
    own: HashMap<String, String>,
    ended: mpsc::UnboundedSender<Ended>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WillBegin {
    guid: String,
    #[serde(default)]
    suggested_filename: String,
}

#[derive(Deserialize)]
struct OfDownload {
    guid: String,
    #[serde(default)]
    state: String,
}

impl Downloads {
    pub(super) fn new(ended: mpsc::UnboundedSender<Ended>) -> Self {
        Self { events: false, folder: None, by_id: false, denied: false, own: HashMap::new(), ended }
    }
}

impl Session {
    /// Handles `Browser.setDownloadBehavior`: it is about this client's downloads only.
    pub(super) fn set_downloads(&mut self, params: &Value) -> Result<(), Refusal> {
        let behavior = params["behavior"].as_str().unwrap_or_default();
        let folder = match (behavior, params["downloadPath"].as_str()) {
            ("allow" | "allowAndName", Some(path)) => Some(self.given.download_folder(path)?),
            ("allow" | "allowAndName", None) => return Err(Refusal::invalid("downloadPath is missing")),
            ("default" | "deny", _) => None,
            _ => return Err(Refusal::invalid("behavior is none of allow, allowAndName, default, deny")),
        };
        self.downloads.folder = folder;
        self.downloads.by_id = behavior == "allowAndName";
        self.downloads.denied = behavior == "deny";
        self.downloads.events = params["eventsEnabled"] == json!(true);
        Ok(())
    }

    /// Handles a download event of the browser or, in an everyday one, of a page. Passes it on if it is about one of the client's
    /// tabs, once.
    pub(super) fn download_event(&mut self, event: &Event, tab: Option<TabId>) {
        if event.method().ends_with("downloadWillBegin") {
            let Some(WillBegin { guid, suggested_filename }) = event.read() else { return };
            let is_mine = tab.is_some_and(|tab| self.tabs.contains_key(&tab));
            if !is_mine || self.downloads.own.contains_key(&guid) {
                return;
            }
            if self.downloads.denied {
                let browser = self.browser.clone();
                let id = guid.clone();
                tokio::spawn(async move { browser.discard_download(&id, "its CDP client takes no downloads").await });
            }
            self.downloads.own.insert(guid, suggested_filename);
            return self.tell_download("Browser.downloadWillBegin", event);
        }
        let Some(OfDownload { guid, state }) = event.read() else { return };
        let Some(name) = self.downloads.own.get(&guid).cloned() else { return };
        if state != "completed" {
            if state == "canceled" {
                self.downloads.own.remove(&guid);
            }
            return self.tell_download("Browser.downloadProgress", event);
        }
        self.downloads.own.remove(&guid);
        let mut params: Value = event.read().unwrap_or_default();
        let name = if self.downloads.by_id { guid.clone() } else { safe_name(&name) };
        let (folder, ended, browser) =
            (self.downloads.folder.clone(), self.downloads.ended.clone(), self.browser.clone());
        let gone = browser.gone().clone();
        // The file has its place once gstack has moved it.
        tokio::spawn(async move {
            let deadline = Instant::now() + SAVED_LIMIT;
            let is_over = |browser: &gstack_browser::browser::Browser| {
                browser.download(&guid).is_none_or(|download| download.state != DownloadState::InProgress)
            };
            tokio::select! {
                _ = browser.downloads_until(deadline, is_over) => {}
                () = gone.cancelled() => return,
            }
            let saved = browser.download(&guid).and_then(|download| download.path);
            let copied = match (folder, saved) {
                (Some(folder), Some(saved)) => copy(PathBuf::from(saved), folder, name).await.map(Some),
                (None, saved) => Ok(saved.map(PathBuf::from)),
                (Some(_), None) => Err(io::Error::other("the file was not saved")),
            };
            match copied {
                Ok(path) => params["filePath"] = json!(path),
                Err(error) => {
                    tracing::warn!(%error, "a CDP client does not get its download");
                    params["state"] = json!("canceled");
                }
            }
            let told = ended.send(Ended { params });
            if told.is_err() {
                tracing::debug!("the CDP client of a download has left");
            }
        });
    }

    fn tell_download(&mut self, method: &str, event: &Event) {
        let Some(mut params) = event.read::<Value>() else { return };
        if let Some(params) = params.as_object_mut() {
            params.remove("filePath");
        }
        if self.downloads.events {
            self.out.push(message::event(method, None, params));
        }
    }

    pub(super) fn download_ended(&mut self, ended: Ended) {
        let Ended { params } = ended;
        if self.downloads.events {
            self.out.push(message::event("Browser.downloadProgress", None, params));
        }
    }
}

/// Copies a file to a new one, which must not exist: nothing is replaced and no symlink is followed.
async fn copy(from: PathBuf, folder: PathBuf, name: String) -> io::Result<PathBuf> {
    let copying = tokio::task::spawn_blocking(move || {
        let to = folder.join(Path::new(&name).file_name().unwrap_or_default());
        if !from.symlink_metadata()?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        let mut source = OpenOptions::new().read(true).open(from)?;
        let mut target = OpenOptions::new().write(true).create_new(true).open(&to)?;
        io::copy(&mut source, &mut target)?;
        Ok(to)
    });
    copying.await.map_err(io::Error::other)?
}
