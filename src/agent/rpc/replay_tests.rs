//! Replays recorded sessions of real programs (`tests/samples`) to a [`ProtocolHandler`] as their host did.
//!
//! Owns reading a sample and answering as its host did. Each adapter's tests check the result.

use super::message::{Dialect, Incoming, parse};
use super::protocol_handler::{Answer, HandlerOutput, ProtocolHandler};
use crate::adapter::{AgentEvent, PermissionAnswer, Prompt, StepWords, ToolCall, ToolResult, Tools};
use futures_util::future::BoxFuture;
use gstack_protocol::chat::{StepKind, StepOutcome, TurnOutcome};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::Value;
use std::path::Path;
use tokio_util::sync::CancellationToken;

pub struct NoTools;

impl Tools for NoTools {
    fn run(&self, _: ToolCall, _: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>> {
        Box::pin(std::future::ready(Err(Fault::new(FaultCode::Unknown, "no tools here"))))
    }
    fn describe(&self, tool: &str, _: &Value) -> StepWords {
        StepWords::untranslated(StepKind::Act, "Own", tool.to_owned())
    }
}

/// One line of a sample: from the agent, or from its host.
pub struct Entry {
    pub from_agent: bool,
    pub line: Value,
}

pub fn sample(name: &str) -> Vec<Entry> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("tests/samples").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of_talk = entries.filter(|entry| entry["line"].is_object());
    of_talk.map(|mut entry| Entry { from_agent: entry["dir"] == "<", line: entry["line"].take() }).collect()
}

/// Returns the messages of the agent that its adapter does not recognise, by `is_known`.
pub fn unknown(entries: &[Entry], is_known: impl Fn(&Incoming) -> bool) -> Vec<String> {
    let of_agent = entries.iter().filter(|entry| entry.from_agent).map(|entry| entry.line.to_string());
    of_agent.filter(|line| !parse(line).is_some_and(|message| is_known(&message))).collect()
}

/// Replays a sample, with prompts, interrupts and answers at the points where the host sent them. `prompts`: the method
/// of a prompt. Checks that our answers are those of that host. Returns all events.
pub fn play(handler: &mut dyn ProtocolHandler, dialect: Dialect, entries: &[Entry], prompts: &str) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    for entry in entries {
        let method = entry.line["method"].as_str().unwrap_or_default();
        let id = entry.line["id"].as_u64();
        let mut out = HandlerOutput::new(dialect, id.unwrap_or(1).saturating_sub(1));
        if entry.from_agent {
            handler.incoming(parse(&entry.line.to_string()).unwrap(), &mut out);
        } else if method == prompts {
            handler.prompt(Prompt { text: "as recorded".to_owned(), ..Prompt::default() }, &mut out);
        } else if method.ends_with("/interrupt") || method.ends_with("/cancel") {
            handler.interrupt(&mut out);
            let (told, said) = drain(&mut out);
            events.extend(told);
            assert!(said.iter().any(|line| line["method"] == method && line["params"] == entry.line["params"]));
            continue;
        } else if method.is_empty() {
            let allowed = allows(&entry.line["result"]);
            let answer = if allowed { PermissionAnswer::Allow } else { PermissionAnswer::Deny("no".to_owned()) };
            handler.answered(&entry.line["id"].to_string(), Answer::Permission(Some(answer)), &mut out);
            let (told, said) = drain(&mut out);
            events.extend(told);
            // A request that was cancelled by an interrupt is answered already.
            assert!(said.is_empty() || said[0]["result"] == entry.line["result"], "{said:?}");
            continue;
        }
        events.extend(out.drain().0);
    }
    events
}

/// Returns the events and the lines to send.
fn drain(out: &mut HandlerOutput) -> (Vec<AgentEvent>, Vec<Value>) {
    let (told, said) = out.drain();
    (told, said.iter().map(|line| serde_json::from_slice(line).unwrap()).collect())
}

fn allows(result: &Value) -> bool {
    let decision = result["decision"].as_str().or(result["outcome"]["optionId"].as_str()).unwrap_or_default();
    ["accept", "allow", "proceed_once"].contains(&decision)
}

pub fn text_of(events: &[AgentEvent]) -> String {
    let text = |event: &AgentEvent| if let AgentEvent::TextDelta(text) = event { Some(text.clone()) } else { None };
    events.iter().filter_map(text).collect()
}

pub fn ends(events: &[AgentEvent]) -> Vec<(TurnOutcome, Option<FaultCode>)> {
    let end = |event: &AgentEvent| match event {
        AgentEvent::TurnDone { outcome, fault, .. } => Some((*outcome, fault.as_ref().map(|fault| fault.code))),
        _ => None,
    };
    events.iter().filter_map(end).collect()
}

/// Returns each step with its words and outcome. Asserts that every step that started ended exactly once.
pub fn steps(events: &[AgentEvent]) -> Vec<(String, StepOutcome)> {
    let mut begun = Vec::new();
    let mut ended = Vec::new();
    for event in events {
        match event {
            AgentEvent::StepStarted { step_id, words, .. } => {
                begun.push((step_id.clone(), format!("{} {}", words.verb, words.object)));
            }
            AgentEvent::StepDone { step_id, outcome, .. } => {
                let at = begun.iter().position(|(id, _)| id == step_id).expect("an end without a beginning");
                ended.push((begun.remove(at).1, *outcome));
            }
            _ => {}
        }
    }
    assert!(begun.is_empty(), "steps without an end: {begun:?}");
    ended
}
