//! The commands that people, scripts, named terminals and trusted drivers run: the checks before, the browser for the first one, and the
//! output.
//!
//! Owns the steps around a client's command. `command_runner` runs it; agents have their own way
//! (`tools`).

mod error;
mod other_tabs;
mod recording;
mod terminals;

use crate::activity::{ActivityLog, Source};
use crate::browser_connection::BrowserConnection;
use crate::browsers::{Browsers, BrowsersError};
use crate::command_runner::{CommandRunner, Target, tab_switch_of};
use crate::config::ConfigFile;
use crate::drivers::{Driver, Drivers, DriversError};
use crate::folders;
use crate::lease_requests::LeaseRequests;
use crate::ports::PortId;
use crate::status::StatusReport;
use crate::tabs::Tabs;
use crate::tasks::Tasks;
use error::NotOffered;
use gstack_base::browser_names::MAIN;
use gstack_base::home::Home;
use gstack_command::spec::{EngineCommand, Needs, TabUse};
use gstack_command::{Call, Class, Folders, Output, Progress, Rests, registry, tool_schema};
use gstack_protocol::activity::ActivitySource;
use gstack_protocol::command::{CommandLine, CommandRequest, CommandResult, CommandRun};
use gstack_protocol::driver::DriverKind;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A handle to the commands of people, scripts and trusted drivers. Cheap to clone.
#[derive(Clone)]
pub struct Commands {
    pub(crate) home: Home,
    pub(crate) activity: ActivityLog,
    pub(crate) browsers: Browsers,
    pub(crate) config: ConfigFile,
    pub(crate) connection: BrowserConnection,
    pub(crate) drivers: Drivers,
    pub(crate) lease_requests: LeaseRequests,
    pub(crate) runner: CommandRunner,
    pub(crate) status: StatusReport,
    pub(crate) tabs: Tabs,
    pub(crate) tasks: Tasks,
    /// The parts of results that were cut for the models of trusted drivers.
    pub(crate) rests: Rests,
}

impl Commands {
    /// Runs a command from the terminal or a script.
    pub async fn run(&self, request: CommandRequest, source: ActivitySource) -> Result<CommandResult, Fault> {
        self.run_telling(request, source.into(), None, Progress::default()).await
    }

    /// Runs a command of a driver that acts as the person: not in a tab that another driver leases, and that of a terminal
    /// only in tabs of its own.
    pub async fn run_as_driver(&self, driver: Arc<Driver>, request: CommandRequest) -> Result<CommandResult, Fault> {
        self.run_telling(request, source_of(&driver), Some(&driver), Progress::default()).await
    }

    /// Does the same and sends progress lines; the last is `Done` or `Failed`. Stops when no one reads them.
    pub fn run_in_lines(
        &self,
        request: CommandRequest,
        source: ActivitySource,
        terminal: Option<Arc<Driver>>,
        lines: mpsc::Sender<CommandLine>,
    ) {
        let commands = self.clone();
        let source = terminal.as_deref().map_or_else(|| source.into(), source_of);
        self.tasks.spawn(async move {
            let progress = Progress::to(lines.clone());
            let outcome = tokio::select! {
                outcome = commands.run_telling(request, source, terminal.as_deref(), progress) => outcome,
                () = lines.closed() => return,
            };
            let last = outcome.map_or_else(CommandLine::Failed, CommandLine::Done);
            if lines.send(last).await.is_err() {
                tracing::debug!("nobody reads a command's end");
            }
        });
    }

