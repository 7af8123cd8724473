//! Runs one command of the registry in a tab: builds its context, and ends it if its tab, its browser or the daemon ends.
//!
//! Owns the only way to run commands, for every client. Never opens a browser, and never asks who may run what: the
//! callers do.

mod error;

use crate::browsers::{Browsers, BrowsersError, sent_out_of};
use crate::config::ConfigFile;
use crate::drivers::{Drivers, Leases};
use crate::folders;
use crate::sign_ins::SignIns;
use crate::tasks::Tasks;
use error::{CutCause, CutOff, GONE, before_again, with_longer_limit};
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use gstack_base::home::Home;
use gstack_base::site;
use gstack_browser::browser::Browser;
use gstack_browser::dialogs::DialogPolicy;
use gstack_browser::effects::Effects;
use gstack_browser::page::video::Recordings;
use gstack_browser::page::{Expected, Pages, PointerWatch};
use gstack_command::spec::{Navigates, TabUse};
use gstack_command::{
    Call, Category, Context, Output, Progress, RecordingLog, Steps, TabSwitch, captions, everyday, registry,
};
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::command::ActsOn;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::{ConversationId, TabId};
use gstack_protocol::relay::Refusal;
use std::collections::BTreeMap;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// A command that takes so long may be waiting for a browser that is lost.
const SLOW: Duration = Duration::from_secs(10);

/// The target of a command.
#[derive(Clone, Default)]
pub(crate) struct Target<'a> {
    /// If absent, the current tab.
    pub(crate) tab: Option<TabId>,
    pub(crate) on_tab_switch: TabSwitch,
    /// The only tabs that the client may know of. If absent, all tabs.
    pub(crate) tab_set: Option<Vec<TabId>>,
    /// The client's working directory.
    pub(crate) cwd: Option<&'a Path>,
    /// Only files of that folder may be read and written.
    pub(crate) is_confined: bool,
    /// The command acts in the page only while the tab shows this.
    pub(crate) only_on: Option<site::SiteOrPage>,
    /// The sites that the command may act on. If absent, all.
    pub(crate) acts_on: Option<ActsOn>,
    /// Input must still go to these elements, or the command run in this document.
    pub(crate) expected: Option<Expected>,
    /// Receives the position of input.
    pub(crate) pointer: Option<PointerWatch>,
    /// True if a model reads the output.
    pub(crate) for_model: bool,
    /// How to answer dialogs that open during the command. If absent, the person's setting applies.
    pub(crate) dialogs: Option<DialogPolicy>,
    /// The conversation of the driver or agent that asks. `None` for the person.
    pub(crate) me: Option<&'a ConversationId>,
}

/// Returns how the command moves the current tab: only a client that named no tab moves it.
pub(crate) fn tab_switch_of(named: Option<TabId>) -> TabSwitch {
    if named.is_none() { TabSwitch::BrowserCurrent } else { TabSwitch::Ignored }
}

/// A handle to the runner. Cheap to clone.
#[derive(Clone)]
pub(crate) struct CommandRunner {
    pub(crate) home: Home,
    pub(crate) browsers: Browsers,
    pub(crate) config: ConfigFile,
    pub(crate) drivers: Drivers,
    /// The videos that are recorded: they outlive a browser.
    pub(crate) recordings: Recordings,
    pub(crate) recording_log: RecordingLog,
    pub(crate) sign_ins: SignIns,
    pub(crate) tasks: Tasks,
}

impl CommandRunner {
    /// Returns the same handle for another browser: that of commands without a tab.
    pub(crate) fn in_browser(&self, browsers: Browsers) -> Self {
        Self { browsers, ..self.clone() }
    }

    /// Runs a command on a tab, or on the current one.
    pub(crate) async fn run(
        &self,
        call: &Call,
        target: Target<'_>,
        cancel: CancellationToken,
    ) -> Result<Output, Fault> {
        self.run_telling(call, target, cancel, Progress::default()).await
    }

    /// Does the same and reports progress. A command that changes nothing runs once more if the connection to its everyday
    /// browser ends: its extension reconnects by itself.
    pub(crate) async fn run_telling(
        &self,
        call: &Call,
        target: Target<'_>,
        cancel: CancellationToken,
        progress: Progress,
    ) -> Result<Output, Fault> {
        let (browser, pages) = self.browser_for(call, target.tab).await?;
        let is_lost = |outcome: &Result<_, Fault>| {
            browser.gone().is_cancelled() && outcome.as_ref().is_err_and(|fault| fault.code == FaultCode::BrowserDown)
        };
        let again = target.clone();
        let outcome = self.run_watched((browser.clone(), pages), call, target, cancel.clone(), progress.clone()).await;
        if call.spec.changes() || !browser.is_relayed() || !is_lost(&outcome) {
            return outcome;
        }
        match self.browser_for(call, again.tab).await {
            Ok(next) => self.run_watched(next, call, again, cancel, progress).await,
            Err(_) => outcome,
        }
    }

