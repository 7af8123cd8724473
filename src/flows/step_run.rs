//! One step of a run: note its act, send it, note its outcome, and wait for the step's conditions.
//!
//! Owns this order. Never tries an act twice.

use super::choose::Candidate;
use super::error::FlowError;
use super::file::Step;
use super::fill::{Values, filled};
use super::heal::{self, Change, Lost};
use super::journal::{Journal, State};
use super::report::{Next, Outcome, StepReport};
use super::run::{At, Commands, Follower, opens_address};
use super::sites::{FIRST_TAB, Sites};
use super::tabs::Tabs;
use super::words;
use gstack_protocol::command::CommandResult;
use gstack_protocol::effects::Effect;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use std::path::Path;

const PICTURE: &str = "screenshot";

/// How a run goes on after a step that is not done.
pub(crate) enum Onward {
    Stop,
    Next(Next),
    Healed(Box<Healed>),
}

/// The same step, whose line in the file is another one now.
pub(crate) struct Healed {
    pub(crate) in_file: Step,
    /// With its values.
    pub(crate) step: Step,
    pub(crate) change: Change,
}

/// Why a run stops.
pub(crate) struct Stop {
    pub(crate) outcome: Outcome,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Stop {
    pub(crate) fn of(fault: Fault) -> Self {
        let outcome = if fault.code == FaultCode::OutcomeUnknown { Outcome::Unknown } else { Outcome::Failed };
        Self { outcome, message: fault.message, hint: fault.hint }
    }
    pub(crate) fn failed(message: String) -> Self {
        Self { outcome: Outcome::Failed, message, hint: None }
    }
    pub(crate) fn hint(self, hint: &str) -> Self {
        Self { hint: Some(hint.to_owned()), ..self }
    }
}

pub(crate) struct StepRun<'a, 'b, C> {
    pub(crate) commands: &'a C,
    pub(crate) tabs: &'a mut Tabs<'b, C>,
    /// Those that the tab may show.
    pub(crate) sites: Sites,
    /// Where the step acts.
    pub(crate) at: At,
    pub(crate) journal: &'a mut Journal,
    pub(crate) number: usize,
    /// How long it waits for an element, in milliseconds.
    pub(crate) limit: u64,
    /// The folder of the step's pictures.
    pub(crate) pictures: Option<&'a Path>,
    pub(crate) before: Option<String>,
    pub(crate) element: Option<Candidate>,
    pub(crate) candidates: Vec<Candidate>,
    /// The element that its description does not find.
    pub(crate) lost: Option<Lost>,
    /// The tabs that were open before an act that opens one.
    pub(crate) open_before: Vec<TabId>,
}

impl<C: Commands> StepRun<'_, '_, C> {
    pub(crate) async fn step(&mut self, step: &Step) -> Result<Result<(), Stop>, FlowError> {
        let number = step.tab.unwrap_or(FIRST_TAB);
        self.at = match self.tabs.at(number, std::mem::take(&mut self.sites), step.frame.clone()).await {
            Ok(at) => at,
            Err(stop) => return Ok(Err(stop)),
        };
        if step.wait.as_ref().is_some_and(|wait| wait.tab.is_some()) {
            self.open_before = match self.tabs.before_opening(&mut self.at).await {
                Ok(open) => open,
                Err(stop) => return Ok(Err(stop)),
            };
        }
        let mut effects = Vec::new();
        if let Some(act) = &step.act {
            match self.act(act, step).await? {
                Ok(done) => effects = done.effects,
                Err(stop) => return Ok(Err(stop)),
            }
        }
        Ok(self.wait(step, effects).await)
    }

    /// Waits for the conditions of a step, whose act was done and had these effects.
    async fn wait(&mut self, step: &Step, effects: Vec<Effect>) -> Result<(), Stop> {
        let hint = format!("The act was done. To go on after you looked: --from {}", self.number + 1);
        let next = step.act.is_some().then_some(hint);
        let wait = step.wait.clone().unwrap_or_default();
        let waited = async {
            if let Some((command, words)) = words::wait(&wait) {
                self.read(command, words).await?;
            }
            match &wait.tab {
                Some(pattern) => {
                    let open = self.open_before.clone();
                    self.tabs.wait_for_opened((pattern, wait.seconds), &self.at, (open, effects)).await
                }
                None => Ok(()),
            }
        };
        waited.await.map_err(|stop| Stop { outcome: Outcome::Unmet, hint: next, ..stop })
    }

