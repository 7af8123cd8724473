//! The requests of the terminal to the daemon besides commands: the browser's and the daemon's life,
//! status, conversation. Travels over `http.sock` only, as JSON and JSON lines.

use super::action::ActionRecord;
use super::chat::{ChatDelta, ChatEvent, ConversationInfo, Decision, QuestionPart};
use super::fault::Fault;
use super::hops::HopState;
use super::ids::{AgentName, ApprovalId, ClientMessageId, ConversationId, QuestionId, TabId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `POST /connect`: opens the browser with the panel, or finds the one that is open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ConnectRequest {
    /// The browser's program; absent: the configured or the first found.
    pub browser: Option<String>,
    /// Absent: headless where there is no display.
    pub headless: Option<bool>,
    /// A page to open.
    pub url: Option<String>,
    /// The terminal's folder: conversations work there.
    pub cwd: Option<String>,
    /// The part of the terminal's environment that the browser needs (`DISPLAY` and the like).
    pub environment: BTreeMap<String, String>,
    /// The terminal's PATH: agents are looked for there too.
    pub path: Option<String>,
    /// Arguments for the browser, after our own.
    pub arguments: Vec<String>,
    /// The DevTools address of a browser that somebody else started, instead of one of our own.
    pub attach: Option<String>,
    /// The everyday browser whose extension is connected, instead of one of our own.
    pub everyday: bool,
}

/// `POST /disconnect`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, rename_all = "camelCase")]
pub struct Disconnect {
    /// Kills a browser of ours that does not end by itself.
    pub force: bool,
}

/// The answer to `POST /disconnect`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Disconnected {
    /// The browser was ours and has been closed. False: it was only attached to, and goes on.
    pub closed: bool,
}

/// One line of the answer to `POST /connect`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConnectLine {
    /// A step has ended; how long it took.
    Step {
        name: String,
        detail: String,
        millis: u64,
    },
    /// Something that a person should know: `--no-sandbox`, no display.
    Notice(String),
    Done(Connected),
    Failed(Fault),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Connected {
    pub mode: String,
    /// Absent where an attached browser does not tell.
    pub browser_pid: Option<u32>,
    /// False when the browser was open before.
    pub started: bool,
    /// The panel has said hello.
    pub panel: bool,
    /// The label of the agent that will answer.
    pub agent: String,
}

/// `GET /health`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Health {
    /// `healthy`, or `no-browser`.
    pub status: String,
    pub version: String,
}

/// `GET /status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub healthy: bool,
    /// `headed`, `headless`, `attached`, `everyday` or `none`.
    pub mode: String,
    pub url: Option<String>,
    pub tabs: usize,
    pub pid: u32,
    pub browser_pid: Option<u32>,
    pub version: String,
    pub port: u16,
    pub panels: usize,
    pub agents_running: usize,
    pub turns_running: usize,
    /// What was set for tabs and changes what they send or show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<TabOverrides>,
    /// The only sites that the open browser reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_sites: Option<String>,
    /// The reason why the person's rules cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_fault: Option<String>,
    /// Whether agents run in a sandbox, and in which or why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
}

/// What was set for one tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TabOverrides {
    pub tab: TabId,
    /// `2 routes (5 requests)`, `offline`.
    pub set: Vec<String>,
}

impl Status {
    /// The text of `status`: at most ten lines.
    fn health(&self) -> &str {
        match self.mode.as_str() {
            _ if self.healthy => "healthy",
            "everyday" => "your everyday browser is not connected (start it, or run gstack disconnect)",
            _ => "no browser (gstack connect opens one)",
        }
    }

