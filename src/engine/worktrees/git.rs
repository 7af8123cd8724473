//! Runs the person's `git`, and runs nothing else by it.
//!
//! Owns the one way to call git, and what keeps a repository from running programs through it: a repository, its
//! configuration and its work trees may be written by an agent or a stranger. Never decides what is done with a tree.
//!
//! Sources: git-config(1), gitattributes(5), githooks(5), git(1) "ENVIRONMENT VARIABLES".

use crate::agent::adapter::AgentEnvironment;
use crate::agent::discovery;
use crate::agent::process::brief::{self, BriefError};
use crate::agent::sandbox::Access;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A large repository is checked out within this, also from a slow disk.
const LIMIT: Duration = Duration::from_secs(180);

/// Settings that win over every configuration file. Each would run a program, open a connection or take another
/// repository's files.
const NEUTRAL: [(&str, &str); 20] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("core.excludesFile", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("core.gitProxy", ""),
    ("core.alternateRefsCommand", "false"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("gpg.program", "false"),
    ("protocol.allow", "never"),
    ("protocol.ext.allow", "never"),
    ("safe.bareRepository", "explicit"),
    ("submodule.recurse", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("checkout.workers", "1"),
];

/// The same for the environment; every other variable of git's is taken out.
const VARIABLES: [(&str, &str); 10] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    // The empty tree: no attributes of files name a filter (git 2.43 and later; the filters are off besides).
    ("GIT_ATTR_SOURCE", EMPTY_TREE),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    // A clone that lacks objects would fetch them by what its configuration names.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C"),
];

/// Git knows this object of every repository without having it.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// The same where objects are named by SHA-256.
const EMPTY_TREE_256: &str = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/// `SECTION.NAME.KEY`: programs that a repository's configuration names by attributes of files.
const DRIVERS: [(&str, &[&str]); 3] = [
    ("filter", &["clean", "smudge", "process", "required"]),
    ("diff", &["command", "textconv"]),
    ("merge", &["driver"]),
];

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("git was not found")]
    Missing,
    #[error("git {command} failed: {words}")]
    Failed { command: String, words: String },
    #[error("git {command}: {source}")]
    Run { command: String, source: BriefError },
}

/// Which repository git works on.
#[derive(Clone, Copy, Debug)]
pub enum Repository<'a> {
    /// The one that holds this folder. Only to find out its [`Repository::Dir`]: anyone who writes into the folder decides
    /// which one that is.
    Holding(&'a Path),
    /// The one whose git directory this is.
    Dir(&'a Path),
    /// The work tree at `root` whose git directory, as it was recorded, is `dir`. The tree's own `.git` is not read.
    Tree { dir: &'a Path, root: &'a Path },
}

/// A git that can be run. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Git {
    program: PathBuf,
    environment: AgentEnvironment,
    /// Beside the repository: where trees are made.
    writes: Vec<PathBuf>,
}

impl Git {
    /// `environment`: of the person's login shell.
    pub async fn find(mut environment: AgentEnvironment) -> Result<Self, GitError> {
        let program = discovery::search("git", None, &environment).await.ok_or(GitError::Missing)?;
        environment.variables.retain(|name, _| !is_git_variable(name));
        for (name, value) in VARIABLES {
            environment.variables.insert(name.into(), value.into());
        }
        Ok(Self { program, environment, writes: Vec::new() })
    }

    /// One that may also write here, where it is confined.
    #[must_use]
    pub fn writing(mut self, folder: PathBuf) -> Self {
        self.writes.push(folder);
        self
    }

    /// Runs it; returns what it printed. No program that the repository's configuration names runs.
    pub async fn run<A: AsRef<OsStr>>(&self, on: Repository<'_>, arguments: &[A]) -> Result<String, GitError> {
        let mut settings: Vec<(String, String)> =
            NEUTRAL.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let listed = self.call(on, &["config", "--list", "--null"], &settings).await?;
        let sha256 = has_sha256(&listed);
        settings.extend(drivers(&listed));
        let mut git = self.clone();
        if sha256 {
            git.environment.variables.insert("GIT_ATTR_SOURCE".into(), EMPTY_TREE_256.into());
        }
        git.call(on, arguments, &settings).await
    }

    async fn call<A: AsRef<OsStr>>(
        &self,
        on: Repository<'_>,
        arguments: &[A],
        settings: &[(String, String)],
    ) -> Result<String, GitError> {
        let command =
            arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ");
        let mut all = on.arguments();
        all.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        let mut environment = self.environment.clone();
        environment.access = on.access(&self.writes);
        // By variables: in an argument a name that holds `=` would end there.
        environment.variables.insert("GIT_CONFIG_COUNT".into(), settings.len().to_string().into());
        for (number, (name, value)) in settings.iter().enumerate() {
            environment.variables.insert(format!("GIT_CONFIG_KEY_{number}").into(), name.into());
            environment.variables.insert(format!("GIT_CONFIG_VALUE_{number}").into(), value.into());
        }
        let output = match brief::run(&self.program, &all, &environment, LIMIT).await {
            Ok(output) => output,
            Err(source) => return Err(GitError::Run { command, source }),
        };
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        // The first line says what is wrong; behind it comes advice.
        let words = said.lines().map(str::trim).find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        let words = words.or_else(|| said.lines().next()).unwrap_or("it said nothing").to_owned();
        Err(GitError::Failed { command, words })
    }
}

