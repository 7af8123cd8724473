//! One conversation, as the engine holds it: its turns, its journal and its panels under one small lock.
//!
//! Owns the lock and the conversation's folder on disk. Never talks to an agent. Methods that block on disk I/O
//! (`persist`, files) say so.

use super::error::ChatError;
use super::feed::Feed;
use super::state::{Inner, OnFailure};
use crate::journal::{JOURNAL_FILE, Journal, SentIndex, unfinished};
use crate::store::{Part, Record, files};
use crate::turn::{Effect, Event, Machine, Message, TurnClock};
use gstack_base::reserve::Reserve;
use gstack_protocol::chat::{
    AnsweredBy, Attachment, ChatBody, ChatEvent, ConversationInfo, ConversationState, Decision, Seq,
};
use gstack_protocol::chat_requests::Sent;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{
    AgentName, ApprovalId, ClientMessageId, ConversationId, Epoch, FileId, QuestionId, StepId, TurnId,
};
use std::collections::VecDeque;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The largest text of one delta. Longer text is written in parts.
const MAX_DELTA: usize = 64 * 1024;

/// The kind of an answer's growing block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// The answer itself, [`ChatBody::Text`].
    Text,
    /// The agent's reasoning, [`ChatBody::Thinking`].
    Thinking,
}

/// The result of handling a turn's event.
#[derive(Debug)]
pub struct Handled {
    /// Effects for the engine to run, in this order. Journal entries are already written.
    pub effects: Vec<Effect>,
    /// Set if a write failed. The turn continues, and the fault is shown to the person.
    pub fault: Option<Fault>,
}

/// The answer to a message.
#[derive(Debug)]
pub struct SendAnswer {
    /// `position`: the place in the queue, 1 for the next message; 0 if its turn starts at once.
    pub sent: Sent,
    /// The next steps of the engine.
    pub effects: Vec<Effect>,
    /// The message was already sent before, so nothing happened now.
    pub repeated: bool,
}

/// One conversation. Shared by `Arc`. Every method is cheap unless it says that it blocks.
pub struct Conversation {
    pub(super) id: ConversationId,
    pub(super) epoch: Epoch,
    /// Its folder on disk, which exists once it has a message.
    pub(super) place: PathBuf,
    pub(super) inner: Mutex<Inner>,
    /// The last written content of `session.json`. Locked during a write.
    saved: Mutex<Option<Record>>,
}

impl fmt::Debug for Conversation {
    /// Prints only the id: what people write does not belong in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Conversation").field(&self.id).finish()
    }
}

impl Conversation {
    /// Creates a conversation without messages, which has nothing on disk. `place`: its future folder.
    pub(super) fn new(record: Record, place: PathBuf, epoch: Epoch, reserve: Arc<Reserve>) -> Self {
        let journal = Journal::new(&place, record.conversation_id.clone());
        Self::with(record, place, epoch, journal, None, reserve)
    }

    /// Opens a conversation on disk. A turn that was running when the daemon ended becomes `interrupted`.
    /// `record`: the content of `session.json`; if absent, it is rebuilt from the journal. Fails if the journal has
    /// lost all of its events, and leaves it unchanged. Blocks on disk I/O.
    pub(super) fn open(
        id: ConversationId,
        record: Option<Record>,
        default_folder: &str,
        place: PathBuf,
        epoch: Epoch,
        reserve: Arc<Reserve>,
    ) -> Result<Self, ChatError> {
        let known = record.as_ref().map_or(0, |record| record.head);
        let lost = |found| ChatError::Lost { path: place.join(JOURNAL_FILE), known, found };
        if known > 0 && fs::metadata(place.join(JOURNAL_FILE)).map_or(0, |found| found.len()) == 0 {
            return Err(lost(0));
        }
        let journal = Journal::open(&place, id.clone())?;
        match journal.head() {
            0 if known > 0 => return Err(lost(0)),
            found if found < known => tracing::error!(error = %lost(found), "the newest events of a journal are gone"),
            _ => {}
        }
        let saved = record.clone();
        let mut record = match record {
            Some(record) => record,
            None => Record::from_journal(&journal, id, default_folder.to_owned())?,
        };
        let tail = unfinished::examine(&journal, record.head)?;
        record.head = journal.head();
        record.updated_at = record.updated_at.max(tail.newest_at);
        let conversation = Self::with(record, place, epoch, journal, saved, reserve);
        conversation.lock().recover(tail);
        Ok(conversation)
    }

