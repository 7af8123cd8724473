//! Exports a conversation as a Markdown document. Pure: events in, text out.

use gstack_protocol::chat::{ChatBody, ChatEvent, ConversationInfo, Decision, MessageSource, StepOutcome, TurnOutcome};
use gstack_protocol::ids::{ClientMessageId, StepId};
use gstack_protocol::links::link_to;
use std::collections::{HashMap, HashSet};

/// Renders the document. `events`: all of them, oldest first. Omits the agent's reasoning.
pub fn to_markdown(info: &ConversationInfo, events: &[ChatEvent]) -> String {
    let removed: HashSet<&ClientMessageId> = events
        .iter()
        .filter_map(|event| match &event.body {
            ChatBody::MessageRemoved { client_id } => Some(client_id),
            _ => None,
        })
        .collect();
    let outcomes: HashMap<&StepId, StepOutcome> = events
        .iter()
        .filter_map(|event| match &event.body {
            ChatBody::StepDone { step_id, outcome, .. } => Some((step_id, *outcome)),
            _ => None,
        })
        .collect();
    let mut document = Document::default();
    document.block(&format!("# {}", one_line(if info.title.is_empty() { "Conversation" } else { &info.title })));
    if let Some(page) = info.page.as_ref().filter(|page| !page.url.is_empty()) {
        // Any other URL is shown unchanged, as code, so that it cannot become markup.
        document.block(&match link_to(&page.url) {
            Some(url) => format!("<{url}>"),
            None => format!("`{}`", one_line(&page.url).replace('`', "%60")),
        });
    }
    if let Some(worktree) = &info.worktree {
        document.block(&format!("*{}*", one_line(&worktree.words(&info.folder))));
    }
    for event in events {
        match &event.body {
            ChatBody::Message { client_id, .. } if removed.contains(client_id) => {}
            body => document.event(body, &outcomes),
        }
    }
    document.text
}

#[derive(Default)]
struct Document {
    text: String,
    /// The last block was a step, so the next step continues its list.
    in_steps: bool,
}

