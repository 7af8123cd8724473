//! The `storage` command.
//!
//! Owns the argument parsing. Shows secrets only on request.

use crate::core::output_files::named_or_unnamed;
use crate::core::{Arguments, Context, Output, wrong};
use crate::privacy::{path_guard, secrets};
use crate::reading::pretty;
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, When,
    Writes, flag, parameter, phrase, phrase_when, switch,
};
use gstack_browser::page::{Page, PageStorage};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Map, Value, json};

/// `--output` of `storage` and `cookies`: the file for exports.
pub(super) const OUTPUT: Flag = flag(
    "--output",
    "PATH",
    ValueType::OutputPath,
    "export: where to write it, under the working or the temp directory",
);
const SESSION: &str = "--session-storage";
const SECRETS: &str = "--secrets";

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "storage",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Secret,
    parameters: &[
        parameter(
            "action",
            false,
            Kind::Text,
            ValueType::Choice,
            "get, set, delete, clear or export; without one, all entries",
        ),
        parameter("key", false, Kind::Text, ValueType::Choice, "get, set, delete: the entry's name"),
        parameter("value", false, Kind::Rest, ValueType::Secret, "set: its value"),
    ],
    flags: &[
        switch(SESSION, ValueType::Choice, "Use session storage instead of local storage"),
        switch(SECRETS, ValueType::Choice, "get, export: nothing is redacted"),
        OUTPUT,
    ],
    summary: "Print the page's local and session storage, or read, set and delete entries",
    details: "Values that look like secrets, by name or by shape, are [REDACTED — N chars] unless --secrets is given.",
    untrusted: false,
    writes: Writes::Browser,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Storage),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("action", "set"), Verb::Set, "{key} in the storage"),
        phrase_when(When::Is("action", "delete"), Verb::Clear, "{key} in the storage"),
        phrase_when(When::Is("action", "clear"), Verb::Clear, "the storage"),
        phrase_when(When::Is("action", "export"), Verb::Save, "the storage"),
        phrase(Verb::Read, "the storage"),
    ],
    output: "JSON; get: the value; Set localStorage[\"k\"], Deleted localStorage[\"k\"], Storage saved: path",
    data: "{localStorage: unknown, sessionStorage: unknown} | {key: string, value?: string} | {count: number} | {path: string}",
    run: |context, arguments| Box::pin(storage(context, arguments)),
}];

async fn storage(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let name = if arguments.has(SESSION) { "sessionStorage" } else { "localStorage" };
    let page = context.page().await?;
    match (arguments.text("action").as_deref(), arguments.text("key"), arguments.text("value")) {
        (None, ..) => {
            let shown = shown(&page.storage().await?, arguments.has(SECRETS));
            Ok(Output::text(pretty(&shown)?).data(shown))
        }
        (Some("get"), Some(key), None) => get(&page, &arguments, name, &key).await,
        (Some("set"), Some(key), Some(value)) => {
            page.set_storage(&entries(name, Map::from_iter([(key.clone(), Value::from(value))]))).await?;
            Ok(Output::text(format!("Set {name}[{}]", Value::from(key))))
        }
        (Some("set"), ..) => Err(wrong("storage set needs a key and a value")),
        (Some("delete"), Some(key), None) => {
            if !of(&page.storage().await?, name).contains_key(&key) {
                return Err(none_such(name, &key));
            }
            page.set_storage(&entries(name, Map::from_iter([(key.clone(), Value::Null)]))).await?;
            Ok(Output::text(format!("Deleted {name}[{}]", Value::from(key.clone()))).data(json!({ "key": key })))
        }
        (Some("clear"), None, None) => clear(&page, &arguments, name).await,
        (Some("export"), None, None) => {
            let shown = shown(&page.storage().await?, arguments.has(SECRETS));
            saved(context, &arguments, "Storage", "storage", &shown).await
        }
        (Some(other), ..) => Err(wrong(format!("storage {other} does not take these arguments")).hint(
            "storage get KEY, storage set KEY VALUE, storage delete KEY, storage clear, or storage export --output PATH",
        )),
    }
}

async fn get(page: &Page, arguments: &Arguments, name: &str, key: &str) -> Result<Output, Fault> {
    let all = page.storage().await?;
    let value = of(&all, name).get(key).ok_or_else(|| none_such(name, key))?;
    let one = Map::from_iter([(key.to_owned(), value.clone())]);
    let one = if arguments.has(SECRETS) { one } else { secrets::redact_entries(&one) };
    let value = one.get(key).and_then(Value::as_str).unwrap_or_default();
    Ok(Output::text(value).data(json!({ "key": key, "value": value })))
}

/// Clears both storages, or only the named one.
async fn clear(page: &Page, arguments: &Arguments, name: &str) -> Result<Output, Fault> {
    let all = page.storage().await?;
    let gone = |entries: &Map<String, Value>| entries.keys().map(|key| (key.clone(), Value::Null)).collect();
    let wanted = match arguments.has(SESSION) {
        true => entries(name, gone(&all.session_storage)),
        false => PageStorage { local_storage: gone(&all.local_storage), session_storage: gone(&all.session_storage) },
    };
    let count = wanted.local_storage.len() + wanted.session_storage.len();
    page.set_storage(&wanted).await?;
    Ok(Output::text("Storage cleared").data(json!({ "count": count })))
}

/// Writes the output to the file given by `--output`.
pub(super) async fn saved(
    context: &Context,
    arguments: &Arguments,
    title: &str,
    what: &str,
    value: &Value,
) -> Result<Output, Fault> {
    let path = named_or_unnamed(context, arguments.value("--output"), what, "json")?;
    let path = path_guard::write(path, pretty(value)?.into_bytes()).await?;
    let shown = path.display().to_string();
    let mut output = Output::text(format!("{title} saved: {shown}")).data(json!({ "path": shown }));
    output.files.push(path);
    Ok(output)
}

fn shown(storage: &PageStorage, secrets: bool) -> Value {
    let part = |entries: &Map<String, Value>| if secrets { entries.clone() } else { secrets::redact_entries(entries) };
    json!({ "localStorage": part(&storage.local_storage), "sessionStorage": part(&storage.session_storage) })
}

fn of<'a>(storage: &'a PageStorage, name: &str) -> &'a Map<String, Value> {
    if name == "sessionStorage" { &storage.session_storage } else { &storage.local_storage }
}

fn entries(name: &str, entries: Map<String, Value>) -> PageStorage {
    match name {
        "sessionStorage" => PageStorage { session_storage: entries, ..PageStorage::default() },
        _ => PageStorage { local_storage: entries, ..PageStorage::default() },
    }
}

fn none_such(name: &str, key: &str) -> Fault {
    Fault::new(FaultCode::NotFound, format!("{name} has no {}", Value::from(key))).hint("See them: gstack storage")
}
