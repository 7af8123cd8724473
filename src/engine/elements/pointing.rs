//! Panels' marks in pages: pending picks, and what is drawn.

use crate::ports::PortId;
use gstack_browser::keep_attached::KeepAttached;
use gstack_protocol::ids::{PanelId, TabId};
use std::collections::HashMap;
use tokio_util::sync::CancellationToken;

/// A panel behind a port.
pub(super) type Who = (PortId, Option<PanelId>);

#[derive(Default)]
pub(super) struct Pointing {
    /// The pending pick of each panel.
    pub(super) picks: HashMap<Who, (TabId, CancellationToken)>,
    /// The tab in which a panel has drawn. gstack stays attached to it for that time.
    pub(super) drawn: HashMap<Who, (TabId, KeepAttached)>,
}
