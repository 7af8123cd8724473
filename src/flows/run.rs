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
use super::journal::{Journal, Runs, State};
use super::sites::{self, FIRST_TAB, Sites};
use super::tabs::{self, Tabs};
use super::tree::Tree;
use super::words::{self, Places};
use gstack_base::{clock, site};
use gstack_command::words::Words;
use gstack_command::{Spec, envelope};
use gstack_protocol::command::{ActsOn, CommandResult};
use gstack_protocol::effects::Effect;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How long a step waits for its element, in seconds.
const TIMEOUT: u32 = 10;
/// How long it waits if the page has one that is much like it, in milliseconds.
const SHORT_WAIT: u64 = 2000;
/// The commands that a run reads the page with.
const LOOK: &str = "snapshot";
const LOOK_AT: &str = "attrs";
const PICTURE: &str = "screenshot";
/// The command that tells an element's tag.
const SHAPE: &str = "inspect";

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
    /// A folder for pictures before and after each step that acts.
    pub pictures: Option<PathBuf>,
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
    /// The file of the picture before it acted, in the folder of pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The file of the picture after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
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
    pub file: PathBuf,
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
    let told = |step: usize| step.checked_sub(1).and_then(|at| flow.steps.get(at)).map(Step::told).unwrap_or_default();
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
    for (at, (step, sites)) in steps.iter().zip(places).enumerate().skip(first - 1) {
        let began = clock::now_millis();
        follower.begins(&Begun { step: at + 1, act: step.act.clone(), told: told(at + 1), words: step.words() }).await;
        let mut run = StepRun {
            commands,
            tabs: &mut tabs,
            sites: sites.unwrap_or_default(),
            at: At::default(),
            journal: &mut journal,
            number: at + 1,
            limit: u64::from(wanted.timeout.unwrap_or(TIMEOUT)) * 1000,
            pictures: wanted.pictures.as_deref().filter(|_| step.act.is_some()),
            before: None,
            element: None,
            candidates: Vec::new(),
            open_before: Vec::new(),
        };
        let ended = run.step(step).await?;
        let after = run.picture("after").await;
        let (outcome, message, hint) = match ended {
            Ok(()) => (Outcome::Done, None, None),
            Err(Stop { outcome, message, hint }) => (outcome, Some(message), hint),
        };
        let millis = clock::now_millis().saturating_sub(began);
        let told = told(at + 1);
        let (element, candidates) = (run.element.take(), std::mem::take(&mut run.candidates));
        let before = run.before.take();
        let next = None;
        let mut report =
            StepReport { step: at + 1, told, outcome, millis, element, candidates, before, after, message, hint, next };
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

/// Whether a step acts on no page: it only opens an address.
fn opens_address(step: &Step) -> bool {
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

/// Why a run stops.
pub(crate) struct Stop {
    outcome: Outcome,
    message: String,
    hint: Option<String>,
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

struct StepRun<'a, 'b, C> {
    commands: &'a C,
    tabs: &'a mut Tabs<'b, C>,
    /// Those that the tab may show.
    sites: Sites,
    /// Where the step acts.
    at: At,
    journal: &'a mut Journal,
    number: usize,
    /// How long it waits for an element, in milliseconds.
    limit: u64,
    /// The folder of the step's pictures.
    pictures: Option<&'a Path>,
    before: Option<String>,
    element: Option<Candidate>,
    candidates: Vec<Candidate>,
    /// The tabs that were open before an act that opens one.
    open_before: Vec<TabId>,
}

impl<C: Commands> StepRun<'_, '_, C> {
    async fn step(&mut self, step: &Step) -> Result<Result<(), Stop>, FlowError> {
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

    /// Lets the follower decide after a step that is not done. Returns `None` if the run stops.
    async fn go_on(&mut self, step: &Step, report: &mut StepReport, follower: &mut impl Follower) -> Option<Next> {
        loop {
            match follower.next(report).await {
                Next::Stop => return None,
                Next::Skip => return Some(Next::Skip),
                Next::ByHand => match self.wait(step, Vec::new()).await {
                    Ok(()) => return Some(Next::ByHand),
                    Err(Stop { outcome, message, hint }) => {
                        (report.outcome, report.message, report.hint) = (outcome, Some(message), hint);
                        report.candidates.clear();
                    }
                },
            }
        }
    }

    /// Takes a picture of the step's tab, and returns its file. A page that cannot be shown now has none.
    async fn picture(&self, when: &str) -> Option<String> {
        let folder = self.pictures?;
        let name = format!("{:02}-{when}.png", self.number);
        let path = folder.join(&name).to_str()?.to_owned();
        self.read(PICTURE, vec!["--viewport".to_owned(), "--".to_owned(), path]).await.ok().map(|_| name)
    }

    /// Runs a command that acts on nothing, in the step's tab.
    async fn read(&self, command: &str, words: Vec<String>) -> Result<CommandResult, Stop> {
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
        Ok(outcome.map_err(Stop::of))
    }

    /// Finds the elements of a step and returns its command with the words.
    async fn words(&mut self, spec: &'static Spec, step: &Step) -> Result<(&'static Spec, Vec<String>), Stop> {
        let element = match step.element().filter(|_| words::takes_element(spec)) {
            Some(element) => Some(self.find(&element).await?),
            None => None,
        };
        let to = match &step.to {
            Some(to) => Some(self.find(to).await?),
            None => None,
        };
        let (mut spec, mut step) = (spec, std::borrow::Cow::Borrowed(step));
        if let Some(element) = &element {
            if words::types(spec) {
                self.refuse_password(element).await?;
            }
            if step.act.as_deref() == Some(words::SET) {
                let role = self.element.as_ref().map(|found| found.role.clone()).unwrap_or_default();
                let value = step.value.clone().unwrap_or_default();
                spec = words::spec(self.setting(element, &role, &value).await?).map_err(Stop::failed)?;
                if !spec.parameters.iter().any(|parameter| parameter.name == "value") {
                    step.to_mut().value = None;
                }
            }
        }
        let places = Places { element: element.as_deref(), to: to.as_deref() };
        words::words(spec, &step, places).map(|words| (spec, words)).map_err(Stop::failed)
    }

    /// Returns the command that sets an element to a value: what it is, only the page tells.
    async fn setting(&self, element: &str, role: &str, value: &str) -> Result<&'static str, Stop> {
        let attributes = self.attributes(element).await?;
        let is = |name: &str, values: &[&str]| {
            attributes.get(name).is_some_and(|found| values.iter().any(|value| found.eq_ignore_ascii_case(value)))
        };
        let ticks = ["checkbox", "switch", "menuitemcheckbox", "radio", "menuitemradio"];
        let shown = self.read(SHAPE, vec!["--".to_owned(), element.to_owned()]).await?;
        let tag = shown.data.as_ref().and_then(|data| data.get("element")?.as_str()).unwrap_or_default();
        Ok(if ticks.contains(&role) || is("role", &ticks) || tag.starts_with("<input") && is("type", &ticks) {
            if value == "false" { "uncheck" } else { "check" }
        } else if tag.starts_with("<select") {
            "select"
        } else {
            "fill"
        })
    }

    async fn attributes(&self, element: &str) -> Result<BTreeMap<String, String>, Stop> {
        let attributes = self.read(LOOK_AT, vec!["--".to_owned(), element.to_owned()]).await?;
        let texts = attributes.data.and_then(|data| serde_json::from_value(data).ok());
        texts.ok_or_else(|| Stop::failed("the element's attributes cannot be read".to_owned()))
    }

    /// A password in a flow would be in a file, in the process list and in the shell's history.
    async fn refuse_password(&self, element: &str) -> Result<(), Stop> {
        let attributes = self.attributes(element).await?;
        let kind = attributes.get("type");
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
            // It is read before it is acted on, and reading does not wait.
            self.wait_for(element, self.limit).await?;
            return Ok(selector.clone());
        }
        let mut seen = self.look(element).await?;
        if !matches!(seen.choice, Choice::One(_, true)) {
            // The page may still be loading: what is only much like the element may be replaced by the element itself.
            let limit = if matches!(seen.choice, Choice::None(_)) { self.limit } else { self.limit.min(SHORT_WAIT) };
            // Whether it came or not, the page is looked at again.
            if self.wait_for(element, limit).await? {
                seen = self.look(element).await?;
            }
        }
        let sites = self.at.acts_on.clone().unwrap_or_default().page;
        if !sites.contains(&seen.site) {
            return Err(tabs::elsewhere(&seen.site, &sites));
        }
        let (candidates, message) = match seen.choice {
            Choice::One(found, _) => {
                let reference = found.reference.clone();
                self.element.get_or_insert(found);
                return Ok(reference);
            }
            Choice::Several(several) => (several, format!("several elements could be {}", element.told())),
            Choice::None(best) => (best, format!("there is no {}", element.told())),
        };
        self.candidates = candidates;
        let next = format!("go on with --from {}", self.number);
        let hint = match (seen.other_frame, self.candidates.is_empty()) {
            (Some(site), true) => {
                format!("A frame of {site} has one. If it is meant, add frame = \"{site}\" to the step, and {next}")
            }
            (_, true) => format!("Look at the page. Then correct the step, and {next}"),
            (_, false) => format!("Correct the step's name, near or nth in the file, and {next}"),
        };
        Err(Stop::failed(message).hint(&hint))
    }

    /// Waits until an element with exactly this description is there, or the time is over. Returns false if the description
    /// cannot be waited for.
    async fn wait_for(&self, element: &Element, limit: u64) -> Result<bool, Stop> {
        let Some((command, words)) = words::wait_for(element, limit) else { return Ok(false) };
        match self.commands.run(command, words, &At { acts_on: None, ..self.at.clone() }).await {
            Err(fault) if fault.code != FaultCode::Timeout && fault.code != FaultCode::Element => Err(Stop::of(fault)),
            _ => Ok(true),
        }
    }

    async fn look(&self, element: &Element) -> Result<Seen, Stop> {
        let look = |words: Vec<String>| async {
            let seen = self.read(LOOK, words).await?;
            let looked: Looked = seen.data.and_then(|data| serde_json::from_value(data).ok()).unwrap_or_default();
            let sites = looked.nodes.into_iter().filter_map(|node| Some((node.reference, node.site?))).collect();
            let tree = Tree::read(&envelope::unwrapped(&seen.output)).with_sites(&sites);
            Ok::<_, Stop>((tree, looked.more, site::origin(&looked.url)))
        };
        let frame = self.at.acts_on.as_ref().and_then(|sites| sites.frame.clone());
        let choose = |tree: &Tree, site: &str| choose(tree, element, frame.as_deref().filter(|frame| *frame != site));
        let (tree, more, site) = look(vec!["-C".to_owned()]).await?;
        if more == 0 {
            return Ok(Seen { choice: choose(&tree, &site), other_frame: tree.site_with(element), site });
        }
        // The page is too long for one look: the lines with the element's own name, and what is around them.
        let name = element.name.clone().unwrap_or_default();
        let (tree, more, site) = look(vec!["--search".to_owned(), name]).await?;
        let choice = match choose(&tree, &site) {
            // Another one may be among those that are missing.
            Choice::One(found, _) if more > 0 => Choice::Several(vec![found]),
            choice => choice,
        };
        Ok(Seen { choice, other_frame: tree.site_with(element), site })
    }
}

/// A look at the page for an element.
struct Seen {
    choice: Choice,
    /// The origin of the page.
    site: String,
    /// The site of a frame with an element of this name.
    other_frame: Option<String>,
}

/// The data of a snapshot.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Looked {
    url: String,
    more: u64,
    nodes: Vec<LookedNode>,
}

#[derive(Deserialize)]
struct LookedNode {
    #[serde(rename = "ref")]
    reference: String,
    #[serde(default)]
    site: Option<String>,
}
