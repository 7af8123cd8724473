//! Faults of answers to approvals and questions.

use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::{Fault, FaultCode};

/// Errors shown in a panel.
#[derive(Debug)]
pub(super) enum AnswerError {
    /// The edited text that replaces what an agent wanted to type is too long.
    TextTooLong,
    /// The action to approve has no text to edit.
    TakesNoText,
    /// The answers to a question are too long.
    TooLong,
    /// The approval was answered or withdrawn already.
    Closed,
}

/// Errors of one-time links. The page shows them in English, as the terminal does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkError {
    /// The person did not configure where links lead.
    Off,
    /// The approval was answered already, or there is none with this id.
    NotWaiting,
    /// No link has the secret: it is wrong, was used or has expired, or its approval no longer waits.
    Invalid,
    /// Too many wrong secrets were presented.
    TooOften,
    /// A link does not answer this approval like that.
    NotOffered,
    /// Too many links are open.
    TooMany,
}

impl From<LinkError> for Fault {
    fn from(error: LinkError) -> Self {
        let (code, message, hint) = match error {
            LinkError::Off => (
                FaultCode::Conflict,
                "links for approvals are off",
                "Set approval-link-base under [agents] in config.toml to the address of your own proxy. See docs/POLICY.md.",
            ),
            LinkError::NotWaiting => {
                (FaultCode::NotFound, "this approval does not wait", "`gstack approvals` lists those that do.")
            }
            LinkError::Invalid => (
                FaultCode::NotFound,
                "this link is not valid, or no longer valid",
                "It may have been used, or the approval was answered elsewhere. Create another one with `gstack approvals link`.",
            ),
            LinkError::TooOften => {
                (FaultCode::Conflict, "too many wrong links were opened", "Wait a minute, then open the link again.")
            }
            LinkError::NotOffered => (
                FaultCode::BadRequest,
                "a link allows this once or denies it",
                "For more, answer in the panel or with `gstack approvals`.",
            ),
            LinkError::TooMany => {
                (FaultCode::TooLarge, "too many links are open", "They end after ten minutes. Answer in a terminal.")
            }
        };
        Self::new(code, message).hint(hint)
    }
}

impl From<AnswerError> for Fault {
    fn from(error: AnswerError) -> Self {
        use FaultCode::{BadRequest, NotFound, TooLarge};
        let (code, message, hint): (_, Sentence, _) = match error {
            AnswerError::TextTooLong => (TooLarge, catalogue::TEXT_TOO_LONG.with(["1"]), catalogue::TEXT_TOO_LONG_NEXT),
            AnswerError::TakesNoText => {
                (BadRequest, catalogue::ANSWER_TAKES_NO_TEXT.into(), catalogue::ANSWER_TAKES_NO_TEXT_NEXT)
            }
            AnswerError::TooLong => {
                (TooLarge, catalogue::ANSWER_TOO_LONG.with(["640"]), catalogue::ANSWER_TOO_LONG_NEXT)
            }
            AnswerError::Closed => (NotFound, catalogue::APPROVAL_CLOSED.into(), catalogue::QUESTION_CLOSED_NEXT),
        };
        Self::new(code, message).hint(hint)
    }
}
