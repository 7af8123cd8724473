//! A command with its arguments, parsed once: what runs, what the policy judges and what is written down.
//!
//! Owns the answers that a spec gives about its arguments. Runs nothing.

use super::arguments::Arguments;
use super::composition;
use super::registry;
use super::spec::{Class, Holds, Leads, Spec, TabUse};
use crate::browser::page::Target;
use crate::protocol::fault::Fault;

/// One call of a command.
#[derive(Clone)]
pub struct Call {
    pub spec: &'static Spec,
    pub arguments: Arguments,
    /// As they were given.
    words: Vec<String>,
}

/// Without its words: they may be a password.
impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("command", &self.spec.name).finish_non_exhaustive()
    }
}

impl Call {
    /// Reads the words of a call.
    ///
    /// # Errors
    ///
    /// Fails if no command has this name, or if it does not take these words.
    pub fn parse(name: &str, words: &[String]) -> Result<Self, Fault> {
        Self::of(registry::get(name)?, words.to_vec())
    }

    /// As `parse`, of a command that is known.
    ///
    /// # Errors
    ///
    /// Fails if the command does not take these words.
    pub fn of(spec: &'static Spec, words: Vec<String>) -> Result<Self, Fault> {
        Ok(Self { spec, arguments: Arguments::parse(spec, &words)?, words })
    }

    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The call as a person would type it, whole.
    pub fn line(&self) -> String {
        let quoted = |word: &String| {
            if word.is_empty() || word.contains(char::is_whitespace) { format!("\"{word}\"") } else { word.clone() }
        };
        let words = self.words.iter().map(quoted);
        std::iter::once(self.spec.name.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
    }

    /// The class of what it does: of what runs other commands the highest among them. What can't be read has the highest of all.
    pub fn class(&self) -> Class {
        if self.spec.runs_others() {
            let calls = composition::calls(self.spec, &self.arguments).ok();
            return calls.and_then(|calls| calls.iter().map(Self::class).max()).unwrap_or(Class::Secret);
        }
        match self.spec.tab {
            // Neither does anything to a page.
            TabUse::Chooses => Class::Read,
            TabUse::Opens if self.destinations().is_empty() => Class::Read,
            _ if self.runs_script() => self.spec.class.max(Class::Control),
            _ => self.spec.class,
        }
    }

    /// Whether a flag of it gives a script to run.
    fn runs_script(&self) -> bool {
        self.spec.flags.iter().any(|flag| flag.holds == Holds::Script && self.arguments.has(flag.name))
    }

    /// The words that it puts into the page.
    pub fn typed(&self) -> Option<String> {
        self.holding(Holds::Typed).next().or_else(|| {
            // Letter by letter.
            self.holding(Holds::Key).next().filter(|key| key.chars().count() == 1)
        })
    }

    /// The text that it puts into the page, with the parameter's name.
    pub fn text(&self) -> Option<(&'static str, String)> {
        let typed = self.spec.parameters.iter().find(|parameter| parameter.holds == Holds::Typed)?;
        self.arguments.text(typed.name).map(|text| (typed.name, text))
    }

    /// The same call that puts another text into the page. `None` if it puts none there.
    pub fn with_typed(&self, text: &str) -> Option<Self> {
        let (name, _) = self.text()?;
        let (mut words, _) = self.arguments.without(self.spec, &[name]);
        words.push(text.to_owned());
        let arguments = self.arguments.clone().with_words(name, vec![text.to_owned()]);
        Some(Self { spec: self.spec, arguments, words })
    }

    /// Whether it may type into a password field.
    pub fn types(&self) -> bool {
        self.holding(Holds::Typed).next().is_some() || self.holding(Holds::Key).next().is_some()
    }

    /// The addresses that it goes to.
    pub fn destinations(&self) -> Vec<String> {
        self.holding(Holds::Destination).collect()
    }

    /// Whether it may follow a link or send a form.
    pub fn may_lead(&self) -> bool {
        match self.spec.leads {
            Leads::ElementsTarget => true,
            Leads::EnterKey => self.presses_enter(),
            Leads::Nowhere | Leads::TabToAddress | Leads::RequestToAddress | Leads::History => false,
        }
    }

    fn presses_enter(&self) -> bool {
        let is_enter = |key: String| key.rsplit('+').next().is_some_and(|last| last.ends_with("Enter"));
        self.holding(Holds::Key).any(is_enter) || self.typed().is_some_and(|text| text.contains(['\n', '\r']))
    }

    /// The element that it is done to.
    pub fn target(&self) -> Option<Target> {
        let by_flag = || self.spec.flags.iter().find(|flag| flag.holds == Holds::Element);
        self.arguments.target("sel").or_else(|| self.arguments.value(by_flag()?.name).map(Target::parse))
    }

    /// The files that it names, each with what it is.
    pub fn paths(&self) -> Vec<(&'static str, Holds, String)> {
        let named = self.spec.path_arguments();
        named.flat_map(|(name, holds)| self.values(name).into_iter().map(move |value| (name, holds, value))).collect()
    }

    /// The number of a tab that it names, as it was typed.
    pub fn tab(&self) -> Option<String> {
        self.holding(Holds::Tab).next()
    }

    fn holding(&self, holds: Holds) -> impl Iterator<Item = String> {
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
        assert!(call("press", &["Shift+Enter"]).may_lead() && !call("press", &["a"]).may_lead());
        assert!(call("click", &["#a"]).may_lead() && !call("hover", &["#a"]).may_lead());
        assert_eq!(call("goto", &["a.example"]).destinations(), ["a.example"]);
        assert_eq!(call("tab", &["3"]).class(), Class::Read);
        assert_eq!((call("newtab", &[]).class(), call("newtab", &["a.example"]).class()), (Class::Read, Class::Act));
        assert_eq!(call("fill", &["@e3", "two words"]).line(), "fill @e3 \"two words\"");
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
