//! The browser's commands as one conversation's agent may use them.
//!
//! Owns the token, the list of what is offered, and the way of each call past the policy. The token dies with
//! the agent; the tools act on the tabs of the conversation's set and on no other.

mod asking;
mod offered;
mod place;
mod shell;
mod wishes;

pub use offered::OfferedTool;

use super::Engine;
use super::commands::Target;
use super::runner::{Denied, Runner};
use crate::agent::adapter::{Image, StepWords, ToolCall, ToolResult, Tools};
use crate::base::site;
use crate::chat::Conversation;
use crate::command::words::{self, Words};
use crate::command::{Arguments, Class, Output, Spec, picture, registry, tool_schema};
use crate::protocol::activity::ActivitySource;
use crate::protocol::chat::StepKind;
use crate::protocol::command::CommandResult;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::TabId;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use place::Place;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

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

    /// Runs a call that came over MCP. `id`: the agent's own name of it, where it gives one.
    pub async fn run_tool(
        &self,
        id: Option<String>,
        tool: &str,
        arguments: Value,
        cancel: CancellationToken,
    ) -> Result<ToolResult, Fault> {
        let call = offered::call_of(tool, &arguments)?;
        let outcome = self.run_in_turn(call, None, cancel).await;
        if outcome.as_ref().is_err_and(|fault| fault.code == FaultCode::Denied) {
            self.runner.note_denied(Denied { id, tool: tool.to_owned(), arguments });
        }
        outcome
    }

    /// Runs a call as long as the turn lasts. `named`: the tab, where the call names one.
    async fn run_in_turn(
        &self,
        call: ToolCall,
        named: Option<TabId>,
        cancel: CancellationToken,
    ) -> Result<ToolResult, Fault> {
        let turn = self.runner.turn_token();
        if turn.is_cancelled() {
            return Err(Fault::new(FaultCode::Cancelled, "the turn is over: nothing more is done for it")
                .hint("Wait for the person's next message."));
        }
        // A stop ends the call even where the agent does not take it back.
        let cancel = cancel.child_token();
        let mut call = std::pin::pin!(self.run_call(call, named, cancel.clone()));
        tokio::select! {
            outcome = &mut call => outcome,
            () = turn.cancelled() => {
                cancel.cancel();
                call.await
            }
        }
    }

    /// Runs a call, and the activity says so, whatever becomes of it.
    async fn run_call(
        &self,
        call: ToolCall,
        named: Option<TabId>,
        cancel: CancellationToken,
    ) -> Result<ToolResult, Fault> {
        let tab = named.or_else(|| self.engine.working_tab(self.conversation()));
        let begun = self.engine.begin_activity(ActivitySource::Agent, tab, &call.command, &call.args);
        let outcome = self.run_permitted(call, named, cancel).await;
        begun.end(outcome.as_ref().map(|result| result.text.as_str()));
        outcome
    }

    async fn run_permitted(
        &self,
        call: ToolCall,
        named: Option<TabId>,
        cancel: CancellationToken,
    ) -> Result<ToolResult, Fault> {
        // Whatever way a call came, an agent runs what it is offered: no `chain`, no `tab-each`.
        let spec = if self.by_person {
            registry::get(&call.command)?
        } else {
            offered::find(&call.command).ok_or_else(|| offered::not_offered(&call.command))?
        };
        let conversation = self.conversation();
        let Place { tab, subject } = self.place(spec, &call, named)?;
        self.engine.working(conversation, |working| working.tab = Some(tab));
        let shown = self.engine.shown_in(tab);
        self.engine.stay_for_turn(conversation, tab)?;
        if !self.by_person {
            self.permit(spec, &call, subject, &cancel).await?;
        }
        let folder = PathBuf::from(&conversation.info().folder);
        // What was allowed here must not land on the page that came meanwhile.
        let only_on = (!self.by_person && spec.class != Class::Read && spec.name != "goto").then_some(shown);
        let target = Target {
            tab: Some(tab),
            moves: self.moves(),
            tab_set: (!self.by_person).then(|| self.engine.tab_set(conversation)),
            cwd: Some(&folder),
            only_on,
            pointer: self.engine.shows_pointer(tab),
            for_model: !self.by_person,
        };
        if self.by_person {
            return Ok(tool_result(self.engine.run(spec, &call.args, target, cancel).await?).await);
        }
        let before = self.engine.tabs_now(tab);
        let mut output = self.engine.run(spec, &call.args, target, cancel).await?;
        output.cut(self.engine.config().agents.most_output(), how_to_narrow(spec));
        if spec.writes {
            self.engine.tabs_opened_since(conversation, tab, &before).await;
        }
        if spec.name == "closetab" {
            self.engine.leave_tab_sets(subject);
            let next = self.engine.settle_working_tab(conversation);
            output.say(next.map(|next| format!("You work in tab {next}.")));
        }
        output.say(self.engine.tab_news(conversation));
        self.remember_typed(spec, tab, &call);
        self.remember_read(spec, tab, &output);
        Ok(tool_result(output).await)
    }

    /// What it typed may be the first half of something.
    fn remember_typed(&self, spec: &Spec, tab: TabId, call: &ToolCall) {
        let typed = Arguments::parse(spec, &call.args).ok().and_then(|arguments| wishes::typed(spec, &arguments));
        let Some((typed, site)) = typed.zip(self.engine.site_of(tab)) else { return };
        self.engine.with_trail(self.conversation().id(), |trail| trail.typed(&site, &typed));
    }

    /// What the agent gets to read it may carry elsewhere.
    fn remember_read(&self, spec: &Spec, tab: TabId, output: &Output) {
        if !(spec.untrusted || output.source_url.is_some() || spec.class == Class::Control || !output.files.is_empty())
        {
            return;
        }
        let of_page = || output.source_url.as_deref().and_then(site::of).or_else(|| self.engine.site_of(tab));
        // The titles of tabs are many sites' words.
        let site = if spec.name == "tabs" { String::new() } else { of_page().unwrap_or_default() };
        self.engine.with_trail(self.conversation().id(), |trail| trail.read(&site, &output.text));
    }

    /// What a call does, with what its ref is called in the page.
    fn words(&self, command: &str, args: &[String], tab: Option<TabId>) -> Words {
        let pages = self.engine.pages_with(tab).map(|(_, pages)| pages);
        let label = |name: &str| pages.as_ref()?.label(tab?, name);
        words::describe_with(command, args, &label)
    }
}

impl Tools for ConversationTools {
    fn run(&self, call: ToolCall, cancel: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>> {
        self.run_in_turn(call, None, cancel).boxed()
    }

    fn describe(&self, tool: &str, arguments: &Value) -> StepWords {
        let args = registry::find(tool).and_then(|spec| tool_schema::arguments_of(spec, arguments).ok());
        let words = match args {
            Some(args) => self.words(tool, &args, self.engine.working_tab(self.conversation())),
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
    let read = move || {
        let pictures = files.iter().filter_map(|path| picture::read(path));
        pictures.map(|(mime, bytes)| Image { mime: mime.to_owned(), bytes }).collect()
    };
    let images = tokio::task::spawn_blocking(read).await.unwrap_or_default();
    ToolResult { text, data, images }
}
