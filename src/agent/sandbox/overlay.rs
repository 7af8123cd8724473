//! A program's own folder of configuration where there are no mounts: links to the person's entries, and copies of the files
//! that the program replaces.
//!
//! Owns making it, in the program's temporary folder, and the environment's variable for it. `process::renewal` keeps the
//! copies equal to the person's files. Opens nothing: the plan does.

use super::access::{Access, Overlaid};
use super::plan::children;
use crate::adapter::AgentEnvironment;
use gstack_base::atomic;
use gstack_base::home::private_folder;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A copy that the program may replace, and the person's file.
pub(super) struct Copy {
    pub own: PathBuf,
    pub of: PathBuf,
}

/// Makes the folders of links in `temporary`, and names them in the environment. Returns the copies in them.
pub(super) fn make(environment: &mut AgentEnvironment, temporary: &Path) -> io::Result<Vec<Copy>> {
    let access = environment.access.clone();
    let home = environment.variables.get(OsStr::new("HOME")).map(PathBuf::from).filter(|home| home.is_absolute());
    let Some(home) = home else { return Ok(Vec::new()) };
    let temporary = temporary.canonicalize()?;
    let mut copies = Vec::new();
    for (number, overlaid) in access.overlaid.iter().enumerate() {
        let variable = OsStr::new(overlaid.variable);
        // The person moved the folder. The sandbox opens only the usual one.
        if environment.variables.contains_key(variable) {
            continue;
        }
        let own = temporary.join(format!("configuration-{number}"));
        copies.extend(fill(&own, &home, overlaid, &access)?);
        environment.variables.insert(variable.to_owned(), own.into());
    }
    Ok(copies)
}

fn fill(own: &Path, home: &Path, overlaid: &Overlaid, access: &Access) -> io::Result<Vec<Copy>> {
    private_folder(own).map_err(io::Error::other)?;
    let below_home = |paths: &[PathBuf]| paths.iter().map(|path| home.join(path)).collect::<Vec<_>>();
    let (folder, volatile) = (home.join(&overlaid.folder), below_home(&overlaid.volatile));
    let (written, replaced) = (below_home(&access.write), below_home(&access.write_existing));
    // What the program may write is created if it is missing.
    let missing = written.into_iter().filter(|path| path.parent() == Some(folder.as_path()) && !path.exists());
    let entries = children(&folder).into_iter().filter(|path| !volatile.contains(path)).chain(missing);
    let mut copies = Vec::new();
    for entry in entries.chain(below_home(&overlaid.beside)) {
        let Some(name) = entry.file_name() else { continue };
        let own = own.join(name);
        if !replaced.contains(&entry) {
            symlink(&entry, &own)?;
            continue;
        }
        // A link of the person's stays one.
        if let (Ok(of), Ok(content)) = (entry.canonicalize(), fs::read(&entry)) {
            atomic::write(&own, &content)?;
            copies.push(Copy { own, of });
        }
    }
    Ok(copies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_finds_the_person_s_entries_and_its_own_copy_of_what_it_replaces() {
        let root = tempfile::tempdir().unwrap();
        let (home, temporary) = (root.path().join("home"), root.path().join("tmp"));
        for folder in ["home/.claude/hooks", "home/.claude/debug", "tmp"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        fs::write(home.join(".claude/.credentials.json"), "{}").unwrap();
        let mut environment = AgentEnvironment {
            variables: [("HOME".into(), home.clone().into())].into(),
            access: Access::claude(),
            ..AgentEnvironment::default()
        };
        let copies = make(&mut environment, &temporary).unwrap();
        let own = PathBuf::from(&environment.variables[OsStr::new("CLAUDE_CONFIG_DIR")]);
        assert!(own.starts_with(&temporary));
        assert_eq!(fs::read_link(own.join("hooks")).unwrap(), home.join(".claude/hooks"));
        assert_eq!(fs::read_link(own.join("projects")).unwrap(), home.join(".claude/projects"));
        assert_eq!(fs::read_link(own.join(".claude.json")).unwrap(), home.join(".claude.json"));
        assert!(own.join("debug").symlink_metadata().is_err(), "it gets its own");
        assert!(own.join(".credentials.json").symlink_metadata().unwrap().is_file());
        assert_eq!(copies.len(), 1);
        assert!(make(&mut environment, &temporary).unwrap().is_empty(), "a folder that is named already is used");
    }
}
