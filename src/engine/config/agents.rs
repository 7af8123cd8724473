//! `[agents]` of `config.toml`: which agents exist, how many run at once, and how they are sandboxed.
//!
//! Owns the fields and the defaults. Never looks for a program.

use super::link_base::LinkBase;
use super::minutes;
use gstack_agent::agent_list::{AgentSettings, OwnAgent};
use gstack_agent::sandbox::SandboxMode;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// `[agents.own.NAME]`: a program that speaks the Agent Client Protocol.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnAgentConfig {
    /// The program and its arguments. The program is a path or is found like that of every agent.
    pub command: Vec<String>,
    #[serde(default)]
    pub protocol: AgentProtocol,
    /// The name in the panel. Defaults to the agent's name.
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
    /// The agent of conversations that name none. If absent or empty, the best one that was found.
    pub default: Option<String>,
    /// Paths of programs that the search does not find: `claude = "/opt/claude/bin/claude"`.
    pub programs: BTreeMap<String, PathBuf>,
    /// Variables added to the environment of agents.
    pub environment: BTreeMap<String, String>,
    /// An unanswered approval is denied after this long.
    #[serde(alias = "approval_minutes")]
    pub approval_minutes: u64,
    /// The program, and its arguments, that runs when an approval or a question opens and gets it as JSON on standard input.
    pub approval_command: Vec<String>,
    /// Where one-time links for approvals lead: the address at which the person's own proxy forwards to gstack's port. If
    /// absent, there are no links.
    pub approval_link_base: Option<LinkBase>,
    /// How many agent processes run at once. If absent, the machine's memory decides.
    pub at_once: Option<usize>,
    /// An agent process ends after this long without a turn. Fractions are allowed; 0 never ends it.
    pub sleep_minutes: f64,
    /// The person's own agents, by name.
    pub own: BTreeMap<String, OwnAgentConfig>,
    /// The limit for one tool result; more would only fill a model's context. Terminals and scripts get the whole
    /// output, because piped data must be complete.
    pub output_kilobytes: usize,
    /// Pauses the agent or client in a tab when the person uses the mouse or keyboard in its page.
    pub pause_on_input: bool,
    /// The confinement of agents and the processes they start to their own files.
    pub sandbox: SandboxMode,
    /// Additional paths that sandboxed agents may read.
    pub sandbox_read: Vec<PathBuf>,
    /// Additional paths that sandboxed agents may write.
    pub sandbox_write: Vec<PathBuf>,
    /// The folders that single agents may write because the person allowed it on a card, by agent.
    pub folders: BTreeMap<String, Vec<PathBuf>>,
}

impl Default for AgentsConfig {
    fn default() -> Self {
        Self {
            default: None,
            programs: BTreeMap::new(),
            environment: BTreeMap::new(),
            approval_minutes: 60,
            approval_command: Vec::new(),
            approval_link_base: None,
            at_once: None,
            sleep_minutes: 10.0,
            own: BTreeMap::new(),
            output_kilobytes: 60,
            pause_on_input: true,
            sandbox: SandboxMode::default(),
            sandbox_read: Vec::new(),
            sandbox_write: Vec::new(),
            folders: BTreeMap::new(),
        }
    }
}

impl AgentsConfig {
    pub fn default_name(&self) -> Option<&str> {
        self.default.as_deref().filter(|name| !name.is_empty())
    }
    /// Returns the person's own agents in the form that the agent layer takes.
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
    /// Returns the settings of the agent layer, except the sandbox, which depends on the home.
    pub fn settings(&self) -> AgentSettings {
        AgentSettings {
            programs: self.programs.clone(),
            own: self.own_agents(),
            // The engine chooses, from the setting at that moment.
            default: None,
            environment: self.environment.clone(),
            folders: self.folders.clone(),
            sandbox: None,
        }
    }
    /// Returns the limit for one tool result, in bytes.
    pub fn most_output(&self) -> usize {
        self.output_kilobytes.max(1).saturating_mul(1000)
    }
    /// Returns `None` if agents never end.
    pub fn sleep_after(&self) -> Option<Duration> {
        (self.sleep_minutes > 0.0).then(|| minutes(self.sleep_minutes))
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn the_command_for_approvals_names_its_program_by_its_path() {
        let config = Config::parse("[agents]\napproval-command = [\"/bin/tell\", \"me now\"]\n").unwrap();
        assert_eq!(config.agents.approval_command, ["/bin/tell", "me now"]);
        for wrong in ["[\"tell\"]", "[\"./tell\"]", "[\"\"]"] {
            let error = Config::parse(&format!("[agents]\napproval-command = {wrong}\n")).unwrap_err();
            assert!(error.contains("approval-command"), "{error}");
        }
    }

    #[test]
    fn an_agent_of_ones_own_has_a_program() {
        let config = Config::parse("[agents.own.mine]\ncommand = [\"mine\", \"--acp\"]\nprotocol = \"acp\"\n").unwrap();
        let own = config.agents.own_agents();
        assert_eq!((own[0].name.as_str(), own[0].arguments.len()), ("mine", 1));
        assert!(Config::parse("[agents.own.mine]\ncommand = []\n").unwrap_err().contains("agents.own.mine"));
    }
}
