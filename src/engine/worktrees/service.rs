//! The handle to the worktrees, and how a conversation gets one.
//!
//! Owns the lock for changes: only one tree is created or removed at a time.

use super::git::{Git, GitError};
use super::plan::{Plan, plan};
use super::tree::{self, Stand, TreeError};
use super::words::{fault, made_words};
use crate::agents::AgentPool;
use crate::config::ConfigFile;
use crate::folders;
use crate::ports::Ports;
use crate::tasks::{Tasks, off_thread};
use gstack_agent::sandbox::Access;
use gstack_base::home::Home;
use gstack_chat::{Conversation, Store};
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::chat::Worktree;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::ids::ConversationId;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::oneshot;

/// A handle to the worktrees. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Worktrees(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) home: Home,
    config: ConfigFile,
    /// Git runs in the environment of agents.
    agents: AgentPool,
    /// Returns whether a conversation still needs its tree.
    pub(super) store: Arc<Store>,
    /// Receive faults of saving.
    pub(super) ports: Ports,
    pub(super) tasks: Tasks,
    /// Held while a tree is created or removed.
    pub(super) change: tokio::sync::Mutex<()>,
}

impl Worktrees {
    pub(crate) fn new(
        home: Home,
        config: ConfigFile,
        agents: AgentPool,
        store: Arc<Store>,
        ports: Ports,
        tasks: Tasks,
    ) -> Self {
        let change = tokio::sync::Mutex::default();
        Self(Arc::new(Shared { home, config, agents, store, ports, tasks, change }))
    }

    /// Prepares the conversation's folder as the settings require, before its agent begins a turn. Returns notices for
    /// the person. A tree creation that has begun completes even if the caller is dropped.
    pub(crate) async fn settle(&self, conversation: &Arc<Conversation>) -> Result<Vec<Sentence>, Fault> {
        if conversation.place().worktree.is_none() && !self.wants_tree(conversation) {
            return Ok(Vec::new());
        }
        let (done, settled) = oneshot::channel();
        let (service, conversation) = (self.clone(), conversation.clone());
        self.0.tasks.spawn(async move {
            if let Err(unheard) = done.send(service.make_folder(&conversation).await) {
                tracing::debug!(?unheard, "the turn was stopped while its work tree was made");
            }
        });
        settled.await.unwrap_or_else(|_| Err(Fault::new(FaultCode::Cancelled, "gstack ends").at(Hop::Daemon)))
    }

    /// Returns true if the conversation's first turn will create a worktree.
    pub(crate) fn wants_tree(&self, conversation: &Conversation) -> bool {
        matches!(plan(&self.0.config.get().worktrees, &conversation.place(), true), Plan::Make { .. })
    }

    async fn make_folder(&self, conversation: &Arc<Conversation>) -> Result<Vec<Sentence>, Fault> {
        let _one_at_a_time = self.0.change.lock().await;
        let root = self.root_of(conversation.id());
        let (config, place) = (self.0.config.get(), conversation.place());
        let stand = tree::stand(&root).await;
        match plan(&config.worktrees, &place, matches!(stand, Stand::Whole | Stand::Forgotten)) {
            Plan::Stay if place.worktree.is_some() && stand == Stand::Forgotten => {
                let of = place.worktree.map(|tree| tree.of).unwrap_or_default();
                Err(fault(&TreeError::Forgotten { folder: of.into(), tree: root }))
            }
            Plan::Stay => Ok(Vec::new()),
            Plan::Leave => {
                conversation.leave_worktree();
                save(conversation).await?;
                let gone = root.display().to_string();
                Ok(vec![catalogue::TREE_GONE.with([&gone, &conversation.folder()])])
            }
            Plan::Make { of } => {
                let of = self.folder_to_isolate(of).await?;
                let git = self.git().await.map_err(|error| fault(&error.into()))?;
                let made = tree::make(&git, &of, &root, self.0.home.root()).await.map_err(|error| fault(&error))?;
                let worktree = Worktree { of: of.to_string_lossy().into_owned(), commit: made.commit.clone() };
                conversation.enter_worktree(made.folder.to_string_lossy().into_owned(), worktree);
                // Saved before an agent writes there, so that a later daemon knows whose tree it is.
                save(conversation).await?;
                Ok(made_words(&of, &made))
            }
        }
    }

    /// Resolves the folder. Fails if no tree can be created for it. gstack's own workspace is allowed here.
    async fn folder_to_isolate(&self, of: String) -> Result<PathBuf, Fault> {
        let home = self.0.home.clone();
        let checked = off_thread(move || folders::check(&of, &home)).await;
        checked.map_err(|fault| fault.hint(catalogue::TREE_REPOSITORY_NEXT).at(Hop::Daemon))
    }

    pub(super) async fn git(&self) -> Result<Git, GitError> {
        Ok(Git::find(self.0.agents.environment().await).await?.within(self.0.home.worktrees(), self.0.home.workspace()))
    }

    /// Returns the access that the conversation's agent needs to the repository of its tree.
    pub(crate) fn access(&self, conversation: &Conversation) -> Access {
        match conversation.place().worktree {
            Some(_) => tree::access(&self.root_of(conversation.id()), self.0.home.workspace()),
            None => Access::default(),
        }
    }

    /// Returns the path of the conversation's tree, whether or not it exists.
    pub(super) fn root_of(&self, id: &ConversationId) -> PathBuf {
        self.0.home.worktrees().join(id.as_str())
    }
}

/// Writes the conversation's record to the disk.
pub(super) async fn save(conversation: &Arc<Conversation>) -> Result<(), Fault> {
    let conversation = conversation.clone();
    off_thread(move || conversation.persist().map_err(|error| error.fault())).await
}
