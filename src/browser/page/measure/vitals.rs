//! Web vitals of a page, as measured by the browser.
//!
//! Owns the reading. Never judges a number.

use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::Injected;
use serde::Deserialize;

/// In milliseconds; the layout shift has no unit. `None`: not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct Vitals {
    pub lcp: Option<f64>,
    pub inp: Option<f64>,
    pub cls: Option<f64>,
    pub ttfb: Option<f64>,
    pub fcp: Option<f64>,
    /// The number of clicks, taps and key presses.
    pub interactions: u64,
}

impl Page {
    /// Returns the vitals of the main frame's document so far.
    pub async fn vitals(&self) -> Result<Vitals, PageError> {
        let main = self.main_frame().await?.id;
        self.script(&main, Injected::ReadVitals, &[], SCRIPT_LIMIT).await
    }
}
