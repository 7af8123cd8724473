//! `check` and `uncheck`: sets the state of a checkbox, a radio button or a switch.
//!
//! Owns the checks before and after. The click between them is an ordinary one.

use crate::page::error::PageError;
use crate::page::input::Clicks;
use crate::page::locate::{FaultReply, Ready, Target};
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Argument, FaultKind, Injected, not_told};
use crate::page::wait::was_left;
use serde::Deserialize;
use std::time::Duration;

/// The page shows the new state within this time after the click.
const TOGGLED_LIMIT: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
struct Checked {
    #[serde(default)]
    state: String,
    #[serde(default)]
    radio: bool,
    #[serde(flatten)]
    fault: FaultReply,
}

impl Page {
    /// Clicks the element unless it has the wanted state. Returns true if it clicked.
    ///
    /// # Errors
    ///
    /// Fails if the element cannot be checked, or if the click did not change it.
    pub async fn set_checked(&self, target: &Target, checked: bool, limit: Duration) -> Result<bool, PageError> {
        let ready = self.ready(target, &[], "checking", limit).await?;
        let wanted = checked.to_string();
        self.read_internals(&ready.frame).await?;
        let before = self.checked(target, &wanted, Duration::ZERO).await?;
        if before.state == wanted {
            return Ok(false);
        }
        if before.radio && !checked {
            let reason = "a radio button is unchecked by checking another one".to_owned();
            return Err(PageError::Refused { what: target.to_string(), reason });
        }
        self.click(target, Clicks::default(), limit).await?;
        let mut still = self.is_still(target, &ready, &wanted).await;
        // The state after a partly checked one may be the other one.
        if before.state == "mixed" && matches!(still, Ok(true)) {
            self.click(target, Clicks::default(), limit).await?;
            still = self.is_still(target, &ready, &wanted).await;
        }
        match still {
            Ok(true) => {
                let reason = format!("it was clicked and is still {}", if checked { "unchecked" } else { "checked" });
                Err(PageError::Refused { what: target.to_string(), reason })
            }
            Ok(false) => Ok(true),
            // The click may have submitted a form or removed the element.
            Err(PageError::NotFound(_) | PageError::RefStale { .. } | PageError::RefNotFound(_)) => Ok(true),
            Err(error) if was_left(&error) => Ok(true),
            Err(error) => Err(not_told(error)),
        }
    }

    /// Returns true if the click changed nothing. The state in the next document says nothing about that, but the page
    /// may have replaced this element with another one.
    async fn is_still(&self, target: &Target, ready: &Ready, wanted: &str) -> Result<bool, PageError> {
        let millis = u64::try_from(TOGGLED_LIMIT.as_millis()).unwrap_or(u64::MAX);
        let arguments: [&dyn Argument; 3] = [&ready.place, &wanted, &millis];
        if self.read_internals(&ready.frame).await.is_ok_and(|has_any| has_any)
            && let Ok(after) = self.checked(target, wanted, Duration::ZERO).await
            && after.state == wanted
        {
            return Ok(false);
        }
        let limit = TOGGLED_LIMIT + SCRIPT_LIMIT;
        let after: Checked = self.script(&ready.frame, Injected::CheckedOf, &arguments, limit).await?;
        let after = match after.fault.fault {
            Some(FaultKind::Gone) => return Ok(false),
            Some(FaultKind::Stale) => self.checked(target, wanted, TOGGLED_LIMIT).await?,
            _ => after,
        };
        Ok(after.fault.fault.is_none() && after.state != wanted)
    }

    async fn checked(&self, target: &Target, wanted: &str, wait: Duration) -> Result<Checked, PageError> {
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let checked: Checked = self.ask(target, Injected::CheckedOf, &[&wanted, &millis], wait + SCRIPT_LIMIT).await?;
        match checked.fault.fault {
            Some(_) => Err(checked.fault.error(target).unwrap_or_else(|| PageError::NotFound(target.to_string()))),
            None => Ok(checked),
        }
    }
}
