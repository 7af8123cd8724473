//! Agents as the panel shows them: those available, and what the others lack.

use super::fault::{Fault, FaultCode, FaultWords};
use super::ids::{AgentName, ConversationId};
use super::sentence::Sentence;
use serde::{Deserialize, Serialize};

/// One agent, with what is known of it on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// The name by which it is chosen.
    pub name: AgentName,
    /// The display name: `Claude Code`.
    pub label: String,
    /// Whether it can be used.
    pub status: AgentStatus,
    /// Whether its program was only found, not started. It is examined when it answers or is shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unexamined: bool,
    /// Its program's version, if it reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The path of its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The problem and its fix; absent if the agent is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// Whether it is used when a conversation names no agent.
    pub default: bool,
    /// False for the built-in agent, which only runs plain commands.
    pub has_model: bool,
    /// The models that it offers, once reported. `fast` and `deep` are always accepted as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelInfo>,
    /// Its modes, once reported. They say whether it asks before it writes a file or runs a command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<ModeInfo>,
    /// Its own slash commands, once reported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<SlashCommand>,
    /// The signed-in account, if reported: an address or a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// A warning for the person before they use the agent, such as an API key that is billed instead of their plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// The warning as a code, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning_words: Option<Box<FaultWords>>,
}

impl AgentInfo {
    /// The initial state, before detection.
    pub fn unknown(name: AgentName, label: &str) -> Self {
        Self {
            name,
            label: label.to_owned(),
            status: AgentStatus::Missing,
            unexamined: false,
            version: None,
            path: None,
            fault: None,
            default: false,
            has_model: true,
            models: Vec::new(),
            modes: Vec::new(),
            commands: Vec::new(),
            account: None,
            warning: None,
            warning_words: None,
        }
    }

    /// Sets a warning that people see before they use the agent.
    pub fn warn(&mut self, warning: Option<Sentence>) {
        let (text, words) = warning.map(FaultWords::of).unzip();
        (self.warning, self.warning_words) = (text, words.flatten());
    }

    /// Sets the status from the result of the checks.
    pub fn settle(&mut self, outcome: Result<(), Fault>) {
        self.fault = outcome.err();
        self.status = match self.fault.as_ref().map(|fault| fault.code) {
            None => AgentStatus::Ready,
            Some(FaultCode::AgentMissing) => AgentStatus::Missing,
            Some(FaultCode::AgentSignedOut) => AgentStatus::SignedOut,
            Some(_) => AgentStatus::Broken,
        };
    }
}

/// A model that an agent offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ModelInfo {
    /// The agent's own name for it, as used in `model`.
    pub id: String,
    /// The model's name, for people.
    pub label: String,
    /// What the model is good for; empty if the agent gives no description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// A mode of an agent, or one that gstack adds: `gstack:read-only`, in which the sandbox keeps the agent from writing in
/// its folder, and `gstack:writes` of an agent without modes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct ModeInfo {
    /// The agent's own id of it, as used in `mode`.
    pub id: String,
    /// The mode's name, for people.
    pub label: String,
    /// What the agent does in it; empty if the agent gives no description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether nothing is written and no command runs unasked, as far as is known of the agent.
    pub asks: bool,
}

/// A slash command of an agent, or of gstack's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SlashCommand {
    /// The name without the slash.
    pub name: String,
    /// What the command does; empty if the agent gives no description.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The arguments that it accepts: `[file]`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

/// The commands that a message of a conversation can begin with, whichever agent it has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Commands {
    /// In the order in which they are offered.
    pub commands: Vec<SlashCommand>,
}

/// Whether an agent can be used, as its last check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AgentStatus {
    /// It can be used.
    Ready,
    /// Its program was not found.
    Missing,
    /// Nobody is signed in.
    SignedOut,
    /// It cannot be used for another reason, which its fault gives.
    Broken,
}

/// `agents.list`: asks for the agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct AgentsList {
    /// Whether to detect agents again instead of returning the known ones.
    #[serde(default)]
    pub refresh: bool,
    /// Whether to examine those that were only found, because a person looks at the list.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub examine: bool,
}

/// The agents of this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Agents {
    /// All agents that gstack knows, usable or not.
    pub agents: Vec<AgentInfo>,
    /// The sandbox of their processes, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxInfo>,
}

/// Whether agents run in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SandboxInfo {
    /// Whether agents run in a sandbox.
    pub in_force: bool,
    /// The mechanism, or what is missing.
    pub detail: String,
    /// The detail as codes, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "for-tests", ts(optional))]
    pub words: Option<Box<FaultWords>>,
}

/// `agents.choose`: sets a conversation's agent, model and mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentsChoose {
    /// The conversation to change.
    pub conversation_id: ConversationId,
    /// Absent for the default agent.
    #[serde(default)]
    pub agent: Option<AgentName>,
    /// `fast`, `deep` or one of the agent's models. If absent, each message chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// One of the agent's modes. If absent, the one in which it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}
