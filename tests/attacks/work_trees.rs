//! gstack's own git, in the running program: a repository and an agent set every trap that git knows, and none springs
//! when a conversation gets its work tree, works in it and is gone. Without the sandbox, which would hide it.

use crate::acp_agent::Hostile;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const HOOKS: [&str; 6] =
    ["post-checkout", "post-index-change", "reference-transaction", "pre-commit", "post-merge", "fsmonitor-watchman"];

struct Traps {
    marks: PathBuf,
}

impl Traps {
    fn sprung(&self) -> Vec<String> {
        let found = fs::read_dir(&self.marks).unwrap().flatten();
        found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Returns shell commands that set the traps in a git directory.
    fn set_in(&self, dir: &Path, who: &str) -> String {
        let (dir, marks) = (dir.display(), self.marks.display());
        let mut script = format!("set -e; mkdir -p {dir}/hooks {dir}/info\n");
        let program = format!("{dir}/trap.sh");
        for path in HOOKS.iter().map(|hook| format!("{dir}/hooks/{hook}")).chain([program.clone()]) {
            let name = path.rsplit('/').next().unwrap_or_default();
            script += &format!("printf '#!/bin/sh\\ntouch {marks}/{who}-{name}\\n' > {path}; chmod 755 {path}\n");
        }
        let touch = |name: &str| format!("touch {marks}/{who}-{name}");
        for (name, value) in [
            ("core.fsmonitor", program.clone()),
            ("core.hooksPath", format!("{dir}/hooks")),
            ("core.pager", touch("pager")),
            ("core.editor", touch("editor")),
            ("core.sshCommand", touch("ssh")),
            ("core.askPass", program.clone()),
            ("credential.helper", format!("!{}", touch("credential"))),
            ("diff.external", program.clone()),
            ("diff.a=b.command", touch("diff")),
            ("diff.a=b.textconv", touch("textconv")),
            ("filter.a=b.clean", format!("{}; cat", touch("clean"))),
            ("filter.a=b.smudge", format!("{}; cat", touch("smudge"))),
            ("filter.a=b.process", touch("process")),
            ("merge.a=b.driver", touch("merge")),
            ("alias.status", format!("!{}", touch("alias-status"))),
            ("alias.worktree", format!("!{}", touch("alias-worktree"))),
            ("pager.status", "true".to_owned()),
            ("gpg.program", program.clone()),
            ("submodule.recurse", "true".to_owned()),
        ] {
            script += &format!("git config --file {dir}/included '{name}' '{value}'\n");
        }
        // By an included file, as a configuration that is looked through for names would miss.
        script += &format!("git config --file {dir}/config include.path {dir}/included\n");
        script + &format!("printf '* filter=a=b diff=a=b merge=a=b\\n' > {dir}/info/attributes\n")
    }
}

fn sh(folder: &Path, script: &str) {
    let output = Command::new("/bin/sh").args(["-c", script]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{script}: {output:?}");
}

#[test]
fn nothing_of_a_hostile_repository_or_of_an_agents_own_git_runs_by_gstacks_git() {
    let hostile = Hostile::at(None);
    let root = hostile.stage.folder.path().canonicalize().unwrap();
    let (repository, planted) = (root.join("repository"), root.join("planted"));
    let traps = Traps { marks: root.join("marks") };
    for folder in [&repository, &planted, &traps.marks] {
        fs::create_dir(folder).unwrap();
    }
    let commit = "git init --quiet && echo one > file && echo '* filter=a=b diff=a=b merge=a=b' > .gitattributes && git add . \
                  && git -c user.name=a -c user.email=a@example commit --quiet --message=one";
    sh(&repository, commit);
    sh(&planted, commit);
    sh(&root, &traps.set_in(&repository.join(".git"), "repository"));
    // They are traps: a plain git springs some of them.
    let copy = root.join("copy");
    sh(&root, "cp -r repository copy");
    Command::new("git").arg("status").current_dir(&copy).output().unwrap();
    assert!(!traps.sprung().is_empty());
    fs::remove_dir_all(&traps.marks).unwrap();
    fs::create_dir(&traps.marks).unwrap();
    for (name, value) in [
        ("agents.sandbox", "off"),
        ("worktrees.repository", repository.to_str().unwrap()),
        ("worktrees.enabled", "true"),
    ] {
        hostile.stage.run(&["settings", "set", name, value]);
    }
    let mut turn = hostile.turn("one");
    let tree = PathBuf::from(turn.shell("pwd").text.trim());
    assert!(tree.starts_with(root.join("g/worktrees")), "{}", tree.display());
    assert_eq!(fs::read_to_string(tree.join("file")).unwrap(), "one\n");
    // The agent plants a repository of its own as that of its tree, and traps in the tree's git directory.
    let own = fs::read_to_string(tree.join(".git")).unwrap();
    let own = PathBuf::from(own.trim().strip_prefix("gitdir: ").unwrap());
    for (dir, who) in [(planted.join(".git"), "planted"), (own, "own")] {
        let said = turn.shell(&traps.set_in(&dir, who));
        assert!(!said.is_error, "{said:?}");
    }
    let link = format!("printf 'gitdir: {}\\n' > .git", planted.join(".git").display());
    assert!(!turn.shell(&link).is_error);
    // The person allows what the agent made of the tree's `.git`: gstack's own git must not care.
    let asked = turn.ends_and_asks();
    hostile.stage.run(&["approvals", "allow", asked["approvalId"].as_str().unwrap()]);
    drop(turn);
    // The next daemon finds the tree without its conversation, looks at it and removes it.
    hostile.stage.run(&["stop"]);
    fs::remove_dir_all(root.join("g/sessions")).unwrap();
    hostile.stage.run(&["policy"]);
    while tree.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(traps.sprung(), Vec::<String>::new());
}
