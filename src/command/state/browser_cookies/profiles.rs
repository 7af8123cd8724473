//! The browsers and profiles with cookies on this machine.
//!
//! Owns finding and choosing them. Opens no database.

use gstack_base::browsers::{Browser, FAMILY, Machine};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The cookie database's path in a profile: since Chromium 96, and before.
const FILES: [&str; 2] = ["Network/Cookies", "Cookies"];
const DEFAULT: &str = "Default";

/// A browser that has profiles with cookies.
pub(super) struct Found(Vec<Profile>);

impl Found {
    pub(super) fn profiles(&self) -> &[Profile] {
        &self.0
    }
}

#[derive(Clone, Debug)]
pub(super) struct Profile {
    pub(super) browser: &'static Browser,
    /// The folder's name: `Default`, `Profile 1`.
    pub(super) folder: String,
    /// The name given by the person.
    pub(super) title: String,
    pub(super) cookies: PathBuf,
}

/// Finds the browsers on this machine.
pub(super) fn find() -> Vec<Found> {
    let Some(machine) = Machine::current() else { return Vec::new() };
    find_on(&machine)
}

fn find_on(machine: &Machine) -> Vec<Found> {
    let of = |browser: &'static Browser| {
        let profiles = profiles(browser, &machine.user_data(browser)?);
        (!profiles.is_empty()).then_some(Found(profiles))
    };
    FAMILY.iter().filter_map(of).collect()
}

fn profiles(browser: &'static Browser, data: &Path) -> Vec<Profile> {
    let Ok(entries) = fs::read_dir(data) else { return Vec::new() };
    let names = titles(data);
    let folders = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut profiles: Vec<Profile> = folders
        .filter(|folder| folder == DEFAULT || folder.starts_with("Profile "))
        .filter_map(|folder| {
            let cookies = FILES.iter().map(|file| data.join(&folder).join(file)).find(|file| file.is_file())?;
            let title = names.get(&folder).and_then(|known| known["name"].as_str()).unwrap_or(&folder).to_owned();
            Some(Profile { browser, folder, title, cookies })
        })
        .collect();
    profiles.sort_by(|a, b| a.folder.cmp(&b.folder));
    profiles
}

/// Returns the profile names from the browser's own settings.
fn titles(data: &Path) -> Value {
    let state: Option<Value> =
        fs::read(data.join("Local State")).ok().and_then(|text| serde_json::from_slice(&text).ok());
    state.map(|mut state| state["profile"]["info_cache"].take()).unwrap_or_default()
}

/// Returns the requested profile, of the named browser or of the only one found.
pub(super) fn choose(found: Vec<Found>, browser: Option<&str>, profile: Option<&str>) -> Result<Profile, Fault> {
    let missing = |message: String| {
        Fault::new(FaultCode::NotFound, message).hint("See the browsers and profiles: gstack cookie-import-browser")
    };
    let names: Vec<&str> = found.iter().filter_map(|found| Some(found.0.first()?.browser.name)).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let mut of_browser: Vec<Found> = match browser {
        Some(typed) => {
            found.into_iter().filter(|found| found.0.iter().any(|one| is_named(one.browser, typed))).collect()
        }
        None => found,
    };
    let profiles = match (of_browser.pop(), of_browser.is_empty(), browser) {
        (Some(only), true, _) => only.0,
        (None, _, Some(typed)) => {
            return Err(missing(format!("{typed} has no cookies here; browsers that have: {names}")));
        }
        (None, _, None) => return Err(missing("no Chromium-family browser with cookies was found".to_owned())),
        (Some(_), false, _) => return Err(missing(format!("several browsers have cookies here: {names}"))),
    };
    let chosen = match profile {
        Some(typed) => profiles.iter().find(|one| one.folder == typed || one.title.eq_ignore_ascii_case(typed)),
        None => profiles.iter().find(|one| one.folder == DEFAULT).or(profiles.first()),
    };
    chosen.cloned().ok_or_else(|| {
        let known: Vec<_> = profiles.iter().map(|one| format!("{} ({})", one.folder, one.title)).collect();
        missing(format!("there is no profile {:?}; there are: {}", profile.unwrap_or_default(), known.join(", ")))
    })
}

/// Accepts `chrome`, `Chrome Beta`, `chrome-beta` and `google chrome`.
fn is_named(browser: &Browser, typed: &str) -> bool {
    let plain =
        |text: &str| text.to_lowercase().replace(['-', '_'], " ").replace("google ", "").replace("microsoft ", "");
    plain(browser.name) == plain(typed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_base::browsers::System;

    fn machine(place: &Path) -> Machine {
        Machine { system: System::Linux, home: place.to_owned(), configuration: place.to_owned(), programs: Vec::new() }
    }

    #[test]
    fn browsers_and_profiles_are_found_by_their_cookies_and_named_as_people_do() {
        let place = tempfile::tempdir().unwrap();
        for file in [
            "google-chrome/Default/Network/Cookies",
            "google-chrome/Profile 1/Cookies",
            "google-chrome/System Profile/Cookies",
            "chromium/Default/Cookies",
        ] {
            let file = place.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let state = r#"{"profile":{"info_cache":{"Profile 1":{"name":"Work"}}}}"#;
        fs::write(place.path().join("google-chrome/Local State"), state).unwrap();
        let find = || find_on(&machine(place.path()));
        let chosen = |browser, profile| choose(find(), browser, profile).map(|one| (one.browser.name, one.folder));
        assert_eq!(chosen(Some("chrome"), None).unwrap(), ("Chrome", "Default".to_owned()));
        assert_eq!(chosen(Some("Google Chrome"), Some("work")).unwrap(), ("Chrome", "Profile 1".to_owned()));
        assert!(chosen(None, None).unwrap_err().message.contains("Chrome, Chromium"));
        assert!(chosen(Some("firefox"), None).unwrap_err().message.contains("firefox has no cookies here"));
        assert!(chosen(Some("chrome"), Some("x")).unwrap_err().message.contains("Profile 1 (Work)"));
    }
}
