//! The faults of an ACP agent, each with its code, message and next step.
//!
//! Decides by the error's code and kind; by its message only if the agent gives neither.

use super::wire::{AUTH_REQUIRED, AuthMethod};
use crate::clip::one_line;
use crate::faults::{self, ApiTrouble, api, said_by_api};
use crate::rpc::message::RpcError;
use gstack_protocol::catalogue::{self, MessageTemplate};
use gstack_protocol::fault::{AgentNeed, Fault, FaultCode, Hop, SignInWay};
use serde_json::Value;

/// How many of an agent's ways to sign in are shown. Its names and descriptions are cut to so many bytes.
const MOST_WAYS: usize = 12;
const LONGEST_NAME: usize = 100;
const LONGEST_DESCRIPTION: usize = 300;

/// Returns the fault for an agent that is not signed in. `sign_in`: the command that signs in, if known. `said`: the agent's
/// own words, which may name what is missing. `ways`: the ways to sign in that it offers.
pub(super) fn signed_out(label: &str, sign_in: Option<&str>, said: &str, ways: &[AuthMethod]) -> Fault {
    let mut fault = faults::signed_out(label);
    // Some agents say no more than the fault does.
    if !said.is_empty() && !said.eq_ignore_ascii_case("authentication required") {
        let said = one_line(said, faults::LONGEST_TOLD);
        fault = Fault::new(fault.code, catalogue::AGENT_SIGNED_OUT.with([label]).said(&said)).at(Hop::Agent);
        fault = fault.hint(catalogue::SIGN_IN);
    }
    let ways = ways.iter().filter(|way| !way.name.trim().is_empty()).take(MOST_WAYS);
    let names: Vec<String> = ways.clone().map(|way| one_line(&way.name, LONGEST_NAME)).collect();
    if !names.is_empty() {
        fault = fault.hint(catalogue::SIGN_IN_WAYS.with([&names.join(", ")]));
    }
    let by_agent = ways.zip(names).filter(|(way, _)| way.is_by_agent()).map(|(way, name)| SignInWay {
        id: way.id.clone(),
        name,
        description: one_line(&way.description, LONGEST_DESCRIPTION),
    });
    let by_agent: Vec<SignInWay> = by_agent.collect();
    fault.needs = (!by_agent.is_empty()).then(|| Box::new(AgentNeed::SignIn(by_agent)));
    match sign_in {
        Some(command) => fault.command(command),
        None => fault,
    }
}

/// Returns an error's text for people. Some agents put it into the error's data, beside a message that says nothing.
pub(super) fn said(error: &RpcError) -> String {
    let detail = error.data.as_ref().and_then(|data| {
        let named = ["details", "detail", "message", "error"].iter().find_map(|name| data.get(name)?.as_str());
        named.or_else(|| data.as_str()).map(str::to_owned)
    });
    let message = said_by_api(&error.message);
    match detail.filter(|detail| !detail.is_empty() && !message.contains(detail.as_str())) {
        None => message,
        Some(detail) if message.is_empty() || message.eq_ignore_ascii_case("internal error") => detail,
        Some(detail) => format!("{message}: {detail}"),
    }
}

/// Returns the fault for a request that the agent refused. Agents pass on an API's status as the code, or add a kind.
pub(super) fn of_error(label: &str, sign_in: Option<&str>, error: &RpcError) -> Fault {
    let kind = error.data.as_ref().and_then(|data| data.get("errorKind")).and_then(Value::as_str);
    let said = said(error);
    let of_label = |message: MessageTemplate, hint: MessageTemplate| api(message.with([label]), &said, hint);
    let trouble = ApiTrouble::from_words(&said);
    match (error.code, kind) {
        (AUTH_REQUIRED, _) => signed_out(label, sign_in, &error.message, &[]),
        (401 | 403, _) | (_, Some("authentication_failed")) => {
            of_label(catalogue::API_SIGN_IN, catalogue::API_SIGN_IN_NEXT)
        }
        (429, _) | (_, Some("rate_limit")) => of_label(catalogue::API_USAGE_LIMIT, catalogue::API_USAGE_LIMIT_NEXT),
        (404, _) | (_, Some("model_not_found")) => {
            api(catalogue::MODEL_NOT_AVAILABLE.into(), &said, catalogue::CHOOSE_ANOTHER_MODEL)
        }
        (503 | 529, _) | (_, Some("overloaded")) => of_label(catalogue::API_OVERLOADED, catalogue::TRY_IN_A_MINUTE),
        (500..=599, _) | (_, Some("server_error")) if trouble.is_none() => {
            of_label(catalogue::API_FAILED, catalogue::TRY_IN_A_MINUTE)
        }
        (400..=499, _) => of_label(catalogue::API_REFUSED, catalogue::CHECK_KEY_AND_MODEL),
        _ => match trouble {
            Some(ApiTrouble::Overloaded) => of_label(catalogue::API_OVERLOADED, catalogue::TRY_IN_A_MINUTE),
            Some(ApiTrouble::RateLimit) => of_label(catalogue::API_USAGE_LIMIT, catalogue::API_USAGE_LIMIT_NEXT),
            Some(ApiTrouble::SignIn) => of_label(catalogue::API_SIGN_IN, catalogue::API_SIGN_IN_NEXT),
            Some(ApiTrouble::Network) => of_label(catalogue::API_UNREACHABLE, catalogue::CHECK_NETWORK),
            None => of_label(catalogue::AGENT_ERROR, catalogue::TRY_OR_NEW_CHAT),
        },
    }
}

