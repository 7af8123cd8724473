//! The errors of flows, and the fault of each.

use super::file::Problem;
use gstack_protocol::fault::{Fault, FaultCode};
use std::io;
use std::path::PathBuf;

/// Why a flow cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// No folder of flows has it.
    #[error("there is no flow {0:?}")]
    NotFound(String),
    /// The name is not one for a file.
    #[error("{0:?} cannot be the name of a flow")]
    BadName(String),
    /// A flow has the name already.
    #[error("there is a flow {0} already")]
    Exists(String),
    /// The file cannot be read as a file of a project may be read.
    #[error("{} cannot be used: {why}", file.display())]
    Unusable {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: String,
    },
    /// The file is not a flow that can run.
    #[error("{}", problems.iter().map(|problem| format!("{}: {problem}", file.display())).collect::<Vec<_>>().join("\n"))]
    Problems {
        /// The file.
        file: PathBuf,
        /// At least one.
        problems: Vec<Problem>,
    },
    /// The person has not seen this content of the file.
    #[error("{} is not in your own folder of flows, and you have not allowed this content of it", file.display())]
    NotSeen {
        /// The file.
        file: PathBuf,
    },
    /// The values do not fit the parameters.
    #[error("{0}")]
    Values(String),
    /// The last run was cut off.
    #[error("{message}")]
    CutOff {
        /// The last step that it began, from 1.
        step: usize,
        /// Whether that step took effect; `None` if that is not known.
        took_effect: Option<bool>,
        /// Where it was cut off, and what is known of it.
        message: String,
        /// How to go on.
        hint: String,
    },
    /// A run of the same flow is under way in this instance.
    #[error("{0} is running already")]
    Running(String),
    /// The step does not exist.
    #[error("the flow has no step {0}")]
    NoStep(usize),
    /// A scheduled run is not granted.
    #[error("{flow} does not run by itself: {why}")]
    NotGranted {
        /// The flow.
        flow: String,
        /// The reason.
        why: String,
    },
    /// What another tool wrote cannot be read as a flow.
    #[error("it cannot be imported: {0}")]
    Foreign(String),
    /// Nothing in the record is a step.
    #[error("{0}")]
    NothingToSave(String),
    /// A file cannot be read or written.
    #[error("{} cannot be {what}: {source}", path.display())]
    Storage {
        /// `read` or `written`.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl FlowError {
    pub(crate) fn storage(what: &'static str, path: &std::path::Path, source: io::Error) -> Self {
        Self::Storage { what, path: path.to_owned(), source }
    }
}

impl From<FlowError> for Fault {
    fn from(error: FlowError) -> Self {
        let (code, hint) = match &error {
            FlowError::NotFound(_) => (FaultCode::NotFound, "`gstack flow list` lists them.".to_owned()),
            FlowError::BadName(_) => (FaultCode::BadRequest, "Use at most 32 letters, digits, - and _.".to_owned()),
            FlowError::Exists(_) => (FaultCode::Conflict, "Choose another name, or add --replace.".to_owned()),
            FlowError::Unusable { .. } => (FaultCode::PathRefused, "Copy it into your own folder of flows.".to_owned()),
            FlowError::Problems { .. } => (FaultCode::BadRequest, "docs/FLOWS.md explains the format.".to_owned()),
            FlowError::NotSeen { file } => {
                (FaultCode::Forbidden, format!("Read it and allow it: gstack flow trust {}", file.display()))
            }
            FlowError::Values(_) => (FaultCode::BadRequest, "`gstack flow show` lists the parameters.".to_owned()),
            FlowError::CutOff { hint, .. } => (FaultCode::OutcomeUnknown, hint.clone()),
            FlowError::Running(_) => (FaultCode::Conflict, "Wait for it, or use another --session.".to_owned()),
            FlowError::NoStep(_) => (FaultCode::BadRequest, "`gstack flow show` numbers the steps.".to_owned()),
            FlowError::NotGranted { flow, .. } => (
                FaultCode::Forbidden,
                format!("To grant it: gstack flow schedule {flow} --cron \"…\" --until YYYY-MM-DD"),
            ),
            FlowError::Foreign(_) => (
                FaultCode::BadRequest,
                "It reads Chrome's recordings (JSON) and Playwright codegen's tests.".to_owned(),
            ),
            FlowError::NothingToSave(_) => (FaultCode::NotFound, "`gstack activity` shows what was done.".to_owned()),
            FlowError::Storage { path, source, .. } => (FaultCode::Storage, gstack_base::trouble::hint(path, source)),
        };
        Self::new(code, error.to_string()).hint(hint)
    }
}
