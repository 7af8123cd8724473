//! The sources of browsers, and what each source determines: its name, its process, and how it is given back.
//!
//! Owns the trait for all of them: our own browser (through its keeper's pipe), an attached one (through its DevTools port), an
//! everyday one (through its extension's relay), and one that a provider on another machine reserved.

use futures_util::future::BoxFuture;
use gstack_base::process::Process;
use gstack_base::profiles::ProfileName;
use gstack_browser::remote::RemoteError;
use gstack_protocol::policy::PolicyBrowser;
use gstack_protocol::remote::{RemoteBrowser, RemoteStatus};

/// The origin of a browser in use. The defaults are those of a browser on this machine that gstack did not start.
pub(super) trait Source: Send + Sync {
    /// Returns what `status` calls it.
    fn mode(&self, is_headless: bool) -> &'static str;
    /// Returns its kind, as rules name it.
    fn kind(&self) -> PolicyBrowser {
        PolicyBrowser::Attached
    }
    /// Returns the address or the name of a browser that gstack did not start and never ends. `None` for our own.
    fn name(&self) -> Option<String>;
    /// `None` if the browser does not report it.
    fn pid(&self) -> Option<u32> {
        None
    }
    /// Returns the process of a browser that gstack started, as it was when the browser came into use.
    fn process(&self) -> Option<Process> {
        None
    }
    /// Returns the profile of a browser that gstack started.
    fn profile(&self) -> Option<ProfileName> {
        None
    }
    /// Returns where the browser runs, if that is another machine.
    fn remote_status(&self) -> Option<RemoteStatus> {
        None
    }
    /// Returns the browser on another machine, as it was requested.
    fn requested(&self) -> Option<RemoteBrowser> {
        None
    }
    /// Returns true if the browser was reserved for us and ends when it is given back.
    fn ends_with_us(&self) -> bool {
        false
    }
    /// Returns the id of the session that must be released.
    fn session(&self) -> Option<String> {
        None
    }
    /// Reports to the other machine that the browser is in use. Fails if its session has ended.
    fn keep_alive(&self) -> BoxFuture<'_, Result<(), RemoteError>> {
        Box::pin(async { Ok(()) })
    }
    /// Releases the session.
    fn release(&self) -> BoxFuture<'_, Result<(), RemoteError>> {
        Box::pin(async { Ok(()) })
    }
}

/// A browser that gstack started and its keeper keeps.
pub(super) struct Kept {
    pub(super) pid: u32,
    pub(super) process: Option<Process>,
    pub(super) profile: ProfileName,
}

impl Source for Kept {
    fn kind(&self) -> PolicyBrowser {
        PolicyBrowser::Own
    }
    fn mode(&self, is_headless: bool) -> &'static str {
        if is_headless { "headless" } else { "headed" }
    }
    fn name(&self) -> Option<String> {
        None
    }
    fn pid(&self) -> Option<u32> {
        Some(self.pid)
    }
    fn process(&self) -> Option<Process> {
        self.process.clone()
    }
    fn profile(&self) -> Option<ProfileName> {
        Some(self.profile.clone())
    }
}

/// A browser that was attached to by its DevTools port.
pub(super) struct Attached {
    pub(super) address: String,
    pub(super) pid: Option<u32>,
}

impl Source for Attached {
    fn mode(&self, _: bool) -> &'static str {
        "attached"
    }
    fn name(&self) -> Option<String> {
        Some(self.address.clone())
    }
    fn pid(&self) -> Option<u32> {
        self.pid
    }
}

/// A person's own browser, reached through its extension. Not the connection itself, which ends when its last holder drops it,
/// and must not be held by the browser in use.
pub(super) struct ThroughExtension {
    /// The name that the browser reports.
    pub(super) name: String,
}

impl Source for ThroughExtension {
    fn kind(&self) -> PolicyBrowser {
        PolicyBrowser::Everyday
    }
    fn mode(&self, _: bool) -> &'static str {
        "everyday"
    }
    fn name(&self) -> Option<String> {
        Some(self.name.clone())
    }
}
