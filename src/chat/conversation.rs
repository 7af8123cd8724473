//! One conversation: its turns, its journal and its panels under one small lock.
//!
//! Owns the order of things: an event is written, then it counts, then it is pushed. Never talks to an agent, and
//! what blocks for the disk's sake (`persist`, files) says so.

use super::error::ChatError;
use super::feed::{Feed, Growing};
use super::files::{self, Part};
use super::journal::Journal;
use super::line;
use super::recover::{self, Tail};
use super::session::{self, Record};
use super::turn::{Effect, Event, Machine, Message, Refusal, TurnEnd};
use crate::base::clock;
use crate::protocol::chat::{
    AnsweredBy, Attachment, ChatBody, ChatEvent, ConversationInfo, ConversationState, Decision, PageContext, Seq,
    StepOutcome,
};
use crate::protocol::fault::Fault;
use crate::protocol::ids::{
    AgentName, ApprovalId, ClientMessageId, ConversationId, Epoch, FileId, StepId, TabId, TurnId,
};
use crate::protocol::methods::Sent;
use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A block's text as JSON: a longer answer goes on in a new block, so that each event fits into one frame.
const MAX_BLOCK: usize = 256 * 1024;
/// One delta's text: a longer one is written in parts.
const MAX_DELTA: usize = 64 * 1024;
/// Messages that are recognised when they are sent again.
const REMEMBERED_SENDS: usize = 256;

/// Which block of an answer grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Text,
    Thinking,
}

/// What an event of a turn led to.
#[derive(Debug)]
pub struct Handled {
    /// For the engine, in this order. What belongs into the journal is there already.
    pub effects: Vec<Effect>,
    /// Something could not be written. The turn goes on; the person is told.
    pub fault: Option<Fault>,
}

/// The answer to a message.
#[derive(Debug)]
pub struct SendAnswer {
    /// `position`: its place in the queue, 1 for the next; 0 when its turn begins at once.
    pub sent: Sent,
    pub effects: Vec<Effect>,
    /// It was sent before; nothing happened now.
    pub repeated: bool,
}

/// One conversation. Shared by `Arc`; every method is cheap unless it says that it blocks.
pub struct Conversation {
    pub(super) id: ConversationId,
    pub(super) epoch: Epoch,
    /// Where it lies on disk, once it has a message.
    place: PathBuf,
    pub(super) inner: Mutex<Inner>,
    /// What `session.json` was last written with; held while it is written.
    saved: Mutex<Option<Record>>,
}

impl fmt::Debug for Conversation {
    /// Its id alone: what people write does not belong into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Conversation").field(&self.id).finish()
    }
}

pub(super) struct Inner {
    pub(super) record: Record,
    pub(super) machine: Machine,
    pub(super) journal: Journal,
    pub(super) block: Option<Block>,
    pub(super) feed: Feed,
    clock: TurnClock,
    sent: VecDeque<(ClientMessageId, Sent)>,
    /// What panels were last told, without what every event changes.
    told: Option<ConversationInfo>,
}

/// The block that grows now.
pub(super) struct Block {
    pub(super) seq: Seq,
    turn_id: TurnId,
    kind: BlockKind,
    pub(super) text: String,
    /// In UTF-16 units.
    pub(super) length: u64,
    /// As JSON.
    json_length: usize,
}

impl Block {
    pub(super) fn growing(&self) -> Growing<'_> {
        Growing { seq: self.seq, text: &self.text, length: self.length }
    }
}

/// Times of the running turn. A person's time to answer is not the turn's.
#[derive(Default)]
struct TurnClock {
    began: Option<Instant>,
    waiting_since: Option<Instant>,
    waited: Duration,
    steps: Vec<(StepId, Instant)>,
}

impl Conversation {
    /// A conversation without any message: nothing of it is on disk. `place`: its folder to be.
    pub(super) fn new(record: Record, place: PathBuf, epoch: Epoch) -> Self {
        let journal = Journal::new(&place, record.conversation_id.clone());
        Self::with(record, place, epoch, journal, None)
    }

    /// Opens a conversation on disk. A turn that was running when the daemon ended becomes `interrupted`.
    /// `record`: what `session.json` holds; absent, it is made from the journal. Blocks for the disk.
    pub(super) fn open(
        id: ConversationId,
        record: Option<Record>,
        default_folder: &str,
        place: PathBuf,
        epoch: Epoch,
    ) -> Result<Self, ChatError> {
        let journal = Journal::open(&place, id.clone())?;
        let tail = recover::examine(&journal)?;
        let saved = record.clone();
        let mut record = match record {
            Some(record) => record,
            None => Record::from_journal(&journal, id, default_folder.to_owned())?,
        };
        record.head = journal.head();
        record.updated_at = record.updated_at.max(tail.newest_at);
        let conversation = Self::with(record, place, epoch, journal, saved);
        conversation.lock().recover(tail);
        Ok(conversation)
    }

