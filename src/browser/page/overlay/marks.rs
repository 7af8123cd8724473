//! Marks drawn over a tab's page for the user: the refs of its last snapshot, and an outline around one element.
//!
//! Owns the choice of what is shown. Takes no turn on the tab: drawing does not wait for commands, nor commands for
//! drawing. All marks are in one element per document, which is not part of snapshots or screenshots and receives no
//! input.

use super::drawn::ListedRef;
use crate::devtools::dom::{DescribedNode, ResolvedNode};
use crate::devtools::runtime::Evaluated;
use crate::devtools_session::Session;
use crate::frames::{FrameId, World};
use crate::keep_attached::KeepAttached;
use crate::page::error::PageError;
use crate::page::locate::{ElementPlace, RefName};
use crate::page::page::{Memory, Page, Pages, lock};
use crate::page::script::{Argument, Injected, WORLD, call, script_in, tell};
use crate::tab::Tab;
use futures_util::future::join_all;
use gstack_protocol::ids::TabId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// A frame that does not answer must not delay the drawing in the others, nor the snapshot before it.
const DRAW_LIMIT: Duration = Duration::from_secs(3);

/// The isolated world of our extension's content scripts: the browser reports it under the extension's name.
const EXTENSION_WORLD: &str = "gstack";

/// Draws the marks of one tab. Cheap to clone.
#[derive(Clone)]
pub struct Marks {
    pub(super) tab: Tab,
    pub(super) memory: Arc<Memory>,
    keep: KeepAttached,
}

#[derive(Serialize)]
struct Badge {
    number: u32,
    label: String,
}

impl Pages {
    /// Engages the tab and returns its marks.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed or cannot be attached to, or shows a page with a refused address.
    pub async fn marks(&self, tab: &Tab) -> Result<Marks, PageError> {
        let keep = tab.keep_attached()?;
        tab.engage().await?;
        // The accessible name of a picked element is page data too.
        tab.check_addresses(tab.refusal_mark())?;
        Ok(Marks { tab: tab.clone(), memory: self.memory_of(tab), keep })
    }
}

impl Marks {
    /// Returns the tab's number.
    pub fn tab(&self) -> TabId {
        self.tab.id()
    }
    /// Returns true while something is drawn.
    pub fn draws(&self) -> bool {
        let drawn = lock(&self.memory.drawn);
        drawn.refs || drawn.pointed.is_some()
    }
    /// Returns the `KeepAttached` that keeps the tab attached while something is drawn.
    pub fn keep_attached(&self) -> KeepAttached {
        self.keep.clone()
    }

    /// Returns the refs of the last snapshot whose elements are still in the page, in document order.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed, or its page crashed or hangs.
    pub async fn refs(&self) -> Result<Vec<ListedRef>, PageError> {
        let listed = lock(&self.memory.listed).clone();
        let by_frame = self.places(&listed);
        let mut present: HashMap<FrameId, Vec<u32>> = HashMap::new();
        for (frame, (document, badges)) in by_frame {
            let numbers: Vec<u32> = badges.iter().map(|badge| badge.number).collect();
            if let Some(found) = self.in_document(&frame, &document, Injected::PresentOf, &[&numbers]).await? {
                present.insert(frame, found);
            }
        }
        let refs = self.memory.refs();
        let is_present = |name: RefName| {
            refs.place(name)
                .is_some_and(|place| present.get(&place.frame).is_some_and(|numbers| numbers.contains(&place.number)))
        };
        Ok(listed.into_iter().filter(|listed| is_present(listed.name)).collect())
    }

    /// Shows or hides the refs of the last snapshot and of each later one.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed, or its page crashed or hangs.
    pub async fn show_refs(&self, show: bool) -> Result<(), PageError> {
        lock(&self.memory.drawn).refs = show;
        if show {
            return self.draw_refs().await;
        }
        for frame in self.tab.frames().await? {
            self.try_call::<Value>(&frame.id, Injected::ClearRefs, &[]).await?;
        }
        Ok(())
    }

    async fn draw_refs(&self) -> Result<(), PageError> {
        let listed = lock(&self.memory.listed).clone();
        let mut by_frame = self.places(&listed);
        self.share_root().await?;
        let frames = self.tab.frames().await?;
        let drawing = frames.into_iter().map(|frame| {
            let badges = by_frame.remove(&frame.id);
            async move {
                match badges {
                    Some((document, badges)) => {
                        lock(&self.memory.drawn).frames.insert(frame.id.clone());
                        self.in_document::<Value>(&frame.id, &document, Injected::DrawRefs, &[&badges]).await.map(drop)
                    }
                    // It may show those of an earlier snapshot.
                    None => self.try_call::<Value>(&frame.id, Injected::ClearRefs, &[]).await.map(drop),
                }
            }
        });
        join_all(drawing).await.into_iter().collect()
    }

    /// Outlines one element, or removes the outline.
    ///
    /// # Errors
    ///
    /// Fails with `PageError::RefNotFound` if the element is no longer in the page, and if the tab is closed, or its
    /// page crashed or hangs.
    pub async fn highlight(&self, name: Option<RefName>) -> Result<(), PageError> {
        let Some(name) = name else { return self.point_away().await };
        let gone = || PageError::RefNotFound(name.to_string());
        let place = self.memory.refs().place(name).cloned().ok_or_else(gone)?;
        let label = {
            let listed = lock(&self.memory.listed);
            listed.iter().find(|listed| listed.name == name).map(|listed| match listed.label.as_str() {
                "" => format!("{name} {}", listed.role),
                label => format!("{name} {} \"{label}\"", listed.role),
            })
        };
        match self.point_at(&place, label.as_deref()).await? {
            true => Ok(()),
            false => Err(gone()),
        }
    }

