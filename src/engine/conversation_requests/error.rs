//! Faults of refused requests about a conversation.
//!
//! Owns the code, the message and the next step of each. Errors inside a conversation are `ChatError`.

use super::messages::LONGEST_ID;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::ConversationId;
use std::io;
use std::path::PathBuf;

/// Errors shown in a panel.
#[derive(Debug)]
pub(super) enum RequestError {
    MessageEmpty,
    MessageTooLong,
    /// The client program, not the person, chooses the ids.
    IdTooLong,
    /// The client program chooses the id of a branch.
    IdInvalid,
    FilesTooLarge,
    FileTooLarge {
        name: String,
    },
    /// The message names a file that gstack did not create.
    NotOurFile {
        name: String,
    },
    FileNotRead {
        name: String,
        code: FaultCode,
        why: String,
    },
    /// The conversation works in another tab.
    BusyElsewhere,
    NoteEmpty,
    NoteNotLeft {
        root: PathBuf,
        source: io::Error,
    },
}

impl From<RequestError> for Fault {
    fn from(error: RequestError) -> Self {
        use FaultCode::{BadRequest, Conflict, PathRefused, Storage, TooLarge};
        let (code, message, hint): (_, Sentence, _) = match error {
            RequestError::MessageEmpty => (BadRequest, catalogue::MESSAGE_EMPTY.into(), catalogue::MESSAGE_EMPTY_NEXT),
            RequestError::MessageTooLong => {
                (TooLarge, catalogue::MESSAGE_TOO_LONG.with(["640"]), catalogue::MESSAGE_TOO_LONG_NEXT)
            }
            RequestError::IdTooLong => {
                return Self::new(BadRequest, format!("the clientId is longer than {LONGEST_ID} bytes"))
                    .hint("Give each message a short id of its own, a UUID for example.");
            }
            RequestError::IdInvalid => {
                return Self::new(BadRequest, "the conversationId of a branch is not a UUID")
                    .hint("Give each branch an id of its own, a new UUID.");
            }
            RequestError::FilesTooLarge => {
                (TooLarge, catalogue::FILES_TOO_LARGE.with(["32"]), catalogue::FILES_TOO_LARGE_NEXT)
            }
            RequestError::FileTooLarge { name } => {
                (TooLarge, catalogue::FILE_TOO_LARGE.with([&name, "32"]), catalogue::FILE_TOO_LARGE_NEXT)
            }
            RequestError::NotOurFile { name } => {
                (PathRefused, catalogue::NOT_OUR_FILE.with([&name]), catalogue::NOT_OUR_FILE_NEXT)
            }
            RequestError::FileNotRead { name, code, why } => {
                (code, catalogue::FILE_NOT_READ.with([&name, &why]), catalogue::ATTACH_AGAIN)
            }
            RequestError::BusyElsewhere => (Conflict, catalogue::BUSY_ELSEWHERE.into(), catalogue::BUSY_ELSEWHERE_NEXT),
            RequestError::NoteEmpty => (BadRequest, catalogue::NOTE_EMPTY.into(), catalogue::NOTE_EMPTY_NEXT),
            RequestError::NoteNotLeft { root, source } => {
                let message = catalogue::NOTE_NOT_LEFT.with([&root.display().to_string(), &source.to_string()]);
                (Storage, message, catalogue::NOTE_NOT_LEFT_NEXT)
            }
        };
        Self::new(code, message).hint(hint)
    }
}

/// Errors shown in a terminal and in no panel, so they are in English.
#[derive(Debug)]
pub(super) enum TerminalError {
    /// The tab has no conversation.
    NoConversation,
    /// The previous turn was stopped when its tab closed, and no panel shows the messages that wait behind it.
    TabClosed(ConversationId),
    /// The daemon ended before the answer did.
    Interrupted,
    /// The terminal reads more slowly than the answer grows.
    TooSlow,
}

impl From<TerminalError> for Fault {
    fn from(error: TerminalError) -> Self {
        let (code, message, hint): (_, &str, String) = match error {
            TerminalError::NoConversation => {
                (FaultCode::NotFound, "this tab has no conversation", "`gstack sessions` lists all of them.".to_owned())
            }
            TerminalError::TabClosed(id) => (
                FaultCode::TabGone,
                "the tab was closed before your message ran; the message is still waiting",
                format!(
                    "Open the conversation in a tab with `gstack sessions open {id}`, then run `gstack chat --continue`."
                ),
            ),
            TerminalError::Interrupted => (
                FaultCode::OutcomeUnknown,
                "gstack ended before the answer was complete",
                "Your message is kept: the conversation is in the side panel.".to_owned(),
            ),
            TerminalError::TooSlow => (
                FaultCode::TooLarge,
                "the terminal reads more slowly than the answer arrives",
                "The answer continues; the side panel shows all of it.".to_owned(),
            ),
        };
        Self::new(code, message).hint(hint)
    }
}
