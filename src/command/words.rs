//! A command in plain words, for the step line of a conversation.
//!
//! Owns the words. What is typed into a page does not appear in them.

use super::arguments::Arguments;
use super::registry;
use super::shown_words::shown;
use super::spec::{Category, Class, Spec};
use crate::protocol::chat::StepKind;

/// `Clicking` `Submit`, and what kind of step that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub kind: StepKind,
    pub verb: String,
    /// Empty where the verb says it all.
    pub object: String,
    /// The command as it would run, for a person to judge: what is typed is counted, scripts are shown.
    pub redacted: String,
    /// `Click`, for asking.
    imperative: &'static str,
    /// The object is the name of something in the page.
    is_named: bool,
}

impl Words {
    /// The question to a person, without its question mark: `Click “Submit”`.
    pub fn request(&self) -> String {
        let Self { imperative, object, is_named, .. } = self;
        match (object.is_empty(), is_named) {
            (true, _) => (*imperative).to_owned(),
            (false, true) => format!("{imperative} “{object}”"),
            (false, false) => format!("{imperative} {object}"),
        }
    }
}

/// What is done, and what is asked for.
const VERBS: [(&str, &str); 32] = [
    ("Opening", "Open"),
    ("Going", "Go"),
    ("Reloading", "Reload"),
    ("Looking at", "Look at"),
    ("Reading", "Read"),
    ("Running", "Run"),
    ("Checking", "Check"),
    ("Clicking", "Click"),
    ("Dragging", "Drag"),
    ("Filling", "Fill"),
    ("Choosing", "Choose"),
    ("Pointing at", "Point at"),
    ("Typing", "Type"),
    ("Pressing", "Press"),
    ("Scrolling", "Scroll"),
    ("Waiting", "Wait"),
    ("Resizing", "Resize"),
    ("Taking", "Take"),
    ("Switching", "Switch"),
    ("Closing", "Close"),
    ("Accepting", "Accept"),
    ("Dismissing", "Dismiss"),
    ("Loading", "Load"),
    ("Setting", "Set"),
    ("Saving", "Save"),
    ("Comparing", "Compare"),
    ("Downloading", "Download"),
    ("Measuring", "Measure"),
    ("Restyling", "Restyle"),
    ("Tidying", "Tidy"),
    ("Watching", "Watch"),
    ("Showing", "Show"),
];

/// In characters.
const LONGEST_OBJECT: usize = 60;

/// Says what a command does; a ref stands for itself.
pub fn describe(name: &str, args: &[String]) -> Words {
    describe_with(name, args, &|_| None)
}