    /// Runs a command and records it in the activity log, whatever its outcome.
    async fn run_telling(
        &self,
        request: CommandRequest,
        source: Source,
        driver: Option<&Driver>,
        progress: Progress,
    ) -> Result<CommandResult, Fault> {
        if let Some(cursor) = &request.cursor {
            return self.read_on(cursor, &request);
        }
        let request = match driver.filter(|driver| driver.has_own_tabs()) {
            Some(terminal) => self.in_own_tab(terminal, request).await,
            None => request,
        };
        let call = Call::parse(&request.command, &request.args);
        match self.browser_of(&request) {
            Ok(browsers) => self.in_browser(browsers).run_in_chosen(request, source, driver, call, progress).await,
            Err(fault) => {
                let begun = self.activity.begin_unreadable(source, request.tab_id, &request.command, &request.args);
                begun.end(Err(&fault));
                Err(fault)
            }
        }
    }

    /// Returns the browser that a request is for. Fails if a model names a tab of another one than it was started for.
    fn browser_of(&self, request: &CommandRequest) -> Result<Browsers, Fault> {
        let browsers = self.browsers.of_request(request.tab_id, request.browser.as_deref())?;
        match request.for_model && request.browser.is_none() && !browsers.name().is_main() {
            true => Err(NotOffered::OtherBrowser { browser: browsers.name().to_string() }.into()),
            false => Ok(browsers),
        }
    }

    /// Returns the same handle for another browser.
    fn in_browser(&self, browsers: Browsers) -> Self {
        Self {
            runner: self.runner.in_browser(browsers.clone()),
            connection: self.connection.in_browser(browsers.clone()),
            browsers,
            ..self.clone()
        }
    }

    async fn run_in_chosen(
        &self,
        request: CommandRequest,
        source: Source,
        driver: Option<&Driver>,
        call: Result<Call, Fault>,
        progress: Progress,
    ) -> Result<CommandResult, Fault> {
        let kind = source.kind;
        let tab = request.tab_id.or_else(|| self.browsers.current_tab());
        let begun = match &call {
            Ok(call) => {
                let pages = self.browsers.pages_with(tab).map(|(_, pages)| pages);
                let described = |name: &str| pages.as_ref()?.role_and_name(tab?, name);
                self.activity.begin_on(source, tab, call, &described)
            }
            Err(_) => self.activity.begin_unreadable(source, tab, &request.command, &request.args),
        };
        // Report an error in the arguments before starting a browser.
        let outcome = match call {
            Ok(call) => self.run_of_client(request, (kind, driver), call, progress).await,
            Err(fault) => Err(fault),
        };
        begun.end(outcome.as_ref().map(|result| result.output.as_str()));
        outcome
    }

    /// Returns the next part of a result that was cut.
    fn read_on(&self, cursor: &str, request: &CommandRequest) -> Result<CommandResult, Fault> {
        let spec = registry::find(&request.command).ok_or_else(|| registry::unknown(&request.command))?;
        let rest = self.rests.next(cursor, request.keeps.unwrap_or(usize::MAX), spec);
        rest.map(Output::into_result_for_model).ok_or_else(|| tool_schema::no_such_rest(spec))
    }

    async fn run_of_client(
        &self,
        request: CommandRequest,
        (source, driver): (ActivitySource, Option<&Driver>),
        call: Call,
        progress: Progress,
    ) -> Result<CommandResult, Fault> {
        if source == ActivitySource::Http
            && !self.config.get().daemon.script_secrets
            && let Some((refused, step)) = call.first_of(Class::SignIn)?
        {
            let step = step.map(|step| (call.spec.name, step));
            return Err(NotOffered::Script { command: refused.name, class: refused.class, step }.into());
        }
        if let Needs::Engine(command) = call.spec.needs {
            let mut request = request;
            if request.browser.is_some() && !matches!(command, EngineCommand::Handoff | EngineCommand::Status) {
                request.tab_id = request.tab_id.or_else(|| self.browsers.current_tab());
            }
            return self.run_in_engine(command, request, driver, &call).await;
        }
        let cwd = request.cwd.as_deref().map(Path::new);
        if matches!(call.spec.needs, Needs::Folder | Needs::BrowserUnless { .. }) {
            let open = Folders {
                cwd: cwd.map(Path::to_owned),
                temp_folder: folders::temporary(&self.home)?,
                is_confined: false,
                gstack_home: self.home.shared().to_owned(),
                for_model: request.for_model,
            };
            if let Some(outcome) = registry::run_without_browser(&call, open).await {
                return outcome.map(Output::into_result);
            }
        }
        self.run_in_pages(request, driver, call, progress).await
    }

