//! The size that the count of a browser's reports (`reported`) assumes for each entry of a table.
//!
//! Owns the number alone, so that the tables need not know the count.

/// In bytes, beside the entry's texts, rounded up.
pub(super) const ENTRY: usize = 512;
