//! Sets files in a page's file fields, and returns the addresses that elements show or link to.
//!
//! Owns the calls. Never judges paths or addresses: the caller has checked them.

use super::giving_files::{FileInput, Given};
use crate::page::error::PageError;
use crate::page::locate::{FaultReply, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{FaultKind, Injected};
use crate::page::wait::Settling;
use serde::Deserialize;
use std::time::Duration;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileField {
    #[serde(default)]
    number: u32,
    #[serde(default)]
    multiple: bool,
    /// It takes a folder and no single files.
    #[serde(default)]
    folder: bool,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
struct Address {
    value: Option<String>,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    /// Chooses files or a folder in an `<input type="file">`, or in the one that a `<label>` names; the field may be
    /// hidden. Any other element is clicked, and the files go to the file chooser that it opens.
    pub async fn upload(&self, target: &Target, given: &Given, limit: Duration) -> Result<(), PageError> {
        let settling = Settling::begin(self);
        let ready = self.ready(target, &[], "choosing files", limit).await?;
        let field: FileField = self.script(&ready.frame, Injected::FileField, &[&ready.place], SCRIPT_LIMIT).await?;
        if field.fault.fault == Some(FaultKind::Kind) {
            return self.upload_by_click(target, given, limit).await;
        }
        if field.fault.fault.is_some() {
            return Err(field.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())));
        }
        if let Some(reason) = given.refusal(field.folder, field.multiple) {
            return Err(PageError::Refused { what: target.to_string(), reason: reason.to_owned() });
        }
        let object = self.element_handle(&ready.frame, field.number).await?;
        let session = self.session_of(&ready.frame)?;
        self.give_files(&session, FileInput::Object(&object), given).await?;
        if let Some(settling) = settling {
            settling.end(self, None).await;
        }
        Ok(())
    }

    /// Returns the address of what an element shows (an image, a video) or links to.
    pub async fn address_of(&self, target: &Target) -> Result<String, PageError> {
        let reply: Address = self.ask(target, Injected::AddressOf, &[], SCRIPT_LIMIT).await?;
        reply.value.ok_or_else(|| reply.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())))
    }
}
