//! Finding elements and reading them as data.
//!
//! Owns the list of files. Each file declares its own commands.

pub(super) mod data;
pub(super) mod extract;
mod extraction;
pub(super) mod find;
mod look;