impl Repository<'_> {
    /// What git reaches of the disk. Who looks for a repository reads what lies above the folder, but writes nowhere.
    fn access(self, writes: &[PathBuf]) -> Access {
        let (mut read, mut write) = (Vec::new(), writes.to_vec());
        match self {
            Self::Holding(folder) => {
                read.extend(folder.ancestors().filter(|above| above.join(".git").exists()).map(Path::to_owned));
                let links = read.iter().filter_map(|above| linked(&above.join(".git"))).flatten().collect::<Vec<_>>();
                read.extend(links);
                read.push(folder.to_owned());
            }
            Self::Dir(dir) => write.push(dir.to_owned()),
            Self::Tree { dir, root } => {
                write.push(root.to_owned());
                write.extend([Some(dir.to_owned()), common(dir)].into_iter().flatten());
            }
        }
        let write = write.into_iter().filter(|path| path.exists()).collect();
        Access { read, write, ..Access::default() }
    }

    fn arguments(self) -> Vec<OsString> {
        let named = |name: &str, path: &Path| {
            let mut argument = OsString::from(name);
            argument.push(path);
            argument
        };
        match self {
            Self::Holding(folder) => vec!["-C".into(), folder.into()],
            Self::Dir(dir) => vec![named("--git-dir=", dir)],
            Self::Tree { dir, root } => {
                vec!["-C".into(), root.into(), named("--git-dir=", dir), named("--work-tree=", root)]
            }
        }
    }
}

/// The git directories that a `.git` file of a work tree or a submodule leads to.
fn linked(file: &Path) -> Option<Vec<PathBuf>> {
    let text = std::fs::read_to_string(file).ok()?;
    let dir = file.parent()?.join(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let common = common(&dir);
    Some([Some(dir), common].into_iter().flatten().collect())
}

/// The git directory that a work tree's own shares with its repository.
fn common(dir: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(dir.join("commondir")).ok()?;
    dir.join(text.trim()).canonicalize().ok()
}

/// Git's own variables lead it elsewhere or name programs; so do a pager and an editor.
fn is_git_variable(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    name.starts_with("GIT_")
        || matches!(name, "PAGER" | "EDITOR" | "VISUAL" | "SSH_ASKPASS" | "GNUPGHOME" | "LESSOPEN" | "XDG_CONFIG_HOME")
}

/// Whether the repository of this `config --list --null` names its objects by SHA-256.
fn has_sha256(listed: &str) -> bool {
    listed.split('\0').any(|entry| entry.split_once('\n') == Some(("extensions.objectformat", "sha256")))
}

/// Settings that switch off each driver that `config --list --null` names. An empty program is not run.
fn drivers(listed: &str) -> Vec<(String, String)> {
    let names = listed.split('\0').map(|entry| entry.split_once('\n').map_or(entry, |(name, _)| name));
    let mut found: Vec<(&str, &str, &[&str])> = names
        .filter_map(|name| {
            let (section, rest) = name.split_once('.')?;
            let (driver, _) = rest.rsplit_once('.')?;
            let (section, keys) = DRIVERS.into_iter().find(|(known, _)| *known == section)?;
            Some((section, driver, keys))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    let off = |key: &str| if key == "required" { "false".to_owned() } else { String::new() };
    found
        .iter()
        .flat_map(|(section, driver, keys)| keys.iter().map(move |key| (format!("{section}.{driver}.{key}"), off(key))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{drivers, has_sha256, is_git_variable};
    use std::ffi::OsStr;

    #[test]
    fn every_driver_is_switched_off_whatever_its_name_holds() {
        let listed =
            "core.bare\nfalse\0filter.a=b.c.process\nrun\0filter.a=b.c.clean\0diff.x.textconv\nrun\0filter.y\nz\0";
        let off = drivers(listed);
        let value = |name: &str| off.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        assert_eq!((value("filter.a=b.c.smudge"), value("filter.a=b.c.required")), (Some(""), Some("false")));
        assert_eq!((value("diff.x.command"), off.len()), (Some(""), 6));
        assert!(has_sha256("extensions.objectformat\nsha256\0") && !has_sha256(listed));
    }

    #[test]
    fn no_variable_of_the_person_leads_git_elsewhere() {
        for name in ["GIT_DIR", "GIT_SSH_COMMAND", "GIT_TRACE2_EVENT", "GIT_EXEC_PATH", "EDITOR"] {
            assert!(is_git_variable(OsStr::new(name)), "{name}");
        }
        assert!(!is_git_variable(OsStr::new("PATH")));
    }
}
