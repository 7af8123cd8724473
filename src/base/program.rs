//! The path of this program, even after it was replaced while it ran.
//!
//! Owns the one way to find it, and the roles that distinguish its processes. Never checks whether it can be started.

use std::io;
use std::path::{Path, PathBuf};

/// The hidden role of the browser keeper: the program's first argument.
pub const KEEPER_ROLE: &str = "browser-keeper";
/// The hidden role that starts a program, adopts what it leaves behind, and ends all of it with the starter.
pub const MINDER_ROLE: &str = "agent-minder";
/// The hidden role that asks the system's keyring one question.
pub const KEYRING_ROLE: &str = "keyring-access";
/// The suffix that Linux appends to the path of a running program whose file was replaced or removed.
const DELETED: &str = " (deleted)";

/// Returns the program's path. After an in-place upgrade, this is the path of the new program.
///
/// # Errors
///
/// Fails if the system does not tell the path of the running program.
pub fn path() -> io::Result<PathBuf> {
    Ok(in_place(std::env::current_exe()?))
}

fn in_place(path: PathBuf) -> PathBuf {
    let name = path.to_str().and_then(|text| text.strip_suffix(DELETED)).map(Path::new);
    match name {
        Some(replaced) if !path.exists() => replaced.to_owned(),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_replaced_is_found_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("gstack");
        std::fs::write(&program, "").unwrap();
        assert_eq!(in_place(program.clone()), program);
        assert_eq!(in_place(folder.path().join("gstack (deleted)")), program);
    }

    #[test]
    fn a_program_that_is_really_called_so_keeps_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("gstack (deleted)");
        std::fs::write(&odd, "").unwrap();
        assert_eq!(in_place(odd.clone()), odd);
    }
}
