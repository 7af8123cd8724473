//! Starts Claude Code for a conversation, up to the moment when it is ready for a message.
//!
//! Owns the handshake (`initialize` is the readiness probe and the sign-in check) and the fallback if an earlier
//! session cannot be resumed.

use super::claude_session::{Ready, ended};
use super::faults;
use super::map::Mapper;
use super::options::{self, Abilities, RunFiles};
use super::outgoing;
use super::permissions::Permissions;
use super::wire::{Line, parse};
use crate::adapter::Launch;
use crate::guard::Guard;
use crate::process::child::{LineChild, Patience, Spawn};
use gstack_protocol::catalogue;
use gstack_protocol::fault::Fault;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// A warm start takes 0.7 s; a cold start on a busy machine takes many times that.
const READY_LIMIT: Duration = Duration::from_secs(45);
/// Short, because no turn is running that could finish.
const PATIENCE: Patience =
    Patience { after_stdin_closed: Duration::from_millis(500), after_term: Duration::from_millis(500) };
const REQUEST: &str = "initialize";

/// Starts it and resumes [`Launch::resume`] if possible. Fails if it does not start, does not get ready in time, or is
/// not signed in.
pub(super) async fn start(program: &Path, abilities: Abilities, launch: Launch) -> Result<Ready, Fault> {
    match attempt(program, abilities, &launch, true).await {
        // If it does not know the session, it ends immediately without an answer.
        Err(Failure::Ended(_)) if launch.resume.is_some() => {
            let mut ready = attempt(program, abilities, &launch, false).await.map_err(Failure::into_fault)?;
            ready.notice = Some(catalogue::SESSION_BEGINS_AGAIN.into());
            Ok(ready)
        }
        other => other.map_err(Failure::into_fault),
    }
}

enum Failure {
    /// The process ended before it was ready.
    Ended(Fault),
    Other(Fault),
}

impl Failure {
    fn into_fault(self) -> Fault {
        match self {
            Self::Ended(fault) | Self::Other(fault) => fault,
        }
    }
}

async fn attempt(program: &Path, abilities: Abilities, launch: &Launch, resume: bool) -> Result<Ready, Failure> {
    let home = launch.environment.variables.get(OsStr::new("HOME")).map(Path::new);
    let guard = Guard::new(&launch.folder, home, &launch.off_limits);
    let files = write_files(launch, &guard).await.map_err(Failure::Other)?;
    let mut environment = options::environment(&launch.environment, program);
    environment.access = environment.access.and(&launch.access).reading(files.paths());
    let (child, writer, lines) = LineChild::spawn(Spawn {
        program,
        arguments: options::arguments(launch, &files, abilities, resume),
        environment: &environment,
        folder: &launch.folder,
    })
    .map_err(|error| Failure::Other(faults::PROGRAM.not_spawned(&error)))?;
    let mapper = Mapper::new(launch.tools.clone(), launch.folder.clone());
    let permissions = Permissions::new(guard, launch.folder.clone());
    let mut ready = Ready {
        child,
        writer,
        lines,
        mapper,
        permissions,
        files,
        resumed: resume && launch.resume.is_some(),
        notice: None,
    };
    match tokio::time::timeout(READY_LIMIT, handshake(&mut ready)).await {
        Ok(Ok(())) => Ok(ready),
        Ok(Err(failure)) => {
            ready.child.end(PATIENCE).await;
            Err(failure)
        }
        Err(_elapsed) => {
            ready.child.end(PATIENCE).await;
            Err(Failure::Other(faults::PROGRAM.silent_start(READY_LIMIT.as_secs())))
        }
    }
}

async fn write_files(launch: &Launch, guard: &Guard) -> Result<RunFiles, Fault> {
    let (launch, guard) = (launch.clone(), guard.clone());
    let written = tokio::task::spawn_blocking(move || RunFiles::write(&launch, &guard)).await;
    let written = written.map_err(std::io::Error::other).and_then(|written| written);
    written.map_err(|error| faults::PROGRAM.not_written(&error))
}

async fn handshake(ready: &mut Ready) -> Result<(), Failure> {
    // If the process has ended, the reason follows at the end of its output.
    ready.writer.line(outgoing::initialize(REQUEST)).await.ok();
    loop {
        let Ok(Some(line)) = ready.lines.next().await else {
            return Err(Failure::Ended(ended(&mut ready.child).await));
        };
        let Some(Line::ControlResponse { response }) = parse(&line) else { continue };
        if response.request_id != REQUEST {
            continue;
        }
        if response.subtype != "success" {
            let why = response.error.unwrap_or_else(|| "it refused to initialize".to_owned());
            return Err(Failure::Other(faults::PROGRAM.broken(&why)));
        }
        let Some(initialized) = response.response else { return Ok(()) };
        if let Some(account) = &initialized.account {
            if account.is_signed_out() {
                return Err(Failure::Other(faults::signed_out()));
            }
            ready.mapper.note_account(account);
        }
        ready.mapper.note_offers(initialized.offers());
        return Ok(());
    }
}
