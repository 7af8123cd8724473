//! The policy: what an agent may do without approval, the rules that people made, and the record of every decision.
//!
//! Owns the rules, their file, and the audit. `rules` decides and is pure. Anything not plainly allowed needs an
//! approval, is denied if the person cannot be asked, and nothing is allowed if the rules or the audit cannot be read or
//! written.

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
mod project;
mod requests;
mod rules;
mod service;
mod store;
mod taint_log;
mod taint_logs;

pub(super) use action_request::{ActionKind, ActionRequest, Risk};
pub(super) use permission::{ApprovalPrompt, AuditedAction, PolicyOutcome, audit_by};
pub(crate) use service::PolicyService;
pub use store::policy_rules_of;
pub(super) use taint_log::{NO_SITE, TaintLog};
