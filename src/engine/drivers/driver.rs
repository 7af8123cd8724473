//! One registered driver.
//!
//! Owns what the registration says. Never ends a registration.

use super::names::DriverNames;
use crate::base::browser_names::BrowserName;
use crate::base::process::Process;
use crate::chat::Conversation;
use crate::protocol::driver::{DriverKind, DriverName};
use crate::protocol::ids::{BrowserRun, DriverId};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A registered driver.
pub(crate) struct Driver {
    pub(in crate::engine) id: DriverId,
    pub(in crate::engine) kind: DriverKind,
    /// `cursor (work)`. What people see, and what `--to` takes.
    pub(in crate::engine) name: String,
    /// The two parts of the name, for surfaces that say which one is proved by nothing.
    names: DriverNames,
    pub(in crate::engine) trusted: bool,
    /// The browser in which it opens its first tab. Chosen by the person.
    pub(in crate::engine) opens_in: BrowserName,
    /// It acts for a program on another machine.
    pub(in crate::engine) tunnel: Option<TunnelFacts>,
    /// The only browser that a CDP client drives. `None` for others, which drive any.
    pub(in crate::engine) browser: Option<BrowserRun>,
    /// The registration ends with it.
    pub(in crate::engine) process: Process,
    /// Has the driver's tab set. Detached: the store does not know it.
    pub(in crate::engine) conversation: Arc<Conversation>,
    /// Held while the driver gets its first tab, so that two calls at once do not open two.
    pub(in crate::engine) opening: tokio::sync::Mutex<()>,
}

/// What a registration consists of.
pub(in crate::engine) struct NewDriver<'a> {
    pub(in crate::engine) kind: DriverKind,
    pub(in crate::engine) client: &'a str,
    /// The person's name for it.
    pub(in crate::engine) label: Option<&'a str>,
    pub(in crate::engine) trusted: bool,
    pub(in crate::engine) opens_in: BrowserName,
    pub(in crate::engine) tunnel: Option<TunnelFacts>,
    pub(in crate::engine) browser: Option<BrowserRun>,
    pub(in crate::engine) process: Process,
}

/// What is known of a tunnel.
pub(in crate::engine) struct TunnelFacts {
    /// The other machine, as the person named it.
    pub(in crate::engine) to: Option<String>,
    pub(in crate::engine) expires_at: u64,
    /// Cancelled by the person.
    pub(in crate::engine) revoked: CancellationToken,
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
    pub(crate) fn is_trusted(&self) -> bool {
        self.trusted
    }

    /// Returns true if it works only in tabs of its set, whoever it acts for.
    pub(in crate::engine) fn has_own_tabs(&self) -> bool {
        !self.trusted || self.kind == DriverKind::Terminal
    }

    /// Returns the person's name for it.
    pub(super) fn label(&self) -> Option<&str> {
        self.names.label.as_deref()
    }

    /// Returns what panels call it.
    pub(in crate::engine) fn shown_name(&self) -> DriverName {
        DriverName { name: self.name.clone(), client: self.names.client.clone(), label: self.names.label.clone() }
    }
}
