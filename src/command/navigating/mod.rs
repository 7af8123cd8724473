//! Commands that navigate or wait: addresses, tabs, frames, conditions.

pub(super) mod frames;
pub(super) mod navigation;
pub(super) mod tabs;
pub(super) mod waiting;
pub(super) mod watch;

pub(crate) use navigation::leave_metadata;
pub use tabs::{listed_title, tab_number};
