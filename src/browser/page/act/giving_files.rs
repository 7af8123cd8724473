//! Gives chosen files to a file field: by our paths, by the paths of copies on the browser's machine, or by content. A
//! folder is given by its path only.
//!
//! Owns the choice of one of the three. Never judges the paths.

use crate::cdp::CdpError;
use crate::devtools::runtime::call_on_promise;
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
const SET_FILES: &str = "DOM.setFileInputFiles";
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

/// How long the browser may take to list the files of a folder.
const FOLDER_LIMIT: Duration = Duration::from_secs(30);
/// Runs on the field, and returns the number of its files when the page is about to be told of them.
const FILES_GIVEN: &str = "function () {
    return new Promise((given) => {
        const told = { capture: true, once: true };
        this.addEventListener('input', () => given(this.files.length), told);
    });
}";

/// What `upload` gives to a file field.
pub enum Given {
    Files(Vec<PathBuf>),
    /// A folder, and the number of files in it.
    Folder {
        folder: PathBuf,
        files: usize,
    },
}

impl Given {
    /// Returns the reason why a file field does not take this.
    pub(super) fn refusal(&self, takes_folder: bool, takes_many: bool) -> Option<&'static str> {
        match self {
            Self::Files(_) if takes_folder => Some("it takes a folder: give the path of one"),
            Self::Files(files) if files.len() > 1 && !takes_many => Some("it takes only one file"),
            Self::Folder { .. } if !takes_folder => Some("it takes files, not a folder"),
            Self::Files(_) | Self::Folder { .. } => None,
        }
    }
}

/// A file field as DevTools names it.
pub(super) enum FileInput<'a> {
    Object(&'a str),
    Node(i64),
}

impl FileInput<'_> {
    /// Returns the parameters that set these paths.
    fn with(&self, paths: &Value) -> Value {
        match self {
            Self::Object(object) => json!({ "files": paths, "objectId": object }),
            Self::Node(node) => json!({ "files": paths, "backendNodeId": node }),
        }
    }
    /// Returns the id of an object for the field.
    async fn object(&self, session: &Session) -> Result<String, PageError> {
        let node = match self {
            Self::Object(object) => return Ok((*object).to_owned()),
            Self::Node(node) => node,
        };
        let found = session.call_json("DOM.resolveNode", &json!({ "backendNodeId": node }), CONTENT_LIMIT).await?;
        Ok(found["object"]["objectId"].as_str().ok_or(PageError::DocumentGone)?.to_owned())
    }
}

impl Page {
    /// Sets the files of the field.
    pub(super) async fn give_files(
        &self,
        session: &Session,
        field: FileInput<'_>,
        given: &Given,
    ) -> Result<(), PageError> {
        let files = match given {
            Given::Files(files) => files,
            Given::Folder { folder, files } => return self.give_folder(session, field, folder, *files).await,
        };
        let paths = match self.browser().file_system() {
            FileSystem::Ours => json!(files),
            FileSystem::Remote(Some(remote)) => json!(sent(remote, files).await?),
            FileSystem::Remote(None) => return self.give_contents(session, field, files).await,
        };
        self.unless_closed(tell(session, SET_FILES, &field.with(&paths)).await).await
    }

    /// Sets the folder of the field, and waits until the browser has given the page the files in it.
    async fn give_folder(
        &self,
        session: &Session,
        field: FileInput<'_>,
        folder: &Path,
        files: usize,
    ) -> Result<(), PageError> {
        if !matches!(self.browser().file_system(), FileSystem::Ours) {
            let why = "a folder can't be sent: upload single files";
            return Err(PageError::FilesNotMoved(why.to_owned()));
        }
        // Chromium lists the files of a folder only for a tab in view, and says nothing otherwise.
        self.browser().refresh_views().await?;
        if !self.info()?.in_view {
            let reason = "the browser lists a folder's files only for a tab in view: run 'focus' first".to_owned();
            return Err(PageError::Refused { what: folder.display().to_string(), reason });
        }
        let object = field.object(session).await?;
        let listening = call_on_promise(&object, FILES_GIVEN);
        let params = FileInput::Object(&object).with(&json!([folder]));
        let (listed, set) =
            tokio::join!(session.call_within(listening, FOLDER_LIMIT), tell(session, SET_FILES, &params));
        self.unless_closed(set).await?;
        let given = match listed {
            Ok(reply) => reply.result.value.and_then(|count| serde_json::from_str::<usize>(count.get()).ok()),
            Err(CdpError::Timeout { .. }) => None,
            // The page went elsewhere with its files.
            Err(_) => return Ok(()),
        };
        if given == Some(files) {
            return Ok(());
        }
        let got = given.map_or_else(|| "none".to_owned(), |count| count.to_string());
        let reason = format!("the page got {got} of its {files} files");
        Err(PageError::Refused { what: folder.display().to_string(), reason })
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
        let object = field.object(session).await?;
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
