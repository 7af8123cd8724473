//! Folders: which ones a conversation may work in, and which ones gstack keeps private.
//!
//! Owns the check of a folder that a person names. Never opens anything in it.

use gstack_base::home::{Home, HomeError, private_folder};
use gstack_protocol::catalogue::{self, MessageTemplate, Sentence};
use gstack_protocol::fault::{Fault, FaultCode};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Why a folder is not usable.
#[derive(Debug)]
enum FolderError {
    /// Holds the folder as the person named it.
    NotAbsolute(String),
    NotUsable {
        path: PathBuf,
        source: io::Error,
    },
    NotAFolder(PathBuf),
    /// `why` is a sentence with a placeholder for the folder.
    OffLimits {
        folder: PathBuf,
        why: MessageTemplate,
    },
    NotPrivate(HomeError),
    NotResolved(io::Error),
}

impl From<FolderError> for Fault {
    fn from(error: FolderError) -> Self {
        let shown = |path: &Path| path.display().to_string();
        let (code, message, hint): (_, _, Sentence) = match error {
            FolderError::NotAbsolute(named) => {
                let message = catalogue::PATH_NOT_ABSOLUTE.with([&format!("{named:?}")]);
                (FaultCode::BadRequest, message, catalogue::PATH_NOT_ABSOLUTE_NEXT.into())
            }
            FolderError::NotUsable { path, source } => {
                let message = catalogue::FOLDER_NOT_USABLE.with([&shown(&path), &source.to_string()]);
                (FaultCode::NotFound, message, catalogue::FOLDER_NOT_USABLE_NEXT.into())
            }
            FolderError::NotAFolder(path) => (
                FaultCode::BadRequest,
                catalogue::NOT_A_FOLDER.with([&shown(&path)]),
                catalogue::NOT_A_FOLDER_NEXT.into(),
            ),
            FolderError::OffLimits { folder, why } => {
                (FaultCode::PathRefused, why.with([&shown(&folder)]), catalogue::CHOOSE_PROJECT_FOLDER.into())
            }
            FolderError::NotPrivate(error) => (FaultCode::Storage, error.to_string().into(), error.hint().into()),
            FolderError::NotResolved(error) => return Self::new(FaultCode::Storage, error.to_string()),
        };
        Self::new(code, message).hint(hint)
    }
}

/// Returns the folder that a person named with all links resolved. Blocks on the disk. Fails if an agent cannot work
/// there.
pub(crate) fn check(named: &str, home: &Home) -> Result<PathBuf, Fault> {
    let user_home = dirs::home_dir();
    let path = match (named.strip_prefix("~/"), &user_home) {
        (Some(rest), Some(user_home)) => user_home.join(rest),
        _ => PathBuf::from(named),
    };
    if !path.is_absolute() {
        return Err(FolderError::NotAbsolute(named.to_owned()).into());
    }
    let found = path.canonicalize().map_err(|source| FolderError::NotUsable { path, source })?;
    if !found.is_dir() {
        return Err(FolderError::NotAFolder(found).into());
    }
    let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let user_home = user_home.map(|path| resolved(&path));
    match off_limits(&found, user_home.as_deref(), &resolved(home.shared()), &resolved(&home.workspace())) {
        None => Ok(found),
        Some(why) => Err(FolderError::OffLimits { folder: found, why }.into()),
    }
}

/// Creates a folder that only this user can access. Returns its path. Fails if it cannot be made private.
pub(crate) fn private(folder: PathBuf) -> Result<PathBuf, Fault> {
    private_folder(&folder).map_err(FolderError::NotPrivate)?;
    Ok(folder)
}

/// Returns the folder for screenshots and downloads without a path. The path to the home may contain symbolic links,
/// which are resolved here because later no link is followed.
pub(crate) fn temporary(home: &Home) -> Result<PathBuf, Fault> {
    let folder = private(home.temporary())?;
    Ok(folder.canonicalize().map_err(FolderError::NotResolved)?)
}

/// Returns why an agent must not work there.
fn off_limits(folder: &Path, user_home: Option<&Path>, root: &Path, workspace: &Path) -> Option<MessageTemplate> {
    if folder.starts_with(workspace) {
        return None;
    }
    if folder.starts_with(root) {
        return Some(catalogue::FOLDER_HOLDS_GSTACK);
    }
    if root.starts_with(folder) && folder != user_home.unwrap_or(root) {
        return Some(catalogue::FOLDER_ABOVE_GSTACK);
    }
    let user_home = user_home?;
    if folder == user_home || user_home.starts_with(folder) {
        return Some(catalogue::FOLDER_ABOVE_HOME);
    }
    let beneath = folder.strip_prefix(user_home).ok()?.iter().next()?;
    if beneath.as_bytes().starts_with(b".") || beneath == OsStr::new("Library") {
        return Some(catalogue::FOLDER_HOLDS_KEYS);
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
    fn a_session_closes_what_all_sessions_share() {
        let folder = tempfile::tempdir().unwrap();
        let base = Home::at(folder.path().join("g")).unwrap();
        for inside in ["instances", "profiles/work"] {
            private(base.root().join(inside)).unwrap();
        }
        let shop = Home::at(base.root().join("instances/shop")).unwrap();
        let other = Home::at(base.root().join("instances/other")).unwrap();
        for closed in [base.root(), &base.root().join("profiles/work"), shop.root(), other.root()] {
            let fault = check(closed.to_str().unwrap(), &shop).unwrap_err();
            assert_eq!(fault.code, FaultCode::PathRefused, "{}", closed.display());
        }
        let workspace = private(shop.workspace()).unwrap();
        assert!(check(workspace.to_str().unwrap(), &shop).is_ok());
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
