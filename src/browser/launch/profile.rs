//! Prepares the browser's profile folder before a start.
//!
//! Owns the preferences that our extension needs, the native host's manifest file, and the cleanup after a browser that
//! died. Never touches the profile of a running one.

use super::error::LaunchError;
use gstack_base::profiles::{self, RunningBrowser};
use gstack_base::{atomic, home};
use gstack_protocol::EXTENSION_ID;
use serde_json::{Map, Value};
use std::fs;
use std::io;
use std::path::Path;

/// The manifest of a native messaging host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostManifest {
    /// The file name without `.json`.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Prepares the profile. Fails if a running browser uses it.
pub fn prepare(profile: &Path, manifest: Option<&HostManifest>) -> Result<(), LaunchError> {
    home::private_folder(profile)
        .map_err(|error| io_error("the profile can't be used", profile)(io::Error::other(error)))?;
    clear_dead_browser(profile)?;
    prepare_preferences(profile)?;
    if let Some(manifest) = manifest {
        let folder = profile.join("NativeMessagingHosts");
        fs::create_dir_all(&folder).map_err(io_error("this folder can't be made", &folder))?;
        let file = folder.join(format!("{}.json", manifest.name));
        if fs::read(&file).ok().as_deref() != Some(&manifest.bytes) {
            atomic::write(&file, &manifest.bytes).map_err(io_error("the native host can't be registered", &file))?;
        }
    }
    Ok(())
}

fn io_error<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> LaunchError + 'a {
    move |source| LaunchError::Io { what, path: path.to_owned(), source }
}

