//! The process that asks the keyring one question.
//!
//! Owns the use of the keyring's library, and what its errors mean. It ends with the daemon that started it, even while
//! the keyring prompts the person.

use super::{Answer, Question};
use gstack_base::say;
use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use zeroize::Zeroizing;

#[cfg(target_os = "macos")]
use apple_native_keyring_store::keychain::Store;
#[cfg(target_os = "linux")]
use dbus_secret_service_keyring_store::Store;

/// Far more than any question.
const LONGEST_QUESTION: u64 = 64 * 1024;

/// Answers the question on standard input, and ends.
pub fn run() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)) {
        say::line(format_args!("it would outlive the daemon: {error}"));
        return ExitCode::FAILURE;
    }
    let mut text = Zeroizing::new(String::new());
    if let Err(error) = std::io::stdin().lock().take(LONGEST_QUESTION).read_to_string(&mut text) {
        say::line(format_args!("the question could not be read: {error}"));
        return ExitCode::FAILURE;
    }
    let question = match serde_json::from_str(&text) {
        Ok(question) => question,
        Err(_) => {
            say::line("standard input has no valid question for the keyring");
            return ExitCode::FAILURE;
        }
    };
    let told = serde_json::to_vec(&answer(question)).map(Zeroizing::new).map_err(std::io::Error::from);
    match told.and_then(|told| std::io::stdout().lock().write_all(&told)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::line(format_args!("the answer could not be written: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn answer(question: Question) -> Answer {
    let Ok(store) = Store::new() else { return Answer::Silent };
    match question {
        Question::Read { service, user } => match entry(&store, &service, &user).and_then(|entry| secret(&entry)) {
            Ok(secret) => Answer::Found(vec![secret]),
            // A person who restored an entry with another program may have two.
            Err(Error::Ambiguous(entries)) => found(&entries),
            Err(error) => why_not(&error),
        },
        Question::Write { service, user, secret } => {
            match entry(&store, &service, &user).and_then(|entry| entry.set_password(&secret)) {
                Ok(()) => Answer::Stored,
                Err(Error::NoStorageAccess(_)) => Answer::Locked,
                Err(_) => Answer::NotStored,
            }
        }
        Question::Matching { attribute, value } => match store.search(&HashMap::from([(&*attribute, &*value)])) {
            Ok(entries) => found(&entries),
            Err(error) => why_not(&error),
        },
    }
}

fn entry(store: &Arc<Store>, service: &str, user: &str) -> Result<Entry, Error> {
    // The name that keyring programs show.
    let label = HashMap::from([("label", service)]);
    store.build(service, user, cfg!(target_os = "linux").then_some(&label))
}

fn secret(entry: &Entry) -> Result<Zeroizing<String>, Error> {
    entry.get_password().map(Zeroizing::new)
}

/// Returns all secrets that can be read, or why there is none.
fn found(entries: &[Entry]) -> Answer {
    let (mut secrets, mut trouble) = (Vec::new(), None);
    for entry in entries {
        match secret(entry) {
            Ok(secret) => secrets.push(secret),
            Err(error) => trouble = Some(why_not(&error)),
        }
    }
    match trouble {
        Some(trouble) if secrets.is_empty() => trouble,
        _ => Answer::Found(secrets),
    }
}

fn why_not(error: &Error) -> Answer {
    match error {
        Error::NoEntry => Answer::Missing,
        Error::NoStorageAccess(_) => Answer::Locked,
        Error::BadEncoding(_) | Error::BadDataFormat(..) => Answer::NotText,
        _ => Answer::Silent,
    }
}
