//! What panels let their persons see in pages: picks that wait, and what is drawn.

use crate::browser::linger::Stay;
use crate::engine::ports::PortId;
use crate::protocol::ids::{PanelId, TabId};
use std::collections::HashMap;
use tokio_util::sync::CancellationToken;

/// A panel behind a port.
pub(in crate::engine) type Who = (PortId, Option<PanelId>);

#[derive(Default)]
pub(in crate::engine) struct Pointing {
    /// The pick of each panel that waits for one.
    pub(in crate::engine) picks: HashMap<Who, (TabId, CancellationToken)>,
    /// The tab in which a panel has something drawn. gstack stays attached to it meanwhile.
    pub(in crate::engine) drawn: HashMap<Who, (TabId, Stay)>,
}
