//! The built-in agent's turns with tools that give scripted answers.

use super::Builtin;
use crate::adapter::{
    Agent, AgentEnvironment, AgentEvent, AgentSession, Image, Launch, McpEndpoint, Prompt, StepWords, ToolCall,
    ToolResult, Tools,
};
use futures_util::future::BoxFuture;
use gstack_protocol::chat::{PageContext, StepKind, StepOutcome, TurnOutcome};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::ConversationId;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Answers calls by their line (`click text="X"`) and records them.
struct Script {
    answers: Vec<(&'static str, Result<&'static str, FaultCode>)>,
    calls: Mutex<Vec<String>>,
}

impl Tools for Script {
    fn run(&self, call: ToolCall, cancel: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>> {
        let line = std::iter::once(call.command).chain(call.args).collect::<Vec<_>>().join(" ");
        let answer = self.answers.iter().find(|(start, _)| line.starts_with(start)).map(|(_, answer)| *answer);
        self.calls.lock().unwrap().push(line);
        Box::pin(async move {
            match answer {
                Some(Ok("(never)")) => {
                    cancel.cancelled().await;
                    Err(Fault::new(FaultCode::Cancelled, "cancelled"))
                }
                Some(Ok(text)) => {
                    let image = Image { mime: "image/png".into(), bytes: vec![1] };
                    let images = if text == "(picture)" { vec![image] } else { Vec::new() };
                    Ok(ToolResult { text: text.to_owned(), data: None, images, files: Vec::new() })
                }
                Some(Err(code)) => Err(Fault::new(code, "scripted fault")),
                None => Ok(ToolResult { text: "false".to_owned(), ..ToolResult::default() }),
            }
        })
    }

    fn describe(&self, tool: &str, _: &serde_json::Value) -> StepWords {
        StepWords::untranslated(StepKind::Other, tool, String::new())
    }
}

struct Bench {
    script: Arc<Script>,
    session: Box<dyn AgentSession>,
    events: mpsc::Receiver<AgentEvent>,
}

async fn bench(answers: &[(&'static str, Result<&'static str, FaultCode>)]) -> Bench {
    let script = Arc::new(Script { answers: answers.to_vec(), calls: Mutex::default() });
    let launch = Launch {
        conversation_id: ConversationId::random(),
        folder: PathBuf::from("/"),
        resume: None,
        model: None,
        mode: None,
        system_prompt: String::new(),
        mcp: McpEndpoint { url: String::new(), token: String::new(), tools: Vec::new(), program: None },
        tools: script.clone(),
        environment: AgentEnvironment::default(),
        run_files: PathBuf::from("/"),
        access: Default::default(),
        off_limits: Vec::new(),
    };
    let (sender, events) = mpsc::channel(64);
    Bench { script, session: Builtin.start(launch, sender).await.unwrap(), events }
}

impl Bench {
    async fn say(&mut self, text: &str) {
        let page = Some(PageContext { title: "The page".into(), ..PageContext::default() });
        self.session.prompt(Prompt { text: text.to_owned(), page, ..Prompt::default() }).await.unwrap();
    }

    async fn end(&mut self) -> Vec<AgentEvent> {
        let mut all = Vec::new();
        loop {
            let event = self.events.recv().await.unwrap();
            let last = matches!(event, AgentEvent::TurnDone { .. });
            all.push(event);
            if last {
                return all;
            }
        }
    }

    async fn turn(&mut self, text: &str) -> Vec<AgentEvent> {
        self.say(text).await;
        self.end().await
    }

    fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.script.calls.lock().unwrap())
    }
}

fn text_of(events: &[AgentEvent]) -> String {
    events
        .iter()
        .filter_map(|event| if let AgentEvent::TextDelta(text) = event { Some(text.as_str()) } else { None })
        .collect()
}

fn outcome_of(events: &[AgentEvent]) -> (TurnOutcome, Option<FaultCode>) {
    match events.last() {
        Some(AgentEvent::TurnDone { outcome, fault, .. }) => (*outcome, fault.as_ref().map(|fault| fault.code)),
        other => panic!("{other:?}"),
    }
}

