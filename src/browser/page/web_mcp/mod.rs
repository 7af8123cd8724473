//! The tools that a page offers to agents (WebMCP), and calls of them.
//!
//! Owns the listing and the calls, by the browser's `WebMCP` domain, which is enabled for one command alone. Never judges a tool:
//! its name, description, schema and annotations are the page's claims.

mod call;
mod offered;
mod reports;

pub use call::ToolOutcome;
pub use offered::{PageTool, PageTools, ToolChoice, choose};
