//! Files fetched with the browser's cookies.
//!
//! Owns the fetch: a temporary tab navigates to the address, each redirect is judged before it is requested, and the
//! response is read before the browser shows or saves it. Never judges an address: the caller provides the check.

use crate::devtools::page::NavigateParams;
use crate::devtools_session::Session;
use crate::page::error::PageError;
use crate::page::page::{Page, SCRIPT_LIMIT};
use crate::page::script::{Injected, LIMIT, call, tell};
use crate::page::tab::TemporaryTab;
use crate::refused::RefusalMark;
use crate::tab::Work;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// The size of one part of a file, in bytes.
const PART: u32 = 512 * 1024;
/// A server may take long to answer.
const FETCH_LIMIT: Duration = Duration::from_secs(60);
const PAUSED: &str = "Fetch.requestPaused";

#[derive(Deserialize)]
struct Blob {
    base64: Option<String>,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
    request: Request,
    #[serde(default)]
    resource_type: String,
    #[serde(default)]
    response_error_reason: Option<String>,
    #[serde(default)]
    response_status_code: Option<u16>,
    #[serde(default)]
    response_headers: Vec<Header>,
}

#[derive(Deserialize)]
struct Request {
    url: String,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

impl Paused {
    fn header(&self, wanted: &str) -> Option<&str> {
        self.response_headers.iter().find(|one| one.name.eq_ignore_ascii_case(wanted)).map(|one| one.value.as_str())
    }
    fn is_redirect(&self) -> bool {
        matches!(self.response_status_code, Some(301 | 302 | 303 | 307 | 308)) && self.header("location").is_some()
    }
}

#[derive(Deserialize)]
struct Stream {
    stream: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(default)]
    base64_encoded: bool,
    data: String,
    eof: bool,
}

/// A file being fetched.
pub struct Fetched {
    /// Its bytes, if they were read at once.
    first: Option<Vec<u8>>,
    arriving: Option<Arriving>,
    /// The address after all redirects.
    pub url: String,
    /// In bytes, if the server reported it.
    pub size: Option<u64>,
    /// The `Content-Disposition` header, if the server sent one.
    pub disposition: Option<String>,
    /// Its media type, if known.
    pub kind: Option<String>,
}

/// The response stream of a temporary tab, which closes on drop.
struct Arriving {
    stream: String,
    work: Work,
    _tab: TemporaryTab,
}

impl Page {
    /// Starts to fetch an address with the browser's cookies. `allows` judges the address and each redirect. `blob:`
    /// and `data:` addresses are read in the page.
    pub async fn fetch(&self, url: &str, allows: impl Fn(&str) -> bool + Send) -> Result<Fetched, PageError> {
        if url.starts_with("blob:") || url.starts_with("data:") {
            return self.read_in_page(url).await;
        }
        let tab = TemporaryTab::open(self.browser()).await?;
        let work = tab.work().await?;
        work.judge_requests()?;
        let answered = timeout(FETCH_LIMIT, answer(work.session(), url, allows)).await;
        let late = || PageError::Timeout { what: format!("fetching {url}"), after: FETCH_LIMIT };
        let answer = answered.map_err(|_| late())??;
        // A host name may resolve to a refused address.
        tab.check_addresses(RefusalMark::default())?;
        let held = json!({ "requestId": answer.request_id });
        let Stream { stream } = call(work.session(), "Fetch.takeResponseBodyAsStream", &held).await?;
        let owned = |name: &str| answer.header(name).map(str::to_owned);
        // The size of a compressed response differs from that of the file.
        let size = owned("content-length").filter(|_| answer.header("content-encoding").is_none());
        let (disposition, kind) = (owned("content-disposition"), owned("content-type"));
        let size = size.and_then(|size| size.trim().parse().ok());
        let arriving = Some(Arriving { stream, work, _tab: tab });
        Ok(Fetched { first: None, arriving, url: answer.request.url, size, disposition, kind })
    }

    async fn read_in_page(&self, url: &str) -> Result<Fetched, PageError> {
        let frame = self.current_frame().await?;
        let blob: Blob = self.script(&frame, Injected::ReadBlob, &[&url], SCRIPT_LIMIT.max(FETCH_LIMIT)).await?;
        let Some(encoded) = blob.base64 else {
            return Err(PageError::Refused { what: "the address".to_owned(), reason: blob.message });
        };
        let bytes = STANDARD.decode(encoded).map_err(|error| PageError::Unreadable(error.to_string()))?;
        let kind = Some(blob.kind).filter(|kind| !kind.is_empty());
        let size = Some(bytes.len() as u64);
        Ok(Fetched { first: Some(bytes), arriving: None, url: url.to_owned(), size, disposition: None, kind })
    }
}

/// Navigates to the address and continues each allowed redirect; returns the final response, still paused.
async fn answer(session: &Session, url: &str, allows: impl Fn(&str) -> bool) -> Result<Paused, PageError> {
    let mut events = session.subscribe(&[PAUSED]);
    let patterns = ["Request", "Response"].map(|stage| json!({ "urlPattern": "*", "requestStage": stage }));
    tell(session, "Fetch.enable", &json!({ "patterns": patterns })).await?;
    session.post(NavigateParams::new(url));
    let failed = |url: &str, reason: String| PageError::NotFetched { url: url.to_owned(), reason };
    loop {
        let event = events.next().await.ok_or_else(|| failed(url, "the browser went away".to_owned()))?;
        let Some(paused) = event.read::<Paused>() else { continue };
        let request = json!({ "requestId": paused.request_id });
        if paused.resource_type != "Document" {
            tell(session, "Fetch.continueRequest", &request).await?;
            continue;
        }
        match (&paused.response_error_reason, paused.response_status_code) {
            (None, None) if !allows(&paused.request.url) => {
                let reason = json!({ "requestId": paused.request_id, "errorReason": "BlockedByClient" });
                tell(session, "Fetch.failRequest", &reason).await?;
                return Err(PageError::AddressRefused(paused.request.url));
            }
            (None, None) => tell(session, "Fetch.continueRequest", &request).await?,
            (Some(reason), _) => {
                return Err(failed(&paused.request.url, reason.clone()));
            }
            (None, Some(_)) if paused.is_redirect() => tell(session, "Fetch.continueResponse", &request).await?,
            (None, Some(status)) if status >= 400 => {
                return Err(failed(&paused.request.url, format!("the server answered {status}")));
            }
            (None, Some(_)) => return Ok(paused),
        }
    }
}

impl Fetched {
    /// Returns the next part; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, PageError> {
        if let Some(bytes) = self.first.take() {
            return Ok(Some(bytes));
        }
        let Some(arriving) = &self.arriving else { return Ok(None) };
        let session = arriving.work.session();
        let part: Part = call(session, "IO.read", &json!({ "handle": arriving.stream, "size": PART })).await?;
        let bytes = if part.base64_encoded {
            STANDARD.decode(part.data).map_err(|error| PageError::Unreadable(error.to_string()))?
        } else {
            part.data.into_bytes()
        };
        if part.eof {
            session.call_json("IO.close", &json!({ "handle": arriving.stream }), LIMIT).await?;
            self.arriving = None;
            if bytes.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(bytes))
    }
}