fn steps_of(events: &[AgentEvent]) -> Vec<String> {
    let step = |event: &AgentEvent| match event {
        AgentEvent::StepStarted { words, .. } => Some(format!("{} {}", words.verb, words.object)),
        AgentEvent::StepDone { outcome, .. } => Some(format!("{outcome:?}")),
        _ => None,
    };
    events.iter().filter_map(step).collect()
}

#[tokio::test]
async fn steps_run_in_order_and_find_their_elements() {
    let link = r#"is visible role=link[name="More"]"#;
    let field = r#"is visible input[placeholder="City" i]"#;
    let mut bench = bench(&[(link, Ok("true")), (field, Ok("true")), ("screenshot", Ok("(picture)"))]).await;
    let events = bench.turn("open example.com, then click More, then fill City with Oslo; screenshot").await;
    assert_eq!(outcome_of(&events), (TurnOutcome::Done, None));
    assert_eq!(
        steps_of(&events),
        ["Opening example.com", "Ok", "Clicking More", "Ok", "Typing into City", "Ok", "Taking a screenshot", "Ok"]
    );
    let doing: Vec<String> = bench.calls().into_iter().filter(|call| !call.starts_with("is ")).collect();
    let filled = r#"fill input[placeholder="City" i], textarea[placeholder="City" i] Oslo"#;
    assert_eq!(doing, ["goto https://example.com", r#"click role=link[name="More"]"#, filled, "screenshot"]);
    assert!(events.iter().any(|event| matches!(event, AgentEvent::StepDone { images, .. } if images.len() == 1)));
}

#[tokio::test]
async fn nothing_is_done_of_a_message_that_is_not_wholly_understood() {
    let mut bench = bench(&[]).await;
    let events = bench.turn("open example.com\nbuy the cheapest *one*").await;
    assert_eq!(bench.calls(), Vec::<String>::new());
    let text = text_of(&events);
    assert!(text.contains("buy the cheapest \\*one\\*") && text.contains("npm install -g"));
    assert_eq!(outcome_of(&events), (TurnOutcome::Done, None));
}

#[tokio::test]
async fn a_failed_step_ends_the_turn_with_its_fault() {
    let mut bench = bench(&[("click", Err(FaultCode::Element))]).await;
    let events = bench.turn("click Nothing; reload").await;
    assert_eq!(outcome_of(&events), (TurnOutcome::Failed, Some(FaultCode::Element)));
    assert_eq!(bench.calls().last().unwrap(), r#"click text="Nothing""#);
}

#[tokio::test]
async fn a_no_is_no_failure_and_is_not_asked_again() {
    let mut bench = bench(&[("click", Err(FaultCode::Denied))]).await;
    let events = bench.turn("click Pay; reload").await;
    assert_eq!(outcome_of(&events), (TurnOutcome::Done, None));
    assert_eq!(steps_of(&events), ["Clicking Pay", "Denied"]);
    assert!(text_of(&events).contains("Not done"));
}

#[tokio::test]
async fn an_interrupt_cancels_the_running_call_and_the_next_message_runs() {
    let mut bench = bench(&[("goto", Ok("(never)")), ("reload", Ok("Reloaded"))]).await;
    bench.say("open example.com; reload").await;
    assert!(matches!(bench.events.recv().await, Some(AgentEvent::StepStarted { .. })));
    let conflict = bench.session.prompt(Prompt::default()).await.unwrap_err();
    assert_eq!(conflict.code, FaultCode::Conflict);
    bench.session.interrupt().await;
    let events = bench.end().await;
    assert_eq!(outcome_of(&events), (TurnOutcome::Stopped, None));
    assert!(matches!(events[0], AgentEvent::StepDone { outcome: StepOutcome::Unknown, .. }));
    assert_eq!(outcome_of(&bench.turn("reload").await), (TurnOutcome::Done, None));
    bench.session.close().await;
    assert!(matches!(bench.events.recv().await, Some(AgentEvent::Exited { fault: None })));
}

#[tokio::test]
async fn a_page_is_summarised_from_its_own_words() {
    let text = "A sentence that is long enough to count as prose on this page, surely.";
    let mut bench = bench(&[("text", Ok(text)), ("snapshot", Err(FaultCode::Internal))]).await;
    let answer = text_of(&bench.turn("summarise this page").await);
    assert!(answer.starts_with("**The page**\n\nA sentence that is long enough"));
}