/// Enables developer mode, pins our icon to the toolbar, and keeps the optional permissions that the person gave our extension.
/// Without developer mode Chrome disables an unpacked extension when the extension reloads itself.
fn prepare_preferences(profile: &Path) -> Result<(), LaunchError> {
    let folder = profile.join("Default");
    let file = folder.join("Preferences");
    let mut preferences = match fs::read(&file) {
        // Chrome replaces a broken file with a new one.
        Ok(bytes) => match serde_json::from_slice(&bytes) {
            Ok(Value::Object(preferences)) => preferences,
            _ => return Ok(()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => new_preferences(),
        Err(error) => return Err(io_error("the browser's preferences can't be read", &file)(error)),
    };
    let allowed = set(&mut preferences, &["extensions", "ui", "developer_mode"], Value::Bool(true));
    // Only once: if the user removes the icon, it stays removed.
    let is_decided = preferences.get("extensions").is_some_and(|of| of.get("pinned_extensions").is_some());
    if !is_decided {
        set(&mut preferences, &["extensions", "pinned_extensions"], Value::Array(vec![EXTENSION_ID.into()]));
    }
    let kept = keep_permissions(&mut preferences);
    if is_decided && !allowed && !kept {
        return Ok(());
    }
    fs::create_dir_all(&folder).map_err(io_error("this folder can't be made", &folder))?;
    let bytes = serde_json::to_vec(&preferences).map_err(|error| io_error("no JSON", &file)(error.into()))?;
    atomic::write(&file, &bytes).map_err(io_error("the browser's preferences can't be written", &file))
}

/// Returns the preferences of a new profile: in gstack's own browser, tab groups show from the beginning whose tab it is. The
/// person can turn them off.
fn new_preferences() -> Map<String, Value> {
    let mut preferences = Map::new();
    for name in ["active_permissions", "granted_permissions"] {
        let permissions = serde_json::json!({ "api": ["tabGroups"] });
        set(&mut preferences, &["extensions", "settings", EXTENSION_ID, name], permissions);
    }
    preferences
}

/// At its start, Chrome forgets an extension that was loaded over DevTools, unless it stored only the extension's permissions:
/// then they hold when it is loaded again. Returns true if something was removed.
fn keep_permissions(preferences: &mut Map<String, Value>) -> bool {
    let known = preferences.get_mut("extensions").and_then(|of| of.get_mut("settings")?.get_mut(EXTENSION_ID));
    let Some(Value::Object(known)) = known else { return false };
    let before = known.len();
    known.retain(|name, _| matches!(name.as_str(), "active_permissions" | "granted_permissions"));
    known.len() != before
}

/// Sets one value deep in a tree and keeps the rest. Returns false if it was set already.
fn set(tree: &mut Map<String, Value>, path: &[&str], value: Value) -> bool {
    let Some((first, rest)) = path.split_first() else { return false };
    if rest.is_empty() {
        return tree.insert((*first).to_owned(), value.clone()) != Some(value);
    }
    let branch = tree.entry(*first).or_insert_with(|| Value::Object(Map::new()));
    if !branch.is_object() {
        *branch = Value::Object(Map::new());
    }
    branch.as_object_mut().is_some_and(|branch| set(branch, rest, value))
}

/// Removes the lock of a dead browser, which Chromium trusts if the host's name has changed since (as in a container).
fn clear_dead_browser(profile: &Path) -> Result<(), LaunchError> {
    if fs::read_link(profile.join("SingletonLock")).is_err() {
        return Ok(());
    }
    if let Some(RunningBrowser { host, pid }) = profiles::browser_in(profile) {
        return Err(LaunchError::ProfileInUse { profile: profile.to_owned(), host, pid });
    }
    for name in ["SingletonLock", "SingletonSocket", "SingletonCookie"] {
        let file = profile.join(name);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(io_error("a dead browser's lock can't be removed", &file)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{HostManifest, LaunchError, prepare};
    use gstack_protocol::EXTENSION_ID;
    use rustix::net::{Shutdown, shutdown};
    use serde_json::{Value, json};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::path::PathBuf;

    fn profile() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let profile = folder.path().join("profile");
        (folder, profile)
    }

    #[test]
    fn preferences_are_merged_not_overwritten() {
        let (_folder, profile) = profile();
        fs::create_dir_all(profile.join("Default")).unwrap();
        let file = profile.join("Default/Preferences");
        fs::write(&file, r#"{"a":1,"extensions":{"ui":{"x":2},"y":3}}"#).unwrap();
        prepare(&profile, None).unwrap();
        let merged: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let extensions = json!({"ui":{"x":2,"developer_mode":true},"y":3,"pinned_extensions":[EXTENSION_ID]});
        assert_eq!(merged, json!({"a":1,"extensions":extensions}));
    }

    #[test]
    fn tab_groups_are_on_in_a_new_profile_and_as_they_were_in_another() {
        let (_folder, profile) = profile();
        let file = profile.join("Default/Preferences");
        let read = || -> Value { serde_json::from_slice(&fs::read(&file).unwrap()).unwrap() };
        prepare(&profile, None).unwrap();
        assert_eq!(read()["extensions"]["settings"][EXTENSION_ID]["active_permissions"]["api"], json!(["tabGroups"]));
        fs::write(&file, "{}").unwrap();
        prepare(&profile, None).unwrap();
        assert_eq!(read()["extensions"]["settings"], Value::Null);
    }

    #[test]
    fn an_icon_that_was_taken_off_the_toolbar_stays_off() {
        let (_folder, profile) = profile();
        fs::create_dir_all(profile.join("Default")).unwrap();
        let file = profile.join("Default/Preferences");
        fs::write(&file, r#"{"extensions":{"pinned_extensions":[]}}"#).unwrap();
        prepare(&profile, None).unwrap();
        let merged: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(merged["extensions"]["pinned_extensions"], json!([]));
    }

    #[test]
    fn the_extensions_permissions_stay_as_the_person_set_them() {
        let (_folder, profile) = profile();
        fs::create_dir_all(profile.join("Default")).unwrap();
        let file = profile.join("Default/Preferences");
        let permissions =
            json!({"active_permissions": {"api": ["tabs"]}, "granted_permissions": {"api": ["tabs", "tabGroups"]}});
        let mut known = permissions.clone();
        known["location"] = json!(4);
        let others = json!({"path": "p", "location": 4});
        let settings = json!({EXTENSION_ID: known, "other": others});
        let extensions = json!({"pinned_extensions": [], "ui": {"developer_mode": true}, "settings": settings});
        fs::write(&file, json!({"extensions": extensions}).to_string()).unwrap();
        prepare(&profile, None).unwrap();
        let kept: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(kept["extensions"]["settings"], json!({EXTENSION_ID: permissions, "other": others}));
    }

    #[test]
    fn the_native_host_is_registered_in_the_profile() {
        let (_folder, profile) = profile();
        let manifest = HostManifest { name: "com.example.host".to_owned(), bytes: b"{}".to_vec() };
        prepare(&profile, Some(&manifest)).unwrap();
        assert_eq!(fs::read(profile.join("NativeMessagingHosts/com.example.host.json")).unwrap(), b"{}");
    }

    #[test]
    fn a_dead_browsers_lock_is_removed_and_a_living_ones_never() {
        let (_folder, profile) = profile();
        fs::create_dir_all(&profile).unwrap();
        let lock = profile.join("SingletonLock");
        let mut dead = std::process::Command::new("true").spawn().unwrap();
        let pid = dead.id();
        dead.wait().unwrap();
        symlink(format!("host-{pid}"), &lock).unwrap();
        prepare(&profile, None).unwrap();
        assert!(lock.symlink_metadata().is_err());

        // Any process with the profile on its command line will do; it ends with its stdin.
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "echo; read line", "sh"]).arg(&profile);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut living = command.spawn().unwrap();
        // Its output shows that its command line is in place: the kernel sets that a moment after the start.
        std::io::Read::read_exact(living.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        symlink(format!("host-{}", living.id()), &lock).unwrap();
        let result = prepare(&profile, None);
        drop(living.stdin.take());
        living.wait().unwrap();
        assert!(matches!(result, Err(LaunchError::ProfileInUse { .. })));
        assert!(lock.symlink_metadata().is_ok());
    }

    #[test]
    fn a_lock_of_any_host_counts_while_a_browser_answers() {
        let (_folder, profile) = profile();
        fs::create_dir_all(&profile).unwrap();
        symlink("elsewhere-1", profile.join("SingletonLock")).unwrap();
        let listener = UnixListener::bind(profile.join("SingletonSocket")).unwrap();
        assert!(matches!(prepare(&profile, None), Err(LaunchError::ProfileInUse { .. })));
        // Not only dropped: a child that another test forks at this moment keeps a copy of the socket until it runs its
        // program, and the socket would go on listening.
        shutdown(&listener, Shutdown::Both).unwrap();
        drop(listener);
        prepare(&profile, None).unwrap();
        assert!(profile.join("SingletonSocket").symlink_metadata().is_err());
    }
}
