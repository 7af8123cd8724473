//! Whether typing would go into a password field.
//!
//! Owns the question, asked before anything is typed. A field that a page turns into one afterwards is not found.

use crate::browser::page::error::PageError;
use crate::browser::page::locate::Target;
use crate::browser::page::page::{Page, SCRIPT_LIMIT};
use crate::browser::page::read::ElementState;
use crate::browser::page::script::Injected;
use futures_util::future::join_all;

impl Page {
    /// Of an element, or of what has the focus in any frame. An element that is not there yet is none; what can't be
    /// asked may be one.
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
        // A frame that has gone meanwhile has no focus.
        join_all(asked).await.into_iter().any(|answer| !matches!(answer, Ok(false) | Err(PageError::DocumentGone)))
    }
}
