//! What is known of ACP agents by their program: the modes in which they ask, the paths that they write, the variables
//! that make them ask.
//!
//! Owns the table. An agent that is not in it gets what its name suggests, and its modes are recognised by common ids.

use crate::sandbox::{Access, Fixed, Overlaid};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The ids of modes in which an agent asks, if its entry names none. Best first.
const ASKING: [&str; 8] = ["default", "ask", "always-ask", "approve", "manual", "supervised", "read-only", "readonly"];

/// How an agent reaches an MCP server that a session names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Servers {
    /// Over HTTP.
    Http,
    /// It starts the server itself, on standard input and output.
    Started,
    /// Not at all.
    Never,
}

impl Servers {
    /// Returns how an agent reaches servers. `http`: it announces HTTP. ACP requires the other way of every agent.
    pub(super) fn of(known: Option<&KnownAgent>, http: bool) -> Self {
        let announced = if http { Self::Http } else { Self::Started };
        known.and_then(|known| known.servers).unwrap_or(announced)
    }
}

/// One agent, as it was seen with the version beside it. Paths are relative to the home directory.
#[derive(Debug)]
pub(super) struct KnownAgent {
    /// The names of its program and of its package.
    programs: &'static [&'static str],
    /// Arguments that let it call our tools without asking: the policy asks. Without them its permission request does not say which
    /// tool it is about.
    arguments: &'static [&'static str],
    /// The ids of its modes in which it asks before it writes a file or runs a command, best first. `None`: the usual ids.
    asks: Option<&'static [&'static str]>,
    /// How it reaches MCP servers, if it does not do as it announces.
    servers: Option<Servers>,
    /// What it may access, if another agent's entry says it.
    as_of: Option<fn() -> Access>,
    /// The folders that it writes.
    write: &'static [&'static str],
    /// Folders in which it finds what the person has, and in which what it makes stays in memory; and the variable by which it
    /// finds another folder.
    in_memory: &'static [(&'static str, &'static str)],
    /// A variable that names one of the folders in `write`: without it, it writes into the folder in which it starts.
    home: Option<(&'static str, &'static str)>,
    /// Folders and files inside `write` with what the person's own agent runs or obeys. A file ends with its empty content.
    fixed: &'static [(&'static str, Option<&'static str>)],
    /// A variable with configuration as JSON, for what makes it ask and follow us. It is merged into the person's.
    configuration: Option<(&'static str, &'static str)>,
}

const NONE: KnownAgent = KnownAgent {
    programs: &[],
    arguments: &[],
    asks: None,
    servers: None,
    as_of: None,
    write: &[],
    in_memory: &[],
    fixed: &[],
    home: None,
    configuration: None,
};

/// Makes opencode ask. Its agent `build` has it too, since a project's `opencode.json` may give that agent permissions of its
/// own, which count before the general ones. This is merged after every file. A subagent may have others: its start is
/// asked for.
const OPENCODE_ASKS: &str = r#"{
    "permission": {"edit": "ask", "bash": "ask", "webfetch": "ask", "external_directory": "ask", "task": "ask"},
    "agent": {"build": {"permission":
        {"edit": "ask", "bash": "ask", "webfetch": "ask", "external_directory": "ask", "task": "ask"}}}
}"#;

/// Lets Codex ask questions in every mode, not only in its mode for plans, and list our tools again when a page offers its own.
/// `codex::options` sets the same.
const CODEX_FEATURES: &str =
    r#"{"features": {"default_mode_request_user_input": true, "mcp_tool_list_changed": true}}"#;

