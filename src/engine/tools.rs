//! The browser's commands as one conversation's agent may use them.
//!
//! Owns the token, the list of what is offered, and the way of each call past the policy. The token dies with
//! the agent; the tools act on the conversation's own tab and on no other.

mod offered;
mod shell;
mod wishes;

pub use offered::OfferedTool;

use super::Engine;
use super::commands::{Target, not_driven};
use super::policy::Permitted;
use super::runner::Runner;
use crate::agent::adapter::{Image, StepWords, ToolCall, ToolResult, Tools};
use crate::base::site;
use crate::chat::Conversation;
use crate::chat::turn::ApprovalRequest;
use crate::command::words::{self, Words};
use crate::command::{Class, Output, Spec, registry, tool_schema};
use crate::protocol::activity::ActivitySource;
use crate::protocol::chat::{AnsweredBy, Decision, StepKind};
use crate::protocol::command::CommandResult;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::{ApprovalId, TabId};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use wishes::Scene;

/// A larger picture would cost an agent more than it shows.
const LARGEST_IMAGE: u64 = 8 * 1024 * 1024;

/// What an approval shows of a call, in characters.
const LONGEST_LINE: usize = 500;

/// The tools of one agent of one conversation.
pub struct ConversationTools {
    engine: Engine,
    runner: Runner,
    token: String,
    /// The agent is the built-in one: what it does are the person's own words, so nobody is asked.
    by_person: bool,
}

