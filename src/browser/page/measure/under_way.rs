//! What is measured in a tab between two commands.
//!
//! Owns the state alone: who measures starts, reads and ends it.

use crate::browser::events::Subscription;
use std::sync::Mutex;

/// What is measured until it is stopped.
#[derive(Default)]
pub(in crate::browser::page) struct Measured {
    pub(super) trace: Mutex<Option<TraceOptions>>,
    /// Which parts of scripts run is recorded.
    pub(super) scripts: Mutex<bool>,
    /// Which rules apply is recorded: the sheets that came since.
    pub(super) styles: Mutex<Option<Subscription>>,
}

/// How a trace was begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceOptions {
    /// With small pictures of what was drawn.
    pub pictures: bool,
    pub for_model: bool,
}
