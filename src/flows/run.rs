//! A run: each step in order, and a report of it.
//!
//! Owns the order: find the element, note the act, send it, note its outcome, wait for the step's conditions. Acts only
//! through browser commands, so the caller's policy holds. At the first step that does not do what it says, its follower
//! decides. Never tries an act twice.

use super::choose::{Candidate, Choice, choose};
use super::error::FlowError;
use super::file::{Element, Flow, Step};
use super::fill::{Values, filled, values};
use super::folders::Found;
use super::journal::{Journal, State};
use super::tree::Tree;
use super::words::{self, Places};
use gstack_base::clock;
use gstack_base::home::Home;
use gstack_command::words::Words;
use gstack_command::{Spec, envelope};
use gstack_protocol::command::CommandResult;
use gstack_protocol::fault::{Fault, FaultCode};
use serde::Serialize;

/// How long a step waits for its element, in seconds.
const TIMEOUT: u32 = 10;
/// How long it waits if the page has one that is much like it, in milliseconds.
const SHORT_WAIT: u64 = 2000;
/// The commands that a run reads the page with.
const LOOK: &str = "snapshot";
const LOOK_AT: &str = "attrs";

/// Runs one browser command for a flow.
pub trait Commands {
    /// Sends a command with its words, and returns its result.
    fn run(&self, command: &str, words: Vec<String>) -> impl Future<Output = Result<CommandResult, Fault>>;
}

/// Follows a run, and decides how it goes on after a step that did not end as the flow says.
pub trait Follower {
    /// A step begins.
    fn begins(&mut self, step: &Begun) -> impl Future<Output = ()>;
    /// The step has ended.
    fn ended(&mut self, report: &StepReport) -> impl Future<Output = ()>;
    /// Decides after a step that is not done. Asked again if what the step waits for is not there after [`Next::ByHand`].
    fn next(&mut self, report: &StepReport) -> impl Future<Output = Next>;
}

/// A step that begins.
#[derive(Clone, Debug)]
pub struct Begun {
    /// From 1.
    pub step: usize,
    /// The browser command; `None` if the step only waits.
    pub act: Option<String>,
    /// The step in words, without the values of parameters.
    pub told: String,
    /// The step as gstack describes its command, with its values; `None` if that is not possible.
    pub words: Option<Words>,
}

/// How a run goes on after a step that is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Next {
    /// It does not.
    Stop,
    /// With the step after it.
    Skip,
    /// With the step after it, because the person has done this one: the run waits for the step's conditions.
    ByHand,
}

/// What a caller wants of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The values that it sets.
    pub set: Values,
    /// The first step, from 1. Without it: the first one, unless an earlier run was cut off.
    pub from: Option<usize>,
    /// How long a step waits for its element, in seconds; 10 if it is absent.
    pub timeout: Option<u32>,
}

/// How a run or a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// As the flow says.
    Done,
    /// Nothing was done: the element was not found, or the browser refused.
    Failed,
    /// It was done, but a condition of the step did not become true.
    Unmet,
    /// It may have been done.
    Unknown,
}

/// A step of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepReport {
    /// From 1.
    pub step: usize,
    /// The step in words, without the values of parameters.
    pub told: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took.
    pub millis: u64,
    /// The element that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<Candidate>,
    /// Elements that might be meant, if none was used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// Why it did not end as the flow says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How the run went on although the step was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The flow's name.
    pub flow: String,
    /// Its file.
    pub file: std::path::PathBuf,
    /// Identifies the run.
    pub run: String,
    /// How it ended: as its last step did, unless the person went on after that one.
    pub outcome: Outcome,
    /// In milliseconds since 1970.
    pub started_at: u64,
    /// How long it took.
    pub millis: u64,
    /// How many steps the flow has.
    pub of: usize,
    /// The steps that ran.
    pub steps: Vec<StepReport>,
}

