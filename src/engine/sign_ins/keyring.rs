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

/// Why the keyring has no key for us, for people.
#[derive(Debug)]
pub(super) struct Trouble(pub(super) String);

/// Returns the key of the store with this name.
pub(super) async fn read(store: &str) -> Result<Zeroizing<String>, Trouble> {
    let (arguments, input) = match cfg!(target_os = "macos") {
        true => (words(&["find-generic-password", "-w", "-a", store, "-s", SERVICE]), None),
        false => (words(&["lookup", "service", SERVICE, "store", store]), None),
    };
    let answer = ask(arguments, input).await?;
    Ok(Zeroizing::new(answer.trim_end_matches('\n').to_owned()))
}

/// Saves the key of the store with this name, and reads it again.
pub(super) async fn write(store: &str, key: &SecretText) -> Result<(), Trouble> {
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
    ask(arguments, Some(input)).await?;
    match *read(store).await? == *key.reveal() {
        true => Ok(()),
        false => Err(Trouble("the keyring did not store the key".to_owned())),
    }
}

async fn ask(arguments: Vec<String>, input: Option<SecretText>) -> Result<Zeroizing<String>, Trouble> {
    let name = if cfg!(target_os = "macos") { "security" } else { "secret-tool" };
    let Some(program) = found(name) else {
        return Err(Trouble(format!("{name} is not installed (Debian: libsecret-tools)")));
    };
    let program = Program { program: &program, arguments, variables: BTreeMap::new(), input, limit: LIMIT };
    program.output().await.map_err(|failure| {
        Trouble(match failure {
            Failure::Missing => format!("{name} is not installed (Debian: libsecret-tools)"),
            Failure::NotRun(why) => format!("{name} can't be run: {why}"),
            Failure::Timeout => format!("the keyring did not answer within {} s", LIMIT.as_secs()),
            Failure::TooLong | Failure::NotText => format!("{name} gave no usable answer"),
            Failure::Failed(_) => "no keyring answers, it is locked, or it has no such entry".to_owned(),
        })
    })
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
