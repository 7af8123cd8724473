//! One registered driver.
//!
//! Owns the data of a registration. Never ends one.

use super::names::DriverNames;
use gstack_base::browser_names::BrowserName;
use gstack_base::process::Process;
use gstack_chat::Conversation;
use gstack_protocol::driver::{DriverKind, DriverName};
use gstack_protocol::ids::{BrowserRun, DriverId};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A registered driver.
pub struct Driver {
    pub(crate) id: DriverId,
    pub(crate) kind: DriverKind,
    /// `cursor (work)`. What people see, and what `--to` takes.
    pub(crate) name: String,
    /// The two parts of the name, for surfaces that say which one is proved by nothing.
    names: DriverNames,
    pub(crate) trusted: bool,
    /// The browser in which it opens its first tab. Chosen by the person.
    pub(crate) opens_in: BrowserName,
    /// It acts for a program on another machine.
    pub(crate) tunnel: Option<TunnelFacts>,
    /// The only browser that a CDP client drives. `None` for others, which drive any.
    pub(crate) browser: Option<BrowserRun>,
    /// The registration ends with it.
    pub(crate) process: Process,
    /// Has the driver's tab set. Detached: the store does not know it.
    pub(crate) conversation: Arc<Conversation>,
    /// Held while the driver gets its first tab, so that two calls at once do not open two.
    pub(crate) opening: tokio::sync::Mutex<()>,
}

/// The data of a registration.
pub(crate) struct NewDriver<'a> {
    pub(crate) kind: DriverKind,
    pub(crate) client: &'a str,
    /// The person's name for it.
    pub(crate) label: Option<&'a str>,
    pub(crate) trusted: bool,
    pub(crate) opens_in: BrowserName,
    pub(crate) tunnel: Option<TunnelFacts>,
    pub(crate) browser: Option<BrowserRun>,
    pub(crate) process: Process,
}

/// The data of a tunnel.
pub(crate) struct TunnelFacts {
    /// The other machine, as the person named it.
    pub(crate) to: Option<String>,
    pub(crate) expires_at: u64,
    /// Cancelled by the person.
    pub(crate) revoked: CancellationToken,
}

impl Driver {
    pub(super) fn new(name: String, names: DriverNames, new: NewDriver<'_>, conversation: Arc<Conversation>) -> Self {
        Self {
            id: DriverId::random(),
            kind: new.kind,
            name,
            names,
            trusted: new.trusted,
            opens_in: new.opens_in,
            tunnel: new.tunnel,
            browser: new.browser,
            process: new.process,
            conversation,
            opening: tokio::sync::Mutex::default(),
        }
    }

    /// Returns true if it acts with the person's authority.
    pub fn is_trusted(&self) -> bool {
        self.trusted
    }

    /// Returns true if it works only in tabs of its set, even if it acts as the person.
    pub(crate) fn has_own_tabs(&self) -> bool {
        !self.trusted || self.kind == DriverKind::Terminal
    }

    /// Returns the person's name for it.
    pub(super) fn label(&self) -> Option<&str> {
        self.names.label.as_deref()
    }

    /// Returns what panels call it.
    pub(crate) fn shown_name(&self) -> DriverName {
        DriverName { name: self.name.clone(), client: self.names.client.clone(), label: self.names.label.clone() }
    }
}
