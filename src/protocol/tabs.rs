//! Tabs as reported by the extension from Chrome's events, and their ids in the daemon.

use super::ids::{ChromeTabId, ConversationId, TabId, TargetId, WindowId};
use super::sentence::LocalizedPhrase;
use serde::{Deserialize, Serialize};

/// One tab as Chrome's extension API sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChromeTab {
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
    /// The window that it is in.
    pub window_id: WindowId,
    /// The address that it shows; empty if Chrome does not tell it.
    pub url: String,
    /// The title that it shows; empty if Chrome does not tell it.
    pub title: String,
    /// The address of its icon, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fav_icon_url: Option<String>,
    /// Whether it is the active tab of its window.
    pub active: bool,
    /// Whether it is in a private window. gstack never acts there.
    #[serde(default)]
    pub incognito: bool,
    /// Whether Chrome has unloaded its page to save memory.
    #[serde(default)]
    pub discarded: bool,
    /// From `chrome.debugger.getTargets()`: maps Chrome's id to the DevTools target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<TargetId>,
    /// The tab that it was opened from, by a page or by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opener_chrome_tab_id: Option<ChromeTabId>,
    /// Whether Chrome has just restored a closed tab as this one (`chrome.sessions`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restored: bool,
    /// The id that Chrome had given this tab before: it changes if Chrome discards a page to save memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<ChromeTabId>,
}

/// `tabs.changed`: the changes since the last report. With `full`, `tabs` is the complete list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TabsChanged {
    /// Whether `tabs` has every tab; the daemon forgets those that are not in it.
    #[serde(default)]
    pub full: bool,
    /// The tabs that are new or have changed.
    #[serde(default)]
    pub tabs: Vec<ChromeTab>,
    /// The tabs that were closed; empty with `full`.
    #[serde(default)]
    pub removed: Vec<ChromeTabId>,
}

/// A tab that has a conversation, for the panel's tab menu.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TabWithConversation {
    /// The daemon's id of the tab.
    pub tab_id: TabId,
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
    /// The window that it is in.
    pub window_id: WindowId,
    /// The page's title.
    pub title: String,
    /// The page's address.
    pub url: String,
    /// The tab's conversation.
    pub conversation_id: ConversationId,
    /// Whether a turn is running there.
    pub running: bool,
}

/// All tabs that have a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct TabsConversations {
    /// One entry for each such tab; empty if there are none.
    pub tabs: Vec<TabWithConversation>,
}

/// One tab in which an agent works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkingTab {
    /// The daemon's id of the tab.
    pub tab_id: TabId,
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
    /// The agent's display name.
    pub agent_label: String,
    /// The current action in words: `Clicking Submit`.
    pub doing: String,
    /// The same text as a code, for translation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub phrase: Option<LocalizedPhrase>,
    /// Whether it waits for a person's answer.
    pub waiting: bool,
    /// Whether it is paused because the person took over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<bool>", optional))]
    pub paused: bool,
}

/// `tabs.working`: the tabs in which agents work now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct TabsWorking {
    /// All such tabs; empty if there are none.
    pub tabs: Vec<WorkingTab>,
}
