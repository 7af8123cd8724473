//! The control files around an agent's turn: what git runs in the conversation's folder, the project's rules, and the agent's
//! own settings.
//!
//! Owns the time of the comparison and of putting back, and the card. The files are put back before the person is asked, so
//! that no git of theirs runs what an agent wrote while the card is open.

use super::task::Task;
use crate::conversations::Pending;
use crate::policy::{ActionKind, ActionRequest, AuditedAction, Risk};
use gstack_agent::adapter::AgentEvent;
use gstack_agent::control_files::{Change, ControlFiles};
use gstack_base::visible::visible;
use gstack_chat::turn::ApprovalRequest;
use gstack_protocol::action::ActionRecord;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::chat::{ChatBody, StepKind};
use gstack_protocol::decision::Decision;
use gstack_protocol::ids::{ApprovalId, TurnId};
use gstack_protocol::policy::PolicyScope;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The state at the begin of the turn, from the message until everything that differs is settled and nothing runs that the
/// agent started. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Watched(Arc<Mutex<Option<Begin>>>);

#[derive(Clone)]
struct Begin {
    turn_id: TurnId,
    files: Arc<ControlFiles>,
}

impl Watched {
    fn get(&self) -> Option<Begin> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Goes on with the comparison of an earlier turn in this one. Returns false if there is none.
    fn goes_on(&self, turn_id: &TurnId) -> bool {
        let mut begin = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begin.as_mut().map(|begin| begin.turn_id = turn_id.clone()).is_some()
    }

    fn take(&self) -> Option<Begin> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Starts the comparison for a turn.
    async fn look(&self, folder: String, settings: Vec<PathBuf>, turn_id: TurnId) {
        let look = move || Some(ControlFiles::look(&Path::new(&folder).canonicalize().ok()?, settings));
        let files = tokio::task::spawn_blocking(look).await.ok().flatten();
        let begin = files.map(|files| Begin { turn_id, files: Arc::new(files) });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = begin;
    }
}

/// The differences.
#[derive(Default)]
struct PutBack {
    changes: Vec<Change>,
    /// The files that could not be put back, with the reason.
    failed: Vec<String>,
}

impl Begin {
    async fn put_back(self) -> PutBack {
        let done = tokio::task::spawn_blocking(move || {
            let mut done = PutBack::default();
            for mut change in self.files.changes() {
                match change.put_back() {
                    Ok(()) => done.changes.push(change),
                    Err(error) => done.failed.push(format!("{}: {error}", change.path().display())),
                }
            }
            done
        });
        done.await.unwrap_or_else(|error| PutBack { failed: vec![error.to_string()], ..PutBack::default() })
    }
}

impl PutBack {
    fn paths(&self) -> String {
        self.changes.iter().map(|change| change.path().display().to_string()).collect::<Vec<_>>().join(", ")
    }
}

fn not_put_back(failed: &[String]) -> Sentence {
    catalogue::CONTROL_FILES_STAY.with([&failed.join("; ")])
}

impl Task {
    /// Looks at them before an agent with a process gets a message.
    pub(super) async fn watch_control_files(&mut self, turn_id: &TurnId) {
        let Some(session) = self.session.as_mut().filter(|session| session.slot.is_some()) else { return };
        if session.own_processes.is_none() {
            session.own_processes = Some(session.processes().await);
        }
        if !self.watched.goes_on(turn_id) {
            let settings = self.services.agents.settings_to_compare(&session.agent).await;
            self.watched.look(self.conversation.folder(), settings, turn_id.clone()).await;
        }
    }

