//! The Chromium family: the supported browsers, their data folders, and those installed on this machine.
//!
//! Owns the table. Never writes and never starts anything.
//! Source of the folders:
//! <https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging#native-messaging-host-location> and
//! <https://chromium.googlesource.com/chromium/src/+/main/docs/user_data_dir.md>

use std::env;
use std::path::{Path, PathBuf};

/// One channel of one browser.
#[derive(Debug, PartialEq, Eq)]
pub struct Browser {
    /// The name shown to people: `Chrome Beta`.
    pub name: &'static str,
    /// The user data folder, relative to `~/.config`.
    linux: Option<&'static str>,
    /// The user data folder, relative to `~/Library/Application Support`.
    macos: Option<&'static str>,
    /// The names of its programs on the path (Linux).
    programs: &'static [&'static str],
    /// The name of its application on macOS, without `.app`.
    application: Option<&'static str>,
}

const fn browser(
    name: &'static str,
    linux: Option<&'static str>,
    macos: Option<&'static str>,
    programs: &'static [&'static str],
    application: Option<&'static str>,
) -> Browser {
    Browser { name, linux, macos, programs, application }
}

/// Every browser that reads host manifests as Chromium does.
pub const FAMILY: [Browser; 15] = [
    browser(
        "Chrome",
        Some("google-chrome"),
        Some("Google/Chrome"),
        &["google-chrome", "google-chrome-stable"],
        Some("Google Chrome"),
    ),
    browser(
        "Chrome Beta",
        Some("google-chrome-beta"),
        Some("Google/Chrome Beta"),
        &["google-chrome-beta"],
        Some("Google Chrome Beta"),
    ),
    browser(
        "Chrome Dev",
        Some("google-chrome-unstable"),
        Some("Google/Chrome Dev"),
        &["google-chrome-unstable"],
        Some("Google Chrome Dev"),
    ),
    browser(
        "Chrome Canary",
        Some("google-chrome-canary"),
        Some("Google/Chrome Canary"),
        &["google-chrome-canary"],
        Some("Google Chrome Canary"),
    ),
    browser(
        "Chrome for Testing",
        Some("google-chrome-for-testing"),
        Some("Google/ChromeForTesting"),
        &["chrome-for-testing", "google-chrome-for-testing"],
        Some("Google Chrome for Testing"),
    ),
    browser("Chromium", Some("chromium"), Some("Chromium"), &["chromium", "chromium-browser"], Some("Chromium")),
    browser(
        "Edge",
        Some("microsoft-edge"),
        Some("Microsoft Edge"),
        &["microsoft-edge", "microsoft-edge-stable"],
        Some("Microsoft Edge"),
    ),
    browser(
        "Edge Beta",
        Some("microsoft-edge-beta"),
        Some("Microsoft Edge Beta"),
        &["microsoft-edge-beta"],
        Some("Microsoft Edge Beta"),
    ),
    browser(
        "Edge Dev",
        Some("microsoft-edge-dev"),
        Some("Microsoft Edge Dev"),
        &["microsoft-edge-dev"],
        Some("Microsoft Edge Dev"),
    ),
    browser("Edge Canary", None, Some("Microsoft Edge Canary"), &[], Some("Microsoft Edge Canary")),
    browser(
        "Brave",
        Some("BraveSoftware/Brave-Browser"),
        Some("BraveSoftware/Brave-Browser"),
        &["brave-browser", "brave-browser-stable", "brave"],
        Some("Brave Browser"),
    ),
    browser(
        "Brave Beta",
        Some("BraveSoftware/Brave-Browser-Beta"),
        Some("BraveSoftware/Brave-Browser-Beta"),
        &["brave-browser-beta"],
        Some("Brave Browser Beta"),
    ),
    browser(
        "Brave Nightly",
        Some("BraveSoftware/Brave-Browser-Nightly"),
        Some("BraveSoftware/Brave-Browser-Nightly"),
        &["brave-browser-nightly"],
        Some("Brave Browser Nightly"),
    ),
    browser("Vivaldi", Some("vivaldi"), Some("Vivaldi"), &["vivaldi", "vivaldi-stable"], Some("Vivaldi")),
    browser(
        "Vivaldi Snapshot",
        Some("vivaldi-snapshot"),
        Some("Vivaldi Snapshot"),
        &["vivaldi-snapshot"],
        Some("Vivaldi Snapshot"),
    ),
];

