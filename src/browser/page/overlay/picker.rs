//! Lets the user pick an element.
//!
//! Owns one pick: from preparing every frame of the tab to the element, or the end of the pick. The browser's own
//! inspect mode follows the pointer, so that no document sees it move or click; our script draws the element under it.
//! Takes no turn on the tab.

use super::marks::Marks;
use crate::devtools::dom::ResolvedNode;
use crate::devtools::target::SessionId;
use crate::devtools_session::Session;
use crate::events::{Event, Filter, Subscription};
use crate::frames::{FrameId, World};
use crate::page::error::PageError;
use crate::page::locate::{ElementPlace, RefKind, RefName};
use crate::page::page::lock;
use crate::page::script::{Injected, WORLD, call, tell};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use tokio_util::sync::CancellationToken;

/// The binding that the page's script calls, in our world.
const BINDING: &str = "__gstackPick";

/// The picked element. `rect`: x, y, width and height in its frame's viewport.
#[derive(Clone, Debug, PartialEq)]
pub struct PickedElement {
    /// The ref that the element got, or had already.
    pub name: RefName,
    /// Its ARIA role; `generic` if it has none.
    pub role: String,
    /// Its accessible name; may be empty.
    pub label: String,
    /// A CSS selector as a label: `button#save.primary`. It may match other elements too.
    pub selector: String,
    /// The address of its frame's document.
    pub url: String,
    /// x, y, width and height, in CSS pixels of its frame's viewport.
    pub rect: (f64, f64, f64, f64),
    /// Its HTML without secrets, cut to 500 characters.
    pub html: String,
}

