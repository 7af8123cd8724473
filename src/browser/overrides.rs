//! Overrides for every page, frame and worker of a tab, applied before it runs: extra headers, a user agent.
//!
//! Owns one override and its description. `tab_overrides` applies them.

use super::devtools::{Command, Done};
use chromiumoxide_types::{Method, MethodId};
use gstack_base::counted::counted;
use serde::Serialize;
use serde_json::{Value, json};

const KEEP_BODIES: &str = "Network.configureDurableMessages";

/// A DevTools command whose reply is empty. A tab keeps one per method: the newest wins.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct PersistentOverride {
    #[serde(skip)]
    pub(super) method: &'static str,
    pub(super) params: Value,
    /// Another tab of the same process stands in its way (`process_overrides`).
    #[serde(skip)]
    pub(super) waits: bool,
}

impl PersistentOverride {
    pub(super) fn new(method: &'static str, params: Value) -> Self {
        Self { method, params, waits: false }
    }

    /// Keeps response bodies in the browser when their document is left: a reply that arrives late is complete then.
    pub(super) fn keep_bodies(largest: usize, all: usize) -> Self {
        Self::new(KEEP_BODIES, json!({ "maxTotalBufferSize": all, "maxResourceBufferSize": largest }))
    }

    /// Undoes `keep_bodies`.
    pub(super) fn drop_bodies() -> Self {
        Self::new(KEEP_BODIES, json!({}))
    }

    /// Returns true if a popup starts with it. A recording ends with its own tab.
    pub(super) fn is_handed_on(&self) -> bool {
        self.method != KEEP_BODIES
    }

    /// Returns true if the browser keeps it once for each process.
    pub(super) fn is_of_process(&self) -> bool {
        matches!(self.method, "Emulation.setTimezoneOverride" | "Emulation.setLocaleOverride")
    }

    /// Returns true if it changes what pages see, not what they send.
    pub(super) fn is_emulation(&self) -> bool {
        self.method.starts_with("Emulation.")
    }

    /// Describes its effect, for `status`.
    pub(super) fn words(&self) -> Vec<String> {
        let Self { method, params, .. } = self;
        let text = |name: &str| params[name].as_str().unwrap_or_default();
        match *method {
            "Network.setExtraHTTPHeaders" => {
                let count = params["headers"].as_object().map_or(0, serde_json::Map::len);
                vec![counted(count, "extra header")]
            }
            "Network.emulateNetworkConditions" if params["offline"] == true => vec!["offline".to_owned()],
            "Network.emulateNetworkConditions" => vec!["a slow network".to_owned()],
            "Emulation.setCPUThrottlingRate" => {
                vec![format!("a CPU {} times slower", params["rate"].as_f64().unwrap_or(1.0))]
            }
            "Emulation.setUserAgentOverride" if params["userAgent"] != "" => vec!["a user agent".to_owned()],
            "Emulation.setDeviceMetricsOverride" => {
                let scale = params["deviceScaleFactor"].as_f64().filter(|scale| *scale > 0.0);
                let scale = scale.map(|scale| format!(" at scale {scale}")).unwrap_or_default();
                let kind = if params["mobile"] == true { "a mobile viewport" } else { "a viewport" };
                vec![format!("{kind} of {}x{}{scale}", params["width"], params["height"])]
            }
            "Network.setCacheDisabled" => vec!["no cache".to_owned()],
            "Network.setBypassServiceWorker" => vec!["no service workers".to_owned()],
            "Emulation.setTouchEmulationEnabled" => vec!["touch".to_owned()],
            "Emulation.setGeolocationOverride" => {
                vec![format!("the place {},{}", params["latitude"], params["longitude"])]
            }
            "Emulation.setTimezoneOverride" => vec![format!("the time zone {}", text("timezoneId"))],
            "Emulation.setLocaleOverride" => vec![format!("the locale {}", text("locale"))],
            "Emulation.setEmulatedMedia" => {
                let features = params["features"].as_array().into_iter().flatten();
                let features = features.map(|known| {
                    let part = |name: &str| known[name].as_str().unwrap_or_default().to_owned();
                    format!("{} {}", part("name"), part("value"))
                });
                let media = Some(text("media")).filter(|media| !media.is_empty());
                media.map(|media| format!("{media} media")).into_iter().chain(features).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Command for PersistentOverride {
    type Response = Done;
}
impl Method for PersistentOverride {
    fn identifier(&self) -> MethodId {
        self.method.into()
    }
}
