//! Trees without a conversation: removed at the next start, or reported by `doctor`.

use super::git::GitError;
use super::service::Worktrees;
use super::tree::{self, Loss, Stand};
use gstack_protocol::ids::ConversationId;
use std::path::PathBuf;

/// A tree without a conversation.
struct Left {
    root: PathBuf,
    stand: Stand,
    loss: Result<Loss, GitError>,
}

impl Worktrees {
    /// Removes in the background what earlier daemons left: partly created trees, and those of deleted conversations if
    /// nothing would be lost.
    pub(crate) fn sweep_left(&self) {
        let (service, shutdown) = (self.clone(), self.0.tasks.shutdown());
        self.0.tasks.spawn(async move {
            tokio::select! {
                () = service.sweep() => {}
                () = shutdown.cancelled() => {}
            }
        });
    }

    async fn sweep(&self) {
        let _one_at_a_time = self.0.change.lock().await;
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

    /// Returns notes for `doctor` about trees without a conversation: their contents, and how to remove them.
    pub(crate) async fn notes(&self) -> Vec<String> {
        let _one_at_a_time = self.0.change.lock().await;
        self.left_worktrees().await.iter().map(left_words).collect()
    }

    async fn left_worktrees(&self) -> Vec<Left> {
        let (service, folder) = (self.clone(), self.0.home.worktrees());
        let listed = move || {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let mut roots: Vec<PathBuf> = entries.map(|entry| entry.path().with_extension("")).collect();
            roots.sort();
            roots.dedup();
            let is_left = |root: &PathBuf| {
                let id = root.file_name().and_then(|name| name.to_str()).map(ConversationId::new);
                id.is_none_or(|id| !service.0.store.keeps_worktree(&id))
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
}

fn left_words(left: &Left) -> String {
    let place = left.root.display();
    match (left.stand, &left.loss) {
        (Stand::Half | Stand::Missing, _) => {
            format!("{place}: an unfinished work tree; gstack removes it at its next start")
        }
        (Stand::Forgotten, _) => {
            format!("{place}: a work tree that its repository no longer knows. Look through it, then: rm -rf '{place}'")
        }
        (Stand::Whole, Ok(loss)) if loss.is_nothing() => {
            format!("{place}: an unused work tree; gstack removes it at its next start")
        }
        (Stand::Whole, Ok(loss)) => format!(
            "{place}: a work tree that no conversation uses any longer, with {}. Save them, then: git -C '{place}' worktree remove --force '{place}'",
            loss.words()
        ),
        (Stand::Whole, Err(error)) => format!("{place}: a work tree that can't be looked at: {error}"),
    }
}
