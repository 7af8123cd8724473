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
const WAYS: [(&str, &str, bool); 16] = [
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
    (
        "a folder that git takes for a repository",
        "git init -q --bare part && printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = TRAP\n' > part/config",
        true,
    ),
    (
        "a link in place of the work trees",
        "mkdir .git/evil && cp -r .git/objects .git/refs .git/config .git/worktrees .git/evil/ && \
         git config -f .git/evil/config core.fsmonitor TRAP && mv .git/worktrees .git/old && ln -s evil/worktrees .git/worktrees",
        true,
    ),
    (
        "a merge strategy in the folder",
        "COMMIT && PROGRAM && GIT_SEQUENCE_EDITOR=\"printf 'break\npick %s\n' $(git rev-parse HEAD) >\" \
         git -c user.name=a -c user.email=a@example rebase -q -i --root && echo x/evil > .git/rebase-merge/strategy",
        true,
    ),
    (
        "a merge strategy of a cherry-pick",
        "PROGRAM && for text in a b c; do echo $text > f; git add f; COMMIT; done; \
         git -c user.name=a -c user.email=a@example cherry-pick HEAD~2 HEAD~1; echo d > f; git add f; \
         printf '[options]\n\tstrategy = x/evil\n' > .git/sequencer/opts",
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
        let tree = root.join("tree");
        fs::remove_dir_all(&tree).ok();
        let add = format!("git worktree add --quiet --detach {}", tree.display());
        sh(&path, &format!("git init --quiet && git config extensions.worktreeConfig true && {COMMIT} && {add}"));
        Self { path, mark: root.join("mark") }
    }

    fn script(&self, way: &str) -> String {
        let trap = format!("'touch {}; false'", self.mark.display());
        let quoted = format!("\"touch {}; false\"", self.mark.display());
        let in_part = COMMIT.replacen("git", "git -C part", 1);
        let program = format!("mkdir git-merge-x && echo {trap} > git-merge-x/evil && chmod +x git-merge-x/evil");
        let bare = format!(
            "git init -q --bare bare && printf '#!/bin/sh\\n%s\\n' {trap} > bare/hooks/pre-receive && chmod +x bare/hooks/pre-receive"
        );
        // In a file it is quoted as git quotes it.
        way.replace("fsmonitor = TRAP", &format!("fsmonitor = {quoted}"))
            .replace("TRAP", &trap)
            .replace("COMMIT_IN_PART", &in_part)
            .replace("COMMIT", COMMIT)
            .replace("PROGRAM", &program)
            .replace("BARE_REPOSITORY", &bare)
    }

    /// Runs git as the person, wherever one could run. Returns whether the agent's program ran.
    fn springs(&self) -> bool {
        for folder in ["", "part", "sub", "../tree"] {
            for command in [
                &["status"][..],
                &["-c", "push.default=current", "push"],
                &["push", "origin", "HEAD:refs/heads/x"],
                &["rebase", "--continue"],
                &["cherry-pick", "--continue"],
            ] {
                let mut git = Command::new("git");
                git.args(["-c", "user.name=a", "-c", "user.email=a@example"]).args(command);
                git.current_dir(self.path.join(folder)).env("GIT_EDITOR", "true").output().ok();
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
            } else if what.starts_with("a merge strategy") {
                // The person's `--continue` above has ended it, without the agent's program.
                assert!(decision == "allow" || !repository.springs(), "{what}");
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

/// The turn is over, but not what the agent started in it: the comparison goes on until the next turn's end.
#[test]
fn a_program_that_outlives_a_turn_leaves_nothing_that_git_runs_either() {
    let hostile = Hostile::at(Some("about:blank"));
    hostile.stage.run(&["policy"]);
    let repository = Repository::of(&hostile);
    let mut turn = hostile.turn("start");
    let plant = repository.script(WAYS[0].1);
    let later = format!("(until [ -e go ]; do sleep 0.05; done; {plant}; touch planted) >/dev/null 2>&1 </dev/null &");
    assert!(!turn.shell(&later).is_error);
    drop(turn);
    assert!(!repository.path.join(".git/commondir").exists());
    fs::write(repository.path.join("go"), "").unwrap();
    while !repository.path.join("planted").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let mut turn = hostile.turn("go on");
    let asked = turn.ends_and_asks();
    assert!(!repository.springs(), "{asked}");
    assert!(asked["action"]["content"].as_str().unwrap().contains(".git/commondir"), "{asked}");
    hostile.stage.run(&["approvals", "deny", asked["approvalId"].as_str().unwrap()]);
    drop(turn);
    assert!(!repository.springs());
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

/// What git follows and a look must not: links inside a git directory, and a work tree that denies its own directory.
#[test]
fn no_link_and_no_changed_file_hides_from_a_look_what_git_runs() {
    let ways = [
        ("ln -s ../evil .git/info", ".git/info"),
        ("mkdir evil/attributes.d; ln -s ../../evil .git/rebase-merge", ".git/rebase-merge"),
        ("ln -s ../evil .git/modules", ".git/modules"),
        ("mkdir .git/modules; ln -s ../../evil .git/modules/one", ".git/modules/one"),
        ("mv .git/worktrees/tree .git/x; ln -s ../../evil .git/worktrees/tree", ".git/worktrees/tree"),
        ("mkdir .git/sequencer; printf '[options]\nstrategy=x\\\n/evil' > .git/sequencer/opts", ".git/sequencer/opts"),
        ("echo ref: refs/heads/x > evil/HEAD; echo .. > evil/commondir", "evil/commondir"),
        (
            "cd ../tree; git config --worktree core.fsmonitor evil; echo /nowhere > ../top/.git/worktrees/tree/gitdir",
            ".git/worktrees/tree/config.worktree",
        ),
    ];
    for (script, found) in ways {
        let kept = tempfile::tempdir().unwrap();
        let root = kept.path().canonicalize().unwrap();
        let top = root.join("top");
        fs::create_dir_all(top.join("evil")).unwrap();
        sh(
            &top,
            &format!(
                "git init --quiet && git config extensions.worktreeConfig true && {COMMIT} && git worktree add --quiet --detach ../tree \
                 && rm -rf .git/info"
            ),
        );
        let folder = if script.starts_with("cd") { root.join("tree") } else { top.clone() };
        let before = ControlFiles::look(&folder, Vec::new());
        assert!(before.changes().is_empty(), "{script}");
        sh(&top, script);
        let mut changes = before.changes();
        let paths: Vec<PathBuf> = changes.iter().map(|change| change.path().to_owned()).collect();
        assert_eq!(paths, [top.join(found)], "{script}");
        changes[0].put_back().unwrap();
        assert!(before.changes().is_empty() && top.join(found).symlink_metadata().is_err(), "{script}");
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
