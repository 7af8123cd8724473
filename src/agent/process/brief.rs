//! Runs a program briefly, and returns its output within a limit of time and size.
//!
//! Owns queries such as `--version`. Never leaves the program or its children running.

use super::child::kill_group;
use crate::adapter::AgentEnvironment;
use crate::sandbox;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// More than the output of any such query.
const MOST_OUTPUT: u64 = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum BriefError {
    #[error("it could not be started: {0}")]
    Start(io::Error),
    #[error("it did not answer within {} s", .0.as_secs())]
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

/// A process group that is killed when this is dropped, for example if the query is abandoned: if only `bwrap` were
/// killed during its start, it would leave a child that waits forever.
struct Group(Option<u32>);

impl Drop for Group {
    fn drop(&mut self) {
        kill_group(self.0);
    }
}

/// Runs `program` with an empty stdin. Kills it as a group after `limit`, or if this future is dropped. Fails if it
/// does not start or does not end in time.
pub async fn run<A: AsRef<OsStr>>(
    program: &Path,
    arguments: &[A],
    environment: &AgentEnvironment,
    limit: Duration,
) -> Result<BriefOutput, BriefError> {
    // A query needs no minder: it has ended, or was killed as a group, when this returns.
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
    let group = Group(child.id());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let answered = tokio::time::timeout(limit, async {
        let (stdout, stderr, status) = tokio::join!(read(stdout), read(stderr), child.wait());
        Ok(BriefOutput { status: status?, stdout: stdout?, stderr: stderr? })
    })
    .await;
    drop(group);
    match answered {
        Ok(output) => output.map_err(BriefError::Read),
        Err(_elapsed) => {
            child.wait().await.map_err(BriefError::Read)?;
            Err(BriefError::Timeout(limit))
        }
    }
}

/// Keeps the first [`MOST_OUTPUT`] bytes and discards the rest, so that the writer never blocks.
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
    use crate::adapter::AgentEnvironment;
    use std::path::Path;
    use std::time::Duration;

    #[tokio::test]
    async fn a_program_that_never_ends_is_killed_at_the_limit() {
        let environment = AgentEnvironment::default();
        let stopped = run(Path::new("/bin/sh"), &["-c", "kill -STOP $$"], &environment, Duration::from_millis(100));
        assert!(matches!(stopped.await, Err(BriefError::Timeout(_))));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_question_that_is_given_up_leaves_no_process() {
        let folder = tempfile::tempdir().unwrap();
        let told = folder.path().join("pid");
        let script = format!("sleep 1000 & echo $! > {0}.new; mv {0}.new {0}; wait", told.display());
        let environment = AgentEnvironment {
            variables: [("PATH".into(), "/usr/bin:/bin".into())].into(),
            ..AgentEnvironment::default()
        };
        let arguments = ["-c", script.as_str()];
        let asked = run(Path::new("/bin/sh"), &arguments, &environment, Duration::from_secs(600));
        let started = async {
            while !told.exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            _ = asked => panic!("it does not end by itself"),
            () = started => {}
        }
        let pid = std::fs::read_to_string(&told).unwrap();
        // A zombie's command line is empty.
        let line = || std::fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
        while !line().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
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
