//! Folders: which ones a conversation may work in, and those that gstack keeps private.
//!
//! Owns the check of a folder that a person names. Never opens anything in it.

use crate::base::home::{Home, private_folder};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::told;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The folder that a person named, with all links resolved, or why an agent can't work there. Blocks for the disk.
pub(in crate::engine) fn check(named: &str, home: &Home) -> Result<PathBuf, Fault> {
    let user_home = dirs::home_dir();
    let path = match (named.strip_prefix("~/"), &user_home) {
        (Some(rest), Some(user_home)) => user_home.join(rest),
        _ => PathBuf::from(named),
    };
    if !path.is_absolute() {
        return Err(Fault::new(FaultCode::BadRequest, told::PATH_NOT_ABSOLUTE.with([&format!("{named:?}")]))
            .hint(told::PATH_NOT_ABSOLUTE_NEXT));
    }
    let found = path.canonicalize().map_err(|error| {
        Fault::new(FaultCode::NotFound, told::FOLDER_NOT_USABLE.with([&path.display().to_string(), &error.to_string()]))
            .hint(told::FOLDER_NOT_USABLE_NEXT)
    })?;
    if !found.is_dir() {
        return Err(Fault::new(FaultCode::BadRequest, told::NOT_A_FOLDER.with([&found.display().to_string()]))
            .hint(told::NOT_A_FOLDER_NEXT));
    }
    let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let user_home = user_home.map(|path| resolved(&path));
    match off_limits(&found, user_home.as_deref(), &resolved(home.root()), &resolved(&home.workspace())) {
        None => Ok(found),
        Some(why) => {
            Err(Fault::new(FaultCode::PathRefused, told::FOLDER_OFF_LIMITS.with([&found.display().to_string(), why]))
                .hint(told::CHOOSE_PROJECT_FOLDER))
        }
    }
}

/// Makes a folder that only this user may look into. Returns its path.
pub(in crate::engine) fn private(folder: PathBuf) -> Result<PathBuf, Fault> {
    private_folder(&folder).map_err(|error| Fault::new(FaultCode::Storage, error.to_string()).hint(error.hint()))?;
    Ok(folder)
}

/// Where screenshots and downloads without a path go. A link of the person's own may lead to the home; it is resolved here,
/// because later none is followed.
pub(in crate::engine) fn temporary(home: &Home) -> Result<PathBuf, Fault> {
    let folder = private(home.temporary())?;
    folder.canonicalize().map_err(|error| Fault::new(FaultCode::Storage, error.to_string()))
}

/// Why an agent must not work there.
fn off_limits(folder: &Path, user_home: Option<&Path>, root: &Path, workspace: &Path) -> Option<&'static str> {
    if folder.starts_with(workspace) {
        return None;
    }
    if folder.starts_with(root) {
        return Some("gstack's own files lie there");
    }
    if root.starts_with(folder) && folder != user_home.unwrap_or(root) {
        return Some("everything that gstack keeps lies beneath it");
    }
    let user_home = user_home?;
    if folder == user_home || user_home.starts_with(folder) {
        return Some("all that is yours lies beneath it");
    }
    let beneath = folder.strip_prefix(user_home).ok()?.iter().next()?;
    if beneath.as_bytes().starts_with(b".") || beneath == OsStr::new("Library") {
        return Some("settings, keys and signed-in sessions lie in it");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_open_and_what_holds_keys_is_not() {
        let refused = |folder: &str| {
            let place = |path: &'static str| Path::new(path);
            off_limits(
                Path::new(folder),
                Some(place("/home/a")),
                place("/home/a/.gstack"),
                place("/home/a/.gstack/workspace"),
            )
        };
        for open in ["/home/a/project", "/home/a/.gstack/workspace", "/home/a/.gstack/workspace/x", "/srv/code"] {
            assert_eq!(refused(open), None, "{open}");
        }
        for closed in
            ["/", "/home", "/home/a", "/home/a/.ssh", "/home/a/.config/x", "/home/a/.gstack", "/home/a/Library/x"]
        {
            assert!(refused(closed).is_some(), "{closed}");
        }
    }

    #[test]
    fn a_folder_is_named_whole_and_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home")).unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir(&project).unwrap();
        assert_eq!(check(project.to_str().unwrap(), &home).unwrap(), project.canonicalize().unwrap());
        std::fs::write(project.join("file"), "").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(home.root(), &link).unwrap();
        let cases = [
            (PathBuf::from("project"), FaultCode::BadRequest),
            (folder.path().join("nowhere"), FaultCode::NotFound),
            (project.join("file"), FaultCode::BadRequest),
            (link, FaultCode::PathRefused),
        ];
        for (named, code) in cases {
            let fault = check(named.to_str().unwrap(), &home).unwrap_err();
            assert!(fault.code == code && fault.hint.is_some(), "{}: {fault}", named.display());
        }
    }
}
