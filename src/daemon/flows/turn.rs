//! One run of a flow as a turn of a conversation: a line for each step, a card where the person decides, and its end.
//!
//! Owns what the conversation says of the run. The steps go through the conversation's own tools, as the commands that the
//! person types do.

use super::{message, question};
use gstack_agent::adapter::{AgentEvent, QuestionAsked, StepWords, ToolCall, ToolResult, Tools};
use gstack_agent::clip::{STEP_BYTES, clip, one_line};
use gstack_agent::in_process::End;
use gstack_base::counted::counted;
use gstack_base::home::Home;
use gstack_command::registry;
use gstack_engine::Engine;
use gstack_flows::{
    At, Begun, Change, Commands, FlowError, Follower, Found, Grant, INSTRUCTIONS, Next, Outcome, Report, Runs,
    StepReport, Values, Wanted, find, keep,
};
use gstack_protocol::chat::{QuestionPart, StepKind, StepOutcome, TurnOutcome};
use gstack_protocol::command::CommandResult;
use gstack_protocol::control::{AskAlone, AskedAlone};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::StepId;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// The longest line of a step, in bytes.
const LINE: usize = 120;

/// A turn that runs one flow.
pub(super) struct FlowTurn {
    pub(super) home: Home,
    /// The conversation's, in which a project's flows are looked for.
    pub(super) folder: PathBuf,
    pub(super) tools: Arc<dyn Tools>,
    pub(super) events: mpsc::Sender<AgentEvent>,
    pub(super) engine: Arc<OnceLock<Engine>>,
    pub(super) cancel: CancellationToken,
    /// Whether a person is there to be asked.
    pub(super) attended: AtomicBool,
}

impl FlowTurn {
    /// Runs the flow that a message names.
    pub(super) async fn run(&self, text: &str) -> End {
        let (outcome, fault) = match self.run_named(text).await {
            Ok(outcome) => (outcome, None),
            Err(_) if self.cancel.is_cancelled() => (TurnOutcome::Stopped, None),
            Err(fault) => (TurnOutcome::Failed, Some(fault)),
        };
        End { outcome, fault }
    }

    async fn run_named(&self, text: &str) -> Result<TurnOutcome, Fault> {
        let (name, rest) = message::named(text).ok_or_else(|| FlowError::BadName(text.to_owned()))?;
        if let Some(id) = message::scheduled(rest) {
            return self.run_granted(&Grant::read(&self.home, id)?).await;
        }
        let mut wanted = message::wanted(rest).map_err(FlowError::Values)?;
        let found = find(&self.home, &self.folder, name)?;
        let flow = found.flow()?;
        found.check_seen()?;
        let given = !wanted.set.is_empty();
        let is_known = wanted.set.keys().all(|name| flow.parameters.contains_key(name));
        let missing = if is_known { question::missing(&flow, &wanted.set) } else { Vec::new() };
        if !missing.is_empty() {
            let Some(values) = self.ask_values(missing).await else { return Ok(self.nothing_done().await) };
            wanted.set.extend(values);
        }
        let of = flow.steps.len();
        let report = match self.follow(&found, &wanted, of).await {
            Err(FlowError::CutOff { step, took_effect, message, hint }) => {
                let (asked, ways) = question::cut_off(&message, step, took_effect, of);
                let answer =
                    self.ask(vec![asked]).await.and_then(|answers| answers.into_iter().next()?.into_iter().next());
                let Some((_, from)) = ways.into_iter().find(|(label, _)| Some(label) == answer.as_ref()) else {
                    return match self.cancel.is_cancelled() {
                        true => Ok(TurnOutcome::Stopped),
                        false => Err(FlowError::CutOff { step, took_effect, message, hint }.into()),
                    };
                };
                wanted.from = Some(from);
                self.follow(&found, &wanted, of).await?
            }
            report => report?,
        };
        self.end_of(&report, given).await
    }

    /// Runs a scheduled flow, and tells the person how it ended.
    async fn run_granted(&self, grant: &Grant) -> Result<TurnOutcome, Fault> {
        let ended = self.run_unattended(grant).await;
        let said = match &ended {
            Ok(TurnOutcome::Done) => format!("{} is done", grant.flow),
            Ok(_) => format!("{} was stopped", grant.flow),
            Err(fault) => fault.message.clone(),
        };
        if let Some(engine) = self.engine.get() {
            engine.approvals().tell_flow_ended(&grant.id, &said).await;
        }
        ended
    }

    /// Nobody is asked: the run stops where a person would decide.
    async fn run_unattended(&self, grant: &Grant) -> Result<TurnOutcome, Fault> {
        let found = find(&self.home, Path::new("/"), grant.file.to_str().unwrap_or_default())?;
        grant.check(&found)?;
        self.attended.store(false, Ordering::Relaxed);
        let wanted = Wanted { set: grant.set.clone(), ..Wanted::default() };
        let report = self.follow(&found, &wanted, found.flow()?.steps.len()).await?;
        self.end_of(&report, !grant.set.is_empty()).await
    }

