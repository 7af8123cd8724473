//! Commands that measure a page: traces, vitals, coverage, the heap and its accessibility.

pub(super) mod audit;
pub(super) mod coverage;
pub(super) mod heap;
mod insights;
pub(super) mod perf_trace;
pub(super) mod trace;
mod trace_facts;
mod trace_file;
mod trace_filter;
pub(super) mod vitals;
