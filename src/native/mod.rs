//! The native messaging host: copies frames between Chrome's pipe and the daemon's socket.
//!
//! Chrome starts it with the extension's origin as the first argument. Owns only the two streams: it holds no state,
//! reads no message and may be killed at any time. Never writes anything but frames to standard output. Upgrades an
//! older daemon.

mod origin;

use futures_util::{SinkExt, StreamExt};
use gstack_base::home::Home;
use gstack_base::say;
use gstack_client::start;
use gstack_client::upgrade::{DaemonUpgrade, upgrade_daemon};
use gstack_protocol::VERSION;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use gstack_protocol::frame::{FrameCodec, FrameError};
use gstack_protocol::hello::HostPreamble;
use gstack_protocol::ids::BrowserRun;
use gstack_protocol::keeper::BROWSER_VARIABLE;
use gstack_protocol::rpc::Envelope;
pub use origin::is_origin;
use std::fs::OpenOptions;
use std::process::ExitCode;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio_util::codec::{FramedRead, FramedWrite};

/// Runs the role until Chrome closes the pipe. The exit code is then 0, and 1 for any fault.
pub async fn run(origin: String) -> ExitCode {
    if let Err(refusal) = origin::check(&origin) {
        say::line(&refusal);
        return ExitCode::FAILURE;
    }
    let to_chrome = tokio::io::stdout();
    let (daemon, takeover) = match reach_daemon(origin).await {
        Ok(reached) => reached,
        Err(fault) => return tell(to_chrome, fault).await,
    };
    match pump(tokio::io::stdin(), to_chrome, daemon).await {
        End::Chrome => ExitCode::SUCCESS,
        End::Fault => {
            let_chrome_go();
            // Older programs wait for the daemon that this host starts. If the next host started it first, the upgrade
            // is already done.
            if let Err(error) = takeover.await {
                say::line(format_args!("the takeover from an older daemon ended: {error}"));
            }
            ExitCode::FAILURE
        }
    }
}

/// Closes the pipe, so that Chrome notices the loss now and starts another host while this one continues.
fn let_chrome_go() {
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null")
        && let Err(error) = rustix::stdio::dup2_stdout(&null)
    {
        say::line(format_args!("Chrome's pipe could not be closed: {error}"));
    }
}

/// Returns the connection, and the task that upgrades an older daemon. The task ends at once if the daemon is not
/// older.
async fn reach_daemon(origin: String) -> Result<(UnixStream, JoinHandle<()>), Fault> {
    let home =
        Home::locate(None).map_err(|e| Fault::new(FaultCode::Storage, e.to_string()).hint(e.hint()).at(Hop::Host))?;
    let stream = start::connect(&home, home.panel_socket()).await?;
    // An older daemon keeps serving while its turns finish. Then the port closes, and the next host connects to the new
    // daemon.
    let upgrade = tokio::spawn(async move {
        match upgrade_daemon(&home, true, |_| {}).await {
            DaemonUpgrade::Done | DaemonUpgrade::Busy => {}
            DaemonUpgrade::Slow => say::line("an older daemon has not ended yet"),
            DaemonUpgrade::Refused(fault) => say::line(format_args!("an older daemon does not hand over: {fault}")),
        }
    });
    let preamble = HostPreamble {
        origin,
        pid: std::process::id(),
        version: VERSION.to_owned(),
        browser_run: std::env::var(BROWSER_VARIABLE).ok().map(BrowserRun::new),
    };
    let bytes = serde_json::to_vec(&preamble).map_err(|e| Fault::new(FaultCode::Internal, e.to_string()))?;
    let mut framed = FramedWrite::new(stream, FrameCodec::browser_side());
    framed.send(bytes).await.map_err(|e| daemon_gone(catalogue::DAEMON_WENT_AWAY.with([&e.to_string()])))?;
    Ok((framed.into_inner(), upgrade))
}

enum End {
    Chrome,
    Fault,
}

/// Copies whole frames in both directions until one side ends.
async fn pump(from_chrome: impl AsyncRead + Unpin, to_chrome: impl AsyncWrite + Unpin, daemon: UnixStream) -> End {
    let (daemon_read, daemon_write) = daemon.into_split();
    let mut from_chrome = FramedRead::new(from_chrome, FrameCodec::host_side());
    let mut to_chrome = FramedWrite::new(to_chrome, FrameCodec::host_side());
    let mut from_daemon = FramedRead::new(daemon_read, FrameCodec::browser_side());
    let mut to_daemon = FramedWrite::new(daemon_write, FrameCodec::browser_side());

    let inward = async {
        while let Some(frame) = from_chrome.next().await {
            let frame = match frame {
                Ok(frame) => frame,
                Err(error) => return Some(bad_stream(&error)),
            };
            if let Err(error) = to_daemon.send(frame).await {
                return Some(daemon_gone(catalogue::DAEMON_WENT_AWAY.with([&error.to_string()])));
            }
        }
        None
    };
    let outward = async {
        while let Some(frame) = from_daemon.next().await {
            let Ok(frame) = frame else { break };
            if to_chrome.send(frame).await.is_err() {
                // Chrome has stopped reading: it has closed the port.
                return None;
            }
        }
        Some(daemon_gone(catalogue::DAEMON_CLOSED.into()))
    };
    let fault = tokio::select! {
        fault = inward => fault,
        fault = outward => fault,
    };
    match fault {
        None => End::Chrome,
        Some(fault) => {
            say::line(&fault);
            // Chrome may have disconnected too.
            to_chrome.send(fault_frame(fault)).await.ok();
            End::Fault
        }
    }
}

async fn tell(to_chrome: impl AsyncWrite + Unpin, fault: Fault) -> ExitCode {
    say::line(&fault);
    let mut framed = FramedWrite::new(to_chrome, FrameCodec::host_side());
    if let Err(error) = framed.send(fault_frame(fault)).await {
        say::line(format_args!("Chrome could not be notified: {error}"));
    }
    ExitCode::FAILURE
}

fn fault_frame(fault: Fault) -> Vec<u8> {
    Envelope::notification(None, "fault", &fault).encode()
}

fn daemon_gone(how: Sentence) -> Fault {
    Fault::new(FaultCode::DaemonDown, how)
        .hint(catalogue::DAEMON_WENT_AWAY_NEXT)
        .command("gstack doctor")
        .at(Hop::Daemon)
}

fn bad_stream(error: &FrameError) -> Fault {
    Fault::new(FaultCode::BadRequest, catalogue::CHROME_UNREADABLE.with([&error.to_string()]))
        .hint(catalogue::CHROME_UNREADABLE_NEXT)
        .at(Hop::Host)
}