#[derive(Deserialize)]
struct PickedDescription {
    document: String,
    role: String,
    name: String,
    selector: String,
    url: String,
    rect: (f64, f64, f64, f64),
    html: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inspected {
    backend_node_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Highlighted {
    node_id: i64,
}

#[derive(Deserialize)]
struct BindingCalled {
    name: String,
    payload: String,
}

/// A key press as the script reports it.
#[derive(Deserialize)]
struct Pressed {
    document: String,
    #[serde(default)]
    at: Option<u32>,
    #[serde(default)]
    picked: Option<u32>,
    #[serde(default)]
    ended: bool,
}

#[derive(Deserialize)]
struct Numbered {
    result: NumberValue,
}

#[derive(Deserialize)]
struct NumberValue {
    #[serde(default)]
    value: u32,
}

/// The consequence of an event for the pick.
enum Step {
    Go,
    Picked(ElementPlace),
    Ended,
}

impl Marks {
    /// Waits until the user picks an element. Returns `None` if the user cancels or `end` is cancelled.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed, or its page crashes or hangs.
    pub async fn pick(&self, end: &CancellationToken) -> Result<Option<PickedElement>, PageError> {
        let filter = Filter::all().methods(&[
            "Overlay.inspectNodeRequested",
            "Overlay.nodeHighlightRequested",
            "Overlay.inspectModeCanceled",
            "Runtime.bindingCalled",
            "Page.frameNavigated",
            "Target.attachedToTarget",
        ]);
        // Subscribed before the frames are prepared, so that no event is missed.
        let events = self.tab.browser().cdp().subscribe(filter);
        let mut pick = Pick { marks: self, documents: HashMap::new(), armed: HashMap::new() };
        let outcome = pick.run(events, end).await;
        pick.disarm().await;
        outcome
    }
}

struct Pick<'a> {
    marks: &'a Marks,
    /// Frames by the document id of our script.
    documents: HashMap<String, FrameId>,
    /// The loader of the document that each session was prepared for.
    armed: HashMap<SessionId, String>,
}

impl Pick<'_> {
    async fn run(
        &mut self,
        mut events: Subscription,
        end: &CancellationToken,
    ) -> Result<Option<PickedElement>, PageError> {
        self.arm().await?;
        let gone = self.marks.tab.browser().gone().clone();
        loop {
            let event = tokio::select! {
                () = end.cancelled() => return Ok(None),
                () = gone.cancelled() => return Ok(None),
                event = events.next() => event,
            };
            let Some(event) = event else { return Ok(None) };
            // A closed tab sends no more events: its sessions are gone.
            self.marks.tab.info()?;
            match self.step(&event).await {
                Ok(Step::Go) => {}
                Ok(Step::Ended) => return Ok(None),
                Ok(Step::Picked(place)) => match self.describe(&place).await? {
                    Some(picked) => return Ok(Some(picked)),
                    // The element was removed at the moment of the click: the user picks again.
                    None => {
                        self.armed.clear();
                        self.arm().await?;
                    }
                },
                Err(PageError::DocumentGone) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Prepares every session and every frame of the tab.
    async fn arm(&mut self) -> Result<(), PageError> {
        let frames = self.marks.tab.frames().await?;
        self.documents.clear();
        let mut tops: HashMap<SessionId, String> = HashMap::new();
        for frame in frames {
            let session = self.marks.tab.browser().cdp().session(frame.session.clone());
            // Parents come first: the first frame of a session is its main document.
            let is_first = !tops.contains_key(&frame.session);
            if is_first {
                tops.insert(frame.session.clone(), frame.loader.clone());
            }
            if is_first && !self.armed.contains_key(&frame.session) {
                let binding = json!({ "name": BINDING, "executionContextName": WORLD });
                tell(&session, "Runtime.addBinding", &binding).await?;
                tell(&session, "DOM.enable", &json!({})).await?;
                tell(&session, "Overlay.enable", &json!({})).await?;
            }
            if let Some(document) = self.marks.try_call::<String>(&frame.id, Injected::BeginPick, &[&BINDING]).await? {
                self.documents.insert(document, frame.id.clone());
            }
        }
        for (id, loader) in tops {
            // Requesting the document again would invalidate the nodes that the browser has just reported.
            if self.armed.get(&id) == Some(&loader) {
                continue;
            }
            let session = self.marks.tab.browser().cdp().session(id.clone());
            // The browser draws nothing: our script shows the element and its name.
            let mode = json!({ "mode": "searchForNode", "highlightConfig": {} });
            let armed = async {
                // Without this call the session does not report the node under the pointer.
                tell(&session, "DOM.getDocument", &json!({ "depth": 0 })).await?;
                tell(&session, "Overlay.setInspectMode", &mode).await
            };
            match armed.await {
                Ok(()) => drop(self.armed.insert(id, loader)),
                Err(error) => tracing::debug!(%error, "a frame's process ended while it was armed for a pick"),
            }
        }
        Ok(())
    }

    async fn disarm(&self) {
        for id in self.armed.keys() {
            let session = self.marks.tab.browser().cdp().session(id.clone());
            let off = async {
                // `Overlay` stays enabled: it hides the release of the mouse button from the page.
                tell(&session, "Overlay.setInspectMode", &json!({ "mode": "none", "highlightConfig": {} })).await?;
                tell(&session, "DOM.disable", &json!({})).await?;
                tell(&session, "Runtime.removeBinding", &json!({ "name": BINDING })).await
            };
            if let Err(error) = off.await {
                tracing::debug!(%error, "a page went away before its pick was ended");
            }
        }
        for frame in self.documents.values() {
            if let Err(error) = self.marks.try_call::<Value>(frame, Injected::EndPick, &[]).await {
                tracing::debug!(%error, "a frame went away before its pick was ended");
            }
        }
        lock(&self.marks.memory.drawn).pointed = None;
    }

    async fn step(&mut self, event: &Event) -> Result<Step, PageError> {
        let Some(id) = event.session().filter(|id| self.armed.contains_key(*id)) else { return Ok(Step::Go) };
        let session = self.marks.tab.browser().cdp().session(id.clone());
        match event.method() {
            "Overlay.inspectNodeRequested" => {
                let Some(Inspected { backend_node_id }) = event.read() else { return Ok(Step::Go) };
                let node = json!({ "backendNodeId": backend_node_id });
                Ok(self.place_of(&session, node).await?.map_or(Step::Go, Step::Picked))
            }
            "Overlay.nodeHighlightRequested" => {
                let Some(Highlighted { node_id }) = event.read() else { return Ok(Step::Go) };
                if let Some(place) = self.place_of(&session, json!({ "nodeId": node_id })).await? {
                    self.marks.point_at(&place, None).await?;
                }
                Ok(Step::Go)
            }
            "Overlay.inspectModeCanceled" => Ok(Step::Ended),
            "Runtime.bindingCalled" => {
                let called = event.read::<BindingCalled>().filter(|called| called.name == BINDING);
                let pressed = called.and_then(|called| serde_json::from_str::<Pressed>(&called.payload).ok());
                self.pressed(pressed).await
            }
            // A new document, or an out-of-process frame.
            _ => {
                self.arm().await?;
                Ok(Step::Go)
            }
        }
    }

    async fn pressed(&self, pressed: Option<Pressed>) -> Result<Step, PageError> {
        let Some(Pressed { document, at, picked, ended }) = pressed else { return Ok(Step::Go) };
        let Some(frame) = self.documents.get(&document).cloned() else { return Ok(Step::Go) };
        if ended {
            return Ok(Step::Ended);
        }
        if let Some(number) = picked {
            return Ok(Step::Picked(ElementPlace { frame, document, number }));
        }
        if let Some(number) = at {
            self.marks.point_at(&ElementPlace { frame, document, number }, None).await?;
        }
        Ok(Step::Go)
    }

    /// Returns the frame and number of a node that the browser named, in any frame of the session.
    async fn place_of(&self, session: &Session, node: Value) -> Result<Option<ElementPlace>, PageError> {
        for (document, frame) in &self.documents {
            if self.marks.tab.frame(frame).is_ok_and(|frame| Some(&frame.session) == session.id()) {
                let context = self.marks.tab.context(frame, &World::Isolated(WORLD.to_owned())).await?;
                let mut resolve = node.clone();
                resolve["executionContextId"] = json!(context.id);
                // The browser refuses a node of another frame's document.
                let Ok(resolved) = call::<ResolvedNode>(session, "DOM.resolveNode", &resolve).await else { continue };
                let Some(object) = resolved.object.object_id else { continue };
                let function =
                    format!("function () {{ return globalThis.__gstack?.{}(this) ?? 0; }}", Injected::NumberOfPicked);
                let ask = json!({ "objectId": object, "functionDeclaration": function, "returnByValue": true });
                let numbered: Numbered = call(session, "Runtime.callFunctionOn", &ask).await?;
                if numbered.result.value > 0 {
                    let (frame, document) = (frame.clone(), document.clone());
                    return Ok(Some(ElementPlace { frame, document, number: numbered.result.value }));
                }
            }
        }
        Ok(None)
    }

    /// Describes the element and remembers it as the picked one.
    async fn describe(&self, place: &ElementPlace) -> Result<Option<PickedElement>, PageError> {
        let described = self.marks.try_call(&place.frame, Injected::DescribePicked, &[&place.number]).await?;
        let Some(described) = described.flatten() else { return Ok(None) };
        let PickedDescription { document, role, name: label, selector, url, rect, html } = described;
        if document != place.document {
            return Ok(None);
        }
        let memory = &self.marks.memory;
        let name = {
            let mut refs = memory.refs();
            let name = refs.name(RefKind::Element, place.clone());
            refs.label(name, if label.is_empty() { &role } else { &label });
            name
        };
        *lock(&memory.picked) = Some(name);
        Ok(Some(PickedElement { name, role, label, selector, url, rect, html }))
    }
}
