//! The settings that a person sees and changes in the panel and the terminal.
//!
//! Owns reading and changing them. The file may contain more: programs and environment.

mod change;
mod error;
mod in_file;
mod list;

use crate::agents::AgentPool;
use crate::browsers::Browsers;
use crate::config::{Config, ConfigFile};
use crate::folders;
use crate::spare::Spare;
use crate::tasks::off_thread;
use change::{changed, check, check_choice, with_folder};
use error::SettingError;
use gstack_agent::agent_list::Look;
use gstack_base::home::Home;
use gstack_base::site_list::SiteList;
use gstack_protocol::agents::Agents;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::AgentName;
use gstack_protocol::settings::{FileSetting, Setting, SettingChoice, SettingValue, Settings, SettingsSet};
use in_file::IN_FILE;
use list::{SETTINGS, fixed_choices};
use std::path::Path;

/// A handle to the settings. Cheap to clone.
#[derive(Clone)]
pub struct SettingsService {
    pub(crate) home: Home,
    pub(crate) config: ConfigFile,
    pub(crate) agents: AgentPool,
    pub(crate) spare: Spare,
    pub(crate) browsers: Browsers,
}

impl SettingsService {
    /// Returns the settings with their values.
    pub async fn list(&self) -> Settings {
        let config = self.config.get();
        let defaults = Config::default();
        let mut settings = Vec::with_capacity(SETTINGS.len());
        for known in &SETTINGS {
            settings.push(Setting {
                name: known.name.to_owned(),
                label: known.label.to_owned(),
                help: known.help.to_owned(),
                group: known.group.to_owned(),
                value: (known.value)(&config),
                default: (known.value)(&defaults),
                choices: match known.name {
                    "agents.default" => self.agent_choices().await,
                    name => fixed_choices(name),
                },
                unit: known.unit.map(str::to_owned),
                range: known.range,
            });
        }
        let in_file = IN_FILE.iter().map(|known| FileSetting {
            name: known.name.to_owned(),
            help: known.help.to_owned(),
            is_set: (known.is_set)(&config),
        });
        let file = self.home.config_file().to_string_lossy().into_owned();
        Settings { settings, in_file: in_file.collect(), file }
    }

    async fn agent_choices(&self) -> Vec<SettingChoice> {
        let choice = |value: &str, label: &str| SettingChoice {
            value: SettingValue::Text(value.to_owned()),
            label: label.to_owned(),
        };
        let agents = self.agents.list(Look::Known).await.agents;
        let named = agents.iter().map(|agent| choice(agent.name.as_str(), &agent.label));
        std::iter::once(choice("", "The first that is ready")).chain(named).collect()
    }

    /// Writes one setting to the file and applies it. Fails if the value or the file is not valid.
    pub async fn set(&self, set: SettingsSet) -> Result<Settings, Fault> {
        let known = SETTINGS
            .iter()
            .find(|known| known.name == set.name)
            .ok_or_else(|| SettingError::NoSetting(set.name.clone()))?;
        if let Some(value) = &set.value {
            check(known, value)?;
            check_choice(known, value)?;
            if known.name == "agents.default"
                && let SettingValue::Text(name) = value
                && !name.is_empty()
            {
                self.agents.get(&AgentName::new(name.as_str()))?;
            }
            if known.name == "browser.only-sites"
                && let SettingValue::Text(sites) = value
            {
                SiteList::parse(sites).map_err(SettingError::NotSites)?;
            }
            if known.name == "worktrees.repository"
                && let SettingValue::Text(folder) = value
                && !folder.is_empty()
            {
                let (folder, home) = (folder.clone(), self.home.clone());
                off_thread(move || folders::check(&folder, &home)).await?;
            }
        }
        let file = self.config.clone();
        off_thread(move || file.change(|text| changed(text, known, set.value.as_ref()))).await?;
        self.changed().await;
        Ok(self.list().await)
    }

    /// Lets an agent write a folder from now on. The caller has asked the person. Fails if the file is not valid.
    pub(crate) async fn allow_folder(&self, agent: &AgentName, folder: &Path) -> Result<(), Fault> {
        let (file, agent, folder) = (self.config.clone(), agent.to_string(), folder.display().to_string());
        off_thread(move || file.change(|text| with_folder(text, &agent, &folder))).await?;
        self.agents.configure();
        Ok(())
    }

    /// Reads `config.toml` again, which a person may have edited, and applies it.
    pub(crate) async fn read_again(&self) -> Result<(), Fault> {
        let file = self.config.clone();
        if off_thread(move || file.read_again()).await? {
            self.changed().await;
        }
        Ok(())
    }

    /// Reads `config.toml` again and looks for agents, after a person changed something.
    pub async fn look_for_agents(&self) -> Result<Agents, Fault> {
        self.read_again().await?;
        Ok(self.agents.tell(Look::Everything).await)
    }

    /// Applies the current settings.
    async fn changed(&self) {
        self.agents.configure();
        self.spare.end();
        self.config.tell_changed();
        self.browsers.apply_limits().await;
        self.agents.tell(Look::Known).await;
    }
}
