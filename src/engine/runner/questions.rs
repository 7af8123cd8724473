//! Questions of an agent that wait for a person's answer.
//!
//! Owns them from the asking to the answer, the withdrawal or the end of the turn. The first answer counts.

use crate::agent::adapter::{QuestionAnswer, QuestionAsked};
use crate::chat::{ChatError, Conversation};
use crate::protocol::chat::{AnsweredBy, ChatBody};
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::ids::{QuestionId, TurnId};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::oneshot;

#[derive(Default)]
pub(super) struct Questions {
    open: Mutex<HashMap<QuestionId, Open>>,
}

struct Open {
    turn_id: TurnId,
    /// The agent's own id of it.
    request: String,
    /// Dropping it tells the agent that nobody answered.
    answer: oneshot::Sender<QuestionAnswer>,
}

impl Questions {
    /// Puts a question to the person. Where it can't be written the agent is told that nobody answered.
    pub(super) fn ask(
        &self,
        conversation: &Conversation,
        turn_id: TurnId,
        asked: QuestionAsked,
    ) -> Result<QuestionId, ChatError> {
        let QuestionAsked { request, parts, answer } = asked;
        let question_id = QuestionId::random();
        let open = Open { turn_id: turn_id.clone(), request, answer };
        self.lock().insert(question_id.clone(), open);
        let written =
            conversation.append(ChatBody::Question { turn_id, question_id: question_id.clone(), parts }).map(|_| ());
        if written.is_err() {
            self.lock().remove(&question_id);
        }
        written.map(|()| question_id)
    }

    /// Hands an answer to the agent. `answers` empty: the person does not want to answer.
    pub(super) fn answer(
        &self,
        conversation: &Conversation,
        question_id: &QuestionId,
        answers: QuestionAnswer,
        by: AnsweredBy,
    ) -> Result<(), Fault> {
        let open = self.lock().remove(question_id);
        let open = open.ok_or_else(|| {
            Fault::new(FaultCode::Conflict, "This question does not wait for an answer any more.").at(Hop::Daemon)
        })?;
        self.close(conversation, question_id.clone(), open, answers, by).map_err(|error| error.fault())
    }

    /// The agent took one back. True where it was one of these.
    pub(super) fn withdraw(&self, conversation: &Conversation, request: &str) -> Result<bool, ChatError> {
        let id = self.lock().iter().find(|(_, open)| open.request == request).map(|(id, _)| id.clone());
        let taken = id.and_then(|id| Some((self.lock().remove(&id)?, id)));
        let Some((open, id)) = taken else { return Ok(false) };
        self.close(conversation, id, open, Vec::new(), AnsweredBy::Withdrawn)?;
        Ok(true)
    }

    /// The turn is over: nobody waits for these any more.
    pub(super) fn withdraw_all(&self, conversation: &Conversation) -> Result<(), ChatError> {
        let open = std::mem::take(&mut *self.lock());
        for (id, open) in open {
            self.close(conversation, id, open, Vec::new(), AnsweredBy::Withdrawn)?;
        }
        Ok(())
    }

    pub(super) fn any_open(&self) -> bool {
        !self.lock().is_empty()
    }

    fn close(
        &self,
        conversation: &Conversation,
        question_id: QuestionId,
        open: Open,
        answers: QuestionAnswer,
        by: AnsweredBy,
    ) -> Result<(), ChatError> {
        let body = ChatBody::QuestionDone { turn_id: open.turn_id, question_id, answers: answers.clone(), by };
        conversation.append(body)?;
        if !answers.is_empty() && open.answer.send(answers).is_err() {
            tracing::debug!("an agent that asked does not wait any more");
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<QuestionId, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
