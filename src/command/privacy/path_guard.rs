//! Where commands may read and write: under the client's working directory or a temp directory.
//!
//! Owns the judgement of a path, symlinks resolved, and the writing that no symlink can lead astray. To a model more is
//! closed (`closed_paths`), in both directions.

use super::closed_paths;
use crate::base::atomic;
use crate::base::pinned::PinnedFolder;
use crate::command::core::Context;
use crate::protocol::fault::{Fault, FaultCode};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// In bytes. What is read goes to the browser in one message.
const LARGEST_INPUT: u64 = 32 * 1024 * 1024;

/// The file to write for a path as it was typed: absolute, symlinks resolved, inside an open folder.
pub fn output_path(context: &Context, typed: &str) -> Result<PathBuf, Fault> {
    let path = resolve(&open_folders(context), base_of(context), typed)?;
    if context.for_model {
        closed_paths::check_output(&path, &open_folders(context), &context.gstack_home)?;
    }
    Ok(path)
}

/// The file to read for a path as it was typed: it is there, symlinks resolved, inside an open folder.
pub fn input_path(context: &Context, typed: &str) -> Result<PathBuf, Fault> {
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

/// The folder for a path as it was typed: it exists, symlinks resolved, inside an open folder.
pub fn output_folder(context: &Context, typed: &str) -> Result<PathBuf, Fault> {
    let missing = |error: std::io::Error| {
        Fault::new(FaultCode::NotFound, format!("{typed} can't be used as a folder: {error}"))
            .hint("Make the folder first, in the folder that you run gstack in or in the temp directory.")
    };
    // A name inside of it is judged as that of any file is.
    let inside = resolve(&open_folders(context), base_of(context), &format!("{}/file", typed.trim_end_matches('/')))?;
    if context.for_model {
        closed_paths::check_output(&inside, &open_folders(context), &context.gstack_home)?;
    }
    let folder = inside.parent().unwrap_or(&inside).to_owned();
    folder.read_dir().map_err(missing)?;
    Ok(folder)
}

/// The content of a file that `input_path` allowed. A symlink that was put in its place, or in that of a folder on the way,
/// meanwhile is not followed.
pub async fn read_text(path: &Path) -> Result<String, Fault> {
    let path = path.to_owned();
    let task = tokio::task::spawn_blocking(move || read_now(&path));
    task.await.map_err(|error| Fault::new(FaultCode::Internal, format!("reading was cut off: {error}")))?
}

/// As `read_text`, whatever the bytes are.
pub async fn read_bytes(path: &Path) -> Result<Vec<u8>, Fault> {
    let path = path.to_owned();
    let task = tokio::task::spawn_blocking(move || bytes_now(&path));
    task.await.map_err(|error| Fault::new(FaultCode::Internal, format!("reading was cut off: {error}")))?
}

fn read_now(path: &Path) -> Result<String, Fault> {
    String::from_utf8(bytes_now(path)?)
        .map_err(|error| Fault::new(FaultCode::Storage, format!("{} can't be read: {error}", path.display())))
}

fn bytes_now(path: &Path) -> Result<Vec<u8>, Fault> {
    let unreadable =
        |error: std::io::Error| Fault::new(FaultCode::Storage, format!("{} can't be read: {error}", path.display()));
    let folder = PinnedFolder::open(path.parent().unwrap_or(path)).map_err(unreadable)?;
    let file = folder.open_file(path.file_name().unwrap_or_default()).map_err(unreadable)?;
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

/// Replaces the file by these bytes. It is written beside its place and renamed into it: a symlink that is put there
/// meanwhile is replaced, and one on the way to it is refused, never followed.
pub async fn write(path: PathBuf, bytes: Vec<u8>) -> Result<PathBuf, Fault> {
    write_by(atomic::write_judged, path, bytes).await
}

/// As `write`, with the content on disk when this returns.
pub async fn write_synced(path: PathBuf, bytes: Vec<u8>) -> Result<PathBuf, Fault> {
    write_by(atomic::write_judged_synced, path, bytes).await
}

async fn write_by(
    writer: fn(&Path, &[u8]) -> std::io::Result<()>,
    path: PathBuf,
    bytes: Vec<u8>,
) -> Result<PathBuf, Fault> {
    let task = tokio::task::spawn_blocking(move || match writer(&path, &bytes) {
        Ok(()) => Ok(path),
        Err(error) => Err(Fault::new(FaultCode::Storage, format!("{} can't be written: {error}", path.display()))
            .hint("Choose a folder that exists and that you may write to.")),
    });
    task.await.map_err(|error| Fault::new(FaultCode::Internal, format!("writing was cut off: {error}")))?
}

fn base_of(context: &Context) -> &Path {
    context.cwd.as_deref().unwrap_or(&context.temp_folder)
}

/// With symlinks resolved. The root itself is never open: that would open everything.
fn open_folders(context: &Context) -> Vec<PathBuf> {
    let system_temp = std::env::temp_dir();
    let named = [context.cwd.as_deref(), Some(context.temp_folder.as_path()), Some(system_temp.as_path())];
    let mut folders: Vec<PathBuf> = Vec::with_capacity(named.len());
    for folder in named.into_iter().flatten() {
        match folder.canonicalize() {
            Ok(folder) if folder.parent().is_some() => folders.push(folder),
            Ok(_) | Err(_) => {}
        }
    }
    folders
}

fn resolve(folders: &[PathBuf], base: &Path, typed: &str) -> Result<PathBuf, Fault> {
    let refused = || {
        let open: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        Fault::new(
            FaultCode::PathRefused,
            format!("Path traversal: {typed} is outside the open folders. Path must be within: {}", open.join(", ")),
        )
        .hint("Give a path in the folder that you run gstack in, or in the temp directory.")
    };
    let path = base.join(typed);
    let name = match path.components().next_back() {
        Some(Component::Normal(name)) => name.to_owned(),
        _ => return Err(Fault::new(FaultCode::BadRequest, format!("{typed:?} names no file"))),
    };
    let parent = path.parent().unwrap_or(base);
    let folder = match parent.canonicalize() {
        Ok(folder) => folder,
        // Whether a folder outside exists is not told.
        Err(_) if !lexically_inside(folders, base, typed) => return Err(refused()),
        Err(error) => {
            return Err(Fault::new(FaultCode::NotFound, format!("{} can't be used: {error}", parent.display()))
                .hint("Make the folder first."));
        }
    };
    let place = folder.join(name);
    // A symlink in its place leads to where it would be written.
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
    use crate::protocol::fault::FaultCode;
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