    fn with(record: Record, place: PathBuf, epoch: Epoch, journal: Journal, saved: Option<Record>) -> Self {
        let id = record.conversation_id.clone();
        let inner = Inner {
            record,
            machine: Machine::default(),
            journal,
            block: None,
            feed: Feed::new(id.clone()),
            clock: TurnClock::default(),
            sent: VecDeque::new(),
            told: None,
        };
        Self { id, epoch, place, inner: Mutex::new(inner), saved: Mutex::new(saved) }
    }

    /// The sections are small and leave no half-made state: a panic elsewhere does not end the conversation.
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn id(&self) -> &ConversationId {
        &self.id
    }

    pub fn info(&self) -> ConversationInfo {
        self.lock().info()
    }

    pub fn state(&self) -> ConversationState {
        self.lock().machine.state()
    }

    /// The running turn.
    pub fn turn(&self) -> Option<TurnId> {
        self.lock().machine.turn().cloned()
    }

    /// The number of the newest event; 0 while there is none, and then nothing is on disk.
    pub fn head(&self) -> Seq {
        self.lock().journal.head()
    }

    /// Lines of the journal that were met and could not be read.
    pub fn unreadable_lines(&self) -> usize {
        self.lock().journal.garbage()
    }

    /// Takes a person's message. The same `client_id` again is answered as the first time.
    /// Call [`Self::persist`] before telling the person that it is safe.
    pub fn send(&self, message: Message) -> Result<SendAnswer, ChatError> {
        let mut inner = self.lock();
        let client_id = message.client_id.clone();
        if let Some((_, sent)) = inner.sent.iter().find(|(known, _)| *known == client_id) {
            return Ok(SendAnswer { sent: sent.clone(), effects: Vec::new(), repeated: true });
        }
        let handled = inner.handle(Event::Send(Arc::new(message)), OnFailure::Undo)?;
        let place = inner.machine.queue().position(|waiting| waiting.client_id == client_id);
        let position = place.map_or(0, |at| u32::try_from(at + 1).unwrap_or(u32::MAX));
        let sent = Sent { seq: inner.journal.head(), position };
        inner.remember(client_id, sent.clone());
        Ok(SendAnswer { sent, effects: handled.effects, repeated: false })
    }

    /// Takes a waiting message back.
    pub fn unqueue(&self, client_id: ClientMessageId) -> Result<(), ChatError> {
        self.lock().handle(Event::Unqueue(client_id), OnFailure::Undo).map(|_| ())
    }

    /// Answers an approval. The effects hold the answer for whoever asked.
    pub fn answer(&self, approval_id: ApprovalId, decision: Decision, by: AnsweredBy) -> Result<Handled, ChatError> {
        self.lock().handle(Event::ApprovalAnswered { approval_id, decision, by }, OnFailure::Undo)
    }

    /// Any other event of a turn.
    pub fn handle(&self, event: Event) -> Handled {
        let (on_failure, unless) = match &event {
            // A question that nobody can see is answered with no.
            Event::ApprovalAsked(request) => {
                let approval_id = request.approval_id.clone();
                (OnFailure::Undo, vec![Effect::AnswerApproval { approval_id, decision: Decision::Deny }])
            }
            _ => (OnFailure::GoOn, Vec::new()),
        };
        self.lock()
            .handle(event, on_failure)
            .unwrap_or_else(|error| Handled { effects: unless, fault: Some(error.fault()) })
    }

    /// Writes `turn-started`: the first thing to do for [`Effect::StartTurn`]. When this fails the turn can't begin:
    /// report [`Event::AgentFailedToStart`].
    pub fn begin_turn(
        &self,
        message: &Message,
        agent: AgentName,
        agent_label: String,
        model: Option<String>,
    ) -> Result<ChatEvent, ChatError> {
        let mut inner = self.lock();
        inner.clock = TurnClock { began: Some(Instant::now()), ..TurnClock::default() };
        inner.append(ChatBody::TurnStarted {
            turn_id: message.turn_id.clone(),
            client_id: message.client_id.clone(),
            agent,
            agent_label,
            model,
        })
    }

    /// Writes and pushes an event: steps, notices. Messages, approvals and ends of turns come by `handle`.
    pub fn append(&self, body: ChatBody) -> Result<ChatEvent, ChatError> {
        self.lock().append(body)
    }

    /// Adds to the growing block; begins one where none of this kind grows.
    pub fn grow(&self, turn_id: &TurnId, kind: BlockKind, text: &str) -> Result<(), ChatError> {
        let mut inner = self.lock();
        let mut rest = text;
        while !rest.is_empty() {
            let cut = (0..=MAX_DELTA.min(rest.len())).rev().find(|&at| rest.is_char_boundary(at)).unwrap_or(0);
            let (part, behind) = rest.split_at(cut);
            inner.grow(turn_id, kind, part)?;
            rest = behind;
        }
        Ok(())
    }

