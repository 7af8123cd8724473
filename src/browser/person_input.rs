//! The person's own input in a page: tells it from the input that gstack sends.
//!
//! Pages report each press (`injected/person.js`). A press that gstack or a CDP client sent was recorded when it was sent, and its report
//! uses up that record; a report without a record is the person's. Never acts on it: the engine pauses who works there.

use super::devtools::runtime::AddBindingParams;
use super::devtools::target::SessionId;
use super::devtools_session::Session;
use super::events::Event;
use super::sent_presses::PressKind;
use super::shared::{Role, Shared};
use super::tabs::BrowserEvent;
use gstack_protocol::ids::TabId;
use serde::Deserialize;

/// The function in our isolated world that `injected/person.js` calls.
pub const BINDING: &str = "gstackPersonActs";

#[derive(Deserialize)]
struct BindingCalled {
    name: String,
    payload: String,
}

impl Shared {
    /// Makes a page or frame report the person's input. `world` is that of `injected/person.js`.
    pub(super) fn report_person(&self, session: &Session, world: &str) {
        session.post(AddBindingParams { name: BINDING.to_owned(), execution_context_name: Some(world.to_owned()) });
    }

    /// Handles a call of a binding in a page of this tab.
    pub(super) fn binding_called(&self, tab: TabId, event: &Event) {
        let Some(called) = event.read::<BindingCalled>().filter(|called| called.name == BINDING) else { return };
        let Ok(kind) = serde_json::from_value::<PressKind>(called.payload.into()) else { return };
        let is_ours = {
            let state = self.state();
            let tab_of = |session: &SessionId| state.sessions.get(session).and_then(Role::tab);
            self.cdp.sent_presses().take(kind, tab, tab_of)
        };
        if !is_ours && self.state().keyboard.note_person(kind) {
            self.tell(BrowserEvent::PersonActed(tab));
        }
    }
}
