//! check and uncheck: a checkbox, a radio button or a switch is brought to a state.
//!
//! Owns asking before and after. The click between is the same as any other.

use super::element::{FaultReply, Target};
use super::error::PageError;
use super::injected::Injected;
use super::input::Clicks;
use super::page::{Page, SCRIPT_LIMIT};
use serde::Deserialize;
use std::time::Duration;

/// What a click changed is shown by then, also where a page asks its server nothing.
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
    /// Clicks the element unless it is so already. Returns whether it clicked.
    ///
    /// # Errors
    ///
    /// Fails if it can't be checked, or if the click did not change it.
    pub async fn set_checked(&self, target: &Target, checked: bool, limit: Duration) -> Result<bool, PageError> {
        self.ready(target, &[], "checking", limit).await?;
        let wanted = checked.to_string();
        let before = self.checked(target, &wanted, Duration::ZERO).await?;
        if before.state == wanted {
            return Ok(false);
        }
        if before.radio && !checked {
            let reason = "a radio button is unchecked by checking another one".to_owned();
            return Err(PageError::Refused { what: target.to_string(), reason });
        }
        self.click(target, Clicks::default(), limit).await?;
        match self.checked(target, &wanted, TOGGLED_LIMIT).await {
            Ok(after) if after.state != wanted => {
                let reason = format!("it was clicked and is still {}", if checked { "unchecked" } else { "checked" });
                Err(PageError::Refused { what: target.to_string(), reason })
            }
            // The click may have sent a form, or taken the element away.
            Ok(_) | Err(PageError::DocumentGone | PageError::NotFound(_) | PageError::RefStale { .. }) => Ok(true),
            Err(PageError::RefNotFound(_)) => Ok(true),
            Err(error) => Err(error),
        }
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
