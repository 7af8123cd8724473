//! Downloads that pages start, from the first event to the final name of the complete file.
//!
//! Owns the limits and the storing of a file: the browser writes it into a private folder, named by its id, and it gets
//! its name when it is complete. Never trusts a name that a page chose. The list is in `downloads`.

use super::beside_others::Written;
use super::browser::Browser;
use super::devtools::browser::{CancelDownloadParams, SetDownloadBehaviorBehavior, download_behavior};
use super::downloads::Record;
use super::effects::{Effects, RecordedEffect};
use super::events::Event;
use super::remote::FileSystem;
use super::remote_saving::NOT_HERE;
use super::shared::Shared;
use gstack_base::file_name::{move_into, safe_name};
use gstack_protocol::effects::{Download, DownloadState};
use gstack_protocol::ids::{TabId, TargetId};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::time::Instant;

/// In bytes. An endless stream must not fill the disk.
pub(super) const LARGEST: u64 = 4 * 1024 * 1024 * 1024;
/// A page can start downloads in a loop.
const MOST_AT_ONCE: usize = 20;
/// The oldest entries of a browser are dropped; their files stay.
const MOST_KEPT: usize = 500;

/// `Browser.downloadWillBegin`, or the same event of `Page` if the browser's own session has none.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WillBegin {
    #[serde(default)]
    frame_id: String,
    guid: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    suggested_filename: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DownloadProgress {
    guid: String,
    #[serde(default)]
    total_bytes: f64,
    #[serde(default)]
    received_bytes: f64,
    #[serde(default)]
    state: String,
    /// Only newer browsers send it.
    #[serde(default)]
    file_path: Option<PathBuf>,
}

impl Shared {
    /// Sets the download behavior between actions. In a browser with a window, downloads belong to the user.
    pub(super) fn set_up_downloads(&self) {
        if self.set_up_remote_downloads() {
            return;
        }
        let behavior = match (&self.options.downloads, self.options.headless) {
            (Some(_), true) => return self.save_downloads(),
            (None, true) => SetDownloadBehaviorBehavior::Deny,
            (_, false) => SetDownloadBehaviorBehavior::Default,
        };
        self.cdp.root().post(download_behavior(behavior, None));
    }

    fn save_downloads(&self) {
        let Some(folders) = &self.options.downloads else { return };
        let folder = folders.incoming.to_string_lossy().into_owned();
        self.cdp.root().post(download_behavior(SetDownloadBehaviorBehavior::AllowAndName, Some(folder)));
    }

    /// Counts running actions. In a browser with a window, only the downloads of actions are saved by gstack.
    pub(super) fn recording_changed(&self, begins: bool) {
        let is_first_or_last = {
            let mut state = self.state();
            let recordings = &mut state.downloads.recordings;
            *recordings = if begins { *recordings + 1 } else { recordings.saturating_sub(1) };
            *recordings == usize::from(begins)
        };
        let is_window = !self.options.headless && self.options.lets_go_after.is_none();
        let is_ours = matches!(self.options.files, FileSystem::Ours);
        if !is_first_or_last || !is_window || !is_ours || self.is_beside_others() || self.options.downloads.is_none() {
            return;
        }
        if begins { self.save_downloads() } else { self.set_up_downloads() }
    }

    pub(super) fn download_event(self: &Arc<Self>, name: &str, event: &Event) {
        match name {
            "downloadWillBegin" => {
                let Some(begun) = event.read::<WillBegin>() else { return };
                self.download_begins(begun);
            }
            "downloadProgress" => {
                let Some(progress) = event.read::<DownloadProgress>() else { return };
                self.download_goes_on(progress);
            }
            _ => {}
        }
    }

    fn download_begins(&self, begun: WillBegin) {
        let WillBegin { frame_id, guid, url, suggested_filename } = begun;
        let name = safe_name(&suggested_filename);
        let name = if name.is_empty() { "download".to_owned() } else { name };
        let too_many = {
            let mut state = self.state();
            // Each session of a page reports it, the browser's own and a client's.
            if state.downloads.get_mut(&guid).is_some() {
                return;
            }
            let tab = state.tab_of_frame(&frame_id);
            // For a tab that was opened for the download: the action that opened it. For a tab that is gone: any
            // action.
            let opener = tab.and_then(|tab| state.tabs.get(tab)?.opener);
            let tab_states = &state.tab_states;
            let of = |tab: Option<TabId>| tab_states.get(&tab?)?.effects.clone();
            let by = of(tab).or_else(|| of(opener)).or_else(|| {
                // Another client's tab can have frames that are not known here.
                let unknown = tab.is_none() && !self.is_beside_others();
                tab_states.values().find_map(|tab_state| tab_state.effects.clone()).filter(|_| unknown)
            });
            match &by {
                Some(effects) => effects.note(RecordedEffect::Download(guid.clone())),
                None if self.is_beside_others() && !tab.is_some_and(|tab| state.engaged.contains_key(&tab)) => return,
                None => {}
            }
            let too_many = state.downloads.running() >= MOST_AT_ONCE;
            let folder = by.as_ref().and_then(Effects::download_folder);
            let tab = by.as_ref().and_then(Effects::tab).or(tab);
            let download = Download {
                id: guid.clone(),
                name,
                url,
                state: DownloadState::InProgress,
                path: None,
                bytes: 0,
                total: None,
                reason: None,
            };
            if state.downloads.list.len() == MOST_KEPT {
                state.downloads.list.remove(0);
            }
            let (since, is_of_act) = (SystemTime::now(), by.is_some());
            state.downloads.list.push(Record { download, tab, folder, since, is_of_act, is_taken: false });
            state.downloads.told();
            too_many
        };
        if self.cannot_have_downloads() {
            self.cancel_download(&guid, NOT_HERE);
        } else if too_many {
            self.cancel_download(&guid, &format!("{MOST_AT_ONCE} others were under way"));
        }
    }

