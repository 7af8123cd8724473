//! Reads from a page and acts on it: snapshots, locating, actions, screenshots.
//!
//! Owns everything between a tab's session and the text of a command. Never attaches, navigates or decides what is
//! allowed.

mod act;
mod budget;
mod capture;
mod console;
pub mod error;
mod held_secrets;
mod input;
mod locate;
mod measure;
mod overlay;
#[expect(clippy::module_inception, reason = "the folder is about pages; the file is the page's handle")]
mod page;
mod person;
mod read;
pub mod script;
mod tab;
pub mod video;
mod wait;
mod web_mcp;

pub use act::{Clicked, Clutter, Dragged, Edge, Filled, Given, LONGEST_HOLD, ScrollBy, Scrolled, StyleChange};
pub use act::{SignInField, SignInRefusal, SignInSelectors, SignInValues};
pub use capture::{Area, Capture, ImageFormat, PdfOptions, Region, Truncated};
pub(crate) use console::error_text;
pub use console::{Answer, Body, Exchange, Header, Recording, RecordingOptions, SocketMessage, Timing};
pub use console::{capture_file, journal};
pub use input::{
    ClickButton, Clicks, KeyMeaning, Modifiers, MouseAct, Offset, PointerAt, PointerKind, PointerWatch, Swipe,
    is_named_key,
};
pub use locate::refs;
pub use locate::{Expected, ExpectedElement, FrameChoice, Target};
pub use measure::{
    Audit, AuditOptions, Audited, AuditedElement, AuditedRule, CodeUse, Impact, TraceEvents, TraceOptions, Vitals,
};
pub use overlay::{ApprovalMark, ListedRef};
pub use overlay::{Marks, PickedElement};
pub use page::Page;
pub use page::Pages;
pub use person::PersonRecording;
pub use read::WholeText;
pub use read::{
    Activation, BoxModel, ClickDestination, Component, ComponentDetails, ElementBox, ElementState, Facts, Fetched,
    Inspection, Origin, PageStorage, PrintedSnapshot, Rule, SEARCHED, SNAPSHOT_LIMIT, Snapshot, SnapshotOptions, Table,
};
pub use script::ScriptValue;
pub use tab::{Cookie, Locality, MemoryReport, PartitionKey, Screen, ServiceWorker, Stopped, TemporaryTab, titles};
pub use wait::{LoadState, Presence};
pub use web_mcp::{PageTool, PageTools, ToolChoice, ToolOutcome, choose};
