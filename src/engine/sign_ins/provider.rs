//! Password managers that are asked by command: pass, 1Password (`op`) and Bitwarden (`bw`).
//!
//! Owns their arguments, which are fixed here, and the check of their answers. Never passes anything through a shell, and
//! takes no word of a command from an agent or a page.

use super::record;
use gstack_base::private_folder::check_way;
use gstack_base::secret_program::{Failure, Program};
use gstack_protocol::secret_text::SecretText;
use gstack_protocol::sign_in::{ProviderKind, SecretProvider};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;
use zeroize::Zeroizing;

/// The person may have to type a passphrase or touch a key.
const LIMIT: Duration = Duration::from_secs(60);
const LONGEST_ENTRY: usize = 512;
/// The exit code of `pass` for its own errors.
const PASS_NO_ENTRY: i32 = 1;
/// The exit code of `pass` if gpg fails.
const GPG_FAILED: i32 = 2;

#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    #[error("{0} is not installed at {1}")]
    Missing(&'static str, String),
    #[error("{0} at {1} can be changed by other users")]
    Unsafe(&'static str, String),
    #[error("{0} can't be run: {1}")]
    NotRun(&'static str, String),
    #[error("{name} did not answer within {} s", .limit.as_secs())]
    Timeout { name: &'static str, limit: Duration },
    #[error("{0} failed")]
    /// With its exit code.
    Failed(&'static str, Option<i32>),
    #[error("{0} has no entry of that name")]
    NoEntry(&'static str),
    #[error("{0} can't decrypt the entry")]
    NotDecrypted(&'static str),
    #[error("{0} is locked")]
    Locked(&'static str),
    #[error("{0} is not logged in")]
    NotLoggedIn(&'static str),
    #[error("{0} did not answer with a password")]
    NoPassword(&'static str),
    #[error("{0} did not answer with a one-time code")]
    NoCode(&'static str),
}

impl ProviderError {
    pub(super) fn next_step(&self) -> &'static str {
        match self {
            Self::Missing(..) => "Install it, or save the sign-in again with the program's current path.",
            Self::Unsafe(..) => "Remove the other users' write permission.",
            Self::NotRun(..) => "Make the program executable.",
            Self::NoEntry(_) => {
                "Save the sign-in again with the entry's name: gstack auth save NAME … --entry ENTRY --replace"
            }
            Self::NotDecrypted(_) => "In a terminal: pass show ENTRY. Once its key is unlocked there, try again.",
            Self::Locked(_) => "In a terminal: export BW_SESSION=$(bw unlock --raw), then: gstack auth unlock",
            Self::NotLoggedIn(_) => {
                "In a terminal: bw login. Then: export BW_SESSION=$(bw unlock --raw) and gstack auth unlock"
            }
            Self::Timeout { .. } | Self::Failed(..) | Self::NoPassword(_) | Self::NoCode(_) => {
                "In a terminal, ask the password manager for this entry. If it wants a session, set its variable and run \
                 `gstack auth unlock`."
            }
        }
    }
}

/// Whether the parts of a provider can be used as they are: an absolute path, and entries that are no options.
pub(super) fn is_plausible(provider: &SecretProvider) -> bool {
    let is_entry = |entry: &str| {
        !entry.is_empty()
            && entry.len() <= LONGEST_ENTRY
            && !entry.starts_with('-')
            && !entry.chars().any(char::is_control)
    };
    let mut entries = std::iter::once(&provider.entry).chain(&provider.totp_entry);
    let mut variables = provider.environment.keys();
    Path::new(&provider.program).is_absolute()
        && entries.all(|entry| is_entry(entry))
        && variables.all(|name| ProviderKind::VARIABLES.contains(&name.as_str()))
}

/// Asks for the password.
pub(super) async fn password(
    provider: &SecretProvider,
    secrets: &BTreeMap<String, SecretText>,
) -> Result<SecretText, ProviderError> {
    let name = provider.kind.name();
    let arguments: &[&str] = match provider.kind {
        ProviderKind::Pass => &["show"],
        ProviderKind::Op => &["read"],
        ProviderKind::Bw => {
            let login = bw_item(provider, &provider.entry, secrets).await?.login;
            let password = login.and_then(|login| login.password).ok_or(ProviderError::NoPassword(name))?;
            record::check_secret(&password).map_err(|_| ProviderError::NoPassword(name))?;
            return Ok(SecretText::new(password.to_string()));
        }
    };
    let answer = match ask(provider, arguments, Some(&provider.entry), secrets).await {
        Err(ProviderError::Failed(_, Some(PASS_NO_ENTRY))) if provider.kind == ProviderKind::Pass => {
            return Err(ProviderError::NoEntry(name));
        }
        answer => answer?,
    };
    // In pass, the lines after the first are notes.
    let password = match provider.kind {
        ProviderKind::Pass => answer.lines().next().unwrap_or_default(),
        ProviderKind::Op | ProviderKind::Bw => answer.trim_end_matches(['\n', '\r']),
    };
    record::check_secret(password).map_err(|_| ProviderError::NoPassword(name))?;
    Ok(SecretText::new(password.to_owned()))
}

/// Asks for a one-time code. Returns `None` if the sign-in has none.
pub(super) async fn code(
    provider: &SecretProvider,
    secrets: &BTreeMap<String, SecretText>,
) -> Result<Option<SecretText>, ProviderError> {
    let Some(entry) = &provider.totp_entry else { return Ok(None) };
    let name = provider.kind.name();
    let mut entry = entry.clone();
    let arguments: &[&str] = match provider.kind {
        ProviderKind::Pass => &["otp"],
        ProviderKind::Op => &["read"],
        ProviderKind::Bw => {
            entry = bw_item(provider, &entry, secrets).await?.id;
            &["--nointeraction", "get", "totp"]
        }
    };
    let answer = match ask(provider, arguments, Some(&entry), secrets).await {
        // Also if the entry has no seed, and without the extension for codes.
        Err(ProviderError::Failed(_, Some(PASS_NO_ENTRY))) if provider.kind == ProviderKind::Pass => {
            return Err(ProviderError::NoCode(name));
        }
        // The item is there.
        Err(ProviderError::NoEntry(_)) if provider.kind == ProviderKind::Bw => return Err(ProviderError::NoCode(name)),
        answer => answer?,
    };
    let code = answer.trim();
    match (6..=8).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(Some(SecretText::new(code.to_owned()))),
        false => Err(ProviderError::NoCode(name)),
    }
}

/// An item of Bitwarden, as `bw list items` prints it.
#[derive(serde::Deserialize)]
struct BwItem {
    id: String,
    name: String,
    login: Option<BwLogin>,
}

#[derive(serde::Deserialize)]
struct BwLogin {
    password: Option<Zeroizing<String>>,
}

/// Returns the only item with this id or name, in capitals or not. `bw` itself searches: it also finds items that only contain
/// the words.
async fn bw_item(
    provider: &SecretProvider,
    entry: &str,
    secrets: &BTreeMap<String, SecretText>,
) -> Result<BwItem, ProviderError> {
    let name = provider.kind.name();
    let answer = ask(provider, &["--nointeraction", "list", "items", "--search"], Some(entry), secrets).await?;
    let items: Vec<BwItem> = serde_json::from_str(&answer).map_err(|_| ProviderError::NoPassword(name))?;
    let wanted = entry.to_lowercase();
    let mut exact = items.into_iter().filter(|item| item.id == entry || item.name.to_lowercase() == wanted);
    match (exact.next(), exact.next()) {
        (Some(item), None) => Ok(item),
        _ => Err(ProviderError::NoEntry(name)),
    }
}

/// Asks the program. If it fails, asks it for the reason.
async fn ask(
    provider: &SecretProvider,
    arguments: &[&str],
    entry: Option<&str>,
    secrets: &BTreeMap<String, SecretText>,
) -> Result<Zeroizing<String>, ProviderError> {
    let name = provider.kind.name();
    match (run(provider, arguments, entry, secrets).await, provider.kind) {
        (Err(ProviderError::Failed(_, Some(GPG_FAILED))), ProviderKind::Pass) => Err(ProviderError::NotDecrypted(name)),
        (Err(failed @ ProviderError::Failed(..)), ProviderKind::Bw) => {
            let status = run(provider, &["--nointeraction", "status"], None, secrets).await;
            Err(status.ok().and_then(|status| why_bw_failed(&status)).unwrap_or(failed))
        }
        (answer, _) => answer,
    }
}

/// Reads what `bw status` prints.
fn why_bw_failed(status: &str) -> Option<ProviderError> {
    #[derive(serde::Deserialize)]
    struct Status {
        status: String,
    }
    let name = ProviderKind::Bw.name();
    let line = status.lines().find(|line| line.starts_with('{'))?;
    match serde_json::from_str::<Status>(line).ok()?.status.as_str() {
        "unauthenticated" => Some(ProviderError::NotLoggedIn(name)),
        "locked" => Some(ProviderError::Locked(name)),
        "unlocked" => Some(ProviderError::NoEntry(name)),
        _ => None,
    }
}

async fn run(
    provider: &SecretProvider,
    arguments: &[&str],
    entry: Option<&str>,
    secrets: &BTreeMap<String, SecretText>,
) -> Result<Zeroizing<String>, ProviderError> {
    let name = provider.kind.name();
    let program = Path::new(&provider.program);
    check_owner(name, program)?;
    let plain = provider.environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let variables: Vec<_> = plain.chain(secrets.iter().map(|(name, value)| (name.as_str(), value.reveal()))).collect();
    let arguments: Vec<_> = arguments.iter().copied().chain(entry).collect();
    Program { program, arguments: &arguments, variables: &variables, input: None, limit: LIMIT }.output().await.map_err(
        |failure| match failure {
            Failure::Missing => ProviderError::Missing(name, provider.program.clone()),
            Failure::NotRun(why) => ProviderError::NotRun(name, why),
            Failure::Timeout => ProviderError::Timeout { name, limit: LIMIT },
            Failure::TooLong | Failure::NotText => ProviderError::NoPassword(name),
            Failure::Failed(code) => ProviderError::Failed(name, code),
        },
    )
}

/// Refuses a program that another user could change, or exchange between this check and its start.
fn check_owner(name: &'static str, program: &Path) -> Result<(), ProviderError> {
    let place = || program.display().to_string();
    let about = std::fs::metadata(program).map_err(|_| ProviderError::Missing(name, place()))?;
    let own = rustix::process::geteuid().as_raw();
    // A person's own group often has no other member; a program of a shared group belongs to all of them.
    let groups = [0, rustix::process::getegid().as_raw()];
    let is_shared = about.mode() & 0o002 != 0 || (about.mode() & 0o020 != 0 && !groups.contains(&about.gid()));
    let is_ours = (about.uid() == own || about.uid() == 0) && !is_shared;
    match is_ours && check_way(program).is_ok() {
        true => Ok(()),
        false => Err(ProviderError::Unsafe(name, place())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn provider(kind: ProviderKind, folder: &Path, script: &str) -> SecretProvider {
        let program = folder.join(kind.name());
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        SecretProvider {
            kind,
            program: program.to_str().unwrap().to_owned(),
            entry: "$(touch hacked); shop/ada".to_owned(),
            totp_entry: Some("shop/code".to_owned()),
            environment: BTreeMap::from([("PASSWORD_STORE_DIR".to_owned(), "/store".to_owned())]),
        }
    }

    async fn told(kind: ProviderKind, script: &str) -> Result<String, ProviderError> {
        let folder = tempfile::tempdir().unwrap();
        let provider = provider(kind, folder.path(), script);
        password(&provider, &BTreeMap::new()).await.map(|secret| secret.reveal().to_owned())
    }

    #[tokio::test]
    async fn each_is_asked_in_its_own_way_and_never_through_a_shell() {
        let print = r#"printf '%s|' "$@" "$PASSWORD_STORE_DIR"; echo; echo notes"#;
        let said = told(ProviderKind::Pass, print).await.unwrap();
        assert_eq!(said, "show|$(touch hacked); shop/ada|/store|");
        let print = r#"printf '%s|' "$@""#;
        assert_eq!(told(ProviderKind::Op, print).await.unwrap(), "read|$(touch hacked); shop/ada|");
        let item = |password: &str| {
            format!(r#"printf '[{{"id":"1","name":"%s","notes":null,"login":{{"password":"%s"}}}}]' "$5" "{password}""#)
        };
        let said = told(ProviderKind::Bw, &item("$1 $2 $3 $4")).await.unwrap();
        assert_eq!(said, "--nointeraction list items --search");
        let folder = tempfile::tempdir().unwrap();
        let pass = provider(ProviderKind::Pass, folder.path(), r#"[ "$1 $2" = "otp shop/code" ] && echo 123456"#);
        assert_eq!(code(&pass, &BTreeMap::new()).await.unwrap().unwrap().reveal(), "123456");
        let session = BTreeMap::from([("BW_SESSION".to_owned(), SecretText::new("session key".to_owned()))]);
        let bw = provider(ProviderKind::Bw, folder.path(), &item("$BW_SESSION"));
        assert_eq!(password(&bw, &session).await.unwrap().reveal(), "session key");
        assert!(matches!(code(&bw, &session).await, Err(ProviderError::NoCode("bw"))));
    }

    #[tokio::test]
    async fn garbage_is_no_password_and_never_quoted() {
        for script in ["", "printf ''", "printf '\\377\\376'", "printf 'a\\tb\\001c'", "exec cat /dev/zero", "echo abc"]
        {
            let error = told(ProviderKind::Op, script).await.unwrap_err();
            assert!(matches!(error, ProviderError::NoPassword("op")), "{script}: {error}");
        }
        let error = told(ProviderKind::Bw, "echo leaked-secret >&2; echo leaked-secret; exit 1").await.unwrap_err();
        assert!(!error.to_string().contains("leaked") && matches!(error, ProviderError::Failed("bw", Some(1))));
        assert!(matches!(told(ProviderKind::Op, "echo one; echo two").await, Err(ProviderError::NoPassword("op"))));
    }

    #[tokio::test]
    async fn a_password_manager_that_fails_says_why() {
        let status = |status| {
            format!(r#"[ "$2" = status ] && echo '{{"serverUrl":null,"status":"{status}"}}' && exit 0; exit 1"#)
        };
        let error = told(ProviderKind::Bw, &status("unauthenticated")).await.unwrap_err();
        assert!(matches!(error, ProviderError::NotLoggedIn("bw")) && error.next_step().contains("bw login"));
        let error = told(ProviderKind::Bw, &status("locked")).await.unwrap_err();
        assert!(matches!(error, ProviderError::Locked("bw")) && error.next_step().contains("bw unlock"));
        let error = told(ProviderKind::Bw, &status("unlocked")).await.unwrap_err();
        assert!(matches!(error, ProviderError::NoEntry("bw")));
        let other = r#"{"id":"1","name":"workshop/ada","login":{"password":"another"}}"#;
        let nothing = r#"{"id":"2","name":"%s","login":null}"#;
        for (items, words) in [
            (String::new(), "no entry"),
            (other.to_owned(), "no entry"),
            (format!("{nothing},{nothing}"), "no entry"),
            (nothing.to_owned(), "no password"),
            (format!("{other},{nothing}"), "no password"),
        ] {
            let script = format!(r#"printf '[{items}]' "$5" "$5""#);
            let error = told(ProviderKind::Bw, &script).await.unwrap_err();
            let is_it = match &error {
                ProviderError::NoEntry("bw") => words == "no entry",
                ProviderError::NoPassword("bw") => words == "no password",
                _ => false,
            };
            assert!(is_it, "{items}: {error}");
        }
        assert!(matches!(told(ProviderKind::Pass, "exit 1").await, Err(ProviderError::NoEntry("pass"))));
        assert!(matches!(told(ProviderKind::Pass, "exit 2").await, Err(ProviderError::NotDecrypted("pass"))));
        assert!(matches!(told(ProviderKind::Pass, "exit 3").await, Err(ProviderError::Failed("pass", Some(3)))));
    }

    #[tokio::test]
    async fn a_program_that_others_may_change_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let pass = provider(ProviderKind::Pass, folder.path(), "echo correct horse");
        std::fs::set_permissions(&pass.program, std::fs::Permissions::from_mode(0o757)).unwrap();
        assert!(matches!(password(&pass, &BTreeMap::new()).await, Err(ProviderError::Unsafe(..))));
        // By a group of others, which only root can name here.
        if std::os::unix::fs::chown(&pass.program, None, Some(12_345)).is_ok() {
            std::fs::set_permissions(&pass.program, std::fs::Permissions::from_mode(0o775)).unwrap();
            assert!(matches!(password(&pass, &BTreeMap::new()).await, Err(ProviderError::Unsafe(..))));
        }
        // Its folder, or one on the way to it, also by a link.
        std::fs::set_permissions(&pass.program, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(password(&pass, &BTreeMap::new()).await.is_ok());
        let link = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), link.path().join("bin")).unwrap();
        let by_link = provider(ProviderKind::Pass, &link.path().join("bin"), "echo correct horse");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        for provider in [&pass, &by_link] {
            assert!(matches!(password(provider, &BTreeMap::new()).await, Err(ProviderError::Unsafe(..))));
        }
        std::fs::remove_file(&pass.program).unwrap();
        assert!(matches!(password(&pass, &BTreeMap::new()).await, Err(ProviderError::Missing(..))));
    }
}
