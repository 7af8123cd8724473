//! What a change of a browser or of its tabs means for conversations, turns and panels.
//!
//! Owns that mapping, and none of their state.

mod browser_changes;
mod tab_reports;

use crate::engine::browsers::Browsers;
use crate::engine::config::ConfigFile;
use crate::engine::conversations::Conversations;
use crate::engine::drivers::Drivers;
use crate::engine::elements::Elements;
use crate::engine::panel_keys::PanelKeys;
use crate::engine::pauses::Pauses;
use crate::engine::ports::Ports;
use crate::engine::tabs::Tabs;
use crate::engine::usage::Usage;

/// The services that learn of changes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct BrowserEvents {
    pub(in crate::engine) browsers: Browsers,
    pub(in crate::engine) config: ConfigFile,
    pub(in crate::engine) conversations: Conversations,
    pub(in crate::engine) drivers: Drivers,
    pub(in crate::engine) elements: Elements,
    pub(in crate::engine) panel_keys: PanelKeys,
    pub(in crate::engine) pauses: Pauses,
    pub(in crate::engine) ports: Ports,
    pub(in crate::engine) tabs: Tabs,
    pub(in crate::engine) usage: Usage,
}
