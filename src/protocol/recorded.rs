//! What a person does in a tab while it is recorded for a flow.
//!
//! Owns the messages of `POST /record`. They contain what the person typed, except passwords: only the person gets them.

use super::fault::Fault;
use super::ids::TabId;
use serde::{Deserialize, Serialize};
use std::ops::Not;

/// `POST /record`: records what the person does in a tab, and in tabs that it opens, for as long as the answer is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Absent for the current tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The name of the browser. Absent for that of the tab, or the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
}

/// One line of the answer to `POST /record`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RecordedLine {
    /// The first line: what is recorded from now on.
    Begun {
        #[serde(rename = "tabId")]
        tab: TabId,
        url: String,
    },
    /// The person acted.
    Acted {
        #[serde(rename = "tabId")]
        tab: TabId,
        act: Box<RecordedAct>,
    },
    /// The page showed this text after the last act.
    Shown {
        #[serde(rename = "tabId")]
        tab: TabId,
        text: String,
    },
    /// The tab shows another address.
    Arrived {
        #[serde(rename = "tabId")]
        tab: TabId,
        url: String,
        by: Arrival,
    },
    /// The person answered a dialog.
    Answered {
        #[serde(rename = "tabId")]
        tab: TabId,
        accepted: bool,
        /// The answer to a prompt.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
    /// The last line, if the recording could not begin.
    Failed(Fault),
}

/// Why a tab shows another address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Arrival {
    /// The page led there.
    Page,
    /// The person opened it.
    Address,
    Back,
    Forward,
    Reload,
}

/// One act.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecordedAct {
    pub act: RecordedKind,
    /// Absent for a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<RecordedElement>,
    /// The element that a drag ended on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<RecordedElement>,
    /// What the field contains now, or the name of the file. Absent for a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// `Enter`, `Control+k`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The origin of the frame in which it was, if that is not the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// More than one option or file was chosen; `value` is the first one.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub several: bool,
    /// The element is a field that takes text.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub field: bool,
}

/// The kind of an act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RecordedKind {
    #[default]
    Click,
    Dblclick,
    Rightclick,
    Fill,
    /// Text was typed into a password field. The text is not recorded.
    Password,
    Select,
    Check,
    Uncheck,
    Press,
    Upload,
    Drag,
}

/// The element of an act. Its texts are page content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct RecordedElement {
    /// Its tag, for messages.
    pub label: String,
    /// As a snapshot names it; empty if it has none.
    pub role: String,
    pub name: String,
    /// Words beside it that tell it from others with the same role and name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
    /// Its number among those, from 1, if no words do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
    /// A selector, for an element without a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}
