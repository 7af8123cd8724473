//! The person's answers to files that somebody else may have written: this file, with this content, may be used or not.
//!
//! Owns the rule and the format. An answer holds neither for the same content elsewhere nor for another content of the same
//! file, and answers that can't be read allow nothing. Never reads those files and never asks.

use super::atomic;
use super::lock::FileLock;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The answers about one kind of file.
#[derive(Clone, Debug)]
pub struct Answers {
    stored: PathBuf,
}

/// One answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Answer {
    /// With symlinks resolved.
    file: PathBuf,
    /// Its fields beside the others.
    #[serde(flatten)]
    content: Map<String, Value>,
    /// Missing where only a yes is kept.
    #[serde(default = "yes")]
    allowed: bool,
}

fn yes() -> bool {
    true
}

impl Answers {
    /// `stored`: the file of the answers, in a folder that only the person writes.
    pub fn new(stored: PathBuf) -> Self {
        Self { stored }
    }

    /// Returns the file of the answers.
    pub fn stored(&self) -> &Path {
        &self.stored
    }

    /// Returns the answer to a file with this content, which serializes as an object: what of it matters, or its hash.
    ///
    /// # Errors
    ///
    /// Fails if the answers cannot be read.
    pub fn find(&self, file: &Path, content: &impl Serialize) -> io::Result<Option<bool>> {
        let content = fields(content)?;
        let all = self.all()?;
        let found = all.into_iter().find(|answer| answer.file == file && answer.content == content);
        Ok(found.map(|answer| answer.allowed))
    }

    /// Records the answer to a file, in place of an earlier one.
    ///
    /// # Errors
    ///
    /// Fails if the answers cannot be read or written.
    pub fn record(&self, file: &Path, content: &impl Serialize, allowed: bool) -> io::Result<()> {
        let answer = Answer { file: file.to_owned(), content: fields(content)?, allowed };
        self.change(|answers| {
            answers.retain(|answer| answer.file != file);
            answers.push(answer);
        })
    }

    /// Forgets the answer to a file. Returns false if there was none.
    ///
    /// # Errors
    ///
    /// Fails if the answers cannot be read or written.
    pub fn forget(&self, file: &Path) -> io::Result<bool> {
        let mut had = false;
        self.change(|answers| {
            had = answers.iter().any(|answer| answer.file == file);
            answers.retain(|answer| answer.file != file);
        })?;
        Ok(had)
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Answer>)) -> io::Result<()> {
        // Two terminals may answer at once.
        let _lock = FileLock::take(&self.stored.with_extension("lock"))?;
        let mut all = self.all()?;
        change(&mut all);
        atomic::write(&self.stored, &serde_json::to_vec_pretty(&all)?)
    }

    fn all(&self) -> io::Result<Vec<Answer>> {
        match fs::read(&self.stored) {
            Ok(text) => Ok(serde_json::from_slice(&text)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

fn fields(content: &impl Serialize) -> io::Result<Map<String, Value>> {
    match serde_json::to_value(content)? {
        Value::Object(fields) => Ok(fields),
        other => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("not an object: {other}"))),
    }
}

/// A home, a repository, and the check that a file in it is used only as the person answered.
#[cfg(test)]
#[path = "answers_stage.rs"]
pub(crate) mod stage;
