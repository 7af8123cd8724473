//! A command's effects beyond its output: what it changes, which tab it uses, where it navigates, who is offered it.
//!
//! Owns the declarations that the policy and the tools read. Decides nothing.

use super::capability::Capability;
use crate::core::{Arguments, Folders, Output};
use futures_util::future::BoxFuture;
use gstack_protocol::fault::Fault;

/// The scope of a command's changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    Nothing,
    /// The page: its content, its layout, text typed into it.
    Page,
    /// The tab's document, or the list of tabs.
    Tab,
    /// A file.
    File,
    /// Browser state: cookies, headers, storage.
    Browser,
}

/// The tab that a command uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TabUse {
    /// The page of the tab it is called in.
    ThisPage,
    /// All tabs, without reading their content.
    Lists,
    /// Every tab, concurrently.
    Every,
    /// A new tab. The tab it is called in may no longer exist.
    Opens,
    /// The tab named by its argument, which becomes the caller's tab.
    Chooses,
    /// The tab named by its argument, or the one it is called in.
    Closes,
}

/// The destination of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Navigates {
    /// Nowhere.
    Nowhere,
    /// The tab goes to the address in the arguments.
    TabToAddress,
    /// A request, or a separate tab, goes to the addresses in the arguments.
    RequestToAddress,
    /// One step in the tab's history.
    History,
    /// The same page again. If a form led to it, that form is submitted again.
    Again,
    /// The destination of its element's link or form.
    ElementsTarget,
    /// With Enter, the destination of the focused link or form.
    EnterKey,
}

/// Who is offered a command as a tool. Agents of a conversation are never offered class `Secret`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Every model.
    Core,
    /// MCP clients, but not agents of a conversation: there, the person decides about dialogs.
    Client,
    /// MCP clients that ask for its capability, or for all with `--profile all`; class `Secret` also requires `--secrets`.
    Extended(Capability),
}

/// Whether a command works in an everyday browser, where gstack acts through its extension.
#[derive(Clone, Copy)]
pub enum Everyday {
    Works,
    Refused(NotEveryday),
    /// Depends on the arguments.
    Depends(fn(&Arguments) -> Option<NotEveryday>),
}

/// Why a command does not work there, and the alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotEveryday {
    pub why: &'static str,
    pub instead: &'static str,
}

/// Runs a command without a browser.
pub(crate) type RunAlone = fn(Folders, Arguments) -> BoxFuture<'static, Result<Output, Fault>>;

/// The requirements of a command.
#[derive(Clone, Copy)]
pub enum Needs {
    /// A browser with a tab.
    Browser,
    /// Only a working directory.
    Folder,
    /// A browser, unless the arguments make it unnecessary; then `run` is called in place of the spec's.
    BrowserUnless { unless: fn(&Arguments) -> bool, run: RunAlone },
    /// The engine, which answers the command.
    Engine(EngineCommand),
}

/// A command about gstack itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineCommand {
    Status,
    Handoff,
    Pause,
    Resume,
    Lease,
    Release,
}
