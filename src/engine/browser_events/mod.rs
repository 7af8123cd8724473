//! What a change of a browser or of its tabs means for conversations, turns and panels.
//!
//! Owns that mapping, and none of their state.

mod browser_changes;
mod tab_reports;

use crate::browsers::Browsers;
use crate::config::ConfigFile;
use crate::conversations::Conversations;
use crate::drivers::Drivers;
use crate::elements::Elements;
use crate::panel_keys::PanelKeys;
use crate::pauses::Pauses;
use crate::ports::Ports;
use crate::tabs::Tabs;
use crate::usage::Usage;

/// The services that learn of changes. Cheap to clone.
#[derive(Clone)]
pub struct BrowserEvents {
    pub(crate) browsers: Browsers,
    pub(crate) config: ConfigFile,
    pub(crate) conversations: Conversations,
    pub(crate) drivers: Drivers,
    pub(crate) elements: Elements,
    pub(crate) panel_keys: PanelKeys,
    pub(crate) pauses: Pauses,
    pub(crate) ports: Ports,
    pub(crate) tabs: Tabs,
    pub(crate) usage: Usage,
}
