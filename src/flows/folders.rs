//! Where flows are: the person's own folder, and `.gstack/flows` of a project.
//!
//! Owns finding and keeping files, and which content the person has seen. A flow acts with the person's logins, so a file
//! that anyone else may have written runs only after the person has read this very content and allowed it. The person's
//! own flows win over those of a project: a repository cannot take over a name.

use super::check;
use super::error::FlowError;
use super::file::{Flow, MOST_BYTES, Problem};
use gstack_base::home::{Home, private_folder};
use gstack_base::lock::FileLock;
use gstack_base::{atomic, plain_name, project_file};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder in gstack's home, and in a project's `.gstack`.
const FOLDER: &str = "flows";
/// The ending of a flow's file.
const ENDING: &str = "toml";
/// The record of what the person has allowed, in their own folder.
const SEEN: &str = "seen.json";

/// A flow's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file's name without its ending.
    pub name: String,
    /// With symlinks in its folder resolved.
    pub file: PathBuf,
    /// Its content.
    pub text: String,
    /// Whether it is in the person's own folder.
    pub is_own: bool,
    /// Whether it may run: it is the person's own, or they have allowed this content.
    pub may_run: bool,
}

/// One flow of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// The name to run it by.
    pub name: String,
    /// What it does.
    pub about: String,
    /// Its file.
    pub file: PathBuf,
    /// Whether it is in the person's own folder.
    pub own: bool,
    /// Whether it may run.
    pub allowed: bool,
    /// The names of its parameters.
    pub parameters: Vec<String>,
    /// How many steps it has.
    pub steps: usize,
    /// What keeps it from running.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
}

/// One content that the person has allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    file: PathBuf,
    hash: String,
}

impl Found {
    /// Reads the flow.
    ///
    /// # Errors
    ///
    /// Fails with every problem of the file.
    pub fn flow(&self) -> Result<Flow, FlowError> {
        let failed = |problems| FlowError::Problems { file: self.file.clone(), problems };
        let flow = Flow::read(&self.text).map_err(|problem| failed(vec![problem]))?;
        match check::problems(&flow) {
            problems if problems.is_empty() => Ok(flow),
            problems => Err(failed(problems)),
        }
    }

    /// Fails unless the flow may run.
    ///
    /// # Errors
    ///
    /// Fails if the person has not allowed this content of a file that is not their own.
    pub fn check_seen(&self) -> Result<(), FlowError> {
        if self.may_run { Ok(()) } else { Err(FlowError::NotSeen { file: self.file.clone() }) }
    }
}

/// Returns the person's own folder of flows. It may not exist.
pub fn own(home: &Home) -> PathBuf {
    home.shared().join(FOLDER)
}

/// Finds a flow by its name, or a file by its path: with a `/` or the ending `.toml`.
///
/// # Errors
///
/// Fails if there is none, or it cannot be read.
pub fn find(home: &Home, folder: &Path, wanted: &str) -> Result<Found, FlowError> {
    if wanted.contains('/') || Path::new(wanted).extension().is_some_and(|ending| ending == ENDING) {
        let path = folder.join(wanted);
        let missing = || FlowError::NotFound(wanted.to_owned());
        let name = path.file_stem().and_then(|name| name.to_str()).ok_or_else(missing)?.to_owned();
        let place = path.parent().and_then(|place| place.canonicalize().ok()).ok_or_else(missing)?;
        return read(home, &place, &name)?.ok_or_else(missing);
    }
    if !plain_name::is_name(wanted) {
        return Err(FlowError::BadName(wanted.to_owned()));
    }
    for place in places(home, folder)? {
        if let Some(found) = read(home, &place, wanted)? {
            return Ok(found);
        }
    }
    Err(FlowError::NotFound(wanted.to_owned()))
}

