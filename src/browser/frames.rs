//! The frames of one engaged tab: the session of each, and its script contexts.
//!
//! Owns the tree as the browser's events build it, across processes. Pure: it takes events and answers queries.

use super::devtools::page::{FrameData, FrameTreeData};
use super::entry_size::ENTRY;
use super::events::Event;
use super::targets::{
    ContextCreated, ContextData, ContextDestroyed, FrameAttached, FrameDetached, NavigatedWithinDocument,
};
use crate::devtools::target::SessionId;
use gstack_base::shorten::shorten;

/// DevTools' id of a frame. It stays the same when the frame moves to another process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(String);

impl FrameId {
    /// Wraps the browser's id of a frame.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
    /// Returns the id as the browser writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One frame, at the time it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The browser's id of the frame. It stays the same when the frame navigates.
    pub id: FrameId,
    /// `None` for the tab's main frame.
    pub parent: Option<FrameId>,
    /// The session for commands to this frame.
    pub session: SessionId,
    /// The address of its document, with the fragment; empty if it is not known yet.
    pub url: String,
    /// The name that its page gave it; empty if none.
    pub name: String,
    /// Identifies the document: a new loader is a new document.
    pub loader: String,
}

/// The world that script runs in: the page's own, or an isolated one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum World {
    /// The page's own world.
    Main,
    /// Shares the document, with its own globals; the page cannot see into it.
    Isolated(String),
}

/// The execution context of a world in one document. Ends with the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The session that the context belongs to.
    pub session: SessionId,
    /// The browser's number for it in that session. Another document may get the same number later.
    pub id: i64,
    /// Never reused, unlike `id`: `uniqueContextId` of `Runtime.evaluate`.
    pub unique: Option<String>,
}

/// The most of a `data:` address that is kept: it is a whole document, and a page may have any number of frames.
const LONGEST_DATA: usize = 64 * 1024;

fn kept(url: String) -> String {
    if url.len() > LONGEST_DATA && url.starts_with("data:") { shorten(&url, LONGEST_DATA) } else { url }
}

#[derive(Debug)]
struct KnownContext {
    frame: String,
    world: World,
    context: Context,
}

#[derive(Debug, Default)]
pub(super) struct FrameTree {
    /// In order of appearance, parents first.
    frames: Vec<Frame>,
    contexts: Vec<KnownContext>,
}

