//! The panels: their ports connect, say hello and disconnect; panels open, close, and get the keyboard.
//!
//! Owns what begins and ends with them. `ports` holds the ports themselves, `panel_keys` decides which are served.

mod connected;
mod error;
mod keyboard;

use crate::engine::activity::ActivityLog;
use crate::engine::browsers::Browsers;
use crate::engine::conversations::Conversations;
use crate::engine::drivers::Drivers;
use crate::engine::elements::Elements;
use crate::engine::panel_keys::PanelKeys;
use crate::engine::policy::PolicyService;
use crate::engine::ports::Ports;
use crate::engine::spare::Spare;
use crate::engine::tabs::Tabs;
use crate::engine::tasks::Tasks;
use crate::engine::usage::Usage;

/// A handle to the panels and their native ports. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Panels {
    pub(in crate::engine) activity: ActivityLog,
    pub(in crate::engine) browsers: Browsers,
    pub(in crate::engine) conversations: Conversations,
    pub(in crate::engine) drivers: Drivers,
    pub(in crate::engine) elements: Elements,
    pub(in crate::engine) panel_keys: PanelKeys,
    pub(in crate::engine) policy: PolicyService,
    pub(in crate::engine) ports: Ports,
    pub(in crate::engine) spare: Spare,
    pub(in crate::engine) tabs: Tabs,
    pub(in crate::engine) tasks: Tasks,
    pub(in crate::engine) usage: Usage,
    pub(in crate::engine) welcome_url: String,
}
