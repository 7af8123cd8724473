//! `everyday.json`: the everyday browser in use, for the next daemon.

use gstack_base::atomic;
use gstack_base::home::Home;
use gstack_protocol::ids::BrowserRun;
use std::path::PathBuf;
use std::{fs, io};

/// The everyday browser that commands without a tab go to, even while its extension is away. Its file outlives the
/// daemon.
pub(super) struct Chosen {
    file: PathBuf,
    run: Option<BrowserRun>,
}

impl Chosen {
    pub(super) fn open(home: &Home) -> Self {
        let file = home.everyday_file();
        let run = fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Self { file, run }
    }

    pub(super) fn get(&self) -> Option<&BrowserRun> {
        self.run.as_ref()
    }

    pub(super) fn set(&mut self, run: Option<BrowserRun>) {
        if run == self.run {
            return;
        }
        self.run = run;
        if let Err(error) = self.write() {
            tracing::warn!(%error, "the next daemon will not know which browser is in use");
        }
    }

    fn write(&self) -> io::Result<()> {
        match &self.run {
            Some(run) => atomic::write(&self.file, &serde_json::to_vec(run)?),
            None => match fs::remove_file(&self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }
}
