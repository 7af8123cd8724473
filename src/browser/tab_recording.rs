//! Recording what the person does in a tab: the script and the binding that a recorded tab's pages and frames get.
//!
//! Owns their delivery and their removal. Reads no report: `page/person` does.

use super::devtools::runtime::{AddBindingParams, EvaluateParams, Evaluation};
use super::devtools::target::SessionId;
use super::devtools_session::Session;
use super::error::BrowserError;
use super::frames::World;
use super::init_scripts::InitScript;
use super::shared::Shared;
use super::tab::Tab;
use gstack_protocol::ids::TabId;
use std::sync::Arc;

/// The function in our isolated world that `injected/recording.js` calls.
pub(crate) const BINDING: &str = "gstackRecords";

/// Records a tab, and the tabs that its pages open, while it lives.
pub(crate) struct TabRecording {
    tab: Tab,
    script: Arc<InitScript>,
    /// Ends the recording in a document.
    end: String,
}

impl Shared {
    /// Makes a page or frame of a recorded tab report what the person does, from its first event on.
    pub(super) fn record_in(&self, tab: TabId, session: &Session) {
        let script = self.state().tab_states.get(&tab).and_then(|tab_state| tab_state.recording.clone());
        if let Some(script) = script {
            give(&script, session);
        }
    }
}

fn give(script: &Arc<InitScript>, session: &Session) {
    session.post(AddBindingParams { name: BINDING.to_owned(), execution_context_name: script.world.clone() });
    script.give(session);
}

impl Tab {
    /// Starts to record the tab. `begin` and `end` are scripts for `world`. Returns `None` if the tab is recorded already.
    pub(crate) fn begin_recording(
        &self,
        world: &str,
        begin: String,
        end: String,
    ) -> Result<Option<TabRecording>, BrowserError> {
        let page = self.page()?;
        let script = Arc::new(InitScript::in_world(world, begin));
        let is_free = self.with_tab_state(|tab_state| {
            let is_free = tab_state.recording.is_none();
            if is_free {
                tab_state.recording = Some(script.clone());
            }
            is_free
        })?;
        if !is_free {
            return Ok(None);
        }
        std::iter::once(&page).chain(&self.frame_sessions()).for_each(|session| give(&script, session));
        Ok(Some(TabRecording { tab: self.clone(), script, end }))
    }
}

impl TabRecording {
    /// Returns the recorded tab that a session belongs to.
    pub(crate) fn tab_of(&self, session: &SessionId) -> Option<Tab> {
        let state = self.tab.browser().shared.state();
        let tab = state.sessions.get(session)?.tab()?;
        let script = state.tab_states.get(&tab)?.recording.as_ref()?;
        let is_recorded = Arc::ptr_eq(script, &self.script);
        drop(state);
        is_recorded.then(|| self.tab.browser().tab(tab).ok()).flatten()
    }
}

impl Drop for TabRecording {
    fn drop(&mut self) {
        let browser = self.tab.browser();
        self.script.take_back(browser.cdp());
        let Some(world) = self.script.world.clone().map(World::Isolated) else { return };
        let contexts: Vec<_> = {
            let mut state = browser.shared.state();
            let mut tabs = Vec::new();
            for (tab, tab_state) in &mut state.tab_states {
                if tab_state.recording.as_ref().is_some_and(|script| Arc::ptr_eq(script, &self.script)) {
                    tab_state.recording = None;
                    tabs.push(*tab);
                }
            }
            let engaged = tabs.iter().filter_map(|tab| state.engaged.get(tab));
            let frames = engaged.flat_map(|engaged| {
                engaged
                    .frames
                    .all()
                    .iter()
                    .filter_map(|frame| engaged.frames.context(frame.id.as_str(), &world).cloned())
            });
            frames.collect()
        };
        for context in contexts {
            browser.cdp().session(context.session.clone()).post(EvaluateParams::new(&self.end).within(&context));
        }
    }
}
