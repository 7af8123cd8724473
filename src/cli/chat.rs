//! `gstack chat`: a message from the terminal, the answer as it streams, and approvals at the prompt.

use super::terminal::{Terminal, clean, clean_line, print};
use crate::client::http::Client;
use crate::protocol::chat::{ChatBody, ConversationInfo, ConversationState, Decision, StepOutcome, TurnOutcome};
use crate::protocol::control::{ChatLine, ChatRequest};
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::{ApprovalId, ConversationId, TurnId};
use crate::protocol::methods::{ApprovalAnswer, Empty};
use std::collections::HashMap;
use std::io::{self, IsTerminal};

/// Sends the message and prints the answer until its turn ends.
pub async fn chat(client: &Client, request: ChatRequest, json: bool, terminal: Terminal) -> Result<(), Fault> {
    let mut lines = client.stream("/chat", &request).await?;
    let mut view = View { terminal, turn: None, steps: HashMap::new(), at_line_start: true, said: None };
    let mut conversation: Option<ConversationId> = None;
    while let Some(line) = lines.next::<ChatLine>().await? {
        if json {
            let text = serde_json::to_string(&line).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?;
            print(&format!("{text}\n"));
        }
        match line {
            ChatLine::Conversation(info) => {
                let known = conversation.replace(info.conversation_id.clone()).is_some();
                if known && !json {
                    view.waits(&info);
                }
            }
            ChatLine::Failed(fault) => return Err(fault),
            ChatLine::Delta(delta) if !json => view.text(&delta.text),
            ChatLine::Delta(_) => {}
            ChatLine::Event(event) => {
                if let ChatBody::TurnStarted { turn_id, client_id, .. } = &event.body
                    && *client_id == request.client_id
                {
                    view.turn = Some(turn_id.clone());
                }
                if let (ChatBody::Approval { approval_id, .. }, Some(conversation)) = (&event.body, &conversation)
                    && !json
                {
                    view.event(&event.body);
                    ask(client, conversation, approval_id, terminal).await?;
                    continue;
                }
                if let ChatBody::MessageRemoved { client_id } = &event.body
                    && *client_id == request.client_id
                {
                    return Err(Fault::new(FaultCode::Cancelled, "the message was taken back in the side panel"));
                }
                if !json {
                    view.event(&event.body);
                }
                if let ChatBody::TurnDone { turn_id, outcome, fault, .. } = event.body
                    && view.turn == Some(turn_id)
                {
                    return ended(outcome, fault);
                }
            }
        }
    }
    Err(Fault::new(FaultCode::OutcomeUnknown, "the daemon ended before the answer did")
        .hint("Your message is kept: the conversation goes on in the side panel.")
        .command("gstack connect"))
}

fn ended(outcome: TurnOutcome, fault: Option<Fault>) -> Result<(), Fault> {
    match (outcome, fault) {
        (TurnOutcome::Done, _) => Ok(()),
        (_, Some(fault)) => Err(fault),
        (TurnOutcome::Stopped, None) => Err(Fault::new(FaultCode::Cancelled, "the turn was stopped")),
        (TurnOutcome::Interrupted, None) => Err(Fault::new(FaultCode::Cancelled, "the turn was interrupted")),
        (TurnOutcome::Failed, None) => Err(Fault::new(FaultCode::AgentError, "the agent failed without a reason")),
    }
}

/// Puts an approval to the person at the terminal. Without one the panel or `gstack approvals` answers.
async fn ask(
    client: &Client,
    conversation: &ConversationId,
    approval: &ApprovalId,
    terminal: Terminal,
) -> Result<(), Fault> {
    if !io::stdin().is_terminal() {
        print(&format!("  {}\n", terminal.warm("waiting for an answer in the side panel or by `gstack approvals`")));
        return Ok(());
    }
    print("  Allow once? [y/N] ");
    let answer = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|_| line)
    })
    .await
    .map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?
    .map_err(|e| Fault::new(FaultCode::Internal, format!("the terminal can't be read: {e}")))?;
    let yes = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    let answer = ApprovalAnswer {
        conversation_id: conversation.clone(),
        approval_id: approval.clone(),
        decision: if yes { Decision::AllowOnce } else { Decision::Deny },
    };
    // Somebody may have answered in the panel meanwhile: the first answer counts and the stream shows it.
    match client.post::<_, Empty>("/approvals/answer", &answer).await {
        Err(fault) if fault.code != FaultCode::Conflict && fault.code != FaultCode::NotFound => Err(fault),
        _ => Ok(()),
    }
}

