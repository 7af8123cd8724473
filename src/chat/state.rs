//! A conversation's state under its lock: machine, journal, growing block and panels change together here.
//!
//! Owns the order: an event is written, then applied, then pushed. Takes no lock itself.

use super::conversation::{BlockKind, Handled};
use super::error::ChatError;
use super::feed::{Feed, Growing};
use crate::journal::{Journal, SentIndex, Tail, line};
use crate::store::{Record, session_file};
use crate::turn::{Effect, Event, Machine, TurnClock, TurnEnd};
use gstack_base::clock;
use gstack_base::reserve::{self, Reserve};
use gstack_protocol::chat::{ChatBody, ChatEvent, ConversationInfo, ConversationState, Seq, StepOutcome};
use gstack_protocol::chat_requests::Sent;
use gstack_protocol::ids::{ClientMessageId, TurnId};
use std::collections::VecDeque;
use std::sync::Arc;

/// The limit of a block's text as JSON. A longer answer continues in a new block, so that each event fits into one
/// frame.
const MAX_BLOCK: usize = 256 * 1024;
/// The number of messages whose repeats are recognised without the index.
pub(super) const REMEMBERED_SENDS: usize = 256;

/// The state of a conversation under its lock.
pub(super) struct Inner {
    pub(super) record: Record,
    pub(super) machine: Machine,
    pub(super) journal: Journal,
    pub(super) block: Option<Block>,
    pub(super) feed: Feed,
    pub(super) clock: TurnClock,
    /// Ends that could not be written. They are written before any later record, because nothing else would close what
    /// they end.
    pub(super) owed: VecDeque<ChatBody>,
    /// The newest turn whose start is written.
    pub(super) begun: Option<TurnId>,
    /// The newest messages with their answers.
    pub(super) sent: VecDeque<(ClientMessageId, Sent)>,
    /// There are older messages, which only the index knows.
    pub(super) sent_before: bool,
    pub(super) sent_index: SentIndex,
    pub(super) reserve: Arc<Reserve>,
    /// The last `chat.info` sent to panels, without the fields that every event changes.
    pub(super) told: Option<ConversationInfo>,
}

/// The growing block.
pub(super) struct Block {
    pub(super) seq: Seq,
    turn_id: TurnId,
    kind: BlockKind,
    pub(super) text: String,
    /// In UTF-16 units.
    pub(super) length: u64,
    /// Length as JSON.
    json_length: usize,
}

impl Block {
    pub(super) fn growing(&self) -> Growing<'_> {
        Growing { seq: self.seq, text: &self.text, length: self.length }
    }
}

/// How to handle an event that cannot be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnFailure {
    /// Refuses the event: the person sees the fault and can try again.
    Undo,
    /// Applies the event anyway: an agent's end cannot be undone.
    GoOn,
}

impl Inner {
    pub(super) fn info(&self) -> ConversationInfo {
        let mut info = self.record.info(self.machine.state(), u32::try_from(self.machine.queue().len()).unwrap_or(0));
        info.head = self.journal.head();
        if info.head > 0 {
            info.earlier = None;
        }
        info
    }

    pub(super) fn snapshot(&self) -> Record {
        Record {
            head: self.journal.head(),
            journal_bytes: self.journal.length(),
            settled: self.machine.state() == ConversationState::Idle && self.machine.queue().len() == 0,
            ..self.record.clone()
        }
    }

    pub(super) fn handle(&mut self, event: Event, on_failure: OnFailure) -> Result<Handled, ChatError> {
        let mut next = self.machine.clone();
        let effects = next.step(event).map_err(ChatError::Refused)?;
        let mut error = None;
        let mut rest = Vec::new();
        for effect in effects {
            let written = match effect {
                Effect::Journal(body) if on_failure == OnFailure::GoOn => self.append_end(body),
                Effect::Journal(body) => self.append(body).map(|_| ()),
                Effect::TurnEnded(end) => {
                    let written = self.end_turn(&end);
                    rest.push(Effect::TurnEnded(end));
                    written
                }
                other => {
                    rest.push(other);
                    Ok(())
                }
            };
            match written {
                Ok(()) => {}
                // The first effect of a person's event is its journal entry, so nothing else has happened yet.
                Err(failed) if on_failure == OnFailure::Undo => return Err(failed),
                Err(failed) => {
                    error.get_or_insert(failed);
                }
            }
        }
        self.machine = next;
        self.clock.note_waiting(self.machine.state() == ConversationState::WaitingForApproval);
        self.tell();
        Ok(Handled { effects: rest, fault: error.map(|error| error.fault()) })
    }

