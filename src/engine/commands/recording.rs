//! Recording what the person does in a tab, for a flow.
//!
//! Owns the choice of the tab and the stream. It ends with its reader; nothing of it is kept here or on disk.

use super::Commands;
use super::error::NotOffered;
use crate::browsers::BrowsersError;
use gstack_browser::page::PersonRecording;
use gstack_protocol::catalogue;
use gstack_protocol::fault::Fault;
use gstack_protocol::recorded::{Record, RecordedLine};
use tokio::sync::mpsc;

impl Commands {
    /// Records for as long as someone reads the lines.
    pub fn record(&self, request: Record, lines: mpsc::Sender<RecordedLine>) {
        let (commands, shutdown) = (self.clone(), self.tasks.shutdown());
        self.tasks.spawn(async move {
            let recording = async {
                let (mut recording, begun) = commands.begin_recording(&request).await?;
                if lines.send(begun).await.is_err() {
                    return Ok(());
                }
                while let Some(line) = recording.next().await {
                    if lines.send(line).await.is_err() {
                        break;
                    }
                }
                Ok::<_, Fault>(())
            };
            let outcome = tokio::select! {
                outcome = recording => outcome,
                () = lines.closed() => Ok(()),
                () = shutdown.cancelled() => Ok(()),
            };
            if let Err(fault) = outcome
                && lines.send(RecordedLine::Failed(fault)).await.is_err()
            {
                tracing::debug!("the program that reads the recording is gone");
            }
        });
    }

    async fn begin_recording(&self, request: &Record) -> Result<(PersonRecording, RecordedLine), Fault> {
        let browsers = self.browsers.of_request(request.tab_id, request.browser.as_deref())?;
        let open = browsers.pages_with(request.tab_id);
        let (browser, pages) =
            open.ok_or_else(|| BrowsersError::NotOpen(catalogue::NO_BROWSER_FOR.with(["record"])))?;
        let tab = match request.tab_id {
            Some(tab) => browser.tab(tab)?,
            None => browser.current().await?,
        };
        let Some((recording, url)) = pages.record_person(&tab).await? else {
            return Err(NotOffered::Recorded.into());
        };
        Ok((recording, RecordedLine::Begun { tab: tab.id(), url }))
    }
}
