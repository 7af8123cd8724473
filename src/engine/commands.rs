//! Runs a command of the registry: resolves the browser, the tab and the paths, and handles the output.
//!
//! Owns the only way to run commands, for every client. The caller checks beforehand who may run them.

mod error;

use super::activity::Source;
use super::browsers::{BrowsersError, sent_out_of};
use super::drivers::{Driver, DriversError, Leases};
use super::ports::PortId;
use super::{Engine, folders};
use crate::base::site;
use crate::browser::browser::Browser;
use crate::browser::dialogs::DialogPolicy;
use crate::browser::effects::Effects;
use crate::browser::page::{Expected, Pages, PointerWatch};
use crate::command::spec::{EngineCommand, Navigates, Needs, TabUse};
use crate::command::{
    Call, Category, Class, Context, Folders, Output, Progress, Steps, TabSwitch, captions, everyday, registry,
};
use crate::protocol::activity::ActivitySource;
use crate::protocol::catalogue::{self, Sentence};
use crate::protocol::command::CommandRun;
use crate::protocol::command::{CommandLine, CommandRequest, CommandResult};
use crate::protocol::control::ConnectRequest;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::{ConversationId, TabId};
use crate::protocol::relay::Refusal;
use error::{Cut, CutOff, GONE, NotOffered, before_again};
use futures_util::FutureExt;
use std::collections::BTreeMap;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

impl Engine {
    /// Runs a command from the terminal or a script.
    pub(crate) async fn command(
        &self,
        request: CommandRequest,
        source: ActivitySource,
    ) -> Result<CommandResult, Fault> {
        self.command_telling(request, source.into(), None, Progress::default()).await
    }

    /// Runs a command of a trusted driver: as the person, but not in a tab that another driver leases.
    pub(crate) async fn command_of_trusted(
        &self,
        driver: Arc<Driver>,
        request: CommandRequest,
    ) -> Result<CommandResult, Fault> {
        let source = Source { kind: ActivitySource::Mcp, driver: Some(driver.name.clone()) };
        self.command_telling(request, source, Some(&driver), Progress::default()).await
    }

    /// Does the same and sends progress lines; the last is `Done` or `Failed`. Stops when no one reads them.
    pub(crate) fn command_in_lines(
        &self,
        request: CommandRequest,
        source: ActivitySource,
        lines: mpsc::Sender<CommandLine>,
    ) {
        let engine = self.clone();
        self.spawn(async move {
            let progress = Progress::to(lines.clone());
            let outcome = tokio::select! {
                outcome = engine.command_telling(request, source.into(), None, progress) => outcome,
                () = lines.closed() => return,
            };
            let last = outcome.map_or_else(CommandLine::Failed, CommandLine::Done);
            if lines.send(last).await.is_err() {
                tracing::debug!("nobody reads a command's end");
            }
        });
    }

    /// Runs a command and records it in the activity log, whatever its outcome.
    async fn command_telling(
        &self,
        request: CommandRequest,
        source: Source,
        driver: Option<&Driver>,
        progress: Progress,
    ) -> Result<CommandResult, Fault> {
        let kind = source.kind;
        let call = Call::parse(&request.command, &request.args);
        let tab = request.tab_id.or_else(|| self.browsers().current_tab());
        let begun = match &call {
            Ok(call) => self.activity().begin(source, tab, call),
            Err(_) => self.activity().begin_unreadable(source, tab, &request.command, &request.args),
        };
        // Report an error in the arguments before starting a browser.
        let outcome = match call {
            Ok(call) => self.command_of_client(request, (kind, driver), call, progress).await,
            Err(fault) => Err(fault),
        };
        begun.end(outcome.as_ref().map(|result| result.output.as_str()));
        outcome
    }

