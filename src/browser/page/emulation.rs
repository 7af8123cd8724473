//! What a tab pretends to be: the size that it is laid out for, its user agent, extra request headers.
//!
//! Owns what was set for a tab, and that a page which takes another's place gets it too (what frames and workers need
//! as well stands in `browser::standing`). It ends with the tab.

use super::error::PageError;
use super::page::{Page, lock};
use crate::browser::devtools::emulation::{ClearDeviceMetricsOverride, SetDeviceMetricsOverride, SetScrollbarsHidden};
use crate::browser::session::Session;
use serde_json::{Value, json};
use std::sync::Mutex;

const EXTRA_HEADERS: &str = "Network.setExtraHTTPHeaders";

#[derive(Clone, Debug, Default)]
struct Settings {
    viewport: Option<(u32, u32)>,
    /// The page session that has them.
    applied_to: Option<String>,
}

/// What was set for one tab.
#[derive(Debug, Default)]
pub(super) struct Emulation {
    settings: Mutex<Settings>,
}

impl Emulation {
    /// Gives the page of this session what was set while another one had its place.
    pub(super) async fn apply(&self, page: &Session) -> Result<(), PageError> {
        let settings = lock(&self.settings).clone();
        let id = page.id().map(|id| id.as_ref().to_owned());
        if settings.applied_to == id || settings.applied_to.is_none() {
            return Ok(());
        }
        if let Some(size) = settings.viewport {
            page.call(metrics(size)).await?;
        }
        lock(&self.settings).applied_to = id;
        Ok(())
    }

    fn change<T>(&self, page: &Session, act: impl FnOnce(&mut Settings) -> T) -> T {
        let mut settings = lock(&self.settings);
        settings.applied_to = page.id().map(|id| id.as_ref().to_owned());
        act(&mut settings)
    }
}

/// The pixel ratio stays the screen's.
fn metrics((width, height): (u32, u32)) -> SetDeviceMetricsOverride {
    SetDeviceMetricsOverride { width, height, device_scale_factor: 0.0, mobile: false }
}

impl Page {
    /// In CSS pixels.
    pub async fn set_viewport(&self, width: u32, height: u32) -> Result<(), PageError> {
        self.session().call(metrics((width, height))).await?;
        self.memory.emulation.change(self.session(), |settings| settings.viewport = Some((width, height)));
        Ok(())
    }

    /// Lays the page out for another size for as long as the guard lives.
    pub async fn laid_out(&self, width: u32, height: u32) -> Result<LaidOut<'_>, PageError> {
        let guard = LaidOut { page: self };
        self.session().call(metrics((width, height))).await?;
        if !self.browser().is_headless() {
            // They would take of its width; without a window there are none.
            self.session().call(SetScrollbarsHidden { hidden: true }).await?;
        }
        Ok(guard)
    }

    /// From the next request on, in frames, workers and popups too, also in those that come later.
    pub async fn set_user_agent(&self, user_agent: &str) -> Result<(), PageError> {
        Ok(self.keep("Emulation.setUserAgentOverride", json!({ "userAgent": user_agent })).await?)
    }

    /// Sends this header with every request of the tab from now on, beside those that were set before; of frames, workers
    /// and popups too, also of those that come later.
    pub async fn set_header(&self, name: &str, value: &str) -> Result<(), PageError> {
        let before = self.kept(EXTRA_HEADERS);
        let mut headers = before.and_then(|kept| kept["headers"].as_object().cloned()).unwrap_or_default();
        headers.retain(|known, _| !known.eq_ignore_ascii_case(name));
        headers.insert(name.to_owned(), Value::from(value));
        Ok(self.keep(EXTRA_HEADERS, json!({ "headers": headers })).await?)
    }
}

/// A page that is laid out for another size. Dropping it brings the former size back.
pub struct LaidOut<'a> {
    page: &'a Page,
}

impl Drop for LaidOut<'_> {
    fn drop(&mut self) {
        let page = self.page.session();
        if !self.page.browser().is_headless() {
            page.post(SetScrollbarsHidden { hidden: false });
        }
        match lock(&self.page.memory.emulation.settings).viewport {
            Some(size) => page.post(metrics(size)),
            None => page.post(ClearDeviceMetricsOverride {}),
        }
    }
}