    /// Lets the follower decide after a step that is not done. `text`: the flow's file, which is filled in by `values`.
    pub(crate) async fn go_on(
        &mut self,
        (in_file, step): (&Step, &Step),
        report: &mut StepReport,
        follower: &mut impl Follower,
        (text, values): (&str, &Values),
    ) -> Onward {
        loop {
            match follower.next(report).await {
                Next::Stop => return Onward::Stop,
                Next::Skip => return Onward::Next(Next::Skip),
                Next::Heal => match self.heal(in_file, report, follower, (text, values)).await {
                    Ok(Some(healed)) => return Onward::Healed(Box::new(healed)),
                    Ok(None) => {}
                    Err(Stop { message, hint, .. }) => (report.message, report.hint) = (Some(message), hint),
                },
                Next::ByHand => match self.wait(step, Vec::new()).await {
                    Ok(()) => return Onward::Next(Next::ByHand),
                    Err(Stop { outcome, message, hint }) => {
                        (report.outcome, report.message, report.hint) = (outcome, Some(message), hint);
                        report.candidates.clear();
                        report.can_heal = false;
                    }
                },
            }
        }
    }

    /// Lets an agent describe the step's element, and the person approve that. Returns `None` if they do not. It never acts.
    async fn heal(
        &mut self,
        in_file: &Step,
        report: &StepReport,
        follower: &mut impl Follower,
        (text, values): (&str, &Values),
    ) -> Result<Option<Healed>, Stop> {
        let Some(lost) = self.lost.filter(|_| report.can_heal) else {
            return Err(Stop::failed("another description of its element would not help this step".to_owned()));
        };
        let hint = "Correct the step in the file, or do it yourself.";
        let failed = |why: String| Stop::failed(format!("it is not healed: {why}")).hint(hint);
        let page = self.page().await?;
        let why = report.message.clone().unwrap_or_default();
        let answer = follower.ask(heal::question(in_file, lost, &why, &page)).await.map_err(Stop::of)?;
        let new = heal::described(&answer, &lost.of(in_file)).map_err(failed)?;
        let in_file = lost.described(in_file, new);
        let step = filled(&in_file, values).map_err(failed)?;
        let element = self.only(&lost.of(&step)).await?.ok_or_else(|| {
            failed("the page has no such element, or several, so the agent's answer is not used".to_owned())
        })?;
        let change = heal::change(text, self.number - 1, &in_file, element).map_err(failed)?;
        let approved = follower.approve(&change).await.map_err(Stop::of)?;
        Ok(approved.then_some(Healed { in_file, step, change }))
    }

    /// Takes a picture of the step's tab, and returns its file. A page that cannot be shown now has none.
    pub(crate) async fn picture(&self, when: &str) -> Option<String> {
        let folder = self.pictures?;
        let name = format!("{:02}-{when}.png", self.number);
        let path = folder.join(&name).to_str()?.to_owned();
        self.read(PICTURE, vec!["--viewport".to_owned(), "--".to_owned(), path]).await.ok().map(|_| name)
    }

    /// Runs a command that acts on nothing, in the step's tab.
    pub(crate) async fn read(&self, command: &str, words: Vec<String>) -> Result<CommandResult, Stop> {
        self.commands.run(command, words, &At { acts_on: None, ..self.at.clone() }).await.map_err(Stop::of)
    }

    async fn act(&mut self, act: &str, step: &Step) -> Result<Result<CommandResult, Stop>, FlowError> {
        let spec = match words::spec(act) {
            Ok(spec) => spec,
            Err(why) => return Err(FlowError::Values(why)),
        };
        if opens_address(step) {
            self.at.acts_on = None;
        }
        let (spec, words) = match self.words(spec, step).await {
            Ok(words) => words,
            Err(stop) => return Ok(Err(stop)),
        };
        self.before = self.picture("before").await;
        if opens_address(step) {
            return Ok(self.commands.run(spec.name, words, &self.at).await.map_err(Stop::of));
        }
        self.journal.note(self.number, State::Sends)?;
        let outcome = self.commands.run(spec.name, words, &self.at).await.map_err(Fault::of_writer);
        let state = match &outcome {
            Ok(_) => State::Done,
            Err(fault) if fault.code == FaultCode::OutcomeUnknown => State::Unknown,
            Err(_) => State::Failed,
        };
        self.journal.note(self.number, state)?;
        let is_gone = matches!(&outcome, Err(fault) if fault.code == FaultCode::Element);
        // A selector is looked for by the act itself.
        self.lost = (is_gone && step.selector.is_some()).then_some(Lost::Element);
        Ok(outcome.map_err(Stop::of))
    }
}
