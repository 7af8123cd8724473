//! The program for browsers to start: the running one, by its real path.
//!
//! Owns the check whether that path will last. Never copies the program anywhere.

use super::InstallError;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Returns the real, absolute path of the running program.
pub(crate) fn current() -> Result<PathBuf, InstallError> {
    let path = gstack_base::program::path().map_err(InstallError::NoBinary)?;
    // After an upgrade in place, the running file is unlinked; the new one is at its path.
    path.canonicalize().map_err(InstallError::NoBinary)
}

/// Fails if a browser could not start the program.
pub(crate) fn check(path: &Path) -> Result<(), InstallError> {
    let startable = path.is_absolute()
        && path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    if startable { Ok(()) } else { Err(InstallError::NotABinary { path: path.to_owned() }) }
}

/// Returns why `path` may be deleted soon, or `None` if it is permanent.
pub(crate) fn fleeting(path: &Path) -> Option<String> {
    // Cargo keeps its records beside what it builds.
    let build_folder = path.parent().is_some_and(|folder| folder.join(".fingerprint").is_dir());
    if build_folder {
        return Some(format!(
            "{} is in a build folder: browsers would not find it after `cargo clean`. Install it with: cargo install --path .",
            path.display()
        ));
    }
    if path.components().any(|part| part.as_os_str() == "_npx") {
        return Some(format!(
            "{} is in npx's cache, which npm may clear. Install its package with: npm install --global",
            path.display()
        ));
    }
    let temporary = std::env::temp_dir();
    let temporary = temporary.canonicalize().unwrap_or(temporary);
    (path.starts_with(&temporary) || path.starts_with("/tmp"))
        .then(|| format!("{} is in a temporary folder: browsers would not find it after a restart.", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_runs_from_a_build_folder() {
        let own = current().unwrap();
        check(&own).unwrap();
        let beside = own.parent().unwrap().parent().unwrap().join("gstack");
        assert!(fleeting(&beside).unwrap().contains("build folder"));
    }

    #[test]
    fn a_lasting_place_is_no_worry_and_a_temporary_one_is() {
        assert_eq!(fleeting(Path::new("/usr/local/bin/gstack")), None);
        assert!(fleeting(Path::new("/tmp/gstack")).unwrap().contains("temporary"));
        let cached = "/home/you/.npm/_npx/1/node_modules/@owner/gstack-linux-x64/bin/gstack";
        assert!(fleeting(Path::new(cached)).unwrap().contains("npx's cache"));
    }

    #[test]
    fn a_folder_and_a_relative_path_are_no_program() {
        assert!(matches!(check(Path::new("/")), Err(InstallError::NotABinary { .. })));
        assert!(matches!(check(Path::new("gstack")), Err(InstallError::NotABinary { .. })));
    }
}
