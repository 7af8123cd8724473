//! Edits a server in a client's JSON file; all other text stays unchanged, comments too.

use super::entry::{EditError, SERVER, Server, Wanted, is_ours};
use super::jsonc::{Object, plain, read_object};
use serde_json::{Map, Value, json};

/// How a client writes a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// `command`, `args`, `env`
    Plain,
    /// Also `"type": "stdio"`.
    WithTransport,
    /// Also the tools that the model gets.
    WithTools,
    /// The arguments are part of `command`, and the variables are `environment`.
    OneCommand,
}

/// Returns the file's text with the wanted server.
pub(super) fn edit(text: &str, servers: &str, form: Entry, wanted: &Wanted) -> Result<String, EditError> {
    let text = match (text.trim().is_empty(), wanted) {
        (true, Wanted::Absent) => return Ok(text.to_owned()),
        (true, Wanted::Present(_)) => "{}\n",
        (false, _) => text,
    };
    let whole = read_object(text, 0)?;
    let named = whole.member(servers)?;
    let Some(named) = named.filter(|named| &text[named.value.clone()] != "null") else {
        return match wanted {
            Wanted::Absent => Ok(text.to_owned()),
            Wanted::Present(server) => {
                let indent = indent_of(text);
                let entry = pretty(&entry(server, form), indent, 2);
                let inner = indent.repeat(2);
                let value = format!("{{\n{inner}\"{SERVER}\": {entry}\n{indent}}}");
                Ok(match named {
                    Some(named) => replaced(text, named.value.clone(), &value),
                    None => inserted(text, &whole, servers, &value, 0),
                })
            }
        };
    };
    let known = read_object(text, named.value.start).map_err(|_| EditError::NoServers(servers.to_owned()))?;
    let old = known.member(SERVER)?;
    if let Some(old) = old {
        let (command, arguments) = read(&text[old.value.clone()]);
        if !is_ours(&command, &arguments) {
            return Err(EditError::Foreign(command));
        }
    }
    match (wanted, old) {
        (Wanted::Absent, None) => Ok(text.to_owned()),
        (Wanted::Absent, Some(_)) => Ok(without(text, &known)),
        (Wanted::Present(server), old) => {
            let new = entry(server, form);
            let value = pretty(&new, indent_of(text), 2);
            Ok(match old {
                Some(old) if value_of(&text[old.value.clone()]) == Some(Value::Object(new)) => text.to_owned(),
                Some(old) => replaced(text, old.value.clone(), &value),
                None => inserted(text, &known, SERVER, &value, 1),
            })
        }
    }
}

fn replaced(text: &str, place: std::ops::Range<usize>, value: &str) -> String {
    format!("{}{value}{}", &text[..place.start], &text[place.end..])
}

/// Returns the text with one more member at the end of this object, which is `depth` levels below the top.
fn inserted(text: &str, object: &Object, name: &str, value: &str, depth: usize) -> String {
    let indent = indent_of(text);
    // What is between the last member and the end may be a comment.
    let end = text[..object.close].trim_end().len();
    let last = object.members.last();
    let (before, between) = match last {
        Some(last) if last.comma.is_none() => (format!("{},", &text[..last.value.end]), &text[last.value.end..end]),
        _ => (text[..end].to_owned(), ""),
    };
    // As the person writes it.
    let comma = if last.is_some_and(|last| last.comma.is_some()) { "," } else { "" };
    let (inner, outer) = (indent.repeat(depth + 1), indent.repeat(depth));
    format!("{before}{between}\n{inner}\"{name}\": {value}{comma}\n{outer}{}", &text[object.close..])
}

/// Returns the text without our server in this object.
fn without(text: &str, object: &Object) -> String {
    let Some(at) = object.members.iter().position(|member| member.name == SERVER) else { return text.to_owned() };
    let member = &object.members[at];
    let end = member.comma.map_or(member.value.end, |comma| comma + 1);
    let mut start = member.key;
    let lead = text[..start].trim_end_matches([' ', '\t']);
    if let Some(lead) = lead.strip_suffix('\n') {
        start = lead.strip_suffix('\r').unwrap_or(lead).len();
    }
    let mut before = text[..start].to_owned();
    // The one before it is the last one now.
    if let Some(comma) = at.checked_sub(1).and_then(|at| object.members[at].comma).filter(|_| member.comma.is_none()) {
        before.remove(comma);
    }
    let rest = &text[end..];
    if object.members.len() == 1 && text[object.open + 1..start].trim().is_empty() {
        let inside = &text[end..object.close];
        if inside.trim().is_empty() {
            return format!("{}{}", &text[..=object.open], &text[object.close..]);
        }
    }
    format!("{before}{rest}")
}

fn entry(server: &Server, form: Entry) -> Map<String, Value> {
    let mut entry = Map::new();
    let first = match form {
        Entry::Plain => None,
        Entry::WithTransport => Some(("type", json!("stdio"))),
        Entry::WithTools => Some(("tools", json!(["*"]))),
        Entry::OneCommand => Some(("type", json!("local"))),
    };
    entry.extend(first.map(|(name, value)| (name.to_owned(), value)));
    if form == Entry::OneCommand {
        let whole: Vec<&String> = std::iter::once(&server.command).chain(&server.arguments).collect();
        entry.insert("command".to_owned(), json!(whole));
    } else {
        entry.insert("command".to_owned(), json!(server.command));
        entry.insert("args".to_owned(), json!(server.arguments));
    }
    if !server.environment.is_empty() {
        let name = if form == Entry::OneCommand { "environment" } else { "env" };
        entry.insert(name.to_owned(), server.environment.iter().map(|(k, v)| (k.clone(), json!(v))).collect());
    }
    entry
}

/// Returns an entry with a line for each of its values, at this depth.
fn pretty(entry: &Map<String, Value>, indent: &str, depth: usize) -> String {
    let inner = indent.repeat(depth + 1);
    let lines: Vec<String> = entry.iter().map(|(name, value)| format!("{inner}\"{name}\": {value}")).collect();
    format!("{{\n{}\n{}}}", lines.join(",\n"), indent.repeat(depth))
}

/// Returns an entry's command and arguments; empty if it has none in our format.
fn read(entry: &str) -> (String, Vec<String>) {
    let value = value_of(entry).unwrap_or_default();
    let listed = |name: &str| value[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let mut whole = listed("command");
    let command = value["command"].as_str().map(str::to_owned).or_else(|| whole.next()).unwrap_or_default();
    (command, whole.chain(listed("args")).collect())
}

fn value_of(text: &str) -> Option<Value> {
    serde_json::from_str(&plain(text)).ok()
}

/// Returns the file's indentation.
fn indent_of(text: &str) -> &str {
    let is_member = |line: &&str| line.starts_with([' ', '\t']) && line.trim_start().starts_with('"');
    text.lines().find(is_member).map_or("  ", |line| &line[..line.len() - line.trim_start().len()])
}
