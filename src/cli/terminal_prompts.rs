//! Approvals and questions during `gstack chat`, answered by the person at the terminal.
//!
//! Owns the prompt and the keyboard. The first answer counts, from any surface: an approval or question that was
//! answered elsewhere is no longer shown, and the text typed for it is dropped. Text typed before a prompt never
//! answers it, so an Enter that was meant for something else approves nothing. Never decides whether an answer is
//! valid: the daemon does.

use super::questions;
use super::terminal::{Terminal, print};
use gstack_client::http::Client;
use gstack_protocol::basics::Empty;
use gstack_protocol::chat::{ChatBody, Decision, QuestionPart};
use gstack_protocol::chat_requests::{ApprovalAnswer, QuestionAnswer};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{ApprovalId, ConversationId, QuestionId};
use rustix::termios::{QueueSelector, tcflush};
use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::time::Instant;
use tokio::sync::mpsc;

pub(super) struct TerminalPrompts {
    terminal: Terminal,
    open: VecDeque<Open>,
    /// `None` before the first question, and if standard input is not a terminal.
    keyboard: Option<mpsc::Receiver<Typed>>,
    /// The time at which the current prompt was shown.
    prompted: Instant,
}

/// A line, and the time at which it was read.
struct Typed {
    line: String,
    at: Instant,
}

enum Open {
    Approval(ApprovalId),
    Question { question_id: QuestionId, parts: Vec<QuestionPart>, answers: Vec<Vec<String>> },
}

impl Open {
    fn is(&self, id: &str) -> bool {
        match self {
            Self::Approval(of) => of.as_str() == id,
            Self::Question { question_id, .. } => question_id.as_str() == id,
        }
    }
}

impl TerminalPrompts {
    pub(super) fn new(terminal: Terminal) -> Self {
        Self { terminal, open: VecDeque::new(), keyboard: None, prompted: Instant::now() }
    }

    /// Records approvals and questions, and the answers to them.
    pub(super) fn event(&mut self, body: &ChatBody) {
        match body {
            ChatBody::Approval { approval_id, .. } => self.ask(Open::Approval(approval_id.clone())),
            ChatBody::Question { question_id, parts, .. } => {
                let (question_id, parts) = (question_id.clone(), parts.clone());
                self.ask(Open::Question { question_id, parts, answers: Vec::new() });
            }
            ChatBody::ApprovalDone { approval_id, .. } => self.answered(approval_id.as_str()),
            ChatBody::QuestionDone { question_id, .. } => self.answered(question_id.as_str()),
            _ => {}
        }
    }

    fn ask(&mut self, open: Open) {
        if !io::stdin().is_terminal() {
            let how = match open {
                Open::Approval(_) => "waiting for an answer in the side panel or by `gstack approvals`",
                Open::Question { .. } => "waiting for an answer in the side panel or by `gstack approvals answer`",
            };
            print(&format!("  {}\n", self.terminal.warm(how)));
            return;
        }
        self.keyboard.get_or_insert_with(keyboard);
        self.open.push_back(open);
        if self.open.len() == 1 {
            self.prompt();
        }
    }

    fn answered(&mut self, id: &str) {
        let was_asked = self.open.front().is_some_and(|open| open.is(id));
        self.open.retain(|open| !open.is(id));
        if was_asked {
            print(&format!("\n  {}\n", self.terminal.dim("answered elsewhere")));
            self.prompt();
        }
    }

    fn prompt(&mut self) {
        if !self.open.is_empty() {
            self.drop_typed_ahead();
        }
        match self.open.front() {
            Some(Open::Approval(_)) => print("  Allow once? [y/N] "),
            Some(Open::Question { parts, answers, .. }) => {
                if let Some(part) = parts.get(answers.len()) {
                    print(&format!("  {} Leave it empty to give no answer.\n  > ", questions::how_to_answer(part)));
                }
            }
            None => {}
        }
    }

    /// Discards the terminal's pending input: it was typed for something else.
    fn drop_typed_ahead(&mut self) {
        if let Err(error) = tcflush(io::stdin(), QueueSelector::IFlush) {
            tracing::debug!(%error, "the terminal keeps what was typed ahead");
        }
        self.prompted = Instant::now();
    }

    /// Returns the next line typed after the prompt. Never resolves without a terminal.
    pub(super) async fn typed(&mut self) -> String {
        if let Some(keyboard) = &mut self.keyboard {
            while let Some(Typed { line, at }) = keyboard.recv().await {
                if at >= self.prompted {
                    return line;
                }
            }
        }
        std::future::pending().await
    }

    /// Sends a line as the answer to the current question.
    pub(super) async fn take(&mut self, line: &str, client: &Client, of: &ConversationId) -> Result<(), Fault> {
        let sent = match self.open.front_mut() {
            // It was answered elsewhere before the line was finished.
            None => return Ok(()),
            Some(Open::Approval(approval_id)) => {
                let yes = matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes");
                let decision = if yes { Decision::AllowOnce } else { Decision::Deny };
                let answer = ApprovalAnswer {
                    conversation_id: of.clone(),
                    approval_id: approval_id.clone(),
                    decision,
                    text: None,
                };
                client.post::<_, Empty>("/approvals/answer", &answer).await
            }
            Some(Open::Question { question_id, parts, answers }) => {
                let part = parts.get(answers.len()).filter(|_| !line.trim().is_empty());
                match part.map(|part| questions::answer_of(part, line)) {
                    None => answers.clear(),
                    Some(Err(fault)) => {
                        print(&format!("  {}\n", self.terminal.warm(&fault.message)));
                        self.prompt();
                        return Ok(());
                    }
                    Some(Ok(answer)) => {
                        answers.push(answer);
                        if answers.len() < parts.len() {
                            self.prompt();
                            return Ok(());
                        }
                    }
                }
                let answer = QuestionAnswer {
                    conversation_id: of.clone(),
                    question_id: question_id.clone(),
                    answers: answers.clone(),
                };
                client.post::<_, Empty>("/questions/answer", &answer).await
            }
        };
        self.open.pop_front();
        self.prompt();
        // Somebody may have answered in the panel by now: the first answer counts, and the stream shows it.
        match sent {
            Err(fault) if fault.code != FaultCode::Conflict && fault.code != FaultCode::NotFound => Err(fault),
            _ => Ok(()),
        }
    }
}

/// The number of lines that are read ahead: standard input may be a file.
const TYPED_AHEAD: usize = 64;

/// Reads lines as they are typed, on a thread that ends with the program.
fn keyboard() -> mpsc::Receiver<Typed> {
    let (sender, lines) = mpsc::channel(TYPED_AHEAD);
    std::thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if sender.blocking_send(Typed { line, at: Instant::now() }).is_err() {
                return;
            }
        }
    });
    lines
}
