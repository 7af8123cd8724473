//! Files that earlier daemons left in the home's exchange folders.
//!
//! Owns their removal at the start. Never touches files at a path that a person chose.

use gstack_base::home::Home;
use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long screenshots and downloads without a path are kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How long an incomplete download is kept after its daemon ended. A browser that still runs may be writing it.
const INCOMING_KEPT: Duration = Duration::from_secs(60 * 60);

/// Removes the files of agents that ended with an earlier daemon, and old temporary files. Blocks on the disk.
pub(crate) fn sweep(home: &Home, now: SystemTime) {
    remove(&home.run_files(), |_| true);
    let older_than = |entry: &DirEntry, limit: Duration| {
        let changed = entry.metadata().and_then(|found| found.modified());
        changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > limit))
    };
    remove(&home.temporary(), |entry| older_than(entry, KEPT));
    remove(&home.incoming(), |entry| older_than(entry, INCOMING_KEPT));
}

/// Removes the copies of uploaded files. Blocks on the disk.
pub(crate) fn remove_uploads(home: &Home) {
    remove(&home.uploads(), |_| true);
}

fn remove(folder: &Path, is_left_over: impl Fn(&DirEntry) -> bool) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        Err(error) => return tracing::warn!(%error, folder = %folder.display(), "a folder can't be tidied"),
    };
    for entry in entries.flatten() {
        if !is_left_over(&entry) {
            continue;
        }
        let removed = match entry.file_type() {
            Ok(kind) if kind.is_file() => fs::remove_file(entry.path()),
            // A folder for the temporary files of an agent.
            Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
            _ => continue,
        };
        if let Err(error) = removed {
            tracing::warn!(%error, file = %entry.path().display(), "a left-over file can't be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_files_go_at_once_and_temporary_ones_when_they_are_old() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        // A home without these folders needs no cleanup.
        sweep(&home, SystemTime::now());
        for folder in [home.run_files(), home.temporary()] {
            fs::create_dir(folder).unwrap();
        }
        fs::create_dir(home.incoming()).unwrap();
        let (run, temporary) = (home.run_files().join("claude-mcp.json"), home.temporary().join("shot.png"));
        let part = home.incoming().join("0f6b.crdownload");
        fs::write(&run, "{}").unwrap();
        fs::write(&part, "half").unwrap();
        fs::write(&temporary, "png").unwrap();
        sweep(&home, SystemTime::now());
        assert!(!run.exists() && temporary.exists() && part.exists());
        sweep(&home, SystemTime::now() + INCOMING_KEPT + Duration::from_secs(60));
        assert!(!part.exists() && temporary.exists());
        sweep(&home, SystemTime::now() + KEPT + Duration::from_secs(60));
        assert!(!temporary.exists());
    }
}
