//! What the sites of a tab are permitted without asking anybody, or denied.
//!
//! Owns one entry of the list of a tab. How it is set and taken back is in `tab_permissions`.

use super::devtools::browser::{PermissionName, SetPermission};
use crate::base::site;

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
    pub(super) fn command(&self) -> SetPermission {
        SetPermission {
            permission: PermissionName { name: self.name.clone() },
            setting: if self.granted { "granted" } else { "denied" },
            origin: self.origin.clone(),
        }
    }

    /// `geolocation granted to a.example`
    pub(super) fn words(&self) -> String {
        let site = site::of(&self.origin).unwrap_or_else(|| self.origin.clone());
        let Self { name, granted, .. } = self;
        if *granted { format!("{name} granted to {site}") } else { format!("{name} denied to {site}") }
    }
}
