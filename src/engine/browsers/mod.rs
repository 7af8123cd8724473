//! The browsers: the ones in use, each by its name, and the everyday browsers that are connected.
//!
//! Owns the set of browsers in use and its changes: taken over from an earlier daemon, opened, attached to, lost,
//! closed. Reports changes as `BrowserChange` and does not know who handles them. Releases the sessions that it
//! created on other machines, also those of an earlier daemon. Never opens a browser by itself:
//! `connect` and commands do.

mod attached_tabs;
mod away;
mod change;
mod chosen;
mod closing;
mod current;
mod error;
mod everyday;
mod expected;
mod extension_recovery;
mod failures;
mod follow;
mod in_use;
mod limits;
mod named;
mod opening;
mod record;
mod relays;
mod remote;
mod remote_provider;
mod remote_record;
mod service;
mod source;

pub(super) use change::BrowserChange;
pub(super) use closing::ChangeTurn;
pub(super) use current::tab_key;
pub(super) use error::BrowsersError;
pub(super) use follow::sent_out_of;
pub(super) use remote::Releases;
pub(super) use service::BrowserServices;
pub(crate) use service::Browsers;