    fn with(
        record: Record,
        place: PathBuf,
        epoch: Epoch,
        journal: Journal,
        saved: Option<Record>,
        reserve: Arc<Reserve>,
    ) -> Self {
        let id = record.conversation_id.clone();
        let inner = Inner {
            record,
            machine: Machine::default(),
            journal,
            block: None,
            feed: Feed::new(id.clone()),
            clock: TurnClock::default(),
            owed: VecDeque::new(),
            begun: None,
            sent: VecDeque::new(),
            sent_before: false,
            sent_index: SentIndex::new(&place),
            reserve,
            told: None,
        };
        Self { id, epoch, place, inner: Mutex::new(inner), saved: Mutex::new(saved) }
    }

    /// Locks the state. Ignores poisoning: the critical sections are short and leave no inconsistent state.
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the conversation's id.
    pub fn id(&self) -> &ConversationId {
        &self.id
    }

    /// Returns what panels show of the conversation.
    pub fn info(&self) -> ConversationInfo {
        self.lock().info()
    }

    /// Returns whether a turn is running, or waits for a person.
    pub fn state(&self) -> ConversationState {
        self.lock().machine.state()
    }

    /// Returns the id of the running turn.
    pub fn turn(&self) -> Option<TurnId> {
        self.lock().machine.turn().cloned()
    }

    /// Returns the number of the newest event, or 0 if there is none; then nothing is on disk.
    pub fn head(&self) -> Seq {
        self.lock().journal.head()
    }

    /// Returns the number of unreadable journal lines found so far.
    pub fn unreadable_lines(&self) -> usize {
        self.lock().journal.garbage()
    }

    /// Accepts a person's message durably. Returns the first answer again for a repeated `client_id`. Blocks: an fsync.
    ///
    /// # Errors
    ///
    /// Fails if the queue is full, or the journal cannot be read or written. The message then never runs.
    pub fn send(&self, message: Message) -> Result<SendAnswer, ChatError> {
        let mut inner = self.lock();
        let client_id = message.client_id.clone();
        if let Some(sent) = inner.sent_before(&client_id)? {
            return Ok(SendAnswer { sent, effects: Vec::new(), repeated: true });
        }
        let handled = inner.handle(Event::Send(Arc::new(message)), OnFailure::Undo)?;
        let place = inner.machine.queue().position(|waiting| waiting.client_id == client_id);
        let position = place.map_or(0, |at| u32::try_from(at + 1).unwrap_or(u32::MAX));
        let sent = Sent { seq: inner.journal.head(), position };
        inner.remember(client_id, sent.clone());
        Ok(SendAnswer { sent, effects: handled.effects, repeated: false })
    }

    /// Removes a queued message. Blocks: an fsync.
    ///
    /// # Errors
    ///
    /// Fails if the message is not waiting or the journal cannot be written.
    pub fn unqueue(&self, client_id: ClientMessageId) -> Result<(), ChatError> {
        self.lock().handle(Event::Unqueue(client_id), OnFailure::Undo).map(|_| ())
    }

    /// Changes the order of the queued messages. With `now`, the effects stop the running turn. Blocks: an fsync.
    ///
    /// # Errors
    ///
    /// Fails if these are not the messages that wait, or the journal cannot be written.
    pub fn order(&self, client_ids: Vec<ClientMessageId>, now: bool) -> Result<Handled, ChatError> {
        self.lock().handle(Event::Order { client_ids, now }, OnFailure::Undo)
    }

    /// Answers an approval. The effects contain the answer for the requester.
    ///
    /// # Errors
    ///
    /// Fails if the approval is not open, the decision was not offered, or the journal cannot be written.
    pub fn answer(&self, approval_id: ApprovalId, decision: Decision, by: AnsweredBy) -> Result<Handled, ChatError> {
        self.lock().handle(Event::ApprovalAnswered { approval_id, decision, by }, OnFailure::Undo)
    }

    /// Answers a question of the agent. Without answers, the person declines to answer.
    ///
    /// # Errors
    ///
    /// Fails if the question is not open, the number of answers is wrong, or the journal cannot be written.
    pub fn answer_question(
        &self,
        question_id: QuestionId,
        answers: Vec<Vec<String>>,
        by: AnsweredBy,
    ) -> Result<Handled, ChatError> {
        self.lock().handle(Event::QuestionAnswered { question_id, answers, by }, OnFailure::Undo)
    }

    /// Handles any other event of a turn.
    pub fn handle(&self, event: Event) -> Handled {
        let (on_failure, unless) = match &event {
            // If the request cannot be shown to anyone, deny it.
            Event::ApprovalAsked(request) | Event::StartAsks(request) => {
                let approval_id = request.approval_id.clone();
                (
                    OnFailure::Undo,
                    vec![Effect::AnswerApproval { approval_id, decision: Decision::Deny, by: AnsweredBy::Withdrawn }],
                )
            }
            Event::QuestionAsked(request) | Event::StartQuestion(request) => {
                let question_id = request.question_id.clone();
                (OnFailure::Undo, vec![Effect::AnswerQuestion { question_id, answers: Vec::new() }])
            }
            _ => (OnFailure::GoOn, Vec::new()),
        };
        self.lock()
            .handle(event, on_failure)
            .unwrap_or_else(|error| Handled { effects: unless, fault: Some(error.fault()) })
    }