impl ConversationTools {
    pub(super) fn new(engine: Engine, runner: Runner, by_person: bool) -> Arc<Self> {
        let token = uuid::Uuid::new_v4().simple().to_string() + &uuid::Uuid::new_v4().simple().to_string();
        Arc::new(Self { engine, runner, token, by_person })
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn conversation(&self) -> &Arc<Conversation> {
        self.runner.conversation()
    }

    /// What is offered, as MCP lists it.
    pub fn offered(&self) -> Vec<OfferedTool> {
        offered::all()
    }

    /// A tool call's JSON arguments as the command that they mean.
    pub fn call_of(&self, tool: &str, arguments: &Value) -> Result<ToolCall, Fault> {
        offered::call_of(tool, arguments)
    }

    /// Runs a call, and the activity says so, whatever becomes of it.
    async fn run_call(&self, call: ToolCall, cancel: CancellationToken) -> Result<ToolResult, Fault> {
        let tab = self.runner.conversation().info().tab_id;
        let begun = self.engine.begin_activity(ActivitySource::Agent, tab, &call.command, &call.args);
        let outcome = self.run_permitted(call, cancel).await;
        begun.end(outcome.as_ref().map(|result| result.text.as_str()));
        outcome
    }

    async fn run_permitted(&self, call: ToolCall, cancel: CancellationToken) -> Result<ToolResult, Fault> {
        // Whatever way a call came, an agent runs what it is offered: no `chain`, no `tab-each`, no other tab.
        let spec = if self.by_person {
            registry::get(&call.command)?
        } else {
            offered::find(&call.command).ok_or_else(|| offered::not_offered(&call.command))?
        };
        let info = self.runner.conversation().info();
        let tab = info.tab_id.filter(|tab| self.engine.pages_with(Some(*tab)).is_some());
        let Some(tab) = tab else { return Err(not_driven()) };
        let site = self.engine.site_of(tab);
        self.engine.stay_for_turn(self.runner.conversation(), tab)?;
        if !self.by_person {
            self.permit(spec, &call, tab, &cancel).await?;
        }
        let folder = PathBuf::from(&info.folder);
        // What was allowed here must not land on the page that came meanwhile.
        let only_on = (!self.by_person && spec.class != Class::Read && spec.name != "goto").then_some(site).flatten();
        let target = Target {
            tab: Some(tab),
            moves_current: false,
            cwd: Some(&folder),
            only_on,
            pointer: self.engine.shows_pointer(tab),
            for_model: !self.by_person,
        };
        let mut output = self.engine.run(spec, &call.args, target, cancel).await?;
        if !self.by_person {
            output.cut(self.engine.config().agents.most_output(), how_to_narrow(spec));
        }
        self.remember_read(spec, tab, &output);
        Ok(tool_result(output).await)
    }

    /// Asks the policy, and the person where it says so. An error is the denial, in words for the agent.
    async fn permit(
        &self,
        spec: &'static Spec,
        call: &ToolCall,
        tab: TabId,
        cancel: &CancellationToken,
    ) -> Result<(), Fault> {
        let conversation = self.runner.conversation();
        let into_password = wishes::types(spec) && self.engine.types_into_password(tab, spec, &call.args).await;
        let wish = self.engine.with_trail(conversation.id(), |trail| {
            let site = self.engine.site_of(tab);
            wishes::wish(spec, call, Scene { conversation_id: conversation.id(), site, into_password, trail })
        });
        let words = self.words(&call.command, &call.args, Some(tab));
        let card = match self.engine.judge(conversation, &wish, &words.redacted) {
            Permitted::Yes => return Ok(()),
            Permitted::No(fault) => return Err(fault),
            Permitted::Ask(card) => card,
        };
        let approval_id = ApprovalId::random();
        let request = ApprovalRequest {
            approval_id: approval_id.clone(),
            ask: words.request(),
            site: wish.site.clone(),
            why: card.why.map(str::to_owned),
            // The journal keeps what is shown: a password is not.
            does: if into_password { words.redacted.clone() } else { as_typed(call) },
            kind: words.kind,
            choices: card.choices,
        };
        let mut answer = self.runner.ask(request);
        let limit = self.engine.approval_limit();
        let withdrawn = (Decision::Deny, AnsweredBy::Withdrawn);
        let answered = tokio::select! {
            answer = &mut answer => answer.unwrap_or(withdrawn),
            () = cancel.cancelled() => {
                // The agent took the call back; where its turn has ended the card is closed already.
                self.withdraw(approval_id);
                withdrawn
            }
            () = tokio::time::sleep(limit) => {
                match self.runner.answer(approval_id, Decision::Deny, AnsweredBy::Timeout) {
                    Ok(()) => (Decision::Deny, AnsweredBy::Timeout),
                    // Somebody answered while it ran out: that answer counts.
                    Err(_) => answer.await.unwrap_or(withdrawn),
                }
            }
        };
        self.engine.settle(conversation, &wish, &words.redacted, answered)
    }

    /// What the agent gets to read it may carry elsewhere.
    fn remember_read(&self, spec: &Spec, tab: TabId, output: &Output) {
        if self.by_person
            || !(spec.untrusted
                || output.source_url.is_some()
                || spec.class == Class::Control
                || !output.files.is_empty())
        {
            return;
        }
        let of_page = output.source_url.as_deref().and_then(site::of).or_else(|| self.engine.site_of(tab));
        let site = of_page.unwrap_or_default();
        self.engine.with_trail(self.runner.conversation().id(), |trail| trail.read(&site, &output.text));
    }

    /// What a call does, with what its ref is called in the page.
    fn words(&self, command: &str, args: &[String], tab: Option<TabId>) -> Words {
        let pages = self.engine.pages_with(tab).map(|(_, pages)| pages);
        let label = |name: &str| pages.as_ref()?.label(tab?, name);
        words::describe_with(command, args, &label)
    }

    fn withdraw(&self, approval_id: ApprovalId) {
        let event = crate::chat::Event::ApprovalWithdrawn(approval_id);
        if let Some(fault) = self.runner.handle(event) {
            tracing::warn!(%fault, "a withdrawal could not be written");
        }
    }
}

impl Tools for ConversationTools {
    fn run(&self, call: ToolCall, cancel: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>> {
        async move {
            let turn = self.runner.turn_token();
            if turn.is_cancelled() {
                return Err(Fault::new(FaultCode::Cancelled, "the turn is over: nothing more is done for it")
                    .hint("Wait for the person's next message."));
            }
            // A stop ends the call even where the agent does not take it back.
            let cancel = cancel.child_token();
            let name = call.command.clone();
            let mut call = std::pin::pin!(self.run_call(call, cancel.clone()));
            let outcome = tokio::select! {
                outcome = &mut call => outcome,
                () = turn.cancelled() => {
                    cancel.cancel();
                    call.await
                }
            };
            if outcome.as_ref().is_err_and(|fault| fault.code == FaultCode::Denied) && !self.by_person {
                self.runner.note_denied(&name);
            }
            outcome
        }
        .boxed()
    }

    fn describe(&self, tool: &str, arguments: &Value) -> StepWords {
        let args = registry::find(tool).and_then(|spec| tool_schema::arguments_of(spec, arguments).ok());
        let words = match args {
            Some(args) => self.words(tool, &args, self.runner.conversation().info().tab_id),
            None => {
                return StepWords { kind: StepKind::Other, verb: "Using".to_owned(), object: tool.to_owned() };
            }
        };
        StepWords { kind: words.kind, verb: words.verb, object: words.object }
    }
}

/// What an agent can do about a text that was cut.
fn how_to_narrow(spec: &Spec) -> &'static str {
    match spec.name {
        "snapshot" => "narrow with selector, depth or interactive",
        _ if spec.parameters.iter().any(|parameter| parameter.name == "sel") => "narrow with a selector",
        _ => "look at a part of the page instead",
    }
}

async fn tool_result(output: Output) -> ToolResult {
    let files = output.files.clone();
    let CommandResult { output: text, data, .. } = output.into_result_for_model();
    let images = tokio::task::spawn_blocking(move || files.iter().filter_map(|path| image(path)).collect())
        .await
        .unwrap_or_default();
    ToolResult { text, data, images }
}

/// The call as a person would type it: they decide by what it says.
fn as_typed(call: &ToolCall) -> String {
    let quoted = |arg: &String| if arg.contains(char::is_whitespace) { format!("\"{arg}\"") } else { arg.clone() };
    let words: Vec<String> = std::iter::once(call.command.clone()).chain(call.args.iter().map(quoted)).collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST_LINE) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

/// A picture that a command wrote.
fn image(path: &Path) -> Option<Image> {
    let mime = match path.extension()?.to_str()? {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        _ => return None,
    };
    if std::fs::metadata(path).ok()?.len() > LARGEST_IMAGE {
        return None;
    }
    std::fs::read(path).ok().map(|bytes| Image { mime: mime.to_owned(), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_approval_shows_the_call_as_it_would_be_typed() {
        let call = |args: &[&str]| ToolCall {
            command: "fill".to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        };
        assert_eq!(as_typed(&call(&["@e3", "two words"])), "fill @e3 \"two words\"");
        let long = as_typed(&call(&["@e3", &"ä".repeat(LONGEST_LINE)]));
        assert_eq!(long.chars().count(), LONGEST_LINE + 1);
        assert!(long.ends_with('…'));
    }
}
