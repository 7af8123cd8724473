//! A conversation assembled from its events: as a panel from what it receives, and as the test from the file.

use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;

/// Events by number; text blocks with their text so far.
#[derive(Debug, Default)]
pub struct Replay {
    pub events: BTreeMap<u64, Value>,
}

fn units(text: &str) -> u64 {
    // Nearly all text is ASCII, and long texts are counted for every piece.
    if text.is_ascii() { text.len() as u64 } else { text.encode_utf16().count() as u64 }
}

impl Replay {
    pub fn head(&self) -> u64 {
        self.events.last_key_value().map_or(0, |(seq, _)| *seq)
    }

    /// Returns the event after which a panel reads again: before the first text of the running turn, which may have
    /// grown unseen.
    pub fn resume_after(&self) -> u64 {
        let begun =
            self.events.iter().rev().find(|(_, event)| event["type"] == "turn-started" || event["type"] == "turn-done");
        let Some((begun, _)) = begun.filter(|(_, event)| event["type"] == "turn-started") else { return self.head() };
        let grows = |event: &Value| event["type"] == "text" || event["type"] == "thinking";
        let first = self.events.range(begun..).find(|(_, event)| grows(event)).map(|(seq, _)| seq - 1);
        first.unwrap_or_else(|| self.head())
    }

    pub fn cut_back_to(&mut self, head: u64) {
        self.events.retain(|seq, _| *seq <= head);
    }

    /// Applies an event that was read: it contains its whole text.
    pub fn read(&mut self, event: &Value) {
        let seq = event["seq"].as_u64().unwrap();
        let longer =
            |held: &Value| units(held["text"].as_str().unwrap_or("")) > units(event["text"].as_str().unwrap_or(""));
        if !self.events.get(&seq).is_some_and(longer) {
            self.events.insert(seq, event.clone());
        }
    }

    /// Applies a pushed event, which directly follows the last one.
    pub fn pushed(&mut self, event: &Value) {
        let seq = event["seq"].as_u64().unwrap();
        assert!(seq <= self.head() + 1, "a push left out an event: {} and then {seq}", self.head());
        self.events.entry(seq).or_insert_with(|| event.clone());
    }

    pub fn delta(&mut self, delta: &Value) {
        let seq = delta["seq"].as_u64().unwrap();
        let offset = delta["offset"].as_u64().unwrap();
        let Some(event) = self.events.get_mut(&seq) else { panic!("text for an event that is not there: {seq}") };
        let Value::String(held) = &mut event["text"] else { panic!("no text: {delta}") };
        let length = units(held);
        assert!(offset <= length, "a part of the text is missing: {length} held, {offset} comes");
        let skip = usize::try_from(length - offset).unwrap();
        let new: Vec<u16> = delta["text"].as_str().unwrap().encode_utf16().skip(skip).collect();
        held.push_str(&String::from_utf16(&new).unwrap());
    }

    /// Returns the newest event, and the length of its known text.
    pub fn place(&self) -> (u64, u64) {
        self.events.last_key_value().map_or((0, 0), |(seq, event)| (*seq, units(event["text"].as_str().unwrap_or(""))))
    }

    /// Reads the file strictly: every line is one of ours, and the numbers have no gap.
    pub fn of_file(path: &Path) -> Self {
        let mut replay = Self::default();
        let Ok(text) = fs::read_to_string(path) else { return replay };
        assert!(text.is_empty() || text.ends_with('\n'), "the journal ends with a whole line");
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if let Some(seq) = line["delta"].as_u64() {
                let delta = serde_json::json!({ "seq": seq, "offset": line["offset"], "text": line["text"] });
                replay.delta(&delta);
            } else if line["seq"].is_u64() {
                assert_eq!(line["seq"], replay.head() + 1, "numbers have no gap");
                replay.pushed(&line);
            }
        }
        replay
    }

    fn of_type<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.values().filter(move |event| event["type"] == kind)
    }

    pub fn turns_done(&self) -> usize {
        self.of_type("turn-done").count()
    }

    /// Returns the client ids of the messages that have had a turn.
    pub fn started(&self) -> HashSet<&str> {
        self.of_type("turn-started").map(|event| event["clientId"].as_str().unwrap()).collect()
    }

    /// Returns the messages' client ids with their counts.
    pub fn messages(&self) -> HashMap<&str, usize> {
        let mut found = HashMap::new();
        for event in self.of_type("message") {
            *found.entry(event["clientId"].as_str().unwrap()).or_default() += 1;
        }
        found
    }

    /// Returns the messages whose turn never began and that were not taken back, oldest first.
    pub fn waiting(&self) -> Vec<String> {
        let over: HashSet<&Value> = self
            .of_type("turn-started")
            .chain(self.of_type("message-removed"))
            .map(|event| &event["clientId"])
            .collect();
        let waiting = self.of_type("message").map(|event| &event["clientId"]).filter(|id| !over.contains(id));
        waiting.map(|id| id.as_str().unwrap().to_owned()).collect()
    }

    /// Checks a conversation in which nothing runs.
    pub fn check_settled(&self) {
        let ids = |kind: &'static str, name: &'static str| -> Vec<&str> {
            self.of_type(kind).map(|event| event[name].as_str().unwrap()).collect()
        };
        let (begun, ended) = (ids("turn-started", "turnId"), ids("turn-done", "turnId"));
        assert_eq!(begun, ended, "every turn that began ended, in order");
        let started = ids("turn-started", "clientId");
        assert_eq!(started.iter().collect::<HashSet<_>>().len(), started.len(), "no message ran twice");
        let (mut steps, mut steps_done) = (ids("step", "stepId"), ids("step-done", "stepId"));
        steps.sort_unstable();
        steps_done.sort_unstable();
        assert_eq!(steps, steps_done, "every step has one end");
    }
}