    /// Ends everything that the turn left open, then the turn.
    fn end_turn(&mut self, end: &TurnEnd) -> Result<(), ChatError> {
        let clock = std::mem::take(&mut self.clock);
        let mut first_error = Ok(());
        for (step_id, took) in clock.open_steps() {
            let closed = self.append_end(ChatBody::StepDone {
                turn_id: end.turn_id.clone(),
                step_id: step_id.clone(),
                outcome: StepOutcome::Unknown,
                duration_ms: took,
                result: String::new(),
                images: Vec::new(),
            });
            first_error = first_error.and(closed);
        }
        let ended = self.append_end(ChatBody::TurnDone {
            turn_id: end.turn_id.clone(),
            outcome: end.outcome,
            duration_ms: clock.worked(),
            model: end.model.clone(),
            cost_usd: end.cost_usd,
            usage: end.usage,
            fault: end.fault.clone(),
        });
        first_error.and(ended)
    }

    /// Writes owed events, then this one. Fails while the remaining disk space is reserved for ends.
    pub(super) fn append(&mut self, body: ChatBody) -> Result<ChatEvent, ChatError> {
        self.check_room()?;
        self.append_within_reserve(body)
    }

    fn check_room(&self) -> Result<(), ChatError> {
        match self.reserve.is_kept() {
            true => Ok(()),
            false => Err(self.journal.full()),
        }
    }

    fn append_within_reserve(&mut self, body: ChatBody) -> Result<ChatEvent, ChatError> {
        while let Some(body) = self.owed.front().cloned() {
            self.write(body)?;
            self.owed.pop_front();
        }
        self.write(body)
    }

    /// Writes the start of a turn. If that fails it is owed, because its message was accepted and the turn's end
    /// follows.
    pub(super) fn append_beginning(&mut self, turn_id: &TurnId, body: ChatBody) -> Result<ChatEvent, ChatError> {
        let written = self.append(body.clone());
        if written.is_err() {
            self.begun = Some(turn_id.clone());
            self.owed.push_back(body);
        }
        written
    }

    /// Writes an end, using the reserved space if the disk is full. If it cannot be written, it is owed.
    fn append_end(&mut self, body: ChatBody) -> Result<(), ChatError> {
        let mut written = self.append_within_reserve(body.clone());
        if matches!(&written, Err(ChatError::Storage { source, .. }) if reserve::is_full(source))
            && self.reserve.release()
        {
            written = self.append_within_reserve(body.clone());
        }
        if written.is_err() && self.is_end_of_begun(&body) {
            self.owed.push_back(body);
        }
        written.map(|_| ())
    }

    fn is_end_of_begun(&self, body: &ChatBody) -> bool {
        let (ChatBody::TurnDone { turn_id, .. }
        | ChatBody::StepDone { turn_id, .. }
        | ChatBody::ApprovalDone { turn_id, .. }
        | ChatBody::QuestionDone { turn_id, .. }) = body
        else {
            return false;
        };
        self.begun.as_ref() == Some(turn_id)
    }

    fn write(&mut self, body: ChatBody) -> Result<ChatEvent, ChatError> {
        if !line::leaves_block_open(&body) {
            self.finish_block();
        }
        let event = ChatEvent { seq: self.journal.head() + 1, at: clock::now_millis(), body };
        let bytes = match line::is_promised(&event.body) {
            true => self.journal.append_durably(&event)?,
            false => self.journal.append(&event)?,
        };
        self.note(&event);
        self.feed.event(&event, bytes);
        Ok(event)
    }

    /// Applies an event to the record and the clock.
    fn note(&mut self, event: &ChatEvent) {
        self.record.updated_at = event.at;
        match &event.body {
            ChatBody::Message { text, page, attachments, .. } => {
                if self.record.title.is_empty() && !self.record.named {
                    self.record.title = session_file::title(text, attachments.first().map(|file| file.name.as_str()));
                }
                if page.is_some() {
                    self.record.page.clone_from(page);
                }
            }
            ChatBody::TurnStarted { turn_id, .. } => self.begun = Some(turn_id.clone()),
            ChatBody::TurnDone { cost_usd: Some(cost), .. } => self.record.add_cost(*cost),
            ChatBody::Step { step_id, .. } => self.clock.step_began(step_id.clone()),
            ChatBody::StepDone { step_id, .. } => self.clock.step_ended(step_id),
            _ => {}
        }
    }

