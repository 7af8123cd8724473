//! Runs the person's `git`, and prevents git from running other programs.
//!
//! Owns the only way to call git, and the protection against repositories that run programs through it: an agent or a
//! stranger may have written a repository, its configuration and its worktrees. Never decides what to do with a tree.
//!
//! Sources: git-config(1), gitattributes(5), githooks(5), git(1) "ENVIRONMENT VARIABLES".

use gstack_agent::adapter::AgentEnvironment;
use gstack_agent::discovery;
use gstack_agent::process::brief::{self, BriefError};
use gstack_agent::sandbox::{Access, Around};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Enough to check out a large repository, even from a slow disk.
const LIMIT: Duration = Duration::from_secs(180);

/// Settings that override every configuration file. Without them git could run a program, open a connection or use
/// another repository's files.
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

/// Environment variables with the same purpose; every other git variable is removed.
const VARIABLES: [(&str, &str); 10] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    // The empty tree, so that no attributes name a filter (git 2.43 and later; the filters are also disabled).
    ("GIT_ATTR_SOURCE", EMPTY_TREE),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    // A partial clone would fetch missing objects with the programs of its configuration.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C"),
];

/// Git knows this object in every repository without storing it.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// The same object in repositories that use SHA-256.
const EMPTY_TREE_256: &str = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/// `SECTION.NAME.KEY`: programs of a repository's configuration that file attributes refer to.
const DRIVERS: [(&str, &[&str]); 3] = [
    ("filter", &["clean", "smudge", "process", "required"]),
    ("diff", &["command", "textconv"]),
    ("merge", &["driver"]),
];

#[derive(Debug, thiserror::Error)]
pub(super) enum GitError {
    #[error("git was not found")]
    Missing,
    #[error("git {command} failed: {words}")]
    Failed { command: String, words: String },
    #[error("git {command}: {source}")]
    Run { command: String, source: BriefError },
}

/// The repository that git works on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Repository<'a> {
    /// The one that contains this folder. Only for finding its [`Repository::Dir`], because anyone who can write to the
    /// folder can change which one that is.
    Holding(&'a Path),
    /// The one with this git directory.
    Dir(&'a Path),
    /// The worktree at `root` with the recorded git directory `dir`, and `common`, which it shares with its repository.
    /// The worktree's own `.git` is not read.
    Tree { dir: &'a Path, common: &'a Path, root: &'a Path },
}

/// A git executable. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Git {
    program: PathBuf,
    environment: AgentEnvironment,
    /// Where worktrees are created.
    trees: Option<PathBuf>,
    /// gstack's own folder in which repositories may be.
    workspace: Option<PathBuf>,
}

impl Git {
    /// Finds git. `environment` is that of the person's login shell. Fails if git is not installed.
    pub(super) async fn find(mut environment: AgentEnvironment) -> Result<Self, GitError> {
        let program = discovery::search("git", None, &environment).await.ok_or(GitError::Missing)?;
        environment.variables.retain(|name, _| !is_git_variable(name));
        for (name, value) in VARIABLES {
            environment.variables.insert(name.into(), value.into());
        }
        Ok(Self { program, environment, trees: None, workspace: None })
    }

    /// Allows a confined git to create worktrees in `trees`, and to open repositories in `workspace`, which is closed
    /// otherwise.
    #[must_use]
    pub(super) fn within(mut self, trees: PathBuf, workspace: PathBuf) -> Self {
        (self.trees, self.workspace) = (Some(trees), Some(workspace));
        self
    }

    /// Runs git and returns its output. No program named in the repository's configuration runs. Fails if git fails.
    pub(super) async fn run<A: AsRef<OsStr>>(&self, on: Repository<'_>, arguments: &[A]) -> Result<String, GitError> {
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
        environment.access = on.access();
        environment.access.write.extend(self.trees.iter().filter(|path| path.exists()).cloned());
        environment.access.repository.within.extend(self.workspace.clone());
        // Set by variables: in an argument, a name that contains `=` would end there.
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
        // The first line states the error; advice follows it.
        let words = said.lines().map(str::trim).find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        let words = words.or_else(|| said.lines().next()).unwrap_or("it printed no reason").to_owned();
        Err(GitError::Failed { command, words })
    }
}

impl Repository<'_> {
    /// Returns the paths that git can access, unless they are closed. The search for a repository may read the parents
    /// of the folder, but writes nowhere.
    fn access(self) -> Access {
        let mut around = Around::default();
        match self {
            Self::Holding(folder) => {
                let above = folder.ancestors().filter(|above| above.join(".git").exists());
                around.read.extend(above.map(Path::to_owned));
                let links = around.read.iter().filter_map(|above| linked(&above.join(".git"))).flatten();
                let links = links.collect::<Vec<_>>();
                around.read.extend(links);
                around.read.push(folder.to_owned());
            }
            Self::Dir(dir) => around.write.push(dir.to_owned()),
            Self::Tree { dir, common, root } => around.write.extend([root, dir, common].map(Path::to_owned)),
        }
        Access { repository: around, ..Access::default() }
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
            Self::Tree { dir, root, .. } => {
                vec!["-C".into(), root.into(), named("--git-dir=", dir), named("--work-tree=", root)]
            }
        }
    }
}

/// Returns the git directories that a `.git` file of a worktree or a submodule points to.
fn linked(file: &Path) -> Option<Vec<PathBuf>> {
    let text = std::fs::read_to_string(file).ok()?;
    let dir = file.parent()?.join(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let common = common(&dir);
    Some([Some(dir), common].into_iter().flatten().collect())
}

/// Returns the git directory that a worktree's git directory shares with its repository.
pub(super) fn common(dir: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(dir.join("commondir")).ok()?;
    dir.join(text.trim()).canonicalize().ok()
}

/// Returns true for variables that redirect git or name programs, including a pager and an editor.
fn is_git_variable(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    name.starts_with("GIT_")
        || matches!(name, "PAGER" | "EDITOR" | "VISUAL" | "SSH_ASKPASS" | "GNUPGHOME" | "LESSOPEN" | "XDG_CONFIG_HOME")
}

/// Returns true if the repository of this `config --list --null` uses SHA-256 object names.
fn has_sha256(listed: &str) -> bool {
    listed.split('\0').any(|entry| entry.split_once('\n') == Some(("extensions.objectformat", "sha256")))
}

/// Returns settings that disable each driver in the output of `config --list --null`. Git does not run an empty
/// program.
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
