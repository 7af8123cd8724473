//! The basic types of the wire: times, sequence numbers, the empty message and the live check of a hop.

use super::ids::Epoch;
use serde::{Deserialize, Serialize};

/// An event's number within its conversation: 1, 2, 3 … without gaps.
pub type Seq = u64;
/// Milliseconds since 1970-01-01 UTC.
pub type Millis = u64;

/// No parameters, or an answer without data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Empty {}

/// The content of an echo, which matches an answer to its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Echo {
    pub nonce: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "for-tests", derive(ts_rs::TS, schemars::JsonSchema))]
pub struct Pong {
    pub epoch: Epoch,
}
