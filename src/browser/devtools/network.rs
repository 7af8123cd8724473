//! `Network`: its events, and response bodies.

use super::{Done, commands};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize)]
pub struct Enable {}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetResponseBody {
    pub request_id: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseBody {
    pub body: String,
    pub base64_encoded: bool,
}

commands! {
    Enable => Done, "Network.enable";
    GetResponseBody => ResponseBody, "Network.getResponseBody";
}
