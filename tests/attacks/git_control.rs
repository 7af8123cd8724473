//! What decides which programs the person's git runs: an agent changes it in every known way, in the running program, and
//! none of it reaches a git outside the sandbox before the person has allowed it on a card.

use crate::acp_agent::Hostile;
use crate::sandbox::{mechanisms, put, sandbox, variables};
use gstack_agent::adapter::AgentEnvironment;
use gstack_agent::control_files::ControlFiles;
use gstack_agent::sandbox::{Access, Confinement, Mechanism, command};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const COMMIT: &str =
    "git -c user.name=a -c user.email=a@example -c core.fsmonitor=false commit --quiet --allow-empty -m one";

/// Ways to make a git run a program: what they are called, the commands of the agent (`TRAP` is the program), and whether
/// the agent can do it in a sandbox of namespaces.
const WAYS: [(&str, &str, bool); 12] = [
    (
        "commondir",
        "mkdir .git/evil && cp -r .git/objects .git/refs .git/evil/ && cp .git/config .git/evil/config && \
         git config -f .git/evil/config core.fsmonitor TRAP && echo evil > .git/commondir",
        true,
    ),
    ("config.worktree", "printf '[core]\\n\\tfsmonitor = TRAP\\n' > .git/config.worktree", true),
    (
        "a repository in the repository",
        "git init -q part && COMMIT_IN_PART && git -C part config core.fsmonitor TRAP && git add part",
        true,
    ),
    (
        "a submodule's own configuration",
        "mkdir -p .git/modules/deep/name && cp -r .git/HEAD .git/objects .git/refs .git/modules/deep/name/ && \
         printf '[core]\\n\\tworktree = ../../../../sub\\n\\tfsmonitor = TRAP\\n' > .git/modules/deep/name/config && mkdir -p sub && \
         printf 'gitdir: ../.git/modules/deep/name\\n' > sub/.git",
        true,
    ),
    ("rules of the project", "mkdir .gstack && echo '[[deny]]' > .gstack/policy.toml", true),
    (
        "a remote that is a folder with hooks",
        "BARE_REPOSITORY && printf '[remote \"origin\"]\n\turl = ./bare\n' > .git/config.worktree",
        true,
    ),
    (
        "a branch that is pushed to a folder",
        "BARE_REPOSITORY && printf '[branch \"%s\"]\n\tpushRemote = bare\n' $(git symbolic-ref --short HEAD) > .git/config.worktree",
        true,
    ),
    (
        "a remote as older versions wrote it",
        "BARE_REPOSITORY && mkdir .git/remotes && printf 'URL: ./bare\n' > .git/remotes/origin",
        true,
    ),
    (
        "a rebase that goes on",
        "GIT_SEQUENCE_EDITOR='printf break >' git -c user.name=a -c user.email=a@example rebase -q -i --root && \
         echo 'exec 'TRAP >> .git/rebase-merge/git-rebase-todo",
        true,
    ),
    ("the configuration", "git config core.fsmonitor TRAP", false),
    ("another repository in its place", "mv .git away && cp -r away .git && git config core.fsmonitor TRAP", false),
    (
        "a link in its place",
        "cp -r .git away && git config -f away/config core.fsmonitor TRAP && rm -rf .git && ln -s away .git",
        false,
    ),
];

