//! The browser commands that a conversation's agent may use.
//!
//! Owns the list of offered tools and the path of each call through the policy. The tools act only on tabs of the
//! conversation's tab set; `agent_tools` has the tokens.

mod action_requests;
mod agent_tools;
mod call_approval;
mod call_tabs;
mod driver;
mod error;
mod evidence;
mod first_tab;
mod page_approvals;
mod page_offers;
mod page_tool_list;
mod page_tool_look;
mod page_tools;
mod pausing;
mod preview;
mod shell;
mod sign_ins;
mod step_list;
mod taint;
mod target_snapshot;
mod tool_list;

use crate::command_runner::Target;
use crate::conversations::{ConversationGate, ToolCallName};
use crate::drivers::Driver;
pub(crate) use agent_tools::AgentTools;
use call_tabs::CallTabs;
use error::ToolError;
use evidence::ActNotes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use gstack_agent::adapter::{Image, StepWords, ToolCall, ToolResult, Tools};
use gstack_base::site;
use gstack_browser::dialogs::DialogPolicy;
use gstack_chat::Conversation;
use gstack_command::spec::{Navigates, TabUse};
use gstack_command::words::{self, Words};
use gstack_command::{Call, Class, Output, Rests, Spec, picture, registry, tool_schema};
use gstack_protocol::activity::ActivitySource;
use gstack_protocol::chat::StepKind;
use gstack_protocol::command::{ActsOn, CommandResult};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use page_tool_list::PageToolList;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use step_list::StepList;
use target_snapshot::ApprovedCall;
use tokio_util::sync::CancellationToken;

/// How a call may run.
#[derive(Clone, Default)]
struct Manner {
    /// The tab that the call names.
    tab: Option<TabId>,
    /// The sites that it may act on. `None`: any.
    acts_on: Option<ActsOn>,
    /// The person typed it as it is: no one is asked about it.
    typed: bool,
    /// The list of steps that it belongs to, which the person allows as one.
    list: Option<Arc<StepList>>,
}

impl Manner {
    fn in_tab(tab: Option<TabId>) -> Self {
        Self { tab, ..Self::default() }
    }
}

/// The tools of one agent of one conversation.
pub(crate) struct ConversationTools {
    services: AgentTools,
    gate: ConversationGate,
    token: String,
    /// Cancelled when the token is revoked, because its agent has ended.
    ended: CancellationToken,
    /// True for the built-in agent, which has no model: it may use every command and sees pages as a person does.
    by_person: bool,
    /// Set if not a conversation's agent acts but an MCP client, which has no turn and no journal.
    driver: Option<Arc<Driver>>,
    page_tools: PageToolList,
    /// The parts of its results that were cut.
    rests: Rests,
    /// The bytes of a result that its program passes on to the model; 0 if that is not known.
    keeps: AtomicUsize,
}

impl ConversationTools {
    fn new(services: AgentTools, gate: ConversationGate, by_person: bool, driver: Option<Arc<Driver>>) -> Self {
        let token = uuid::Uuid::new_v4().simple().to_string() + &uuid::Uuid::new_v4().simple().to_string();
        Self {
            services,
            gate,
            token,
            ended: CancellationToken::new(),
            by_person,
            driver,
            page_tools: PageToolList::default(),
            rests: Rests::default(),
            keeps: AtomicUsize::new(0),
        }
    }

    /// Records how much of a result reaches the model.
    fn note_keeps(&self, keeps: Option<usize>) {
        if let Some(keeps) = keeps {
            self.keeps.store(keeps, Ordering::Relaxed);
        }
    }

    /// Returns the limit for one result, in bytes.
    fn most_output(&self) -> usize {
        let most = self.services.config.get().agents.most_output();
        match self.keeps.load(Ordering::Relaxed) {
            0 => most,
            keeps => keeps.min(most),
        }
    }

    /// Returns the next part of a result that was cut.
    fn read_on(&self, spec: &Spec, cursor: &str) -> Result<Output, Fault> {
        let rest = self.rests.next(cursor, self.most_output(), spec);
        rest.ok_or_else(|| tool_schema::no_such_rest(spec))
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) fn conversation(&self) -> &Arc<Conversation> {
        self.gate.conversation()
    }

