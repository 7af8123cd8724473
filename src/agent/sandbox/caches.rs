//! Where package managers of a confined agent keep what they download: folders of the agents' own.
//!
//! Owns the folders and the variables that lead to them. The person's own caches stay closed to writing: what lies there
//! is built and run outside of the sandbox later. Never removes anything.

use crate::agent::adapter::AgentEnvironment;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Variable, and the folder that it names. `XDG_CACHE_HOME` is pip's, uv's, Go's, Deno's, Poetry's and Yarn's too.
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
/// Of the person's Cargo: which registries and linkers there are. Cargo reads them from its own folder alone.
const CARGO_FILES: [&str; 2] = ["config.toml", "config"];

/// Below the person's own cache.
const FOLDER: &str = "gstack-agents";

/// Makes them and sets the variables. Returns the folders to write; none if the home directory is not known. The folder
/// around them stays closed to writing, so that none of them can be replaced by a link. `person`: the variables as the
/// person has them.
pub fn prepare(person: &BTreeMap<OsString, OsString>, environment: &mut AgentEnvironment) -> io::Result<Vec<PathBuf>> {
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
        // Twice: the second start finds what the first one made.
        for _ in 0..2 {
            let mut environment = AgentEnvironment::default();
            let folders = prepare(&person, &mut environment).unwrap();
            assert!(folders.iter().all(|folder| folder.starts_with(home.join(".cache/gstack-agents"))), "{folders:?}");
            let cargo = Path::new(&environment.variables[OsStr::new("CARGO_HOME")]);
            assert_eq!(fs::read_link(cargo.join("config.toml")).unwrap(), home.join(".cargo/config.toml"));
        }
    }
}
