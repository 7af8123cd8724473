//! Where flows are: the person's own folder, and `.gstack/flows` of a project.
//!
//! Owns finding and keeping files. A flow acts with the person's logins, so a file
//! that anyone else may have written runs only after the person has read this very content and allowed it. The person's
//! own flows win over those of a project: a repository cannot take over a name.

use super::check;
use super::error::FlowError;
use super::file::{Flow, MOST_BYTES, Problem};
use gstack_base::answers::Answers;
use gstack_base::home::{Home, private_folder};
use gstack_base::{atomic, hex, plain_name, project_file};
use serde::Serialize;
use serde_json::json;
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
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// The flow; empty if its file does not have the form of one.
    #[serde(skip)]
    pub flow: Flow,
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
    /// Whether it runs without a question: the person has allowed it, and nothing is wrong with it.
    pub fn can_run(&self) -> bool {
        self.allowed && self.problems.is_empty()
    }

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
            about: flow.about.clone(),
            file: found.file,
            own: found.is_own,
            allowed: found.may_run,
            parameters: flow.parameters.keys().cloned().collect(),
            steps: flow.steps.len(),
            problems,
            flow,
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
    let seen = seen(home);
    let failed = |error| FlowError::storage("read", seen.stored(), error);
    let may_run = is_own || seen.find(&file, &content(&text)).map_err(failed)? == Some(true);
    Ok(Some(Found { name: name.to_owned(), file, text, is_own, may_run }))
}

/// Records that the person has read this content and allows it to run, in place of an earlier one.
///
/// # Errors
///
/// Fails if the record cannot be written.
pub fn allow(home: &Home, found: &Found) -> Result<(), FlowError> {
    let seen = seen(home);
    let failed = |error| FlowError::storage("written", seen.stored(), error);
    private_folder(&own(home)).map_err(|error| failed(io::Error::other(error.to_string())))?;
    seen.record(&found.file, &content(&found.text), true).map_err(failed)
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

fn seen(home: &Home) -> Answers {
    Answers::new(own(home).join(SEEN))
}

/// Returns what an answer holds for: the whole text.
fn content(text: &str) -> serde_json::Value {
    json!({ "hash": hex::sha256(text) })
}

#[cfg(test)]
#[path = "../base/answers_stage.rs"]
mod stage;

#[cfg(test)]
mod tests {
    use super::stage::Stage;
    use super::*;
    use gstack_protocol::fault::Fault;

    const TEXT: &str = "flow = 1\nsteps = [\n  { act = \"press\", key = \"Enter\" },\n]\n";

    fn stage() -> Stage {
        let stage = Stage::new();
        fs::create_dir_all(stage.project.join(".gstack/flows")).unwrap();
        stage
    }

    #[test]
    fn a_flow_of_a_repository_runs_only_with_the_content_that_was_allowed() {
        let stage = stage();
        let home = &stage.home;
        let at = |file: &Path| find(home, Path::new("/"), file.to_str().unwrap());
        for file in [".gstack/flows/buy.toml", "elsewhere.toml"] {
            stage.answers_hold_for_one_file_with_one_content(
                Path::new(file),
                (TEXT, &format!("# a comment\n{TEXT}")),
                &seen(home),
                |file| Ok(at(file).map_err(|error| error.to_string())?.check_seen().is_ok().then_some(true)),
                |file| allow(home, &at(file).unwrap()).unwrap(),
            );
        }
        let found = find(home, &stage.project, "buy").unwrap();
        assert!(!found.is_own && found.check_seen().is_ok());
        fs::write(&found.file, TEXT.replace("Enter", "Escape")).unwrap();
        let fault = Fault::from(find(home, &stage.project, "buy").unwrap().check_seen().unwrap_err());
        assert!(fault.hint.unwrap().contains("gstack flow trust"));
    }

    #[test]
    fn a_repository_cannot_take_over_a_name_of_the_persons_own() {
        let stage = stage();
        let (home, project) = (&stage.home, &stage.project);
        fs::write(project.join(".gstack/flows/buy.toml"), TEXT).unwrap();
        fs::write(project.join(".gstack/flows/other.toml"), "flow = 1\n").unwrap();
        let saved = save(home, "buy", TEXT, false).unwrap();
        let found = find(home, project, "buy").unwrap();
        assert!(found.is_own && found.may_run && found.file == saved);
        assert!(matches!(save(home, "buy", TEXT, false), Err(FlowError::Exists(_))));
        save(home, "buy", TEXT, true).unwrap();
        let listed = list(home, project).unwrap();
        let shown: Vec<_> = listed.iter().map(|one| (one.name.as_str(), one.own, one.problems.len())).collect();
        assert_eq!(shown, [("buy", true, 0), ("other", false, 1)]);
    }

    #[test]
    fn no_name_and_no_link_leads_out_of_the_folders() {
        let stage = stage();
        let (home, project) = (&stage.home, &stage.project);
        for name in ["..", "a b", "", "ä"] {
            assert!(matches!(find(home, project, name), Err(FlowError::BadName(_))), "{name}");
            assert!(save(home, name, TEXT, true).is_err());
        }
        assert!(matches!(find(home, project, "../etc/passwd"), Err(FlowError::NotFound(_))));
        fs::write(project.join("x.toml"), TEXT).unwrap();
        std::os::unix::fs::symlink(project.join("x.toml"), project.join(".gstack/flows/link.toml")).unwrap();
        assert!(matches!(find(home, project, "link"), Err(FlowError::Unusable { .. })));
    }
}
