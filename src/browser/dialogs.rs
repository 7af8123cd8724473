//! JavaScript dialogs (alert, confirm, prompt, beforeunload) of engaged tabs: the answer policy and the record of past
//! dialogs.
//!
//! Owns the policy and the ring of past dialogs. Never answers by itself: the router does, using `decide`.

use super::entry_size::ENTRY;
use crate::devtools::target::SessionId;
use gstack_base::clock::now_millis;
use gstack_base::shorten::shorten;
use serde::Deserialize;
use std::collections::VecDeque;

/// The number of dialogs that a tab remembers.
const RING: usize = 1000;
/// A page can open dialogs with long texts in a loop.
const RING_TEXT: usize = 256 * 1024;
/// The most of a text that is kept and shown. Chrome itself shows 32 lines of 132 characters.
pub(super) const LONGEST_TEXT: usize = 10_000;

/// The answer to a tab's dialogs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialogPolicy {
    /// Uses this text if the dialog is a prompt.
    Accept(Option<String>),
    /// Cancels the dialog.
    Dismiss,
    /// Leaves every dialog but `alert` open for the user in the window.
    Leave,
    /// Leaves every dialog but `alert` open and reports it (`BrowserEvent::DialogOpened`); the caller that runs the
    /// action answers it. Overrides any policy set for the tab.
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
    /// The dialog's text, as the page wrote it.
    pub message: String,
    /// The text that a prompt suggests.
    #[serde(default)]
    pub default_prompt: Option<String>,
    /// The address of the page that opened it.
    #[serde(default)]
    pub url: String,
}

impl Dialog {
    /// Cuts its texts to what is kept.
    pub(super) fn cut(&mut self) {
        for text in [&mut self.message, &mut self.url].into_iter().chain(&mut self.default_prompt) {
            if text.len() > LONGEST_TEXT {
                *text = shorten(text, LONGEST_TEXT);
            }
        }
    }
    fn bytes(&self) -> usize {
        self.message.len() + self.url.len() + self.default_prompt.as_ref().map_or(0, String::len)
    }
}

/// A dialog and its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialogRecord {
    /// In milliseconds since 1970.
    pub at: u64,
    /// The dialog.
    pub dialog: Dialog,
    /// `None` if the dialog was left to the user or is still open.
    pub accepted: Option<bool>,
    /// The text entered in a prompt.
    pub text: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Answer {
        accept: bool,
        text: Option<String>,
    },
    /// Leaves it open and reports it.
    Tell,
    /// Leaves it to the user.
    Leave,
}

/// The dialogs of one tab.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    /// The policy that a command set for this tab.
    pub(super) chosen: Option<DialogPolicy>,
    /// The policy of the actions that started last. It also applies between actions if the browser has no window.
    pub(super) during_acts: DialogPolicy,
    /// Sessions that cannot answer until the dialog is closed.
    pub(super) held: Vec<SessionId>,
    ring: VecDeque<DialogRecord>,
}

impl Dialogs {
    /// Decides how to answer a dialog and records it. `ours`: a command is running on the tab, or the browser has no
    /// window.
    pub(super) fn decide(&mut self, dialog: Dialog, ours: bool) -> Decision {
        let policy = match (&self.during_acts, &self.chosen) {
            (DialogPolicy::Ask, _) => &DialogPolicy::Ask,
            (_, Some(chosen)) => chosen,
            (during_acts, None) => during_acts,
        };
        let decision = match policy {
            _ if !ours => Decision::Leave,
            DialogPolicy::Ask | DialogPolicy::Leave if dialog.kind != "alert" => Decision::Tell,
            DialogPolicy::Ask | DialogPolicy::Leave => Decision::Answer { accept: true, text: None },
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
        self.ring.push_back(DialogRecord { at: now_millis(), dialog, accepted, text });
        while self.ring.len() > RING || (self.text_bytes() > RING_TEXT && self.ring.len() > 1) {
            self.ring.pop_front();
        }
        decision
    }

    /// Returns the dialog that is open now.
    pub(super) fn open(&self) -> Option<&Dialog> {
        self.ring.back().filter(|record| record.accepted.is_none()).map(|record| &record.dialog)
    }
    pub(super) fn last(&self) -> Option<&DialogRecord> {
        self.ring.back()
    }

    /// Records that the open dialog was closed.
    pub(super) fn closed(&mut self, accepted: bool, text: Option<String>) {
        if let Some(open) = self.ring.iter_mut().rev().find(|record| record.accepted.is_none()) {
            open.accepted = Some(accepted);
            open.text = text.filter(|text| !text.is_empty());
        }
    }

    /// Returns what the record takes.
    pub(super) fn bytes(&self) -> usize {
        self.ring.len() * ENTRY + self.text_bytes()
    }
    fn text_bytes(&self) -> usize {
        self.ring.iter().map(|record| record.dialog.bytes()).sum()
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
    fn a_page_that_fills_its_dialogs_takes_little_memory() {
        let mut dialogs = Dialogs::default();
        for number in 0..5000 {
            let mut long = Dialog { message: format!("{number} {}", "ä".repeat(100_000)), ..dialog("alert") };
            long.cut();
            assert!(long.message.chars().count() <= super::LONGEST_TEXT && long.message.ends_with('…'));
            dialogs.decide(long, true);
        }
        assert!(dialogs.text_bytes() <= super::RING_TEXT, "{}", dialogs.text_bytes());
        assert!(dialogs.records().last().unwrap().dialog.message.starts_with("4999 "));
        for _ in 0..5000 {
            dialogs.decide(dialog("alert"), true);
        }
        assert_eq!(dialogs.records().len(), super::RING);
    }

    #[test]
    fn the_standing_answer_counts_during_commands() {
        let mut dialogs = Dialogs::default();
        let given = Some("given".to_owned());
        assert_eq!(dialogs.decide(dialog("prompt"), true), Decision::Answer { accept: true, text: given });
        assert_eq!(dialogs.decide(dialog("alert"), true), Decision::Answer { accept: true, text: None });
        dialogs.during_acts = DialogPolicy::Leave;
        assert_eq!(dialogs.decide(dialog("prompt"), true), Decision::Tell);
        dialogs.chosen = Some(DialogPolicy::Dismiss);
        assert_eq!(dialogs.decide(dialog("confirm"), true), Decision::Answer { accept: false, text: None });
    }

    #[test]
    fn an_act_that_asks_is_not_answered_by_what_was_chosen_for_the_tab() {
        let mut dialogs = Dialogs { chosen: Some(DialogPolicy::Accept(None)), ..Dialogs::default() };
        dialogs.during_acts = DialogPolicy::Ask;
        for kind in ["confirm", "prompt", "beforeunload"] {
            assert_eq!(dialogs.decide(dialog(kind), true), Decision::Tell, "{kind}");
        }
        assert_eq!(dialogs.open().map(|dialog| dialog.kind.as_str()), Some("beforeunload"));
        assert_eq!(dialogs.decide(dialog("alert"), true), Decision::Answer { accept: true, text: None });
        assert_eq!(dialogs.open(), None);
    }
}