    /// Runs a call that came over MCP. `id` is the agent's own id of the call, if it gives one.
    async fn run_over_mcp(
        &self,
        id: Option<String>,
        tool: &str,
        arguments: Value,
        cancel: CancellationToken,
    ) -> Result<ToolResult, Fault> {
        if let Some(spec) = tool_list::find(tool)
            && let Some(cursor) = tool_schema::cursor_of(spec, &arguments)
        {
            return Ok(tool_result(self.read_on(spec, &cursor)?).await);
        }
        let (call, named) = match self.page_tool_call(tool, &arguments) {
            Some(of_page) => of_page.map(|(call, tab)| (call, Some(tab)))?,
            None => (tool_list::call_of(tool, &arguments)?, None),
        };
        let name = ToolCallName { id, tool: tool.to_owned(), arguments };
        // A driver has no turn and no steps.
        let has_step = self.driver.is_none();
        if has_step {
            self.gate.note_unsent(name.clone());
        }
        let turn = self.gate.turn_token();
        let outcome = self.run_in_turn(call, Manner::in_tab(named), Some(&name), cancel.clone()).await;
        // What a stop or the agent itself ended before it was sent stays recorded until its step ends. A stop withdraws the
        // call's approval first and then ends the turn.
        let is_withdrawn = outcome.as_ref().is_err_and(|fault| fault.code == FaultCode::Cancelled);
        if has_step && !is_withdrawn && !turn.is_cancelled() && !cancel.is_cancelled() {
            self.gate.note_sent(&name);
        }
        if outcome.as_ref().is_err_and(|fault| fault.code == FaultCode::Denied) {
            self.gate.note_denied(name);
        }
        outcome
    }

    /// Runs a call until the turn ends at the latest.
    async fn run_in_turn(
        &self,
        call: Call,
        manner: Manner,
        step: Option<&ToolCallName>,
        cancel: CancellationToken,
    ) -> Result<ToolResult, Fault> {
        let turn = self.gate.turn_token();
        if turn.is_cancelled() {
            return Err(ToolError::TurnOver.into());
        }
        // A stop ends the call even if the agent does not cancel it.
        let cancel = cancel.child_token();
        let mut call = std::pin::pin!(self.run_call(call, manner, step, cancel.clone()));
        tokio::select! {
            outcome = &mut call => outcome,
            () = turn.cancelled() => {
                cancel.cancel();
                call.await
            }
        }
    }

    /// Runs a call and records it in the activity log, whatever its outcome.
    async fn run_call(
        &self,
        call: Call,
        manner: Manner,
        step: Option<&ToolCallName>,
        cancel: CancellationToken,
    ) -> Result<ToolResult, Fault> {
        let working = || self.services.tabs.sets().working(self.conversation());
        let tab = manner.tab.or_else(working).or_else(|| self.services.browsers.current_tab());
        let pages = self.services.browsers.pages_with(tab).map(|(_, pages)| pages);
        let described = |name: &str| pages.as_ref()?.role_and_name(tab?, name);
        let begun = self.services.activity.begin_on(self.source(), tab, &call, &described);
        let act = ActNotes::begin(self, &call, step);
        let outcome = self.run_permitted(call, manner, step, cancel.clone(), &act).await;
        let said = outcome.as_ref().map(|result| result.text.as_str());
        begun.end(said);
        act.end(self, said, &cancel).await;
        self.page_tools.look();
        outcome
    }

