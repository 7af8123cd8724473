//! The trace events to keep, and what to remove from them.
//!
//! Owns the rules: no events of other tabs' processes, no secrets in addresses, none that gstack filled in, and for a model
//! no addresses of other sites. Reads events one by one, never a file.

use crate::privacy::redaction;
use gstack_base::filled_secrets;
use gstack_base::site::SiteOrPage;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;

const ELSEWHERE: &str = "[an address of another site]";

/// The processes, known after one pass over all events.
#[derive(Debug, Default)]
pub(super) struct Processes {
    renderers: HashSet<i64>,
    of_tab: HashSet<i64>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(default)]
    pid: i64,
    #[serde(default, borrow)]
    name: std::borrow::Cow<'a, str>,
    #[serde(default)]
    args: Args,
}

#[derive(Default, Deserialize)]
struct Args {
    #[serde(default)]
    name: Value,
    #[serde(default)]
    data: Data,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    #[serde(default)]
    process_id: Option<i64>,
    #[serde(default)]
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    #[serde(default)]
    process_id: Option<i64>,
}

impl Processes {
    /// Reads an event, given as JSON. Only parses events that describe processes.
    pub(super) fn see(&mut self, event: &str) {
        const TELLING: [&str; 4] = [
            "\"process_name\"",
            "\"TracingStartedInBrowser\"",
            "\"FrameCommittedInBrowser\"",
            "\"ProcessReadyInBrowser\"",
        ];
        if !TELLING.iter().any(|name| event.contains(name)) {
            return;
        }
        let Ok(Event { pid, name, args }) = serde_json::from_str::<Event<'_>>(event) else { return };
        match name.as_ref() {
            "process_name" if args.name == "Renderer" => {
                self.renderers.insert(pid);
            }
            "TracingStartedInBrowser" | "FrameCommittedInBrowser" | "ProcessReadyInBrowser" => {
                self.of_tab.extend(args.data.process_id);
                self.of_tab.extend(args.data.frames.iter().filter_map(|frame| frame.process_id));
            }
            _ => {}
        }
    }

    fn is_of_other_tabs(&self, pid: i64) -> bool {
        self.renderers.contains(&pid) && !self.of_tab.contains(&pid)
    }
}

/// Returns the event as it is kept, as JSON, or `None` to drop it. `here`: the only site whose addresses stay.
pub(super) fn kept(event: &str, processes: &Processes, here: Option<&SiteOrPage>) -> Option<String> {
    #[derive(Deserialize)]
    struct OfProcess {
        #[serde(default)]
        pid: i64,
    }
    let OfProcess { pid } = serde_json::from_str(event).ok()?;
    if processes.is_of_other_tabs(pid) {
        return None;
    }
    // A page names its marks itself.
    let event = &*filled_secrets::without_in_json(event);
    // Most events contain no address.
    if !event.contains("://") && !event.contains("data:") {
        return Some(event.to_owned());
    }
    let mut value: Value = serde_json::from_str(event).ok()?;
    clean(&mut value, here);
    Some(value.to_string())
}

fn clean(value: &mut Value, here: Option<&SiteOrPage>) {
    match value {
        Value::String(text) if text.contains("://") => {
            *text = match here {
                Some(here) if SiteOrPage::of(text) != *here => ELSEWHERE.to_owned(),
                _ => redaction::text(text),
            };
        }
        Value::Array(inner) => inner.iter_mut().for_each(|value| clean(value, here)),
        Value::Object(inner) => inner.values_mut().for_each(|value| clean(value, here)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Processes, kept};
    use gstack_base::site::SiteOrPage;

    fn seen() -> Processes {
        let mut processes = Processes::default();
        for event in [
            r#"{"pid":1,"name":"process_name","ph":"M","args":{"name":"Browser"}}"#,
            r#"{"pid":2,"name":"process_name","ph":"M","args":{"name":"Renderer"}}"#,
            r#"{"pid":3,"name":"process_name","ph":"M","args":{"name":"Renderer"}}"#,
            r#"{"pid":4,"name":"process_name","ph":"M","args":{"name":"Renderer"}}"#,
            r#"{"pid":1,"name":"TracingStartedInBrowser","args":{"data":{"frames":[{"frame":"A","processId":2}]}}}"#,
            r#"{"pid":1,"name":"FrameCommittedInBrowser","args":{"data":{"frame":"A","processId":4,"url":"http://a/"}}}"#,
        ] {
            processes.see(event);
        }
        processes
    }

    #[test]
    fn events_of_other_tabs_processes_are_left_out() {
        let processes = seen();
        for (pid, stays) in [(1, true), (2, true), (3, false), (4, true), (9, true)] {
            let event = format!(r#"{{"pid":{pid},"name":"X","ph":"X","ts":1}}"#);
            assert_eq!(kept(&event, &processes, None).is_some(), stays, "{pid}");
        }
    }

    #[test]
    fn addresses_lose_their_secrets_and_a_model_reads_none_of_other_sites() {
        let processes = seen();
        let event =
            r#"{"pid":2,"args":{"data":{"url":"http://a.example/x?token=abc&page=2","from":["https://b.example/y"]}}}"#;
        let person = kept(event, &processes, None).unwrap();
        assert!(person.contains("token=[redacted]&page=2") && person.contains("https://b.example/y"), "{person}");
        let model = kept(event, &processes, Some(&SiteOrPage::of("http://a.example/"))).unwrap();
        assert!(model.contains("page=2") && !model.contains("abc") && !model.contains("b.example"), "{model}");
    }
}
