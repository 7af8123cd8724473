//! One tool call of an ACP agent: the updates about it so far, and its description for people.
//!
//! Pure. An agent reports a call in parts, in any order; this module merges them.

use super::wire::{CallContent, ToolCall};
use crate::adapter::{Image, StepWords, Tools};
use crate::clip::{clip, one_line};
use crate::direct::FLOW_TOOL_PREFIX;
use crate::guard::Guard;
use crate::rpc::content::{self, Content};
use gstack_protocol::chat::StepKind;
use gstack_protocol::page_tool::PAGE_TOOL_PREFIX;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The name of our MCP server.
const SERVER: &str = "gstack";
/// The object of a step is one line in a narrow panel.
const LONGEST_OBJECT: usize = 120;
/// A card shows the complete content. Text longer than this, cut off with `…`, is too long to review anyway.
const LONGEST_THING: usize = 16 * 1024;

#[derive(Debug, Default)]
pub(super) struct Call {
    told: ToolCall,
    /// The first title that was reported: the tool's name.
    first_title: Option<String>,
    /// `StepStarted` was sent to the conversation.
    pub begun: bool,
    pub done: bool,
    /// A person or the policy denied the call.
    pub denied: bool,
}

impl Call {
    /// Merges an update.
    pub(super) fn merge(&mut self, update: ToolCall) {
        if self.first_title.is_none() {
            self.first_title.clone_from(&update.title);
        }
        let told = &mut self.told;
        told.title = update.title.or(told.title.take());
        told.kind = update.kind.or(told.kind.take());
        told.status = update.status.or(told.status.take());
        told.content = update.content.filter(|content| !content.is_empty()).or(told.content.take());
        told.locations = update.locations.filter(|places| !places.is_empty()).or(told.locations.take());
        told.raw_input = update.raw_input.filter(has_content).or(told.raw_input.take());
        told.raw_output = update.raw_output.or(told.raw_output.take());
        told.meta = update.meta.or(told.meta.take());
    }

    pub(super) fn status(&self) -> &str {
        self.told.status.as_deref().unwrap_or("pending")
    }

    /// Returns whether enough is known to describe the call: agents announce a call before they know its arguments.
    pub(super) fn is_telling(&self) -> bool {
        self.told.raw_input.is_some() || self.status() != "pending"
    }

    fn title(&self) -> &str {
        self.told.title.as_deref().unwrap_or_default()
    }

    fn kind(&self) -> &str {
        self.told.kind.as_deref().unwrap_or("other")
    }

