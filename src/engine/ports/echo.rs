//! Echoes: checks that an extension or a panel answers.
//!
//! Owns the pending echoes.

use super::{PortSender, Ports};
use gstack_base::mutex::lock;
use gstack_protocol::basics::Echo;
use gstack_protocol::ids::PanelId;
use gstack_protocol::methods::ToPanel;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Pending echoes, by nonce.
pub(super) type Echoes = Mutex<HashMap<u32, oneshot::Sender<()>>>;

impl Ports {
    /// Asks the background or a panel to answer. Returns the time that it took in milliseconds, or `None` after a
    /// timeout.
    pub(crate) async fn echo(&self, sender: &PortSender, client: Option<PanelId>, limit: Duration) -> Option<f64> {
        let nonce: u32 = rand::random();
        let (answer, answered) = oneshot::channel();
        lock(self.echoes()).insert(nonce, answer);
        let began = Instant::now();
        sender.send(&ToPanel::Echo(Echo { nonce }).envelope(client));
        let outcome = tokio::time::timeout(limit, answered).await;
        lock(self.echoes()).remove(&nonce);
        matches!(outcome, Ok(Ok(()))).then(|| began.elapsed().as_secs_f64() * 1000.0)
    }

    /// Handles the answer to an echo.
    pub(crate) fn echoed(&self, echo: Echo) {
        if let Some(answer) = lock(self.echoes()).remove(&echo.nonce) {
            // The requester may have given up.
            answer.send(()).ok();
        }
    }
}
