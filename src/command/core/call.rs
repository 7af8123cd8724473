//! A command with its arguments, parsed once: the value that is run, judged by the policy and written to the journal.
//!
//! Owns the checks that a spec implies for its arguments. Runs nothing.

use super::arguments::Arguments;
use super::composition;
use crate::registry;
use crate::spec::{Class, Navigates, Spec, TabUse, ValueType};
use gstack_browser::page::{Activation, KeyMeaning, Target};
use gstack_protocol::fault::Fault;

/// One call of a command.
#[derive(Clone)]
pub struct Call {
    /// The command.
    pub spec: &'static Spec,
    /// Its arguments, parsed by the command's spec.
    pub arguments: Arguments,
    /// The words as given.
    words: Vec<String>,
}

/// Omits the words: they may contain a password.
impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("command", &self.spec.name).finish_non_exhaustive()
    }
}

impl Call {
    /// Parses the words of a call.
    ///
    /// # Errors
    ///
    /// Fails if the command does not exist or does not accept these words.
    pub fn parse(name: &str, words: &[String]) -> Result<Self, Fault> {
        if let Some((first, rest)) = words.split_first()
            && let Some(spec) = registry::find_apart(name, first)
        {
            return Self::of(spec, rest.to_vec());
        }
        Self::of(registry::get(name)?, words.to_vec())
    }

    /// Like `parse`, for a known command.
    ///
    /// # Errors
    ///
    /// Fails if the command does not accept these words.
    pub fn of(spec: &'static Spec, words: Vec<String>) -> Result<Self, Fault> {
        Ok(Self { spec, arguments: Arguments::parse(spec, &words)?, words })
    }

