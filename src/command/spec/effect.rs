//! What a command does beyond its output: what it changes, which tab it is about, where it leads, who may have it.
//!
//! Owns the declarations that the policy and the tools read. Decides nothing.

use super::capability::Capability;
use crate::command::core::Arguments;

/// What a command changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    Nothing,
    /// The page: its content, its layout, what is typed into it.
    Page,
    /// What the tab shows, or which tabs there are.
    Tab,
    /// A file.
    File,
    /// What the browser keeps: cookies, headers, storage.
    Browser,
}

/// Which tab a command is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TabUse {
    /// The page of the tab that it is called in.
    ThisPage,
    /// All tabs; it looks into none.
    Lists,
    /// Each tab, at the same time.
    Every,
    /// A new tab; the one that it is called in may be gone.
    Opens,
    /// The tab that its argument names, in which its caller goes on.
    Chooses,
    /// The tab that its argument names, or the one that it is called in.
    Closes,
}

/// Where a command leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// Nowhere.
    Nowhere,
    /// The tab goes to the address in its arguments.
    TabToAddress,
    /// A request, or a tab of its own, goes to the addresses in its arguments.
    RequestToAddress,
    /// One step in the tab's history.
    History,
    /// The same page again: if a form led to it, that form is sent again.
    Again,
    /// To where the link or form of its element leads.
    ElementsTarget,
    /// With Enter, to where the focused link or form leads.
    EnterKey,
}

/// Who gets a command as a tool. Class `Secret` is offered to no agent of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Every model.
    Core,
    /// MCP clients, but no agent of a conversation: there the person says what becomes of a dialog.
    Client,
    /// MCP clients that ask for its capability, or for all with `--profile all`; with class `Secret`, only with `--secrets`.
    Extended(Capability),
}

/// Whether a command works in an everyday browser, where gstack acts by way of its extension.
#[derive(Clone, Copy)]
pub enum Everyday {
    Works,
    Refused(NotEveryday),
    /// As its arguments decide.
    Depends(fn(&Arguments) -> Option<NotEveryday>),
}

/// Why a command does not work there, and what to do instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotEveryday {
    pub why: &'static str,
    pub instead: &'static str,
}

/// What a command needs before it can run.
#[derive(Clone, Copy)]
pub enum Needs {
    /// A browser with a tab.
    Browser,
    /// Only a folder to work in.
    Folder,
    /// A browser, unless these arguments can do without.
    BrowserUnless(fn(&Arguments) -> bool),
    /// The engine, which answers it.
    Engine(EngineCommand),
}

/// A command about gstack itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineCommand {
    Status,
    Handoff,
    Resume,
}
