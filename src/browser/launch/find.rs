//! Selects the browser to start.
//!
//! Owns the order of search and the detection of snap and flatpak packages, whose confinement blocks native messaging
//! hosts and the DevTools pipe. Never starts one.

use super::error::LaunchError;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The environment variable with the path of a browser.
pub const PATH_VARIABLE: &str = "GSTACK_BROWSER_PATH";

/// A browser to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The path of its program.
    pub path: PathBuf,
    /// The common name of the browser.
    pub name: &'static str,
}

/// The package formats whose confinement keeps a browser from talking to gstack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// A snap package.
    Snap,
    /// A flatpak.
    Flatpak,
}

/// A browser that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The path of its program.
    pub path: PathBuf,
    /// Why it was skipped.
    pub confinement: Confinement,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.confinement {
            Confinement::Snap => "snap",
            Confinement::Flatpak => "flatpak",
        };
        write!(f, "{} is a {kind} package, which can't talk to gstack", self.path.display())
    }
}

impl Skipped {
    /// Returns the next step, for people.
    pub fn remedy(&self) -> String {
        "Install a browser from a .deb, .rpm or archive (google.com/chrome, or Chrome for Testing), and name it: \
         gstack connect --program PATH"
            .to_owned()
    }
}

/// The settings that can name a browser; the first that is set wins.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// `--program`.
    pub flag: Option<PathBuf>,
    /// `GSTACK_BROWSER_PATH`.
    pub variable: Option<PathBuf>,
    /// `config.toml`.
    pub config: Option<PathBuf>,
}

/// The places to search if no setting names a browser.
#[derive(Clone, Debug)]
pub struct Places {
    /// The folders of `PATH`.
    pub path: Vec<PathBuf>,
    /// The folder that application files are relative to: `/`, except in tests.
    pub root: PathBuf,
    /// The home directory, which may contain applications and flatpaks; `None` if there is none.
    pub home: Option<PathBuf>,
}

impl Places {
    /// Searches this machine with the given `PATH`.
    pub fn of_machine(path: &str) -> Self {
        Self { path: std::env::split_paths(path).collect(), root: PathBuf::from("/"), home: dirs::home_dir() }
    }
}

struct Kind {
    name: &'static str,
    /// Program names on `PATH`.
    programs: &'static [&'static str],
    /// Relative to the root, or to the home.
    files: &'static [&'static str],
}

/// Open-source browsers first; Chrome for Testing before Chrome because it never updates while it runs.
const KINDS: &[Kind] = &[
    Kind {
        name: "Chromium",
        programs: &["chromium", "chromium-browser"],
        files: &["usr/lib/chromium/chromium", "Applications/Chromium.app/Contents/MacOS/Chromium"],
    },
    Kind {
        name: "Chrome for Testing",
        programs: &["chrome-for-testing", "google-chrome-for-testing"],
        files: &[
            "opt/chrome-for-testing/chrome",
            "opt/google/chrome-for-testing/chrome",
            "Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
        ],
    },
    Kind {
        name: "Google Chrome",
        programs: &["google-chrome-stable", "google-chrome", "google-chrome-beta", "google-chrome-unstable"],
        files: &["opt/google/chrome/chrome", "Applications/Google Chrome.app/Contents/MacOS/Google Chrome"],
    },
    Kind {
        name: "Microsoft Edge",
        programs: &["microsoft-edge-stable", "microsoft-edge"],
        files: &["opt/microsoft/msedge/msedge", "Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"],
    },
    Kind {
        name: "Brave",
        programs: &["brave-browser-stable", "brave-browser", "brave"],
        files: &["opt/brave.com/brave/brave", "Applications/Brave Browser.app/Contents/MacOS/Brave Browser"],
    },
    Kind {
        name: "Vivaldi",
        programs: &["vivaldi-stable", "vivaldi"],
        files: &["opt/vivaldi/vivaldi", "Applications/Vivaldi.app/Contents/MacOS/Vivaldi"],
    },
];

/// Returns the browser to start: the named one, or the first that exists and is not confined.
///
/// # Errors
///
/// Fails if there is none: the named path is not a program, the named browser is confined, or all that were found are.
pub fn find(named: &Named, places: &Places) -> Result<Found, LaunchError> {
    let by_name =
        [(&named.flag, "--program"), (&named.variable, PATH_VARIABLE), (&named.config, "browser in config.toml")];
    if let Some((path, source_name)) = by_name.into_iter().find_map(|(path, name)| Some((path.as_ref()?, name))) {
        if !is_program(path) {
            return Err(LaunchError::NotThere { path: path.clone(), source_name });
        }
        return match confinement(path, places) {
            Some(confinement) => Err(LaunchError::Confined { skipped: Skipped { path: path.clone(), confinement } }),
            None => Ok(Found { path: path.clone(), name: "browser" }),
        };
    }
    let mut skipped = Vec::new();
    for kind in KINDS {
        for path in candidates(kind, places) {
            if !is_program(&path) {
                continue;
            }
            match confinement(&path, places) {
                None => return Ok(Found { path, name: kind.name }),
                Some(confinement) => skipped.push(Skipped { path, confinement }),
            }
        }
    }
    skipped.extend(flatpaks(places));
    Err(LaunchError::NoBrowser { skipped })
}