    pub(super) fn grow(&mut self, turn_id: &TurnId, kind: BlockKind, text: &str) -> Result<(), ChatError> {
        let json_length = line::encode(&text).len();
        let fits = self.block.as_ref().is_some_and(|block| {
            block.turn_id == *turn_id && block.kind == kind && block.json_length + json_length <= MAX_BLOCK
        });
        if !fits {
            self.begin_block(turn_id, kind)?;
        }
        self.check_room()?;
        let Some(block) = &mut self.block else { return Ok(()) };
        self.journal.append_text(block.seq, block.length, text)?;
        block.text.push_str(text);
        block.length += line::utf16_length(text);
        block.json_length += json_length;
        self.feed.grown(block.growing());
        Ok(())
    }

    fn begin_block(&mut self, turn_id: &TurnId, kind: BlockKind) -> Result<(), ChatError> {
        let (turn_id, text) = (turn_id.clone(), String::new());
        let body = match kind {
            BlockKind::Text => ChatBody::Text { turn_id: turn_id.clone(), text },
            BlockKind::Thinking => ChatBody::Thinking { turn_id: turn_id.clone(), text },
        };
        let seq = self.append(body)?.seq;
        self.feed.block_begins();
        self.block = Some(Block { seq, turn_id, kind, text: String::new(), length: 0, json_length: 0 });
        Ok(())
    }

    pub(super) fn finish_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.feed.block_ends(block.growing(), self.journal.head());
        }
    }

    /// Returns the answer to a message if it was sent before. Blocks on disk I/O in a long conversation.
    pub(super) fn sent_before(&mut self, client_id: &ClientMessageId) -> Result<Option<Sent>, ChatError> {
        if let Some((_, sent)) = self.sent.iter().find(|(known, _)| known == client_id) {
            return Ok(Some(sent.clone()));
        }
        if !self.sent_before {
            return Ok(None);
        }
        Ok(self.sent_index.find(&self.journal, client_id)?.map(|seq| Sent { seq, position: 0 }))
    }

    pub(super) fn remember(&mut self, client_id: ClientMessageId, sent: Sent) {
        self.sent_index.note(&client_id, sent.seq);
        if self.sent.len() >= REMEMBERED_SENDS {
            self.sent.pop_front();
            self.sent_before = true;
        }
        self.sent.push_back((client_id, sent));
    }

    /// Pushes a `chat.info` if anything that panels show has changed.
    pub(super) fn tell(&mut self) {
        let info = self.info();
        let compared = ConversationInfo { head: 0, updated_at: 0, ..info.clone() };
        if self.told.as_ref() != Some(&compared) {
            self.feed.info(&info);
            self.told = Some(compared);
        }
    }

    /// Ends in the journal everything that the previous daemon left open. If an end cannot be written, it still counts
    /// as ended, and is owed.
    pub(super) fn recover(&mut self, tail: Tail) {
        self.sent_before = !tail.sent_is_all || tail.sent.len() > REMEMBERED_SENDS;
        for (client_id, seq) in tail.sent.into_iter().take(REMEMBERED_SENDS).collect::<Vec<_>>().into_iter().rev() {
            self.remember(client_id, Sent { seq, position: 0 });
        }
        if let Some(cost) = tail.unsaved_cost {
            self.record.add_cost(cost);
        }
        let interrupted = tail.unfinished.as_ref().map(|turn| turn.turn_id.clone());
        self.begun.clone_from(&interrupted);
        if interrupted.is_none() && tail.waiting.is_empty() {
            return;
        }
        let updated_at = self.record.updated_at;
        let mut result = Ok(());
        for body in tail.unfinished.iter().flat_map(|turn| turn.endings(tail.newest_at)) {
            result = result.and(self.append_end(body));
        }
        // Ignore the effects: the turn's end is already among the endings above.
        self.machine.recovered(interrupted, tail.waiting);
        // A daemon's start does not count as an update: the conversation keeps its place in lists.
        self.record.updated_at = updated_at;
        if let Err(error) = result {
            tracing::warn!(conversation = %self.record.conversation_id, %error, "an interrupted turn can't be closed");
        }
    }
}
