//! The frames of one engaged tab: which session reaches each, and its script contexts.
//!
//! Owns the tree as the browser's events build it, across processes. Pure: it is told of events and asked.

use super::targets::{ContextData, FrameData, FrameTreeData};
use chromiumoxide::cdp::browser_protocol::target::SessionId;

/// DevTools' id of a frame. It stays the same when the frame moves to another process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(String);

impl FrameId {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One frame, as it was when asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub id: FrameId,
    /// None: the tab's main frame.
    pub parent: Option<FrameId>,
    /// Commands about this frame go here.
    pub session: SessionId,
    pub url: String,
    pub name: String,
    /// Names the document: another loader is another document.
    pub loader: String,
}

/// Where script runs: the page's own world, or one of ours beside it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum World {
    Main,
    /// Same document, own globals; the page can't see in.
    Isolated(String),
}

/// A world of a document. Ends with the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    pub session: SessionId,
    pub id: i64,
    /// Never given again, unlike `id`: `uniqueContextId` of `Runtime.evaluate`.
    pub unique: Option<String>,
}

#[derive(Debug)]
struct KnownContext {
    frame: String,
    world: World,
    context: Context,
}

#[derive(Debug, Default)]
pub(super) struct FrameTree {
    /// In the order in which they appeared, parents first.
    frames: Vec<Frame>,
    contexts: Vec<KnownContext>,
}

impl FrameTree {
    pub(super) fn all(&self) -> &[Frame] {
        &self.frames
    }
    pub(super) fn get(&self, id: &str) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.id.0 == id)
    }
    pub(super) fn main(&self) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.parent.is_none())
    }
    pub(super) fn context(&self, frame: &str, world: &World) -> Option<&Context> {
        // The newest wins: a document may be replaced before its contexts are reported gone.
        let found = self.contexts.iter().rev().find(|known| known.frame == frame && known.world == *world);
        found.map(|known| &known.context)
    }

    /// What a session knows of its frames, all at once.
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
    /// A frame has a (new) document: its former children are gone.
    pub(super) fn navigated(&mut self, session: &SessionId, data: &FrameData) {
        let fresh = Frame {
            id: FrameId::new(&data.id),
            parent: data.parent_id.as_deref().map(FrameId::new),
            session: session.clone(),
            url: data.full_url(),
            name: data.name.clone().unwrap_or_default(),
            loader: data.loader_id.clone(),
        };
        match self.frames.iter().position(|frame| frame.id.0 == data.id) {
            Some(at) => {
                if self.frames[at].loader != data.loader_id && !self.frames[at].loader.is_empty() {
                    self.drop_children(&data.id);
                }
                // A process of its own that was given up: the old session's contexts are not this document's.
                if self.frames[at].session != *session {
                    self.contexts.retain(|known| known.frame != data.id || known.context.session == *session);
                }
                if let Some(frame) = self.frames.iter_mut().find(|frame| frame.id.0 == data.id) {
                    *frame = fresh;
                }
            }
            None => self.frames.push(fresh),
        }
    }
    pub(super) fn navigated_within_document(&mut self, frame: &str, url: &str) {
        if let Some(frame) = self.frames.iter_mut().find(|known| known.id.0 == frame) {
            url.clone_into(&mut frame.url);
        }
    }
    /// `swapped`: the frame goes on in another process, whose session tells of it.
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
        self.drop_children(frame);
        self.frames.retain(|known| known.id.0 != frame);
        self.contexts.retain(|known| known.frame != frame);
    }
}
