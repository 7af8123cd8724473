//! The instances of a home: the default one, and one for each session that was used.
//!
//! Owns finding them and telling from their files whether they run. Never starts, creates or changes one.

use super::home::Home;
use super::lock::FileLock;
use super::plain_name;
use super::private_folder::is_private;
use super::profiles::{self, DEFAULT, ProfileName};
use super::state::State;
use std::fs;
use std::io;

/// An instance and its folder.
#[derive(Clone, Debug)]
pub struct Instance {
    /// `default`, or the name of the session.
    pub name: String,
    pub home: Home,
}

/// What the files of an instance say. The locks of its processes decide, which the kernel releases even on kill -9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signs {
    /// Its daemon holds the lock.
    Daemon,
    /// Its browser is open, but its daemon does not run. The next command starts one.
    BrowserOnly,
    /// No process runs, and no files are left over.
    Stopped,
    /// No process runs, but a killed daemon or keeper left files.
    Dead,
}

/// Returns the default instance, then the others by name.
pub fn all(of: &Home) -> io::Result<Vec<Instance>> {
    let shared = of.shared().to_owned();
    let folder = Home::instances_of(&shared);
    let mut named = match fs::read_dir(&folder) {
        Ok(entries) => {
            entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok()).collect()
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    named.retain(|name: &String| plain_name::is_name(name) && name != DEFAULT && is_private(&folder.join(name)));
    named.sort();
    let home = |root: std::path::PathBuf| Home::found(root.clone()).unwrap_or_else(|| Home::named(root));
    let default = Instance { name: DEFAULT.to_owned(), home: home(shared) };
    let others = named.into_iter().map(|name| Instance { home: home(folder.join(&name)), name });
    Ok(std::iter::once(default).chain(others).collect())
}

impl Instance {
    /// Reads what its files say.
    ///
    /// # Errors
    ///
    /// Fails if a lock cannot be tested.
    pub fn signs(&self) -> io::Result<Signs> {
        if FileLock::is_held(&self.home.daemon_lock())? {
            return Ok(Signs::Daemon);
        }
        if self.has_browser()? {
            return Ok(Signs::BrowserOnly);
        }
        let is_left = State::read(&self.home).is_some()
            || self.home.http_socket().exists()
            || self.home.browsers().iter().any(|name| self.home.with_browser(name).browser_socket().exists());
        Ok(if is_left { Signs::Dead } else { Signs::Stopped })
    }

    /// Returns whether a browser that gstack started is open.
    pub fn has_browser(&self) -> io::Result<bool> {
        Ok(!self.home.kept_browsers()?.is_empty())
    }

    /// Returns the profile that its browser holds.
    pub fn held_profile(&self) -> Option<ProfileName> {
        let named = self.home.named_profiles().unwrap_or_default();
        std::iter::once(ProfileName::default()).chain(named).find(|profile| {
            let user = profiles::user(&self.home.profile_lock(profile)).ok().flatten().flatten();
            user.as_deref() == Some(&self.name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::private_folder::private_folder;
    use super::*;

    fn instance(name: &str, of: &Home) -> Instance {
        all(of).unwrap().into_iter().find(|instance| instance.name == name).unwrap()
    }

    #[test]
    fn instances_are_those_with_a_private_folder_and_the_default_one() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("g")).unwrap();
        let names = |home: &Home| all(home).unwrap().into_iter().map(|found| found.name).collect::<Vec<_>>();
        assert_eq!(names(&home), ["default"]);
        let instances = Home::instances_of(home.root());
        for name in ["shop", "a b", "default", "big"] {
            private_folder(&instances.join(name)).unwrap();
        }
        private_folder(&instances).unwrap();
        fs::write(instances.join("file"), "").unwrap();
        assert_eq!(names(&home), ["default", "big", "shop"]);
        let shop = Home::at(instances.join("shop")).unwrap();
        assert_eq!(names(&shop), ["default", "big", "shop"], "the same from each instance");
    }

    #[test]
    fn locks_tell_what_runs_and_left_files_what_was_killed() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("g")).unwrap();
        let signs = || instance("default", &home).signs().unwrap();
        assert_eq!(signs(), Signs::Stopped);
        let daemon = FileLock::try_take(&home.daemon_lock()).unwrap().unwrap();
        assert_eq!(signs(), Signs::Daemon);
        let state = State { pid: 1, port: 2, token: String::new(), version: String::new(), mode: String::new() };
        state.write(&home).unwrap();
        drop(daemon);
        assert_eq!(signs(), Signs::Dead, "its record is left");
        let keeper = FileLock::try_take(&home.keeper_lock()).unwrap().unwrap();
        assert_eq!(signs(), Signs::BrowserOnly);
        home.prepare_profiles().unwrap();
        let work = ProfileName::parse("work").unwrap();
        fs::create_dir(home.profile(&work)).unwrap();
        let held = profiles::take(&home.profile_lock(&work), "default").unwrap().unwrap();
        assert_eq!(instance("default", &home).held_profile(), Some(work));
        drop((keeper, held));
        State::remove(&home);
        assert_eq!(signs(), Signs::Stopped);
        assert_eq!(instance("default", &home).held_profile(), None);
    }
}
