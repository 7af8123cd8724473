//! Starts and stops the recording of a tab's requests.
//!
//! Owns the reading of the journal at the end. `recording` holds the recorded data.

use super::body::Body;
use super::exchange::Exchange;
use super::recording::{LARGEST_BODY, MOST_BODIES, Recording, RecordingOptions, locked};
use crate::page::error::PageError;
use crate::page::page::Page;
use gstack_base::clock::now_millis;

impl Page {
    /// Records the tab's requests from now on. Returns false if a recording is in progress.
    pub fn start_recording(&self, options: RecordingOptions) -> Result<bool, PageError> {
        let kept = Some(self.keep_attached()?);
        let mut recording = locked(&self.memory.recorded_requests);
        if recording.is_some() {
            return Ok(false);
        }
        if options.bodies {
            self.keep_bodies(LARGEST_BODY, MOST_BODIES)?;
        }
        let after = self.memory.journal().keep_more(true);
        *recording = Some(Recording::new(options, now_millis(), after, kept));
        Ok(true)
    }

    /// Returns the options of the recording in progress.
    pub fn recording(&self) -> Option<RecordingOptions> {
        locked(&self.memory.recorded_requests).as_ref().map(|recording| recording.options)
    }

    /// Stops the recording. Returns it with all requests since its start, oldest first.
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

    /// Returns the body of a response: from the recording, else from the browser if it still holds it.
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
