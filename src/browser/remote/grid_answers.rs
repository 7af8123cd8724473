//! The answers of a WebDriver server, and of a Selenium Grid, as types.
//!
//! Owns their shapes and the redaction of the texts in them.

use serde::Deserialize;
use serde_json::{Map, Value};

/// In characters. A server's message may have a stack trace.
const LONGEST_WORDS: usize = 300;

/// Stands for the id of a session that a node starts.
const STARTING: &str = "reserved";

/// Every answer has its content in `value`.
#[derive(Deserialize)]
pub(super) struct Enveloped<T> {
    pub(super) value: T,
}

/// The answer to `POST /session`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NewSession {
    pub(super) session_id: String,
    #[serde(default)]
    pub(super) capabilities: Map<String, Value>,
}

/// An error of WebDriver.
#[derive(Deserialize)]
pub(super) struct Failure {
    #[serde(default)]
    pub(super) error: String,
    #[serde(default)]
    pub(super) message: String,
}

/// The answer to `GET /status`. Only a Grid has nodes.
#[derive(Deserialize)]
pub(super) struct GridStatus {
    pub(super) nodes: Option<Vec<Node>>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    #[serde(default)]
    pub(super) uri: String,
    /// `UP`, `DRAINING` or `DOWN`. A node that is down stays on the list for some minutes, with its sessions.
    #[serde(default)]
    pub(super) availability: Option<String>,
    #[serde(default)]
    pub(super) slots: Vec<Slot>,
}

#[derive(Deserialize)]
pub(super) struct Slot {
    pub(super) session: Option<SlotSession>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SlotSession {
    /// [`STARTING`] until the node has started it.
    #[serde(default)]
    pub(super) session_id: String,
    /// The browser's, and those that were requested.
    #[serde(default)]
    capabilities: Map<String, Value>,
}

/// An entry of the answer to `GET /se/grid/newsessionqueue/queue`.
#[derive(Deserialize)]
pub(super) struct QueuedRequest {
    #[serde(default)]
    capabilities: Vec<Map<String, Value>>,
}

impl QueuedRequest {
    /// Returns true if the request was given this value for a capability.
    pub(super) fn asks_for(&self, name: &str, value: &str) -> bool {
        self.capabilities.iter().any(|one| one.get(name).is_some_and(|found| found == value))
    }
}

impl NewSession {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.capabilities.get(name)?.as_str()
    }
    /// Returns the DevTools address that chromedriver reports: `localhost:40123`.
    pub(super) fn debugger_address(&self) -> Option<&str> {
        let options = ["goog:chromeOptions", "ms:edgeOptions"];
        options.iter().find_map(|name| self.capabilities.get(*name)?.get("debuggerAddress")?.as_str())
    }
}

impl Node {
    fn is_up(&self) -> bool {
        self.availability.as_deref().is_none_or(|availability| availability == "UP")
    }
}

impl GridStatus {
    /// Returns the address of the node that runs the session.
    pub(super) fn node_of(&self, session: &str) -> Option<&str> {
        let runs = |node: &&Node| {
            node.slots.iter().any(|slot| slot.session.as_ref().is_some_and(|found| found.session_id == session))
        };
        self.nodes.iter().flatten().find(runs).map(|node| node.uri.as_str())
    }
    /// Returns the sessions that were requested with this value for a capability.
    pub(super) fn sessions_with<'a>(&'a self, name: &'a str, value: &'a str) -> impl Iterator<Item = &'a str> {
        let is_it = move |session: &&SlotSession| session.capabilities.get(name).is_some_and(|found| found == value);
        let ids = self.sessions().filter(is_it).map(|session| session.session_id.as_str());
        ids.filter(|id| is_id(id) && *id != STARTING)
    }
    /// Returns true if a node starts a session now.
    pub(super) fn is_starting(&self) -> bool {
        self.sessions().any(|session| session.session_id == STARTING)
    }
    fn sessions(&self) -> impl Iterator<Item = &SlotSession> {
        let slots = self.nodes.iter().flatten().flat_map(|node| &node.slots);
        slots.filter_map(|slot| slot.session.as_ref())
    }
    /// Returns true for a Grid whose every slot is taken.
    pub(super) fn is_full(&self) -> bool {
        let slots = || self.nodes.iter().flatten().filter(|node| node.is_up()).flat_map(|node| &node.slots);
        slots().next().is_some() && slots().all(|slot| slot.session.is_some())
    }
    /// Returns true for a Grid without a node that accepts sessions.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.as_ref().is_some_and(|nodes| !nodes.iter().any(Node::is_up))
    }
}

