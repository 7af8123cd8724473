//! The capabilities of a confined process.
//!
//! Owns giving them up. bubblewrap drops them itself; without it, root would keep those of the whole machine: raw
//! sockets, other users' files, kernel modules.

use std::io;

/// Gives up every capability of this process and all that it starts, except that of mapping root into a namespace if
/// the program `nests` a sandbox of its own. Must follow `no_new_privs`, without which root regains them at the next
/// program.
#[cfg(target_os = "linux")]
pub(super) fn drop_all(nests: bool) -> io::Result<()> {
    use rustix::thread::{
        CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set, set_capabilities,
    };
    let kept = if nests { CapabilitySet::SETFCAP } else { CapabilitySet::empty() };
    let now = capabilities(None)?;
    if kept.contains(now.permitted | now.inheritable) {
        return Ok(());
    }
    for capability in CapabilitySet::all().difference(kept).iter() {
        // Only for programs that ignore `no_new_privs`, of which there are none: a kernel may not know the capability.
        if let Err(error) = remove_capability_from_bounding_set(capability) {
            tracing::trace!(%error, ?capability, "stays in the bounding set");
        }
    }
    let left = now.permitted & kept;
    set_capabilities(None, CapabilitySets { effective: left, permitted: left, inheritable: CapabilitySet::empty() })?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn drop_all(_: bool) -> io::Result<()> {
    Ok(())
}
