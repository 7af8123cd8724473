//! A file without a name, for what is gathered before it has its form.
//!
//! Owns its making. Nothing is left of it when its last handle is closed, however the process ends.

use std::fs::{File, OpenOptions, remove_file};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Makes one in a folder, for this user alone.
///
/// # Errors
///
/// Fails if the folder can't be written to.
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
