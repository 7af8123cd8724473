//! The key of the saved sign-ins in the system's keyring.
//!
//! Owns the question, asked through the system's own program: `secret-tool` (Secret Service: GNOME Keyring, KWallet,
//! KeePassXC) or `security` (macOS Keychain). One item holds the file's random key; names and passwords are in the file.
//! The key goes through standard input and output, never through arguments.

use super::program::{Failure, Program};
use crate::protocol::secret_text::SecretText;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use zeroize::Zeroizing;

/// A locked keyring prompts the person.
const LIMIT: Duration = Duration::from_secs(60);
const SERVICE: &str = "gstack sign-ins";

/// A search shows no prompt, so it takes no time to answer one.
const SEARCH_LIMIT: Duration = Duration::from_secs(10);
const PROGRAM: &str = if cfg!(target_os = "macos") { "security" } else { "secret-tool" };
/// An exit code of `security`.
const NO_SUCH_ITEM: i32 = 44;
/// Exit codes of `security`: the keychain is locked and no prompt can be shown, or the person declined.
const NOT_ALLOWED: [i32; 3] = [36, 51, 128];

/// Why the keyring gives or takes no key.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyringError {
    #[error("{PROGRAM}, by which the system's keyring is asked, is not installed")]
    NotInstalled,
    #[error("{PROGRAM} can't be run: {0}")]
    NotRun(String),
    #[error("no keyring answers in the session that gstack was started in")]
    NoAnswer,
    #[error("the keyring did not answer within {} s", LIMIT.as_secs())]
    Timeout,
    #[error("the system's keyring is locked")]
    Locked,
    #[error("the system's keyring does not have the key of the saved sign-ins")]
    Missing,
    #[error("the keyring's entry is not gstack's key")]
    NotAKey,
    #[error("the keyring has another key than that of the saved sign-ins")]
    AnotherKey,
    #[error("the keyring stored no key: it is locked, or not set up yet")]
    NotStored,
}

impl KeyringError {
    pub(super) fn next_step(&self) -> &'static str {
        match self {
            Self::NotInstalled => "Install it (Debian: libsecret-tools), then try again.",
            Self::NotRun(_) => "Make it executable.",
            Self::NoAnswer => {
                "Start your desktop's keyring, then try again. If it runs in another session, first run there: gstack stop"
            }
            Self::Timeout => "Answer the keyring's prompt, then try again.",
            Self::Locked | Self::NotStored => "Unlock the system's keyring, then try again.",
            Self::Missing | Self::NotAKey | Self::AnotherKey => {
                "Restore the keyring from a backup. If you can't, remove sign-ins.json from gstack's home and save the \
                 sign-ins again."
            }
        }
    }
}

/// Returns the key of the store with this name.
pub(super) async fn read(store: &str) -> Result<Zeroizing<String>, KeyringError> {
    let (arguments, input) = match cfg!(target_os = "macos") {
        true => (words(&["find-generic-password", "-w", "-a", store, "-s", SERVICE]), None),
        false => (words(&["lookup", "service", SERVICE, "store", store]), None),
    };
    let answer = match ask(arguments, input, LIMIT).await {
        Ok(answer) => answer,
        Err(Failure::Failed(code)) => return Err(why_not_read(store, code).await),
        Err(failure) => return Err(trouble(failure)),
    };
    Ok(Zeroizing::new(answer.trim_end_matches('\n').to_owned()))
}

/// Saves the key of the store with this name, and reads it again.
pub(super) async fn write(store: &str, key: &SecretText) -> Result<(), KeyringError> {
    let (arguments, input) = match cfg!(target_os = "macos") {
        // Interactive: the command with the key is read from standard input. The parts have no special characters.
        true => {
            let line = format!("add-generic-password -U -a {store} -s \"{SERVICE}\" -w {}\n", key.reveal());
            (words(&["-i"]), SecretText::new(line))
        }
        false => {
            let label = format!("--label={SERVICE}");
            (words(&["store", &label, "service", SERVICE, "store", store]), key.clone())
        }
    };
    match ask(arguments, Some(input), LIMIT).await {
        Ok(_) => {}
        Err(Failure::Failed(_)) if cfg!(target_os = "macos") || search(store).await.is_ok() => {
            return Err(KeyringError::NotStored);
        }
        Err(failure) => return Err(trouble(failure)),
    }
    match *read(store).await? == *key.reveal() {
        true => Ok(()),
        false => Err(KeyringError::NotStored),
    }
}

/// Returns why an entry was not read. `secret-tool` ends with the same code for every reason.
async fn why_not_read(store: &str, code: Option<i32>) -> KeyringError {
    if cfg!(target_os = "macos") {
        return match code {
            Some(NO_SUCH_ITEM) => KeyringError::Missing,
            Some(code) if NOT_ALLOWED.contains(&code) => KeyringError::Locked,
            _ => KeyringError::NoAnswer,
        };
    }
    match search(store).await {
        Ok(true) => KeyringError::Locked,
        Ok(false) => KeyringError::Missing,
        Err(failure) => trouble(failure),
    }
}

/// Returns whether the Secret Service has the entry, locked or not. Fails if no service answers.
async fn search(store: &str) -> Result<bool, Failure> {
    let found = ask(words(&["search", "service", SERVICE, "store", store]), None, SEARCH_LIMIT).await?;
    Ok(!found.trim().is_empty())
}

fn trouble(failure: Failure) -> KeyringError {
    match failure {
        Failure::Missing => KeyringError::NotInstalled,
        Failure::NotRun(why) => KeyringError::NotRun(why),
        Failure::Timeout => KeyringError::Timeout,
        Failure::TooLong | Failure::NotText => KeyringError::NotAKey,
        Failure::Failed(_) => KeyringError::NoAnswer,
    }
}

async fn ask(arguments: Vec<String>, input: Option<SecretText>, limit: Duration) -> Result<Zeroizing<String>, Failure> {
    let program = found(PROGRAM).ok_or(Failure::Missing)?;
    Program { program: &program, arguments, variables: BTreeMap::new(), input, limit }.output().await
}

/// Returns the program that the daemon's own PATH names.
fn found(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_absolute() && is_file(file))
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| about.is_file())
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
