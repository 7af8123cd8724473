//! The side effects of a command: dialogs, downloads, tabs, navigations, file choosers, console errors.

use super::ids::TabId;
use serde::{Deserialize, Serialize};

/// One side effect of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase", tag = "kind")]
pub enum Effect {
    /// A page showed a dialog.
    Dialog {
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        dialog: String,
        /// The dialog's text, as the page wrote it.
        message: String,
        /// What became of it.
        answer: DialogAnswer,
        /// The text entered into a prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// A file was downloaded, or its download has begun.
    Download(Download),
    /// A page of the tab opened another tab.
    TabOpened {
        /// The daemon's id of the new tab.
        tab_id: TabId,
        /// The address that it was opened with.
        url: String,
    },
    /// A tab was closed, by the command or by its page.
    TabClosed {
        /// The daemon's id of the closed tab.
        tab_id: TabId,
        /// The new current tab, if the closed one was current. Commands without a tab work on it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        current: Option<TabId>,
    },
    /// The tab shows another document or address.
    Navigation {
        /// The address before.
        from: String,
        /// The address now.
        to: String,
    },
    /// The page opened a file chooser, which was not shown: `upload` gives it files.
    FileChooser {
        /// It takes several files.
        takes_many: bool,
        /// It is a picker of the File System Access API, to which `upload` cannot give files.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_picker: bool,
    },
    /// The page asked for an address that another program opens. A browser with a window asks the user.
    ProgramAsked {
        /// The address's scheme, as `mailto`.
        scheme: String,
    },
    /// The page's console reported an error.
    ConsoleError {
        /// The error's text.
        text: String,
    },
}

/// What became of a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DialogAnswer {
    /// It was confirmed with OK.
    Accepted,
    /// It was cancelled.
    Dismissed,
    /// It is still open.
    Open,
}

/// A file that a page made the browser save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Download {
    /// Identifies it among the browser's downloads.
    pub id: String,
    /// A sanitized name chosen by the page; never a path.
    pub name: String,
    /// The address that it is downloaded from.
    pub url: String,
    /// How far the download is.
    pub state: DownloadState,
    /// The path of the saved file, if the browser reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The bytes received so far.
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub bytes: u64,
    /// The total in bytes, if the server reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(type = "number"))]
    pub total: Option<u64>,
    /// The reason of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How far a download is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DownloadState {
    /// Bytes are still arriving.
    InProgress,
    /// The file is complete.
    Saved,
    /// It was cancelled or interrupted; `reason` says why.
    Failed,
}
