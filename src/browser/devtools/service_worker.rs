//! `ServiceWorker`: the registrations and versions of a profile's service workers. Its events tell of all sites.
//!
//! A status is one of <https://chromedevtools.github.io/devtools-protocol/tot/ServiceWorker/#type-ServiceWorkerVersionStatus>.

use super::{Done, commands};
use serde::Deserialize;

/// `ServiceWorker.workerRegistrationUpdated`
#[derive(Debug, Deserialize)]
pub struct RegistrationsUpdated {
    pub registrations: Vec<Registration>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Registration {
    pub registration_id: String,
    #[serde(rename = "scopeURL")]
    pub scope_url: String,
    #[serde(default)]
    pub is_deleted: bool,
}

/// `ServiceWorker.workerVersionUpdated`
#[derive(Debug, Deserialize)]
pub struct VersionsUpdated {
    pub versions: Vec<Version>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    pub version_id: String,
    pub registration_id: String,
    #[serde(rename = "scriptURL")]
    pub script_url: String,
    /// `stopped`, `starting`, `running` or `stopping`.
    pub running_status: String,
    /// `activated`, for one that answers pages.
    pub status: String,
    /// The targets that it answers.
    #[serde(default)]
    pub controlled_clients: Vec<String>,
}

commands! { browser_protocol::service_worker:
    EnableParams => Done;
    DisableParams => Done;
    StopWorkerParams => Done;
}
