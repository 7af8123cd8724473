//! The properties of a session with an agent that are fixed once it has started.

use super::modes::Modes;
use crate::adapter::{Offers, Tools};
use crate::guard::Guard;
use std::path::PathBuf;
use std::sync::Arc;

/// The fixed properties of a session.
pub(super) struct Session {
    pub label: String,
    /// The command that signs in, if known.
    pub sign_in: Option<String>,
    pub session_id: String,
    pub tools: Arc<dyn Tools>,
    /// The registry's names of the tools offered to the agent.
    pub offered: Vec<String>,
    pub guard: Guard,
    pub folder: PathBuf,
    /// The model that answers now.
    pub model: Option<String>,
    /// The model that the session started with, before another one was chosen.
    pub own_model: Option<String>,
    pub takes_images: bool,
    /// How to set a model, if the agent supports it.
    pub model_setting: Option<ModelSetting>,
    /// The modes, one of which it is in.
    pub modes: Modes,
    /// Instructions in the first message, for an agent that does not accept them separately.
    pub preamble: Option<String>,
    pub offers: Offers,
    /// Whether a fence request is sent after a stop. For an agent that does not name its messages, so that late updates
    /// of a stopped turn are recognised only by their order, and that answers unknown requests.
    pub fences: bool,
}

/// The method that sets a model, which differs between agents.
#[derive(Clone, Debug)]
pub(super) enum ModelSetting {
    /// `session/set_model`
    Method,
    /// `session/set_config_option` with this option.
    Option(String),
}
