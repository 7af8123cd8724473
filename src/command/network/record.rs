//! One request as a line and as data.
//!
//! Owns the text, which document sent a request, and the part of its address that a client may read. Reads nothing from
//! a browser.

use crate::core::Context;
use crate::privacy::redaction;
use gstack_base::clock::iso;
use gstack_base::site::SiteOrPage;
use gstack_browser::page::error::PageError;
use gstack_browser::page::journal::RequestRecord;
use gstack_browser::page::{Header, Page};
use serde_json::{Value, json};

/// Returns a function for the readable address of a request. A model gets addresses, without secrets, only for
/// documents of the site that the tab shows.
pub(crate) fn readable_address(
    context: &Context,
    page: &Page,
) -> Result<impl Fn(&RequestRecord) -> Option<String> + use<>, PageError> {
    let here = context.for_model.then(|| page.url().map(|url| SiteOrPage::of(&url))).transpose()?;
    Ok(move |request: &RequestRecord| match &here {
        None => Some(request.url.clone()),
        Some(here) => is_of(request, here).then(|| redaction::text(&request.url)),
    })
}

/// Whether a document of this site sent the request.
pub(super) fn is_of(request: &RequestRecord, here: &SiteOrPage) -> bool {
    !request.document.is_empty() && SiteOrPage::of(&request.document) == *here
}

/// Returns the value of a header, ignoring case.
pub(super) fn header_of<'a>(headers: &'a [Header], wanted: &str) -> Option<&'a str> {
    headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.as_str())
}

/// Returns the size of the answer. What the browser counts for a failed document is its own error page.
fn size_of(request: &RequestRecord) -> Option<u64> {
    request.size.filter(|_| request.failed.is_none())
}

/// Formats `GET http://a.example/ → 200 (34ms, 120B)`.
pub(super) fn line(request: &RequestRecord, address: &str) -> String {
    let outcome = match (&request.failed, request.status) {
        (Some(reason), _) => reason.clone(),
        (None, Some(status)) => status.to_string(),
        (None, None) => "pending".to_owned(),
    };
    let mut numbers: Vec<String> = Vec::new();
    numbers.extend(request.took.map(|millis| format!("{millis}ms")));
    numbers.extend(size_of(request).map(|bytes| format!("{bytes}B")));
    let numbers = if numbers.is_empty() { String::new() } else { format!(" ({})", numbers.join(", ")) };
    format!("{} {address} → {outcome}{numbers}", request.method)
}

pub(super) fn fields(request: &RequestRecord, address: &str) -> Value {
    json!({ "method": request.method, "url": address, "status": request.status, "ms": request.took,
        "bytes": size_of(request), "failed": request.failed })
}

/// Returns the request's fields with its number, type and time.
pub(super) fn numbered(request: &RequestRecord) -> Value {
    let mut data = fields(request, &redaction::text(&request.url));
    data["id"] = json!(request.number);
    data["type"] = json!(request.kind);
    data["at"] = json!(iso(request.at));
    data
}
