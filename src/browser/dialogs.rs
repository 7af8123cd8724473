//! JavaScript dialogs (alert, confirm, prompt, beforeunload) of engaged tabs: who answers, and what was seen.
//!
//! Owns the standing answer and the ring of past dialogs. Never answers by itself: the router does, by `decide`.

use crate::base::clock::now_millis;
use serde::Deserialize;
use std::collections::VecDeque;

/// How many dialogs a tab remembers.
const RING: usize = 1000;

/// The standing answer to a tab's dialogs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialogPolicy {
    /// With this text, where it is a prompt.
    Accept(Option<String>),
    Dismiss,
    /// `confirm` and `beforeunload` stand open and are told of (`BrowserEvent::DialogOpened`); the rest is accepted.
    Ask,
}

impl Default for DialogPolicy {
    fn default() -> Self {
        Self::Accept(None)
    }
}

/// A dialog as the page opened it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    #[serde(rename = "type")]
    pub kind: String,
    pub message: String,
    #[serde(default)]
    pub default_prompt: Option<String>,
    #[serde(default)]
    pub url: String,
}

/// What became of a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialogRecord {
    /// Milliseconds since 1970.
    pub at: u64,
    pub dialog: Dialog,
    /// None: left to a person, or still open.
    pub accepted: Option<bool>,
    /// What was typed into a prompt.
    pub text: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Answer {
        accept: bool,
        text: Option<String>,
    },
    /// Stands open and is told of.
    Tell,
    /// A person's own: nothing is done.
    Leave,
}

/// The dialogs of one tab.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    pub(super) policy: DialogPolicy,
    ring: VecDeque<DialogRecord>,
}

impl Dialogs {
    /// `ours`: a command is running on the tab, or nobody sees the browser.
    pub(super) fn decide(&mut self, dialog: Dialog, ours: bool) -> Decision {
        let decision = match &self.policy {
            _ if !ours => Decision::Leave,
            DialogPolicy::Ask if matches!(dialog.kind.as_str(), "confirm" | "beforeunload") => Decision::Tell,
            DialogPolicy::Ask => Decision::Answer { accept: true, text: None },
            DialogPolicy::Dismiss => Decision::Answer { accept: false, text: None },
            DialogPolicy::Accept(text) => {
                let is_prompt = dialog.kind == "prompt";
                let text = text.clone().or_else(|| dialog.default_prompt.clone()).filter(|_| is_prompt);
                Decision::Answer { accept: true, text }
            }
        };
        let (accepted, text) = match &decision {
            Decision::Answer { accept, text } => (Some(*accept), text.clone()),
            Decision::Tell | Decision::Leave => (None, None),
        };
        if self.ring.len() == RING {
            self.ring.pop_front();
        }
        self.ring.push_back(DialogRecord { at: now_millis(), dialog, accepted, text });
        decision
    }

    /// A dialog that stood open was closed, by whomever.
    pub(super) fn closed(&mut self, accepted: bool, text: Option<String>) {
        if let Some(open) = self.ring.iter_mut().rev().find(|record| record.accepted.is_none()) {
            open.accepted = Some(accepted);
            open.text = text.filter(|text| !text.is_empty());
        }
    }

    pub(super) fn records(&self) -> Vec<DialogRecord> {
        self.ring.iter().cloned().collect()
    }
    pub(super) fn clear(&mut self) {
        self.ring.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Decision, Dialog, DialogPolicy, Dialogs};

    fn dialog(kind: &str) -> Dialog {
        Dialog {
            kind: kind.to_owned(),
            message: "m".to_owned(),
            default_prompt: Some("given".to_owned()),
            url: String::new(),
        }
    }

    #[test]
    fn a_persons_dialog_is_left_alone_and_remembered_as_they_closed_it() {
        let mut dialogs = Dialogs::default();
        assert_eq!(dialogs.decide(dialog("confirm"), false), Decision::Leave);
        dialogs.closed(false, None);
        assert_eq!(dialogs.records()[0].accepted, Some(false));
    }

    #[test]
    fn the_standing_answer_counts_during_commands() {
        let mut dialogs = Dialogs::default();
        let given = Some("given".to_owned());
        assert_eq!(dialogs.decide(dialog("prompt"), true), Decision::Answer { accept: true, text: given });
        assert_eq!(dialogs.decide(dialog("alert"), true), Decision::Answer { accept: true, text: None });
        dialogs.policy = DialogPolicy::Dismiss;
        assert_eq!(dialogs.decide(dialog("confirm"), true), Decision::Answer { accept: false, text: None });
        dialogs.policy = DialogPolicy::Ask;
        assert_eq!(dialogs.decide(dialog("beforeunload"), true), Decision::Tell);
        assert_eq!(dialogs.decide(dialog("alert"), true), Decision::Answer { accept: true, text: None });
    }
}
