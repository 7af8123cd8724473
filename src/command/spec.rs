//! What a command is: its name, arguments, class and help, beside the function that runs it.
//!
//! Owns the shape and the texts that are made from it (usage, help). Never parses or runs.

use super::arguments::Arguments;
use super::context::{Context, Output};
use crate::protocol::fault::Fault;
use futures_util::future::BoxFuture;

/// What a command may do to a person's session. Decides who is asked before an agent runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Looks.
    Read,
    /// Does what a person could do in the page.
    Act,
    /// Runs script or changes what the page runs in: asked for on each site.
    Control,
    /// Shows or sets what identifies a person: not offered to agents.
    Secret,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    Navigation,
    Reading,
    Inspection,
    Interaction,
    Visual,
    Snapshot,
    Tabs,
}

impl Category {
    pub const ALL: [Self; 7] = [
        Self::Navigation,
        Self::Reading,
        Self::Inspection,
        Self::Interaction,
        Self::Visual,
        Self::Snapshot,
        Self::Tabs,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Self::Navigation => "Navigation",
            Self::Reading => "Reading",
            Self::Inspection => "Inspection",
            Self::Interaction => "Interaction",
            Self::Visual => "Visual",
            Self::Snapshot => "Snapshot",
            Self::Tabs => "Tabs",
        }
    }
}

/// One argument by its place.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub required: bool,
    pub kind: Kind,
    pub help: &'static str,
}

impl Parameter {
    /// It names a file: shells complete it as one.
    pub fn is_path(&self) -> bool {
        self.kind == Kind::Path
    }
    /// It takes all the words that are left.
    pub fn takes_all(&self) -> bool {
        matches!(self.kind, Kind::Rest | Kind::List)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One word.
    Text,
    /// A ref or a selector.
    Selector,
    Number,
    /// A path under the client's working directory or the temp directory.
    Path,
    /// All that is left, as one text with single spaces between the words. The command's own flags may stand among them.
    Rest,
    /// All that is left, one by one.
    List,
}

/// `--name` or `-n`, with or without a value.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// As it is written: `--viewport`, `-i`.
    pub name: &'static str,
    /// Another spelling, or empty.
    pub alias: &'static str,
    /// The name of its value (`MS`); none for a switch.
    pub value: Option<&'static str>,
    pub help: &'static str,
}

pub type Handler = for<'a> fn(&'a Context, Arguments) -> BoxFuture<'a, Result<Output, Fault>>;

/// A command. There is no default for any field: each one is a decision.
#[derive(Clone, Copy)]
pub struct Spec {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub category: Category,
    pub class: Class,
    pub parameters: &'static [Parameter],
    pub flags: &'static [Flag],
    /// One line, without a full stop.
    pub summary: &'static str,
    /// More of it, for `gstack help <command>` and for agents; may be empty.
    pub details: &'static str,
    /// Its output is page content and goes into the envelope.
    pub untrusted: bool,
    /// It changes the page, the tab or a file: cut off, its outcome is not known.
    pub writes: bool,
    /// What it prints: `Navigated to URL (STATUS)`.
    pub output: &'static str,
    pub run: Handler,
}

impl Spec {
    /// The arguments as they are written: `<sel> <value…> [--timeout MS]`.
    pub fn usage(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        for parameter in self.parameters {
            let dots = if parameter.takes_all() { "…" } else { "" };
            words.push(match parameter.required {
                true => format!("<{}{dots}>", parameter.name),
                false => format!("[{}{dots}]", parameter.name),
            });
        }
        for flag in self.flags {
            words.push(match flag.value {
                Some(value) => format!("[{} {value}]", flag.name),
                None => format!("[{}]", flag.name),
            });
        }
        words.join(" ")
    }

    /// The whole help text.
    pub fn help(&self) -> String {
        let mut text = format!("{}.", self.summary);
        if !self.details.is_empty() {
            text.push_str("\n\n");
            text.push_str(self.details);
        }
        let rows: Vec<(String, &str)> = self
            .parameters
            .iter()
            .map(|parameter| (format!("<{}>", parameter.name), parameter.help))
            .chain(self.flags.iter().map(|flag| {
                let alias = if flag.alias.is_empty() { String::new() } else { format!(", {}", flag.alias) };
                let value = flag.value.map(|value| format!(" {value}")).unwrap_or_default();
                (format!("{}{alias}{value}", flag.name), flag.help)
            }))
            .collect();
        if !rows.is_empty() {
            let width = rows.iter().map(|(left, _)| left.chars().count()).max().unwrap_or_default();
            text.push('\n');
            for (left, right) in rows {
                let gap = " ".repeat(width - left.chars().count());
                text.push_str(&format!("\n  {left}{gap}  {right}"));
            }
        }
        if !self.output.is_empty() {
            text.push_str(&format!("\n\nPrints: {}", self.output));
        }
        text
    }
}

/// `--timeout MS`, which every waiting command takes.
pub(super) const TIMEOUT: Flag =
    Flag { name: "--timeout", alias: "", value: Some("MS"), help: "How long to wait at most, in milliseconds" };

pub(super) const fn selector(required: bool, help: &'static str) -> Parameter {
    Parameter { name: "sel", required, kind: Kind::Selector, help }
}

pub(super) const fn parameter(name: &'static str, required: bool, kind: Kind, help: &'static str) -> Parameter {
    Parameter { name, required, kind, help }
}
