//! Copies of the files that a model uploads. The browser reads a file later than gstack checks its path, and another
//! process could exchange it, or a folder above it, in between: so the browser gets a copy that only gstack can write.
//!
//! Owns the copies, their limits and their removal. `path_guard` has allowed the paths.

use super::closed_paths;
use super::path_guard::{off_runtime, open_input};
use gstack_base::atomic::FILE_MODE;
use gstack_base::private_folder::private_folder;
use gstack_protocol::fault::{Fault, FaultCode};
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// In bytes, of all copies together.
const MOST_KEPT: u64 = 4 * 1024 * 1024 * 1024;

static KEPT: AtomicU64 = AtomicU64::new(0);

/// The copies of one upload. Dropping this removes them.
#[derive(Debug)]
pub struct UploadCopies {
    folder: PathBuf,
    bytes: u64,
}

impl UploadCopies {
    /// Copies files, and returns the paths of the copies in the same order. `below`: a private folder.
    ///
    /// # Errors
    ///
    /// Fails if a file was exchanged since its path was checked, or all copies together would be too large.
    pub async fn of_files(files: Vec<PathBuf>, below: &Path) -> Result<(Vec<PathBuf>, Self), Fault> {
        let below = below.to_owned();
        off_runtime(move || {
            let mut copies = Self::begin(&below)?;
            let mut paths = Vec::with_capacity(files.len());
            for (number, file) in files.iter().enumerate() {
                // The page sees the name, and two files may have the same one.
                let to = copies.folder.join(number.to_string()).join(file.file_name().unwrap_or_default());
                copies.add(file, &to)?;
                paths.push(to);
            }
            Ok((paths, copies))
        })
        .await
    }

    /// Copies these files of a folder, and returns the path of its copy, which has the same name.
    ///
    /// # Errors
    ///
    /// Fails like [`Self::of_files`].
    pub async fn of_folder(folder: PathBuf, files: Vec<PathBuf>, below: &Path) -> Result<(PathBuf, Self), Fault> {
        let below = below.to_owned();
        off_runtime(move || {
            let mut copies = Self::begin(&below)?;
            let copy = copies.folder.join(folder.file_name().unwrap_or_default());
            for file in &files {
                let inside = file.strip_prefix(&folder).map_err(|error| failed(file, &io::Error::other(error)))?;
                copies.add(file, &copy.join(inside))?;
            }
            Ok((copy, copies))
        })
        .await
    }

    fn begin(below: &Path) -> Result<Self, Fault> {
        let folder = below.join(uuid::Uuid::new_v4().simple().to_string());
        for folder in [below, &folder] {
            private_folder(folder)
                .map_err(|error| Fault::new(FaultCode::Storage, error.to_string()).hint(error.hint()))?;
        }
        Ok(Self { folder, bytes: 0 })
    }

    /// Copies what an allowed path leads to now, if that may be copied too.
    fn add(&mut self, file: &Path, to: &Path) -> Result<(), Fault> {
        let failed = |error: io::Error| failed(file, &error);
        let source = open_input(file).map_err(failed)?;
        let found = source.metadata().map_err(failed)?;
        closed_paths::check_opened(file, &found)?;
        self.reserve(found.len())?;
        private_folder(to.parent().unwrap_or(to)).map_err(|error| failed(io::Error::other(error)))?;
        let mut copy = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(to).map_err(failed)?;
        let copied = io::copy(&mut source.take(found.len()), &mut copy).map_err(failed)?;
        if copied != found.len() {
            return Err(failed(io::Error::other("another program changed it meanwhile")));
        }
        // Pages see it.
        found.modified().and_then(|changed| copy.set_modified(changed)).map_err(failed)
    }

