//! Flows: what was done once in a browser, run again without a model.
//!
//! Owns the file of a flow, its checks, its runs, and its way from and to other tools. Acts only through the browser
//! commands that its caller runs for it, so what holds for the caller holds for a flow.

#![deny(clippy::print_stdout, clippy::print_stderr)]
#![warn(unreachable_pub, missing_docs)]

mod check;
mod choose;
mod cron;
mod distil;
mod error;
mod export;
mod file;
mod fill;
mod find;
mod folders;
mod heal;
mod import;
mod journal;
mod record;
mod report;
mod run;
mod schedule;
#[cfg(test)]
mod schema;
mod sites;
mod step_run;
mod tabs;
mod told;
mod tree;
mod words;
mod write;

pub use check::problems;
pub use choose::Candidate;
pub use cron::{Cron, Entry};
pub use distil::{Made, Record, distil};
pub use error::FlowError;
pub use export::{Form, export};
pub use file::{Flow, Parameter, Problem, Step, VERSION};
pub use fill::Values;
pub use folders::{Found, Listed, allow, find, list, own, save};
pub use heal::{Change, INSTRUCTIONS, keep};
pub use import::import;
pub use journal::Runs;
pub use record::Recorder;
pub use report::{Next, Outcome, Report, StepReport};
pub use run::{At, Begun, Commands, Follower, Wanted, plan, run};
pub use schedule::{Grant, LastRun};

/// The JSON Schema of a flow's file.
pub const SCHEMA: &str = include_str!("../../docs/flow.schema.json");