    async fn run_permitted(
        &self,
        call: Call,
        manner: Manner,
        step: Option<&ToolCallName>,
        cancel: CancellationToken,
        act: &ActNotes,
    ) -> Result<ToolResult, Fault> {
        let spec = call.spec;
        // However a call arrives, an agent can run only the tools that it is offered: no `chain`, no `tab-each`.
        let is_offered = match &manner.list {
            Some(_) => StepList::may_have(spec),
            None => tool_list::find(spec.name).is_some(),
        };
        if !self.by_person && !is_offered {
            return Err(ToolError::NotOffered(spec.name.to_owned()).into());
        }
        let conversation = self.conversation();
        let CallTabs { tab, subject } = self.tabs_of_call(&call, manner.tab)?;
        if !self.by_person && !matches!(spec.tab, TabUse::Lists | TabUse::Opens) {
            self.services.drivers.check_lease(subject, conversation.id())?;
        }
        act.placed(self, tab);
        // A tab that a flow opened is not the agent's: the conversation goes on in its own.
        if !self.by_person || manner.tab.is_none() {
            self.services.tabs.change_work(conversation, |working| working.tab = Some(tab));
        }
        self.services.browsers.stay_for_turn(conversation, tab)?;
        let (outer, cancel) = (cancel.clone(), cancel.child_token());
        let tabs = CallTabs { tab, subject };
        let run = self.run_in_tabs(call, (tabs, manner), step, cancel.clone(), act);
        let needs_tab = !matches!(spec.tab, TabUse::Lists | TabUse::Opens);
        if self.by_person {
            return run.await;
        }
        let run = self.services.drivers.until_taken_back(conversation, (subject, needs_tab), &cancel, run);
        if spec.tab == TabUse::Lists {
            return run.await;
        }
        self.unless_paused(spec, tabs, (&cancel, &outer), run).await
    }

    /// Records that the call of this step is about to be sent: from here on, a stop leaves its outcome unknown.
    fn sends(&self, step: Option<&ToolCallName>) {
        if let Some(step) = step {
            self.gate.note_sent(step);
        }
    }

    /// Runs a call in a tab that it may use.
    async fn run_in_tabs(
        &self,
        mut call: Call,
        (CallTabs { tab, subject }, Manner { acts_on, typed, list, .. }): (CallTabs, Manner),
        step: Option<&ToolCallName>,
        cancel: CancellationToken,
        act: &ActNotes,
    ) -> Result<ToolResult, Fault> {
        let (spec, conversation) = (call.spec, self.conversation());
        if self.driver.is_some() {
            // It has no turn that would keep gstack attached between its commands.
            self.services.browsers.keep_attached_for_terminal(Some(tab));
        }
        let folder = PathBuf::from(&conversation.info().folder);
        // What was allowed here must not run on a page that loads later.
        let leaves = spec.navigates == Navigates::TabToAddress;
        let asks = !self.by_person || (call.class() != Class::Read && !typed);
        let is_bound = asks && call.class() != Class::Read && !leaves;
        let target = |expected, shown: Option<site::SiteOrPage>| Target {
            tab: Some(tab),
            on_tab_switch: self.on_tab_switch(),
            tab_set: (!self.by_person).then(|| self.services.tabs.sets().of(conversation)),
            cwd: Some(&folder),
            is_confined: self.driver.as_ref().is_some_and(|driver| driver.tunnel.is_some()),
            only_on: shown.filter(|_| is_bound),
            acts_on: acts_on.clone(),
            expected,
            pointer: self.services.elements.shows_pointer(tab),
            for_model: !self.by_person,
            dialogs: (!self.by_person).then_some(DialogPolicy::Ask),
            me: Some(conversation.id()),
        };
        if !asks {
            self.record_typed(&call, tab)?;
            act.permitted(self, &cancel).await;
            return Ok(tool_result(self.services.runner.run(&call, target(None, None), cancel).await?).await);
        }
        let asking = cancel.clone();
        let ApprovedCall { expected, shown, home, edited } =
            self.permit(&call, subject, (step, list.as_deref()), &cancel).await?;
        act.permitted(self, &cancel).await;
        self.sends(step);
        let mut wrote = edited.is_some();
        call = edited.unwrap_or(call);
        // What it sends may be the first part of something, even if it fails halfway.
        self.remember_sent(tab, home, &call);
        let mut before = self.services.tabs.now(tab);
        let mut outcome = self.run_and_answer(&call, target(expected, Some(shown)), tab, &cancel).await;
        // The page changed after the decision, and nothing was done: it is now a different action.
        if outcome.as_ref().is_err_and(|fault| fault.page_changed) {
            if let Some(step) = step.filter(|_| self.driver.is_none()) {
                self.gate.note_unsent(step.clone());
            }
            let ApprovedCall { expected, shown, home, edited } =
                self.permit(&call, subject, (step, list.as_deref()), &cancel).await?;
            self.sends(step);
            wrote |= edited.is_some();
            call = edited.unwrap_or(call);
            self.remember_sent(tab, home, &call);
            before = self.services.tabs.now(tab);
            outcome = self.run_and_answer(&call, target(expected, Some(shown)), tab, &cancel).await;
        }
        let mut output = outcome.inspect_err(|fault| self.remember_fault(tab, fault))?;
        self.permit_downloads(tab, &mut output, &asking).await;
        // Before it is cut: the agent can read on.
        self.remember_read(spec, tab, &output);
        // A run of steps needs the whole page to find its elements.
        if list.is_none() {
            self.rests.cut(&mut output, self.most_output(), spec);
        }
        if spec.changes() {
            self.services.tabs.opened_since(conversation, tab, &before).await;
        }
        if spec.tab == TabUse::Closes {
            self.services.tabs.sets().leave(subject);
            self.leave_own(subject);
            let next = self.services.tabs.sets().settle_working(conversation);
            output.say(next.map(|next| format!("You work in tab {next}.")));
        }
        if wrote {
            let text = call.typed().unwrap_or_default();
            output.say(Some(format!("The person changed the text before they allowed it. It is now: {text:?}")));
        }
        output.say(self.services.tabs.news(conversation));
        Ok(tool_result(output).await)
    }

