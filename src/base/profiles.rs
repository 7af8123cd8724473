//! Browser profiles: their names, their folders, and who uses them.
//!
//! Owns the check of a name and the lock that the keeper of a profile's browser holds. All instances of a home share the
//! named profiles; each instance has a default profile of its own. Never opens or changes a file of a profile.

use super::home::Home;
use super::lock::FileLock;
use super::plain_name::{LONGEST, is_name};
use super::private_folder::{HomeError, private_folder};
use rustix::process::{Pid, test_kill_process};
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the profile that each instance has of its own.
pub const DEFAULT: &str = "default";
/// Whoever only checks a lock holds it this short.
const LOOK: Duration = Duration::from_millis(200);
/// In bytes. A longer file is not one that a keeper wrote.
const MOST_HOLDER: usize = 64;

/// The name of a profile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProfileName(String);

/// The text is not the name of a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the profile name {0:?} is not valid")]
pub struct BadProfileName(pub String);

impl BadProfileName {
    /// The next step.
    pub const HINT: &str = "Use at most 32 letters, digits, - and _.";
}

impl Default for ProfileName {
    fn default() -> Self {
        Self(DEFAULT.to_owned())
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ProfileName {
    /// Checks a name.
    ///
    /// # Errors
    ///
    /// Fails if it is empty, too long or has other characters than letters, digits, `-` and `_`.
    pub fn parse(name: &str) -> Result<Self, BadProfileName> {
        match is_name(name) {
            true => Ok(Self(name.to_owned())),
            false => Err(BadProfileName(name.chars().take(LONGEST * 2).collect())),
        }
    }

    /// Returns true for the instance's own profile.
    pub fn is_default(&self) -> bool {
        self.0 == DEFAULT
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A browser that has a profile open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningBrowser {
    pub host: String,
    pub pid: u32,
}

impl Home {
    /// Returns the folder of the named profiles, which all instances share.
    pub fn profiles(&self) -> PathBuf {
        self.shared().join("profiles")
    }

    /// Returns the folder of a profile.
    pub fn profile(&self, name: &ProfileName) -> PathBuf {
        if name.is_default() { self.browser_profile() } else { self.profiles().join(name.as_str()) }
    }

    /// Returns the lock that is held while a browser uses the profile. It is beside the folder, so that it stays when the
    /// profile is deleted.
    pub fn profile_lock(&self, name: &ProfileName) -> PathBuf {
        let folder = self.profile(name);
        // The name of a profile has no dot: no profile has this path.
        folder.with_file_name(format!("{}.lock", folder.file_name().unwrap_or_default().to_string_lossy()))
    }

    /// Creates the folder that contains the profiles and their locks.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be made, or another user can access it.
    pub fn prepare_profiles(&self) -> Result<(), HomeError> {
        private_folder(&self.profiles())
    }

    /// Returns all named profiles that exist, in order.
    pub fn named_profiles(&self) -> io::Result<Vec<ProfileName>> {
        let entries = match fs::read_dir(self.profiles()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names: Vec<_> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter_map(|entry| ProfileName::parse(entry.file_name().to_str()?).ok())
            .collect();
        names.sort();
        Ok(names)
    }
}

/// Takes a profile's lock for the holder of this name. `Err` inside: the name of the holder, if it is known.
pub fn take(lock: &Path, holder: &str) -> io::Result<Result<FileLock, Option<String>>> {
    let Some(taken) = FileLock::take_within(lock, LOOK)? else { return Ok(Err(holder_of(lock))) };
    // Without the name, others only learn that the profile is in use: on a full disk it can't be written.
    if let Err(error) = fs::write(lock, holder) {
        tracing::debug!(%error, "a profile's lock does not name its holder");
    }
    Ok(Ok(taken))
}

/// Returns who uses a profile; `Some(None)` if the name is not known, `None` if nobody does.
pub fn user(lock: &Path) -> io::Result<Option<Option<String>>> {
    Ok(FileLock::is_held(lock)?.then(|| holder_of(lock)))
}

fn holder_of(lock: &Path) -> Option<String> {
    let text = fs::read_to_string(lock).ok().filter(|text| text.len() <= MOST_HOLDER)?;
    is_name(&text).then_some(text)
}

/// Returns the browser that has the profile open. Chromium's lock is a symbolic link to `host-pid`. It outlives a
/// browser that was killed.
pub fn browser_in(profile: &Path) -> Option<RunningBrowser> {
    let target = fs::read_link(profile.join("SingletonLock")).ok()?;
    let target = target.to_string_lossy().into_owned();
    let (host, pid) = target.rsplit_once('-').and_then(|(host, pid)| Some((host, pid.parse::<u32>().ok()?)))?;
    (answers(profile) || runs_on(profile, pid)).then(|| RunningBrowser { host: host.to_owned(), pid })
}

/// Returns true if a browser runs: it listens on this socket for the next start's request to open a window.
fn answers(profile: &Path) -> bool {
    match UnixStream::connect(profile.join("SingletonSocket")) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused),
    }
}

/// Returns true if the process lives and, on systems that show command lines, was started with this profile: pids are
/// reused.
fn runs_on(profile: &Path, pid: u32) -> bool {
    let Some(process) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    // Any other result may be a living process of another user.
    if test_kill_process(process) == Err(rustix::io::Errno::SRCH) {
        return false;
    }
    match fs::read(format!("/proc/{pid}/cmdline")) {
        Ok(line) => {
            let wanted = profile.as_os_str().as_bytes();
            line.windows(wanted.len()).any(|part| part == wanted)
        }
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_name_is_not_a_path() {
        for name in ["work", "a-b_1", "default", &"x".repeat(32)] {
            assert!(ProfileName::parse(name).is_ok(), "{name}");
        }
        for name in ["", ".", "..", "a/b", "/etc", "a b", "a.lock", "ä", "-\n", &"x".repeat(33)] {
            assert!(ProfileName::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn named_profiles_are_shared_by_all_instances_and_the_default_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let base = Home::at(folder.path().join("g")).unwrap();
        fs::create_dir(base.root().join("instances")).unwrap();
        private_folder(&base.root().join("instances")).unwrap();
        let shop = Home::at(base.root().join("instances/shop")).unwrap();
        let work = ProfileName::parse("work").unwrap();
        assert_eq!(shop.profile(&work), base.root().join("profiles/work"));
        assert_eq!(base.profile(&work), shop.profile(&work));
        assert_eq!(base.profile_lock(&work), base.root().join("profiles/work.lock"));
        assert_ne!(base.profile(&ProfileName::default()), shop.profile(&ProfileName::default()));
        base.prepare_profiles().unwrap();
        for name in ["b", "a", "c.lock", ".x"] {
            fs::create_dir(base.profiles().join(name)).unwrap();
        }
        fs::write(base.profiles().join("file"), "").unwrap();
        let names: Vec<String> = shop.named_profiles().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn one_holds_a_profile_and_the_next_learns_who_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("work.lock");
        assert_eq!(user(&lock).unwrap(), None);
        let held = take(&lock, "shop").unwrap().unwrap();
        assert_eq!(take(&lock, "other").unwrap().unwrap_err().as_deref(), Some("shop"));
        assert_eq!(user(&lock).unwrap(), Some(Some("shop".to_owned())));
        fs::write(&lock, "not \u{1b}[31ma name").unwrap();
        assert_eq!(user(&lock).unwrap(), Some(None), "what is not a name is not shown");
        drop(held);
        assert_eq!(user(&lock).unwrap(), None);
        drop(take(&lock, "other").unwrap().unwrap());
    }
}
