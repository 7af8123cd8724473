//! `[browser.endpoints.NAME]` of `config.toml`: browsers on other machines, with the credentials for them.
//!
//! Owns the fields. `Debug` shows no value, and an error in such a section is reported without its text.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// One endpoint: for `--cdp NAME`, `--grid NAME`, or a hosted service by its own name.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct EndpointConfig {
    pub url: Option<String>,
    pub headers: BTreeMap<String, String>,
    /// A PEM file: then no other authority may vouch for the endpoint.
    pub ca: Option<PathBuf>,
    /// Allows credentials on an unencrypted connection.
    pub plaintext: bool,
    /// The key of a hosted service.
    pub key: Option<String>,
    /// The environment variable that holds it instead.
    pub key_variable: Option<String>,
    /// The account or project of a hosted service.
    pub account: Option<String>,
    /// How long a hosted service may take until its browser is connected.
    pub wait_seconds: Option<f64>,
}

/// The times that a hosted service may be given: longer than any takes, and short enough to be noticed.
const WAIT: RangeInclusive<f64> = 1.0..=600.0;

/// Fails for a setting that cannot be used. The message has no value, which may be a secret.
pub(super) fn check(endpoints: &BTreeMap<String, EndpointConfig>) -> Result<(), String> {
    let is_wrong = |one: &EndpointConfig| one.wait_seconds.is_some_and(|wait| !WAIT.contains(&wait));
    match endpoints.iter().find(|(_, one)| is_wrong(one)) {
        Some((name, _)) => {
            Err(format!("browser.endpoints.{name}: wait-seconds must be from {} to {}", WAIT.start(), WAIT.end()))
        }
        None => Ok(()),
    }
}

impl fmt::Debug for EndpointConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EndpointConfig(…)")
    }
}

/// Returns the message of a syntax or type error, without the file's text if that may hold a secret.
pub(super) fn described(text: &str, error: &toml::de::Error) -> String {
    let Some(span) = error.span() else { return error.to_string() };
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.lines().count().max(1);
    let section = before.lines().chain(text.lines().nth(line - 1)).map(str::trim).rfind(|line| line.starts_with('['));
    let in_line = text.lines().nth(line - 1).unwrap_or_default();
    // An unfinished text may run over the sections that follow.
    let is_private = section.is_some_and(|section| section.contains("endpoints"))
        || in_line.contains("endpoints")
        || text.get(span.clone()).is_some_and(|part| part.contains("endpoints"));
    match is_private {
        true => format!("line {line}: this setting of an endpoint is not valid"),
        false => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn an_endpoint_is_read_and_never_printed() {
        let text = "[browser.endpoints.team]\nurl = \"wss://a.example/x?token=hunter2\"\nkey = \"hunter2\"\n\
            headers = { Authorization = \"Bearer hunter2\" }\n";
        let config = Config::parse(text).unwrap();
        assert_eq!(config.browser.endpoints["team"].headers["Authorization"], "Bearer hunter2");
        assert!(!format!("{config:?}").contains("hunter2"));
    }

    #[test]
    fn an_error_in_an_endpoint_does_not_quote_it() {
        for section in [
            "[browser.endpoints.team]\nheaders = \"Bearer hunter2\"",
            "[browser.endpoints.team]\nkey = \"hunter2",
            "[browser.endpoints.team]\nplaintext = \"hunter2\"",
            "[browser.endpoints.team]\nhunter2 = 1",
            "[browser.endpoints.team.headers]\nAuthorization = [\"hunter2\"]",
            "[browser]\nendpoints.team.headers = \"hunter2\"",
            "[browser]\nendpoints = { team = { key = 5, url = \"hunter2\" } }",
            "[browser.endpoints.team]\nkey = hunter2",
        ] {
            let error = Config::parse(&format!("{section}\n\n[daemon]\nport = 1\n")).unwrap_err();
            assert!(!error.contains("hunter2") && error.contains("line "), "{section}: {error}");
        }
        assert!(Config::parse("[daemon]\nport = \"seen\"\n").unwrap_err().contains("seen"));
    }
}
