//! The terminal's requests to the daemon other than commands: starting and stopping the browser and the daemon, status,
//! conversation. Sent only over `http.sock`, as JSON and JSON lines.

use super::action::ActionRecord;
use super::chat::{ChatDelta, ChatEvent, ConversationInfo, Decision, LocalizedPhrase, QuestionPart, StepKind};
use super::fault::{Fault, FaultWords};
use super::hops::HopState;
use super::ids::{AgentName, ApprovalId, ClientMessageId, ConversationId, QuestionId, TabId};
use super::remote::{RemoteBrowser, SecretVariables, UnreleasedSession};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `POST /connect`: opens a browser with the panel, or finds the open one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ConnectRequest {
    /// The name of the browser. Absent for the main one.
    pub name: Option<String>,
    /// The browser's program. Absent for the configured one, or the first one found.
    pub program: Option<String>,
    /// Absent to run headless only if there is no display.
    pub headless: Option<bool>,
    /// The page to open.
    pub url: Option<String>,
    /// The terminal's working directory, where conversations work.
    pub cwd: Option<String>,
    /// The terminal's environment variables that the browser needs (`DISPLAY` and similar).
    pub environment: BTreeMap<String, String>,
    /// The terminal's PATH, which is also searched for agents.
    pub path: Option<String>,
    /// Browser arguments, added after our own.
    pub arguments: Vec<String>,
    /// The DevTools address of a browser started by someone else, to use instead of our own.
    pub attach: Option<String>,
    /// Whether to use the everyday browser whose extension is connected, instead of our own.
    pub everyday: bool,
    /// A browser on another machine, to use instead of our own.
    pub remote: Option<RemoteBrowser>,
    /// Keys of hosted services from the terminal's environment.
    pub keys: SecretVariables,
    /// The profile to start the browser with. Absent for the configured one, or the instance's own.
    pub profile: Option<String>,
}

/// `POST /disconnect`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(default, rename_all = "camelCase")]
pub struct Disconnect {
    /// The name of the browser. Absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
    /// Whether to kill our browser if it does not exit by itself.
    pub force: bool,
    /// Keys of hosted services from the terminal's environment, to release what an earlier daemon left there.
    #[serde(skip_serializing_if = "SecretVariables::is_empty")]
    pub keys: SecretVariables,
}

/// The answer to `POST /disconnect`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(default, rename_all = "camelCase")]
pub struct Disconnected {
    /// Whether the browser was ours and has been closed. If false, it was only attached and keeps running.
    pub closed: bool,
    /// Whether no browser was open, and there were only sessions to release.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub none_open: bool,
    /// How many sessions on other machines were released that were still there.
    #[serde(skip_serializing_if = "is_zero")]
    pub released: usize,
    /// The sessions on other machines that could not be released.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<UnreleasedSession>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// One line of the answer to `POST /connect`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConnectLine {
    /// A step ended; includes its duration.
    Step {
        name: String,
        detail: String,
        millis: u64,
    },
    /// Information for the person: `--no-sandbox`, no display.
    Notice(String),
    Done(Connected),
    Failed(Fault),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Connected {
    pub mode: String,
    /// Absent if an attached browser does not report it.
    pub browser_pid: Option<u32>,
    /// False if the browser was already open.
    pub started: bool,
    /// Whether the panel has sent `hello`.
    pub panel: bool,
    /// The label of the agent that will answer.
    pub agent: String,
    /// The profile of a browser that gstack started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The name of the browser. Absent for the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// `GET /health`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct Health {
    /// `healthy`, or `no-browser`.
    pub status: String,
    pub version: String,
}

/// `GET /doctor`: every hop, checked now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct Doctor {
    pub hops: Vec<HopState>,
    /// Warnings that block nothing, such as a leftover work tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// `POST /chat`: a message from the terminal. The answer is streamed as [`ChatLine`]s.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChatRequest {
    pub client_id: ClientMessageId,
    pub message: String,
    #[serde(default)]
    pub tab_id: Option<TabId>,
    /// The name of the browser whose current tab it concerns. Absent for the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
    #[serde(default)]
    pub agent: Option<AgentName>,
    /// The model for this message only: `fast`, `deep` or one of the agent's models.
    #[serde(default)]
    pub model: Option<String>,
    /// The agent's mode from this message on. Absent for the conversation's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    #[serde(default)]
    pub cwd: Option<String>,
    /// The terminal's PATH, which is also searched for agents.
    #[serde(default)]
    pub path: Option<String>,
}

