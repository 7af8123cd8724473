//! The other end of a tunnel, on the machine without the browser: `gstack mcp --socket PATH`, and browser commands with
//! `--remote PATH`.
//!
//! Owns the check of the socket and the messages sent to it. `remote_pictures` writes the pictures that come back. Needs no daemon and no home here, and starts none.

use super::arguments::{Globals, Invocation};
use super::browser_command::told;
use super::remote_pictures;
use super::terminal::clean;
use gstack_command::registry;
use gstack_protocol::VERSION;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::tunnel::{REMOTE_COMMAND, RemoteAnswer, RemoteCommand, RemoteResult};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::process::ExitCode;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

/// The largest answer, in bytes. A page's text and a snapshot are far below.
const LARGEST_ANSWER: u64 = 64 * 1024 * 1024;

/// Connects an MCP client on standard input and output to the tunnel, until one side ends.
pub(super) async fn bridge(path: &Path) -> Result<(), Fault> {
    let (mut from, mut to) = connect(path).await?.into_split();
    let sending = async {
        tokio::io::copy(&mut tokio::io::stdin(), &mut to).await?;
        to.shutdown().await
    };
    let answering = async {
        let mut output = tokio::io::stdout();
        tokio::io::copy(&mut from, &mut output).await?;
        output.flush().await
    };
    // The tunnel's end ends the client; the client's end waits for the last answers.
    let ended = tokio::select! {
        biased;
        ended = answering => ended,
        Err(error) = sending => Err(error),
    };
    match ended {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(lost(&error)),
        _ => Ok(()),
    }
}

/// Runs a browser command through the tunnel and prints its result.
pub(super) async fn run(path: &Path, invocation: Invocation, globals: &Globals) -> Result<ExitCode, Fault> {
    let Invocation::Browser { command, args } = invocation else {
        return Err(Fault::new(FaultCode::BadRequest, "--remote is for browser commands")
            .hint("For an MCP client, run: gstack mcp --socket PATH"));
    };
    let changes = registry::find(&command).is_none_or(|spec| spec.changes());
    let (args, output) = remote_pictures::take_path(&command, args)?;
    let command = RemoteCommand { command, args, tab_id: globals.tab };
    let answer = ask(path, &command).await.and_then(|answer| remote_pictures::save(&command.command, answer, output));
    told(answer, changes, globals.json)
}

async fn ask(path: &Path, command: &RemoteCommand) -> Result<RemoteResult, Fault> {
    let mut stream = BufReader::new(connect(path).await?.take(LARGEST_ANSWER));
    let client = json!({ "name": "gstack", "version": VERSION });
    let begin = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    send(&mut stream, &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin })).await?;
    reply(&mut stream, 1).await?;
    send(&mut stream, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
    send(&mut stream, &json!({ "jsonrpc": "2.0", "id": 2, "method": REMOTE_COMMAND, "params": command })).await?;
    let answer = reply(&mut stream, 2).await?;
    match serde_json::from_value(answer) {
        Ok(RemoteAnswer::Done(mut answer)) => {
            // The other machine's text goes to this terminal.
            answer.result.output = clean(&answer.result.output);
            Ok(answer)
        }
        Ok(RemoteAnswer::Failed(fault)) => Err(fault),
        Err(error) => Err(unreadable(&error.to_string())),
    }
}

type Stream = BufReader<tokio::io::Take<UnixStream>>;

async fn send(stream: &mut Stream, message: &Value) -> Result<(), Fault> {
    let text = format!("{message}\n");
    stream.get_mut().get_mut().write_all(text.as_bytes()).await.map_err(|error| lost(&error))
}

/// Returns the result of a request. Skips notifications.
async fn reply(stream: &mut Stream, id: u64) -> Result<Value, Fault> {
    #[derive(Deserialize)]
    struct Message {
        #[serde(default)]
        id: Value,
        #[serde(default)]
        result: Option<Value>,
        #[serde(default)]
        error: Option<Problem>,
    }
    #[derive(Deserialize)]
    struct Problem {
        message: String,
    }
    loop {
        let mut line = Vec::new();
        stream.read_until(b'\n', &mut line).await.map_err(|error| lost(&error))?;
        if line.is_empty() {
            return Err(lost(&io::Error::from(io::ErrorKind::UnexpectedEof)));
        }
        let message: Message = serde_json::from_slice(&line).map_err(|error| unreadable(&error.to_string()))?;
        match message {
            Message { id: of, .. } if of != json!(id) => {}
            Message { result: Some(result), .. } => return Ok(result),
            Message { error, .. } => return Err(unreadable(&error.map(|error| error.message).unwrap_or_default())),
        }
    }
}

/// Connects to the socket. Fails for one of another user: whoever made it would be believed to be the browser.
async fn connect(path: &Path) -> Result<UnixStream, Fault> {
    let no_tunnel = |why: String| {
        Fault::new(FaultCode::DaemonDown, format!("no tunnel at {}: {why}", path.display()))
            .hint("On the machine with the browser, run: gstack tunnel --to HOST. Use the path that it prints.")
    };
    let found = std::fs::symlink_metadata(path).map_err(|error| no_tunnel(error.to_string()))?;
    if !found.file_type().is_socket() {
        return Err(no_tunnel("it is not a socket".to_owned()));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(Fault::new(FaultCode::Forbidden, format!("{} belongs to another user", path.display()))
            .hint("Use a socket that your own ssh session made."));
    }
    UnixStream::connect(path).await.map_err(|error| no_tunnel(error.to_string()))
}

fn lost(error: &io::Error) -> Fault {
    Fault::new(FaultCode::OutcomeUnknown, format!("the tunnel closed the connection: {error}"))
        .hint("It may have ended or been revoked. Look at the page before you repeat the command.")
}

fn unreadable(why: &str) -> Fault {
    Fault::new(FaultCode::ProtocolMismatch, format!("the tunnel's answer could not be read: {why}"))
        .hint("Use the same version of gstack on both machines.")
}
