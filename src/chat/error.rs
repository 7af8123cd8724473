//! The errors of a conversation, and the one place that converts them to faults.

use crate::turn::{QUEUE_LIMIT, Refusal};
use gstack_base::trouble;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::chat::Seq;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{ClientMessageId, ConversationId, FileId};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// `action` completes "cannot …": `write`, `read`, `make`.
    #[error("can't {action} {path}: {source}")]
    Storage { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{path} is in use by another gstack")]
    Locked { path: PathBuf },
    #[error("{path} was written by a newer gstack (format {version})")]
    Newer { path: PathBuf, version: u32 },
    /// Only `found` of the `known` events are left.
    #[error("{path} has lost its events: {found} of {known} are left")]
    Lost { path: PathBuf, known: Seq, found: Seq },
    #[error("{what} is too large: {bytes} bytes, the limit is {limit}")]
    TooLarge { what: &'static str, bytes: u64, limit: u64 },
    #[error("there is no conversation {0}")]
    NoConversation(ConversationId),
    #[error("{1} conversations begin with {0}")]
    Ambiguous(ConversationId, usize),
    #[error("this conversation has no file {0}")]
    NoFile(FileId),
    /// No turn has begun with this message, so there is nothing before it to go on from.
    #[error("the agent has not begun to answer this message")]
    NoTurn(ClientMessageId),
    /// A conversation has this id already, or had it and can still be restored.
    #[error("there is already a conversation {0}")]
    IdTaken(ConversationId),
    #[error("a turn is running in this conversation")]
    Busy(ConversationId),
    #[error("{0}")]
    Refused(Refusal),
}

impl ChatError {
    pub(super) fn storage(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Storage { action, path: path.to_owned(), source }
    }

    /// Returns why an event was refused, if this is a refusal.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Refused(refusal) => Some(*refusal),
            _ => None,
        }
    }

    /// Converts the error to a fault: its code, its message and the next step.
    pub fn fault(&self) -> Fault {
        let place = |path: &Path| path.display().to_string();
        match self {
            Self::Storage { action, path, source } => {
                let words = [&*place(path), &source.to_string()];
                let message = match *action {
                    "read" => catalogue::CAN_NOT_READ.with(words),
                    "write" => catalogue::CAN_NOT_WRITE.with(words),
                    "create" => catalogue::CAN_NOT_MAKE.with(words),
                    _ => self.to_string().into(),
                };
                Fault::new(FaultCode::Storage, message).hint(next_step(path, source))
            }
            Self::Locked { path } => {
                Fault::new(FaultCode::Conflict, catalogue::CONVERSATION_IN_USE.with([&place(path)]))
                    .hint(catalogue::CONVERSATION_IN_USE_NEXT)
            }
            Self::Newer { path, version } => {
                let message = catalogue::CONVERSATION_NEWER.with([&place(path), &version.to_string()]);
                Fault::new(FaultCode::ProtocolMismatch, message).hint(catalogue::CONVERSATION_NEWER_NEXT)
            }
            Self::Lost { path, known, found } => {
                let message = catalogue::CONVERSATION_LOST.with([&place(path), &found.to_string(), &known.to_string()]);
                Fault::new(FaultCode::Storage, message).hint(catalogue::CONVERSATION_LOST_NEXT.with([&place(path)]))
            }
            Self::TooLarge { what, bytes, limit } => {
                let told =
                    if *what == "the message" { catalogue::MESSAGE_OVER_LIMIT } else { catalogue::FILE_OVER_LIMIT };
                let message = told.with([&bytes.to_string(), &limit.to_string()]);
                Fault::new(FaultCode::TooLarge, message).hint(catalogue::OVER_LIMIT_NEXT)
            }
            Self::NoConversation(id) => Fault::new(FaultCode::NotFound, catalogue::NO_CONVERSATION.with([id.as_str()]))
                .hint(catalogue::NO_CONVERSATION_NEXT),
            Self::Ambiguous(..) => Fault::new(FaultCode::BadRequest, self.to_string()).hint("Give more of the id."),
            Self::NoFile(id) => {
                Fault::new(FaultCode::NotFound, catalogue::NO_FILE.with([id.as_str()])).hint(catalogue::NO_FILE_NEXT)
            }
            Self::NoTurn(_) => {
                Fault::new(FaultCode::NotFound, catalogue::NOT_ANSWERED).hint(catalogue::NOT_ANSWERED_NEXT)
            }
            Self::IdTaken(_) => {
                Fault::new(FaultCode::Conflict, self.to_string()).hint("Give each branch an id of its own, a new UUID.")
            }
            Self::Busy(_) => {
                Fault::new(FaultCode::Conflict, catalogue::CONVERSATION_BUSY).hint(catalogue::STOP_TURN_FIRST)
            }
            Self::Refused(refusal) => refusal.fault(),
        }
    }
}

