//! The paths that commands may read and write: below the client's working directory or a temp directory.
//!
//! Owns the check of a path with symlinks resolved, and writing that no symlink can redirect. More paths are closed to
//! models (`closed_paths`), for both reading and writing.

use super::closed_paths;
use crate::core::Folders;
use crate::privacy::filled;
use gstack_base::atomic;
use gstack_base::pinned::PinnedFolder;
use gstack_protocol::fault::{Fault, FaultCode};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The most files and folders in an uploaded folder: each is checked first.
const MOST_IN_FOLDER: usize = 2000;
/// In bytes. The content is sent to the browser in one message.
const LARGEST_INPUT: u64 = 32 * 1024 * 1024;

/// Returns the file to write for a typed path: absolute, with symlinks resolved. Fails if it is outside the open
/// folders.
pub fn output_path(for_whom: impl Into<Folders>, typed: &str) -> Result<PathBuf, Fault> {
    let context = &for_whom.into();
    let path = resolve(&open_folders(context), base_of(context), typed)?;
    if context.for_model {
        closed_paths::check_output(&path, &open_folders(context), &context.gstack_home)?;
    }
    Ok(path)
}

/// Returns the file to read for a typed path, with symlinks resolved. Fails if it is missing or outside the open
/// folders.
pub fn input_path(for_whom: impl Into<Folders>, typed: &str) -> Result<PathBuf, Fault> {
    let context = &for_whom.into();
    let path = resolve(&open_folders(context), base_of(context), typed)?;
    if context.for_model {
        closed_paths::check_input(&path, &open_folders(context), &context.gstack_home)?;
    }
    if path.is_file() {
        return Ok(path);
    }
    Err(Fault::new(FaultCode::NotFound, format!("File not found: {typed}"))
        .hint("Paths are looked up from the folder that you run gstack in."))
}

/// Returns a folder to upload, with symlinks resolved, and the paths of its files, each checked like a single file. Fails
/// if something in it is a symlink, which could lead anywhere, or neither a file nor a folder.
pub async fn input_folder(for_whom: impl Into<Folders>, typed: &str) -> Result<(PathBuf, Vec<PathBuf>), Fault> {
    let (context, typed) = (for_whom.into(), typed.to_owned());
    off_runtime(move || files_of(&context, &typed)).await
}

fn files_of(context: &Folders, typed: &str) -> Result<(PathBuf, Vec<PathBuf>), Fault> {
    let open = open_folders(context);
    // Checks a file name inside the folder like any other path.
    let inside = resolve(&open, base_of(context), &format!("{}/file", typed.trim_end_matches('/')))?;
    let folder = inside.parent().unwrap_or(&inside).to_owned();
    let unread = |error: std::io::Error| Fault::new(FaultCode::NotFound, format!("{typed} can't be read: {error}"));
    let (mut files, mut seen) = (Vec::new(), 0);
    let mut unread_folders = vec![folder.clone()];
    while let Some(next) = unread_folders.pop() {
        // Not by its path: another process may make a symlink of it, and a fault names what is in it.
        let pinned = PinnedFolder::open(&next).map_err(unread)?;
        for entry in pinned.place(OsStr::new(".")).read_dir().map_err(unread)? {
            let entry = entry.map_err(unread)?;
            let (path, kind) = (next.join(entry.file_name()), entry.file_type().map_err(unread)?);
            seen += 1;
            if seen > MOST_IN_FOLDER {
                let message = format!("{typed} has more than {MOST_IN_FOLDER} files and folders");
                return Err(Fault::new(FaultCode::TooLarge, message).hint("Upload a smaller folder."));
            }
            if kind.is_dir() {
                unread_folders.push(path);
                continue;
            }
            if !kind.is_file() {
                let message = format!("{} is not a file: a folder that contains it can't be uploaded", path.display());
                return Err(Fault::new(FaultCode::PathRefused, message).hint("Upload a copy of the folder without it."));
            }
            if context.for_model {
                closed_paths::check_input(&path, &open, &context.gstack_home)?;
            }
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(Fault::new(FaultCode::NotFound, format!("{typed} contains no files"))
            .hint("Name a folder with a file in it."));
    }
    Ok((folder, files))
}

/// Returns the folder for a typed path, with symlinks resolved. Fails if it is missing or outside the open folders.
pub fn output_folder(for_whom: impl Into<Folders>, typed: &str) -> Result<PathBuf, Fault> {
    let context = &for_whom.into();
    let missing = |error: std::io::Error| {
        Fault::new(FaultCode::NotFound, format!("{typed} can't be used as a folder: {error}"))
            .hint("Create the folder first, in the folder that you run gstack in or in the temp directory.")
    };
    // Checks a file name inside the folder like any other path.
    let inside = resolve(&open_folders(context), base_of(context), &format!("{}/file", typed.trim_end_matches('/')))?;
    if context.for_model {
        closed_paths::check_output(&inside, &open_folders(context), &context.gstack_home)?;
    }
    let folder = inside.parent().unwrap_or(&inside).to_owned();
    folder.read_dir().map_err(missing)?;
    Ok(folder)
}

/// Returns the file that a CDP client may upload, with symlinks resolved. `cwd` is the folder that it was given; the
/// temporary folder is not open, because other programs keep their files there.
pub fn client_input(cwd: Option<&Path>, gstack_home: &Path, typed: &str) -> Result<PathBuf, Fault> {
    let open = folders([cwd]);
    let path = resolve(&open, cwd.unwrap_or(&std::env::temp_dir()), typed)?;
    closed_paths::check_input(&path, &open, gstack_home)?;
    Ok(path)
}

/// Returns the folder that a CDP client's downloads may go to, with symlinks resolved.
pub fn client_output_folder(cwd: Option<&Path>, gstack_home: &Path, typed: &str) -> Result<PathBuf, Fault> {
    let open = folders([cwd, Some(&std::env::temp_dir())]);
    let inside = format!("{}/download", typed.trim_end_matches('/'));
    let path = resolve(&open, cwd.unwrap_or(&std::env::temp_dir()), &inside)?;
    closed_paths::check_output(&path, &open, gstack_home)?;
    Ok(path.parent().unwrap_or(&path).to_owned())
}

/// Reads a file that `input_path` allowed. Does not follow symlinks, so replacing the file or one of its folders in
/// between has no effect.
pub async fn read_text(path: &Path) -> Result<String, Fault> {
    let path = path.to_owned();
    off_runtime(move || read_now(&path)).await
}

/// Like `read_text`, but accepts any bytes.
pub async fn read_bytes(path: &Path) -> Result<Vec<u8>, Fault> {
    let path = path.to_owned();
    off_runtime(move || bytes_now(&path)).await
}

/// Opens a file that `input_path` allowed. Does not follow symlinks.
pub(super) fn open_input(path: &Path) -> std::io::Result<File> {
    PinnedFolder::open(path.parent().unwrap_or(path))?.open_file(path.file_name().unwrap_or_default())
}

/// Runs what blocks on the disk.
pub(super) async fn off_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let task = tokio::task::spawn_blocking(work);
    task.await.map_err(|error| Fault::new(FaultCode::Internal, format!("the work was interrupted: {error}")))?
}

