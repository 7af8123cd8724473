//! The bytes that a tab's journal holds, and dropping its oldest entries.
//!
//! Owns their count. `page::budget` decides when a journal has to shrink.

use super::journal::{ConsoleMessage, Journal, RequestRecord};
use std::collections::VecDeque;

/// The limit of a tab whose requests are recorded, in bytes. The limit of all tabs does not apply to it meanwhile.
const MOST_BYTES_RECORDED: usize = 32 * 1024 * 1024;
/// The size of a request's texts besides their letters, in bytes.
const TEXT_OVERHEAD: usize = 128;

impl Journal {
    /// Drops the oldest message. Returns false if there is none.
    pub(super) fn forget_message(&mut self) -> bool {
        let oldest = self.console.pop_front();
        self.console_bytes -= oldest.as_ref().map_or(0, ConsoleMessage::weight);
        oldest.is_some()
    }

    /// Drops the oldest request. Returns false if there is none.
    pub(super) fn forget_request(&mut self) -> bool {
        let oldest = self.requests.pop_front();
        self.request_bytes -= oldest.as_ref().map_or(0, RequestRecord::weight);
        self.left_out += u64::from(oldest.is_some());
        oldest.is_some()
    }

    pub(super) fn clear_console(&mut self) {
        self.console = VecDeque::new();
        self.console_bytes = 0;
    }

    /// Drops the requests that are complete, with their details.
    pub(super) fn clear_requests(&mut self) {
        self.requests.retain(|record| !record.done);
        self.request_bytes = self.requests.iter().map(RequestRecord::weight).sum();
        self.left_out = 0;
        let listed: Vec<u64> = self.requests.iter().map(|record| record.number).collect();
        self.traffic.keep(&listed);
        self.tidy();
    }

    /// Returns the bytes that count for the limit of all tabs.
    pub(in crate::page) fn bytes(&self) -> usize {
        if self.is_recorded { 0 } else { self.all_bytes() }
    }

    fn all_bytes(&self) -> usize {
        self.console_bytes + self.request_bytes + self.traffic.bytes()
    }

    /// Holds a recorded tab to its own limit.
    pub(super) fn keep_recorded_within(&mut self) {
        if self.is_recorded && self.all_bytes() > MOST_BYTES_RECORDED {
            self.shrink(MOST_BYTES_RECORDED);
        }
    }

    /// Drops the oldest entries of the largest part until this limit holds. The details of a request go before its
    /// record.
    pub(in crate::page) fn shrink(&mut self, most: usize) {
        while self.all_bytes() > most {
            let dropped = if self.traffic.bytes() >= self.console_bytes.max(self.request_bytes) {
                self.traffic.forget_oldest()
            } else if self.request_bytes >= self.console_bytes {
                self.forget_request()
            } else {
                self.forget_message()
            };
            if !dropped {
                break;
            }
        }
        self.tidy();
    }

    /// Returns the memory of dropped entries to the allocator.
    fn tidy(&mut self) {
        self.console.shrink_to(self.console.len() * 2);
        self.requests.shrink_to(self.requests.len() * 2);
        self.traffic.tidy();
    }
}

impl ConsoleMessage {
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>() + self.level.len() + self.text.len()
    }
}

impl RequestRecord {
    /// Its size when it begins: the reason of a failure is short. Many requests share the document's address.
    pub(super) fn weight(&self) -> usize {
        let texts = [&self.id, &self.kind, &self.method, &self.url, &self.loader];
        size_of::<Self>() + texts.iter().map(|text| text.len()).sum::<usize>() + TEXT_OVERHEAD
    }
}
