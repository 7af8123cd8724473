//! The written grant of a scheduled run: which content of a flow runs by itself, with which values, where, and until when.
//!
//! Owns the grant's file and its check before each run. The person wrote it in a terminal; it holds for this content only.

use super::error::FlowError;
use super::fill::{Values, filled, values};
use super::folders::Found;
use super::run::opens_address;
use super::sites;
use gstack_base::home::{Home, private_folder};
use gstack_base::{atomic, clock, hex, plain_name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder in an instance's home.
const FOLDER: &str = "flow-schedules";
/// In days: a grant that nobody remembers must end.
const LONGEST: u64 = 366;
const DAY: u64 = 24 * 60 * 60 * 1000;

/// What the person has granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Grant {
    /// Names the grant, its timer and its file.
    pub id: String,
    /// The flow's name.
    pub flow: String,
    /// Its file.
    pub file: PathBuf,
    /// The SHA-256 of its content.
    pub hash: String,
    /// The values that are set.
    pub set: Values,
    /// The origins that it acts on.
    pub sites: BTreeSet<String>,
    /// The browser commands that it acts by.
    pub kinds: BTreeSet<String>,
    /// The last day, `YYYY-MM-DD` in UTC.
    pub until: String,
    /// When it runs: five fields of cron.
    pub cron: String,
    /// Whether `cron` is in UTC, and not in the machine's zone.
    pub utc: bool,
    /// The last run, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastRun>,
}

/// How a scheduled run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastRun {
    /// In milliseconds since 1970.
    pub at: u64,
    /// Whether every step was done.
    pub done: bool,
}

impl Grant {
    /// Returns the grant for a flow with these values, to be shown before it is kept. The error is a message.
    ///
    /// # Errors
    ///
    /// Fails if the flow may not run by itself: it acts on a page that it does not open, or the date does not fit.
    pub fn of(
        home: &Home,
        found: &Found,
        set: &Values,
        (cron, utc): (&str, bool),
        until: &str,
    ) -> Result<Self, FlowError> {
        let flow = found.flow()?;
        found.check_seen()?;
        let all = values(&flow, set).map_err(FlowError::Values)?;
        let steps: Result<Vec<_>, String> = flow.steps.iter().map(|step| filled(step, &all)).collect();
        let steps = steps.map_err(FlowError::Values)?;
        let mut granted = BTreeSet::new();
        for (at, (step, place)) in steps.iter().zip(sites::of_steps(&steps)).enumerate() {
            let place = place.unwrap_or_default();
            if place.start && !opens_address(step) {
                let why = format!("step {} acts on a page that the flow does not open: begin with goto", at + 1);
                return Err(FlowError::Values(why));
            }
            granted.extend(place.named);
            granted.extend(step.frame.iter().filter(|frame| *frame != sites::OWN_FRAME).cloned());
            granted.extend(step.url.as_deref().map(sites::opened).unwrap_or_default());
        }
        let today = clock::iso(clock::now_millis());
        let latest = clock::iso(clock::now_millis() + LONGEST * DAY);
        let (today, latest) = (today.get(..10).unwrap_or_default(), latest.get(..10).unwrap_or_default());
        if !is_date(until) || until < today || until > latest {
            return Err(FlowError::Values(format!("--until must be a day from {today} to {latest}, as YYYY-MM-DD")));
        }
        let place = hex::sha256(format!("{} {}", home.root().display(), found.file.display()));
        Ok(Self {
            id: format!("{}-{}", found.name, place.get(..8).unwrap_or_default()),
            flow: found.name.clone(),
            file: found.file.clone(),
            hash: hex::sha256(&found.text),
            set: set.clone(),
            sites: granted,
            kinds: steps.iter().filter_map(|step| step.act.clone()).collect(),
            until: until.to_owned(),
            cron: cron.to_owned(),
            utc,
            last: None,
        })
    }

    /// Returns whether the last day of the grant is over.
    pub fn is_over(&self) -> bool {
        clock::iso(clock::now_millis()).get(..10).unwrap_or_default() > self.until.as_str()
    }

    /// Fails unless this flow may run by itself now.
    ///
    /// # Errors
    ///
    /// Fails if the grant is over, or the flow has another content than the granted one.
    pub fn check(&self, found: &Found) -> Result<(), FlowError> {
        let why = if self.is_over() {
            format!("its schedule was granted until {}", self.until)
        } else if found.file != self.file || hex::sha256(&found.text) != self.hash {
            "it has changed since it was scheduled".to_owned()
        } else {
            return found.check_seen();
        };
        Err(FlowError::NotGranted { flow: self.flow.clone(), why })
    }

