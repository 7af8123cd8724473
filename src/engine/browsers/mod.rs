//! The browsers: the one in use, at most one at a time, and the everyday ones that are connected.
//!
//! Owns which browser is in use and how that changes: taken over from an earlier daemon, opened, attached to, lost, closed.
//! Tells what changes as `BrowserChange`, and never knows who lives by it. Never opens a browser by itself: `connect` and
//! commands do.

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
