//! The permissions granted to a tab's site without a prompt.
//!
//! Owns the argument parsing. For people only: `emulate` refuses agents.

use crate::core::{Output, wrong};
use gstack_browser::cdp::CdpError;
use gstack_browser::error::BrowserError;
use gstack_browser::page::Page;
use gstack_browser::permissions::Permission;
use gstack_protocol::fault::Fault;
use serde_json::json;
use url::Url;

/// Common names, for the hint. The browser knows more.
const KNOWN: &str = "geolocation, notifications, camera, microphone, clipboard-read, clipboard-write, midi, sensors";

/// Runs `grant NAME…`, `deny NAME…` or `reset`.
pub(super) async fn set(page: &Page, value: &str) -> Result<Output, Fault> {
    let mut words = value.split([' ', ',']).filter(|word| !word.is_empty());
    let act = words.next().unwrap_or_default();
    let names: Vec<&str> = words.collect();
    let granted = match (act, names.is_empty()) {
        ("reset" | "off", true) => {
            page.reset_permissions().await?;
            return Ok(Output::text("permissions: as the browser has them").data(json!({ "what": "permissions" })));
        }
        ("grant", false) => true,
        ("deny", false) => false,
        _ => {
            return Err(wrong(format!("emulate permissions does not know {value:?}"))
                .hint("emulate permissions grant geolocation, deny NAME…, or reset"));
        }
    };
    let origin = origin_of(&page.url()?).ok_or_else(|| {
        wrong("this page has no site to set permissions for").hint("Go to the site first: gstack goto <url>")
    })?;
    let names: Vec<&str> = names.iter().flat_map(|name| expanded(name).iter().copied().chain(single(name))).collect();
    for name in &names {
        let permission = Permission { origin: origin.clone(), name: (*name).to_owned(), granted };
        page.set_permission(permission).await.map_err(|error| refused(error, name))?;
    }
    let said = format!("permissions: {} {} to {origin}", names.join(", "), if granted { "granted" } else { "denied" });
    let data = json!({ "what": "permissions", "site": origin, "names": names, "granted": granted });
    Ok(Output::text(said).data(data))
}

/// Expands one word to several permissions.
fn expanded(name: &str) -> &'static [&'static str] {
    match name {
        "sensors" => &["accelerometer", "gyroscope", "magnetometer", "ambient-light-sensor"],
        _ => &[],
    }
}

fn single(name: &str) -> Option<&str> {
    expanded(name).is_empty().then_some(name)
}

fn origin_of(url: &str) -> Option<String> {
    let origin = Url::parse(url).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

fn refused(error: BrowserError, name: &str) -> Fault {
    match error {
        BrowserError::Cdp(CdpError::Protocol { message, .. }) => {
            wrong(format!("the browser has no permission {name:?}: {message}")).hint(format!("Some are: {KNOWN}."))
        }
        other => other.into(),
    }
}
