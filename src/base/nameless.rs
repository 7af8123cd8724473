//! Unnamed temporary files for data that is collected before its final file is written.
//!
//! Owns their creation. The system frees the file when its last handle is closed, also after a crash.

use std::fs::{File, OpenOptions, remove_file};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Creates a file with mode 0600 in `folder` and removes its name.
///
/// # Errors
///
/// Fails if the folder is not writable.
pub fn create(folder: &Path) -> io::Result<File> {
    let path = folder.join(format!(".gstack-{}", uuid::Uuid::new_v4().simple()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::create;
    use std::io::{Read, Seek, Write};

    #[test]
    fn nothing_lies_in_the_folder_and_all_of_it_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = create(folder.path()).unwrap();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        file.write_all(b"gathered").unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "gathered");
    }
}
