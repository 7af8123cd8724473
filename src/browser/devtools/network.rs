//! `Network`: its events.

use super::{Done, commands};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct Enable {}

commands! {
    Enable => Done, "Network.enable";
}