impl FrameTree {
    pub(super) fn all(&self) -> &[Frame] {
        &self.frames
    }
    /// Returns what the tree takes.
    pub(super) fn bytes(&self) -> usize {
        let frame = |frame: &Frame| {
            frame.id.0.len() + frame.url.len() + frame.name.len() + frame.loader.len() + frame.session.as_ref().len()
        };
        let context = |known: &KnownContext| {
            let name = if let World::Isolated(name) = &known.world { name.len() } else { 0 };
            name + known.frame.len() + known.context.unique.as_ref().map_or(0, String::len)
        };
        let frames: usize = self.frames.iter().map(|one| ENTRY + frame(one)).sum();
        frames + self.contexts.iter().map(|one| ENTRY + context(one)).sum::<usize>()
    }
    pub(super) fn get(&self, id: &str) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.id.0 == id)
    }
    /// Returns true if a frame now shows the document with this loader.
    pub(super) fn shows(&self, document: &str) -> bool {
        self.frames.iter().any(|frame| frame.loader == document)
    }
    pub(super) fn main(&self) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.parent.is_none())
    }
    pub(super) fn context(&self, frame: &str, world: &World) -> Option<&Context> {
        // The newest wins: a document may be replaced before its contexts are reported destroyed.
        let found = self.contexts.iter().rev().find(|known| known.frame == frame && known.world == *world);
        found.map(|known| &known.context)
    }

    /// Loads a session's whole frame tree.
    pub(super) fn load(&mut self, session: &SessionId, tree: &FrameTreeData) {
        self.navigated(session, &tree.frame);
        for child in &tree.child_frames {
            self.load(session, child);
        }
    }
    pub(super) fn attached(&mut self, session: &SessionId, frame: &str, parent: &str) {
        if self.get(frame).is_none() {
            self.frames.push(Frame {
                id: FrameId::new(frame),
                parent: Some(FrameId::new(parent)),
                session: session.clone(),
                url: String::new(),
                name: String::new(),
                loader: String::new(),
            });
        }
    }
    /// Records a frame's document and drops the children of the previous one.
    pub(super) fn navigated(&mut self, session: &SessionId, data: &FrameData) {
        let fresh = Frame {
            id: FrameId::new(&data.id),
            parent: data.parent_id.as_deref().map(FrameId::new),
            session: session.clone(),
            url: kept(data.full_url()),
            name: data.name.clone().unwrap_or_default(),
            loader: data.loader_id.clone(),
        };
        let Some((loader, earlier)) = self.get(&data.id).map(|known| (known.loader.clone(), known.session.clone()))
        else {
            self.frames.push(fresh);
            return;
        };
        if loader != data.loader_id && !loader.is_empty() {
            self.drop_children(&data.id);
        }
        // The frame left a process of its own: the old session's contexts are not this document's.
        if earlier != *session {
            self.contexts.retain(|known| known.frame != data.id || known.context.session == *session);
        }
        if let Some(frame) = self.frames.iter_mut().find(|frame| frame.id.0 == data.id) {
            *frame = fresh;
        }
    }
    pub(super) fn navigated_within_document(&mut self, frame: &str, url: &str) {
        if let Some(frame) = self.frames.iter_mut().find(|known| known.id.0 == frame) {
            url.clone_into(&mut frame.url);
        }
    }
    /// Removes a frame. `swapped`: the frame continues in another process, whose session reports it.
    pub(super) fn detached(&mut self, session: &SessionId, frame: &str, swapped: bool) {
        if self.get(frame).is_some_and(|known| known.session != *session) {
            return;
        }
        self.drop_children(frame);
        if !swapped {
            self.remove(frame);
        }
    }
    pub(super) fn session_ended(&mut self, session: &SessionId) {
        self.contexts.retain(|known| known.context.session != *session);
        let lost: Vec<String> =
            self.frames.iter().filter(|frame| frame.session == *session).map(|frame| frame.id.0.clone()).collect();
        for frame in lost {
            self.remove(&frame);
        }
    }

    pub(super) fn context_created(&mut self, session: &SessionId, data: ContextData) {
        let Some(frame) = data.aux_data.frame_id else { return };
        let world = if data.aux_data.is_default { World::Main } else { World::Isolated(data.name) };
        let context = Context { session: session.clone(), id: data.id, unique: data.unique_id };
        self.contexts.retain(|known| known.context.session != *session || known.context.id != data.id);
        self.contexts.push(KnownContext { frame, world, context });
    }
    pub(super) fn context_destroyed(&mut self, session: &SessionId, id: i64) {
        self.contexts.retain(|known| known.context.session != *session || known.context.id != id);
    }
    pub(super) fn contexts_cleared(&mut self, session: &SessionId) {
        self.contexts.retain(|known| known.context.session != *session);
    }

    fn drop_children(&mut self, parent: &str) {
        let children: Vec<String> = self
            .frames
            .iter()
            .filter(|frame| frame.parent.as_ref().is_some_and(|id| id.0 == parent))
            .map(|frame| frame.id.0.clone())
            .collect();
        for child in children {
            self.remove(&child);
        }
    }
    fn remove(&mut self, frame: &str) {
        // The frame goes before its children, so that frames which name each other as parents end too.
        self.frames.retain(|known| known.id.0 != frame);
        self.contexts.retain(|known| known.frame != frame);
        self.drop_children(frame);
    }
}

