//! Settings as shown by the panel and the terminal: a list that describes each one.
//!
//! Owns the structure. The code that reads a setting defines it.

use serde::{Deserialize, Serialize};

/// The answer to `settings.get` and `settings.set`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Settings {
    pub settings: Vec<Setting>,
    /// Settings that can only be changed in the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_file: Vec<FileSetting>,
    /// The file that holds them.
    pub file: String,
}

/// A setting that can only be changed in the file. Its value is not shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct FileSetting {
    /// As in the file: `agents.programs`.
    pub name: String,
    /// One sentence about its effect.
    pub help: String,
    /// Whether the file sets it.
    pub is_set: bool,
}

/// One setting, with everything needed to show and change it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Setting {
    /// As in the file: `agents.at-once`.
    pub name: String,
    /// A few words for people.
    pub label: String,
    /// One sentence about its effect and cost.
    pub help: String,
    /// The heading under which settings are grouped.
    pub group: String,
    pub value: SettingValue,
    pub default: SettingValue,
    /// The possible values; empty if any value of its type is accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<SettingChoice>,
    /// The unit of a number: `minutes`, `kB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The smallest and largest accepted number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SettingChoice {
    pub value: SettingValue,
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(untagged)]
pub enum SettingValue {
    Switch(bool),
    Number(f64),
    Text(String),
}

/// `settings.set`: writes to the file immediately; the answer is the updated list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct SettingsSet {
    pub name: String,
    /// Absent to reset to the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<SettingValue>,
}
