//! Access to a tab's remembered console messages and requests, for commands that read or clear them.

use super::journal::{ConsoleMessage, RequestRecord};
use crate::page::page::Page;

impl Page {
    pub fn console(&self) -> Vec<ConsoleMessage> {
        self.memory.journal().console.iter().cloned().collect()
    }
    pub fn clear_console(&self) {
        let mut journal = self.memory.journal();
        journal.console.clear();
        journal.console_bytes = 0;
    }
    pub fn requests(&self) -> Vec<RequestRecord> {
        self.memory.journal().requests.iter().cloned().collect()
    }
    pub fn clear_requests(&self) {
        let mut journal = self.memory.journal();
        journal.requests.retain(|record| !record.done);
        journal.left_out = 0;
    }
}
