//! Converts a plan to arguments of `bwrap` (bubblewrap): own user, mount, pid, IPC and UTS namespaces, and a root that
//! contains only what the plan opens.
//!
//! Owns the order: deeper paths are mounted later, so that a closed place covers the open one around it, and an open
//! place can be inside a closed one. Source: bwrap(1).

use super::mounted::Mounted;
use super::plan::{MOST_LINKS, Plan};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// The process's own temporary folder, as it sees it.
pub(super) const TEMPORARY: &str = "/tmp";

/// Lets root nest an agent's own sandbox (Codex has one), which needs this capability to map itself. Others need none.
const NESTED_AS_ROOT: [&str; 2] = ["--cap-add", "CAP_SETFCAP"];

/// Returns the arguments that root needs besides, after those that mount `/proc`; none for other users. The kernel lets
/// root write the settings of the whole machine (`/proc/sys`) without any capability, so they are read-only. Because of
/// that, it also refuses another mount of `/proc` inside: an agent's own sandbox does without.
pub(super) fn of_root() -> Vec<OsString> {
    if !rustix::process::geteuid().is_root() {
        return Vec::new();
    }
    let mut all: Vec<OsString> = NESTED_AS_ROOT.map(OsString::from).into();
    for path in machine_files(Path::new("/proc")) {
        all.extend(["--ro-bind".into(), path.clone().into(), path.into()]);
    }
    all
}

