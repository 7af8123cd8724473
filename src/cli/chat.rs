//! `gstack chat`: a message from the terminal, and the answer as it streams.

use super::action_lines;
use super::questions;
use super::terminal::{Terminal, clean, clean_line, print, tell};
use super::terminal_prompts::TerminalPrompts;
use gstack_client::http::Client;
use gstack_protocol::chat::{ChatBody, ConversationInfo, ConversationState, StepOutcome, TurnOutcome};
use gstack_protocol::control::{ChatLine, ChatRequest};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{ConversationId, TurnId};
use std::collections::HashMap;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

/// The exit code that shells report for a program ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

/// Sends the message and prints the answer until its turn ends. Ctrl-C only stops the printing.
pub(super) async fn chat(
    client: &Client,
    request: ChatRequest,
    json: bool,
    terminal: Terminal,
) -> Result<ExitCode, Fault> {
    let mut interrupts = signal(SignalKind::interrupt())
        .map_err(|e| Fault::new(FaultCode::Internal, format!("Ctrl-C can't be watched: {e}")))?;
    let mut lines = client.stream("/chat", &request).await?;
    let mut view = View { terminal, turn: None, steps: HashMap::new(), at_line_start: true, said: None };
    let mut asked = TerminalPrompts::new(terminal);
    let mut conversation: Option<ConversationId> = None;
    loop {
        let line = tokio::select! {
            line = lines.next::<ChatLine>() => line?,
            _ = interrupts.recv() => {
                view.end_line(json);
                tell(match view.turn {
                    Some(_) => "The turn continues. To end it: gstack chat --stop",
                    None if conversation.is_some() => {
                        "The message was sent, and its turn continues; the answer is in the side panel. To end it: gstack chat --stop"
                    }
                    None => "It is unknown whether the message was sent. `gstack sessions` shows it if it was.",
                });
                return Ok(ExitCode::from(INTERRUPTED));
            }
            typed = asked.typed() => {
                if let Some(conversation) = &conversation {
                    asked.take(&typed, client, conversation).await?;
                }
                continue;
            }
        };
        let Some(line) = line else { break };
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
                if let ChatBody::MessageRemoved { client_id } = &event.body
                    && *client_id == request.client_id
                {
                    return Err(Fault::new(FaultCode::Cancelled, "the message was withdrawn in the side panel"));
                }
                if !json {
                    view.event(&event.body);
                    // Only this turn's approvals and questions: those of another turn are answered in the panel.
                    if view.turn.is_some() {
                        asked.event(&event.body);
                    }
                }
                if let ChatBody::TurnDone { turn_id, outcome, fault, .. } = event.body
                    && view.turn == Some(turn_id)
                {
                    return ended(outcome, fault).map(|()| ExitCode::SUCCESS);
                }
            }
        }
    }
    Err(Fault::new(FaultCode::OutcomeUnknown, "the daemon ended before the answer was complete")
        .hint("Your message is kept: the conversation continues in the side panel.")
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

/// Prints the events of one turn.
struct View {
    terminal: Terminal,
    turn: Option<TurnId>,
    /// The titles of the steps that have begun.
    steps: HashMap<String, String>,
    at_line_start: bool,
    /// The last printed reason for waiting.
    said: Option<String>,
}

impl View {
    /// Prints once why no answer arrives: other messages come first, or all of them wait for the person.
    fn waits(&mut self, info: &ConversationInfo) {
        let words = match (info.state, info.queued) {
            _ if self.turn.is_some() => return,
            (_, 0) => return,
            (ConversationState::Idle, _) => {
                "The previous turn did not finish, so your message is waiting. To run it: `gstack chat --continue`, \
                    or continue in the side panel."
                    .to_owned()
            }
            (ConversationState::WaitingForSlot, _) => "It waits until another agent has ended.".to_owned(),
            (_, 1) => "Another turn is running; yours is next.".to_owned(),
            (_, queued) => format!("Another turn is running; {queued} messages are waiting, yours among them."),
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

    /// Ends the current line, so that output on standard error starts on a new one.
    fn end_line(&mut self, json: bool) {
        if !json && !self.at_line_start {
            self.line("");
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
            ChatBody::StepUpdated { step_id, object, .. } => {
                if let Some(words) = self.steps.get_mut(step_id.as_str())
                    && !object.is_empty()
                {
                    let verb = words.split_whitespace().next().unwrap_or_default();
                    *words = clean_line(&format!("{verb} {object}"));
                }
            }
            ChatBody::StepDone { step_id, outcome, duration_ms, result, .. } => {
                let words = self.steps.remove(step_id.as_str()).unwrap_or_default();
                let mark = match outcome {
                    StepOutcome::Ok => self.terminal.good("✓"),
                    StepOutcome::Failed | StepOutcome::Denied | StepOutcome::NotSent => self.terminal.bad("✗"),
                    StepOutcome::Unknown => self.terminal.warm("?"),
                };
                let time = self.terminal.dim(&format!("{duration_ms} ms"));
                let why = match outcome {
                    StepOutcome::Ok => String::new(),
                    _ => format!(" — {}", clean_line(result.lines().next().unwrap_or_default())),
                };
                self.line(&format!("{mark} {words}{why}  {time}"));
            }
            ChatBody::Approval { ask, site, does, action, .. } => {
                let site = site.as_deref().map(|s| format!(" on {}", clean_line(s))).unwrap_or_default();
                self.line(&format!(
                    "{} {}{site}  {}",
                    self.terminal.warm("?"),
                    self.terminal.bold(&clean_line(ask)),
                    self.terminal.dim(&clean_line(does))
                ));
                for line in action_lines::lines_of(action) {
                    self.line(&format!("    {}", self.terminal.dim(&line)));
                }
            }
            ChatBody::Question { parts, .. } => {
                let terminal = self.terminal;
                for line in parts.iter().flat_map(|part| questions::lines_of(part, terminal)) {
                    self.line(&format!("{} {line}", terminal.warm("?")));
                }
            }
            ChatBody::Notice { text, .. } => self.line(&self.terminal.dim(&clean(text))),
            ChatBody::TurnDone { .. } if !self.at_line_start => self.line(""),
            _ => {}
        }
    }
}
