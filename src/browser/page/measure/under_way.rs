//! The measurements in progress in a tab between two commands.
//!
//! Owns only the state: other files start, read and end a measurement.

use crate::browser::events::Subscription;
use std::sync::Mutex;

/// The measurements in progress.
#[derive(Default)]
pub(in crate::browser::page) struct Measured {
    pub(super) trace: Mutex<Option<TraceOptions>>,
    /// True while script coverage is recorded.
    pub(super) scripts: Mutex<bool>,
    /// The style sheets reported since style coverage started; `None`: no recording.
    pub(super) styles: Mutex<Option<Subscription>>,
}

/// The options of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceOptions {
    /// Includes small screenshots.
    pub pictures: bool,
    pub for_model: bool,
}