    /// Puts back what the agent changed in the turn whose end is `done`, and shows a card about it. Returns `done` if
    /// nothing differs; otherwise it arrives again after the answer.
    pub(super) async fn asks_about_control_files(&mut self, done: AgentEvent) -> Option<AgentEvent> {
        let Some(begin) = self.watched.get() else { return Some(done) };
        let (turn_id, settings) = (begin.turn_id.clone(), begin.files.settings().to_vec());
        let put_back = begin.put_back().await;
        if !put_back.failed.is_empty() {
            self.append(ChatBody::notice(turn_id.clone(), not_put_back(&put_back.failed)));
        }
        if put_back.changes.is_empty() {
            // What still runs may write later: the comparison then ends with the next turn, or with the agent.
            if !self.has_left_something_running().await {
                self.watched.take();
            }
            return Some(done);
        }
        let (Some(turn), Some(session)) = (&self.turn, &self.session) else { return Some(done) };
        let (cancel, generation) = (turn.cancel.clone(), session.generation);
        let request = ActionRequest {
            conversation_id: self.conversation.id().clone(),
            kind: ActionKind::Does(PolicyScope::Write),
            site: None,
            browser: None,
            tool: None,
            risk: Risk::Plain,
        };
        let paths = put_back.paths();
        let line = format!("change {paths}");
        let content = put_back.changes.iter().map(Change::words).collect::<Vec<_>>().join("\n\n");
        let action = Box::new(ActionRecord {
            command: visible(&line),
            scope: Some(PolicyScope::Write),
            content: visible(&content),
            ..ActionRecord::default()
        });
        let approval_id = ApprovalId::random();
        let (pending, answer) = Pending::new(&self.gate, approval_id.clone());
        let limit = self.services.config.approval_limit();
        let (policy, conversation) = (self.services.policy.clone(), self.conversation.clone());
        let (watched, events, kept) = (self.watched.clone(), self.agent_events.clone(), action.clone());
        self.services.tasks.spawn(async move {
            let answered = pending.answered(limit, &cancel).await;
            let audited = AuditedAction { line: &line, record: Some(&kept) };
            if policy.settle(&conversation, &request, &audited, answered).is_ok() {
                let kept = tokio::task::spawn_blocking(move || {
                    for change in &put_back.changes {
                        if let Err(error) = change.keep() {
                            tracing::error!(%error, path = %change.path().display(), "a control file can't be changed");
                        }
                    }
                });
                if let Err(error) = kept.await {
                    tracing::error!(%error, "control files stay as they were");
                }
                watched.look(conversation.folder(), settings, turn_id).await;
            }
            if !cancel.is_cancelled() {
                // Ignored if the agent has ended.
                events.send((generation, done)).await.ok();
            }
        });
        let approval = ApprovalRequest {
            approval_id,
            ask: visible(&format!("Change {paths}")),
            phrase: None,
            site: None,
            why: Some(catalogue::CONTROL_FILES_WHY.into()),
            does: action.command.clone(),
            action,
            kind: StepKind::File,
            choices: vec![Decision::AllowOnce, Decision::Deny],
        };
        self.asked(approval, answer);
        None
    }

    /// Returns true if the agent has processes that were not there before its first message.
    fn has_left_something_running(&self) -> impl Future<Output = bool> + Send + use<> {
        let session = self.session.as_ref();
        let found = session.map(|session| (session.processes(), session.own_processes.clone().unwrap_or_default()));
        async move {
            let Some((processes, own)) = found else { return false };
            processes.await.iter().any(|process| !own.contains(process))
        }
    }

    /// Returns what must follow the end of an agent whose turn did not end by itself: its changes are put back without a
    /// card, which the conversation then says.
    pub(super) fn settles_control_files(&self) -> impl Future<Output = ()> + Send + use<> {
        let begin = self.watched.take();
        let (conversation, ports) = (self.conversation.clone(), self.services.ports.clone());
        async move {
            let Some(begin) = begin else { return };
            let turn_id = begin.turn_id.clone();
            let put_back = begin.put_back().await;
            let mut said = Vec::new();
            if !put_back.changes.is_empty() {
                said.push(catalogue::CONTROL_FILES_PUT_BACK.with([&put_back.paths()]));
            }
            if !put_back.failed.is_empty() {
                said.push(not_put_back(&put_back.failed));
            }
            for sentence in said {
                if let Err(error) = conversation.append(ChatBody::notice(turn_id.clone(), sentence)) {
                    ports.tell_fault(&error.fault());
                }
            }
        }
    }
}
