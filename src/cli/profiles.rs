//! `gstack profiles`: lists and deletes the browser profiles of gstack's home.
//!
//! Owns the text. Works on the disk, without a daemon: a profile may be another instance's. Never touches a profile that
//! a browser uses.

use super::confirm;
use super::moment;
use super::terminal::{Terminal, show};
use clap::{Arg, ArgAction, ArgMatches, Command};
use gstack_base::home::Home;
use gstack_base::lock::FileLock;
use gstack_base::profiles::{self, BadProfileName, DEFAULT, ProfileName};
use gstack_protocol::fault::{Fault, FaultCode};
use serde::Serialize;
use std::fs;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The files of a profile that a browser writes whenever it runs.
const WRITTEN: [&str; 2] = ["Local State", "Default/Preferences"];

/// The parsed subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Profiles {
    /// Lists them.
    List,
    /// Deletes one, with its logins.
    Delete {
        /// Its name, as it was typed.
        name: String,
        /// Does not ask.
        yes: bool,
    },
}

/// One profile, as `--json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    name: String,
    path: String,
    /// In bytes.
    size: u64,
    /// In milliseconds since 1970; `None` if no browser has run with it.
    last_used: Option<u64>,
    in_use: bool,
    /// The instance whose browser uses it, if it is known.
    used_by: Option<String>,
}

pub(super) fn command() -> Command {
    Command::new("profiles")
        .about("List and delete browser profiles: each has its own cookies and logins")
        .subcommand(Command::new("list").about("List the profiles (the default)"))
        .subcommand(
            Command::new("delete")
                .about("Delete a profile with its cookies and logins")
                .arg(
                    Arg::new("name")
                        .required(true)
                        .value_name("NAME")
                        .help("The profile's name, as `gstack profiles` shows it"),
                )
                .arg(Arg::new("yes").long("yes").action(ArgAction::SetTrue).help("Do not ask")),
        )
}

pub(super) fn parse(matches: &ArgMatches) -> Profiles {
    match matches.subcommand() {
        Some(("delete", matches)) => Profiles::Delete {
            name: matches.get_one::<String>("name").cloned().unwrap_or_default(),
            yes: matches.get_flag("yes"),
        },
        _ => Profiles::List,
    }
}

pub(super) async fn run(home: &Home, wanted: Profiles, json: bool, terminal: Terminal) -> Result<(), Fault> {
    match wanted {
        Profiles::List => {
            let profiles = list(home)?;
            show(json, &profiles, || text(&profiles, home, terminal))
        }
        Profiles::Delete { name, yes } => {
            let name = parse_name(&name)?;
            delete(home, &name, yes).await?;
            show(json, &serde_json::json!({ "deleted": name.as_str() }), || format!("Deleted the profile {name}."))
        }
    }
}

/// Checks a typed name.
pub(super) fn parse_name(name: &str) -> Result<ProfileName, Fault> {
    ProfileName::parse(name)
        .map_err(|error| Fault::new(FaultCode::BadRequest, error.to_string()).hint(BadProfileName::HINT))
}

fn list(home: &Home) -> Result<Vec<Profile>, Fault> {
    let named = home.named_profiles().map_err(|error| not_read(&home.profiles(), &error))?;
    std::iter::once(ProfileName::default()).chain(named).map(|name| describe(home, &name)).collect()
}

fn describe(home: &Home, name: &ProfileName) -> Result<Profile, Fault> {
    let folder = home.profile(name);
    let lock = home.profile_lock(name);
    let user = profiles::user(&lock).map_err(|error| not_read(&lock, &error))?;
    let in_use = user.is_some() || profiles::browser_in(&folder).is_some();
    let written = WRITTEN.iter().filter_map(|file| modified(&folder.join(file))).chain(modified(&lock)).max();
    Ok(Profile {
        name: name.to_string(),
        path: folder.display().to_string(),
        size: size(&folder),
        last_used: written,
        in_use,
        used_by: user.flatten(),
    })
}

fn modified(path: &Path) -> Option<u64> {
    let time = fs::metadata(path).ok()?.modified().ok()?;
    u64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// Returns the bytes of all files in a folder. What disappears meanwhile counts as nothing.
fn size(folder: &Path) -> u64 {
    let mut total = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => total += entry.metadata().map_or(0, |found| found.len()),
                _ => {}
            }
        }
    }
    total
}