/// Says what a command does. `label`: what a ref (`@e3`) is called in its page (`Pages::label`).
pub fn describe_with(name: &str, args: &[String], label: &dyn Fn(&str) -> Option<String>) -> Words {
    let Some(spec) = registry::find(name) else {
        return Words {
            kind: StepKind::Other,
            verb: "Running".to_owned(),
            object: name.to_owned(),
            redacted: name.to_owned(),
            imperative: "Run",
            is_named: false,
        };
    };
    // What can't be parsed will not run either, but it has a line.
    let arguments = Arguments::parse(spec, args).unwrap_or_default();
    let text = |parameter: &str| arguments.text(parameter).unwrap_or_default();
    let element = || element_words(&text("sel"), label);
    let (verb, object) = match spec.name {
        "goto" => ("Opening", site(&text("url"))),
        "back" => ("Going", "back".to_owned()),
        "forward" => ("Going", "forward".to_owned()),
        "reload" => ("Reloading", "the page".to_owned()),
        "url" => ("Looking at", "the address".to_owned()),
        "text" => ("Reading", element_or(element(), "the page")),
        "html" => ("Reading", element_or(element(), "the page's HTML")),
        "links" => ("Reading", "the links".to_owned()),
        "forms" => ("Reading", "the forms".to_owned()),
        "js" => ("Running", "a script".to_owned()),
        "css" => ("Looking at", format!("{} of {}", text("prop"), element())),
        "attrs" => ("Looking at", element()),
        "is" => ("Checking", format!("whether {} is {}", element(), text("prop"))),
        "console" => ("Reading", "the console".to_owned()),
        "network" => ("Reading", "the requests".to_owned()),
        "dialog" => ("Reading", "the dialogs".to_owned()),
        "click" => ("Clicking", element()),
        "fill" => ("Filling", element()),
        "select" => ("Choosing", format!("{} in {}", arguments.list("value").join(", "), element())),
        "hover" => ("Pointing at", element()),
        "drag" => ("Dragging", element()),
        "type" => ("Typing", String::new()),
        "press" => ("Pressing", text("key")),
        "scroll" => ("Scrolling", element_or(element(), "to the end").replace("@", "to @")),
        "wait" => ("Waiting", waited_for(&arguments, &element())),
        "viewport" => ("Resizing", format!("the page to {}", text("WxH"))),
        "screenshot" => ("Taking", "a screenshot".to_owned()),
        "snapshot" => ("Looking at", "the page".to_owned()),
        "tabs" => ("Looking at", "the tabs".to_owned()),
        "tab" => ("Switching", format!("to tab {}", text("id"))),
        "newtab" => (
            "Opening",
            if text("url").is_empty() {
                "a new tab".to_owned()
            } else {
                format!("{} in a new tab", site(&text("url")))
            },
        ),
        "closetab" => {
            ("Closing", if text("id").is_empty() { "the tab".to_owned() } else { format!("tab {}", text("id")) })
        }
        "load-html" => ("Loading", text("file")),
        "eval" => ("Running", "a script".to_owned()),
        "accessibility" => ("Reading", "the accessibility tree".to_owned()),
        "media" => ("Reading", "the media".to_owned()),
        "data" => ("Reading", "the structured data".to_owned()),
        "cookies" => ("Reading", "the cookies".to_owned()),
        "storage" if text("action") == "set" => ("Setting", format!("{} in the storage", text("key"))),
        "storage" => ("Reading", "the storage".to_owned()),
        "perf" => ("Measuring", "the page's loading".to_owned()),
        "cookie" => ("Setting", "a cookie".to_owned()),
        "cookie-import" => ("Setting", format!("cookies from {}", text("json"))),
        "cookie-import-browser" => ("Setting", "cookies of an installed browser".to_owned()),
        "header" => ("Setting", "a request header".to_owned()),
        "useragent" => ("Setting", "the user agent".to_owned()),
        "upload" => ("Choosing", format!("{} in {}", arguments.list("file").join(", "), element())),
        "download" => ("Downloading", element_or(label(&text("url")).unwrap_or_default(), &site(&text("url")))),
        "pdf" => ("Saving", "the page as a PDF".to_owned()),
        "responsive" => ("Taking", "screenshots in three sizes".to_owned()),
        "diff" => ("Comparing", format!("{} with {}", site(&text("url1")), site(&text("url2")))),
        "chain" => ("Running", "several commands".to_owned()),
        "tab-each" => {
            ("Running", format!("{} in every tab", arguments.list("commands").first().cloned().unwrap_or_default()))
        }
        "frame" => ("Switching", "the frame".to_owned()),
        "focus" => ("Showing", element_or(element(), "the tab")),
        "state" if text("action") == "load" => ("Loading", format!("the state {}", text("name"))),
        "state" => ("Saving", format!("the state {}", text("name"))),
        "style" if arguments.has("--undo") => ("Restyling", "as before".to_owned()),
        "style" => ("Restyling", element()),
        "cleanup" => ("Tidying", "the page".to_owned()),
        "prettyscreenshot" => ("Taking", "a tidy screenshot".to_owned()),
        "inspect" => ("Looking at", element_or(element(), "the style")),
        "cdp" => ("Running", format!("the DevTools command {}", text("method"))),
        "watch" => ("Watching", "the page".to_owned()),
        "memory" => ("Measuring", "the memory".to_owned()),
        "inbox" => ("Reading", "the inbox".to_owned()),
        "status" => ("Checking", "what runs".to_owned()),
        "handoff" => ("Showing", "the browser to the person".to_owned()),
        "resume" => ("Looking at", "the page again".to_owned()),
        "dialog-accept" => ("Accepting", "dialogs".to_owned()),
        "dialog-dismiss" => ("Dismissing", "dialogs".to_owned()),
        other => ("Running", other.to_owned()),
    };
    let imperative = VERBS.iter().find(|(doing, _)| *doing == verb).map_or("Run", |(_, asked)| *asked);
    Words {
        kind: kind(spec),
        verb: verb.to_owned(),
        object: shorten(&object),
        redacted: shown(spec, args),
        imperative,
        is_named: matches!(spec.name, "click" | "fill" | "hover"),
    }
}