    /// Returns the registry's name if this is one of our own tools: by what the agent's program adds to the call, or by the
    /// call's first title.
    pub(super) fn own_tool<'a>(&'a self, offered: &'a [String]) -> Option<&'a str> {
        let candidate = self.of_codex().or_else(|| self.by_name())?;
        // A page's tools and flows are ours too: the policy asks about each call.
        let is_plain = |text: &str| text.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '_' | '-'));
        if [PAGE_TOOL_PREFIX, FLOW_TOOL_PREFIX].into_iter().any(|prefix| candidate.starts_with(prefix))
            && is_plain(candidate)
        {
            return Some(candidate);
        }
        offered.iter().map(String::as_str).find(|tool| *tool == candidate)
    }

    /// Returns our tool in a call of Codex, which describes MCP calls like commands and marks them itself.
    fn of_codex(&self) -> Option<&str> {
        let is_mcp = self.told.meta.as_ref()?.get("is_mcp_tool_call")?.as_bool()?;
        let input = self.told.raw_input.as_ref().filter(|_| is_mcp)?;
        (input.get("server")?.as_str()? == SERVER).then(|| input.get("tool")?.as_str())?
    }

    /// Returns our tool by its name: `mcp__gstack__goto` (Claude Code, Qwen Code), `goto (gstack MCP Server)` (Gemini), `gstack_goto`
    /// (opencode), `gstack-goto` (Copilot), `gstack/goto` (fast-agent), `mcp_gstack.goto`
    /// (Vibe).
    fn by_name(&self) -> Option<&str> {
        let meta = self.told.meta.as_ref();
        let meta =
            meta.and_then(|meta| meta.pointer("/claudeCode/toolName").or_else(|| meta.get("toolName"))?.as_str());
        // The title of a shell command is the command itself, which a model can choose freely. Some agents also replace the
        // first title, the tool's name, by words of the model.
        let named = match (meta, self.kind()) {
            (Some(named), _) => named,
            (None, "execute") => return None,
            (None, _) => self.first_title.as_deref()?,
        };
        let full = named.strip_prefix("mcp__gstack__").or_else(|| named.strip_suffix(" (gstack MCP Server)"));
        let short = || {
            let rest = named.strip_prefix("mcp_").unwrap_or(named).strip_prefix(SERVER)?;
            let name = rest.strip_prefix("__").or_else(|| rest.strip_prefix(['_', '-', '/', '.']))?;
            Some(name).filter(|_| self.kind() == "other")
        };
        full.or_else(short)
    }

    /// Returns the arguments, as far as the agent reports them. Gemini reports those of MCP tools as text.
    fn arguments(&self) -> Value {
        if let Some(input) = &self.told.raw_input {
            let of_codex = self.of_codex().and_then(|_| input.get("arguments"));
            return of_codex.unwrap_or(input).clone();
        }
        let (text, _) = self.content();
        serde_json::from_str::<Value>(&text).ok().filter(Value::is_object).unwrap_or(Value::Null)
    }

    /// Returns the words of its step, the tool's name, and its arguments as text.
    pub(super) fn describe(&self, offered: &[String], tools: &dyn Tools) -> (StepWords, String, String) {
        let arguments = self.arguments();
        let text = if arguments.is_null() { String::new() } else { arguments.to_string() };
        if let Some(own) = self.own_tool(offered) {
            return (tools.describe(own, &arguments), own.to_owned(), text);
        }
        let (kind, verb) = match self.kind() {
            "read" => (StepKind::File, ""),
            "edit" | "delete" | "move" => (StepKind::File, ""),
            "search" => (StepKind::File, "Searching"),
            "execute" => (StepKind::Shell, "Running"),
            "fetch" => (StepKind::Read, "Fetching"),
            _ => (StepKind::Other, "Using"),
        };
        let title = one_line(self.title(), LONGEST_OBJECT);
        let words = match (verb, title.split_once(' ')) {
            // `Write new.txt`, `Writing to gem.txt`: the title already is the sentence.
            ("", Some((first, rest))) => StepWords::untranslated(kind, first, rest.to_owned()),
            ("", None) => StepWords::untranslated(kind, &title, String::new()),
            (verb, _) => StepWords::of_own_tool(kind, verb, title),
        };
        (words, self.kind().to_owned(), text)
    }

    /// Returns the permission question, its subject (the command, the path) and the kind of step.
    pub(super) fn question(&self) -> (String, String, StepKind) {
        let title = one_line(self.title(), LONGEST_OBJECT);
        let (ask, kind) = match self.kind() {
            "execute" => ("Run a command".to_owned(), StepKind::Shell),
            "edit" | "delete" | "move" | "read" | "search" => (title.clone(), StepKind::File),
            "fetch" => (title.clone(), StepKind::Read),
            _ => (format!("Use {title}"), StepKind::Other),
        };
        let input = self.told.raw_input.as_ref();
        let named = input.and_then(|input| {
            ["command", "file_path", "filePath", "filepath", "path", "url", "query"]
                .iter()
                .find_map(|name| input.get(name)?.as_str())
        });
        let (content, _) = self.content();
        let does = match (named, content.is_empty()) {
            (Some(thing), _) => thing.to_owned(),
            (None, false) if self.kind() != "execute" => content,
            (None, _) => self.title().to_owned(),
        };
        (ask, clip(&does, LONGEST_THING), kind)
    }

    /// Returns everything that the agent reports about the call: its input and the new content of files.
    pub(super) fn whole(&self) -> String {
        let input = self.told.raw_input.as_ref().and_then(|input| serde_json::to_string_pretty(input).ok());
        let (content, _) = self.content();
        input.into_iter().chain(Some(content).filter(|content| !content.is_empty())).collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the agent's reason for the call, if it gives one.
    pub(super) fn reason(&self) -> Option<String> {
        self.told.raw_input.as_ref()?.get("description")?.as_str().map(str::to_owned)
    }

    /// Returns the files that the call names.
    fn paths(&self, folder: &Path) -> Vec<PathBuf> {
        let locations = self.told.locations.iter().flatten().map(|location| location.path.clone());
        let diffs = self.told.content.iter().flatten().filter_map(|content| match content {
            CallContent::Diff { path, .. } => Some(path.clone()),
            _ => None,
        });
        let input = self.told.raw_input.as_ref();
        let named = ["file_path", "filePath", "filepath", "absolute_path", "notebook_path", "path", "dir_path"]
            .into_iter()
            .filter_map(|name| input?.get(name)?.as_str().map(str::to_owned));
        let all = locations.chain(diffs).chain(named).filter(|path| !path.is_empty());
        all.map(|path| folder.join(path)).collect()
    }

    /// Returns whether the call would touch a file that no tool may touch.
    pub(super) fn is_closed(&self, guard: &Guard, folder: &Path) -> bool {
        self.paths(folder).iter().any(|path| guard.is_closed(path))
    }

    /// Returns whether the call only reads open files in the conversation's folder.
    pub(super) fn only_reads(&self, guard: &Guard, folder: &Path) -> bool {
        let paths = self.paths(folder);
        matches!(self.kind(), "read" | "search") && !paths.is_empty() && paths.iter().all(|path| guard.is_open(path))
    }

    fn content(&self) -> (String, Vec<Image>) {
        let blocks = self.told.content.iter().flatten().map(|part| match part {
            CallContent::Content { content } => content.clone(),
            CallContent::Diff { path, new_text } => Content::Text { text: format!("{path}\n{new_text}") },
            CallContent::Other => Content::Other,
        });
        content::read(blocks)
    }

    /// Returns the call's result.
    pub(super) fn result(&self) -> (String, Vec<Image>) {
        let (text, mut images) = self.content();
        let raw = self.told.raw_output.as_ref();
        if let Some(raw) = raw.filter(|_| images.is_empty()) {
            content::pictures(raw, &mut images);
        }
        let plain = raw.and_then(Value::as_str);
        (plain.map_or(text, str::to_owned), images)
    }
}

