//! The options of `gstack connect` for browsers on other machines.
//!
//! Owns the options, the reading of `--caps FILE`, and which variables of the terminal's environment are passed on.
//! Secrets are never arguments.

use clap::{Arg, ArgMatches};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::remote::{PROVIDERS, RemoteBrowser, SecretVariables};

/// Far above any real capabilities.
const LARGEST_CAPABILITIES: u64 = 1024 * 1024;
/// The options that exclude a browser on another machine.
pub(super) const LOCAL: [&str; 6] = ["attach", "everyday", "program", "headless", "headed", "arguments"];

/// Returns the options, for the definition of the command line. `local`: the options that they do not go with.
pub(super) fn arguments(local: &[&'static str]) -> [Arg; 4] {
    [
        Arg::new("cdp")
            .long("cdp")
            .value_name("URL|NAME")
            .conflicts_with_all(local)
            .conflicts_with_all(["grid", "provider"])
            .help("Drive a browser on another machine: wss://…, https://…, or an endpoint of config.toml"),
        Arg::new("grid")
            .long("grid")
            .value_name("URL|NAME")
            .conflicts_with_all(local)
            .conflicts_with("provider")
            .help("Create a session on a Selenium Grid: http://hub:4444, or an endpoint of config.toml"),
        Arg::new("caps").long("caps").value_name("JSON|FILE").requires("grid").help("W3C capabilities for --grid"),
        Arg::new("provider")
            .long("provider")
            .value_name("NAME")
            .conflicts_with_all(local)
            .value_parser(PROVIDERS.map(|(name, _)| name))
            .help("Use a hosted browser; its key is in config.toml or in the environment"),
    ]
}

/// Returns the browser that the options name. Does no IO: `--caps` is still as it was typed.
pub(super) fn parse(matches: &ArgMatches) -> Option<RemoteBrowser> {
    let text = |key: &str| matches.get_one::<String>(key).cloned();
    let hosted = || text("provider").map(RemoteBrowser::Hosted);
    let grid = || text("grid").map(|hub| RemoteBrowser::Grid { hub, capabilities: text("caps") });
    text("cdp").map(RemoteBrowser::Cdp).or_else(grid).or_else(hosted)
}

/// Reads the capabilities' file and the keys for a hosted browser.
pub(super) fn resolve(remote: Option<RemoteBrowser>) -> Result<(Option<RemoteBrowser>, SecretVariables), Fault> {
    let mut keys = SecretVariables::default();
    let remote = match remote {
        Some(RemoteBrowser::Grid { hub, capabilities: Some(typed) }) => {
            Some(RemoteBrowser::Grid { hub, capabilities: Some(capabilities(typed)?) })
        }
        Some(RemoteBrowser::Hosted(name)) => {
            keys = keys_of(|known| known == name);
            Some(RemoteBrowser::Hosted(name))
        }
        other => other,
    };
    Ok((remote, keys))
}

/// Returns the keys of all hosted services that the environment has.
pub(super) fn keys() -> SecretVariables {
    keys_of(|_| true)
}

fn keys_of(is_wanted: impl Fn(&str) -> bool) -> SecretVariables {
    let variables = PROVIDERS.iter().filter(|(name, _)| is_wanted(name)).flat_map(|(_, variables)| *variables);
    // No service has keys that are not UTF-8.
    SecretVariables(variables.filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))).collect())
}

fn capabilities(typed: String) -> Result<String, Fault> {
    if typed.trim_start().starts_with('{') {
        return Ok(typed);
    }
    let failed = |why: String| {
        Fault::new(FaultCode::BadRequest, format!("the capabilities in {typed} cannot be read: {why}"))
            .hint("Give a JSON object, or the path of a file with one.")
    };
    let size = std::fs::metadata(&typed).map_err(|error| failed(error.to_string()))?.len();
    if size > LARGEST_CAPABILITIES {
        return Err(failed("it is too large".to_owned()));
    }
    std::fs::read_to_string(&typed).map_err(|error| failed(error.to_string()))
}
