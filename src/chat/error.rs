//! What can go wrong in a conversation, and the one place where it becomes a fault.

use super::turn::{QUEUE_LIMIT, Refusal};
use crate::base::trouble;
use crate::protocol::chat::Seq;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::{ConversationId, FileId};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// `action` completes "can't …": `write`, `read`, `make`.
    #[error("can't {action} {path}: {source}")]
    Storage { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{path} is in use by another gstack")]
    Locked { path: PathBuf },
    #[error("{path} was written by a newer gstack (format {version})")]
    Newer { path: PathBuf, version: u32 },
    /// `found` of the `known` events are left.
    #[error("{path} has lost its events: {found} of {known} are left")]
    Lost { path: PathBuf, known: Seq, found: Seq },
    #[error("{what} is too large: {bytes} bytes, the limit is {limit}")]
    TooLarge { what: &'static str, bytes: u64, limit: u64 },
    #[error("there is no conversation {0}")]
    NoConversation(ConversationId),
    #[error("{1} conversations begin with {0}")]
    Ambiguous(ConversationId, usize),
    #[error("there is no file {0} in this conversation")]
    NoFile(FileId),
    #[error("this conversation is at work")]
    Busy(ConversationId),
    #[error("{0}")]
    Refused(Refusal),
}

impl ChatError {
    pub(super) fn storage(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Storage { action, path: path.to_owned(), source }
    }

    /// Why an event was not accepted, where that is what happened.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Refused(refusal) => Some(*refusal),
            _ => None,
        }
    }

    /// As it travels: the code to decide by, the words, the next step.
    pub fn fault(&self) -> Fault {
        let (code, hint) = match self {
            Self::Storage { path, source, .. } => (FaultCode::Storage, trouble::hint(path, source)),
            Self::Locked { .. } => (
                FaultCode::Conflict,
                "Run gstack status: another daemon works on this folder. Stop it, or use another session.".to_owned(),
            ),
            Self::Newer { .. } => (FaultCode::ProtocolMismatch, "Update gstack, then open it again.".to_owned()),
            Self::Lost { path, .. } => (
                FaultCode::Storage,
                format!("Copy {} back from a backup, or delete this conversation.", path.display()),
            ),
            Self::TooLarge { .. } => {
                (FaultCode::TooLarge, "Send less at once: shorten the text or attach a smaller file.".to_owned())
            }
            Self::NoConversation(_) => {
                (FaultCode::NotFound, "Open it from the history, or begin a new one.".to_owned())
            }
            Self::Ambiguous(..) => (FaultCode::BadRequest, "Give more of the id.".to_owned()),
            Self::NoFile(_) => (FaultCode::NotFound, "The file was removed from the disk; attach it again.".to_owned()),
            Self::Busy(_) => (FaultCode::Conflict, "Stop its turn first.".to_owned()),
            Self::Refused(refusal) => return refusal.fault(),
        };
        Fault::new(code, self.to_string()).hint(hint)
    }
}

impl Refusal {
    pub fn fault(&self) -> Fault {
        let (code, hint) = match self {
            Self::QueueFull => (
                FaultCode::Conflict,
                format!("Wait until one of the {QUEUE_LIMIT} has run, remove one, or stop the running turn."),
            ),
            Self::AlreadySent => (FaultCode::Conflict, "Nothing to do: it is being worked on.".to_owned()),
            Self::NotWaiting => {
                (FaultCode::NotFound, "Its turn has begun or it was removed before; stop the turn instead.".to_owned())
            }
            Self::NotAChoice => {
                (FaultCode::BadRequest, "Give one of the answers that were offered, or deny.".to_owned())
            }
            Self::WrongParts { .. } => {
                (FaultCode::BadRequest, "Answer each part, or give no answer at all.".to_owned())
            }
            Self::NoQuestion => (FaultCode::NotFound, "Nothing to do: the question is closed.".to_owned()),
            Self::NotAsked => (FaultCode::NotFound, "Nothing to do: the question is closed.".to_owned()),
        };
        Fault::new(code, self.to_string()).hint(hint)
    }
}