/// Prints the events of one answer.
struct View {
    terminal: Terminal,
    turn: Option<TurnId>,
    /// Words of the steps that have begun.
    steps: HashMap<String, String>,
    at_line_start: bool,
    /// Why nothing comes, as it was said last.
    said: Option<String>,
}

impl View {
    /// Says once why nothing comes: messages are before this one, or all of them wait for the person.
    fn waits(&mut self, info: &ConversationInfo) {
        let words = match (info.state, info.queued) {
            _ if self.turn.is_some() => return,
            (_, 0) => return,
            (ConversationState::Idle, _) => {
                "The turn before it did not end well, so it waits for your go-ahead: `gstack chat --continue`, or in the side panel."
                    .to_owned()
            }
            (ConversationState::WaitingForSlot, _) => "It waits until another agent has ended.".to_owned(),
            (_, 1) => "Another turn runs; yours is the next.".to_owned(),
            (_, queued) => format!("Another turn runs; yours is among {queued} that wait."),
        };
        if self.said.as_ref() != Some(&words) {
            self.line(&self.terminal.dim(&words));
            self.said = Some(words);
        }
    }

    fn text(&mut self, text: &str) {
        if self.turn.is_some() && !text.is_empty() {
            let text = clean(text);
            print(&text);
            self.at_line_start = text.ends_with('\n');
        }
    }

    fn line(&mut self, text: &str) {
        let lead = if self.at_line_start { "" } else { "\n" };
        print(&format!("{lead}{text}\n"));
        self.at_line_start = true;
    }

    fn event(&mut self, body: &ChatBody) {
        if self.turn.is_none() {
            return;
        }
        match body {
            ChatBody::Text { text, .. } => {
                if !self.at_line_start {
                    self.line("");
                }
                self.text(text);
            }
            ChatBody::Step { step_id, verb, object, .. } => {
                let words = if object.is_empty() { clean_line(verb) } else { clean_line(&format!("{verb} {object}")) };
                self.steps.insert(step_id.to_string(), words);
            }
            ChatBody::StepDone { step_id, outcome, duration_ms, result, .. } => {
                let words = self.steps.remove(step_id.as_str()).unwrap_or_default();
                let mark = match outcome {
                    StepOutcome::Ok => self.terminal.good("✓"),
                    StepOutcome::Failed | StepOutcome::Denied => self.terminal.bad("✗"),
                    StepOutcome::Unknown => self.terminal.warm("?"),
                };
                let time = self.terminal.dim(&format!("{duration_ms} ms"));
                let why = match outcome {
                    StepOutcome::Ok => String::new(),
                    _ => format!(" — {}", clean_line(result.lines().next().unwrap_or_default())),
                };
                self.line(&format!("{mark} {words}{why}  {time}"));
            }
            ChatBody::Approval { ask, site, does, .. } => {
                let site = site.as_deref().map(|s| format!(" on {}", clean_line(s))).unwrap_or_default();
                self.line(&format!(
                    "{} {}{site}  {}",
                    self.terminal.warm("?"),
                    self.terminal.bold(&clean_line(ask)),
                    self.terminal.dim(&clean_line(does))
                ));
            }
            ChatBody::Notice { text, .. } => self.line(&self.terminal.dim(&clean(text))),
            ChatBody::TurnDone { .. } if !self.at_line_start => self.line(""),
            _ => {}
        }
    }
}
