//! The agents that a terminal's gstack finds.

use crate::stage::Stage;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Answers the queries with which gstack checks a Claude Code before it uses it.
const CLAUDE: &str = r#"#!/bin/sh
case "$1" in
  --version) echo "9.9.9 (Claude Code)" ;;
  --help) echo "--tools --setting-sources --strict-mcp-config --settings" ;;
  auth) echo '{"loggedIn": true}' ;;
esac
"#;

fn put_claude(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let program = folder.join("claude");
    std::fs::write(&program, CLAUDE).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
}

impl Stage {
    /// Runs a command in a terminal with this folder in its PATH.
    fn run_with_path(&self, folder: &Path, args: &[&str]) -> String {
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let output = self.command(args).env("PATH", path).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn an_agent_that_is_only_in_the_terminals_path_is_found() {
    let stage = Stage::new();
    let (first, second) = (stage.folder.path().join("first"), stage.folder.path().join("second"));
    put_claude(&first);
    put_claude(&second);
    // The terminal that started the daemon knows neither.
    assert!(!stage.run(&["agents"]).contains("9.9.9"));
    let found = stage.run_with_path(&first, &["agents"]);
    assert!(found.contains("9.9.9") && found.contains(&*first.to_string_lossy()), "{found}");
    // It stays known when another terminal lists the agents.
    assert!(stage.run(&["agents"]).contains("9.9.9"));
    let connected = stage.run_with_path(&second, &["connect", "--headless"]);
    assert!(connected.contains("Claude Code"), "{connected}");
    let found = stage.run(&["agents"]);
    assert!(found.contains(&*second.to_string_lossy()), "the terminal of the last connect comes first: {found}");
}

#[test]
fn what_was_changed_in_the_configuration_counts_at_the_next_look() {
    let stage = Stage::new();
    assert!(!stage.run(&["agents"]).contains("9.9.9"));
    let folder = stage.folder.path().join("own");
    put_claude(&folder);
    let file = stage.folder.path().join("g/config.toml");
    let named = format!("[agents.programs]\nclaude = \"{}/claude\"\n", folder.display());
    std::fs::write(&file, &named).unwrap();
    assert!(stage.run(&["agents"]).contains("9.9.9"));
    std::fs::write(&file, format!("{named}[daemon]\nprot = 1\n")).unwrap();
    let refused = stage.fails(&["agents"]);
    assert!(refused.contains("config.toml is not valid") && refused.contains("prot"), "{refused}");
    let refused = stage.fails(&["connect", "--headless"]);
    assert!(refused.contains("config.toml is not valid"), "{refused}");
    std::fs::remove_file(&file).unwrap();
    assert!(!stage.run(&["agents"]).contains("9.9.9"));
}
