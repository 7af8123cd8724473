//! What a command runs with, and what it gives.
//!
//! Owns the choice of the tab. Never decides whether a command may run: who calls has.

use super::envelope;
use super::progress::Progress;
use super::steps::Steps;
use crate::base::site::Place;
use crate::browser::browser::Browser;
use crate::browser::dialogs::DialogPolicy;
use crate::browser::effects::Effects;
use crate::browser::page::{Expected, Page, Pages, PointerWatch};
use crate::browser::tab::Tab;
use crate::command::privacy::url_guard;
use crate::protocol::command::CommandResult;
use crate::protocol::effects::Effect;
use crate::protocol::fault::{Fault, FaultCode};
use crate::protocol::ids::TabId;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Everything that a command runs with.
#[derive(Clone)]
pub struct Context {
    pub browser: Browser,
    /// What is remembered of the browser's tabs. One a browser, shared by all its commands.
    pub pages: Pages,
    /// The tab to work on; none: the browser's current one.
    pub tab: Option<TabId>,
    /// What moves when the client goes on in another tab.
    pub moves: Moves,
    /// The only tabs that the client may see, work on and close; none: all of them.
    pub tab_set: Option<Vec<TabId>>,
    /// The client's working directory, absolute; none: only the temp directories are open to paths.
    pub cwd: Option<PathBuf>,
    /// A private folder for files that no path was given for. It exists.
    pub temp_folder: PathBuf,
    /// Where saved states lie, private. It may not exist yet.
    pub state_folder: PathBuf,
    /// gstack's own home. A model's paths never lie in it.
    pub gstack_home: PathBuf,
    /// Nothing is done in the page but while the tab shows this: what was allowed on one page must not land on the
    /// next. None: wherever the tab is.
    pub only_on: Option<Place>,
    /// What input goes to must be this still, just before it is sent. None: anything.
    pub expected: Option<Expected>,
    /// Told where input goes, where somebody is shown what is done.
    pub pointer: Option<PointerWatch>,
    /// Where a long command tells how far it is.
    pub progress: Progress,
    /// How far a command has come that runs others.
    pub steps: Steps,
    /// What the command causes. A command of its own has a list of its own.
    pub effects: Effects,
    /// How dialogs are answered that open while the command works on a page.
    pub dialogs: DialogPolicy,
    /// A model reads the output: what is hidden from a person is marked so, and whatever a page says is in the envelope.
    pub for_model: bool,
    /// Ends the command.
    pub cancel: CancellationToken,
}

/// What moves when a client goes on in another tab by `tab` or `newtab`.
#[derive(Clone, Default)]
pub enum Moves {
    /// The browser's current tab (the terminal's).
    Current,
    /// Nothing: the client has named its tab.
    #[default]
    Nothing,
    /// What this keeps of the client. It is told as soon as the tab is there, before anything is loaded in it.
    Told(Arc<dyn Fn(TabId) -> Result<(), Fault> + Send + Sync>),
}

impl Context {
    /// The tab that the command is about.
    pub async fn tab(&self) -> Result<Tab, Fault> {
        Ok(match self.tab {
            Some(id) => self.browser.tab(id)?,
            None => self.browser.current().await?,
        })
    }
    /// The client works on this tab from now on.
    pub(in crate::command) fn move_to(&self, id: TabId) -> Result<(), Fault> {
        match &self.moves {
            Moves::Current => self.browser.set_current(id).map(|_| ()).map_err(Fault::from),
            Moves::Nothing => Ok(()),
            Moves::Told(told) => told(id),
        }
    }
    /// Whether the client may know of a tab.
    pub(in crate::command) fn sees(&self, id: TabId) -> bool {
        self.tab_set.as_ref().is_none_or(|set| set.contains(&id))
    }
    /// A tab that the client has named. Of one that it may not see not even that it is there is told.
    pub(in crate::command) fn named_tab(&self, id: TabId) -> Result<Tab, Fault> {
        if self.sees(id) { Ok(self.browser.tab(id)?) } else { Err(not_in_set(id)) }
    }
    /// The address to open, from what was typed. Fails if it is none, or none that this browser may reach.
    pub(in crate::command) fn address(&self, typed: &str) -> Result<Url, Fault> {
        let url = url_guard::check(typed)?;
        let sites = self.browser.only_sites();
        match url.host_str() {
            Some(host) if !sites.covers(host) => Err(not_among(host, &sites.to_string())),
            _ => Ok(url),
        }
    }
    /// The place whose documents a lasting setting is for; `None`: all. A model's is bound to where it was allowed.
    pub(in crate::command) fn bound_to(&self, page: &Page) -> Result<Option<Place>, Fault> {
        if !self.for_model {
            return Ok(None);
        }
        match &self.only_on {
            Some(place) => Ok(Some(place.clone())),
            None => Ok(Some(Place::of(&page.url()?))),
        }
    }
    /// What a page has said and a person's scripts read bare: a model gets it in the envelope.
    pub(in crate::command) fn told_by_page(&self, page: &Page, mut output: Output) -> Output {
        if self.for_model && !output.text.is_empty() {
            output.source_url = Some(page.url().unwrap_or_else(|_| "the page".to_owned()));
        }
        output
    }
    /// Our own words about what a page has said, which a model gets apart from them. `said`: both together.
    pub(in crate::command) fn told_with_page(&self, page: &Page, ours: String, theirs: String, said: String) -> Output {
        if !self.for_model {
            return Output::text(said);
        }
        Output { head: Some(ours), ..self.told_by_page(page, Output::text(theirs)) }
    }
    /// An output as it travels to the requester.
    pub(in crate::command) fn travelling(&self, output: Output) -> CommandResult {
        if self.for_model { output.into_result_for_model() } else { output.into_result() }
    }
    /// Waits for its turn on that tab.
    pub(in crate::command) async fn page(&self) -> Result<Page, Fault> {
        let page = self.pages.open(&self.tab().await?).await?;
        let page =
            page.only_on(self.only_on.clone()).await?.only_to(self.expected.clone()).watched_by(self.pointer.clone());
        Ok(page.recorded(&self.effects, self.dialogs.clone())?)
    }
}

