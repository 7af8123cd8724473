//! The browser's commands as one conversation's agent may use them.
//!
//! Owns the token, the list of what is offered, and the way of each call past the policy. The token dies with
//! the agent; the tools act on the conversation's own tab and on no other.

use super::Engine;
use super::commands::{Target, not_driven};
use super::policy::{Verdict, Wish};
use super::runner::Runner;
use crate::agent::adapter::{Image, StepWords, ToolCall, ToolResult, Tools};
use crate::base::site;
use crate::chat::turn::ApprovalRequest;
use crate::command::words::{self, Words};
use crate::command::{Arguments, Class, Output, Spec, registry, tool_schema};
use crate::protocol::activity::ActivitySource;
use crate::protocol::chat::{AnsweredBy, Decision, StepKind};
use crate::protocol::command::CommandResult;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::{ApprovalId, TabId};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What agents with a model are offered: what a person does with a page, and looking at it.
const OFFERED: [&str; 13] = [
    "goto",
    "back",
    "reload",
    "click",
    "fill",
    "press",
    "select",
    "scroll",
    "wait",
    "snapshot",
    "text",
    "links",
    "screenshot",
];
/// Not offered: where a file goes is not an agent's to say. Its pictures come with the answer.
const WITHHELD: [&str; 2] = ["path", "output"];
/// A larger picture would cost an agent more than it shows.
const LARGEST_IMAGE: u64 = 8 * 1024 * 1024;

/// What an approval shows of a call, in characters.
const LONGEST_LINE: usize = 500;

/// One tool as MCP lists it.
#[derive(Clone, Debug)]
pub struct OfferedTool {
    pub name: String,
    pub description: String,
    pub schema: Map<String, Value>,
    pub read_only: bool,
}

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

    /// What is offered, as MCP lists it.
    pub fn offered(&self) -> Vec<OfferedTool> {
        let specs = OFFERED.iter().filter_map(|name| registry::find(name));
        let tool = |spec: &'static Spec| OfferedTool {
            name: spec.name.to_owned(),
            description: tool_schema::description(spec),
            schema: without_withheld(tool_schema::input_schema(spec)),
            read_only: spec.class == Class::Read,
        };
        specs.map(tool).collect()
    }

    /// A tool call's JSON arguments as the command that they mean.
    pub fn call_of(&self, tool: &str, arguments: &Value) -> Result<ToolCall, Fault> {
        let spec = offered(tool).ok_or_else(|| registry::unknown(tool))?;
        if let Some(name) = WITHHELD.iter().find(|name| arguments.get(name).is_some()) {
            return Err(Fault::new(FaultCode::PathRefused, format!("{tool}: `{name}` is not offered to agents"))
                .hint("Leave it out: what it made comes with the answer."));
        }
        Ok(ToolCall { command: spec.name.to_owned(), args: tool_schema::arguments_of(spec, arguments)? })
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
            offered(&call.command).ok_or_else(|| not_offered(&call.command))?
        };
        let info = self.runner.conversation().info();
        let tab = info.tab_id.filter(|_| self.engine.has_browser());
        let Some(tab) = tab else { return Err(not_driven()) };
        let site = self.engine.site_of(tab);
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
        };
        let output = self.engine.run(spec, &call.args, target, cancel).await?;
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
        let site = self.engine.site_of(tab);
        let goes = spec.name == "goto";
        let target = if goes { destination(spec, call) } else { site.clone() };
        let wish = Wish {
            conversation_id: self.runner.conversation().id().clone(),
            class: spec.class_of(&call.args),
            // An address whose site can't be told is never the site that was allowed.
            leaves_site: goes && (target.is_none() || target != site),
            // Where it goes is what a person decides about, not where it comes from.
            site: target,
        };
        let choices = match self.engine.verdict(&wish) {
            Verdict::Run => return Ok(()),
            Verdict::Refuse => return Err(not_offered(spec.name)),
            Verdict::Ask(choices) => choices,
        };
        let words = self.words(&call.command, &call.args, Some(tab));
        let approval_id = ApprovalId::random();
        let request = ApprovalRequest {
            approval_id: approval_id.clone(),
            ask: words.request(),
            site: wish.site.clone(),
            why: None,
            does: as_typed(call),
            kind: words.kind,
            choices: choices.to_vec(),
        };
        let answer = self.runner.ask(request);
        let limit = self.engine.approval_limit();
        let decision = tokio::select! {
            answer = answer => answer.unwrap_or(Decision::Deny),
            () = cancel.cancelled() => {
                // The agent took the call back; where its turn has ended the card is closed already.
                self.withdraw(approval_id);
                return Err(Fault::new(FaultCode::Cancelled, "the call was taken back before it was answered"));
            }
            () = tokio::time::sleep(limit) => {
                if let Err(error) = self.runner.answer(approval_id, Decision::Deny, AnsweredBy::Timeout) {
                    tracing::debug!(%error, "an approval was answered while it ran out");
                }
                return Err(Fault::new(FaultCode::Denied, "nobody answered in time, so it was not allowed")
                    .hint("Say what you wanted, and end your turn."));
            }
        };
        self.engine.remember(&wish, decision);
        if decision.allows() {
            return Ok(());
        }
        Err(Fault::new(FaultCode::Denied, "the person said no")
            .hint("Do not try it another way. Say what you wanted and ask how to go on."))
    }

    /// What a call does, with what its ref is called in the page.
    fn words(&self, command: &str, args: &[String], tab: Option<TabId>) -> Words {
        let pages = self.engine.pages().map(|(_, pages)| pages);
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
            let mut call = std::pin::pin!(self.run_call(call, cancel.clone()));
            tokio::select! {
                outcome = &mut call => outcome,
                () = turn.cancelled() => {
                    cancel.cancel();
                    call.await
                }
            }
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

/// The command behind a tool's name, where agents with a model are offered it.
fn offered(tool: &str) -> Option<&'static Spec> {
    OFFERED.contains(&tool).then(|| registry::find(tool)).flatten()
}

