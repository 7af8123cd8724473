//! The one-line report to the launcher, after which standard output is closed.

use gstack_client::start::Report;
use std::fs::OpenOptions;
use std::io::Write;

/// Writes the report and detaches from the launcher, whose pipe must not stay open in the daemon.
pub(super) fn send(report: &Report) {
    let mut output = std::io::stdout().lock();
    let line = serde_json::to_string(report).unwrap_or_default();
    // A launcher that has exited needs no report.
    writeln!(output, "{line}").and_then(|()| output.flush()).ok();
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null")
        && let Err(error) = rustix::stdio::dup2_stdout(&null)
    {
        tracing::warn!(%error, "the starter's pipe could not be let go");
    }
}