    async fn follow(&self, found: &Found, wanted: &Wanted, of: usize) -> Result<Report, FlowError> {
        let sender = Sender { tools: Arc::clone(&self.tools), cancel: self.cancel.clone() };
        let mut lines = Lines { turn: self, found, of, step: StepId::random(), agent: String::new() };
        gstack_flows::run(&Runs::of(&self.home), found, wanted, &sender, &mut lines).await
    }

    /// Asks for values. Returns `None` if the person gives none.
    async fn ask_values(&self, missing: Vec<(String, QuestionPart)>) -> Option<Values> {
        let (names, parts): (Vec<String>, Vec<QuestionPart>) = missing.into_iter().unzip();
        let answers = self.ask(parts).await.filter(|answers| answers.len() == names.len())?;
        Some(names.into_iter().zip(answers.into_iter().map(|words| words.join(", "))).collect())
    }

    /// Asks the person. Returns `None` if they do not answer or stop the turn.
    async fn ask(&self, parts: Vec<QuestionPart>) -> Option<Vec<Vec<String>>> {
        if !self.attended.load(Ordering::Relaxed) {
            return None;
        }
        let (answer, answered) = oneshot::channel();
        let request = StepId::random().as_str().to_owned();
        self.tell(AgentEvent::QuestionAsked(QuestionAsked { request, parts, answer })).await;
        tokio::select! {
            answers = answered => answers.ok(),
            () = self.cancel.cancelled() => None,
        }
    }

    async fn nothing_done(&self) -> TurnOutcome {
        if self.cancel.is_cancelled() {
            return TurnOutcome::Stopped;
        }
        self.say("Nothing was done: a value is missing.".to_owned()).await;
        TurnOutcome::Done
    }

    /// Says how far the run came. `given`: the message has values.
    async fn end_of(&self, report: &Report, given: bool) -> Result<TurnOutcome, Fault> {
        let Report { flow, of, outcome, .. } = report;
        if *outcome == Outcome::Done {
            self.say(summary(report)).await;
            return Ok(TurnOutcome::Done);
        }
        let Some(last) = report.steps.last() else { return Ok(TurnOutcome::Done) };
        let (step, why) = (last.step, last.message.as_deref().unwrap_or_default());
        let values = if given { ", with the same values" } else { "" };
        let next = if *outcome == Outcome::Unmet { (step + 1).min(*of) } else { step };
        let again = match outcome {
            Outcome::Unknown if step < *of => format!(
                "Look at the page. If step {step} took effect: /{flow} --from {}{values}. If not: /{flow} --from {step}{values}",
                step + 1
            ),
            Outcome::Unknown => {
                format!("Look at the page. If step {step} did not take effect: /{flow} --from {step}{values}")
            }
            Outcome::Unmet if step == *of => "It was the last step: look at the page".to_owned(),
            _ => format!("To go on: /{flow} --from {next}{values}"),
        };
        if self.cancel.is_cancelled() {
            let what = if *outcome == Outcome::Unknown { "It is not known whether that took effect. " } else { "" };
            self.say(format!("Stopped at step {step} of {of}. {what}{again}.")).await;
            return Ok(TurnOutcome::Stopped);
        }
        let (code, how) = match outcome {
            Outcome::Unmet => (FaultCode::Timeout, "after"),
            Outcome::Unknown => (FaultCode::OutcomeUnknown, "in"),
            Outcome::Done | Outcome::Failed => (FaultCode::Element, "at"),
        };
        Err(Fault::new(code, format!("{flow} stopped {how} step {step} of {of}: {why}")).hint(again))
    }

    async fn say(&self, markdown: String) {
        self.tell(AgentEvent::TextStarted).await;
        self.tell(AgentEvent::TextDelta(markdown)).await;
    }

    async fn tell(&self, event: AgentEvent) {
        if self.events.send(event).await.is_err() {
            tracing::debug!("nobody listens to a flow");
        }
    }
}

/// Sums up a run that reached the end. Has no word of a page or of the flow, because it is Markdown.
fn summary(report: &Report) -> String {
    let steps = |chosen: &dyn Fn(&StepReport) -> bool| {
        let numbers: Vec<String> =
            report.steps.iter().filter(|step| chosen(step)).map(|step| step.step.to_string()).collect();
        numbers.join(", ")
    };
    let done = report.steps.iter().filter(|step| step.outcome == Outcome::Done).count();
    let seconds = report.millis as f64 / 1000.0;
    let mut text = match done == report.of {
        true => format!("{} done in {seconds:.1} s, without a model.", counted(done, "step")),
        false => format!("{done} of {} done in {seconds:.1} s, without a model.", counted(report.of, "step")),
    };
    let first = report.steps.first().map_or(1, |step| step.step);
    if first > 1 {
        text.push_str(&format!(" Begun with step {first}."));
    }
    for (what, next) in [("Skipped", Next::Skip), ("Done by you", Next::ByHand)] {
        let numbers = steps(&|step| step.next == Some(next));
        if !numbers.is_empty() {
            text.push_str(&format!(" {what}: {numbers}."));
        }
    }
    text
}

