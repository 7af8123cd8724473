//! What a conversation's folder needs before an agent works in it. Pure.

use crate::chat::Place;
use crate::chat::session::FolderUse;
use crate::engine::config::WorktreesConfig;

/// What a conversation's folder needs before an agent works in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Stay,
    /// A tree of the repository that this folder lies in.
    Make {
        of: String,
    },
    /// Its tree is gone, and none is wanted any more: back to the folder that it was made of.
    Leave,
}

pub(super) fn plan(config: &WorktreesConfig, place: &Place, is_there: bool) -> Plan {
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
