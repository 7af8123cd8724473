//! Access to a tab's remembered console messages and requests, for commands that read or clear them.

use super::journal::{ConsoleMessage, RequestRecord};
use crate::page::page::Page;

impl Page {
    pub fn console(&self) -> Vec<ConsoleMessage> {
        self.memory.journal().console.iter().cloned().collect()
    }
    pub fn clear_console(&self) {
        self.memory.journal().clear_console();
    }
    pub fn requests(&self) -> Vec<RequestRecord> {
        self.memory.journal().requests.iter().cloned().collect()
    }
    pub fn clear_requests(&self) {
        self.memory.journal().clear_requests();
    }
}
