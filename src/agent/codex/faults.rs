//! The faults of Codex, each with its code, message and next step.
//!
//! Decides by the kind and the status that Codex reports; by the message only if it reports neither.

use super::wire::TurnError;
use crate::clip::one_line;
use crate::faults::{self, ApiTrouble, LONGEST_TOLD, Program, api, said_by_api};
use gstack_protocol::catalogue::{self, MessageTemplate, Sentence};
use gstack_protocol::fault::{Fault, FaultCode, Hop};

pub(super) const INSTALL_COMMAND: &str = "npm install -g @openai/codex";
pub(super) const SIGN_IN_COMMAND: &str = "codex login";
pub(super) const PROGRAM: Program<'static> =
    Program { label: LABEL, install: Some(INSTALL_COMMAND), check: "codex --version", sandboxed: false };

pub(super) const LABEL: &str = "Codex";
/// The provider of its API.
const API: &str = "OpenAI";

pub(super) fn signed_out() -> Fault {
    faults::signed_out(LABEL).command(SIGN_IN_COMMAND)
}

pub(super) fn own_model_unknown() -> Fault {
    faults::own_model_unknown(LABEL)
}

/// Returns the fault if its file rules cannot be enforced, in which case it is not run.
pub(super) fn unconfined() -> Fault {
    Fault::new(FaultCode::AgentCrashed, catalogue::AGENT_UNCONFINED.with([LABEL]))
        .hint(catalogue::AGENT_UNCONFINED_NEXT)
        .command(INSTALL_COMMAND)
        .at(Hop::Agent)
}

/// Returns the notice for a retry.
pub(super) fn trying_again(error: &TurnError) -> Sentence {
    let what = match (error.kind(), error.status()) {
        ("serverOverloaded", _) => catalogue::RETRY_OVERLOADED,
        ("rateLimitExceeded" | "usageLimitExceeded", _) | (_, Some(429)) => catalogue::RETRY_RATE_LIMIT,
        ("unauthorized", _) | (_, Some(401 | 403)) => catalogue::RETRY_SIGN_IN,
        (_, Some(_)) => catalogue::RETRY_FAILED,
        (_, None) => catalogue::RETRY_UNREACHABLE,
    };
    what.with(["OpenAI"])
}

/// Returns the fault for a failed turn. `uses_key`: signed in with a key, not with an account.
pub(super) fn of_turn(error: &TurnError, uses_key: bool) -> Fault {
    let said = one_line(&said_by_api(&error.message), LONGEST_TOLD);
    let trouble = ApiTrouble::from_words(&said);
    let of_api = |message: MessageTemplate, hint: MessageTemplate| api(message.with([API]), &said, hint);
    let of_it = |message: MessageTemplate, hint: Sentence| api(message.with([LABEL]), &said, hint);
    match (error.kind(), error.status()) {
        ("unauthorized", _) | (_, Some(401)) if !uses_key => signed_out(),
        ("unauthorized", _) | (_, Some(401)) => {
            api(catalogue::API_KEY.with([API]), &said, catalogue::API_KEY_COMMAND.with([SIGN_IN_COMMAND]))
        }
        (_, Some(403)) => api(catalogue::API_ACCESS.with([API]), &said, catalogue::API_ACCESS_NEXT.with([API])),
        ("usageLimitExceeded" | "rateLimitExceeded" | "sessionBudgetExceeded", _) | (_, Some(429)) => {
            of_api(catalogue::API_USAGE_LIMIT, catalogue::API_USAGE_LIMIT_NEXT)
        }
        ("modelNotFound", _) | (_, Some(404)) => {
            api(catalogue::MODEL_NOT_AVAILABLE.into(), &said, catalogue::CHOOSE_ANOTHER_MODEL)
        }
        ("contextWindowExceeded", _) => api(catalogue::CONTEXT_FULL.into(), &said, catalogue::CONTEXT_FULL_NEXT),
        ("serverOverloaded", _) | (_, Some(503)) => of_api(catalogue::API_OVERLOADED, catalogue::TRY_IN_A_MINUTE),
        (_, Some(500..=599)) | ("internalServerError", _) => of_api(catalogue::API_FAILED, catalogue::TRY_IN_A_MINUTE),
        (
            "httpConnectionFailed"
            | "responseStreamConnectionFailed"
            | "responseStreamDisconnected"
            | "responseTooManyFailedAttempts",
            None,
        ) if matches!(trouble, None | Some(ApiTrouble::Network)) => {
            of_api(catalogue::API_UNREACHABLE, catalogue::CHECK_NETWORK)
        }
        ("badRequest", _) | (_, Some(_)) => of_api(catalogue::API_REFUSED, catalogue::TRY_OR_NEW_CHAT),
        ("sandboxError", _) => of_it(catalogue::AGENT_SANDBOX, catalogue::AGENT_SANDBOX_NEXT.with(["codex sandbox"])),
        _ if trouble == Some(ApiTrouble::Overloaded) => of_api(catalogue::API_OVERLOADED, catalogue::TRY_IN_A_MINUTE),
        _ if trouble == Some(ApiTrouble::RateLimit) => {
            of_api(catalogue::API_USAGE_LIMIT, catalogue::API_USAGE_LIMIT_NEXT)
        }
        _ if trouble == Some(ApiTrouble::Network) => of_api(catalogue::API_UNREACHABLE, catalogue::CHECK_NETWORK),
        _ => of_it(catalogue::AGENT_ERROR, catalogue::TRY_OR_NEW_CHAT.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{of_turn, trying_again};
    use crate::codex::wire::TurnError;
    use gstack_protocol::fault::FaultCode;
    use serde_json::json;

    #[test]
    fn kinds_and_statuses_are_told_apart() {
        let error =
            |info| TurnError { message: r#"{"error":{"message":"said"}}"#.to_owned(), codex_error_info: Some(info) };
        let stream = |status| error(json!({"responseStreamDisconnected": {"httpStatusCode": status}}));
        assert_eq!(of_turn(&error(json!("unauthorized")), false).code, FaultCode::AgentSignedOut);
        let key = of_turn(&error(json!("unauthorized")), true);
        assert_eq!((key.code, key.message.as_str()), (FaultCode::AgentError, "OpenAI's API refused the key (said)"));
        assert!(of_turn(&stream(json!(429)), true).message.contains("usage limit"));
        assert!(of_turn(&stream(json!(null)), true).message.contains("can't be reached"));
        let overloaded =
            |info| TurnError { message: "stream disconnected: Overloaded".to_owned(), codex_error_info: Some(info) };
        for info in [json!("other"), json!({"responseStreamDisconnected": {"httpStatusCode": null}})] {
            assert!(of_turn(&overloaded(info), true).message.contains("API is overloaded"));
        }
        assert!(trying_again(&error(json!("serverOverloaded"))).contains("overloaded"));
        assert!(of_turn(&error(json!({"newer": 1})), true).message.contains("reported an error"));
    }
}
