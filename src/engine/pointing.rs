//! What panels let their persons see in pages: picks that wait, and what is drawn.

use super::ports::PortId;
use crate::browser::linger::Stay;
use crate::protocol::ids::{PanelId, TabId};
use std::collections::HashMap;
use tokio_util::sync::CancellationToken;

/// A panel behind a port.
pub(super) type Who = (PortId, Option<PanelId>);

#[derive(Default)]
pub(super) struct Pointing {
    /// The pick of each panel that waits for one.
    pub(super) picks: HashMap<Who, (TabId, CancellationToken)>,
    /// The tab in which a panel has something drawn. gstack stays attached to it meanwhile.
    pub(super) drawn: HashMap<Who, (TabId, Stay)>,
}
