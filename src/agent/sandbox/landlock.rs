//! Converts a plan to Landlock rules, which a process applies to itself.
//!
//! Owns the rules. Landlock can only open paths: a closed place inside an open one is excluded by opening everything
//! beside it. Source: the kernel's userspace-api/landlock.

use super::plan::Plan;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the kernel's Landlock ABI, or 0 if it has none.
#[cfg(target_os = "linux")]
pub(super) fn abi() -> u8 {
    use landlock::{ABI, Access, AccessFs, LandlockStatus, Ruleset, RulesetAttr};
    // Rules apply to a thread, so a short-lived one finds out what the kernel supports.
    let tried = std::thread::spawn(|| {
        let ruleset = Ruleset::default().handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create);
        ruleset.and_then(|ruleset| ruleset.restrict_self())
    });
    match tried.join() {
        Ok(Ok(status)) => match status.landlock {
            LandlockStatus::Available { effective_abi, .. } => effective_abi as u8,
            LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
        },
        _ => 0,
    }
}

#[cfg(not(target_os = "linux"))]
pub fn abi() -> u8 {
    0
}

/// Keeps this process from sending signals and connecting to abstract sockets outside its domain, if the kernel
/// supports that. Does not restrict files. A process in a domain cannot trace one outside.
#[cfg(target_os = "linux")]
pub(super) fn scope() -> io::Result<()> {
    use landlock::{ABI, Access, Ruleset, RulesetAttr, Scope};
    let scopes = Scope::from_all(ABI::V6);
    let ruleset = Ruleset::default().scope(scopes).and_then(Ruleset::create);
    ruleset.and_then(|ruleset| ruleset.restrict_self()).map(drop).map_err(io::Error::other)
}

/// Blocks every file that the plan does not open, and everything that [`scope`] blocks. Fails if the kernel has no
/// Landlock.
#[cfg(target_os = "linux")]
pub(super) fn restrict(plan: &Plan) -> io::Result<()> {
    use landlock::{
        ABI, Access, AccessFs, PathBeneath, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
    };
    let abi = ABI::V9;
    let (read, all) = (AccessFs::from_read(abi), AccessFs::from_all(abi));
    let file = AccessFs::from_file(abi);
    let mut ruleset = Ruleset::default()
        .handle_access(all)
        .and_then(|ruleset| ruleset.scope(Scope::from_all(ABI::V6)))
        .and_then(Ruleset::create)
        .map_err(io::Error::other)?;
    let mut open = |path: &Path, access| -> io::Result<()> {
        let access = if path.is_dir() { access } else { access & file };
        // A link is opened by its target, which the plan names too.
        let Some(descriptor) = without_links(path) else { return Ok(()) };
        (&mut ruleset).add_rule(PathBeneath::new(descriptor, access)).map(drop).map_err(io::Error::other)
    };
    let temporary = plan.temporary.canonicalize()?;
    for path in plan.read.iter().flat_map(|path| around(path, &plan.closed)) {
        open(&path, read)?;
    }
    for path in plan.write.iter().chain([&temporary]).flat_map(|path| around(path, &plan.closed)) {
        open(&path, all)?;
    }
    for path in plan.devices.iter().map(PathBuf::as_path).chain([Path::new("/proc")]) {
        let access = if path == Path::new("/proc") { read } else { AccessFs::from_all(abi) };
        open(path, access)?;
    }
    let status = ruleset.restrict_self().map_err(io::Error::other)?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(io::Error::other("the kernel applies no Landlock rules"));
    }
    Ok(())
}

/// Opens a path for a rule. `None` if it is gone or a component of it is a link: an agent may have replaced it since the plan.
#[cfg(target_os = "linux")]
fn without_links(path: &Path) -> Option<std::os::fd::OwnedFd> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::NO_SYMLINKS).ok()
}

#[cfg(not(target_os = "linux"))]
pub fn scope() -> io::Result<()> {
    Err(io::Error::other("this system has no Landlock"))
}

#[cfg(not(target_os = "linux"))]
pub fn restrict(plan: &Plan) -> io::Result<()> {
    around(&plan.folder, &plan.closed);
    scope()
}

/// Returns `path`, or everything inside it except closed places. A path that the plan names is open even inside a
/// closed place.
fn around(path: &Path, closed: &[PathBuf]) -> Vec<PathBuf> {
    if !closed.iter().any(|place| place != path && place.starts_with(path)) {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink())).map(|entry| entry.path());
    real.filter(|path| !closed.contains(path)).flat_map(|path| around(&path, closed)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_place_is_left_out_by_opening_what_lies_beside_it() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["a/closed/open", "a/b", "c"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        let closed = [home.join("a/closed")];
        let mut found = around(&home, &closed);
        found.sort();
        assert_eq!(found, [home.join("a/b"), home.join("c")]);
        let open = home.join("a/closed/open");
        assert_eq!(around(&open, &closed), vec![open]);
    }
}