    /// Returns the words as given, without the command's name.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns the whole call as a person would type it.
    pub fn line(&self) -> String {
        let quoted = |word: &String| {
            if word.is_empty() || word.contains(char::is_whitespace) { format!("\"{word}\"") } else { word.clone() }
        };
        let words = self.words.iter().map(quoted);
        std::iter::once(self.spec.name.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Returns the call's class. A command that runs others has the highest class among them; if they cannot be parsed,
    /// the highest class of all.
    pub fn class(&self) -> Class {
        if self.spec.runs_others() {
            let calls = composition::calls(self.spec, &self.arguments).ok();
            return calls.and_then(|calls| calls.iter().map(Self::class).max()).unwrap_or(Class::Secret);
        }
        match self.spec.tab {
            // Neither of these acts on a page.
            TabUse::Chooses => Class::Read,
            TabUse::Opens if self.destinations().is_empty() => Class::Read,
            _ if self.runs_script() => self.spec.class.max(Class::Control),
            _ => self.spec.class,
        }
    }

    /// Returns the first command of at least this class: itself, or one that it runs, with the number of its step.
    ///
    /// # Errors
    ///
    /// Fails as the call would if the commands that it runs cannot be read.
    pub fn first_of(&self, least: Class) -> Result<Option<(&'static Spec, Option<usize>)>, Fault> {
        if !self.spec.runs_others() {
            return Ok((self.class() >= least).then_some((self.spec, None)));
        }
        let calls = composition::calls(self.spec, &self.arguments)?;
        let found = calls.iter().position(|call| call.class() >= least);
        Ok(found.map(|at| (calls[at].spec, Some(at + 1))))
    }

    /// Whether one of its flags supplies a script to run.
    fn runs_script(&self) -> bool {
        self.spec.flags.iter().any(|flag| flag.holds == ValueType::Script && self.arguments.has(flag.name))
    }

    /// Returns the text that the call types into the page.
    pub fn typed(&self) -> Option<String> {
        self.holding(ValueType::Typed).next().or_else(|| {
            // Keys are typed one letter at a time.
            self.keys().map(|key| key.typed).find(|typed| !typed.is_empty())
        })
    }

    /// Whether the call pastes the clipboard into the page. Its content may come from any page, or from outside the
    /// browser.
    pub fn pastes(&self) -> bool {
        self.keys().any(|key| key.pastes)
    }

    /// Whether part of its text goes to a field other than the focused one: a Tab moves the focus.
    pub fn types_beyond_a_tab(&self) -> bool {
        self.holding(ValueType::Typed).any(|text| text.trim_end_matches('\t').contains('\t'))
    }

    fn keys(&self) -> impl Iterator<Item = KeyMeaning> {
        self.holding(ValueType::Key).map(|key| KeyMeaning::of(&key))
    }

    /// Returns the text that the call types into the page, with the parameter's name.
    pub fn text(&self) -> Option<(&'static str, String)> {
        let typed = self.spec.parameters.iter().find(|parameter| parameter.holds == ValueType::Typed)?;
        self.arguments.text(typed.name).map(|text| (typed.name, text))
    }

    /// Returns the same call with another text to type, or `None` if it types nothing.
    pub fn with_typed(&self, text: &str) -> Option<Self> {
        let (name, _) = self.text()?;
        let (mut words, _) = self.arguments.without(self.spec, &[name]);
        words.push(text.to_owned());
        let arguments = self.arguments.clone().with_words(name, vec![text.to_owned()]);
        Some(Self { spec: self.spec, arguments, words })
    }

    /// Whether the call may type into a password field.
    pub fn types(&self) -> bool {
        self.holding(ValueType::Typed).next().is_some() || self.holding(ValueType::Key).next().is_some()
    }

    /// Returns the input that the call gives a page's tool.
    pub fn tool_input(&self) -> Option<String> {
        if self.spec.class == Class::PageTool { self.holding(ValueType::Secret).next() } else { None }
    }

    /// Returns the name of the page's tool that the call calls, and the site that it names.
    pub fn page_tool(&self) -> Option<(String, Option<String>)> {
        if self.spec.class != Class::PageTool {
            return None;
        }
        Some((self.arguments.text("tool")?, self.arguments.value("--site").map(str::to_owned)))
    }

    /// Returns the name of the saved sign-in that the call fills in.
    pub fn sign_in(&self) -> Option<String> {
        if self.spec.class == Class::SignIn { self.arguments.text("name") } else { None }
    }

    /// Whether a selector of the call asks for the value of a field: by many such questions a value could be guessed.
    /// Escapes in it count, because they may spell the word.
    pub fn asks_for_values(&self) -> bool {
        let selects = |name: &str| {
            self.values(name).iter().any(|text| {
                let text = text.to_lowercase();
                !text.starts_with('@') && (text.contains("value") || text.contains('\\'))
            })
        };
        self.spec.arguments().any(|(name, holds)| !holds.is_hidden() && !holds.is_path() && selects(name))
    }

    /// Returns the addresses that the call goes to.
    pub fn destinations(&self) -> Vec<String> {
        self.holding(ValueType::Destination).collect()
    }

    /// Whether the call may follow a link or submit a form.
    pub fn may_navigate(&self) -> bool {
        match self.spec.navigates {
            Navigates::ElementsTarget => true,
            Navigates::EnterKey => self.presses_enter() || self.presses_space(),
            Navigates::Nowhere
            | Navigates::TabToAddress
            | Navigates::RequestToAddress
            | Navigates::History
            | Navigates::Again => false,
        }
    }

    /// Returns how the call activates its element.
    pub fn activation(&self) -> Activation {
        match self.spec.navigates {
            Navigates::EnterKey if self.presses_enter() => Activation::Enter,
            Navigates::EnterKey => Activation::Space,
            _ => Activation::Click,
        }
    }

    fn presses_enter(&self) -> bool {
        self.keys().any(|key| key.enter) || self.holding(ValueType::Typed).any(|text| text.contains(['\n', '\r']))
    }

    fn presses_space(&self) -> bool {
        self.keys().any(|key| key.space) || self.holding(ValueType::Typed).any(|text| text.contains(' '))
    }

    /// Returns the elements that the call acts on, in the order of its spec: of a drag, the source and the drop target.
    pub fn elements(&self) -> Vec<Target> {
        let held = self.spec.arguments().filter(|(_, holds)| holds.is_element());
        held.flat_map(|(name, _)| self.values(name)).map(|text| Target::parse(&text)).collect()
    }

    /// Returns the element that takes the input, which is the first one.
    pub fn target(&self) -> Option<Target> {
        self.elements().into_iter().next()
    }

    /// Returns the files that the call names, each with its parameter and what it holds.
    pub fn paths(&self) -> Vec<(&'static str, ValueType, String)> {
        let named = self.spec.path_arguments();
        named.flat_map(|(name, holds)| self.values(name).into_iter().map(move |value| (name, holds, value))).collect()
    }

    /// Returns an argument that was given although agents are not offered it.
    pub fn withheld(&self) -> Option<(&'static str, ValueType)> {
        let given = |name: &str| self.arguments.has(name) || !self.values(name).is_empty();
        self.spec.arguments().find(|(name, holds)| holds.is_withheld() && given(name))
    }

    /// Returns the tab number that the call names, as typed.
    pub fn tab(&self) -> Option<String> {
        self.holding(ValueType::Tab).next()
    }

    fn holding(&self, holds: ValueType) -> impl Iterator<Item = String> {
        self.spec
            .parameters
            .iter()
            .filter(move |parameter| parameter.holds == holds)
            .filter_map(|parameter| self.arguments.text(parameter.name))
    }

    fn values(&self, name: &str) -> Vec<String> {
        let mut values = self.arguments.list(name);
        values.extend(self.arguments.values(name));
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, words: &[&str]) -> Call {
        Call::parse(name, &words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_call_answers_by_its_spec() {
        assert_eq!(call("fill", &["#a", "two words"]).typed().as_deref(), Some("two words"));
        assert_eq!(call("press", &["a"]).typed().as_deref(), Some("a"));
        assert_eq!(call("press", &["Tab"]).typed(), None);
        assert!(call("press", &["Shift+Return"]).may_navigate() && !call("press", &["a"]).may_navigate());
        assert_eq!(call("press", &["Shift+KeyA"]).typed().as_deref(), Some("A"));
        assert!(call("press", &["Control+KeyV"]).pastes() && !call("press", &["v"]).pastes());
        let beyond = |text: &str| call("type", &["--", text]).types_beyond_a_tab();
        assert!(beyond("a\tb") && beyond("\t ") && !beyond("a\t") && !beyond("a b"));
        assert!(call("click", &["#a"]).may_navigate() && !call("hover", &["#a"]).may_navigate());
        assert_eq!(call("goto", &["a.example"]).destinations(), ["a.example"]);
        assert_eq!(call("tab", &["3"]).class(), Class::Read);
        let elements = |name: &str, words: &[&str]| {
            call(name, words).elements().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(elements("drag", &["#a", "@e2"]), ["#a", "@e2"]);
        assert_eq!(elements("type", &["@e2", "hello"]), ["@e2"]);
        assert_eq!(elements("swipe", &["up", "#a"]), ["#a"]);
        assert_eq!(elements("snapshot", &["-s", "#a"]), ["#a"]);
        assert!(elements("press", &["Enter"]).is_empty() && elements("wait", &["--text", "x"]).is_empty());
        assert_eq!((call("newtab", &[]).class(), call("newtab", &["a.example"]).class()), (Class::Read, Class::Act));
        assert_eq!(call("fill", &["@e3", "two words"]).line(), "fill @e3 \"two words\"");
    }

    #[test]
    fn a_name_of_two_words_may_be_written_apart() {
        let apart = call("diff", &["image", "a.png", "b.png"]);
        assert_eq!((apart.spec.name, apart.line().as_str()), ("diff-image", "diff-image a.png b.png"));
        assert_eq!(call("diff", &["http://a/", "http://b/"]).spec.name, "diff");
    }

    #[test]
    fn a_path_is_found_wherever_it_is_said() {
        let said = |name: &str, words: &[&str]| {
            call(name, words).paths().into_iter().map(|(name, _, value)| format!("{name} {value}")).collect::<Vec<_>>()
        };
        assert_eq!(said("screenshot", &["#a", "x.png"]), ["path x.png"]);
        assert_eq!(said("snapshot", &["-o", "x.png"]), ["-o x.png"]);
        assert_eq!(said("snapshot", &["--output=x.png"]), ["-o x.png"]);
        assert_eq!(said("upload", &["#f", "a", "b"]), ["file a", "file b"]);
        assert!(said("snapshot", &["-i"]).is_empty() && said("screenshot", &[]).is_empty());
    }
}
