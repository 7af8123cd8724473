//! A table of the sentences that the parser understands.

use super::parse::{Direction, Scroll, Step, Target, parse};

fn open(url: &str) -> Step {
    Step::Open(url.to_owned())
}

fn click(name: &str, role: Option<&'static str>) -> Step {
    Step::Click(Target { name: name.to_owned(), role })
}

fn fill(field: &str, value: &str) -> Step {
    Step::Fill { field: field.to_owned(), value: value.to_owned() }
}

fn unknown(text: &str) -> Step {
    Step::Unknown(text.to_owned())
}

#[test]
fn single_sentences() {
    let table = [
        ("go to example.com", open("https://example.com")),
        ("Open https://example.com/a?b=c#d", open("https://example.com/a?b=c#d")),
        ("visit example.com/path.", open("https://example.com/path")),
        ("please open localhost:3000/x", open("http://localhost:3000/x")),
        ("open 127.0.0.1:8080", open("http://127.0.0.1:8080")),
        ("https://example.com", open("https://example.com")),
        ("open the menu", unknown("open the menu")),
        ("Fill this form with test data", Step::FillForm),
        ("go back", Step::Back),
        ("Forward", Step::Forward),
        ("reload the page please", Step::Reload),
        ("please reload the page!", Step::Reload),
        ("click \"Sign in\"", click("Sign in", None)),
        ("click on Submit", click("Submit", None)),
        ("click the Submit button", click("Submit", Some("button"))),
        ("click the “Learn more” link", click("Learn more", Some("link"))),
        ("click the Yes radio button", click("Yes", Some("radio"))),
        ("click @e3", click("@e3", None)),
        ("press enter", Step::Press("Enter".into())),
        ("press the Escape key", Step::Press("Escape".into())),
        ("press ctrl+a", Step::Press("Control+A".into())),
        ("press Submit", click("Submit", None)),
        ("fill Email with me@example.com", fill("Email", "me@example.com")),
        ("fill in the \"First name\" field with 'Ada Lovelace'", fill("First name", "Ada Lovelace")),
        ("fill \"Meet with\" with Bob", fill("Meet with", "Bob")),
        ("type hello world into Search", fill("Search", "hello world")),
        ("type 'come in' in the Name box", fill("Name", "come in")),
        ("enter 42 in Age", fill("Age", "42")),
        ("set Country to Norway", fill("Country", "Norway")),
        ("type hello", Step::Type("hello".into())),
        ("scroll down", Step::Scroll(Scroll::By(Direction::Down))),
        ("scroll up", Step::Scroll(Scroll::By(Direction::Up))),
        ("scroll to the bottom", Step::Scroll(Scroll::By(Direction::Bottom))),
        ("scroll to the top", Step::Scroll(Scroll::By(Direction::Top))),
        ("scroll to Comments", Step::Scroll(Scroll::To("Comments".into()))),
        ("summarise this page", Step::Summarise),
        ("Summarize", Step::Summarise),
        ("read this page", Step::Summarise),
        ("show me the links", Step::Links),
        ("List the fields of this form", Step::Fields),
        ("show the errors in the console", Step::Console),
        ("take a screenshot", Step::Screenshot),
        ("snapshot", Step::Snapshot),
        ("text", Step::Text),
        ("What can you do?", Step::Help),
        ("why is the sky blue?", unknown("why is the sky blue?")),
        ("book me a flight", unknown("book me a flight")),
        ("click", unknown("click")),
    ];
    for (sentence, step) in table {
        assert_eq!(parse(sentence), [step], "{sentence}");
    }
}

#[test]
fn several_steps_in_one_message() {
    let three = [open("https://example.com"), click("More", None), Step::Screenshot];
    for message in [
        "open example.com then click More then take a screenshot",
        "open example.com, then click More, and then screenshot",
        "open example.com; click More; screenshot",
        "open example.com\nclick More\n\nscreenshot\n",
    ] {
        assert_eq!(parse(message), three, "{message}");
    }
}

#[test]
fn words_that_only_look_like_a_separator_are_left_in_place() {
    assert_eq!(parse("fill Note with eat then sleep"), [fill("Note", "eat then sleep")]);
    assert_eq!(parse("click \"now; then reload\""), [click("now; then reload", None)]);
    assert_eq!(parse("fill Note with don't; then reload"), [fill("Note", "don't"), Step::Reload]);
    assert_eq!(parse(""), []);
}

#[test]
fn a_long_message_is_no_command() {
    let long = ";".repeat(1024 * 1024);
    assert_eq!(parse(&long), [unknown(&long)]);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_fail(words in proptest::collection::vec(
        proptest::prop_oneof!["(open|click|fill|type|set|press|scroll to|then|;|with|into|to|in|the|“|”|\"|')", ".{0,6}"],
        0..12,
    )) {
        parse(&words.join(" "));
    }
}

#[test]
fn one_command_that_means_one_thing_needs_no_model() {
    for message in
        ["go back", "reload", "open example.com", "Please take a screenshot", "scroll down", "https://a.example/x"]
    {
        assert!(super::is_one_command(message), "{message}");
    }
    for message in
        ["", "click Submit", "scroll to Prices", "go back, then reload", "summarize", "open the menu", "help", "why?"]
    {
        assert!(!super::is_one_command(message), "{message}");
    }
}

#[test]
fn every_suggestion_that_the_panel_sends_is_understood() {
    let suggestions = include_str!("../../../extension/panel/suggestions.js");
    let sent: Vec<&str> = suggestions.split("sends: \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(sent.len() >= 4, "{sent:?}");
    for sentence in sent {
        let steps = parse(sentence);
        assert!(!steps.iter().any(|step| matches!(step, Step::Unknown(_))), "{sentence}");
    }
    let welcome = include_str!("../../daemon/http/welcome/welcome.html");
    let (_, tries) = welcome.split_once("class=\"try\"").unwrap_or_default();
    for sentence in tries.split("<p>").skip(1).filter_map(|rest| rest.split("</p>").next()) {
        assert!(!matches!(parse(sentence)[0], Step::Unknown(_)), "{sentence}");
    }
}
