//! Descriptions of Claude Code's own tools: for the step line and for permission questions.
//!
//! Owns the words of its built-in tools. The words of `gstack`'s tools come from the registry.

use crate::adapter::StepWords;
use crate::clip::{clip, one_line};
use gstack_protocol::chat::StepKind;
use serde_json::Value;
use std::path::Path;

/// The object of a step is one line in a narrow panel.
const LONGEST_OBJECT: usize = 120;

/// A card shows the complete content. Text longer than this, cut off with `…`, is too long to review anyway.
const LONGEST_THING: usize = 16 * 1024;

/// Describes a call of one of Claude Code's own tools. `folder`: paths inside it are shown relative to it.
pub(super) fn describe(tool: &str, input: &Value, folder: &Path) -> StepWords {
    let text = |name: &str| one_line(input.get(name).and_then(Value::as_str).unwrap_or_default(), LONGEST_OBJECT);
    let path = |name: &str| one_line(&relative(input.get(name).and_then(Value::as_str), folder), LONGEST_OBJECT);
    let (kind, verb, object) = match tool {
        "Read" => (StepKind::File, "Reading", path("file_path")),
        "Write" => (StepKind::File, "Writing", path("file_path")),
        "Edit" | "MultiEdit" => (StepKind::File, "Editing", path("file_path")),
        "NotebookEdit" => (StepKind::File, "Editing", path("notebook_path")),
        "Glob" => (StepKind::File, "Finding files", text("pattern")),
        "Grep" => (StepKind::File, "Searching files for", text("pattern")),
        "Bash" => (StepKind::Shell, "Running", text("command")),
        "WebFetch" => (StepKind::Read, "Fetching", text("url")),
        "WebSearch" => (StepKind::Read, "Searching the web for", text("query")),
        "AskUserQuestion" => (StepKind::Other, "Asking", first_question(input)),
        "Task" | "Agent" => (StepKind::Other, "Working on", text("description")),
        "TodoWrite" | "TaskUpdate" | "TaskList" | "TaskGet" => (StepKind::Other, "Planning", String::new()),
        "TaskCreate" => (StepKind::Other, "Planning", text("subject")),
        other => (StepKind::Other, "Using", plain_name(other)),
    };
    StepWords::of_own_tool(kind, verb, object)
}

/// Returns the permission question and its subject: the command, the path.
pub(super) fn question(tool: &str, input: &Value, folder: &Path) -> (String, String) {
    let words = describe(tool, input, folder);
    let named = |verb: &str| format!("{verb} {}", words.object).trim_end().to_owned();
    let whole = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
    let does = ["command", "file_path", "notebook_path", "url", "path", "pattern", "query"].into_iter().find_map(whole);
    let ask = match tool {
        "Bash" => "Run a command".to_owned(),
        "Read" => named("Read"),
        "Write" => named("Write"),
        "Edit" | "MultiEdit" | "NotebookEdit" => named("Edit"),
        "Glob" | "Grep" => format!("Search the files in {}", search_place(input, folder)),
        "WebFetch" => named("Fetch"),
        "WebSearch" => named("Search the web for"),
        other => format!("Use {}", plain_name(other)),
    };
    (ask, does.map_or_else(|| one_line(&input.to_string(), 1000), |whole| clip(&whole, LONGEST_THING)))
}

/// Returns `src/a.rs` for `/folder/src/a.rs`, and paths outside the folder unchanged.
fn relative(path: Option<&str>, folder: &Path) -> String {
    let path = path.unwrap_or_default();
    match Path::new(path).strip_prefix(folder) {
        Ok(below) if !below.as_os_str().is_empty() => below.display().to_string(),
        _ => path.to_owned(),
    }
}

fn search_place(input: &Value, folder: &Path) -> String {
    let place = relative(input.get("path").and_then(Value::as_str), folder);
    if place.is_empty() { "this folder".to_owned() } else { one_line(&place, LONGEST_OBJECT) }
}

fn first_question(input: &Value) -> String {
    let question = input.pointer("/questions/0/question").and_then(Value::as_str).unwrap_or_default();
    one_line(question, LONGEST_OBJECT)
}

/// Returns `tool` for `mcp__server__tool`.
fn plain_name(tool: &str) -> String {
    one_line(tool.rsplit("__").next().unwrap_or(tool), LONGEST_OBJECT)
}

#[cfg(test)]
mod tests {
    use super::{describe, question};
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn tools_are_told_in_words() {
        let table = [
            ("Read", json!({"file_path": "/srv/src/a.rs"}), "Reading src/a.rs"),
            ("Write", json!({"file_path": "/etc/x"}), "Writing /etc/x"),
            ("Bash", json!({"command": "ls\n -l"}), "Running ls -l"),
            ("Grep", json!({"pattern": "todo"}), "Searching files for todo"),
            ("AskUserQuestion", json!({"questions": [{"question": "Which?"}]}), "Asking Which?"),
            ("TodoWrite", json!({}), "Planning"),
            ("TaskCreate", json!({"subject": "s"}), "Planning s"),
            ("TaskUpdate", json!({"taskId": "1"}), "Planning"),
            ("mcp__other__list_things", json!(null), "Using list_things"),
            ("Read", json!({"file_path": 7}), "Reading"),
        ];
        for (tool, input, words) in table {
            let told = describe(tool, &input, Path::new("/srv"));
            assert_eq!(format!("{} {}", told.verb, told.object).trim_end(), words);
        }
    }

    #[test]
    fn a_question_names_the_thing_itself() {
        let ask = |tool: &str, input| question(tool, &input, Path::new("/srv"));
        assert_eq!(ask("Bash", json!({"command": "rm -r x"})), ("Run a command".into(), "rm -r x".into()));
        assert_eq!(ask("Write", json!({"file_path": "/srv/n.txt"})), ("Write n.txt".into(), "/srv/n.txt".into()));
        assert_eq!(ask("Grep", json!({"pattern": "x"})), ("Search the files in this folder".into(), "x".into()));
    }
}
