//! `disconnect`: closes a browser, or lets go of one that gstack did not start.

use super::BrowserConnection;
use crate::browsers::Releases;
use gstack_protocol::control::{Disconnect, Disconnected};
use gstack_protocol::fault::Fault;

impl BrowserConnection {
    /// Closes the named browser, or detaches from one that gstack did not start. Conversations stay. `force` kills our
    /// own browser, which may hang.
    pub async fn disconnect(&self, request: Disconnect) -> Result<Disconnected, Fault> {
        let browsers = self.browsers.of_request(None, request.browser.as_deref())?;
        let killed = request.force && browsers.kill().await?;
        let turn = browsers.turn().await;
        let is_only = browsers.all().iter().all(|other| other.name() == browsers.name() || !other.is_open());
        match browsers.current() {
            // The turns in other browsers go on.
            Some(browser) if !is_only => {
                for tab in browser.tabs() {
                    self.conversations.stop_turns(Some(tab.id));
                }
            }
            None if !is_only => {}
            _ => {
                self.conversations.stop_turns(None);
            }
        }
        let closed = browsers.close(&turn).await;
        let Releases { released, left } = browsers.release_left(&request.keys).await;
        match closed {
            Ok(Disconnected { closed, .. }) => Ok(Disconnected { closed, released, left, none_open: false }),
            // Its end has already been noticed.
            Err(_) if killed => Ok(Disconnected { closed: true, released, left, none_open: false }),
            Err(_) if released > 0 || !left.is_empty() => {
                Ok(Disconnected { closed: false, released, left, none_open: true })
            }
            Err(fault) => Err(fault),
        }
    }
    /// Closes every open browser, by force.
    pub async fn disconnect_all(&self) {
        for browsers in self.browsers.all().into_iter().filter(|browsers| browsers.is_open()) {
            let browser = Some(browsers.name().to_string());
            let request = Disconnect { force: true, browser, ..Disconnect::default() };
            if let Err(fault) = self.disconnect(request).await {
                tracing::info!(%fault, "a browser was not closed");
            }
        }
    }
}
