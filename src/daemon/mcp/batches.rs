//! JSON-RPC batches, which only version 2025-03-26 of MCP has: several messages in one line, whose answers come in one line too.
//!
//! Owns which answers belong together. Never reads or writes a line.

use gstack_base::mutex::lock;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::{Arc, Mutex};

/// The only version with batches.
const VERSION: &str = "2025-03-26";

/// The batches of one connection. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Batches(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    are_allowed: bool,
    open: Vec<Batch>,
}

/// A batch some of whose requests are not answered yet.
struct Batch {
    waiting: Vec<Value>,
    answers: Vec<Vec<u8>>,
}

#[derive(Deserialize)]
struct Head {
    id: Option<Value>,
    method: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Begins {
    method: String,
    params: BeginsWith,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BeginsWith {
    protocol_version: String,
}

/// What becomes of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sending {
    Now(Vec<u8>),
    /// Others of its batch are missing.
    Later,
}

impl Batches {
    /// Notes which version the client asks for.
    pub(super) fn note(&self, message: &[u8]) {
        if let Ok(Begins { method, params }) = serde_json::from_slice::<Begins>(message)
            && method == "initialize"
        {
            lock(&self.0).are_allowed = params.protocol_version == VERSION;
        }
    }

    /// Returns the messages of a line if it is a batch that this client may send.
    pub(super) fn messages<'a>(&self, line: &'a [u8]) -> Option<Vec<&'a RawValue>> {
        if line.first() != Some(&b'[') || !lock(&self.0).are_allowed {
            return None;
        }
        serde_json::from_slice(line).ok().filter(|messages: &Vec<&RawValue>| !messages.is_empty())
    }

    /// Opens a batch. `requests`: the messages that will be answered; `answers`: the answers to those that are malformed.
    /// Returns the whole answer if nothing is left to wait for.
    pub(super) fn open(&self, requests: &[&RawValue], answers: Vec<Vec<u8>>) -> Option<Vec<u8>> {
        let heads = requests.iter().filter_map(|request| serde_json::from_str::<Head>(request.get()).ok());
        let waiting: Vec<Value> = heads.filter(|head| head.method.is_some()).filter_map(|head| head.id).collect();
        if waiting.is_empty() {
            return (!answers.is_empty()).then(|| together(&answers));
        }
        lock(&self.0).open.push(Batch { waiting, answers });
        None
    }

    /// Takes an outgoing message.
    pub(super) fn outgoing(&self, message: Vec<u8>) -> Sending {
        let mut state = lock(&self.0);
        if state.open.is_empty() {
            return Sending::Now(message);
        }
        let Ok(Head { id: Some(id), method: None }) = serde_json::from_slice(&message) else {
            return Sending::Now(message);
        };
        let Some(at) = state.open.iter().position(|batch| batch.waiting.contains(&id)) else {
            return Sending::Now(message);
        };
        let batch = &mut state.open[at];
        batch.waiting.retain(|waiting| *waiting != id);
        batch.answers.push(message);
        match batch.waiting.is_empty() {
            true => Sending::Now(together(&state.open.remove(at).answers)),
            false => Sending::Later,
        }
    }
}

fn together(answers: &[Vec<u8>]) -> Vec<u8> {
    [b"[".to_vec(), answers.join(&b","[..]), b"]".to_vec()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(version: &str) -> Batches {
        let batches = Batches::default();
        batches.note(format!(r#"{{"method":"initialize","params":{{"protocolVersion":"{version}"}}}}"#).as_bytes());
        batches
    }

    #[test]
    fn only_a_client_of_the_version_that_has_batches_sends_them() {
        let line = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#;
        assert!(begun("2025-11-25").messages(line).is_none() && Batches::default().messages(line).is_none());
        assert_eq!(begun(VERSION).messages(line).unwrap().len(), 1);
        assert!(begun(VERSION).messages(b"[]").is_none() && begun(VERSION).messages(b"{}").is_none());
    }

    #[test]
    fn the_answers_of_a_batch_come_together_and_others_at_once() {
        let batches = begun(VERSION);
        let line = br#"[{"id":1,"method":"ping"},{"method":"notifications/x"},{"id":"a","method":"tools/list"}]"#;
        let messages = batches.messages(line).unwrap();
        assert_eq!(batches.open(&messages, vec![b"{\"id\":null}".to_vec()]), None);
        let at_once = br#"{"id":9,"result":{}}"#.to_vec();
        assert_eq!(batches.outgoing(at_once.clone()), Sending::Now(at_once));
        assert_eq!(batches.outgoing(br#"{"id":"a","result":{}}"#.to_vec()), Sending::Later);
        // A request of ours may have the same id.
        let ours = br#"{"id":1,"method":"roots/list"}"#.to_vec();
        assert_eq!(batches.outgoing(ours.clone()), Sending::Now(ours));
        let last = batches.outgoing(br#"{"id":1,"result":{}}"#.to_vec());
        assert_eq!(last, Sending::Now(br#"[{"id":null},{"id":"a","result":{}},{"id":1,"result":{}}]"#.to_vec()));
        let notifications = batches.messages(br#"[{"method":"notifications/x"}]"#).unwrap();
        assert_eq!(batches.open(&notifications, Vec::new()), None);
        assert_eq!(batches.open(&[], vec![b"{}".to_vec()]), Some(b"[{}]".to_vec()));
    }
}
