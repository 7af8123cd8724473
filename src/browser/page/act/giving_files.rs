//! Gives chosen files to a file field: by our paths, by the paths of copies on the browser's machine, or by content.
//!
//! Owns the choice of one of the three. Never judges the paths.

use crate::devtools_session::Session;
use crate::page::error::PageError;
use crate::page::page::Page;
use crate::page::script::tell;
use crate::remote::{FileSystem, RemoteFiles};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// In bytes, for all files of one upload: their contents travel in one message.
const LARGEST_CONTENT: u64 = 48 * 1024 * 1024;
const CONTENT_LIMIT: Duration = Duration::from_secs(120);

/// Runs on the field. The page gets the events that its own file dialog would cause.
const TAKE_CONTENTS: &str = "function (files) {
    const transfer = new DataTransfer();
    for (const { name, data } of files) {
        const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
        transfer.items.add(new File([bytes], name));
    }
    this.files = transfer.files;
    this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    this.dispatchEvent(new Event('change', { bubbles: true }));
    return this.files.length;
}";

/// A file field as DevTools names it.
pub(super) enum FileInput<'a> {
    Object(&'a str),
    Node(i64),
}

impl Page {
    /// Sets the files of the field.
    pub(super) async fn give_files(
        &self,
        session: &Session,
        field: FileInput<'_>,
        files: &[PathBuf],
    ) -> Result<(), PageError> {
        let by_path = |files: Value| {
            let mut params = json!({ "files": files });
            match field {
                FileInput::Object(object) => params["objectId"] = object.into(),
                FileInput::Node(node) => params["backendNodeId"] = node.into(),
            }
            params
        };
        let given = match self.browser().file_system() {
            FileSystem::Ours => tell(session, "DOM.setFileInputFiles", &by_path(json!(files))).await,
            FileSystem::Remote(Some(remote)) => {
                let copies = sent(remote, files).await?;
                tell(session, "DOM.setFileInputFiles", &by_path(json!(copies))).await
            }
            FileSystem::Remote(None) => return self.give_contents(session, field, files).await,
        };
        self.unless_closed(given).await
    }

    /// Returns the paths by which the browser reads these files.
    pub(super) async fn paths_there(&self, files: &[PathBuf]) -> Result<Vec<String>, PageError> {
        match self.browser().file_system() {
            FileSystem::Ours => Ok(files.iter().map(|file| file.to_string_lossy().into_owned()).collect()),
            FileSystem::Remote(Some(remote)) => sent(remote, files).await,
            FileSystem::Remote(None) => {
                Err(PageError::FilesNotMoved("files cannot be dropped in a browser on another machine".to_owned()))
            }
        }
    }

    async fn give_contents(&self, session: &Session, field: FileInput<'_>, files: &[PathBuf]) -> Result<(), PageError> {
        let contents = contents(files).await?;
        let object = match field {
            FileInput::Object(object) => object.to_owned(),
            FileInput::Node(node) => {
                let found =
                    session.call_json("DOM.resolveNode", &json!({ "backendNodeId": node }), CONTENT_LIMIT).await?;
                let object = found["object"]["objectId"].as_str();
                object.ok_or(PageError::DocumentGone)?.to_owned()
            }
        };
        let call = json!({
            "objectId": object,
            "functionDeclaration": TAKE_CONTENTS,
            "arguments": [{ "value": contents }],
            "returnByValue": true,
            "userGesture": true,
        });
        let reply = session.call_json("Runtime.callFunctionOn", &call, CONTENT_LIMIT).await?;
        if reply["result"]["value"].as_u64() != Some(files.len() as u64) {
            return Err(PageError::FilesNotMoved("the page did not take their contents".to_owned()));
        }
        Ok(())
    }
}

async fn sent(remote: &Arc<dyn RemoteFiles>, files: &[PathBuf]) -> Result<Vec<String>, PageError> {
    let mut copies = Vec::with_capacity(files.len());
    for file in files {
        copies.push(remote.send(file).await.map_err(|error| PageError::FilesNotMoved(error.to_string()))?);
    }
    Ok(copies)
}

async fn contents(files: &[PathBuf]) -> Result<Vec<Value>, PageError> {
    let failed = |file: &Path, why: String| PageError::FilesNotMoved(format!("{}: {why}", file.display()));
    let mut room = LARGEST_CONTENT;
    let mut contents = Vec::with_capacity(files.len());
    for file in files {
        let size = tokio::fs::metadata(file).await.map_err(|error| failed(file, error.to_string()))?.len();
        let Some(left) = room.checked_sub(size) else {
            let why =
                format!("more than {LARGEST_CONTENT} bytes cannot be sent to a browser on another machine at once");
            return Err(failed(file, why));
        };
        room = left;
        let content = tokio::fs::read(file).await.map_err(|error| failed(file, error.to_string()))?;
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        contents.push(json!({ "name": name, "data": STANDARD.encode(content) }));
    }
    Ok(contents)
}
