//! The comparison just before input is sent: it may go only to the elements and the document that were checked.

use super::target::Target;
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;

impl Page {
    /// Returns true if input may go only to the elements that were checked.
    pub(in crate::page) fn is_restricted(&self) -> bool {
        self.expected.is_some()
    }

    /// Compares an element again. `target`: `None` for the focused element. Fails for an element that was not checked:
    /// a call acts on no others.
    pub(in crate::page) async fn check_expected(&self, target: Option<&Target>) -> Result<(), PageError> {
        let Some(expected) = &self.expected else { return Ok(()) };
        let mut is_known = false;
        for element in expected.elements.iter().filter(|element| element.target.as_ref() == target) {
            is_known = true;
            if self.leads_to(target, expected.how).await != element.subject {
                return Err(changed(target));
            }
        }
        if is_known { Ok(()) } else { Err(changed(target)) }
    }

    /// Compares all elements of the call again: before the first input of an action that uses several.
    pub(in crate::page) async fn check_all_expected(&self) -> Result<(), PageError> {
        let elements = self.expected.iter().flat_map(|expected| &expected.elements);
        for element in elements {
            self.check_expected(element.target.as_ref()).await?;
        }
        Ok(())
    }

    /// Fails if the call was checked in another document than the one shown now.
    pub(in crate::page) async fn check_expected_document(&self) -> Result<(), PageError> {
        let wanted = self.expected.as_ref().and_then(|expected| expected.document.as_ref());
        match wanted {
            Some(wanted) if self.document_id().await? != *wanted => {
                Err(PageError::Changed { what: "the page".to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// Returns the id of the document of the chosen frame, or of the page. Each navigation creates a new one. Where our
    /// script cannot run, it is the browser's own id of the document.
    pub async fn document_id(&self) -> Result<String, PageError> {
        let frame = self.current_frame().await?;
        match self.script::<String>(&frame, Injected::DocumentId, &[], SCRIPT_LIMIT).await {
            Ok(id) => Ok(id),
            Err(PageError::Browser(error)) => Err(PageError::Browser(error)),
            Err(_) => Ok(format!("loader {}", self.frame(&frame)?.loader)),
        }
    }
}

fn changed(target: Option<&Target>) -> PageError {
    PageError::Changed { what: target.map_or_else(|| "what has the focus".to_owned(), ToString::to_string) }
}
