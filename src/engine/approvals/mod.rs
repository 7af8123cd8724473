//! Approvals and questions: those that wait for the person, and the delivery of the answers to the conversation's task.
//!
//! Owns the acceptance of answers. Other modules decide what to ask, what an answer means and who may answer: for the
//! terminal `http/guard.rs` (`person`), for panels `panel/dispatch.rs`.

mod approval_command;
mod error;
mod links;
mod notices;
mod of_drivers;

use crate::config::ConfigFile;
use crate::conversations::Conversations;
use crate::drivers::{DriverAnswer, Drivers};
use crate::ports::Ports;
use crate::tabs::Tabs;
use crate::tasks::Tasks;
use error::AnswerError;
use gstack_base::visible::visible;
use gstack_chat::Conversation;
use gstack_protocol::chat::{AnsweredBy, ChatBody, ConversationState, Decision, LONGEST_MESSAGE, json_length};
use gstack_protocol::chat_requests::{ApprovalAnswer, QuestionAnswer};
use gstack_protocol::control::{WaitingApproval, WaitingApprovals, WaitingQuestion};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::ConversationId;
pub use links::LINK_PATH;
use links::Links;
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, watch};

/// A handle to the approvals and questions. Cheap to clone.
#[derive(Clone)]
pub struct Approvals(Arc<Shared>);

struct Shared {
    config: ConfigFile,
    conversations: Conversations,
    drivers: Drivers,
    links: Mutex<Links>,
    ports: Ports,
    tabs: Tabs,
    tasks: Tasks,
    /// Notified when an approval or question is added or resolved.
    changed: watch::Sender<()>,
}

impl Approvals {
    pub(crate) fn new(
        config: ConfigFile,
        conversations: Conversations,
        drivers: Drivers,
        ports: Ports,
        tabs: Tabs,
        tasks: Tasks,
    ) -> Self {
        let (links, changed) = (Mutex::default(), watch::Sender::new(()));
        Self(Arc::new(Shared { config, conversations, drivers, links, ports, tabs, tasks, changed }))
    }

    /// Answers an approval. The first answer counts.
    pub fn answer(&self, answer: &ApprovalAnswer, by: AnsweredBy) -> Result<(), Fault> {
        if answer.text.as_ref().is_some_and(|text| text.len() > LONGEST_MESSAGE) {
            return Err(AnswerError::TextTooLong.into());
        }
        if let Some(asked) = self.0.drivers.approvals().find(&answer.approval_id) {
            return self.answer_driver(&asked, answer, by);
        }
        let conversation = self.0.conversations.get(&answer.conversation_id)?;
        let gate = self.0.conversations.gate(&conversation);
        let Some(text) = &answer.text else {
            return gate.answer(answer.approval_id.clone(), answer.decision, by).map_err(|e| e.fault());
        };
        let mut waiting = WaitingApprovals::default();
        gather_open(&conversation, &mut waiting);
        let asked = waiting.approvals.iter().find(|open| open.approval_id == answer.approval_id);
        if !asked.is_some_and(|asked| takes_text(asked, answer.decision)) {
            return Err(AnswerError::TakesNoText.into());
        }
        gate.answer_with(answer.approval_id.clone(), text.clone(), by).map_err(|e| e.fault())
    }

    /// Answers a question from the agent. The first answer counts.
    pub fn answer_question(&self, answer: QuestionAnswer, by: AnsweredBy) -> Result<(), Fault> {
        let QuestionAnswer { conversation_id, question_id, answers } = answer;
        if answers.iter().flatten().map(|answer| json_length(answer)).sum::<usize>() > LONGEST_MESSAGE {
            return Err(AnswerError::TooLong.into());
        }
        let conversation = self.0.conversations.get(&conversation_id)?;
        self.0.conversations.gate(&conversation).answer_question(question_id, answers, by).map_err(|e| e.fault())
    }

    /// Returns the pending approvals and questions of all conversations.
    pub fn waiting(&self) -> WaitingApprovals {
        let opened = self.0.conversations.store().opened();
        let mut waiting = WaitingApprovals::default();
        for conversation in opened.iter().filter(|c| c.state() == ConversationState::WaitingForApproval) {
            gather_open(conversation, &mut waiting);
        }
        waiting.approvals.extend(self.0.drivers.approvals().open());
        waiting
    }

    /// Returns who asks, for people.
    fn asks(&self, approval: &WaitingApproval) -> String {
        // The names of drivers are visible already, and would be written out twice.
        approval.driver.clone().unwrap_or_else(|| visible(&self.agent_name(&approval.conversation_id)))
    }

    /// Returns the name of a conversation's agent.
    fn agent_name(&self, id: &ConversationId) -> String {
        let agent = self.0.conversations.get(id).ok().and_then(|found| found.info().agent);
        agent.map_or_else(|| "agent".to_owned(), |agent| agent.to_string())
    }

    /// Answers an approval of a driver.
    fn answer_driver(&self, asked: &WaitingApproval, answer: &ApprovalAnswer, by: AnsweredBy) -> Result<(), Fault> {
        if answer.text.is_some() && !takes_text(asked, answer.decision) {
            return Err(AnswerError::TakesNoText.into());
        }
        let given = DriverAnswer { decision: answer.decision, by, text: answer.text.clone() };
        if !self.0.drivers.approvals().answer(&answer.approval_id, given) {
            return Err(AnswerError::Closed.into());
        }
        // The call that waited tells the panels.
        self.changed();
        Ok(())
    }

    /// Streams the pending approvals, now and after each change, until the reader disconnects.
    pub fn watch(&self, lines: mpsc::Sender<WaitingApprovals>) {
        let mut changed = self.0.changed.subscribe();
        let (approvals, shutdown) = (self.clone(), self.0.tasks.shutdown());
        self.0.tasks.spawn(async move {
            let mut shown = None;
            loop {
                let waiting = approvals.waiting();
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
    pub(crate) fn changed(&self) {
        self.0.changed.send_replace(());
        self.0.drivers.changed();
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