/// Lists the flows that can be found by name here.
///
/// # Errors
///
/// Fails if a folder cannot be read.
pub fn list(home: &Home, folder: &Path) -> Result<Vec<Listed>, FlowError> {
    let mut listed: Vec<Listed> = Vec::new();
    for place in places(home, folder)? {
        let entries = match fs::read_dir(&place) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(FlowError::storage("read", &place, error)),
        };
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let flows = files.filter(|file| file.extension().is_some_and(|ending| ending == ENDING));
        let mut names: Vec<String> = flows.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect();
        names.sort();
        for name in names.into_iter().filter(|name| plain_name::is_name(name)) {
            if listed.iter().any(|other| other.name == name) {
                continue;
            }
            if let Some(found) = read(home, &place, &name)? {
                listed.push(Listed::of(found));
            }
        }
    }
    Ok(listed)
}

impl Listed {
    fn of(found: Found) -> Self {
        let (flow, problems) = match Flow::read(&found.text) {
            Ok(flow) => {
                let problems = check::problems(&flow);
                (flow, problems)
            }
            Err(problem) => (Flow::default(), vec![problem]),
        };
        Self {
            name: found.name,
            about: flow.about,
            file: found.file,
            own: found.is_own,
            allowed: found.may_run,
            parameters: flow.parameters.into_keys().collect(),
            steps: flow.steps.len(),
            problems,
        }
    }
}

/// The folders in which a name is looked up, in order.
fn places(home: &Home, folder: &Path) -> Result<Vec<PathBuf>, FlowError> {
    let projects =
        project_file::places(folder, home.shared()).map_err(|error| FlowError::storage("read", folder, error))?;
    let own = own(home);
    let own = own.canonicalize().unwrap_or(own);
    Ok(std::iter::once(own).chain(projects.into_iter().map(|place| place.join(FOLDER))).collect())
}

fn read(home: &Home, place: &Path, name: &str) -> Result<Option<Found>, FlowError> {
    let file_name = format!("{name}.{ENDING}");
    let file = place.join(&file_name);
    let text = project_file::read(place, &file_name, MOST_BYTES)
        .map_err(|why| FlowError::Unusable { file: file.clone(), why })?;
    let Some(text) = text else { return Ok(None) };
    let is_own = own(home).canonicalize().is_ok_and(|own| own == *place);
    let may_run = is_own || seen(home)?.contains(&Seen { file: file.clone(), hash: hash(&text) });
    Ok(Some(Found { name: name.to_owned(), file, text, is_own, may_run }))
}

/// Records that the person has read this content and allows it to run, in place of an earlier one.
///
/// # Errors
///
/// Fails if the record cannot be written.
pub fn allow(home: &Home, found: &Found) -> Result<(), FlowError> {
    let own = own(home);
    let failed = |error| FlowError::storage("written", &own.join(SEEN), error);
    private_folder(&own).map_err(|error| failed(io::Error::other(error.to_string())))?;
    // Two terminals may answer at once.
    let _lock = FileLock::take(&own.join("seen.lock")).map_err(failed)?;
    let mut all = seen(home)?;
    all.retain(|seen| seen.file != found.file);
    all.push(Seen { file: found.file.clone(), hash: hash(&found.text) });
    let text = serde_json::to_vec_pretty(&all).map_err(|error| failed(error.into()))?;
    atomic::write(&own.join(SEEN), &text).map_err(failed)
}

/// Writes a flow into the person's own folder. Returns its file.
///
/// # Errors
///
/// Fails if the name is taken and `replace` is false, or the file cannot be written.
pub fn save(home: &Home, name: &str, text: &str, replace: bool) -> Result<PathBuf, FlowError> {
    if !plain_name::is_name(name) {
        return Err(FlowError::BadName(name.to_owned()));
    }
    let own = own(home);
    let path = own.join(format!("{name}.{ENDING}"));
    let failed = |error| FlowError::storage("written", &path, error);
    private_folder(&own).map_err(|error| failed(io::Error::other(error.to_string())))?;
    if !replace && path.symlink_metadata().is_ok() {
        return Err(FlowError::Exists(name.to_owned()));
    }
    atomic::write(&path, text.as_bytes()).map_err(failed)?;
    Ok(path)
}

