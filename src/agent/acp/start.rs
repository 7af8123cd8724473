//! Starts an ACP agent for a conversation, up to the moment when it is ready for a message.
//!
//! Owns the handshake and the fallback if an earlier session cannot be resumed.

use super::acp_handler::AcpHandler;
use super::agreed::{ModelSetting, Session};
use super::faults;
use super::modes::{ModeSetting, Modes, READ_ONLY};
use super::preset::{Kind, Preset, RunFiles, TOKEN_VARIABLE};
use super::wire::{
    AUTH_REQUIRED, AuthMethod, Capabilities, ConfigUpdate, Initialized, PROTOCOL_VERSION, SessionBegun, Update,
};
use crate::adapter::{AgentEnvironment, Launch, Offers};
use crate::discovery::with_own_folder;
use crate::faults::Program;
use crate::guard::Guard;
use crate::process::child::{Patience, Spawn};
use crate::rpc::message::{Dialect, Incoming, read};
use crate::rpc::rpc_session::Begin;
use crate::rpc::wire::{AskError, Wire};
use crate::sandbox::Confinement;
use gstack_base::home::private_folder;
use gstack_protocol::VERSION;
use gstack_protocol::agents::ModelInfo;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::Fault;
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Gemini takes 4 s if it is warm; a cold start on a busy machine takes many times that.
const READY_LIMIT: Duration = Duration::from_secs(90);
const ASK_LIMIT: Duration = Duration::from_secs(20);
/// Short, because no turn is running that could finish.
const PATIENCE: Patience =
    Patience { after_stdin_closed: Duration::from_millis(500), after_term: Duration::from_millis(500) };

/// A method that every agent refuses, and so answers immediately: everything it sent before has then been read.
pub(super) const NO_METHOD: &str = "_gstack/nothing";
/// The limit for an agent that does not answer unknown methods.
const FLUSH_LIMIT: Duration = Duration::from_secs(5);

pub(super) fn about<'a>(preset: &'a Preset, check: &'a str, environment: &AgentEnvironment) -> Program<'a> {
    let sandboxed = is_confined(environment);
    Program { label: &preset.label, install: preset.install.as_deref(), check, sandboxed }
}

