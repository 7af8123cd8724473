//! The present titles of all tabs.
//!
//! Owns the request. The browser reports changes of addresses, but only some changes of titles.

use crate::browser::Browser;
use crate::page::error::PageError;
use gstack_protocol::ids::TargetId;
use serde::Deserialize;
use std::collections::HashMap;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Targets {
    target_infos: Vec<Target>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    target_id: String,
    #[serde(default)]
    title: String,
}

/// Returns the titles by *page* target.
pub async fn titles(browser: &Browser) -> Result<HashMap<TargetId, String>, PageError> {
    let reply = browser.root().call_json("Target.getTargets", &serde_json::json!({}), LIMIT).await?;
    let targets: Targets = serde_json::from_value(reply).map_err(|error| PageError::Unreadable(error.to_string()))?;
    Ok(targets.target_infos.into_iter().map(|target| (TargetId::new(target.target_id), target.title)).collect())
}
