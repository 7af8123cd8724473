//! `gstack upgrade`: replaces this program with a newer release, and upgrades the running daemon.
//!
//! Owns the order of the steps. Runs only at a person's request: nothing here looks for releases by itself. Trusts no
//! server: the manifest of what is installed is signed, and this program contains the key.

mod download;
mod error;
mod installer;
mod manifest;
mod published;
mod replacement;

pub(crate) use error::UpgradeError;
use gstack_base::counted::counted;
use gstack_base::home::Home;
use gstack_base::lock::FileLock;
use gstack_base::upgrade::is_newer;
use gstack_client::{ending, start, upgrade as daemon_upgrade};
use gstack_protocol::VERSION;
use gstack_protocol::fault::Fault;
use installer::Installer;
use manifest::{Key, Release};
use published::Published;
use replacement::Replacement;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// The time for a daemon to exit that was started only to prove that it starts.
const END_LIMIT: Duration = Duration::from_secs(15);

/// The releases found, and the result.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    pub installed: String,
    pub newest: String,
    pub published: Option<String>,
    /// Whether the program was replaced.
    pub upgraded: bool,
    /// Whether the old daemon is still finishing turns; it exits when they are done.
    pub handing_over: bool,
}

/// Looks for a newer release. Changes nothing.
pub(crate) async fn check() -> Result<Outcome, Fault> {
    let published = Published::built_in()?;
    let at = download::Source::from_environment(&published)?;
    let release = newest(&published, &at).await?;
    Ok(outcome(&release, false))
}

/// Installs a newer release, if there is one, and upgrades the daemon. `tell` receives the progress messages.
pub(crate) async fn upgrade(home: &Home, tell: impl Fn(&str)) -> Result<Outcome, Fault> {
    let program = gstack_base::program::path()
        .and_then(|path| path.canonicalize())
        .map_err(|source| UpgradeError::Place { path: PathBuf::from("gstack"), source })?;
    if let Some(by) = Installer::of(&program) {
        return Err(UpgradeError::Managed(by).into());
    }
    let published = Published::built_in()?;
    let at = download::Source::from_environment(&published)?;
    // Only one at a time: another upgrade may be running.
    let lock = home.root().join("upgrade.lock");
    let _lock = FileLock::take(&lock).map_err(|source| UpgradeError::Place { path: lock.clone(), source })?;
    let release = newest(&published, &at).await?;
    if !is_newer(&release.version, VERSION) {
        return Ok(outcome(&release, false));
    }
    let place = Replacement::at(&program)?;
    tell(&format!("Downloading gstack {}", release.version));
    let fresh = fetch(&at, &release, &place).await?;
    place.keep_previous()?;
    place.put(&fresh)?;
    tell(&format!("Installed gstack {}: {}", release.version, program.display()));
    let handing_over = match hand_over_to(home, &release.version, &tell).await {
        Ok(handing_over) => handing_over,
        Err(fault) => {
            place.put_back()?;
            // The previous daemon has exited; the old program tries to start it again.
            if start::connect(home, home.http_socket()).await.is_err() {
                tell("The older daemon could not be started again; the next command tries once more.");
            }
            return Err(UpgradeError::RolledBack { version: release.version, reason: fault.message }.into());
        }
    };
    Ok(Outcome { handing_over, ..outcome(&release, true) })
}

fn outcome(release: &Release, upgraded: bool) -> Outcome {
    Outcome {
        installed: VERSION.to_owned(),
        newest: release.version.clone(),
        published: release.published.clone(),
        upgraded,
        handing_over: false,
    }
}

/// Returns the newest release, from its signed manifest.
async fn newest(published: &Published, at: &download::Source) -> Result<Release, UpgradeError> {
    let key = Key::read(published.release_key())?;
    let folder = replacement::private_folder(&std::env::temp_dir())?;
    let text = at.text(manifest::NAME, folder.path()).await?;
    let signature = at.text(manifest::SIGNATURE, folder.path()).await?;
    let release = key.open(&text, &signature)?;
    if is_newer(VERSION, &release.version) {
        return Err(UpgradeError::Older { offered: release.version });
    }
    Ok(release)
}

/// Downloads, verifies and unpacks the release's program, and starts it once to check it.
async fn fetch(at: &download::Source, release: &Release, place: &Replacement) -> Result<PathBuf, UpgradeError> {
    let archive = release.archive()?;
    let file = at.file(&archive.file, archive.size, place.staging()).await?;
    archive.check(&file)?;
    let fresh = place.unpack(&file, &release.target()).await?;
    let said = replacement::version_of(&fresh).await?;
    if said != format!("gstack {}", release.version) {
        return Err(UpgradeError::Damaged { name: archive.file.clone(), how: format!("its program says {said}") });
    }
    Ok(fresh)
}

/// Replaces the old daemon with one of the new program. If no daemon was running, the new one exits again. Returns true
/// if running turns still keep the old daemon.
async fn hand_over_to(home: &Home, version: &str, tell: &impl Fn(&str)) -> Result<bool, Fault> {
    let ran = FileLock::is_held(&home.daemon_lock()).unwrap_or(true);
    if ran && let Some(handing_over) = daemon_upgrade::ask_for(home, version).await? {
        if handing_over.turns > 0 {
            let minutes = handing_over.seconds / 60;
            let turns = counted(handing_over.turns, "running turn");
            tell(&format!("Waiting for {turns}, {minutes} minutes at most."));
        }
        if !daemon_upgrade::ended(home, &handing_over).await {
            return Ok(true);
        }
    }
    start::connect(home, home.http_socket()).await?;
    if !ran {
        end(home).await;
    }
    Ok(false)
}

/// Stops a daemon that was started only as a check. If it keeps running, that does no harm.
async fn end(home: &Home) {
    use gstack_client::http::Client;
    use gstack_protocol::basics::Empty;
    use gstack_protocol::control::Stopping;
    if let Ok(Stopping { pid }) = Client::of_running(home.clone()).post::<_, Stopping>("/stop", &Empty {}).await {
        ending::within(home, pid, END_LIMIT).await;
    }
}
