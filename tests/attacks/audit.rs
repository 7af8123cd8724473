//! Tampering with the record of agents' actions is detected, and rules with an invalid or too distant end are refused.

use crate::hostile::Stage;
use std::path::Path;

/// Creates an audit of five lines: rules that the person made.
fn recorded() -> (Stage, Vec<String>) {
    let stage = Stage::new();
    for site in ["one.example", "two.example", "three.example", "four.example", "five.example"] {
        stage.run(&["policy", "deny", "act", "--site", site]);
    }
    let text = std::fs::read_to_string(file(&stage.home())).unwrap();
    (stage, text.lines().map(str::to_owned).collect())
}

fn file(home: &Path) -> std::path::PathBuf {
    home.join("audit.jsonl")
}

/// Returns whether `gstack audit --verify` accepts these lines.
fn holds(stage: &Stage, lines: &[String]) -> bool {
    std::fs::write(file(&stage.home()), lines.join("\n") + "\n").unwrap();
    let output = stage.gstack(&["audit", "--verify"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), said.is_empty(), "{said}");
    if !output.status.success() {
        assert!(said.contains("the audit failed verification") && said.contains("Compare audit.jsonl"), "{said}");
    }
    output.status.success()
}

#[test]
fn an_audit_that_was_rewritten_does_not_hold() {
    let (stage, lines) = recorded();
    assert_eq!(lines.len(), 5);
    assert!(holds(&stage, &lines), "as it was written");
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut changed = lines.clone();
        change(&mut changed);
        holds(&stage, &changed)
    };
    assert!(!with(&|lines| lines[2] = lines[2].replace("three.example", "other.example")), "a changed word");
    assert!(!with(&|lines| drop(lines.remove(1))), "a removed line");
    assert!(!with(&|lines| lines.swap(1, 3)), "two lines in another order");
    assert!(!with(&|lines| lines.insert(2, lines[2].clone())), "a line twice");
    assert!(!with(&|lines| lines.truncate(3)), "the newest lines removed");
    assert!(!with(&|lines| drop(lines.drain(..2))), "the oldest lines removed");
    assert!(!with(&|lines| lines.push(lines[4].replace("five", "six"))), "a forged line at the end");
    assert!(holds(&stage, &lines), "as it was written");
}

#[test]
fn a_rule_ends_within_a_year_or_never() {
    let stage = Stage::new();
    for until in ["9223372036854775808h", "1e30h", "inf", "nan", "-1h", "9000h"] {
        let output = stage.gstack(&["policy", "unattended", "--", until]).output().unwrap();
        assert!(!output.status.success(), "{until}");
    }
    assert!(stage.run(&["policy"]).contains("No rules"));
}
