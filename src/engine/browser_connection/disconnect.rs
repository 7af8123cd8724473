//! `disconnect`: closes the browser, or lets go of one that gstack did not start.

use super::BrowserConnection;
use crate::protocol::control::Disconnected;
use crate::protocol::fault::Fault;

impl BrowserConnection {
    /// Closes the browser, or detaches from one that gstack did not start. Conversations stay. `force` kills our own
    /// browser, which may hang.
    pub(crate) async fn disconnect(&self, force: bool) -> Result<Disconnected, Fault> {
        let killed = force && self.browsers.kill().await?;
        let turn = self.browsers.turn().await;
        self.conversations.stop_turns(None);
        match self.browsers.close(&turn).await {
            // Its end has already been noticed.
            Err(_) if killed => Ok(Disconnected { closed: true }),
            outcome => outcome,
        }
    }
}
