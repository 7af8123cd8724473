//! The events of a browser while it is connected.

use super::change::BrowserChange;
use super::service::Browsers;
use gstack_browser::browser::Browser;
use gstack_browser::tabs::BrowserEvent;
use gstack_protocol::ids::TabId;
use gstack_protocol::relay::Refusal;
use tokio::sync::broadcast::error::RecvError;

impl Browsers {
    /// Reports the changes of a browser's tabs until it disconnects.
    pub(super) async fn follow(self, browser: Browser) {
        let mut events = browser.events();
        let shutdown = self.needs().tasks.shutdown();
        let mut settings = self.needs().config.watch();
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                Ok(()) = settings.changed() => {
                    self.limit(&browser);
                    continue;
                }
                () = browser.gone().cancelled() => break,
                () = shutdown.cancelled() => return,
            };
            match event {
                Ok(BrowserEvent::TabClosed(tab)) => {
                    self.tell(BrowserChange::TabClosed(tab));
                    self.record_tabs().await;
                }
                Ok(BrowserEvent::Gone) | Err(RecvError::Closed) => break,
                Ok(BrowserEvent::TabOpened(info)) => {
                    // The extension of an everyday browser has already reported who opened it.
                    if let Some(opener) = info.opener.filter(|_| !browser.is_relayed()) {
                        self.tell(BrowserChange::TabOpenedBy { opener, tab: info.id });
                    }
                    self.tell(BrowserChange::TabsChanged);
                    self.record_tabs().await;
                }
                Ok(BrowserEvent::TabChanged(_)) => self.tell(BrowserChange::TabsChanged),
                Ok(BrowserEvent::PersonActed(tab)) => self.tell(BrowserChange::PersonActed(tab)),
                Ok(BrowserEvent::SentOut(tab, refusal)) => self.tell(BrowserChange::SentOut(tab, refusal)),
                // After a lag, tabs are read from the browser when they are needed.
                Ok(_) | Err(RecvError::Lagged(_)) => {}
            }
        }
        if browser.is_relayed() {
            self.everyday_gone(&browser);
        } else {
            self.gone(&browser);
        }
    }
}

/// Resolves when someone other than gstack ends the attachment to the tab. Only happens in everyday browsers.
pub(crate) async fn sent_out_of(browser: &Browser, tab: Option<TabId>) -> Refusal {
    if browser.is_relayed() && tab.is_some() {
        let mut events = browser.events();
        loop {
            match events.recv().await {
                Ok(BrowserEvent::SentOut(of, refusal)) if Some(of) == tab => return refusal,
                Ok(BrowserEvent::TabClosed(of)) if Some(of) == tab => return Refusal::Closed,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break,
            }
        }
    }
    std::future::pending().await
}