/// Sends the commands of a flow as the person's own.
struct Sender {
    tools: Arc<dyn Tools>,
    cancel: CancellationToken,
}

impl Commands for Sender {
    async fn run(&self, command: &str, words: Vec<String>, at: &At) -> Result<CommandResult, Fault> {
        if self.cancel.is_cancelled() {
            return Err(Fault::new(FaultCode::Cancelled, "the run was stopped before it was sent"));
        }
        let At { tab, acts_on } = at.clone();
        let call = ToolCall { command: command.to_owned(), args: words, typed: true, tab, acts_on };
        match self.tools.run(call, self.cancel.clone()).await {
            Ok(ToolResult { text, data, files, .. }) => {
                Ok(CommandResult { output: text, data, files, ..CommandResult::default() })
            }
            // What was sent before the stop may have taken effect.
            Err(fault) if self.cancel.is_cancelled() && registry::find(command).is_some_and(|spec| spec.changes()) => {
                Err(Fault { code: FaultCode::OutcomeUnknown, message: "the run was stopped".to_owned(), ..fault })
            }
            Err(fault) => Err(fault),
        }
    }
}

/// Shows each step as a line of the conversation, and asks the person after one that is not done.
struct Lines<'a> {
    turn: &'a FlowTurn,
    found: &'a Found,
    /// How many steps the flow has.
    of: usize,
    /// The line of the current step.
    step: StepId,
    /// The agent that was asked last.
    agent: String,
}

impl Follower for Lines<'_> {
    async fn begins(&mut self, step: &Begun) {
        self.step = StepId::random();
        let words = match step.words.clone() {
            Some(words) => {
                let object = one_line(&words.object, LINE);
                StepWords { kind: words.kind, verb: words.verb, object, phrase: Some(words.phrase) }
            }
            None => StepWords::untranslated(StepKind::Act, "", one_line(&step.told, LINE)),
        };
        let tool = step.act.clone().unwrap_or_else(|| "wait".to_owned());
        let arguments = clip(&step.told, STEP_BYTES);
        self.turn.tell(AgentEvent::StepStarted { step_id: self.step.clone(), words, tool, arguments }).await;
    }

    async fn ended(&mut self, report: &StepReport) {
        let stopped = self.turn.cancel.is_cancelled();
        let outcome = match report.outcome {
            Outcome::Done => StepOutcome::Ok,
            Outcome::Failed if stopped => StepOutcome::NotSent,
            Outcome::Failed | Outcome::Unmet => StepOutcome::Failed,
            Outcome::Unknown => StepOutcome::Unknown,
        };
        let mut why = report.message.clone().unwrap_or_default();
        if report.outcome == Outcome::Unmet {
            why = format!("It was done, but what it waits for is not there: {why}");
        }
        for one in &report.candidates {
            let beside = if one.beside.is_empty() { String::new() } else { format!(", beside “{}”", one.beside) };
            why.push_str(&format!("\n[{}] “{}”{beside} (fits {:.2})", one.role, one.name, one.score));
        }
        let result = clip(&why, STEP_BYTES);
        let step_id = self.step.clone();
        self.turn.tell(AgentEvent::StepDone { step_id, outcome, result, images: Vec::new() }).await;
    }

    async fn next(&mut self, report: &StepReport) -> Next {
        if self.turn.cancel.is_cancelled() {
            return Next::Stop;
        }
        let answers = self.turn.ask(vec![question::after(report, self.of)]).await.unwrap_or_default();
        question::next(answers.first().and_then(|words| words.first()).map_or("", String::as_str))
    }

    async fn ask(&mut self, question: String) -> Result<String, Fault> {
        let engine = self.turn.engine.get().ok_or_else(|| Fault::new(FaultCode::Updating, "gstack is starting"))?;
        let asked = AskAlone { instructions: INSTRUCTIONS.to_owned(), prompt: question };
        let AskedAlone { agent, text } = tokio::select! {
            answer = engine.agents().ask_alone(asked) => answer?,
            () = self.turn.cancel.cancelled() => return Err(Fault::new(FaultCode::Cancelled, "the run was stopped")),
        };
        self.agent = agent;
        Ok(text)
    }

    async fn approve(&mut self, change: &Change) -> Result<bool, Fault> {
        let file = self.found.file.display().to_string();
        let answers = self.turn.ask(vec![question::healed(&self.agent, &file, change)]).await.unwrap_or_default();
        let approved = question::approves(answers.first().and_then(|words| words.first()).map_or("", String::as_str));
        if approved {
            keep(&self.turn.home, self.found, change)?;
        }
        Ok(approved)
    }
}
