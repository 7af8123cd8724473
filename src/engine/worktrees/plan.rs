//! The preparation of a conversation's folder before an agent works in it. Pure.

use crate::config::WorktreesConfig;
use gstack_chat::WorkFolder;
use gstack_chat::session_file::FolderUse;

/// The preparation of a conversation's folder before an agent works in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Stay,
    /// Create a tree of the repository that contains this folder.
    Make {
        of: String,
    },
    /// Return to the original folder: the tree is gone, and worktrees are disabled.
    Leave,
}

pub(super) fn plan(config: &WorktreesConfig, place: &WorkFolder, is_there: bool) -> Plan {
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
