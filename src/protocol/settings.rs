//! Settings as the panel and the terminal show them: a list that says of each what it is.
//!
//! Owns the shape. Which settings exist is said where they are read.

use serde::{Deserialize, Serialize};

/// The answer to `settings.get` and `settings.set`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Settings {
    pub settings: Vec<Setting>,
    /// Settings that only the file changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_file: Vec<FileSetting>,
    /// The file that holds them.
    pub file: String,
}

/// A setting that is changed in the file alone. Its value is not told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct FileSetting {
    /// As in the file: `agents.programs`.
    pub name: String,
    /// One sentence: what it does.
    pub help: String,
    /// The file has it.
    pub is_set: bool,
}

/// One setting, with all that is needed to show and change it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Setting {
    /// As in the file: `agents.at-once`.
    pub name: String,
    /// A few words for people.
    pub label: String,
    /// One sentence: what it does and what it costs.
    pub help: String,
    /// Settings with the same heading stand together.
    pub group: String,
    pub value: SettingValue,
    pub default: SettingValue,
    /// The values to choose from; empty where any of its kind will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<SettingChoice>,
    /// The unit of a number: `minutes`, `kB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The smallest and the largest number that is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SettingChoice {
    pub value: SettingValue,
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(untagged)]
pub enum SettingValue {
    Switch(bool),
    Number(f64),
    Text(String),
}

/// `settings.set`: written to the file at once; the answer is the list as it is then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SettingsSet {
    pub name: String,
    /// Absent: the default again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<SettingValue>,
}
