//! Wait conditions other than elements and loading: an address, a response, a script's value, a dialog, a popup.
//!
//! Owns the conditions. Each wait is on events; the caller sets the deadline.

use crate::page::console::journal::RequestRecord;
use crate::page::error::PageError;
use crate::page::locate::{FaultReply, Target};
use crate::page::page::Page;
use crate::page::script::{Injected, ScriptValue};
use crate::targets::{FrameNavigated, NavigatedWithinDocument};
use gstack_base::glob::Glob;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::Instant;

/// After this time, the condition is checked again in case the script's document is gone.
const SLICE: Duration = Duration::from_secs(2);
const GRACE: Duration = Duration::from_secs(2);

/// The state of an element to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    Hidden,
    Detached,
    Attached,
}

#[derive(Deserialize)]
struct Reached {
    #[serde(default)]
    ok: bool,
    #[serde(flatten)]
    fault: FaultReply,
}

#[derive(Deserialize)]
struct Opening {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    url: String,
}

impl Page {
    /// Waits until the element has the state, across navigations.
    pub async fn wait_presence(&self, target: &Target, state: Presence, limit: Duration) -> Result<(), PageError> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let millis = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            let asked: Result<Reached, PageError> =
                self.ask(target, Injected::Reaches, &[&state, &millis], left + GRACE).await;
            let gone = state != Presence::Attached;
            let reached = match asked {
                Err(PageError::DocumentGone) if Instant::now() < deadline => continue,
                Err(PageError::RefStale { .. } | PageError::RefNotFound(_)) if gone => return Ok(()),
                asked => asked?,
            };
            return match (reached.ok, reached.fault.error(target)) {
                (true, _) => Ok(()),
                (false, Some(error @ PageError::BadSelector(_))) => Err(error),
                _ => Err(PageError::NotReady {
                    what: target.to_string(),
                    action: "going on",
                    reason: reached.fault.message,
                    waited: limit,
                }),
            };
        }
    }

    /// Waits until the page's address matches. Returns it.
    pub async fn wait_url(&self, wanted: &Glob) -> Result<String, PageError> {
        let mut events = self.subscribe(&["Page.frameNavigated", "Page.navigatedWithinDocument"])?;
        let main = self.main_frame().await?;
        // Subscribed first, so that no change after the check is missed.
        // The report of the tab comes later than that of the frame.
        if let Some(url) = [main.url, self.url()?].into_iter().find(|url| wanted.matches(url)) {
            return Ok(url);
        }
        loop {
            let event = events.next().await.ok_or(PageError::DocumentGone)?;
            let url = match event.read::<FrameNavigated>() {
                Some(shown) => {
                    shown.is_of_page().then(|| shown.frame.url + &shown.frame.url_fragment.unwrap_or_default())
                }
                None => event
                    .read::<NavigatedWithinDocument>()
                    .filter(|within| within.frame_id == main.id.as_str())
                    .map(|within| within.url),
            };
            if let Some(url) = url.filter(|url| wanted.matches(url)) {
                return Ok(url);
            }
        }
    }

    /// Waits until a request of the current page gets a response. Earlier responses count. `address`: formats an
    /// address for the result; `None` excludes the request.
    pub async fn wait_response(
        &self,
        wanted: &Glob,
        address: impl Fn(&RequestRecord) -> Option<String>,
    ) -> Result<(u16, String), PageError> {
        self.until_journal(|journal| {
            journal.requests_of_page().find_map(|request| {
                let (status, address) = (request.status?, address(request)?);
                wanted.matches(&address).then_some((status, address))
            })
        })
        .await
    }

    /// Waits until the current page has logged a console message with these words. Earlier messages count.
    pub async fn wait_console(&self, words: &str) -> Result<String, PageError> {
        self.until_journal(|journal| {
            journal.console_of_page().find(|message| message.text.contains(words)).map(|message| message.text.clone())
        })
        .await
    }

    async fn until_journal<T>(
        &self,
        found: impl Fn(&crate::page::console::journal::Journal) -> Option<T>,
    ) -> Result<T, PageError> {
        loop {
            let grew = self.memory.journal_grew.notified();
            tokio::pin!(grew);
            grew.as_mut().enable();
            let found = found(&self.memory.journal());
            match found {
                Some(found) => return Ok(found),
                None => grew.await,
            }
        }
    }

    /// Waits for the next dialog of the page. Returns its kind and message.
    pub async fn wait_dialog(&self) -> Result<(String, String), PageError> {
        let mut events = self.subscribe(&["Page.javascriptDialogOpening"])?;
        let opening = async { events.next().await?.read::<Opening>() };
        opening.await.map(|opening| (opening.kind, opening.message)).ok_or(PageError::DocumentGone)
    }

    /// Waits until the page opens a tab. Returns the requested address.
    pub async fn wait_popup(&self) -> Result<String, PageError> {
        let mut events = self.subscribe(&["Page.windowOpen"])?;
        let opening = async { events.next().await?.read::<Opening>() };
        opening.await.map(|opening| opening.url).ok_or(PageError::DocumentGone)
    }

    /// Waits until a script's value, or the result of its function, is true. Repeats in the next page after a
    /// navigation.
    pub async fn wait_script(&self, source: &str, limit: Duration) -> Result<(), PageError> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).min(SLICE);
            let looped = format!(
                "(async () => {{ const end = performance.now() + {}; for (;;) {{ const is = await ({source}\n); \
                 if (await (typeof is === 'function' ? is() : is)) return true; \
                 if (performance.now() >= end) return false; \
                 await new Promise((next) => {{ const timer = setTimeout(next, 100); requestAnimationFrame(() => {{ clearTimeout(timer); next(); }}); }}); }} }})()",
                left.as_millis()
            );
            match self.evaluate(&looped, left + GRACE).await {
                Ok(ScriptValue::Other(text)) if text == "true" => return Ok(()),
                Ok(_) | Err(PageError::DocumentGone | PageError::Unanswered { .. }) if Instant::now() < deadline => {}
                Ok(_) => {
                    return Err(PageError::Timeout {
                        what: "waiting for the script to be true".to_owned(),
                        after: limit,
                    });
                }
                Err(error) => return Err(error),
            }
        }
    }
}
