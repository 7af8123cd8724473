//! Other content of a page: media, structured data, storage, timing; and replacing its content.
//!
//! Owns the calls. The injected script defines the formats.

use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Injected, ScriptValue, tell};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Adds a script to the page, and returns whether it ran.
const SCRIPT_PROBE: &str = "(() => {
  const probe = document.createElement('script');
  try { probe.textContent = 'document.currentScript.dataset.ran = 1'; } catch { return false; }
  document.documentElement.append(probe);
  probe.remove();
  return probe.dataset.ran === '1';
})()";

/// A document's web storage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageStorage {
    pub local_storage: Map<String, Value>,
    pub session_storage: Map<String, Value>,
}

impl Page {
    /// Returns images, videos and audio with their addresses and sizes, as JSON.
    pub async fn media(&self) -> Result<Value, PageError> {
        self.read_whole(Injected::ReadMedia, &[]).await
    }
    /// Returns JSON-LD, Open Graph, Twitter and other metadata, as JSON.
    pub async fn structured_data(&self) -> Result<Value, PageError> {
        self.read_whole(Injected::ReadData, &[]).await
    }
    pub async fn storage(&self) -> Result<PageStorage, PageError> {
        self.read_whole(Injected::ReadStorage, &[]).await
    }
    /// Sets these entries, deletes those whose value is null, and keeps the others. Fails with `Refused` if the page
    /// has no such storage or it is full.
    pub async fn set_storage(&self, entries: &PageStorage) -> Result<(), PageError> {
        let frame = self.current_frame().await?;
        let refused: Option<String> = self.script(&frame, Injected::WriteStorage, &[entries], SCRIPT_LIMIT).await?;
        match refused {
            None => Ok(()),
            Some(reason) => Err(PageError::Refused { what: "the storage".to_owned(), reason }),
        }
    }
    /// Returns the phases of the document's load by name, in milliseconds; empty if the browser recorded none.
    pub async fn timing(&self) -> Result<Vec<(String, u64)>, PageError> {
        Ok(self.read_whole::<Option<Vec<(String, u64)>>>(Injected::ReadTiming, &[]).await?.unwrap_or_default())
    }
    /// Returns true if the page's Content Security Policy blocks scripts in its markup, as it does in content that
    /// replaces it.
    pub async fn blocks_scripts(&self) -> Result<bool, PageError> {
        Ok(self.evaluate(SCRIPT_PROBE, SCRIPT_LIMIT).await? != ScriptValue::Other("true".to_owned()))
    }
    /// Returns true if the command may leave the page: it is not limited to it, nor inside one of its frames.
    pub fn may_leave(&self) -> bool {
        !self.is_bound() && self.chosen_frame().is_none()
    }
    /// Replaces the document's content; its address stays the same.
    pub async fn set_content(&self, html: &str) -> Result<(), PageError> {
        let frame = self.current_frame().await?;
        let session = self.session_of(&frame)?;
        self.check_document(SCRIPT_LIMIT).await?;
        tell(&session, "Page.setDocumentContent", &json!({ "frameId": frame.as_str(), "html": html })).await
    }
}
