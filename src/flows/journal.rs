//! What a run has done, on disk before and after each act.
//!
//! Owns the file of a flow's newest run. An act is noted before it is sent, so a run that was killed at any moment never
//! leads to a second act by itself: the next run says what is known, and goes on only from the step that the person names.
//! Opening an address is not noted, because it can be repeated.

use super::error::FlowError;
use super::folders::Found;
use gstack_base::hex::sha256;
use gstack_base::home::{Home, private_folder};
use gstack_base::lock::FileLock;
use gstack_base::{append, clock};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder in an instance's home.
const FOLDER: &str = "flow-runs";

/// What is known of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// It is about to be sent.
    Sends,
    Done,
    /// It had no effect.
    Failed,
    /// It may have had one.
    Unknown,
    /// The person went on although it was not done.
    Passed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Began {
        run: String,
        file: PathBuf,
        hash: String,
        at: u64,
    },
    Step {
        step: usize,
        state: State,
        at: u64,
    },
    /// The person approved another line of the flow, which has this content now.
    Healed {
        hash: String,
        at: u64,
    },
    /// The report of the run was made: nothing is open.
    Ended {
        at: u64,
    },
}

/// The folder of runs' journals, and whether a run may follow an earlier one.
#[derive(Clone, Debug)]
pub struct Runs {
    folder: PathBuf,
    /// Nobody looks at the page between two attempts.
    once: bool,
}

impl Runs {
    /// Returns those of an instance: a new run begins if the last one has ended.
    pub fn of(home: &Home) -> Self {
        Self { folder: home.root().join(FOLDER), once: false }
    }

    /// Returns those of one item of many, in a folder of its own: nothing is tried again after an act that may have taken
    /// effect, also if that attempt has ended.
    pub fn once(folder: PathBuf) -> Self {
        Self { folder, once: true }
    }
}

/// The open journal of a run.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    _lock: FileLock,
}

/// What the newest run left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Open {
    /// The last step that was noted, from 1.
    step: usize,
    state: State,
    /// Whether the flow has the content that it had then.
    same: bool,
}

impl Journal {
    /// Opens the journal for a new run.
    ///
    /// # Errors
    ///
    /// Fails if a run of the flow is under way, or if an earlier one does not let this one begin.
    pub(crate) fn begin(
        Runs { folder, once }: &Runs,
        found: &Found,
        run: &str,
        from: Option<usize>,
        told: impl Fn(usize) -> String,
    ) -> Result<Self, FlowError> {
        let failed = |error: io::Error| FlowError::storage("written", folder, error);
        private_folder(folder).map_err(|error| failed(io::Error::other(error.to_string())))?;
        let place = sha256(found.file.display().to_string());
        let name = format!("{}-{}", found.name, &place[..16]);
        let lock = FileLock::try_take(&folder.join(format!("{name}.lock"))).map_err(failed)?;
        let lock = lock.ok_or_else(|| FlowError::Running(found.name.clone()))?;
        let path = folder.join(format!("{name}.jsonl"));
        let file = append::open(&path).map_err(failed)?;
        if from.is_none() {
            let lines = lines(&path).map_err(failed)?;
            let earlier = match once {
                true => sent(&lines).map(|(step, state)| sent_fault(step, state, told)),
                false => left_open(lines, &sha256(&found.text)).map(|open| open.fault(found, told)),
            };
            if let Some(fault) = earlier {
                return Err(fault);
            }
        }
        file.set_len(0).map_err(failed)?;
        let mut journal = Self { file, path, _lock: lock };
        journal.append(&Line::Began {
            run: run.to_owned(),
            file: found.file.clone(),
            hash: sha256(&found.text),
            at: clock::now_millis(),
        })?;
        Ok(journal)
    }

    /// Notes what is known of a step's act. It is on disk when this returns.
    pub(crate) fn note(&mut self, step: usize, state: State) -> Result<(), FlowError> {
        self.append(&Line::Step { step, state, at: clock::now_millis() })
    }

