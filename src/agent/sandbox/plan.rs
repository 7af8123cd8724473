//! The readable, writable and hidden paths of one process, for any mechanism.
//!
//! Owns combining the lists, the agent's own files and the conversation's folder. Reads from disk which of them exist;
//! `opening` has the rule that each must pass.
//! Never opens a path that leads to the whole home directory, or above it.

use super::opening::{Opening, is_planted};
use super::places::{DEVICES, SYSTEM, TOOL_VARIABLES, TOOLS};
use super::{Mechanism, Sandbox, git};
use crate::adapter::AgentEnvironment;
use crate::guard::CREDENTIALS;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The maximum length of a chain of symlinks.
pub(super) const MOST_LINKS: usize = 16;
/// The folder with a project's rules, which an agent must not loosen or remove.
const PROJECT_RULES: &str = ".gstack";

/// All paths are absolute, exist, and are spelled as the process uses them. [`Plan::closed`] may be inside the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan {
    pub home: Option<PathBuf>,
    /// The working folder.
    pub folder: PathBuf,
    pub temporary: PathBuf,
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    /// Read-only paths inside `write`.
    pub fixed: Vec<PathBuf>,
    /// Hidden with everything inside, unless a path of `read` or `write` is inside.
    pub closed: Vec<PathBuf>,
    pub devices: Vec<PathBuf>,
    pub locks_in_home: bool,
    pub own_sandbox: bool,
}

