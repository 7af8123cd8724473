//! The daemon's side of the keyring.
//!
//! Owns the start of the process that asks it, and how long that may take.

use super::{Answer, Item, KeyringError, LIMIT, Question};
use gstack_base::program::{self, KEYRING_ROLE};
use gstack_base::secret_program::{Failure, Program};
use zeroize::Zeroizing;

/// Returns the secret of an item.
pub async fn read(item: Item<'_>) -> Result<Zeroizing<String>, KeyringError> {
    let question = Question::Read { service: item.service.to_owned(), user: item.user.to_owned() };
    secrets(ask(&question).await?)?.into_iter().next().ok_or(KeyringError::Missing)
}

/// Saves a secret, and reads it again. Replaces the one that the item has.
pub async fn write(item: Item<'_>, secret: &str) -> Result<(), KeyringError> {
    let (service, user) = (item.service.to_owned(), item.user.to_owned());
    match ask(&Question::Write { service, user, secret: Zeroizing::new(secret.to_owned()) }).await? {
        Answer::Stored => {}
        Answer::Locked => return Err(KeyringError::Locked),
        Answer::Silent => return Err(KeyringError::NoAnswer),
        _ => return Err(KeyringError::NotStored),
    }
    match *read(item).await? == *secret {
        true => Ok(()),
        false => Err(KeyringError::NotStored),
    }
}

/// Returns the secrets of all items with this attribute, of any program. On macOS there are no attributes.
pub async fn matching(attribute: &str, value: &str) -> Result<Vec<Zeroizing<String>>, KeyringError> {
    secrets(ask(&Question::Matching { attribute: attribute.to_owned(), value: value.to_owned() }).await?)
}

fn secrets(answer: Answer) -> Result<Vec<Zeroizing<String>>, KeyringError> {
    match answer {
        Answer::Found(secrets) => Ok(secrets),
        Answer::Locked => Err(KeyringError::Locked),
        Answer::Missing => Err(KeyringError::Missing),
        Answer::NotText => Err(KeyringError::NotText),
        Answer::Silent | Answer::Stored | Answer::NotStored => Err(KeyringError::NoAnswer),
    }
}

async fn ask(question: &Question) -> Result<Answer, KeyringError> {
    let not_run = |why: &dyn std::fmt::Display| KeyringError::NotRun(why.to_string());
    let program = program::path().map_err(|error| not_run(&error))?;
    let input = Zeroizing::new(serde_json::to_string(question).map_err(|error| not_run(&error))?);
    let asked =
        Program { program: &program, arguments: &[KEYRING_ROLE], variables: &[], input: Some(&input), limit: LIMIT };
    match asked.output().await {
        Ok(answer) => serde_json::from_str(&answer).map_err(|error| not_run(&error)),
        Err(Failure::Timeout) => Err(KeyringError::Timeout),
        Err(Failure::NotRun(why)) => Err(KeyringError::NotRun(why)),
        Err(Failure::Missing) => Err(not_run(&"gstack's own program is gone")),
        Err(Failure::TooLong | Failure::NotText) => Err(KeyringError::NotText),
        Err(Failure::Failed(_)) => Err(KeyringError::NoAnswer),
    }
}