/// The browser was started for some sites only.
fn not_among(host: &str, sites: &str) -> Fault {
    Fault::new(FaultCode::UrlRefused, format!("this browser reaches only {sites}, and not {host}"))
        .hint("To change that: gstack policy only, then gstack disconnect and gstack connect.")
}

/// A tab that a client with a set of tabs has named, and that is not in it.
pub fn not_in_set(id: TabId) -> Fault {
    Fault::new(FaultCode::Forbidden, format!("tab {id} is not one of this conversation's tabs"))
        .hint("`tabs` lists them. The person adds one in the panel: the page's name on top, then \"Add a tab\".")
}

/// What a command gave, before its envelope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    pub text: String,
    pub data: Option<serde_json::Value>,
    /// Files that it wrote (absolute paths).
    pub files: Vec<PathBuf>,
    /// The page that the text is from; set by commands whose spec says `untrusted`, and for a model by all that say
    /// what a page does.
    pub source_url: Option<String>,
    /// The tab that the client works on from now on, where the command moved it.
    pub moved_to: Option<TabId>,
    /// How many of the commands that it ran failed (`chain`, `tab-each`).
    pub failed_steps: usize,
    /// Our own words about it, which come before the envelope.
    pub head: Option<String>,
    /// The same, after it.
    pub note: Option<String>,
    /// What it caused beside.
    pub effects: Vec<Effect>,
}

impl Output {
    pub(in crate::command) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
    /// Page content: goes into the envelope.
    pub(in crate::command) fn from_page(text: impl Into<String>, url: impl Into<String>) -> Self {
        Self { text: text.into(), source_url: Some(url.into()), ..Self::default() }
    }
    #[must_use]
    pub(in crate::command) fn data(mut self, data: impl Into<serde_json::Value>) -> Self {
        self.data = Some(data.into());
        self
    }

    /// Cuts the text to so many bytes, at the end of a line where one is near, and says how much is missing.
    pub fn cut(&mut self, most: usize, how_to_narrow: &str) {
        if self.text.len() <= most {
            return;
        }
        let end = (0..=most).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or_default();
        let line = self.text[..end].rfind('\n').filter(|at| *at > end / 2);
        let rest = self.text.split_off(line.unwrap_or(end));
        // The same, twice as long, is of no use to who can't take the text.
        self.data = None;
        self.say(Some(format!("… {} more characters, {how_to_narrow}", rest.trim_start().chars().count())));
    }

    /// More words of ours after the text.
    pub fn say(&mut self, words: Option<String>) {
        let Some(words) = words else { return };
        self.note = Some(match self.note.take() {
            Some(before) => format!("{before}\n{words}"),
            None => words,
        });
    }

    /// As it travels to people and their scripts, page content in its envelope.
    pub fn into_result(self) -> CommandResult {
        self.wrapped(envelope::wrap)
    }

    /// As it travels to a model: what the envelope says can't be foreseen by a page.
    pub fn into_result_for_model(self) -> CommandResult {
        self.wrapped(envelope::wrap_for_model)
    }

    fn wrapped(self, wrap: impl FnOnce(&str, &str) -> String) -> CommandResult {
        let mut output = match &self.source_url {
            Some(url) => wrap(&self.text, url),
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
        CommandResult { output, data: self.data, files, effects: self.effects, failed_steps: self.failed_steps }
    }
}

#[cfg(test)]
mod tests {
    use super::Output;

    #[test]
    fn a_text_is_cut_at_a_line_and_what_is_missing_is_said_outside_of_the_envelope() {
        let mut output = Output::from_page("first line\nsecond line\nthird", "http://a/").data(1);
        output.cut(24, "narrow it");
        assert_eq!(output.text, "first line\nsecond line");
        assert_eq!(output.data, None);
        let travels = output.into_result().output;
        assert!(travels.ends_with("CONTENT ---\n… 5 more characters, narrow it"), "{travels}");
        let mut wide = Output::text("ä".repeat(10));
        wide.cut(5, "narrow it");
        assert_eq!(wide.into_result().output, "ää\n… 8 more characters, narrow it");
        let mut short = Output::text("whole");
        short.cut(5, "narrow it");
        assert_eq!(short.into_result().output, "whole");
    }
}
