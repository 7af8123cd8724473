//! Registers the native messaging host with every installed browser, and unregisters it.
//!
//! Owns the plan (computed by reading only) and its execution. Running it again changes nothing. Never removes a
//! manifest that is not ours.

pub(crate) use super::report::{Action, Done, Report, Step};

use super::manifest::{Found, file_name, host_manifest, identify};
use super::{InstallError, binary};
use gstack_base::atomic;
use gstack_base::browsers::{FAMILY, Machine};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The options of registering and unregistering, from the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Limits it to the browser with this user data folder, even if that is not in the table.
    pub user_data_dir: Option<PathBuf>,
    /// Reports the changes without making them.
    pub dry_run: bool,
}

/// The changes to make, computed by reading only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The new manifest; `None` to remove manifests.
    text: Option<String>,
    pub steps: Vec<Step>,
    /// Warnings that do not concern a single browser.
    pub warnings: Vec<String>,
}

/// Registers the running program with every installed browser.
pub(crate) fn install(options: &Options) -> Result<Report, InstallError> {
    let machine = Machine::current().ok_or(InstallError::NoHome)?;
    let plan = Plan::install(&machine, &binary::current()?, options.user_data_dir.as_deref())?;
    Ok(plan.carry_out(options.dry_run))
}

/// Removes our manifests for every browser in the table, including browsers that are no longer installed.
pub(crate) fn uninstall(options: &Options) -> Result<Report, InstallError> {
    let machine = Machine::current().ok_or(InstallError::NoHome)?;
    Ok(Plan::uninstall(&machine, options.user_data_dir.as_deref()).carry_out(options.dry_run))
}

