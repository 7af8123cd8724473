//! Emulation of a device, a location and user preferences for a tab.
//!
//! Owns the list of files.

pub(crate) mod devices;
pub(super) mod emulate;
mod permissions;
mod shown;