fn read_now(path: &Path) -> Result<String, Fault> {
    String::from_utf8(bytes_now(path)?)
        .map_err(|error| Fault::new(FaultCode::Storage, format!("{} can't be read: {error}", path.display())))
}

fn bytes_now(path: &Path) -> Result<Vec<u8>, Fault> {
    let unreadable =
        |error: std::io::Error| Fault::new(FaultCode::Storage, format!("{} can't be read: {error}", path.display()));
    let file = open_input(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let read = file.take(LARGEST_INPUT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if read as u64 > LARGEST_INPUT {
        return Err(Fault::new(
            FaultCode::TooLarge,
            format!("{} is larger than {LARGEST_INPUT} bytes", path.display()),
        ));
    }
    Ok(bytes)
}

/// Replaces the file's content. Writes a file next to it and renames that into place: a symlink at the path is
/// replaced, and one in a parent folder is refused, never followed.
pub async fn write(path: PathBuf, bytes: Vec<u8>) -> Result<PathBuf, Fault> {
    write_by(atomic::write_judged, path, bytes).await
}

/// Like `write`, but the content is on disk when this returns.
pub async fn write_synced(path: PathBuf, bytes: Vec<u8>) -> Result<PathBuf, Fault> {
    write_by(atomic::write_judged_synced, path, bytes).await
}

async fn write_by(
    writer: fn(&Path, &[u8]) -> std::io::Result<()>,
    path: PathBuf,
    bytes: Vec<u8>,
) -> Result<PathBuf, Fault> {
    let work = move || match writer(&path, &filled::bytes_without_secrets(bytes)) {
        Ok(()) => Ok(path),
        Err(error) => Err(Fault::new(FaultCode::Storage, format!("{} can't be written: {error}", path.display()))
            .hint("Choose a folder that exists and that you may write to.")),
    };
    off_runtime(work).await
}

fn base_of(context: &Folders) -> &Path {
    context.cwd.as_deref().unwrap_or(&context.temp_folder)
}

/// Returns the open folders with symlinks resolved. Never includes the root, which would open everything.
fn open_folders(context: &Folders) -> Vec<PathBuf> {
    if context.is_confined {
        return folders([context.cwd.as_deref()]);
    }
    folders([context.cwd.as_deref(), Some(context.temp_folder.as_path()), Some(&std::env::temp_dir())])
}

fn folders<'a>(named: impl IntoIterator<Item = Option<&'a Path>>) -> Vec<PathBuf> {
    let found = named.into_iter().flatten().filter_map(|folder| folder.canonicalize().ok());
    found.filter(|folder| folder.parent().is_some()).collect()
}

fn resolve(folders: &[PathBuf], base: &Path, typed: &str) -> Result<PathBuf, Fault> {
    let refused = || {
        let open: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        Fault::new(
            FaultCode::PathRefused,
            format!("Path traversal: {typed} is outside the allowed folders. Path must be within: {}", open.join(", ")),
        )
        .hint("Give a path in the folder that you run gstack in, or in the temp directory.")
    };
    let path = base.join(typed);
    let name = match path.components().next_back() {
        Some(Component::Normal(name)) => name.to_owned(),
        _ => return Err(Fault::new(FaultCode::BadRequest, format!("{typed:?} is not a file name"))),
    };
    let parent = path.parent().unwrap_or(base);
    let folder = match parent.canonicalize() {
        Ok(folder) => folder,
        // Does not reveal whether a folder outside exists.
        Err(_) if !lexically_inside(folders, base, typed) => return Err(refused()),
        Err(error) => {
            return Err(Fault::new(FaultCode::NotFound, format!("{} can't be used: {error}", parent.display()))
                .hint("Create the folder first."));
        }
    };
    let place = folder.join(name);
    // A symlink at the path determines where the content would be written.
    let place = match place.symlink_metadata() {
        Ok(found) if found.is_symlink() => place.canonicalize().map_err(|_| refused())?,
        Ok(found) if found.is_dir() => {
            return Err(Fault::new(FaultCode::BadRequest, format!("{} is a folder", place.display())));
        }
        Ok(_) | Err(_) => place,
    };
    if folders.iter().any(|open| place.starts_with(open)) { Ok(place) } else { Err(refused()) }
}

fn lexically_inside(folders: &[PathBuf], base: &Path, typed: &str) -> bool {
    let joined = base.join(typed);
    !joined.components().any(|part| part == Component::ParentDir)
        && (folders.iter().any(|open| joined.starts_with(open)) || joined.starts_with(base))
}

#[cfg(test)]
mod tests {
    use super::{read_text, resolve, write};
    use gstack_protocol::fault::FaultCode;
    use std::os::unix::fs::symlink;

    #[tokio::test]
    async fn a_folder_that_is_exchanged_for_a_link_after_the_judgement_leads_nowhere() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let (inside, outside) = (root.join("in"), root.join("out"));
        std::fs::create_dir_all(inside.join("d")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(inside.join("d/key"), "mine").unwrap();
        std::fs::write(outside.join("key"), "secret").unwrap();
        let folders = [inside.clone()];
        let judged = ["d/key", "d/new"].map(|typed| resolve(&folders, &inside, typed).unwrap());
        assert_eq!(read_text(&judged[0]).await.unwrap(), "mine");
        std::fs::rename(inside.join("d"), inside.join("e")).unwrap();
        symlink(&outside, inside.join("d")).unwrap();
        assert_eq!(read_text(&judged[0]).await.unwrap_err().code, FaultCode::Storage);
        for path in judged {
            assert_eq!(write(path, b"x".to_vec()).await.unwrap_err().code, FaultCode::Storage);
        }
        assert_eq!(std::fs::read_to_string(outside.join("key")).unwrap(), "secret");
        assert!(!outside.join("new").exists());
    }

    #[test]
    fn only_paths_inside_the_open_folders_pass_with_symlinks_resolved() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        let (inside, outside) = (root.join("in"), root.join("out"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("secret"), "x").unwrap();
        symlink(&outside, inside.join("door")).unwrap();
        symlink(outside.join("secret"), inside.join("shot.png")).unwrap();
        symlink(outside.join("new"), inside.join("dangling.png")).unwrap();
        let folders = [inside.clone()];
        let check = |typed: &str| resolve(&folders, &inside, typed).map_err(|fault| fault.code);
        assert_eq!(check("a.png"), Ok(inside.join("a.png")));
        assert_eq!(check(inside.join("a.png").to_str().unwrap()), Ok(inside.join("a.png")));
        for typed in [
            "../out/a.png",
            "door/a.png",
            "shot.png",
            "dangling.png",
            "/etc/passwd",
            "../../etc/x",
            "/no/such/folder/x",
        ] {
            assert_eq!(check(typed), Err(FaultCode::PathRefused), "{typed}");
        }
        assert_eq!(check("missing/a.png"), Err(FaultCode::NotFound));
        assert_eq!(check("."), Err(FaultCode::BadRequest));
        assert_eq!(check(".."), Err(FaultCode::BadRequest));
    }
}
