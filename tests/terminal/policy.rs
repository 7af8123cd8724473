//! Questions of a person about the rules: which one decides, why, and whether a file of expectations holds.

use crate::stage::Stage;
use serde_json::Value;

#[test]
fn the_rules_explain_themselves_and_are_held_against_expectations() {
    let stage = Stage::new();
    let explained = |words: &[&str]| -> Value {
        let said = stage.run(&[&["--json", "policy", "explain"], words].concat());
        serde_json::from_str(&said).unwrap()
    };
    assert_eq!(explained(&["snapshot"])["verdict"], "runs");
    assert_eq!(explained(&["cookies"])["verdict"], "not-offered");
    let click = explained(&["click", "--site", "shop.example"]);
    assert_eq!((&click["verdict"], &click["scope"]), (&"asks".into(), &"act".into()));
    assert!(click["choices"].as_array().unwrap().contains(&"allow-site".into()), "{click}");

    stage.run(&["policy", "allow", "act", "--site", "shop.example"]);
    stage.run(&["policy", "deny", "submit"]);
    let click = explained(&["click", "--site", "https://shop.example/cart"]);
    assert_eq!((&click["verdict"], &click["rule"]["site"]), (&"runs".into(), &"shop.example".into()));
    assert_eq!(click["others"][0]["why"], "it covers something else");
    assert_eq!(explained(&["act", "--site", "shop.example", "--risk", "carries"])["verdict"], "asks");
    assert_eq!(explained(&["submit", "--site", "shop.example"])["verdict"], "refused");
    let said = stage.run(&["policy", "explain", "click", "--site", "other.example"]);
    assert!(said.starts_with("Asks you first. No rule covers it.\nOther rules:\n"), "{said}");
    assert!(said.contains("allow act on shop.example in gstack's own browser: it is for another site"), "{said}");
    let said = stage.said(&["policy", "explain", "clik"]);
    assert!(
        said.code == Some(2) && said.err.contains("neither a command") && said.err.contains("Use look, act"),
        "{said:?}"
    );
    let said = stage.said(&["policy", "explain", "act", "--site", "a b"]);
    assert!(said.code == Some(2) && said.err.contains("a b"), "{said:?}");

    let said = stage.said(&["policy", "allow", "act", "--for", "4000d"]);
    assert!(said.code == Some(2) && said.err.contains("may last for a year at most"), "{said:?}");

    let file = stage.folder.path().join("expected.toml");
    let path = file.to_str().unwrap();
    let expects = |lines: &str| std::fs::write(&file, lines).unwrap();
    expects(
        "[[expect]]\naction = \"click\"\nsite = \"shop.example\"\nverdict = \"runs\"\n\n\
         [[expect]]\naction = \"submit\"\nverdict = \"refused\"\n",
    );
    assert_eq!(stage.run(&["policy", "test", path]).trim_end(), "✓ click on shop.example: runs\n✓ submit: refused");
    expects("[[expect]]\naction = \"click\"\nsite = \"other.example\"\nverdict = \"runs\"\n");
    let said = stage.said(&["policy", "test", path]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("✗ click on other.example: asks, expected runs. No rule covers it."), "{said:?}");
    assert!(said.err.contains("not met: 1 of 1"), "{said:?}");
    // None of this is a decision: the audit contains only the two rules that were made.
    assert_eq!(stage.run(&["audit"]).trim_end().lines().count(), 2);
}
