//! The settings that a person sees and changes in the panel and the terminal.
//!
//! Owns reading and changing them. The file may contain more: programs, environment, the port.

mod change;
mod error;
mod in_file;
mod list;

use super::config::Config;
use super::tasks::off_thread;
use super::{Engine, folders};
use crate::base::site_list::SiteList;
use crate::protocol::fault::Fault;
use crate::protocol::settings::{FileSetting, Setting, SettingChoice, SettingValue, Settings, SettingsSet};
use change::{changed, check, check_choice};
use error::SettingError;
use in_file::IN_FILE;
use list::{SETTINGS, fixed_choices};

impl Engine {
    pub(crate) async fn settings(&self) -> Settings {
        let config = self.config();
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
        let file = self.home().config_file().to_string_lossy().into_owned();
        Settings { settings, in_file: in_file.collect(), file }
    }

    async fn agent_choices(&self) -> Vec<SettingChoice> {
        let choice = |value: &str, label: &str| SettingChoice {
            value: SettingValue::Text(value.to_owned()),
            label: label.to_owned(),
        };
        let agents = self.agents().list(false).await.agents;
        let named = agents.iter().map(|agent| choice(agent.name.as_str(), &agent.label));
        std::iter::once(choice("", "The first that is ready")).chain(named).collect()
    }

    /// Writes one setting to the file and applies it. Fails if the value or the file is not valid.
    pub(crate) async fn set_setting(&self, set: SettingsSet) -> Result<Settings, Fault> {
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
                self.agents().get(&crate::protocol::ids::AgentName::new(name.as_str()))?;
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
                let (folder, home) = (folder.clone(), self.home().clone());
                off_thread(move || folders::check(&folder, &home)).await?;
            }
        }
        let file = self.inner.config.clone();
        off_thread(move || file.change(|text| changed(text, known, set.value.as_ref()))).await?;
        self.settings_changed().await;
        Ok(self.settings().await)
    }

    /// Reads `config.toml` again, which a person may have edited, and applies it.
    pub(super) async fn read_config_again(&self) -> Result<(), Fault> {
        let file = self.inner.config.clone();
        if off_thread(move || file.read_again()).await? {
            self.settings_changed().await;
        }
        Ok(())
    }

    /// Applies the current settings.
    pub(super) async fn settings_changed(&self) {
        self.agents().configure();
        self.end_spare();
        self.inner.config.tell_changed();
        self.agents().tell(false).await;
    }
}
