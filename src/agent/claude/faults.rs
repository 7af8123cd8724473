//! What can go wrong with Claude Code, each with its code, words and next step.
//!
//! The one place that maps its errors. Decides by status and kind; by words only where Claude Code tells neither.

use super::wire::TurnResult;
use crate::agent::faults::{self, ApiTrouble, Program};
use crate::protocol::fault::{Fault, FaultCode, Hop};

pub const INSTALL_COMMAND: &str = "npm install -g @anthropic-ai/claude-code";
pub const SIGN_IN_COMMAND: &str = "claude auth login";

const LABEL: &str = "Claude Code";
pub const PROGRAM: Program<'static> =
    Program { label: LABEL, install: Some(INSTALL_COMMAND), check: "claude --version" };

pub fn signed_out() -> Fault {
    Fault::new(FaultCode::AgentSignedOut, "Claude Code is not signed in.")
        .hint("Sign in in a terminal, then send the message again.")
        .command(SIGN_IN_COMMAND)
        .at(Hop::Agent)
}

/// Too old to be confined: it is not run at all.
pub fn too_old(version: &str) -> Fault {
    Fault::new(FaultCode::AgentCrashed, format!("Claude Code ({version}) is too old for gstack."))
        .hint("Update it: this release can't be kept from running shell commands.")
        .command(INSTALL_COMMAND)
        .at(Hop::Agent)
}

/// Its process ended when it should not have.
pub fn crashed(how: &str, last_words: Option<&str>) -> Fault {
    faults::crashed(LABEL, how, last_words)
}

pub fn busy() -> Fault {
    faults::busy(LABEL)
}

/// How an API request failed: what the wire says about it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApiFailure<'a> {
    /// HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// Claude Code's own name of it: `authentication_failed`, `rate_limit`, `overloaded` …
    pub kind: Option<&'a str>,
    /// It signs in with a key from the environment (else with an account).
    pub uses_key: bool,
}

impl ApiFailure<'_> {
    /// A line for while it tries again.
    pub fn trying_again(self, attempt: u64, of: u64) -> String {
        let what = match (self.status, self.kind) {
            (Some(529), _) | (_, Some("overloaded")) => "Claude's API is overloaded",
            (Some(429), _) | (_, Some("rate_limit")) => "Claude's rate limit is reached",
            (Some(401 | 403), _) | (_, Some("authentication_failed")) => "Claude's API refused the sign-in",
            (Some(_), _) => "Claude's API failed",
            (None, _) => "Claude's API gave no answer",
        };
        format!("{what}; trying again ({attempt} of {of}).")
    }
}

/// The fault of a turn whose result says that it failed.
pub fn of_result(result: &TurnResult, failure: ApiFailure<'_>) -> Fault {
    let said = result.result.as_deref().filter(|text| !text.is_empty());
    let said = said.map(str::to_owned).unwrap_or_else(|| told(&result.errors));
    let trouble = ApiTrouble::from_words(&said);
    let error = |message: &str, hint: &str| faults::api(message, &said, hint);
    match (result.subtype.as_str(), failure.status, failure.kind) {
        ("error_max_turns", ..) => {
            error("Claude Code stopped at its limit of steps.", "Send “go on” to let it continue.")
        }
        ("error_max_budget_usd", ..) => error("Claude Code stopped at its cost limit.", "Raise the limit to go on."),
        (_, Some(401), _) | (_, None, Some("authentication_failed")) if !failure.uses_key => signed_out(),
        (_, Some(401), _) | (_, _, Some("authentication_failed")) => {
            error("Claude's API refused the key.", "Check ANTHROPIC_API_KEY in your shell's start-up files.")
        }
        (_, Some(402), _) | (_, _, Some("billing_error")) => {
            error("Claude's API refused: billing.", "Check the credit and plan of your Anthropic account.")
        }
        (_, Some(403), _) => error("Claude's API refused access.", "Check what your Anthropic account may use."),
        (_, Some(404), _) | (_, _, Some("model_not_found")) => {
            error("The chosen model is not available.", "Choose another model.")
        }
        (_, Some(429), _) | (_, _, Some("rate_limit")) => {
            error("Claude's usage limit is reached.", "Wait until it resets, or choose another model.")
        }
        (_, Some(529), _) | (_, _, Some("overloaded")) => {
            error("Claude's API is overloaded.", "Try again in a minute.")
        }
        (_, Some(500..=599), _) => error("Claude's API failed.", "Try again in a minute."),
        (_, Some(_), _) => error("Claude's API refused the request.", "Try again, or start a new chat."),
        // It failed in mid-stream, or there was no answer: the kind is `unknown` or `server_error` for both.
        (_, None, Some(_)) => match trouble {
            Some(ApiTrouble::Overloaded) => error("Claude's API is overloaded.", "Try again in a minute."),
            Some(ApiTrouble::RateLimit) => {
                error("Claude's usage limit is reached.", "Wait until it resets, or choose another model.")
            }
            Some(ApiTrouble::SignIn) => {
                error("Claude's API refused the sign-in.", "Check ANTHROPIC_API_KEY, or sign in again.")
            }
            Some(ApiTrouble::Network) => error(
                "Claude's API can't be reached.",
                "Check the network, a proxy or ANTHROPIC_BASE_URL, then try again.",
            ),
            None => error("Claude's API failed.", "Try again in a minute."),
        },
        (_, None, None) => error("Claude Code reported an error.", "Try again, or start a new chat."),
    }
}

/// Its errors without those that it tells its own developers.
fn told(errors: &[String]) -> String {
    let for_persons: Vec<&str> =
        errors.iter().map(String::as_str).filter(|error| !error.starts_with("[ede_diagnostic]")).collect();
    for_persons.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::{ApiFailure, of_result};
    use crate::agent::claude::wire::TurnResult;
    use crate::protocol::fault::FaultCode;

    #[test]
    fn sign_in_and_key_are_told_apart() {
        let result = TurnResult { is_error: true, result: Some("said".into()), ..TurnResult::default() };
        let fault =
            |status, uses_key| of_result(&result, ApiFailure { status, kind: Some("authentication_failed"), uses_key });
        assert_eq!(fault(None, false).code, FaultCode::AgentSignedOut);
        assert_eq!(fault(Some(401), false).code, FaultCode::AgentSignedOut);
        let key = fault(Some(401), true);
        assert_eq!(key.code, FaultCode::AgentError);
        assert!(key.hint.unwrap().contains("ANTHROPIC_API_KEY") && key.message.ends_with("(said)"));
    }

    #[test]
    fn an_answer_that_broke_off_is_told_by_its_own_kind() {
        let message = |kind, said: &str| {
            let result = TurnResult { is_error: true, result: Some(said.into()), ..TurnResult::default() };
            of_result(&result, ApiFailure { status: None, kind: Some(kind), uses_key: true }).message
        };
        assert_eq!(message("unknown", "API Error: Overloaded"), "Claude's API is overloaded. (API Error: Overloaded)");
        assert!(message("unknown", "API Error: Internal server error").starts_with("Claude's API failed."));
        assert!(message("server_error", "API Error: Connection closed mid-response.").contains("can't be reached"));
        assert!(message("unknown", "API Error: Rate limit exceeded").contains("usage limit"));
        assert!(message("authentication_failed", "Invalid API key").contains("refused the key"));
        let errors = vec!["[ede_diagnostic] stop_reason=null".to_owned()];
        let result = TurnResult { is_error: true, errors, ..TurnResult::default() };
        assert_eq!(of_result(&result, ApiFailure::default()).message, "Claude Code reported an error.");
    }
}
