//! Replaces the text of a code editor: CodeMirror, Ace, Monaco.
//!
//! Owns the order: by the editor's model in the page's world where it has one, else all is selected and the text is pasted,
//! or typed. What the model says is the page's word. Never finds the editor.

use super::actions::Done;
use super::filling::{Filled, ReadBack};
use crate::devtools::runtime::{Evaluated, call_on};
use crate::frames::World;
use crate::page::error::PageError;
use crate::page::input::{events, keys};
use crate::page::locate::{Ready, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Argument, Injected, call, tell};
use serde::Deserialize;
use serde_json::json;

const SET: &str = include_str!("page_editors.js");
/// Handles of the page's world, released afterwards.
const GROUP: &str = "gstack editors";
/// The start of what an editor holds, in a message.
const SHOWN: usize = 200;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Model {
    #[serde(default)]
    held: Option<String>,
    #[serde(default)]
    read_only: bool,
}

#[derive(Deserialize)]
struct Pasted {
    #[serde(default)]
    pasted: bool,
}

impl Page {
    /// Replaces the editor's text. Fails if the editor takes none.
    pub(super) async fn fill_editor(&self, target: &Target, ready: &Ready, text: &str) -> Result<Filled, PageError> {
        let refused = |reason: String| PageError::Refused { what: target.to_string(), reason };
        match self.set_model(ready, text).await? {
            Some(Model { read_only: true, .. }) => Err(refused("the editor is read-only".to_owned())),
            Some(Model { held: Some(held), .. }) => {
                if held.replace("\r\n", "\n") == text.replace("\r\n", "\n") {
                    return Ok(Filled::Same);
                }
                if held.trim().is_empty() {
                    return Err(refused("the page cleared it: it is empty".to_owned()));
                }
                Ok(Filled::Changed(Some(held.chars().take(SHOWN).collect())))
            }
            _ => self.paste_into_editor(target, ready, text).await,
        }
    }

    /// Sets the text by the editor's model. `None` if the page shows none.
    async fn set_model(&self, ready: &Ready, text: &str) -> Result<Option<Model>, PageError> {
        let session = self.session_of(&ready.frame)?;
        let handle = self.element_handle(&ready.frame, ready.number()?).await?;
        let described: crate::devtools::dom::DescribedNode =
            call(&session, "DOM.describeNode", &json!({ "objectId": handle, "depth": 0 })).await?;
        let context = self.context(&ready.frame, &World::Main).await?;
        let resolve = json!({
            "backendNodeId": described.node.backend_node_id,
            "executionContextId": context.id,
            "objectGroup": GROUP,
        });
        let element: crate::devtools::dom::ResolvedNode = call(&session, "DOM.resolveNode", &resolve).await?;
        let Some(object) = element.object.object_id else { return Ok(None) };
        let text = serde_json::to_string(text).map_err(|error| PageError::Unreadable(error.to_string()))?;
        let function = format!("function () {{ return ({})(this, {text}); }}", SET.trim_end().trim_end_matches(';'));
        let reply: Result<Evaluated, _> = session.call_within(call_on(&object, &function), SCRIPT_LIMIT).await;
        tell(&session, "Runtime.releaseObjectGroup", &json!({ "objectGroup": GROUP })).await?;
        let reply = reply.map_err(PageError::from)?;
        if let Some(thrown) = reply.exception_details {
            tracing::debug!(thrown = %thrown.words(), "the editor's model took no text");
            return Ok(None);
        }
        Ok(reply.result.value.and_then(|value| serde_json::from_str(value.get()).ok()).flatten())
    }

    async fn paste_into_editor(&self, target: &Target, ready: &Ready, text: &str) -> Result<Filled, PageError> {
        let given: [&dyn Argument; 3] = [&ready.place, &false, &false];
        let focused: Done = self.script(&ready.frame, Injected::FocusElement, &given, SCRIPT_LIMIT).await?;
        focused.check(target)?;
        let all = keys::parse("ControlOrMeta+A").map_err(PageError::Usage)?;
        self.unless_closed(events::stroke(self.session(), &all).await).await?;
        if text.is_empty() {
            let delete = keys::parse("Delete").map_err(PageError::Usage)?;
            self.unless_closed(events::stroke(self.session(), &delete).await).await?;
        } else {
            let given: [&dyn Argument; 2] = [&ready.place, &text];
            let pasted: Pasted = self.script(&ready.frame, Injected::PasteText, &given, SCRIPT_LIMIT).await?;
            if !pasted.pasted {
                self.unless_closed(events::insert(self.session(), text).await).await?;
            }
        }
        let given: [&dyn Argument; 2] = [&ready.place, &text];
        let read: ReadBack = self.script(&ready.frame, Injected::ReadEditor, &given, SCRIPT_LIMIT).await?;
        read.filled(target)
    }
}
