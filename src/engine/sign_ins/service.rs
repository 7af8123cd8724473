//! The handle of the saved sign-ins.
//!
//! Owns the key while it is unlocked, and the order of reading and writing. The key of a passphrase is forgotten after a
//! time, the keyring's after each use.

use super::chosen::Chosen;
use super::error::SignInError;
use super::keyring::{self, KeyringError};
use super::record::Record;
use super::sealed_file::{self, Key, KeyPlace, Sealed};
use crate::base::mutex::lock;
use crate::engine::policy::PolicyService;
use crate::engine::tasks::Tasks;
use crate::protocol::secret_text::SecretText;
use crate::protocol::sign_in::{ProviderKind, SavedSignIn, SavedSignIns, SignInSave, SignInStore, SignInUnlock};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const MOST: usize = 200;
const SHORTEST_PASSPHRASE: usize = 8;
/// How long a passphrase is kept unless the person says otherwise.
const MINUTES: u32 = 60;
const MOST_MINUTES: u32 = 7 * 24 * 60;

/// A handle to the saved sign-ins. Cheap to clone.
#[derive(Clone)]
pub(crate) struct SignIns(Arc<Inner>);

struct Inner {
    path: PathBuf,
    policy: PolicyService,
    tasks: Tasks,
    unlocked: Mutex<Option<Unlocked>>,
    /// Held while the file is read, changed and replaced.
    changing: tokio::sync::Mutex<()>,
}

/// What the daemon keeps in memory until it is locked.
struct Unlocked {
    /// The key of a passphrase, with the salt that it is for.
    key: Option<(String, Key)>,
    /// Secrets of password managers.
    environment: BTreeMap<String, SecretText>,
    /// Cancelled when it is replaced or dropped.
    lives: CancellationToken,
}

impl Drop for Unlocked {
    fn drop(&mut self) {
        self.lives.cancel();
    }
}

impl SignIns {
    pub(in crate::engine) fn new(path: PathBuf, policy: PolicyService, tasks: Tasks) -> Self {
        Self(Arc::new(Inner {
            path,
            policy,
            tasks,
            unlocked: Mutex::default(),
            changing: tokio::sync::Mutex::default(),
        }))
    }

    /// Returns where the person's changes are recorded.
    pub(super) fn policy(&self) -> &PolicyService {
        &self.0.policy
    }

    /// Lists the sign-ins without their secrets.
    pub(in crate::engine) async fn listed(&self) -> Result<SavedSignIns, SignInError> {
        let Some(sealed) = self.sealed().await? else { return Ok(SavedSignIns::default()) };
        let store = match sealed.place {
            KeyPlace::Keyring => SignInStore::Keyring,
            KeyPlace::Passphrase if self.held(&sealed.salt).is_some() => SignInStore::Unlocked,
            KeyPlace::Passphrase => {
                return Ok(SavedSignIns { store: SignInStore::Locked, ..SavedSignIns::default() });
            }
        };
        let key = self.key(&sealed).await?;
        let mut sign_ins: Vec<SavedSignIn> = sealed.open(&key)?.iter().map(Record::described).collect();
        sign_ins.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(SavedSignIns { store, sign_ins, trouble: None })
    }

    /// Saves a sign-in.
    pub(in crate::engine) async fn save(&self, save: SignInSave) -> Result<SavedSignIn, SignInError> {
        let replace = save.replace;
        let record = Record::of(save)?;
        let described = record.described();
        self.change(move |sign_ins| {
            let is_full = sign_ins.len() >= MOST;
            match sign_ins.iter_mut().find(|known| known.name == record.name) {
                Some(_) if !replace => return Err(SignInError::Taken(record.name)),
                Some(known) => *known = record,
                None if is_full => return Err(SignInError::TooMany(MOST)),
                None => sign_ins.push(record),
            }
            Ok(())
        })
        .await?;
        Ok(described)
    }

    /// Removes a sign-in.
    pub(in crate::engine) async fn remove(&self, name: String) -> Result<(), SignInError> {
        self.change(move |sign_ins| {
            let before = sign_ins.len();
            sign_ins.retain(|known| known.name != name);
            if sign_ins.len() == before { Err(SignInError::Missing(name)) } else { Ok(()) }
        })
        .await
    }

