//! `gstack settings`: shows, changes and resets settings.
//!
//! Owns the text. The daemon owns the settings and their allowed values.

use super::terminal::{Terminal, show};
use clap::{Arg, ArgMatches, Command};
use gstack_client::http::Client;
use gstack_command::registry;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::settings::{Setting, SettingValue, Settings, SettingsSet};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    List,
    Get { name: String },
    Set { name: String, value: String },
    Unset { name: String },
}

pub(super) fn command() -> Command {
    let name =
        || Arg::new("name").required(true).value_name("NAME").help("The setting's name, as `gstack settings` shows it");
    Command::new("settings")
        .about("List, get, set and unset settings")
        .subcommand(Command::new("list").about("List them"))
        .subcommand(Command::new("get").about("Print a setting's value").arg(name()))
        .subcommand(
            Command::new("set")
                .about("Change a setting; comments in the file are kept")
                .arg(name())
                .arg(Arg::new("value").required(true).value_name("VALUE").allow_negative_numbers(true)),
        )
        .subcommand(Command::new("unset").about("Restore the default").arg(name()))
}

pub(super) fn parse(matches: &ArgMatches) -> Wanted {
    let Some((word, matches)) = matches.subcommand() else { return Wanted::List };
    let text = |key: &str| matches.get_one::<String>(key).cloned().unwrap_or_default();
    match word {
        "get" => Wanted::Get { name: text("name") },
        "set" => Wanted::Set { name: text("name"), value: text("value") },
        "unset" => Wanted::Unset { name: text("name") },
        _ => Wanted::List,
    }
}

pub(super) async fn run(client: &Client, wanted: Wanted, json: bool, terminal: Terminal) -> Result<(), Fault> {
    let settings: Settings = client.get("/settings").await?;
    let (name, value) = match wanted {
        Wanted::List => return show(json, &settings, || list_text(&settings, terminal)),
        Wanted::Get { name } => {
            let setting = find(&settings, &name)?;
            return show(json, setting, || words(&setting.value));
        }
        Wanted::Set { name, value } => {
            let value = typed(find(&settings, &name)?, &value)?;
            (name, Some(value))
        }
        Wanted::Unset { name } => (name, None),
    };
    let settings: Settings = client.post("/settings", &SettingsSet { name: name.clone(), value }).await?;
    let setting = find(&settings, &name)?;
    show(json, setting, || format!("{} = {}", setting.name, words(&setting.value)))
}

fn find<'a>(settings: &'a Settings, name: &str) -> Result<&'a Setting, Fault> {
    settings.settings.iter().find(|setting| setting.name == name).ok_or_else(|| {
        let fault = Fault::new(FaultCode::NotFound, format!("there is no setting {name:?}"));
        let names = || settings.settings.iter().map(|setting| setting.name.as_str());
        let same_end = names().find(|known| known.rsplit('.').next() == Some(name));
        match same_end.or_else(|| registry::nearest(name, names())) {
            Some(near) => fault.hint(format!("Did you mean: {near}?")),
            None => fault.hint("`gstack settings` lists them."),
        }
    })
}

/// Parses the typed text as a value of the setting's kind.
fn typed(setting: &Setting, text: &str) -> Result<SettingValue, Fault> {
    let expects = |hint: &str| {
        Fault::new(FaultCode::BadRequest, format!("{text:?} is not a value of {}", setting.name)).hint(hint)
    };
    match setting.default {
        SettingValue::Text(_) => Ok(SettingValue::Text(text.to_owned())),
        SettingValue::Number(_) => text.parse().map(SettingValue::Number).map_err(|_| expects("Give a number.")),
        SettingValue::Switch(_) => match text {
            "true" | "on" | "yes" => Ok(SettingValue::Switch(true)),
            "false" | "off" | "no" => Ok(SettingValue::Switch(false)),
            _ => Err(expects("Give true or false.")),
        },
    }
}

fn words(value: &SettingValue) -> String {
    match value {
        SettingValue::Switch(on) => on.to_string(),
        SettingValue::Number(number) => number.to_string(),
        SettingValue::Text(text) => text.clone(),
    }
}

fn list_text(settings: &Settings, terminal: Terminal) -> String {
    let mut text = String::new();
    let mut group = "";
    for setting in &settings.settings {
        if setting.group != group {
            group = &setting.group;
            text.push_str(&format!("{}{}\n", if text.is_empty() { "" } else { "\n" }, terminal.bold(group)));
        }
        let unit = setting.unit.as_ref().map(|unit| format!(" {unit}")).unwrap_or_default();
        let default = match &setting.value {
            value if *value == setting.default => String::new(),
            _ => format!("  (default {})", words(&setting.default)),
        };
        let value = match words(&setting.value) {
            empty if empty.is_empty() => "-".to_owned(),
            value => value,
        };
        text.push_str(&format!("  {} = {value}{unit}{}\n", setting.name, terminal.dim(&default)));
        text.push_str(&format!("      {}\n", terminal.dim(&setting.help)));
    }
    if !settings.in_file.is_empty() {
        text.push_str(&format!("\n{}\n", terminal.bold("Only in the file")));
    }
    for setting in &settings.in_file {
        let state = if setting.is_set { "set" } else { "-" };
        text.push_str(&format!("  {} = {state}\n      {}\n", setting.name, terminal.dim(&setting.help)));
    }
    text.push_str(&format!("\n{}", terminal.dim(&settings.file)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(default: SettingValue) -> Setting {
        Setting {
            name: "a.b".into(),
            label: String::new(),
            help: String::new(),
            group: String::new(),
            value: default.clone(),
            default,
            choices: Vec::new(),
            unit: None,
            range: None,
        }
    }

    #[test]
    fn a_value_is_read_as_its_settings_kind() {
        let (switch, number) = (setting(SettingValue::Switch(false)), setting(SettingValue::Number(1.0)));
        assert_eq!(typed(&switch, "on").unwrap(), SettingValue::Switch(true));
        assert_eq!(typed(&number, "2.5").unwrap(), SettingValue::Number(2.5));
        assert_eq!(typed(&setting(SettingValue::Text(String::new())), "5").unwrap(), SettingValue::Text("5".into()));
        for (setting, text) in [(&switch, "maybe"), (&number, "two")] {
            assert!(typed(setting, text).unwrap_err().hint.is_some());
        }
        let set = command().try_get_matches_from(["settings", "set", "a.b", "-1"]).unwrap();
        assert_eq!(parse(&set), Wanted::Set { name: "a.b".into(), value: "-1".into() });
    }
}
