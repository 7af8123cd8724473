//! The control protocol: Claude Code's requests to its host, and its answer to `initialize`.
//!
//! Owns only these types.

use crate::adapter::Offers;
use gstack_protocol::agents::{ModelInfo, SlashCommand};
use serde::Deserialize;
use serde_json::Value;

/// A request of Claude Code to its host.
#[derive(Debug, Deserialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub(crate) enum ControlRequest {
    CanUseTool(CanUseTool),
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CanUseTool {
    pub tool_name: String,
    #[serde(default)]
    pub input: Value,
    #[serde(default)]
    pub tool_use_id: Option<String>,
    #[serde(default)]
    pub decision_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ControlResponse {
    #[serde(default)]
    pub subtype: String,
    #[serde(default)]
    pub request_id: String,
    #[serde(default)]
    pub response: Option<Initialized>,
    #[serde(default)]
    pub error: Option<String>,
}

/// The parts of the answer to `initialize` that are used. Other answers have none of them.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Initialized {
    #[serde(default)]
    pub account: Option<Account>,
    #[serde(default)]
    pub commands: Option<Vec<Command>>,
    #[serde(default)]
    pub models: Option<Vec<Model>>,
}

/// A slash command.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Command {
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub argument_hint: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    /// The name that `set_model` takes.
    pub value: String,
    #[serde(default)]
    pub display_name: String,
    #[serde(default)]
    pub description: String,
}

impl Initialized {
    pub(crate) fn offers(self) -> Offers {
        let command = |command: Command| SlashCommand {
            name: command.name,
            description: command.description,
            hint: command.argument_hint,
        };
        let model =
            |model: Model| ModelInfo { id: model.value, label: model.display_name, description: model.description };
        Offers {
            models: self.models.map(|models| models.into_iter().map(model).collect()),
            modes: None,
            commands: self.commands.map(|commands| commands.into_iter().map(command).collect()),
            account: self.account.and_then(|account| account.email.or(account.subscription_type)),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Account {
    #[serde(default)]
    pub email: Option<String>,
    #[serde(default, rename = "tokenSource")]
    pub token_source: Option<String>,
    #[serde(default, rename = "apiKeySource")]
    pub api_key_source: Option<String>,
    #[serde(default, rename = "apiProvider")]
    pub api_provider: Option<String>,
    #[serde(default, rename = "subscriptionType")]
    pub subscription_type: Option<String>,
}

impl Account {
    /// Returns true only if it says so: an account without details may be a newer kind of sign-in.
    pub(crate) fn is_signed_out(&self) -> bool {
        let none = |source: &Option<String>| source.as_deref().is_none_or(|source| source == "none");
        let anthropic = self.api_provider.as_deref().is_none_or(|provider| provider == "firstParty");
        let told = self.token_source.as_deref() == Some("none");
        told && anthropic && self.email.is_none() && none(&self.api_key_source)
    }
}

#[cfg(test)]
mod tests {
    use super::Account;

    #[test]
    fn signed_out_is_only_what_says_so() {
        let account = |text: &str| serde_json::from_str::<Account>(text).unwrap().is_signed_out();
        assert!(account(r#"{"tokenSource":"none","apiProvider":"firstParty"}"#));
        assert!(!account(r#"{"tokenSource":"none","apiKeySource":"ANTHROPIC_API_KEY","apiProvider":"firstParty"}"#));
        assert!(!account(r#"{"tokenSource":"none","apiProvider":"bedrock"}"#));
        assert!(!account("{}"));
    }
}
