//! What a person is told of work trees.

use super::git::GitError;
use super::tree::{Made, TreeError};
use crate::protocol::fault::{Fault, FaultCode, Hop};
use crate::protocol::told::{self, Sentence};
use std::path::Path;

/// How much of a commit's name is shown.
const SHORT: usize = 10;

/// A tree was made of the repository that `of` lies in.
pub(super) fn made_words(of: &Path, made: &Made) -> Vec<Sentence> {
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

/// Why a tree could not be made.
pub(super) fn fault(error: &TreeError) -> Fault {
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
