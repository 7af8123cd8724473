//! Permissions of a tab's sites, granted or denied without a prompt.
//!
//! Owns one entry of a tab's list. `tab_permissions` sets and resets them.

use super::devtools::browser::{PermissionSetting, SetPermissionParams};
use gstack_base::site;

/// One site's permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// `https://a.example:8080`
    pub origin: String,
    /// As the Permissions API spells it: `geolocation`.
    pub name: String,
    pub granted: bool,
}

impl Permission {
    pub(super) fn command(&self) -> SetPermissionParams {
        let setting = if self.granted { PermissionSetting::Granted } else { PermissionSetting::Denied };
        SetPermissionParams { origin: Some(self.origin.clone()), ..SetPermissionParams::new(&self.name, setting) }
    }

    /// Describes it: `geolocation granted to a.example`.
    pub(super) fn words(&self) -> String {
        let site = site::of(&self.origin).unwrap_or_else(|| self.origin.clone());
        let Self { name, granted, .. } = self;
        if *granted { format!("{name} granted to {site}") } else { format!("{name} denied to {site}") }
    }
}