/// Returns true if the id can stand in a path.
pub(super) fn is_id(text: &str) -> bool {
    (1..=200).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && text != "."
        && text != ".."
}

/// Returns a server's text for people: one line, shortened, without control characters.
pub(super) fn words(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it gave no reason");
    let plain: String = line.chars().filter(|character| !character.is_control()).take(LONGEST_WORDS).collect();
    if line.chars().count() > LONGEST_WORDS { format!("{plain}…") } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_cannot_lead_to_another_path() {
        assert!(is_id("9f2c-A_b.1"));
        for text in ["", ".", "..", "a/b", "a?b", "a%2fb", "a b", "ä", &"x".repeat(201)] {
            assert!(!is_id(text), "{text}");
        }
    }

    #[test]
    fn a_servers_words_are_one_plain_line() {
        assert_eq!(words("\n first\u{1b}[31m\nsecond"), "first[31m");
        assert_eq!(words(" \n"), "it gave no reason");
        assert_eq!(words(&"x".repeat(1000)).chars().count(), LONGEST_WORDS + 1);
    }

    #[test]
    fn a_grids_status_names_the_node_of_a_session() {
        let status = r#"{"value":{"ready":true,"nodes":[{"uri":"http://n1:5555","slots":[{"session":null}]},
            {"uri":"http://n2:5555","slots":[{"session":{"sessionId":"s"}}]}]}}"#;
        let status: Enveloped<GridStatus> = serde_json::from_str(status).unwrap();
        assert_eq!(status.value.node_of("s"), Some("http://n2:5555"));
        assert!(!status.value.is_full() && !status.value.is_empty());
        let down = r#"{"value":{"nodes":[{"availability":"DOWN","slots":[{"session":{"sessionId":"s"}}]}]}}"#;
        let down: Enveloped<GridStatus> = serde_json::from_str(down).unwrap();
        assert!(!down.value.is_full() && down.value.is_empty(), "a session on a lost node does not end");
        let driver: Enveloped<GridStatus> = serde_json::from_str(r#"{"value":{"ready":true}}"#).unwrap();
        assert!(!driver.value.is_full() && !driver.value.is_empty());
    }

    #[test]
    fn a_request_is_found_in_the_queue_at_its_start_and_with_its_session() {
        let queue = r#"{"value":[{"requestId":"1","capabilities":[{"browserName":"chrome"},{"se:own":"a"}]}]}"#;
        let queue: Enveloped<Vec<QueuedRequest>> = serde_json::from_str(queue).unwrap();
        assert!(queue.value[0].asks_for("se:own", "a") && !queue.value[0].asks_for("se:own", "b"));
        let status = r#"{"value":{"nodes":[{"slots":[
            {"session":{"sessionId":"reserved","capabilities":{"se:own":"a"}}},
            {"session":{"sessionId":"s","capabilities":{"se:own":"a"}}},
            {"session":null}]}]}}"#;
        let status: Enveloped<GridStatus> = serde_json::from_str(status).unwrap();
        assert!(status.value.is_starting());
        assert_eq!(status.value.sessions_with("se:own", "a").collect::<Vec<_>>(), ["s"]);
        assert_eq!(status.value.sessions_with("se:own", "b").count(), 0);
    }
}
