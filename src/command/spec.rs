//! What a command is: its name, arguments, class and handler, side by side.
//!
//! Owns the shape of an entry. The command line, HTTP, MCP, help and documentation are all made from it.

use super::arguments::{Arguments, UsageError};
use super::path_guard::PathGuard;
use crate::browser::browser::Browser;
use crate::browser::tab::Tab;
use crate::protocol::fault::Fault;
use futures_util::future::BoxFuture;
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// Where a command stands in help and documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    Navigation,
    Reading,
    Inspection,
    Interaction,
    Visual,
    Snapshot,
    Tabs,
    Control,
}

/// What a command may do, for the policy. Every entry says it: there is no default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Looks only.
    Read,
    /// Does what a person does with mouse, keyboard and address bar.
    Act,
    /// Runs code in the page or replaces it: asked for on each site.
    Control,
    /// Gives or takes secrets: not offered to agents unless a person adds it.
    Secret,
}

/// What an argument is, for help, schemas and completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Url,
    Selector,
    Number,
    Path,
}

/// A positional argument.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// It takes all that is left, joined by single spaces where it is read as text.
    pub rest: bool,
    pub summary: &'static str,
}

/// An option: `-i`, or `--timeout MS` where it takes a value.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// With its hyphens.
    pub name: &'static str,
    /// The value's name in help; none for a switch.
    pub value: Option<&'static str>,
    pub kind: Kind,
    pub summary: &'static str,
}

/// One command.
pub struct Spec {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub category: Category,
    pub class: Class,
    /// One line, no full stop.
    pub summary: &'static str,
    /// More of it for `help`, or empty.
    pub details: &'static str,
    pub arguments: &'static [Argument],
    pub flags: &'static [Flag],
    /// Its output is content of a page: it is put into the envelope.
    pub untrusted: bool,
    /// It changes a page, a tab or a file: cut off in flight, its outcome is unknown.
    pub writes: bool,
    /// It works on one tab. False for what concerns the browser (`tabs`, `newtab`).
    pub needs_tab: bool,
    pub run: Handler,
}

/// Does the command. Dropping the future cancels it.
pub type Handler = fn(Call) -> BoxFuture<'static, Result<Output, Fault>>;

/// One call of a command.
pub struct Call {
    pub browser: Browser,
    /// There for every command that needs one.
    pub tab: Option<Tab>,
    pub arguments: Arguments,
    pub paths: PathGuard,
    /// Cancelled when a person stops it.
    pub cancel: CancellationToken,
}

impl Call {
    /// The tab; every entry with `needs_tab` gets one.
    pub fn tab(&self) -> Result<&Tab, Fault> {
        use crate::protocol::fault::FaultCode;
        self.tab.as_ref().ok_or_else(|| Fault::new(FaultCode::Internal, "the command was called without a tab"))
    }
}

/// What a command gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    pub text: String,
    pub data: Option<serde_json::Value>,
    /// Files that it wrote.
    pub files: Vec<PathBuf>,
    /// The page that the text came from, for the envelope.
    pub source: Option<String>,
}

impl Output {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
    #[must_use]
    pub fn data(mut self, data: serde_json::Value) -> Self {
        self.data = Some(data);
        self
    }
    #[must_use]
    pub fn from_page(mut self, url: impl Into<String>) -> Self {
        self.source = Some(url.into());
        self
    }
    #[must_use]
    pub fn file(mut self, path: PathBuf) -> Self {
        self.files.push(path);
        self
    }
}

impl Spec {
    /// Reads string arguments as they come from a command line.
    pub fn parse(&'static self, arguments: &[String]) -> Result<Arguments, UsageError> {
        Arguments::parse(self, arguments)
    }

    /// The arguments in a line: `<selector> <value…> [--timeout MS]`.
    pub fn usage(&self) -> String {
        let argument = |a: &Argument| {
            let name = if a.rest { format!("{}…", a.name) } else { a.name.to_owned() };
            if a.required { format!("<{name}>") } else { format!("[{name}]") }
        };
        let flag = |f: &Flag| match f.value {
            Some(value) => format!("[{} {value}]", f.name),
            None => format!("[{}]", f.name),
        };
        self.arguments.iter().map(argument).chain(self.flags.iter().map(flag)).collect::<Vec<_>>().join(" ")
    }

    /// The whole help of the command.
    pub fn help(&self) -> String {
        let mut text = format!("{}.\n", self.summary);
        if !self.details.is_empty() {
            text.push_str(&format!("\n{}\n", self.details));
        }
        let names = self.arguments.iter().map(|a| (a.name.to_owned(), a.summary));
        let flags = self.flags.iter().map(|f| {
            let name = f.value.map_or_else(|| f.name.to_owned(), |value| format!("{} {value}", f.name));
            (name, f.summary)
        });
        let rows: Vec<(String, &str)> = names.chain(flags).collect();
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        if !rows.is_empty() {
            text.push('\n');
        }
        for (name, summary) in rows {
            text.push_str(&format!("  {name:<width$}  {summary}\n"));
        }
        text
    }
}
