//! The folder of a run: what it was started with, the items, the journal and the reports.
//!
//! Owns its files and the check that a resumed run is the same run. The folder is the person's alone: its `run.json`
//! names a script to run.

use gstack_base::atomic;
use gstack_base::hex::sha256;
use gstack_base::home::private_folder;
use gstack_base::lock::FileLock;
use gstack_base::private_folder::is_private;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::remote::RemoteBrowser;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// `run.json`: what the run was started with. Holds no secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) id: String,
    /// In milliseconds since 1970.
    pub(crate) started: u64,
    pub(crate) flow: PathBuf,
    pub(crate) flow_hash: String,
    pub(crate) items_hash: String,
    pub(crate) browsers: usize,
    pub(crate) headed: bool,
    pub(crate) remote: Option<RemoteBrowser>,
    pub(crate) timeout_seconds: u64,
    pub(crate) retries: usize,
    pub(crate) fresh: bool,
}

impl Manifest {
    /// Describes a new run. `flow` is absolute.
    pub(crate) fn new(flow: PathBuf, content: &[u8], items: &[Value]) -> Result<Self, Fault> {
        Ok(Self {
            id: uuid::Uuid::new_v4().simple().to_string().chars().take(8).collect(),
            started: gstack_base::clock::now_millis(),
            flow_hash: sha256(content),
            items_hash: sha256(&encode(&items)?),
            flow,
            browsers: 1,
            headed: false,
            remote: None,
            timeout_seconds: 0,
            retries: 0,
            fresh: false,
        })
    }

    /// Fails if the flow or the items are not those of the first start.
    pub(crate) fn check(&self, content: &[u8], items: &[Value]) -> Result<(), Fault> {
        let changed = |what: &str| {
            Fault::new(FaultCode::Conflict, format!("{what} changed since the run was started"))
                .hint("Undo the change, or start a new run.")
        };
        if self.flow_hash != sha256(content) {
            return Err(changed("the flow"));
        }
        if self.items_hash != sha256(&encode(&items)?) {
            return Err(changed("the items"));
        }
        Ok(())
    }
}

/// The folder, held by this process.
pub(crate) struct Folder {
    path: PathBuf,
    _lock: FileLock,
}

impl Folder {
    /// Makes the folder of a new run.
    pub(crate) fn create(path: PathBuf, manifest: &Manifest, items: &[Value]) -> Result<Self, Fault> {
        private_folder(&path).map_err(|error| {
            Fault::new(FaultCode::Storage, error.to_string()).hint("Name another folder with --out.")
        })?;
        let folder = Self::hold(path)?;
        if folder.at("run.json").exists() {
            return Err(Fault::new(FaultCode::Conflict, format!("{} has a run already", folder.path.display()))
                .hint("Go on with it with --resume, or name another folder with --out."));
        }
        folder.write("items.json", &encode(&items)?)?;
        private_folder(&folder.at("items")).map_err(|error| Fault::new(FaultCode::Storage, error.to_string()))?;
        folder.write("run.json", &encode(manifest)?)?;
        Ok(folder)
    }

    /// Opens the folder of a run that was started before.
    pub(crate) fn resume(path: PathBuf) -> Result<(Self, Manifest, Vec<Value>), Fault> {
        if !is_private(&path) {
            let message = format!("{} is not a folder that only you can access", path.display());
            return Err(Fault::new(FaultCode::Forbidden, message).hint("Name the folder of a run of yours."));
        }
        let folder = Self::hold(path)?;
        let (manifest, items) = (folder.read("run.json")?, folder.read("items.json")?);
        Ok((folder, manifest, items))
    }

    fn hold(path: PathBuf) -> Result<Self, Fault> {
        let lock = FileLock::try_take(&path.join("run.lock"))
            .map_err(|error| Fault::new(FaultCode::Storage, format!("{}: {error}", path.display())))?;
        let busy = || Fault::new(FaultCode::Conflict, format!("another gstack run uses {}", path.display()));
        let lock = lock.ok_or_else(|| busy().hint("Wait for its end, or name another folder with --out."))?;
        Ok(Self { path, _lock: lock })
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Fault> {
        atomic::write(&self.at(name), bytes)
            .map_err(|error| Fault::new(FaultCode::Storage, format!("{name} cannot be written: {error}")))
    }

    fn read<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, Fault> {
        let unreadable = |why: String| {
            Fault::new(FaultCode::BadRequest, format!("{} is not a run's folder: {name}: {why}", self.path.display()))
                .hint("Name the folder of a run.")
        };
        let bytes = std::fs::read(self.at(name)).map_err(|error| unreadable(error.to_string()))?;
        serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))
    }
}

/// Returns a value as JSON.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec_pretty(value).map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_run_is_resumed_only_unchanged_by_one_process_and_in_a_private_folder() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("run");
        let items = vec![Value::from("a")];
        let manifest = Manifest::new(PathBuf::from("/f.mjs"), b"x", &items).unwrap();
        let folder = Folder::create(path.clone(), &manifest, &items).unwrap();
        assert!(Folder::resume(path.clone()).is_err(), "it is in use");
        drop(folder);
        assert!(Folder::create(path.clone(), &manifest, &items).is_err(), "it has a run");
        let (folder, found, read) = Folder::resume(path.clone()).unwrap();
        assert_eq!((&found, &read), (&manifest, &items));
        assert!(found.check(b"x", &items).is_ok());
        assert!(found.check(b"y", &items).unwrap_err().message.contains("the flow changed"));
        assert!(found.check(b"x", &[]).unwrap_err().message.contains("the items changed"));
        drop(folder);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(Folder::resume(path).is_err(), "others could have written it");
    }
}
