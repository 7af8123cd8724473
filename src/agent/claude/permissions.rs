//! Claude Code's permission requests for its own tools: answered at once, or forwarded to a person.
//!
//! Owns the open requests. Pure except for the channel of each answer; the session writes the lines.

use super::map::own_tool;
use super::wire::CanUseTool;
use super::{outgoing, question, words};
use crate::adapter::{PermissionAnswer, PermissionAsked, QuestionAnswer, QuestionAsked};
use crate::guard::Guard;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use tokio::sync::oneshot;

const NOBODY_ANSWERED: &str = "No one answered the approval in time, so this is not allowed.";
const CLOSED_FILE: &str = "This file is closed to agents: it holds credentials or gstack's own data.";

/// The session's next step for a request, or for its answer.
pub(super) enum Verdict {
    Ask(PermissionAsked),
    Question(QuestionAsked),
    Reply(Reply),
}

/// A line for Claude Code, and the tool call that it denies.
pub(super) struct Reply {
    pub line: Vec<u8>,
    pub denied: Option<String>,
}

/// An answer as received; `None` if its channel was dropped.
pub(super) struct Answered {
    request: String,
    answer: Option<Answer>,
}

enum Answer {
    Permission(PermissionAnswer),
    Question(QuestionAnswer),
}

struct Open {
    input: Value,
    tool_use_id: Option<String>,
    /// The text for the model if the person does not answer.
    unanswered: &'static str,
}

pub(super) struct Permissions {
    guard: Guard,
    folder: PathBuf,
    open: HashMap<String, Open>,
    answers: FuturesUnordered<BoxFuture<'static, Answered>>,
}

impl Permissions {
    pub(super) fn new(guard: Guard, folder: PathBuf) -> Self {
        Self { guard, folder, open: HashMap::new(), answers: FuturesUnordered::new() }
    }

    /// Decides on a request. `in_turn`: without a running turn there is nobody to ask.
    pub(super) fn judge(&mut self, request_id: String, request: CanUseTool, in_turn: bool) -> Verdict {
        let CanUseTool { tool_name, input, tool_use_id, decision_reason } = request;
        // The policy asks about our own tools itself, when the call arrives.
        if own_tool(&tool_name).is_some() {
            return Verdict::Reply(Reply { line: outgoing::allow(&request_id, &input), denied: None });
        }
        if !in_turn {
            return Verdict::Reply(deny(&request_id, tool_use_id, NOBODY_ANSWERED));
        }
        if tool_name == question::TOOL {
            let (answer, answered) = oneshot::channel();
            let asked = QuestionAsked { request: request_id.clone(), parts: question::parts(&input), answer };
            self.open.insert(request_id.clone(), Open { input, tool_use_id, unanswered: question::NOT_ANSWERED });
            self.answers.push(Box::pin(async move {
                Answered { request: request_id, answer: answered.await.ok().map(Answer::Question) }
            }));
            return Verdict::Question(asked);
        }
        let path = self.guard.path_of(&input);
        if self.guard.is_closed(&path) {
            return Verdict::Reply(deny(&request_id, tool_use_id, CLOSED_FILE));
        }
        let (ask, does) = words::question(&tool_name, &input, &self.folder);
        let said = input.get("description").and_then(Value::as_str).map(str::to_owned);
        let reads = matches!(tool_name.as_str(), "Read" | "Glob" | "Grep");
        let (answer, answered) = oneshot::channel();
        let asked = PermissionAsked {
            request: request_id.clone(),
            step: tool_use_id.clone(),
            ask,
            does,
            content: serde_json::to_string_pretty(&input).unwrap_or_default(),
            why: said.or(decision_reason),
            kind: words::describe(&tool_name, &input, &self.folder).kind,
            read_only: reads && self.guard.is_open(&path),
            answer,
        };
        self.open.insert(request_id.clone(), Open { input, tool_use_id, unanswered: NOBODY_ANSWERED });
        self.answers.push(Box::pin(async move {
            Answered { request: request_id, answer: answered.await.ok().map(Answer::Permission) }
        }));
        Verdict::Ask(asked)
    }

    /// Returns the next answer, or `None` immediately if no request is open.
    pub(super) async fn answered(&mut self) -> Option<Answered> {
        self.answers.next().await
    }

