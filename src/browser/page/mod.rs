//! Reads from a page and acts on it: snapshots, locating, actions, screenshots.
//!
//! Owns everything between a tab's session and the text of a command. Never attaches, navigates or decides what is
//! allowed.

mod act;
mod capture;
mod console;
pub(crate) mod error;
mod held_secrets;
mod input;
mod locate;
mod measure;
mod overlay;
#[expect(clippy::module_inception, reason = "the folder is about pages; the file is the page's handle")]
mod page;
mod read;
pub mod script;
mod tab;
pub mod video;
mod wait;
mod web_mcp;

pub(crate) use act::{Clicked, Clutter, Edge, ScrollBy, Scrolled, StyleChange};
pub(crate) use act::{SignInField, SignInRefusal, SignInSelectors, SignInValues};
pub(crate) use capture::{Area, Capture, ImageFormat, PdfOptions, Region, Truncated};
pub(in crate::browser) use console::error_text;
pub(crate) use console::{Answer, Body, Exchange, Header, Recording, RecordingOptions, SocketMessage, Timing};
pub(crate) use console::{capture_file, journal};
pub(crate) use input::{
    ClickButton, Clicks, KeyMeaning, Modifiers, MouseAct, Offset, PointerAt, PointerKind, PointerWatch, Swipe,
    is_named_key,
};
pub use locate::refs;
pub(crate) use locate::{Expected, ExpectedElement, FrameChoice, Target};
pub(crate) use measure::{
    Audit, AuditOptions, Audited, AuditedElement, AuditedRule, CodeUse, Impact, TraceEvents, TraceOptions, Vitals,
};
pub(crate) use overlay::{ApprovalMark, ListedRef};
pub use overlay::{Marks, PickedElement};
pub(crate) use page::Page;
pub use page::Pages;
pub(crate) use read::{
    Activation, BoxModel, ClickDestination, Component, ComponentDetails, ElementBox, ElementState, Facts, Fetched,
    Inspection, Origin, PageStorage, PrintedSnapshot, Rule, SEARCHED, SNAPSHOT_LIMIT, Snapshot, SnapshotOptions, Table,
};
pub(crate) use script::ScriptValue;
pub(crate) use tab::{
    Cookie, Locality, MemoryReport, PartitionKey, Screen, ServiceWorker, Stopped, TemporaryTab, titles,
};
pub(crate) use wait::{LoadState, Presence};
#[cfg(test)]
pub(crate) use web_mcp::page_tool_for_tests;
pub(crate) use web_mcp::{PageTool, PageTools, ToolChoice, ToolOutcome, choose};
