//! The browser contexts that a client creates: isolated tabs, which end with the client.
//!
//! Owns the checks. A client reaches no context but its own, and none has a network of its own.

use super::message::{self, Command, Refusal};
use super::session::{Held, Session};
use super::targets::CONTEXT;
use gstack_browser::error::BrowserError;
use gstack_browser::tabs::TabInfo;
use serde_json::{Value, json};

/// Each is a profile in memory.
const MOST: usize = 16;

impl Session {
    pub(super) async fn create_context(&mut self, params: &Value) -> Result<Value, Refusal> {
        if self.browser.is_relayed() {
            return Err(Refusal::denied("an everyday browser has no other contexts"));
        }
        // A proxy could get around the list of sites.
        if params.as_object().is_some_and(|given| given.keys().any(|name| name != "disposeOnDetach")) {
            return Err(Refusal::denied("a context has the browser's own network and rights"));
        }
        if self.contexts.len() >= MOST {
            return Err(Refusal::denied(format!("a client has at most {MOST} contexts")));
        }
        let id = self.browser.new_context().await.map_err(failed)?;
        self.contexts.insert(id.clone());
        Ok(json!({ "browserContextId": id }))
    }

    pub(super) async fn dispose_context(&mut self, params: &Value) -> Result<(), Refusal> {
        let id = params["browserContextId"].as_str().unwrap_or_default();
        let id = self.contexts.take(id).ok_or_else(no_context)?;
        self.browser.dispose_context(&id).await.map_err(failed)
    }

    /// Returns the id by which the client knows the context of a tab.
    pub(super) fn context_of(&self, info: &TabInfo) -> String {
        let own = info.context.as_ref().filter(|id| self.contexts.contains(*id));
        own.cloned().unwrap_or_else(|| CONTEXT.to_owned())
    }

    /// Returns the parameters of a command that is sent to the browser itself, and whether it is about a context of the
    /// client. The browser takes no context for its default one, so a session's own context is named here. Fails for a
    /// context that is not the client's.
    pub(super) fn in_context(&self, command: &Command<'_>, held: Option<&Held>) -> Result<(Value, bool), Refusal> {
        let mut params = message::read(command.params)?;
        let named = params["browserContextId"].as_str().map(str::to_owned);
        let id = match (named, held) {
            (Some(id), _) => Some(id),
            (None, Some(held)) => {
                let info = self.browser.tab(held.tab).and_then(|tab| tab.info()).map_err(failed)?;
                Some(self.context_of(&info))
            }
            (None, None) => None,
        };
        let Some(id) = id.filter(|id| id != CONTEXT) else {
            if let Some(given) = params.as_object_mut() {
                given.remove("browserContextId");
            }
            return Ok((params, false));
        };
        if !self.contexts.contains(&id) {
            return Err(no_context());
        }
        params["browserContextId"] = json!(id);
        Ok((params, true))
    }
}

pub(super) fn no_context() -> Refusal {
    Refusal::failed("No browser context with given id found")
}

fn failed(error: BrowserError) -> Refusal {
    Refusal::failed(error.to_string())
}
