//! The measurements in progress in a tab between two commands.
//!
//! Owns only the state: other files start, read and end a measurement. In an everyday browser, gstack stays attached to
//! the tab meanwhile: detaching would end the measurement.

use crate::events::Subscription;
use crate::keep_attached::KeepAttached;
use std::sync::Mutex;

/// The measurements in progress.
#[derive(Default)]
pub(in crate::page) struct Measured {
    pub(super) trace: Mutex<Option<(TraceOptions, KeepAttached)>>,
    /// Script coverage; `None`: no recording.
    pub(super) scripts: Mutex<Option<KeepAttached>>,
    /// The style sheets reported since style coverage started; `None`: no recording.
    pub(super) styles: Mutex<Option<(Subscription, KeepAttached)>>,
}

/// The options of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceOptions {
    /// Includes small screenshots.
    pub pictures: bool,
    pub for_model: bool,
}
