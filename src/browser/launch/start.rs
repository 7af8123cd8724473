//! Connects to this home's browser: through a running keeper, or a new one.
//!
//! Owns the start of the keeper process and the reading of its report. Never waits without a limit.

use super::error::LaunchError;
use super::find::{self, Found, Named, PATH_VARIABLE, Places};
use super::flags::{self, CommandLine, Flags};
use super::profile::{self, HostManifest};
use crate::keeper_link::{self, KeeperLink, LinkError};
use gstack_base::home::Home;
use gstack_base::lock::FileLock;
use gstack_base::profiles::{self, ProfileName};
use gstack_base::program::KEEPER_ROLE;
use gstack_base::site_list::SiteList;
use gstack_protocol::ids::BrowserRun;
use gstack_protocol::keeper::{KeeperReport, LaunchPlan, PlannedProfile};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// Longer than the keeper's own limit for the browser.
const REPORT_LIMIT: Duration = Duration::from_secs(75);
/// How long a keeper that no longer listens may take to end.
const DEAF_LIMIT: Duration = Duration::from_secs(10);
/// How long a keeper may take from its lock to its socket, and from removing its socket to its end.
const OPENING_LIMIT: Duration = Duration::from_secs(2);
/// A browser whose keeper was killed ends by itself within this time.
const ENDING_LIMIT: Duration = Duration::from_secs(5);
/// The release of a lock and the end of a process that is not our child cannot be awaited, only polled.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// In bytes. A larger `keeper.log` is started again.
const LOG_LIMIT: u64 = 1024 * 1024;

/// The options for starting a browser.
#[derive(Clone, Debug, Default)]
pub struct LaunchOptions {
    /// `--program`.
    pub browser: Option<PathBuf>,
    /// From `config.toml`.
    pub configured_browser: Option<PathBuf>,
    /// `None`: headless if there is no display.
    pub headless: Option<bool>,
    /// From `config.toml` and, for tests, `GSTACK_BROWSER_ARGS`.
    pub extra_args: Vec<String>,
    /// From `config.toml`.
    pub only_sites: SiteList,
    /// The complete environment of keeper and browser; none: this process's own.
    pub environment: Option<BTreeMap<String, String>>,
    /// The native messaging host to install in the profile; `None` for none.
    pub manifest: Option<HostManifest>,
    /// A page to open at the start.
    pub first_url: Option<String>,
    /// The profile to start it with.
    pub profile: ProfileName,
    /// The gstack binary; `None`: this process's.
    pub keeper_program: Option<PathBuf>,
}

/// A browser to attach to (`Browser::attach_kept`).
pub struct Started {
    /// The connection to its keeper.
    pub link: KeeperLink,
    /// `None`: the browser was running already.
    pub browser: Option<Found>,
    /// Messages for the user.
    pub notes: Vec<String>,
}

impl LaunchOptions {
    fn variable(&self, name: &str) -> Option<String> {
        let value = match &self.environment {
            Some(environment) => environment.get(name).cloned(),
            None => std::env::var(name).ok(),
        };
        value.filter(|value| !value.is_empty())
    }

    /// Returns true if the browser starts without a window: by default if there is no display. macOS always has one.
    fn is_headless(&self) -> bool {
        let has_display = cfg!(target_os = "macos")
            || ["WAYLAND_DISPLAY", "DISPLAY"].iter().any(|name| self.variable(name).is_some());
        self.headless.unwrap_or(!has_display)
    }
}

/// Connects to this home's browser; starts one first if none runs.
///
/// # Errors
///
/// Fails if no browser is found, it or its keeper does not start, another browser uses the profile, or the keeper does
/// not accept this process.
pub async fn start(home: &Home, options: &LaunchOptions) -> Result<Started, LaunchError> {
    let deadline = Instant::now() + REPORT_LIMIT;
    loop {
        // The keeper found here may be about to end: then the loop starts the next one.
        if let Some(link) = connect_to_running(home, deadline).await? {
            return Ok(Started { link, browser: None, notes: Vec::new() });
        }
        if let Some(started) = start_new(home, options).await? {
            return Ok(started);
        }
        if Instant::now() >= deadline {
            return Err(LinkError::Silent(REPORT_LIMIT).into());
        }
    }
}

/// Checks that no browser of another instance uses a profile.
///
/// # Errors
///
/// Fails if one does, or the profile's lock cannot be read.
pub fn check_free(home: &Home, profile: &ProfileName) -> Result<(), LaunchError> {
    match user(&home.profile_lock(profile))? {
        Some(holder) if !is_held(&home.keeper_lock())? => Err(held(profile, holder)),
        _ => Ok(()),
    }
}

