//! Where a click, Enter or Space leads by the page's markup: to a link's address, or to that of a form which is sent.
//!
//! Owns the question, asked before anything is clicked. What a page's scripts do of a click is not known.

use super::destination::{Activation, ClickDestination};
use crate::browser::page::locate::Target;
use crate::browser::page::page::{Page, SCRIPT_LIMIT};
use crate::browser::page::script::{Argument, Injected};
use futures_util::future::join_all;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Focused {
    has_focus: bool,
    #[serde(flatten)]
    subject: ClickDestination,
}

impl Page {
    /// Whether loading this page again would send a form again.
    pub async fn resends(&self) -> bool {
        let method = self.memory.journal().document_method().map(|method| method != "GET");
        match method {
            Some(sends) => sends,
            None => self.came_by_form().await,
        }
    }

    /// Of an act on an element; without one, of a key in what has the focus in any frame. `None` if it can't be told.
    pub async fn leads_to(&self, target: Option<&Target>, how: Activation) -> Option<ClickDestination> {
        match target {
            Some(target) => self.leads(target, how).await.ok(),
            None => self.focus_leads_to(how).await,
        }
    }

    /// Each frame remembers what had the focus in it. Where several do and none says that it has it now, the one that sends
    /// a form counts.
    async fn focus_leads_to(&self, how: Activation) -> Option<ClickDestination> {
        let frames = self.frames().await.ok()?;
        let given: [&dyn Argument; 1] = [&how];
        let asked = frames
            .iter()
            .map(|frame| self.script::<Option<Focused>>(&frame.id, Injected::FocusLeadsTo, &given, SCRIPT_LIMIT));
        let found: Vec<Focused> = join_all(asked).await.into_iter().flatten().flatten().collect();
        let best = found.into_iter().rev().max_by_key(|focused| (focused.has_focus, focused.subject.submits));
        best.map(|focused| focused.subject)
    }
}
