//! The download caches of package managers for confined agents: folders of the agents' own.
//!
//! Owns the folders and the variables that name them. The person's own caches are not writable, because their content
//! is later built and run outside the sandbox. Never removes anything.

use crate::adapter::AgentEnvironment;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Variables and their folders. pip, uv, Go, Deno, Poetry and Yarn also use `XDG_CACHE_HOME`.
const CACHES: [(&str, &str); 11] = [
    ("XDG_CACHE_HOME", "cache"),
    (CARGO_HOME, "cargo"),
    ("npm_config_cache", "npm"),
    ("YARN_GLOBAL_FOLDER", "yarn"),
    ("BUN_INSTALL_CACHE_DIR", "bun"),
    ("GOMODCACHE", "go"),
    ("GRADLE_USER_HOME", "gradle"),
    ("NUGET_PACKAGES", "nuget"),
    ("DOTNET_CLI_HOME", "dotnet"),
    ("PUB_CACHE", "pub"),
    ("BUNDLE_USER_HOME", "bundle"),
];

const CARGO_HOME: &str = "CARGO_HOME";
/// The person's Cargo configuration, with registries and linkers. Cargo reads it only from its own folder.
const CARGO_FILES: [&str; 2] = ["config.toml", "config"];

/// Inside the person's own cache folder.
const FOLDER: &str = "gstack-agents";

/// Creates the folders and sets the variables. Returns the writable folders, or none if the home directory is unknown.
/// Their parent folder is not writable, so that none of them can be replaced with a symlink. `person`: the person's own
/// variables.
pub(super) fn prepare(
    person: &BTreeMap<OsString, OsString>,
    environment: &mut AgentEnvironment,
) -> io::Result<Vec<PathBuf>> {
    let folder = |name: &str| person.get(OsStr::new(name)).map(PathBuf::from).filter(|path| path.is_absolute());
    let Some(home) = folder("HOME") else { return Ok(Vec::new()) };
    let caches = folder("XDG_CACHE_HOME").unwrap_or_else(|| home.join(".cache")).join(FOLDER);
    let cargo = folder(CARGO_HOME).unwrap_or_else(|| home.join(".cargo"));
    let mut all = Vec::new();
    for (variable, name) in CACHES {
        let path = caches.join(name);
        fs::create_dir_all(&path)?;
        all.push((variable, path));
    }
    link_files(&cargo, &caches.join("cargo"))?;
    environment.variables.extend(all.iter().map(|(variable, path)| (variable.into(), path.into())));
    let all = all.into_iter().map(|(_, path)| path).collect();
    Ok(all)
}

fn link_files(from: &Path, to: &Path) -> io::Result<()> {
    for name in CARGO_FILES.iter().filter(|name| from.join(name).is_file()) {
        match std::os::unix::fs::symlink(from.join(name), to.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_the_agents_own_and_cargo_keeps_the_person_s_registries() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        fs::create_dir(home.join(".cargo")).unwrap();
        fs::write(home.join(".cargo/config.toml"), "[net]\noffline = true\n").unwrap();
        let nothing = prepare(&BTreeMap::new(), &mut AgentEnvironment::default()).unwrap();
        assert_eq!(nothing, Vec::<PathBuf>::new());
        let person = [("HOME".into(), home.into())].into();
        // Twice: the second start finds the folders of the first one.
        for _ in 0..2 {
            let mut environment = AgentEnvironment::default();
            let folders = prepare(&person, &mut environment).unwrap();
            assert!(folders.iter().all(|folder| folder.starts_with(home.join(".cache/gstack-agents"))), "{folders:?}");
            let cargo = Path::new(&environment.variables[OsStr::new("CARGO_HOME")]);
            assert_eq!(fs::read_link(cargo.join("config.toml")).unwrap(), home.join(".cargo/config.toml"));
        }
    }
}
