//! Where a click or Enter leads by the page's markup: to a link's address, or to that of a form which is sent.
//!
//! Owns the question, asked before anything is clicked. What a page's scripts do of a click is not known.

use super::element::Target;
use super::injected::Injected;
use super::page::{Page, SCRIPT_LIMIT};
use super::read::Leading;
use futures_util::future::join_all;

impl Page {
    /// Of a click on an element; without one, of Enter in what has the focus in any frame. `None` if it can't be told.
    pub async fn leads_to(&self, target: Option<&Target>) -> Option<Leading> {
        match target {
            Some(target) => self.leads(target).await.ok(),
            None => self.focus_leads_to().await,
        }
    }

    async fn focus_leads_to(&self) -> Option<Leading> {
        let frames = self.frames().await.ok()?;
        let asked = frames
            .iter()
            .map(|frame| self.script::<Option<Leading>>(&frame.id, Injected::FocusLeadsTo, &[], SCRIPT_LIMIT));
        join_all(asked).await.into_iter().flatten().flatten().next()
    }
}
