//! Detects the sandbox mechanism of this machine by trying it.
//!
//! Owns the search and the messages about what is missing. A kernel or distribution may forbid user namespaces to some
//! programs and not to others, so versions prove nothing.

use super::{Mechanism, bubblewrap, landlock, sockets};
use crate::adapter::AgentEnvironment;
use crate::discovery;
use crate::process::brief;
use gstack_base::home::MECHANISM_VARIABLE as VARIABLE;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

/// It takes some milliseconds, and longer on a busy machine.
const LIMIT: Duration = Duration::from_secs(10);

/// The namespaces that a sandbox needs.
const TRY: [&str; 10] = [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
];
const PROC: [&str; 2] = ["--proc", "/proc"];
/// The additional namespace of an agent's nested sandbox: no network.
const TRY_WITHIN: [&str; 1] = ["--unshare-net"];

/// Returns the best mechanism.
///
/// # Errors
///
/// Fails if this machine has no mechanism that works here. The text says what is missing, for people.
pub async fn detect(environment: &AgentEnvironment) -> Result<Mechanism, String> {
    if cfg!(target_os = "macos") {
        let program = Path::new(super::seatbelt::PROGRAM);
        return if program.exists() {
            Ok(Mechanism::Seatbelt)
        } else {
            Err(format!("{} is missing", program.display()))
        };
    }
    let only = std::env::var(VARIABLE).unwrap_or_default();
    if only == "none" {
        return Err(format!("{VARIABLE} is set to none"));
    }
    let abi = landlock::abi();
    let why = if only == "landlock" {
        format!("{VARIABLE} is set to landlock")
    } else {
        match namespaces(environment, abi).await {
            Ok(found) => return Ok(found),
            Err(why) => why,
        }
    };
    if abi > 0 && sockets::KNOWN {
        return Ok(Mechanism::Landlock { abi });
    }
    Err(format!("{why}, and the kernel has no Landlock (Linux 5.13 or later)"))
}

async fn namespaces(environment: &AgentEnvironment, abi: u8) -> Result<Mechanism, String> {
    let plain = AgentEnvironment { variables: environment.variables.clone(), ..AgentEnvironment::default() };
    let bwrap = discovery::search("bwrap", None, environment).await;
    let bwrap = bwrap.ok_or("bubblewrap is not installed (Debian and Ubuntu: sudo apt install bubblewrap)")?;
    let tried = async |arguments: &[&OsStr]| match brief::run(&bwrap, arguments, &plain, LIMIT).await {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!(
                "bubblewrap does not work here ({})",
                said.lines().next().unwrap_or("it printed no reason").trim()
            ))
        }
        Err(error) => Err(format!("bubblewrap does not work here ({error})")),
    };
    let plainly = words(&TRY).chain(words(&PROC)).chain(words(&["--", "true"])).collect::<Vec<_>>();
    tried(&plainly).await?;
    let of_root = bubblewrap::of_root();
    let outer = words(&TRY).chain(words(&PROC)).chain(words(&["--cap-drop", "ALL", "--tmpfs", "/run"]));
    let outer = outer.chain(of_root.iter().map(OsString::as_os_str));
    // Root gets no second `/proc`, and Codex, the only agent with a sandbox of its own, then does without one.
    let proc = if of_root.is_empty() { &PROC[..] } else { &[] };
    let inner =
        words(&["--"]).chain([bwrap.as_os_str()]).chain(words(&TRY)).chain(words(proc)).chain(words(&TRY_WITHIN));
    let nested = outer.chain(inner).chain(words(&["--", "true"])).collect::<Vec<_>>();
    let nests = tried(&nested).await.inspect_err(|why| tracing::debug!(%why, "no sandbox within the sandbox")).is_ok();
    Ok(Mechanism::Namespaces { bwrap, abi, nests })
}

fn words<'a>(all: &'a [&'static str]) -> impl Iterator<Item = &'a OsStr> {
    all.iter().map(OsStr::new)
}
