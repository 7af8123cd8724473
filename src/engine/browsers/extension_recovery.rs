//! Recovery of an extension that crashed in the browser that gstack started: loads it again and reopens its panel.

use super::service::Browsers;
use crate::ports::Port;
use gstack_browser::browser::Browser;
use gstack_browser::launch::side_panel;
use gstack_protocol::EXTENSION_ID;
use gstack_protocol::fault::Fault;
use std::time::{Duration, Instant};

/// How long a lost extension may take to return before its panel is left to the person.
const BACK_LIMIT: Duration = Duration::from_secs(30);
/// The delay between two checks.
const RECHECK_INTERVAL: Duration = Duration::from_secs(1);

impl Browsers {
    /// Handles a closed port. If the extension crashed, loads it again and reopens its panel.
    pub(crate) fn port_lost(&self, port: Port) {
        let Some(run) = port.preamble.browser_run else { return };
        let Some(browser) = self.with_run(&run).and_then(|browsers| browsers.current()) else { return };
        let browsers = self.clone();
        let had_panel = !port.panels.is_empty();
        self.needs().tasks.spawn(async move {
            let shutdown = browsers.needs().tasks.shutdown();
            tokio::select! {
                outcome = browsers.mend_extension(&browser, had_panel) => {
                    if let Err(fault) = outcome {
                        tracing::warn!(%fault, "the extension could not be repaired");
                    }
                }
                () = browser.gone().cancelled() => {}
                () = shutdown.cancelled() => {}
            }
        });
    }

    async fn mend_extension(&self, browser: &Browser, had_panel: bool) -> Result<(), Fault> {
        let needs = self.needs();
        let mut changed = needs.ports.watch();
        let deadline = Instant::now() + BACK_LIMIT;
        loop {
            // Chrome notices a crash a moment after the port closes, so check again while the extension stays away.
            if !side_panel::is_enabled(browser, EXTENSION_ID).await? {
                tracing::warn!("the extension crashed and is loaded again");
                let folder = (needs.provision.unpack_extension)(&needs.home)?;
                side_panel::load_extension(browser, &folder).await?;
            }
            let back = changed.wait_for(|()| needs.ports.has_greeted(browser.run()));
            if matches!(tokio::time::timeout(RECHECK_INTERVAL, back).await, Ok(Ok(_))) {
                break;
            }
            if !had_panel || Instant::now() >= deadline {
                return Ok(());
            }
        }
        // A panel whose page survived reconnects by itself; one that closed when the extension reloaded does not.
        if had_panel && !side_panel::is_open(browser, EXTENSION_ID).await? {
            tracing::info!("the panel is opened again");
            side_panel::open(browser, EXTENSION_ID, &browser.current().await?).await?;
        }
        Ok(())
    }
}
