//! Commands for gstack and the browser itself: status, handoff, the inbox, DevTools, chains of commands.

pub(super) mod chain;
pub(crate) mod control;
pub(super) mod devtools;
pub(super) mod inbox;
pub(super) mod init_script;
