//! Conversations in git work trees of their own, where a person has set that.
//!
//! Owns when one is made, left and removed. A tree is made at a conversation's first turn and lies beneath gstack's home,
//! never in the repository; it is removed when its conversation went away and nothing would be lost with it. A daemon
//! that died in between is no matter: what it left is recognised at the next start. One change of a tree at a time.

mod git;
mod tree;

use super::Engine;
use super::chats::persist;
use super::config::WorktreesConfig;
use super::folders;
use super::tasks::off_thread;
use crate::agent::sandbox::Access;
use crate::chat::Conversation;
use crate::chat::Place;
use crate::chat::session::FolderUse;
use crate::protocol::chat::{ChatBody, ConversationState, Worktree};
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::ids::{ConversationId, TurnId};
use crate::protocol::told::{self, Sentence};
use git::{Git, GitError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::oneshot;
use tree::{Loss, Made, Stand, TreeError};

/// So many events back the last turn's begin is looked for.
const LOOKED_BACK: u32 = 200;
/// Of a commit's name, for people.
const SHORT: usize = 10;

/// What a conversation's folder needs before an agent works in it.
#[derive(Debug, PartialEq, Eq)]
enum Plan {
    Stay,
    /// A tree of the repository that this folder lies in.
    Make {
        of: String,
    },
    /// Its tree is gone, and none is wanted any more.
    Leave,
}

fn plan(config: &WorktreesConfig, place: &Place, is_there: bool) -> Plan {
    match &place.worktree {
        Some(_) if is_there => Plan::Stay,
        Some(tree) if config.enabled => Plan::Make { of: tree.of.clone() },
        Some(_) => Plan::Leave,
        None if config.enabled && place.used == FolderUse::Open => {
            Plan::Make { of: config.repository().unwrap_or(&place.folder).to_owned() }
        }
        None => Plan::Stay,
    }
}

/// A tree that was left behind.
struct Left {
    root: PathBuf,
    stand: Stand,
    loss: Result<Loss, GitError>,
}

impl Engine {
    /// Makes the conversation's folder what the settings want, before its agent begins a turn there. Gives what the
    /// person should know of it. The caller may give up: a tree that is being made is made all the same.
    pub(super) async fn settle_folder(&self, conversation: &Arc<Conversation>) -> Result<Vec<Sentence>, Fault> {
        if conversation.place().worktree.is_none() && !self.wants_worktree(conversation) {
            return Ok(Vec::new());
        }
        let (done, settled) = oneshot::channel();
        let (engine, conversation) = (self.clone(), conversation.clone());
        self.spawn(async move {
            if let Err(unheard) = done.send(engine.make_folder(&conversation).await) {
                tracing::debug!(?unheard, "the turn was stopped while its work tree was made");
            }
        });
        settled.await.unwrap_or_else(|_| Err(Fault::new(FaultCode::Cancelled, "gstack ends").at(Hop::Daemon)))
    }

    /// Its first turn will make it a work tree.
    pub(super) fn wants_worktree(&self, conversation: &Conversation) -> bool {
        matches!(plan(&self.config().worktrees, &conversation.place(), true), Plan::Make { .. })
    }

    async fn make_folder(&self, conversation: &Arc<Conversation>) -> Result<Vec<Sentence>, Fault> {
        let _one_at_a_time = self.inner.worktrees.lock().await;
        let root = self.worktree_of(conversation.id());
        let (config, place) = (self.config(), conversation.place());
        let stand = tree::stand(&root).await;
        match plan(&config.worktrees, &place, matches!(stand, Stand::Whole | Stand::Forgotten)) {
            Plan::Stay if place.worktree.is_some() && stand == Stand::Forgotten => {
                let of = place.worktree.map(|tree| tree.of).unwrap_or_default();
                Err(fault(&TreeError::Forgotten { folder: of.into(), tree: root }))
            }
            Plan::Stay => Ok(Vec::new()),
            Plan::Leave => {
                conversation.leave_worktree();
                persist(conversation.clone()).await?;
                let gone = root.display().to_string();
                Ok(vec![told::TREE_GONE.with([&gone, &conversation.folder()])])
            }
            Plan::Make { of } => {
                let of = self.folder_to_isolate(of).await?;
                let git = self.git().await.map_err(|error| fault(&error.into()))?;
                let made = tree::make(&git, &of, &root, self.home().root()).await.map_err(|error| fault(&error))?;
                let worktree = Worktree { of: of.to_string_lossy().into_owned(), commit: made.commit.clone() };
                conversation.enter_worktree(made.folder.to_string_lossy().into_owned(), worktree);
                // Before an agent writes there: who finds the tree later knows whose it is.
                persist(conversation.clone()).await?;
                Ok(made_words(&of, &made))
            }
        }
    }

    /// The folder as it is, or why no tree can be made of it. gstack's own workspace is no secret here.
    async fn folder_to_isolate(&self, of: String) -> Result<PathBuf, Fault> {
        let home = self.home().clone();
        let checked = off_thread(move || folders::check(&of, &home)).await;
        checked.map_err(|fault| fault.hint(told::TREE_REPOSITORY_NEXT).at(Hop::Daemon))
    }

    /// The conversation has left its tree or its tab: the tree goes where nothing is lost with it, else the
    /// conversation says where it is.
    pub(super) fn tidy_worktree(&self, conversation: Arc<Conversation>, place: Place) {
        let Some(worktree) = place.worktree else { return };
        let (engine, shutdown) = (self.clone(), self.shutdown());
        self.spawn(async move {
            let runner = engine.runner(&conversation);
            let tidied = async {
                runner.end().await;
                engine.tidy(&conversation, &worktree).await
            };
            let outcome = tokio::select! {
                outcome = tidied => outcome,
                () = shutdown.cancelled() => return,
            };
            if let Err(error) = outcome {
                tracing::warn!(conversation = %conversation.id(), %error, "a work tree stays");
            }
        });
    }

    async fn tidy(&self, conversation: &Arc<Conversation>, worktree: &Worktree) -> Result<(), TreeError> {
        let _one_at_a_time = self.inner.worktrees.lock().await;
        let info = conversation.info();
        let works_there = info.worktree.is_some();
        // Taken up again meanwhile.
        if info.state != ConversationState::Idle || (works_there && info.tab_id.is_some()) {
            return Ok(());
        }
        let root = self.worktree_of(conversation.id());
        if tree::stand(&root).await != Stand::Whole {
            return Ok(());
        }
        let git = self.git().await?;
        let loss = tree::loss(&git, &root, Some(&worktree.commit)).await?;
        if !loss.is_nothing() {
            tracing::info!(conversation = %conversation.id(), tree = %root.display(), "a work tree is kept: {}", loss.words());
            let (changes, commits, place) =
                (loss.changes.to_string(), loss.commits.to_string(), root.display().to_string());
            self.note(conversation, told::TREE_KEPT.with([&changes, &commits, &place])).await;
            return Ok(());
        }
        tree::remove(&git, &root).await?;
        conversation.leave_worktree();
        if let Err(fault) = persist(conversation.clone()).await {
            self.ports().tell_fault(&fault);
        }
        Ok(())
    }

    /// Writes a line behind the conversation's last turn.
    async fn note(&self, conversation: &Arc<Conversation>, sentence: Sentence) {
        let of = conversation.clone();
        let written = off_thread(move || {
            let page = of.history(u64::MAX, LOOKED_BACK).map_err(|error| error.fault())?;
            let last = page.events.iter().rev().find_map(|event| match &event.body {
                ChatBody::TurnStarted { turn_id, .. } => Some(turn_id.clone()),
                _ => None,
            });
            let turn_id: TurnId = last.unwrap_or_else(TurnId::random);
            of.append(ChatBody::notice(turn_id, sentence)).and_then(|_| of.persist()).map_err(|error| error.fault())
        });
        if let Err(fault) = written.await {
            self.ports().tell_fault(&fault);
        }
    }

    /// Removes what earlier daemons left, beside the start: trees that were half made, and those of conversations
    /// that are gone for good, where nothing is lost.
    pub(super) fn sweep_worktrees(&self) {
        let (engine, shutdown) = (self.clone(), self.shutdown());
        self.spawn(async move {
            tokio::select! {
                () = engine.sweep() => {}
                () = shutdown.cancelled() => {}
            }
        });
    }

    async fn sweep(&self) {
        let _one_at_a_time = self.inner.worktrees.lock().await;
        let left = self.left_worktrees().await;
        if left.is_empty() {
            return;
        }
        let Ok(git) = self.git().await else { return };
        for Left { root, stand, loss } in left {
            let removed = match (stand, loss) {
                (Stand::Half, _) => tree::remove_unknown_half(&root).await,
                (_, Ok(loss)) if loss.is_nothing() => tree::remove(&git, &root).await,
                _ => {
                    tracing::warn!(tree = %root.display(), "a work tree of a conversation that is gone is kept: gstack doctor says why");
                    continue;
                }
            };
            match removed {
                Ok(()) => tracing::info!(tree = %root.display(), "a left-over work tree is removed"),
                Err(error) => tracing::warn!(tree = %root.display(), %error, "a left-over work tree stays"),
            }
        }
    }

    /// Trees that no conversation works in, for `doctor`: what is in them, and how they are removed.
    pub(super) async fn worktree_notes(&self) -> Vec<String> {
        let _one_at_a_time = self.inner.worktrees.lock().await;
        self.left_worktrees().await.iter().map(left_words).collect()
    }

    async fn left_worktrees(&self) -> Vec<Left> {
        let (engine, folder) = (self.clone(), self.home().worktrees());
        let listed = move || {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let mut roots: Vec<PathBuf> = entries.map(|entry| entry.path().with_extension("")).collect();
            roots.sort();
            roots.dedup();
            let is_left = |root: &PathBuf| {
                let id = root.file_name().and_then(|name| name.to_str()).map(ConversationId::new);
                id.is_none_or(|id| !engine.store().keeps_worktree(&id))
            };
            roots.into_iter().filter(is_left).collect::<Vec<_>>()
        };
        let roots = tokio::task::spawn_blocking(listed).await.unwrap_or_default();
        let mut left = Vec::with_capacity(roots.len());
        if roots.is_empty() {
            return left;
        }
        let git = self.git().await;
        for root in roots {
            let stand = tree::stand(&root).await;
            let loss = match &git {
                Ok(git) if stand == Stand::Whole => tree::loss(git, &root, None).await,
                _ => Err(GitError::Missing),
            };
            left.push(Left { root, stand, loss });
        }
        left
    }

    async fn git(&self) -> Result<Git, GitError> {
        Ok(Git::find(self.agents().environment().await).await?.writing(self.home().worktrees()))
    }

    /// What the conversation's agent needs of the repository of its tree.
    pub(super) fn worktree_access(&self, conversation: &Conversation) -> Access {
        match conversation.place().worktree {
            Some(_) => tree::access(&self.worktree_of(conversation.id())),
            None => Access::default(),
        }
    }

    fn worktree_of(&self, id: &ConversationId) -> PathBuf {
        self.home().worktrees().join(id.as_str())
    }
}

fn made_words(of: &Path, made: &Made) -> Vec<Sentence> {
    let commit: String = made.commit.chars().take(SHORT).collect();
    let mut sentences = vec![told::TREE_MADE.with([&of.display().to_string(), &commit])];
    if made.uncommitted > 0 {
        sentences.push(told::TREE_LEAVES_OUT.with([&made.uncommitted.to_string()]));
    }
    if made.has_submodules {
        sentences.push(told::TREE_NO_SUBMODULES.into());
    }
    sentences
}

fn left_words(left: &Left) -> String {
    let place = left.root.display();
    match (left.stand, &left.loss) {
        (Stand::Half | Stand::Missing, _) => {
            format!("{place}: a work tree whose making was cut off; the next start of gstack removes it")
        }
        (Stand::Forgotten, _) => {
            format!(
                "{place}: a work tree that its repository does not know any more. Look through it, then: rm -rf '{place}'"
            )
        }
        (Stand::Whole, Ok(loss)) if loss.is_nothing() => {
            format!("{place}: a work tree that no conversation works in; the next start of gstack removes it")
        }
        (Stand::Whole, Ok(loss)) => format!(
            "{place}: a work tree that no conversation works in any more, with {}. Save them, then: git -C '{place}' worktree remove --force '{place}'",
            loss.words()
        ),
        (Stand::Whole, Err(error)) => format!("{place}: a work tree that can't be looked at: {error}"),
    }
}

fn fault(error: &TreeError) -> Fault {
    let shown = |path: &Path| path.display().to_string();
    let (code, message, hint) = match error {
        TreeError::Git(GitError::Missing) => (FaultCode::NotFound, told::TREE_NO_GIT.into(), told::TREE_NEXT),
        TreeError::Git(error) => {
            (FaultCode::Storage, told::TREE_GIT_FAILED.with([&error.to_string()]), told::TREE_NEXT)
        }
        TreeError::NoRepository { folder, source } => {
            // Why git does not take it for one: it may be another user's.
            let said = if let GitError::Failed { words, .. } = source { words.as_str() } else { "" };
            let message = told::TREE_NO_REPOSITORY.with([&shown(folder)]).said(said);
            (FaultCode::Conflict, message, told::TREE_REPOSITORY_NEXT)
        }
        TreeError::NoCommit { folder } => {
            (FaultCode::Conflict, told::TREE_NO_COMMIT.with([&shown(folder)]), told::TREE_NEXT)
        }
        TreeError::HoldsHome { repository } => {
            (FaultCode::Conflict, told::TREE_HOLDS_HOME.with([&shown(repository)]), told::TREE_REPOSITORY_NEXT)
        }
        TreeError::DiskFull { source } => {
            let message = Sentence::from(told::TREE_DISK_FULL).said(&source.to_string());
            (FaultCode::Storage, message, told::TREE_NEXT)
        }
        TreeError::Disk { path, source } => {
            (FaultCode::Storage, told::TREE_DISK.with([&shown(path), &source.to_string()]), told::TREE_NEXT)
        }
        TreeError::Forgotten { folder, tree } => {
            let message = told::TREE_FORGOTTEN.with([&shown(folder), &shown(tree)]);
            (FaultCode::Conflict, message, told::TREE_FORGOTTEN_NEXT)
        }
    };
    Fault::new(code, message).hint(hint).at(Hop::Daemon)
}

#[cfg(test)]
#[path = "hostile_tests.rs"]
mod hostile_tests;
#[cfg(test)]
#[path = "tests.rs"]
mod tests;
