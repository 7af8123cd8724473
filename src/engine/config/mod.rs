//! `config.toml`: the person's choices.
//!
//! Owns the fields and the defaults. Read when the daemon starts, when a setting changes, when a person connects and
//! when agents are searched for again. An invalid file is an error, because silently ignoring a setting is worse.
//! `settings` formats it for display.

mod agents;
mod endpoints;
mod error;
mod file;
mod link_base;

pub(crate) use agents::AgentsConfig;
pub(crate) use endpoints::EndpointConfig;
pub(super) use file::ConfigFile;
pub use link_base::LinkBase;

use error::ConfigError;
use gstack_base::home::Home;
use gstack_base::profiles::{BadProfileName, ProfileName};
use gstack_base::site_list::SiteList;
use gstack_browser::dialogs::DialogPolicy;
use gstack_browser::page::SNAPSHOT_LIMIT;
use gstack_protocol::fault::Fault;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
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
    pub evidence: EvidenceConfig,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DaemonConfig {
    /// Ends the daemon after this long with no panel, no turn and no browser. Fractions are allowed.
    #[serde(alias = "idle_exit_minutes")]
    pub idle_exit_minutes: f64,
    /// The first port to try on 127.0.0.1. If it is in use, the next free one is taken.
    pub port: u16,
    /// Allows scripts on the port to run the commands of the secret class: cookies, storage, saved states, `cdp`.
    pub script_secrets: bool,
}

impl Default for DaemonConfig {
    fn default() -> Self {
        Self { idle_exit_minutes: 30.0, port: 34567, script_secrets: false }
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
    /// The browser executable.
    pub path: Option<PathBuf>,
    /// Arguments that follow our own.
    pub arguments: Vec<String>,
    /// The profile to start the browser with; absent for the instance's own.
    #[serde(deserialize_with = "profile_name")]
    pub profile: Option<ProfileName>,
    /// If absent, headless when there is no display.
    pub headless: Option<bool>,
    /// The limit for the output of a snapshot, in bytes; the rest is only counted.
    pub snapshot_limit: usize,
    /// True to write console messages, requests and dialogs to `capture.jsonl` too. Applies from the next
    /// browser.
    pub capture_to_disk: bool,
    /// gstack detaches from a tab of an everyday browser after this long without activity in it.
    pub let_go_seconds: f64,
    /// gstack takes frames of other extensions out of a page of an everyday browser while it is attached to the tab.
    pub set_frames_aside: bool,
    /// How to answer dialogs opened by a person's own commands and scripts. During an agent's turn the person is asked.
    pub dialogs: DialogAnswers,
    /// The only sites that a browser started by gstack may reach. Read when it starts.
    pub only_sites: SiteList,
    /// `[browser.endpoints.NAME]`: browsers on other machines.
    pub endpoints: BTreeMap<String, EndpointConfig>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DialogAnswers {
    #[default]
    Accept,
    Dismiss,
    /// Dialogs stay open for the person in the window; without a window they are dismissed.
    Ask,
}

impl DialogAnswers {
    /// Returns the name used in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Dismiss => "dismiss",
            Self::Ask => "ask",
        }
    }
    pub(super) fn policy(self, headless: bool) -> DialogPolicy {
        match self {
            Self::Accept => DialogPolicy::Accept(None),
            Self::Ask if !headless => DialogPolicy::Leave,
            Self::Dismiss | Self::Ask => DialogPolicy::Dismiss,
        }
    }
}

impl BrowserConfig {
    /// Returns the profile to start the browser with if none is requested.
    pub fn profile(&self) -> ProfileName {
        self.profile.clone().unwrap_or_default()
    }
    pub fn let_go_after(&self) -> Duration {
        Duration::from_secs_f64(self.let_go_seconds)
    }
}

fn profile_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ProfileName>, D::Error> {
    let name = String::deserialize(deserializer)?;
    ProfileName::parse(&name)
        .map(Some)
        .map_err(|error| D::Error::custom(format!("browser.profile: {error}. {}", BadProfileName::HINT)))
}

