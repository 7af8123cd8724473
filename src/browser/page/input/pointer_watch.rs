//! The watcher of input positions, and the mark on the element that receives input.

use crate::devtools::runtime::{EvaluateParams, ExecutionContextId};
use crate::devtools_session::Session;
use crate::page::script::Injected;
use gstack_protocol::ids::TabId;
use serde_json::json;
use std::sync::Arc;

/// A point of a tab's viewport, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointerAt {
    pub tab: TabId,
    pub x: f64,
    pub y: f64,
    /// True if a button is pressed there; otherwise the pointer only moves, or the element is filled.
    pub pressed: bool,
}

/// Receives each position just before the input is sent. Must not block.
pub type PointerWatch = Arc<dyn Fn(PointerAt) + Send + Sync>;

/// The mark on the element of an action. Removed on drop, even if the command is cancelled.
pub(in crate::page) struct Touch {
    pub(super) session: Session,
    pub(super) context: i64,
    pub(super) document: String,
}

impl Touch {
    pub(super) fn tell(&self, number: Option<u32>) {
        let given = format!("{}, {}, {}", json!(self.document), json!(Injected::Touch), json!(number));
        let function = format!("globalThis.__gstack?.{}({given})", Injected::InDocument);
        let mut touch = EvaluateParams::new(function);
        touch.context_id = Some(ExecutionContextId::new(self.context));
        self.session.post(touch);
    }
}

impl Drop for Touch {
    fn drop(&mut self) {
        self.tell(None);
    }
}
