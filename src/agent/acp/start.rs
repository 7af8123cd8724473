//! Starts an ACP agent for a conversation, up to the moment when it is ready for a message.
//!
//! Owns the handshake and the fallback if an earlier session cannot be resumed.

use super::acp_handler::AcpHandler;
use super::agreed::{ModelSetting, Session};
use super::faults;
use super::preset::{Kind, Preset, RunFiles, TOKEN_VARIABLE};
use super::wire::{AUTH_REQUIRED, Capabilities, Initialized, PROTOCOL_VERSION, SessionBegun, Update};
use crate::adapter::{AgentEnvironment, Launch, Offers};
use crate::discovery::with_own_folder;
use crate::faults::Program;
use crate::guard::Guard;
use crate::process::child::{Patience, Spawn};
use crate::rpc::message::{Dialect, Incoming, read};
use crate::rpc::rpc_session::Begin;
use crate::rpc::wire::{AskError, Wire};
use gstack_protocol::VERSION;
use gstack_protocol::agents::ModelInfo;
use gstack_protocol::catalogue::{self, Sentence};
use gstack_protocol::fault::Fault;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::Path;
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

pub(super) fn about<'a>(preset: &'a Preset, check: &'a str) -> Program<'a> {
    Program { label: &preset.label, install: preset.install.as_deref(), check }
}

/// Starts the agent and resumes [`Launch::resume`] if possible. Fails if the agent does not start, does not get ready
/// in time, or is not signed in.
pub(super) async fn start(
    preset: &Preset,
    program: &Path,
    launch: Launch,
) -> Result<Begin<AcpHandler, RunFiles>, Fault> {
    let check = program.display().to_string();
    let about = about(preset, &check);
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
    environment.variables.extend(files.variables.iter().map(|(name, value)| ((*name).into(), value.clone())));
    environment.variables.insert(TOKEN_VARIABLE.into(), launch.mcp.token.clone().into());
    for (name, value) in preset.variables() {
        environment.variables.entry((*name).into()).or_insert_with(|| (*value).into());
    }
    let started_in = files.neutral.clone().unwrap_or_else(|| launch.folder.clone());
    if files.neutral.is_some() {
        environment.access.folders.push(launch.folder.clone());
    }
    let spawn = Spawn { program, arguments, environment: &environment, folder: &started_in };
    let mut wire = Wire::spawn(spawn, Dialect::JsonRpc2).map_err(|error| about.not_spawned(&error))?;
    match tokio::time::timeout(READY_LIMIT, handshake(&mut wire, preset, &launch, &started_in)).await {
        Ok(Ok(Begun { session, resumed, notice })) => {
            Ok(Begin { wire, handler: AcpHandler::new(session), keep: files, resumed, notice })
        }
        Ok(Err(error)) => {
            wire.end(PATIENCE).await;
            Err(start_fault(preset, about, error))
        }
        Err(_elapsed) => {
            wire.end(PATIENCE).await;
            Err(about.silent_start(READY_LIMIT.as_secs()))
        }
    }
}

fn start_fault(preset: &Preset, about: Program<'_>, error: AskError) -> Fault {
    match error {
        AskError::Refused(refused) if refused.code == AUTH_REQUIRED => {
            faults::signed_out(&preset.label, preset.sign_in.as_deref())
        }
        AskError::Refused(refused) => about.broken(&refused.message),
        AskError::Ended { how, last_words } => about.broken(&last_words.unwrap_or(how)),
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
    notice: Option<Sentence>,
}

async fn handshake(wire: &mut Wire, preset: &Preset, launch: &Launch, cwd: &Path) -> Result<Begun, AskError> {
    let Capabilities { load_session, prompt_capabilities, mcp_capabilities, session_capabilities } =
        introduce(wire).await?.agent_capabilities;
    let mut notice = None;
    let authorization = preset.authorization(&launch.mcp.token);
    let server = json!({
        "type": "http",
        "name": "gstack",
        "url": launch.mcp.url,
        "headers": [{"name": "Authorization", "value": authorization}],
    });
    let servers = if mcp_capabilities.http { vec![server] } else { Vec::new() };
    if servers.is_empty() {
        notice = Some(catalogue::TOOLS_NOT_KNOWN.with([&preset.label]));
    }
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
            notice = Some(catalogue::SESSION_BEGINS_AGAIN.into());
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
    let (model_setting, models, current) = models_of(begun);
    let mut model = current.clone();
    let named = launch.model.as_ref().filter(|model| is_model(model));
    if let (Some(wanted), Some(setting)) = (named, &model_setting) {
        let mut asked = None;
        set_model(&session_id, setting, wanted, |method, params| asked = Some((method.to_owned(), params)));
        if let Some((method, params)) = asked {
            match wire.ask(&method, params).await {
                Ok(_) => model = Some(wanted.clone()),
                Err(AskError::Refused(_)) => notice = Some(catalogue::NO_SUCH_MODEL.with([&preset.label, wanted])),
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
        offers: Offers { models: (!models.is_empty()).then_some(models), commands: None, account: None },
        fences: preset.kind == Kind::Gemini,
    };
    Ok(Begun { session, resumed: !is_new, notice })
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

/// Returns whether a message that came while a session was loaded repeats what the conversation already has. The commands of
/// the session do not: Copilot sends them only then.
fn is_history(message: &Incoming) -> bool {
    let Incoming::Notification { params, .. } = message else { return false };
    !matches!(Update::parse(params), Some(Update::Commands(_)))
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

/// Asks for its version with `initialize`: not every ACP agent supports `--version`.
pub(super) async fn ask_version(
    preset: &Preset,
    program: &Path,
    environment: &AgentEnvironment,
) -> Result<Option<String>, Fault> {
    let check = program.display().to_string();
    let about = about(preset, &check);
    let own = preset.clone();
    let of = environment.clone();
    let access = tokio::task::spawn_blocking(move || own.access(&of)).await.unwrap_or_default();
    let environment = AgentEnvironment { access, ..with_own_folder(environment, program) };
    let (arguments, folder) = (preset.arguments.clone(), Path::new("/"));
    let spawn = Spawn { program, arguments, environment: &environment, folder };
    let mut wire = Wire::spawn(spawn, Dialect::JsonRpc2).map_err(|error| about.not_spawned(&error))?;
    let told = tokio::time::timeout(ASK_LIMIT, introduce(&mut wire)).await;
    wire.end(PATIENCE).await;
    match told {
        Ok(Ok(told)) if told.protocol_version != PROTOCOL_VERSION => {
            Err(about.broken(&format!("it speaks ACP version {}, not 1", told.protocol_version)))
        }
        Ok(Ok(told)) => Ok(told.agent_info.and_then(|info| info.version)),
        Ok(Err(error)) => Err(start_fault(preset, about, error)),
        Err(_elapsed) => Err(about.silent_start(ASK_LIMIT.as_secs())),
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
