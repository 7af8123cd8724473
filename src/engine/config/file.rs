//! The current configuration and its file.
//!
//! Owns reading and replacing both; users of a setting watch for changes. Never checks the value of a setting.

use super::Config;
use super::error::ConfigError;
use gstack_base::atomic;
use gstack_base::home::Home;
use gstack_base::mutex::lock;
use gstack_protocol::fault::Fault;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// A handle to the one configuration. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ConfigFile(Arc<Shared>);

struct Shared {
    home: Home,
    /// Replaced as a whole when a setting changes.
    current: Mutex<Arc<Config>>,
    /// Held while the file changes.
    file: Mutex<()>,
    /// Notified when a setting changed.
    changed: watch::Sender<()>,
}

impl ConfigFile {
    pub(crate) fn new(home: Home, config: Config) -> Self {
        let current = Mutex::new(Arc::new(config));
        Self(Arc::new(Shared { home, current, file: Mutex::default(), changed: watch::Sender::new(()) }))
    }

    pub(crate) fn get(&self) -> Arc<Config> {
        lock(&self.0.current).clone()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Tells every service to apply the current settings.
    pub(crate) fn tell_changed(&self) {
        self.0.changed.send_replace(());
    }

    /// Returns how long an approval waits for its answer.
    pub(crate) fn approval_limit(&self) -> Duration {
        Duration::from_secs(self.get().agents.approval_minutes.max(1).saturating_mul(60))
    }

    /// Reads the file again, which a person may have edited. Blocks on the disk. Returns true if it changed.
    pub(crate) fn read_again(&self) -> Result<bool, Fault> {
        let _one_at_a_time = lock(&self.0.file);
        let config = Config::load(&self.0.home)?;
        let mut known = lock(&self.0.current);
        let is_news = **known != config;
        *known = Arc::new(config);
        Ok(is_news)
    }

    /// Replaces the file's text with the result of `change` and applies it. Blocks on the disk. Fails without writing
    /// if the file is not valid or would not be.
    pub(crate) fn change(&self, change: impl FnOnce(&str) -> Result<String, String>) -> Result<(), Fault> {
        let path = self.0.home.config_file();
        let _one_at_a_time = lock(&self.0.file);
        let not_written = |source| ConfigError::NotWritten { path: path.clone(), source };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(not_written(error).into()),
        };
        let wrong = |why| ConfigError::ChangeNotValid { path: path.clone(), why };
        let text = change(&text).map_err(wrong)?;
        let config = Config::parse(&text).map_err(wrong)?;
        atomic::write(&path, text.as_bytes()).map_err(not_written)?;
        *lock(&self.0.current) = Arc::new(config);
        Ok(())
    }
}
