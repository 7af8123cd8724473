//! A recording of a tab's requests: since when, and the bodies that were answered meanwhile.
//!
//! Owns the bodies, bounded in bytes. They are asked for as soon as they are whole: the browser forgets them with their
//! document. Never decides what of it is shown.

use super::body::Body;
use crate::browser::devtools::network::GetResponseBody;
use crate::browser::session::Session;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Of one recording, in bytes.
pub const MOST_BODIES: usize = 32 * 1024 * 1024;
/// A larger one is left out.
pub const LARGEST_BODY: usize = 8 * 1024 * 1024;

/// Which parts are recorded, and for whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingOptions {
    /// The bodies of answers too.
    pub bodies: bool,
    /// Nothing is redacted.
    pub secrets: bool,
    pub for_model: bool,
}

/// A recording under way.
#[derive(Debug)]
pub struct Recording {
    pub options: RecordingOptions,
    /// In milliseconds since 1970.
    pub since: u64,
    /// The newest request before it.
    pub(super) after: u64,
    bodies: HashMap<u64, Body>,
    bytes: usize,
}

/// The recording under way; none: nothing is recorded.
pub(in crate::browser::page) type Recorded = Arc<Mutex<Option<Recording>>>;

impl Recording {
    pub(super) fn new(options: RecordingOptions, since: u64, after: u64) -> Self {
        Self { options, since, after, bodies: HashMap::new(), bytes: 0 }
    }

    /// The body of an answer that came meanwhile.
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

/// The answer to the request of this number is whole: its body is asked for where one is recorded. `bytes`: as they came over
/// the wire.
pub(super) fn finished(recorded: &Recorded, number: u64, session: &Session, id: &str, bytes: usize) {
    let is_wanted =
        |recording: &Recording| recording.options.bodies && number > recording.after && recording.takes(bytes);
    if !locked(recorded).as_ref().is_some_and(is_wanted) {
        return;
    }
    let recorded = Arc::downgrade(recorded);
    session.post_then(GetResponseBody { request_id: id.to_owned() }, move |reply| {
        // One that the browser does not hold has no body in the recording.
        let (Some(recorded), Ok(told)) = (recorded.upgrade(), reply) else { return };
        if let (Some(recording), Ok(body)) = (locked(&recorded).as_mut(), Body::of_answer(told)) {
            recording.add(number, body);
        }
    });
}

/// Each change is small and leaves it whole, whatever panicked elsewhere.
pub(super) fn locked(recorded: &Mutex<Option<Recording>>) -> MutexGuard<'_, Option<Recording>> {
    recorded.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_take_no_more_than_their_bytes() {
        let options = RecordingOptions { bodies: true, ..RecordingOptions::default() };
        let mut recording = Recording::new(options, 0, 0);
        recording.add(1, Body::Binary(vec![0; LARGEST_BODY + 1]));
        assert!(recording.body(1).is_none(), "one that is too large");
        for number in 2..20 {
            recording.add(number, Body::Binary(vec![0; LARGEST_BODY]));
        }
        assert_eq!((recording.bytes, recording.bodies.len()), (MOST_BODIES, MOST_BODIES / LARGEST_BODY));
    }
}
