//! How a run and its steps ended, for people and as JSON.

use super::choose::Candidate;
use serde::Serialize;
use std::path::PathBuf;

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
    /// With the same step, once an agent has named another element for it and the person has approved that. Asked again if
    /// that does not come about.
    Heal,
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
    /// The next step for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How the run went on although the step was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
    /// The step's line before it was healed in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub healed: Option<String>,
    /// Whether another description of its element could help.
    #[serde(skip)]
    pub can_heal: bool,
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
