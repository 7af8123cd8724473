//! Commands that measure a page: traces, vitals, coverage and the heap.

pub(super) mod coverage;
pub(super) mod heap;
pub(super) mod trace;
mod trace_filter;
pub(super) mod vitals;
