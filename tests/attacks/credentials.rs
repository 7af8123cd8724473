//! Credentials: the guard of the file tools and the sandbox close the same places, and what the person's own Claude Code
//! runs can't be written by an agent. In each mechanism of this machine.

use crate::sandbox::{mechanisms, put, sandbox, variables};
use gstack_agent::adapter::AgentEnvironment;
use gstack_agent::guard::{CREDENTIALS, Guard};
use gstack_agent::sandbox::{Access, Confinement, Mechanism, command};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

const SECRET: &str = "the-secret-of-the-person";
/// Where the tools that the sandbox opens keep tokens.
const FOUND: [&str; 7] = [
    ".gem/credentials",
    ".local/share/gem/credentials",
    ".local/share/uv/credentials/token",
    ".opam/plugins/opam-publish/github.token",
    ".config/mise/config.toml",
    ".cargo/credentials.toml",
    ".config/git/credentials",
];

fn run(home: &Path, mechanism: &Mechanism, access: Access, script: &str) -> Output {
    let environment = AgentEnvironment {
        variables: variables(home),
        confinement: Confinement::In(Arc::new(sandbox(home, mechanism.clone()))),
        access,
        ..AgentEnvironment::default()
    };
    let folder = home.join("project");
    let confined = command(Path::new("/bin/sh"), &["-c", script], &environment, Some(&folder)).unwrap();
    let mut started = Command::new(&confined.program);
    started.args(&confined.arguments).env_clear().envs(&confined.environment.variables).current_dir(folder);
    started.output().unwrap()
}

#[tokio::test]
async fn the_sandbox_closes_every_credential_of_the_guard() {
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().canonicalize().unwrap();
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        let home = root.join(number.to_string());
        for folder in ["g/run", "project"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        for path in FOUND {
            put(&home, path, SECRET);
        }
        for path in CREDENTIALS.iter().filter(|path| !path.starts_with('/') && !home.join(path).exists()) {
            put(&home, path, SECRET);
        }
        // Variants: through a link of the person's, and beside what is open.
        std::os::unix::fs::symlink(home.join(".gem"), home.join("project/gems")).unwrap();
        let guard = Guard::new(&home.join("project"), Some(&home), &[home.join("g")]);
        for path in FOUND {
            assert!(guard.is_closed(&home.join(path)), "{path}");
        }
        let output = run(
            &home,
            &mechanism,
            Access::default(),
            "grep -rhs . ~ ./gems/ /etc/shadow /etc/sudoers; \
                grep -rhs . /proc/self/root$HOME/.gem /proc/1/root$HOME/.cargo /proc/self/cwd/../.config/git ../.opam; \
                for file in ../.gem/credentials ../.cargo/credentials.toml; do ln $file own; mv $file own; ln -s $file own; cat own; done 2>&1; \
                exit 0",
        );
        assert!(output.status.success(), "{mechanism:?}: {output:?}");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!said.contains(SECRET) && !said.contains("root:"), "{mechanism:?}: {said}");
    }
}

#[tokio::test]
async fn an_agent_changes_nothing_that_the_person_s_own_claude_runs() {
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().canonicalize().unwrap();
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        let home = root.join(number.to_string());
        for folder in ["g/run", "project"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        let existing = [
            "local/claude",
            "statusline.sh",
            "settings.json",
            "hooks/before.sh",
            "shell-snapshots/snapshot-bash-1.sh",
            "session-env/1/hook.sh",
            "backups/.claude.json.backup.1",
            "plugins/one/run.sh",
        ];
        for path in existing {
            put(&home, &format!(".claude/{path}"), "as it was");
        }
        put(&home, ".claude/.credentials.json", "\"old\"");
        put(&home, ".ssh/authorized_keys", "as it was");
        let missing =
            ["settings.local.json", "CLAUDE.md", "agents/evil.md", "commands/evil.md", "skills/evil/SKILL.md"];
        let all =
            existing.iter().chain(&missing).flat_map(|path| [format!("~/.claude/{path}"), format!("$own/{path}")]);
        let all = all.collect::<Vec<_>>().join(" ");
        // Where the program finds its configuration. A folder that it may write takes the place of another one.
        let script = format!(
            "own=${{CLAUDE_CONFIG_DIR:-$HOME/.claude}}; mkdir -p ~/.claude/plans/x; echo planted > ~/.claude/plans/before.sh; \
             for file in {all}; do mkdir -p $(dirname $file); rm -f $file; echo planted > $file; mv $(dirname $file) ~/.claude/away; \
             mkdir -p $(dirname $file); echo planted > $file; done 2>/dev/null; \
             for name in hooks plugins local; do mv ~/.claude/$name ~/.claude/$name.old; mv -T ~/.claude/plans ~/.claude/$name; done 2>/dev/null; \
             mkdir -p ~/project/keys; echo planted > ~/project/authorized_keys; mv ~/.ssh ~/ssh; mv -T ~/project ~/.ssh; mv -T ~/project/keys ~/.ssh; \
             for file in settings.json hooks/before.sh local/claude; do ln ~/.claude/$file ~/.claude/plans/hard; \
             echo planted > ~/.claude/plans/hard; rm -f ~/.claude/plans/hard; ln -s ../$file ~/.claude/plans/hard; \
             echo planted > ~/.claude/plans/hard; rm -f ~/.claude/plans/hard; done 2>/dev/null; \
             rm -rf $own/.credentials.json; mkdir -p ~/.claude/projects/one && echo kept > ~/.claude/projects/one/talk.jsonl && \
             echo '\"new\"' > $own/.credentials.json"
        );
        let output = run(&home, &mechanism, Access::claude(), &script);
        assert!(output.status.success(), "{output:?}");
        for path in existing {
            assert_eq!(fs::read_to_string(home.join(".claude").join(path)).unwrap(), "as it was", "{path}");
        }
        for path in missing {
            assert!(!home.join(".claude").join(path).exists(), "{path}");
        }
        assert_eq!(fs::read_to_string(home.join(".claude/projects/one/talk.jsonl")).unwrap(), "kept\n");
        assert_eq!(fs::read_to_string(home.join(".claude/.credentials.json")).unwrap(), "\"new\"\n");
        assert_eq!(fs::read_to_string(home.join(".ssh/authorized_keys")).unwrap(), "as it was");
    }
}
