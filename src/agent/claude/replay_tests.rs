//! Replays recorded sessions of the real program (`tests/samples/claude`) through wire and mapper: nothing is lost or
//! duplicated.

use super::map::Mapper;
use super::wire::parse;
use crate::adapter::{AgentEvent, StepWords, ToolCall, ToolResult, Tools};
use futures_util::future::BoxFuture;
use gstack_protocol::chat::{StepKind, StepOutcome, TurnOutcome};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

struct NoTools;

impl Tools for NoTools {
    fn run(&self, _: ToolCall, _: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>> {
        Box::pin(std::future::ready(Err(Fault::new(FaultCode::Unknown, "no tools here"))))
    }
    fn describe(&self, tool: &str, _: &Value) -> StepWords {
        StepWords::untranslated(StepKind::Act, "Own", tool.to_owned())
    }
}

fn mapper() -> Mapper {
    Mapper::new(Arc::new(NoTools), PathBuf::from("/srv/project"))
}

/// Returns the agent's lines of a sample, in either format.
fn agent_lines(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("tests/samples/claude");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    if !name.ends_with(".both.jsonl") {
        return text.lines().map(str::to_owned).collect();
    }
    let both = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    both.filter(|entry| entry["dir"] == "<").map(|entry| entry["line"].to_string()).collect()
}

fn sample_names() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("tests/samples/claude");
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
    names.sort();
    names
}

/// The end of a turn.
type End = (TurnOutcome, Option<FaultCode>);

fn replay(name: &str) -> Vec<AgentEvent> {
    let mut mapper = mapper();
    agent_lines(name).iter().filter_map(|line| parse(line)).flat_map(|line| mapper.map(line)).collect()
}

/// The text that a person should have read, computed from the raw lines in another way than the mapper does: the
/// finished blocks of every message, or its streamed text if it was never finished.
#[derive(Default)]
struct Replayed {
    order: Vec<String>,
    finished: BTreeMap<String, String>,
    streamed: BTreeMap<String, String>,
    steps: Vec<String>,
    results: usize,
}

impl Replayed {
    fn of(name: &str) -> Self {
        let mut told = Self::default();
        let mut streaming = String::new();
        for line in agent_lines(name) {
            let Ok(line) = serde_json::from_str::<Value>(&line) else { continue };
            let own = line["parent_tool_use_id"].is_null();
            match line["type"].as_str() {
                Some("stream_event") if own => {
                    if let Some(id) = line["event"]["message"]["id"].as_str() {
                        streaming = id.to_owned();
                        told.order.push(streaming.clone());
                    }
                    if let Some(text) = line["event"]["delta"]["text"].as_str() {
                        told.streamed.entry(streaming.clone()).or_default().push_str(text);
                    }
                }
                Some("assistant") if line["error"].is_null() => told.blocks(&line["message"], own),
                Some("result") => told.results += 1,
                _ => {}
            }
        }
        told
    }

    fn blocks(&mut self, message: &Value, own: bool) {
        let id = message["id"].as_str().unwrap().to_owned();
        for block in message["content"].as_array().unwrap() {
            if let Some(text) = block["text"].as_str().filter(|_| own && message["model"] != "<synthetic>") {
                if !self.order.contains(&id) {
                    self.order.push(id.clone());
                }
                self.finished.entry(id.clone()).or_default().push_str(text);
            }
            if block["type"] == "tool_use" {
                self.steps.push(block["id"].as_str().unwrap().to_owned());
            }
        }
    }

    fn text(&self) -> String {
        let text = |id| self.finished.get(id).or_else(|| self.streamed.get(id)).cloned().unwrap_or_default();
        self.order.iter().map(text).collect()
    }
}

fn text_of(events: &[AgentEvent]) -> String {
    events
        .iter()
        .filter_map(|event| if let AgentEvent::TextDelta(text) = event { Some(text.as_str()) } else { None })
        .collect()
}

fn ends(events: &[AgentEvent]) -> Vec<End> {
    let end = |event: &AgentEvent| match event {
        AgentEvent::TurnDone { outcome, fault, .. } => Some((*outcome, fault.as_ref().map(|fault| fault.code))),
        _ => None,
    };
    events.iter().filter_map(end).collect()
}

fn outcomes(events: &[AgentEvent]) -> Vec<StepOutcome> {
    let outcome =
        |event: &AgentEvent| if let AgentEvent::StepDone { outcome, .. } = event { Some(*outcome) } else { None };
    events.iter().filter_map(outcome).collect()
}

#[test]
fn every_sample_is_told_whole_and_once() {
    let names = sample_names();
    assert!(names.len() > 70, "the samples are missing");
    for name in names {
        let (events, told) = (replay(&name), Replayed::of(&name));
        assert_eq!(text_of(&events), told.text(), "text of {name}");
        let started = |event: &AgentEvent| match event {
            AgentEvent::StepStarted { step_id, .. } => Some(step_id.as_str().to_owned()),
            _ => None,
        };
        assert_eq!(events.iter().filter_map(started).collect::<Vec<_>>(), told.steps, "steps of {name}");
        assert_eq!(ends(&events).len(), told.results, "turns of {name}");
        if told.results > 0 {
            assert_eq!(outcomes(&events).len(), told.steps.len(), "steps' ends of {name}");
        }
    }
}

#[test]
fn text_never_comes_before_its_block_began() {
    for name in sample_names() {
        let mut begun = false;
        for event in replay(&name) {
            match event {
                AgentEvent::TextStarted => begun = true,
                AgentEvent::TextDelta(_) => assert!(begun, "{name}"),
                AgentEvent::TurnDone { .. } => begun = false,
                _ => {}
            }
        }
    }
}