    /// Runs a call. The person answers the dialogs that it opens.
    async fn run_and_answer(
        &self,
        call: &Call,
        target: Target<'_>,
        tab: TabId,
        cancel: &CancellationToken,
    ) -> Result<Output, Fault> {
        tokio::select! {
            outcome = self.services.runner.run(call, target, cancel.clone()) => outcome,
            never = self.answer_dialogs(tab, cancel) => match never {},
        }
    }

    /// Describes a call, with the accessible name of its ref.
    fn words(&self, call: &Call, tab: Option<TabId>) -> Words {
        let pages = self.services.browsers.pages_with(tab).map(|(_, pages)| pages);
        let label = |name: &str| pages.as_ref()?.label(tab?, name);
        words::describe(call, &label)
    }

    /// Runs a command that a person phrased in words or that an adapter names. Logs it even if it cannot be parsed.
    async fn run_named(&self, named: ToolCall, cancel: CancellationToken) -> Result<ToolResult, Fault> {
        let ToolCall { command, args, typed, tab, acts_on } = named;
        match Call::parse(&command, &args) {
            Ok(call) => self.run_in_turn(call, Manner { tab, acts_on, typed, list: None }, None, cancel).await,
            Err(fault) => {
                let working = self.services.tabs.sets().working(self.conversation());
                let tab = working.or_else(|| self.services.browsers.current_tab());
                self.services.activity.begin_unreadable(ActivitySource::Agent, tab, &command, &args).end(Err(&fault));
                Err(fault)
            }
        }
    }
}

impl Tools for ConversationTools {
    fn run(&self, call: ToolCall, cancel: CancellationToken) -> BoxFuture<'_, Result<ToolResult, Fault>> {
        self.run_named(call, cancel).boxed()
    }

    fn describe(&self, tool: &str, arguments: &Value) -> StepWords {
        let of_page = self.page_tool_call(tool, arguments).and_then(Result::ok).map(|(call, _)| call);
        let own = || {
            let spec = registry::find(tool)?;
            tool_schema::arguments_of(spec, arguments).and_then(|words| Call::of(spec, words)).ok()
        };
        let call = of_page.or_else(own);
        let Some(call) = call else {
            return StepWords::of_own_tool(StepKind::Other, "Using", tool.to_owned());
        };
        let words = self.words(&call, self.services.tabs.sets().working(self.conversation()));
        StepWords { kind: words.kind, verb: words.verb, object: words.object, phrase: Some(words.phrase) }
    }
}

async fn tool_result(output: Output) -> ToolResult {
    let files = output.files.clone();
    let CommandResult { output: text, data, files: written, .. } = output.into_result_for_model();
    let read = move || {
        let (pictures, left_out) = picture::read_all(files.iter().map(PathBuf::as_path));
        let images = pictures.into_iter().map(|(mime, bytes)| Image { mime: mime.to_owned(), bytes }).collect();
        (images, left_out)
    };
    let (images, left_out): (Vec<Image>, Vec<String>) = tokio::task::spawn_blocking(read).await.unwrap_or_default();
    let text = std::iter::once(text).chain(left_out).collect::<Vec<_>>().join("\n");
    ToolResult { text, data, images, files: written }
}
