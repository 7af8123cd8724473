//! `Target`: the browser's targets, and sessions attached to them.

use super::{Done, commands};
use gstack_protocol::ids::TargetId;
use serde::{Deserialize, Serialize};

/// A session with one target; the id comes from the browser.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(String);

impl From<String> for SessionId {
    fn from(id: String) -> Self {
        Self(id)
    }
}
impl AsRef<str> for SessionId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

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

/// An entry of a target filter. The first entry that matches decides; one without a kind matches all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FilterEntry {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    exclude: bool,
}

impl FilterEntry {
    /// Includes the targets of this type.
    pub fn only(kind: &str) -> Self {
        Self { kind: Some(kind.to_owned()), exclude: false }
    }
    /// Excludes the targets of this type.
    pub fn never(kind: &str) -> Self {
        Self { kind: Some(kind.to_owned()), exclude: true }
    }
    /// Includes all targets that no earlier entry matches.
    pub fn all_others() -> Self {
        Self { kind: None, exclude: false }
    }
    /// Excludes all targets that no earlier entry matches.
    pub fn no_others() -> Self {
        Self { kind: None, exclude: true }
    }
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct GetTargets {
    /// `None`: the protocol's default, which excludes tab and browser targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<Vec<FilterEntry>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Targets {
    pub target_infos: Vec<TargetInfo>,
}

#[derive(Clone, Debug, Serialize)]
pub struct GetBrowserContexts {}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrowserContexts {
    #[serde(default)]
    pub default_browser_context_id: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct SetDiscoverTargets {
    pub discover: bool,
    pub filter: Vec<FilterEntry>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachToTarget {
    target_id: String,
    flatten: bool,
}

impl AttachToTarget {
    /// Attaches with messages of the session on this connection (flat mode).
    pub fn new(target_id: impl Into<String>) -> Self {
        Self { target_id: target_id.into(), flatten: true }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedToTarget {
    pub session_id: SessionId,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DetachFromTarget {
    pub session_id: SessionId,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetAutoAttach {
    auto_attach: bool,
    wait_for_debugger_on_start: bool,
    flatten: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<Vec<FilterEntry>>,
}

impl SetAutoAttach {
    /// Attaches to all related targets, and to new ones, without pausing them.
    pub fn running() -> Self {
        Self { auto_attach: true, wait_for_debugger_on_start: false, flatten: true, filter: None }
    }
    /// Like `running`, but each new target waits until it is told to run.
    pub fn waiting() -> Self {
        Self { wait_for_debugger_on_start: true, ..Self::running() }
    }
    /// Attaches only to the targets that the filter includes.
    pub fn filter(self, filter: Vec<FilterEntry>) -> Self {
        Self { filter: Some(filter), ..self }
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateTarget {
    pub url: String,
    pub background: bool,
    /// Returns the tab target's id, not the page's.
    pub for_tab: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatedTarget {
    pub target_id: TargetId,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActivateTarget {
    pub target_id: TargetId,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CloseTarget {
    pub target_id: TargetId,
}

commands! {
    GetTargets => Targets, "Target.getTargets";
    GetBrowserContexts => BrowserContexts, "Target.getBrowserContexts";
    SetDiscoverTargets => Done, "Target.setDiscoverTargets";
    AttachToTarget => AttachedToTarget, "Target.attachToTarget";
    DetachFromTarget => Done, "Target.detachFromTarget";
    SetAutoAttach => Done, "Target.setAutoAttach";
    CreateTarget => CreatedTarget, "Target.createTarget";
    ActivateTarget => Done, "Target.activateTarget";
    CloseTarget => Done, "Target.closeTarget";
}