fn candidates<'a>(kind: &'a Kind, places: &'a Places) -> impl Iterator<Item = PathBuf> + 'a {
    let on_path = kind.programs.iter().flat_map(|name| places.path.iter().map(move |folder| folder.join(name)));
    let roots = std::iter::once(&places.root).chain(&places.home);
    let files = roots.flat_map(|root| kind.files.iter().map(move |file| root.join(file)));
    on_path.chain(files)
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Detects confinement by the real path, and by the content of a script: Ubuntu's `chromium-browser` is a script that
/// starts the snap.
fn confinement(path: &Path, places: &Places) -> Option<Confinement> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    for candidate in [path, &real] {
        let inside = candidate.strip_prefix(&places.root).unwrap_or(candidate);
        if inside.starts_with("snap") || inside.starts_with("var/lib/snapd") || real.ends_with("usr/bin/snap") {
            return Some(Confinement::Snap);
        }
        if candidate.components().any(|part| part.as_os_str() == "flatpak") {
            return Some(Confinement::Flatpak);
        }
    }
    let start = script_start(&real)?;
    if start.contains("/snap/bin/") {
        return Some(Confinement::Snap);
    }
    start.contains("flatpak run").then_some(Confinement::Flatpak)
}

/// Returns the start of a shell script; `None` for other programs.
fn script_start(path: &Path) -> Option<String> {
    const ENOUGH: u64 = 4096;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(ENOUGH).read_to_end(&mut bytes).ok()?;
    bytes.starts_with(b"#!").then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Lists installed flatpaks. They are not on `PATH` by default; naming them explains the error "no browser".
fn flatpaks(places: &Places) -> Vec<Skipped> {
    const EXPORTS: &[&str] = &["org.chromium.Chromium", "com.google.Chrome", "com.brave.Browser", "com.microsoft.Edge"];
    let system = places.root.join("var/lib/flatpak/exports/bin");
    let own = places.home.as_ref().map(|home| home.join(".local/share/flatpak/exports/bin"));
    std::iter::once(system)
        .chain(own)
        .flat_map(|folder| EXPORTS.iter().map(move |name| folder.join(name)))
        .filter(|path| is_program(path))
        .map(|path| Skipped { path, confinement: Confinement::Flatpak })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Confinement, Named, Places, find};
    use crate::launch::LaunchError;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::{Path, PathBuf};

    struct Machine(tempfile::TempDir);

    impl Machine {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }
        fn program(&self, file: &str, text: &str) -> PathBuf {
            let path = self.0.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
            path
        }
        fn places(&self) -> Places {
            let root = self.0.path().to_owned();
            Places { path: vec![root.join("usr/bin"), root.join("snap/bin")], root, home: None }
        }
    }

    fn found(machine: &Machine) -> PathBuf {
        find(&Named::default(), &machine.places()).unwrap().path
    }

    #[test]
    fn free_browsers_come_first() {
        let machine = Machine::new();
        let chrome = machine.program("opt/google/chrome/chrome", "\x7fELF");
        assert_eq!(found(&machine), chrome);
        let chromium = machine.program("usr/bin/chromium", "#!/bin/sh\nexec /usr/lib/chromium/chromium");
        assert_eq!(found(&machine), chromium);
    }

    #[test]
    fn snaps_and_flatpaks_are_passed_over_and_named() {
        let machine = Machine::new();
        let snap = machine.program("usr/bin/snap", "\x7fELF");
        fs::create_dir_all(machine.0.path().join("snap/bin")).unwrap();
        symlink(&snap, machine.0.path().join("snap/bin/chromium")).unwrap();
        machine.program("usr/bin/chromium-browser", "#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n");
        machine.program("var/lib/flatpak/exports/bin/com.google.Chrome", "#!/bin/sh\n");
        let Err(LaunchError::NoBrowser { skipped }) = find(&Named::default(), &machine.places()) else {
            panic!("a confined browser was taken");
        };
        let kinds: Vec<_> = skipped.iter().map(|skipped| skipped.confinement).collect();
        assert_eq!(kinds, [Confinement::Snap, Confinement::Snap, Confinement::Flatpak]);
        let chrome = machine.program("usr/bin/google-chrome", "\x7fELF");
        assert_eq!(found(&machine), chrome);
    }

    #[test]
    fn a_named_browser_is_taken_or_refused_never_replaced() {
        let machine = Machine::new();
        let own = machine.program("own/browser", "\x7fELF");
        machine.program("usr/bin/chromium", "\x7fELF");
        let named = Named { config: Some(own.clone()), ..Named::default() };
        assert_eq!(find(&named, &machine.places()).unwrap().path, own);
        let named = Named { flag: Some(Path::new("/nowhere/at/all").to_owned()), ..named };
        let refused = find(&named, &machine.places());
        assert!(matches!(refused, Err(LaunchError::NotThere { source_name: "--program", .. })), "{refused:?}");
    }
}