/// Packages whose sandbox keeps the browser from starting a program outside it.
const SANDBOXED: [(&str, &str); 8] = [
    ("Chromium (snap)", "snap/chromium"),
    ("Brave (snap)", "snap/brave"),
    ("Chrome (flatpak)", ".var/app/com.google.Chrome"),
    ("Chromium (flatpak)", ".var/app/org.chromium.Chromium"),
    ("Ungoogled Chromium (flatpak)", ".var/app/io.github.ungoogled_software.ungoogled_chromium"),
    ("Edge (flatpak)", ".var/app/com.microsoft.Edge"),
    ("Brave (flatpak)", ".var/app/com.brave.Browser"),
    ("Vivaldi (flatpak)", ".var/app/com.vivaldi.Vivaldi"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Linux,
    Macos,
}

/// The folders of this machine that the table refers to.
#[derive(Clone, Debug)]
pub struct Machine {
    pub system: System,
    pub home: PathBuf,
    /// `~/.config` or `~/Library/Application Support`.
    pub configuration: PathBuf,
    /// The folders that are searched for programs (Linux) or applications (macOS).
    pub programs: Vec<PathBuf>,
}

impl Machine {
    /// Returns the machine that the environment describes, or `None` without a home directory.
    pub fn current() -> Option<Self> {
        let home = dirs::home_dir()?;
        let configuration = dirs::config_dir()?;
        let system = if cfg!(target_os = "macos") { System::Macos } else { System::Linux };
        let programs = match system {
            System::Linux => env::var_os("PATH").iter().flat_map(env::split_paths).collect(),
            System::Macos => vec![PathBuf::from("/Applications"), home.join("Applications")],
        };
        Some(Self { system, home, configuration, programs })
    }

    /// Returns a machine on which nothing is installed.
    pub fn bare(home: &Path) -> Self {
        let configuration = home.join("config");
        Self { system: System::Linux, home: home.to_owned(), configuration, programs: Vec::new() }
    }

    /// Returns the browser's user data folder, or `None` if the browser does not exist for this system.
    pub fn user_data(&self, browser: &Browser) -> Option<PathBuf> {
        let beneath = match self.system {
            System::Linux => browser.linux,
            System::Macos => browser.macos,
        };
        beneath.map(|beneath| self.configuration.join(beneath))
    }

    /// Returns whether the browser is installed: its user data folder or its program exists.
    pub fn has(&self, browser: &Browser) -> bool {
        let Some(data) = self.user_data(browser) else { return false };
        let is_there = |folder: &PathBuf| match self.system {
            System::Linux => browser.programs.iter().any(|name| is_native_program(&folder.join(name))),
            System::Macos => browser.application.is_some_and(|name| folder.join(format!("{name}.app")).is_dir()),
        };
        data.is_dir() || self.programs.iter().any(is_there)
    }

    /// Returns the installed packages of browsers that cannot start our host.
    pub fn sandboxed(&self) -> impl Iterator<Item = &'static str> + '_ {
        SANDBOXED.iter().filter(|(_, folder)| self.home.join(folder).is_dir()).map(|(name, _)| *name)
    }
}

/// Returns whether `path` is a program on the path that does not lead to a snap, whose data is elsewhere.
fn is_native_program(path: &Path) -> bool {
    let Ok(real) = path.canonicalize() else { return false };
    real.is_file() && !real.starts_with("/snap") && real.file_name().is_none_or(|name| name != "snap")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;

    #[test]
    fn no_two_browsers_share_a_folder() {
        for folder in [|one: &Browser| one.linux, |one: &Browser| one.macos] {
            let all: Vec<_> = FAMILY.iter().filter_map(folder).collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        }
    }

    #[test]
    fn a_browser_is_here_by_its_folder_or_by_its_program() {
        let place = tempfile::tempdir().unwrap();
        let machine = |system| Machine {
            system,
            home: place.path().to_owned(),
            configuration: place.path().join("config"),
            programs: vec![place.path().join("bin")],
        };
        let linux = machine(System::Linux);
        assert!(FAMILY.iter().all(|browser| !linux.has(browser)));
        fs::create_dir_all(place.path().join("config/vivaldi")).unwrap();
        fs::create_dir_all(place.path().join("bin/Chromium.app")).unwrap();
        fs::write(place.path().join("bin/google-chrome-stable"), "").unwrap();
        let here = |machine: &Machine| -> Vec<&str> {
            FAMILY.iter().filter(|browser| machine.has(browser)).map(|browser| browser.name).collect()
        };
        assert_eq!(here(&linux), ["Chrome", "Vivaldi"]);
        assert_eq!(here(&machine(System::Macos)), ["Chromium"]);
    }

    #[test]
    fn sandboxed_ones_are_named() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("snap/chromium")).unwrap();
        let machine = Machine::bare(place.path());
        assert_eq!(machine.sandboxed().collect::<Vec<_>>(), ["Chromium (snap)"]);
    }
}