fn kind(spec: &Spec) -> StepKind {
    match (spec.class, spec.category) {
        (Class::Control | Class::Secret, _) => StepKind::Control,
        (Class::Act, Category::Navigation | Category::Tabs) => StepKind::Navigate,
        (Class::Act, _) => StepKind::Act,
        (Class::Read, _) => StepKind::Read,
    }
}

fn element_or(element: String, whole: &str) -> String {
    if element.is_empty() { whole.to_owned() } else { element }
}

fn waited_for(arguments: &Arguments, element: &str) -> String {
    if arguments.has("--networkidle") {
        "for the network".to_owned()
    } else if arguments.has("--load") || arguments.has("--domcontentloaded") {
        "for the page".to_owned()
    } else {
        format!("for {element}")
    }
}

/// `Submit` for a ref whose name is known and for selectors that say one; else the selector.
fn element_words(selector: &str, label: &dyn Fn(&str) -> Option<String>) -> String {
    if selector.starts_with('@') {
        return label(selector).unwrap_or_else(|| selector.to_owned());
    }
    if let Some(text) = selector.strip_prefix("text=") {
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

/// `example.com`, `localhost:3000/login`: the address as a person would say it, without what may be secret in it.
fn site(typed: &str) -> String {
    let Ok(url) = super::url_guard::check(typed) else { return shorten(typed) };
    let Some(host) = url.host_str() else { return url.to_string() };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = if url.path() == "/" { "" } else { url.path() };
    format!("{}{port}{path}", host.strip_prefix("www.").unwrap_or(host))
}

fn shorten(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= LONGEST_OBJECT {
        return line;
    }
    line.chars().take(LONGEST_OBJECT - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::{StepKind, VERBS, describe, describe_with};
    use crate::command::registry;

    fn words(name: &str, args: &[&str]) -> String {
        let args: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
        let words = describe_with(name, &args, &|name| (name == "@e3").then(|| "Submit".to_owned()));
        format!("{} {}", words.verb, words.object).trim_end().to_owned()
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
        assert_eq!(words("text", &[]), "Reading the page");
        assert_eq!(words("wait", &["--networkidle"]), "Waiting for the network");
        assert_eq!(words("nonsense", &[]), "Running nonsense");
    }

    #[test]
    fn every_command_has_its_own_words() {
        for spec in registry::all() {
            let words = describe(spec.name, &[]);
            assert!(VERBS.iter().any(|(doing, _)| *doing == words.verb), "{}", words.verb);
            assert!((words.verb.as_str(), words.object.as_str()) != ("Running", spec.name), "{}", spec.name);
        }
        assert_eq!(describe("js", &[]).kind, StepKind::Control);
    }

    #[test]
    fn a_person_is_asked_in_the_imperative_and_sees_what_would_run() {
        let words =
            |name: &str, args: &[&str]| describe(name, &args.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(words("click", &["text=Revoke key"]).request(), "Click “Revoke key”");
        assert_eq!(words("goto", &["https://a.example/"]).request(), "Open a.example");
        assert_eq!(words("click", &["@e14"]).redacted, "click @e14");
        assert_eq!(words("type", &["hunter2"]).redacted, "type [7 characters]");
        assert_eq!(words("js", &["alert(1)"]).redacted, "js alert(1)");
    }
}
