//! The upgrade mark: the daemon ended for a newer gstack, whose daemon has not started yet.
//!
//! Owns the comparison of versions, and the mark's format and age. The mark is one of the run files, which the next
//! daemon removes when it starts. Decides nothing.

use super::atomic;
use super::home::Home;
use super::process::Process;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// In the folder of run files.
const FILE: &str = "handed-over";
/// The maximum number of starters, the latest ones: each of them would start the newer daemon.
const MOST_STARTERS: usize = 8;

/// Compares the numbers of two versions, ignoring anything after a `-` or `+`. Returns whether `version` is newer.
pub fn is_newer(version: &str, other: &str) -> bool {
    let numbers = |version: &str| -> Vec<u64> {
        let release = version.split(['-', '+']).next().unwrap_or_default();
        release.split('.').map(|part| part.parse().unwrap_or(0)).collect()
    };
    numbers(version) > numbers(other)
}

/// The version and processes that replace the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpgradeMark {
    /// The newest version that asked for the upgrade.
    pub version: String,
    /// The processes that asked and will start the newer daemon. Empty if none of them identified itself.
    pub starters: Vec<Process>,
}

impl UpgradeMark {
    pub fn new(version: String) -> Self {
        Self { version, starters: Vec::new() }
    }

    /// Adds a request for the upgrade.
    pub fn ask(&mut self, version: &str, starter: Option<Process>) {
        if is_newer(version, &self.version) {
            version.clone_into(&mut self.version);
        }
        if let Some(starter) = starter.filter(|starter| !self.starters.contains(starter)) {
            self.starters.push(starter);
            let too_many = self.starters.len().saturating_sub(MOST_STARTERS);
            self.starters.drain(..too_many);
        }
    }

    /// Writes the mark. It is on disk when this returns.
    pub fn write(&self, home: &Home) -> io::Result<()> {
        atomic::write(&path(home), &serde_json::to_vec(self)?)
    }

    /// Returns the mark and its age. `None` if it does not exist, cannot be parsed (an older release leaves it empty),
    /// or is from the future because the clock was set.
    pub fn read(home: &Home) -> Option<(Self, Duration)> {
        let path = path(home);
        let age = fs::metadata(&path).ok()?.modified().ok()?.elapsed().ok()?;
        Some((serde_json::from_slice(&fs::read(path).ok()?).ok()?, age))
    }

    /// Returns whether a mark of any release exists.
    pub fn is_there(home: &Home) -> bool {
        path(home).exists()
    }

    /// Returns whether one of the processes that asked still runs.
    pub fn has_starter(&self) -> bool {
        self.starters.iter().any(Process::is_alive)
    }
}

fn path(home: &Home) -> PathBuf {
    home.run_files().join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::own_pid;
    use std::fs::File;
    use std::time::SystemTime;

    #[test]
    fn releases_are_compared_by_number() {
        for (newer, older) in [("0.2.0", "0.1.9"), ("0.10.0", "0.9.0"), ("1.0.0", "0.99.99"), ("0.1.1", "0.1.0-rc.1")] {
            assert!(is_newer(newer, older) && !is_newer(older, newer), "{newer} {older}");
        }
        assert!(!is_newer("0.1.0", "0.1.0"));
    }

    #[test]
    fn a_mark_is_read_with_its_age_and_names_the_newest_version_and_those_that_run() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        fs::create_dir(home.run_files()).unwrap();
        assert!(UpgradeMark::read(&home).is_none() && !UpgradeMark::is_there(&home));
        let mut mark = UpgradeMark::new("0.2.0".to_owned());
        assert!(!mark.has_starter());
        mark.ask("0.3.0", Process::find(own_pid()));
        mark.ask("0.2.1", Process::find(own_pid()));
        assert_eq!((mark.version.as_str(), mark.starters.len()), ("0.3.0", 1));
        mark.write(&home).unwrap();
        let (read, _) = UpgradeMark::read(&home).unwrap();
        assert!(read == mark && read.has_starter());
        let file = File::options().write(true).open(path(&home)).unwrap();
        let hour = Duration::from_secs(3600);
        file.set_modified(SystemTime::now() - hour).unwrap();
        assert!(UpgradeMark::read(&home).unwrap().1 >= hour);
        file.set_modified(SystemTime::now() + hour).unwrap();
        assert!(UpgradeMark::read(&home).is_none(), "from the future");
        fs::write(path(&home), "").unwrap();
        assert!(UpgradeMark::read(&home).is_none() && UpgradeMark::is_there(&home), "an older release's");
    }

    #[test]
    fn of_many_that_ask_the_last_are_kept() {
        let process = |pid: i32| serde_json::from_value(serde_json::json!({ "pid": pid, "began": 1 })).unwrap();
        let mut mark = UpgradeMark::new("0.2.0".to_owned());
        for pid in 1..100 {
            mark.ask("0.2.0", Some(process(pid)));
        }
        assert_eq!(mark.starters.len(), MOST_STARTERS);
        assert_eq!(mark.starters.last().map(|last| last.pid), Some(99));
    }
}