impl Default for BrowserConfig {
    fn default() -> Self {
        Self {
            path: None,
            arguments: Vec::new(),
            profile: None,
            headless: None,
            snapshot_limit: SNAPSHOT_LIMIT,
            capture_to_disk: false,
            let_go_seconds: 20.0,
            set_frames_aside: false,
            dialogs: DialogAnswers::default(),
            only_sites: SiteList::default(),
            endpoints: BTreeMap::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TurnsConfig {
    /// A message that is exactly one command runs without a model.
    pub direct_commands: bool,
    /// Waiting messages run by themselves after a restart.
    pub continue_after_restart: bool,
    /// `[turns.models.NAME]`: the models that `fast` and `deep` mean for an agent.
    pub models: BTreeMap<String, DepthModels>,
}

impl Default for TurnsConfig {
    fn default() -> Self {
        Self { direct_commands: true, continue_after_restart: false, models: BTreeMap::new() }
    }
}

/// What gstack keeps of an agent's acts for `gstack evidence`, besides text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvidenceConfig {
    /// Takes a picture of the page before and after each act that changes something.
    pub pictures: bool,
}

/// The models that `fast` and `deep` mean for one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DepthModels {
    pub fast: Option<String>,
    pub deep: Option<String>,
}

/// The limits after which a turn without progress is ended. Time spent waiting for a person never counts; 0 disables
/// the limit.
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

/// `[worktrees]`: git worktrees for conversations.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WorktreesConfig {
    pub enabled: bool,
    /// A folder in the repository. If absent or empty, the folder that the conversation would work in.
    pub repository: Option<String>,
}

impl WorktreesConfig {
    pub fn repository(&self) -> Option<&str> {
        self.repository.as_deref().filter(|folder| !folder.is_empty())
    }
}

/// The longest time, in minutes or seconds: far above any use, far below overflow, and finite.
const LONGEST: f64 = 100_000_000.0;

pub(super) fn minutes(count: f64) -> Duration {
    Duration::try_from_secs_f64(count * 60.0).unwrap_or(Duration::MAX)
}

impl Config {
    /// Loads the configuration of a home, or the defaults if the file does not exist. Fails if the file is not valid.
    pub fn load(home: &Home) -> Result<Self, Fault> {
        let path = home.config_file();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => {
                return Err(ConfigError::NotRead { path, source }.into());
            }
        };
        Ok(Self::parse(&text).map_err(|why| ConfigError::NotValid { path, why })?)
    }

    /// Parses the text of a file. Fails with a description of what is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| endpoints::described(text, &error))?;
        let idle = config.daemon.idle_exit_minutes;
        if !(idle > 0.0 && idle <= LONGEST) {
            return Err(format!("idle-exit-minutes must be more than 0, and {LONGEST} at most"));
        }
        let numbers = [
            ("let-go-seconds", config.browser.let_go_seconds),
            ("sleep-minutes", config.agents.sleep_minutes),
            ("silence-minutes", config.watchdog.silence_minutes),
            ("total-minutes", config.watchdog.total_minutes),
        ];
        if let Some((name, _)) = numbers.iter().find(|(_, value)| !(0.0..=LONGEST).contains(value)) {
            return Err(format!("{name} must be from 0 to {LONGEST}"));
        }
        endpoints::check(&config.browser.endpoints)?;
        if config.agents.at_once == Some(0) {
            return Err("at-once must be 1 or more".to_owned());
        }
        if config.agents.approval_command.first().is_some_and(|program| !program.starts_with('/')) {
            return Err(
                "approval-command must begin with the absolute path of a program, as in [\"/usr/local/bin/notify\"]"
                    .to_owned(),
            );
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
    fn a_time_that_never_ends_or_overflows_is_refused() {
        for number in ["inf", "-inf", "nan", "1e300", "-1"] {
            for (table, name) in [
                ("daemon", "idle-exit-minutes"),
                ("browser", "let-go-seconds"),
                ("agents", "sleep-minutes"),
                ("watchdog", "silence-minutes"),
                ("watchdog", "total-minutes"),
            ] {
                let wrong = Config::parse(&format!("[{table}]\n{name} = {number}\n")).unwrap_err();
                assert!(wrong.contains(name), "{name} = {number}: {wrong}");
            }
        }
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