    /// Runs a command that needs the browser, and opens the browser if a command may.
    async fn run_in_pages(
        &self,
        request: CommandRequest,
        driver: Option<&Driver>,
        call: Call,
        progress: Progress,
    ) -> Result<CommandResult, Fault> {
        let cwd = request.cwd.as_deref().map(Path::new);
        self.browsers.everyday_back(request.tab_id).await;
        let everyday = request.tab_id.and_then(|tab| self.browsers.everyday_with(tab));
        // What else a person has open is theirs to know, and not a model's.
        let terminal = driver.filter(|driver| driver.has_own_tabs());
        let lists_own = terminal.is_some() && call.arguments.has("--mine");
        let lists_all = call.spec.tab == TabUse::Lists && !request.for_model && !lists_own;
        if request.for_model
            && let Some(everyday) = &everyday
            && !self.browsers.is_in_use(everyday)
        {
            return Err(NotOffered::Model.into());
        }
        let has_own = self.browsers.current().is_some() || everyday.is_some();
        let has_others = !self.browsers.all_everyday().is_empty() || self.browsers.any_open();
        if lists_all && !has_own && has_others && self.browsers.name().is_main() {
            return Ok(self.with_other_tabs(Output::default(), None, None).into_result());
        }
        if request.tab_id.is_some_and(|tab| self.browsers.is_away(tab)) {
            return Err(BrowsersError::NotConnected.into());
        }
        let mut lost = false;
        if !has_own {
            lost = self.browsers.has_lost();
            self.connection.open_for(&request).await?;
        }
        let (for_model, keeps) = (request.for_model, request.keeps);
        let me = driver.map(|driver| driver.conversation.id());
        let own = match terminal {
            Some(terminal) => Some(self.own_tabs(terminal, &request, &call).await?),
            None => None,
        };
        let mine = own.as_ref().and_then(|own| own.set.clone()).filter(|_| lists_own);
        let (tab, tab_set, on_tab_switch) = match (terminal, &own) {
            (Some(terminal), Some(own)) => (own.tab, own.set.clone(), self.own_tab_switch(terminal)),
            _ => {
                let set = driver.map(|driver| self.drivers.tabs_of_trusted(driver, &request, &call)).transpose()?;
                (request.tab_id, set.flatten(), tab_switch_of(request.tab_id))
            }
        };
        self.browsers.keep_attached_for_terminal(tab);
        let acts_on = request.acts_on.clone();
        let target = Target { tab, on_tab_switch, cwd, for_model, me, tab_set, acts_on, ..Target::default() };
        let cancel = CancellationToken::new();
        let run = self.runner.run_telling(&call, target, cancel.clone(), progress);
        let outcome = match driver {
            Some(driver) if call.spec.tab != TabUse::Lists || for_model => {
                self.as_driver(driver, &call, tab, &cancel, run).await
            }
            _ => run.await,
        };
        if let (Some(terminal), Some(own)) = (terminal, own) {
            self.settle_own_tabs(terminal, own).await;
        }
        self.browsers.record_tabs().await;
        let outcome = self.browsers.note_outcome(outcome);
        let mut output = if lost { in_new_browser(outcome)? } else { outcome? };
        if lists_all || mine.is_some() {
            output = self.with_other_tabs(output, request.tab_id, mine.as_deref());
        }
        if !for_model {
            return Ok(CommandResult { opened_browser: !has_own, ..output.into_result() });
        }
        if let Some(keeps) = keeps {
            self.rests.cut(&mut output, keeps, call.spec);
        }
        Ok(output.into_result_for_model())
    }

