//! The comparison just before input is sent: it may go only to the element that was checked.

use super::target::Target;
use crate::browser::page::error::PageError;
use crate::browser::page::page::Page;

impl Page {
    /// Returns true if input may go only to the element that was checked.
    pub(in crate::browser::page) fn is_judged(&self) -> bool {
        self.expected.is_some()
    }

    /// Compares the element again. `target`: `None` for the focused element. Other elements of the same command (a drop
    /// target) were not checked.
    pub(in crate::browser::page) async fn check_expected(&self, target: Option<&Target>) -> Result<(), PageError> {
        let Some(expected) = &self.expected else { return Ok(()) };
        if expected.target != target.map(ToString::to_string) {
            return Ok(());
        }
        if self.leads_to(target, expected.how).await == expected.subject {
            return Ok(());
        }
        let what = target.map_or_else(|| "what has the focus".to_owned(), ToString::to_string);
        Err(PageError::Changed { what })
    }
}
