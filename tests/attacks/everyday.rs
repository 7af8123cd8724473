//! What a person's everyday setup needs from the sandbox: builds, package managers, git with their name and files. Each
//! mechanism of this machine must allow it. Missing tools are skipped with a message.

use crate::sandbox::{find, mechanisms, put, sandbox, skipped, variables};
use gstack_agent::adapter::AgentEnvironment;
use gstack_agent::sandbox::{Access, Confinement, command};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

/// Runs `script` in `folder` of a home that `make` has filled, in each mechanism.
async fn in_each(folder: &str, make: impl Fn(&Path), script: &str, check: impl Fn(&Path)) {
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().canonicalize().unwrap();
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        let home = root.join(number.to_string());
        for path in ["g/run", folder] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        make(&home);
        let mut environment = AgentEnvironment {
            variables: variables(&home),
            confinement: Confinement::In(Arc::new(sandbox(&home, mechanism.clone()))),
            access: Access::gemini(),
            ..AgentEnvironment::default()
        };
        environment.variables.extend(toolchains());
        let output = run(&environment, script, &home.join(folder));
        assert!(output.status.success(), "{mechanism:?}: {output:?}");
        check(&home);
    }
}

fn run(environment: &AgentEnvironment, script: &str, folder: &Path) -> Output {
    let confined = command(Path::new("/bin/sh"), &["-ec", script], environment, Some(folder)).unwrap();
    let mut started = Command::new(&confined.program);
    started.args(&confined.arguments).env_clear().envs(&confined.environment.variables).current_dir(folder);
    started.output().unwrap()
}

/// The person's Rust is in their home, where rustup installs it.
fn toolchains() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let rustup = std::env::var_os("RUSTUP_HOME").map_or_else(|| home.join(".rustup"), PathBuf::from);
    vec![("RUSTUP_HOME".into(), rustup.into())]
}

/// Runs git as the person, outside the sandbox.
fn git(home: &Path, folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).env("HOME", home).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

const IDENTITY: &str = "[user]\n\tname = Ada\n[commit]\n\tgpgSign = true\n[include]\n\tpath = ~/settings/git-work\n";

fn configure_git(home: &Path) {
    put(home, ".gitconfig", IDENTITY);
    put(home, "settings/git-work", "[user]\n\temail = ada@example.org\n[core]\n\texcludesFile = ~/settings/ignored\n");
    put(home, "settings/ignored", "*.left-out\n");
}

#[tokio::test]
async fn git_commits_with_the_person_s_name_from_included_files_and_without_their_key() {
    let make = |home: &Path| {
        configure_git(home);
        git(home, &home.join("project"), &["init", "--quiet"]);
    };
    let script =
        "echo a > a; echo b > b.left-out; git add .; git commit -qm one; git checkout -qb two; git status --short";
    in_each("project", make, script, |home| {
        let said = git(home, &home.join("project"), &["log", "-1", "--format=%an %ae", "--name-only"]);
        assert_eq!(said.split_whitespace().collect::<Vec<_>>(), ["Ada", "ada@example.org", "a"]);
    })
    .await;
}

#[tokio::test]
async fn git_commits_in_a_folder_within_a_repository_and_in_a_work_tree_that_the_person_made() {
    let make = |home: &Path| {
        configure_git(home);
        let top = home.join("project");
        git(home, &top, &["init", "--quiet"]);
        git(home, &top, &["-c", "commit.gpgSign=false", "commit", "--quiet", "--allow-empty", "-m", "one"]);
        git(home, &top, &["worktree", "add", "--quiet", "-b", "side", "../side"]);
    };
    let script = "echo a > a; git add a; git commit -qm two; \
                  if echo x 2>/dev/null > $(git rev-parse --show-toplevel)/../project/beside; then exit 9; fi";
    for folder in ["project/packages/one", "side"] {
        in_each(
            folder,
            |home| {
                if folder == "side" {
                    fs::remove_dir(home.join("side")).unwrap();
                }
                fs::create_dir_all(home.join("project")).unwrap();
                make(home);
            },
            script,
            |home| {
                assert_eq!(git(home, &home.join(folder), &["log", "-1", "--format=%an %s"]).trim(), "Ada two");
                assert!(!home.join("project/beside").exists(), "the rest of the repository is only read");
            },
        )
        .await;
    }
}

