//! A page as a PDF.
//!
//! Owns the paper. Never writes files.

use super::devtools::call;
use super::error::PageError;
use super::page::Page;
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
    /// The page as it prints on A4, with its backgrounds.
    pub async fn pdf(&self) -> Result<Vec<u8>, PageError> {
        let (width, height) = A4;
        let paper = json!({ "paperWidth": width, "paperHeight": height, "printBackground": true });
        let printed: Printed = call(self.session(), "Page.printToPDF", &paper).await?;
        STANDARD.decode(printed.data).map_err(|error| PageError::Unreadable(error.to_string()))
    }
}
