//! The highlight in the page of what an approval card concerns, while the card is open.
//!
//! Draws it and removes it with the card. The card never waits for it: it is shown even if nothing can be
//! drawn in the page.

use super::ConversationTools;
use crate::tasks::Tasks;
use gstack_browser::page::ApprovalMark;
use gstack_command::Call;
use gstack_protocol::ids::{ApprovalId, TabId};
use std::convert::Infallible;

/// Longer text is not drawn; a field does not show more at once. In characters.
const LONGEST_TEXT: usize = 500;

impl ConversationTools {
    /// Draws until dropped. `text` is what would be typed.
    pub(super) async fn preview(&self, call: &Call, tab: TabId, id: &ApprovalId, text: Option<String>) -> Infallible {
        let drawn = self.draw_preview(call, tab, id, text).await;
        if drawn.is_none() {
            tracing::debug!("what is asked about is not shown in the page");
        }
        std::future::pending().await
    }

    async fn draw_preview(&self, call: &Call, tab: TabId, id: &ApprovalId, text: Option<String>) -> Option<Drawn> {
        let target = call.target()?;
        let (browser, pages) = self.services.browsers.pages_with(Some(tab))?;
        let tab = browser.tab(tab).ok()?;
        let page = pages.open(&tab).await.ok()?;
        let marks = pages.marks(&tab).await.ok()?;
        let asked = page.place_asked(marks, &target, id.to_string()).await.ok()?;
        // From here on it is removed on drop, even if the answer arrives during the drawing.
        let drawn = Drawn { tasks: self.services.tasks.clone(), asked };
        let text = text.map(|text| text.chars().take(LONGEST_TEXT).collect::<String>());
        page.draw_asked(&drawn.asked, &target, text.as_deref()).await.ok()?.then_some(drawn)
    }
}

/// Dropped with the approval.
struct Drawn {
    tasks: Tasks,
    asked: ApprovalMark,
}

impl Drop for Drawn {
    fn drop(&mut self) {
        let asked = self.asked.clone();
        self.tasks.spawn(async move {
            if let Err(error) = asked.clear().await {
                tracing::debug!(%error, "what was asked about could not be taken out of the page");
            }
        });
    }
}
