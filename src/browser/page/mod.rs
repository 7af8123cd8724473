//! Reads from a page and acts on it: snapshots, locating, actions, screenshots.
//!
//! Owns everything between a tab's session and the text of a command. Never attaches, navigates or decides what is
//! allowed.

mod act;
mod capture;
mod console;
pub mod error;
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

pub use act::{Clicked, Clutter, Edge, ScrollBy, Scrolled, StyleChange};
pub use capture::{Area, Capture, Cut, ImageFormat, Region};
pub(in crate::browser) use console::error_text;
pub use console::{Answer, Body, Exchange, Header, Recording, RecordingOptions, SocketMessage, Timing};
pub use console::{capture_file, journal};
pub use input::{
    ClickButton, Clicks, KeyMeaning, Modifiers, MouseAct, Offset, PointerAt, PointerKind, PointerWatch, Swipe,
    is_named_key,
};
pub use locate::refs;
pub use locate::{Expected, FrameChoice, Target};
pub use measure::{
    Audit, AuditOptions, Audited, AuditedElement, AuditedRule, CodeUse, HeapSnapshot, HeapUsage, Impact, TraceEvents,
    TraceOptions, Vitals,
};
pub use overlay::{Asked, ListedRef, Marks, PickedElement};
pub use page::{Page, Pages};
pub use read::{
    Activation, BoxModel, ClickDestination, ElementBox, ElementState, Facts, Fetched, Inspection, Link, ListedNode,
    Origin, PageStorage, Rule, SEARCHED, SNAPSHOT_LIMIT, Snapshot, SnapshotOptions, Table,
};
pub use script::{ScriptValue, early_script};
pub use tab::{
    BrowserProcess, Cookie, LaidOut, Locality, MemoryReport, PartitionKey, Screen, ServiceWorker, Stopped,
    Surroundings, TabMemory, TemporaryTab, titles,
};
pub use wait::{LoadState, Presence, Watched};