impl Plan {
    pub(super) fn new(
        sandbox: &Sandbox,
        program: &Path,
        arguments: &[OsString],
        environment: &AgentEnvironment,
        folder: Option<&Path>,
        temporary: &Path,
    ) -> io::Result<Self> {
        let variable = |name: &str| environment.variables.get(OsStr::new(name)).map(PathBuf::from);
        let home = variable("HOME").filter(|home| home.is_absolute());
        let access = environment.access.clone().and(&sandbox.added);
        let below_home = |path: &Path| match &home {
            _ if path.is_absolute() => Some(path.to_owned()),
            Some(home) => Some(home.join(path)),
            None => None,
        };
        let list = |names: &[&str]| names.iter().filter_map(|name| below_home(Path::new(name))).collect::<Vec<_>>();
        let real_home = home.as_ref().and_then(|home| home.canonicalize().ok());
        let leads_home = |path: &Path| {
            let real = path.canonicalize();
            real_home.as_ref().zip(real.ok()).is_some_and(|(home, real)| home.starts_with(real))
        };
        let is_home = |path: &Path| home.as_ref().is_some_and(|home| home.starts_with(path)) || leads_home(path);
        // What gstack's lists, its adapters and the person name.
        let mut read: Vec<PathBuf> = access.read.iter().filter_map(|path| below_home(path)).collect();
        read.extend(tool_folders(environment));
        let mut write: Vec<PathBuf> = access.write.iter().filter_map(|path| below_home(path)).collect();
        for overlaid in &access.overlaid {
            let Some(own) = below_home(&overlaid.folder) else { continue };
            match sandbox.mechanism {
                Mechanism::Namespaces { .. } => {
                    let volatile: Vec<PathBuf> = overlaid.volatile.iter().filter_map(|path| below_home(path)).collect();
                    read.extend(children(&own).into_iter().filter(|path| !volatile.contains(path)));
                }
                Mechanism::Landlock { .. } | Mechanism::Seatbelt => read.push(own),
            }
        }
        read.retain(|path| !is_home(path) && path != Path::new("/"));
        write.retain(|path| !is_home(path));
        let mut closed = list(&CREDENTIALS);
        closed.extend(sandbox.closed.iter().cloned());
        closed.retain(|path| !write.contains(path) && !read.contains(path));
        let opening = Opening::new(&closed);
        read.push(sandbox.program.clone());
        read.retain(|path| opening.reads(path));
        for path in &write {
            fs::create_dir_all(path).or_else(|error| if path.exists() { Ok(()) } else { Err(error) })?;
        }
        write.extend(access.write_existing.iter().filter_map(|path| below_home(path)));
        // Where an agent writes. The last name of a path is not followed: it may be a link of an agent's.
        let real_folder = |path: &PathBuf| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
        let mut written: Vec<PathBuf> = write.iter().filter_map(real_folder).collect();
        let folders = || folder.into_iter().chain(access.folders.iter().map(PathBuf::as_path));
        written.extend(folders().filter_map(|folder| folder.canonicalize().ok()));
        let is_own = |path: &Path| !is_planted(path, &written);
        read.retain(|path| is_own(path));
        write.retain(|path| opening.writes(path) && is_own(path));
        let mut fixed = Vec::new();
        for entry in &access.fixed {
            let Some(path) = below_home(&entry.path) else { continue };
            // Landlock cannot make them read-only, so creating them would only clutter the home directory.
            if !matches!(sandbox.mechanism, Mechanism::Landlock { .. }) {
                make_missing(&path, entry.empty)?;
            }
            fixed.push(path);
        }
        // What is found on the disk.
        let mut found = list(&SYSTEM);
        found.extend(list(&TOOLS));
        found.extend(of_program(program));
        // A script that the configuration names, with its folder.
        let scripts = || {
            let named = arguments.iter().map(Path::new).filter(|path| path.is_absolute() && path.is_file());
            named.filter(|path| is_own(path))
        };
        found.extend(scripts().flat_map(of_program));
        let path = variable("PATH").unwrap_or_default();
        for folder in std::env::split_paths(&path).filter(|folder| folder.is_absolute()) {
            found
                .extend(Some(folder.join("node")).filter(|node| is_own(node)).iter().flat_map(|node| of_program(node)));
            found.extend(with_prefix(&folder));
        }
        found.retain(|path| !is_home(path) && path != Path::new("/"));
        // A program directly in the home directory, or above it: only the file, without its folder.
        found.extend([program, &sandbox.program].into_iter().chain(scripts()).flat_map(chain));
        let named: Vec<PathBuf> = read.iter().chain(&write).cloned().collect();
        if let (Some(home), Some(_)) = (&home, folder) {
            let is_written = |real: &Path| written.iter().any(|written| real.starts_with(written));
            found.extend(git::configuration(home, is_written));
        }
        found.retain(|path| opening.finds(path, &named) && is_own(path));
        let mut repository = access.repository.clone();
        for folder in folders() {
            let folder = opening.folder(folder)?;
            if folder == Path::new("/") || is_home(&folder) {
                // Not the folder itself, which contains the start-up files of shells and the paths that gstack closes.
                let visible = home.iter().flat_map(|home| plain_children(home));
                let open = if access.folders_read_only { &mut read } else { &mut write };
                open.extend(visible.filter(|path| opening.finds(path, &[])));
            } else {
                let is_out = |path: &Path| is_home(path) || !opening.finds(path, &[]);
                repository.extend(git::around(&folder, is_out));
                repository.fixed.push(folder.join(PROJECT_RULES));
                let open = if access.folders_read_only { &mut read } else { &mut write };
                open.push(folder);
            }
        }
        if access.folders_read_only {
            repository.read.append(&mut repository.write);
            // Also where a list or the person opened a folder around it.
            fixed.extend(folders().filter_map(|folder| folder.canonicalize().ok()));
        }
        let mut open: Vec<PathBuf> = write.iter().chain(&repository.within).cloned().collect();
        if access.folders_read_only {
            open.extend(folder.map(Path::to_owned));
        }
        repository.make_missing();
        let follows = |path: &PathBuf| !is_home(path) && opening.follows(path, &open);
        read.extend(repository.read.into_iter().filter(follows));
        write.extend(repository.write.into_iter().filter(follows));
        // An agent of an earlier session may have made one of them a symlink to a place that is not open.
        let is_open = |path: &PathBuf| {
            let real = path.canonicalize();
            real.is_ok_and(|real| write.iter().any(|open| real.starts_with(open)) && opening.finds(path, &open))
        };
        // A script of the command is in a folder that it may write: it stays writable.
        let is_written = |path: &Path| {
            let around = |open: &&PathBuf| path != open.as_path() && path.starts_with(open);
            let covered =
                |open: &PathBuf| closed.iter().any(|place| path.starts_with(place) && place.starts_with(open));
            write.iter().filter(around).any(|open| !covered(open))
        };
        read.extend(found.into_iter().filter(|path| !is_written(path)));
        fixed.extend(repository.fixed);
        fixed.retain(is_open);
        Ok(Self {
            folder: folder.unwrap_or(Path::new("/")).to_owned(),
            temporary: temporary.to_owned(),
            read: existing(read),
            write: existing(write),
            fixed: existing(fixed),
            closed: existing(closed),
            devices: existing(DEVICES.iter().map(PathBuf::from).collect()),
            locks_in_home: access.locks_in_home,
            own_sandbox: access.own_sandbox,
            home,
        })
    }
}

