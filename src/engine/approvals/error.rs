//! Faults of answers to approvals and questions.

use crate::protocol::catalogue::{self, Sentence};
use crate::protocol::fault::{Fault, FaultCode};

/// Errors shown in a panel.
#[derive(Debug)]
pub(super) enum AnswerError {
    /// The edited text that replaces what an agent wanted to type is too long.
    TextTooLong,
    /// The action to approve has no text to edit.
    TakesNoText,
    /// The answers to a question are too long.
    TooLong,
    /// The approval was answered already, or nobody waits for it any more.
    Closed,
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
