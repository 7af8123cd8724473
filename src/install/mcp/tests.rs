//! Clients' files before and after a change.

use super::{EditError, McpClient, Server, Wanted, apply_at, json, table, yaml};
use gstack_protocol::fault::FaultCode;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

fn server() -> Server {
    Server { command: "/opt/gstack".to_owned(), arguments: vec!["mcp".to_owned()], environment: Vec::new() }
}

fn present() -> Wanted {
    Wanted::Present(server())
}

fn in_json(text: &str, wanted: &Wanted) -> Result<String, EditError> {
    json::edit(text, "mcpServers", json::Entry::WithTransport, wanted)
}

#[test]
fn json_gets_the_server_and_keeps_the_rest_to_the_letter() {
    let text = "{\n    \"numbers\": [1.0, 1e400, 12345678901234567890123],\n    \"mcpServers\": {\n        \"other\": { \"command\":   \"x\" }\n    },\n    \"z\": null\n}\n";
    let with = in_json(text, &present()).unwrap();
    assert!(
        with.contains("[1.0, 1e400, 12345678901234567890123]") && with.contains("{ \"command\":   \"x\" }"),
        "{with}"
    );
    assert!(with.find("numbers") < with.find("mcpServers") && with.find("mcpServers") < with.find("\"z\""), "{with}");
    assert!(
        with.contains(
            "\n        \"gstack\": {\n            \"type\": \"stdio\",\n            \"command\": \"/opt/gstack\""
        ),
        "{with}"
    );
    assert_eq!(in_json(&with, &present()).unwrap(), with, "twice changes nothing");
    let without = in_json(&with, &Wanted::Absent).unwrap();
    assert!(!without.contains("gstack") && without.contains("1e400") && without.contains("other"), "{without}");
    assert_eq!(in_json(text, &Wanted::Absent).unwrap(), text);
}

#[test]
fn an_empty_or_missing_json_file_becomes_one_and_another_server_of_our_name_stays() {
    for text in ["", "  \n", "{}", r#"{"mcpServers":null}"#, r#"{"mcpServers":{}}"#] {
        let value: Value = serde_json::from_str(&in_json(text, &present()).unwrap()).unwrap();
        assert_eq!(value["mcpServers"]["gstack"]["args"][0], "mcp", "{text:?}");
    }
    let updated = r#"{"mcpServers":{"gstack":{"command":"/old/gstack","args":["mcp","--profile","all"]}}}"#;
    assert!(in_json(updated, &present()).unwrap().contains("/opt/gstack"));
    let foreign = r#"{"mcpServers":{"gstack":{"command":"/usr/bin/stacker","args":[]}}}"#;
    assert_eq!(in_json(foreign, &present()), Err(EditError::Foreign("/usr/bin/stacker".to_owned())));
    assert_eq!(in_json(foreign, &Wanted::Absent), Err(EditError::Foreign("/usr/bin/stacker".to_owned())));
}

#[test]
fn a_server_is_written_as_its_client_reads_it_and_recognised_again() {
    let moved = Server { environment: vec![("GSTACK_HOME".to_owned(), "/h".to_owned())], ..server() };
    for (form, expected) in [
        (json::Entry::Plain, r#"{"command":"/opt/gstack","args":["mcp"],"env":{"GSTACK_HOME":"/h"}}"#),
        (
            json::Entry::WithTools,
            r#"{"tools":["*"],"command":"/opt/gstack","args":["mcp"],"env":{"GSTACK_HOME":"/h"}}"#,
        ),
        (
            json::Entry::OneCommand,
            r#"{"type":"local","command":["/opt/gstack","mcp"],"environment":{"GSTACK_HOME":"/h"}}"#,
        ),
    ] {
        let text = json::edit("{}", "mcp", form, &Wanted::Present(moved.clone())).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["mcp"]["gstack"], serde_json::from_str::<Value>(expected).unwrap());
        let without = json::edit(&text, "mcp", form, &Wanted::Absent).unwrap();
        assert!(!without.contains("gstack"), "{without}");
    }
}

