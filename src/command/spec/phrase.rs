//! The plain words of a command: a verb and a template for its object.
//!
//! Owns the verbs and the choice of the phrase. `words` fills in the template.

use crate::core::Arguments;

/// One way to describe a command.
#[derive(Clone, Copy, Debug)]
pub struct Phrase {
    pub when: When,
    pub verb: Verb,
    /// A template with argument names in braces: `{sel} of {prop}`. The phrase fits only if all of them were given.
    /// Empty if the verb is enough.
    pub object: &'static str,
}

/// When a phrase fits, in addition to its placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    /// If this flag was given.
    Flag(&'static str),
    /// If this argument equals this word.
    Is(&'static str, &'static str),
}

impl Phrase {
    /// Whether it fits these arguments.
    pub fn fits(&self, arguments: &Arguments) -> bool {
        let holds = match self.when {
            When::Always => true,
            When::Flag(flag) => arguments.has(flag),
            When::Is(name, word) => arguments.text(name).as_deref() == Some(word),
        };
        holds && self.placeholders().all(|name| arguments.text(name).is_some())
    }

    /// Returns `fill_sel`: the verb and the template as one word, the key of the phrase in the panel's message
    /// catalogues.
    pub fn code(&self) -> String {
        let mut code = String::new();
        for letter in format!("{:?}", self.verb).chars() {
            if letter.is_ascii_uppercase() && !code.is_empty() {
                code.push('_');
            }
            code.push(letter.to_ascii_lowercase());
        }
        let words = self.object.split(|letter: char| !letter.is_ascii_alphanumeric());
        for word in words.filter(|word| !word.is_empty()) {
            code.push('_');
            code.push_str(&word.to_ascii_lowercase());
        }
        code
    }

    /// Returns the names in braces.
    pub fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        self.object.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
    }
}

pub(crate) const fn phrase(verb: Verb, object: &'static str) -> Phrase {
    Phrase { when: When::Always, verb, object }
}

pub(crate) const fn phrase_when(when: When, verb: Verb, object: &'static str) -> Phrase {
    Phrase { when, verb, object }
}

/// The action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Open,
    Go,
    Reload,
    LookAt,
    Read,
    Run,
    Check,
    Click,
    Drag,
    Fill,
    Choose,
    PointAt,
    Type,
    Press,
    Scroll,
    Wait,
    Resize,
    Take,
    Switch,
    Close,
    Accept,
    Dismiss,
    Load,
    Set,
    Save,
    Compare,
    Download,
    Measure,
    Restyle,
    Tidy,
    Watch,
    Show,
    DoubleClick,
    RightClick,
    Tap,
    Swipe,
    Uncheck,
    Clear,
    Leave,
    Select,
    Hold,
    Release,
    Use,
    Drop,
    Find,
    Count,
    Answer,
    Stop,
    Slow,
    Record,
    Block,
    Remove,
    Undo,
    SignIn,
}

impl Verb {
    /// Returns `Click`, for approval requests.
    pub fn imperative(self) -> &'static str {
        match self {
            Self::Open => "Open",
            Self::Go => "Go",
            Self::Reload => "Reload",
            Self::LookAt => "Look at",
            Self::Read => "Read",
            Self::Run => "Run",
            Self::Check => "Check",
            Self::Click => "Click",
            Self::Drag => "Drag",
            Self::Fill => "Fill",
            Self::Choose => "Choose",
            Self::PointAt => "Point at",
            Self::Type => "Type",
            Self::Press => "Press",
            Self::Scroll => "Scroll",
            Self::Wait => "Wait",
            Self::Resize => "Resize",
            Self::Take => "Take",
            Self::Switch => "Switch",
            Self::Close => "Close",
            Self::Accept => "Accept",
            Self::Dismiss => "Dismiss",
            Self::Load => "Load",
            Self::Set => "Set",
            Self::Save => "Save",
            Self::Compare => "Compare",
            Self::Download => "Download",
            Self::Measure => "Measure",
            Self::Restyle => "Restyle",
            Self::Tidy => "Tidy",
            Self::Watch => "Watch",
            Self::Show => "Show",
            Self::DoubleClick => "Double-click",
            Self::RightClick => "Right-click",
            Self::Tap => "Tap",
            Self::Swipe => "Swipe",
            Self::Uncheck => "Uncheck",
            Self::Clear => "Clear",
            Self::Leave => "Leave",
            Self::Select => "Select",
            Self::Hold => "Hold",
            Self::Release => "Release",
            Self::Use => "Use",
            Self::Drop => "Drop",
            Self::Find => "Find",
            Self::Count => "Count",
            Self::Answer => "Answer",
            Self::Stop => "Stop",
            Self::Slow => "Slow down",
            Self::Record => "Record",
            Self::Block => "Block",
            Self::Remove => "Remove",
            Self::Undo => "Undo",
            Self::SignIn => "Sign in",
        }
    }

    /// Returns `Clicking`, for a step.
    pub fn doing(self) -> &'static str {
        match self {
            Self::Open => "Opening",
            Self::Go => "Going",
            Self::Reload => "Reloading",
            Self::LookAt => "Looking at",
            Self::Read => "Reading",
            Self::Run => "Running",
            Self::Check => "Checking",
            Self::Click => "Clicking",
            Self::Drag => "Dragging",
            Self::Fill => "Filling",
            Self::Choose => "Choosing",
            Self::PointAt => "Pointing at",
            Self::Type => "Typing",
            Self::Press => "Pressing",
            Self::Scroll => "Scrolling",
            Self::Wait => "Waiting",
            Self::Resize => "Resizing",
            Self::Take => "Taking",
            Self::Switch => "Switching",
            Self::Close => "Closing",
            Self::Accept => "Accepting",
            Self::Dismiss => "Dismissing",
            Self::Load => "Loading",
            Self::Set => "Setting",
            Self::Save => "Saving",
            Self::Compare => "Comparing",
            Self::Download => "Downloading",
            Self::Measure => "Measuring",
            Self::Restyle => "Restyling",
            Self::Tidy => "Tidying",
            Self::Watch => "Watching",
            Self::Show => "Showing",
            Self::DoubleClick => "Double-clicking",
            Self::RightClick => "Right-clicking",
            Self::Tap => "Tapping",
            Self::Swipe => "Swiping",
            Self::Uncheck => "Unchecking",
            Self::Clear => "Clearing",
            Self::Leave => "Leaving",
            Self::Select => "Selecting",
            Self::Hold => "Holding",
            Self::Release => "Releasing",
            Self::Use => "Using",
            Self::Drop => "Dropping",
            Self::Find => "Finding",
            Self::Count => "Counting",
            Self::Answer => "Answering",
            Self::Stop => "Stopping",
            Self::Slow => "Slowing down",
            Self::Record => "Recording",
            Self::Block => "Blocking",
            Self::Remove => "Removing",
            Self::Undo => "Undoing",
            Self::SignIn => "Signing in",
        }
    }
}
