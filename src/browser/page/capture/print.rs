//! A page as a PDF, and as MHTML.
//!
//! Owns the DevTools parameters. Never writes files.

use crate::page::error::PageError;
use crate::page::page::Page;
use crate::page::script::call;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;

/// How a page is printed. Lengths are in inches.
#[derive(Clone, Debug, PartialEq)]
pub struct PdfOptions {
    /// Width and height.
    pub paper: (f64, f64),
    pub landscape: bool,
    /// Top, right, bottom, left.
    pub margins: [f64; 4],
    pub scale: f64,
    /// `1-3,5`; `None` for all.
    pub pages: Option<String>,
    pub background: bool,
    /// The size of the page's `@page` rule wins.
    pub css_size: bool,
    /// The HTML of header and footer.
    pub templates: Option<[String; 2]>,
    /// Headings become bookmarks.
    pub outline: bool,
}

#[derive(Deserialize)]
struct Printed {
    data: String,
}

impl Page {
    /// Prints the page to PDF.
    pub async fn pdf(&self, options: &PdfOptions) -> Result<Vec<u8>, PageError> {
        let PdfOptions { paper: (width, height), margins: [top, right, bottom, left], .. } = *options;
        let mut paper = json!({ "paperWidth": width, "paperHeight": height, "landscape": options.landscape,
            "marginTop": top, "marginRight": right, "marginBottom": bottom, "marginLeft": left, "scale": options.scale,
            "printBackground": options.background, "preferCSSPageSize": options.css_size,
            "generateTaggedPDF": true, "generateDocumentOutline": options.outline });
        if let Some(pages) = &options.pages {
            paper["pageRanges"] = json!(pages);
        }
        if let Some([header, footer]) = &options.templates {
            paper["displayHeaderFooter"] = json!(true);
            paper["headerTemplate"] = json!(header);
            paper["footerTemplate"] = json!(footer);
        }
        let printed: Printed = call(self.session(), "Page.printToPDF", &paper).await?;
        STANDARD.decode(printed.data).map_err(|error| PageError::Unreadable(error.to_string()))
    }

    /// Saves the page with its frames, styles and images as MHTML (RFC 2557).
    pub async fn mhtml(&self) -> Result<String, PageError> {
        let kept: Printed = call(self.session(), "Page.captureSnapshot", &json!({ "format": "mhtml" })).await?;
        Ok(kept.data)
    }
}
