//! The agents' sandbox as this home uses it: what it closes and opens, and what a person is told of it.
//!
//! Owns the settings handed to `agent::sandbox`. Never confines a process.

use super::Engine;
use super::config::Config;
use crate::agent::registry::AgentSettings;
use crate::agent::sandbox::{Access, SandboxMode, SandboxSettings};
use crate::base::home::Home;
use crate::base::program;
use crate::protocol::methods::SandboxInfo;

/// What the agents' layer goes by.
pub(super) fn agent_settings(home: &Home, config: &Config) -> AgentSettings {
    AgentSettings { sandbox: settings(home, config), ..config.agents.settings() }
}

fn settings(home: &Home, config: &Config) -> Option<SandboxSettings> {
    let program = program::path().inspect_err(|error| tracing::warn!(%error, "no sandbox: this program is not found"));
    Some(SandboxSettings {
        mode: config.agents.sandbox,
        program: program.ok()?,
        scratch: home.run_files(),
        closed: home.closed(),
        added: Access::default()
            .reading(config.agents.sandbox_read.iter().cloned())
            .writing(config.agents.sandbox_write.iter().cloned()),
    })
}

impl Engine {
    /// What confines agents, as it was last found. `None` before the first look, and if the person has turned it off.
    pub(super) fn sandbox_info(&self) -> Option<SandboxInfo> {
        let state = self.inner.agents.known_sandbox().filter(|state| state.mode != SandboxMode::Off)?;
        state.found.as_ref()?;
        Some(SandboxInfo { in_force: state.is_in_force(), detail: state.words() })
    }
}
