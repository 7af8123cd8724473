//! The earlier messages of a conversation, for an agent that does not know them: a different agent, or one whose
//! session is gone.
//!
//! Owns the choice of what to pass on. Never changes the conversation.

use gstack_chat::Conversation;
use gstack_protocol::chat::{ChatBody, ChatEvent};
use gstack_protocol::ids::ClientMessageId;

/// In characters, the newest first. More would slow down each first message more than it helps.
const MOST: usize = 24 * 1024;
/// The characters that are kept of the beginning of one message or answer.
const MOST_OF_ONE: usize = 4 * 1024;
/// The number of journal entries to search.
const ENTRIES: u32 = 400;

/// Returns the messages of both sides before `now`, or `None` if the agent has not answered yet.
pub(super) fn words(conversation: &Conversation, now: &ClientMessageId) -> Option<String> {
    let page = conversation.history(u64::MAX, ENTRIES).ok()?;
    of_events(&page.events, now)
}

fn of_events(events: &[ChatEvent], now: &ClientMessageId) -> Option<String> {
    let said = events.iter().filter_map(|event| match &event.body {
        ChatBody::Message { client_id, text, .. } if client_id != now => Some(("Person", text)),
        ChatBody::Text { text, .. } => Some(("You", text)),
        _ => None,
    });
    let lines: Vec<(bool, String)> = said
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(who, text)| (who == "You", format!("{who}: {}", cut(text.trim()))))
        .collect();
    if !lines.iter().any(|(by_agent, _)| *by_agent) {
        return None;
    }
    let mut length = 0;
    let fits = lines.iter().rev().take_while(|(_, line)| {
        length += line.chars().count();
        length <= MOST
    });
    let kept = fits.count();
    let missing = if kept < lines.len() { "[what was said before this is left out]\n\n" } else { "" };
    let newest: Vec<&str> = lines[lines.len() - kept..].iter().map(|(_, line)| line.as_str()).collect();
    Some(format!("{missing}{}", newest.join("\n\n")))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_OF_ONE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::chat::MessageSource;
    use gstack_protocol::ids::TurnId;

    fn event(body: ChatBody) -> ChatEvent {
        ChatEvent { seq: 0, at: 0, body }
    }

    fn message(id: &str, text: &str) -> ChatEvent {
        event(ChatBody::Message {
            client_id: ClientMessageId::new(id),
            text: text.to_owned(),
            page: None,
            attachments: Vec::new(),
            from: MessageSource::Panel,
            model: None,
        })
    }

    fn answer(text: &str) -> ChatEvent {
        event(ChatBody::Text { turn_id: TurnId::new("t"), text: text.to_owned() })
    }

    #[test]
    fn the_newest_words_of_both_sides_are_handed_over_without_the_message_that_is_sent_now() {
        let now = ClientMessageId::new("now");
        assert_eq!(of_events(&[message("a", "hello"), message("now", "again")], &now), None, "nobody answered yet");
        let all = [message("a", "my cat is Tom"), answer(" noted \n"), answer(" "), message("now", "and?")];
        assert_eq!(of_events(&all, &now).unwrap(), "Person: my cat is Tom\n\nYou: noted");
        let long = "ä".repeat(MOST_OF_ONE + 1);
        let many: Vec<ChatEvent> = (0..10).map(|at| answer(&format!("{at}{long}"))).collect();
        let words = of_events(&many, &now).unwrap();
        assert!(words.starts_with("[what was said before this is left out]\n\nYou: "), "{words}");
        assert!(words.contains("You: 9ä") && !words.contains("You: 0ä"));
        assert!(words.chars().count() <= MOST + 200);
    }
}
