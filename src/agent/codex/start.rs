//! Starts Codex for a conversation, up to the moment when it is ready for a message; and asks for its offers.
//!
//! Owns the handshake and the fallback if an earlier thread cannot be resumed.

use super::codex_handler::CodexHandler;
use super::faults::{self, PROGRAM};
use super::options::{self, PROFILE};
use super::wire::{AccountRead, Models, ThreadStarted};
use crate::adapter::{AgentEnvironment, Launch};
use crate::guard::Guard;
use crate::process::child::{Patience, Spawn};
use crate::rpc::message::{Dialect, read};
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

/// A warm start takes 0.3 s; a cold start on a busy machine takes many times that.
const READY_LIMIT: Duration = Duration::from_secs(45);
const ASK_LIMIT: Duration = Duration::from_secs(15);
/// Short, because no turn is running that could finish.
const PATIENCE: Patience =
    Patience { after_stdin_closed: Duration::from_millis(500), after_term: Duration::from_millis(500) };

/// Its own report without a conversation.
pub(super) struct AccountReport {
    pub signed_in: bool,
    pub account: Option<String>,
    pub warning: Option<Sentence>,
    pub models: Vec<ModelInfo>,
}

/// Starts it and resumes [`Launch::resume`] if possible. Fails if it does not start, does not get ready in time, or is
/// not signed in.
pub(super) async fn start(program: &Path, launch: Launch) -> Result<Begin<CodexHandler, ()>, Fault> {
    let home = launch.environment.variables.get(OsStr::new("HOME")).map(Path::new);
    let guard = Guard::new(&launch.folder, home, &launch.off_limits);
    let mut environment = options::environment(&launch.environment, program, &launch.mcp.token);
    environment.access = environment.access.and(&launch.access);
    let arguments = options::arguments(&launch.mcp, &guard);
    let spawn = Spawn { program, arguments, environment: &environment, folder: &launch.folder };
    let mut wire = Wire::spawn(spawn, Dialect::Plain).map_err(|error| PROGRAM.not_spawned(&error))?;
    match tokio::time::timeout(READY_LIMIT, handshake(&mut wire, &launch)).await {
        Ok(Ok(Begun { thread, uses_key, resumed, notice })) => {
            let mut handler = CodexHandler::new(launch.tools, guard, launch.folder, thread, uses_key);
            handler.choose_model(launch.model);
            Ok(Begin { wire, handler, keep: (), resumed, notices: notice.into_iter().collect() })
        }
        Ok(Err(fault)) => {
            wire.end(PATIENCE).await;
            Err(fault)
        }
        Err(_elapsed) => {
            wire.end(PATIENCE).await;
            Err(PROGRAM.silent_start(READY_LIMIT.as_secs()))
        }
    }
}

struct Begun {
    thread: ThreadStarted,
    uses_key: bool,
    resumed: bool,
    notice: Option<Sentence>,
}

async fn handshake(wire: &mut Wire, launch: &Launch) -> Result<Begun, Fault> {
    let account = introduce(wire).await.map_err(broken)?;
    if is_signed_out(&account) {
        return Err(faults::signed_out());
    }
    let uses_key = account.account.as_ref().is_none_or(|account| account.kind == "apiKey");
    let params = json!({
        "cwd": launch.folder,
        // It asks for everything that the sandbox denies.
        "approvalPolicy": "on-request",
        "developerInstructions": launch.system_prompt,
    });
    let mut notice = None;
    let resumed = match &launch.resume {
        Some(thread) => {
            let mut params = params.clone();
            params["threadId"] = thread.as_str().into();
            params["excludeTurns"] = true.into();
            match wire.ask("thread/resume", params).await {
                Ok(answer) => Some(answer),
                // Only the thread is gone: start a new one in the same process.
                Err(AskError::Refused(error)) => {
                    tracing::info!(code = error.code, "an earlier thread can't be resumed");
                    notice = Some(catalogue::SESSION_BEGINS_AGAIN.into());
                    None
                }
                Err(ended) => return Err(broken(ended)),
            }
        }
        None => None,
    };
    let is_resumed = resumed.is_some();
    let answer = match resumed {
        Some(answer) => answer,
        None => wire.ask("thread/start", params).await.map_err(broken)?,
    };
    let thread: ThreadStarted = read(&answer, "thread/start")
        .ok_or_else(|| PROGRAM.broken("its answer to a new thread has an unexpected form"))?;
    let confined = thread.active_permission_profile.as_ref().is_some_and(|profile| profile.id == PROFILE);
    if !confined {
        return Err(faults::unconfined());
    }
    Ok(Begun { thread, uses_key, resumed: is_resumed, notice })
}

async fn introduce(wire: &mut Wire) -> Result<AccountRead, AskError> {
    let client = json!({"name": "gstack", "title": "gstack", "version": VERSION});
    // Questions to the person are an experimental method of the app-server.
    let capabilities = json!({"experimentalApi": true});
    wire.ask("initialize", json!({"clientInfo": client, "capabilities": capabilities})).await?;
    wire.notify("initialized", None).await;
    let answer = wire.ask("account/read", json!({})).await?;
    Ok(read(&answer, "account/read").unwrap_or_default())
}

/// Returns true only if it says so: a provider of the person's own needs no account.
fn is_signed_out(account: &AccountRead) -> bool {
    account.requires_openai_auth && account.account.is_none()
}

fn broken(error: AskError) -> Fault {
    match error {
        AskError::Refused(refused) => PROGRAM.broken(&refused.message),
        AskError::Ended { how, last_words } => PROGRAM.ended(&how, last_words.as_ref(), &AgentEnvironment::default()),
    }
}

/// Asks which account is signed in and which models it offers.
pub(super) async fn ask(program: &Path, environment: &AgentEnvironment) -> Result<AccountReport, Fault> {
    let arguments = options::probe_arguments();
    let spawn = Spawn { program, arguments, environment, folder: Path::new("/") };
    let mut wire = Wire::spawn(spawn, Dialect::Plain).map_err(|error| PROGRAM.not_spawned(&error))?;
    let told = tokio::time::timeout(ASK_LIMIT, async {
        let account = introduce(&mut wire).await?;
        let models = match wire.ask("model/list", Value::Object(Default::default())).await {
            Ok(answer) => read::<Models>(&answer, "model/list").map(|models| models.data).unwrap_or_default(),
            // A release without this method still works.
            Err(AskError::Refused(_)) => Vec::new(),
            Err(ended) => return Err(ended),
        };
        let shown = models.into_iter().filter(|model| !model.hidden).map(|model| ModelInfo {
            id: model.id,
            label: model.display_name,
            description: model.description,
        });
        Ok(account_report(&account, shown.collect()))
    })
    .await;
    wire.end(PATIENCE).await;
    match told {
        Ok(told) => told.map_err(broken),
        Err(_elapsed) => Err(PROGRAM.silent_start(ASK_LIMIT.as_secs())),
    }
}

fn account_report(account: &AccountRead, models: Vec<ModelInfo>) -> AccountReport {
    let signed_in = !is_signed_out(account);
    let kind = account.account.as_ref().map(|account| account.kind.as_str());
    let warning = (kind == Some("apiKey")).then(|| catalogue::KEY_BILLED_CODEX.into());
    let email = account.account.as_ref().and_then(|account| account.email.clone());
    let account = email.or_else(|| kind.filter(|kind| *kind == "apiKey").map(|_| "API key".to_owned()));
    AccountReport { signed_in, account, warning, models }
}