/// Returns who uses the profile of a lock, as [`profiles::user`] does.
fn user(lock: &Path) -> Result<Option<Option<String>>, LaunchError> {
    profiles::user(lock).map_err(|source| LaunchError::Io {
        what: "the profile's lock can't be read",
        path: lock.to_owned(),
        source,
    })
}

fn held(profile: &ProfileName, holder: Option<String>) -> LaunchError {
    LaunchError::ProfileHeld { profile: profile.clone(), holder }
}

/// Starts a keeper. Returns `None` if another process was faster.
async fn start_new(home: &Home, options: &LaunchOptions) -> Result<Option<Started>, LaunchError> {
    let named = Named {
        flag: options.browser.clone(),
        variable: options.variable(PATH_VARIABLE).map(PathBuf::from),
        config: options.configured_browser.clone(),
    };
    // The browser would end without a word about it.
    if let Some(path) = options.variable("TMPDIR").map(PathBuf::from)
        && let Err(source) = std::fs::metadata(path.join("."))
    {
        let what = "the folder for temporary files that TMPDIR names can't be used:";
        return Err(LaunchError::Io { what, path, source });
    }
    let found = find::find(&named, &Places::of_machine(&options.variable("PATH").unwrap_or_default()))?;
    let profile = home.profile(&options.profile);
    home.prepare_profiles().map_err(|error| LaunchError::Io {
        what: "the profiles' folder can't be used",
        path: home.profiles(),
        source: io::Error::other(error),
    })?;
    let lock = home.profile_lock(&options.profile);
    if let Some(holder) = user(&lock)? {
        // This home's own keeper may have started meanwhile.
        return if is_held(&home.keeper_lock())? { Ok(None) } else { Err(held(&options.profile, holder)) };
    }
    if !prepare(home, &profile, options.manifest.as_ref()).await? {
        return Ok(None);
    }
    let as_root = rustix::process::geteuid().is_root();
    let headless = options.is_headless();
    let CommandLine { arguments: args, left_out } = flags::command_line(&Flags {
        profile: &profile,
        headless,
        as_root,
        extra: &options.extra_args,
        only_sites: &options.only_sites,
        first_url: options.first_url.as_deref(),
    });
    let plan = LaunchPlan {
        run: BrowserRun::random(),
        executable: found.path.clone(),
        args,
        env: BTreeMap::new(),
        headless,
        only_sites: options.only_sites.to_string(),
        socket: home.browser_socket(),
        key: home.keeper_key(),
        lock: home.keeper_lock(),
        profile: Some(PlannedProfile {
            name: options.profile.to_string(),
            lock,
            holder: home.session_or_default().to_owned(),
        }),
    };
    match start_keeper(home, options, &plan).await? {
        KeeperReport::Ready { .. } => {}
        KeeperReport::AlreadyRunning => return Ok(None),
        KeeperReport::ProfileInUse { holder } => return Err(held(&options.profile, holder)),
        KeeperReport::Failed { message, detail } => return Err(LaunchError::Browser { message, detail }),
    }
    let link = keeper_link::connect(home).await?;
    let unboxed = as_root.then(|| "The browser runs without its sandbox, because gstack runs as root.".to_owned());
    let without = (!left_out.is_empty()).then(|| {
        format!("Ignored these browser arguments, because they would bypass gstack's limits: {}.", left_out.join(", "))
    });
    Ok(Some(Started { link, browser: Some(found), notes: unboxed.into_iter().chain(without).collect() }))
}

/// Ends this home's browser and its keeper. Returns false if none was running.
///
/// # Errors
///
/// Fails if the keeper does not accept this process, or does not end in time.
pub async fn stop(home: &Home) -> Result<bool, LaunchError> {
    let lock = home.keeper_lock();
    if !is_held(&lock)? {
        return Ok(false);
    }
    if let Err(error) = keeper_link::stop(home).await {
        // A keeper whose browser has ended stops listening before it releases its lock.
        let limit = if is_removed(&error) { OPENING_LIMIT } else { DEAF_LIMIT };
        let is_ending = matches!(error, LinkError::Unreachable { .. }) && ended(home, limit).await.is_ok();
        return if is_ending { Ok(true) } else { Err(error.into()) };
    }
    ended(home, REPORT_LIMIT).await?;
    Ok(true)
}