    fn download_goes_on(self: &Arc<Self>, progress: DownloadProgress) {
        let DownloadProgress { guid, total_bytes, received_bytes, state: how, file_path } = progress;
        let (received, total) = (whole(received_bytes), Some(whole(total_bytes)).filter(|total| *total > 0));
        let (name, folder, since, is_of_act) = {
            let mut state = self.state();
            let Some(record) = state.downloads.get_mut(&guid) else { return };
            if record.download.state != DownloadState::InProgress {
                return;
            }
            record.download.bytes = received;
            record.download.total = total;
            let found = (record.download.name.clone(), record.folder.clone(), record.since, record.is_of_act);
            if how == "canceled" {
                return state.downloads.fail(&guid, "the browser or the page cancelled it");
            }
            found
        };
        if received > LARGEST || total.is_some_and(|total| total > LARGEST) {
            return self.cancel_download(&guid, &format!("it has more than {LARGEST} bytes"));
        }
        if how != "completed" || self.fetch_download(&guid, &name, file_path.as_deref()) {
            return;
        }
        let folders = self.options.downloads.clone();
        let ours = folders.as_ref().and_then(|folders| saved_here(&folders.incoming, &guid, file_path.as_deref()));
        match (ours.zip(folders), file_path) {
            (Some((file, folders)), _) => self.give_name(guid, file, folder.unwrap_or(folders.saved), name),
            (None, Some(path)) if self.is_beside_others() => {
                let written = Written { path, bytes: received, since, is_ours: is_of_act };
                self.copy_download(guid, written, name, folder);
            }
            // A browser that gstack did not start could name any file, which a CDP client would get a copy of.
            (None, path) => self.download_saved(&guid, path.as_deref().filter(|_| !self.options.holds_back)),
        }
    }

    /// Gives the file its name in a blocking task: the reader task must not wait for the disk.
    fn give_name(self: &Arc<Self>, id: String, file: PathBuf, folder: PathBuf, name: String) {
        let shared = self.clone();
        let moving = move || match move_into(&file, &folder, &name) {
            Ok(place) => shared.download_saved(&id, Some(&place)),
            Err(error) => {
                // A file that cannot be named is deleted.
                std::fs::remove_file(&file).ok();
                shared.state().downloads.fail(&id, &format!("it could not be saved in {}: {error}", folder.display()));
            }
        };
        self.cdp.tasks().spawn_blocking(moving);
    }

    pub(super) fn download_saved(&self, id: &str, path: Option<&Path>) {
        let mut state = self.state();
        if let Some(record) = state.downloads.get_mut(id) {
            record.download.state = DownloadState::Saved;
            record.download.path = path.map(|path| path.to_string_lossy().into_owned());
        }
        state.downloads.told();
    }

    fn cancel_download(&self, id: &str, reason: &str) {
        self.state().downloads.fail(id, reason);
        self.cdp.root().post(CancelDownloadParams::new(id));
    }
}

impl super::shared::State {
    /// Returns the tab of a frame: by the page target for a main frame, by the tab's frame tree for an inner one.
    fn tab_of_frame(&self, frame: &str) -> Option<TabId> {
        let by_page = self.tabs.by_page(&TargetId::new(frame)).map(|info| info.id);
        let in_tab = || self.engaged.iter().find(|(_, tab)| tab.frames.get(frame).is_some()).map(|(id, _)| *id);
        by_page.or_else(in_tab)
    }
}

