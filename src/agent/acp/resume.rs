//! Continues an earlier session of an ACP agent.
//!
//! Owns the request, and which of the messages that follow it repeat what the conversation already has.

use super::wire::{AUTH_REQUIRED, SessionBegun, Update};
use crate::rpc::message::{Incoming, NO_SUCH_METHOD, read};
use crate::rpc::wire::{AskError, Wire};
use serde_json::{Value, json};
use std::time::Duration;

/// A method that every agent refuses, and so answers immediately: everything it sent before has then been read.
pub(super) const NO_METHOD: &str = "_gstack/nothing";
/// The limit for an agent that does not answer unknown methods.
const FLUSH_LIMIT: Duration = Duration::from_secs(5);

/// Resumes a session by the first of these methods that the agent has: Qwen Code 0.15.10 announces `session/resume` and does not
/// have it. Returns `None` if the session no longer exists.
pub(super) async fn resume(
    wire: &mut Wire,
    methods: &[&str],
    earlier: &str,
    params: &Value,
) -> Result<Option<(String, SessionBegun)>, AskError> {
    let mut params = params.clone();
    params["sessionId"] = earlier.into();
    for method in methods {
        match wire.ask(method, params.clone()).await {
            Ok(answer) => {
                // The history is sent again as updates, possibly after the answer: it is complete before the next answer
                // arrives.
                if *method == "session/load" {
                    let refused = tokio::time::timeout(FLUSH_LIMIT, wire.ask(NO_METHOD, json!({}))).await;
                    if let Ok(Err(AskError::Ended { how, last_words })) = refused {
                        return Err(AskError::Ended { how, last_words });
                    }
                }
                wire.early.retain(|message| !is_history(message));
                return Ok(Some((earlier.to_owned(), read(&answer, method).unwrap_or_default())));
            }
            Err(AskError::Refused(error)) if error.code != AUTH_REQUIRED => {
                tracing::info!(code = error.code, method, "an earlier session can't be gone on with");
                wire.early.clear();
                if error.code != NO_SUCH_METHOD {
                    return Ok(None);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Returns whether a message that came while a session was loaded repeats what the conversation already has. The commands and
/// the mode of the session do not: Copilot sends the commands only then.
fn is_history(message: &Incoming) -> bool {
    let Incoming::Notification { params, .. } = message else { return false };
    !matches!(Update::parse(params), Some(Update::Commands(_) | Update::Mode(_) | Update::Config(_)))
}

#[cfg(test)]
mod tests {
    use super::is_history;
    use crate::rpc::message::parse;
    use serde_json::json;

    #[test]
    fn a_loaded_session_keeps_its_commands_and_drops_what_was_said() {
        let update = |update| json!({"method": "session/update", "params": {"sessionId": "s", "update": update}});
        let said = json!({"type": "text", "text": "hello"});
        let commands = json!([{"name": "compact", "description": "Compact the conversation"}]);
        for (message, dropped) in [
            (update(json!({"sessionUpdate": "user_message_chunk", "content": said})), true),
            (update(json!({"sessionUpdate": "agent_message_chunk", "content": said})), true),
            (update(json!({"sessionUpdate": "session_info_update", "title": "Hello"})), true),
            (update(json!({"sessionUpdate": "available_commands_update", "availableCommands": commands})), false),
            (json!({"id": 1, "method": "session/request_permission", "params": {}}), false),
        ] {
            let incoming = parse(&message.to_string()).unwrap();
            assert_eq!(is_history(&incoming), dropped, "{message}");
        }
    }
}
