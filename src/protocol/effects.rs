//! The side effects of a command: dialogs, downloads, tabs, navigations, console errors.

use super::ids::TabId;
use serde::{Deserialize, Serialize};

/// One side effect of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase", tag = "kind")]
pub enum Effect {
    Dialog {
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        dialog: String,
        message: String,
        answer: DialogAnswer,
        /// The text entered into a prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    Download(Download),
    /// A page of the tab opened another tab.
    TabOpened {
        tab_id: TabId,
        url: String,
    },
    /// A tab was closed, by the command or by its page.
    TabClosed {
        tab_id: TabId,
        /// The new current tab, if the closed one was current. Commands without a tab work on it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        current: Option<TabId>,
    },
    /// The tab shows another document or address.
    Navigation {
        from: String,
        to: String,
    },
    ConsoleError {
        text: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DialogAnswer {
    Accepted,
    Dismissed,
    /// It is still open.
    Open,
}

/// A file that a page made the browser save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Download {
    /// Identifies it among the browser's downloads.
    pub id: String,
    /// A sanitized name chosen by the page; never a path.
    pub name: String,
    pub url: String,
    pub state: DownloadState,
    /// The path of the saved file, if the browser reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The bytes received so far.
    #[cfg_attr(test, ts(type = "number"))]
    pub bytes: u64,
    /// The total in bytes, if the server reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "number"))]
    pub total: Option<u64>,
    /// The reason of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DownloadState {
    InProgress,
    Saved,
    Failed,
}
