//! Replays a recorded session of the real Codex through the wire and the handler: nothing is lost, duplicated or unknown.

use super::codex_handler::CodexHandler;
use super::wire::{Notification, Request, ThreadStarted};
use crate::adapter::AgentEvent;
use crate::guard::Guard;
use crate::rpc::message::{Dialect, Incoming};
use crate::rpc::{Entry, NoTools, ends, play, sample, steps, text_of, unknown};
use gstack_protocol::chat::{StepOutcome, TurnOutcome};
use gstack_protocol::fault::FaultCode;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn handler(entries: &[Entry]) -> CodexHandler {
    let started = entries.iter().find(|entry| entry.line["result"]["thread"].is_object()).unwrap();
    let thread: ThreadStarted = serde_json::from_value(started.line["result"].clone()).unwrap();
    let folder = PathBuf::from("/srv/project");
    let guard = Guard::new(&folder, Some(Path::new("/srv/home")), &[]);
    CodexHandler::new(Arc::new(NoTools), guard, folder, thread, true)
}

#[test]
fn a_session_is_told_whole_and_once() {
    let entries = sample("codex/app_server.both.jsonl");
    let events = play(&mut handler(&entries), Dialect::Plain, &entries, "turn/start");

    // Computed from the raw lines: the finished messages, and the streamed text of the one that was cut off.
    let of_agent = || entries.iter().filter(|entry| entry.from_agent).map(|entry| &entry.line);
    let finished =
        |id: &str| of_agent().any(|line| line["method"] == "item/completed" && line["params"]["item"]["id"] == id);
    let mut expected = String::new();
    for line in of_agent() {
        let item = &line["params"]["item"];
        if line["method"] == "item/completed" && item["type"] == "agentMessage" {
            expected.push_str(item["text"].as_str().unwrap());
        }
        let streamed = line["params"]["itemId"].as_str().unwrap_or_default();
        if line["method"] == "item/agentMessage/delta" && !finished(streamed) {
            expected.push_str(line["params"]["delta"].as_str().unwrap());
        }
    }
    assert!(expected.len() > 100);
    assert_eq!(text_of(&events), expected);

    use TurnOutcome::{Done, Failed, Stopped};
    let mut outcomes = vec![(Done, None); 11];
    outcomes[5] = (Stopped, None);
    outcomes[10] = (Failed, Some(FaultCode::AgentError));
    assert_eq!(ends(&events), outcomes);

    let told = steps(&events);
    assert_eq!(told[0], ("Running echo hi".to_owned(), StepOutcome::Ok));
    assert_eq!(told[1], ("Running touch /srv/tmp/outside.txt".to_owned(), StepOutcome::Ok));
    assert_eq!(told[2].1, StepOutcome::Denied);

    let thought =
        |event: &&AgentEvent| matches!(event, AgentEvent::ThinkingDelta(text) if text == "I should run echo.");
    assert_eq!(events.iter().filter(thought).count(), 1);
    let used = |event: &AgentEvent| match event {
        AgentEvent::TurnDone { usage, .. } => usage.map(|usage| usage.input_tokens),
        _ => None,
    };
    let all: u64 = events.iter().filter_map(used).sum();
    assert_eq!(all, 1300, "what all turns used is what the thread used");
}

#[test]
fn no_message_is_unknown() {
    let entries = sample("codex/app_server.both.jsonl");
    let known = |message: &Incoming| match message {
        Incoming::Answer { .. } => true,
        Incoming::Notification { method, params } => Notification::parse(method, params).is_some(),
        Incoming::Request { method, params, .. } => Request::parse(method, params).is_some(),
    };
    assert_eq!(unknown(&entries, known), Vec::<String>::new());
}
