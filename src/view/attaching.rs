//! Attaching to the page of a tab while the page's task goes on.
//!
//! Owns the task that attaches. If its result is no longer wanted, that task ends the session: a future that is dropped instead would
//! leave the session in the browser.

use super::attached::Attached;
use gstack_browser::tab::Tab;
use gstack_engine::Engine;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{TabId, TargetId};
use tokio::sync::oneshot;

pub(crate) struct Attaching {
    tab: TabId,
    /// The page of the tab when it began, if that was known.
    page: Option<TargetId>,
    made: oneshot::Receiver<Result<Attached, Fault>>,
}

impl Attaching {
    /// Begins to attach. `page`: the page of the tab.
    pub(crate) fn begin(engine: &Engine, tab: Tab, page: Option<TargetId>) -> Self {
        let (sender, made) = oneshot::channel();
        let (id, ended) = (tab.id(), engine.ended());
        engine.spawn_task(async move {
            tokio::select! {
                () = ended.cancelled() => {}
                attached = Attached::to(tab) => if sender.send(attached).is_err() {
                    tracing::trace!("another tab is shown by now");
                },
            }
        });
        Self { tab: id, page, made }
    }

    /// Returns whether it attaches to this page. `None`: the tab's page is not known.
    pub(crate) fn goes_to(&self, tab: TabId, page: Option<&TargetId>) -> bool {
        self.tab == tab && (self.page.is_none() || self.page.as_ref() == page)
    }

    /// Resolves with the session. Cancel safe.
    pub(crate) async fn made(&mut self) -> Result<Attached, Fault> {
        match (&mut self.made).await {
            Ok(made) => made,
            // gstack ends.
            Err(_) => std::future::pending().await,
        }
    }
}
