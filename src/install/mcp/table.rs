//! Edits a server in a client's TOML file: replaces its table, and keeps comments and all other text.

use super::entry::{EditError, SERVER, Server, Wanted, is_ours};
use toml::{Table, Value};

/// Returns the file's text with the wanted server in a list of tables with names. Parses the result and compares it, as [`edit`].
pub(super) fn edit_list(text: &str, servers: &str, wanted: &Wanted) -> Result<String, EditError> {
    let before = parse(text)?;
    let known = match before.get(servers) {
        None => &Vec::new(),
        Some(Value::Array(known)) => known,
        Some(_) => return Err(EditError::NoServers(servers.to_owned())),
    };
    let is_named = |entry: &Value| entry.get("name").and_then(Value::as_str) == Some(SERVER);
    let old = known.iter().find(|entry| is_named(entry));
    if let Some(old) = old {
        let (command, arguments) = read(old);
        if !is_ours(&command, &arguments) {
            return Err(EditError::Foreign(command));
        }
    }
    let new = match wanted {
        Wanted::Present(server) => {
            let Value::Table(of) = entry(server) else { return Err(EditError::Entangled) };
            let named = [("name", SERVER), ("transport", "stdio")];
            let named = named.map(|(name, value)| (name.to_owned(), Value::String(value.to_owned())));
            Some(Value::Table(named.into_iter().chain(of).collect()))
        }
        Wanted::Absent => None,
    };
    if old == new.as_ref() {
        return Ok(text.to_owned());
    }
    let mut expected: Vec<Value> = known.iter().filter(|entry| !is_named(entry)).cloned().collect();
    expected.extend(new.clone());
    let mut written = without_element(text, servers).trim_end().to_owned();
    if !written.is_empty() {
        written.push('\n');
    }
    if let Some(value) = &new {
        if !written.is_empty() {
            written.push('\n');
        }
        written.push_str(&format!("[[{servers}]]\n{}", lines(value)));
    }
    let mut after = parse(&written).map_err(|_| EditError::Entangled)?;
    let mut rest = before.clone();
    let listed = after.remove(servers).and_then(|listed| listed.as_array().cloned()).unwrap_or_default();
    rest.remove(servers);
    if after == rest && listed == expected { Ok(written) } else { Err(EditError::Entangled) }
}

/// Returns the file's text with the wanted server. Parses the result and compares it: fails without changes if more
/// than this server differs.
pub(super) fn edit(text: &str, servers: &str, wanted: &Wanted) -> Result<String, EditError> {
    let before = parse(text)?;
    let known = match before.get(servers) {
        None => None,
        Some(Value::Table(known)) => known.get(SERVER),
        Some(_) => return Err(EditError::NoServers(servers.to_owned())),
    };
    if let Some(old) = known {
        let (command, arguments) = read(old);
        if !is_ours(&command, &arguments) {
            return Err(EditError::Foreign(command));
        }
    }
    let mut expected = before.clone();
    let new = match wanted {
        Wanted::Present(server) => Some(entry(server)),
        Wanted::Absent => None,
    };
    if known == new.as_ref() {
        return Ok(text.to_owned());
    }
    let rest = without_tables(text, &format!("{servers}.{SERVER}"));
    let mut written = rest.trim_end().to_owned();
    if !written.is_empty() {
        written.push('\n');
    }
    match (&new, expected.get_mut(servers)) {
        (Some(value), Some(Value::Table(known))) => {
            known.insert(SERVER.to_owned(), value.clone());
        }
        (Some(value), _) => {
            let only = Table::from_iter([(SERVER.to_owned(), value.clone())]);
            expected.insert(servers.to_owned(), Value::Table(only));
        }
        (None, Some(Value::Table(known))) => {
            known.remove(SERVER);
            if known.is_empty() {
                expected.remove(servers);
            }
        }
        (None, _) => {}
    }
    if let Some(value) = &new {
        if !written.is_empty() {
            written.push('\n');
        }
        written.push_str(&format!("[{servers}.{SERVER}]\n{}", lines(value)));
    }
    let mut after = parse(&written).map_err(|_| EditError::Entangled)?;
    // An empty table has no meaning.
    for table in [&mut after, &mut expected] {
        if table.get(servers).and_then(Value::as_table).is_some_and(Table::is_empty) {
            table.remove(servers);
        }
    }
    if after == expected { Ok(written) } else { Err(EditError::Entangled) }
}

fn parse(text: &str) -> Result<Table, EditError> {
    text.parse()
        .map_err(|error: toml::de::Error| EditError::Unreadable { format: "TOML", why: error.message().to_owned() })
}

fn entry(server: &Server) -> Value {
    let texts = |words: &[String]| Value::Array(words.iter().map(|word| Value::String(word.clone())).collect());
    let mut entry = Table::new();
    entry.insert("command".to_owned(), Value::String(server.command.clone()));
    entry.insert("args".to_owned(), texts(&server.arguments));
    if !server.environment.is_empty() {
        let pairs = server.environment.iter().map(|(name, value)| (name.clone(), Value::String(value.clone())));
        entry.insert("env".to_owned(), Value::Table(pairs.collect()));
    }
    Value::Table(entry)
}

fn read(entry: &Value) -> (String, Vec<String>) {
    let command = entry.get("command").and_then(Value::as_str).unwrap_or_default().to_owned();
    let arguments = entry.get("args").and_then(Value::as_array).into_iter().flatten();
    (command, arguments.filter_map(|word| word.as_str().map(str::to_owned)).collect())
}

/// Formats a table's entries, one on each line, in the order a person would write them.
fn lines(entry: &Value) -> String {
    let named =
        ["name", "transport", "command", "args", "env"].into_iter().filter_map(|name| Some((name, entry.get(name)?)));
    named
        .map(|(name, value)| match value {
            Value::Table(pairs) => {
                let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                format!("{name} = {{ {} }}\n", pairs.join(", "))
            }
            value => format!("{name} = {value}\n"),
        })
        .collect()
}

/// Removes the lines of our element of the list with this name, and of its subtables.
fn without_element(text: &str, list: &str) -> String {
    let mut parts: Vec<String> = vec![String::new()];
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        // A subtable of an element follows it.
        if bare.starts_with('[') && !bare.starts_with(&format!("[{list}.")) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(line);
        }
    }
    let is_ours = |part: &String| {
        let listed = part.parse::<Table>().ok().and_then(|table| table.get(list)?.as_array()?.first().cloned());
        listed.is_some_and(|entry| entry.get("name").and_then(Value::as_str) == Some(SERVER))
    };
    parts.into_iter().filter(|part| !is_ours(part)).collect()
}

/// Removes the lines of the table with this name, and of its subtables.
fn without_tables(text: &str, name: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare.starts_with('[') {
            let header: String =
                bare.trim_start_matches('[').split(']').next().unwrap_or_default().split_whitespace().collect();
            inside = header == name || header.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        }
        if !inside {
            kept.push_str(line);
        }
    }
    kept
}