    async fn command_of_client(
        &self,
        request: CommandRequest,
        (source, driver): (ActivitySource, Option<&Driver>),
        call: Call,
        progress: Progress,
    ) -> Result<CommandResult, Fault> {
        if source == ActivitySource::Http && call.class() == Class::Secret && !self.config().daemon.script_secrets {
            return Err(NotOffered::Script { command: call.spec.name }.into());
        }
        match call.spec.needs {
            Needs::Engine(EngineCommand::Status) => {
                let status = self.status().now();
                let data = serde_json::to_value(&status).ok();
                return Ok(CommandResult { output: status.text(), data, ..CommandResult::default() });
            }
            Needs::Engine(EngineCommand::Handoff) => {
                return self.handoff(request, call.arguments.text("message")).await;
            }
            Needs::Engine(EngineCommand::Pause) if driver.is_some() => {
                return Err(DriversError::OnlyPersonPauses.into());
            }
            // A client may go on after a handoff, but never hands back what the person took over.
            Needs::Engine(EngineCommand::Resume) if driver.is_some() => {
                if self.drivers().has_pauses() || call.arguments.text("note").is_some() {
                    return Err(DriversError::OnlyPersonPauses.into());
                }
                return self.resume(&request).await;
            }
            Needs::Engine(EngineCommand::Pause) => return self.drivers().pause_as_person(&request, &call),
            Needs::Engine(EngineCommand::Resume) => {
                let note = call.arguments.text("note");
                return match self.drivers().hand_back_as_person(request.tab_id, note.as_deref())? {
                    Some(handed_back) => Ok(handed_back),
                    None => self.resume(&request).await,
                };
            }
            Needs::Engine(EngineCommand::Lease) => {
                return match driver {
                    Some(driver) => self.drivers().lease_as_driver(driver, &request, &call),
                    None => self.drivers().lease_as_person(&request, &call),
                };
            }
            Needs::Engine(EngineCommand::Release) => return self.drivers().release(driver, &request, &call),
            Needs::Browser | Needs::BrowserUnless { .. } | Needs::Folder => {}
        }
        let cwd = request.cwd.as_deref().map(Path::new);
        if matches!(call.spec.needs, Needs::Folder | Needs::BrowserUnless { .. }) {
            let open = Folders {
                cwd: cwd.map(Path::to_owned),
                temp_folder: folders::temporary(self.home())?,
                gstack_home: self.home().root().to_owned(),
                for_model: request.for_model,
            };
            if let Some(outcome) = registry::run_without_browser(&call, open).await {
                return outcome.map(Output::into_result);
            }
        }
        self.browsers().everyday_back(request.tab_id).await;
        let everyday = request.tab_id.and_then(|tab| self.browsers().everyday_with(tab));
        // What else a person has open is theirs to know, and not a model's.
        let lists_all = call.spec.tab == TabUse::Lists && !request.for_model;
        if request.for_model
            && let Some(everyday) = &everyday
            && !self.browsers().is_in_use(everyday)
        {
            return Err(NotOffered::Model.into());
        }
        let has_own = self.browsers().current().is_some() || everyday.is_some();
        if lists_all && !has_own && !self.browsers().all_everyday().is_empty() {
            return Ok(self.with_everyday_tabs(Output::default(), None).into_result());
        }
        if request.tab_id.is_some_and(|tab| self.browsers().is_away(tab)) {
            return Err(BrowsersError::NotConnected.into());
        }
        let mut lost = false;
        if !has_own {
            if self.browsers().everyday_is_chosen() {
                return Err(BrowsersError::EverydayAway.into());
            }
            lost = self.browsers().has_lost();
            self.start_headless(&request).await?;
        }
        self.browsers().keep_attached_for_terminal(request.tab_id);
        let for_model = request.for_model;
        let on_tab_switch = tab_switch_of(request.tab_id);
        let me = driver.map(|driver| driver.conversation.id());
        let tab_set =
            driver.map(|driver| self.drivers().tabs_of_trusted(driver, &request, &call)).transpose()?.flatten();
        let target = Target { tab: request.tab_id, on_tab_switch, cwd, for_model, me, tab_set, ..Target::default() };
        let cancel = CancellationToken::new();
        let run = self.run_telling(&call, target, cancel.clone(), progress);
        let outcome = match driver {
            Some(driver) if !lists_all => self.drivers().unless_paused(driver, request.tab_id, &cancel, run).await,
            _ => run.await,
        };
        self.browsers().record_tabs().await;
        let outcome = self.browsers().note_outcome(outcome);
        let mut output = if lost { in_new_browser(outcome)? } else { outcome? };
        if lists_all {
            output = self.with_everyday_tabs(output, request.tab_id);
        }
        Ok(if for_model { output.into_result_for_model() } else { output.into_result() })
    }

