//! The context that a command runs in, and the output it returns.
//!
//! Owns the choice of the tab. Never decides whether a command may run: the caller has already decided.

use super::envelope;
use super::folders::Folders;
use super::progress::Progress;
use super::recording_log::RecordingLog;
use super::sign_ins::SignInSource;
use super::steps::Steps;
use crate::privacy::url_guard;
use gstack_base::site::SiteOrPage;
use gstack_base::site_list::SiteList;
use gstack_browser::browser::Browser;
use gstack_browser::dialogs::DialogPolicy;
use gstack_browser::effects::Effects;
use gstack_browser::page::error::PageError;
use gstack_browser::page::video::Recordings;
use gstack_browser::page::{Expected, Page, Pages, PointerWatch};
use gstack_browser::tab::Tab;
use gstack_protocol::catalogue;
use gstack_protocol::command::{ActsOn, CommandResult};
use gstack_protocol::effects::Effect;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Everything that a command needs to run.
#[derive(Clone)]
pub struct Context {
    /// The browser to work in.
    pub browser: Browser,
    /// State about the browser's tabs. One for each browser, shared by all its commands.
    pub pages: Pages,
    /// Video recordings, also of earlier browsers.
    pub recordings: Recordings,
    /// The log of active recordings, which the next daemon reads.
    pub recording_log: RecordingLog,
    /// The tab to work on; `None` for the browser's current tab.
    pub tab: Option<TabId>,
    /// The state that changes when the client switches to another tab.
    pub on_tab_switch: TabSwitch,
    /// The only tabs that the client may see, work on and close; `None` for all tabs.
    pub tab_set: Option<Vec<TabId>>,
    /// The tabs that others than the client lease, and their names. Only for commands that list tabs or
    /// run others.
    pub leased: BTreeMap<TabId, String>,
    /// The client's working directory, absolute. `None` restricts paths to the temp directories.
    pub cwd: Option<PathBuf>,
    /// A private folder for files without a given path. It exists.
    pub temp_folder: PathBuf,
    /// Only the working directory is open, and not the temp directories: the client is on another machine.
    pub is_confined: bool,
    /// The private folder of saved states. It may not exist yet.
    pub state_folder: PathBuf,
    /// gstack's home folder. A model's paths must stay outside it.
    pub gstack_home: PathBuf,
    /// A private folder for copies of what a model uploads.
    pub copies_folder: PathBuf,
    /// The command acts only while the tab shows this place: approval for one page must not carry over to the next.
    /// `None` for any page.
    pub only_on: Option<SiteOrPage>,
    /// The sites that the command may act on. If absent, all.
    pub acts_on: Option<ActsOn>,
    /// The elements that must still receive the input just before it is sent, or the document in which the command must
    /// run. `None` skips the check.
    pub expected: Option<Expected>,
    /// Notified of the pointer's position, if somebody watches the actions.
    pub pointer: Option<PointerWatch>,
    /// Receives the progress of a long command.
    pub progress: Progress,
    /// The progress of a command that runs others.
    pub steps: Steps,
    /// The side effects of the command. Each command has its own list.
    pub effects: Effects,
    /// How to answer dialogs that open while the command works on a page.
    pub dialogs: DialogPolicy,
    /// Whether a model reads the output: if so, content hidden from a person is marked, and all page content is in the
    /// envelope.
    pub for_model: bool,
    /// The reader of the output: the conversation of an agent or an MCP client; `None` for the person.
    pub reader: Option<String>,
    /// The sign-ins that the person saved.
    pub sign_ins: Arc<dyn SignInSource>,
    /// Cancels the command.
    pub cancel: CancellationToken,
}

impl From<&Context> for Folders {
    fn from(context: &Context) -> Self {
        Self {
            cwd: context.cwd.clone(),
            temp_folder: context.temp_folder.clone(),
            is_confined: context.is_confined,
            gstack_home: context.gstack_home.clone(),
            for_model: context.for_model,
        }
    }
}

/// The state that changes when a client switches tabs with `tab` or `newtab`.
#[derive(Clone, Default)]
pub enum TabSwitch {
    /// The browser's current tab (for the terminal).
    BrowserCurrent,
    /// Nothing: the client named its tab.
    #[default]
    Ignored,
    /// The client's own record of its tab. Called as soon as the tab exists, before anything loads in it.
    Callback(Arc<dyn Fn(TabId) -> Result<(), Fault> + Send + Sync>),
}

