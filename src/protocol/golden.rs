//! `tests/golden`: every message and answer of the wire as JSON, read by the Rust tests and by the extension's tests.
//! Only in test builds.
//!
//! Each file is `{"messages": […], "answers": […]}` and is named after its direction and method. The tests parse each
//! message into its type and check that it serializes to the same JSON. No program writes these files, so that every
//! change of the wire appears as a change of a file.

use super::answers::AnswerVisitor;
use super::methods::{self as wire, ToDaemon, ToPanel};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Golden {
    messages: Vec<Value>,
    #[serde(default)]
    answers: Vec<Value>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("tests/golden")
}

fn read(direction: &str, method: &str) -> Golden {
    let path = folder().join(format!("{direction}.{method}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the methods of one direction, as named in their types.
fn methods<T: ts_rs::TS>() -> BTreeSet<String> {
    let inline = T::inline(&ts_rs::Config::new());
    inline.split("\"method\": \"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

fn same_again<T: Serialize + DeserializeOwned>(what: &str, value: &Value) {
    let read: T = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{what}: {error}\n{value}"));
    assert_eq!(&serde_json::to_value(&read).unwrap(), value, "{what} changed on its way through the type");
}

fn check<T: ts_rs::TS + Serialize + DeserializeOwned>(direction: &str) {
    let methods = methods::<T>();
    assert!(!methods.is_empty());
    for method in &methods {
        let golden = read(direction, method);
        assert!(!golden.messages.is_empty(), "{method} has no message");
        for message in &golden.messages {
            assert_eq!(message["method"], Value::from(method.as_str()));
            same_again::<T>(method, message);
        }
    }
}

#[derive(Default)]
struct Answers(BTreeSet<&'static str>);

impl AnswerVisitor for Answers {
    fn answer<T: ts_rs::TS + Serialize + DeserializeOwned + 'static>(&mut self, method: &'static str) {
        read("to-daemon", method).answers.iter().for_each(|answer| same_again::<T>(method, answer));
        self.0.insert(method);
    }
}

#[test]
fn messages_to_the_daemon_survive_their_types() {
    check::<ToDaemon>("to-daemon");
}

#[test]
fn messages_to_the_panel_survive_their_types() {
    check::<ToPanel>("to-panel");
}

#[test]
fn every_request_has_an_answer_and_every_answer_survives_its_type() {
    let mut answers = Answers::default();
    wire::walk(&mut answers);
    for method in methods::<ToDaemon>() {
        let held = read("to-daemon", &method).answers.len();
        match answers.0.get(method.as_str()) {
            Some(_) => assert!(held > 0, "{method} has no answer in tests/golden"),
            None => assert_eq!(held, 0, "{method} is a notification: nothing answers it"),
        }
    }
    assert!(answers.0.len() > 30, "the requests of the wire");
}

#[test]
fn chat_events_of_every_type_are_held() {
    let inline = <super::chat::ChatBody as ts_rs::TS>::inline(&ts_rs::Config::new());
    let known: BTreeSet<_> =
        inline.split("\"type\": \"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect();
    let held: BTreeSet<_> = read("to-panel", "chat.event")
        .messages
        .iter()
        .filter_map(|message| message["params"]["event"]["type"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(held, known);
}

#[test]
fn no_file_is_left_of_a_method_that_is_gone() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let method = name.strip_suffix(".json").unwrap_or_else(|| panic!("{name} is not a golden file"));
        let known = match method.split_once('.') {
            Some(("to-daemon", method)) => methods::<ToDaemon>().contains(method),
            Some(("to-panel", method)) => methods::<ToPanel>().contains(method),
            _ => false,
        };
        assert!(known, "{name} names no method of the wire");
    }
}