    /// Returns the line for an answer; `None` if the request was withdrawn, because it has been answered then.
    pub(super) fn reply(&mut self, answered: Answered) -> Option<Reply> {
        let Open { input, tool_use_id, unanswered } = self.open.remove(&answered.request)?;
        Some(match answered.answer {
            Some(Answer::Permission(PermissionAnswer::Allow)) => {
                Reply { line: outgoing::allow(&answered.request, &input), denied: None }
            }
            Some(Answer::Permission(PermissionAnswer::Deny(words))) => deny(&answered.request, tool_use_id, &words),
            Some(Answer::Question(answers)) if !answers.is_empty() => {
                let input = question::answered(input, &answers);
                Reply { line: outgoing::allow(&answered.request, &input), denied: None }
            }
            Some(Answer::Question(_)) => deny(&answered.request, tool_use_id, question::NOT_ANSWERED),
            None => deny(&answered.request, tool_use_id, unanswered),
        })
    }

    /// Withdraws a request. Returns true if it was still open.
    pub(super) fn withdraw(&mut self, request_id: &str) -> bool {
        self.open.remove(request_id).is_some()
    }

    /// Withdraws all requests when a turn ends, and returns their ids.
    pub(super) fn withdraw_all(&mut self) -> Vec<String> {
        std::mem::take(&mut self.open).into_keys().collect()
    }
}

fn deny(request_id: &str, tool_use_id: Option<String>, words: &str) -> Reply {
    Reply { line: outgoing::deny(request_id, words), denied: tool_use_id }
}

#[cfg(test)]
mod tests {
    use super::{Permissions, Verdict};
    use crate::claude::wire::CanUseTool;
    use crate::guard::Guard;
    use serde_json::{Value, json};
    use std::path::{Path, PathBuf};

    fn permissions() -> Permissions {
        let guard = Guard::new(Path::new("/srv/project"), Some(Path::new("/srv/home")), &[]);
        Permissions::new(guard, PathBuf::from("/srv/project"))
    }

    fn request(tool: &str, input: Value) -> CanUseTool {
        let tool_use_id = Some("t".to_owned());
        CanUseTool { tool_name: tool.to_owned(), input, tool_use_id, decision_reason: Some("why".to_owned()) }
    }

    fn replied(verdict: Verdict) -> (Value, Option<String>) {
        let Verdict::Reply(reply) = verdict else { panic!("it was asked") };
        let line: Value = serde_json::from_slice(&reply.line).unwrap();
        (line["response"]["response"]["behavior"].clone(), reply.denied)
    }

    #[test]
    fn our_own_tools_pass_and_closed_files_do_not() {
        let mut permissions = permissions();
        let own = permissions.judge("r".into(), request("mcp__gstack__click", json!({})), true);
        assert_eq!(replied(own), (json!("allow"), None));
        let closed = permissions.judge("r".into(), request("Read", json!({"file_path": "/srv/home/.ssh/id"})), true);
        assert_eq!(replied(closed), (json!("deny"), Some("t".to_owned())));
        let outside = permissions.judge("r".into(), request("Write", json!({})), false);
        assert_eq!(replied(outside), (json!("deny"), Some("t".to_owned())));
    }

    #[tokio::test]
    async fn a_dropped_answer_denies_and_a_withdrawn_question_takes_none() {
        let mut permissions = permissions();
        let read = request("Read", json!({"file_path": "/srv/project/a"}));
        let Verdict::Ask(asked) = permissions.judge("r1".into(), read, true) else { panic!("not asked") };
        assert!(asked.read_only && asked.why.as_deref() == Some("why"));
        drop(asked);
        let answered = permissions.answered().await.unwrap();
        assert_eq!(permissions.reply(answered).unwrap().denied.as_deref(), Some("t"));

        let Verdict::Ask(asked) = permissions.judge("r2".into(), request("Bash", json!({})), true) else {
            panic!("not asked")
        };
        assert!(permissions.withdraw("r2") && !permissions.withdraw("r2"));
        drop(asked);
        let answered = permissions.answered().await.unwrap();
        assert!(permissions.reply(answered).is_none() && permissions.withdraw_all().is_empty());
        assert!(permissions.answered().await.is_none());
    }
}
