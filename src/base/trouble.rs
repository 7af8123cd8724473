//! Next steps for errors of the disk.
//!
//! Owns the hint. The error itself says what happened.

use rustix::io::Errno;
use std::io;
use std::path::Path;

/// Returns the error's code in the catalogue of messages.
pub fn code(source: &io::Error) -> &'static str {
    let errno = source.raw_os_error();
    if errno.is_some_and(|code| code == Errno::MFILE.raw_os_error() || code == Errno::NFILE.raw_os_error()) {
        return "too_many_files";
    }
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "disk_full",
        io::ErrorKind::ReadOnlyFilesystem => "disk_read_only",
        io::ErrorKind::PermissionDenied => "disk_denied",
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => "disk_in_the_way",
        io::ErrorKind::IsADirectory => "disk_folder",
        io::ErrorKind::FileTooLarge => "file_size_limit",
        _ => "disk_trouble",
    }
}

/// Returns the next step for an error at `path`, which is in gstack's home.
pub fn hint(path: &Path, source: &io::Error) -> String {
    next_step(path, source, ", or set GSTACK_HOME to another folder")
}

/// Returns the next step for an error at `path`, which another home would not move.
pub fn hint_outside_home(path: &Path, source: &io::Error) -> String {
    next_step(path, source, "")
}

fn next_step(path: &Path, source: &io::Error, otherwise: &str) -> String {
    let place = path.display();
    if source
        .raw_os_error()
        .is_some_and(|code| code == Errno::MFILE.raw_os_error() || code == Errno::NFILE.raw_os_error())
    {
        return "Too many files are open. Close tabs and panels that you do not need, or raise the limit (ulimit -n) and run `gstack stop`.".to_owned();
    }
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!("The disk that holds {place} is full. Free some space, then try again.")
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            format!("The disk that holds {place} is read-only. Mount it writable{otherwise}.")
        }
        io::ErrorKind::PermissionDenied => {
            format!("Make {place} writable by you{otherwise}.")
        }
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            format!("{place} is in the way and is not a folder. Move it away{otherwise}.")
        }
        io::ErrorKind::IsADirectory => format!("{place} is a folder where gstack needs a file. Move it away."),
        io::ErrorKind::FileTooLarge => {
            format!("A limit keeps {place} from growing. Raise it (ulimit -f), then run `gstack stop`.")
        }
        _ => format!("Check the disk that holds {place}, then try again."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_open_files_are_not_taken_for_trouble_of_the_disk() {
        for errno in [Errno::MFILE, Errno::NFILE] {
            let words = hint(Path::new("/home/a/.gstack"), &errno.into());
            assert!(words.contains("files are open") && !words.contains("disk"), "{words}");
        }
        assert!(hint(Path::new("/a"), &Errno::NOSPC.into()).contains("is full"));
        assert!(hint(Path::new("/a/browse.json"), &Errno::ISDIR.into()).starts_with("/a/browse.json is a folder"));
        assert!(hint(Path::new("/a"), &Errno::FBIG.into()).contains("ulimit -f"));
    }

    #[test]
    fn another_home_is_advised_only_where_it_helps() {
        let denied = Errno::ACCESS.into();
        assert_eq!(hint(Path::new("/a"), &denied), "Make /a writable by you, or set GSTACK_HOME to another folder.");
        assert_eq!(hint_outside_home(Path::new("/a"), &denied), "Make /a writable by you.");
    }
}