const KNOWN: [KnownAgent; 13] = [
    KnownAgent {
        programs: &["claude-agent-acp", "claude-code-acp"],
        // Seen with 0.101.0.
        asks: Some(&["default"]),
        as_of: Some(Access::claude),
        ..NONE
    },
    KnownAgent {
        programs: &["gemini", "gemini-cli"],
        // Seen with 0.61.0.
        asks: Some(&["default"]),
        as_of: Some(Access::gemini),
        ..NONE
    },
    KnownAgent {
        programs: &["opencode", "opencode-ai"],
        // Seen with 1.18.33.
        asks: Some(&["build"]),
        write: &[".local/share/opencode", ".local/state/opencode", ".cache/opencode"],
        in_memory: &[(".config/opencode", "OPENCODE_CONFIG_DIR")],
        fixed: &[(".local/share/opencode/bin", None)],
        configuration: Some(("OPENCODE_CONFIG_CONTENT", OPENCODE_ASKS)),
        ..NONE
    },
    KnownAgent {
        programs: &["vibe-acp", "mistral-vibe"],
        // Seen with 3.0.2.
        asks: Some(&["ask", "default"]),
        write: &[".vibe"],
        fixed: &[
            (".vibe/agents", None),
            (".vibe/prompts", None),
            (".vibe/skills", None),
            (".vibe/tools", None),
            (".vibe/config.toml", Some("")),
        ],
        ..NONE
    },
    KnownAgent {
        programs: &["codex-acp"],
        // Seen with 2.6.0.
        asks: Some(&["read-only"]),
        as_of: Some(Access::codex),
        configuration: Some(("CODEX_CONFIG", CODEX_FEATURES)),
        ..NONE
    },
    KnownAgent {
        programs: &["copilot"],
        // Seen with 1.0.102.
        asks: Some(&["https://agentclientprotocol.com/protocol/session-modes#agent", "agent"]),
        write: &[".copilot"],
        fixed: &[
            (".copilot/agents", None),
            (".copilot/skills", None),
            (".copilot/mcp-config.json", Some("{\"mcpServers\": {}}\n")),
        ],
        ..NONE
    },
    KnownAgent {
        programs: &["qwen", "qwen-code"],
        arguments: &["--allowed-tools=mcp__gstack"],
        // Seen with 0.24.4.
        asks: Some(&["default"]),
        write: &[".qwen"],
        fixed: &[
            (".qwen/agents", None),
            (".qwen/commands", None),
            (".qwen/extensions", None),
            (".qwen/skills", None),
            (".qwen/settings.json", Some("{}\n")),
            (".qwen/QWEN.md", Some("")),
        ],
        ..NONE
    },
    // Its mode `default` asks for edits, but not for every command.
    // Seen with 0.19.0.
    KnownAgent { programs: &["hermes-acp", "hermes"], asks: Some(&[]), write: &[".hermes"], ..NONE },
    // Its extensions and `models.json` run commands. Its modes are levels of thinking. The adapter passes no server on.
    // Seen with pi-acp 0.0.34 and pi 1.6.0.
    KnownAgent {
        programs: &["pi-acp", "pi"],
        asks: Some(&[]),
        servers: Some(Servers::Never),
        write: &[".pi"],
        fixed: &[
            (".pi/agent/extensions", None),
            (".pi/agent/prompts", None),
            (".pi/agent/skills", None),
            (".pi/agent/models.json", Some("{}\n")),
            (".pi/agent/settings.json", Some("{}\n")),
        ],
        ..NONE
    },
    // Seen with 3.0.65.
    KnownAgent { programs: &["cline"], write: &[".cline"], ..NONE },
    // Seen with 0.36.0.
    KnownAgent { programs: &["auggie"], write: &[".augment"], ..NONE },
    // It announces HTTP, and its sessions fail with each server that is reached so.
    // Seen with 1.16.0.
    KnownAgent { programs: &["openhands"], servers: Some(Servers::Started), write: &[".openhands"], ..NONE },
    // Seen with 0.10.48.
    KnownAgent {
        programs: &["fast-agent-acp", "fast-agent-mcp"],
        write: &[".fast-agent"],
        home: Some(("FAST_AGENT_HOME", ".fast-agent")),
        ..NONE
    },
];

impl KnownAgent {
    /// Returns the entry of the agent that this command starts: by the program, or by an argument of a program such as
    /// `npx`, `uvx` or `node`.
    pub(super) fn of(program: &Path, arguments: &[OsString]) -> Option<&'static Self> {
        let named = std::iter::once(program.as_os_str()).chain(arguments.iter().map(OsString::as_os_str));
        named.filter_map(name_of).find_map(|name| KNOWN.iter().find(|known| known.programs.contains(&name.as_str())))
    }

    /// Returns the arguments to add to its own.
    pub(super) fn arguments(&self) -> impl Iterator<Item = OsString> + use<> {
        self.arguments.iter().map(OsString::from)
    }

    /// Adds its configuration and its folder to its environment.
    pub(super) fn configure(&self, variables: &mut BTreeMap<OsString, OsString>) {
        if let (Some((name, folder)), Some(home)) = (self.home, variables.get(OsStr::new("HOME")).map(PathBuf::from)) {
            variables.entry(name.into()).or_insert_with(|| home.join(folder).into_os_string());
        }
        let Some((name, ours)) = self.configuration else { return };
        let given = variables.get(OsStr::new(name)).and_then(|text| serde_json::from_str(text.to_str()?).ok());
        let mut whole = given.filter(Value::is_object).unwrap_or_else(|| json!({}));
        // The table's own text is JSON: a test reads it.
        merge(&mut whole, serde_json::from_str(ours).unwrap_or_default());
        variables.insert(name.into(), whole.to_string().into());
    }

    /// Returns what it may access besides its folder.
    pub(super) fn access(&self) -> Access {
        if let Some(access) = self.as_of {
            return access();
        }
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let fixed = self.fixed.iter().map(|(path, empty)| Fixed { path: path.into(), empty: *empty });
        let overlaid = self.in_memory.iter().map(|&(folder, variable)| Overlaid {
            folder: folder.into(),
            volatile: Vec::new(),
            variable,
            beside: Vec::new(),
        });
        Access {
            write: paths(self.write),
            overlaid: overlaid.collect(),
            locks_in_home: !self.in_memory.is_empty(),
            fixed: fixed.collect(),
            ..Access::default()
        }
    }
}

