//! A command in plain words, for the step line of a conversation.
//!
//! Owns the words. Text typed into a page does not appear in them.

use super::call::Call;
use crate::privacy::redaction;
use crate::spec::{Category, Class, Kind, Phrase, Spec, ValueType, Verb};
use gstack_base::shorten::shorten;
use gstack_browser::page::is_named_key;
use gstack_protocol::chat::{LocalizedPhrase, StepKind};

/// The description of a step (`Clicking` `Submit`) and its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub kind: StepKind,
    pub verb: String,
    /// Empty if the verb is enough.
    pub object: String,
    /// The command as it would run, for a person to review: typed text is counted, scripts are shown.
    pub redacted: String,
    /// `Click`, for approval requests.
    imperative: &'static str,
    /// The action as a code, for translation.
    pub phrase: LocalizedPhrase,
    /// Whether the object is the name of something in the page.
    is_named: bool,
    /// The element as it appears in the object: its name, or the selector given. Empty if it does not appear.
    element: String,
}

impl Words {
    /// Returns the request with the element's actual role and name: people do not recognize selectors.
    pub fn request_of(&self, role: &str, name: &str) -> String {
        match (self.is_named, name.is_empty(), role.is_empty()) {
            (true, false, _) => format!("{} “{}”", self.imperative, short_line(name)),
            (true, true, false) => format!("{} the {role}", self.imperative),
            _ => self.request(),
        }
    }

    /// Returns a step's object with the element's name (or its role) in place of a selector. `None` if nothing changes.
    pub fn object_of(&self, role: &str, name: &str) -> Option<(String, LocalizedPhrase)> {
        let known = match (name.is_empty(), role.is_empty()) {
            (false, _) => short_line(name),
            (true, false) => format!("the {role}"),
            (true, true) => return None,
        };
        let object = self.object.replacen(&self.element, &known, 1);
        (!self.element.is_empty() && object != self.object).then(|| (object, self.phrase_of(role, name)))
    }

    /// Returns the phrase with the element's actual role and name.
    pub fn phrase_of(&self, role: &str, name: &str) -> LocalizedPhrase {
        let known = if name.is_empty() { role.to_owned() } else { short_line(name) };
        let mut phrase = self.phrase.clone();
        if !self.element.is_empty() && !known.is_empty() {
            for value in phrase.values.iter_mut().filter(|value| **value == self.element) {
                value.clone_from(&known);
            }
        }
        phrase
    }

    /// Returns the approval request, without a question mark: `Click “Submit”`.
    pub fn request(&self) -> String {
        let Self { imperative, object, is_named, .. } = self;
        match (object.is_empty(), is_named) {
            (true, _) => (*imperative).to_owned(),
            (false, true) => format!("{imperative} “{object}”"),
            (false, false) => format!("{imperative} {object}"),
        }
    }
}

/// Stands for a pressed letter, in every language.
const A_LETTER: &str = "•";
/// In characters.
const LONGEST_OBJECT: usize = 60;

/// Describes a call. `label` returns the name of a ref (`@e3`) in its page (`Pages::label`).
pub fn describe(call: &Call, label: &dyn Fn(&str) -> Option<String>) -> Words {
    let phrases = call.spec.phrases;
    let phrase = phrases.iter().find(|phrase| phrase.fits(&call.arguments)).or(phrases.last());
    let (verb, template) = phrase.map_or((Verb::Run, call.spec.name), |phrase| (phrase.verb, phrase.object));
    let mut object = template.to_owned();
    let mut values = Vec::new();
    for name in phrase.into_iter().flat_map(Phrase::placeholders) {
        let said = value(call, name, label);
        object = object.replace(&format!("{{{name}}}"), &said);
        values.push(short_line(&said));
    }
    let held = phrase.into_iter().flat_map(Phrase::placeholders).find(|name| {
        call.spec.parameters.iter().any(|parameter| parameter.name == *name && parameter.holds.is_element())
    });
    let element = held.map_or_else(String::new, |name| short_line(&value(call, name, label)));
    Words {
        kind: kind(call.spec),
        verb: verb.doing().to_owned(),
        object: short_line(&object),
        redacted: redaction::line(call),
        imperative: verb.imperative(),
        phrase: LocalizedPhrase { code: phrase.map_or_else(String::new, Phrase::code), values },
        is_named: held.is_some_and(|name| template == format!("{{{name}}}")),
        element,
    }
}

/// Returns the value of a placeholder.
fn value(call: &Call, name: &str, label: &dyn Fn(&str) -> Option<String>) -> String {
    let text = call.arguments.text(name).unwrap_or_default();
    let Some(parameter) = call.spec.parameters.iter().find(|parameter| parameter.name == name) else { return text };
    match (parameter.holds, parameter.kind) {
        (ValueType::Destination, _) => label(&text).unwrap_or_else(|| site(&text)),
        (ValueType::Commands, _) => call.arguments.list(name).first().cloned().unwrap_or_default(),
        (ValueType::Key, _) if !is_named_key(&text) => A_LETTER.to_owned(),
        (holds, _) if holds.is_element() => element_words(&text, label),
        (_, Kind::List) => call.arguments.list(name).join(", "),
        _ => text,
    }
}

fn kind(spec: &Spec) -> StepKind {
    match (spec.class, spec.category) {
        (Class::Control | Class::Intercept | Class::PageTool | Class::Secret, _) => StepKind::Control,
        (Class::Act, Category::Navigation | Category::Tabs) => StepKind::Navigate,
        (Class::Act | Class::Download | Class::Upload | Class::SignIn, _) => StepKind::Act,
        (Class::Read, _) => StepKind::Read,
    }
}

