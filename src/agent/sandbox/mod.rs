//! Confines agents and helpers: limits what a process that gstack starts for an agent can reach on this machine.
//!
//! Owns the mechanisms (bubblewrap, Landlock, a seatbelt profile) and the lists of paths. Never decides what an agent
//! may do in a browser. A confined process keeps network access, because agents need their API.

mod access;
mod bubblewrap;
mod caches;
mod capabilities;
mod command;
pub mod confine;
mod confiner;
mod detect;
mod git;
mod landlock;
mod mechanism;
mod mounted;
mod npm;
mod opening;
mod overlay;
mod own_folder;
mod places;
mod plan;
mod scratch;
mod seatbelt;
mod sockets;

pub use access::{Access, Fixed, Overlaid};
pub use command::{Confined, command, refused};
pub(crate) use confiner::single_files;
pub use confiner::{Confiner, SandboxMode, SandboxSettings, SandboxState};
pub use detect::detect;
pub use git::Around;
pub use mechanism::{Confinement, Mechanism, Sandbox};
pub use own_folder::RefusedPath;
pub use scratch::Scratch;
