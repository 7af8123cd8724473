//! A DevTools session of the page in one tab: its screencast, its dialog, and whether the page answers.
//!
//! Owns the session, beside gstack's own, so a recording or a CDP client keeps its screencast. An everyday browser has one session
//! for each tab, which all share. Dropping it stops the screencast and detaches.

use super::input;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_browser::client_link::{ClientInbox, ClientLink, FromBrowser};
use gstack_browser::devtools::target::SessionId;
use gstack_browser::keep_attached::{KeepAttached, ServesClient};
use gstack_browser::tab::Tab;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::{TabId, TargetId};
use gstack_protocol::view::{ViewKey, ViewMouse};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// A page that has not answered by then counts as hung.
const HUNG_AFTER: Duration = Duration::from_secs(3);
/// Chromium skips a picture while it waits for the acknowledgements of more than this many, and does not send it later.
const MOST_IN_FLIGHT: u32 = 2;
/// Pictures that are further apart than this are no burst.
const QUIET: Duration = Duration::from_millis(300);
/// Sharp text, at about a tenth of the size of a PNG.
const QUALITY: u32 = 85;

/// The tags of commands whose replies matter.
const ANSWERS: u64 = 1;
const COPIED: u64 = 2;
const OTHER: u64 = 0;

/// A picture of the tab that the page of the view does not have yet.
pub(crate) struct Picture {
    pub(crate) jpeg: Vec<u8>,
    /// The size of the tab, in device-independent pixels: the unit of input.
    pub(crate) width: f64,
    pub(crate) height: f64,
    ack: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    data: String,
    metadata: FrameMetadata,
    session_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameMetadata {
    device_width: f64,
    device_height: f64,
}

/// A dialog of the page.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenDialog {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) default_prompt: String,
}

/// The meaning of a message from the browser.
pub(crate) enum Heard {
    Nothing,
    /// Something that the page shows has changed.
    Changed,
    Picture(Picture),
    /// The text that the person copied in the tab.
    Copied(String),
    /// The session has ended: another page is in the tab, or gstack detached.
    Ended,
}

pub(crate) struct Attached {
    tab: Tab,
    link: ClientLink,
    inbox: ClientInbox,
    session: SessionId,
    /// The page that it is attached to.
    pub(crate) page: TargetId,
    is_shared: bool,
    /// The most pixels of the screencast. `None` until it starts.
    size: Option<(u32, u32)>,
    /// The pictures that came one soon after another.
    burst: u32,
    /// When those are over.
    quiet_at: Option<Instant>,
    /// When the page should have answered.
    answers_by: Option<Instant>,
    pub(crate) hangs: bool,
    pub(crate) dialog: Option<OpenDialog>,
    /// Leaves the dialogs of the page to the person while they have the tab.
    serves: Option<ServesClient>,
    _keep: KeepAttached,
}

/// Resolves at this time.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

impl Attached {
    /// Attaches to the page of a tab, and asks it whether it answers. Takes seconds if the page hangs. Dropping the future may leave a
    /// session behind.
    pub(crate) async fn to(tab: Tab) -> Result<Self, Fault> {
        let began = Instant::now();
        let keep = tab.keep_attached()?;
        tab.engage().await?;
        let page = tab.info()?.page.ok_or_else(|| {
            Fault::new(gstack_protocol::fault::FaultCode::Timeout, "the page of this tab does not respond")
                .hint("Reload it, or close the tab.")
        })?;
        let is_shared = tab.browser().is_relayed();
        let (mut link, inbox) = tab.browser().client_link();
        let session = link.attach(page.as_str()).await.map_err(gstack_browser::error::BrowserError::from)?;
        let mut attached = Self {
            tab,
            link,
            inbox,
            session,
            page,
            is_shared,
            size: None,
            burst: 0,
            quiet_at: None,
            answers_by: None,
            hangs: false,
            dialog: None,
            serves: None,
            _keep: keep,
        };
        attached.send("Page.enable", &json!({}), OTHER);
        attached.check_since(began);
        Ok(attached)
    }

    pub(crate) fn tab(&self) -> TabId {
        self.tab.id()
    }

    /// Starts the screencast, or starts it again with another size.
    pub(crate) fn start(&mut self, size: (u32, u32)) {
        self.size = Some(size);
        let (width, height) = size;
        self.send("Page.stopScreencast", &json!({}), OTHER);
        let cast = json!({ "format": "jpeg", "quality": QUALITY, "maxWidth": width, "maxHeight": height });
        self.send("Page.startScreencast", &cast, OTHER);
    }

    /// Asks the page whether it answers. An open dialog holds its answer back.
    pub(crate) fn check(&mut self) {
        self.check_since(Instant::now());
    }

