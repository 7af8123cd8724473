//! The hops between the panel and the agent, each checked.

use super::fault::{Fault, FaultWords, Hop};
use serde::{Deserialize, Serialize};

/// The result of checking one hop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HopState {
    pub hop: Hop,
    pub ok: bool,
    /// For people: `Chromium 156, pid 4242, tabs: 3`.
    pub detail: String,
    /// The detail as a code, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Box<FaultWords>>,
    /// The duration of the check, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub millis: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Hops {
    pub hops: Vec<HopState>,
}
