//! The messages of ACP v1, parsed leniently.
//!
//! Owns the types. Ignores unknown updates, kinds and fields: agents send more than the protocol defines, and none of
//! it may end a session. Never interprets messages. Source: agentclientprotocol.com, schema v1.

use crate::rpc::content::Content;
use crate::rpc::message::read;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

pub(super) const PROTOCOL_VERSION: u64 = 1;
/// The error code of an agent that needs a person to sign in first.
pub(super) const AUTH_REQUIRED: i64 = -32000;

/// The answer to `initialize`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Initialized {
    pub protocol_version: u64,
    #[serde(deserialize_with = "lenient")]
    pub agent_capabilities: Capabilities,
    #[serde(deserialize_with = "lenient")]
    pub agent_info: Option<AgentTold>,
    #[serde(deserialize_with = "lenient_list")]
    pub auth_methods: Vec<AuthMethod>,
}

/// A way to sign in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct AuthMethod {
    pub id: String,
    pub name: String,
    #[serde(deserialize_with = "lenient")]
    pub description: String,
    /// `agent` if absent; else it needs a variable or a terminal.
    #[serde(rename = "type", deserialize_with = "lenient")]
    pub kind: Option<String>,
    /// For ways that need something of the client, such as a key.
    #[serde(rename = "_meta", deserialize_with = "lenient")]
    pub meta: Map<String, Value>,
}