fn has_content(value: &Value) -> bool {
    !value.is_null() && value.as_object().is_none_or(|fields| !fields.is_empty())
}

#[cfg(test)]
mod tests {
    use super::Call;
    use crate::acp::wire::ToolCall;
    use crate::guard::Guard;
    use gstack_protocol::chat::StepKind;
    use serde_json::json;
    use std::path::Path;

    fn call(value: serde_json::Value) -> Call {
        let mut call = Call::default();
        call.merge(serde_json::from_value::<ToolCall>(value).unwrap());
        call
    }

    #[test]
    fn our_own_tools_are_known_by_both_spellings_and_never_by_a_command_line() {
        let offered = ["goto".to_owned()];
        let own = |value| call(value).own_tool(&offered).map(str::to_owned);
        let claude = json!({"title": "x", "_meta": {"claudeCode": {"toolName": "mcp__gstack__goto"}}});
        assert_eq!(own(claude).as_deref(), Some("goto"));
        let qwen = json!({"title": "goto (gstack MCP Server): {}", "kind": "read", "_meta": {"toolName": "mcp__gstack__goto"}});
        assert_eq!(own(qwen).as_deref(), Some("goto"));
        let command =
            json!({"title": "mcp__gstack__goto", "kind": "execute", "_meta": {"toolName": "run_shell_command"}});
        assert_eq!(own(command), None);
        assert_eq!(own(json!({"title": "goto (gstack MCP Server)", "kind": "other"})).as_deref(), Some("goto"));
        assert_eq!(own(json!({"title": "mcp__gstack__goto", "kind": "execute"})), None);
        assert_eq!(own(json!({"title": "eval (gstack MCP Server)"})), None);
        assert_eq!(own(json!({"title": "page_add (gstack MCP Server)"})).as_deref(), Some("page_add"));
        assert_eq!(own(json!({"title": "page_add; rm (gstack MCP Server)"})), None);
        assert_eq!(own(json!({"title": "page_add"})), None);
        for name in ["gstack_goto", "gstack-goto", "gstack/goto", "gstack__goto", "mcp_gstack.goto"] {
            assert_eq!(own(json!({"title": name, "kind": "other"})).as_deref(), Some("goto"));
            assert_eq!(own(json!({"title": name, "kind": "edit"})), None);
        }
        let codex = |marked: bool, server: &str| {
            own(json!({"title": "mcp.gstack.goto", "kind": "execute", "_meta": {"is_mcp_tool_call": marked},
                "rawInput": {"server": server, "tool": "goto", "arguments": {"url": "x"}}}))
        };
        assert_eq!(codex(true, "gstack").as_deref(), Some("goto"));
        assert!(codex(false, "gstack").is_none() && codex(true, "other").is_none());
    }

