//! `gstack doctor --report`: what a maintainer needs to know about this machine, without any of the person's data.
//!
//! Owns the content. Names, numbers and codes are chosen one by one. Text from elsewhere loses its paths, addresses,
//! quotations and anything that looks like a secret. Log lines, values of settings, pages and conversations are never
//! included.

use super::doctor::hop_name;
use crate::install::hosts::{self, Options};
use gstack_base::browsers::{FAMILY, Machine};
use gstack_base::home::Home;
use gstack_protocol::VERSION;
use gstack_protocol::agents::AgentInfo;
use gstack_protocol::agents::Agents;
use gstack_protocol::control::Doctor;
use gstack_protocol::fault::FaultCode;
use gstack_protocol::hops::HopState;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    gstack: &'static str,
    target: String,
    /// Built with debug assertions, so not a release.
    debug: bool,
    system: String,
    kernel: Option<String>,
    root: bool,
    display: bool,
    browsers: Vec<&'static str>,
    /// Snaps and flatpaks, which cannot start the host.
    sandboxed_browsers: Vec<&'static str>,
    hosts: BTreeMap<String, String>,
    hops: Vec<HopLine>,
    notes: Vec<String>,
    agents: Vec<AgentLine>,
    /// The number of lines in daemon.log by level and module.
    log: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize)]
struct HopLine {
    hop: &'static str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<FaultCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<String>,
}

#[derive(Debug, Serialize)]
struct AgentLine {
    name: String,
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<FaultCode>,
}

/// Examines the machine. `agents` is `None` if no daemon could be asked.
pub(super) fn of(home: &Home, doctor: &Doctor, agents: Option<&Agents>) -> Report {
    let machine = Machine::current();
    let installed = |machine: &Machine| FAMILY.iter().filter(|one| machine.has(one)).map(|one| one.name).collect();
    Report {
        gstack: VERSION,
        target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        debug: cfg!(debug_assertions),
        system: system(),
        kernel: fs::read_to_string("/proc/sys/kernel/osrelease").ok().map(|text| text.trim().to_owned()),
        root: rustix::process::geteuid().is_root(),
        display: ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some()),
        browsers: machine.as_ref().map(installed).unwrap_or_default(),
        sandboxed_browsers: machine.iter().flat_map(Machine::sandboxed).collect(),
        hosts: registered(),
        hops: hops(doctor),
        notes: doctor.notes.iter().map(|note| scrubbed(note)).collect(),
        agents: agents.map(lines).unwrap_or_default(),
        log: counted(&fs::read_to_string(home.daemon_log()).unwrap_or_default()),
    }
}

/// Returns the distribution's name for itself.
fn system() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.map_or_else(|| std::env::consts::OS.to_owned(), |name| name.trim_matches('"').to_owned())
}

/// Returns the action that an installation would now take for each browser. `Keep` means that the host is registered.
fn registered() -> BTreeMap<String, String> {
    let planned = hosts::install(&Options { dry_run: true, ..Options::default() });
    let done = planned.map(|report| report.browsers).unwrap_or_default();
    done.into_iter().map(|done| (done.step.browser, format!("{:?}", done.step.action))).collect()
}

fn hops(doctor: &Doctor) -> Vec<HopLine> {
    let line = |hop: &HopState| HopLine {
        hop: hop_name(hop.hop),
        ok: hop.ok,
        code: hop.fault.as_ref().map(|fault| fault.code),
        said: hop.fault.as_ref().map(|fault| scrubbed(&fault.message)),
    };
    doctor.hops.iter().map(line).collect()
}

fn lines(agents: &Agents) -> Vec<AgentLine> {
    let line = |agent: &AgentInfo| AgentLine {
        name: scrubbed(agent.name.as_str()),
        version: agent.version.as_deref().map(scrubbed),
        code: agent.fault.as_ref().map(|fault| fault.code),
    };
    agents.agents.iter().map(line).collect()
}

/// Counts log lines by level and module: `2026-01-01T00:00:00Z  WARN gstack::engine: words` counts as
/// `WARN gstack::engine`.
fn counted(log: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for line in log.lines() {
        let mut words = line.split_whitespace().skip(1);
        let (Some(level), Some(module)) = (words.next(), words.next()) else { continue };
        let module = module.trim_end_matches(':');
        let is_module =
            module.starts_with("gstack") && module.bytes().all(|b| b.is_ascii_lowercase() || b"_:".contains(&b));
        if matches!(level, "WARN" | "ERROR") && is_module {
            *counts.entry(format!("{level} {module}")).or_default() += 1;
        }
    }
    counts
}

/// Returns the text without anything specific to this person or machine.
fn scrubbed(text: &str) -> String {
    let own = ["USER", "LOGNAME", "HOSTNAME"].map(|name| std::env::var(name).unwrap_or_default());
    let unquoted: Vec<&str> = text.split(['"', '“', '”', '«', '»']).collect();
    let unquoted: Vec<&str> =
        unquoted.iter().enumerate().map(|(at, part)| if at % 2 == 0 { *part } else { "…" }).collect();
    let word = |word: &str| {
        let long = word.split(|c: char| !c.is_alphanumeric()).any(|run| run.len() >= 20);
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if word.contains("://") {
            "<address>".to_owned()
        } else if word.contains(['/', '\\', '~']) {
            "<path>".to_owned()
        } else if word.contains('@') || (bare.len() > 1 && bare != "root" && own.iter().any(|own| own == bare)) {
            "<name>".to_owned()
        } else if long || word.contains('=') {
            "<secret>".to_owned()
        } else {
            word.to_owned()
        }
    };
    let words: Vec<String> = unquoted.join("\"").split_whitespace().map(word).collect();
    words.join(" ").chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_paths_addresses_quotations_and_secrets() {
        for (given, expected) in [
            ("the folder /home/ada/site is gone", "the folder <path> is gone"),
            ("`~/code` or C:\\Users\\ada", "<path> or <path>"),
            ("loading https://bank.example/?id=1 failed", "loading <address> failed"),
            ("the title is \"My account\" now", "the title is \"…\" now"),
            ("ada@example.com is signed in", "<name> is signed in"),
            ("token sk-ant-api03-AbCdEf0123456789AbCdEf0123", "token <secret>"),
            ("key=value", "<secret>"),
            (
                "no browser is open: commands have nothing to act on",
                "no browser is open: commands have nothing to act on",
            ),
        ] {
            assert_eq!(scrubbed(given), expected);
        }
        // After an unpaired quotation mark the rest is hidden, not shown.
        assert_eq!(scrubbed("said \"My account"), "said \"…");
        assert!(scrubbed(&"word ".repeat(500)).chars().count() <= 300);
    }

    #[test]
    fn a_log_is_counted_and_none_of_its_words_are_taken() {
        let log = "2026-01-01T00:00:00Z  WARN gstack::engine: a secret word=1\n2026-01-01T00:00:00Z  WARN gstack::engine: two\n\
                   2026-01-01T00:00:00Z  INFO gstack::engine: three\nnot a line\n2026-01-01T00:00:00Z ERROR hunter2secret: x\n";
        assert_eq!(counted(log), BTreeMap::from([("WARN gstack::engine".to_owned(), 2)]));
    }
}
