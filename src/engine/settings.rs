//! The settings that a person sees and changes in the panel and the terminal.
//!
//! Owns the list: names, words, ranges, and how one is written into `config.toml` without touching a person's comments.
//! What a setting does is decided where it is read. The file may hold more: programs, environment, the port.

use super::config::Config;
use super::{Engine, folders, lock, slots};
use crate::base::{atomic, trouble};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::settings::{Setting, SettingChoice, SettingValue, Settings, SettingsSet};
use std::io::ErrorKind;
use std::sync::Arc;
use toml_edit::{DocumentMut, Item, Table, Value};

/// One setting as it is known.
struct Known {
    /// Section and key of the file.
    name: &'static str,
    group: &'static str,
    label: &'static str,
    help: &'static str,
    unit: Option<&'static str>,
    range: Option<(f64, f64)>,
    /// A number without a fraction.
    whole: bool,
    value: fn(&Config) -> SettingValue,
}

const MINUTES: Option<&str> = Some("minutes");

const SETTINGS: [Known; 14] = [
    Known {
        name: "agents.default",
        group: "Agents",
        label: "Agent",
        help: "Answers where a conversation names none.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Text(config.agents.default_name().unwrap_or_default().to_owned()),
    },
    Known {
        name: "agents.at-once",
        group: "Agents",
        label: "Agents at once",
        help: "More wait for a free place. One takes about 190 MB of memory.",
        unit: Some("agents"),
        range: Some((1.0, 64.0)),
        whole: true,
        value: |config| number(config.agents.at_once.unwrap_or_else(slots::by_memory)),
    },
    Known {
        name: "agents.sleep-minutes",
        group: "Agents",
        label: "End an idle agent after",
        help: "Its memory is free then; the next message starts it again with all that was said. 0: it stays.",
        unit: MINUTES,
        range: Some((0.0, 1440.0)),
        whole: false,
        value: |config| SettingValue::Number(config.agents.sleep_minutes),
    },
    Known {
        name: "agents.approval-minutes",
        group: "Agents",
        label: "An unanswered request is a no after",
        help: "How long an agent waits for your answer before it is told no.",
        unit: MINUTES,
        range: Some((1.0, 1440.0)),
        whole: true,
        value: |config| SettingValue::Number(config.agents.approval_minutes as f64),
    },
    Known {
        name: "turns.direct-commands",
        group: "Conversation",
        label: "Run plain commands at once",
        help: "A message that is exactly one command runs without a model.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.turns.direct_commands),
    },
    Known {
        name: "turns.continue-after-restart",
        group: "Conversation",
        label: "Go on after a restart",
        help: "Waiting messages run by themselves when gstack was ended before their turn; else they wait for you.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.turns.continue_after_restart),
    },
    Known {
        name: "watchdog.silence-minutes",
        group: "Conversation",
        label: "End a silent turn after",
        help: "A turn in which the agent says and does nothing for this long is ended. Waiting for you never counts. 0: never.",
        unit: MINUTES,
        range: Some((0.0, 1440.0)),
        whole: false,
        value: |config| SettingValue::Number(config.watchdog.silence_minutes),
    },
    Known {
        name: "watchdog.total-minutes",
        group: "Conversation",
        label: "End a turn after",
        help: "The longest that one turn may work. Waiting for you never counts. 0: no limit.",
        unit: MINUTES,
        range: Some((0.0, 10080.0)),
        whole: false,
        value: |config| SettingValue::Number(config.watchdog.total_minutes),
    },
    Known {
        name: "worktrees.enabled",
        group: "Work trees",
        label: "A work tree for each conversation",
        help: "A conversation's agent works in a git work tree of its own, at the commit that is checked out; what is not committed is not in it.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.worktrees.enabled),
    },
    Known {
        name: "worktrees.repository",
        group: "Work trees",
        label: "Made from the repository in",
        help: "A folder in it. Empty: the folder that gstack was connected from.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Text(config.worktrees.repository().unwrap_or_default().to_owned()),
    },
    Known {
        name: "browser.snapshot-limit",
        group: "gstack",
        label: "Cut a snapshot at",
        help: "More of a page than this is only counted; an agent narrows what it looks at. More costs tokens.",
        unit: Some("bytes"),
        range: Some((2_000.0, 1_000_000.0)),
        whole: true,
        value: |config| number(config.browser.snapshot_limit),
    },
    Known {
        name: "browser.capture-to-disk",
        group: "gstack",
        label: "Write what pages say to disk",
        help: "Console messages, requests and dialogs also go to capture.jsonl, with whatever secrets they hold. From the next browser on.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.browser.capture_to_disk),
    },
    Known {
        name: "browser.let-go-seconds",
        group: "gstack",
        label: "Let go of a tab after",
        help: "In your everyday browser: how long after its last act gstack stays attached to a tab. From the extension's next start on.",
        unit: Some("seconds"),
        range: Some((0.0, 3600.0)),
        whole: true,
        value: |config| SettingValue::Number(config.browser.let_go_seconds),
    },
    Known {
        name: "daemon.idle-exit-minutes",
        group: "gstack",
        label: "End gstack when idle for",
        help: "With no panel, no turn and no browser, the background process ends after this long.",
        unit: MINUTES,
        range: Some((0.01, 10080.0)),
        whole: false,
        value: |config| SettingValue::Number(config.daemon.idle_exit_minutes),
    },
];