impl FrameTree {
    /// Applies the events that change only the tree.
    pub(super) fn apply(&mut self, session: &SessionId, event: &Event) {
        match event.method() {
            "Page.frameAttached" => {
                let Some(FrameAttached { frame_id, parent_frame_id }) = event.read() else { return };
                self.attached(session, &frame_id, &parent_frame_id);
            }
            "Page.frameDetached" => {
                let Some(FrameDetached { frame_id, reason }) = event.read() else { return };
                self.detached(session, &frame_id, reason == "swap");
            }
            "Page.navigatedWithinDocument" => {
                let Some(NavigatedWithinDocument { frame_id, url }) = event.read() else { return };
                self.navigated_within_document(&frame_id, &url);
            }
            "Runtime.executionContextCreated" => {
                let Some(ContextCreated { context }) = event.read() else { return };
                self.context_created(session, context);
            }
            "Runtime.executionContextDestroyed" => {
                let Some(ContextDestroyed { execution_context_id }) = event.read() else { return };
                self.context_destroyed(session, execution_context_id);
            }
            "Runtime.executionContextsCleared" => self.contexts_cleared(session),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FrameTree, World};
    use crate::devtools::page::FrameData;
    use crate::devtools::target::SessionId;
    use crate::targets::ContextData;
    use serde_json::json;

    fn data(id: &str, parent: Option<&str>, loader: &str) -> FrameData {
        serde_json::from_value(json!({"id": id, "parentId": parent, "loaderId": loader, "url": "http://a/"})).unwrap()
    }
    fn context(frame: &str, id: i64, name: &str) -> ContextData {
        let aux = json!({"frameId": frame, "isDefault": name.is_empty()});
        serde_json::from_value(json!({"id": id, "name": name, "auxData": aux})).unwrap()
    }
    fn session(id: &str) -> SessionId {
        SessionId::from(id.to_owned())
    }

    #[test]
    fn a_frame_that_moves_to_another_process_is_reached_there() {
        let (page, own) = (session("page"), session("own"));
        let mut tree = FrameTree::default();
        tree.navigated(&page, &data("main", None, "1"));
        tree.attached(&page, "child", "main");
        tree.context_created(&page, context("child", 4, ""));
        tree.navigated(&own, &data("child", Some("main"), "2"));
        // The old process reports the swap after the new one has reported the document.
        tree.detached(&page, "child", true);
        assert_eq!(tree.get("child").unwrap().session, own);
        assert!(tree.context("child", &World::Main).is_none(), "a context of the old process");
        tree.session_ended(&own);
        assert!(tree.get("child").is_none());
        assert!(tree.get("main").is_some());
    }

    #[test]
    fn a_child_that_is_known_before_its_parent_goes_with_the_parents_document() {
        let (page, own) = (session("page"), session("own"));
        let mut tree = FrameTree::default();
        tree.attached(&own, "grandchild", "child");
        tree.navigated(&page, &data("child", Some("main"), "1"));
        tree.navigated(&own, &data("child", Some("main"), "2"));
        assert_eq!(tree.all().iter().map(|frame| frame.id.0.as_str()).collect::<Vec<_>>(), ["child"]);
        assert_eq!(tree.get("child").unwrap().session, own);
    }

    #[test]
    fn frames_that_name_each_other_as_parents_are_removed() {
        let page = session("page");
        let mut tree = FrameTree::default();
        tree.attached(&page, "a", "b");
        tree.attached(&page, "b", "a");
        tree.attached(&page, "c", "c");
        tree.detached(&page, "a", false);
        tree.detached(&page, "c", false);
        assert!(tree.all().is_empty(), "{:?}", tree.all());
    }

    #[test]
    fn children_and_contexts_go_with_their_document() {
        let page = session("page");
        let mut tree = FrameTree::default();
        tree.navigated(&page, &data("main", None, "1"));
        tree.attached(&page, "child", "main");
        tree.attached(&page, "grandchild", "child");
        tree.context_created(&page, context("main", 1, ""));
        tree.context_created(&page, context("main", 2, "ours"));
        assert_eq!(tree.context("main", &World::Isolated("ours".to_owned())).unwrap().id, 2);
        tree.contexts_cleared(&page);
        tree.navigated(&page, &data("main", None, "2"));
        assert_eq!(tree.all().len(), 1);
        assert!(tree.context("main", &World::Main).is_none());
    }
}
