//! The rule for everything that a sandbox opens: paths are resolved first, and the real ones compared with the closed
//! places.
//!
//! Owns the comparison. Every path of a plan passes it. Never opens anything: it only reads where links lead. What a
//! folder that an agent may write contains (a link, a repository) names nothing inside a closed place, and a link there
//! leads to nothing outside of that folder.

use super::plan::MOST_LINKS;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A closed place: the path that the lists name, and the one to which it leads.
#[derive(Debug)]
struct Place {
    named: PathBuf,
    real: PathBuf,
}

impl Place {
    fn is_named_by(&self, path: &Path) -> bool {
        path.starts_with(&self.named) || path.starts_with(&self.real)
    }
}

/// The closed places of one plan.
#[derive(Debug)]
pub(super) struct Opening(Vec<Place>);

impl Opening {
    /// Resolves the closed places.
    pub(super) fn new(closed: &[PathBuf]) -> Self {
        let place = |named: &PathBuf| {
            let real = named.canonicalize().unwrap_or_else(|_| named.clone());
            Place { named: named.clone(), real }
        };
        Self(closed.iter().map(place).collect())
    }

    /// Returns true if a path that gstack's lists or the person name may be read. It may be inside a closed place only
    /// if it is named there.
    pub(super) fn reads(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else { return false };
        self.0.iter().all(|place| !real.starts_with(&place.real) || place.is_named_by(path))
    }

    /// Returns true if such a path may be written: it must not lead out of the closed place that it is named in either.
    pub(super) fn writes(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else { return false };
        self.0.iter().all(|place| real.starts_with(&place.real) == place.is_named_by(path))
    }

    /// Returns true if a path that was found on the disk may be opened: it leads into no closed place, except into a
    /// path of `open`, which is opened anyway.
    pub(super) fn finds(&self, path: &Path, open: &[PathBuf]) -> bool {
        let Ok(real) = path.canonicalize() else { return false };
        let is_open = || open.iter().any(|open| open.canonicalize().is_ok_and(|open| real.starts_with(open)));
        self.0.iter().all(|place| !real.starts_with(&place.real)) || is_open()
    }

    /// Returns true if a path that a repository names may be opened: no component of it is a link, and it is in no
    /// closed place.
    pub(super) fn follows(&self, path: &Path, open: &[PathBuf]) -> bool {
        path.canonicalize().is_ok_and(|real| real == path) && self.finds(path, open)
    }

    /// Returns the real path of a conversation's folder.
    ///
    /// # Errors
    ///
    /// Fails if it does not exist, or if a link has taken the place of one of its components since it was chosen.
    pub(super) fn folder(&self, folder: &Path) -> io::Result<PathBuf> {
        let real = folder.canonicalize()?;
        // gstack's home, and so its workspace and its work trees, may be named through links of the person.
        let is_ours = |place: &Place| {
            folder
                .strip_prefix(&place.named)
                .is_ok_and(|rest| real.strip_prefix(&place.real).is_ok_and(|real| real == rest))
        };
        if real == folder || self.0.iter().any(is_ours) {
            return Ok(real);
        }
        let said = format!("{} now leads to {}; choose the folder again", folder.display(), real.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, said))
    }
}

/// Returns true if a link in one of the folders that an agent writes leads this path out of them: then an agent may have
/// planted it. `written`: real paths.
pub(super) fn is_planted(path: &Path, written: &[PathBuf]) -> bool {
    let is_written = |path: &Path| written.iter().any(|folder| path.starts_with(folder));
    if path.canonicalize().map_or(true, |real| is_written(&real)) {
        return false;
    }
    let (mut reached, mut ahead, mut links) = (PathBuf::from("/"), path.to_owned(), 0);
    loop {
        let mut components = ahead.components();
        let Some(next) = components.next() else { return false };
        let rest = components.as_path().to_owned();
        ahead = match next {
            Component::Normal(name) => match std::fs::read_link(reached.join(name)) {
                Ok(_) if is_written(&reached) || links > MOST_LINKS => return true,
                Ok(target) => {
                    links += 1;
                    target.join(rest)
                }
                Err(_) => {
                    reached.push(name);
                    rest
                }
            },
            Component::ParentDir => {
                reached.pop();
                rest
            }
            Component::RootDir => {
                reached = PathBuf::from("/");
                rest
            }
            Component::CurDir | Component::Prefix(_) => rest,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_a_path_that_is_named_inside_a_closed_place_is_open_there() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["dotfiles/agent/logs", ".ssh", "letters", "project/.git", "project/sub"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        symlink(home.join("dotfiles/agent"), home.join(".agent")).unwrap();
        for (name, target) in [("planted", ".ssh"), ("outside", "letters"), ("inside", "dotfiles/agent/logs")] {
            symlink(home.join(target), home.join("dotfiles/agent").join(name)).unwrap();
        }
        symlink(home.join(".ssh"), home.join("project/link")).unwrap();
        let opening = Opening::new(&[".agent", ".ssh"].map(|name| home.join(name)));
        let at = |path: &str| home.join(path);
        assert!(opening.writes(&at(".agent/logs")) && opening.writes(&at(".agent/inside")));
        assert!(!opening.reads(&at(".agent/planted")) && !opening.writes(&at(".agent/planted")));
        assert!(opening.reads(&at(".agent/outside")) && !opening.writes(&at(".agent/outside")));
        assert!(!opening.reads(&at("project/link")) && !opening.finds(&at("dotfiles/agent/logs"), &[]));
        assert!(opening.finds(&at("dotfiles/agent/logs"), &[at(".agent")]));
        assert!(opening.follows(&at("project/.git"), &[]) && !opening.follows(&at("project/link"), &[]));
        assert!(opening.folder(&at("project/sub")).is_ok() && opening.folder(&at(".agent/logs")).is_ok());
        assert!(opening.folder(&at("project/link")).is_err() && opening.folder(&at(".agent/planted")).is_err());
        let written = [at("project"), at("dotfiles/agent")];
        symlink("../sub", at("project/.git/inside")).unwrap();
        symlink("../project/link", at("letters/chain")).unwrap();
        for planted in ["project/link", "project/sub/../link", "letters/chain", ".agent/planted", ".agent/outside"] {
            assert!(is_planted(&at(planted), &written), "{planted}");
        }
        for own in ["project/sub", "project/.git/inside/..", ".agent", ".agent/inside", "letters", "missing"] {
            assert!(!is_planted(&at(own), &written), "{own}");
        }
    }
}