#[tokio::test]
async fn cargo_builds_fetches_and_keeps_what_it_fetched_apart_from_the_person_s() {
    if find("cargo").is_none() {
        return skipped("cargo is not installed");
    }
    let make = |home: &Path| {
        put(home, ".cargo/config.toml", "[alias]\nof-the-person = \"build\"\n");
        put(home, ".cargo/registry/src/kept", "as it was");
        put(home, ".cargo/credentials.toml", "[registry]\ntoken = \"the-secret\"\n");
        let package = |name: &str, rest: &str| {
            format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n{rest}")
        };
        put(home, "project/dependency/Cargo.toml", &package("dependency", ""));
        put(home, "project/dependency/src/lib.rs", "pub fn one() -> u8 { 1 }\n");
        let dependency = home.join("project/dependency");
        git(home, &dependency, &["init", "--quiet"]);
        git(home, &dependency, &["add", "."]);
        let name = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        git(home, &dependency, &[&name[..], &["commit", "--quiet", "-m", "one"]].concat());
        let rest = format!("[dependencies]\ndependency = {{ git = \"file://{}\" }}\n", dependency.display());
        put(home, "project/Cargo.toml", &package("built", &rest));
        put(home, "project/src/main.rs", "fn main() { assert_eq!(dependency::one(), 1); }\n");
    };
    // The project's own files may be run later; the files that all projects share must not be changed.
    let script = "cargo of-the-person --quiet; ./target/debug/built; \
                  if echo x 2>/dev/null > ~/.cargo/registry/src/kept; then exit 9; fi; \
                  if cat ~/.cargo/credentials.toml 2>/dev/null; then exit 9; fi";
    in_each("project", make, script, |home| {
        assert_eq!(fs::read_to_string(home.join(".cargo/registry/src/kept")).unwrap(), "as it was");
        assert!(home.join(".cache/gstack-agents/cargo/git").is_dir());
    })
    .await;
}

#[tokio::test]
async fn npm_installs_and_tests_and_python_makes_an_environment() {
    if find("npm").is_none() || find("python3").is_none() {
        return skipped("npm or python3 is not installed");
    }
    let make = |home: &Path| {
        put(home, ".npmrc", "//registry.example/:_authToken=the-secret\nfund=false\n");
        put(
            home,
            "project/dependency/package.json",
            r#"{ "name": "dependency", "version": "1.0.0", "main": "index.js" }"#,
        );
        put(home, "project/dependency/index.js", "module.exports = 1;");
        put(home, "project/test.js", "require('node:assert').equal(require('dependency'), 1);");
        put(
            home,
            "project/package.json",
            r#"{ "name": "tested", "version": "1.0.0", "scripts": { "test": "node test.js" } }"#,
        );
    };
    let script = "npm pack --silent ./dependency; npm install --offline --no-audit --silent ./dependency-1.0.0.tgz; \
                  npm test --silent; python3 -m venv --without-pip .venv; .venv/bin/python -c 'import json'; \
                  if cat ~/.npmrc 2>/dev/null; then exit 9; fi";
    in_each("project", make, script, |home| {
        assert!(home.join(".cache/gstack-agents/npm").read_dir().unwrap().next().is_some(), "its cache is kept");
        assert!(!home.join(".npm").exists());
    })
    .await;
}

/// nvm, and a program directly in the home directory.
#[tokio::test]
async fn programs_in_the_home_directory_start_also_beside_what_is_closed() {
    let Some(node) = find("node") else { return skipped("node is not installed") };
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().canonicalize().unwrap();
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        let home = root.join(number.to_string());
        for path in ["g/run", "project", ".nvm/versions/node/v1/bin", ".nvm/versions/node/v1/lib"] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        let bin = home.join(".nvm/versions/node/v1/bin");
        std::os::unix::fs::symlink(&node, bin.join("node")).unwrap();
        put(&home, "agent.cjs", "#!/usr/bin/env node\nrequire('node:fs').writeFileSync('ran', process.argv[2]);\n");
        put(&home, "notes", "of the person");
        let agent = home.join("agent.cjs");
        assert!(Command::new("chmod").arg("+x").arg(&agent).status().unwrap().success());
        let mut environment = AgentEnvironment {
            variables: variables(&home),
            confinement: Confinement::In(Arc::new(sandbox(&home, mechanism.clone()))),
            ..AgentEnvironment::default()
        };
        let path = format!("{}:/usr/bin:/bin", bin.display());
        environment.variables.insert("PATH".into(), path.into());
        let confined = command(&agent, &["well"], &environment, Some(&home.join("project"))).unwrap();
        let mut started = Command::new(&confined.program);
        started.args(&confined.arguments).env_clear().envs(&confined.environment.variables);
        let output = started.current_dir(home.join("project")).output().unwrap();
        assert!(output.status.success(), "{mechanism:?}: {output:?}");
        assert_eq!(fs::read_to_string(home.join("project/ran")).unwrap(), "well", "{mechanism:?}");
        let output = run(&environment, "! cat ~/notes 2>/dev/null", &home.join("project"));
        assert!(output.status.success() && output.stdout.is_empty(), "{mechanism:?}: {output:?}");
    }
}
