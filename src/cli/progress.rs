//! Reports the progress of a long command on standard error while it runs.
//!
//! Owns the text: one line that is rewritten on a terminal, a few plain lines elsewhere. Never writes to standard
//! output.

use gstack_client::http::Client;
use gstack_protocol::command::{CommandLine, CommandRequest, CommandResult};
use gstack_protocol::fault::{Fault, FaultCode};
use std::io::{self, IsTerminal, Write};

/// The number of bytes per line if standard error is not a terminal. Smaller files print nothing.
const STEP: u64 = 16 * 1024 * 1024;

/// Runs the command and reports its progress. `doing` says what it does: `Downloading`.
pub(super) async fn run(
    client: &Client,
    request: &CommandRequest,
    doing: &'static str,
) -> Result<CommandResult, Fault> {
    let mut lines = client.stream("/command/lines", request).await?;
    let mut shown = Shown { doing, on_terminal: io::stderr().is_terminal(), last: 0 };
    while let Some(line) = lines.next::<CommandLine>().await? {
        match line {
            CommandLine::Progress { done, total } => shown.tell(done, total),
            CommandLine::Done(result) => {
                shown.end();
                return Ok(result);
            }
            CommandLine::Failed(fault) => {
                shown.end();
                return Err(fault);
            }
        }
    }
    shown.end();
    Err(Fault::new(FaultCode::OutcomeUnknown, "the daemon ended before the command finished")
        .hint("Check whether the file is there before you repeat the command."))
}

struct Shown {
    doing: &'static str,
    on_terminal: bool,
    /// The number of bytes that was last shown.
    last: u64,
}

impl Shown {
    fn tell(&mut self, done: u64, total: Option<u64>) {
        let text = words(self.doing, done, total);
        if self.on_terminal {
            say(&format!("\r\x1b[K{text}"));
            self.last = done;
        } else if done.saturating_sub(self.last) >= STEP {
            say(&format!("{text}\n"));
            self.last = done;
        }
    }
    fn end(&mut self) {
        if self.on_terminal && self.last > 0 {
            say("\r\x1b[K");
        }
    }
}

/// Ignores a failed write: a closed terminal does not end the command.
fn say(text: &str) {
    let mut stream = io::stderr();
    stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).ok();
}

#[expect(clippy::cast_precision_loss, reason = "a tenth of a megabyte is all that is shown")]
fn words(doing: &str, done: u64, total: Option<u64>) -> String {
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    match total.filter(|total| *total >= done && *total > 0) {
        Some(total) => {
            let percent = u128::from(done) * 100 / u128::from(total);
            format!("{doing}: {} of {} ({percent} %)", megabytes(done), megabytes(total))
        }
        None => format!("{doing}: {}", megabytes(done)),
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn how_far_it_is_in_words() {
        assert_eq!(words("Downloading", 1_500_000, Some(3_000_000)), "Downloading: 1.5 MB of 3.0 MB (50 %)");
        assert_eq!(words("Downloading", 1_500_000, None), "Downloading: 1.5 MB");
        assert_eq!(words("Downloading", 3, Some(2)), "Downloading: 0.0 MB", "a server that tells less than it sends");
    }
}
