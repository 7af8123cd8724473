//! Echoes: whether an extension or a panel answers now.
//!
//! Owns the questions that wait for their answer.

use super::{PortSender, Ports};
use crate::base::mutex::lock;
use crate::protocol::basics::Echo;
use crate::protocol::ids::PanelId;
use crate::protocol::methods::ToPanel;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Live checks that wait for their answer, by their nonce.
pub(super) type Echoes = Mutex<HashMap<u32, oneshot::Sender<()>>>;

impl Ports {
    /// Asks the background, or a panel, to answer; how long it took in milliseconds, none if it took too long.
    pub(in crate::engine) async fn echo(
        &self,
        sender: &PortSender,
        client: Option<PanelId>,
        limit: Duration,
    ) -> Option<f64> {
        let nonce: u32 = rand::random();
        let (answer, answered) = oneshot::channel();
        lock(self.echoes()).insert(nonce, answer);
        let began = Instant::now();
        sender.send(&ToPanel::Echo(Echo { nonce }).envelope(client));
        let outcome = tokio::time::timeout(limit, answered).await;
        lock(self.echoes()).remove(&nonce);
        matches!(outcome, Ok(Ok(()))).then(|| began.elapsed().as_secs_f64() * 1000.0)
    }

    /// The answer to an echo.
    pub(in crate::engine) fn echoed(&self, echo: Echo) {
        if let Some(answer) = lock(self.echoes()).remove(&echo.nonce) {
            // The requester has given up meanwhile.
            answer.send(()).ok();
        }
    }
}
