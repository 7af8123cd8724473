//! An extension that limits a browser which is open already to a list of sites.
//!
//! Resolver rules are fixed when a browser starts, and DevTools can pause neither WebSockets nor what shared and service workers
//! request. A proxy setting concerns every process and protocol from then on: this extension sends all connections but those to the
//! listed sites to a proxy that does not exist, and turns off WebRTC over UDP. It has access to no page. Owns its files, its
//! exchange for the next list without a gap, and its removal. Never decides which list applies.

use crate::browser::Browser;
use crate::cdp::CdpError;
use crate::devtools::extensions::{ExtensionInfo, GetExtensions, LoadUnpacked, UninstallParams};
use crate::devtools::runtime::evaluate_value;
use crate::devtools::target::{GetTargetsParams, attach_to, detach_from};
use gstack_base::atomic;
use gstack_base::home::{HomeError, private_folder};
use gstack_base::site_list::SiteList;
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Its worker sets everything within a fraction of a second; a busy machine takes longer.
const LIMIT: Duration = Duration::from_secs(15);
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// No machine can have this address, no system connects to it, and no name has to be resolved for it.
const NOWHERE: &str = "255.255.255.255";
/// The worker's outcome when all settings are in force.
const IS_SET: &str = "set";

/// The worker. `__PROXY__` is the proxy setting. Private windows have their own settings unless the extension may act there.
const WORKER: &str = r#"const { network } = chrome.privacy;
const wanted = [
  [chrome.proxy.settings, __PROXY__],
  [network.webRTCIPHandlingPolicy, 'disable_non_proxied_udp'],
  [network.networkPredictionEnabled, false],
];
const set = async () => {
  for (const [setting, value] of wanted) await setting.set({ value });
  for (const [setting] of wanted) {
    const { levelOfControl } = await setting.get({});
    if (levelOfControl !== 'controlled_by_this_extension') return levelOfControl;
  }
  return (await chrome.extension.isAllowedIncognitoAccess()) ? 'set' : 'not in private windows';
};
set().catch(String).then((outcome) => { globalThis.outcome = outcome; });
"#;

/// The reasons why a browser can't be limited while it is open.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// A request to the browser failed.
    #[error(transparent)]
    Browser(#[from] CdpError),
    /// The private folder for the files could not be created.
    #[error(transparent)]
    Folder(#[from] HomeError),
    /// A file could not be written or removed.
    #[error("the extension's files can't be written or removed: {0}")]
    Io(#[from] io::Error),
    /// Another extension or an administrator controls a setting, or the person turned the extension off.
    #[error("the browser does not take the settings: {0}")]
    Refused(String),
    /// Its worker did not run in this time.
    #[error("the extension did not start within {0:?}")]
    Slow(Duration),
}

/// Limits the browser to these sites. What it was limited to before holds until then. `folder`: a private one for its files.
///
/// # Errors
///
/// Fails if the browser does not load the extension or does not take its settings. It is limited as before then.
pub async fn hold(browser: &Browser, folder: &Path, sites: &SiteList) -> Result<(), GuardError> {
    private_folder(folder)?;
    let before = loaded(browser, folder).await?;
    // A folder of its own: a browser that reloads an extension is not limited meanwhile.
    let path = without_links(folder)?.join(uuid::Uuid::new_v4().simple().to_string());
    write(&path, sites)?;
    let id = browser.root().call(LoadUnpacked::everywhere(&path)).await?.id;
    let outcome = timeout(LIMIT, is_set(browser, &id)).await.unwrap_or(Err(GuardError::Slow(LIMIT)));
    let (ended, files): (Vec<String>, Vec<PathBuf>) = match &outcome {
        Ok(()) => before.into_iter().map(|one| (one.id, PathBuf::from(one.path))).unzip(),
        Err(_) => (vec![id], vec![path]),
    };
    for id in ended {
        browser.root().call(UninstallParams::new(id)).await?;
    }
    for files in files {
        removed(&files)?;
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
        browser.root().call(UninstallParams::new(extension.id)).await?;
    }
    Ok(removed(folder)?)
}

/// Returns true if the browser has such an extension and it is turned on.
///
/// # Errors
///
/// Fails if the browser does not answer.
pub async fn is_loaded(browser: &Browser, folder: &Path) -> Result<bool, GuardError> {
    Ok(loaded(browser, folder).await?.iter().any(|extension| extension.enabled))
}

/// Returns the extensions from this folder that the browser has.
async fn loaded(browser: &Browser, folder: &Path) -> Result<Vec<ExtensionInfo>, GuardError> {
    let folder = without_links(folder)?;
    let mut known = browser.root().call(GetExtensions {}).await?.extensions;
    known.retain(|extension| Path::new(&extension.path).starts_with(&folder));
    Ok(known)
}

/// Returns the folder's path as the browser reports it, also if the folder was removed.
fn without_links(folder: &Path) -> io::Result<PathBuf> {
    match (folder.parent(), folder.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
        _ => folder.canonicalize(),
    }
}

fn removed(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
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
async fn is_set(browser: &Browser, id: &str) -> Result<(), GuardError> {
    let address = format!("chrome-extension://{id}/worker.js");
    loop {
        let targets = browser.root().call(GetTargetsParams::default()).await?.target_infos;
        if let Some(worker) =
            targets.into_iter().find(|target| target.kind == "service_worker" && target.url == address)
        {
            match told(browser, worker.target_id.as_str()).await {
                Ok(Some(outcome)) if outcome == IS_SET => return Ok(()),
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
    let session_id = browser.root().call(attach_to(worker)).await?.session_id;
    let asked = evaluate_value("globalThis.outcome ?? null");
    let answer = browser.cdp().session(session_id.clone()).call(asked).await;
    browser.root().call(detach_from(session_id)).await?;
    let told = answer?.result.value;
    Ok(told.and_then(|value| serde_json::from_str(value.get()).ok()).flatten())
}
