//! `gstack flow record`: a flow of what the person does in a tab.
//!
//! Owns the stream and its end: Ctrl-C, `--stop` in another terminal, or the end of the tab. Then the flow is kept.

use crate::cli::arguments::Globals;
use crate::cli::here::place;
use crate::cli::terminal::{clean, print_line, tell};
use gstack_base::home::Home;
use gstack_base::plain_name;
use gstack_client::http::Client;
use gstack_flows::{Made, Recorder, own};
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::recorded::{Record, RecordedLine};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};

/// Records until the person ends it, and returns the flow, and what tells another terminal that the flow is kept. Prints each step unless `json`.
pub(super) async fn record(
    client: &Client,
    name: &str,
    replace: bool,
    globals: &Globals,
) -> Result<(Made, Stops), Fault> {
    // Before the person does it all for nothing.
    if !replace && own(client.home()).join(format!("{name}.toml")).exists() {
        return Err(gstack_flows::FlowError::Exists(name.to_owned()).into());
    }
    let watched = |kind| {
        signal(kind).map_err(|error| Fault::new(FaultCode::Internal, format!("Ctrl-C can't be watched: {error}")))
    };
    let (mut interrupted, mut ended) = (watched(SignalKind::interrupt())?, watched(SignalKind::terminate())?);
    // Dropped when the caller has kept the flow: the other terminal waits for that.
    let stops = Stops::listen(client.home(), name).await?;
    let (tab_id, browser) = place(globals.tab, globals.browser.as_ref())?;
    let mut lines = client.stream("/record", &Record { tab_id, browser }).await?;
    let mut recorder = Recorder::default();
    // One future for all lines: one that is dropped would lose a connection.
    let mut asked = Box::pin(stops.asked());
    loop {
        let line = tokio::select! {
            line = lines.next::<RecordedLine>() => line,
            _ = interrupted.recv() => break,
            _ = ended.recv() => break,
            () = &mut asked => break,
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
            tell(&format!(
                "Recording tab {tab}. Do it in the browser, then press Ctrl-C here, or run: gstack flow record {name} --stop"
            ));
        }
        if let Some(step) = recorder.add(line).filter(|_| !globals.json) {
            print_line(&clean(&step));
        }
    }
    drop(asked);
    Ok((recorder.made()?, stops))
}

/// Ends the recording of a flow in another terminal, and waits until the flow is kept.
pub(super) async fn stop(home: &Home, name: &str) -> Result<(), Fault> {
    let none = |_| {
        Fault::new(FaultCode::NotFound, format!("no recording of {name} is under way"))
            .hint("It ends with its terminal, its tab or its browser.")
    };
    let mut stream = UnixStream::connect(socket(home, name)?).await.map_err(none)?;
    stream.write_all(b"\n").await.map_err(none)?;
    // Its end closes the connection.
    stream.read_to_end(&mut Vec::new()).await.ok();
    Ok(())
}

/// The requests to end a recording: each is a connection to a socket in the private folder.
pub(super) struct Stops {
    listener: UnixListener,
    path: PathBuf,
    /// Kept open until the flow is kept.
    asked: Mutex<Option<UnixStream>>,
}

impl Stops {
    async fn listen(home: &Home, name: &str) -> Result<Self, Fault> {
        let path = socket(home, name)?;
        if UnixStream::connect(&path).await.is_ok() {
            return Err(Fault::new(FaultCode::Conflict, format!("{name} is being recorded already"))
                .hint(format!("To end it: gstack flow record {name} --stop")));
        }
        // That of a recording that was killed.
        std::fs::remove_file(&path).ok();
        let failed = |error| Fault::new(FaultCode::Storage, format!("{} can't be created: {error}", path.display()));
        let listener = UnixListener::bind(&path).map_err(failed)?;
        Ok(Self { listener, path, asked: Mutex::default() })
    }

    async fn asked(&self) {
        while let Ok((stream, _)) = self.listener.accept().await {
            // A connection that is closed at once only looked whether someone records.
            let mut byte = [0];
            let closed = stream.readable().await.is_ok() && matches!(stream.try_read(&mut byte), Ok(0));
            if !closed {
                *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
                return;
            }
        }
        std::future::pending().await
    }
}

impl Drop for Stops {
    fn drop(&mut self) {
        std::fs::remove_file(&self.path).ok();
    }
}

fn socket(home: &Home, name: &str) -> Result<PathBuf, Fault> {
    match plain_name::is_name(name) {
        true => Ok(home.root().join(format!("record-{name}.sock"))),
        false => Err(gstack_flows::FlowError::BadName(name.to_owned()).into()),
    }
}