    /// Runs a quick action of a panel on the tab that the panel shows.
    pub(crate) async fn command_from_panel(&self, port: PortId, run: CommandRun) -> Result<CommandResult, Fault> {
        let place = self.tabs().place_of(port, run.chrome_tab_id)?;
        let request = run.request;
        let call = Call::parse(&request.command, &request.args)?;
        if self.browsers().of_port(port).is_none() {
            return Err(BrowsersError::NotConnected.into());
        }
        self.browsers().let_in(place.tab_id);
        let begun = self.activity().begin(ActivitySource::Panel, Some(place.tab_id), &call);
        let target = Target { tab: Some(place.tab_id), ..Target::default() };
        let outcome = self.run(&call, target, CancellationToken::new()).await.map(Output::into_result);
        begun.end(outcome.as_ref().map(|result| result.output.as_str()));
        outcome
    }

    /// Runs a command on a tab, or on the current one.
    pub(super) async fn run(
        &self,
        call: &Call,
        target: Target<'_>,
        cancel: CancellationToken,
    ) -> Result<Output, Fault> {
        self.run_telling(call, target, cancel, Progress::default()).await
    }

    async fn run_telling(
        &self,
        call: &Call,
        target: Target<'_>,
        cancel: CancellationToken,
        progress: Progress,
    ) -> Result<Output, Fault> {
        let spec = call.spec;
        self.browsers().everyday_back(target.tab).await;
        let (browser, pages) = self
            .browsers()
            .pages_with(target.tab)
            .ok_or_else(|| BrowsersError::NotOpen(catalogue::NO_BROWSER_FOR.with([spec.name])))?;
        if browser.is_relayed() {
            everyday::check(call)?;
        }
        let gone = browser.gone().clone();
        let shutdown = self.shutdown();
        let tab = target.tab.or_else(|| browser.current_known()).filter(|_| spec.category != Category::Tabs);
        let watched = browser.clone();
        let mut sent_out = pin!(sent_out_of(&watched, tab));
        let leased = if spec.tab == TabUse::Lists { self.drivers().leased_by_others(target.me) } else { Leases::new() };
        let context = Context { progress, leased, ..self.context(browser, pages, target, cancel.clone())? };
        let cut = |code, why| {
            let steps = context.steps.cut_off(spec.name, code, why, Some(&Sentence::from(before_again(code))));
            Err(steps.unwrap_or_else(|| CutOff { spec, by: Cut::Ended { code, why } }.into()))
        };
        let detached = |refusal| Err(CutOff { spec, by: Cut::Detached(refusal) }.into());
        let work = async {
            if spec.navigates == Navigates::TabToAddress && spec.tab == TabUse::ThisPage && watched.is_relayed() {
                context.tab().await?.leave_own_page().await?;
            }
            let _shown = captions::show(&context, call);
            registry::run(&context, call).await
        };
        tokio::select! {
            // Poll the command first: it knows best how far it got.
            biased;
            outcome = work => match outcome {
                // The command noticed first that it was detached from the tab.
                Err(fault) => match sent_out.now_or_never() {
                    Some(refusal) => detached(refusal),
                    // The command noticed first: a click in flight may still have arrived.
                    None if fault.code == FaultCode::BrowserDown => cut(fault.code, GONE),
                    None if spec.changes() && fault.unanswered => cut(fault.code, &fault.message),
                    None => Err(fault),
                },
                // It ended early because the connection was lost. Closing the last tab closes its browser, which is not
                // an error.
                Ok(_) if spec.changes() && spec.category != Category::Tabs && gone.is_cancelled() => {
                    cut(FaultCode::BrowserDown, GONE)
                }
                Ok(output) if spec.changes() => match sent_out.now_or_never() {
                    // A page may close itself on a click.
                    None | Some(Refusal::Closed) => Ok(output),
                    Some(refusal) => detached(refusal),
                },
                Ok(output) => Ok(output),
            },
            refusal = &mut sent_out => detached(refusal),
            () = cancel.cancelled() => cut(FaultCode::Cancelled, "it was stopped"),
            () = gone.cancelled() => cut(FaultCode::BrowserDown, GONE),
            () = shutdown.cancelled() => cut(FaultCode::Updating, "gstack is ending"),
        }
    }

