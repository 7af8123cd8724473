//! The tabs of a run, and what a step may act on in one.
//!
//! Owns which tab a step's number means, and where the run began. Acts by no command: it only asks.

use super::run::{At, Commands};
use super::sites::{FIRST_TAB, OWN_FRAME, Sites, named};
use super::step_run::Stop;
use super::words::WAIT_SECONDS;
use gstack_base::site;
use gstack_protocol::command::ActsOn;
use gstack_protocol::effects::Effect;
use gstack_protocol::ids::TabId;
use serde::Deserialize;
use std::collections::BTreeMap;

const LIST: &str = "tabs";
const ADDRESS: &str = "url";
const WAIT: &str = "wait";

/// A tab as `tabs` lists it.
#[derive(Deserialize)]
struct Listed {
    id: TabId,
    url: String,
    current: bool,
}

/// The tabs that steps act in.
pub(crate) struct Tabs<'a, C> {
    commands: &'a C,
    known: BTreeMap<u32, TabId>,
    /// A step may act on the page that the run begins on.
    needs_start: bool,
    /// The origin of that page.
    start: Option<String>,
}

impl<'a, C: Commands> Tabs<'a, C> {
    pub(crate) fn new(commands: &'a C, needs_start: bool) -> Self {
        Self { commands, known: BTreeMap::new(), needs_start, start: None }
    }

    /// Returns where a step acts. `sites`: those that its tab may show.
    pub(crate) async fn at(&mut self, number: u32, sites: Sites, frame: Option<String>) -> Result<At, Stop> {
        if self.needs_start && self.start.is_none() {
            let shown = self.commands.run(ADDRESS, Vec::new(), &At::default()).await.map_err(Stop::of)?;
            let url = shown.data.as_ref().and_then(|data| data.get("url")?.as_str()).unwrap_or_default();
            self.start = Some(site::origin(url));
        }
        if number != FIRST_TAB && !self.known.contains_key(&number) {
            // A run that goes on after the step that opened it.
            let is_it = |tab: &Listed| sites.named.contains(&site::origin(&tab.url));
            let mut open = self.list().await?;
            open.retain(is_it);
            let [tab] = open.as_slice() else {
                let message = format!("{} open tabs could be tab {number}, of {}", open.len(), sites.named.join(", "));
                return Err(Stop::failed(message).hint("Go on from the step that opens it."));
            };
            self.known.insert(number, tab.id);
        }
        let start = self.start.iter().filter(|_| sites.start).cloned();
        let page = sites.named.iter().cloned().chain(start).collect();
        let frame = frame.filter(|frame| frame != OWN_FRAME);
        Ok(At { tab: self.known.get(&number).copied(), acts_on: Some(ActsOn { page, frame }) })
    }

    /// Returns the open tabs before an act that opens one. From here on, the first tab is known by its id: the new one may
    /// become the current one.
    pub(crate) async fn before_opening(&mut self, at: &mut At) -> Result<Vec<TabId>, Stop> {
        let open = self.list().await?;
        if at.tab.is_none()
            && let Some(current) = open.iter().find(|tab| tab.current)
        {
            self.known.insert(FIRST_TAB, current.id);
            at.tab = Some(current.id);
        }
        Ok(open.into_iter().map(|tab| tab.id).collect())
    }

    /// Waits for the tab that an act opened, and for its address.
    pub(crate) async fn wait_for_opened(
        &mut self,
        (pattern, seconds): (&str, Option<u32>),
        at: &At,
        (before, effects): (Vec<TabId>, Vec<Effect>),
    ) -> Result<(), Stop> {
        let limit = format!("--timeout={}", u64::from(seconds.unwrap_or(WAIT_SECONDS)) * 1000);
        let mut opened: Vec<TabId> = effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::TabOpened { tab_id, .. } => Some(*tab_id),
                _ => None,
            })
            .collect();
        for is_last in [false, true] {
            if !opened.is_empty() {
                break;
            }
            opened = self.list().await?.into_iter().map(|tab| tab.id).filter(|id| !before.contains(id)).collect();
            if opened.is_empty() && !is_last {
                let words = vec!["--popup".to_owned(), limit.clone()];
                // It may have opened before this began to wait: the list tells.
                self.commands.run(WAIT, words, at).await.ok();
            }
        }
        let [tab] = opened.as_slice() else {
            let message = match opened.len() {
                0 => "no tab was opened".to_owned(),
                several => format!("{several} tabs were opened, and the flow says one"),
            };
            return Err(Stop::failed(message));
        };
        let there = At { tab: Some(*tab), acts_on: None };
        let words = vec![format!("--url={pattern}"), limit];
        self.commands.run(WAIT, words, &there).await.map_err(Stop::of)?;
        let next = self.known.keys().last().copied().unwrap_or(FIRST_TAB) + 1;
        self.known.insert(next, *tab);
        Ok(())
    }

    async fn list(&self) -> Result<Vec<Listed>, Stop> {
        let listed = self.commands.run(LIST, Vec::new(), &At::default()).await.map_err(Stop::of)?;
        let tabs = listed.data.and_then(|data| serde_json::from_value(data).ok());
        tabs.ok_or_else(|| Stop::failed("the list of tabs cannot be read".to_owned()))
    }
}

/// Returns the message of a page on a site that the flow does not name.
pub(crate) fn elsewhere(shown: &str, sites: &[String]) -> Stop {
    let message = format!("the tab shows {shown}, and the flow is at {} here", sites.join(" or "));
    let hint = match named(shown).is_empty() {
        true => "Nothing was done. Open the page that the step is for.".to_owned(),
        false => format!(
            "Nothing was done. If the flow goes there: wait = {{ url = \"{shown}/**\" }} in the step that leads there."
        ),
    };
    Stop::failed(message).hint(&hint)
}
