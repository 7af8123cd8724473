//! The files of one browser: those of the main browser are in the home's own folder, and those of any other in
//! `browsers/NAME` in it.
//!
//! Owns the paths, and which browsers of a home have files. Never opens a browser.

use super::browser_names::BrowserName;
use super::home::{Home, LONGEST_SOCKET_PATH};
use super::lock::FileLock;
use super::private_folder::{HomeError, is_private, private_folder};
use std::path::PathBuf;
use std::{fs, io};

/// The folder in a home that holds one folder per browser with a name.
const BROWSERS: &str = "browsers";

impl Home {
    /// Returns this home with the files of a browser. Creates their folder (0700) if it does not exist. The main
    /// browser's files are in the home's own folder.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be created, another user can access it, or the path of the browser's socket would be
    /// too long.
    pub fn for_browser(&self, name: &BrowserName) -> Result<Self, HomeError> {
        let home = self.with_browser(name);
        if home.browser.is_some() {
            let excess = home.browser_socket().as_os_str().len().saturating_sub(LONGEST_SOCKET_PATH);
            if excess > 0 {
                let most = name.as_str().len().saturating_sub(excess);
                return Err(HomeError::LongBrowserName { name: name.to_string(), most });
            }
            private_folder(&self.browsers_folder())?;
            private_folder(&home.browser_root())?;
        }
        Ok(home)
    }

    /// Returns the same without creating or checking anything.
    pub fn with_browser(&self, name: &BrowserName) -> Self {
        Self { browser: Some(name.clone()).filter(|name| !name.is_main()), ..self.clone() }
    }

    /// Returns the folder with one folder per browser with a name.
    pub fn browsers_folder(&self) -> PathBuf {
        self.root.join(BROWSERS)
    }

    /// Returns the folder of the browser's files.
    fn browser_root(&self) -> PathBuf {
        match &self.browser {
            Some(name) => self.browsers_folder().join(name.as_str()),
            None => self.root.clone(),
        }
    }

    /// Returns the path of the lock (flock) that a keeper holds while it, and so its browser, runs.
    pub fn keeper_lock(&self) -> PathBuf {
        self.browser_root().join("keeper.lock")
    }

    /// Returns the path of the Unix socket on which the keeper serves the browser.
    pub fn browser_socket(&self) -> PathBuf {
        // Beside the other sockets: in the browser's own folder, its path could be too long.
        match &self.browser {
            Some(name) => self.sockets.join(format!("b.{name}.sock")),
            None => self.sockets.join("browser.sock"),
        }
    }

    /// Returns the path of the key that proves to the browser's keeper that a client is the person's daemon. New for
    /// each browser.
    pub fn keeper_key(&self) -> PathBuf {
        self.browser_root().join("keeper.key")
    }

    /// Returns the path of the log of the keeper and its browser.
    pub fn keeper_log(&self) -> PathBuf {
        self.browser_root().join("keeper.log")
    }

    /// Returns the path of the pages' console messages, requests and dialogs, if the person has enabled their capture.
    pub fn capture_file(&self) -> PathBuf {
        self.browser_root().join("capture.jsonl")
    }

    /// Returns the folder of the extension that limits the open browser to a list of sites.
    pub fn site_guard(&self) -> PathBuf {
        self.browser_root().join("site-guard")
    }

    /// Returns the path of the file that names the everyday browser in use.
    pub fn everyday_file(&self) -> PathBuf {
        self.browser_root().join("everyday.json")
    }

    /// Returns the path of the tab numbers, kept for the next daemon.
    pub fn tabs_file(&self) -> PathBuf {
        self.browser_root().join("tabs.json")
    }

    /// Returns the folder of the profile that the browser runs with.
    pub fn browser_profile(&self) -> PathBuf {
        self.browser_root().join("chromium-profile")
    }

    /// Returns the browsers that have files in this home: the main one, then the others by name. One that was closed
    /// still has its profile.
    pub fn browsers(&self) -> Vec<BrowserName> {
        let folder = self.browsers_folder();
        let entries = fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        let mut named: Vec<_> = entries
            .filter_map(|entry| BrowserName::parse(entry.file_name().to_str()?).ok())
            .filter(|name| !name.is_main() && is_private(&folder.join(name.as_str())))
            .collect();
        named.sort();
        std::iter::once(BrowserName::default()).chain(named).collect()
    }

    /// Returns the browsers that gstack started and that are open, with or without a daemon.
    ///
    /// # Errors
    ///
    /// Fails if a keeper's lock cannot be tested.
    pub fn kept_browsers(&self) -> io::Result<Vec<BrowserName>> {
        let mut kept = Vec::new();
        for name in self.browsers() {
            if FileLock::is_held(&self.with_browser(&name).keeper_lock())? {
                kept.push(name);
            }
        }
        Ok(kept)
    }
}