impl AuthMethod {
    /// Returns whether `authenticate` with its id is enough.
    pub(super) fn is_by_agent(&self) -> bool {
        let needs_client = ["api-key", "gateway", "terminal-auth"].iter().any(|what| self.meta.contains_key(*what));
        let is_by_agent = self.kind.as_deref().is_none_or(|kind| kind == "agent");
        is_by_agent && !needs_client && !self.id.is_empty() && !self.name.is_empty()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Capabilities {
    #[serde(deserialize_with = "lenient")]
    pub load_session: bool,
    #[serde(deserialize_with = "lenient")]
    pub prompt_capabilities: PromptCapabilities,
    #[serde(deserialize_with = "lenient")]
    pub mcp_capabilities: McpCapabilities,
    #[serde(deserialize_with = "lenient")]
    pub session_capabilities: SessionCapabilities,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PromptCapabilities {
    pub image: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct McpCapabilities {
    #[serde(deserialize_with = "lenient")]
    pub http: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SessionCapabilities {
    /// Present if a session can be resumed without sending its history again.
    pub resume: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AgentTold {
    pub version: Option<String>,
}

/// The answer to `session/new`, `session/load` and `session/resume`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SessionBegun {
    #[serde(deserialize_with = "lenient")]
    pub session_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub models: Option<Models>,
    #[serde(deserialize_with = "lenient")]
    pub modes: Option<SessionModes>,
    #[serde(deserialize_with = "lenient_list")]
    pub config_options: Vec<ConfigOption>,
}

/// Reads a field whose value may be null or of another type. Such a value counts as absent: one field must not cost the
/// rest of its message.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(deserializer: D) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).unwrap_or_default())
}

/// Reads a list in the same way, and leaves out the elements that cannot be read.
fn lenient_list<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let elements: Vec<Value> = lenient(deserializer)?;
    Ok(elements.into_iter().filter_map(|element| serde_json::from_value(element).ok()).collect())
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Models {
    #[serde(deserialize_with = "lenient_list")]
    pub available_models: Vec<Model>,
    #[serde(deserialize_with = "lenient")]
    pub current_model_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SessionModes {
    #[serde(deserialize_with = "lenient_list")]
    pub available_modes: Vec<SessionMode>,
    #[serde(deserialize_with = "lenient")]
    pub current_mode_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SessionMode {
    pub id: String,
    #[serde(default, deserialize_with = "lenient")]
    pub name: String,
    #[serde(default, deserialize_with = "lenient")]
    pub description: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Model {
    pub model_id: String,
    pub name: String,
    pub description: Option<String>,
}

/// A setting of a session, the model and the mode among them.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ConfigOption {
    pub id: String,
    #[serde(deserialize_with = "lenient")]
    pub category: Option<String>,
    pub current_value: Value,
    #[serde(deserialize_with = "choices")]
    pub options: Vec<ConfigChoice>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ConfigChoice {
    pub value: String,
    #[serde(default, deserialize_with = "lenient")]
    pub name: String,
    #[serde(default, deserialize_with = "lenient")]
    pub description: Option<String>,
}

/// Reads the choices of an option, which may be in groups.
fn choices<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ConfigChoice>, D::Error> {
    let elements: Vec<Value> = lenient(deserializer)?;
    let flat = elements.into_iter().flat_map(|mut element| match element.get_mut("options").map(Value::take) {
        Some(Value::Array(of_group)) => of_group,
        _ => vec![element],
    });
    Ok(flat.filter_map(|choice| serde_json::from_value(choice).ok()).collect())
}

#[derive(Debug, Deserialize)]
struct Updated {
    update: Box<RawValue>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UpdateKind {
    session_update: String,
}

/// An update of a session.
#[derive(Debug)]
pub(super) enum Update {
    Message(Chunk),
    Thought(Chunk),
    ToolCall(Box<ToolCall>),
    Plan(Plan),
    Commands(Commands),
    Usage(UsageUpdate),
    /// The session is in another mode.
    Mode(String),
    /// All settings of the session, one of which changed.
    Config(Vec<ConfigOption>),
    /// The turn has failed. Its end does not say so.
    Failed,
    /// Known, but not relevant to a conversation.
    Ignored,
}

const IGNORED: [&str; 2] = ["user_message_chunk", "current_model_update"];

#[derive(Debug, Deserialize)]
struct SessionInfo {
    #[serde(rename = "_meta", default)]
    meta: Value,
}

impl SessionInfo {
    /// Returns whether codex-acp says here that its API refused a request or can't be reached (seen with 2.6.0). It then sends the
    /// reason as a message and ends the turn like any other.
    fn has_failed(&self) -> bool {
        self.meta.pointer("/codex/threadStatus/type").is_some_and(|status| status == "systemError")
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModeUpdate {
    current_mode_id: String,
}

/// The settings of a session: an update, or the answer to `session/set_config_option`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ConfigUpdate {
    #[serde(deserialize_with = "lenient_list")]
    pub config_options: Vec<ConfigOption>,
}

impl Update {
    /// Parses an update; `None` if its kind or format is unknown.
    pub(super) fn parse(params: &RawValue) -> Option<Self> {
        let Updated { update } = read(params, "session/update")?;
        let UpdateKind { session_update: kind } = read(&update, "session/update")?;
        Some(match kind.as_str() {
            "agent_message_chunk" => Self::Message(read(&update, &kind)?),
            "agent_thought_chunk" => Self::Thought(read(&update, &kind)?),
            "tool_call" | "tool_call_update" => Self::ToolCall(Box::new(read(&update, &kind)?)),
            "plan" => Self::Plan(read(&update, &kind)?),
            "available_commands_update" => Self::Commands(read(&update, &kind)?),
            "usage_update" => Self::Usage(read(&update, &kind)?),
            "current_mode_update" => Self::Mode(read::<ModeUpdate>(&update, &kind)?.current_mode_id),
            "config_option_update" => Self::Config(read::<ConfigUpdate>(&update, &kind)?.config_options),
            "session_info_update" => match read::<SessionInfo>(&update, &kind)?.has_failed() {
                true => Self::Failed,
                false => Self::Ignored,
            },
            other if IGNORED.contains(&other) => Self::Ignored,
            _ => return None,
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chunk {
    #[serde(default)]
    pub content: Content,
    #[serde(default)]
    pub message_id: Option<String>,
}

/// A call, or an update of one, which has only the changed fields.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ToolCall {
    pub tool_call_id: String,
    pub title: Option<String>,
    /// `read`, `edit`, `delete`, `move`, `search`, `execute`, `think`, `fetch`, `other` …
    pub kind: Option<String>,
    /// `pending`, `in_progress`, `completed`, `failed`
    pub status: Option<String>,
    pub content: Option<Vec<CallContent>>,
    pub locations: Option<Vec<Location>>,
    pub raw_input: Option<Value>,
    pub raw_output: Option<Value>,
    #[serde(rename = "_meta")]
    pub meta: Option<Value>,
}

impl ToolCall {
    /// Returns whether nothing but its title says what the call does.
    pub(super) fn tells_only_a_title(&self) -> bool {
        self.raw_input.is_none()
            && self.content.as_ref().is_none_or(Vec::is_empty)
            && self.locations.as_ref().is_none_or(Vec::is_empty)
            && self.kind.as_deref().is_none_or(|kind| kind == "other")
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum CallContent {
    Content {
        #[serde(default)]
        content: Content,
    },
    Diff {
        #[serde(default)]
        path: String,
        #[serde(default)]
        new_text: String,
    },
    #[serde(other)]
    Other,
}

impl CallContent {
    /// Creates content that is text.
    pub(super) fn text(text: String) -> Self {
        Self::Content { content: Content::Text { text } }
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Location {
    #[serde(default)]
    pub path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Plan {
    #[serde(default)]
    pub entries: Vec<PlanStep>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PlanStep {
    #[serde(default)]
    pub content: String,
    /// `pending`, `in_progress`, `completed`
    #[serde(default)]
    pub status: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Commands {
    #[serde(default)]
    pub available_commands: Vec<Command>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Command {
    pub name: String,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub input: Option<CommandInput>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CommandInput {
    #[serde(default)]
    pub hint: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct UsageUpdate {
    /// The number of tokens in the context now.
    #[serde(default)]
    pub used: u64,
    /// The size of the context window, in tokens.
    #[serde(default)]
    pub size: u64,
    #[serde(default)]
    pub cost: Option<Cost>,
}

/// The cost of the session.
#[derive(Debug, Deserialize)]
pub(super) struct Cost {
    #[serde(default)]
    pub amount: f64,
    #[serde(default)]
    pub currency: String,
}

/// `session/request_permission`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionRequest {
    #[serde(default)]
    pub options: Vec<PermissionOption>,
    #[serde(default)]
    pub tool_call: ToolCall,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionOption {
    pub option_id: String,
    /// `allow_once`, `allow_always`, `reject_once`, `reject_always`
    #[serde(default)]
    pub kind: String,
}

/// `$/cancel_request`: the agent no longer waits for an answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CancelRequest {
    pub request_id: Value,
}

/// The answer to `session/prompt`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PromptDone {
    /// `end_turn`, `max_tokens`, `max_turn_requests`, `refusal`, `cancelled`
    pub stop_reason: String,
    pub usage: Option<Tokens>,
    #[serde(rename = "_meta")]
    pub meta: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Tokens {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cached_read_tokens: u64,
}

impl PromptDone {
    /// Returns whether the agent reports that its model has written something.
    pub(super) fn has_answer_tokens(&self) -> bool {
        self.tokens().is_some_and(|tokens| tokens.output_tokens > 0)
    }

    /// Returns the turn's token usage. Gemini reports it in a separate field.
    pub(super) fn tokens(&self) -> Option<Tokens> {
        if let Some(usage) = &self.usage {
            let Tokens { input_tokens, output_tokens, cached_read_tokens } = *usage;
            return Some(Tokens { input_tokens, output_tokens, cached_read_tokens });
        }
        let count = self.meta.as_ref()?.pointer("/quota/token_count")?;
        let number = |name: &str| count.get(name).and_then(Value::as_u64).unwrap_or(0);
        Some(Tokens {
            input_tokens: number("input_tokens"),
            output_tokens: number("output_tokens"),
            cached_read_tokens: 0,
        })
    }
}