    pub fn text(&self) -> String {
        let mut lines = vec![format!("Status: {}", self.health()), format!("Mode: {}", self.mode)];
        if let Some(url) = &self.url {
            lines.push(format!("URL: {url}"));
        }
        lines.push(format!("Tabs: {}", self.tabs));
        lines.push(match self.browser_pid {
            Some(browser) => format!("PID: {} (browser {browser})", self.pid),
            None => format!("PID: {}", self.pid),
        });
        lines.push(format!("Version: {}", self.version));
        lines.push(format!("Panels: {}", self.panels));
        lines.push(format!("Agents: {} running, {} turns", self.agents_running, self.turns_running));
        lines.push(format!("Address: http://127.0.0.1:{}", self.port));
        lines.extend((!self.overrides.is_empty()).then(|| {
            let words = |one: &TabOverrides| format!("tab {}: {}", one.tab, one.set.join(", "));
            format!("Set: {}", self.overrides.iter().map(words).collect::<Vec<_>>().join("; "))
        }));
        lines.extend(self.only_sites.as_ref().map(|sites| format!("Only: {sites}")));
        lines.extend(self.sandbox.as_ref().map(|sandbox| format!("Sandbox: {sandbox}")));
        lines.extend(self.policy_fault.as_ref().map(|fault| format!("Policy: {fault}")));
        lines.join("\n")
    }
}

/// `GET /doctor`: every hop, proved now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Doctor {
    pub hops: Vec<HopState>,
    /// Warnings that stop nothing: a work tree that was left behind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// `POST /chat`: a message from the terminal; the answer streams as [`ChatLine`]s.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatRequest {
    pub client_id: ClientMessageId,
    pub message: String,
    #[serde(default)]
    pub tab_id: Option<TabId>,
    #[serde(default)]
    pub agent: Option<AgentName>,
    /// For this message alone: `fast`, `deep` or one of the agent's.
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub cwd: Option<String>,
    /// The terminal's PATH: agents are looked for there too.
    #[serde(default)]
    pub path: Option<String>,
}

/// `POST /agents/look`: reads the configuration again and looks for agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct LookForAgents {
    /// The terminal's PATH: agents are looked for there too.
    pub path: Option<String>,
}

/// One line of the answer to `POST /chat`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChatLine {
    Conversation(ConversationInfo),
    Event(ChatEvent),
    Delta(ChatDelta),
    /// The terminal read too slowly and must look into the panel or repeat.
    Failed(Fault),
}

/// An approval that waits, as `gstack approvals` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingApproval {
    pub conversation_id: ConversationId,
    pub approval_id: ApprovalId,
    pub ask: String,
    pub site: Option<String>,
    pub does: String,
    pub why: Option<String>,
    #[serde(default)]
    pub action: Box<ActionRecord>,
    pub choices: Vec<Decision>,
}

/// A question of an agent that waits for an answer, as `gstack approvals` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingQuestion {
    pub conversation_id: ConversationId,
    pub question_id: QuestionId,
    pub parts: Vec<QuestionPart>,
}

/// `GET /approvals`: all that waits for the person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WaitingApprovals {
    pub approvals: Vec<WaitingApproval>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<WaitingQuestion>,
}

/// `POST /conversations/open`: the conversation goes on in a tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationOpen {
    pub conversation_id: ConversationId,
    /// Absent: the current one.
    #[serde(default)]
    pub tab_id: Option<TabId>,
}

/// The answer to `POST /conversations/text`: a whole conversation as a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationText {
    /// A name for a file of it.
    pub name: String,
    pub text: String,
}

/// `POST /hand-over`: a newer gstack wants to take over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HandOver {
    pub version: String,
    /// The process that asks and then starts the newer daemon: older programs wait for it. `None` from older releases.
    #[serde(default)]
    pub pid: Option<i32>,
}

/// How far handing over is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HandingOver {
    /// So many turns finish first.
    pub turns: usize,
    /// The daemon ends within this time at the latest.
    pub seconds: u64,
    /// The process that ends. `None` from older releases.
    #[serde(default)]
    pub pid: Option<i32>,
}

/// Answer of `POST /stop`: the daemon ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Stopping {
    /// The process that ends. `None` from older releases.
    pub pid: Option<i32>,
}

/// `POST /continue`: lets the waiting messages of a tab's conversation run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ContinueTurns {
    /// Absent: the current tab.
    pub tab_id: Option<TabId>,
}

/// `POST /stop-turns`: stops the running turn of one tab's conversation, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StopTurns {
    pub tab_id: Option<TabId>,
    /// Without a tab: the current one's, not all.
    pub current: bool,
}

/// How many were stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Stopped {
    pub turns: usize,
}
