//! An extension that limits a browser which is open already to a list of sites.
//!
//! Resolver rules are fixed when a browser starts, and DevTools can pause neither WebSockets nor what shared and service workers
//! request. A proxy setting concerns every process and protocol from then on: this extension sends all connections but those to the
//! listed sites to a proxy that does not exist, and turns off WebRTC over UDP. It has access to no page. Owns its files, its
//! exchange for the next list without a gap, and its removal. Never decides which list applies.

use crate::base::atomic;
use crate::base::home::{HomeError, private_folder};
use crate::base::site_list::{NOWHERE, SiteList};
use crate::browser::browser::Browser;
use crate::browser::cdp::CdpError;
use crate::browser::devtools::extensions::{ExtensionInfo, GetExtensions, LoadUnpacked, Uninstall};
use crate::browser::devtools::runtime::Evaluate;
use crate::browser::devtools::target::{AttachToTarget, DetachFromTarget, GetTargets};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Its worker sets everything within a fraction of a second; a busy machine takes longer.
const LIMIT: Duration = Duration::from_secs(15);
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// The list that comes next is loaded from the other folder, so that one of the two always holds.
const FOLDERS: [&str; 2] = ["a", "b"];
/// Chrome's answer about the proxy setting once it is ours.
const OURS: &str = "controlled_by_this_extension";

/// The worker. `__PROXY__` is the proxy setting.
const WORKER: &str = r#"const { network } = chrome.privacy;
const proxy = chrome.proxy.settings;
Promise.all([
  proxy.set({ value: __PROXY__ }),
  network.webRTCIPHandlingPolicy.set({ value: 'disable_non_proxied_udp' }),
  network.networkPredictionEnabled.set({ value: false }),
])
  .then(() => proxy.get({}))
  .then(({ levelOfControl }) => { globalThis.outcome = levelOfControl; })
  .catch((error) => { globalThis.outcome = String(error); });
"#;

/// The reasons why a browser can't be limited while it is open.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// A request to the browser failed.
    #[error(transparent)]
    Browser(#[from] CdpError),
    /// There is no private folder for the files.
    #[error(transparent)]
    Folder(#[from] HomeError),
    /// A file could not be written or removed.
    #[error("the extension's files can't be written or removed: {0}")]
    Io(#[from] std::io::Error),
    /// Another extension controls the proxy, or an administrator does.
    #[error("the browser does not take the setting: {0}")]
    Refused(String),
    /// Its worker did not run in this time.
    #[error("the extension did not start within {0:?}")]
    Slow(Duration),
}

/// Limits the browser to these sites. What it was limited to before holds until then. `folder`: a private one for its files.
///
/// # Errors
///
/// Fails if the browser does not load the extension, or another one controls the proxy. Then nothing has changed.
pub async fn hold(browser: &Browser, folder: &Path, sites: &SiteList) -> Result<(), GuardError> {
    let before = loaded(browser, folder).await?;
    let is_used = |path: &PathBuf| before.iter().any(|one| Path::new(&one.path) == path);
    let path = FOLDERS.map(|name| folder.join(name)).into_iter().find(|path| !is_used(path));
    // Both are there if gstack ended between the two.
    let path = path.unwrap_or_else(|| folder.join(FOLDERS[0]));
    write(&path, sites)?;
    let id = browser.root().call(LoadUnpacked { path: path.to_string_lossy().into_owned() }).await?.id;
    let outcome = timeout(LIMIT, outcome(browser, &id)).await.unwrap_or(Err(GuardError::Slow(LIMIT)));
    let ended = match &outcome {
        Ok(()) => before.into_iter().map(|one| one.id).filter(|other| *other != id).collect(),
        Err(_) => vec![id],
    };
    for id in ended {
        browser.root().call(Uninstall { id }).await?;
    }
    outcome
}

/// Ends the limit, and removes the files.
///
/// # Errors
///
/// Fails if the browser does not answer, or the files can't be removed.
pub async fn release(browser: &Browser, folder: &Path) -> Result<(), GuardError> {
    for extension in loaded(browser, folder).await? {
        browser.root().call(Uninstall { id: extension.id }).await?;
    }
    Ok(std::fs::remove_dir_all(folder)?)
}

/// Returns the extensions from this folder that the browser has.
async fn loaded(browser: &Browser, folder: &Path) -> Result<Vec<ExtensionInfo>, GuardError> {
    let mut known = browser.root().call(GetExtensions {}).await?.extensions;
    known.retain(|extension| Path::new(&extension.path).starts_with(folder));
    Ok(known)
}

fn write(folder: &Path, sites: &SiteList) -> Result<(), GuardError> {
    private_folder(folder)?;
    let manifest = json!({
        "manifest_version": 3,
        "name": "gstack: only certain sites",
        "description": format!("This browser may reach only {sites}. Set by: gstack policy only"),
        "version": "1",
        "permissions": ["proxy", "privacy"],
        "background": { "service_worker": "worker.js" },
    });
    let proxy = json!({
        "mode": "fixed_servers",
        "rules": {
            "singleProxy": { "scheme": "http", "host": NOWHERE, "port": 1 },
            "bypassList": sites.proxy_exceptions(),
        },
    });
    atomic::write(&folder.join("manifest.json"), manifest.to_string().as_bytes())?;
    atomic::write(&folder.join("worker.js"), WORKER.replace("__PROXY__", &proxy.to_string()).as_bytes())?;
    Ok(())
}

/// Waits until the extension's worker has set everything.
async fn outcome(browser: &Browser, id: &str) -> Result<(), GuardError> {
    let address = format!("chrome-extension://{id}/worker.js");
    loop {
        let targets = browser.root().call(GetTargets::default()).await?.target_infos;
        if let Some(worker) =
            targets.into_iter().find(|target| target.kind == "service_worker" && target.url == address)
        {
            match told(browser, worker.target_id.as_str()).await {
                Ok(Some(control)) if control == OURS => return Ok(()),
                Ok(Some(other)) => return Err(GuardError::Refused(other)),
                Ok(None) => {}
                // Chrome ends and starts workers as it likes.
                Err(error) => tracing::debug!(%error, "the worker does not answer yet"),
            }
        }
        sleep(LOOK_AGAIN).await;
    }
}

async fn told(browser: &Browser, worker: &str) -> Result<Option<String>, CdpError> {
    let session_id = browser.root().call(AttachToTarget::new(worker)).await?.session_id;
    let asked = Evaluate { return_by_value: true, ..Evaluate::new("globalThis.outcome ?? null") };
    let answer = browser.cdp().session(session_id.clone()).call(asked).await;
    browser.root().call(DetachFromTarget { session_id }).await?;
    let told = answer?.result.value;
    Ok(told.and_then(|value| serde_json::from_str(value.get()).ok()).flatten())
}
