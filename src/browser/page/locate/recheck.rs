//! The comparison just before input is sent: it may go only to the elements and the document that were checked.

use super::target::Target;
use crate::frames::FrameId;
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;
use gstack_base::site;

impl Page {
    /// Returns true if input may go only to the elements that were checked.
    pub(in crate::page) fn is_restricted(&self) -> bool {
        self.expected.is_some()
    }

    /// Returns true if input may go only to some documents of the page.
    pub(in crate::page) fn is_limited(&self) -> bool {
        self.is_restricted() || self.acts_on.is_some()
    }

    /// Fails unless the tab's page has one of the origins that the command may act on.
    pub(in crate::page) async fn check_origin(&self) -> Result<(), PageError> {
        let Some(sites) = &self.acts_on else { return Ok(()) };
        let shown = site::origin(&self.main_frame().await?.url);
        if sites.page.contains(&shown) {
            return Ok(());
        }
        Err(PageError::OtherSite { wanted: sites.page.join(", ") })
    }

    /// Fails unless a frame's document has the origin that the command may act on.
    pub(in crate::page) async fn check_frame(&self, frame: &FrameId, what: &str) -> Result<(), PageError> {
        let Some(sites) = &self.acts_on else { return Ok(()) };
        let main = self.main_frame().await?;
        let page = site::origin(&main.url);
        let wanted = sites.frame.as_ref().unwrap_or(&page);
        let shown = match *frame == main.id {
            true => page.clone(),
            false => self.script(frame, Injected::OriginOf, &[], SCRIPT_LIMIT).await?,
        };
        if shown == *wanted {
            return Ok(());
        }
        Err(PageError::Refused {
            what: what.to_owned(),
            reason: format!("it is in a frame of {shown}, not of {wanted}"),
        })
    }

    /// Compares an element again. `target`: `None` for the focused element. Fails for an element that was not checked:
    /// a call acts on no others.
    pub(in crate::page) async fn check_expected(&self, target: Option<&Target>) -> Result<(), PageError> {
        if target.is_none()
            && self.acts_on.is_some()
            && let Some(frame) = self.focused_frame().await
        {
            self.check_frame(&frame, "what has the focus").await?;
        }
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
