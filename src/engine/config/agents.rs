//! `[agents]` of `config.toml`: which agents there are, how many run, and what confines them.
//!
//! Owns the shape and the defaults. Never looks for a program.

use super::minutes;
use crate::agent::registry::{AgentSettings, OwnAgent};
use crate::agent::sandbox::SandboxMode;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// `[agents.own.NAME]`: a program that speaks the Agent Client Protocol.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnAgentConfig {
    /// The program, looked for like all agents or as a path, and its arguments.
    pub command: Vec<String>,
    #[serde(default)]
    pub protocol: AgentProtocol,
    /// As the panel shows it; absent: its name.
    #[serde(default)]
    pub label: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentProtocol {
    #[default]
    Acp,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct AgentsConfig {
    /// The agent of conversations that name none; absent or empty: the best that was found.
    pub default: Option<String>,
    /// Where programs lie that the search does not find: `claude = "/opt/claude/bin/claude"`.
    pub programs: BTreeMap<String, PathBuf>,
    /// Added to the environment of agents.
    pub environment: BTreeMap<String, String>,
    /// An approval that nobody answers is a denial after this long.
    #[serde(alias = "approval_minutes")]
    pub approval_minutes: u64,
    /// How many agents' processes run at once; absent: by the machine's memory.
    pub at_once: Option<usize>,
    /// An agent's process ends after this long without a turn. Fractions count; 0: it stays.
    pub sleep_minutes: f64,
    /// Agents of the person's own, by name.
    pub own: BTreeMap<String, OwnAgentConfig>,
    /// What one answer of a tool may hold: more would only fill a model's memory. A person's terminal and scripts get
    /// all of it, because what is piped on must be whole.
    pub output_kilobytes: usize,
    /// Whether agents, and all that they start, are confined to their own files.
    pub sandbox: SandboxMode,
    /// Paths that they may also read there.
    pub sandbox_read: Vec<PathBuf>,
    /// Paths that they may also write there.
    pub sandbox_write: Vec<PathBuf>,
}

impl Default for AgentsConfig {
    fn default() -> Self {
        Self {
            default: None,
            programs: BTreeMap::new(),
            environment: BTreeMap::new(),
            approval_minutes: 60,
            at_once: None,
            sleep_minutes: 10.0,
            own: BTreeMap::new(),
            output_kilobytes: 60,
            sandbox: SandboxMode::default(),
            sandbox_read: Vec::new(),
            sandbox_write: Vec::new(),
        }
    }
}

impl AgentsConfig {
    pub fn default_name(&self) -> Option<&str> {
        self.default.as_deref().filter(|name| !name.is_empty())
    }
    /// The agents of the person's own, as the agents' layer takes them.
    fn own_agents(&self) -> Vec<OwnAgent> {
        let own = |(name, agent): (&String, &OwnAgentConfig)| {
            let (program, arguments) = agent.command.split_first()?;
            Some(OwnAgent {
                name: name.clone(),
                label: agent.label.clone(),
                program: program.into(),
                arguments: arguments.iter().map(Into::into).collect(),
            })
        };
        self.own.iter().filter_map(own).collect()
    }
    /// What the agents' layer goes by, but for the sandbox, which depends on the home.
    pub fn settings(&self) -> AgentSettings {
        AgentSettings {
            programs: self.programs.clone(),
            own: self.own_agents(),
            // The engine chooses, from the setting as it is then.
            default: None,
            environment: self.environment.clone(),
            sandbox: None,
        }
    }
    /// What one answer of a tool may hold, in bytes.
    pub fn most_output(&self) -> usize {
        self.output_kilobytes.max(1).saturating_mul(1000)
    }
    /// None: agents stay.
    pub fn sleep_after(&self) -> Option<Duration> {
        (self.sleep_minutes > 0.0).then(|| minutes(self.sleep_minutes))
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::config::Config;

    #[test]
    fn an_agent_of_ones_own_has_a_program() {
        let config = Config::parse("[agents.own.mine]\ncommand = [\"mine\", \"--acp\"]\nprotocol = \"acp\"\n").unwrap();
        let own = config.agents.own_agents();
        assert_eq!((own[0].name.as_str(), own[0].arguments.len()), ("mine", 1));
        assert!(Config::parse("[agents.own.mine]\ncommand = []\n").unwrap_err().contains("agents.own.mine"));
    }
}