fn not_offered(command: &str) -> Fault {
    Fault::new(FaultCode::Denied, format!("`{command}` is not offered to agents")).hint("Ask the person to do it.")
}

fn without_withheld(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !WITHHELD.contains(&name.as_str()));
    }
    schema
}

async fn tool_result(output: Output) -> ToolResult {
    let files = output.files.clone();
    let CommandResult { output: text, data, .. } = output.into_result();
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

/// The site that `goto` takes the tab to; none where its address has none or can't be read.
fn destination(spec: &Spec, call: &ToolCall) -> Option<String> {
    let typed = Arguments::parse(spec, &call.args).ok()?.text("url")?;
    // `localhost:3000` parses as it is too, with `localhost` for its scheme and no host.
    site::of(&typed).or_else(|| site::of(&format!("https://{typed}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn goto(arguments: &Value) -> (&'static Spec, ToolCall) {
        let spec = registry::find("goto").unwrap();
        let args = tool_schema::arguments_of(spec, arguments).unwrap();
        (spec, ToolCall { command: "goto".to_owned(), args })
    }

    #[test]
    fn an_agent_can_reach_no_command_that_runs_others_or_shows_secrets() {
        for spec in registry::all() {
            let names = std::iter::once(&spec.name).chain(spec.aliases);
            let reached = names.into_iter().any(|name| offered(name).is_some());
            let runs_others = ["chain", "tab-each", "tab", "newtab", "closetab", "tabs"].contains(&spec.name);
            assert!(!(reached && (runs_others || spec.class == Class::Secret)), "{} is offered", spec.name);
        }
        assert!(OFFERED.iter().all(|name| offered(name).is_some()));
        // Were it offered one day: its class is that of what it runs, and what can't be read is refused.
        let chain = registry::find("chain").unwrap();
        let class = |text: &str| chain.class_of(&[text.to_owned()]);
        assert_eq!(
            (class("text | js 1"), class("cookies"), class("'")),
            (Class::Control, Class::Secret, Class::Secret)
        );
    }

    #[test]
    fn a_site_is_its_host_and_an_unusual_port() {
        for (url, site) in [
            ("https://a.example/b?c", Some("a.example")),
            ("https://a.example:443/", Some("a.example")),
            ("http://a.example:8080/", Some("a.example:8080")),
            ("https://a.example@evil.example/", Some("evil.example")),
            ("about:blank", None),
            ("", None),
        ] {
            assert_eq!(crate::base::site::of(url).as_deref(), site, "{url}");
        }
    }

    #[test]
    fn where_goto_goes_is_its_address_however_it_is_spelled_and_no_other_word() {
        for (url, site) in [
            ("https://a.example/b", Some("a.example")),
            ("a.example/b", Some("a.example")),
            ("localhost:3000", Some("localhost:3000")),
            ("evil.example:8080/x", Some("evil.example:8080")),
            ("about:blank", None),
        ] {
            let (spec, call) = goto(&json!({ "url": url, "timeout": 5000 }));
            assert_eq!(destination(spec, &call).as_deref(), site, "{url}");
        }
    }

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
