//! `config.toml`: what a person has chosen.
//!
//! Owns the shape and the defaults. Read when the daemon starts and when a setting is changed; a wrong file stops the
//! start with words, because a setting that is silently ignored is worse. What is shown of it is in `settings`.

use super::model::DepthModels;
use crate::agent::registry::OwnAgent;
use crate::base::home::Home;
use crate::browser::page::SNAPSHOT_LIMIT;
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
    #[serde(alias = "agent")]
    pub agents: AgentsConfig,
    pub turns: TurnsConfig,
    pub watchdog: WatchdogConfig,
    pub worktrees: WorktreesConfig,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DaemonConfig {
    /// Ends the daemon after this long with no panel, no turn and no browser. Fractions count.
    #[serde(alias = "idle_exit_minutes")]
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
        minutes(self.idle_exit_minutes)
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct BrowserConfig {
    /// The browser's program.
    pub path: Option<PathBuf>,
    /// Arguments after our own.
    pub arguments: Vec<String>,
    /// Absent: headless where there is no display.
    pub headless: Option<bool>,
    /// What a snapshot prints at most, in bytes; the rest is counted.
    pub snapshot_limit: usize,
    /// Console messages, requests and dialogs are written to `capture.jsonl`, too. Holds from the next browser on.
    pub capture_to_disk: bool,
    /// A tab of an everyday browser is let go of when nothing was done in it for so long.
    pub let_go_seconds: f64,
}

impl BrowserConfig {
    pub fn let_go_after(&self) -> Duration {
        Duration::from_secs_f64(self.let_go_seconds)
    }
}

impl Default for BrowserConfig {
    fn default() -> Self {
        Self {
            path: None,
            arguments: Vec::new(),
            headless: None,
            snapshot_limit: SNAPSHOT_LIMIT,
            capture_to_disk: false,
            let_go_seconds: 20.0,
        }
    }
}

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
        }
    }
}

impl AgentsConfig {
    pub fn default_name(&self) -> Option<&str> {
        self.default.as_deref().filter(|name| !name.is_empty())
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
        self.own.iter().filter_map(own).collect()
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

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TurnsConfig {
    /// A message that is exactly one command runs without a model.
    pub direct_commands: bool,
    /// After a restart the messages that wait run by themselves.
    pub continue_after_restart: bool,
    /// `[turns.models.NAME]`: what stands for `fast` and `deep` with an agent.
    pub models: BTreeMap<String, DepthModels>,
}

impl Default for TurnsConfig {
    fn default() -> Self {
        Self { direct_commands: true, continue_after_restart: false, models: BTreeMap::new() }
    }
}

/// When a turn is ended because nothing comes of it. Time in which a person is asked never counts; 0: never.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WatchdogConfig {
    pub silence_minutes: f64,
    pub total_minutes: f64,
}

impl Default for WatchdogConfig {
    fn default() -> Self {
        Self { silence_minutes: 15.0, total_minutes: 120.0 }
    }
}

impl WatchdogConfig {
    pub fn silence(&self) -> Option<Duration> {
        (self.silence_minutes > 0.0).then(|| minutes(self.silence_minutes))
    }
    pub fn total(&self) -> Option<Duration> {
        (self.total_minutes > 0.0).then(|| minutes(self.total_minutes))
    }
}

/// Whether conversations work in git work trees of their own.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WorktreesConfig {
    pub enabled: bool,
    /// A folder in the repository; absent or empty: the folder that the conversation would work in.
    pub repository: Option<String>,
}

impl WorktreesConfig {
    pub fn repository(&self) -> Option<&str> {
        self.repository.as_deref().filter(|folder| !folder.is_empty())
    }
}

fn minutes(count: f64) -> Duration {
    Duration::try_from_secs_f64(count * 60.0).unwrap_or(Duration::MAX)
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
        Self::parse(&text).map_err(|wrong| {
            Fault::new(FaultCode::BadRequest, format!("{} is not valid: {wrong}", path.display()))
                .hint("Mend the line that is named, or remove the file.")
        })
    }

    /// What a file says, or in words what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        let idle = config.daemon.idle_exit_minutes;
        if idle.is_nan() || idle <= 0.0 {
            return Err("idle-exit-minutes must be more than 0".to_owned());
        }
        let numbers = [
            ("let-go-seconds", config.browser.let_go_seconds),
            ("sleep-minutes", config.agents.sleep_minutes),
            ("silence-minutes", config.watchdog.silence_minutes),
            ("total-minutes", config.watchdog.total_minutes),
        ];
        if let Some((name, _)) = numbers.iter().find(|(_, value)| value.is_nan() || *value < 0.0) {
            return Err(format!("{name} must be 0 or more"));
        }
        if config.agents.at_once == Some(0) {
            return Err("at-once must be 1 or more".to_owned());
        }
        if let Some((name, _)) = config.agents.own.iter().find(|(_, agent)| agent.command.is_empty()) {
            return Err(format!(
                "agents.own.{name} has an empty command: name the program and its arguments, as in [\"gemini\", \"--acp\"]"
            ));
        }
        Ok(config)
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
        let config = Config::parse("[agents.own.mine]\ncommand = [\"mine\", \"--acp\"]\nprotocol = \"acp\"\n").unwrap();
        let own = config.agents.own_agents();
        assert_eq!((own[0].name.as_str(), own[0].arguments.len()), ("mine", 1));
        assert!(Config::parse("[agents.own.mine]\ncommand = []\n").unwrap_err().contains("agents.own.mine"));
    }

    #[test]
    fn earlier_spellings_are_understood() {
        let text = "[daemon]\nidle_exit_minutes = 5\n[agent]\napproval_minutes = 2\ndefault = \"\"\n";
        let config = Config::parse(text).unwrap();
        assert_eq!((config.daemon.idle_exit_minutes, config.agents.approval_minutes), (5.0, 2));
        assert_eq!(config.agents.default_name(), None);
        assert!(Config::parse("[agents]\nat-once = 0\n").unwrap_err().contains("at-once"));
    }

    #[test]
    fn a_misspelt_setting_is_named_rather_than_ignored() {
        let (_folder, home) = home_with(Some("[daemon]\nidle_minutes = 5\n"));
        let fault = Config::load(&home).unwrap_err();
        assert!(fault.message.contains("idle_minutes"), "{}", fault.message);
        assert!(fault.message.contains("config.toml"), "{}", fault.message);
    }
}
