//! Yes-or-no questions of a command to the person at the terminal.
//!
//! Owns the question and the keyboard. Anything but a typed yes is a no, and text that was typed before the question
//! never answers it.

use super::terminal::tell;
use gstack_protocol::fault::{Fault, FaultCode};
use rustix::termios::{QueueSelector, tcflush};
use std::io::{self, BufRead, IsTerminal};
use tokio::sync::oneshot;

/// Returns whether a person can be asked: they type at a terminal and see the question.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks and returns whether the person typed `y` or `yes`.
///
/// # Errors
///
/// Fails if the answer cannot be read, or the person pressed Ctrl+C.
pub(super) async fn ask(question: &str) -> Result<bool, Fault> {
    // Before the question is shown: whoever answers at once must not lose the answer.
    tcflush(io::stdin(), QueueSelector::IFlush).map_err(|error| not_read(&error.into()))?;
    tell(&format!("{question} [y/N]"));
    let (sender, line) = oneshot::channel();
    // A thread of its own: it may wait for a line that never comes.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line).map(|_| line);
        // The receiver is gone after an interrupt.
        sender.send(read).ok();
    });
    let read = tokio::select! {
        read = line => read,
        interrupted = tokio::signal::ctrl_c() => {
            interrupted.map_err(Fault::internal)?;
            return Err(Fault::new(FaultCode::Cancelled, "nothing was changed"));
        }
    };
    let line = read.map_err(Fault::internal)?.map_err(|error| not_read(&error))?;
    Ok(is_yes(&line))
}

fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

fn not_read(error: &io::Error) -> Fault {
    Fault::new(FaultCode::BadRequest, format!("the terminal can't be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_a_typed_yes_is_one() {
        assert!(is_yes("y\n") && is_yes(" Yes\r\n"));
        assert!(!is_yes("") && !is_yes("\n") && !is_yes("n") && !is_yes("yes please") && !is_yes("j"));
    }
}
