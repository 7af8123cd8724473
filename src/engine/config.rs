//! `config.toml`: what a person has chosen.
//!
//! Owns the shape and the defaults. Read when the daemon starts; a wrong file stops it with words,
//! because a setting that is silently ignored is worse.

use crate::agent::registry::OwnAgent;
use crate::base::home::Home;
use crate::protocol::fault::{Fault, FaultCode};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub daemon: DaemonConfig,
    pub browser: BrowserConfig,
    pub agent: AgentConfig,
    /// Agents of the person's own, by name.
    pub agents: BTreeMap<String, OwnAgentConfig>,
}

/// `[agents.NAME]`: a program that speaks the Agent Client Protocol.
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
#[serde(deny_unknown_fields, default)]
pub struct DaemonConfig {
    /// Ends the daemon after this long with no panel, no turn and no browser. Fractions count.
    pub idle_exit_minutes: f64,
    /// The first port tried on 127.0.0.1; the next free one is taken where it is in use.
    pub port: u16,
}

impl Default for DaemonConfig {
    fn default() -> Self {
        Self { idle_exit_minutes: 30.0, port: 34567 }
    }
}

impl DaemonConfig {
    pub fn idle_exit(&self) -> Duration {
        Duration::try_from_secs_f64(self.idle_exit_minutes * 60.0).unwrap_or(Duration::MAX)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BrowserConfig {
    /// The browser's program.
    pub path: Option<PathBuf>,
    /// Arguments after our own.
    pub arguments: Vec<String>,
    /// Absent: headless where there is no display.
    pub headless: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentConfig {
    /// The agent of conversations that name none; absent: the best that was found.
    pub default: Option<String>,
    /// Where programs lie that the search does not find: `claude = "/opt/claude/bin/claude"`.
    pub programs: BTreeMap<String, PathBuf>,
    /// Added to the environment of agents.
    pub environment: BTreeMap<String, String>,
    /// An approval that nobody answers is a denial after this long.
    pub approval_minutes: u64,
    /// What one answer of a tool may hold: more would only fill a model's memory. A person's terminal and scripts get
    /// all of it, because what is piped on must be whole.
    pub output_kilobytes: usize,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            default: None,
            programs: BTreeMap::new(),
            environment: BTreeMap::new(),
            approval_minutes: 60,
            output_kilobytes: 60,
        }
    }
}

impl AgentConfig {
    /// In bytes.
    pub fn most_output(&self) -> usize {
        self.output_kilobytes.max(1).saturating_mul(1000)
    }
}

impl Config {
    /// The configuration of a home; the defaults where there is no file.
    pub fn load(home: &Home) -> Result<Self, Fault> {
        let path = home.config_file();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(Fault::new(FaultCode::Storage, format!("{} can't be read: {error}", path.display()))
                    .hint("Make the file readable for you, or remove it."));
            }
        };
        let config: Self = toml::from_str(&text).map_err(|error| {
            Fault::new(FaultCode::BadRequest, format!("{} is not valid: {error}", path.display()))
                .hint("Mend the line that is named, or remove the file.")
        })?;
        if config.daemon.idle_exit_minutes.is_nan() || config.daemon.idle_exit_minutes <= 0.0 {
            let message = format!("{}: idle_exit_minutes must be more than 0", path.display());
            return Err(
                Fault::new(FaultCode::BadRequest, message).hint("Mend the line, or remove it: 30 is the default.")
            );
        }
        let empty = config.agents.iter().find(|(_, agent)| agent.command.is_empty());
        if let Some((name, _)) = empty {
            let message = format!("{}: agents.{name} has an empty command", path.display());
            return Err(Fault::new(FaultCode::BadRequest, message)
                .hint("Name the program and its arguments: command = [\"gemini\", \"--acp\"]."));
        }
        Ok(config)
    }

    /// The agents of the person's own, as the agents' layer takes them.
    pub fn own_agents(&self) -> Vec<OwnAgent> {
        let own = |(name, agent): (&String, &OwnAgentConfig)| {
            let (program, arguments) = agent.command.split_first()?;
            Some(OwnAgent {
                name: name.clone(),
                label: agent.label.clone(),
                program: program.into(),
                arguments: arguments.iter().map(Into::into).collect(),
            })
        };
        self.agents.iter().filter_map(own).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home_with(text: Option<&str>) -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        if let Some(text) = text {
            std::fs::write(home.config_file(), text).unwrap();
        }
        (folder, home)
    }

    #[test]
    fn no_file_means_the_defaults() {
        let (_folder, home) = home_with(None);
        assert_eq!(Config::load(&home).unwrap(), Config::default());
    }

    #[test]
    fn a_setting_is_taken_and_the_rest_keeps_its_default() {
        let (_folder, home) = home_with(Some("[daemon]\nidle_exit_minutes = 5\n"));
        let config = Config::load(&home).unwrap();
        assert_eq!(config.daemon.idle_exit(), Duration::from_secs(300));
        assert_eq!(config.daemon.port, 34567);
    }

    #[test]
    fn an_agent_of_ones_own_has_a_program() {
        let (_folder, home) = home_with(Some("[agents.mine]\ncommand = [\"mine\", \"--acp\"]\nprotocol = \"acp\"\n"));
        let own = Config::load(&home).unwrap().own_agents();
        assert_eq!((own[0].name.as_str(), own[0].arguments.len()), ("mine", 1));
        let (_folder, home) = home_with(Some("[agents.mine]\ncommand = []\n"));
        assert!(Config::load(&home).unwrap_err().message.contains("agents.mine"));
    }

    #[test]
    fn a_misspelt_setting_is_named_rather_than_ignored() {
        let (_folder, home) = home_with(Some("[daemon]\nidle_minutes = 5\n"));
        let fault = Config::load(&home).unwrap_err();
        assert!(fault.message.contains("idle_minutes"), "{}", fault.message);
        assert!(fault.message.contains("config.toml"), "{}", fault.message);
    }
}
