//! One argument of a command: how its words are read, and what they hold.
//!
//! Owns the kinds. The policy, the logs, the path guard and the tools rely on `ValueType`, never on an argument's name.

/// A positional argument.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name in usage lines and for MCP tools.
    pub name: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// How its words are read.
    pub kind: Kind,
    /// The content of its words.
    pub holds: ValueType,
    /// One line of help.
    pub help: &'static str,
}

impl Parameter {
    /// Whether it names a file: shells complete it as one.
    pub fn is_path(&self) -> bool {
        self.holds.is_path()
    }
    /// Whether it takes all remaining words.
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
    /// A number.
    Number,
    /// All remaining words as one text, joined with single spaces. The command's own flags may appear among them.
    Rest,
    /// All remaining words, as a list.
    List,
}

/// The content of an argument's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A choice: a duration, a format, a condition, elements to leave out. Contains no data of its own.
    Choice,
    /// A choice of how much of the page is shown, which shortens the output.
    Extent,
    /// An element that the command acts on or reads: a ref or a selector. Approvals show each one, and each one is
    /// compared again right before input.
    Element,
    /// A tab number.
    Tab,
    /// Text typed into the page. Logs record only its length.
    Typed,
    /// A key or a key combination. A single character counts as typed text.
    Key,
    /// Values that identify a person or may contain anything. Logs record only their length.
    Secret,
    /// An address that the tab or a request goes to.
    Destination,
    /// A script, logged in full.
    Script,
    /// Other commands, each with its own spec.
    Commands,
    /// A file to read.
    InputPath,
    /// A file to write, or a prefix for the names of written files.
    OutputPath,
    /// An element. If a person gives only this word and it looks like a path, it is the file to write.
    ElementOrOutputPath,
    /// Elements to hide. The last of a person's words may be the file to write.
    ElementsOrOutputPath,
    /// A switch that makes the command delete what it would show.
    Deletion,
}

impl ValueType {
    /// Whether it names a file, whoever gives it.
    pub fn is_path(self) -> bool {
        matches!(self, Self::InputPath | Self::OutputPath)
    }
    /// Whether it names an element of the page.
    pub fn is_element(self) -> bool {
        matches!(self, Self::Element | Self::ElementOrOutputPath)
    }
    /// Whether it can shorten the command's output.
    pub fn narrows(self) -> bool {
        matches!(self, Self::Extent) || self.is_element()
    }
    /// Whether it may name a file if a person gives it.
    pub fn may_be_path(self) -> bool {
        self.is_path() || matches!(self, Self::ElementOrOutputPath | Self::ElementsOrOutputPath)
    }
    /// Whether it makes a command that only reads change something.
    pub fn writes(self) -> bool {
        matches!(self, Self::OutputPath | Self::Deletion)
    }
    /// Whether it is withheld from the core tools and from agents in conversations: paths, and everything that deletes.
    pub fn is_withheld(self) -> bool {
        self.is_path() || self.writes()
    }
    /// Whether logs record only its length.
    pub fn is_hidden(self) -> bool {
        matches!(self, Self::Typed | Self::Secret)
    }
}

/// `--name` or `-n`, with or without a value.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// As written: `--viewport`, `-i`.
    pub name: &'static str,
    /// An alternative spelling, or empty.
    pub alias: &'static str,
    /// The name of its value (`MS`); `None` for a switch.
    pub value: Option<&'static str>,
    /// The content of its value, or the choice that a switch makes.
    pub holds: ValueType,
    /// One line of help.
    pub help: &'static str,
}

/// `--timeout MS`, accepted by every command that waits.
pub(crate) const TIMEOUT: Flag = Flag {
    name: "--timeout",
    alias: "",
    value: Some("MS"),
    holds: ValueType::Choice,
    help: "Maximum time to wait, in milliseconds",
};

/// `--look`, accepted by every command that acts in a page or leads the tab elsewhere (`Spec::takes_look`).
pub(crate) const LOOK: Flag = Flag {
    name: "--look",
    alias: "-l",
    value: None,
    holds: ValueType::Choice,
    help: "Then print the page's controls, or what changed since the last look",
};

/// `--quiet`, accepted by every command that acts in a page (`Spec::takes_quiet`).
pub(crate) const QUIET: Flag = Flag {
    name: "--quiet",
    alias: "-q",
    value: None,
    holds: ValueType::Choice,
    help: "Do not print what the command did or caused",
};

pub(crate) const fn flag(name: &'static str, value: &'static str, holds: ValueType, help: &'static str) -> Flag {
    Flag { name, alias: "", value: Some(value), holds, help }
}

pub(crate) const fn switch(name: &'static str, holds: ValueType, help: &'static str) -> Flag {
    Flag { name, alias: "", value: None, holds, help }
}

pub(crate) const fn selector(required: bool, holds: ValueType, help: &'static str) -> Parameter {
    Parameter { name: "sel", required, kind: Kind::Selector, holds, help }
}

pub(crate) const fn parameter(
    name: &'static str,
    required: bool,
    kind: Kind,
    holds: ValueType,
    help: &'static str,
) -> Parameter {
    Parameter { name, required, kind, holds, help }
}