    #[test]
    fn a_call_stays_what_its_first_title_says() {
        let offered = ["click".to_owned()];
        let mut told = call(json!({"title": "gstack-click", "kind": "other"}));
        // Copilot's permission request.
        told.merge(serde_json::from_value(json!({"title": "click", "rawInput": {"selector": "@e1"}})).unwrap());
        assert_eq!(told.own_tool(&offered), Some("click"));
        let mut told = call(json!({"title": "task", "kind": "other"}));
        // The model's own description of its work.
        told.merge(serde_json::from_value(json!({"title": "gstack_click"})).unwrap());
        assert_eq!(told.own_tool(&offered), None);
    }

    #[test]
    fn a_picture_that_only_the_raw_output_has_is_shown() {
        let picture = |output| call(json!({"status": "completed", "rawOutput": output})).result().1;
        let png = json!({"type": "image", "data": "AQI=", "mimeType": "image/png"});
        for output in [
            json!({"contents": [{"type": "text", "text": "x"}, png]}),
            json!([png]),
            json!({"attachments": [{"mime": "image/png", "url": "data:image/png;base64,AQI="}]}),
        ] {
            let found = picture(output.clone());
            assert_eq!(
                (found.len(), found[0].mime.as_str(), found[0].bytes.as_slice()),
                (1, "image/png", &[1, 2][..]),
                "{output}"
            );
        }
        assert!(picture(json!({"type": "image", "data": "not base64!"})).is_empty());
    }

    #[test]
    fn parts_are_put_together_and_a_question_names_the_thing() {
        let mut told = call(json!({"toolCallId": "1", "title": "Terminal", "kind": "execute", "rawInput": {}}));
        assert!(!told.is_telling());
        told.merge(serde_json::from_value(json!({"title": "ls", "rawInput": {"command": "ls -l"}})).unwrap());
        assert!(told.is_telling());
        assert_eq!(told.question(), ("Run a command".to_owned(), "ls -l".to_owned(), StepKind::Shell));
    }

    #[test]
    fn closed_files_and_plain_reading_are_told_apart() {
        let folder = Path::new("/srv/project");
        let guard = Guard::new(folder, Some(Path::new("/srv/home")), &[]);
        let read = |path: &str| call(json!({"kind": "read", "locations": [{"path": path}]}));
        assert!(read("/srv/home/.ssh/id").is_closed(&guard, folder));
        assert!(read("src/a.rs").only_reads(&guard, folder) && !read("/etc/hostname").only_reads(&guard, folder));
        let write = call(json!({"kind": "edit", "rawInput": {"file_path": "/srv/home/.netrc"}}));
        assert!(write.is_closed(&guard, folder) && !write.only_reads(&guard, folder));
    }
}
