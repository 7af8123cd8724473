//! Starts an ACP agent for a conversation, up to the moment when it is ready for a message.
//!
//! Owns the process and the handshake. `resume` continues an earlier session, `choices` enters the mode and the model.

use super::acp_handler::AcpHandler;
use super::agreed::Session;
use super::choices::{enter_mode, is_model, models_of, set_model};
use super::faults;
use super::known::Servers;
use super::modes::{Modes, READ_ONLY};
use super::preset::{Kind, Preset, RunFiles, TOKEN_VARIABLE};
use super::resume::resume;
use super::wire::{AUTH_REQUIRED, AuthMethod, Capabilities, Initialized, PROTOCOL_VERSION, SessionBegun};
use crate::adapter::{AgentEnvironment, Launch, Offers};
use crate::discovery::with_own_folder;
use crate::faults::Program;
use crate::guard::Guard;
use crate::process::child::{Patience, Spawn};
use crate::process::refused::LastWords;
use crate::rpc::message::{Dialect, read};
use crate::rpc::rpc_session::Begin;
use crate::rpc::wire::{AskError, Wire};
use crate::sandbox::Confinement;
use gstack_protocol::VERSION;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::Fault;
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Gemini takes 4 s if it is warm; a cold start on a busy machine takes many times that.
const READY_LIMIT: Duration = Duration::from_secs(90);
/// A person signs in, in a browser or with a device.
const SIGN_IN_LIMIT: Duration = Duration::from_secs(600);
/// Short, because no turn is running that could finish.
pub(super) const PATIENCE: Patience =
    Patience { after_stdin_closed: Duration::from_millis(500), after_term: Duration::from_millis(500) };

pub(super) fn about<'a>(preset: &'a Preset, check: &'a str, environment: &AgentEnvironment) -> Program<'a> {
    let sandboxed = is_confined(environment);
    Program { label: &preset.label, install: preset.install.as_deref(), check, sandboxed }
}

/// Returns the whole command, for a person's terminal.
pub(super) fn command_line(preset: &Preset, program: &Path) -> String {
    let words = std::iter::once(program.as_os_str()).chain(preset.arguments.iter().map(OsString::as_os_str));
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// What is remembered of an agent from one start to the next.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// It had no mode in which it asks.
    never_asks: AtomicBool,
    /// The way to sign in that the person chose. Some agents need it at each start.
    sign_in: Mutex<Option<String>>,
}

impl Remembered {
    pub(super) fn sign_in_by(&self, way: Option<String>) {
        *self.sign_in.lock().unwrap_or_else(PoisonError::into_inner) = way;
    }

