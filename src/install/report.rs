//! The result for each browser's manifest, for people and for `--json`.

use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// The change at one location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Action {
    /// There is no manifest yet.
    Create,
    /// The existing manifest starts another program, or is damaged.
    Replace,
    /// The existing manifest is ours and starts this program.
    Keep,
    Remove,
    /// There is nothing to remove.
    Absent,
    /// The manifest has our name but is not ours; it stays.
    Leave,
    /// The browser is sandboxed and cannot start programs.
    Skip,
}

/// The change for one browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Step {
    /// The display name.
    pub browser: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<PathBuf>,
    pub action: Action,
    /// A note for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A step and its outcome.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Done {
    #[serde(flatten)]
    pub step: Step,
    /// The error and the next step, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The result for each browser. `Display` is for people, `Serialize` for `--json`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Whether nothing was written and the steps are only planned.
    pub dry_run: bool,
    pub browsers: Vec<Done>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Report {
    /// Whether any browser's step failed.
    pub(crate) fn failed(&self) -> bool {
        self.browsers.iter().any(|done| done.error.is_some())
    }

    /// Returns the browsers that have our manifest now, or would have it.
    #[cfg(test)]
    pub(crate) fn registered(&self) -> impl Iterator<Item = &str> {
        self.browsers
            .iter()
            .filter(|done| done.error.is_none())
            .filter(|done| matches!(done.step.action, Action::Create | Action::Replace | Action::Keep))
            .map(|done| done.step.browser.as_str())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.browsers.iter().map(|done| done.step.browser.chars().count()).max().unwrap_or(0);
        for Done { step, error } in &self.browsers {
            let did = match (error, &step.action, self.dry_run) {
                (Some(_), _, _) => "failed",
                (None, Action::Create, false) => "registered",
                (None, Action::Create, true) => "would register",
                (None, Action::Replace, false) => "renewed",
                (None, Action::Replace, true) => "would renew",
                (None, Action::Keep, _) => "registered already",
                (None, Action::Remove, false) => "removed",
                (None, Action::Remove, true) => "would remove",
                (None, Action::Absent, _) => "was not registered",
                (None, Action::Leave, _) => "left alone",
                (None, Action::Skip, _) => "skipped",
            };
            write!(f, "{:<width$}  {did}", step.browser)?;
            match (error, &step.note, &step.manifest) {
                (Some(error), _, _) => writeln!(f, ": {error}")?,
                (None, Some(note), _) => writeln!(f, ": {note}")?,
                (None, None, Some(path)) => writeln!(f, "  {}", path.display())?,
                (None, None, None) => writeln!(f)?,
            }
        }
        if self.browsers.is_empty() {
            writeln!(f, "Nothing to do: no browser here has or needs the manifest.")?;
        }
        self.warnings.iter().try_for_each(|warning| writeln!(f, "Note: {warning}"))
    }
}
