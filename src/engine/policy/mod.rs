//! What an agent may do without asking, what persons have said about that, and the record of every decision.
//!
//! Owns the rules, their file, and the audit. `rules` decides and is pure; everything that is not plainly allowed asks,
//! everything that can't be asked is denied, and what can't be read or written allows nothing.

mod action_request;
mod audit;
mod audit_chain;
#[cfg(test)]
mod cost;
mod decodings;
mod error;
mod explain;
mod fingerprint;
mod permission;
mod requests;
mod rules;
mod service;
mod store;
mod taint_log;
mod taint_logs;

pub(super) use action_request::{ActionKind, ActionRequest, Risk};
pub(super) use permission::{Card, Described, Permitted};
pub use service::PolicyService;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use store::policy_rules_of;
pub(super) use taint_log::{NO_SITE, TaintLog};
