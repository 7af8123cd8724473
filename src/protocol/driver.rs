//! Drivers: the programs beside the panel's agents that act in tabs, and the tabs that each one leases.
//!
//! Owns the registration of an MCP client, and what `status` and panels show of it. A driver's commands are
//! `CommandRequest`s.

use super::chat::{AnsweredBy, Decision};
use super::control::WaitingApproval;
use super::ids::{ApprovalId, ChromeTabId, ConversationId, DriverId, TabId, WindowId};
use super::page_tool::ListedPageTool;
use super::tunnel::{TunnelBegin, TunnelEnd};
use serde::{Deserialize, Serialize};

/// `POST /driver`: registers the process that asks as a driver. The registration lasts until its connection or its
/// process ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriverBegin {
    /// The program's own name, as MCP's `initialize` gives it.
    pub client: String,
    /// The name that the person gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Acts with the person's authority: the policy is not asked, and every tab that no other driver leases is open to
    /// it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trusted: bool,
    /// The tab that it starts with. If neither this nor `current_tab` is set, its first command opens one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The name of the browser in which it opens its first tab. Absent for the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
    /// Starts with the browser's current tab.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub current_tab: bool,
    /// Its working directory, which its relative paths start from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// It reads `DriverLine::PageTools`. A client that is older than this line gets none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub page_tools: bool,
    /// The process serves a program on another machine. Such a driver is never trusted, and its files are those of its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tunnel: Option<TunnelBegin>,
}

/// One line of the answer to `POST /driver`. The stream stays open for as long as the driver is registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DriverLine {
    /// The first line.
    Begun(DriverInfo),
    /// The tools of the page that its tab shows, whenever they change.
    PageTools(Vec<ListedPageTool>),
    /// The last line of a tunnel that the daemon ended.
    TunnelEnded(TunnelEnd),
}

/// How a driver drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DriverKind {
    /// A client of `gstack mcp`.
    #[default]
    Mcp,
    /// A DevTools client at an address of `gstack cdp`.
    Cdp,
    /// A shell or script of the person that named itself with `--driver`.
    Terminal,
}

impl DriverKind {
    /// Returns its word in the audit.
    pub fn word(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Cdp => "cdp",
            Self::Terminal => "terminal",
        }
    }
}

/// A registered driver, and the tabs that it leases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriverInfo {
    pub driver_id: DriverId,
    #[serde(default)]
    pub kind: DriverKind,
    /// The program's name and the person's name for it: `cursor (work)`. No two registered drivers have the same one.
    pub name: String,
    /// `false` for one whose commands the policy judges.
    pub trusted: bool,
    pub pid: i32,
    pub tabs: Vec<TabId>,
    /// It acts for a program on another machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tunnel: bool,
}

/// What a driver is called. All names are visible characters only, and short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct DriverName {
    /// The program's name and the person's name for it: `cursor (work)`.
    pub name: String,
    /// What the program calls itself. Nothing proves it.
    pub client: String,
    /// The person's name for it (`--name`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub label: Option<String>,
}

/// `drivers.changed`: which tabs drivers lease or agents opened, and the approvals that drivers wait for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriversShown {
    /// The leased tabs of this browser.
    pub leases: Vec<LeasedTab>,
    /// Oldest first.
    pub approvals: Vec<DriverApproval>,
    /// The tabs of this browser that the person took over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<Vec<PausedTab>>", optional))]
    pub paused: Vec<PausedTab>,
    /// The drivers to which a tab of this browser can be given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<Vec<ConnectedDriver>>", optional))]
    pub connected: Vec<ConnectedDriver>,
    /// The tabs of this browser that agents of the panel, or their pages, have opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "for-tests", ts(as = "Option<Vec<AgentTab>>", optional))]
    pub agent_tabs: Vec<AgentTab>,
}

/// A tab that an agent of the panel, or one of its pages, has opened. It is the agent's until the conversation is deleted, the
/// person takes it out of the conversation's tabs, or the daemon ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentTab {
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
    /// The conversation in which the agent works.
    pub conversation_id: ConversationId,
    /// What the agent is called.
    pub agent: String,
}

/// A driver that is connected, to which the person may give a tab of this browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConnectedDriver {
    /// Its id in `drivers.give`.
    pub driver_id: DriverId,
    /// What it is called.
    pub driver: DriverName,
}

/// A tab that the person took over from an agent or MCP client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PausedTab {
    /// The daemon's id of the tab.
    pub tab_id: TabId,
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
    /// The paused agent or client.
    pub worker: String,
}

/// A tab that a driver leases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LeasedTab {
    /// The daemon's id of the tab.
    pub tab_id: TabId,
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
    /// Who leases it.
    pub driver: DriverName,
}

/// A pending approval of an MCP client, answered by `approval.answer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriverApproval {
    /// The approval.
    pub approval: WaitingApproval,
    /// Who asks.
    pub from: DriverName,
    /// The tab that it concerns, if this browser has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub tab: Option<DriverTab>,
    /// Whether a panel is open beside that tab. If not, every panel shows the approval.
    pub in_view: bool,
}

/// The tab that an approval concerns, for the link to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriverTab {
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
    /// The window that it is in.
    pub window_id: WindowId,
    /// The page's title.
    pub title: String,
}

/// `drivers.answered`: an approval of an MCP client was answered, or is no longer needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriverAnswered {
    /// The approval that is closed.
    pub approval_id: ApprovalId,
    /// The answer; `deny` unless somebody allowed it.
    pub decision: Decision,
    /// Where the answer came from.
    pub by: AnsweredBy,
}

/// `drivers.release`: takes a tab back from the driver that leases it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriversRelease {
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
}

/// `drivers.give`: gives a tab to a driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriversGive {
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
    /// The driver that gets it.
    pub driver_id: DriverId,
}

/// `drivers.handBack`: hands a tab back to the paused agent or client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriversHandBack {
    /// Chrome's id of the tab.
    pub chrome_tab_id: ChromeTabId,
    /// The person's message to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub note: Option<String>,
}

impl DriverInfo {
    /// Returns, for example, `cursor (work): tabs 3, 5`.
    pub(super) fn line(&self) -> String {
        let trusted = match (self.kind, self.trusted) {
            _ if self.tunnel => ", from another machine",
            (DriverKind::Cdp, _) => ", over CDP",
            (DriverKind::Mcp, true) => ", trusted",
            (DriverKind::Mcp, false) | (DriverKind::Terminal, _) => "",
        };
        let tabs: Vec<String> = self.tabs.iter().map(ToString::to_string).collect();
        let word = if tabs.len() == 1 { "tab" } else { "tabs" };
        let tabs = if tabs.is_empty() { "no tab".to_owned() } else { format!("{word} {}", tabs.join(", ")) };
        format!("{}{trusted}: {tabs}", self.name)
    }
}
