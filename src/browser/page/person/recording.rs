//! One recording of what the person does in a tab, and in the tabs that it opens.
//!
//! Owns the order of the reports and why a tab shows another address. The scripts in the pages describe the elements; a
//! page cannot call their binding, which is in our isolated world alone. Changes nothing in a page.

use crate::devtools::page::NavigationHistory;
use crate::events::{Event, Filter, Subscription};
use crate::keep_attached::KeepAttached;
use crate::page::error::PageError;
use crate::page::page::Pages;
use crate::page::script::{Injected, WORLD};
use crate::tab::Tab;
use crate::tab_recording::{BINDING, TabRecording};
use crate::targets::{FrameNavigated, NavigatedWithinDocument};
use gstack_protocol::ids::TabId;
use gstack_protocol::recorded::{Arrival, RecordedAct, RecordedLine};
use serde::Deserialize;
use std::collections::HashMap;

/// The transition types of what a person opens by the address bar, a bookmark or a new tab.
const OPENED: [&str; 7] =
    ["typed", "address_bar", "auto_bookmark", "generated", "keyword", "keyword_generated", "auto_toplevel"];

#[derive(Deserialize)]
struct BindingCalled {
    name: String,
    payload: String,
}

/// A report of `injected/recording.js`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Report {
    Act(Box<RecordedAct>),
    Shown {
        shown: String,
    },
    Suspects {
        #[serde(rename = "suspects")]
        _suspects: bool,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DialogClosed {
    result: bool,
    #[serde(default)]
    user_input: String,
}

/// Reports acts while it lives.
pub struct PersonRecording {
    pages: Pages,
    tab: Tab,
    events: Subscription,
    recording: TabRecording,
    /// The place in the history of each tab, and the ids of its entries.
    places: HashMap<TabId, (i64, Vec<i64>)>,
    _keep: KeepAttached,
}

impl Pages {
    /// Starts to record what the person does in a tab. Returns the recording and the tab's address, or `None` if the tab is
    /// recorded already.
    ///
    /// # Errors
    ///
    /// Fails if the tab is closed or cannot be attached to, or its page crashed or hangs.
    pub async fn record_person(&self, tab: &Tab) -> Result<Option<(PersonRecording, String)>, PageError> {
        let keep = tab.keep_attached()?;
        tab.engage().await?;
        let filter = Filter::all().methods(&[
            "Runtime.bindingCalled",
            "Page.frameNavigated",
            "Page.navigatedWithinDocument",
            "Page.javascriptDialogClosed",
        ]);
        let events = tab.browser().cdp().subscribe(filter);
        let call = |function: Injected, argument: &str| format!("void globalThis.__gstack?.{function}({argument})");
        let begin = call(Injected::BeginRecording, &serde_json::Value::from(BINDING).to_string());
        let Some(recording) = tab.begin_recording(WORLD, begin, call(Injected::EndRecording, ""))? else {
            return Ok(None);
        };
        let mut recording = PersonRecording {
            pages: self.clone(),
            tab: tab.clone(),
            events,
            recording,
            places: HashMap::new(),
            _keep: keep,
        };
        recording.open_roots(tab).await?;
        let history = tab.history().await?;
        recording.places.insert(tab.id(), (history.current_index, ids(&history)));
        Ok(Some((recording, tab.main_frame().await?.url)))
    }
}

impl PersonRecording {
    /// Returns what the person did next; `None` once the tab or the browser is gone. Cancel safe only between calls.
    pub async fn next(&mut self) -> Option<RecordedLine> {
        let gone = self.tab.browser().gone().clone();
        let mut browser_events = self.tab.browser().events();
        loop {
            let event = tokio::select! {
                biased;
                event = self.events.next() => event?,
                () = gone.cancelled() => return None,
                _ = browser_events.recv() => {
                    if self.tab.info().is_err() {
                        return None;
                    }
                    continue;
                }
            };
            let Some(tab) = event.session().and_then(|session| self.recording.tab_of(session)) else { continue };
            match self.line(&tab, &event).await {
                Ok(Some(line)) => return Some(line),
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "a page went away while it was recorded"),
            }
        }
    }

    async fn line(&mut self, tab: &Tab, event: &Event) -> Result<Option<RecordedLine>, PageError> {
        let id = tab.id();
        Ok(match event.method() {
            "Runtime.bindingCalled" => {
                let called = event.read::<BindingCalled>().filter(|called| called.name == BINDING);
                let report = called.and_then(|called| serde_json::from_str::<Report>(&called.payload).ok());
                match report {
                    Some(Report::Act(act)) => Some(RecordedLine::Acted { tab: id, act }),
                    Some(Report::Shown { shown }) => Some(RecordedLine::Shown { tab: id, text: shown }),
                    Some(Report::Suspects { .. }) => {
                        self.open_roots(tab).await?;
                        None
                    }
                    None => None,
                }
            }
            "Page.javascriptDialogClosed" => event.read::<DialogClosed>().map(|closed| RecordedLine::Answered {
                tab: id,
                accepted: closed.result,
                text: closed.user_input,
            }),
            "Page.frameNavigated" => {
                let is_main = event.read::<FrameNavigated>().is_some_and(|navigated| navigated.is_of_page());
                if is_main { self.arrived(tab, false).await? } else { None }
            }
            _ => {
                let main = tab.main_frame().await?;
                let within = event.read::<NavigatedWithinDocument>();
                if within.is_some_and(|within| within.frame_id == main.id.as_str()) {
                    self.arrived(tab, true).await?
                } else {
                    None
                }
            }
        })
    }

    /// Returns where a tab is now, and why. `within`: it shows the same document.
    async fn arrived(&mut self, tab: &Tab, within: bool) -> Result<Option<RecordedLine>, PageError> {
        let history = tab.history().await?;
        let at = history.current_index;
        let before = self.places.insert(tab.id(), (at, ids(&history)));
        let Some(entry) = usize::try_from(at).ok().and_then(|at| history.entries.into_iter().nth(at)) else {
            return Ok(None);
        };
        let earlier = before.filter(|(_, ids)| ids.contains(&entry.id)).map(|(earlier, _)| earlier);
        let by = match (earlier, entry.transition_type.as_str()) {
            (Some(earlier), _) if at < earlier => Arrival::Back,
            (Some(earlier), _) if at > earlier => Arrival::Forward,
            // The entry keeps its type when a script changes its address.
            (Some(_), _) if within => Arrival::Page,
            (_, "reload") => Arrival::Reload,
            (_, kind) if OPENED.contains(&kind) => Arrival::Address,
            _ => Arrival::Page,
        };
        Ok(Some(RecordedLine::Arrived { tab: tab.id(), url: entry.url, by }))
    }

    /// Passes closed shadow roots to the scripts, which otherwise see only their hosts.
    async fn open_roots(&self, tab: &Tab) -> Result<(), PageError> {
        let page = self.pages.open(tab).await?;
        for frame in tab.frames().await? {
            page.open_closed_roots(&frame.id).await?;
        }
        Ok(())
    }
}

fn ids(history: &NavigationHistory) -> Vec<i64> {
    history.entries.iter().map(|entry| entry.id).collect()
}