impl Document {
    fn block(&mut self, text: &str) {
        if self.in_steps {
            self.text.push('\n');
            self.in_steps = false;
        }
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    fn item(&mut self, text: &str) {
        self.in_steps = true;
        self.text.push_str("- ");
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn event(&mut self, body: &ChatBody, outcomes: &HashMap<&StepId, StepOutcome>) {
        match body {
            ChatBody::Message { text, attachments, from, .. } => {
                self.block(match from {
                    MessageSource::Panel => "## You",
                    MessageSource::Terminal => "## You (terminal)",
                });
                if !text.is_empty() {
                    self.block(text);
                }
                for file in attachments {
                    self.item(&format!("attached: {} ({} bytes)", one_line(&file.name), file.bytes));
                }
            }
            ChatBody::TurnStarted { agent_label, model, .. } => {
                let model = model.as_ref().map(|model| format!(" ({})", one_line(model))).unwrap_or_default();
                self.block(&format!("## {}{model}", one_line(agent_label)));
            }
            ChatBody::Text { text, .. } if !text.is_empty() => self.block(text),
            ChatBody::Step { step_id, verb, object, .. } => {
                let outcome = match outcomes.get(step_id) {
                    Some(StepOutcome::Ok) => "",
                    Some(StepOutcome::Failed) => ": failed",
                    Some(StepOutcome::Denied) => ": denied",
                    Some(StepOutcome::NotSent) => ": not sent",
                    Some(StepOutcome::Unknown) | None => ": outcome unknown",
                };
                self.item(&format!("{}{outcome}", one_line(&format!("{verb} {object}"))));
            }
            ChatBody::ApprovalDone { decision, .. } => {
                self.item(if *decision == Decision::Deny { "permission denied" } else { "permission given" });
            }
            ChatBody::Notice { text, .. } => self.item(&one_line(text)),
            ChatBody::Question { parts, .. } => {
                for part in parts {
                    self.item(&format!("asked: {}", one_line(&part.text)));
                }
            }
            ChatBody::QuestionDone { answers, .. } => {
                for answer in answers {
                    self.item(&format!("answered: {}", one_line(&answer.join(", "))));
                }
            }
            ChatBody::TurnDone { outcome, fault, .. } => {
                let end = match outcome {
                    TurnOutcome::Done => return,
                    TurnOutcome::Failed => "Failed",
                    TurnOutcome::Stopped => "Stopped",
                    TurnOutcome::Interrupted => "Interrupted",
                };
                let why = fault.as_ref().map(|fault| format!(": {}", one_line(&fault.message))).unwrap_or_default();
                self.block(&format!("*{end}{why}*"));
            }
            ChatBody::MessageRemoved { .. }
            | ChatBody::QueueOrdered { .. }
            | ChatBody::Text { .. }
            | ChatBody::Thinking { .. }
            | ChatBody::Plan { .. }
            | ChatBody::StepUpdated { .. }
            | ChatBody::StepDone { .. }
            | ChatBody::Approval { .. } => {}
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::chat::{ConversationState, PageContext, StepKind};
    use gstack_protocol::fault::{Fault, FaultCode};
    use gstack_protocol::ids::{AgentName, ConversationId, TurnId};

    fn message(name: &str, text: &str) -> ChatBody {
        ChatBody::Message {
            client_id: ClientMessageId::new(name),
            text: text.into(),
            page: None,
            attachments: Vec::new(),
            from: MessageSource::Panel,
            model: None,
        }
    }

    fn info() -> ConversationInfo {
        ConversationInfo {
            conversation_id: ConversationId::new("c"),
            title: "Fix it".into(),
            tab_id: None,
            page: None,
            agent: None,
            folder: String::new(),
            worktree: None,
            head: 0,
            created_at: 0,
            updated_at: 0,
            state: ConversationState::Idle,
            queued: 0,
            model: None,
            cost_usd: None,
            tabs: Vec::new(),
            mode: None,
            current_mode: None,
            earlier: None,
            branch_of: None,
        }
    }

    #[test]
    fn the_page_is_a_link_only_where_links_may_lead() {
        for line in gstack_protocol::links::lines() {
            let page = PageContext { url: line.address.clone(), title: String::new(), selection: None };
            let document = to_markdown(&ConversationInfo { page: Some(page), ..info() }, &[]);
            let shown = document.strip_prefix("# Fix it\n\n").unwrap().trim_end();
            match line.leads {
                Some(leads) => assert_eq!(shown, format!("<{leads}>")),
                None => assert!(shown.is_empty() || shown.starts_with('`') && shown.ends_with('`'), "{shown}"),
            }
        }
    }

    #[test]
    fn a_conversation_reads_as_a_document() {
        let info = info();
        let turn_id = TurnId::new("t");
        let bodies = [
            message("a", "please\n\n- fix it"),
            message("b", "never mind"),
            ChatBody::MessageRemoved { client_id: ClientMessageId::new("b") },
            ChatBody::TurnStarted {
                turn_id: turn_id.clone(),
                client_id: ClientMessageId::new("a"),
                agent: AgentName::new("a"),
                agent_label: "Claude Code".into(),
                model: Some("deep".into()),
                direct: false,
            },
            ChatBody::Thinking { turn_id: turn_id.clone(), text: "secret".into() },
            ChatBody::Step {
                turn_id: turn_id.clone(),
                step_id: StepId::new("s"),
                kind: StepKind::Act,
                verb: "Clicking".into(),
                object: "Sub\nmit".into(),
                phrase: None,
                tool: "click".into(),
                arguments: String::new(),
            },
            ChatBody::Text { turn_id: turn_id.clone(), text: "Done: **yes**".into() },
            ChatBody::TurnDone {
                turn_id,
                outcome: TurnOutcome::Failed,
                duration_ms: 1,
                model: None,
                cost_usd: None,
                usage: None,
                fault: Some(Fault::new(FaultCode::AgentError, "rate limit")),
            },
        ];
        let events: Vec<_> = bodies.into_iter().zip(1..).map(|(body, seq)| ChatEvent { seq, at: 0, body }).collect();
        let expected = "# Fix it\n\n## You\n\nplease\n\n- fix it\n\n## Claude Code (deep)\n\n\
            - Clicking Sub mit: outcome unknown\n\nDone: **yes**\n\n*Failed: rate limit*\n\n";
        assert_eq!(to_markdown(&info, &events), expected);
    }
}