/// Returns the whole command, for a person's terminal.
fn command_line(preset: &Preset, program: &Path) -> String {
    let words = std::iter::once(program.as_os_str()).chain(preset.arguments.iter().map(OsString::as_os_str));
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// Starts the agent and resumes [`Launch::resume`] if possible. `never_asks` keeps whether it had no mode that asks. Fails
/// if the agent does not start, does not get ready in time, or is not signed in.
pub(super) async fn start(
    preset: &Preset,
    program: &Path,
    launch: Launch,
    never_asks: &AtomicBool,
) -> Result<Begin<AcpHandler, RunFiles>, Fault> {
    let mut read_only = match launch.mode.as_deref() {
        Some(chosen) => chosen == READ_ONLY,
        None => never_asks.load(Ordering::Relaxed),
    };
    // Only a started agent says which modes it has. It has no message yet, so it has done nothing.
    let mut begin = start_once(preset, program, &launch, read_only).await?;
    if begin.handler.is_read_only() != read_only && is_confined(&launch.environment) {
        read_only = begin.handler.is_read_only();
        begin.wire.end(PATIENCE).await;
        drop(begin.keep);
        begin = start_once(preset, program, &launch, read_only).await?;
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
    let started_in = files.neutral.clone().unwrap_or_else(|| launch.folder.clone());
    if files.neutral.is_some() {
        environment.access.folders.push(launch.folder.clone());
    }
    let spawn = Spawn { program, arguments, environment: &environment, folder: &started_in };
    let mut wire = Wire::spawn(spawn, Dialect::JsonRpc2).map_err(|error| about.not_spawned(&error))?;
    let handshake = handshake(&mut wire, preset, launch, (&started_in, files.stdio.as_deref()));
    match tokio::time::timeout(READY_LIMIT, handshake).await {
        Ok(Ok(Begun { session, resumed, notices })) => {
            Ok(Begin { wire, handler: AcpHandler::new(session), keep: files, resumed, notices })
        }
        Ok(Err(error)) => {
            wire.end(PATIENCE).await;
            Err(start_fault(preset, about, &launch.environment, error))
        }
        Err(_elapsed) => {
            wire.end(PATIENCE).await;
            Err(about.silent_start(READY_LIMIT.as_secs()))
        }
    }
}

fn start_fault(preset: &Preset, about: Program<'_>, environment: &AgentEnvironment, error: StartError) -> Fault {
    match error.cause {
        AskError::Refused(refused) if refused.code == AUTH_REQUIRED => {
            faults::signed_out(&preset.label, preset.sign_in.as_deref(), &refused.message, &error.sign_ins)
        }
        AskError::Refused(refused) => about.broken(&faults::said(&refused)),
        AskError::Ended { how, last_words } => {
            let home = environment.variables.get(OsStr::new("HOME")).map(Path::new);
            about.ended(&how, last_words.as_ref(), home)
        }
    }
}

/// Why an agent was not ready, and how it can be signed in to.
struct StartError {
    cause: AskError,
    sign_ins: Vec<AuthMethod>,
}

impl From<AskError> for StartError {
    fn from(cause: AskError) -> Self {
        Self { cause, sign_ins: Vec::new() }
    }
}

async fn introduce(wire: &mut Wire) -> Result<Initialized, AskError> {
    let params = json!({
        "protocolVersion": PROTOCOL_VERSION,
        // The agent reads and writes files itself and asks for permission to do so.
        "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
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

/// Returns the server with our tools, as the agent can use it: over HTTP, or started by the agent itself, which every ACP
/// agent supports.
fn server(preset: &Preset, launch: &Launch, over_http: bool, stdio: Option<&Path>) -> Option<Value> {
    if over_http {
        let authorization = preset.authorization(&launch.mcp.token);
        return Some(json!({
            "type": "http",
            "name": "gstack",
            "url": launch.mcp.url,
            "headers": [{"name": "Authorization", "value": authorization}],
        }));
    }
    let (program, file) = (launch.mcp.program.as_ref()?, stdio?);
    // The token is in a file, since every user of the machine can read arguments.
    Some(json!({"name": "gstack", "command": program, "args": ["mcp", "--agent-token-file", file], "env": []}))
}

/// `cwd`: the folder of the session. `stdio`: the file for an agent that starts the server of our tools itself.
async fn handshake(
    wire: &mut Wire,
    preset: &Preset,
    launch: &Launch,
    (cwd, stdio): (&Path, Option<&Path>),
) -> Result<Begun, StartError> {
    let told = introduce(wire).await?;
    let begun = begin(wire, preset, launch, (cwd, stdio), told.agent_capabilities).await;
    begun.map_err(|cause| StartError { cause, sign_ins: told.auth_methods })
}

async fn begin(
    wire: &mut Wire,
    preset: &Preset,
    launch: &Launch,
    (cwd, stdio): (&Path, Option<&Path>),
    capabilities: Capabilities,
) -> Result<Begun, AskError> {
    let Capabilities { load_session, prompt_capabilities, mcp_capabilities, session_capabilities } = capabilities;
    let mut notices = Vec::new();
    let server = server(preset, launch, mcp_capabilities.http, stdio);
    if server.is_none() {
        notices.push(catalogue::TOOLS_NOT_KNOWN.with([&preset.label]));
    }
    let servers: Vec<Value> = server.into_iter().collect();
    let mut params = json!({"cwd": cwd, "mcpServers": servers});
    if let Some(meta) = preset.session_meta(launch) {
        params["_meta"] = meta;
    }
    let method = match session_capabilities.resume {
        Some(_) => Some("session/resume"),
        None => load_session.then_some("session/load"),
    };
    let mut resumed = None;
    if let Some(earlier) = &launch.resume {
        resumed = match method {
            Some(method) => resume(wire, method, earlier, &params).await?,
            None => None,
        };
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

/// Changes to the mode of the session, and verifies that the agent is in it.
async fn enter_mode(wire: &mut Wire, session_id: &str, mut modes: Modes) -> Result<Modes, AskError> {
    follow_mode(&mut wire.early, 0, &mut modes);
    let (Some(wanted), Some(setting)) = (modes.to_set().map(str::to_owned), modes.setting.clone()) else {
        return Ok(modes);
    };
    let before = wire.early.len();
    let (method, params) = set_mode(session_id, &setting, &wanted);
    match wire.ask(method, params).await {
        Ok(answer) => {
            modes.entered(wanted);
            let told: ConfigUpdate = read(&answer, method).unwrap_or_default();
            modes.entered_by_option(&told.config_options);
            follow_mode(&mut wire.early, before, &mut modes);
            if modes.to_set().is_some() {
                modes.refused();
            }
        }
        Err(AskError::Refused(error)) => {
            tracing::warn!(code = error.code, "an agent did not change to the mode in which it asks");
            modes.refused();
        }
        Err(ended) => return Err(ended),
    }
    Ok(modes)
}

/// Follows the changes of the mode among the messages from `start` on, and removes them.
fn follow_mode(early: &mut Vec<Incoming>, start: usize, modes: &mut Modes) {
    let later = early.split_off(start);
    for message in later {
        let update = match &message {
            Incoming::Notification { params, .. } => Update::parse(params),
            Incoming::Answer { .. } | Incoming::Request { .. } => None,
        };
        match update {
            Some(Update::Mode(id)) => {
                modes.entered(id);
            }
            Some(Update::Config(options)) => {
                modes.entered_by_option(&options);
            }
            _ => early.push(message),
        }
    }
}

/// Returns the request that changes the mode.
pub(super) fn set_mode(session_id: &str, setting: &ModeSetting, mode: &str) -> (&'static str, Value) {
    match setting {
        ModeSetting::Method => ("session/set_mode", json!({"sessionId": session_id, "modeId": mode})),
        ModeSetting::Option(id) => {
            ("session/set_config_option", json!({"sessionId": session_id, "configId": id, "value": mode}))
        }
    }
}

/// Resumes a session. Returns `None` if it no longer exists.
async fn resume(
    wire: &mut Wire,
    method: &str,
    earlier: &str,
    params: &Value,
) -> Result<Option<(String, SessionBegun)>, AskError> {
    let mut params = params.clone();
    params["sessionId"] = earlier.into();
    match wire.ask(method, params).await {
        Ok(answer) => {
            // The history is sent again as updates, possibly after the answer: it is complete before the next answer
            // arrives.
            if method == "session/load" {
                let refused = tokio::time::timeout(FLUSH_LIMIT, wire.ask(NO_METHOD, json!({}))).await;
                if let Ok(Err(AskError::Ended { how, last_words })) = refused {
                    return Err(AskError::Ended { how, last_words });
                }
            }
            wire.early.retain(|message| !is_history(message));
            Ok(Some((earlier.to_owned(), read(&answer, method).unwrap_or_default())))
        }
        Err(AskError::Refused(error)) if error.code != AUTH_REQUIRED => {
            tracing::info!(code = error.code, "an earlier session can't be gone on with");
            wire.early.clear();
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Returns whether a message that came while a session was loaded repeats what the conversation already has. The commands and
/// the mode of the session do not: Copilot sends the commands only then.
fn is_history(message: &Incoming) -> bool {
    let Incoming::Notification { params, .. } = message else { return false };
    !matches!(Update::parse(params), Some(Update::Commands(_) | Update::Mode(_) | Update::Config(_)))
}

/// Returns how to set the model, the available models and the current one.
fn models_of(begun: SessionBegun) -> (Option<ModelSetting>, Vec<ModelInfo>, Option<String>) {
    if let Some(models) = begun.models {
        let infos = models.available_models.into_iter().map(|model| ModelInfo {
            id: model.model_id,
            label: model.name,
            description: model.description.unwrap_or_default(),
        });
        return (Some(ModelSetting::Method), infos.collect(), models.current_model_id);
    }
    let option = begun.config_options.into_iter().find(|option| option.category.as_deref() == Some("model"));
    let Some(option) = option else { return (None, Vec::new(), None) };
    let infos = option.options.into_iter().map(|choice| ModelInfo {
        id: choice.value,
        label: choice.name,
        description: choice.description.unwrap_or_default(),
    });
    let current = option.current_value.as_str().map(str::to_owned);
    (Some(ModelSetting::Option(option.id)), infos.collect(), current)
}

/// Returns whether this is a model's name. `fast` and `deep` say how much thought a message needs, which ACP cannot
/// express.
pub(super) fn is_model(name: &str) -> bool {
    !matches!(name, "fast" | "deep")
}

/// Passes the request that sets a model to `ask`.
pub(super) fn set_model(session_id: &str, setting: &ModelSetting, model: &str, mut ask: impl FnMut(&str, Value)) {
    match setting {
        ModelSetting::Method => ask("session/set_model", json!({"sessionId": session_id, "modelId": model})),
        ModelSetting::Option(id) => {
            ask("session/set_config_option", json!({"sessionId": session_id, "configId": id, "value": model}));
        }
    }
}

/// What an agent said when it was examined.
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

#[cfg(test)]
mod tests {
    use super::is_history;
    use crate::rpc::message::parse;
    use serde_json::json;

    #[test]
    fn a_loaded_session_keeps_its_commands_and_drops_what_was_said() {
        let update = |update| json!({"method": "session/update", "params": {"sessionId": "s", "update": update}});
        let said = json!({"type": "text", "text": "hello"});
        let commands = json!([{"name": "compact", "description": "Compact the conversation"}]);
        for (message, dropped) in [
            (update(json!({"sessionUpdate": "user_message_chunk", "content": said})), true),
            (update(json!({"sessionUpdate": "agent_message_chunk", "content": said})), true),
            (update(json!({"sessionUpdate": "session_info_update", "title": "Hello"})), true),
            (update(json!({"sessionUpdate": "available_commands_update", "availableCommands": commands})), false),
            (json!({"id": 1, "method": "session/request_permission", "params": {}}), false),
        ] {
            let incoming = parse(&message.to_string()).unwrap();
            assert_eq!(is_history(&incoming), dropped, "{message}");
        }
    }
}