/// Waits until the keeper has ended. Fails after `limit`.
async fn ended(home: &Home, limit: Duration) -> Result<(), LaunchError> {
    let deadline = Instant::now() + limit;
    while is_held(&home.keeper_lock())? {
        if Instant::now() >= deadline {
            return Err(LinkError::Silent(limit).into());
        }
        sleep(LOOK_AGAIN).await;
    }
    Ok(())
}

/// Connects to a running keeper; returns `None` if none runs. A keeper opens its socket right after its lock, and sends
/// its greeting once the browser answers.
async fn connect_to_running(home: &Home, deadline: Instant) -> Result<Option<KeeperLink>, LaunchError> {
    let since = Instant::now();
    while is_held(&home.keeper_lock())? {
        match timeout_at(deadline, keeper_link::connect(home)).await {
            Ok(Ok(link)) => return Ok(Some(link)),
            // Someone removed its socket or its key: it can't be reached any more.
            Ok(Err(error)) if is_removed(&error) && since.elapsed() > OPENING_LIMIT => return Err(error.into()),
            // The keeper does not listen yet, or not any more.
            Ok(Err(LinkError::Unreachable { .. })) => sleep(LOOK_AGAIN).await,
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => return Err(LinkError::Silent(REPORT_LIMIT).into()),
        }
    }
    Ok(None)
}

/// Returns true if the keeper's socket or its key does not exist.
fn is_removed(error: &LinkError) -> bool {
    matches!(error, LinkError::Unreachable { source, .. } if source.kind() == io::ErrorKind::NotFound)
}

/// Prepares the profile. Returns false if another process's browser uses it already.
async fn prepare(home: &Home, profile: &Path, manifest: Option<&HostManifest>) -> Result<bool, LaunchError> {
    let deadline = Instant::now() + ENDING_LIMIT;
    loop {
        match profile::prepare(profile, manifest) {
            Ok(()) => return Ok(true),
            Err(LaunchError::ProfileInUse { .. }) if is_held(&home.keeper_lock())? => return Ok(false),
            Err(LaunchError::ProfileInUse { .. }) if Instant::now() < deadline => sleep(LOOK_AGAIN).await,
            Err(error) => return Err(error),
        }
    }
}

/// Returns true if a keeper runs.
fn is_held(lock: &Path) -> Result<bool, LaunchError> {
    FileLock::is_held(lock).map_err(|source| LaunchError::Io {
        what: "the keeper's lock can't be read",
        path: lock.to_owned(),
        source,
    })
}

async fn start_keeper(home: &Home, options: &LaunchOptions, plan: &LaunchPlan) -> Result<KeeperReport, LaunchError> {
    let failed = |source: io::Error| LaunchError::KeeperStart { log: home.keeper_log(), source };
    let program = match &options.keeper_program {
        Some(program) => program.clone(),
        None => gstack_base::program::path().map_err(failed)?,
    };
    let mut command = Command::new(program);
    command
        .arg(KEEPER_ROLE)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(open_log(&home.keeper_log()).map_err(failed)?);
    if let Some(environment) = &options.environment {
        command.env_clear().envs(environment);
    }
    // Not killed or waited for on drop: the keeper outlives this process, and tokio reaps it if it ends earlier.
    let mut keeper = command.spawn().map_err(failed)?;
    let plan = serde_json::to_vec(plan).map_err(|error| failed(error.into()))?;
    if let Some(mut stdin) = keeper.stdin.take() {
        stdin.write_all(&plan).await.map_err(failed)?;
    }
    let stdout = keeper.stdout.take().ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
    let mut line = String::new();
    let mut stdout = BufReader::new(stdout);
    match timeout(REPORT_LIMIT, stdout.read_line(&mut line)).await {
        Ok(Ok(1..)) => serde_json::from_str(&line).map_err(|error| failed(error.into())),
        Ok(Ok(0)) => Err(LaunchError::Keeper("it exited without reporting why".to_owned())),
        Ok(Err(error)) => Err(failed(error)),
        Err(_) => Err(LaunchError::Keeper(format!("it did not report within {REPORT_LIMIT:?}"))),
    }
}

fn open_log(path: &Path) -> io::Result<std::fs::File> {
    let too_long = path.metadata().is_ok_and(|found| found.len() > LOG_LIMIT);
    let mut options = OpenOptions::new();
    options.create(true).mode(0o600);
    if too_long {
        options.write(true).truncate(true)
    } else {
        options.append(true)
    };
    options.open(path)
}