fn number(value: usize) -> SettingValue {
    SettingValue::Number(value as f64)
}

impl Engine {
    pub async fn settings(&self) -> Settings {
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
                choices: if known.name == "agents.default" { self.agent_choices().await } else { Vec::new() },
                unit: known.unit.map(str::to_owned),
                range: known.range,
            });
        }
        Settings { settings, file: self.home().config_file().to_string_lossy().into_owned() }
    }

    async fn agent_choices(&self) -> Vec<SettingChoice> {
        let choice = |value: &str, label: &str| SettingChoice {
            value: SettingValue::Text(value.to_owned()),
            label: label.to_owned(),
        };
        let agents = self.agents(false).await.agents;
        let named = agents.iter().map(|agent| choice(agent.name.as_str(), &agent.label));
        std::iter::once(choice("", "The first that is ready")).chain(named).collect()
    }

    /// Writes one setting into the file, and lives by it from now on.
    pub async fn set_setting(&self, set: SettingsSet) -> Result<Settings, Fault> {
        let known = SETTINGS.iter().find(|known| known.name == set.name).ok_or_else(|| {
            Fault::new(FaultCode::NotFound, format!("there is no setting {:?}", set.name))
                .hint("`gstack settings` lists them.")
        })?;
        if let Some(value) = &set.value {
            check(known, value)?;
            if known.name == "agents.default"
                && let SettingValue::Text(name) = value
                && !name.is_empty()
            {
                self.check_agent(&crate::protocol::ids::AgentName::new(name.as_str()))?;
            }
            if known.name == "worktrees.repository"
                && let SettingValue::Text(folder) = value
                && !folder.is_empty()
            {
                let (folder, home) = (folder.clone(), self.home().clone());
                self.off_thread(move || folders::check(&folder, &home)).await?;
            }
        }
        let engine = self.clone();
        let written = tokio::task::spawn_blocking(move || engine.write_setting(known, set.value.as_ref()));
        written.await.map_err(|e| Fault::new(FaultCode::Internal, format!("saving ended early: {e}")))??;
        self.settings_changed().await;
        Ok(self.settings().await)
    }

    fn write_setting(&self, known: &Known, value: Option<&SettingValue>) -> Result<(), Fault> {
        let path = self.home().config_file();
        let _one_at_a_time = lock(&self.inner.config_file);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(storage(&path, &error)),
        };
        let wrong = |error: String| {
            Fault::new(FaultCode::Conflict, format!("{} is not valid, so it is not changed: {error}", path.display()))
                .hint("Mend the line that is named, then set it again.")
        };
        let text = changed(&text, known, value).map_err(wrong)?;
        let config = Config::parse(&text).map_err(wrong)?;
        atomic::write(&path, text.as_bytes()).map_err(|error| storage(&path, &error))?;
        *lock(&self.inner.config) = Arc::new(config);
        Ok(())
    }
}

/// The file's text with one setting changed; everything else stays as it was written.
fn changed(text: &str, known: &Known, value: Option<&SettingValue>) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let (section, key) = known.name.split_once('.').unwrap_or(("", known.name));
    // A file of earlier days may spell the section and the key otherwise.
    let section = if section == "agents" && document.contains_key("agent") { "agent" } else { section };
    let earlier_key = key.replace('-', "_");
    let key = match document.get(section).and_then(Item::as_table_like) {
        Some(table) if !table.contains_key(key) && table.contains_key(&earlier_key) => earlier_key.as_str(),
        _ => key,
    };
    let Some(value) = value else {
        if let Some(table) = document.get_mut(section).and_then(Item::as_table_like_mut) {
            table.remove(key);
        }
        return Ok(document.to_string());
    };
    let table = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
    let table = table.as_table_like_mut().ok_or_else(|| format!("{section} is no section"))?;
    let mut new = match value {
        SettingValue::Switch(on) => Value::from(*on),
        SettingValue::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => Value::from(*number as i64),
        SettingValue::Number(number) => Value::from(*number),
        SettingValue::Text(text) => Value::from(text.as_str()),
    };
    if let Some(old) = table.get(key).and_then(Item::as_value) {
        // The comment behind the old value stays there.
        *new.decor_mut() = old.decor().clone();
    }
    table.insert(key, Item::Value(new));
    Ok(document.to_string())
}

