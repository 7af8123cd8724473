//! Our extension in a browser that gstack started: loads it, and opens its side panel without a click by the user.
//!
//! Owns the checks that make this safe: the browser crashes if the action of a disabled extension is triggered, and
//! triggering it again closes the panel.

use crate::browser::Browser;
use crate::devtools::extensions::{ExtensionInfo, GetExtensions, LoadUnpacked, TriggerAction};
use crate::devtools::target::{GetTargetsParams, TargetInfo};
use crate::error::BrowserError;
use crate::events::{Filter, Subscription};
use crate::tab::Tab;
use gstack_protocol::fault::{Fault, FaultCode, Hop};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// The file of the panel's page in the extension.
const PANEL_PAGE: &str = "sidepanel.html";
/// The panel's page starts within a fraction of a second; a busy machine takes longer.
const PANEL_LIMIT: Duration = Duration::from_secs(15);

/// The button does nothing until the extension's worker has run for the first time and set the panel for it. A panel
/// that opens is reported much sooner than this.
const CLICK_AGAIN: Duration = Duration::from_secs(2);

/// Two concurrent callers would each click, and the second click closes the panel.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// The reasons why the side panel does not open.
#[derive(Debug, thiserror::Error)]
pub enum PanelError {
    /// A request to the browser failed.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// The browser did not load the extension. The text is its message.
    #[error("the browser did not accept the extension: {0}")]
    NotLoaded(String),
    /// The person turned the extension off.
    #[error("the extension is turned off in this browser")]
    Disabled,
    /// The panel was not there after this time.
    #[error("the side panel did not open within {0:?}")]
    NotOpened(Duration),
}

impl From<PanelError> for Fault {
    fn from(error: PanelError) -> Self {
        let hint = match error {
            PanelError::Browser(error) => return error.into(),
            PanelError::NotLoaded(_) => "Try again with a newer browser: gstack connect --program PATH",
            PanelError::Disabled => "Turn it on at chrome://extensions, then: gstack connect",
            PanelError::NotOpened(_) => "Open it with the gstack button in the browser's toolbar.",
        };
        Self::new(FaultCode::BrowserDown, error.to_string()).hint(hint).at(Hop::Browser)
    }
}

fn cdp(error: crate::cdp::CdpError) -> PanelError {
    PanelError::Browser(error.into())
}

/// Loads the unpacked extension, or reloads it (which also revives a crashed one), and checks that it is enabled.
///
/// # Errors
///
/// Fails if the browser does not answer or does not load the extension, or the person turned the extension off.
pub async fn load_extension(browser: &Browser, folder: &Path) -> Result<ExtensionInfo, PanelError> {
    use crate::cdp::CdpError;
    let loaded = browser.root().call(LoadUnpacked::new(folder)).await.map_err(|error| match error {
        CdpError::Protocol { message, .. } => PanelError::NotLoaded(message),
        other => cdp(other),
    })?;
    enabled(browser, &loaded.id).await
}

