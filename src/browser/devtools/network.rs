//! `Network`: its events, and response bodies.

use super::{Done, commands};
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseBody {
    pub body: String,
    pub base64_encoded: bool,
}

commands! { browser_protocol::network:
    EnableParams => Done;
    GetResponseBodyParams => ResponseBody;
}
