//! The earlier messages of a conversation, for an agent that does not know them: a different agent, or one whose
//! session is gone. And the newest turns, for an agent that may have forgotten them.
//!
//! Owns the choice of what to pass on. Never changes the conversation.

use gstack_chat::Conversation;
use gstack_protocol::chat::{ChatBody, ChatEvent, TurnOutcome};
use gstack_protocol::ids::{AgentName, ClientMessageId, TurnId};

/// In characters, the newest first. More would slow down each first message more than it helps.
const MOST: usize = 24 * 1024;
/// The characters that are kept of the beginning of one message or answer.
const MOST_OF_ONE: usize = 4 * 1024;
/// In bytes, of what is kept of one unfinished turn, beside its last words.
const LONGEST_TURN: usize = 8 * 1024;
/// Older unfinished turns are left out.
const MOST_TURNS: usize = 4;
/// The number of journal entries to search.
const ENTRIES: u32 = 400;

/// Returns the messages of both sides before `now`, or `None` if the agent has not answered yet.
pub(super) fn words(conversation: &Conversation, now: &ClientMessageId) -> Option<String> {
    let page = conversation.history(u64::MAX, ENTRIES).ok()?;
    of_events(&page.events, now)
}

/// Returns what was said and done in the agent's turns that were stopped or failed since its last one that was done. A
/// message that is sent again `now` is not repeated.
pub(super) fn unfinished(conversation: &Conversation, now: &ClientMessageId, agent: &AgentName) -> Option<String> {
    let page = conversation.history(u64::MAX, ENTRIES).ok()?;
    of_unfinished(&page.events, now, agent)
}

/// A turn that has not ended with an answer.
struct Unfinished<'a> {
    id: &'a TurnId,
    client_id: &'a ClientMessageId,
    /// What the agent said and did.
    words: String,
}

fn of_unfinished(events: &[ChatEvent], now: &ClientMessageId, agent: &AgentName) -> Option<String> {
    let mut turns: Vec<Unfinished<'_>> = Vec::new();
    for event in events {
        match &event.body {
            ChatBody::TurnStarted { turn_id: id, client_id, agent: by, direct: false, .. } if by == agent => {
                turns.push(Unfinished { id, client_id, words: String::new() });
            }
            ChatBody::Text { turn_id, text } => add(&mut turns, turn_id, &format!("You: {}", cut(text.trim()))),
            ChatBody::Step { turn_id, verb, object, .. } => {
                add(&mut turns, turn_id, &format!("You did: {verb} {object}"))
            }
            ChatBody::TurnDone { turn_id, outcome: TurnOutcome::Done, .. }
                if turns.iter().any(|turn| turn.id == turn_id) =>
            {
                turns.clear();
            }
            _ => {}
        }
    }
    let message = |wanted: &ClientMessageId| {
        events.iter().find_map(|event| match &event.body {
            ChatBody::Message { client_id, text, .. } if client_id == wanted => Some(text.as_str()),
            _ => None,
        })
    };
    let sent_now = message(now);
    let kept = turns.iter().filter(|turn| turn.client_id != now).filter_map(|turn| {
        let asked = message(turn.client_id).unwrap_or_default();
        let is_told = !turn.words.is_empty() || Some(asked) != sent_now;
        is_told.then(|| format!("Person: {}{}\n\n[This turn ended before you had finished.]", cut(asked), turn.words))
    });
    let kept: Vec<String> = kept.collect();
    (!kept.is_empty()).then(|| kept[kept.len().saturating_sub(MOST_TURNS)..].join("\n\n"))
}

fn add(turns: &mut [Unfinished<'_>], of: &TurnId, words: &str) {
    let turn = turns.iter_mut().find(|turn| turn.id == of).filter(|turn| turn.words.len() < LONGEST_TURN);
    if let Some(turn) = turn {
        turn.words.push_str("\n\n");
        turn.words.push_str(words);
    }
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
    use gstack_protocol::chat::{MessageSource, StepKind};
    use gstack_protocol::ids::StepId;

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
    fn turns_that_were_not_done_are_told_until_one_is_done() {
        let agent = AgentName::new("gemini");
        let started = |turn: &str, client_id: &str, agent: &AgentName, direct| {
            event(ChatBody::TurnStarted {
                turn_id: TurnId::new(turn),
                client_id: ClientMessageId::new(client_id),
                agent: agent.clone(),
                agent_label: String::new(),
                model: None,
                direct,
            })
        };
        let said = |turn: &str, text: &str| event(ChatBody::Text { turn_id: TurnId::new(turn), text: text.to_owned() });
        let did = |turn: &str| {
            event(ChatBody::Step {
                turn_id: TurnId::new(turn),
                step_id: StepId::new("s"),
                kind: StepKind::File,
                verb: "Editing".to_owned(),
                object: "a.txt".to_owned(),
                phrase: None,
                tool: String::new(),
                arguments: String::new(),
            })
        };
        let done = |turn: &str, outcome| {
            event(ChatBody::TurnDone {
                turn_id: TurnId::new(turn),
                outcome,
                duration_ms: 0,
                model: None,
                cost_usd: None,
                usage: None,
                fault: None,
            })
        };
        let mut events = vec![
            message("a", "my number is 7"),
            started("1", "a", &agent, false),
            said("1", "Noted"),
            done("1", TurnOutcome::Stopped),
            // Of another agent, and of none.
            message("b", "other"),
            started("2", "b", &AgentName::new("claude"), false),
            done("2", TurnOutcome::Done),
            message("c", "go back"),
            started("3", "c", &agent, true),
            done("3", TurnOutcome::Done),
            message("d", "write it down"),
            started("4", "d", &agent, false),
            did("4"),
            done("4", TurnOutcome::Interrupted),
            message("e", "go on"),
            started("5", "e", &agent, false),
        ];
        let told = |events: &[ChatEvent], now: &str| of_unfinished(events, &ClientMessageId::new(now), &agent);
        let end = "[This turn ended before you had finished.]";
        assert_eq!(
            told(&events, "e").unwrap(),
            format!(
                "Person: my number is 7\n\nYou: Noted\n\n{end}\n\nPerson: write it down\n\nYou did: Editing a.txt\n\n{end}"
            )
        );
        events.extend([done("5", TurnOutcome::Done), message("f", "and?"), started("6", "f", &agent, false)]);
        assert_eq!(told(&events, "f"), None, "a turn was done");
        events.extend([done("6", TurnOutcome::Failed), message("g", "and?"), started("7", "g", &agent, false)]);
        assert_eq!(told(&events, "g"), None, "the same message is sent again");
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