fn check(known: &Known, value: &SettingValue) -> Result<(), Fault> {
    let refused = |message: String, hint: String| Err(Fault::new(FaultCode::BadRequest, message).hint(hint));
    match ((known.value)(&Config::default()), value) {
        (SettingValue::Switch(_), SettingValue::Switch(_)) | (SettingValue::Text(_), SettingValue::Text(_)) => Ok(()),
        (SettingValue::Number(_), SettingValue::Number(number)) => {
            let (least, most) = known.range.unwrap_or((f64::MIN, f64::MAX));
            // A NaN is in no range.
            if !(least..=most).contains(number) {
                return refused(format!("{number} is out of range"), format!("Give a number from {least} to {most}."));
            }
            if known.whole && number.fract() != 0.0 {
                return refused(format!("{number} is no whole number"), "Give a whole number.".to_owned());
            }
            Ok(())
        }
        (SettingValue::Switch(_), _) => {
            refused(format!("{} is a switch", known.name), "Give true or false.".to_owned())
        }
        (SettingValue::Number(_), _) => refused(format!("{} is a number", known.name), "Give a number.".to_owned()),
        (SettingValue::Text(_), _) => refused(format!("{} is a text", known.name), "Give a text.".to_owned()),
    }
}

fn storage(path: &std::path::Path, error: &std::io::Error) -> Fault {
    Fault::new(FaultCode::Storage, format!("{} can't be changed: {error}", path.display()))
        .hint(trouble::hint(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> &'static Known {
        SETTINGS.iter().find(|known| known.name == name).unwrap()
    }

    #[test]
    fn a_change_leaves_comments_and_order_alone() {
        let text = "# mine\n[agents]\nat-once = 2 # enough\n\n[daemon]\nport = 4000\n";
        let three = changed(text, known("agents.at-once"), Some(&SettingValue::Number(3.0))).unwrap();
        assert_eq!(three, text.replace("= 2", "= 3"));
        let gone = changed(&three, known("agents.at-once"), None).unwrap();
        assert!(gone.starts_with("# mine\n[agents]\n") && !gone.contains("at-once"));
        assert_eq!(changed("", known("agents.at-once"), None).unwrap(), "");
    }

    #[test]
    fn every_setting_is_written_so_that_it_is_read_as_it_was_given() {
        for known in &SETTINGS {
            let value = match (known.value)(&Config::default()) {
                SettingValue::Switch(on) => SettingValue::Switch(!on),
                SettingValue::Number(_) => SettingValue::Number(7.0),
                SettingValue::Text(_) => SettingValue::Text("claude".to_owned()),
            };
            let text = changed("", known, Some(&value)).unwrap();
            assert_eq!((known.value)(&Config::parse(&text).unwrap()), value, "{text}");
            let back = changed(&text, known, None).unwrap();
            assert_eq!(Config::parse(&back).unwrap(), Config::default());
        }
    }

    #[test]
    fn earlier_spellings_are_changed_where_they_stand() {
        let text = "[agent]\napproval_minutes = 5\n";
        let six = changed(text, known("agents.approval-minutes"), Some(&SettingValue::Number(6.0))).unwrap();
        assert_eq!(six, "[agent]\napproval_minutes = 6\n");
        let default = SettingValue::Text("claude".to_owned());
        let both = changed(text, known("agents.default"), Some(&default)).unwrap();
        assert_eq!(Config::parse(&both).unwrap().agents.default_name(), Some("claude"));
    }

    #[test]
    fn what_is_of_another_kind_or_out_of_range_is_refused_in_words() {
        for (name, value) in [
            ("agents.at-once", SettingValue::Number(0.0)),
            ("agents.at-once", SettingValue::Number(1.5)),
            ("agents.at-once", SettingValue::Number(f64::NAN)),
            ("agents.at-once", SettingValue::Text("two".into())),
            ("turns.direct-commands", SettingValue::Number(1.0)),
        ] {
            let fault = check(known(name), &value).unwrap_err();
            assert!(fault.code == FaultCode::BadRequest && fault.hint.is_some(), "{name}");
        }
    }
}