    /// Notes that the flow has another content now, whose steps have the same numbers.
    pub(crate) fn healed(&mut self, text: &str) -> Result<(), FlowError> {
        self.append(&Line::Healed { hash: sha256(text), at: clock::now_millis() })
    }

    /// Notes that the run has ended and that its report says everything.
    pub(crate) fn end(mut self) -> Result<(), FlowError> {
        self.append(&Line::Ended { at: clock::now_millis() })
    }

    fn append(&mut self, line: &Line) -> Result<(), FlowError> {
        let write = || -> io::Result<()> {
            let mut bytes = serde_json::to_vec(line)?;
            bytes.push(b'\n');
            let mut file = &self.file;
            file.write_all(&bytes)?;
            file.sync_data()
        };
        write().map_err(|error| FlowError::storage("written", &self.path, error))
    }
}

/// Reads a journal. A line that a crash cut off was not followed by an act, and is left out.
fn lines(path: &Path) -> io::Result<Vec<Line>> {
    let bytes = std::fs::read(path)?;
    Ok(bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Returns the last act that has taken effect or may have.
fn sent(lines: &[Line]) -> Option<(usize, State)> {
    // An act has one outcome, after the note that it is about to be sent.
    let mut acts = BTreeMap::new();
    for line in lines {
        if let Line::Step { step, state, .. } = line {
            acts.insert(*step, *state);
        }
    }
    acts.into_iter().rfind(|(_, state)| *state != State::Failed)
}

fn sent_fault(step: usize, state: State, told: impl Fn(usize) -> String) -> FlowError {
    let known = matches!(state, State::Done | State::Passed);
    let did = if known { "did" } else { "may have done" };
    FlowError::CutOff {
        step,
        took_effect: known.then_some(true),
        message: format!("an earlier attempt {did} step {step} ({}), so this is not done again by itself", told(step)),
        hint: "Look at what it did. What is still to be done is yours to start.".to_owned(),
    }
}

/// Returns what the newest run left open; `None` if it has ended, or has sent nothing.
fn left_open(lines: Vec<Line>, hash: &str) -> Option<Open> {
    let mut open: Option<Open> = None;
    let mut same = true;
    for line in lines {
        match line {
            Line::Began { hash: then, .. } => (open, same) = (None, then == hash),
            Line::Step { step, state, .. } => open = Some(Open { step, state, same }),
            Line::Healed { hash: then, .. } => same = then == hash,
            // The outcome of an act stays open until the person has said where to go on.
            Line::Ended { .. } => open = open.filter(|open| open.state == State::Unknown),
        }
    }
    open.map(|open| Open { same, ..open })
}

impl Open {
    fn fault(self, found: &Found, told: impl Fn(usize) -> String) -> FlowError {
        let Self { step, state, same } = self;
        let what =
            if same { format!("step {step} ({})", told(step)) } else { format!("step {step} of an earlier version") };
        let name = &found.name;
        let (message, hint) = match state {
            State::Sends | State::Unknown => (
                format!("the last run of {name} was cut off in {what}: it is not known whether that took effect"),
                format!("Look at the page. If it took effect: --from {}. If it did not: --from {step}", step + 1),
            ),
            State::Done | State::Passed => (
                format!("the last run of {name} was cut off after {what}"),
                format!("To go on: --from {}. To do everything again: --from 1", step + 1),
            ),
            State::Failed => (
                format!("the last run of {name} was cut off after {what}, which failed"),
                format!("To try that step again: --from {step}. To do everything again: --from 1"),
            ),
        };
        let took_effect = match state {
            State::Sends | State::Unknown => None,
            State::Done | State::Passed => Some(true),
            State::Failed => Some(false),
        };
        FlowError::CutOff { step, took_effect, message, hint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage() -> (tempfile::TempDir, Home, Found) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().canonicalize().unwrap().join("g")).unwrap();
        let file = PathBuf::from("/x/buy.toml");
        let found = Found { name: "buy".to_owned(), file, text: "a".to_owned(), is_own: true, may_run: true };
        (folder, home, found)
    }

    fn begin(home: &Home, found: &Found, from: Option<usize>) -> Result<Journal, FlowError> {
        Journal::begin(&Runs::of(home), found, "r", from, |step| format!("act {step}"))
    }

    /// Ends a run as a kill does: nothing is noted.
    fn kill(journal: Journal) {
        drop(journal);
    }

    #[test]
    fn a_run_that_was_killed_at_any_moment_sends_nothing_again_by_itself() {
        let (_folder, home, found) = stage();
        kill(begin(&home, &found, None).unwrap());
        // It has sent nothing.
        let mut journal = begin(&home, &found, None).unwrap();
        assert!(matches!(begin(&home, &found, None), Err(FlowError::Running(_))));
        journal.note(1, State::Sends).unwrap();
        kill(journal);
        let message = begin(&home, &found, None).unwrap_err().to_string();
        assert!(message.contains("in step 1 (act 1): it is not known"), "{message}");
        let mut journal = begin(&home, &found, Some(1)).unwrap();
        journal.note(1, State::Sends).unwrap();
        journal.note(1, State::Done).unwrap();
        kill(journal);
        let message = begin(&home, &found, None).unwrap_err().to_string();
        assert!(message.contains("after step 1 (act 1)"), "{message}");
        let changed = Found { text: "b".to_owned(), ..found.clone() };
        assert!(begin(&home, &changed, None).unwrap_err().to_string().contains("of an earlier version"));
        let mut journal = begin(&home, &found, Some(1)).unwrap();
        journal.note(1, State::Sends).unwrap();
        journal.note(1, State::Done).unwrap();
        journal.healed(&changed.text).unwrap();
        kill(journal);
        let message = begin(&home, &changed, None).unwrap_err().to_string();
        assert!(message.contains("after step 1 (act 1)"), "{message}");
        let journal = begin(&home, &found, Some(2)).unwrap();
        journal.end().unwrap();
        begin(&home, &found, None).unwrap().end().unwrap();
    }

    #[test]
    fn an_unknown_outcome_stays_open_after_the_report() {
        let (_folder, home, found) = stage();
        let mut journal = begin(&home, &found, None).unwrap();
        journal.note(3, State::Sends).unwrap();
        journal.note(3, State::Unknown).unwrap();
        journal.end().unwrap();
        let FlowError::CutOff { message, hint, .. } = begin(&home, &found, None).unwrap_err() else { panic!("it ran") };
        assert!(
            message.contains("step 3") && hint.contains("--from 4") && hint.contains("--from 3"),
            "{message} {hint}"
        );
    }
    #[test]
    fn one_item_of_many_is_tried_again_only_if_nothing_can_have_happened() {
        let (folder, _, found) = stage();
        let runs = Runs::once(folder.path().canonicalize().unwrap().join("item"));
        let begin = || Journal::begin(&runs, &found, "r", None, |step| format!("act {step}"));
        begin().unwrap().end().unwrap();
        let mut journal = begin().unwrap();
        journal.note(1, State::Sends).unwrap();
        journal.note(1, State::Failed).unwrap();
        kill(journal);
        let mut journal = begin().unwrap();
        journal.note(1, State::Sends).unwrap();
        journal.note(1, State::Done).unwrap();
        journal.note(2, State::Sends).unwrap();
        journal.note(2, State::Failed).unwrap();
        journal.end().unwrap();
        let FlowError::CutOff { step: 1, took_effect: Some(true), message, .. } = begin().unwrap_err() else {
            panic!("it ran again")
        };
        assert!(message.contains("did step 1 (act 1)"), "{message}");
    }
}
