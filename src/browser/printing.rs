//! Print previews that a page opens during an act.
//!
//! A preview stops the page, and every command in its tab, until somebody ends it. No setting of DevTools prevents it, and
//! `print()` reaches a page by more ways than a script can close. Owns which previews are ended: those of acts. A person's
//! own printing is left alone. Never prints.

use super::devtools::runtime::EvaluateParams;
use super::devtools::target::{TargetInfo, attach_to, detach_from};
use super::dialogs::{Dialog, DialogRecord};
use super::effects::{Effects, RecordedEffect};
use super::shared::Shared;
use gstack_base::clock::now_millis;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PREVIEW: &str = "chrome://print/";
/// A page may print a moment after the input that it answers.
const PRINTS_LATER: Duration = Duration::from_secs(1);
/// Cancels the preview as its own button does, once its page can.
const CANCEL: &str = "(() => { const cancel = () => { if (globalThis.chrome?.send) chrome.send('dialogClose'); \
    else setTimeout(cancel, 20); }; cancel(); })()";

/// The acts that a preview may belong to, and the previews that were ended.
#[derive(Default)]
pub(super) struct Printing {
    /// The effects of the act that ended last, and when.
    ended: Option<(Effects, Instant)>,
    /// The targets of the open previews that were reported. A target has several events, and tabs can have a preview each.
    reported: HashSet<String>,
}

impl Printing {
    /// Records that an act has ended.
    pub(super) fn act_ended(&mut self, effects: Effects) {
        self.ended = Some((effects, Instant::now()));
    }
    /// Records that a target has ended.
    pub(super) fn target_ended(&mut self, target: &str) {
        self.reported.remove(target);
    }
}

impl Shared {
    /// Ends a print preview that a page opened during an act, and reports it like a dialog.
    pub(super) fn preview_seen(self: &Arc<Self>, target: &TargetInfo) {
        // Each preview has a *tab* target and a frame too.
        if target.kind != "page" || !target.url.starts_with(PREVIEW) {
            return;
        }
        {
            let mut state = self.state();
            let running = state.tab_states.values().filter_map(|tab_state| tab_state.effects.clone());
            let mut acts: Vec<Effects> = running.filter(|effects| effects.list().acts).collect();
            if acts.is_empty() {
                let recent = state.printing.ended.as_ref().filter(|(_, at)| at.elapsed() < PRINTS_LATER);
                acts.extend(recent.map(|(effects, _)| effects.clone()));
            }
            if acts.is_empty() {
                return;
            }
            if state.printing.reported.insert(target.target_id.clone()) {
                for effects in acts {
                    effects.note(RecordedEffect::Dialog(asked()));
                }
            }
        }
        let shared = Arc::downgrade(self);
        self.cdp.root().post_then(attach_to(target.target_id.clone()), move |attached| {
            let (Some(shared), Ok(attached)) = (shared.upgrade(), attached) else { return };
            // No answer comes: the preview ends with it.
            shared.cdp.session(attached.session_id.clone()).post(EvaluateParams::new(CANCEL));
            shared.cdp.root().post(detach_from(attached.session_id));
        });
    }
}

fn asked() -> DialogRecord {
    let message = "the page asked to print".to_owned();
    let dialog = Dialog { kind: "print".to_owned(), message, default_prompt: None, url: String::new() };
    DialogRecord { at: now_millis(), dialog, accepted: Some(false), text: None }
}