    /// Builds the context that a command runs with.
    pub(super) fn context(
        &self,
        browser: Browser,
        pages: Pages,
        target: Target<'_>,
        cancel: CancellationToken,
    ) -> Result<Context, Fault> {
        let by_setting = || self.config().browser.dialogs.policy(browser.is_headless());
        Ok(Context {
            dialogs: target.dialogs.unwrap_or_else(by_setting),
            browser,
            recordings: self.inner.recordings.clone(),
            pages: pages.with_snapshot_limit(self.config().browser.snapshot_limit),
            tab: target.tab,
            on_tab_switch: target.on_tab_switch,
            tab_set: target.tab_set,
            leased: BTreeMap::new(),
            only_on: target.only_on,
            expected: target.expected,
            pointer: target.pointer,
            for_model: target.for_model,
            reader: target.me.map(|id| id.as_str().to_owned()),
            cwd: target.cwd.map(Path::to_owned),
            temp_folder: folders::temporary(self.home())?,
            state_folder: self.own_folder().join("states"),
            gstack_home: self.home().root().to_owned(),
            progress: Progress::default(),
            steps: Steps::default(),
            effects: Effects::default(),
            cancel,
        })
    }

    /// Starts a headless browser for the first command of a terminal.
    pub(super) async fn start_headless(&self, request: &CommandRequest) -> Result<(), Fault> {
        if request.no_autostart {
            let why = format!("`{}` needs one, and GSTACK_NO_AUTOSTART is set", request.command);
            return Err(BrowsersError::NotOpen(catalogue::NO_BROWSER.with([&why])).into());
        }
        // A person may have limited the browser since.
        self.settings().read_again().await?;
        let connect = ConnectRequest {
            headless: Some(true),
            cwd: request.cwd.clone(),
            environment: request.environment.clone(),
            ..ConnectRequest::default()
        };
        self.open_browser(&connect, &mut |_| {}).await.map(|_| ())
    }

    /// Returns the home with symbolic links on its path resolved.
    fn own_folder(&self) -> std::path::PathBuf {
        self.home().root().canonicalize().unwrap_or_else(|_| self.home().root().to_owned())
    }
}

/// The target of a command.
#[derive(Default)]
pub(super) struct Target<'a> {
    /// If absent, the current tab.
    pub(super) tab: Option<TabId>,
    pub(super) on_tab_switch: TabSwitch,
    /// The only tabs that the client may know of. If absent, all tabs.
    pub(super) tab_set: Option<Vec<TabId>>,
    /// The client's working directory.
    pub(super) cwd: Option<&'a Path>,
    /// The command acts in the page only while the tab shows this.
    pub(super) only_on: Option<site::SiteOrPage>,
    /// Input must still go to these elements, or the command run in this document.
    pub(super) expected: Option<Expected>,
    /// Receives the position of input.
    pub(super) pointer: Option<PointerWatch>,
    /// True if a model reads the output.
    pub(super) for_model: bool,
    /// How to answer dialogs that open during the command. If absent, the person's setting applies.
    pub(super) dialogs: Option<DialogPolicy>,
    /// The conversation of the driver or agent that asks. `None` for the person.
    pub(super) me: Option<&'a ConversationId>,
}

/// Returns how the command moves the current tab: only a client that named no tab moves it.
pub(super) fn tab_switch_of(named: Option<TabId>) -> TabSwitch {
    if named.is_none() { TabSwitch::BrowserCurrent } else { TabSwitch::Ignored }
}

/// Notes in the outcome that the browser is a new one.
fn in_new_browser(outcome: Result<Output, Fault>) -> Result<Output, Fault> {
    const NEW: &str = "The previous browser was closed or crashed, and its tabs are gone. This is a new browser.";
    match outcome {
        Ok(mut output) => {
            output.say(Some(NEW.to_owned()));
            Ok(output)
        }
        Err(fault) => {
            let hint = fault.hint.as_deref().map_or_else(|| NEW.to_owned(), |hint| format!("{NEW}\n  {hint}"));
            Err(fault.hint(hint))
        }
    }
}
