//! Reads secrets: typed without echo, or from standard input. Never from arguments, which every user of the machine sees.
//!
//! Owns the terminal's echo, and gives it back however the reading ends.

use super::terminal::tell;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::secret_text::SecretText;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{self, BufRead, IsTerminal, Read};
use tokio::sync::oneshot;
use zeroize::Zeroizing;

/// Far more than a few secrets.
const MOST_INPUT: u64 = 16 * 1024;

/// Whether a person can be asked.
pub(super) fn is_interactive() -> bool {
    io::stdin().is_terminal()
}

/// Asks the person for one line, without showing it.
pub(super) async fn ask(prompt: &str) -> Result<SecretText, Fault> {
    tell(&format!("{prompt} (not shown):"));
    let echo = NoEcho::begin()?;
    let (sender, line) = oneshot::channel();
    // A thread of its own: it may wait for a line that never comes.
    std::thread::spawn(move || {
        let mut line = Zeroizing::new(String::new());
        let read = io::stdin().lock().read_line(&mut line).map(|_| line);
        // The receiver is gone after an interrupt.
        sender.send(read).ok();
    });
    let read = tokio::select! {
        read = line => read,
        interrupted = tokio::signal::ctrl_c() => {
            drop(echo);
            interrupted.map_err(Fault::internal)?;
            return Err(Fault::new(FaultCode::Cancelled, "nothing was changed"));
        }
    };
    drop(echo);
    let line = read.map_err(Fault::internal)?.map_err(|error| not_read(&error))?;
    Ok(SecretText::new(line.trim_end_matches(['\n', '\r']).to_owned()))
}

/// Asks twice, for a secret that a typing error would make useless.
pub(super) async fn ask_twice(prompt: &str) -> Result<SecretText, Fault> {
    let first = ask(prompt).await?;
    match ask("Again").await? == first {
        true => Ok(first),
        false => Err(Fault::new(FaultCode::BadRequest, "the two entries differ").hint("Try again.")),
    }
}

/// Reads `count` lines of standard input.
pub(super) fn lines(count: usize) -> Result<Vec<SecretText>, Fault> {
    let mut text = Zeroizing::new(String::new());
    let read = io::stdin().lock().take(MOST_INPUT + 1).read_to_string(&mut text);
    read.map_err(|error| not_read(&error))?;
    let found: Vec<SecretText> = text.lines().map(|line| SecretText::new(line.to_owned())).collect();
    if found.len() == count && text.len() as u64 <= MOST_INPUT {
        return Ok(found);
    }
    let message = format!("standard input has {} lines instead of {count}", found.len());
    Err(Fault::new(FaultCode::BadRequest, message)
        .hint("The first line is the password or passphrase, with --totp the second one is the seed."))
}

fn not_read(error: &io::Error) -> Fault {
    Fault::new(FaultCode::BadRequest, format!("standard input can't be read: {error}"))
}

/// A terminal without echo, until dropped.
struct NoEcho(Termios);

impl NoEcho {
    fn begin() -> Result<Self, Fault> {
        let before = tcgetattr(io::stdin()).map_err(|error| not_read(&error.into()))?;
        let mut without = before.clone();
        without.local_modes.remove(LocalModes::ECHO);
        without.local_modes.insert(LocalModes::ECHONL);
        // Flush: what was typed ahead was visible and meant for something else.
        tcsetattr(io::stdin(), OptionalActions::Flush, &without).map_err(|error| not_read(&error.into()))?;
        Ok(Self(before))
    }
}

impl Drop for NoEcho {
    fn drop(&mut self) {
        if let Err(error) = tcsetattr(io::stdin(), OptionalActions::Now, &self.0) {
            tracing::debug!(%error, "the terminal's echo can't be restored");
        }
    }
}