fn sh(folder: &Path, script: &str) {
    let output = Command::new("/bin/sh").args(["-c", script]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{script}: {output:?}");
}

struct Repository {
    path: PathBuf,
    mark: PathBuf,
}

impl Repository {
    /// Makes one in the folder in which the person starts the conversation.
    fn of(hostile: &Hostile) -> Self {
        let root = hostile.stage.folder.path().canonicalize().unwrap();
        let path = root.join("work");
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        fs::create_dir_all(&path).unwrap();
        sh(&path, &format!("git init --quiet && git config extensions.worktreeConfig true && {COMMIT}"));
        Self { path, mark: root.join("mark") }
    }

    fn script(&self, way: &str) -> String {
        let trap = format!("'touch {}; false'", self.mark.display());
        let quoted = format!("\"touch {}; false\"", self.mark.display());
        let in_part = COMMIT.replacen("git", "git -C part", 1);
        let bare = format!(
            "git init -q --bare bare && printf '#!/bin/sh\\n%s\\n' {trap} > bare/hooks/pre-receive && chmod +x bare/hooks/pre-receive"
        );
        // In a file it is quoted as git quotes it.
        way.replace("fsmonitor = TRAP", &format!("fsmonitor = {quoted}"))
            .replace("TRAP", &trap)
            .replace("COMMIT_IN_PART", &in_part)
            .replace("BARE_REPOSITORY", &bare)
    }

    /// Runs git as the person, wherever one could run. Returns whether the agent's program ran.
    fn springs(&self) -> bool {
        for folder in ["", "part", "sub"] {
            for command in [
                &["status"][..],
                &["-c", "push.default=current", "push"],
                &["push", "origin", "HEAD:refs/heads/x"],
                &["rebase", "--continue"],
            ] {
                let mut git = Command::new("git");
                git.args(command).current_dir(self.path.join(folder)).env("GIT_EDITOR", "true").output().ok();
            }
        }
        let ran = self.mark.exists();
        fs::remove_file(&self.mark).ok();
        ran
    }
}

fn tries_all(is_confined: bool) {
    let hostile = Hostile::at(None);
    if !is_confined {
        hostile.stage.run(&["settings", "set", "agents.sandbox", "off"]);
    }
    hostile.stage.run(&["policy"]);
    for (what, way, _) in WAYS.iter().filter(|(_, _, works)| !is_confined || *works) {
        for decision in ["deny", "allow"] {
            let repository = Repository::of(&hostile);
            let mut turn = hostile.turn(&format!("{what} {decision}"));
            let said = turn.shell(&repository.script(way));
            assert!(!said.is_error, "{what}: {said:?}");
            let asked = turn.ends_and_asks();
            let is_rule = what.starts_with("rules");
            assert!(!repository.springs(), "{what}: it runs while the card is open: {asked}");
            assert!(!repository.path.join(".gstack/policy.toml").exists(), "{what}");
            let content = asked["action"]["content"].as_str().unwrap();
            assert!(content.contains(repository.path.to_str().unwrap()), "{what}: {asked}");
            hostile.stage.run(&["approvals", decision, asked["approvalId"].as_str().unwrap()]);
            drop(turn);
            if is_rule {
                assert_eq!(repository.path.join(".gstack/policy.toml").exists(), decision == "allow");
            } else {
                assert_eq!(repository.springs(), decision == "allow", "{what}: {decision}");
            }
        }
    }
}

#[test]
fn what_an_agent_s_turn_would_make_git_run_is_put_back_and_asked_about() {
    tries_all(true);
}

#[test]
fn what_an_agent_s_turn_would_make_git_run_is_put_back_also_without_a_sandbox() {
    tries_all(false);
}

/// A turn that is stopped, or whose agent dies, has no card: the changes are put back, and the conversation says so.
#[test]
fn a_turn_without_an_end_leaves_nothing_that_git_runs() {
    let hostile = Hostile::at(None);
    hostile.stage.run(&["policy"]);
    let repository = Repository::of(&hostile);
    let mut turn = hostile.turn("die");
    let script = format!("{} && kill -9 $PPID", repository.script(WAYS[0].1));
    turn.dies_in_shell(&script);
    drop(turn);
    // It is put back once the process is gone.
    while repository.path.join(".git/commondir").exists() {
        std::thread::yield_now();
    }
    assert!(!repository.springs());
    let sessions = hostile.stage.folder.path().join("g/sessions");
    let is_said = || {
        let files = fs::read_dir(&sessions).unwrap().map(|session| session.unwrap().path().join("chat.jsonl"));
        let mut texts = files.map(|file| fs::read_to_string(file).unwrap_or_default());
        texts.any(|text| text.contains("control_files_put_back") && text.contains(".git/commondir"))
    };
    while !is_said() {
        std::thread::yield_now();
    }
}

/// In namespaces, the repository itself can't be replaced during the turn either.
#[tokio::test]
async fn a_repository_can_not_be_moved_away_in_the_sandbox() {
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().canonicalize().unwrap();
    for mechanism in mechanisms(&root).await {
        if !matches!(mechanism, Mechanism::Namespaces { .. }) {
            continue;
        }
        for folder in ["project", "project/sub"] {
            let home = root.join(folder.replace('/', "-"));
            for path in ["g/run", "project/sub"] {
                fs::create_dir_all(home.join(path)).unwrap();
            }
            let top = home.join("project");
            sh(&top, &format!("git init --quiet && {COMMIT}"));
            put(&top, ".git/hooks/pre-commit", "as it was");
            let before = fs::metadata(top.join(".git")).unwrap().ino();
            let git = top.join(".git");
            let git = git.display();
            let script = format!(
                "mv {git} away; mv {git} {git}2; rm -rf {git}/hooks {git}/config; mv {git}/hooks {git}/hooks2; mv {git}/config {git}/c2; \
                 ln -sfn /tmp {git}; echo x > c; mv c {git}/config; mv -T . {git}/hooks; cp -r {git} copy; mv -T copy {git}; exit 0"
            );
            let environment = AgentEnvironment {
                variables: variables(&home),
                confinement: Confinement::In(Arc::new(sandbox(&home, mechanism.clone()))),
                ..AgentEnvironment::default()
            };
            let confined =
                command(Path::new("/bin/sh"), &["-c", &script], &environment, Some(&home.join(folder))).unwrap();
            let config = fs::read_to_string(top.join(".git/config")).unwrap();
            let mut started = Command::new(&confined.program);
            started.args(&confined.arguments).env_clear().envs(&confined.environment.variables);
            let output = started.current_dir(home.join(folder)).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            assert_eq!(fs::metadata(top.join(".git")).unwrap().ino(), before, "{folder}");
            assert_eq!(fs::read_to_string(top.join(".git/config")).unwrap(), config, "{folder}");
            assert_eq!(fs::read_to_string(top.join(".git/hooks/pre-commit")).unwrap(), "as it was", "{folder}");
        }
    }
}

/// A file that is mounted alone can be written inside once somebody outside saves it by a rename: it is compared after the
/// turn.
#[tokio::test]
async fn settings_that_are_saved_during_a_turn_do_not_keep_what_the_agent_writes_then() {
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().canonicalize().unwrap();
    for mechanism in mechanisms(&root).await {
        if !matches!(mechanism, Mechanism::Namespaces { .. }) {
            continue;
        }
        for file in [".gemini/settings.json", ".gemini/GEMINI.md"] {
            let home = root.join(file.replace('/', "-"));
            let (folder, path) = (home.join("project"), home.join(file));
            for folder in ["g/run", "project"] {
                fs::create_dir_all(home.join(folder)).unwrap();
            }
            put(&home, file, "as it was");
            let environment = AgentEnvironment {
                variables: variables(&home),
                confinement: Confinement::In(Arc::new(sandbox(&home, mechanism.clone()))),
                access: Access::gemini(),
                ..AgentEnvironment::default()
            };
            let script = format!(
                "echo early > ~/{file}; touch ready; until [ -e go ]; do sleep 0.05; done; echo planted > ~/{file}; exit 0"
            );
            let confined = command(Path::new("/bin/sh"), &["-c", &script], &environment, Some(&folder)).unwrap();
            let before = ControlFiles::look(&folder, vec![path.clone()]);
            let mut started = Command::new(&confined.program);
            started.args(&confined.arguments).env_clear().envs(&confined.environment.variables).current_dir(&folder);
            let mut agent = started.spawn().unwrap();
            while !folder.join("ready").exists() {
                assert_eq!(agent.try_wait().unwrap(), None);
                std::thread::yield_now();
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), "as it was");
            // As an editor saves.
            put(&home, "saved", "as it was");
            fs::rename(home.join("saved"), &path).unwrap();
            fs::write(folder.join("go"), "").unwrap();
            assert!(agent.wait().unwrap().success());
            for mut change in before.changes() {
                assert_eq!(change.path(), path);
                change.put_back().unwrap();
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), "as it was", "{file}");
        }
    }
}
