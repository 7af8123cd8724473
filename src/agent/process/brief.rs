//! One short run of a program: its output within a limit of time and size, or the reason why not.
//!
//! Owns questions like `--version`. Never leaves the program or its children running.

use super::child::kill_group;
use crate::agent::adapter::AgentEnvironment;
use crate::agent::sandbox;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// More than any answer to such a question has.
const MOST_OUTPUT: u64 = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum BriefError {
    #[error("it could not be started: {0}")]
    Start(io::Error),
    #[error("it gave no answer within {} s", .0.as_secs())]
    Timeout(Duration),
    #[error("its output could not be read: {0}")]
    Read(io::Error),
}

#[derive(Debug)]
pub struct BriefOutput {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Runs `program` with nothing on its stdin. Killed as a group when `limit` is over.
pub async fn run<A: AsRef<OsStr>>(
    program: &Path,
    arguments: &[A],
    environment: &AgentEnvironment,
    limit: Duration,
) -> Result<BriefOutput, BriefError> {
    // A question has no minder: it is over, or ended as a group, when this returns.
    let environment = AgentEnvironment { minder: None, ..environment.clone() };
    let confined = sandbox::command(program, arguments, &environment, None).map_err(BriefError::Start)?;
    let mut child = Command::new(&confined.program)
        .args(&confined.arguments)
        .env_clear()
        .envs(&confined.environment.variables)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(BriefError::Start)?;
    let group = child.id();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let answered = tokio::time::timeout(limit, async {
        let (stdout, stderr, status) = tokio::join!(read(stdout), read(stderr), child.wait());
        Ok(BriefOutput { status: status?, stdout: stdout?, stderr: stderr? })
    })
    .await;
    kill_group(group);
    match answered {
        Ok(output) => output.map_err(BriefError::Read),
        Err(_elapsed) => {
            child.wait().await.map_err(BriefError::Read)?;
            Err(BriefError::Timeout(limit))
        }
    }
}

/// Keeps the first [`MOST_OUTPUT`] bytes and reads the rest away, so that the writer never waits.
async fn read(pipe: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        (&mut pipe).take(MOST_OUTPUT).read_to_end(&mut bytes).await?;
        tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{BriefError, run};
    use crate::agent::adapter::AgentEnvironment;
    use std::path::Path;
    use std::time::Duration;

    #[tokio::test]
    async fn a_program_that_never_ends_is_killed_at_the_limit() {
        let environment = AgentEnvironment::default();
        let stopped = run(Path::new("/bin/sh"), &["-c", "kill -STOP $$"], &environment, Duration::from_millis(100));
        assert!(matches!(stopped.await, Err(BriefError::Timeout(_))));
    }

    #[tokio::test]
    async fn output_and_status_are_told() {
        let environment =
            AgentEnvironment { variables: [("A".into(), "1".into())].into(), ..AgentEnvironment::default() };
        let output =
            run(Path::new("/bin/sh"), &["-c", "echo $A; exit 3"], &environment, Duration::from_secs(20)).await.unwrap();
        assert_eq!((output.stdout.as_slice(), output.status.code()), (b"1\n".as_slice(), Some(3)));
    }
}