impl Context {
    /// Returns the tab that the command works on.
    ///
    /// # Errors
    ///
    /// Fails if the tab was closed or never existed, or no tab is open.
    pub async fn tab(&self) -> Result<Tab, Fault> {
        Ok(match self.tab {
            Some(id) => self.browser.tab(id)?,
            None => self.browser.current().await?,
        })
    }
    /// Makes this the tab that the client works on.
    pub(crate) fn switch_to(&self, id: TabId) -> Result<(), Fault> {
        match &self.on_tab_switch {
            TabSwitch::BrowserCurrent => self.browser.set_current(id).map(|_| ()).map_err(Fault::from),
            TabSwitch::Ignored => Ok(()),
            TabSwitch::Callback(switch) => switch(id),
        }
    }
    /// Whether the client may see a tab.
    pub(crate) fn sees(&self, id: TabId) -> bool {
        self.tab_set.as_ref().is_none_or(|set| set.contains(&id))
    }
    /// Returns a tab that the client named. For tabs outside its tab set, the fault does not reveal whether they exist.
    pub(crate) fn named_tab(&self, id: TabId) -> Result<Tab, Fault> {
        if self.sees(id) {
            return Ok(self.browser.tab(id)?);
        }
        Err(self.leased.get(&id).map_or_else(|| not_in_set(id), |name| leased(id, name)))
    }
    /// Returns the address to open from what was typed. Fails if it is not an address, or not one this browser may reach.
    pub(crate) fn address(&self, typed: &str) -> Result<Url, Fault> {
        let url = url_guard::check(typed)?;
        let limits = self.browser.limits();
        match limits.refusing(&url).and_then(|sites| Some((sites.place_of(&url)?, sites))) {
            Some((place, sites)) => Err(self.not_among(&place, sites, *sites == limits.configured)),
            None => Ok(url),
        }
    }
    fn not_among(&self, place: &str, sites: &SiteList, is_configured: bool) -> Fault {
        let hint = match (self.for_model, is_configured) {
            (true, _) => "The person limited this browser. Ask them if you need this site.",
            (false, true) => "To change that: gstack policy only",
            (false, false) => {
                "It was opened with an earlier list. To use the new one: gstack disconnect, then gstack connect"
            }
        };
        Fault::new(FaultCode::UrlRefused, format!("this browser may reach only {sites}, not {place}")).hint(hint)
    }
    /// Returns the place whose documents a lasting setting applies to; `None` for all. A model's setting is bound to
    /// the place where it was allowed.
    pub(crate) fn bound_to(&self, page: &Page) -> Result<Option<SiteOrPage>, Fault> {
        if !self.for_model {
            return Ok(None);
        }
        match &self.only_on {
            Some(place) => Ok(Some(place.clone())),
            None => Ok(Some(SiteOrPage::of(&page.url()?))),
        }
    }
    /// Marks output as page content, so that a model gets it in the envelope. A person's scripts read it without one.
    pub(crate) fn told_by_page(&self, page: &Page, mut output: Output) -> Output {
        if self.for_model && !output.text.is_empty() {
            output.source_url = Some(page.url().unwrap_or_else(|_| "the page".to_owned()));
        }
        output
    }
    /// Combines our text with page content. A model gets the two apart, with `theirs` in the envelope; others get
    /// `said`, which contains both.
    pub(crate) fn told_with_page(&self, page: &Page, ours: String, theirs: String, said: String) -> Output {
        if !self.for_model {
            return Output::text(said);
        }
        Output { head: Some(ours), ..self.told_by_page(page, Output::text(theirs)) }
    }
    /// Converts an output to the form that is sent to the requester.
    pub(crate) fn travelling(&self, output: Output) -> CommandResult {
        if self.for_model { output.into_result_for_model() } else { output.into_result() }
    }
    /// Opens the tab's page, waiting for its turn.
    pub(crate) async fn page(&self) -> Result<Page, Fault> {
        Ok(self.page_or_error().await?)
    }
    /// Does the same, for a command that has another way if the page cannot be opened.
    pub(crate) async fn page_or_error(&self) -> Result<Page, PageError> {
        let tab = match self.tab {
            Some(id) => self.browser.tab(id)?,
            None => self.browser.current().await?,
        };
        let page = self.pages.open(&tab).await?;
        let page =
            page.only_to(self.expected.clone()).only_on(self.only_on.clone()).await?.watched_by(self.pointer.clone());
        let page = page.acting_on(self.acts_on.clone()).await?;
        page.recorded(&self.effects, self.dialogs.clone())
    }
}