    /// Writes the grant.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn keep(&self, home: &Home) -> Result<(), FlowError> {
        let folder = home.root().join(FOLDER);
        let path = file(&folder, &self.id);
        let failed = |error| FlowError::storage("written", &path, error);
        private_folder(&folder).map_err(|error| failed(io::Error::other(error.to_string())))?;
        let bytes = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        atomic::write(&path, &bytes).map_err(failed)
    }

    /// Reads a grant.
    ///
    /// # Errors
    ///
    /// Fails if there is none of this id.
    pub fn read(home: &Home, id: &str) -> Result<Self, FlowError> {
        let missing = || FlowError::NotGranted { flow: id.to_owned(), why: "it is not scheduled".to_owned() };
        let is_id = id.rsplit_once('-').is_some_and(|(name, _)| plain_name::is_name(name));
        let path = file(&home.root().join(FOLDER), id);
        let bytes = fs::read(path).ok().filter(|_| is_id && !id.contains('/')).ok_or_else(missing)?;
        serde_json::from_slice::<Self>(&bytes).ok().filter(|grant| grant.id == id).ok_or_else(missing)
    }

    /// Lists the grants, by id.
    pub fn list(home: &Home) -> Vec<Self> {
        let files = fs::read_dir(home.root().join(FOLDER)).into_iter().flatten().flatten();
        let ids = files.filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()));
        let mut grants: Vec<Self> = ids.filter_map(|id| Self::read(home, &id).ok()).collect();
        grants.sort_by(|one, other| one.id.cmp(&other.id));
        grants
    }

    /// Removes the grant.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be removed.
    pub fn remove(&self, home: &Home) -> Result<(), FlowError> {
        let path = file(&home.root().join(FOLDER), &self.id);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(FlowError::storage("written", &path, error)),
            _ => Ok(()),
        }
    }
}

fn file(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.json"))
}

/// Whether a text has the form `YYYY-MM-DD`. Dates of this form compare as texts.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten();
    let [year, month, day] = parts.as_slice() else { return false };
    (year.len(), month.len(), day.len()) == (4, 2, 2)
        && number(year).is_some()
        && number(month).is_some_and(|month| (1..=12).contains(&month))
        && number(day).is_some_and(|day| (1..=31).contains(&day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folders::{find, save};

    const TEXT: &str = "flow = 1\nparameters.a = \"x\"\nsteps = [\n  { act = \"goto\", url = \"https://a.example/\" },\n  \
        { act = \"fill\", name = \"A\", value = \"{{a}}\" },\n  { act = \"click\", name = \"Pay\", frame = \"https://pay.example\" },\n]\n";

    fn stage(text: &str) -> (tempfile::TempDir, Home, Found) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().canonicalize().unwrap().join("g")).unwrap();
        save(&home, "order", text, true).unwrap();
        let found = find(&home, folder.path(), "order").unwrap();
        (folder, home, found)
    }

    fn tomorrow() -> String {
        clock::iso(clock::now_millis() + DAY)[..10].to_owned()
    }

    #[test]
    fn a_grant_holds_for_one_content_until_its_last_day() {
        let (_folder, home, found) = stage(TEXT);
        let grant = Grant::of(&home, &found, &Values::new(), ("0 9 * * *", false), &tomorrow()).unwrap();
        assert_eq!(grant.sites.iter().collect::<Vec<_>>(), ["https://a.example", "https://pay.example"]);
        assert_eq!(grant.kinds.iter().collect::<Vec<_>>(), ["click", "fill", "goto"]);
        grant.keep(&home).unwrap();
        assert_eq!(Grant::read(&home, &grant.id).unwrap(), grant);
        assert_eq!(Grant::list(&home), std::slice::from_ref(&grant));
        grant.check(&found).unwrap();
        let changed = Found { text: TEXT.replace("Pay", "Delete"), ..found.clone() };
        assert!(grant.check(&changed).unwrap_err().to_string().contains("changed"));
        let over = Grant { until: "2020-01-01".to_owned(), ..grant.clone() };
        assert!(over.is_over() && over.check(&found).is_err() && !grant.is_over());
        grant.remove(&home).unwrap();
        assert!(Grant::read(&home, &grant.id).is_err());
        for id in ["../order", "order", "", "/etc/passwd-x", "..-1"] {
            assert!(Grant::read(&home, id).is_err(), "{id}");
        }
    }

    #[test]
    fn a_flow_that_acts_on_whatever_page_is_open_does_not_run_by_itself() {
        let (_folder, home, found) = stage("flow = 1\nsteps = [\n  { act = \"press\", key = \"Enter\" },\n]\n");
        let why = Grant::of(&home, &found, &Values::new(), ("0 9 * * *", false), &tomorrow()).unwrap_err();
        assert!(why.to_string().contains("begin with goto"), "{why}");
        let (_folder, home, found) = stage(TEXT);
        for until in ["", "tomorrow", "2020-01-01", "9999-01-01", "2026-1-1", "2026-13-01"] {
            let grant = Grant::of(&home, &found, &Values::new(), ("0 9 * * *", false), until);
            assert!(grant.unwrap_err().to_string().contains("--until"), "{until}");
        }
    }
}
