//! Runs a program that gives or takes a secret: a password manager's, or gstack's own that asks the keyring.
//!
//! Owns its time limit, its size limit and why it failed. What it writes to its error output is read by nobody: it may
//! quote a secret.

use crate::person_program::{self, Running};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use zeroize::Zeroizing;

/// Far more than any secret, with the notes of its item.
const LARGEST_ANSWER: u64 = 256 * 1024;

/// Why a program gave no answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    Missing,
    NotRun(String),
    Timeout,
    TooLong,
    /// With its exit code.
    Failed(Option<i32>),
    NotText,
}

/// A program to run.
pub struct Program<'a> {
    pub program: &'a Path,
    pub arguments: &'a [&'a str],
    /// Names and values.
    pub variables: &'a [(&'a str, &'a str)],
    /// Written to its standard input.
    pub input: Option<&'a str>,
    pub limit: Duration,
}

impl Program<'_> {
    /// Returns what it writes to its standard output.
    pub async fn output(self) -> Result<Zeroizing<String>, Failure> {
        let limit = self.limit;
        let mut running = self.start()?;
        match tokio::time::timeout(limit, answer(&mut running, self.input)).await {
            Ok(answer) => answer,
            Err(_) => Err(Failure::Timeout),
        }
    }

    fn start(&self) -> Result<Running, Failure> {
        let mut command = person_program::command(self.program);
        command.args(self.arguments).stdout(Stdio::piped());
        if self.input.is_some() {
            command.stdin(Stdio::piped());
        }
        command.envs(self.variables.iter().copied());
        person_program::start(&mut command).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::Missing,
            _ => Failure::NotRun(error.to_string()),
        })
    }
}

/// Sends a program its input and returns its output.
async fn answer(running: &mut Running, input: Option<&str>) -> Result<Zeroizing<String>, Failure> {
    let broken = |error: io::Error| Failure::NotRun(error.to_string());
    if let (Some(mut to), Some(input)) = (running.stdin.take(), input) {
        // It may end without reading; its exit code says more.
        to.write_all(input.as_bytes()).await.ok();
    }
    let mut answer = Zeroizing::new(Vec::with_capacity(usize::try_from(LARGEST_ANSWER).unwrap_or_default() + 1));
    if let Some(from) = running.stdout.take() {
        from.take(LARGEST_ANSWER + 1).read_to_end(&mut answer).await.map_err(broken)?;
    }
    if answer.len() as u64 > LARGEST_ANSWER {
        return Err(Failure::TooLong);
    }
    let status = running.wait().await.map_err(broken)?;
    if !status.success() {
        return Err(Failure::Failed(status.code()));
    }
    let text = std::str::from_utf8(&answer).map_err(|_| Failure::NotText)?;
    Ok(Zeroizing::new(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn shell(script: &str, limit: Duration) -> Result<String, Failure> {
        let program = Program {
            program: Path::new("/bin/sh"),
            arguments: &["-c", script],
            variables: &[("GIVEN", "given")],
            input: Some("typed\n"),
            limit,
        };
        program.output().await.map(|answer| answer.to_string())
    }

    #[tokio::test]
    async fn a_program_has_bounds() {
        let long = Duration::from_secs(60);
        assert_eq!(shell("read x; echo $x-$GIVEN", long).await.unwrap(), "typed-given\n");
        assert_eq!(shell("echo told >&2; exit 3", long).await, Err(Failure::Failed(Some(3))));
        assert_eq!(shell("printf '\\377'", long).await, Err(Failure::NotText));
        assert_eq!(shell("exec cat /dev/zero", long).await, Err(Failure::TooLong));
        assert_eq!(shell("exec sleep 600", Duration::from_millis(50)).await, Err(Failure::Timeout));
        let missing =
            Program { program: Path::new("/nowhere/pass"), arguments: &[], variables: &[], input: None, limit: long };
        assert_eq!(missing.output().await.err(), Some(Failure::Missing));
    }
}