/// Writes the manifest of `binary` for one user data folder. `connect` uses this for the browser that it starts.
pub(crate) fn register(user_data: &Path, binary: &Path) -> Result<(), InstallError> {
    let text = host_manifest(binary)?;
    let path = manifest_path(user_data);
    if fs::read_to_string(&path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    write(&path, &text)
}

impl Plan {
    /// Plans the registration of `program`.
    pub(crate) fn install(machine: &Machine, program: &Path, only: Option<&Path>) -> Result<Self, InstallError> {
        binary::check(program)?;
        let text = host_manifest(program)?;
        let mut steps: Vec<_> = places(machine, only)
            .into_iter()
            .filter(|place| place.installed)
            .map(|place| place.step(|path| to_write(path, &text)))
            .collect();
        let mut warnings: Vec<_> = binary::fleeting(program).into_iter().collect();
        if only.is_none() {
            if steps.is_empty() {
                warnings.push(
                    "No Chromium-family browser was found. Install one, or give a profile's folder with --user-data-dir. \
                     `gstack connect` needs no registration."
                        .to_owned(),
                );
            }
            steps.extend(machine.sandboxed().map(|name| Step {
                browser: name.to_owned(),
                manifest: None,
                action: Action::Skip,
                note: Some(
                    "its sandbox can't start programs outside: use the browser's .deb, .rpm or .dmg instead".to_owned(),
                ),
            }));
        }
        Ok(Self { text: Some(text), steps, warnings })
    }

    /// Plans the removal of the manifests.
    pub(crate) fn uninstall(machine: &Machine, only: Option<&Path>) -> Self {
        let steps: Vec<_> = places(machine, only).into_iter().map(|place| place.step(to_remove)).collect();
        let steps = steps.into_iter().filter(|step| step.action != Action::Absent || only.is_some()).collect();
        Self { text: None, steps, warnings: Vec::new() }
    }

    /// Executes the plan, or only reports it with `dry_run`.
    pub(crate) fn carry_out(self, dry_run: bool) -> Report {
        let text = self.text;
        let carry_out = |step: Step| {
            let outcome = match (&step.manifest, &step.action, &text) {
                _ if dry_run => Ok(()),
                (Some(path), Action::Create | Action::Replace, Some(text)) => write(path, text),
                (Some(path), Action::Remove, _) => remove(path),
                _ => Ok(()),
            };
            Done { step, error: outcome.err().map(|error| format!("{error}. {}", error.hint())) }
        };
        Report { dry_run, browsers: self.steps.into_iter().map(carry_out).collect(), warnings: self.warnings }
    }
}

/// A possible location of a manifest.
struct ManifestLocation {
    browser: String,
    manifest: PathBuf,
    installed: bool,
}

impl ManifestLocation {
    fn step(self, decide: impl FnOnce(&Path) -> (Action, Option<String>)) -> Step {
        let (action, note) = decide(&self.manifest);
        Step { browser: self.browser, manifest: Some(self.manifest), action, note }
    }
}

fn manifest_path(user_data: &Path) -> PathBuf {
    user_data.join("NativeMessagingHosts").join(file_name())
}

/// Returns the given location, or all locations of the table.
fn places(machine: &Machine, only: Option<&Path>) -> Vec<ManifestLocation> {
    if let Some(folder) = only {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let browser = folder.display().to_string();
        return vec![ManifestLocation { browser, manifest: manifest_path(&folder), installed: true }];
    }
    let place = |browser| {
        let folder = machine.user_data(browser)?;
        Some(ManifestLocation {
            browser: browser.name.to_owned(),
            manifest: manifest_path(&folder),
            installed: machine.has(browser),
        })
    };
    FAMILY.iter().filter_map(place).collect()
}

fn to_write(path: &Path, text: &str) -> (Action, Option<String>) {
    match fs::read_to_string(path) {
        Ok(found) if found == text => (Action::Keep, None),
        Ok(found) => match identify(&found) {
            Found::Ours { path } => (Action::Replace, Some(format!("it started {path} before"))),
            Found::Foreign => (Action::Replace, Some("what was there was damaged".to_owned())),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => (Action::Create, None),
        // The error of a write attempt is more specific than this one.
        Err(error) => (Action::Replace, Some(format!("what was there could not be read: {error}"))),
    }
}

fn to_remove(path: &Path) -> (Action, Option<String>) {
    match fs::read_to_string(path) {
        Ok(found) => match identify(&found) {
            Found::Ours { .. } => (Action::Remove, None),
            Found::Foreign => (Action::Leave, Some(format!("{} is not a manifest of ours", path.display()))),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => (Action::Absent, None),
        Err(error) => (Action::Leave, Some(format!("{} could not be read: {error}", path.display()))),
    }
}

fn write(path: &Path, text: &str) -> Result<(), InstallError> {
    let failed = |source| InstallError::Write { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    atomic::write(path, text.as_bytes()).map_err(failed)
}

fn remove(path: &Path) -> Result<(), InstallError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(InstallError::Write { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_base::browsers::System;
    use std::os::unix::fs::PermissionsExt;

    struct World {
        place: tempfile::TempDir,
        machine: Machine,
        program: PathBuf,
    }

    /// Creates a home with Chrome's and Brave's folders, and a program.
    fn world() -> World {
        let place = tempfile::tempdir().unwrap();
        let configuration = place.path().join("config");
        fs::create_dir_all(configuration.join("google-chrome")).unwrap();
        fs::create_dir_all(configuration.join("BraveSoftware/Brave-Browser")).unwrap();
        let program = place.path().join("gstack");
        fs::write(&program, "").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let machine =
            Machine { system: System::Linux, home: place.path().to_owned(), configuration, programs: Vec::new() };
        World { place, machine, program }
    }

    fn actions(report: &Report) -> Vec<(&str, &Action)> {
        report.browsers.iter().map(|done| (done.step.browser.as_str(), &done.step.action)).collect()
    }

    impl World {
        fn chrome(&self) -> PathBuf {
            manifest_path(&self.machine.configuration.join("google-chrome"))
        }
        fn install(&self, dry_run: bool) -> Report {
            Plan::install(&self.machine, &self.program, None).unwrap().carry_out(dry_run)
        }
        fn uninstall(&self) -> Report {
            Plan::uninstall(&self.machine, None).carry_out(false)
        }
    }

    #[test]
    fn installed_browsers_are_registered_once_and_others_never() {
        let world = world();
        assert_eq!(actions(&world.install(false)), [("Chrome", &Action::Create), ("Brave", &Action::Create)]);
        let text = fs::read_to_string(world.chrome()).unwrap();
        assert_eq!(identify(&text), Found::Ours { path: world.program.display().to_string() });
        let written = fs::metadata(world.chrome()).unwrap().modified().unwrap();
        assert_eq!(actions(&world.install(false)), [("Chrome", &Action::Keep), ("Brave", &Action::Keep)]);
        assert_eq!(fs::metadata(world.chrome()).unwrap().modified().unwrap(), written);
        assert!(!world.machine.configuration.join("chromium").exists());
    }

    #[test]
    fn a_dry_run_writes_nothing() {
        let world = world();
        let report = world.install(true);
        assert!(report.to_string().contains("would register"), "{report}");
        assert!(!world.chrome().exists());
    }

    #[test]
    fn a_moved_program_renews_and_says_what_was_there() {
        let world = world();
        world.install(false);
        let moved = world.place.path().join("moved");
        fs::rename(&world.program, &moved).unwrap();
        let report = Plan::install(&world.machine, &moved, None).unwrap().carry_out(false);
        assert_eq!(report.browsers[0].step.action, Action::Replace);
        assert!(report.to_string().contains(&world.program.display().to_string()));
        assert!(fs::read_to_string(world.chrome()).unwrap().contains("/moved"));
    }

    #[test]
    fn uninstall_takes_ours_and_leaves_the_rest() {
        let world = world();
        world.install(false);
        let foreign = world.chrome().with_file_name("com.other.host.json");
        fs::write(&foreign, "{}").unwrap();
        let damaged = manifest_path(&world.machine.configuration.join("BraveSoftware/Brave-Browser"));
        fs::write(&damaged, "not ours").unwrap();
        assert_eq!(actions(&world.uninstall()), [("Chrome", &Action::Remove), ("Brave", &Action::Leave)]);
        assert!(!world.chrome().exists());
        assert!(foreign.exists() && damaged.exists());
        assert_eq!(actions(&world.uninstall()), [("Brave", &Action::Leave)]);
    }

    #[test]
    fn one_profile_is_served_alone() {
        let world = world();
        let profile = world.place.path().join("profile");
        let plan = || Plan::install(&world.machine, &world.program, Some(&profile)).unwrap();
        assert_eq!(plan().carry_out(false).browsers.len(), 1);
        assert!(manifest_path(&profile).is_file());
        assert!(!world.chrome().exists());
        register(&profile, &world.program).unwrap();
        assert_eq!(plan().steps[0].action, Action::Keep);
    }

    #[test]
    fn a_place_that_can_not_be_written_is_told_and_the_others_are_served() {
        let world = world();
        fs::write(world.machine.configuration.join("google-chrome/NativeMessagingHosts"), "a file").unwrap();
        let report = world.install(false);
        assert!(report.failed());
        assert!(report.browsers[0].error.as_ref().unwrap().contains("can't be written"));
        assert_eq!(report.registered().collect::<Vec<_>>(), ["Brave"]);
    }

    #[test]
    fn no_browser_and_sandboxed_ones_are_said() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("snap/chromium")).unwrap();
        let machine = Machine::bare(place.path());
        let report = Plan::install(&machine, &binary::current().unwrap(), None).unwrap().carry_out(false);
        let text = report.to_string();
        assert!(text.contains("Chromium (snap)  skipped: its sandbox"), "{text}");
        assert!(text.contains("No Chromium-family browser was found"), "{text}");
    }

    #[test]
    fn the_json_form_names_browser_place_and_action() {
        let json = serde_json::to_value(world().install(false)).unwrap();
        assert_eq!(json["dryRun"], false);
        assert_eq!(json["browsers"][0]["browser"], "Chrome");
        assert_eq!(json["browsers"][0]["action"], "create");
        assert!(
            json["browsers"][0]["manifest"].as_str().unwrap().ends_with("NativeMessagingHosts/io.gstack.host.json")
        );
    }
}