    /// Runs a driver's command in a tab until the person takes that from it, and not while they work there.
    async fn as_driver<T>(
        &self,
        driver: &Driver,
        call: &Call,
        tab: Option<TabId>,
        cancel: &CancellationToken,
        run: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let Some(tab) = tab.or_else(|| self.browsers.current_tab()) else { return run.await };
        let needs_tab = driver.has_own_tabs() && !matches!(call.spec.tab, TabUse::Lists | TabUse::Opens);
        let run = self.drivers.until_taken_back(&driver.conversation, (tab, needs_tab), cancel, run);
        self.drivers.unless_paused(driver, tab, cancel, run).await
    }

    /// Runs a command that needs no page.
    async fn run_in_engine(
        &self,
        command: EngineCommand,
        request: CommandRequest,
        driver: Option<&Driver>,
        call: &Call,
    ) -> Result<CommandResult, Fault> {
        match (command, driver) {
            (EngineCommand::Status, _) => {
                let mut status = self.status.asked().await;
                if request.for_model {
                    // What else a person has open is theirs to know.
                    let own = request.browser.as_deref().unwrap_or(MAIN);
                    status.browsers.retain(|browser| browser.name == own);
                }
                let data = serde_json::to_value(&status).ok();
                Ok(CommandResult { output: status.text(None), data, ..CommandResult::default() })
            }
            (EngineCommand::Handoff, _) => self.connection.handoff(request, call.arguments.text("message")).await,
            (EngineCommand::Pause, Some(_)) => Err(DriversError::OnlyPersonPauses.into()),
            (EngineCommand::Pause, None) => self.drivers.pause_as_person(&request, call),
            // A client may go on after a handoff, but never hands back what the person took over.
            (EngineCommand::Resume, Some(_)) => {
                if self.drivers.has_pauses() || call.arguments.text("note").is_some() {
                    return Err(DriversError::OnlyPersonPauses.into());
                }
                self.connection.resume(&request).await
            }
            (EngineCommand::Resume, None) => {
                let note = call.arguments.text("note");
                match self.drivers.hand_back_as_person(request.tab_id, note.as_deref())? {
                    Some(handed_back) => Ok(handed_back),
                    None => self.connection.resume(&request).await,
                }
            }
            (EngineCommand::Lease, Some(driver)) => {
                self.lease_requests.lease(driver, &request, call, &CancellationToken::new()).await
            }
            (EngineCommand::Lease, None) => self.drivers.lease_as_person(&request, call),
            (EngineCommand::Release, _) => self.drivers.release(driver, &request, call),
        }
    }

    /// Runs a quick action of a panel on the tab that the panel shows.
    pub async fn run_from_panel(&self, port: PortId, run: CommandRun) -> Result<CommandResult, Fault> {
        let place = self.tabs.place_of(port, run.chrome_tab_id).await?;
        let request = run.request;
        let call = Call::parse(&request.command, &request.args)?;
        if self.browsers.of_port(port).is_none() {
            return Err(BrowsersError::NotConnected.into());
        }
        self.browsers.let_in(place.tab_id);
        let begun = self.activity.begin(ActivitySource::Panel, Some(place.tab_id), &call);
        let target = Target { tab: Some(place.tab_id), ..Target::default() };
        let outcome = self.runner.run(&call, target, CancellationToken::new()).await.map(Output::into_result);
        begun.end(outcome.as_ref().map(|result| result.output.as_str()));
        outcome
    }
}

/// Returns where the commands of a driver that acts as the person are recorded to come from.
fn source_of(driver: &Driver) -> Source {
    let kind = if driver.kind == DriverKind::Terminal { ActivitySource::Terminal } else { ActivitySource::Mcp };
    Source { driver: Some(driver.name.clone()), ..kind.into() }
}

/// Marks the browser as new in the outcome.
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
