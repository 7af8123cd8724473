//! `connect`: opens a browser with a connected side panel and reports each step as it ends.
//!
//! Owns the order of the steps. A second `connect` finds what the first one opened.

use super::BrowserConnection;
use super::error::ConnectError;
use crate::browsers::{Browsers, BrowsersError, ChangeTurn};
use crate::command_runner::Target;
use crate::folders;
use gstack_agent::agent_list::Look;
use gstack_base::counted::counted;
use gstack_base::profiles::ProfileName;
use gstack_browser::browser::Browser;
use gstack_browser::launch::{self, LaunchOptions, side_panel};
use gstack_command::{Call, TabSwitch};
use gstack_protocol::EXTENSION_ID;
use gstack_protocol::agents::AgentStatus;
use gstack_protocol::catalogue;
use gstack_protocol::command::CommandRequest;
use gstack_protocol::control::{ConnectLine, ConnectRequest, Connected};
use gstack_protocol::fault::Fault;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use url::Url;

/// How long the extension may take to connect after it was loaded.
const PANEL_LIMIT: Duration = Duration::from_secs(20);
/// How long to wait for its hello before the panel is opened without it.
const HELLO_LIMIT: Duration = Duration::from_secs(5);
/// Variables that a browser gets from the daemon's environment. The rest, and PATH if set, come from the requesting
/// terminal.
const KEPT_VARIABLES: [&str; 8] = ["HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "TMPDIR", "GSTACK_HOME"];

/// A callback that reports to the terminal what was done and how long it took.
pub(super) type Tell<'a> = dyn FnMut(ConnectLine) + Send + 'a;

pub(super) struct Step {
    began: Instant,
}

impl Step {
    pub(super) fn begin() -> Self {
        Self { began: Instant::now() }
    }
    pub(super) fn done(self, tell: &mut Tell<'_>, name: &str, detail: impl Into<String>) {
        let millis = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        tell(ConnectLine::Step { name: name.to_owned(), detail: detail.into(), millis });
    }
}

impl BrowserConnection {
    /// Opens the browser with its panel, or finds the open one. The last line is `Done` or `Failed`.
    pub fn connect(&self, request: ConnectRequest, lines: mpsc::Sender<ConnectLine>) {
        let connection = match &request.name {
            Some(name) => self.browsers.to_open(name).map(|browsers| self.in_browser(browsers)),
            None => Ok(self.clone()),
        };
        self.tasks.spawn(async move {
            // If the terminal disconnects, the work continues and its lines are dropped.
            let mut tell = |line| {
                if lines.try_send(line).is_err() {
                    tracing::debug!("nobody reads the steps of connect");
                }
            };
            let outcome = match connection {
                Ok(connection) => {
                    let shutdown = connection.tasks.shutdown();
                    tokio::select! {
                        outcome = connection.connect_until_open(&request, &mut tell) => outcome,
                        () = shutdown.cancelled() => Err(ConnectError::Ended.into()),
                    }
                }
                Err(fault) => Err(fault),
            };
            let last = match outcome {
                Ok(connected) => ConnectLine::Done(connected),
                Err(fault) => ConnectLine::Failed(fault),
            };
            tell(last);
        });
    }

    /// Retries once if the open browser was about to end, so that a new one is opened instead.
    async fn connect_until_open(&self, request: &ConnectRequest, tell: &mut Tell<'_>) -> Result<Connected, Fault> {
        let found_open = self.browsers.current().is_some();
        let outcome = self.connect_steps(request, tell).await;
        match outcome {
            Err(fault) if found_open && !self.browsers.is_open() => {
                tracing::info!(%fault, "the browser ended while it was connected to; another one is opened");
                self.connect_steps(request, tell).await
            }
            outcome => outcome,
        }
    }

    async fn connect_steps(&self, request: &ConnectRequest, tell: &mut Tell<'_>) -> Result<Connected, Fault> {
        if let Some(cwd) = &request.cwd {
            self.conversations.connected_from(cwd);
        }
        self.settings.read_again().await?;
        if (request.attach.is_some() || request.everyday || request.remote.is_some())
            && !self.config.get().browser.only_sites.is_empty()
        {
            return Err(BrowsersError::NotLimited.into());
        }
        let new_folders = self.agents.learn_path(request.path.as_deref());
        let started = match (&request.attach, &request.remote) {
            (Some(address), _) => self.attach_browser(address, tell).await?,
            (None, Some(remote)) => self.connect_remote(remote, &request.keys, tell).await?,
            (None, None) if request.everyday => self.connect_everyday(tell).await?,
            (None, None) => self.open_browser(request, tell).await?,
        };
        let browser = self
            .browsers
            .current()
            .ok_or_else(|| BrowsersError::NotOpen(catalogue::NO_BROWSER.with(["it closed while it was opening"])))?;
        // The welcome page opens after the extension: Chrome adds no content script to pages that are already open.
        let attached = self.browsers.is_attached();
        let welcome = (started && !attached).then(|| self.welcome_url.clone());
        let welcome = welcome.filter(|url| Url::parse(url).is_ok_and(|url| browser.only_sites().covers_url(&url)));
        if let Some(url) = request.url.as_ref().or(welcome.as_ref()) {
            let step = Step::begin();
            let name = if started && !attached { "goto" } else { "newtab" };
            let call = Call::parse(name, std::slice::from_ref(url))?;
            let target = Target { on_tab_switch: TabSwitch::BrowserCurrent, ..Target::default() };
            let output = self.runner.run(&call, target, CancellationToken::new()).await?;
            step.done(tell, "page opened", output.text);
        }
        if !attached {
            self.open_panel(&browser, tell).await?;
        }
        let step = Step::begin();
        let look = if new_folders { Look::Again } else { Look::Known };
        let mut agents = self.agents.list(look).await.agents;
        if !new_folders && !agents.iter().any(|agent| agent.has_model && agent.fault.is_none()) {
            // One may have been installed since.
            agents = self.agents.list(Look::Again).await.agents;
        }
        let agent = agents.iter().find(|agent| agent.default).or(agents.first());
        let label = agent.map_or_else(|| "no agent".to_owned(), |agent| agent.label.clone());
        step.done(tell, "agent found", label.clone());
        if let Some(fault) = agent.and_then(|agent| agent.fault.as_ref()) {
            tell(ConnectLine::Notice(fault.message.clone()));
        }
        let missing = agents.iter().find(|agent| agent.status == AgentStatus::Missing && !agent.default);
        if let Some(missing) = missing {
            let how = missing.fault.as_ref().and_then(|f| f.command.clone()).unwrap_or_default();
            tell(ConnectLine::Notice(format!("{} is not installed: {how}", missing.label)));
        }
        Ok(Connected {
            mode: self.browsers.mode().to_owned(),
            browser_pid: self.browsers.pid(),
            started,
            panel: self.ports.has_panel(browser.run()) || (self.browsers.name().is_main() && self.ports.panels() > 0),
            agent: label,
            profile: self.browsers.profile().map(|profile| profile.to_string()),
            name: Some(self.browsers.name().to_string()).filter(|_| !self.browsers.name().is_main()),
        })
    }

    /// Opens the browser and loads the extension. Returns false if it was open already.
    pub(super) async fn open_browser(&self, request: &ConnectRequest, tell: &mut Tell<'_>) -> Result<bool, Fault> {
        let turn = self.browsers.turn().await;
        self.open_browser_in_turn(&turn, request, tell).await
    }

    /// Does the same for a caller that already holds the turn to change the browser.
    pub(super) async fn open_browser_in_turn(
        &self,
        _turn: &ChangeTurn<'_>,
        request: &ConnectRequest,
        tell: &mut Tell<'_>,
    ) -> Result<bool, Fault> {
        let wanted = request.profile.as_deref().map(ProfileName::parse).transpose().map_err(ConnectError::from)?;
        if let Some(browser) = self.browsers.current() {
            self.check_profile(wanted.as_ref())?;
            let step = Step::begin();
            let status = match browser.is_headless() {
                _ if self.browsers.is_attached() => "attached",
                true => "headless",
                false => "with a window",
            };
            step.done(
                tell,
                "browser found",
                format!("already open, {status}, {}", counted(browser.tabs().len(), "tab")),
            );
            if request.headless == Some(false) && browser.is_headless() {
                tell(ConnectLine::Notice(
                    "The open browser has no window. For one: gstack disconnect, then gstack connect.".to_owned(),
                ));
            }
            return Ok(false);
        }
        self.browsers.check_room()?;
        let step = Step::begin();
        let folder = (self.provision.unpack_extension)(&self.home)?;
        let profile = wanted.clone().unwrap_or_else(|| self.usual_profile());
        self.check_not_in_use(&profile)?;
        let home = self.browsers.home();
        // Nothing is written into the profile of an open browser.
        launch::check_free(&home, &profile)?;
        if !profile.is_default() {
            folders::private(self.home.profiles())?;
        }
        let profile_folder = folders::private(home.profile(&profile))?;
        (self.provision.register_host)(&profile_folder)?;
        step.done(tell, "host registered", format!("in {}", profile_folder.display()));

        let step = Step::begin();
        let started = launch::start(&home, &self.launch_options(request, profile)).await?;
        let (found, notes) = (started.browser, started.notes);
        let browser = self.browsers.use_kept(started.link).await?;
        // The browser that was found may be one that another process has just started.
        self.check_profile(wanted.as_ref())?;
        let mode = if browser.is_headless() { ", without a window" } else { "" };
        let of_profile = self.browsers.profile().filter(|profile| !profile.is_default());
        let of_profile = of_profile.map(|profile| format!(", profile {profile}")).unwrap_or_default();
        let detail = found.as_ref().map_or_else(
            || "using the browser that is already open".to_owned(),
            |found| format!("{} ({}){mode}{of_profile}", found.name, found.path.display()),
        );
        step.done(tell, "browser started", detail);
        for note in notes {
            tell(ConnectLine::Notice(note));
        }

        let step = Step::begin();
        let loaded = side_panel::load_extension(&browser, &folder).await?;
        step.done(tell, "extension loaded", format!("version {}", loaded.version));
        Ok(found.is_some())
    }

    /// Returns the profile of a browser that is opened without naming one. Only the main browser has the configured one:
    /// no two browsers can use the same.
    fn usual_profile(&self) -> ProfileName {
        if self.browsers.name().is_main() { self.config.get().browser.profile() } else { ProfileName::default() }
    }

    /// Fails if another browser of this daemon uses the profile. Each one has its own default profile.
    fn check_not_in_use(&self, profile: &ProfileName) -> Result<(), ConnectError> {
        let uses_it = |other: &Browsers| {
            other.name() != self.browsers.name() && other.profile().as_ref().is_some_and(|open| open == profile)
        };
        match self.browsers.all().into_iter().find(uses_it).filter(|_| !profile.is_default()) {
            Some(other) => {
                Err(ConnectError::ProfileOfOther { profile: profile.clone(), browser: other.name().clone() })
            }
            None => Ok(()),
        }
    }

    /// Fails if the browser in use has another profile than the requested one.
    fn check_profile(&self, wanted: Option<&ProfileName>) -> Result<(), ConnectError> {
        match (wanted, self.browsers.profile()) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(ConnectError::OtherBrowser),
            (Some(wanted), Some(open)) if *wanted == open => Ok(()),
            (Some(wanted), Some(open)) => Err(ConnectError::OtherProfile { wanted: wanted.clone(), open }),
        }
    }

    /// Opens the chosen browser, which is not connected, for a command. Only the main one is opened by a command, and not
    /// while an everyday browser is chosen whose extension is away.
    pub(crate) async fn open_for(&self, request: &CommandRequest) -> Result<(), Fault> {
        if self.browsers.everyday_is_chosen() {
            return Err(BrowsersError::EverydayAway.into());
        }
        if !self.browsers.name().is_main() {
            return Err(self.browsers.not_open());
        }
        if self.browsers.has_lost_remote() {
            return Err(BrowsersError::RemoteLost { why: self.browsers.why_lost().unwrap_or_default() }.into());
        }
        self.start_headless(request).await
    }

    /// Starts a headless browser for the first command of a terminal.
    async fn start_headless(&self, request: &CommandRequest) -> Result<(), Fault> {
        if request.no_autostart {
            let why = format!("`{}` needs one, and GSTACK_NO_AUTOSTART is set", request.command);
            return Err(BrowsersError::NotOpen(catalogue::NO_BROWSER.with([&why])).into());
        }
        // A person may have limited the browser since.
        self.settings.read_again().await?;
        let connect = ConnectRequest {
            headless: Some(true),
            cwd: request.cwd.clone(),
            environment: request.environment.clone(),
            profile: request.profile.clone(),
            ..ConnectRequest::default()
        };
        self.open_browser(&connect, &mut |_| {}).await.map(|_| ())
    }

    fn launch_options(&self, request: &ConnectRequest, profile: ProfileName) -> LaunchOptions {
        let config = self.config.get();
        let config = &config.browser;
        let mut environment: std::collections::BTreeMap<String, String> = KEPT_VARIABLES
            .iter()
            .filter_map(|name| std::env::var(name).ok().map(|value| ((*name).to_owned(), value)))
            .collect();
        environment.insert("GSTACK_HOME".to_owned(), self.home.root().to_string_lossy().into_owned());
        environment.extend(request.environment.clone());
        environment.extend(request.path.clone().map(|path| ("PATH".to_owned(), path)));
        let from_environment = request.environment.get("GSTACK_BROWSER_ARGS").map(String::as_str).unwrap_or_default();
        let extra_args = config
            .arguments
            .iter()
            .cloned()
            .chain(from_environment.split_whitespace().map(str::to_owned))
            .chain(request.arguments.iter().cloned())
            .collect();
        LaunchOptions {
            browser: request.program.as_ref().map(PathBuf::from),
            configured_browser: config.path.clone(),
            headless: request.headless.or(config.headless),
            extra_args,
            only_sites: config.only_sites.clone(),
            environment: Some(environment),
            first_url: Some("about:blank".to_owned()),
            profile,
            ..LaunchOptions::default()
        }
    }

    /// Opens the side panel and waits until it has said hello.
    pub(super) async fn open_panel(&self, browser: &Browser, tell: &mut Tell<'_>) -> Result<(), Fault> {
        let step = Step::begin();
        let mut changed = self.ports.watch();
        if !side_panel::is_open(browser, EXTENSION_ID).await? {
            // The close of a panel a moment ago may not have been reported yet.
            self.ports.forget_panels(browser.run());
            // The button does nothing until the extension's worker has run, which its hello confirms.
            let greeted = changed.wait_for(|()| self.ports.has_greeted(browser.run()));
            if tokio::time::timeout(HELLO_LIMIT, greeted).await.is_err() {
                tracing::warn!("the extension has not said hello; its panel is opened all the same");
            }
            let tab = browser.current().await?;
            side_panel::open(browser, EXTENSION_ID, &tab).await?;
        }
        let connected = async {
            while !self.ports.has_panel(browser.run()) {
                if changed.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            within = tokio::time::timeout(PANEL_LIMIT, connected) => {
                within.map_err(|_| ConnectError::NoPanel(self.ports.missing(browser.run())))?;
            }
            () = browser.gone().cancelled() => {
                return Err(BrowsersError::NotOpen(catalogue::NO_BROWSER.with(["it closed while it was opening"])).into());
            }
        }
        step.done(tell, "panel connected", "side panel → background → host → daemon");
        Ok(())
    }
}
