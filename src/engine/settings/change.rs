//! Checks a new value of a setting and writes it into the text of `config.toml` without touching a person's comments.
//!
//! Owns both as pure functions. Never reads or writes a file.

use super::error::SettingError;
use super::list::{SettingDefinition, fixed_choices};
use crate::config::Config;
use gstack_protocol::settings::SettingValue;
use toml_edit::{Array, DocumentMut, Item, Table, Value};

/// Returns the file's text with one setting changed and everything else unchanged. Fails if the text or the result is
/// not valid.
pub(super) fn changed(text: &str, known: &SettingDefinition, value: Option<&SettingValue>) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let (section, key) = known.name.split_once('.').unwrap_or(("", known.name));
    // An older file may use other names for the section and the key.
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
    let table = table.as_table_like_mut().ok_or_else(|| format!("{section} is not a section"))?;
    let mut new = match value {
        SettingValue::Switch(on) => Value::from(*on),
        SettingValue::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => Value::from(*number as i64),
        SettingValue::Number(number) => Value::from(*number),
        SettingValue::Text(text) => Value::from(text.as_str()),
    };
    if let Some(old) = table.get(key).and_then(Item::as_value) {
        // Keeps the comment behind the old value.
        *new.decor_mut() = old.decor().clone();
    }
    table.insert(key, Item::Value(new));
    Ok(document.to_string())
}

/// Returns the file's text with a folder added to those that an agent may write. Fails if the text is not valid.
pub(super) fn with_folder(text: &str, agent: &str, folder: &str) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let section = if document.contains_key("agent") { "agent" } else { "agents" };
    let mut table = document.as_table_mut() as &mut dyn toml_edit::TableLike;
    for name in [section, "folders"] {
        let implicit = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        let entry = table.entry(name).or_insert_with(implicit);
        table = entry.as_table_like_mut().ok_or_else(|| format!("{name} is not a section"))?;
    }
    let folders = table.entry(agent).or_insert_with(|| Item::Value(Value::Array(Array::new())));
    let folders = folders.as_array_mut().ok_or_else(|| format!("agents.folders.{agent} is not a list"))?;
    if !folders.iter().any(|known| known.as_str() == Some(folder)) {
        folders.push(folder);
    }
    Ok(document.to_string())
}

pub(super) fn check(known: &SettingDefinition, value: &SettingValue) -> Result<(), SettingError> {
    match ((known.value)(&Config::default()), value) {
        (SettingValue::Switch(_), SettingValue::Switch(_)) | (SettingValue::Text(_), SettingValue::Text(_)) => Ok(()),
        (SettingValue::Number(_), SettingValue::Number(number)) => {
            let (least, most) = known.range.unwrap_or((f64::MIN, f64::MAX));
            // NaN is in no range.
            if !(least..=most).contains(number) {
                return Err(SettingError::OutOfRange { number: *number, least, most });
            }
            if known.whole && number.fract() != 0.0 {
                return Err(SettingError::NotWhole(*number));
            }
            Ok(())
        }
        (SettingValue::Switch(_), _) => Err(SettingError::IsASwitch(known.name)),
        (SettingValue::Number(_), _) => Err(SettingError::IsANumber(known.name)),
        (SettingValue::Text(_), _) => Err(SettingError::IsAText(known.name)),
    }
}

pub(super) fn check_choice(known: &SettingDefinition, value: &SettingValue) -> Result<(), SettingError> {
    let choices = fixed_choices(known.name);
    if choices.is_empty() || choices.iter().any(|choice| choice.value == *value) {
        return Ok(());
    }
    let choices = choices
        .iter()
        .filter_map(|choice| if let SettingValue::Text(name) = &choice.value { Some(name.clone()) } else { None })
        .collect();
    Err(SettingError::NotAValue { name: known.name, choices })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::in_file::IN_FILE;
    use crate::settings::list::SETTINGS;
    use gstack_protocol::fault::{Fault, FaultCode};

    fn known(name: &str) -> &'static SettingDefinition {
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
                SettingValue::Text(_) => match fixed_choices(known.name).pop() {
                    Some(choice) => choice.value,
                    None => SettingValue::Text("claude".to_owned()),
                },
            };
            let text = changed("", known, Some(&value)).unwrap();
            assert_eq!((known.value)(&Config::parse(&text).unwrap()), value, "{text}");
            let back = changed(&text, known, None).unwrap();
            assert_eq!(Config::parse(&back).unwrap(), Config::default());
        }
    }

    #[test]
    fn an_allowed_folder_is_added_for_its_agent_only_and_once() {
        let text = "# mine\n[agents]\nat-once = 2 # enough\n\n[agents.own.mine]\ncommand = [\"mine\"]\n";
        let mut changed = text.to_owned();
        for (agent, folder) in [("mine", "/h/.mine"), ("mine", "/h/.mine"), ("a.b", "/h/.ab"), ("mine", "/h/.x")] {
            changed = with_folder(&changed, agent, folder).unwrap();
        }
        assert!(changed.starts_with(text), "{changed}");
        let folders = Config::parse(&changed).unwrap().agents.folders;
        assert_eq!(folders["mine"], ["/h/.mine", "/h/.x"].map(std::path::PathBuf::from));
        assert_eq!(folders["a.b"], ["/h/.ab"].map(std::path::PathBuf::from));
        assert!(with_folder("[agents]\nfolders = 1\n", "mine", "/h/.mine").is_err());
        let inline = with_folder("agents = { at-once = 2 }\n", "mine", "/h/.mine").unwrap();
        assert!(Config::parse(&inline).unwrap().agents.folders.contains_key("mine"), "{inline}");
    }

    /// Returns the keys that serde accepts in a section.
    fn keys_of(section: &str) -> Vec<String> {
        let refused = Config::parse(&format!("[{section}]\nno-such-key = 1\n")).unwrap_err();
        let (_, expected) = refused.split_once("expected").unwrap();
        expected.split('`').skip(1).step_by(2).map(|key| format!("{section}.{}", key.replace('_', "-"))).collect()
    }

    #[test]
    fn every_key_of_the_file_is_listed() {
        let listed: Vec<&str> =
            SETTINGS.iter().map(|known| known.name).chain(IN_FILE.iter().map(|known| known.name)).collect();
        for section in ["agents", "browser", "turns", "watchdog", "worktrees", "daemon"] {
            let keys = keys_of(section);
            assert!(keys.len() > 1, "{keys:?}");
            for key in keys {
                assert!(listed.contains(&key.as_str()), "{key} is not listed");
            }
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
            let fault = Fault::from(check(known(name), &value).unwrap_err());
            assert!(fault.code == FaultCode::BadRequest && fault.hint.is_some(), "{name}");
        }
        let maybe = SettingValue::Text("maybe".to_owned());
        let fault = Fault::from(check_choice(known("browser.dialogs"), &maybe).unwrap_err());
        assert_eq!(fault.hint.as_deref(), Some("Give one of: accept, dismiss, ask."));
    }
}
