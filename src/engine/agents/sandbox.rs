//! The agents' sandbox as this home configures it: which paths it closes and which it opens.
//!
//! Owns the settings that are passed to `agent::sandbox`. Never confines a process.

use crate::config::Config;
use gstack_agent::agent_list::AgentSettings;
use gstack_agent::sandbox::{Access, SandboxSettings};
use gstack_base::home::Home;
use gstack_base::program;

/// Returns the settings of the agent layer.
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