    /// Writes `turn-started`, the first step of `Effect::StartTurn`. `direct`: the message is a command of the person's own and
    /// runs without a model.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written. Then the turn cannot start: report [`Event::AgentFailedToStart`].
    pub fn begin_turn(
        &self,
        message: &Message,
        agent: AgentName,
        agent_label: String,
        model: Option<String>,
        direct: bool,
    ) -> Result<ChatEvent, ChatError> {
        let mut inner = self.lock();
        inner.clock = TurnClock::begin();
        let begins = ChatBody::TurnStarted {
            turn_id: message.turn_id.clone(),
            client_id: message.client_id.clone(),
            agent,
            agent_label,
            model,
            direct,
        };
        inner.append_beginning(&message.turn_id, begins)
    }

    /// Writes and pushes an event: steps and notices. Messages, approvals and ends of turns go through `handle`.
    /// Measures the duration of steps.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written.
    pub fn append(&self, body: ChatBody) -> Result<ChatEvent, ChatError> {
        let mut inner = self.lock();
        let body = inner.clock.timed(body);
        inner.append(body)
    }

    /// Returns the duration of an unfinished step so far, in milliseconds; 0 for any other step.
    pub fn step_time(&self, step_id: &StepId) -> u64 {
        self.lock().clock.open_steps().find(|(open, _)| *open == step_id).map_or(0, |(_, took)| took)
    }

    /// Appends to the growing block, or starts a new block if none of this kind is growing. Drops text of another turn.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written.
    pub fn grow(&self, turn_id: &TurnId, kind: BlockKind, text: &str) -> Result<(), ChatError> {
        let mut inner = self.lock();
        if inner.machine.turn() != Some(turn_id) {
            // The last output of an agent that was stopped: its turn has already ended.
            return Ok(());
        }
        let mut rest = text;
        while !rest.is_empty() {
            let cut = (0..=MAX_DELTA.min(rest.len())).rev().find(|&at| rest.is_char_boundary(at)).unwrap_or(0);
            let (part, behind) = rest.split_at(cut);
            inner.grow(turn_id, kind, part)?;
            rest = behind;
        }
        Ok(())
    }

    /// Completes the growing block, so that the next text starts a new one. Every event except a person's message also
    /// does this.
    pub fn finish_block(&self) {
        self.lock().finish_block();
    }

    /// Syncs the journal to disk, then `session.json` if it changed. The journal comes first, because the record holds
    /// its number of events. Blocks: one to three fsyncs.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be synced or the record cannot be written.
    pub fn persist(&self) -> Result<(), ChatError> {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, handle) = {
            let inner = self.lock();
            (inner.snapshot(), inner.journal.sync_handle())
        };
        if let Some(handle) = handle {
            handle.sync()?;
        }
        if now.head == 0 || saved.as_ref() == Some(&now) {
            return Ok(());
        }
        now.write(&self.place)?;
        *saved = Some(now);
        Ok(())
    }

    /// Closes the journal when the daemon ends, so that the next daemon can open it.
    pub(super) fn close(&self) {
        let mut inner = self.lock();
        inner.finish_block();
        inner.journal.close();
    }

    /// Returns the record as it would be saved.
    pub(super) fn record(&self) -> Record {
        self.lock().snapshot()
    }

    /// Stores a file with the conversation. Blocks on disk I/O.
    ///
    /// # Errors
    ///
    /// Fails if the file is larger than the limit or cannot be written.
    pub fn write_file(&self, name: &str, mime: &str, bytes: &[u8]) -> Result<Attachment, ChatError> {
        files::write(&self.place, name, mime, bytes)
    }

    /// Writes an export of the conversation, which can be read like a file until the next export replaces it. Blocks on
    /// disk I/O.
    ///
    /// # Errors
    ///
    /// Fails if the export is larger than the limit or cannot be written.
    pub fn write_export(&self, name: &str, mime: &str, bytes: &[u8]) -> Result<Attachment, ChatError> {
        files::write_export(&self.place, name, mime, bytes)
    }

    /// Reads a part of a file. Blocks on disk I/O.
    ///
    /// # Errors
    ///
    /// Fails if there is no such file or it cannot be read.
    pub fn read_file(&self, id: &FileId, offset: u64) -> Result<Part, ChatError> {
        files::read(&self.place, id, offset)
    }

    /// Returns the path of a file, for agents that take paths.
    ///
    /// # Errors
    ///
    /// Fails if the id is malformed. The file may be missing.
    pub fn file_path(&self, id: &FileId) -> Result<PathBuf, ChatError> {
        files::path(&self.place, id)
    }
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
