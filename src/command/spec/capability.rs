//! The groups of tools that an MCP client can add to the core with `gstack mcp --caps`.
//!
//! Owns their names. Which group a command belongs to is a field of its spec.

/// A group of tools beyond the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// More ways to act: clipboard, mouse, keys, frames.
    Acting,
    /// What gstack itself does: its status, a handoff to a person, the inbox.
    Control,
    /// Traces, coverage, heaps, vitals, raw DevTools commands.
    Devtools,
    /// A device, a size, a place, a language, a time zone.
    Emulation,
    /// Uploads, downloads, pages from files.
    Files,
    /// Requests: shown, answered, stopped, slowed, recorded as HAR.
    Network,
    /// More ways to read: markup, tables, attributes, performance.
    Reading,
    /// Several commands at once, and scripts that run in each new document.
    Scripting,
    /// Cookies, storage and saved states. All of them are also secret.
    Storage,
    /// Pictures, videos, PDF, pages as one file, comparisons.
    Visual,
}

impl Capability {
    pub const ALL: [Self; 10] = [
        Self::Acting,
        Self::Control,
        Self::Devtools,
        Self::Emulation,
        Self::Files,
        Self::Network,
        Self::Reading,
        Self::Scripting,
        Self::Storage,
        Self::Visual,
    ];

    /// As it is written after `--caps`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acting => "acting",
            Self::Control => "control",
            Self::Devtools => "devtools",
            Self::Emulation => "emulation",
            Self::Files => "files",
            Self::Network => "network",
            Self::Reading => "reading",
            Self::Scripting => "scripting",
            Self::Storage => "storage",
            Self::Visual => "visual",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|capability| capability.name() == name)
    }
}
