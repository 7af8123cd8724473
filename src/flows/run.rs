//! A run: each step in order, and a report of it.
//!
//! Acts only through browser commands, so the caller's policy holds. At the first step that does not do what it says, its
//! follower decides.

use super::error::FlowError;
use super::file::{Flow, Step};
use super::fill::{Values, filled, values};
use super::folders::Found;
use super::heal::Change;
use super::journal::{Journal, Runs, State};
use super::report::{Next, Outcome, Report, StepReport};
use super::sites::{self, Sites};
use super::step_run::{Healed, Onward, StepRun, Stop};
use super::tabs::Tabs;
use super::words::{self, Places};
use gstack_base::clock;
use gstack_command::words::Words;
use gstack_protocol::command::{ActsOn, CommandResult};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use std::path::PathBuf;

/// How long a step waits for its element, in seconds.
const TIMEOUT: u32 = 10;
/// Where a command of a flow acts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// `None`: the tab that the caller's commands act in.
    pub tab: Option<TabId>,
    /// The sites that it may act on. `None`: it only reads, or opens an address.
    pub acts_on: Option<ActsOn>,
}

/// Runs one browser command for a flow.
pub trait Commands {
    /// Sends a command with its words, and returns its result. A command that may not act on every site must be sent with
    /// its sites.
    fn run(&self, command: &str, words: Vec<String>, at: &At) -> impl Future<Output = Result<CommandResult, Fault>>;
}

/// Follows a run, and decides how it goes on after a step that did not end as the flow says.
pub trait Follower {
    /// A step begins.
    fn begins(&mut self, step: &Begun) -> impl Future<Output = ()>;
    /// The step has ended.
    fn ended(&mut self, report: &StepReport) -> impl Future<Output = ()>;
    /// Decides after a step that is not done. Asked again if what the step waits for is not there after [`Next::ByHand`].
    fn next(&mut self, report: &StepReport) -> impl Future<Output = Next>;
    /// Asks an agent that can do nothing meanwhile, with [`INSTRUCTIONS`](super::INSTRUCTIONS), and returns its answer.
    fn ask(&mut self, _question: String) -> impl Future<Output = Result<String, Fault>> + Send {
        std::future::ready(Err(Fault::new(FaultCode::BadRequest, "this run asks no agent")))
    }
    /// Shows a healed line. If the person approves it, writes it by [`keep`](super::keep) and returns true.
    fn approve(&mut self, _change: &Change) -> impl Future<Output = Result<bool, Fault>> + Send {
        std::future::ready(Ok(false))
    }
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

/// What a caller wants of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The values that it sets.
    pub set: Values,
    /// The first step, from 1. Without it: the first one, unless an earlier run was cut off.
    pub from: Option<usize>,
    /// How long a step waits for its element, in seconds; 10 if it is absent.
    pub timeout: Option<u32>,
    /// A folder for pictures before and after each step that acts.
    pub pictures: Option<PathBuf>,
}

/// Runs a flow.
///
/// # Errors
///
/// Fails before the first step if the flow may not run, its values do not fit, or an earlier run was cut off.
pub async fn run(
    runs: &Runs,
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
    let act_told = |step: usize| {
        let step = step.checked_sub(1).and_then(|at| flow.steps.get(at)).cloned().unwrap_or_default();
        Step { wait: None, ..step }.told()
    };
    let places = sites::of_steps(&steps);
    let begins_here = |(step, sites): (&Step, &Option<Sites>)| {
        !opens_address(step) && sites.as_ref().is_some_and(|sites| sites.start)
    };
    let needs_start = steps.iter().zip(&places).skip(first - 1).any(begins_here);
    let mut journal = Journal::begin(runs, found, &id, wanted.from, act_told)?;
    let mut tabs = Tabs::new(commands, needs_start);
    let started_at = clock::now_millis();
    let mut reports = Vec::new();
    let mut text = found.text.clone();
    let each = flow.steps.iter().zip(&steps).zip(places).enumerate().skip(first - 1);
    let mut each = each.map(|(at, ((in_file, step), sites))| (at, in_file.clone(), step.clone(), sites, None));
    let mut again = None;
    while let Some((at, in_file, step, sites, healed)) = again.take().or_else(|| each.next()) {
        let step = &step;
        let began = clock::now_millis();
        let told = in_file.told();
        follower.begins(&Begun { step: at + 1, act: step.act.clone(), told: told.clone(), words: step.words() }).await;
        let mut run = StepRun {
            commands,
            tabs: &mut tabs,
            sites: sites.clone().unwrap_or_default(),
            at: At::default(),
            journal: &mut journal,
            number: at + 1,
            limit: u64::from(wanted.timeout.unwrap_or(TIMEOUT)) * 1000,
            pictures: wanted.pictures.as_deref().filter(|_| step.act.is_some()),
            before: None,
            element: None,
            candidates: Vec::new(),
            lost: None,
            open_before: Vec::new(),
        };
        let ended = run.step(step).await?;
        let after = run.picture("after").await;
        let (outcome, message, hint) = match ended {
            Ok(()) => (Outcome::Done, None, None),
            Err(Stop { outcome, message, hint }) => (outcome, Some(message), hint),
        };
        let millis = clock::now_millis().saturating_sub(began);
        let (element, candidates) = (run.element.take(), std::mem::take(&mut run.candidates));
        let before = run.before.take();
        let can_heal = outcome == Outcome::Failed && run.lost.is_some();
        let mut report = StepReport {
            step: at + 1,
            told,
            outcome,
            millis,
            element,
            candidates,
            before,
            after,
            message,
            hint,
            next: None,
            healed,
            can_heal,
        };
        follower.ended(&report).await;
        if outcome != Outcome::Done {
            match run.go_on((&in_file, step), &mut report, follower, (&text, &values)).await {
                Onward::Stop => {}
                Onward::Next(next) => report.next = Some(next),
                Onward::Healed(healed) => {
                    let Healed { in_file: new, step, change } = *healed;
                    journal.healed(&change.after)?;
                    text = change.after;
                    again = Some((at, new, step, sites, Some(in_file.to_text())));
                    continue;
                }
            }
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

/// Returns each step in words with the values of a run, as a person approves them.
///
/// # Errors
///
/// Fails if the flow cannot run with these values.
pub fn plan(found: &Found, set: &Values) -> Result<Vec<String>, FlowError> {
    let flow = found.flow()?;
    found.check_seen()?;
    let values = values(&flow, set).map_err(FlowError::Values)?;
    let steps = prepared(&flow, &values)?;
    Ok(steps.iter().enumerate().map(|(at, step)| format!("{}. {}", at + 1, step.told())).collect())
}

/// Whether a step acts on no page: it only opens an address.
pub(crate) fn opens_address(step: &Step) -> bool {
    step.url.is_some()
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
