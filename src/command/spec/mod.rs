//! The definition of a command: its name, arguments, class and help, next to the function that runs it.
//!
//! Owns the structure and the texts generated from it (usage, help). Never parses or runs.

mod argument;
mod capability;
mod effect;
mod phrase;
pub(crate) mod shape;

pub use argument::{Flag, Kind, Parameter, ValueType};
pub use capability::Capability;
pub use effect::{EngineCommand, Everyday, Navigates, Needs, NotEveryday, Offered, TabUse, Writes};
pub use phrase::{Phrase, Verb, When};

pub(super) use argument::{LOOK, QUIET, TIMEOUT, flag, parameter, selector, switch};
pub(super) use phrase::{phrase, phrase_when};

use crate::core::{Arguments, Context, Output};
use futures_util::future::BoxFuture;
use gstack_protocol::fault::Fault;

/// What a command may do to a person's session. Determines who must approve it before an agent runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Only reads.
    Read,
    /// Does what a person could do in the page.
    Act,
    /// Saves a file from the network.
    Download,
    /// Passes a file to the page.
    Upload,
    /// Calls a tool that the page offers: needs approval for each site and tool.
    PageTool,
    /// Runs scripts or changes the page's environment: needs approval on each site.
    Control,
    /// Answers, blocks or changes requests of pages: needs approval on each site.
    Intercept,
    /// Fills in a saved sign-in: needs approval for each sign-in.
    SignIn,
    /// Shows or sets what identifies a person: not offered to agents.
    Secret,
}

/// The group under which help lists a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// Commands that load a page: `goto`, `back`.
    Navigation,
    /// Commands that read the content of a page: `text`, `links`.
    Reading,
    /// Commands about the technical side of a page: its styles, scripts, network and storage.
    Inspection,
    /// Commands that act on a page: `click`, `fill`.
    Interaction,
    /// Commands that make pictures, documents and videos: `screenshot`, `pdf`.
    Visual,
    /// `snapshot`, which lists the elements of a page with their refs.
    Snapshot,
    /// Commands about tabs, frames and the browser: `newtab`, `handoff`.
    Tabs,
}

impl Category {
    /// All groups, in the order in which help shows them.
    pub const ALL: [Self; 7] = [
        Self::Navigation,
        Self::Reading,
        Self::Inspection,
        Self::Interaction,
        Self::Visual,
        Self::Snapshot,
        Self::Tabs,
    ];

    /// Returns the heading of the group.
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

/// The function that runs a command.
pub type Handler = for<'a> fn(&'a Context, Arguments) -> BoxFuture<'a, Result<Output, Fault>>;

/// A command. No field has a default: each one is a decision.
#[derive(Clone, Copy)]
pub struct Spec {
    /// The name under which it is called.
    pub name: &'static str,
    /// Further names for it; may be empty.
    pub aliases: &'static [&'static str],
    /// The group under which help lists it.
    pub category: Category,
    /// The most that it can do, which decides who may run it.
    pub class: Class,
    /// Its positional arguments, in order.
    pub parameters: &'static [Parameter],
    /// Its options, without `--quiet`.
    pub flags: &'static [Flag],
    /// One line, without a full stop.
    pub summary: &'static str,
    /// Further help, for `gstack help <command>` and for agents; may be empty.
    pub details: &'static str,
    /// Whether its output is page content and goes into the envelope.
    pub untrusted: bool,
    /// What it changes. If a command that changes something is cut off, its outcome is unknown.
    pub writes: Writes,
    /// The tab that it uses.
    pub tab: TabUse,
    /// Where it navigates the tab or sends a request.
    pub navigates: Navigates,
    /// Who is offered it as a tool.
    pub offered: Offered,
    /// Whether it works in an everyday browser.
    pub everyday: Everyday,
    /// What it needs in order to run: a tab, or the engine itself.
    pub needs: Needs,
    /// The phrases for the step line and the approval request. The first one that fits is used.
    pub phrases: &'static [Phrase],
    /// Its output format: `Navigated to URL (STATUS)`.
    pub output: &'static str,
    /// The shape of `data` in its answer with `--json`, over HTTP and in scripts, as `shape` reads it; empty: no data.
    pub data: &'static str,
    /// Runs it.
    pub run: Handler,
}

impl Spec {
    /// Whether it changes the page, the tab, the browser or a file.
    pub fn changes(&self) -> bool {
        self.writes != Writes::Nothing
    }

    /// Whether it acts in the page, and so accepts `--quiet`. A command without flags of its own does not, because
    /// leading words that look like flags are passed on unchanged.
    pub fn takes_quiet(&self) -> bool {
        self.category == Category::Interaction && self.changes() && !self.flags.is_empty()
    }

    /// Whether it accepts `--look`.
    pub fn takes_look(&self) -> bool {
        let leads = matches!(self.navigates, Navigates::TabToAddress | Navigates::History | Navigates::Again);
        self.takes_quiet() || (self.category == Category::Navigation && self.tab == TabUse::ThisPage && leads)
    }

    /// Returns the command's options, including the shared ones.
    pub(crate) fn all_flags(&self) -> impl Iterator<Item = &'static Flag> {
        let shared = [(self.takes_look(), &LOOK), (self.takes_quiet(), &QUIET)];
        self.flags.iter().chain(shared.into_iter().filter_map(|(takes, flag)| takes.then_some(flag)))
    }

    /// What it does while it reports progress in bytes: `Downloading`. `None` if it reports none.
    pub fn tells_progress(&self) -> Option<&'static str> {
        let records =
            self.category == Category::Visual && self.phrases.iter().any(|phrase| phrase.verb == Verb::Record);
        match self.class {
            Class::Download => Some("Downloading"),
            _ => records.then_some("Encoding"),
        }
    }

    /// Whether it takes a picture of the page, or of an element in it, to a file.
    pub fn takes_picture(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.holds == ValueType::ElementOrOutputPath)
    }

    /// Whether the terminal passes it commands from standard input if none are given.
    pub fn reads_commands(&self) -> bool {
        self.runs_others() && self.tab != TabUse::Every
    }

    /// Whether it runs other commands (`chain`).
    pub fn runs_others(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.holds == ValueType::Commands)
    }

    /// Returns what each argument holds, by its name in the spec.
    pub fn arguments(&self) -> impl Iterator<Item = (&'static str, ValueType)> {
        let places = self.parameters.iter().map(|parameter| (parameter.name, parameter.holds));
        places.chain(self.flags.iter().map(|flag| (flag.name, flag.holds)))
    }

    /// Returns the arguments that name files, or may, by their names in the spec.
    pub fn path_arguments(&self) -> impl Iterator<Item = (&'static str, ValueType)> {
        self.arguments().filter(|(_, holds)| holds.is_path())
    }

    /// Whether the command cannot change anything: MCP's `readOnlyHint`. `whole`: the client may also give the
    /// arguments that the core omits (`ValueType::is_withheld`).
    pub fn only_reads(&self, whole: bool) -> bool {
        let may_write = || self.arguments().any(|(_, holds)| holds.writes());
        self.class == Class::Read && !self.changes() && !(whole && may_write())
    }

    /// Returns the arguments as written: `<sel> <value…> [--timeout MS]`.
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

    /// Returns the line that ends every usage error: `Usage: gstack click <sel> [--timeout MS]`.
    pub fn usage_line(&self) -> String {
        format!("Usage: gstack {} {}", self.name, self.usage()).trim_end().to_owned()
    }

    /// Returns the whole help text.
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
            .chain(self.all_flags().map(|flag| {
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
