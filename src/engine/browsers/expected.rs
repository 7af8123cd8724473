//! Waiting for an everyday browser that has just disconnected.

use super::away::BACK_WITHIN;
use super::service::Browsers;
use gstack_base::mutex::lock;
use gstack_protocol::ids::TabId;

impl Browsers {
    /// Returns true if an everyday browser is in use, connected or not.
    pub(crate) fn everyday_is_chosen(&self) -> bool {
        lock(&self.own.chosen).get().is_some()
    }

    /// Waits for the everyday browser that a command is for if it has just disconnected. Returns at once otherwise.
    pub(crate) async fn everyday_back(&self, tab: Option<TabId>) {
        let mut changed = self.needs().ports.watch();
        let settled = changed.wait_for(|()| !self.is_expected(tab));
        if tokio::time::timeout(BACK_WITHIN, settled).await.is_err() {
            // The caller's next step reports it.
            tracing::debug!("an everyday browser stays away");
        }
    }

    fn is_expected(&self, tab: Option<TabId>) -> bool {
        let in_use = self.current().map(|browser| browser.run().clone());
        let relays = lock(&self.shared.relays);
        relays.away.expected().any(|run| match (tab, &in_use) {
            (Some(tab), _) => relays.numbers.get(run).is_some_and(|numbers| numbers.keeps(tab)),
            (None, Some(in_use)) => run == in_use,
            (None, None) => true,
        })
    }
}
