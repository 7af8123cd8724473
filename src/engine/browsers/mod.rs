//! The browsers: at most one in use, and the everyday browsers that are connected.
//!
//! Owns which browser is in use and how that changes: taken over from an earlier daemon, opened, attached to, lost,
//! closed. Reports changes as `BrowserChange` and does not know who handles them. Never opens a browser by itself:
//! `connect` and commands do.

mod away;
mod change;
mod chosen;
mod closing;
mod current;
mod error;
mod everyday;
mod expected;
mod failures;
mod follow;
mod in_use;
mod mending;
mod opening;
mod record;
mod relays;
mod service;
mod stays;

pub(super) use change::BrowserChange;
pub(super) use closing::ChangeTurn;
pub(super) use current::tab_key;
pub(super) use error::BrowsersError;
pub(super) use follow::sent_out_of;
pub use service::Browsers;
pub(super) use service::Needs;
