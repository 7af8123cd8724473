//! Approvals and questions: those that wait for the person, and the delivery of the answers to the conversation's task.
//!
//! Owns the validation of an answer. Other modules decide what to ask and what an answer means.

use super::error::RequestError;
use super::messages::json_length;
use crate::chat::Conversation;
use crate::engine::Engine;
use crate::engine::drivers::DriverAnswer;
use crate::protocol::catalogue;
use crate::protocol::chat::{AnsweredBy, ChatBody, ConversationState, Decision, LONGEST_MESSAGE};
use crate::protocol::chat_requests::{ApprovalAnswer, QuestionAnswer};
use crate::protocol::control::{WaitingApproval, WaitingApprovals, WaitingQuestion};
use crate::protocol::fault::{Fault, FaultCode};
use tokio::sync::mpsc;

impl Engine {
    /// Answers an approval. The first answer counts.
    pub(crate) fn answer_approval(&self, answer: &ApprovalAnswer, by: AnsweredBy) -> Result<(), Fault> {
        if answer.text.as_ref().is_some_and(|text| text.len() > LONGEST_MESSAGE) {
            return Err(RequestError::TextTooLong.into());
        }
        if let Some(asked) = self.drivers().approvals().find(&answer.approval_id) {
            return self.answer_driver(&asked, answer, by);
        }
        let conversation = self.conversation(&answer.conversation_id)?;
        let gate = self.gate(&conversation);
        let Some(text) = &answer.text else {
            return gate.answer(answer.approval_id.clone(), answer.decision, by).map_err(|e| e.fault());
        };
        let mut waiting = WaitingApprovals::default();
        gather_open(&conversation, &mut waiting);
        let asked = waiting.approvals.iter().find(|open| open.approval_id == answer.approval_id);
        if !asked.is_some_and(|asked| takes_text(asked, answer.decision)) {
            return Err(RequestError::AnswerTakesNoText.into());
        }
        gate.answer_with(answer.approval_id.clone(), text.clone(), by).map_err(|e| e.fault())
    }

    /// Answers a question from the agent. The first answer counts.
    pub(crate) fn answer_question(&self, answer: QuestionAnswer, by: AnsweredBy) -> Result<(), Fault> {
        let QuestionAnswer { conversation_id, question_id, answers } = answer;
        if answers.iter().flatten().map(|answer| json_length(answer)).sum::<usize>() > LONGEST_MESSAGE {
            return Err(RequestError::AnswerTooLong.into());
        }
        let conversation = self.conversation(&conversation_id)?;
        self.gate(&conversation).answer_question(question_id, answers, by).map_err(|e| e.fault())
    }

    /// Returns the pending approvals and questions of all conversations.
    pub(crate) fn waiting_approvals(&self) -> WaitingApprovals {
        let opened = self.store().opened();
        let mut waiting = WaitingApprovals::default();
        for conversation in opened.iter().filter(|c| c.state() == ConversationState::WaitingForApproval) {
            gather_open(conversation, &mut waiting);
        }
        waiting.approvals.extend(self.drivers().approvals().open());
        waiting
    }

    /// Answers an approval of a driver.
    fn answer_driver(&self, asked: &WaitingApproval, answer: &ApprovalAnswer, by: AnsweredBy) -> Result<(), Fault> {
        if answer.text.is_some() && !takes_text(asked, answer.decision) {
            return Err(RequestError::AnswerTakesNoText.into());
        }
        let given = DriverAnswer { decision: answer.decision, by, text: answer.text.clone() };
        if !self.drivers().approvals().answer(&answer.approval_id, given) {
            return Err(
                Fault::new(FaultCode::NotFound, catalogue::APPROVAL_CLOSED).hint(catalogue::QUESTION_CLOSED_NEXT)
            );
        }
        // The call that waited tells the panels.
        self.approvals_changed();
        Ok(())
    }

    /// Streams the pending approvals, now and after each change, until the reader disconnects.
    pub(crate) fn watch_approvals(&self, lines: mpsc::Sender<WaitingApprovals>) {
        let mut changed = self.inner.approvals_changed.subscribe();
        let (engine, shutdown) = (self.clone(), self.shutdown());
        self.spawn(async move {
            let mut shown = None;
            loop {
                let waiting = engine.waiting_approvals();
                if shown.as_ref() != Some(&waiting) {
                    if lines.send(waiting.clone()).await.is_err() {
                        return;
                    }
                    shown = Some(waiting);
                }
                tokio::select! {
                    still = changed.changed() => if still.is_err() { return },
                    () = lines.closed() => return,
                    () = shutdown.cancelled() => return,
                }
            }
        });
    }

    /// Signals that an approval or question was added or resolved.
    pub(in crate::engine) fn approvals_changed(&self) {
        self.inner.approvals_changed.send_replace(());
        self.drivers_changed();
    }
}

/// Returns true if an approval may be answered with another text in place of the one that it would type.
fn takes_text(asked: &WaitingApproval, decision: Decision) -> bool {
    decision == Decision::AllowOnce && asked.action.text.is_some()
}

/// Collects the pending approvals and questions of one conversation from its journal.
fn gather_open(conversation: &Conversation, open: &mut WaitingApprovals) {
    let Ok(page) = conversation.history(u64::MAX, 200) else { return };
    let conversation_id = conversation.id();
    for event in page.events {
        match event.body {
            ChatBody::Approval {
                approval_id, ask, phrase, site, why, why_words, does, action, kind, choices, ..
            } => {
                open.approvals.push(WaitingApproval {
                    conversation_id: conversation_id.clone(),
                    approval_id,
                    driver: None,
                    tab_id: conversation.info().tab_id,
                    ask,
                    phrase,
                    site,
                    does,
                    why,
                    why_words,
                    action,
                    kind,
                    choices,
                });
            }
            ChatBody::ApprovalDone { approval_id, .. } => open.approvals.retain(|a| a.approval_id != approval_id),
            ChatBody::Question { question_id, parts, .. } => {
                open.questions.push(WaitingQuestion { conversation_id: conversation_id.clone(), question_id, parts });
            }
            ChatBody::QuestionDone { question_id, .. } => open.questions.retain(|q| q.question_id != question_id),
            _ => {}
        }
    }
}