    /// The growing block is complete: the next text begins a new one. Every event but a person's message does this too.
    pub fn finish_block(&self) {
        self.lock().finish_block();
    }

    pub fn title_of(&self) -> String {
        self.lock().record.title.clone()
    }

    /// A person names it.
    pub fn rename(&self, title: String) {
        self.change(|record| {
            record.title = title;
            record.named = true;
        });
    }

    /// Chooses the agent; None: the default one.
    pub fn choose_agent(&self, agent: Option<AgentName>, model: Option<String>) {
        self.change(|record| {
            record.agent = agent;
            record.model = model;
        });
    }

    pub fn model(&self) -> Option<String> {
        self.lock().record.model.clone()
    }

    pub fn set_folder(&self, folder: String) {
        self.change(|record| record.folder = folder);
    }

    pub fn set_page(&self, page: PageContext) {
        self.change(|record| record.page = Some(page));
    }

    /// The agent's own session id from an earlier turn, to go on with.
    pub fn resume(&self, agent: &AgentName) -> Option<String> {
        self.lock().record.resume.get(agent).cloned()
    }

    /// None forgets it: the agent does not know it any more.
    pub fn set_resume(&self, agent: AgentName, session: Option<String>) {
        let mut inner = self.lock();
        match session {
            Some(session) => inner.record.resume.insert(agent, session),
            None => inner.record.resume.remove(&agent),
        };
    }

    pub(super) fn set_tab(&self, tab_id: Option<TabId>, tab: Option<session::TabKey>) {
        self.change(|record| {
            record.tab_id = tab_id;
            record.tab = tab;
        });
    }

    fn change(&self, change: impl FnOnce(&mut Record)) {
        let mut inner = self.lock();
        change(&mut inner.record);
        inner.tell();
    }

    /// Brings the journal and, where it changed, `session.json` onto the disk. Blocks: an fsync or three.
    /// To be called for a person's message before it is acknowledged, and at the end of a turn.
    pub fn persist(&self) -> Result<(), ChatError> {
        let handle = self.lock().journal.sync_handle();
        if let Some(handle) = handle {
            handle.sync()?;
        }
        self.save()
    }

    /// Writes `session.json` where it changed. Blocks.
    pub fn save(&self) -> Result<(), ChatError> {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.lock().snapshot();
        if now.head == 0 || saved.as_ref() == Some(&now) {
            return Ok(());
        }
        now.write(&self.place)?;
        *saved = Some(now);
        Ok(())
    }

    /// Its entry as it would be saved.
    pub(super) fn record(&self) -> Record {
        self.lock().snapshot()
    }

    /// Keeps a file with the conversation. Blocks for the disk.
    pub fn write_file(&self, name: &str, mime: &str, bytes: &[u8]) -> Result<Attachment, ChatError> {
        files::write(&self.place, name, mime, bytes)
    }

    /// Reads a part of a file. Blocks for the disk.
    pub fn read_file(&self, id: &FileId, offset: u64) -> Result<Part, ChatError> {
        files::read(&self.place, id, offset)
    }

    /// Where a file lies, for agents that take paths.
    pub fn file_path(&self, id: &FileId) -> Result<PathBuf, ChatError> {
        files::path(&self.place, id)
    }
}

/// What becomes of an event that can't be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnFailure {
    /// It did not happen: a person is told and tries again.
    Undo,
    /// It happened all the same: an agent's end can't be undone.
    GoOn,
}

impl Inner {
    pub(super) fn info(&self) -> ConversationInfo {
        let mut info = self.record.info(self.machine.state(), u32::try_from(self.machine.queue().len()).unwrap_or(0));
        info.head = self.journal.head();
        info
    }

    fn snapshot(&self) -> Record {
        Record {
            head: self.journal.head(),
            journal_bytes: self.journal.length(),
            settled: self.machine.state() == ConversationState::Idle && self.machine.queue().len() == 0,
            ..self.record.clone()
        }
    }