/// Returns the fault for a failed turn whose agent gives only a reason in words.
pub(super) fn of_words(label: &str, said: &str) -> Fault {
    // The code of the protocol for an internal error.
    of_error(label, None, &RpcError { code: -32603, message: said.to_owned(), data: None })
}

/// Returns the fault for a turn that ended before its work was done.
pub(super) fn of_stop_reason(label: &str, reason: &str) -> Fault {
    let (message, hint) = match reason {
        "max_tokens" => (catalogue::STOPPED_AT_LENGTH, catalogue::SAY_GO_ON),
        "max_turn_requests" => (catalogue::STOPPED_AT_STEPS, catalogue::SAY_GO_ON),
        "refusal" => (catalogue::AGENT_REFUSED, catalogue::SAY_IT_OTHERWISE),
        _ => (catalogue::STOPPED_UNKNOWN, catalogue::TRY_OR_UPDATE),
    };
    Fault::new(FaultCode::AgentError, message.with([label])).hint(hint).at(Hop::Agent)
}

/// Returns the fault for a turn that the agent calls done, without an answer and without tokens.
pub(super) fn of_silence(label: &str) -> Fault {
    Fault::new(FaultCode::AgentError, catalogue::AGENT_SAID_NOTHING.with([label]))
        .hint(catalogue::AGENT_SAID_NOTHING_NEXT)
        .at(Hop::Agent)
}

#[cfg(test)]
mod tests {
    use super::{of_error, signed_out};
    use crate::acp::wire::AuthMethod;
    use crate::rpc::message::RpcError;
    use gstack_protocol::fault::{AgentNeed, FaultCode};
    use serde_json::json;

    #[test]
    fn what_an_agent_says_beside_a_message_without_words_is_shown() {
        let error = |data| RpcError { code: -32603, message: "Internal error".to_owned(), data: Some(data) };
        for data in [json!({"details": "no provider is configured"}), json!("no provider is configured")] {
            let fault = of_error("X", None, &error(data));
            assert_eq!(fault.message, "X reported an error (no provider is configured)");
        }
        let way = |id: &str, more: serde_json::Value| {
            let mut way = json!({"id": id, "name": "Log in with Google"});
            way.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_value::<AuthMethod>(way).unwrap()
        };
        let ways = [
            way("google", json!({"description": null})),
            way("key", json!({"_meta": {"api-key": {}}})),
            way("variable", json!({"type": "env_var"})),
            way("", json!({})),
        ];
        let fault = signed_out("X", None, "run `x login`", &ways);
        let Some(AgentNeed::SignIn(ways)) = fault.needs.as_deref() else { panic!("{fault:?}") };
        assert_eq!(ways.iter().map(|way| way.id.as_str()).collect::<Vec<_>>(), ["google"]);
        assert!(fault.message.contains("run `x login`"), "{}", fault.message);
        assert!(fault.hint.is_some_and(|hint| hint.contains("Log in with Google")));
    }

    #[test]
    fn codes_and_kinds_are_told_apart() {
        let fault = |code, data| of_error("X", None, &RpcError { code, message: "said".to_owned(), data });
        assert_eq!(fault(-32000, None).code, FaultCode::AgentSignedOut);
        assert!(
            fault(-32603, Some(json!({"errorKind": "authentication_failed"}))).message.contains("refused the sign-in")
        );
        assert!(fault(429, None).message.contains("usage limit"));
        assert_eq!(fault(-32603, None).message, "X reported an error (said)");
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