/// Merges `ours` into `whole`, in which it wins.
fn merge(whole: &mut Value, ours: Value) {
    match (whole, ours) {
        (Value::Object(whole), Value::Object(ours)) => {
            for (name, value) in ours {
                merge(whole.entry(name).or_insert(Value::Null), value);
            }
        }
        (whole, ours) => *whole = ours,
    }
}

/// Returns the ids of the modes in which an agent asks, best first.
pub(super) fn asking_modes(known: Option<&'static KnownAgent>) -> &'static [&'static str] {
    known.and_then(|known| known.asks).unwrap_or(&ASKING)
}

/// Returns the name of a program or package: without folders, scope, version and extension.
fn name_of(argument: &OsStr) -> Option<String> {
    let name = Path::new(argument).file_name()?.to_str()?;
    let name = name.split_once('@').map_or(name, |(name, _version)| name);
    let name = ["exe", "js", "mjs", "cjs", "py"]
        .iter()
        .find_map(|extension| name.strip_suffix(extension)?.strip_suffix('.'))
        .unwrap_or(name);
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{KnownAgent, Servers, asking_modes};
    use serde_json::Value;
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::path::Path;

    fn found(command: &str) -> Option<&'static str> {
        let mut words = command.split(' ').map(OsString::from);
        let program = words.next()?;
        let arguments: Vec<OsString> = words.collect();
        KnownAgent::of(Path::new(&program), &arguments).map(|known| known.programs[0])
    }

    #[test]
    fn a_known_agent_is_found_however_it_is_started() {
        for (command, name) in [
            ("opencode acp", Some("opencode")),
            ("/opt/bin/opencode acp", Some("opencode")),
            ("npx -y @qwen-code/qwen-code@0.15.10 --acp", Some("qwen")),
            ("npx -y @agentclientprotocol/codex-acp", Some("codex-acp")),
            ("uvx --from mistral-vibe vibe-acp", Some("vibe-acp")),
            ("node /srv/node_modules/.bin/copilot --acp", Some("copilot")),
            ("python3 /srv/agent.py 7", None),
            ("mine", None),
        ] {
            assert_eq!(found(command), name, "{command}");
        }
    }

    #[test]
    fn an_agent_gets_our_server_as_it_announces_unless_it_was_seen_to_fail_with_it() {
        let servers = |program: &str, http| Servers::of(KnownAgent::of(Path::new(program), &[]), http);
        assert_eq!((servers("mine", true), servers("mine", false)), (Servers::Http, Servers::Started));
        assert_eq!((servers("opencode", true), servers("openhands", true)), (Servers::Http, Servers::Started));
        assert_eq!((servers("pi-acp", false), servers("pi-acp", true)), (Servers::Never, Servers::Never));
    }

    #[test]
    fn what_makes_an_agent_ask_wins_over_the_persons_configuration_and_keeps_the_rest() {
        let opencode = KnownAgent::of(Path::new("opencode"), &[]).unwrap();
        for given in
            [r#"{"model":"m","permission":{"edit":"allow"},"agent":{"build":{"permission":"allow"}}}"#, "", "[]"]
        {
            let mut variables = BTreeMap::from([("OPENCODE_CONFIG_CONTENT".into(), OsString::from(given))]);
            opencode.configure(&mut variables);
            let text = variables.into_values().next().unwrap().into_string().unwrap();
            let configured: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(configured["model"].is_string(), given.contains("model"));
            for permission in [&configured["permission"], &configured["agent"]["build"]["permission"]] {
                assert!(permission["edit"] == "ask" && permission["bash"] == "ask", "{text}");
            }
        }
    }

    #[test]
    fn every_configuration_is_an_object() {
        for agent in &super::KNOWN {
            let mut variables = BTreeMap::new();
            agent.configure(&mut variables);
            let Some((name, _)) = agent.configuration else { continue };
            let text = variables[&OsString::from(name)].to_str().unwrap().to_owned();
            let whole = serde_json::from_str::<Value>(&text).unwrap();
            assert!(whole.as_object().is_some_and(|members| !members.is_empty()), "{text}");
        }
    }

    #[test]
    fn an_agent_that_would_write_where_it_starts_gets_a_folder_in_the_home_unless_the_person_chose_one() {
        let agent = KnownAgent::of(Path::new("fast-agent-acp"), &[]).unwrap();
        for (given, expected) in [(None, "/h/.fast-agent"), (Some("/mine"), "/mine")] {
            let mut variables = BTreeMap::from([("HOME".into(), OsString::from("/h"))]);
            variables.extend(given.map(|given| ("FAST_AGENT_HOME".into(), given.into())));
            agent.configure(&mut variables);
            assert_eq!(variables[&OsString::from("FAST_AGENT_HOME")], expected);
        }
    }

    #[test]
    fn an_agent_whose_modes_all_write_unasked_has_no_asking_mode() {
        let hermes = KnownAgent::of(Path::new("hermes-acp"), &[]);
        assert!(!asking_modes(hermes).contains(&"default"));
        assert!(asking_modes(None).contains(&"default"));
    }
}
