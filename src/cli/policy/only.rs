//! `gstack policy only`: the sites that gstack's own browser may reach, shown, set and lifted.
//!
//! Owns the words. The list is a setting: the browser keeps to it at once, and its own resolver enforces it from its next start on.

use super::super::terminal::show;
use gstack_client::http::Client;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::settings::{SettingValue, Settings, SettingsSet};
use gstack_protocol::status::Status;
use serde::Serialize;

const SETTING: &str = "browser.only-sites";
/// The limits of a list that is set while a browser is open.
const GOES_ON: &str = "Connections that its pages already had open continue; to end them: gstack disconnect, then gstack connect. \
    The listed sites are reached without a proxy.";

/// The request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Only {
    Show,
    Set(Vec<String>),
    Off,
}

/// The list, for `--json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    /// For the next browser; empty: every site.
    sites: String,
    /// For the open browser; absent: no browser is open. Empty: every site.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_browser: Option<String>,
}

/// # Errors
/// `BadRequest`: no site is named, or one is not a host or covers a metadata service.
pub(super) async fn run(client: &Client, wanted: Only, json: bool) -> Result<(), Fault> {
    let set = |value| SettingsSet { name: SETTING.to_owned(), value };
    let is_set = matches!(wanted, Only::Set(_));
    let settings: Settings = match wanted {
        Only::Show => client.get("/settings").await?,
        Only::Set(sites) if sites.iter().all(|site| site.is_empty()) => {
            return Err(Fault::new(FaultCode::BadRequest, "no site is named")
                .hint("Name one: gstack policy only shop.example. To allow every site: gstack policy only --off"));
        }
        Only::Set(sites) => client.post("/settings", &set(Some(SettingValue::Text(sites.join(", "))))).await?,
        Only::Off => client.post("/settings", &set(None)).await?,
    };
    let sites = settings.settings.into_iter().find(|setting| setting.name == SETTING).map(|setting| setting.value);
    let sites = if let Some(SettingValue::Text(sites)) = sites { sites } else { String::new() };
    let status: Status = client.get("/status").await?;
    let open_browser = status.healthy.then(|| status.only_sites.unwrap_or_default());
    let shown = Shown { sites, open_browser };
    show(json, &shown, || text(&shown, is_set))
}

fn text(shown: &Shown, is_set: bool) -> String {
    let words = |sites: &str| if sites.is_empty() { "every site".to_owned() } else { format!("only {sites}") };
    match &shown.open_browser {
        Some(open) if *open != shown.sites => format!(
            "The next browser reaches {}. The open one reaches {} until it closes: gstack disconnect, then gstack connect.\
             {}",
            words(&shown.sites),
            words(open),
            if shown.sites.is_empty() {
                ""
            } else {
                " Commands, and pages that gstack uses, open only addresses on both lists from now on."
            }
        ),
        Some(open) if is_set && !open.is_empty() => {
            format!("The browser reaches {}. {GOES_ON}", words(&shown.sites))
        }
        Some(_) => format!("The browser reaches {}.", words(&shown.sites)),
        None => format!("The next browser reaches {}.", words(&shown.sites)),
    }
}