    /// `since`: when gstack began to wait for the page.
    fn check_since(&mut self, since: Instant) {
        if self.dialog.is_none() && self.answers_by.is_none() && !self.hangs {
            self.answers_by = Some(since + HUNG_AFTER);
            self.send("Runtime.evaluate", &json!({ "expression": "0", "silent": true }), ANSWERS);
        }
    }

    /// Returns the next message of the browser, or that the page has not answered in time.
    pub(crate) async fn next(&mut self) -> Heard {
        tokio::select! {
            biased;
            message = self.inbox.next() => match message {
                Some(FromBrowser::Event(event)) => self.heard(event.method(), event.params()),
                Some(FromBrowser::Reply { tag, result }) => self.replied(tag, result.ok().as_deref()),
                None => Heard::Ended,
            },
            () = at(self.answers_by) => {
                self.answers_by = None;
                self.hangs = true;
                Heard::Changed
            }
            () = at(self.quiet_at) => {
                self.settle();
                Heard::Nothing
            }
        }
    }

    /// Gets the picture that the browser skipped at the end of a burst: a screencast begins with one.
    fn settle(&mut self) {
        self.quiet_at = None;
        if std::mem::take(&mut self.burst) > MOST_IN_FLIGHT {
            self.start_again();
        }
    }

    fn start_again(&mut self) {
        if let Some(size) = self.size {
            self.start(size);
        }
    }

    fn heard(&mut self, method: &str, params: &str) -> Heard {
        match method {
            "Page.screencastFrame" => {
                let Ok(Frame { data, metadata, session_id }) = serde_json::from_str(params) else {
                    return Heard::Nothing;
                };
                let Ok(jpeg) = STANDARD.decode(data) else { return Heard::Nothing };
                self.burst += 1;
                self.quiet_at = Some(Instant::now() + QUIET);
                let (width, height) = (metadata.device_width, metadata.device_height);
                Heard::Picture(Picture { jpeg, width, height, ack: session_id })
            }
            "Page.javascriptDialogOpening" => {
                self.dialog = serde_json::from_str(params).ok();
                self.answers_by = None;
                Heard::Changed
            }
            "Page.javascriptDialogClosed" => {
                self.dialog = None;
                Heard::Changed
            }
            "Target.detachedFromTarget" => Heard::Ended,
            _ => Heard::Nothing,
        }
    }

    fn replied(&mut self, tag: u64, result: Option<&RawValue>) -> Heard {
        match tag {
            ANSWERS => {
                self.answers_by = None;
                if !std::mem::take(&mut self.hangs) {
                    return Heard::Nothing;
                }
                // While it hung, a hidden page could not draw the picture that a screencast begins with.
                self.start_again();
                Heard::Changed
            }
            COPIED => {
                let result = result.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok()).unwrap_or_default();
                let text = result["result"]["value"].as_str().unwrap_or_default();
                if text.is_empty() { Heard::Nothing } else { Heard::Copied(text.to_owned()) }
            }
            _ => Heard::Nothing,
        }
    }

    /// Lets the browser send another picture. gstack itself acknowledges those of a shared session.
    pub(crate) fn taken(&self, picture: &Picture) {
        if !self.is_shared {
            self.send("Page.screencastFrameAck", &json!({ "sessionId": picture.ack }), OTHER);
        }
    }

    /// Leaves the page's dialogs to the person, or to gstack again.
    pub(crate) fn leave_dialogs(&mut self, to_person: bool) {
        // A closed tab has no dialogs.
        self.serves = if to_person { self.tab.serve_client().ok() } else { None };
    }

    pub(crate) fn answer_dialog(&self, accept: bool, text: Option<String>) {
        let answer = json!({ "accept": accept, "promptText": text.unwrap_or_default() });
        self.send("Page.handleJavaScriptDialog", &answer, OTHER);
    }

    pub(crate) fn mouse(&self, mouse: &ViewMouse) {
        self.send("Input.dispatchMouseEvent", &input::mouse(mouse), OTHER);
    }

    pub(crate) fn key(&self, key: &ViewKey) {
        self.send("Input.dispatchKeyEvent", &input::key(key), OTHER);
        if key.down && input::copies(key) {
            // The clipboard of a browser without a window is its own.
            self.send("Runtime.evaluate", &json!({ "expression": input::SELECTED, "returnByValue": true }), COPIED);
        }
    }

    pub(crate) fn text(&self, text: &str) {
        self.send("Input.insertText", &json!({ "text": text }), OTHER);
    }

    fn send(&self, method: &str, params: &Value, tag: u64) {
        // Values always serialize to JSON.
        if let Ok(params) = to_raw_value(params) {
            self.link.send(Some(&self.session), method, &params, tag);
        }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        if self.size.is_some() {
            self.send("Page.stopScreencast", &json!({}), OTHER);
        }
    }
}
