//! `Browser`: version, downloads and permissions.

use super::{Done, commands};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize)]
pub struct GetVersion {}

#[derive(Clone, Debug, Deserialize)]
pub struct Version {
    /// `Chrome/156.0.8078.73`.
    pub product: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DownloadBehavior {
    Deny,
    /// Saves each file under its id.
    AllowAndName,
    /// The browser's own default.
    Default,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetDownloadBehavior {
    pub behavior: DownloadBehavior,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download_path: Option<String>,
    pub events_enabled: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct CancelDownload {
    pub guid: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct Close {}

/// A `PermissionDescriptor` of the Permissions API.
#[derive(Clone, Debug, Serialize)]
pub struct PermissionName {
    pub name: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct SetPermission {
    pub permission: PermissionName,
    /// `granted` or `denied`.
    pub setting: &'static str,
    pub origin: String,
}

/// Resets all permissions of all sites.
#[derive(Clone, Debug, Serialize)]
pub struct ResetPermissions {}

commands! {
    GetVersion => Version, "Browser.getVersion";
    SetDownloadBehavior => Done, "Browser.setDownloadBehavior";
    CancelDownload => Done, "Browser.cancelDownload";
    Close => Done, "Browser.close";
    SetPermission => Done, "Browser.setPermission";
    ResetPermissions => Done, "Browser.resetPermissions";
}
