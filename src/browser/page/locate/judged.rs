//! The comparison just before input is sent: it goes to the element that was judged and to no other.

use super::target::Target;
use crate::browser::page::error::PageError;
use crate::browser::page::page::Page;

impl Page {
    /// Input was judged by what it goes to: nothing else may take it.
    pub(in crate::browser::page) fn is_judged(&self) -> bool {
        self.expected.is_some()
    }

    /// Compares once more. `target`: none for what has the focus. Other elements of the same command (where something
    /// is dropped) were not judged.
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