    fn sign_in(&self) -> Option<String> {
        self.sign_in.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Starts the agent and resumes [`Launch::resume`] if possible. Fails if the agent does not start, does not get ready in time,
/// or is not signed in.
pub(super) async fn start(
    preset: &Preset,
    program: &Path,
    launch: Launch,
    remembered: &Remembered,
) -> Result<Begin<AcpHandler, RunFiles>, Fault> {
    let never_asks = &remembered.never_asks;
    let mut read_only = match launch.mode.as_deref() {
        Some(chosen) => chosen == READ_ONLY,
        None => never_asks.load(Ordering::Relaxed),
    };
    // Only a started agent says which modes it has. It has no message yet, so it has done nothing.
    let mut begin = start_once(preset, program, &launch, remembered, read_only).await?;
    if begin.handler.is_read_only() != read_only && is_confined(&launch.environment) {
        read_only = begin.handler.is_read_only();
        begin.wire.end(PATIENCE).await;
        drop(begin.keep);
        begin = start_once(preset, program, &launch, remembered, read_only).await?;
        if begin.handler.is_read_only() && !read_only {
            begin.wire.end(PATIENCE).await;
            let check = command_line(preset, program);
            let about = about(preset, &check, &launch.environment);
            return Err(about.broken("it offers other modes at each start"));
        }
    }
    if launch.mode.is_none() {
        never_asks.store(begin.handler.is_read_only(), Ordering::Relaxed);
    }
    if begin.handler.is_read_only() {
        let words = match is_confined(&launch.environment) {
            true => catalogue::MODE_IS_READ_ONLY,
            false => catalogue::MODE_ASKS_NOTHING,
        };
        begin.notices.push(words.with([&preset.label]));
    }
    Ok(begin)
}

fn is_confined(environment: &AgentEnvironment) -> bool {
    matches!(environment.confinement, Confinement::In(_))
}

/// Starts it once. `read_only`: it may not write in its folder.
async fn start_once(
    preset: &Preset,
    program: &Path,
    launch: &Launch,
    remembered: &Remembered,
    read_only: bool,
) -> Result<Begin<AcpHandler, RunFiles>, Fault> {
    let check = command_line(preset, program);
    let about = about(preset, &check, &launch.environment);
    let (writer, of) = (preset.clone(), launch.clone());
    let written = tokio::task::spawn_blocking(move || {
        let files = writer.write_files(&of)?;
        Ok((files, writer.access(&of.environment)))
    });
    let (files, access) = written
        .await
        .map_err(std::io::Error::other)
        .and_then(|written| written)
        .map_err(|error| about.not_written(&error))?;
    let arguments: Vec<_> = preset.arguments.iter().chain(&files.arguments).cloned().collect();
    let mut environment = with_own_folder(&launch.environment, program);
    environment.access = access.and(&launch.access).reading(files.readable());
    environment.access.folders_read_only = read_only;
    environment.variables.extend(files.variables.iter().map(|(name, value)| ((*name).into(), value.clone())));
    environment.variables.insert(TOKEN_VARIABLE.into(), launch.mcp.token.clone().into());
    for (name, value) in preset.variables() {
        environment.variables.entry((*name).into()).or_insert_with(|| (*value).into());
    }
    preset.configure(&mut environment.variables);
    let started_in = files.neutral.as_ref().map_or_else(|| launch.folder.clone(), |folder| folder.path().to_owned());
    if files.neutral.is_some() {
        environment.access.folders.push(launch.folder.clone());
    }
    let spawn = Spawn { program, arguments, environment: &environment, folder: &started_in };
    let mut wire = Wire::spawn(spawn, Dialect::JsonRpc2).map_err(|error| about.not_spawned(&error))?;
    let handshake = handshake(&mut wire, preset, launch, (&started_in, files.stdio.as_deref()), remembered);
    let limit = if remembered.sign_in().is_some() { SIGN_IN_LIMIT } else { READY_LIMIT };
    match tokio::time::timeout(limit, handshake).await {
        Ok(Ok(Begun { session, resumed, notices })) => {
            Ok(Begin { wire, handler: AcpHandler::new(session), keep: files, resumed, notices })
        }
        Ok(Err(error)) => {
            wire.end(PATIENCE).await;
            Err(start_fault(preset, about, &launch.environment, error))
        }
        Err(_elapsed) => {
            wire.end(PATIENCE).await;
            Err(about.silent_start(limit.as_secs()))
        }
    }
}

pub(super) fn start_fault(
    preset: &Preset,
    about: Program<'_>,
    environment: &AgentEnvironment,
    error: StartError,
) -> Fault {
    match error.cause {
        AskError::Refused(refused) if refused.code == AUTH_REQUIRED => {
            faults::signed_out(&preset.label, preset.sign_in.as_deref(), &refused.message, &error.sign_ins)
        }
        AskError::Refused(refused) => {
            let said = faults::said(&refused);
            about.ended(&said, LastWords::of(&said).filter(|words| words.refused.is_some()).as_ref(), environment)
        }
        AskError::Ended { how, last_words } => about.ended(&how, last_words.as_ref(), environment),
    }
}

/// Why an agent was not ready, and how it can be signed in to.
pub(super) struct StartError {
    cause: AskError,
    sign_ins: Vec<AuthMethod>,
}

impl From<AskError> for StartError {
    fn from(cause: AskError) -> Self {
        Self { cause, sign_ins: Vec::new() }
    }
}

pub(super) async fn introduce(wire: &mut Wire) -> Result<Initialized, AskError> {
    let params = json!({
        "protocolVersion": PROTOCOL_VERSION,
        // The agent reads and writes files itself and asks for permission to do so.
        "clientCapabilities": {
            "fs": {"readTextFile": false, "writeTextFile": false},
            "terminal": false,
            "elicitation": {"form": {}},
        },
        "clientInfo": {"name": "gstack", "title": "gstack", "version": VERSION},
    });
    let answer = wire.ask("initialize", params).await?;
    Ok(read(&answer, "initialize").unwrap_or_default())
}

struct Begun {
    session: Session,
    resumed: bool,
    notices: Vec<Sentence>,
}

/// Returns the server with our tools, as the agent can use it. `http`: it announces HTTP.
fn server(preset: &Preset, launch: &Launch, http: bool, stdio: Option<&Path>) -> Option<Value> {
    match preset.servers(http) {
        Servers::Http => {
            let authorization = preset.authorization(&launch.mcp.token);
            Some(json!({
                "type": "http",
                "name": "gstack",
                "url": launch.mcp.url,
                "headers": [{"name": "Authorization", "value": authorization}],
            }))
        }
        Servers::Started => {
            let (program, file) = (launch.mcp.program.as_ref()?, stdio?);
            // The token is in a file, since every user of the machine can read arguments.
            Some(json!({"name": "gstack", "command": program, "args": ["mcp", "--agent-token-file", file], "env": []}))
        }
        Servers::Never => None,
    }
}

/// Signs in if the session is refused without it and the person has chosen a way. `cwd`: the folder of the session. `stdio`: the
/// file for an agent that starts the server of our tools itself.
async fn handshake(
    wire: &mut Wire,
    preset: &Preset,
    launch: &Launch,
    (cwd, stdio): (&Path, Option<&Path>),
    remembered: &Remembered,
) -> Result<Begun, StartError> {
    let Initialized { agent_capabilities: capabilities, auth_methods: sign_ins, .. } = introduce(wire).await?;
    let cause = match begin(wire, preset, launch, (cwd, stdio), &capabilities).await {
        Ok(begun) => return Ok(begun),
        Err(cause) => cause,
    };
    let chosen = remembered.sign_in().filter(|chosen| sign_ins.iter().any(|way| way.id == *chosen));
    let Some(chosen) = chosen.filter(|_| matches!(&cause, AskError::Refused(refused) if refused.code == AUTH_REQUIRED))
    else {
        return Err(StartError { cause, sign_ins });
    };
    match wire.ask("authenticate", json!({"methodId": chosen})).await {
        Ok(_) => Ok(begin(wire, preset, launch, (cwd, stdio), &capabilities).await?),
        Err(AskError::Refused(mut refused)) => {
            // The next message asks for a way again.
            remembered.sign_in_by(None);
            (refused.message, refused.code) = (faults::said(&refused), AUTH_REQUIRED);
            Err(AskError::Refused(refused).into())
        }
        Err(ended) => Err(ended.into()),
    }
}

async fn begin(
    wire: &mut Wire,
    preset: &Preset,
    launch: &Launch,
    (cwd, stdio): (&Path, Option<&Path>),
    capabilities: &Capabilities,
) -> Result<Begun, AskError> {
    let Capabilities { load_session, prompt_capabilities, mcp_capabilities, session_capabilities } = capabilities;
    let mut notices = Vec::new();
    let offers = launch.mcp.offers_tools();
    let server = server(preset, launch, mcp_capabilities.http, stdio).filter(|_| offers);
    if server.is_none() && offers {
        notices.push(catalogue::TOOLS_NOT_KNOWN.with([&preset.label]));
    }
    let servers: Vec<Value> = server.into_iter().collect();
    let mut params = json!({"cwd": cwd, "mcpServers": servers});
    if let Some(meta) = preset.session_meta(launch) {
        params["_meta"] = meta;
    }
    let mut resumed = None;
    if let Some(earlier) = &launch.resume {
        let offered = [(session_capabilities.resume.is_some(), "session/resume"), (*load_session, "session/load")];
        let methods: Vec<&str> = offered.iter().filter(|(is, _)| *is).map(|(_, method)| *method).collect();
        resumed = resume(wire, &methods, earlier, &params).await?;
        if resumed.is_none() {
            notices.push(catalogue::SESSION_BEGINS_AGAIN.into());
        }
    }
    let is_new = resumed.is_none();
    let (session_id, begun) = match resumed {
        Some(resumed) => resumed,
        None => {
            let answer = wire.ask("session/new", params).await?;
            let begun: SessionBegun = read(&answer, "session/new").unwrap_or_default();
            (begun.session_id.clone().unwrap_or_default(), begun)
        }
    };
    let modes =
        enter_mode(wire, &session_id, Modes::new(&begun, preset.asking_modes(), launch.mode.as_deref())).await?;
    let (model_setting, models, current) = models_of(begun);
    let mut model = current.clone();
    let named = launch.model.as_ref().filter(|model| is_model(model));
    if let (Some(wanted), Some(setting)) = (named, &model_setting) {
        let mut asked = None;
        set_model(&session_id, setting, wanted, |method, params| asked = Some((method.to_owned(), params)));
        if let Some((method, params)) = asked {
            match wire.ask(&method, params).await {
                Ok(_) => model = Some(wanted.clone()),
                Err(AskError::Refused(_)) => notices.push(catalogue::NO_SUCH_MODEL.with([&preset.label, wanted])),
                Err(ended) => return Err(ended),
            }
        }
    }
    let home = launch.environment.variables.get(OsStr::new("HOME")).map(Path::new);
    let session = Session {
        label: preset.label.clone(),
        sign_in: preset.sign_in.clone(),
        session_id,
        tools: launch.tools.clone(),
        offered: launch.mcp.tools.clone(),
        guard: Guard::new(&launch.folder, home, &launch.off_limits),
        folder: launch.folder.clone(),
        model,
        own_model: current,
        takes_images: prompt_capabilities.image,
        model_setting,
        preamble: (is_new && !preset.takes_instructions()).then(|| launch.system_prompt.clone()),
        offers: Offers {
            models: (!models.is_empty()).then_some(models),
            modes: Some(modes.offered.clone()),
            ..Offers::default()
        },
        modes,
        fences: preset.kind == Kind::Gemini,
    };
    Ok(Begun { session, resumed: !is_new, notices })
}
