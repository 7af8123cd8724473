//! The agents' real programs against fake APIs on loopback: an isolated HOME, dummy keys, no other network.
//!
//! Skipped, with a line that says so, where a program or `node` is not installed; tests/run.sh installs them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails where it stands")]

mod acp;
mod bench;
mod claude;
mod codex;
mod every;
mod rude;
