//! Files of a Grid's session: `/se/file` (upload) and `/se/files` (download).
//!
//! Owns the two requests. Files travel as ZIP archives in base64 and are held in memory, so they have a limit.

use super::error::RemoteError;
use super::files::RemoteFiles;
use super::grid::SessionPath;
use super::grid_answers::Enveloped;
use super::http::{Answer, Bounds, send};
use super::zip;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::BoxFuture;
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);
/// In base64, with room for the archive's own fields.
const LARGEST_ANSWER: usize = zip::LARGEST / 3 * 4 + 64 * 1024;

#[derive(Debug)]
pub(super) struct GridFiles {
    session: SessionPath,
    downloads: bool,
}

#[derive(Deserialize)]
struct Contents {
    contents: String,
}

impl GridFiles {
    pub(super) fn new(session: SessionPath, downloads: bool) -> Self {
        Self { session, downloads }
    }

    async fn ask(&self, path: &str, body: &Value) -> Result<Answer, RemoteError> {
        let bounds = Bounds { limit: LIMIT, largest: LARGEST_ANSWER };
        let answer = send(&self.session.at(path), Method::POST, Some(body), bounds).await?;
        match answer.status.is_success() {
            true => Ok(answer),
            false => Err(RemoteError::File(format!("the grid answers {path} with {}", answer.status))),
        }
    }
}

impl RemoteFiles for GridFiles {
    fn send<'a>(&'a self, file: &'a Path) -> BoxFuture<'a, Result<String, RemoteError>> {
        Box::pin(async move {
            let failed = |why: String| RemoteError::File(why);
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or("file").to_owned();
            let size = tokio::fs::metadata(file).await.map_err(|error| failed(error.to_string()))?.len();
            let largest = zip::LARGEST as u64;
            if size > largest {
                return Err(failed(format!("{name} has more than {largest} bytes")));
            }
            let content = tokio::fs::read(file).await.map_err(|error| failed(error.to_string()))?;
            let archive = zip::pack(&name, &content).ok_or_else(|| failed(format!("{name} is too large")))?;
            let answer = self.ask("/se/file", &json!({ "file": STANDARD.encode(archive) })).await?;
            let path: Enveloped<String> = serde_json::from_slice(&answer.body)
                .map_err(|_| failed("the grid does not say where it put the file".to_owned()))?;
            Ok(path.value)
        })
    }

    fn fetch<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<u8>, RemoteError>> {
        Box::pin(async move {
            let failed = |why: &str| RemoteError::File(why.to_owned());
            if !self.downloads {
                return Err(failed("this grid's nodes run without --enable-managed-downloads true"));
            }
            let answer = self.ask("/se/files", &json!({ "name": name })).await?;
            let found: Enveloped<Contents> = serde_json::from_slice(&answer.body)
                .map_err(|_| failed("the grid's answer does not contain the file"))?;
            // Java's encoder breaks lines.
            let text: String = found.value.contents.split_ascii_whitespace().collect();
            let archive =
                STANDARD.decode(text).map_err(|_| failed("the file's contents in the grid's answer are not base64"))?;
            zip::unpack(&archive).map_err(failed)
        })
    }
}
