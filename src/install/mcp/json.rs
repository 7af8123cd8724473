//! Edits a server in a client's JSON file; all other text stays unchanged.

use super::{EditError, SERVER, Server, Wanted, is_ours};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::fmt;

/// An object's entries in order, each value with its original text.
struct Entries(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Entries;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Read)
    }
}

impl Entries {
    fn parse(text: &str) -> Result<Self, EditError> {
        serde_json::from_str(text).map_err(|error| EditError::Unreadable { format: "JSON", why: error.to_string() })
    }

    fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    /// Returns the object with this entry in its old position, or at the end. Removes the entry if `value` is `None`.
    fn with(&self, name: &str, value: Option<&str>, indent: &str, depth: usize) -> String {
        let mut written: Vec<(String, String)> = Vec::new();
        let mut placed = false;
        for (key, old) in &self.0 {
            if key != name {
                written.push((key.clone(), old.get().to_owned()));
            } else if let (Some(value), false) = (value, placed) {
                written.push((key.clone(), value.to_owned()));
                placed = true;
            }
        }
        if let (Some(value), false) = (value, placed) {
            written.push((name.to_owned(), value.to_owned()));
        }
        if written.is_empty() {
            return "{}".to_owned();
        }
        let inner = indent.repeat(depth + 1);
        let lines: Vec<String> =
            written.iter().map(|(key, value)| format!("{inner}{}: {value}", Value::from(key.as_str()))).collect();
        format!("{{\n{}\n{}}}", lines.join(",\n"), indent.repeat(depth))
    }
}

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
    let is_empty = text.trim().is_empty();
    let whole = Entries::parse(if is_empty { "{}" } else { text })?;
    let present = whole.get(servers).filter(|raw| raw.get() != "null");
    let known = match present {
        Some(raw) => Entries::parse(raw.get()).map_err(|_| EditError::NoServers(servers.to_owned()))?,
        None => Entries(Vec::new()),
    };
    if let Some(old) = known.get(SERVER) {
        let (command, arguments) = read(old);
        if !is_ours(&command, &arguments) {
            return Err(EditError::Foreign(command));
        }
    }
    let indent = indent_of(text);
    let changed = match wanted {
        Wanted::Present(server) => {
            let entry = Entries::parse(&entry(server, form))?;
            let pretty = entry.with("", None, indent, 2);
            known.with(SERVER, Some(&pretty), indent, 1)
        }
        Wanted::Absent if known.get(SERVER).is_none() => return Ok(text.to_owned()),
        Wanted::Absent => known.with(SERVER, None, indent, 1),
    };
    let written = whole.with(servers, Some(&changed), indent, 0) + "\n";
    Ok(if same(&written, text) { text.to_owned() } else { written })
}

fn entry(server: &Server, form: Entry) -> String {
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
    Value::Object(entry).to_string()
}

/// Returns an entry's command and arguments; empty if it has none in our format.
fn read(entry: &RawValue) -> (String, Vec<String>) {
    let value: Value = serde_json::from_str(entry.get()).unwrap_or_default();
    let listed = |name: &str| value[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let mut whole = listed("command");
    let command = value["command"].as_str().map(str::to_owned).or_else(|| whole.next()).unwrap_or_default();
    (command, whole.chain(listed("args")).collect())
}

/// Whether both are equal except for white space; if so, the file is left untouched.
fn same(left: &str, right: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    value(left).is_some() && value(left) == value(right)
}

/// Returns the file's indentation.
fn indent_of(text: &str) -> &str {
    let first = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    first.map_or("  ", |line| &line[..line.len() - line.trim_start().len()])
}