    fn reserve(&mut self, bytes: u64) -> Result<(), Fault> {
        let more = |kept: u64| kept.checked_add(bytes).filter(|kept| *kept <= MOST_KEPT);
        if KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            let message = format!(
                "it is too large: gstack copies the files that models upload, at most {} GB for all open tabs",
                MOST_KEPT >> 30
            );
            let hint = "Close tabs that got files, or ask the person to upload it.";
            return Err(Fault::new(FaultCode::TooLarge, message).hint(hint));
        }
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for UploadCopies {
    fn drop(&mut self) {
        KEPT.fetch_sub(self.bytes, Ordering::Relaxed);
        let folder = std::mem::take(&mut self.folder);
        let remove = move || {
            if let Err(error) = fs::remove_dir_all(&folder) {
                tracing::warn!(%error, "the copies of an upload can't be removed");
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}

fn failed(file: &Path, error: &io::Error) -> Fault {
    Fault::new(FaultCode::Storage, format!("{} can't be copied: {error}", file.display()))
        .hint("Try again, or upload another copy of it.")
}

#[cfg(test)]
mod tests {
    use super::UploadCopies;
    use crate::core::Folders;
    use crate::privacy::path_guard::{input_folder, input_path};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    /// A folder of a model's, with a closed one beside it.
    struct Place {
        root: PathBuf,
        folders: Folders,
        _kept: tempfile::TempDir,
    }

    fn place() -> Place {
        let kept = tempfile::tempdir().unwrap();
        let root = kept.path().canonicalize().unwrap();
        for folder in ["work/given/sub", "home/.ssh/sub"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (file, text) in [
            ("work/a.txt", "mine"),
            ("work/given/a.txt", "mine"),
            ("work/given/sub/b.txt", "mine too"),
            ("home/.ssh/a.txt", "key"),
            ("home/.ssh/b.txt", "key"),
        ] {
            fs::write(root.join(file), text).unwrap();
        }
        let folders = Folders {
            cwd: Some(root.join("work")),
            temp_folder: root.join("work"),
            is_confined: true,
            gstack_home: root.join("g"),
            for_model: true,
        };
        Place { root, folders, _kept: kept }
    }

    #[tokio::test]
    async fn a_copy_keeps_name_time_and_bytes_and_is_removed() {
        let Place { root, folders, _kept } = place();
        let file = input_path(&folders, "a.txt").unwrap();
        let (paths, copies) =
            UploadCopies::of_files(vec![file.clone(), file.clone()], &root.join("run")).await.unwrap();
        fs::remove_file(&file).unwrap();
        symlink(root.join("home/.ssh/a.txt"), &file).unwrap();
        for path in &paths {
            assert!(path.ends_with("a.txt") && fs::read_to_string(path).unwrap() == "mine");
        }
        let (folder, files) = input_folder(&folders, "given").await.unwrap();
        let (copy, more) = UploadCopies::of_folder(folder, files, &root.join("run")).await.unwrap();
        fs::write(root.join("work/given/sub/b.txt"), "other").unwrap();
        assert!(copy.ends_with("given") && fs::read_to_string(copy.join("sub/b.txt")).unwrap() == "mine too");
        let time = |path: PathBuf| path.metadata().unwrap().modified().unwrap();
        assert_eq!(time(copy.join("a.txt")), time(root.join("work/given/a.txt")));
        tokio::task::spawn_blocking(|| drop((copies, more))).await.unwrap();
        while root.join("run").read_dir().unwrap().count() > 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn what_is_exchanged_between_check_and_copy_is_not_copied() {
        for (from, to, is_link) in [
            ("work/given/sub/b.txt", "home/.ssh/b.txt", true),
            ("work/given/sub/b.txt", "home/.ssh/b.txt", false),
            ("work/given/sub", "home/.ssh", true),
            ("work/given", "home/.ssh", true),
        ] {
            let Place { root, folders, _kept } = place();
            let file = input_path(&folders, "given/sub/b.txt").unwrap();
            let (folder, files) = input_folder(&folders, "given").await.unwrap();
            fs::rename(root.join(from), root.join("before")).unwrap();
            let exchanged = root.join(from);
            match is_link {
                true => symlink(root.join(to), exchanged).unwrap(),
                // A second name of the closed file.
                false => fs::hard_link(root.join(to), exchanged).unwrap(),
            }
            let run = root.join("run");
            let of_file = UploadCopies::of_files(vec![file], &run).await;
            assert!(of_file.is_err(), "{from}: {of_file:?}");
            let of_folder = UploadCopies::of_folder(folder, files, &run).await;
            assert!(of_folder.is_err(), "{from}: {of_folder:?}");
        }
    }
}
