//! `panels.json`: the confirmed keys on disk.
//!
//! Owns the file: mode 0600, replaced as a whole, read once; the daemon's lock makes it the only writer. A file that
//! cannot be read confirms no key and is replaced at the next confirmation, so the person confirms again.

use super::error::PanelKeyError;
use super::list::{Confirmed, MOST, Record};
use gstack_base::atomic;
use gstack_base::fingerprint::Fingerprint;
use gstack_protocol::fault::Fault;
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;
/// In bytes. Each record is far shorter than 1 KiB.
const LARGEST_FILE: u64 = MOST as u64 * 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    /// Identifies this home in what extensions sign.
    home: uuid::Uuid,
    panels: Vec<Record>,
}

/// The confirmed keys of one home, and its id.
#[derive(Debug)]
pub(super) struct KeyFile {
    path: PathBuf,
    home: String,
    confirmed: Confirmed,
    /// The reason why the file could not be read.
    trouble: Option<String>,
}

impl KeyFile {
    pub(super) fn open(path: PathBuf) -> Self {
        let new = || (uuid::Uuid::new_v4(), Confirmed::default());
        let ((home, confirmed), trouble) = match read(&path) {
            Ok(Some(known)) => (known, None),
            Ok(None) => (new(), None),
            Err(why) => (new(), Some(why)),
        };
        Self { path, home: home.to_string(), confirmed, trouble }
    }

    /// Returns the id of this home in what extensions sign.
    pub(super) fn home(&self) -> &str {
        &self.home
    }

    pub(super) fn confirmed(&self) -> &Confirmed {
        &self.confirmed
    }

    /// Describes why the file cannot be read.
    pub(super) fn trouble(&self) -> Option<String> {
        let why = self.trouble.as_ref()?;
        Some(format!("{} can't be read ({why}): confirm your browsers again", self.path.display()))
    }

    /// Changes the list. If the write fails, the change does not take effect.
    pub(super) fn change<T>(&mut self, change: impl FnOnce(&mut Confirmed) -> T) -> Result<T, Fault> {
        let mut confirmed = self.confirmed.clone();
        let outcome = change(&mut confirmed);
        if confirmed != self.confirmed {
            self.write(&confirmed)?;
            (self.confirmed, self.trouble) = (confirmed, None);
        }
        Ok(outcome)
    }

    /// Changes the list in memory. The next write saves it.
    pub(super) fn change_later<T>(&mut self, change: impl FnOnce(&mut Confirmed) -> T) -> T {
        change(&mut self.confirmed)
    }

    /// Writes the list in memory to the file.
    pub(super) fn write_now(&self) -> Result<(), Fault> {
        self.write(&self.confirmed)
    }

    fn write(&self, confirmed: &Confirmed) -> Result<(), Fault> {
        let home = uuid::Uuid::parse_str(&self.home).unwrap_or_default();
        let file = File { version: VERSION, home, panels: confirmed.records().to_vec() };
        let mut bytes = serde_json::to_vec_pretty(&file).map_err(Fault::internal)?;
        bytes.push(b'\n');
        Ok(atomic::write(&self.path, &bytes)
            .map_err(|source| PanelKeyError::NotWritten { path: self.path.clone(), source })?)
    }
}

/// Returns the keys that a file confirms, or `None` if it cannot be read as a whole.
pub fn confirmed_in(path: PathBuf) -> Option<Vec<Fingerprint>> {
    let file = KeyFile::open(path);
    let keys = file.confirmed.records().iter().map(|record| record.key.clone()).collect();
    file.trouble.is_none().then_some(keys)
}

/// Returns `Ok(None)` if the file does not exist.
fn read(path: &Path) -> Result<Option<(uuid::Uuid, Confirmed)>, String> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut text = String::new();
    let length = file.take(LARGEST_FILE + 1).read_to_string(&mut text).map_err(|e| e.to_string())?;
    if length as u64 > LARGEST_FILE {
        return Err(format!("it is larger than {LARGEST_FILE} bytes"));
    }
    let file: File = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    if file.version != VERSION {
        return Err(format!("it has version {}; this gstack supports {VERSION}", file.version));
    }
    let confirmed = Confirmed::from_records(file.panels).ok_or("its list is not one that gstack writes")?;
    Ok(Some((file.home, confirmed)))
}

#[cfg(test)]
mod tests {
    use super::super::test_keys::key;
    use super::*;
    use gstack_protocol::fault::FaultCode;
    use gstack_protocol::panel_key::ConfirmedBy;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn keys_survive_a_restart_for_their_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("panels.json");
        let mut file = KeyFile::open(path.clone());
        file.change(|list| list.confirm(key(1), "Chrome", 1, ConfirmedBy::Terminal, 2)).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let again = KeyFile::open(path);
        assert_eq!((again.home(), again.confirmed()), (file.home(), file.confirmed()));
        assert_eq!(again.trouble(), None);
    }

    #[test]
    fn what_is_garbage_newer_or_too_large_confirms_nothing_and_is_replaced_with_the_next_confirmation() {
        let home = uuid::Uuid::new_v4();
        let record = serde_json::to_string(&record(1)).unwrap();
        let newer = format!(r#"{{"version":2,"home":"{home}","panels":[]}}"#);
        let twice = format!(r#"{{"version":1,"home":"{home}","panels":[{record},{record}]}}"#);
        let odd = format!(r#"{{"version":1,"home":"{home}","panels":[{}]}}"#, record.replace("terminal", "everybody"));
        let large = format!(r#"{{"version":1,"home":"{home}","panels":[]}}{}"#, " ".repeat(LARGEST_FILE as usize));
        for text in ["", "{", "[]", "null", &newer, &twice, &odd, &large] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("panels.json");
            std::fs::write(&path, text).unwrap();
            let mut file = KeyFile::open(path.clone());
            assert!(file.confirmed().records().is_empty() && file.trouble().is_some(), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "it is left as it is until then");
            file.change(|list| list.confirm(key(1), "Chrome", 1, ConfirmedBy::Terminal, 2)).unwrap();
            assert_eq!(file.trouble(), None);
            assert!(KeyFile::open(path).confirmed().has(&key(1)));
        }
    }

    #[test]
    fn what_could_not_be_written_is_not_in_force() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = KeyFile::open(folder.path().join("gone/panels.json"));
        let refused = file.change(|list| list.confirm(key(1), "Chrome", 1, ConfirmedBy::Terminal, 2));
        assert_eq!(refused.unwrap_err().code, FaultCode::Storage);
        assert!(!file.confirmed().has(&key(1)));
    }

    fn record(number: usize) -> Record {
        Record {
            key: key(number),
            browser: "Chrome".to_owned(),
            first_seen: 1,
            last_seen: 1,
            confirmed_by: ConfirmedBy::Terminal,
            confirmed_at: 1,
        }
    }
}