#[test]
fn ends_are_told_by_their_causes() {
    use FaultCode::{AgentError, AgentSignedOut};
    use TurnOutcome::{Done, Failed, Stopped};
    let table: [(&str, &[End]); 12] = [
        ("b_partial.jsonl", &[(Done, None)]),
        ("d_multi_turn.both.jsonl", &[(Done, None); 3]),
        ("d_interrupt_stream.both.jsonl", &[(Stopped, None), (Done, None)]),
        ("d_interrupt_tool.both.jsonl", &[(Stopped, None)]),
        ("f_max_turns.jsonl", &[(Failed, Some(AgentError))]),
        ("f_model_404.jsonl", &[(Failed, Some(AgentError))]),
        ("g_400.jsonl", &[(Failed, Some(AgentError))]),
        ("g_401_retries1.jsonl", &[(Failed, Some(AgentError))]),
        ("g_529.jsonl", &[(Failed, Some(AgentError))]),
        ("g_midfail.jsonl", &[(Done, None)]),
        ("g_no_key.jsonl", &[(Failed, Some(AgentSignedOut))]),
        ("g_unreachable.jsonl", &[(Failed, Some(AgentError))]),
    ];
    for (name, expected) in table {
        assert_eq!(ends(&replay(name)), expected, "{name}");
    }
}

#[test]
fn thinking_retries_denials_and_costs_are_told() {
    let thinking = replay("b_partial_think.jsonl");
    let thought =
        |event: &AgentEvent| matches!(event, AgentEvent::ThinkingDelta(text) if text == "Let me think about it.");
    assert_eq!(thinking.iter().filter(|event| thought(event)).count(), 1);

    let overloaded = |event: &AgentEvent| matches!(event, AgentEvent::Notice(text) if text.contains("overloaded; trying again. (2/10)"));
    assert!(replay("g_529.jsonl").iter().any(overloaded));

    assert_eq!(outcomes(&replay("c_tool_dontask.jsonl")), [StepOutcome::Denied]);
    assert_eq!(outcomes(&replay("c_tool_allowed.jsonl")), [StepOutcome::Ok]);

    let costs = |name: &str| {
        let cost = |event: AgentEvent| if let AgentEvent::TurnDone { cost_usd, .. } = event { cost_usd } else { None };
        replay(name).into_iter().filter_map(cost).collect::<Vec<f64>>()
    };
    let turns = costs("d_multi_turn.both.jsonl");
    let last: Value = agent_lines("d_multi_turn.both.jsonl")
        .iter()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .rfind(|line| line["type"] == "result")
        .unwrap();
    assert!((turns.iter().sum::<f64>() - last["total_cost_usd"].as_f64().unwrap()).abs() < 1e-9);
    assert!(turns.iter().all(|cost| *cost > 0.0));
}

#[test]
fn our_own_tools_are_told_in_the_registrys_words_with_their_pictures() {
    let lines = [
        r#"{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"tool_use","id":"t","name":"mcp__gstack__click","input":{"selector":"@e3"}}]}}"#,
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"Clicked"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAEC"}}]}]}}"#,
    ];
    let mut mapper = mapper();
    let events: Vec<AgentEvent> =
        lines.iter().filter_map(|line| parse(line)).flat_map(|line| mapper.map(line)).collect();
    let [AgentEvent::StepStarted { words, tool, arguments, .. }, AgentEvent::StepDone { outcome, result, images, .. }] =
        events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!((words.verb.as_str(), words.object.as_str(), tool.as_str()), ("Own", "click", "click"));
    assert_eq!((arguments.as_str(), result.as_str(), *outcome), (r#"{"selector":"@e3"}"#, "Clicked", StepOutcome::Ok));
    assert_eq!((images[0].mime.as_str(), images[0].bytes.as_slice()), ("image/png", [0, 1, 2].as_slice()));
}

#[test]
fn what_an_interrupt_cuts_off_is_unknown() {
    let mut mapper = mapper();
    let mut events = Vec::new();
    for line in agent_lines("d_interrupt_tool.both.jsonl").iter().filter_map(|line| parse(line)) {
        events.extend(mapper.map(line));
        mapper.note_interrupt();
    }
    assert_eq!(outcomes(&events), [StepOutcome::Unknown]);
}

/// Lines without visible content, by type and subtype.
const SILENT: [(&str, &str); 9] = [
    ("command_lifecycle", ""),
    ("system", "background_tasks_changed"),
    ("system", "session_title_changed"),
    ("system", "status"),
    ("system", "task_notification"),
    ("system", "task_started"),
    ("system", "task_updated"),
    ("system", "thinking_tokens"),
    ("system", "ui_invalidate"),
];

#[test]
fn no_line_of_the_samples_is_unknown() {
    use super::wire::{ControlRequest, Line, System};
    let mut unknown = Vec::new();
    for name in sample_names() {
        for line in agent_lines(&name) {
            let Ok(value) = serde_json::from_str::<Value>(&line) else { continue };
            let read = match parse(&line) {
                Some(Line::System(System::Other) | Line::Other) | None => false,
                Some(Line::ControlRequest { request: ControlRequest::Other, .. }) => false,
                Some(_) => true,
            };
            let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
            let kind = (text("type"), text("subtype"));
            let silent = SILENT.iter().any(|(name, sub)| kind.0 == *name && (sub.is_empty() || kind.1 == *sub));
            if value.is_object() && !read && !silent {
                unknown.push(format!("{name}: {kind:?}"));
            }
        }
    }
    assert_eq!(unknown, Vec::<String>::new());
}
