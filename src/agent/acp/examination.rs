//! Examines an ACP agent: starts it, asks for its version and ends it.
//!
//! Owns the time limit and the private folder. Never begins a session.

use super::preset::Preset;
use super::start::{PATIENCE, about, command_line, introduce, start_fault};
use super::wire::PROTOCOL_VERSION;
use crate::adapter::AgentEnvironment;
use crate::discovery::with_own_folder;
use crate::process::child::Spawn;
use crate::rpc::message::Dialect;
use crate::rpc::wire::Wire;
use crate::sandbox::Confinement;
use gstack_base::home::private_folder;
use gstack_protocol::fault::Fault;
use std::path::{Path, PathBuf};
use std::time::Duration;

const ASK_LIMIT: Duration = Duration::from_secs(20);

/// An agent's answers during its examination.
pub(super) enum Looked {
    /// It is ready, with this version.
    Ready(Option<String>),
    /// It has not answered yet. It may need longer to start.
    Slow { seconds: u64 },
}

/// Asks for its version with `initialize`: not every ACP agent supports `--version`.
pub(super) async fn ask_version(
    preset: &Preset,
    program: &Path,
    environment: &AgentEnvironment,
) -> Result<Looked, Fault> {
    let check = command_line(preset, program);
    let about = about(preset, &check, environment);
    // Some agents make files in the folder in which they start.
    let folder = ExaminationFolder::make(environment).map_err(|error| about.not_written(&error))?;
    let own = preset.clone();
    let of = environment.clone();
    let access = tokio::task::spawn_blocking(move || own.access(&of)).await.unwrap_or_default();
    let environment = AgentEnvironment { access, ..with_own_folder(environment, program) };
    let spawn = Spawn { program, arguments: preset.arguments.clone(), environment: &environment, folder: &folder.0 };
    let mut wire = Wire::spawn(spawn, Dialect::JsonRpc2).map_err(|error| about.not_spawned(&error))?;
    let told = tokio::time::timeout(ASK_LIMIT, introduce(&mut wire)).await;
    wire.end(PATIENCE).await;
    match told {
        Ok(Ok(told)) if told.protocol_version != PROTOCOL_VERSION => {
            Err(about.broken(&format!("it speaks ACP version {}, not 1", told.protocol_version)))
        }
        Ok(Ok(told)) => Ok(Looked::Ready(told.agent_info.and_then(|info| info.version))),
        Ok(Err(error)) => Err(start_fault(preset, about, &environment, error.into())),
        Err(_elapsed) => Ok(Looked::Slow { seconds: ASK_LIMIT.as_secs() }),
    }
}

/// An empty private folder in which an agent is examined. Dropping it removes it.
struct ExaminationFolder(PathBuf);

impl ExaminationFolder {
    fn make(environment: &AgentEnvironment) -> std::io::Result<Self> {
        let above = match &environment.confinement {
            Confinement::In(sandbox) => sandbox.scratch.clone(),
            Confinement::Off | Confinement::Refused(_) => std::env::temp_dir(),
        };
        std::fs::create_dir_all(&above)?;
        // The sandbox refuses a folder behind a link.
        let path = above.canonicalize()?.join(format!("gstack-look-{}", uuid::Uuid::new_v4().simple()));
        private_folder(&path).map_err(std::io::Error::other)?;
        Ok(Self(path))
    }
}

impl Drop for ExaminationFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "the folder of an examination could not be removed");
        }
    }
}
