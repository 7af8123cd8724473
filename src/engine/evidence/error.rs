//! Faults of `gstack evidence`. Only a terminal reads them.

use gstack_protocol::fault::{Fault, FaultCode};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum EvidenceError {
    NoSuchTurn { wanted: String },
    Ambiguous { wanted: String, count: usize },
    StillRunning,
    NothingFinished,
    NoConversation,
}

impl From<EvidenceError> for Fault {
    fn from(error: EvidenceError) -> Self {
        use FaultCode::{BadRequest, Conflict, NotFound};
        match error {
            EvidenceError::NoSuchTurn { wanted } => Self::new(NotFound, format!("there is no turn {wanted:?}"))
                .hint("`gstack sessions export ID --json` shows the turnId of each turn; --last is the newest one."),
            EvidenceError::Ambiguous { wanted, count } => {
                Self::new(BadRequest, format!("{count} turns begin with {wanted:?}")).hint("Give more of the id.")
            }
            EvidenceError::StillRunning => Self::new(Conflict, "the turn is still running")
                .hint("Wait until it ends, or stop it with: gstack chat --stop"),
            EvidenceError::NothingFinished => Self::new(NotFound, "no turn of this tab's conversation has finished")
                .hint("Name a turn, or another tab with --tab N; `gstack sessions export ID --json` shows turn ids."),
            EvidenceError::NoConversation => Self::new(NotFound, "this tab has no conversation")
                .hint("Name a turn, or another tab with --tab N; `gstack sessions` lists the conversations."),
        }
    }
}