/// `POST /agents/look`: reloads the configuration and detects agents again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct LookForAgents {
    /// The terminal's PATH, which is also searched for agents.
    pub path: Option<String>,
}

/// `POST /agents/ask`: asks the default agent one question, during which it has no tools and can do nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AskAlone {
    /// What it is told before the question.
    pub instructions: String,
    /// The question.
    pub prompt: String,
}

/// The answer to `POST /agents/ask`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AskedAlone {
    /// The agent's label.
    pub agent: String,
    /// What it said. Data: nothing has checked it.
    pub text: String,
}

/// One line of the answer to `POST /chat`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChatLine {
    Conversation(Box<ConversationInfo>),
    Event(ChatEvent),
    Delta(ChatDelta),
    /// The message was not accepted, or its answer was interrupted: the terminal read too slowly, or the daemon stopped.
    Failed(Fault),
}

/// A pending approval, as listed by `gstack approvals` and, if a driver asks, shown by panels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingApproval {
    /// For a driver, its own: no conversation of the history has this id.
    pub conversation_id: ConversationId,
    /// Identifies the approval in its answer.
    pub approval_id: ApprovalId,
    /// The driver's name, if no agent of a conversation asks but an MCP client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The tab that it concerns, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The request: `Click “Revoke key”`.
    pub ask: String,
    /// The same text as a code, for translation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub phrase: Option<LocalizedPhrase>,
    /// The host of the page that it concerns.
    pub site: Option<String>,
    /// The command as it would run, on one line: `click @e14`.
    pub does: String,
    /// Why gstack asks although a rule seems to allow it.
    pub why: Option<String>,
    /// The reason as a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_words: Option<Box<FaultWords>>,
    /// Everything that it would do.
    #[serde(default)]
    pub action: Box<ActionRecord>,
    /// What sort of action it is, for its icon.
    pub kind: StepKind,
    /// The possible answers.
    pub choices: Vec<Decision>,
}

/// A pending question of an agent, as listed by `gstack approvals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingQuestion {
    pub conversation_id: ConversationId,
    pub question_id: QuestionId,
    pub parts: Vec<QuestionPart>,
}

/// `GET /approvals`: everything that waits for the person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct WaitingApprovals {
    pub approvals: Vec<WaitingApproval>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<WaitingQuestion>,
}

/// `POST /conversations/open`: opens the conversation in a tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationOpen {
    pub conversation_id: ConversationId,
    /// Absent for the current tab.
    #[serde(default)]
    pub tab_id: Option<TabId>,
}

/// The answer to `POST /conversations/text`: a whole conversation as a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct ConversationText {
    /// A suggested file name.
    pub name: String,
    pub text: String,
}

/// `POST /hand-over`: a newer gstack asks to replace the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct HandOver {
    pub version: String,
    /// The process that asks and then starts the newer daemon: older programs wait for it. `None` from older releases.
    #[serde(default)]
    pub pid: Option<i32>,
}

/// The progress of an upgrade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
pub struct HandingOver {
    /// The number of turns that must finish first.
    pub turns: usize,
    /// The maximum time until the daemon exits.
    pub seconds: u64,
    /// The process that exits. `None` from older releases.
    #[serde(default)]
    pub pid: Option<i32>,
}

/// The answer to `POST /stop`: the daemon exits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Stopping {
    /// The process that exits. `None` from older releases.
    pub pid: Option<i32>,
}

/// `POST /continue`: runs the queued messages of a tab's conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ContinueTurns {
    /// Absent for the current tab.
    pub tab_id: Option<TabId>,
}

/// `POST /stop-turns`: stops the running turn of one tab's conversation, or all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StopTurns {
    pub tab_id: Option<TabId>,
    /// If no tab is given: stops only the current tab's turn instead of all.
    pub current: bool,
}

/// The number of turns stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Stopped {
    pub turns: usize,
}
