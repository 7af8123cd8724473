//! The environment of agents: the one that the person's login shell sets up, not the one that the daemon inherited.
//!
//! Owns asking the shell (once until a refresh, with a time limit) and the variables that are removed. Never passes on
//! the daemon's own variables.

use super::adapter::AgentEnvironment;
use super::process::brief;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The limit for the shell. A start-up file that uses a network may take seconds; one that hangs must not delay the
/// first turn for long.
const SHELL_LIMIT: Duration = Duration::from_secs(5);
/// Markers around the environment; start-up files may print anything else.
const BEGIN: &str = "--gstack-environment-begin--";
const END: &str = "--gstack-environment-end--";

/// The variables that a login on this machine starts with. Everything else comes from the shell.
const SEED: [&str; 15] = [
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "SSH_AUTH_SOCK",
];

/// Variables from the person's own start-up files that determine how Claude Code signs in. All other `CLAUDE_CODE_…`
/// variables belong to a running session, which our processes must not be mistaken for.
const KEPT_CLAUDE: [&str; 4] =
    ["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

/// The PATH on a machine whose shell could not be asked.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin";

/// The environment, captured at its first use and cached. Share it behind an `Arc`.
#[derive(Debug)]
pub struct LoginEnvironment {
    additions: Mutex<BTreeMap<String, String>>,
    captured: Mutex<Option<AgentEnvironment>>,
    /// The PATH folders of terminals, latest terminal first. They precede the login shell's, so that everything that
    /// works in the terminal gstack was connected from also works in the panel.
    of_terminals: Mutex<Vec<PathBuf>>,
    asks: bool,
}

/// The limit of folders in a PATH, because each one adds a file lookup per agent.
const MOST_FOLDERS: usize = 200;

impl LoginEnvironment {
    /// Creates it. `additions` come from the configuration and take precedence over everything.
    pub fn new(additions: BTreeMap<String, String>) -> Self {
        Self {
            additions: Mutex::new(additions),
            captured: Mutex::default(),
            of_terminals: Mutex::default(),
            asks: true,
        }
    }

    /// Creates it from a known environment, without ever asking a shell.
    #[cfg(test)]
    pub fn known(environment: AgentEnvironment) -> Self {
        Self {
            additions: Mutex::default(),
            captured: Mutex::new(Some(environment)),
            of_terminals: Mutex::default(),
            asks: false,
        }
    }

    /// Replaces the variables from the configuration.
    pub fn configure(&self, additions: BTreeMap<String, String>) {
        *self.additions.lock().unwrap_or_else(PoisonError::into_inner) = additions;
        if self.asks {
            *self.captured.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// Adds the absolute folders of a terminal's PATH. Returns whether any of them is new.
    pub fn learn_path(&self, path: &str) -> bool {
        let captured = self.kept().and_then(|kept| kept.variables.get(OsStr::new("PATH")).cloned()).unwrap_or_default();
        let captured: Vec<PathBuf> = std::env::split_paths(&captured).collect();
        let mut known = self.of_terminals.lock().unwrap_or_else(PoisonError::into_inner);
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let is_news = folders.iter().any(|folder| !known.contains(folder) && !captured.contains(folder));
        let earlier = known.drain(..).filter(|folder| !folders.contains(folder)).collect::<Vec<_>>();
        folders.extend(earlier);
        folders.truncate(MOST_FOLDERS);
        *known = folders;
        is_news
    }

    fn with_terminals(&self, mut environment: AgentEnvironment) -> AgentEnvironment {
        let known = self.of_terminals.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.is_empty() && !self.sets_path() {
            let own = environment.variables.remove(OsStr::new("PATH")).unwrap_or_default();
            environment.variables.insert("PATH".into(), joined(known.clone(), &own));
        }
        environment
    }

    /// Returns whether the configuration sets the PATH, which takes precedence over everything.
    fn sets_path(&self) -> bool {
        self.additions.lock().unwrap_or_else(PoisonError::into_inner).contains_key("PATH")
    }

    pub async fn get(&self) -> AgentEnvironment {
        match self.kept() {
            Some(environment) => self.with_terminals(environment),
            None => self.refresh().await,
        }
    }

    /// Asks the shell again, because a person may have installed something or changed a start-up file.
    ///
    /// Only for processes without a terminal, such as the daemon: a terminal stops an interactive shell in the
    /// background, and only the seed would be known when the time limit is over.
    pub async fn refresh(&self) -> AgentEnvironment {
        if !self.asks {
            return self.with_terminals(self.kept().unwrap_or_default());
        }
        let additions = self.additions.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let environment = capture(seed(), &additions).await;
        *self.captured.lock().unwrap_or_else(PoisonError::into_inner) = Some(environment.clone());
        self.with_terminals(environment)
    }

    fn kept(&self) -> Option<AgentEnvironment> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn seed() -> BTreeMap<OsString, OsString> {
    SEED.iter().filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?))).collect()
}

/// Asks the login shell named in `seed`. If it does not answer, uses `seed` itself.
pub async fn capture(mut seed: BTreeMap<OsString, OsString>, additions: &BTreeMap<String, String>) -> AgentEnvironment {
    seed.insert("TERM".into(), "dumb".into());
    let of_starter = seed.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    let mut variables = match ask_shell(&seed).await {
        Some(mut asked) => {
            let path = asked.remove(OsStr::new("PATH")).unwrap_or_default();
            asked.insert("PATH".into(), joined(std::env::split_paths(&path).collect(), &of_starter));
            asked
        }
        None => {
            let path = joined(std::env::split_paths(&of_starter).collect(), OsStr::new(USUAL_PATH));
            seed.insert("PATH".into(), path);
            seed
        }
    };
    variables.retain(|name, _| !is_dropped(name));
    variables.extend(additions.iter().map(|(name, value)| (name.into(), value.into())));
    AgentEnvironment { variables, ..AgentEnvironment::default() }
}

/// Returns `first`, followed by the folders of `path` that are not in it.
fn joined(first: Vec<PathBuf>, path: &OsStr) -> OsString {
    let mut folders: Vec<PathBuf> = first.into_iter().filter(|folder| !folder.as_os_str().is_empty()).collect();
    let more: Vec<PathBuf> = std::env::split_paths(path).filter(|folder| !folders.contains(folder)).collect();
    folders.extend(more.into_iter().filter(|folder| !folder.as_os_str().is_empty()));
    // A folder from a PATH never contains a colon.
    std::env::join_paths(folders).unwrap_or_else(|_| path.to_owned())
}

async fn ask_shell(seed: &BTreeMap<OsString, OsString>) -> Option<BTreeMap<OsString, OsString>> {
    let (shell, flags) = shell(seed.get(OsStr::new("SHELL")).map(OsString::as_os_str));
    // `env -0` preserves values with line breaks; without it, an old `env` is parsed by lines.
    let script = format!("printf %s {BEGIN}; command env -0 2>/dev/null || command env; printf %s {END}");
    let environment = AgentEnvironment { variables: seed.clone(), ..AgentEnvironment::default() };
    match brief::run(&shell, &[flags, "-c", &script], &environment, SHELL_LIMIT).await {
        Ok(output) => {
            let found = parse(&output.stdout);
            if found.is_none() {
                tracing::warn!(shell = %shell.display(), status = %output.status, "the login shell did not print its environment");
            }
            found
        }
        Err(error) => {
            tracing::warn!(shell = %shell.display(), %error, "the login shell did not print its environment");
            None
        }
    }
}

/// Returns the person's shell with its flags for "login, interactive", if it can run the script.
fn shell(named: Option<&OsStr>) -> (PathBuf, &'static str) {
    let named = named.map(Path::new).filter(|path| path.is_absolute());
    match named.and_then(|path| Some((path, path.file_name()?.to_str()?))) {
        Some((path, "bash" | "zsh" | "fish" | "ksh" | "mksh")) => (path.to_owned(), "-li"),
        Some((path, "dash" | "sh" | "ash")) => (path.to_owned(), "-l"),
        _ => (PathBuf::from("/bin/sh"), "-l"),
    }
}

fn parse(output: &[u8]) -> Option<BTreeMap<OsString, OsString>> {
    let begin = find(output, BEGIN.as_bytes())? + BEGIN.len();
    let length = find(&output[begin..], END.as_bytes())?;
    let between = &output[begin..begin + length];
    let separator = if between.contains(&0) { 0 } else { b'\n' };
    let variables: BTreeMap<OsString, OsString> = between
        .split(|byte| *byte == separator)
        .filter_map(|entry| {
            let equals = entry.iter().position(|byte| *byte == b'=').filter(|at| *at > 0)?;
            let value = OsString::from_vec(entry[equals + 1..].to_vec());
            Some((OsStr::from_bytes(&entry[..equals]).to_owned(), value))
        })
        .collect();
    variables.contains_key(OsStr::new("PATH")).then_some(variables)
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn is_dropped(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let of_claude = name == "CLAUDECODE" || name.starts_with("CLAUDE_CODE_");
    let of_shell = matches!(name, "_" | "SHLVL" | "PWD" | "OLDPWD");
    (of_claude && !KEPT_CLAUDE.contains(&name)) || name.starts_with("GSTACK_") || of_shell
}

#[cfg(test)]
mod tests {
    use super::{LoginEnvironment, capture, parse, shell};
    use crate::adapter::AgentEnvironment;
    use std::collections::BTreeMap;
    use std::ffi::{OsStr, OsString};
    use std::path::PathBuf;

    fn seed(home: &std::path::Path, shell: &str) -> BTreeMap<OsString, OsString> {
        [("HOME", home.as_os_str()), ("SHELL", OsStr::new(shell)), ("PATH", OsStr::new("/usr/bin:/bin"))]
            .map(|(name, value)| (name.into(), value.to_owned()))
            .into()
    }

    #[tokio::test]
    async fn start_up_files_are_followed_and_marks_of_sessions_dropped() {
        let home = tempfile::tempdir().unwrap();
        let profile = "echo hello; export PATH=/own/bin:$PATH MANY='a\nb' CLAUDECODE=1 CLAUDE_CODE_ENTRYPOINT=cli \
                       CLAUDE_CODE_USE_BEDROCK=1 GSTACK_TAB=3 KEY=shell\n";
        std::fs::write(home.path().join(".profile"), profile).unwrap();
        let additions = [("KEY".to_owned(), "config".to_owned())].into();
        let found = capture(seed(home.path(), "/bin/sh"), &additions).await.variables;
        let get = |name: &str| found.get(OsStr::new(name)).and_then(|value| value.to_str());
        assert!(get("PATH").unwrap().starts_with("/own/bin:"));
        assert_eq!((get("MANY"), get("KEY")), (Some("a\nb"), Some("config")));
        assert_eq!(get("CLAUDE_CODE_USE_BEDROCK"), Some("1"));
        for dropped in ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "GSTACK_TAB", "SHLVL", "PWD"] {
            assert_eq!(get(dropped), None, "{dropped}");
        }
    }

    #[tokio::test]
    async fn without_an_answer_there_is_still_a_path() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(".profile"), "exit 1\n").unwrap();
        let found = capture(seed(home.path(), "/bin/sh"), &BTreeMap::new()).await.variables;
        let path = found.get(OsStr::new("PATH")).unwrap().to_str().unwrap();
        assert!(path.starts_with("/usr/bin:/bin:/usr/local/bin"));
        assert_eq!(found.get(OsStr::new("HOME")).unwrap(), home.path().as_os_str());
    }

    #[test]
    fn a_terminals_path_comes_first_and_only_new_folders_are_news() {
        let variables = [("PATH".into(), "/usr/bin:/own".into())].into();
        let environment = LoginEnvironment::known(AgentEnvironment { variables, ..AgentEnvironment::default() });
        let path = || {
            let kept = environment.with_terminals(environment.kept().unwrap_or_default());
            kept.variables.get(OsStr::new("PATH")).and_then(|path| path.to_str()).map(str::to_owned)
        };
        assert_eq!(path().as_deref(), Some("/usr/bin:/own"));
        assert!(!environment.learn_path("/own:/usr/bin"), "in the login shell's PATH too");
        assert!(environment.learn_path("/node/22:.:bin::/own:/node/22"));
        assert_eq!(path().as_deref(), Some("/node/22:/own:/usr/bin"));
        assert!(!environment.learn_path("/own"), "known from the terminal before");
        assert!(environment.learn_path("/other") && !environment.learn_path(""));
        assert_eq!(path().as_deref(), Some("/other:/own:/node/22:/usr/bin"));
        let long: Vec<String> = (0..1000).map(|n| format!("/{n}")).collect();
        environment.learn_path(&long.join(":"));
        assert!(path().unwrap().split(':').count() <= super::MOST_FOLDERS + 2);
    }

    #[test]
    fn an_env_without_zero_ends_is_read_by_lines() {
        let text = "noise--gstack-environment-begin--A=1\nPATH=/bin\n--gstack-environment-end--more";
        assert_eq!(parse(text.as_bytes()).unwrap().len(), 2);
        assert!(parse(b"nothing").is_none());
    }

    #[test]
    fn a_shell_of_another_language_is_not_asked() {
        assert_eq!(shell(Some(OsStr::new("/bin/tcsh"))).0, PathBuf::from("/bin/sh"));
        assert_eq!(shell(Some(OsStr::new("/usr/bin/zsh"))), (PathBuf::from("/usr/bin/zsh"), "-li"));
        assert_eq!(shell(None).0, PathBuf::from("/bin/sh"));
    }
}
