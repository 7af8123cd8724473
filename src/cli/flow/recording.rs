//! `gstack flow record`: a flow of what the person does in a tab.
//!
//! Owns the stream and its end: Ctrl-C, or the end of the tab. Then the flow is kept.

use crate::cli::arguments::Globals;
use crate::cli::here::place;
use crate::cli::terminal::{clean, print_line, tell};
use gstack_client::http::Client;
use gstack_flows::{Made, Recorder, own};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::recorded::{Record, RecordedLine};
use tokio::signal::unix::{SignalKind, signal};

/// Records until the person ends it, and returns the flow. Prints each step unless `json`.
pub(super) async fn record(client: &Client, name: &str, replace: bool, globals: &Globals) -> Result<Made, Fault> {
    // Before the person does it all for nothing.
    if !replace && own(client.home()).join(format!("{name}.toml")).exists() {
        return Err(gstack_flows::FlowError::Exists(name.to_owned()).into());
    }
    let watched = |kind| {
        signal(kind).map_err(|error| Fault::new(FaultCode::Internal, format!("Ctrl-C can't be watched: {error}")))
    };
    let (mut interrupted, mut ended) = (watched(SignalKind::interrupt())?, watched(SignalKind::terminate())?);
    let (tab_id, browser) = place(globals.tab, globals.browser.as_ref())?;
    let mut lines = client.stream("/record", &Record { tab_id, browser }).await?;
    let mut recorder = Recorder::default();
    loop {
        let line = tokio::select! {
            line = lines.next::<RecordedLine>() => line,
            _ = interrupted.recv() => break,
            _ = ended.recv() => break,
        };
        let line = match line {
            Ok(Some(RecordedLine::Failed(fault))) => return Err(fault),
            Ok(Some(line)) => line,
            Ok(None) => {
                tell("The recording ended, because its tab or browser closed.");
                break;
            }
            Err(fault) => {
                tell(&format!("The recording ended: {}", clean(&fault.message)));
                break;
            }
        };
        if let RecordedLine::Begun { tab, .. } = &line {
            tell(&format!("Recording tab {tab}. Do it in the browser, then press Ctrl-C here."));
        }
        if let Some(step) = recorder.add(line).filter(|_| !globals.json) {
            print_line(&clean(&step));
        }
    }
    Ok(recorder.made()?)
}
