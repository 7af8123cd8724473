//! A page as a PDF, and as MHTML.
//!
//! Owns the paper size. Never writes files.

use crate::browser::page::error::PageError;
use crate::browser::page::page::Page;
use crate::browser::page::script::call;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;

/// A4, in inches (ISO 216).
const A4: (f64, f64) = (8.27, 11.69);

#[derive(Deserialize)]
struct Printed {
    data: String,
}

impl Page {
    /// Prints the page to PDF on A4, with backgrounds.
    pub async fn pdf(&self) -> Result<Vec<u8>, PageError> {
        let (width, height) = A4;
        let paper = json!({ "paperWidth": width, "paperHeight": height, "printBackground": true });
        let printed: Printed = call(self.session(), "Page.printToPDF", &paper).await?;
        STANDARD.decode(printed.data).map_err(|error| PageError::Unreadable(error.to_string()))
    }

    /// Saves the page with its frames, styles and images as MHTML (RFC 2557).
    pub async fn mhtml(&self) -> Result<String, PageError> {
        let kept: Printed = call(self.session(), "Page.captureSnapshot", &json!({ "format": "mhtml" })).await?;
        Ok(kept.data)
    }
}
