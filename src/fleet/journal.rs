//! `results.jsonl`: one line for each finished item, on disk before the item counts as finished.
//!
//! Owns the file and the form of a line. A line that a crash cut off is removed when the run is resumed.

use gstack_base::append;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// How an item ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Ok,
    /// The script, a command or a step failed.
    #[default]
    Failed,
    TimedOut,
    /// Its session ended each time. Runs again if the run is resumed.
    Lost,
    /// A step of a flow has taken effect or may have, and it is not known how the item ended. Never runs again by itself.
    Unknown,
}

impl Outcome {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
            Self::Lost => "lost",
            Self::Unknown => "unknown",
        }
    }
}

/// A session that ended while it ran an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LostSession {
    pub(crate) session: String,
    /// The node of the Grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) node: Option<String>,
    pub(crate) reason: String,
}

/// A finished item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finished {
    /// From 0.
    pub(crate) index: usize,
    pub(crate) item: Value,
    pub(crate) outcome: Outcome,
    /// In milliseconds since 1970.
    pub(crate) started: u64,
    pub(crate) millis: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exit: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// The sessions that were lost before this outcome.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lost: Vec<LostSession>,
    pub(crate) session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) node: Option<String>,
    /// The end of what it printed.
    pub(crate) output: String,
    /// The last line of the output if it is JSON, or a flow's data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Value>,
}

/// The open file.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
}

impl Journal {
    /// Opens the file and returns the finished items by index. Cuts off an incomplete last line.
    pub(crate) fn open(path: &Path) -> io::Result<(Self, BTreeMap<usize, Finished>)> {
        let file = append::open(path)?;
        let bytes = std::fs::read(path)?;
        let (finished, whole) = read(&bytes);
        file.set_len(whole as u64)?;
        Ok((Self { file }, finished))
    }

    /// Appends an item. It is on disk when this returns.
    pub(crate) fn append(&mut self, finished: &Finished) -> io::Result<()> {
        let mut line = serde_json::to_vec(finished)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()
    }
}

/// Returns the items of the whole lines, and the length of those lines in bytes. The last line of an item counts.
fn read(bytes: &[u8]) -> (BTreeMap<usize, Finished>, usize) {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines = bytes[..whole].split(|byte| *byte == b'\n');
    let finished = lines.filter_map(|line| serde_json::from_slice::<Finished>(line).ok());
    (finished.map(|one| (one.index, one)).collect(), whole)
}

#[cfg(test)]
pub(crate) fn sample(index: usize, outcome: Outcome) -> Finished {
    Finished {
        index,
        item: Value::from("x"),
        outcome,
        started: 0,
        millis: 5,
        exit: Some(0),
        reason: None,
        lost: Vec::new(),
        session: "run-1".to_owned(),
        node: None,
        output: String::new(),
        result: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_a_crash_cut_off_is_removed_and_the_rest_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let (mut journal, none) = Journal::open(&path).unwrap();
        assert!(none.is_empty());
        journal.append(&sample(3, Outcome::Ok)).unwrap();
        journal.append(&sample(4, Outcome::Lost)).unwrap();
        let before = std::fs::read(&path).unwrap();
        let torn = [before.as_slice(), &before[..20]].concat();
        std::fs::write(&path, torn).unwrap();
        let (mut journal, found) = Journal::open(&path).unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), [&3, &4]);
        journal.append(&sample(4, Outcome::Ok)).unwrap();
        let (_, found) = Journal::open(&path).unwrap();
        assert_eq!(found[&4].outcome, Outcome::Ok, "the last line counts");
    }
}
