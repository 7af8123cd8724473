//! `Target`: the browser's targets, and sessions attached to them.

use super::{Done, commands};
pub use chromiumoxide_cdp::cdp::browser_protocol::browser::BrowserContextId;
pub use chromiumoxide_cdp::cdp::browser_protocol::target::SessionId;
use chromiumoxide_cdp::cdp::browser_protocol::target::{FilterEntry, TargetFilter};
use gstack_protocol::ids::TargetId;
use serde::Deserialize;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    pub target_id: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub opener_id: Option<String>,
    #[serde(default)]
    pub browser_context_id: Option<String>,
    /// `prerender` for a prerendered page that is not in view yet.
    #[serde(default)]
    pub subtype: Option<String>,
    #[serde(default)]
    pub embedder_data: Option<EmbedderData>,
}

/// Tab strip data of a target of type `tab`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbedderData {
    #[serde(default)]
    pub tab_active: Option<bool>,
}

/// Includes only the targets of these types. The first entry that matches a target decides; one without a type matches
/// all.
pub fn only(kinds: &[&str]) -> TargetFilter {
    let wanted = kinds.iter().map(|kind| FilterEntry { r#type: Some((*kind).to_owned()), exclude: Some(false) });
    let others = FilterEntry { r#type: None, exclude: Some(true) };
    TargetFilter::new(wanted.chain([others]).collect::<Vec<_>>())
}

/// Includes all targets except those of this type.
pub fn all_but(kind: &str) -> TargetFilter {
    let unwanted = FilterEntry { r#type: Some(kind.to_owned()), exclude: Some(true) };
    TargetFilter::new([unwanted, FilterEntry { r#type: None, exclude: Some(false) }])
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Targets {
    pub target_infos: Vec<TargetInfo>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrowserContexts {
    #[serde(default)]
    pub default_browser_context_id: Option<String>,
}

/// Attaches with messages of the session on this connection (flat mode).
pub fn attach_to(target: impl Into<String>) -> AttachToTargetParams {
    AttachToTargetParams { target_id: target.into().into(), flatten: Some(true) }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedToTarget {
    pub session_id: SessionId,
}

pub fn detach_from(session: SessionId) -> DetachFromTargetParams {
    DetachFromTargetParams::builder().session_id(session).build()
}

/// Attaches to all related targets, and to new ones, without pausing them.
pub fn auto_attach_running() -> SetAutoAttachParams {
    SetAutoAttachParams { flatten: Some(true), ..SetAutoAttachParams::new(true, false) }
}

/// Like [`auto_attach_running`], but each new target waits until it is told to run.
pub fn auto_attach_waiting() -> SetAutoAttachParams {
    SetAutoAttachParams { wait_for_debugger_on_start: true, ..auto_attach_running() }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatedTarget {
    pub target_id: TargetId,
}

commands! { browser_protocol::target:
    GetTargetsParams => Targets;
    GetBrowserContextsParams => BrowserContexts;
    SetDiscoverTargetsParams => Done;
    AttachToTargetParams => AttachedToTarget;
    DetachFromTargetParams => Done;
    SetAutoAttachParams => Done;
    CreateTargetParams => CreatedTarget;
    ActivateTargetParams => Done;
    CloseTargetParams => Done;
}
