//! One turn of the built-in agent: runs steps with the tools and reports them as events.
//!
//! Owns the order and the texts. Never repeats a command that changes something.

use super::parse::{Direction, Scroll, Step, Target, parse};
use super::{find, help, page, test_data};
use crate::adapter::{AgentEvent, Prompt, StepWords, ToolCall, ToolResult, Tools};
use crate::clip::{STEP_BYTES, clip, one_line};
use crate::in_process::End;
use gstack_protocol::chat::{LocalizedPhrase, StepKind, StepOutcome, TurnOutcome};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::StepId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(super) struct DirectTurn {
    pub tools: Arc<dyn Tools>,
    pub events: mpsc::Sender<AgentEvent>,
    pub cancel: CancellationToken,
    /// The message is one command.
    pub is_one: AtomicBool,
}

impl DirectTurn {
    /// Runs all steps of the message, up to the first one that fails.
    pub(super) async fn run(&self, prompt: &Prompt) -> End {
        let steps = parse(&prompt.text);
        // Half a message done is worse than none: report a sentence that is not understood before anything is changed.
        if let Some(Step::Unknown(sentence)) = steps.iter().find(|step| matches!(step, Step::Unknown(_))) {
            self.say(help::not_understood(sentence)).await;
            return End { outcome: TurnOutcome::Done, fault: None };
        }
        self.is_one.store(steps.len() == 1, Ordering::Relaxed);
        if steps.is_empty() {
            self.say(help::help()).await;
        }
        let title = prompt.page.as_ref().map(|page| page.title.as_str()).unwrap_or_default();
        let mut navigated = false;
        for step in steps {
            let title = if navigated { "" } else { title };
            navigated |= matches!(step, Step::Open(_) | Step::Back | Step::Forward | Step::Click(_) | Step::Press(_));
            if let Err(fault) = self.step(step, title).await {
                return self.end_of(fault).await;
            }
        }
        End { outcome: TurnOutcome::Done, fault: None }
    }

    async fn end_of(&self, fault: Fault) -> End {
        match fault.code {
            _ if self.cancel.is_cancelled() => End { outcome: TurnOutcome::Stopped, fault: None },
            FaultCode::Denied => {
                self.say(format!("Not done: {}\n", page::plain(&fault.message))).await;
                End { outcome: TurnOutcome::Done, fault: None }
            }
            _ => End { outcome: TurnOutcome::Failed, fault: Some(fault) },
        }
    }

    async fn step(&self, step: Step, title: &str) -> Result<(), Fault> {
        match step {
            Step::Open(url) => {
                let shown = url.trim_start_matches("https://").trim_start_matches("http://").trim_end_matches('/');
                let words = words(StepKind::Navigate, "Opening", shown);
                self.act(words, call("goto", [url.clone()])).await
            }
            Step::Back => self.act(words(StepKind::Navigate, "Going", "back"), call("back", [])).await,
            Step::Forward => self.act(words(StepKind::Navigate, "Going", "forward"), call("forward", [])).await,
            Step::Reload => self.act(words(StepKind::Navigate, "Reloading", "the page"), call("reload", [])).await,
            Step::Click(target) => self.click(target).await,
            Step::Fill { field, value } => self.fill(field, value).await,
            Step::FillForm => self.fill_form().await,
            Step::Type(text) => self.act(words(StepKind::Act, "Typing", &text), call("type", [text.clone()])).await,
            Step::Press(key) => self.act(words(StepKind::Act, "Pressing", &key), call("press", [key.clone()])).await,
            Step::Scroll(scroll) => self.scroll(scroll).await,
            Step::Summarise => self.summarise(title).await,
            Step::Text => {
                let text = self.read(words(StepKind::Read, "Reading", "the page"), call("text", [])).await?;
                self.say(page::fenced(&text.text)).await;
                Ok(())
            }
            Step::Links => {
                let links = self.read(words(StepKind::Read, "Reading", "the links"), call("links", [])).await?;
                self.say(page::links(&links.text)).await;
                Ok(())
            }
            Step::Fields => {
                let forms = self.read(words(StepKind::Read, "Reading", "the forms"), call("forms", [])).await?;
                self.say(page::fenced(&forms.text)).await;
                Ok(())
            }
            Step::Console => {
                let look = call("console", ["--errors".into()]);
                let errors = self.read(words(StepKind::Read, "Reading", "the console"), look).await?;
                self.say(page::console(&errors.text)).await;
                Ok(())
            }
            Step::Screenshot => self.act(words(StepKind::Read, "Taking", "a screenshot"), call("screenshot", [])).await,
            Step::Snapshot => {
                let tree = self.read(words(StepKind::Read, "Reading", "the elements"), call("snapshot", ["-i".into()]));
                self.say(page::fenced(&tree.await?.text)).await;
                Ok(())
            }
            Step::Help => {
                self.say(help::help()).await;
                Ok(())
            }
            Step::Unknown(sentence) => {
                self.say(help::not_understood(&sentence)).await;
                Ok(())
            }
        }
    }

    async fn click(&self, target: Target) -> Result<(), Fault> {
        let selector = self.choose(find::to_click(&target)).await?;
        self.act(words(StepKind::Act, "Clicking", &target.name), call("click", [selector])).await
    }

    async fn fill(&self, field: String, value: String) -> Result<(), Fault> {
        let selector = self.choose(find::to_fill(&field)).await?;
        self.act(words(StepKind::Act, "Typing into", &field), call("fill", [selector, value])).await
    }

