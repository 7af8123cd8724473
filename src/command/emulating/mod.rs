//! What a tab is told of the device, the place and the person in front of it.
//!
//! Owns the list of files.

mod devices;
pub(super) mod emulate;
mod permissions;
mod shown;