/// Runs a flow.
///
/// # Errors
///
/// Fails before the first step if the flow may not run, its values do not fit, or an earlier run was cut off.
pub async fn run(
    home: &Home,
    found: &Found,
    wanted: &Wanted,
    commands: &impl Commands,
    follower: &mut impl Follower,
) -> Result<Report, FlowError> {
    let flow = found.flow()?;
    found.check_seen()?;
    let values = values(&flow, &wanted.set).map_err(FlowError::Values)?;
    let first = wanted.from.unwrap_or(1);
    if first == 0 || first > flow.steps.len() {
        return Err(FlowError::NoStep(first));
    }
    // Before the first act: a value that does not fit must not stop a run halfway.
    let steps = prepared(&flow, &values)?;
    let id = uuid::Uuid::new_v4().to_string();
    let told = |step: usize| step.checked_sub(1).and_then(|at| flow.steps.get(at)).map(Step::told).unwrap_or_default();
    let act_told = |step: usize| {
        let step = step.checked_sub(1).and_then(|at| flow.steps.get(at)).cloned().unwrap_or_default();
        Step { wait: None, ..step }.told()
    };
    let mut journal = Journal::begin(home, found, &id, wanted.from, act_told)?;
    let started_at = clock::now_millis();
    let mut reports = Vec::new();
    for (at, step) in steps.iter().enumerate().skip(first - 1) {
        let began = clock::now_millis();
        follower.begins(&Begun { step: at + 1, act: step.act.clone(), told: told(at + 1), words: step.words() }).await;
        let mut run = StepRun {
            commands,
            journal: &mut journal,
            number: at + 1,
            limit: u64::from(wanted.timeout.unwrap_or(TIMEOUT)) * 1000,
            element: None,
            candidates: Vec::new(),
        };
        let ended = run.step(step).await?;
        let (outcome, message, hint) = match ended {
            Ok(()) => (Outcome::Done, None, None),
            Err(Stop { outcome, message, hint }) => (outcome, Some(message), hint),
        };
        let millis = clock::now_millis().saturating_sub(began);
        let told = told(at + 1);
        let (element, candidates) = (run.element.take(), std::mem::take(&mut run.candidates));
        let mut report =
            StepReport { step: at + 1, told, outcome, millis, element, candidates, message, hint, next: None };
        follower.ended(&report).await;
        if outcome != Outcome::Done {
            report.next = run.go_on(step, &mut report, follower).await;
        }
        let stops = outcome != Outcome::Done && report.next.is_none();
        reports.push(report);
        if stops {
            break;
        }
        if outcome != Outcome::Done {
            // It is the person's: a run after a crash does not ask about it again.
            journal.note(at + 1, State::Passed)?;
        }
    }
    journal.end()?;
    Ok(Report {
        flow: found.name.clone(),
        file: found.file.clone(),
        run: id,
        outcome: reports.last().filter(|last| last.next.is_none()).map_or(Outcome::Done, |last| last.outcome),
        started_at,
        millis: clock::now_millis().saturating_sub(started_at),
        of: flow.steps.len(),
        steps: reports,
    })
}

/// Fills the values into every step, and checks what they make of it.
fn prepared(flow: &Flow, values: &Values) -> Result<Vec<Step>, FlowError> {
    let prepare = |(at, step): (usize, &Step)| {
        let filled = filled(step, values)?;
        if let Some(spec) = filled.act.as_deref().map(words::spec).transpose()? {
            let element = filled.element().filter(|_| words::takes_element(spec));
            let places = Places { element: element.as_ref().map(|_| "@e1"), to: filled.to.as_ref().map(|_| "@e1") };
            words::words(spec, &filled, places).map_err(|why| format!("step {}: {why}", at + 1))?;
        }
        Ok(filled)
    };
    let steps: Result<Vec<Step>, String> = flow.steps.iter().enumerate().map(prepare).collect();
    steps.map_err(FlowError::Values)
}

/// Why a run stops.
struct Stop {
    outcome: Outcome,
    message: String,
    hint: Option<String>,
}

impl Stop {
    fn of(fault: Fault) -> Self {
        let outcome = if fault.code == FaultCode::OutcomeUnknown { Outcome::Unknown } else { Outcome::Failed };
        Self { outcome, message: fault.message, hint: fault.hint }
    }
}

struct StepRun<'a, C> {
    commands: &'a C,
    journal: &'a mut Journal,
    number: usize,
    /// How long it waits for an element, in milliseconds.
    limit: u64,
    element: Option<Candidate>,
    candidates: Vec<Candidate>,
}

