//! The messages of Codex's app-server, parsed leniently.
//!
//! Owns the types. Ignores unknown methods, item types and fields: that program is updated far more often than this
//! one. Never interprets messages. Source: `codex app-server generate-ts`.

mod answers;
mod items;
mod requests;

pub(crate) use answers::{AccountRead, Models, ThreadStarted, TurnAccepted};
#[cfg(test)]
pub(crate) use items::FileUpdateKind;
pub(crate) use items::{FileUpdate, Item};
pub(crate) use requests::{
    CommandApproval, FileApproval, PermissionsApproval, Question, QuestionOption, Questions, Request,
};

use crate::rpc::message::read;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A notification from the app-server.
#[derive(Debug)]
pub(super) enum Notification {
    TurnStarted(OfTurn),
    TurnCompleted(OfTurn),
    ItemStarted(OfItem),
    ItemCompleted(OfItem),
    TextDelta(Delta),
    /// A summary of the reasoning, or the reasoning itself.
    ThinkingDelta(Delta),
    /// Another part of the reasoning starts.
    ThinkingPart(Delta),
    PlanUpdated(PlanUpdated),
    TokenUsage(TokenUsageUpdated),
    RateLimits(RateLimitsUpdated),
    Error(ErrorTold),
    /// A request to the person is settled: answered or withdrawn.
    RequestResolved(RequestResolved),
    McpStartup(McpStartup),
    Compacted,
    Rerouted(Rerouted),
    /// Known, but not relevant to a conversation.
    Ignored,
}

/// Notifications without visible content.
const IGNORED: [&str; 16] = [
    "thread/started",
    "thread/status/changed",
    "thread/settings/updated",
    "thread/name/updated",
    "turn/diff/updated",
    "item/commandExecution/outputDelta",
    "item/commandExecution/terminalInteraction",
    "item/fileChange/outputDelta",
    "item/fileChange/patchUpdated",
    "item/mcpToolCall/progress",
    "remoteControl/status/changed",
    "configWarning",
    "warning",
    "skills/changed",
    "account/updated",
    "deprecationNotice",
];

impl Notification {
    /// Parses a notification; `None` if its method or format is unknown.
    pub(super) fn parse(method: &str, params: &RawValue) -> Option<Self> {
        Some(match method {
            "turn/started" => Self::TurnStarted(read(params, method)?),
            "turn/completed" => Self::TurnCompleted(read(params, method)?),
            "item/started" => Self::ItemStarted(read(params, method)?),
            "item/completed" => Self::ItemCompleted(read(params, method)?),
            "item/agentMessage/delta" => Self::TextDelta(read(params, method)?),
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => {
                Self::ThinkingDelta(read(params, method)?)
            }
            "item/reasoning/summaryPartAdded" => Self::ThinkingPart(read(params, method)?),
            "turn/plan/updated" => Self::PlanUpdated(read(params, method)?),
            "thread/tokenUsage/updated" => Self::TokenUsage(read(params, method)?),
            "account/rateLimits/updated" => Self::RateLimits(read(params, method)?),
            "error" => Self::Error(read(params, method)?),
            "serverRequest/resolved" => Self::RequestResolved(read(params, method)?),
            "mcpServer/startupStatus/updated" => Self::McpStartup(read(params, method)?),
            "thread/compacted" => Self::Compacted,
            "model/rerouted" => Self::Rerouted(read(params, method)?),
            other if IGNORED.contains(&other) => Self::Ignored,
            _ => return None,
        })
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct OfTurn {
    pub turn: WireTurn,
}

#[derive(Debug, Deserialize)]
pub(super) struct WireTurn {
    #[serde(default)]
    pub id: String,
    /// `inProgress`, `completed`, `interrupted`, `failed`
    #[serde(default)]
    pub status: String,
    #[serde(default)]
    pub error: Option<TurnError>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TurnError {
    #[serde(default)]
    pub message: String,
    /// A name, or an object whose only field has that name.
    #[serde(default)]
    pub codex_error_info: Option<Value>,
}

impl TurnError {
    /// Returns the name of the error, or `other` if it has none.
    pub(super) fn kind(&self) -> &str {
        match &self.codex_error_info {
            Some(Value::String(name)) => name,
            Some(Value::Object(fields)) => fields.keys().next().map_or("other", String::as_str),
            _ => "other",
        }
    }

    /// Returns the HTTP status behind the error, if there was a response.
    pub(super) fn status(&self) -> Option<u16> {
        let fields = self.codex_error_info.as_ref()?.as_object()?;
        fields.values().next()?.get("httpStatusCode")?.as_u64()?.try_into().ok()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorTold {
    pub error: TurnError,
    #[serde(default, rename = "willRetry")]
    pub will_retry: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct OfItem {
    pub item: Item,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Delta {
    #[serde(default)]
    pub item_id: String,
    #[serde(default)]
    pub delta: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct PlanUpdated {
    #[serde(default)]
    pub plan: Vec<PlanStep>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PlanStep {
    #[serde(default)]
    pub step: String,
    /// `pending`, `inProgress`, `completed`
    #[serde(default)]
    pub status: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenUsageUpdated {
    pub token_usage: TokenUsage,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenUsage {
    /// The usage of the whole thread.
    #[serde(default)]
    pub total: Tokens,
    /// The usage of the newest request.
    #[serde(default)]
    pub last: Tokens,
    #[serde(default)]
    pub model_context_window: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Tokens {
    pub total_tokens: u64,
    /// Includes the cached tokens.
    pub input_tokens: u64,
    pub cached_input_tokens: u64,
    pub output_tokens: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RateLimitsUpdated {
    pub rate_limits: RateLimits,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RateLimits {
    #[serde(default)]
    pub primary: Option<RateLimitWindow>,
    #[serde(default)]
    pub secondary: Option<RateLimitWindow>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RateLimitWindow {
    #[serde(default)]
    pub used_percent: f64,
    /// In seconds since 1970.
    #[serde(default)]
    pub resets_at: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestResolved {
    pub request_id: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct McpStartup {
    #[serde(default)]
    pub name: String,
    /// `starting`, `ready`, `failed`, `cancelled`
    #[serde(default)]
    pub status: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rerouted {
    #[serde(default)]
    pub to_model: String,
}
