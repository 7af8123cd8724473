//! Server-sent events as they arrive.
//!
//! Owns the parsing of the event stream format (HTML standard, section 9.2). Never reconnects.

use super::http::Lines;
use gstack_protocol::fault::Fault;

/// One event: its name and its data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub name: String,
    pub data: String,
}

/// The events of one response.
pub struct Events {
    lines: Lines,
}

impl Events {
    pub(super) fn new(lines: Lines) -> Self {
        Self { lines }
    }

    /// Returns the next event, or `None` at the end. Skips comments (the heartbeat).
    pub async fn next_event(&mut self) -> Result<Option<Event>, Fault> {
        let mut event = Event::default();
        while let Some(line) = self.lines.next_line().await? {
            let line = String::from_utf8_lossy(&line);
            match line.trim_end_matches('\r').split_once(':') {
                Some(("event", name)) => name.trim_start().clone_into(&mut event.name),
                Some(("data", data)) => event.data.push_str(data.strip_prefix(' ').unwrap_or(data)),
                None if line.trim().is_empty() && !event.data.is_empty() => return Ok(Some(event)),
                _ => {}
            }
        }
        Ok(None)
    }
}