/// Returns the entries of `/proc` that belong to no process: folders, and files that root may write.
fn machine_files(proc: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(proc).into_iter().flatten().flatten();
    let of_machine = |name: &std::ffi::OsStr| !name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| of_machine(&entry.file_name()))
        .filter(|entry| {
            // A symlink (`self`, `net`) leads to a process.
            entry
                .metadata()
                .is_ok_and(|about| about.is_dir() || !about.is_symlink() && about.permissions().mode() & 0o222 != 0)
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// A mount at a path. If two have the same path, the later one of this list wins.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mount {
    Read,
    /// An empty folder or file.
    Closed,
    Write,
    Fixed,
    /// A symbolic link with its original target: a program searches for its parts beside the target.
    Link(PathBuf),
}

/// Returns the arguments up to the `--` before the program, and what is mounted from outside, to be compared inside.
pub(super) fn arguments(plan: &Plan) -> (Vec<OsString>, Vec<Mounted>) {
    let mut mounted = Vec::new();
    let mut all: Vec<OsString> = [
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--die-with-parent",
        "--cap-drop",
        "ALL",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/run",
    ]
    .map(OsString::from)
    .into();
    all.extend(of_root());
    for place in [TEMPORARY, "/var/tmp"] {
        all.extend(["--bind".into(), plan.temporary.clone().into(), place.into()]);
    }
    let home = plan.home.as_ref().and_then(|home| home.canonicalize().ok());
    if let Some(home) = &home {
        all.extend(["--tmpfs".into(), home.into()]);
    }
    for (path, mount) in mounts(plan) {
        let option = match mount {
            Mount::Link(target) => {
                all.extend(["--symlink".into(), target.into(), path.into()]);
                continue;
            }
            Mount::Read | Mount::Fixed => "--ro-bind",
            Mount::Write => "--bind",
            Mount::Closed if path.is_dir() => {
                all.extend(["--tmpfs".into(), path.into()]);
                continue;
            }
            Mount::Closed => {
                all.extend(["--ro-bind".into(), "/dev/null".into(), path.into()]);
                continue;
            }
        };
        // A path in which there is a link by now is left out.
        let Some(found) = Mounted::at(&path) else { continue };
        mounted.push(found);
        all.extend([option.into(), path.clone().into(), path.into()]);
    }
    if let Some(home) = home.filter(|_| !plan.locks_in_home) {
        all.extend(["--remount-ro".into(), home.into()]);
    }
    all.extend(["--remount-ro".into(), "/".into()]);
    all.extend(["--chdir".into(), plan.folder.clone().into()]);
    (all, mounted)
}

/// Returns the mounts ordered by depth: a path sorts before the paths inside it.
fn mounts(plan: &Plan) -> BTreeMap<PathBuf, Mount> {
    let mut all = BTreeMap::new();
    let lists = [
        (&plan.read, Mount::Read),
        (&plan.closed, Mount::Closed),
        (&plan.write, Mount::Write),
        (&plan.fixed, Mount::Fixed),
    ];
    for (paths, mount) in lists {
        // The target of a link is in the list too.
        let real = paths.iter().filter(|path| links(path).is_empty() && !has_dots(path));
        all.extend(real.map(|path| (path.clone(), mount.clone())));
    }
    let named = plan.read.iter().chain(&plan.write).chain(&plan.fixed).chain(&plan.home).chain([&plan.folder]);
    for (link, target) in named.filter(|path| !has_dots(path)).flat_map(|path| links(path)) {
        // A link inside a mounted folder is mounted with it.
        let within = |open: &&PathBuf| link.starts_with(open) && links(open).is_empty();
        if plan.read.iter().chain(&plan.write).find(within).is_none() {
            all.insert(link, Mount::Link(target));
        }
    }
    // A closed place with nothing open around it needs no cover.
    let open: Vec<PathBuf> =
        all.iter().filter(|(_, mount)| **mount != Mount::Closed).map(|(path, _)| path.clone()).collect();
    all.retain(|path, mount| *mount != Mount::Closed || open.iter().any(|open| path.starts_with(open)));
    all
}

/// Returns the symlinks on the way to a path, each with its target.
fn links(path: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    let mut current = path.to_owned();
    while found.len() < MOST_LINKS {
        let mut above: Vec<&Path> = current.ancestors().collect();
        above.reverse();
        let Some(link) = above.into_iter().find(|path| path.is_symlink()) else { break };
        let (Ok(target), Ok(rest)) = (link.read_link(), current.strip_prefix(link)) else { break };
        // Everything above the first link is real, so `..` leads to the real parent.
        let mut next = PathBuf::new();
        for part in link.parent().unwrap_or(Path::new("/")).join(&target).join(rest).components() {
            match part {
                Component::ParentDir => drop(next.pop()),
                Component::CurDir => {}
                other => next.push(other),
            }
        }
        found.push((link.to_owned(), target));
        current = next;
    }
    found
}

fn has_dots(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_link_stays_a_link_and_what_it_leads_to_is_mounted_once() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("real/modules/bin")).unwrap();
        std::os::unix::fs::symlink("real", root.join("current")).unwrap();
        std::os::unix::fs::symlink("../real/modules", root.join("real/again")).unwrap();
        let named = root.join("current/again/bin");
        let plan = Plan {
            folder: root.clone(),
            read: vec![named, root.join("real/modules/bin"), root.join("real/again/../modules")],
            ..Plan::default()
        };
        let found = mounts(&plan);
        assert_eq!(found.get(&root.join("current")), Some(&Mount::Link("real".into())));
        assert_eq!(found.get(&root.join("real/again")), Some(&Mount::Link("../real/modules".into())));
        assert_eq!(found.get(&root.join("real/modules/bin")), Some(&Mount::Read));
        assert_eq!(found.len(), 3, "{found:?}");
    }

    #[test]
    fn what_is_closed_covers_what_is_open_around_it_and_not_the_folder_within() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["open/closed/folder", "elsewhere"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::write(home.join("open/secret"), "").unwrap();
        let plan = Plan {
            home: Some(home.clone()),
            folder: home.join("open/closed/folder"),
            temporary: home.join("tmp"),
            read: vec![home.join("open")],
            write: vec![home.join("open/closed/folder")],
            closed: vec![home.join("open/closed"), home.join("open/secret"), home.join("elsewhere")],
            ..Plan::default()
        };
        let words: Vec<String> =
            arguments(&plan).0.iter().map(|word| word.to_string_lossy().replace(home.to_str().unwrap(), "~")).collect();
        let at = |sought: &[&str]| words.windows(sought.len()).position(|window| window == sought);
        let open = at(&["--ro-bind", "~/open", "~/open"]).unwrap();
        let closed = at(&["--tmpfs", "~/open/closed"]).unwrap();
        let folder = at(&["--bind", "~/open/closed/folder", "~/open/closed/folder"]).unwrap();
        assert!(open < closed && closed < folder, "{words:?}");
        assert!(at(&["--ro-bind", "/dev/null", "~/open/secret"]).is_some());
        assert!(!words.contains(&"~/elsewhere".to_owned()), "what is not there needs no cover");
        assert!(at(&["--remount-ro", "~"]).unwrap() > folder);
    }
}