    fn handle(&mut self, event: Event, on_failure: OnFailure) -> Result<Handled, ChatError> {
        let mut next = self.machine.clone();
        let effects = next.step(event);
        if let [Effect::Rejected(refusal)] = effects[..] {
            return Err(ChatError::Refused(refusal));
        }
        let mut error = None;
        let mut rest = Vec::new();
        for effect in effects {
            let written = match effect {
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
                // The first effect of what a person does is its event: nothing else has happened yet.
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

    /// Closes what the turn left open, then the turn.
    fn end_turn(&mut self, end: &TurnEnd) -> Result<(), ChatError> {
        let clock = std::mem::take(&mut self.clock);
        let mut first_error = Ok(());
        for (step_id, began) in &clock.steps {
            let closed = self.append(ChatBody::StepDone {
                turn_id: end.turn_id.clone(),
                step_id: step_id.clone(),
                outcome: StepOutcome::Unknown,
                duration_ms: millis(began.elapsed()),
                result: String::new(),
                images: Vec::new(),
            });
            first_error = first_error.and(closed.map(|_| ()));
        }
        let ended = self.append(ChatBody::TurnDone {
            turn_id: end.turn_id.clone(),
            outcome: end.outcome,
            duration_ms: clock.worked(),
            model: end.model.clone(),
            cost_usd: end.cost_usd,
            fault: end.fault.clone(),
        });
        first_error.and(ended.map(|_| ()))
    }

    fn append(&mut self, body: ChatBody) -> Result<ChatEvent, ChatError> {
        if !line::leaves_block_open(&body) {
            self.finish_block();
        }
        let event = ChatEvent { seq: self.journal.head() + 1, at: clock::now_millis(), body };
        let bytes = self.journal.append(&event)?;
        self.note(&event);
        self.feed.event(&event, bytes);
        Ok(event)
    }

    /// What an event changes besides the journal.
    fn note(&mut self, event: &ChatEvent) {
        self.record.updated_at = event.at;
        match &event.body {
            ChatBody::Message { text, page, attachments, .. } => {
                if self.record.title.is_empty() && !self.record.named {
                    self.record.title = session::title(text, attachments.first().map(|file| file.name.as_str()));
                }
                if page.is_some() {
                    self.record.page.clone_from(page);
                }
            }
            ChatBody::Step { step_id, .. } => self.clock.steps.push((step_id.clone(), Instant::now())),
            ChatBody::StepDone { step_id, .. } => self.clock.steps.retain(|(open, _)| open != step_id),
            _ => {}
        }
    }

    fn grow(&mut self, turn_id: &TurnId, kind: BlockKind, text: &str) -> Result<(), ChatError> {
        let json_length = line::encode(&text).len();
        let fits = self.block.as_ref().is_some_and(|block| {
            block.turn_id == *turn_id && block.kind == kind && block.json_length + json_length <= MAX_BLOCK
        });
        if !fits {
            self.begin_block(turn_id, kind)?;
        }
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

    fn finish_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.feed.block_ends(block.growing(), self.journal.head());
        }
    }

    fn remember(&mut self, client_id: ClientMessageId, sent: Sent) {
        if self.sent.len() >= REMEMBERED_SENDS {
            self.sent.pop_front();
        }
        self.sent.push_back((client_id, sent));
    }

    /// Tells the panels when something changed that they show.
    fn tell(&mut self) {
        let info = self.info();
        let compared = ConversationInfo { head: 0, updated_at: 0, ..info.clone() };
        if self.told.as_ref() != Some(&compared) {
            self.feed.info(&info);
            self.told = Some(compared);
        }
    }

    /// Ends in the journal what the daemon before this one left open. What can't be written is written
    /// by the next one: here it counts as ended all the same.
    fn recover(&mut self, tail: Tail) {
        for (client_id, seq) in tail.sent.into_iter().take(REMEMBERED_SENDS).collect::<Vec<_>>().into_iter().rev() {
            self.remember(client_id, Sent { seq, position: 0 });
        }
        let interrupted = tail.unfinished.as_ref().map(|turn| turn.turn_id.clone());
        if interrupted.is_none() && tail.waiting.is_empty() {
            return;
        }
        let updated_at = self.record.updated_at;
        let mut result = Ok(());
        for body in tail.unfinished.iter().flat_map(|turn| turn.endings(tail.newest_at)) {
            result = result.and(self.append(body).map(|_| ()));
        }
        // Its effect, the turn's end, is among the endings above.
        self.machine.step(Event::Recovered { interrupted, waiting: tail.waiting });
        // That a daemon started is no news of the conversation: lists keep its place.
        self.record.updated_at = updated_at;
        if let Err(error) = result {
            tracing::warn!(conversation = %self.record.conversation_id, %error, "an interrupted turn can't be closed");
        }
    }
}

impl TurnClock {
    fn note_waiting(&mut self, waiting: bool) {
        match (waiting, self.waiting_since) {
            (true, None) => self.waiting_since = Some(Instant::now()),
            (false, Some(since)) => {
                self.waited += since.elapsed();
                self.waiting_since = None;
            }
            _ => {}
        }
    }

    /// Milliseconds that the agent had.
    fn worked(&self) -> u64 {
        let waited = self.waited + self.waiting_since.map_or(Duration::ZERO, |since| since.elapsed());
        self.began.map_or(0, |began| millis(began.elapsed().saturating_sub(waited)))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// For callers that tell a full queue from other trouble.
impl ChatError {
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Refused(refusal) => Some(*refusal),
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
