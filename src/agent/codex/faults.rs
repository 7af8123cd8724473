//! What can go wrong with Codex, each with its code, words and next step.
//!
//! Decides by the kind and the status that Codex tells; by words only where it tells neither.

use super::wire::TurnError;
use crate::agent::clip::one_line;
use crate::agent::faults::{ApiTrouble, LONGEST_TOLD, Program, api, said_by_api};
use crate::protocol::fault::{Fault, FaultCode, Hop};

pub const INSTALL_COMMAND: &str = "npm install -g @openai/codex";
pub const SIGN_IN_COMMAND: &str = "codex login";
pub const PROGRAM: Program<'static> =
    Program { label: "Codex", install: Some(INSTALL_COMMAND), check: "codex --version" };

pub fn signed_out() -> Fault {
    Fault::new(FaultCode::AgentSignedOut, "Codex is not signed in.")
        .hint("Sign in in a terminal, then send the message again.")
        .command(SIGN_IN_COMMAND)
        .at(Hop::Agent)
}

/// It never said which model it begins with, so only a new process has that one.
pub fn own_model_unknown() -> Fault {
    Fault::new(FaultCode::AgentError, "Codex can't go back to its own model.").at(Hop::Agent)
}

/// Its rules for files could not be made to hold: it is not run at all.
pub fn unconfined() -> Fault {
    Fault::new(FaultCode::AgentCrashed, "This Codex can't be kept from reading credentials.")
        .hint("Update it, and remove `sandbox_mode` from its config.toml: that setting overrides the rules for files.")
        .command(INSTALL_COMMAND)
        .at(Hop::Agent)
}

/// A line for while it tries again.
pub fn trying_again(error: &TurnError) -> String {
    let what = match (error.kind(), error.status()) {
        ("serverOverloaded", _) => "OpenAI's API is overloaded",
        ("rateLimitExceeded" | "usageLimitExceeded", _) | (_, Some(429)) => "OpenAI's rate limit is reached",
        ("unauthorized", _) | (_, Some(401 | 403)) => "OpenAI's API refused the sign-in",
        (_, Some(_)) => "OpenAI's API failed",
        (_, None) => "OpenAI's API can't be reached",
    };
    format!("{what}; trying again.")
}

/// The fault of a turn that failed. `uses_key`: signed in with a key, else with an account.
pub fn of_turn(error: &TurnError, uses_key: bool) -> Fault {
    let said = one_line(&said_by_api(&error.message), LONGEST_TOLD);
    let trouble = ApiTrouble::from_words(&said);
    let error_of = |message: &str, hint: &str| api(message, &said, hint);
    match (error.kind(), error.status()) {
        ("unauthorized", _) | (_, Some(401)) if !uses_key => signed_out(),
        ("unauthorized", _) | (_, Some(401)) => error_of(
            "OpenAI's API refused the key.",
            "Sign in again with `codex login`, or check the key it was given.",
        ),
        (_, Some(403)) => error_of("OpenAI's API refused access.", "Check what your OpenAI account may use."),
        ("usageLimitExceeded" | "rateLimitExceeded" | "sessionBudgetExceeded", _) | (_, Some(429)) => {
            error_of("OpenAI's usage limit is reached.", "Wait until it resets, or choose another model.")
        }
        ("modelNotFound", _) | (_, Some(404)) => {
            error_of("The chosen model is not available.", "Choose another model.")
        }
        ("contextWindowExceeded", _) => {
            error_of("The conversation is too long for the model.", "Start a new chat, or choose another model.")
        }
        ("serverOverloaded", _) | (_, Some(503)) => error_of("OpenAI's API is overloaded.", "Try again in a minute."),
        (_, Some(500..=599)) | ("internalServerError", _) => error_of("OpenAI's API failed.", "Try again in a minute."),
        (
            "httpConnectionFailed"
            | "responseStreamConnectionFailed"
            | "responseStreamDisconnected"
            | "responseTooManyFailedAttempts",
            None,
        ) if matches!(trouble, None | Some(ApiTrouble::Network)) => {
            error_of("OpenAI's API can't be reached.", "Check the network and a proxy, then try again.")
        }
        ("badRequest", _) | (_, Some(_)) => {
            error_of("OpenAI's API refused the request.", "Try again, or start a new chat.")
        }
        ("sandboxError", _) => error_of("Codex's sandbox failed.", "Run `codex sandbox` in a terminal to see why."),
        _ if trouble == Some(ApiTrouble::Overloaded) => {
            error_of("OpenAI's API is overloaded.", "Try again in a minute.")
        }
        _ if trouble == Some(ApiTrouble::RateLimit) => {
            error_of("OpenAI's usage limit is reached.", "Wait until it resets, or choose another model.")
        }
        _ if trouble == Some(ApiTrouble::Network) => {
            error_of("OpenAI's API can't be reached.", "Check the network and a proxy, then try again.")
        }
        _ => error_of("Codex reported an error.", "Try again, or start a new chat."),
    }
}

#[cfg(test)]
mod tests {
    use super::{of_turn, trying_again};
    use crate::agent::codex::wire::TurnError;
    use crate::protocol::fault::FaultCode;
    use serde_json::json;

    #[test]
    fn kinds_and_statuses_are_told_apart() {
        let error =
            |info| TurnError { message: r#"{"error":{"message":"said"}}"#.to_owned(), codex_error_info: Some(info) };
        let stream = |status| error(json!({"responseStreamDisconnected": {"httpStatusCode": status}}));
        assert_eq!(of_turn(&error(json!("unauthorized")), false).code, FaultCode::AgentSignedOut);
        let key = of_turn(&error(json!("unauthorized")), true);
        assert_eq!((key.code, key.message.as_str()), (FaultCode::AgentError, "OpenAI's API refused the key. (said)"));
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
