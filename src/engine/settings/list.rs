//! The list of settings that a person sees and changes in the panel and the terminal.
//!
//! Owns names, text, ranges and choices. Never reads or writes a file. The code that uses a setting decides its effect.

use crate::agents::slots_by_memory;
use crate::config::Config;
use gstack_protocol::settings::{SettingChoice, SettingValue};

/// The definition of one setting.
pub(super) struct SettingDefinition {
    /// Section and key in the file.
    pub(super) name: &'static str,
    pub(super) group: &'static str,
    pub(super) label: &'static str,
    pub(super) help: &'static str,
    pub(super) unit: Option<&'static str>,
    pub(super) range: Option<(f64, f64)>,
    /// True for a number without a fraction.
    pub(super) whole: bool,
    pub(super) value: fn(&Config) -> SettingValue,
}

const MINUTES: Option<&str> = Some("minutes");

pub(super) const SETTINGS: [SettingDefinition; 22] = [
    SettingDefinition {
        name: "agents.default",
        group: "Agents",
        label: "Agent",
        help: "Used when a conversation names no agent.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Text(config.agents.default_name().unwrap_or_default().to_owned()),
    },
    SettingDefinition {
        name: "agents.at-once",
        group: "Agents",
        label: "Agents at once",
        help: "Further agents wait until one ends. Each takes about 190 MB of memory.",
        unit: Some("agents"),
        range: Some((1.0, 64.0)),
        whole: true,
        value: |config| number(config.agents.at_once.unwrap_or_else(slots_by_memory)),
    },
    SettingDefinition {
        name: "agents.sleep-minutes",
        group: "Agents",
        label: "End an idle agent after",
        help: "Frees its memory. The next message starts it again with the whole conversation. 0: never.",
        unit: MINUTES,
        range: Some((0.0, 1440.0)),
        whole: false,
        value: |config| SettingValue::Number(config.agents.sleep_minutes),
    },
    SettingDefinition {
        name: "agents.approval-minutes",
        group: "Agents",
        label: "Deny unanswered requests after",
        help: "How long an agent waits for your answer.",
        unit: MINUTES,
        range: Some((1.0, 1440.0)),
        whole: true,
        value: |config| SettingValue::Number(config.agents.approval_minutes as f64),
    },
    SettingDefinition {
        name: "agents.output-kilobytes",
        group: "Agents",
        label: "Cut a tool's answer at",
        help: "An agent gets this much of an answer. Your terminal gets all of it.",
        unit: Some("kB"),
        range: Some((1.0, 10_000.0)),
        whole: true,
        value: |config| number(config.agents.output_kilobytes),
    },
    SettingDefinition {
        name: "agents.pause-on-input",
        group: "Agents",
        label: "Pause when I use the page",
        help: "Your click or key in a page pauses the agent or MCP client that works there, until you hand the tab back.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.agents.pause_on_input),
    },
    SettingDefinition {
        name: "agents.sandbox",
        group: "Agents",
        label: "Sandbox for agents",
        help: "Confines agents to their folder and their own files. auto: if this machine supports it. require: \
            agents do not start without it. Applies when an agent starts.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Text(config.agents.sandbox.name().to_owned()),
    },
    SettingDefinition {
        name: "turns.direct-commands",
        group: "Conversation",
        label: "Run plain commands at once",
        help: "Runs a message that is exactly one command without a model.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.turns.direct_commands),
    },
    SettingDefinition {
        name: "turns.continue-after-restart",
        group: "Conversation",
        label: "Continue after a restart",
        help: "Runs messages that were waiting when gstack ended. If off, they wait for you.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.turns.continue_after_restart),
    },
    SettingDefinition {
        name: "evidence.pictures",
        group: "Conversation",
        label: "Keep pictures of actions",
        help: "Takes a picture of the page before and after each action of an agent, for gstack evidence. Pictures show everything that the page shows.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.evidence.pictures),
    },
    SettingDefinition {
        name: "watchdog.silence-minutes",
        group: "Conversation",
        label: "End a silent turn after",
        help: "Ends a turn in which the agent does nothing for this long. Time spent waiting for you does not count. \
            0: never.",
        unit: MINUTES,
        range: Some((0.0, 1440.0)),
        whole: false,
        value: |config| SettingValue::Number(config.watchdog.silence_minutes),
    },
    SettingDefinition {
        name: "watchdog.total-minutes",
        group: "Conversation",
        label: "End a turn after",
        help: "The longest that a turn may run. Time spent waiting for you does not count. 0: no limit.",
        unit: MINUTES,
        range: Some((0.0, 10080.0)),
        whole: false,
        value: |config| SettingValue::Number(config.watchdog.total_minutes),
    },
    SettingDefinition {
        name: "worktrees.enabled",
        group: "Work trees",
        label: "A work tree for each conversation",
        help: "Gives each conversation a git work tree at the commit that is checked out. Uncommitted changes are not in it.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.worktrees.enabled),
    },
    SettingDefinition {
        name: "worktrees.repository",
        group: "Work trees",
        label: "Repository for work trees",
        help: "A folder in the repository. Empty: the folder that you ran gstack connect in.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Text(config.worktrees.repository().unwrap_or_default().to_owned()),
    },
    SettingDefinition {
        name: "browser.snapshot-limit",
        group: "gstack",
        label: "Cut a snapshot at",
        help: "Counts the rest of the page instead of showing it. A higher limit costs more tokens.",
        unit: Some("bytes"),
        range: Some((2_000.0, 1_000_000.0)),
        whole: true,
        value: |config| number(config.browser.snapshot_limit),
    },
    SettingDefinition {
        name: "browser.capture-to-disk",
        group: "gstack",
        label: "Record console, requests and dialogs",
        help: "Writes them to capture.jsonl, including any secrets in them. Applies to the next browser.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.browser.capture_to_disk),
    },
    SettingDefinition {
        name: "browser.let-go-seconds",
        group: "gstack",
        label: "Detach from a tab after",
        help: "In your everyday browser: how long gstack stays attached to a tab after its last action. Applies when the extension next starts.",
        unit: Some("seconds"),
        range: Some((0.0, 3600.0)),
        whole: true,
        value: |config| SettingValue::Number(config.browser.let_go_seconds),
    },
    SettingDefinition {
        name: "browser.set-frames-aside",
        group: "gstack",
        label: "Set other extensions' frames aside",
        help: "In your everyday browser: takes frames of other extensions out of a page while gstack works in it, then puts them back. Chrome keeps gstack out of pages with such frames.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Switch(config.browser.set_frames_aside),
    },
    SettingDefinition {
        name: "daemon.port",
        group: "gstack",
        label: "Port",
        help: "The first port to try on 127.0.0.1. Applies when gstack next starts.",
        unit: None,
        range: Some((1024.0, 65_535.0)),
        whole: true,
        value: |config| SettingValue::Number(f64::from(config.daemon.port)),
    },
    SettingDefinition {
        name: "browser.dialogs",
        group: "gstack",
        label: "Answer dialogs",
        help: "How your own commands and scripts answer a page's confirm, prompt and \"leave this page?\" dialogs. An agent always asks you.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Text(config.browser.dialogs.name().to_owned()),
    },
    SettingDefinition {
        name: "browser.only-sites",
        group: "gstack",
        label: "Reach only these sites",
        help: "For example: shop.example, *.shop.example, localhost:3000. Nothing in gstack's own browser reaches any other host, or any other port of a host that is written with one. Empty: every site. An open browser follows it at once, but never reaches more than the list it was opened with.",
        unit: None,
        range: None,
        whole: false,
        value: |config| SettingValue::Text(config.browser.only_sites.to_string()),
    },
    SettingDefinition {
        name: "daemon.idle-exit-minutes",
        group: "gstack",
        label: "End gstack when idle for",
        help: "The background process ends after this long without a panel, a turn or a browser.",
        unit: MINUTES,
        range: Some((0.01, 10080.0)),
        whole: false,
        value: |config| SettingValue::Number(config.daemon.idle_exit_minutes),
    },
];

/// The valid values of text settings whose values are fixed.
const CHOICES: [(&str, &[(&str, &str)]); 2] = [
    (
        "browser.dialogs",
        &[("accept", "Accept them"), ("dismiss", "Dismiss them"), ("ask", "Leave them open for me in the window")],
    ),
    (
        "agents.sandbox",
        &[
            ("off", "Off"),
            ("auto", "If this machine supports it"),
            (
                "require",
                "Always; otherwise agents do not \
            start",
            ),
        ],
    ),
];

pub(super) fn fixed_choices(name: &str) -> Vec<SettingChoice> {
    let choices = CHOICES.iter().find(|(of, _)| *of == name).map(|(_, choices)| *choices).unwrap_or_default();
    let choice = |(value, label): &(&str, &str)| SettingChoice {
        value: SettingValue::Text((*value).to_owned()),
        label: (*label).to_owned(),
    };
    choices.iter().map(choice).collect()
}

fn number(value: usize) -> SettingValue {
    SettingValue::Number(value as f64)
}