    /// Outlines an element; returns false if it is gone. `label`: `None` shows its role and name.
    pub(super) async fn point_at(&self, place: &ElementPlace, label: Option<&str>) -> Result<bool, PageError> {
        let before = {
            let mut drawn = lock(&self.memory.drawn);
            drawn.frames.insert(place.frame.clone());
            drawn.pointed.replace(place.frame.clone())
        };
        if let Some(before) = before.filter(|before| *before != place.frame) {
            self.clear_pointed(&before).await?;
        }
        self.share_root().await?;
        let pointed =
            self.in_document(&place.frame, &place.document, Injected::PointAt, &[&place.number, &label]).await?;
        Ok(pointed == Some(true))
    }

    pub(super) async fn point_away(&self) -> Result<(), PageError> {
        let pointed = lock(&self.memory.drawn).pointed.take();
        match pointed {
            Some(frame) => self.clear_pointed(&frame).await,
            None => Ok(()),
        }
    }

    async fn clear_pointed(&self, frame: &FrameId) -> Result<(), PageError> {
        self.try_call::<Value>(frame, Injected::PointAt, &[&()]).await.map(drop)
    }

    /// Returns the elements of refs by frame, with the document they belong to.
    fn places(&self, listed: &[ListedRef]) -> HashMap<FrameId, (String, Vec<Badge>)> {
        let refs = self.memory.refs();
        let mut by_frame: HashMap<FrameId, (String, Vec<Badge>)> = HashMap::new();
        for ListedRef { name, .. } in listed {
            let Some(place) = refs.place(*name) else { continue };
            let (_, badges) =
                by_frame.entry(place.frame.clone()).or_insert_with(|| (place.document.clone(), Vec::new()));
            badges.push(Badge { number: place.number, label: name.to_string() });
        }
        by_frame
    }

    /// Calls a function if the frame still has that document; returns `None` otherwise.
    pub(super) async fn in_document<T: DeserializeOwned>(
        &self,
        frame: &FrameId,
        document: &str,
        function: Injected,
        arguments: &[&dyn Argument],
    ) -> Result<Option<T>, PageError> {
        let mut all: Vec<&dyn Argument> = vec![&document, &function];
        all.extend_from_slice(arguments);
        Ok(self.try_call::<Option<T>>(frame, Injected::InDocument, &all).await?.flatten())
    }

    /// Calls a function of our script; returns `None` if the document or its frame is gone, or does not answer.
    pub(super) async fn try_call<T: DeserializeOwned>(
        &self,
        frame: &FrameId,
        function: Injected,
        arguments: &[&dyn Argument],
    ) -> Result<Option<T>, PageError> {
        match script_in(&self.tab, frame, function, arguments, DRAW_LIMIT).await {
            Ok(value) => Ok(Some(value)),
            Err(PageError::DocumentGone | PageError::Timeout { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Uses the element of the extension's content script, if there is one: a page then contains at most one of our
    /// elements.
    pub(super) async fn share_root(&self) -> Result<(), PageError> {
        let frame = self.tab.main_frame().await?.id;
        if self.try_call::<bool>(&frame, Injected::HasRoot, &[]).await? != Some(false) {
            return Ok(());
        }
        let Some(theirs) = self.tab.known_context(&frame, &World::Isolated(EXTENSION_WORLD.to_owned()))? else {
            return Ok(());
        };
        let session = self.tab.session_of(&frame)?;
        let ours = self.tab.context(&frame, &World::Isolated(WORLD.to_owned())).await?.id;
        // The extension draws nothing here, or its world has ended.
        if let Err(error) = hand_over(&session, theirs.id, ours).await {
            tracing::debug!(%error, "the extension's element could not be shared");
        }
        Ok(())
    }
}

/// Passes the closed shadow root from the extension's world to ours, without going through the page's world.
async fn hand_over(session: &Session, theirs: i64, ours: i64) -> Result<(), PageError> {
    let expression = json!({ "expression": "globalThis.gstackMarks?.root", "contextId": theirs });
    let root: Evaluated = call(session, "Runtime.evaluate", &expression).await?;
    let Some(root) = root.result.object_id else { return Ok(()) };
    let node: DescribedNode = call(session, "DOM.describeNode", &json!({ "objectId": root })).await?;
    let resolve = json!({ "backendNodeId": node.node.backend_node_id, "executionContextId": ours });
    let root: ResolvedNode = call(session, "DOM.resolveNode", &resolve).await?;
    let Some(root) = root.object.object_id else { return Ok(()) };
    let adopt = format!("function () {{ return globalThis.__gstack?.{}(this); }}", Injected::AdoptRoot);
    tell(session, "Runtime.callFunctionOn", &json!({ "objectId": root, "functionDeclaration": adopt })).await
}

impl Page {
    /// Returns the frames that may contain our element: the main one, and those in which something was drawn.
    pub(in crate::page) fn drawn_frames(&self, main: FrameId) -> Vec<FrameId> {
        let mut drawn = lock(&self.memory.drawn);
        drawn.frames.retain(|frame| *frame != main && self.frame(frame).is_ok());
        std::iter::once(main).chain(drawn.frames.iter().cloned()).collect()
    }

    /// Redraws the badges after a snapshot, while they are shown.
    pub(in crate::page) async fn redraw_refs(&self) -> Result<(), PageError> {
        if !lock(&self.memory.drawn).refs {
            return Ok(());
        }
        let marks = Marks { tab: (**self.work()).clone(), memory: self.memory.clone(), keep: self.keep_attached()? };
        marks.draw_refs().await
    }
}