/// Returns true if the extension is loaded and enabled. After its process crashed it is neither.
///
/// # Errors
///
/// Fails if the browser does not answer.
pub async fn is_enabled(browser: &Browser, id: &str) -> Result<bool, PanelError> {
    match enabled(browser, id).await {
        Ok(_) => Ok(true),
        Err(PanelError::Disabled) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the extension if it is enabled; fails otherwise.
async fn enabled(browser: &Browser, id: &str) -> Result<ExtensionInfo, PanelError> {
    let known = browser.root().call(GetExtensions {}).await.map_err(cdp)?;
    let found = known.extensions.into_iter().find(|extension| extension.id == id);
    found.filter(|extension| extension.enabled).ok_or(PanelError::Disabled)
}

/// Returns true if the panel's page runs in any window.
///
/// # Errors
///
/// Fails if the browser does not answer.
pub async fn is_open(browser: &Browser, extension: &str) -> Result<bool, PanelError> {
    Ok(targets(browser).await?.iter().any(|target| is_panel(&target.url, extension)))
}

async fn targets(browser: &Browser) -> Result<Vec<TargetInfo>, PanelError> {
    Ok(browser.root().call(GetTargetsParams::default()).await.map_err(cdp)?.target_infos)
}

/// The state of the panel after a click on the button.
#[derive(Debug, PartialEq, Eq)]
enum Clicked {
    Open,
    /// A new target has no address yet: on a busy machine a panel looks like that for a moment.
    Opening,
    Nothing,
}

impl Clicked {
    /// Compares the targets with `before`, the ids of the targets before the click.
    fn of(targets: &[TargetInfo], before: &HashSet<String>, extension: &str) -> Self {
        if targets.iter().any(|target| is_panel(&target.url, extension)) {
            return Self::Open;
        }
        let is_new = |target: &&TargetInfo| !before.contains(&target.target_id);
        let is_opening = targets.iter().filter(is_new).any(|target| target.url.is_empty());
        if is_opening { Self::Opening } else { Self::Nothing }
    }
}

/// Returns true if this is the address of a panel's page.
pub fn is_panel(url: &str, extension: &str) -> bool {
    let page = url.strip_prefix("chrome-extension://").and_then(|rest| rest.strip_prefix(extension));
    page.and_then(|rest| rest.strip_prefix('/')).is_some_and(|rest| rest.starts_with(PANEL_PAGE))
}

/// Opens the panel beside a tab, unless one is open; returns once its page runs. Returns false if it was open already.
///
/// # Errors
///
/// Fails if the tab is closed, the browser does not answer, the extension is turned off, or the panel does not open in
/// time.
pub async fn open(browser: &Browser, extension: &str, tab: &Tab) -> Result<bool, PanelError> {
    let target_id = tab.info()?.target.as_str().to_owned();
    let _guard = ONE_AT_A_TIME.lock().await;
    let mut seen =
        browser.cdp().subscribe(Filter::all().methods(&["Target.targetCreated", "Target.targetInfoChanged"]));
    let there = targets(browser).await?;
    if there.iter().any(|target| is_panel(&target.url, extension)) {
        return Ok(false);
    }
    enabled(browser, extension).await?;
    let before: HashSet<String> = there.into_iter().map(|target| target.target_id).collect();
    let deadline = Instant::now() + PANEL_LIMIT;
    while Instant::now() < deadline {
        let action = TriggerAction { id: extension.to_owned(), target_id: target_id.clone() };
        browser.root().call(action).await.map_err(cdp)?;
        loop {
            if let Ok(opened) = timeout(CLICK_AGAIN, panel_seen(&mut seen, extension)).await {
                return opened;
            }
            match Clicked::of(&targets(browser).await?, &before, extension) {
                Clicked::Open => return Ok(true),
                Clicked::Opening if Instant::now() < deadline => {}
                Clicked::Opening | Clicked::Nothing => break,
            }
        }
    }
    Err(PanelError::NotOpened(PANEL_LIMIT))
}

async fn panel_seen(targets: &mut Subscription, extension: &str) -> Result<bool, PanelError> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Seen {
        target_info: SeenTarget,
    }
    #[derive(serde::Deserialize)]
    struct SeenTarget {
        url: String,
    }
    while let Some(event) = targets.next().await {
        if event.read::<Seen>().is_some_and(|seen| is_panel(&seen.target_info.url, extension)) {
            return Ok(true);
        }
    }
    Err(BrowserError::Gone.into())
}

#[cfg(test)]
mod tests {
    use super::{Clicked, TargetInfo, is_panel};
    use serde_json::json;
    use std::collections::HashSet;

    #[test]
    fn a_panel_that_has_no_address_yet_is_not_clicked_closed() {
        let target = |id: &str, url: &str| -> TargetInfo {
            serde_json::from_value(
                json!({ "targetId": id, "type": "other", "title": "", "url": url, "attached": false }),
            )
            .unwrap()
        };
        let before = HashSet::from([target("1", "").target_id]);
        let of = |targets: &[TargetInfo]| Clicked::of(targets, &before, "abc");
        assert_eq!(of(&[target("1", ""), target("2", "about:blank")]), Clicked::Nothing);
        assert_eq!(of(&[target("1", ""), target("2", "")]), Clicked::Opening);
        assert_eq!(of(&[target("2", "chrome-extension://abc/sidepanel.html")]), Clicked::Open);
    }

    #[test]
    fn only_the_extensions_own_panel_counts() {
        assert!(is_panel("chrome-extension://abc/sidepanel.html?x", "abc"));
        assert!(!is_panel("chrome-extension://abcd/sidepanel.html", "abc"));
        assert!(!is_panel("https://abc/sidepanel.html", "abc"));
    }
}