#[test]
fn json_that_is_none_is_refused() {
    for text in [
        "{ /* mine",
        "{\"a\":1,,}",
        "[]",
        "{\"a\":",
        "null",
        "\u{feff}{}",
        "{} {}",
        "{\"a\" 1}",
        "{\"a\": tru}",
        "{\"a}",
    ] {
        assert!(matches!(in_json(text, &present()), Err(EditError::Unreadable { .. })), "{text:?}");
    }
    assert_eq!(in_json(r#"{"mcpServers":[1]}"#, &present()), Err(EditError::NoServers("mcpServers".to_owned())));
}

#[test]
fn json_keeps_comments_and_what_is_removed_leaves_the_text_as_it_was() {
    let texts = [
        "{\n  // mine\n  \"a\": \"x // \\\" }\", /* b */\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" } // last\n  },\n}\n",
        "{\n\t\"mcpServers\": {\n\t\t\"other\": {},\n\t\t// nothing more\n\t},\n\t\"b\": [1, 2,],\n}",
        "{\n  \"mcpServers\": {}\n}\n",
    ];
    for text in texts {
        let with = in_json(text, &present()).unwrap();
        for line in text.lines().filter(|line| line.contains("//") || line.contains("/*")) {
            assert!(
                with.contains(line.trim()) || with.contains(&line.trim().replace("} //", "}, //")),
                "{line}\n{with}"
            );
        }
        assert_eq!(in_json(&with, &present()).unwrap(), with, "twice changes nothing");
        let moved = Server { command: "/new/gstack".to_owned(), ..server() };
        let updated = in_json(&with, &Wanted::Present(moved)).unwrap();
        assert_eq!(updated, with.replace("/opt/gstack", "/new/gstack"));
        assert_eq!(in_json(&updated, &Wanted::Absent).unwrap(), text);
    }
    let first = "{\"mcpServers\": {\n  \"gstack\": {\"command\": \"/opt/gstack\", \"args\": [\"mcp\"]}, // ours\n  \"z\": {}\n}}";
    let without = in_json(first, &Wanted::Absent).unwrap();
    assert_eq!(without, "{\"mcpServers\": { // ours\n  \"z\": {}\n}}");
    let twice = r#"{"mcpServers": {}, "mcpServers": {}}"#;
    assert_eq!(in_json(twice, &present()), Err(EditError::Entangled));
}

#[test]
fn toml_keeps_comments_and_other_tables() {
    let text = "# mine\nmodel = \"gpt\" # best\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[profiles.a]\nb = 1\n";
    let in_toml = |text: &str, wanted: &Wanted| table::edit(text, "mcp_servers", wanted);
    let with = in_toml(text, &present()).unwrap();
    assert!(with.starts_with(text.trim_end()), "{with}");
    assert!(with.ends_with("[mcp_servers.gstack]\ncommand = \"/opt/gstack\"\nargs = [\"mcp\"]\n"), "{with}");
    assert_eq!(in_toml(&with, &present()).unwrap(), with);
    assert_eq!(in_toml(&with, &Wanted::Absent).unwrap(), text);
    let moved = Server { environment: vec![("GSTACK_HOME".to_owned(), "/h".to_owned())], ..server() };
    let with_home = in_toml(&with, &Wanted::Present(moved)).unwrap();
    assert!(with_home.contains("GSTACK_HOME") && with_home.matches("[mcp_servers.gstack]").count() == 1, "{with_home}");
    assert_eq!(in_toml(&with_home, &Wanted::Absent).unwrap(), text);
    let beneath = format!("{with}\n[mcp_servers.gstack.env]\nA = \"b\"\n");
    assert_eq!(in_toml(&beneath, &Wanted::Absent).unwrap(), text, "tables beneath it go with it");
    assert_eq!(in_toml("", &Wanted::Absent).unwrap(), "");
    assert!(matches!(in_toml("a = ", &present()), Err(EditError::Unreadable { .. })));
    let inline = "mcp_servers = { gstack = { command = \"/old/gstack\", args = [\"mcp\"] } }\n";
    assert_eq!(in_toml(inline, &present()), Err(EditError::Entangled), "an inline table is not taken apart");
}

#[test]
fn toml_with_a_list_of_servers_keeps_comments_and_the_other_servers() {
    let in_list = |text: &str, wanted: &Wanted| table::edit_list(text, "mcp_servers", wanted);
    let text =
        "# mine\nmodel = \"m\"\n\n[[mcp_servers]]\nname = \"other\" # first\ncommand = \"x\"\n\n[tools.bash]\na = 1\n";
    let with = in_list(text, &present()).unwrap();
    let ours =
        "\n[[mcp_servers]]\nname = \"gstack\"\ntransport = \"stdio\"\ncommand = \"/opt/gstack\"\nargs = [\"mcp\"]\n";
    assert_eq!(with, format!("{text}{ours}"));
    assert_eq!(in_list(&with, &present()).unwrap(), with, "twice changes nothing");
    let moved = Server { environment: vec![("GSTACK_HOME".to_owned(), "/h".to_owned())], ..server() };
    let updated = in_list(&with, &Wanted::Present(moved)).unwrap();
    assert!(updated.matches("name = \"gstack\"").count() == 1 && updated.contains("GSTACK_HOME"), "{updated}");
    assert_eq!(in_list(&updated, &Wanted::Absent).unwrap(), text);
    let foreign = "[[mcp_servers]]\nname = \"gstack\"\ncommand = \"/usr/bin/stacker\"\n";
    assert_eq!(in_list(foreign, &present()), Err(EditError::Foreign("/usr/bin/stacker".to_owned())));
    assert_eq!(in_list("mcp_servers = 1\n", &present()), Err(EditError::NoServers("mcp_servers".to_owned())));
    assert_eq!(
        in_list(
            "mcp_servers = [{ name = \"gstack\", command = \"gstack\", args = [\"mcp\"] }, { name = \"x\" }]\n",
            &Wanted::Absent
        ),
        Err(EditError::Entangled)
    );
}

#[test]
fn yaml_gets_one_line_and_keeps_the_rest_to_the_letter() {
    let in_yaml = |text: &str, wanted: &Wanted| yaml::edit(text, &["mcp", "servers"], wanted);
    let line = "gstack: {\"command\":\"/opt/gstack\",\"args\":[\"mcp\"]}\n";
    for (text, expected) in [
        ("", format!("mcp:\n  servers:\n    {line}")),
        ("# mine\nmodel: m # best\n", format!("# mine\nmodel: m # best\nmcp:\n  servers:\n    {line}")),
        (
            "mcp: # ours\n    servers:\n        # first\n        other:\n            command: x\n# end\nz: 1\n",
            format!(
                "mcp: # ours\n    servers:\n        {line}        # first\n        other:\n            command: x\n# end\nz: 1\n"
            ),
        ),
        ("mcp:\n  a: 1\nz: |\n  mcp:\n", format!("mcp:\n  a: 1\n  servers:\n    {line}z: |\n  mcp:\n")),
        ("mcp:\n", format!("mcp:\n  servers:\n    {line}")),
    ] {
        let with = in_yaml(text, &present()).unwrap();
        assert_eq!(with, expected);
        assert_eq!(in_yaml(&with, &present()).unwrap(), with, "twice changes nothing");
        let moved = Server { command: "/new/gstack".to_owned(), ..server() };
        assert_eq!(in_yaml(&with, &Wanted::Present(moved)).unwrap(), with.replace("/opt/gstack", "/new/gstack"));
        let without = in_yaml(&with, &Wanted::Absent).unwrap();
        let ours = expected.lines().position(|one| one.contains("/opt/gstack")).unwrap();
        let rest: Vec<&str> = expected.lines().enumerate().filter(|(at, _)| *at != ours).map(|(_, one)| one).collect();
        assert_eq!(without.lines().collect::<Vec<_>>(), rest);
        assert_eq!(in_yaml(&without, &Wanted::Absent).unwrap(), without);
    }
    let block =
        "mcp:\n  servers:\n    gstack:\n      command: /old/gstack\n      args: [mcp, --trusted]\n    other: {}\n";
    assert_eq!(in_yaml(block, &present()).unwrap(), format!("mcp:\n  servers:\n    {line}    other: {{}}\n"));
    let foreign = block.replace("/old/gstack", "stacker");
    assert_eq!(in_yaml(&foreign, &present()), Err(EditError::Foreign("stacker".to_owned())));
    for odd in ["{a: 1}", "- a\n", "a\n", "a: 1\n---\nb: 2\n", "a:\n\tb: 1\n", " a: 1\n"] {
        assert!(matches!(in_yaml(odd, &present()), Err(EditError::Unreadable { .. })), "{odd:?}");
    }
    for inline in ["mcp: {servers: {}}\n", "mcp:\n  - a\n", "mcp: &x\n  servers:\n"] {
        assert_eq!(in_yaml(inline, &present()), Err(EditError::NoServers("mcp".to_owned())), "{inline:?}");
    }
    assert_eq!(in_yaml("mcp:\nmcp:\n", &present()), Err(EditError::Entangled));
}

#[test]
fn a_file_is_replaced_whole_with_its_mode_and_behind_its_link() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (real, link) = (folder.join("real.json"), folder.join("deep/mcp.json"));
    fs::write(&real, "{\"a\": 1}").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(folder.join("deep")).unwrap();
    symlink(&real, &link).unwrap();
    let shown = apply_at(McpClient::Cursor, &link, &present(), true).unwrap();
    assert!(shown.changed && shown.text.contains("gstack"));
    assert_eq!(fs::read_to_string(&real).unwrap(), "{\"a\": 1}", "only shown");
    apply_at(McpClient::Cursor, &link, &present(), false).unwrap();
    assert!(fs::read_to_string(&real).unwrap().contains("gstack") && link.is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    let fresh = folder.join("new/sub/settings.json");
    assert!(apply_at(McpClient::Gemini, &fresh, &present(), false).unwrap().changed);
    fs::write(&fresh, "{ // comment\n").unwrap();
    let fault = apply_at(McpClient::Gemini, &fresh, &present(), false).unwrap_err();
    assert!(fault.code == FaultCode::Conflict && fault.hint.unwrap().contains("/opt/gstack"));
    assert_eq!(fs::read_to_string(&fresh).unwrap(), "{ // comment\n");
}

#[test]
fn every_client_has_its_own_file_in_the_home() {
    let home = Path::new("/h");
    let nowhere = |_: &str| None;
    let files: Vec<PathBuf> =
        McpClient::NAMES.iter().map(|name| McpClient::named(name).unwrap().file(home, &nowhere)).collect();
    assert!(files.iter().all(|file| file.starts_with(home)));
    assert_eq!(files[0], home.join(".claude.json"));
    let moved = |name: &str| (name == "CODEX_HOME").then(|| PathBuf::from("/c"));
    assert_eq!(McpClient::Codex.file(home, &moved), Path::new("/c/config.toml"));
}