    /// Unlocks the store, or creates it: with the passphrase, or without one with the system's keyring.
    pub(in crate::engine) async fn unlock(&self, unlock: SignInUnlock) -> Result<SavedSignIns, SignInError> {
        let SignInUnlock { passphrase, minutes, mut environment } = unlock;
        environment.retain(|name, _| ProviderKind::SECRET_VARIABLES.contains(&name.as_str()));
        let changing = self.0.changing.lock().await;
        let sealed = self.sealed().await?;
        let mut trouble = None;
        let key = match (sealed, passphrase) {
            (None, None) => {
                trouble = self.create_with_keyring().await?;
                None
            }
            (None, Some(passphrase)) => {
                if passphrase.reveal().chars().count() < SHORTEST_PASSPHRASE {
                    return Err(SignInError::ShortPassphrase(SHORTEST_PASSPHRASE));
                }
                let (path, salt) = (self.0.path.clone(), sealed_file::random_salt());
                Some(
                    blocking(move || {
                        let key = sealed_file::key_of(&passphrase, &salt)?;
                        sealed_file::write(&path, (KeyPlace::Passphrase, &salt, &key), Vec::new())?;
                        Ok((salt, key))
                    })
                    .await?,
                )
            }
            (Some(sealed), Some(_)) if sealed.place == KeyPlace::Keyring => return Err(SignInError::NoPassphrase),
            (Some(sealed), Some(passphrase)) => Some(
                blocking(move || {
                    let key = sealed_file::key_of(&passphrase, &sealed.salt)?;
                    sealed.open(&key)?;
                    Ok((sealed.salt, key))
                })
                .await?,
            ),
            (Some(sealed), None) => self.held(&sealed.salt).map(|key| (sealed.salt, key)),
        };
        drop(changing);
        if key.is_some() || !environment.is_empty() {
            self.hold(key, environment, minutes.unwrap_or(MINUTES).clamp(1, MOST_MINUTES));
        }
        Ok(SavedSignIns { trouble, ..self.listed().await? })
    }

    /// Forgets everything that `unlock` brought.
    pub(in crate::engine) fn lock(&self) {
        drop(lock(&self.0.unlocked).take());
    }

    /// Returns a sign-in, without asking for its secrets yet.
    pub(super) async fn chosen(&self, name: &str) -> Result<Chosen, SignInError> {
        let sealed = self.sealed().await?.ok_or(SignInError::NoStore)?;
        let key = self.key(&sealed).await?;
        let found = sealed.open(&key)?.into_iter().find(|known| known.name == name);
        let record = found.ok_or_else(|| SignInError::Missing(name.to_owned()))?;
        let environment = lock(&self.0.unlocked).as_ref().map(|held| held.environment.clone()).unwrap_or_default();
        Ok(Chosen::new(record, environment))
    }

    /// Saves a random key in the keyring and creates the file. Returns why the keyring can't be used.
    async fn create_with_keyring(&self) -> Result<Option<String>, SignInError> {
        let (path, salt, key) = (self.0.path.clone(), sealed_file::random_salt(), sealed_file::random_key());
        if let Err(error) = keyring::write(&salt, &sealed_file::in_words(&key)).await {
            return Ok(Some(error.to_string()));
        }
        blocking(move || sealed_file::write(&path, (KeyPlace::Keyring, &salt, &key), Vec::new())).await?;
        Ok(None)
    }

    async fn change(
        &self,
        change: impl FnOnce(&mut Vec<Record>) -> Result<(), SignInError> + Send + 'static,
    ) -> Result<(), SignInError> {
        let _changing = self.0.changing.lock().await;
        let sealed = self.sealed().await?.ok_or(SignInError::NoStore)?;
        let key = self.key(&sealed).await?;
        let path = self.0.path.clone();
        blocking(move || {
            let mut sign_ins = sealed.open(&key)?;
            change(&mut sign_ins)?;
            sealed_file::write(&path, (sealed.place, &sealed.salt, &key), sign_ins)
        })
        .await
    }

    async fn sealed(&self) -> Result<Option<Sealed>, SignInError> {
        let path = self.0.path.clone();
        blocking(move || sealed_file::read(&path)).await
    }

    async fn key(&self, sealed: &Sealed) -> Result<Key, SignInError> {
        match sealed.place {
            KeyPlace::Passphrase => self.held(&sealed.salt).ok_or(SignInError::Locked),
            KeyPlace::Keyring => {
                let words = keyring::read(&sealed.salt).await?;
                Ok(sealed_file::from_words(&words).ok_or(KeyringError::NotAKey)?)
            }
        }
    }

    /// Returns the key that is held for the file with this salt.
    fn held(&self, salt: &str) -> Option<Key> {
        let unlocked = lock(&self.0.unlocked);
        let (of, key) = unlocked.as_ref()?.key.as_ref()?;
        (of == salt).then(|| key.clone())
    }

    fn hold(&self, key: Option<(String, Key)>, environment: BTreeMap<String, SecretText>, minutes: u32) {
        let lives = CancellationToken::new();
        *lock(&self.0.unlocked) = Some(Unlocked { key, environment, lives: lives.clone() });
        let (service, shutdown) = (self.clone(), self.0.tasks.shutdown());
        self.0.tasks.spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(u64::from(minutes) * 60)) => service.lock(),
                () = lives.cancelled() => {}
                () = shutdown.cancelled() => service.lock(),
            }
        });
    }
}

/// Runs work on the disk or with the processor off the runtime's own threads.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SignInError> + Send + 'static,
) -> Result<T, SignInError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| SignInError::Ended(error.to_string()))?
}