/// Returns the next step for a disk error.
pub fn next_step(path: &Path, source: &io::Error) -> Sentence {
    let known = catalogue::next_step_of_disk(trouble::code(source), &path.display().to_string());
    known.unwrap_or_else(|| trouble::hint(path, source).into())
}

impl Refusal {
    pub fn fault(&self) -> Fault {
        let queue = QUEUE_LIMIT.to_string();
        match self {
            Self::QueueFull => Fault::new(FaultCode::Conflict, catalogue::QUEUE_FULL.with([&queue]))
                .hint(catalogue::QUEUE_FULL_NEXT.with([&queue])),
            Self::AlreadySent => {
                Fault::new(FaultCode::Conflict, catalogue::ALREADY_SENT).hint(catalogue::ALREADY_SENT_NEXT)
            }
            Self::NotWaiting => {
                Fault::new(FaultCode::NotFound, catalogue::NOT_WAITING).hint(catalogue::NOT_WAITING_NEXT)
            }
            Self::NotAChoice => Fault::new(FaultCode::BadRequest, catalogue::ANSWER_NOT_OFFERED)
                .hint(catalogue::ANSWER_NOT_OFFERED_NEXT),
            Self::WrongParts { .. } => {
                Fault::new(FaultCode::BadRequest, self.to_string()).hint(catalogue::ANSWER_PARTS_NEXT)
            }
            Self::NoQuestion => {
                Fault::new(FaultCode::NotFound, catalogue::QUESTION_CLOSED).hint(catalogue::QUESTION_CLOSED_NEXT)
            }
            Self::NotAsked => {
                Fault::new(FaultCode::NotFound, catalogue::APPROVAL_CLOSED).hint(catalogue::QUESTION_CLOSED_NEXT)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::Refusal;

    #[test]
    fn a_refusals_code_says_what_its_error_says() {
        for refusal in
            [Refusal::QueueFull, Refusal::AlreadySent, Refusal::NotWaiting, Refusal::NoQuestion, Refusal::NotAsked]
        {
            assert_eq!(refusal.fault().message, refusal.to_string());
        }
        let path = PathBuf::from("/a");
        let storage = |action| ChatError::storage(action, &path, io::Error::from(io::ErrorKind::StorageFull));
        for error in [
            storage("read"),
            storage("write"),
            storage("create"),
            storage("move"),
            ChatError::Newer { path: path.clone(), version: 9 },
            ChatError::Lost { path: path.clone(), known: 3, found: 1 },
            ChatError::TooLarge { what: "the file", bytes: 3, limit: 2 },
            ChatError::TooLarge { what: "the message", bytes: 3, limit: 2 },
        ] {
            assert_eq!(error.fault().message, error.to_string());
        }
        for kind in [
            io::ErrorKind::StorageFull,
            io::ErrorKind::ReadOnlyFilesystem,
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::AlreadyExists,
            io::ErrorKind::IsADirectory,
            io::ErrorKind::FileTooLarge,
            io::ErrorKind::Other,
        ] {
            let fault = ChatError::storage("write", &path, kind.into()).fault();
            assert_eq!(fault.hint.unwrap(), trouble::hint(&path, &kind.into()));
            assert!(fault.words.unwrap().hint.is_some(), "{kind}");
        }
        let many = io::Error::from_raw_os_error(24);
        assert_eq!(
            ChatError::storage("write", &path, io::Error::from_raw_os_error(24)).fault().hint.unwrap(),
            trouble::hint(&path, &many)
        );
    }
}