/// Returns `Submit` for a ref with a known name or a selector that contains one; otherwise the selector.
fn element_words(selector: &str, label: &dyn Fn(&str) -> Option<String>) -> String {
    if selector.starts_with('@') {
        return label(selector).unwrap_or_else(|| selector.to_owned());
    }
    let said = ["text=", "label=", "placeholder=", "title=", "alt="];
    if let Some(text) = said.iter().find_map(|engine| selector.strip_prefix(engine)) {
        return text.trim_matches(['"', '\'']).to_owned();
    }
    if selector.starts_with("role=")
        && let Some((_, rest)) = selector.split_once("name=")
    {
        let name: String = rest
            .trim_start_matches('"')
            .chars()
            .take_while(|character| *character != '"' && *character != ']')
            .collect();
        return name;
    }
    selector.to_owned()
}

/// Returns the address as a person would say it (`example.com`, `localhost:3000/login`), without parts that may be
/// secret.
fn site(typed: &str) -> String {
    let Ok(url) = crate::privacy::url_guard::check(typed) else { return short_line(typed) };
    let Some(host) = url.host_str() else { return url.to_string() };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = if url.path() == "/" { "" } else { url.path() };
    format!("{}{port}{path}", host.strip_prefix("www.").unwrap_or(host))
}

fn short_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    shorten(&words.join(" "), LONGEST_OBJECT)
}

#[cfg(test)]
mod tests {
    use super::super::call::Call;
    use super::{StepKind, describe};
    use crate::registry;
    use crate::spec::When;

    fn words(name: &str, args: &[&str]) -> String {
        let args: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
        let call = Call::parse(name, &args).unwrap();
        let words = describe(&call, &|name| (name == "@e3").then(|| "Submit".to_owned()));
        format!("{} {}", words.verb, words.object).trim_end().to_owned()
    }

    #[test]
    fn every_phrase_has_its_words_in_the_panels_catalogue() {
        let catalogue: serde_json::Value =
            serde_json::from_str(include_str!("../../../extension/_locales/en/messages.json")).unwrap();
        let mut codes = std::collections::BTreeSet::new();
        for spec in registry::all() {
            for phrase in spec.phrases {
                let code = phrase.code();
                let words = catalogue[format!("do_{code}")]["message"].as_str().unwrap_or_default();
                let mut said = format!("{} {}", phrase.verb.doing(), phrase.object).trim_end().to_owned();
                for (index, name) in phrase.placeholders().enumerate() {
                    said = said.replace(&format!("{{{name}}}"), &format!("${}", index + 1));
                }
                assert_eq!(words, said, "{code}");
                codes.insert(code);
            }
        }
        let kept = catalogue.as_object().unwrap().keys().filter_map(|name| name.strip_prefix("do_"));
        let left_over: Vec<&str> = kept.filter(|code| !code.starts_with("own_") && !codes.contains(*code)).collect();
        assert!(left_over.is_empty(), "{left_over:?}");
    }

    #[test]
    fn commands_are_said_in_plain_words() {
        assert_eq!(words("goto", &["https://www.example.com/?token=1"]), "Opening example.com");
        assert_eq!(words("goto", &["localhost:3000/login"]), "Opening localhost:3000/login");
        assert_eq!(words("click", &["@e3"]), "Clicking Submit");
        assert_eq!(words("click", &["@e4"]), "Clicking @e4");
        assert_eq!(words("click", &["text=Sign in"]), "Clicking Sign in");
        assert_eq!(words("click", &["role=button[name=\"Save all\"]"]), "Clicking Save all");
        assert_eq!(words("fill", &["#password", "hunter2"]), "Filling #password");
        assert_eq!(words("type", &["hunter2"]), "Typing");
        assert_eq!(
            (words("press", &["Enter"]), words("press", &["KeyH"])),
            ("Pressing Enter".into(), "Pressing •".into())
        );
        assert_eq!(words("text", &[]), "Reading the page");
        assert_eq!(words("wait", &["--networkidle"]), "Waiting for the network");
        assert_eq!(words("newtab", &[]), "Opening a new tab");
        assert_eq!(words("closetab", &["3"]), "Closing tab 3");
        assert_eq!(words("scroll", &["@e3"]), "Scrolling to Submit");
    }

    #[test]
    fn every_command_has_its_own_words() {
        for spec in registry::all() {
            let last = spec.phrases.last().unwrap();
            let named = |name| spec.parameters.iter().any(|parameter| parameter.name == name);
            assert!(spec.phrases.iter().flat_map(|phrase| phrase.placeholders()).all(named), "{}", spec.name);
            assert_eq!(last.when, When::Always, "{}: one phrase always fits", spec.name);
        }
        assert_eq!(describe(&Call::parse("js", &["1".to_owned()]).unwrap(), &|_| None).kind, StepKind::Control);
    }

    #[test]
    fn a_person_is_asked_in_the_imperative_and_sees_what_would_run() {
        let words = |name: &str, args: &[&str]| {
            let args: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
            describe(&Call::parse(name, &args).unwrap(), &|_| None)
        };
        assert_eq!(words("click", &["text=Revoke key"]).request(), "Click “Revoke key”");
        assert_eq!(words("goto", &["https://a.example/"]).request(), "Open a.example");
        assert_eq!(words("click", &["@e14"]).redacted, "click @e14");
        assert_eq!(words("type", &["hunter2"]).redacted, "type [7 characters]");
        assert_eq!(words("js", &["alert(1)"]).redacted, "js alert(1)");
    }
}
