//! The faults of Claude Code, each with its code, message and next step.
//!
//! The one place that maps its errors. Decides by status and kind; by the message only if Claude Code gives neither.

use super::wire::TurnResult;
use crate::faults::{self, ApiTrouble, Program};
use gstack_protocol::catalogue::{self, MessageTemplate, Sentence};
use gstack_protocol::fault::{Fault, FaultCode, Hop};

pub const INSTALL_COMMAND: &str = "npm install -g @anthropic-ai/claude-code";
pub(super) const SIGN_IN_COMMAND: &str = "claude auth login";

pub(super) const LABEL: &str = "Claude Code";
/// The name of its API for people; `COMPANY` provides that API.
pub(super) const API: &str = "Claude";
const COMPANY: &str = "Anthropic";
const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";
pub(super) const PROGRAM: Program<'static> =
    Program { label: LABEL, install: Some(INSTALL_COMMAND), check: "claude --version", sandboxed: false };

pub(super) fn signed_out() -> Fault {
    faults::signed_out(LABEL).command(SIGN_IN_COMMAND)
}

/// Returns the fault for a release that is too old to be confined, and so is not run.
pub(super) fn too_old(version: &str) -> Fault {
    Fault::new(FaultCode::AgentCrashed, catalogue::AGENT_TOO_OLD.with([LABEL, version]))
        .hint(catalogue::AGENT_TOO_OLD_NEXT)
        .command(INSTALL_COMMAND)
        .at(Hop::Agent)
}

/// Returns the fault for a process that ended unexpectedly.
pub(super) fn crashed(how: &str, last_words: Option<&str>) -> Fault {
    faults::crashed(LABEL, how, last_words)
}

pub(super) fn busy() -> Fault {
    faults::busy(LABEL)
}

/// A failed API request, as the wire reports it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ApiFailure<'a> {
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// Claude Code's own name for the failure: `authentication_failed`, `rate_limit`, `overloaded` …
    pub kind: Option<&'a str>,
    /// Signed in with a key from the environment, not with an account.
    pub uses_key: bool,
}

impl ApiFailure<'_> {
    /// Returns the notice for a retry.
    pub(super) fn trying_again(self, attempt: u64, of: u64) -> Sentence {
        let what = match (self.status, self.kind) {
            (Some(529), _) | (_, Some("overloaded")) => catalogue::RETRY_OVERLOADED,
            (Some(429), _) | (_, Some("rate_limit")) => catalogue::RETRY_RATE_LIMIT,
            (Some(401 | 403), _) | (_, Some("authentication_failed")) => catalogue::RETRY_SIGN_IN,
            (Some(_), _) => catalogue::RETRY_FAILED,
            (None, _) => catalogue::RETRY_UNREACHABLE,
        };
        what.with([API]).said(&format!("{attempt}/{of}"))
    }
}

