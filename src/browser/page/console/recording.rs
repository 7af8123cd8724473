//! A recording of a tab's requests: its start, and the response bodies received since.
//!
//! Owns the bodies, limited in bytes. Each body is fetched as soon as it is complete, because the browser drops bodies
//! with their document. Never decides what to show.

use super::body::Body;
use crate::devtools::network::GetResponseBodyParams;
use crate::devtools_session::Session;
use crate::keep_attached::KeepAttached;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limit of one recording, in bytes.
pub(super) const MOST_BODIES: usize = 32 * 1024 * 1024;
/// In bytes; a larger body is left out.
pub(super) const LARGEST_BODY: usize = 8 * 1024 * 1024;

/// The recorded parts and their audience.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingOptions {
    /// Includes response bodies.
    pub bodies: bool,
    /// Disables redaction.
    pub secrets: bool,
    pub for_model: bool,
}

/// A recording in progress.
#[derive(Debug)]
pub struct Recording {
    pub options: RecordingOptions,
    /// In milliseconds since 1970.
    pub since: u64,
    /// The number of the newest request before it.
    pub(super) after: u64,
    bodies: HashMap<u64, Body>,
    bytes: usize,
    /// Detaching from the tab of an everyday browser would end the recording.
    _kept: Option<KeepAttached>,
}

/// The recording in progress, or `None`.
pub(in crate::page) type Recorded = Arc<Mutex<Option<Recording>>>;

impl Recording {
    pub(super) fn new(options: RecordingOptions, since: u64, after: u64, kept: Option<KeepAttached>) -> Self {
        Self { options, since, after, bodies: HashMap::new(), bytes: 0, _kept: kept }
    }

    /// Returns the body of a response received during the recording.
    pub fn body(&self, number: u64) -> Option<&Body> {
        self.bodies.get(&number)
    }

    pub(super) fn takes(&self, bytes: usize) -> bool {
        bytes <= LARGEST_BODY && self.bytes + bytes <= MOST_BODIES
    }

    fn add(&mut self, number: u64, body: Body) {
        let bytes = body.size();
        if self.takes(bytes) {
            self.bytes += bytes;
            self.bodies.insert(number, body);
        }
    }
}

/// Handles a complete response: fetches its body if bodies are recorded. `bytes`: its size over the wire.
pub(super) fn finished(recorded: &Recorded, number: u64, session: &Session, id: &str, bytes: usize) {
    let is_wanted =
        |recording: &Recording| recording.options.bodies && number > recording.after && recording.takes(bytes);
    if !locked(recorded).as_ref().is_some_and(is_wanted) {
        return;
    }
    let recorded = Arc::downgrade(recorded);
    session.post_then(GetResponseBodyParams::new(id.to_owned()), move |reply| {
        // A body that the browser does not hold is missing in the recording.
        let (Some(recorded), Ok(told)) = (recorded.upgrade(), reply) else { return };
        if let (Some(recording), Ok(body)) = (locked(&recorded).as_mut(), Body::of_answer(told)) {
            recording.add(number, body);
        }
    });
}

/// Each change is small and leaves the recording consistent, so a poisoned lock is usable.
pub(super) fn locked(recorded: &Mutex<Option<Recording>>) -> MutexGuard<'_, Option<Recording>> {
    recorded.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_take_no_more_than_their_bytes() {
        let options = RecordingOptions { bodies: true, ..RecordingOptions::default() };
        let mut recording = Recording::new(options, 0, 0, None);
        recording.add(1, Body::Binary(vec![0; LARGEST_BODY + 1]));
        assert!(recording.body(1).is_none(), "one that is too large");
        for number in 2..20 {
            recording.add(number, Body::Binary(vec![0; LARGEST_BODY]));
        }
        assert_eq!((recording.bytes, recording.bodies.len()), (MOST_BODIES, MOST_BODIES / LARGEST_BODY));
    }
}
