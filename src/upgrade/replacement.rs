//! The program's location in the file system: installs a complete program, and can restore the previous one.
//!
//! Owns the staging folder next to the program, and removes it at the end. A running program cannot be written to, but
//! it can be replaced; each step is a single rename.

use super::error::UpgradeError;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// A program that does not print its version within this time is broken.
const VERSION_LIMIT: Duration = Duration::from_secs(20);

/// The prefix of staging folder names.
const STAGING: &str = ".gstack-upgrade.";
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A private folder, removed when dropped.
pub(super) struct Staging(PathBuf);

impl Staging {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // If the removal fails, a harmless hidden folder remains.
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Removes folders of killed upgrades: those older than any upgrade takes.
fn clear_old(beneath: &Path) {
    for entry in fs::read_dir(beneath).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(STAGING);
        let age = entry.metadata().and_then(|found| found.modified()).map(|time| time.elapsed().unwrap_or_default());
        if is_ours && age.is_ok_and(|age| age > LONGEST) {
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

pub(super) fn private_folder(beneath: &Path) -> Result<Staging, UpgradeError> {
    let path = beneath.join(format!("{STAGING}{}", uuid::Uuid::new_v4().simple()));
    let made = DirBuilder::new().mode(0o700).create(&path);
    made.map_err(|source| UpgradeError::Place { path: path.clone(), source })?;
    Ok(Staging(path))
}

pub(super) struct Replacement {
    program: PathBuf,
    staging: Staging,
}

impl Replacement {
    /// Fails if files cannot be created next to the program, because then it cannot be replaced either.
    pub(super) fn at(program: &Path) -> Result<Self, UpgradeError> {
        clear_old(folder(program));
        let staging = private_folder(folder(program)).map_err(|error| match error {
            UpgradeError::Place { source, .. } => UpgradeError::Place { path: program.to_owned(), source },
            other => other,
        })?;
        Ok(Self { program: program.to_owned(), staging })
    }

    pub(super) fn staging(&self) -> &Path {
        self.staging.path()
    }

    /// Unpacks only the program from a verified archive.
    pub(super) async fn unpack(&self, archive: &Path, target: &str) -> Result<PathBuf, UpgradeError> {
        let inside = format!("gstack-{target}/gstack");
        let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let damaged = |how: String| UpgradeError::Damaged { name, how };
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(archive).arg("-C").arg(self.staging()).arg(&inside);
        let output = tar.stdin(Stdio::null()).kill_on_drop(true).output().await;
        match output {
            Ok(output) if output.status.success() => {}
            Ok(output) => return Err(damaged(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
            Err(error) => return Err(damaged(format!("tar: {error}"))),
        }
        let fresh = self.staging().join(inside);
        let is_file = fresh.symlink_metadata().is_ok_and(|found| found.is_file());
        if !is_file {
            return Err(damaged("its program is not a file".to_owned()));
        }
        self.written(&fresh, fs::set_permissions(&fresh, Permissions::from_mode(0o755)))?;
        Ok(fresh)
    }

    /// Keeps the current program, for [`Self::put_back`].
    pub(super) fn keep_previous(&self) -> Result<(), UpgradeError> {
        let previous = self.previous();
        // A hard link costs nothing, but some file systems do not support it.
        let kept = fs::hard_link(&self.program, &previous).or_else(|_| fs::copy(&self.program, &previous).map(|_| ()));
        self.written(&previous, kept)
    }

    /// Moves a program into place. On disk when this returns.
    pub(super) fn put(&self, fresh: &Path) -> Result<(), UpgradeError> {
        let put = || -> io::Result<()> {
            File::open(fresh)?.sync_all()?;
            fs::rename(fresh, &self.program)?;
            File::open(folder(&self.program))?.sync_all()
        };
        self.written(&self.program, put())
    }

    pub(super) fn put_back(&self) -> Result<(), UpgradeError> {
        self.put(&self.previous())
    }

    fn previous(&self) -> PathBuf {
        self.staging().join("previous")
    }

    fn written(&self, path: &Path, done: io::Result<()>) -> Result<(), UpgradeError> {
        done.map_err(|source| UpgradeError::Place { path: path.to_owned(), source })
    }
}

/// Returns the version that a program prints for `--version`.
pub(super) async fn version_of(program: &Path) -> Result<String, UpgradeError> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).kill_on_drop(true);
    let output = match tokio::time::timeout(VERSION_LIMIT, command.output()).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return Err(UpgradeError::DoesNotStart(error.to_string())),
        Err(_) => return Err(UpgradeError::DoesNotStart("it does not say its version".to_owned())),
    };
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(UpgradeError::DoesNotStart(output.status.to_string())),
    }
}

/// Returns the parent folder; a program's path always has one.
fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_can_be_put_back_and_nothing_stays_beside_it() {
        let bin = tempfile::tempdir().unwrap();
        let program = bin.path().join("gstack");
        fs::write(&program, "old").unwrap();
        // Folders of an upgrade killed long ago, and of one that is running.
        let (old, young) = (bin.path().join(".gstack-upgrade.1"), bin.path().join(".gstack-upgrade.2"));
        for left in [&old, &young] {
            fs::create_dir(left).unwrap();
        }
        let long_ago = std::time::SystemTime::now() - 2 * LONGEST;
        File::open(&old).unwrap().set_modified(long_ago).unwrap();
        let place = Replacement::at(&program).unwrap();
        assert!(!old.exists() && young.exists());
        fs::remove_dir(&young).unwrap();
        let fresh = place.staging().join("new");
        fs::write(&fresh, "new").unwrap();
        place.keep_previous().unwrap();
        place.put(&fresh).unwrap();
        assert_eq!(fs::read(&program).unwrap(), b"new");
        place.put_back().unwrap();
        assert_eq!(fs::read(&program).unwrap(), b"old");
        drop(place);
        assert_eq!(fs::read_dir(bin.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_can_not_be_written_is_said_before_anything_is_downloaded() {
        assert!(
            matches!(Replacement::at(Path::new("/proc/gstack")), Err(UpgradeError::Place { path, .. }) if path == Path::new("/proc/gstack"))
        );
    }
}