fn seen(home: &Home) -> Result<Vec<Seen>, FlowError> {
    let path = own(home).join(SEEN);
    let failed = |error| FlowError::storage("read", &path, error);
    match fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|error| failed(error.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(failed(error)),
    }
}

/// Returns the SHA-256 of a flow's content, in hexadecimal.
pub(crate) fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::fault::Fault;

    const TEXT: &str = "flow = 1\nsteps = [\n  { act = \"press\", key = \"Enter\" },\n]\n";

    fn stage() -> (tempfile::TempDir, Home, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let home = Home::at(root.join("g")).unwrap();
        let project = root.join("project");
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::create_dir_all(project.join(".gstack/flows")).unwrap();
        (folder, home, project)
    }

    #[test]
    fn a_flow_of_a_repository_runs_only_with_the_content_that_was_allowed() {
        let (_folder, home, project) = stage();
        let file = project.join(".gstack/flows/buy.toml");
        fs::write(&file, TEXT).unwrap();
        let found = find(&home, &project, "buy").unwrap();
        assert!(!found.is_own && found.file == file && found.check_seen().is_err());
        let fault = Fault::from(found.check_seen().unwrap_err());
        assert!(fault.hint.unwrap().contains("gstack flow trust"));
        allow(&home, &found).unwrap();
        assert!(find(&home, &project, "buy").unwrap().check_seen().is_ok());
        fs::write(&file, TEXT.replace("Enter", "Escape")).unwrap();
        assert!(find(&home, &project, "buy").unwrap().check_seen().is_err(), "it was changed");
        // The same content in a copy of the project is another file.
        fs::write(&file, TEXT).unwrap();
        let copy = project.join("copy.toml");
        fs::copy(&file, &copy).unwrap();
        assert!(find(&home, &project, "copy.toml").unwrap().check_seen().is_err());
        assert!(find(&home, &project, copy.to_str().unwrap()).unwrap().check_seen().is_err());
        fs::write(own(&home).join(SEEN), "{half").unwrap();
        assert!(find(&home, &project, "buy").is_err(), "answers that can't be read allow nothing");
    }

    #[test]
    fn a_repository_cannot_take_over_a_name_of_the_persons_own() {
        let (_folder, home, project) = stage();
        fs::write(project.join(".gstack/flows/buy.toml"), TEXT).unwrap();
        fs::write(project.join(".gstack/flows/other.toml"), "flow = 1\n").unwrap();
        let saved = save(&home, "buy", TEXT, false).unwrap();
        let found = find(&home, &project, "buy").unwrap();
        assert!(found.is_own && found.may_run && found.file == saved);
        assert!(matches!(save(&home, "buy", TEXT, false), Err(FlowError::Exists(_))));
        save(&home, "buy", TEXT, true).unwrap();
        let listed = list(&home, &project).unwrap();
        let shown: Vec<_> = listed.iter().map(|one| (one.name.as_str(), one.own, one.problems.len())).collect();
        assert_eq!(shown, [("buy", true, 0), ("other", false, 1)]);
    }

    #[test]
    fn no_name_and_no_link_leads_out_of_the_folders() {
        let (_folder, home, project) = stage();
        for name in ["..", "a b", "", "ä"] {
            assert!(matches!(find(&home, &project, name), Err(FlowError::BadName(_))), "{name}");
            assert!(save(&home, name, TEXT, true).is_err());
        }
        assert!(matches!(find(&home, &project, "../etc/passwd"), Err(FlowError::NotFound(_))));
        fs::write(project.join("x.toml"), TEXT).unwrap();
        std::os::unix::fs::symlink(project.join("x.toml"), project.join(".gstack/flows/link.toml")).unwrap();
        assert!(matches!(find(&home, &project, "link"), Err(FlowError::Unusable { .. })));
    }
}
