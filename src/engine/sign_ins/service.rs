//! The handle of the saved sign-ins.
//!
//! Owns the passphrase while it is unlocked, and the order of reading and writing. A passphrase is forgotten after a
//! time, the keyring's key after each use.

use super::chosen::Chosen;
use super::error::SignInError;
use super::keyring;
use super::record::Record;
use super::sealed_file::{self, Key, KeyPlace, Sealed};
use crate::policy::PolicyService;
use crate::tasks::Tasks;
use gstack_base::mutex::lock;
use gstack_protocol::secret_text::SecretText;
use gstack_protocol::sign_in::{ProviderKind, SavedSignIn, SavedSignIns, SignInSave, SignInStore, SignInUnlock};
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
pub struct SignIns(Arc<Inner>);

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
    passphrase: Option<SecretText>,
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
    pub(crate) fn new(path: PathBuf, policy: PolicyService, tasks: Tasks) -> Self {
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
    pub(crate) async fn listed(&self) -> Result<SavedSignIns, SignInError> {
        let Some(sealed) = self.sealed().await? else { return Ok(SavedSignIns::default()) };
        let store = match sealed.place {
            KeyPlace::Keyring => SignInStore::Keyring,
            KeyPlace::Passphrase if self.held().is_some() => SignInStore::Unlocked,
            KeyPlace::Passphrase => {
                return Ok(SavedSignIns { store: SignInStore::Locked, ..SavedSignIns::default() });
            }
        };
        let key = self.key(&sealed).await?;
        let opened = blocking(move || sealed.open(&key)).await?;
        let mut sign_ins: Vec<SavedSignIn> = opened.iter().map(Record::described).collect();
        sign_ins.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(SavedSignIns { store, sign_ins, trouble: None })
    }

    /// Saves a sign-in.
    pub(crate) async fn save(&self, save: SignInSave) -> Result<SavedSignIn, SignInError> {
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
    pub(crate) async fn remove(&self, name: String) -> Result<(), SignInError> {
        self.change(move |sign_ins| {
            let before = sign_ins.len();
            sign_ins.retain(|known| known.name != name);
            if sign_ins.len() == before { Err(SignInError::Missing(name)) } else { Ok(()) }
        })
        .await
    }

    /// Unlocks the store, or creates it: with the passphrase, or without one with the system's keyring.
    pub(crate) async fn unlock(&self, unlock: SignInUnlock) -> Result<SavedSignIns, SignInError> {
        let SignInUnlock { passphrase, minutes, mut environment } = unlock;
        environment.retain(|name, _| ProviderKind::SECRET_VARIABLES.contains(&name.as_str()));
        let changing = self.0.changing.lock().await;
        let sealed = self.sealed().await?;
        let mut trouble = None;
        let passphrase = match (sealed, passphrase) {
            (None, None) => {
                trouble = self.create_with_keyring().await?;
                None
            }
            (None, Some(passphrase)) => {
                if passphrase.reveal().chars().count() < SHORTEST_PASSPHRASE {
                    return Err(SignInError::ShortPassphrase(SHORTEST_PASSPHRASE));
                }
                let (path, key) = (self.0.path.clone(), Key::Passphrase(passphrase.clone()));
                blocking(move || sealed_file::write(&path, &key, Vec::new())).await?;
                Some(passphrase)
            }
            (Some(sealed), Some(_)) if sealed.place == KeyPlace::Keyring => return Err(SignInError::NoPassphrase),
            (Some(sealed), Some(passphrase)) => {
                let key = Key::Passphrase(passphrase.clone());
                blocking(move || sealed.open(&key)).await?;
                Some(passphrase)
            }
            (Some(_), None) => None,
        };
        drop(changing);
        if passphrase.is_some() || !environment.is_empty() {
            // A passphrase or variable that this call does not provide keeps its value.
            let (held, known) = self.unlocked();
            let passphrase = passphrase.or(held);
            environment
                .extend(known.into_iter().filter(|(name, _)| !environment.contains_key(name)).collect::<Vec<_>>());
            self.hold(passphrase, environment, minutes.unwrap_or(MINUTES).clamp(1, MOST_MINUTES));
        }
        Ok(SavedSignIns { trouble, ..self.listed().await? })
    }

    /// Forgets everything that `unlock` brought.
    pub(crate) fn lock(&self) {
        drop(lock(&self.0.unlocked).take());
    }

    /// Returns a sign-in, without asking for its secrets yet.
    pub(super) async fn chosen(&self, name: &str) -> Result<Chosen, SignInError> {
        let sealed = self.sealed().await?.ok_or(SignInError::NoStore)?;
        let key = self.key(&sealed).await?;
        let opened = blocking(move || sealed.open(&key)).await?;
        let found = opened.into_iter().find(|known| known.name == name);
        let record = found.ok_or_else(|| SignInError::Missing(name.to_owned()))?;
        Ok(Chosen::new(record, self.unlocked().1))
    }

    /// Creates the file with the keyring's key. Returns why the keyring can't be used.
    async fn create_with_keyring(&self) -> Result<Option<String>, SignInError> {
        let key = match keyring::read_or_make().await {
            Ok(key) => key,
            Err(error) => return Ok(Some(error.to_string())),
        };
        let path = self.0.path.clone();
        blocking(move || sealed_file::write(&path, &key, Vec::new())).await?;
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
            sealed_file::write(&path, &key, sign_ins)
        })
        .await
    }

    async fn sealed(&self) -> Result<Option<Sealed>, SignInError> {
        let path = self.0.path.clone();
        blocking(move || sealed_file::read(&path)).await
    }

    async fn key(&self, sealed: &Sealed) -> Result<Key, SignInError> {
        match sealed.place {
            KeyPlace::Passphrase => self.held().map(Key::Passphrase).ok_or(SignInError::Locked),
            KeyPlace::Keyring => keyring::read().await,
        }
    }

    /// Returns what is unlocked: the passphrase, and the secrets of password managers.
    fn unlocked(&self) -> (Option<SecretText>, BTreeMap<String, SecretText>) {
        let unlocked = lock(&self.0.unlocked);
        unlocked.as_ref().map(|held| (held.passphrase.clone(), held.environment.clone())).unwrap_or_default()
    }

    fn held(&self) -> Option<SecretText> {
        lock(&self.0.unlocked).as_ref()?.passphrase.clone()
    }

    fn hold(&self, passphrase: Option<SecretText>, environment: BTreeMap<String, SecretText>, minutes: u32) {
        let lives = CancellationToken::new();
        *lock(&self.0.unlocked) = Some(Unlocked { passphrase, environment, lives: lives.clone() });
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
