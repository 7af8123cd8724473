//! One argument of a command: how its words are read, and what they hold.
//!
//! Owns the kinds. The policy, the logs, the path guard and the tools go by `Holds` and never by an argument's name.

/// One argument by its place.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub required: bool,
    pub kind: Kind,
    pub holds: Holds,
    pub help: &'static str,
}

impl Parameter {
    /// Whether it names a file: shells complete it as one.
    pub fn is_path(&self) -> bool {
        self.holds.is_path()
    }
    /// Whether it takes all the words that are left.
    pub fn takes_all(&self) -> bool {
        matches!(self.kind, Kind::Rest | Kind::List)
    }
}

/// How the words of an argument are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One word.
    Text,
    /// A ref or a selector.
    Selector,
    Number,
    /// All that is left, as one text with single spaces between the words. The command's own flags may stand among them.
    Rest,
    /// All that is left, one by one.
    List,
}

/// What the words of an argument hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A choice: which element, how long, which form. Carries nothing of its own.
    Choice,
    /// The element that the command is done to, where it is named by a flag.
    Element,
    /// The number of a tab.
    Tab,
    /// Text that is typed into the page. Logs count it.
    Typed,
    /// A key, or a combination of keys. A single character is typed text.
    Key,
    /// Values that identify a person or may hold anything. Logs count them.
    Secret,
    /// An address that the tab or a request goes to.
    Destination,
    /// A script, kept whole.
    Script,
    /// Other commands, each by its own spec.
    Commands,
    /// A file that is read.
    InputPath,
    /// A file that is written, or what names of written files begin with.
    OutputPath,
    /// An element. If a person gives this word alone and it looks like a path, it is the file to write.
    ElementOrOutputPath,
    /// Elements to hide. The last of a person's words may be the file to write.
    ElementsOrOutputPath,
    /// A switch with which the command deletes what it would show.
    Deletion,
}

impl Holds {
    /// Whether it names a file, no matter who gives it.
    pub fn is_path(self) -> bool {
        matches!(self, Self::InputPath | Self::OutputPath)
    }
    /// Whether a person's word may name a file.
    pub fn may_be_path(self) -> bool {
        self.is_path() || matches!(self, Self::ElementOrOutputPath | Self::ElementsOrOutputPath)
    }
    /// Whether it makes a command that only reads change something.
    pub fn writes(self) -> bool {
        matches!(self, Self::OutputPath | Self::Deletion)
    }
    /// Whether the core of tools, and agents of conversations, do without it: no path, and nothing that deletes.
    pub fn is_withheld(self) -> bool {
        self.is_path() || self.writes()
    }
    /// Whether logs keep its length only.
    pub fn is_hidden(self) -> bool {
        matches!(self, Self::Typed | Self::Secret)
    }
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
    /// What its value holds; a switch is a choice.
    pub holds: Holds,
    pub help: &'static str,
}

/// `--timeout MS`, which every waiting command takes.
pub(in crate::command) const TIMEOUT: Flag = Flag {
    name: "--timeout",
    alias: "",
    value: Some("MS"),
    holds: Holds::Choice,
    help: "The longest to wait, in milliseconds",
};

/// `--quiet`, which every command takes that acts in a page (`Spec::takes_quiet`).
pub(in crate::command) const QUIET: Flag = Flag {
    name: "--quiet",
    alias: "-q",
    value: None,
    holds: Holds::Choice,
    help: "Print nothing of what it did and caused",
};

pub(in crate::command) const fn flag(
    name: &'static str,
    value: &'static str,
    holds: Holds,
    help: &'static str,
) -> Flag {
    Flag { name, alias: "", value: Some(value), holds, help }
}

pub(in crate::command) const fn switch(name: &'static str, help: &'static str) -> Flag {
    Flag { name, alias: "", value: None, holds: Holds::Choice, help }
}

pub(in crate::command) const fn selector(required: bool, help: &'static str) -> Parameter {
    Parameter { name: "sel", required, kind: Kind::Selector, holds: Holds::Choice, help }
}

pub(in crate::command) const fn parameter(
    name: &'static str,
    required: bool,
    kind: Kind,
    holds: Holds,
    help: &'static str,
) -> Parameter {
    Parameter { name, required, kind, holds, help }
}
