//! What is measured of a page: traces, vitals, coverage, its heap.
//!
//! Owns which DevTools commands measure, and what is under way in a tab between two commands. Never writes files and never
//! decides what of it is shown.

mod coverage;
mod heap;
mod trace;
mod under_way;
mod vitals;

pub use coverage::CodeUse;
pub use heap::{HeapSnapshot, HeapUsage};
pub use trace::TraceEvents;
pub(in crate::browser::page) use under_way::Measured;
pub use under_way::TraceOptions;
pub use vitals::Vitals;