/// Returns the fault for a tab that someone else leases.
pub fn leased(tab: TabId, name: &str) -> Fault {
    Fault::new(FaultCode::Leased, catalogue::TAB_LEASED.with([tab.to_string().as_str(), name]))
        .hint(catalogue::TAB_LEASED_NEXT)
}

/// Returns the fault for a tab outside the client's tab set.
pub fn not_in_set(id: TabId) -> Fault {
    Fault::new(FaultCode::Forbidden, format!("tab {id} is not one of this conversation's tabs")).hint(
        "`tabs` lists them. The person can add one in the panel: click the page's name at the top, then \"Add a tab\".",
    )
}

/// A command's output, before it is put in an envelope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// The text for people and for models.
    pub text: String,
    /// The same as JSON, if the command has structured output.
    pub data: Option<serde_json::Value>,
    /// The files that it wrote (absolute paths).
    pub files: Vec<PathBuf>,
    /// The URL of the page that the text comes from. Set by commands whose spec says `untrusted`; for a model, by all
    /// commands that report page content.
    pub source_url: Option<String>,
    /// The tab that the client works on from now on, if the command switched it.
    pub moved_to: Option<TabId>,
    /// The number of commands that failed inside it (`chain`, `tab-each`).
    pub failed_steps: usize,
    /// Our own text, placed before the envelope.
    pub head: Option<String>,
    /// Our own text, placed after the envelope.
    pub note: Option<String>,
    /// The command's side effects.
    pub effects: Vec<Effect>,
}

impl Output {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
    /// Page content, which goes into the envelope.
    pub(crate) fn from_page(text: impl Into<String>, url: impl Into<String>) -> Self {
        Self { text: text.into(), source_url: Some(url.into()), ..Self::default() }
    }
    #[must_use]
    pub(crate) fn data(mut self, data: impl Into<serde_json::Value>) -> Self {
        self.data = Some(data.into());
        self
    }

    /// Cuts the text to `most` bytes, at a line end if one is near. Returns the rest, if there is one.
    pub(crate) fn split_at(&mut self, most: usize) -> Option<String> {
        if self.text.len() <= most {
            return None;
        }
        let end = (0..=most).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or_default();
        let line = self.text[..end].rfind('\n').filter(|at| *at > end / 2);
        let mut rest = self.text.split_off(line.unwrap_or(end));
        // The data repeats the text at twice the length, so a reader that cannot take the text cannot use it either.
        self.data = None;
        rest.drain(..rest.len() - rest.trim_start().len());
        Some(rest)
    }

    /// Adds more of our own text after the envelope.
    pub fn say(&mut self, words: Option<String>) {
        let Some(words) = words else { return };
        self.note = Some(match self.note.take() {
            Some(before) => format!("{before}\n{words}"),
            None => words,
        });
    }

    /// Returns the result for people and their scripts, with page content in its envelope.
    pub fn into_result(self) -> CommandResult {
        self.wrapped(envelope::wrap)
    }

    /// Returns the result for a model, with an envelope whose markers a page cannot predict.
    pub fn into_result_for_model(self) -> CommandResult {
        self.wrapped(envelope::wrap_for_model)
    }

    fn wrapped(self, wrap: impl FnOnce(&str) -> String) -> CommandResult {
        let mut output = match &self.source_url {
            Some(_) => wrap(&self.text),
            None => self.text,
        };
        if let Some(head) = self.head {
            output = format!("{head}\n{output}");
        }
        if let Some(note) = self.note {
            output.push('\n');
            output.push_str(&note);
        }
        let files = self.files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let (data, effects, failed_steps) = (self.data, self.effects, self.failed_steps);
        CommandResult { output, data, files, effects, failed_steps, opened_browser: false }
    }
}
