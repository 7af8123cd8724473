//! Files that are put into a page's file fields, and files that are fetched as the page would fetch them.
//!
//! Owns the calls. Never judges paths or addresses: who calls has.

use super::devtools::{LIMIT, call, tell};
use super::element::{FaultReply, Target};
use super::error::PageError;
use super::page::{Page, SCRIPT_LIMIT};
use super::settle::Settling;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// In bytes: one part of a file on its way.
const PART: u32 = 512 * 1024;
/// A server may take its time to begin.
const FETCH_LIMIT: Duration = Duration::from_secs(60);

#[derive(Deserialize)]
struct FileField {
    #[serde(default)]
    number: u32,
    #[serde(default)]
    multiple: bool,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
struct Address {
    value: Option<String>,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
struct Blob {
    base64: Option<String>,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
struct Loaded {
    resource: Resource,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    success: bool,
    #[serde(default)]
    net_error_name: Option<String>,
    #[serde(default)]
    http_status_code: Option<f64>,
    #[serde(default)]
    stream: Option<String>,
    #[serde(default)]
    headers: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(default)]
    base64_encoded: bool,
    data: String,
    eof: bool,
}

/// A file on its way out of the browser.
pub struct Fetched<'a> {
    page: &'a Page,
    stream: Option<String>,
    first: Option<Vec<u8>>,
    /// `Content-Disposition`, where the server sent one.
    pub disposition: Option<String>,
    /// Its media type, where one is known.
    pub kind: Option<String>,
}

impl Page {
    /// Chooses files in an `<input type="file">`, or in the one that a `<label>` names; it may be hidden.
    pub async fn upload(&self, target: &Target, files: &[PathBuf], limit: Duration) -> Result<(), PageError> {
        let settling = Settling::begin(self);
        let ready = self.ready(target, &[], "choosing files", limit).await?;
        let field: FileField = self.script(&ready.frame, "fileField", &[&ready.place], SCRIPT_LIMIT).await?;
        if field.fault.fault.is_some() {
            return Err(field.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())));
        }
        if files.len() > 1 && !field.multiple {
            return Err(PageError::Refused { what: target.to_string(), reason: "it takes one file only".to_owned() });
        }
        let object = self.element_handle(&ready.frame, field.number).await?;
        let session = self.session_of(&ready.frame)?;
        tell(&session, "DOM.setFileInputFiles", &json!({ "files": files, "objectId": object })).await?;
        if let Some(settling) = settling {
            settling.end(self).await;
        }
        Ok(())
    }

    /// The address of what an element shows (a picture, a video) or leads to (a link).
    pub async fn address_of(&self, target: &Target) -> Result<String, PageError> {
        let reply: Address = self.ask(target, "addressOf", &[], SCRIPT_LIMIT).await?;
        reply.value.ok_or_else(|| reply.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string())))
    }

    /// Begins to fetch an address with the browser's cookies, as the page would. `blob:` and `data:` are read in the page.
    pub async fn fetch(&self, url: &str) -> Result<Fetched<'_>, PageError> {
        let frame = self.current_frame().await?;
        if url.starts_with("blob:") || url.starts_with("data:") {
            let blob: Blob = self.script(&frame, "readBlob", &[&url], FETCH_LIMIT).await?;
            let Some(encoded) = blob.base64 else {
                return Err(PageError::Refused { what: "the address".to_owned(), reason: blob.fault.message });
            };
            let bytes = STANDARD.decode(encoded).map_err(|error| PageError::Unreadable(error.to_string()))?;
            let kind = Some(blob.kind).filter(|kind| !kind.is_empty());
            return Ok(Fetched { page: self, stream: None, first: Some(bytes), disposition: None, kind });
        }
        let session = self.session_of(&frame)?;
        let options = json!({ "disableCache": false, "includeCredentials": true });
        let params = json!({ "frameId": frame.as_str(), "url": url, "options": options });
        let reply = session.call_json("Network.loadNetworkResource", &params, FETCH_LIMIT).await?;
        let loaded: Loaded = serde_json::from_value(reply).map_err(|error| PageError::Unreadable(error.to_string()))?;
        let resource = loaded.resource;
        if !resource.success {
            let reason = match (resource.http_status_code, resource.net_error_name) {
                (Some(status), _) if status >= 400.0 => format!("the server answered {status}"),
                (_, Some(name)) => name,
                _ => "it could not be loaded".to_owned(),
            };
            return Err(PageError::Refused { what: url.to_owned(), reason });
        }
        let header = |wanted: &str| {
            let found = resource.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.and_then(|(_, value)| value.as_str()).map(str::to_owned)
        };
        let (disposition, kind) = (header("content-disposition"), header("content-type"));
        Ok(Fetched { page: self, stream: resource.stream, first: None, disposition, kind })
    }
}

impl Fetched<'_> {
    /// The next part; none at its end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, PageError> {
        if let Some(bytes) = self.first.take() {
            return Ok(Some(bytes));
        }
        let Some(stream) = self.stream.clone() else { return Ok(None) };
        let part: Part = call(self.page.session(), "IO.read", &json!({ "handle": stream, "size": PART })).await?;
        let bytes = if part.base64_encoded {
            STANDARD.decode(part.data).map_err(|error| PageError::Unreadable(error.to_string()))?
        } else {
            part.data.into_bytes()
        };
        if part.eof {
            self.stream = None;
            self.page.session().call_json("IO.close", &json!({ "handle": stream }), LIMIT).await?;
            if bytes.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(bytes))
    }
}