/// Returns the fault for a turn whose result reports a failure.
pub(super) fn of_result(result: &TurnResult, failure: ApiFailure<'_>) -> Fault {
    let said = result.result.as_deref().filter(|text| !text.is_empty());
    let said = said.map(str::to_owned).unwrap_or_else(|| for_persons(&result.errors));
    let trouble = ApiTrouble::from_words(&said);
    let of_it = |message: MessageTemplate, hint: MessageTemplate| faults::api(message.with([LABEL]), &said, hint);
    let of_api = |message: MessageTemplate, hint: MessageTemplate| faults::api(message.with([API]), &said, hint);
    let account =
        |message: MessageTemplate, hint: MessageTemplate| faults::api(message.with([API]), &said, hint.with([COMPANY]));
    match (result.subtype.as_str(), failure.status, failure.kind) {
        ("error_max_turns", ..) => of_it(catalogue::STOPPED_AT_STEPS, catalogue::SAY_GO_ON),
        ("error_max_budget_usd", ..) => of_it(catalogue::STOPPED_AT_COST, catalogue::RAISE_LIMIT),
        (_, Some(401), _) | (_, None, Some("authentication_failed")) if !failure.uses_key => signed_out(),
        (_, Some(401), _) | (_, _, Some("authentication_failed")) => {
            faults::api(catalogue::API_KEY.with([API]), &said, catalogue::API_KEY_VARIABLE.with([KEY_VARIABLE]))
        }
        (_, Some(402), _) | (_, _, Some("billing_error")) => {
            account(catalogue::API_BILLING, catalogue::API_BILLING_NEXT)
        }
        (_, Some(403), _) => account(catalogue::API_ACCESS, catalogue::API_ACCESS_NEXT),
        (_, Some(404), _) | (_, _, Some("model_not_found")) => {
            faults::api(catalogue::MODEL_NOT_AVAILABLE.into(), &said, catalogue::CHOOSE_ANOTHER_MODEL)
        }
        (_, Some(429), _) | (_, _, Some("rate_limit")) => {
            of_api(catalogue::API_USAGE_LIMIT, catalogue::API_USAGE_LIMIT_NEXT)
        }
        (_, Some(529), _) | (_, _, Some("overloaded")) => of_api(catalogue::API_OVERLOADED, catalogue::TRY_IN_A_MINUTE),
        (_, Some(500..=599), _) => of_api(catalogue::API_FAILED, catalogue::TRY_IN_A_MINUTE),
        (_, Some(_), _) => of_api(catalogue::API_REFUSED, catalogue::TRY_OR_NEW_CHAT),
        // It failed mid-stream, or there was no response: the kind is `unknown` or `server_error` for both.
        (_, None, Some(_)) => match trouble {
            Some(ApiTrouble::Overloaded) => of_api(catalogue::API_OVERLOADED, catalogue::TRY_IN_A_MINUTE),
            Some(ApiTrouble::RateLimit) => of_api(catalogue::API_USAGE_LIMIT, catalogue::API_USAGE_LIMIT_NEXT),
            Some(ApiTrouble::SignIn) => faults::api(
                catalogue::API_SIGN_IN.with([API]),
                &said,
                catalogue::API_SIGN_IN_VARIABLE.with([KEY_VARIABLE]),
            ),
            Some(ApiTrouble::Network) => faults::api(
                catalogue::API_UNREACHABLE.with([API]),
                &said,
                catalogue::CHECK_NETWORK_VARIABLE.with(["ANTHROPIC_BASE_URL"]),
            ),
            None => of_api(catalogue::API_FAILED, catalogue::TRY_IN_A_MINUTE),
        },
        // The stream broke off, and so did the request with which it goes on (since 2.1.332).
        (_, None, None) if said.is_empty() && result.stop_reason == Some(None) => {
            Fault::new(FaultCode::AgentError, catalogue::ANSWER_MAY_BE_INCOMPLETE)
                .hint(catalogue::SAY_GO_ON)
                .at(Hop::Agent)
        }
        (_, None, None) => of_it(catalogue::AGENT_ERROR, catalogue::TRY_OR_NEW_CHAT),
    }
}

/// Joins its errors, except those meant for its own developers.
fn for_persons(errors: &[String]) -> String {
    let kept: Vec<&str> =
        errors.iter().map(String::as_str).filter(|error| !error.starts_with("[ede_diagnostic]")).collect();
    kept.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::{ApiFailure, of_result};
    use crate::claude::wire::TurnResult;
    use gstack_protocol::fault::FaultCode;

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
        assert_eq!(message("unknown", "API Error: Overloaded"), "Claude's API is overloaded (API Error: Overloaded)");
        assert!(message("unknown", "API Error: Internal server error").starts_with("Claude's API failed"));
        assert!(message("server_error", "API Error: Connection closed mid-response.").contains("can't be reached"));
        assert!(message("unknown", "API Error: Rate limit exceeded").contains("usage limit"));
        assert!(message("authentication_failed", "Invalid API key").contains("refused the key"));
        let errors = vec!["[ede_diagnostic] stop_reason=null".to_owned()];
        let result = TurnResult { is_error: true, errors, ..TurnResult::default() };
        assert_eq!(of_result(&result, ApiFailure::default()).message, "Claude Code reported an error");
    }
}