/// Returns the existing paths, sorted, with the target of each symlink.
fn existing(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = paths
        .into_iter()
        .filter(|path| path.symlink_metadata().is_ok())
        .flat_map(|path| match path.canonicalize() {
            Ok(real) if real != path => vec![path, real],
            Ok(real) => vec![real],
            Err(_) => Vec::new(),
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Returns the folders of programming tools that the person's environment names.
fn tool_folders(environment: &AgentEnvironment) -> impl Iterator<Item = PathBuf> {
    let named = TOOL_VARIABLES.iter().filter_map(|name| environment.variables.get(OsStr::new(name)));
    named.map(PathBuf::from).filter(|path| path.is_absolute())
}

fn make_missing(path: &Path, empty: Option<&str>) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    match empty {
        Some(text) => fs::write(path, text),
        None => fs::create_dir(path),
    }
}

/// Returns the paths of a program's package: the folder of each symlink on the way to it, and the folder that contains
/// all of `node_modules`, or else the program's own.
fn of_program(program: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = chain(program).iter().filter_map(|file| Some(file.parent()?.to_owned())).collect();
    if let Ok(real) = program.canonicalize() {
        let mut modules = PathBuf::new();
        for part in real.components() {
            modules.push(part);
            if part == Component::Normal(OsStr::new("node_modules")) {
                found.push(modules.clone());
                break;
            }
        }
        found.extend(real.parent().into_iter().flat_map(with_prefix));
    }
    found
}

/// Returns a file and the target of each symlink on the way to it.
fn chain(file: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut current = file.to_owned();
    while found.len() < MOST_LINKS && current.symlink_metadata().is_ok() {
        found.push(current.clone());
        let Ok(target) = fs::read_link(&current) else { break };
        current = current.parent().unwrap_or(Path::new("/")).join(target);
    }
    found
}

/// Returns the folder. Adds the parent of a `bin` with its `lib` and `share`, and returns the parent of the `shims` of
/// a version manager instead.
fn with_prefix(folder: &Path) -> Vec<PathBuf> {
    if folder.file_name() == Some(OsStr::new("shims")) {
        return folder.parent().into_iter().map(Path::to_owned).collect();
    }
    let above = folder.parent().filter(|_| folder.file_name() == Some(OsStr::new("bin")));
    let above = above.filter(|above| above.join("lib").is_dir() && above.file_name() != Some(OsStr::new(".local")));
    [Some(folder), above].into_iter().flatten().map(Path::to_owned).collect()
}

pub(super) fn children(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Returns the entries of a folder that are not hidden and not symlinks.
fn plain_children(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let is_hidden = |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    children(folder).into_iter().filter(move |path| !is_hidden(path) && !path.is_symlink())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Access;

    fn sandbox(home: &Path) -> Sandbox {
        Sandbox {
            mechanism: Mechanism::Seatbelt,
            program: "/bin/sh".into(),
            scratch: home.join("g/run"),
            closed: vec![home.join("g")],
            added: Access::default(),
        }
    }

    fn environment(home: &Path, access: &Access) -> AgentEnvironment {
        AgentEnvironment {
            variables: [("HOME".into(), home.into()), ("PATH".into(), "/usr/bin:/bin".into())].into(),
            access: access.clone(),
            ..AgentEnvironment::default()
        }
    }

    fn plan(home: &Path, folder: &Path, access: &Access) -> Plan {
        let (sandbox, environment) = (sandbox(home), environment(home, access));
        let program = Path::new("/bin/sh");
        Plan::new(&sandbox, program, &[], &environment, Some(folder), &home.join("g/run")).unwrap()
    }

    #[test]
    fn the_home_directory_is_never_opened_whole_and_what_an_agent_may_not_change_is_made() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["g/run", "g/workspace", ".ssh", "project", ".cargo"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::write(home.join(".bashrc"), "").unwrap();
        let of_home = plan(&home, &home, &Access::claude());
        assert!(of_home.write.contains(&home.join("project")) && !of_home.write.contains(&home));
        assert!(!of_home.write.iter().any(|path| path.starts_with(home.join(".ssh")) || path.ends_with(".bashrc")));
        assert!(of_home.closed.contains(&home.join(".ssh")) && of_home.closed.contains(&home.join("g")));
        assert!(of_home.write.contains(&home.join(".claude/projects")), "{of_home:?}");
        let gemini = plan(&home, &home, &Access::gemini());
        assert!(gemini.fixed.contains(&home.join(".gemini/settings.json")));
        assert_eq!(fs::read_to_string(home.join(".gemini/settings.json")).unwrap(), "{}\n");
        let plain = plan(&home, &home.join("project"), &Access::default());
        assert!(plain.closed.contains(&home.join(".claude")), "another agent's files stay closed");
        assert!(plain.read.contains(&home.join(".cargo")) && !plain.read.contains(&home));
        let workspace = plan(&home, &home.join("g/workspace"), &Access::default());
        assert!(workspace.write.contains(&home.join("g/workspace")));
    }

    #[test]
    fn a_script_of_the_command_does_not_make_its_folder_read_only_inside_a_writable_one() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["g/run", "agents/mine", "project/tools"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        for script in ["agents/mine/agent.py", "project/tools/agent.py"] {
            fs::write(home.join(script), "").unwrap();
            let access = Access::default().writing([home.join("agents")]);
            let arguments = [home.join(script).into_os_string()];
            let environment = environment(&home, &access);
            let program = Path::new("/bin/sh");
            let folder = home.join("project");
            let found =
                Plan::new(&sandbox(&home), program, &arguments, &environment, Some(&folder), &home.join("g/run"));
            let found = found.unwrap();
            assert!(!found.read.iter().any(|path| home.join(script).starts_with(path)), "{script}: {found:?}");
        }
    }

    #[test]
    fn a_folder_that_may_only_be_read_is_never_writable_not_even_its_repository() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["g/run", "g/workspace", "project/.git/objects"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        for folder in ["project", "g/workspace"] {
            let folder = home.join(folder);
            let access = Access { folders_read_only: true, ..Access::default().writing([home.join("project")]) };
            let found = plan(&home, &folder, &access);
            let is_open = |path: &PathBuf| path.starts_with(&folder);
            assert!(found.read.iter().any(is_open), "{found:?}");
            let writable = found.write.iter().filter(|path| is_open(path)).any(|path| !found.fixed.contains(path));
            assert!(!writable, "{found:?}");
        }
    }

    #[test]
    fn a_symlink_that_an_agent_left_in_place_of_a_fixed_path_opens_nothing() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["g/run", ".ssh", "letters", "project/.git/own"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        for path in [".git/hooks", PROJECT_RULES] {
            let link = home.join("project").join(path);
            for (target, is_fixed) in [(".ssh", false), ("letters", false), ("project/.git/own", true)] {
                std::os::unix::fs::symlink(home.join(target), &link).unwrap();
                let found = plan(&home, &home.join("project"), &Access::default());
                assert_eq!(found.fixed.contains(&home.join(target)), is_fixed, "{path} to {target}");
                fs::remove_file(&link).unwrap();
            }
        }
    }

    #[test]
    fn a_program_is_readable_with_its_package_and_every_link_to_it() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let package = home.join("data/node_modules/agent/dist");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("index.js"), "").unwrap();
        fs::create_dir(home.join("bin")).unwrap();
        std::os::unix::fs::symlink(package.join("index.js"), home.join("bin/agent")).unwrap();
        let found = of_program(&home.join("bin/agent"));
        assert!(found.contains(&home.join("bin")) && found.contains(&home.join("data/node_modules")), "{found:?}");
    }
}