impl Browser {
    /// Returns the downloads, oldest first. `tab`: only those of one tab.
    pub fn downloads(&self, tab: Option<TabId>) -> Vec<Download> {
        let state = self.shared.state();
        let of_tab = |record: &&Record| tab.is_none() || record.tab == tab;
        state.downloads.list.iter().filter(of_tab).map(|record| record.download.clone()).collect()
    }
    /// Returns the tab whose page started the download, if it is known.
    pub fn tab_of_download(&self, id: &str) -> Option<TabId> {
        self.shared.state().downloads.list.iter().find(|record| record.download.id == id)?.tab
    }
    /// Returns the download with this id, as it is now.
    pub fn download(&self, id: &str) -> Option<Download> {
        let state = self.shared.state();
        state.downloads.list.iter().find(|record| record.download.id == id).map(|record| record.download.clone())
    }
    /// Returns true if [`Self::take_ended_downloads`] would return downloads: some have ended and none is in progress.
    pub fn has_ended_downloads(&self, tab: TabId) -> bool {
        let state = self.shared.state();
        let mut of_tab = state.downloads.list.iter().filter(|record| record.tab == Some(tab));
        let mut has_ended = false;
        of_tab.all(|record| {
            has_ended |= !record.is_taken;
            record.download.state != DownloadState::InProgress
        }) && has_ended
    }
    /// Takes the downloads of a tab that have ended since its last action began; each is returned once.
    pub fn take_ended_downloads(&self, tab: TabId) -> Option<Vec<Download>> {
        if !self.has_ended_downloads(tab) {
            return None;
        }
        let mut state = self.shared.state();
        let mut taken = Vec::new();
        for record in state.downloads.list.iter_mut().filter(|record| record.tab == Some(tab) && !record.is_taken) {
            record.is_taken = true;
            taken.push(record.download.clone());
        }
        Some(taken)
    }
    /// Waits until `holds` returns true for this browser. Returns false at the deadline.
    pub async fn downloads_until(&self, deadline: Instant, holds: impl Fn(&Self) -> bool) -> bool {
        let mut changed = self.shared.state().downloads.changed.subscribe();
        loop {
            if holds(self) {
                return true;
            }
            tokio::select! {
                changed = tokio::time::timeout_at(deadline, changed.changed()) => match changed {
                    Ok(Ok(())) => {}
                    _ => return holds(self),
                },
                () = self.gone().cancelled() => return false,
            }
        }
    }
    /// Cancels a download, or deletes the file of one that gstack saved.
    pub async fn discard_download(&self, id: &str, reason: &str) {
        let saved = self.download(id).filter(|download| download.state == DownloadState::Saved);
        self.shared.cancel_download(id, reason);
        let chosen = self.shared.state().downloads.get_mut(id).and_then(|record| record.folder.clone());
        let saved_in = self.shared.options.downloads.as_ref().map(|folders| folders.saved.clone());
        let folders: Vec<PathBuf> = chosen.into_iter().chain(saved_in).collect();
        // A file in the user's own download folder belongs to the user.
        let is_ours = |path: &String| folders.iter().any(|folder| Path::new(path).parent() == Some(folder));
        if let Some(path) = saved.and_then(|download| download.path).filter(is_ours)
            && let Err(error) = tokio::fs::remove_file(&path).await
        {
            tracing::warn!(%error, "a file that was not allowed could not be removed");
        }
        if let Some(record) = self.shared.state().downloads.get_mut(id) {
            record.download.path = None;
        }
    }
}

fn whole(bytes: f64) -> u64 {
    if bytes > 0.0 { bytes as u64 } else { 0 }
}

/// Returns the file in our folder that the browser saved under a download's id. `reported`: the path that it names, if it does.
/// An id that is a path is none of ours: it could be any file of the person.
fn saved_here(incoming: &Path, id: &str, reported: Option<&Path>) -> Option<PathBuf> {
    let is_plain = !id.is_empty() && id.chars().all(|character| character.is_ascii_alphanumeric() || character == '-');
    let file = incoming.join(id);
    (is_plain && reported.map_or_else(|| file.is_file(), |path| path == file)).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::saved_here;
    use std::path::Path;

    #[test]
    fn a_browser_that_names_a_file_of_the_person_as_a_download_does_not_get_it_moved() {
        let folder = tempfile::tempdir().unwrap();
        let incoming = folder.path().join("incoming");
        std::fs::create_dir(&incoming).unwrap();
        for file in ["theirs", "incoming/5d1f-guid"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let ours = incoming.join("5d1f-guid");
        let theirs = folder.path().join("theirs");
        assert_eq!(saved_here(&incoming, "5d1f-guid", None).as_ref(), Some(&ours));
        assert_eq!(saved_here(&incoming, "5d1f-guid", Some(&ours)).as_ref(), Some(&ours));
        for id in [theirs.to_str().unwrap(), "../theirs", "..", "", "."] {
            for reported in [None, Some(theirs.as_path()), Some(&*incoming.join(id)), Some(Path::new(id))] {
                assert_eq!(saved_here(&incoming, id, reported), None, "{id:?} {reported:?}");
            }
        }
        assert_eq!(saved_here(&incoming, "5d1f-guid", Some(&theirs)), None);
    }
}