fn text(profiles: &[Profile], home: &Home, terminal: Terminal) -> String {
    let width = profiles.iter().map(|profile| profile.name.len()).max().unwrap_or_default();
    let line = |profile: &Profile| {
        let used = match (&profile.used_by, profile.in_use, profile.last_used) {
            (Some(by), true, _) if by != home.session_or_default() => format!("in use by {}", instance(by)),
            (_, true, _) => "in use".to_owned(),
            (_, false, Some(at)) => format!("last used {}", moment::local(at)),
            (_, false, None) => "not used yet".to_owned(),
        };
        let used = if profile.in_use { terminal.good(&used) } else { used };
        format!("{:<width$}  {:>9}  {used}", profile.name, readable(profile.size))
    };
    profiles.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns what people call an instance.
pub(super) fn instance(name: &str) -> String {
    if name == DEFAULT { "the default session".to_owned() } else { format!("the session {name}") }
}

/// Formats a number of bytes: `12.3 MB`.
pub(super) fn readable(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let mut amount = bytes as f64 / 1000.0;
    let mut unit = UNITS[0];
    for next in &UNITS[1..] {
        if amount < 999.95 {
            break;
        }
        amount /= 1000.0;
        unit = next;
    }
    format!("{amount:.1} {unit}")
}

async fn delete(home: &Home, name: &ProfileName, yes: bool) -> Result<(), Fault> {
    let folder = home.profile(name);
    if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return Err(Fault::new(FaultCode::NotFound, format!("there is no profile {name}"))
            .hint("`gstack profiles` lists them.")
            .command("gstack profiles"));
    }
    // Before the question: a no needs no answer.
    drop(unused(home, name)?);
    if !yes {
        if !confirm::can_ask() {
            return Err(Fault::new(FaultCode::BadRequest, format!("deleting {name} also deletes its logins"))
                .hint(format!("To delete it without being asked: gstack profiles delete {name} --yes")));
        }
        let size = readable(size(&folder));
        if !confirm::ask(&format!("Delete the profile {name} with its cookies and logins ({size})?")).await? {
            return Err(Fault::new(FaultCode::Cancelled, "nothing was deleted"));
        }
    }
    let _held = unused(home, name)?;
    // Moved first: a profile of which half is deleted must not be opened.
    let doomed =
        folder.with_file_name(format!(".{}.deleted", folder.file_name().unwrap_or_default().to_string_lossy()));
    let failed = |error: io::Error| {
        Fault::new(FaultCode::Storage, format!("{} can't be deleted: {error}", folder.display()))
            .hint(gstack_base::trouble::hint(&folder, &error))
    };
    remove(&doomed).and_then(|()| fs::rename(&folder, &doomed)).and_then(|()| remove(&doomed)).map_err(failed)
}

/// Removes a folder if there is one.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Takes the profile, so that no browser opens it meanwhile. Fails if one uses it.
fn unused(home: &Home, name: &ProfileName) -> Result<FileLock, Fault> {
    let lock = home.profile_lock(name);
    let in_use = |by: &str| Fault::new(FaultCode::Conflict, format!("the profile {name} is in use by {by}"));
    match profiles::take(&lock, home.session_or_default()).map_err(|error| not_read(&lock, &error))? {
        Err(Some(holder)) => Err(in_use(&instance(&holder))
            .hint(format!("Close that browser first: gstack --session {holder} disconnect"))
            .command(format!("gstack --session {holder} disconnect"))),
        Err(None) => Err(in_use("another program").hint("Close its browser first.")),
        Ok(held) => match profiles::browser_in(&home.profile(name)) {
            Some(browser) => Err(in_use(&format!("a browser (pid {} on {})", browser.pid, browser.host))
                .hint("Close that browser first.")),
            None => Ok(held),
        },
    }
}

fn not_read(path: &Path, error: &io::Error) -> Fault {
    Fault::new(FaultCode::Storage, format!("{} can't be read: {error}", path.display()))
        .hint(gstack_base::trouble::hint(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_unit_that_people_read() {
        for (bytes, text) in
            [(0, "0.0 kB"), (999, "1.0 kB"), (1_234_567, "1.2 MB"), (999_960, "1.0 MB"), (12_300_000_000, "12.3 GB")]
        {
            assert_eq!(readable(bytes), text);
        }
    }

    #[tokio::test]
    async fn a_profile_in_use_is_listed_as_such_and_never_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("g")).unwrap();
        let work = ProfileName::parse("work").unwrap();
        assert_eq!(delete(&home, &work, true).await.unwrap_err().code, FaultCode::NotFound);
        fs::create_dir_all(home.profile(&work).join("Default")).unwrap();
        fs::write(home.profile(&work).join("Default/Preferences"), "12345").unwrap();
        let held = profiles::take(&home.profile_lock(&work), "shop").unwrap().unwrap();
        let listed = list(&home).unwrap();
        let names: Vec<_> = listed.iter().map(|profile| (profile.name.as_str(), profile.in_use)).collect();
        assert_eq!(names, [("default", false), ("work", true)]);
        assert_eq!((listed[1].used_by.as_deref(), listed[1].size), (Some("shop"), 5));
        let refused = delete(&home, &work, true).await.unwrap_err();
        assert_eq!(refused.code, FaultCode::Conflict);
        assert!(refused.message.ends_with("in use by the session shop"), "{refused}");
        drop(held);
        delete(&home, &work, true).await.unwrap();
        assert!(!home.profile(&work).exists());
        assert_eq!(list(&home).unwrap().len(), 1);
    }
}
