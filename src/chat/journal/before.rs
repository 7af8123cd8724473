//! The events before a message's turn, as the beginning of another conversation.
//!
//! Only reads. A message that was still waiting when the turn began is not part of the copy, nor is anything else about
//! the queue: in the copy, nothing waits.

use super::read::{Limits, Reader};
use crate::error::ChatError;
use gstack_protocol::chat::{ChatBody, ChatEvent, Seq};
use gstack_protocol::ids::ClientMessageId;
use std::collections::HashSet;

/// Reads the events before the turn of a message, numbered from 1. `None` if no turn has begun with this message. Blocks
/// on disk I/O.
pub(crate) fn before_turn(
    reader: &Reader,
    end: u64,
    client_id: &ClientMessageId,
) -> Result<Option<Vec<ChatEvent>>, ChatError> {
    let all = Limits { events: usize::MAX, bytes: usize::MAX };
    Ok(beginning(reader.page(0, Seq::MAX, end, all)?.events, client_id))
}

fn beginning(mut events: Vec<ChatEvent>, client_id: &ClientMessageId) -> Option<Vec<ChatEvent>> {
    let turn = events
        .iter()
        .position(|event| matches!(&event.body, ChatBody::TurnStarted { client_id: of, .. } if of == client_id))?;
    events.truncate(turn);
    let answered: HashSet<ClientMessageId> = events
        .iter()
        .filter_map(|event| match &event.body {
            ChatBody::TurnStarted { client_id, .. } => Some(client_id.clone()),
            _ => None,
        })
        .collect();
    events.retain(|event| match &event.body {
        ChatBody::Message { client_id, .. } => answered.contains(client_id),
        ChatBody::MessageRemoved { .. } | ChatBody::QueueOrdered { .. } => false,
        _ => true,
    });
    for (event, seq) in events.iter_mut().zip(1..) {
        event.seq = seq;
    }
    Some(events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::chat::{MessageSource, TurnOutcome};
    use gstack_protocol::ids::{AgentName, TurnId};

    fn message(id: &str) -> ChatBody {
        ChatBody::Message {
            client_id: ClientMessageId::new(id),
            text: id.to_owned(),
            page: None,
            attachments: Vec::new(),
            from: MessageSource::Panel,
            model: None,
        }
    }

    fn started(id: &str) -> ChatBody {
        ChatBody::TurnStarted {
            turn_id: TurnId::new(id),
            client_id: ClientMessageId::new(id),
            agent: AgentName::new("a"),
            agent_label: String::new(),
            model: None,
            direct: false,
        }
    }

    fn done(id: &str) -> ChatBody {
        ChatBody::TurnDone {
            turn_id: TurnId::new(id),
            outcome: TurnOutcome::Done,
            duration_ms: 0,
            model: None,
            cost_usd: None,
            usage: None,
            fault: None,
        }
    }

    fn said(id: &str) -> ChatBody {
        ChatBody::Text { turn_id: TurnId::new(id), text: format!("answer to {id}") }
    }

    fn numbered(bodies: Vec<ChatBody>) -> Vec<ChatEvent> {
        bodies.into_iter().zip(1..).map(|(body, seq)| ChatEvent { seq, at: 7, body }).collect()
    }

    #[test]
    fn the_copy_of_a_queued_message_has_the_whole_turn_before_it_and_nothing_that_waited() {
        let ids = |ids: &[&str]| ids.iter().map(|id| ClientMessageId::new(*id)).collect();
        let events = numbered(vec![
            message("a"),
            started("a"),
            message("b"),
            message("gone"),
            message("c"),
            ChatBody::MessageRemoved { client_id: ClientMessageId::new("gone") },
            ChatBody::QueueOrdered { client_ids: ids(&["b", "c"]) },
            said("a"),
            done("a"),
            started("b"),
            said("b"),
            done("b"),
            started("c"),
        ]);
        let expected = numbered(vec![message("a"), started("a"), said("a"), done("a")]);
        assert_eq!(beginning(events.clone(), &ClientMessageId::new("b")), Some(expected));
        let last = beginning(events.clone(), &ClientMessageId::new("c")).unwrap();
        let expected =
            vec![message("a"), started("a"), message("b"), said("a"), done("a"), started("b"), said("b"), done("b")];
        assert_eq!(last, numbered(expected));
        assert_eq!(beginning(events.clone(), &ClientMessageId::new("a")), Some(Vec::new()), "the first message");
        for id in ["gone", "unknown"] {
            assert_eq!(beginning(events.clone(), &ClientMessageId::new(id)), None, "{id} has no turn");
        }
    }
}