impl<C: Commands> StepRun<'_, C> {
    async fn step(&mut self, step: &Step) -> Result<Result<(), Stop>, FlowError> {
        if let Some(act) = &step.act
            && let Err(stop) = self.act(act, step).await?
        {
            return Ok(Err(stop));
        }
        Ok(self.wait(step).await)
    }

    /// Waits for the conditions of a step, whose act was done.
    async fn wait(&self, step: &Step) -> Result<(), Stop> {
        let Some((command, words)) = step.wait.as_ref().and_then(words::wait) else { return Ok(()) };
        let waited = self.commands.run(command, words).await;
        let next = || {
            let hint = format!("The act was done. To go on after you looked: --from {}", self.number + 1);
            step.act.is_some().then_some(hint)
        };
        waited.map(|_| ()).map_err(|fault| Stop { outcome: Outcome::Unmet, message: fault.message, hint: next() })
    }

    /// Lets the follower decide after a step that is not done. Returns `None` if the run stops.
    async fn go_on(&self, step: &Step, report: &mut StepReport, follower: &mut impl Follower) -> Option<Next> {
        loop {
            match follower.next(report).await {
                Next::Stop => return None,
                Next::Skip => return Some(Next::Skip),
                Next::ByHand => match self.wait(step).await {
                    Ok(()) => return Some(Next::ByHand),
                    Err(Stop { outcome, message, hint }) => {
                        (report.outcome, report.message, report.hint) = (outcome, Some(message), hint);
                        report.candidates.clear();
                    }
                },
            }
        }
    }

    async fn act(&mut self, act: &str, step: &Step) -> Result<Result<(), Stop>, FlowError> {
        let spec = match words::spec(act) {
            Ok(spec) => spec,
            Err(why) => return Err(FlowError::Values(why)),
        };
        let words = match self.words(spec, step).await {
            Ok(words) => words,
            Err(stop) => return Ok(Err(stop)),
        };
        self.journal.note(self.number, State::Sends)?;
        let outcome = self.commands.run(spec.name, words).await.map_err(Fault::of_writer);
        let state = match &outcome {
            Ok(_) => State::Done,
            Err(fault) if fault.code == FaultCode::OutcomeUnknown => State::Unknown,
            Err(_) => State::Failed,
        };
        self.journal.note(self.number, state)?;
        Ok(outcome.map(|_| ()).map_err(Stop::of))
    }

    /// Finds the elements of a step and returns the words of its command.
    async fn words(&mut self, spec: &'static Spec, step: &Step) -> Result<Vec<String>, Stop> {
        let element = match step.element().filter(|_| words::takes_element(spec)) {
            Some(element) => Some(self.find(&element).await?),
            None => None,
        };
        let to = match &step.to {
            Some(to) => Some(self.find(to).await?),
            None => None,
        };
        if let Some(element) = &element
            && words::types(spec)
        {
            self.refuse_password(element).await?;
        }
        let places = Places { element: element.as_deref(), to: to.as_deref() };
        words::words(spec, step, places).map_err(|message| Stop { outcome: Outcome::Failed, message, hint: None })
    }

    /// A password in a flow would be in a file, in the process list and in the shell's history.
    async fn refuse_password(&self, element: &str) -> Result<(), Stop> {
        let attributes =
            self.commands.run(LOOK_AT, vec!["--".to_owned(), element.to_owned()]).await.map_err(Stop::of)?;
        let kind = attributes.data.as_ref().and_then(|data| data.get("type")?.as_str());
        if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("password")) {
            return Ok(());
        }
        Err(Stop {
            outcome: Outcome::Failed,
            message: "a flow does not type into a password field".to_owned(),
            hint: Some(
                "Save the sign-in with `gstack auth save NAME`, and use a step { act = \"sign-in\", name = \"NAME\" }."
                    .to_owned(),
            ),
        })
    }

    /// Returns the ref or the selector of the described element.
    async fn find(&mut self, element: &Element) -> Result<String, Stop> {
        if let Some(selector) = &element.selector {
            return Ok(selector.clone());
        }
        let mut choice = self.look(element).await?;
        if !matches!(choice, Choice::One(_, true)) {
            // The page may still be loading: what is only much like the element may be replaced by the element itself.
            let limit = if matches!(choice, Choice::None(_)) { self.limit } else { self.limit.min(SHORT_WAIT) };
            if let Some((command, words)) = words::wait_for(element, limit) {
                // Whether it came or not, the page is looked at again.
                match self.commands.run(command, words).await {
                    Err(fault) if fault.code != FaultCode::Timeout && fault.code != FaultCode::Element => {
                        return Err(Stop::of(fault));
                    }
                    _ => {}
                }
                choice = self.look(element).await?;
            }
        }
        let (candidates, message) = match choice {
            Choice::One(found, _) => {
                let reference = found.reference.clone();
                self.element.get_or_insert(found);
                return Ok(reference);
            }
            Choice::Several(several) => (several, format!("several elements could be {}", element.told())),
            Choice::None(best) => (best, format!("there is no {}", element.told())),
        };
        self.candidates = candidates;
        let hint = match self.candidates.is_empty() {
            true => format!("Look at the page. Then correct the step, and go on with --from {}", self.number),
            false => format!("Correct the step's name, near or nth in the file, and go on with --from {}", self.number),
        };
        Err(Stop { outcome: Outcome::Failed, message, hint: Some(hint) })
    }

    async fn look(&self, element: &Element) -> Result<Choice, Stop> {
        let look = |words: Vec<String>| async {
            let seen = self.commands.run(LOOK, words).await.map_err(Stop::of)?;
            let more = seen.data.as_ref().and_then(|data| data.get("more")?.as_u64()).unwrap_or_default();
            Ok::<_, Stop>((Tree::read(&envelope::unwrapped(&seen.output)), more))
        };
        let (tree, more) = look(vec!["-C".to_owned()]).await?;
        if more == 0 {
            return Ok(choose(&tree, element));
        }
        // The page is too long for one look: the lines with the element's own name, and what is around them.
        let name = element.name.clone().unwrap_or_default();
        let (tree, more) = look(vec!["--search".to_owned(), name]).await?;
        match choose(&tree, element) {
            // Another one may be among those that are missing.
            Choice::One(found, _) if more > 0 => Ok(Choice::Several(vec![found])),
            choice => Ok(choice),
        }
    }
}
