//! The panels: their ports connect, say hello and disconnect; panels open, close, and get the keyboard.
//!
//! Starts and ends what depends on them. `ports` holds the ports themselves, `panel_keys` decides which are served.

mod connected;
mod error;
mod keyboard;

use crate::activity::ActivityLog;
use crate::browsers::Browsers;
use crate::conversations::Conversations;
use crate::drivers::Drivers;
use crate::elements::Elements;
use crate::panel_keys::PanelKeys;
use crate::policy::PolicyService;
use crate::ports::Ports;
use crate::spare::Spare;
use crate::tabs::Tabs;
use crate::tasks::Tasks;
use crate::usage::Usage;

/// A handle to the panels and their native ports. Cheap to clone.
#[derive(Clone)]
pub struct Panels {
    pub(crate) activity: ActivityLog,
    pub(crate) browsers: Browsers,
    pub(crate) conversations: Conversations,
    pub(crate) drivers: Drivers,
    pub(crate) elements: Elements,
    pub(crate) panel_keys: PanelKeys,
    pub(crate) policy: PolicyService,
    pub(crate) ports: Ports,
    pub(crate) spare: Spare,
    pub(crate) tabs: Tabs,
    pub(crate) tasks: Tasks,
    pub(crate) usage: Usage,
    pub(crate) welcome_url: String,
}
