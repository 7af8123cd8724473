//! Settings that can be changed only in `config.toml`: they name programs, grant access to secrets, or are tables.
//!
//! Owns the list. Their values are never shown, since the environment of agents may contain secrets.

use crate::config::Config;

/// A setting of the file.
pub(super) struct InFile {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) is_set: fn(&Config) -> bool,
}

pub(super) const IN_FILE: [InFile; 15] = [
    InFile {
        name: "agents.programs",
        help: "Where an agent's program is, if it is not found: claude = \"/opt/claude/bin/claude\"",
        is_set: |config| !config.agents.programs.is_empty(),
    },
    InFile {
        name: "agents.environment",
        help: "Variables for all agents, over those of your login shell",
        is_set: |config| !config.agents.environment.is_empty(),
    },
    InFile {
        name: "agents.own",
        help: "Agents of your own that speak ACP: [agents.own.NAME] with command = [\"program\", \"--acp\"]",
        is_set: |config| !config.agents.own.is_empty(),
    },
    InFile {
        name: "agents.approval-command",
        help: "The command that runs when an approval opens, as a list: the program and its arguments",
        is_set: |config| !config.agents.approval_command.is_empty(),
    },
    InFile {
        name: "agents.approval-link-base",
        help: "Where one-time links for approvals lead: the address at which your own proxy forwards to gstack's port",
        is_set: |config| config.agents.approval_link_base.is_some(),
    },
    InFile {
        name: "agents.sandbox-read",
        help: "Paths that agents may read in the sandbox, besides their own",
        is_set: |config| !config.agents.sandbox_read.is_empty(),
    },
    InFile {
        name: "agents.sandbox-write",
        help: "Paths that agents may write in the sandbox, besides their own",
        is_set: |config| !config.agents.sandbox_write.is_empty(),
    },
    InFile {
        name: "agents.folders",
        help: "Folders that you allowed single agents to write: [agents.folders] with NAME = [\"/home/you/.name\"]",
        is_set: |config| !config.agents.folders.is_empty(),
    },
    InFile {
        name: "turns.models",
        help: "What fast and deep mean with an agent: [turns.models.NAME]",
        is_set: |config| !config.turns.models.is_empty(),
    },
    InFile {
        name: "browser.endpoints",
        help: "Browsers on other machines and their credentials: [browser.endpoints.NAME] with url = \"wss://…\"",
        is_set: |config| !config.browser.endpoints.is_empty(),
    },
    InFile {
        name: "browser.path",
        help: "The browser's program; without it the first that is found",
        is_set: |config| config.browser.path.is_some(),
    },
    InFile {
        name: "browser.profile",
        help: "The profile that the browser starts with if gstack connect names none; gstack profiles lists them",
        is_set: |config| config.browser.profile.is_some(),
    },
    InFile {
        name: "browser.arguments",
        help: "Arguments for the browser",
        is_set: |config| !config.browser.arguments.is_empty(),
    },
    InFile {
        name: "browser.headless",
        help: "true or false; without it headless if there is no display",
        is_set: |config| config.browser.headless.is_some(),
    },
    InFile {
        name: "daemon.script-secrets",
        help: "true: scripts on the port may use cookies, storage, saved states and DevTools commands",
        is_set: |config| config.daemon.script_secrets,
    },
];