    async fn fill_form(&self) -> Result<(), Fault> {
        let forms = self.read(words(StepKind::Read, "Reading", "the forms"), call("forms", [])).await?;
        let entries = test_data::entries(&forms.data.unwrap_or_default());
        if entries.is_empty() {
            self.say("This page has no form with empty fields that I can fill.\n".to_owned()).await;
            return Ok(());
        }
        let count = entries.len();
        for test_data::Entry { command, selector, value, name } in entries {
            self.act(words(StepKind::Act, "Typing into", &name), call(command, [selector, value])).await?;
        }
        self.say(format!("Filled {count} field(s) with test data. Nothing was sent.\n")).await;
        Ok(())
    }

    async fn scroll(&self, scroll: Scroll) -> Result<(), Fault> {
        let (object, call) = match scroll {
            Scroll::By(Direction::Down) => ("down".to_owned(), call("press", ["PageDown".into()])),
            Scroll::By(Direction::Up) => ("up".to_owned(), call("press", ["PageUp".into()])),
            Scroll::By(Direction::Top) => ("to the top".to_owned(), call("press", ["Control+Home".into()])),
            Scroll::By(Direction::Bottom) => ("to the bottom".to_owned(), call("scroll", [])),
            Scroll::To(place) => (format!("to {place}"), call("scroll", [find::by_text(&place)])),
        };
        self.act(words(StepKind::Act, "Scrolling", &object), call).await
    }

    async fn summarise(&self, title: &str) -> Result<(), Fault> {
        let text = self.read(words(StepKind::Read, "Reading", "the page"), call("text", [])).await?;
        // The headings are optional: a page without a snapshot is still summarised.
        let tree = match self.tools.run(call("snapshot", []), self.cancel.clone()).await {
            Ok(tree) => tree.text,
            Err(fault) if self.cancel.is_cancelled() => return Err(fault),
            Err(_) => String::new(),
        };
        self.say(page::summary(title, &text.text, &tree)).await;
        Ok(())
    }

    /// Returns the first selector that matches one visible element, or else the last one. Looking is a read-only
    /// command, so the person is not asked about actions that will not happen, and nothing is done twice.
    async fn choose(&self, mut selectors: Vec<String>) -> Result<String, Fault> {
        let last = selectors.pop().unwrap_or_default();
        for selector in selectors {
            let look = call("is", ["visible".to_owned(), selector.clone()]);
            match self.tools.run(look, self.cancel.clone()).await {
                Ok(answer) if answer.text.trim() == "true" => return Ok(selector),
                Ok(_) => {}
                Err(fault) if matches!(fault.code, FaultCode::NotFound | FaultCode::Element | FaultCode::Timeout) => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(last)
    }

    async fn act(&self, words: StepWords, call: ToolCall) -> Result<(), Fault> {
        self.read(words, call).await.map(drop)
    }

    /// Runs one call and reports it as a step.
    async fn read(&self, words: StepWords, call: ToolCall) -> Result<ToolResult, Fault> {
        let step_id = StepId::random();
        let arguments = serde_json::Value::from(call.args.clone()).to_string();
        self.tell(AgentEvent::StepStarted {
            step_id: step_id.clone(),
            words,
            tool: call.command.clone(),
            arguments: clip(&arguments, STEP_BYTES),
        })
        .await;
        let call = ToolCall { typed: self.is_one.load(Ordering::Relaxed), ..call };
        let done = self.tools.run(call, self.cancel.clone()).await;
        let (outcome, result, images) = match &done {
            Ok(result) => (StepOutcome::Ok, clip(&result.text, STEP_BYTES), result.images.clone()),
            Err(fault) => (self.outcome_of(fault), clip(&fault.message, STEP_BYTES), Vec::new()),
        };
        self.tell(AgentEvent::StepDone { step_id, outcome, result, images }).await;
        done
    }

    fn outcome_of(&self, fault: &Fault) -> StepOutcome {
        match fault.code {
            FaultCode::Denied => StepOutcome::Denied,
            FaultCode::OutcomeUnknown => StepOutcome::Unknown,
            _ if self.cancel.is_cancelled() => StepOutcome::Unknown,
            _ => StepOutcome::Failed,
        }
    }

    async fn say(&self, markdown: String) {
        self.tell(AgentEvent::TextStarted).await;
        self.tell(AgentEvent::TextDelta(markdown)).await;
    }

    async fn tell(&self, event: AgentEvent) {
        if self.events.send(event).await.is_err() {
            tracing::debug!("nobody listens to the built-in agent");
        }
    }
}

fn words(kind: StepKind, verb: &str, object: &str) -> StepWords {
    let object = one_line(object, 120);
    // These phrases are the registry's own.
    let (code, has_value) = match (verb, object.as_str()) {
        ("Going", way) => (format!("go_{way}"), false),
        ("Reloading", _) => ("reload_the_page".to_owned(), false),
        ("Reading", "the elements") => ("look_at_the_page".to_owned(), false),
        ("Reading", what) => (format!("read_{}", what.replace(' ', "_")), false),
        ("Taking", _) => ("take_a_screenshot".to_owned(), false),
        ("Opening", _) => ("open_url".to_owned(), true),
        ("Clicking", _) => ("click_sel".to_owned(), true),
        ("Typing into", _) => ("fill_sel".to_owned(), true),
        ("Pressing", _) => ("press_key".to_owned(), true),
        _ => (String::new(), false),
    };
    let values = if has_value { vec![object.clone()] } else { Vec::new() };
    let phrase = (!code.is_empty()).then_some(LocalizedPhrase { code, values });
    StepWords { kind, verb: verb.to_owned(), object, phrase }
}

fn call<const N: usize>(command: &str, args: [String; N]) -> ToolCall {
    ToolCall { command: command.to_owned(), args: args.into(), ..ToolCall::default() }
}
