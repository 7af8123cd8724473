//! Begins and ends the recording of a tab's requests.
//!
//! Owns what is read from the journal at its end. The recording itself is `recording`'s.

use super::body::Body;
use super::exchange::Exchange;
use super::recording::{Recording, RecordingOptions, locked};
use crate::base::clock::now_millis;
use crate::browser::page::error::PageError;
use crate::browser::page::page::Page;

impl Page {
    /// Records the tab's requests from now on. False if that is done already.
    pub fn start_recording(&self, options: RecordingOptions) -> bool {
        let mut recording = locked(&self.memory.recorded_requests);
        if recording.is_some() {
            return false;
        }
        let after = self.memory.journal().keep_more(true);
        *recording = Some(Recording::new(options, now_millis(), after));
        true
    }

    /// How the recording under way was begun.
    pub fn recording(&self) -> Option<RecordingOptions> {
        locked(&self.memory.recorded_requests).as_ref().map(|recording| recording.options)
    }

    /// Ends the recording. Returns it with all that was asked for since, the oldest first.
    pub fn stop_recording(&self) -> Option<(Recording, Vec<Exchange>)> {
        let recording = locked(&self.memory.recorded_requests).take()?;
        let mut journal = self.memory.journal();
        let exchanges = journal
            .requests_after(recording.after)
            .map(|record| Exchange::read(record.clone(), journal.traffic.get(record.number)))
            .collect();
        journal.keep_more(false);
        Some((recording, exchanges))
    }

    /// The body of an answer: as it was recorded, else as the browser still has it.
    pub async fn recorded_body(&self, recording: &Recording, exchange: &Exchange) -> Result<Option<Body>, PageError> {
        if let Some(body) = recording.body(exchange.record.number) {
            return Ok(Some(body.clone()));
        }
        let size = exchange.record.size.and_then(|size| usize::try_from(size).ok()).unwrap_or_default();
        if !recording.options.bodies || !recording.takes(size) {
            return Ok(None);
        }
        let body = self.response_body(exchange).await?;
        Ok(recording.takes(body.size()).then_some(body).filter(|body| *body != Body::Gone))
    }
}
