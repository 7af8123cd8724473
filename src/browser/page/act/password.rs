//! Checks whether typing would go into a password field.
//!
//! Owns the check, made before typing. It misses a field that the page turns into a password field afterwards.

use crate::page::error::PageError;
use crate::page::locate::Target;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::read::ElementState;
use crate::page::script::Injected;
use futures_util::future::join_all;

impl Page {
    /// Returns true for a password field: the target, or the focused element of any frame. A missing target is not one;
    /// a target that cannot be checked may be one.
    pub async fn is_password(&self, target: Option<&Target>) -> bool {
        match target {
            Some(target) => match self.is(target, ElementState::Password).await {
                Ok(is_password) => is_password,
                Err(PageError::NotFound(_) | PageError::RefNotFound(_) | PageError::RefStale { .. }) => false,
                Err(_) => true,
            },
            None => self.focus_is_password().await,
        }
    }

    async fn focus_is_password(&self) -> bool {
        let Ok(frames) = self.frames().await else { return true };
        let asked =
            frames.iter().map(|frame| self.script::<bool>(&frame.id, Injected::FocusIsPassword, &[], SCRIPT_LIMIT));
        // A frame that is gone has no focus.
        join_all(asked).await.into_iter().any(|answer| !matches!(answer, Ok(false) | Err(PageError::DocumentGone)))
    }
}
