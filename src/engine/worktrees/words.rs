//! Messages about worktrees for the person.

use super::git::GitError;
use super::tree::{Made, TreeError};
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::path::Path;

/// The number of characters of a commit hash to show.
const SHORT: usize = 10;

/// Describes a tree that was created from the repository that contains `of`.
pub(super) fn made_words(of: &Path, made: &Made) -> Vec<Sentence> {
    let commit: String = made.commit.chars().take(SHORT).collect();
    let mut sentences = vec![catalogue::TREE_MADE.with([&of.display().to_string(), &commit])];
    if made.uncommitted > 0 {
        sentences.push(catalogue::TREE_LEAVES_OUT.with([&made.uncommitted.to_string()]));
    }
    if made.has_submodules {
        sentences.push(catalogue::TREE_NO_SUBMODULES.into());
    }
    sentences
}

/// Returns the fault of a tree that could not be created.
pub(super) fn fault(error: &TreeError) -> Fault {
    let shown = |path: &Path| path.display().to_string();
    let (code, message, hint) = match error {
        TreeError::Git(GitError::Missing) => (FaultCode::NotFound, catalogue::TREE_NO_GIT.into(), catalogue::TREE_NEXT),
        TreeError::Git(error) => {
            (FaultCode::Storage, catalogue::TREE_GIT_FAILED.with([&error.to_string()]), catalogue::TREE_NEXT)
        }
        TreeError::NoRepository { folder, source } => {
            // Git's reason, for example that the repository belongs to another user.
            let said = if let GitError::Failed { words, .. } = source { words.as_str() } else { "" };
            let message = catalogue::TREE_NO_REPOSITORY.with([&shown(folder)]).said(said);
            (FaultCode::Conflict, message, catalogue::TREE_REPOSITORY_NEXT)
        }
        TreeError::NoCommit { folder } => {
            (FaultCode::Conflict, catalogue::TREE_NO_COMMIT.with([&shown(folder)]), catalogue::TREE_NEXT)
        }
        TreeError::HoldsHome { repository } => (
            FaultCode::Conflict,
            catalogue::TREE_HOLDS_HOME.with([&shown(repository)]),
            catalogue::TREE_REPOSITORY_NEXT,
        ),
        TreeError::DiskFull { source } => {
            let message = Sentence::from(catalogue::TREE_DISK_FULL).said(&source.to_string());
            (FaultCode::Storage, message, catalogue::TREE_NEXT)
        }
        TreeError::Disk { path, source } => {
            (FaultCode::Storage, catalogue::TREE_DISK.with([&shown(path), &source.to_string()]), catalogue::TREE_NEXT)
        }
        TreeError::Forgotten { folder, tree } => {
            let message = catalogue::TREE_FORGOTTEN.with([&shown(folder), &shown(tree)]);
            (FaultCode::Conflict, message, catalogue::TREE_FORGOTTEN_NEXT)
        }
    };
    Fault::new(code, message).hint(hint).at(Hop::Daemon)
}
