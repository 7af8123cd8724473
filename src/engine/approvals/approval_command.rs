//! The person's own command that runs when an approval or a question opens, to tell them elsewhere.
//!
//! Owns the command's input, its time limit and how many run at once. Never reads an answer from it: the person
//! answers in a panel, with `gstack approvals`, or with the link that the command got.

use super::Approvals;
use crate::config::ConfigFile;
use gstack_base::person_program;
use gstack_base::visible::visible;
use gstack_protocol::control::WaitingApprovals;
use gstack_protocol::ids::ApprovalId;
use serde::Serialize;
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::Semaphore;

/// Far more than a notification needs.
const LIMIT: Duration = Duration::from_secs(30);
/// The most processes of the command at once. Others wait, and are left out if their approval closes meanwhile.
const AT_ONCE: usize = 4;
/// The most characters of the agent's question.
const LONGEST_ASK: usize = 300;
/// One line of JSON on the command's standard input. Contains no typed text, script or command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    kind: OpenedKind,
    /// The id for `gstack approvals allow`, `deny` and `answer`.
    id: String,
    /// The agent or the MCP client.
    from: String,
    /// The request in plain words: `Click “Order now”`.
    ask: String,
    /// The host of the page, if it concerns one.
    site: Option<String>,
    /// A one-time link to answer an approval, if the person configured where links lead.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum OpenedKind {
    Approval,
    Question,
    /// The end of a flow that ran by itself. Nothing waits for an answer.
    Flow,
}

impl Approvals {
    /// Runs the person's command for each approval and question that opens, until the daemon ends.
    pub(crate) async fn run_command(self, config: ConfigFile) {
        let mut changed = self.0.changed.subscribe();
        let shutdown = self.0.tasks.shutdown();
        let room = Arc::new(Semaphore::new(AT_ONCE));
        let mut known = HashSet::new();
        loop {
            let waiting = self.opened(&self.waiting());
            let line = config.get().agents.approval_command.clone();
            for opened in waiting.iter().filter(|one| !line.is_empty() && !known.contains(&one.id)) {
                let (approvals, line, opened, room) = (self.clone(), line.clone(), opened.clone(), room.clone());
                let shutdown = shutdown.clone();
                self.0.tasks.spawn(async move {
                    tokio::select! {
                        () = approvals.tell(&line, &opened, &room) => {}
                        () = shutdown.cancelled() => {}
                    }
                });
            }
            known = waiting.into_iter().map(|one| one.id).collect();
            tokio::select! {
                still = changed.changed() => if still.is_err() { return },
                () = shutdown.cancelled() => return,
            }
        }
    }

    /// Tells the person how a flow that ran by itself ended. `id` names its schedule.
    pub async fn tell_flow_ended(&self, id: &str, said: &str) {
        let line = self.0.config.get().agents.approval_command.clone();
        let ask: String = visible(said).chars().take(LONGEST_ASK).collect();
        let (kind, id, from) = (OpenedKind::Flow, id.to_owned(), "gstack flow schedule".to_owned());
        if let Some((program, arguments)) = line.split_first() {
            tell_of((program, arguments), &Opened { kind, id, from, ask, site: None, link: None }).await;
        }
    }

    /// Returns what the command would be told of each approval and question.
    fn opened(&self, waiting: &WaitingApprovals) -> Vec<Opened> {
        let approvals = waiting.approvals.iter().map(|one| Opened {
            kind: OpenedKind::Approval,
            id: one.approval_id.to_string(),
            from: self.asks(one),
            ask: visible(&one.ask),
            site: one.site.clone(),
            link: None,
        });
        let questions = waiting.questions.iter().map(|one| {
            let text: String = one.parts.iter().flat_map(|part| part.text.chars()).take(LONGEST_ASK).collect();
            Opened {
                kind: OpenedKind::Question,
                id: one.question_id.to_string(),
                from: visible(&self.agent_name(&one.conversation_id)),
                ask: visible(&text),
                site: None,
                link: None,
            }
        });
        approvals.chain(questions).collect()
    }

    /// Runs the command for one approval or question, unless it closes before it is its turn.
    async fn tell(&self, line: &[String], opened: &Opened, room: &Semaphore) {
        let Ok(_turn) = room.acquire().await else { return };
        let Some((program, arguments)) = line.split_first() else { return };
        if !self.opened(&self.waiting()).iter().any(|one| one.id == opened.id) {
            return;
        }
        let link = (opened.kind == OpenedKind::Approval)
            .then(|| self.create_link(&ApprovalId::new(opened.id.as_str())).ok())
            .flatten();
        let opened = Opened { link: link.map(|link| link.url), ..opened.clone() };
        tell_of((program, arguments), &opened).await;
    }
}

async fn tell_of((program, arguments): (&str, &[String]), opened: &Opened) {
    let Ok(mut input) = serde_json::to_vec(opened) else { return };
    input.push(b'\n');
    match tokio::time::timeout(LIMIT, run(program, arguments, &input)).await {
        Ok(Ok(status)) if status.success() => {}
        Ok(Ok(status)) => tracing::warn!(program, %status, "approval-command failed"),
        Ok(Err(error)) => tracing::warn!(program, %error, "approval-command can't be run"),
        Err(_) => tracing::warn!(program, "approval-command took longer than {} s and was ended", LIMIT.as_secs()),
    }
}

async fn run(program: &str, arguments: &[String], input: &[u8]) -> io::Result<ExitStatus> {
    let mut command = person_program::command(Path::new(program));
    let mut running = person_program::start(command.args(arguments).stdin(Stdio::piped()))?;
    if let Some(mut to) = running.stdin.take() {
        // It may end without reading.
        to.write_all(input).await.ok();
    }
    running.wait().await
}