    /// Returns the browser of a command. Waits for an everyday browser that has just disconnected.
    async fn browser_for(&self, call: &Call, tab: Option<TabId>) -> Result<(Browser, Pages), Fault> {
        self.browsers.everyday_back(tab).await;
        let found = self.browsers.pages_with(tab);
        found.ok_or_else(|| BrowsersError::NotOpen(catalogue::NO_BROWSER_FOR.with([call.spec.name])).into())
    }

    /// Runs a command in a browser. One that times out or takes long may have been waiting for a browser on another machine that
    /// is lost, which its connection does not always say.
    async fn run_watched(
        &self,
        (browser, pages): (Browser, Pages),
        call: &Call,
        target: Target<'_>,
        cancel: CancellationToken,
        progress: Progress,
    ) -> Result<Output, Fault> {
        let began = Instant::now();
        let run = self.run_in((browser.clone(), pages), call, target, cancel, progress);
        let (outcome, answered) = match select(pin!(run), pin!(self.browsers.remote_answers(&browser))).await {
            Either::Left((outcome, answers)) => {
                let answered = outcome.is_err() || answers.await;
                (outcome, answered)
            }
            Either::Right((answered, run)) => (run.await, answered),
        };
        if outcome.is_ok() && !answered && self.browsers.lose_if_silent(&browser).await {
            // gstack's own list of tabs is not an answer from the browser.
            return Err(BrowsersError::Closed.into());
        }
        let may_be_lost = match &outcome {
            Err(fault) if fault.code == FaultCode::Timeout => true,
            Err(fault) if fault.code == FaultCode::Cancelled => false,
            _ => began.elapsed() >= SLOW,
        };
        if !may_be_lost || !self.browsers.lose_if_silent(&browser).await {
            return outcome;
        }
        outcome.map_err(|fault| if fault.code == FaultCode::Timeout { BrowsersError::Closed.into() } else { fault })
    }

    async fn run_in(
        &self,
        (browser, pages): (Browser, Pages),
        call: &Call,
        target: Target<'_>,
        cancel: CancellationToken,
        progress: Progress,
    ) -> Result<Output, Fault> {
        let spec = call.spec;
        if browser.is_relayed() {
            everyday::check(call)?;
        }
        if spec.tab != TabUse::Lists {
            self.browsers.check_limit(&browser)?;
        }
        let gone = browser.gone().clone();
        let shutdown = self.tasks.shutdown();
        let tab = target.tab.or_else(|| browser.current_known()).filter(|_| spec.category != Category::Tabs);
        let watched = browser.clone();
        let mut sent_out = pin!(sent_out_of(&watched, tab));
        let meets_others = spec.tab == TabUse::Lists || spec.runs_others();
        let leased = if meets_others { self.drivers.leased_by_others(target.me) } else { Leases::new() };
        let context = Context { progress, leased, ..self.context(browser, pages, target, cancel.clone())? };
        let cut = |code, why| {
            let steps = context.steps.cut_off(spec.name, code, why, Some(&Sentence::from(before_again(code))));
            Err(steps.unwrap_or_else(|| CutOff { spec, by: CutCause::Ended { code, why } }.into()))
        };
        let detached = |refusal| Err(CutOff { spec, by: CutCause::Detached(refusal) }.into());
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
                    None => Err(with_longer_limit(spec, fault)),
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
    pub(crate) fn context(
        &self,
        browser: Browser,
        pages: Pages,
        target: Target<'_>,
        cancel: CancellationToken,
    ) -> Result<Context, Fault> {
        let by_setting = || self.config.get().browser.dialogs.policy(browser.is_headless());
        Ok(Context {
            dialogs: target.dialogs.unwrap_or_else(by_setting),
            browser,
            recordings: self.recordings.clone(),
            recording_log: self.recording_log.clone(),
            pages: pages.with_snapshot_limit(self.config.get().browser.snapshot_limit),
            tab: target.tab,
            on_tab_switch: target.on_tab_switch,
            tab_set: target.tab_set,
            leased: BTreeMap::new(),
            only_on: target.only_on,
            acts_on: target.acts_on,
            expected: target.expected,
            pointer: target.pointer,
            for_model: target.for_model,
            reader: target.me.map(|id| id.as_str().to_owned()),
            cwd: target.cwd.map(Path::to_owned),
            temp_folder: match target.cwd.filter(|_| target.is_confined) {
                Some(folder) => folder.to_owned(),
                None => folders::temporary(&self.home)?,
            },
            is_confined: target.is_confined,
            state_folder: self.own_folder().join("states"),
            gstack_home: self.home.shared().to_owned(),
            copies_folder: self.home.uploads(),
            progress: Progress::default(),
            steps: Steps::default(),
            effects: Effects::default(),
            sign_ins: Arc::new(self.sign_ins.clone()),
            cancel,
        })
    }

    /// Returns the home with symbolic links on its path resolved.
    fn own_folder(&self) -> std::path::PathBuf {
        self.home.root().canonicalize().unwrap_or_else(|_| self.home.root().to_owned())
    }
}
