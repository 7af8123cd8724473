//! Measurements of a page: traces, web vitals, coverage, its heap, its accessibility.
//!
//! Owns the DevTools commands that measure, and the measurements in progress between two commands. Never writes files
//! and never decides what to show.

mod audit;
mod coverage;
mod heap;
mod trace;
mod under_way;
mod vitals;

pub use audit::{Audit, AuditOptions, Audited, AuditedElement, AuditedRule, Impact};
pub use coverage::CodeUse;
pub use trace::TraceEvents;
pub(in crate::page) use under_way::Measured;
pub use under_way::TraceOptions;
pub use vitals::Vitals;
