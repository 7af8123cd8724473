//! What can go wrong with an ACP agent, each with its code, words and next step.
//!
//! Decides by the error's code and kind; by words only where the agent tells neither.

use super::wire::AUTH_REQUIRED;
use crate::agent::faults::{ApiTrouble, api, said_by_api};
use crate::agent::rpc::message::RpcError;
use crate::protocol::fault::{Fault, FaultCode, Hop};
use serde_json::Value;

/// `sign_in`: the command that does it, where it is known.
pub fn signed_out(label: &str, sign_in: Option<&str>) -> Fault {
    let fault = Fault::new(FaultCode::AgentSignedOut, format!("{label} is not signed in."))
        .hint("Sign in in a terminal, then send the message again.")
        .at(Hop::Agent);
    match sign_in {
        Some(command) => fault.command(command),
        None => fault,
    }
}

/// It never said which model it begins with, so only a new process has that one.
pub fn own_model_unknown(label: &str) -> Fault {
    Fault::new(FaultCode::AgentError, format!("{label} can't go back to its own model.")).at(Hop::Agent)
}

/// The fault of a request that the agent refused: agents pass an API's status on as the code, or a kind beside it.
pub fn of_error(label: &str, sign_in: Option<&str>, error: &RpcError) -> Fault {
    let kind = error.data.as_ref().and_then(|data| data.get("errorKind")).and_then(Value::as_str);
    let said = said_by_api(&error.message);
    let told = |message: String, hint: &str| api(&message, &said, hint);
    let trouble = ApiTrouble::from_words(&said);
    match (error.code, kind) {
        (AUTH_REQUIRED, _) => signed_out(label, sign_in),
        (401 | 403, _) | (_, Some("authentication_failed")) => told(
            format!("{label}'s API refused the sign-in."),
            "Check the key in your shell's start-up files, or sign in again.",
        ),
        (429, _) | (_, Some("rate_limit")) => {
            told(format!("{label}'s usage limit is reached."), "Wait until it resets, or choose another model.")
        }
        (404, _) | (_, Some("model_not_found")) => {
            told("The chosen model is not available.".to_owned(), "Choose another model.")
        }
        (503 | 529, _) | (_, Some("overloaded")) => {
            told(format!("{label}'s API is overloaded."), "Try again in a minute.")
        }
        (500..=599, _) | (_, Some("server_error")) if trouble.is_none() => {
            told(format!("{label}'s API failed."), "Try again in a minute.")
        }
        (400..=499, _) => {
            told(format!("{label}'s API refused the request."), "Check the key and the model, then try again.")
        }
        _ => match trouble {
            Some(ApiTrouble::Overloaded) => told(format!("{label}'s API is overloaded."), "Try again in a minute."),
            Some(ApiTrouble::RateLimit) => {
                told(format!("{label}'s usage limit is reached."), "Wait until it resets, or choose another model.")
            }
            Some(ApiTrouble::SignIn) => told(
                format!("{label}'s API refused the sign-in."),
                "Check the key in your shell's start-up files, or sign in again.",
            ),
            Some(ApiTrouble::Network) => {
                told(format!("{label}'s API can't be reached."), "Check the network and a proxy, then try again.")
            }
            None => told(format!("{label} reported an error."), "Try again, or start a new chat."),
        },
    }
}

/// The fault of a turn that ended before its work was done.
pub fn of_stop_reason(label: &str, reason: &str) -> Fault {
    let (message, hint) = match reason {
        "max_tokens" => ("stopped at the longest answer that its model gives", "Send “go on” to let it continue."),
        "max_turn_requests" => ("stopped at its limit of steps", "Send “go on” to let it continue."),
        "refusal" => ("refused to answer", "Say it in another way, or start a new chat."),
        _ => ("ended its turn for an unknown reason", "Try again, or update it."),
    };
    Fault::new(FaultCode::AgentError, format!("{label} {message}.")).hint(hint).at(Hop::Agent)
}

#[cfg(test)]
mod tests {
    use super::of_error;
    use crate::agent::rpc::message::RpcError;
    use crate::protocol::fault::FaultCode;
    use serde_json::json;

    #[test]
    fn codes_and_kinds_are_told_apart() {
        let fault = |code, data| of_error("X", None, &RpcError { code, message: "said".to_owned(), data });
        assert_eq!(fault(-32000, None).code, FaultCode::AgentSignedOut);
        assert!(
            fault(-32603, Some(json!({"errorKind": "authentication_failed"}))).message.contains("refused the sign-in")
        );
        assert!(fault(429, None).message.contains("usage limit"));
        assert_eq!(fault(-32603, None).message, "X reported an error. (said)");
        for (said, words) in [
            ("The model is overloaded. Please try again later.", "API is overloaded"),
            ("fetch failed", "can't be reached"),
            ("Rate limit exceeded", "usage limit"),
        ] {
            let error = RpcError { code: -32603, message: said.to_owned(), data: None };
            assert!(of_error("X", None, &error).message.contains(words), "{said}");
        }
    }
}
