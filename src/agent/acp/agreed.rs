//! What is fixed for a session with an agent once it has begun.

use crate::agent::adapter::{Offers, Tools};
use crate::agent::guard::Guard;
use std::path::PathBuf;
use std::sync::Arc;

/// What is fixed for a session.
pub struct Session {
    pub label: String,
    /// The command that signs in, where it is known.
    pub sign_in: Option<String>,
    pub session_id: String,
    pub tools: Arc<dyn Tools>,
    /// The registry's names of the tools that it was given.
    pub offered: Vec<String>,
    pub guard: Guard,
    pub folder: PathBuf,
    /// The one that answers now.
    pub model: Option<String>,
    /// The one that it began with, before another was asked for.
    pub own_model: Option<String>,
    pub takes_images: bool,
    /// How a model is set, where it can be.
    pub model_setting: Option<ModelSetting>,
    /// Instructions that the first message carries, for an agent that takes none apart.
    pub preamble: Option<String>,
    pub offers: Offers,
    /// It names no messages, so that what it says late of a stopped turn is known by its order alone; and it answers
    /// what it does not know.
    pub fences: bool,
}

/// Agents differ in the method that sets a model.
#[derive(Clone, Debug)]
pub enum ModelSetting {
    /// `session/set_model`
    Method,
    /// `session/set_config_option` with this option.
    Option(String),
}
