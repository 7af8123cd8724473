//! The video encoder: an empty document in a temporary tab that draws and encodes frames.
//!
//! Owns the document and the transfer of frames to it and back, in parts. WebCodecs requires a secure context, so the
//! document has an HTTPS address, whose request is intercepted and never leaves the machine. In an everyday browser the
//! address would appear in the person's history: there the document is `about:blank`, which encodes each frame as a
//! WebP file.

use crate::browser::Browser;
use crate::devtools::runtime::{Evaluated, Evaluation, evaluate_promise};
use crate::devtools_session::Session;
use crate::error::BrowserError;
use crate::frames::{Context, World};
use crate::page::error::PageError;
use crate::page::tab::TemporaryTab;
use crate::routes::{Route, RouteAct, RouteAnswer};
use crate::tab::Work;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_base::glob::Glob;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

const SOURCE: &str = include_str!("../../injected/video_encoder.js");
/// A reserved name that never resolves (RFC 6761).
const ADDRESS: &str = "https://video.gstack.invalid/";
const DOCUMENT: &str = "<!doctype html><title>gstack makes a video</title><link rel=icon href=data:,>";
/// The document loads nothing and runs no script of its own.
const POLICY: &str = "default-src 'none'; img-src data:";
const WORLD: &str = "gstack video";
/// No network request is involved.
const OPEN_LIMIT: Duration = Duration::from_secs(10);
/// A part has a few seconds of video at most; a busy machine may be slow.
const PART_LIMIT: Duration = Duration::from_secs(120);

/// Why a video could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The encoder's document could not be opened, or was closed.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The browser's own message.
    #[error("the browser could not encode the video: {0}")]
    Refused(String),
}

impl From<BrowserError> for EncodeError {
    fn from(error: BrowserError) -> Self {
        Self::Page(error.into())
    }
}

/// One frame for the encoder.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SentShot {
    /// In milliseconds.
    pub at: u64,
    /// Whether it must become a key frame.
    pub is_key: bool,
    /// The caption to draw; empty for none.
    pub words: Arc<str>,
    /// A JPEG file in base64; `None` repeats the previous one.
    pub picture: Option<String>,
}

/// One encoded frame.
#[derive(Debug)]
pub struct Encoded {
    /// In milliseconds.
    pub at: u64,
    /// Whether it can be decoded without the frames before it.
    pub is_key: bool,
    /// A VP8 frame, or a WebP file if `Encoder::as_files` is set.
    pub bytes: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Begun {
    as_files: bool,
    width: u32,
    height: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Came {
    at: u64,
    is_key: bool,
    data: String,
}

/// The document that encodes one video. Dropping it closes its tab.
pub struct Encoder {
    session: Session,
    context: Context,
    _work: Work,
    _tab: TemporaryTab,
    /// In pixels.
    pub size: (u32, u32),
    /// Whether it returns WebP files instead of VP8 frames.
    pub as_files: bool,
}

impl Encoder {
    /// Opens the document. Without a `size`, the video has the size of its `first` frame.
    ///
    /// # Errors
    ///
    /// Fails if the browser opens no tab or cannot decode the frame.
    pub async fn open(
        browser: &Browser,
        first: &[u8],
        size: Option<(u32, u32)>,
        fps: u32,
    ) -> Result<Self, EncodeError> {
        let tab = TemporaryTab::open(browser).await?;
        let work = tab.work().await?;
        if !browser.is_relayed()
            && let Err(error) = secure(&work).await
        {
            tracing::info!(%error, "the video's encoder has no secure document");
        }
        let frame = work.main_frame().await?.id;
        let context = work.context(&frame, &World::Isolated(WORLD.to_owned())).await?;
        let session = work.session_of(&frame)?;
        let mut encoder = Self { session, context, _work: work, _tab: tab, size: (0, 0), as_files: true };
        encoder.run::<Option<bool>>(SOURCE.to_owned(), OPEN_LIMIT).await?;
        let begin = format!("gstackVideo.begin({}, {}, {fps})", json(&STANDARD.encode(first))?, json(&size)?);
        let begun: Begun = encoder.run(begin, PART_LIMIT).await?;
        encoder.size = (begun.width, begun.height);
        encoder.as_files = begun.as_files;
        Ok(encoder)
    }

    /// Encodes some frames. May return fewer.
    ///
    /// # Errors
    ///
    /// Fails if the browser cannot decode or encode a frame.
    pub async fn add(&self, shots: &[SentShot]) -> Result<Vec<Encoded>, EncodeError> {
        let came: Vec<Came> = self.run(format!("gstackVideo.add({})", json(&shots)?), PART_LIMIT).await?;
        came.into_iter()
            .map(|Came { at, is_key, data }| {
                let bytes = STANDARD.decode(data).map_err(|error| EncodeError::Refused(error.to_string()))?;
                Ok(Encoded { at, is_key, bytes })
            })
            .collect()
    }

    async fn run<T: DeserializeOwned>(&self, expression: String, limit: Duration) -> Result<T, EncodeError> {
        let evaluate = evaluate_promise(expression).within(&self.context);
        let reply: Evaluated = self.session.call_within(evaluate, limit).await.map_err(PageError::from)?;
        if let Some(thrown) = reply.exception_details {
            return Err(EncodeError::Refused(thrown.words()));
        }
        let value = reply.result.value.as_deref().map_or("null", serde_json::value::RawValue::get);
        serde_json::from_str(value).map_err(|error| EncodeError::Refused(error.to_string()))
    }
}

/// Opens our document at an HTTPS address, whose request is answered by interception.
async fn secure(work: &Work) -> Result<(), BrowserError> {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let answer = RouteAnswer {
        status: 200,
        headers: vec![
            header("content-type", "text/html; charset=utf-8"),
            header("content-security-policy", POLICY),
            header("cache-control", "no-store"),
        ],
        body: DOCUMENT.as_bytes().to_vec(),
        answers_preflights: false,
    };
    let address = Glob::new(&format!("{ADDRESS}**"));
    work.add_route(Route::new(address, RouteAct::Answer(answer), Duration::ZERO, None)).await?;
    work.goto(ADDRESS, OPEN_LIMIT).await?;
    Ok(())
}

fn json(value: &impl Serialize) -> Result<String, EncodeError> {
    serde_json::to_string(value).map_err(|error| EncodeError::Refused(error.to_string()))
}
