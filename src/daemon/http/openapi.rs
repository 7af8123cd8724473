//! Writes docs/openapi.json from the routes, and checks that it is up to date. Only in test builds.
//!
//! Owns the format of the description: OpenAPI 3.1. After a change of a route or a wire type, run `GSTACK_BLESS=1 cargo
//! test --lib http::openapi` and commit the file.

use super::route::{Form, Route, Verb};
use super::routes::rings;
use gstack_protocol::VERSION;
use gstack_protocol::fault::FaultAnswer;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::path::Path;

const FILE: &str = "docs/openapi.json";

/// The callers of the routes of a ring, as text and as OpenAPI's `security`.
struct Who {
    words: &'static str,
    token: bool,
}

fn description() -> Value {
    let rings = rings();
    let anybody = Who { words: "Open to every process on this machine; reveals no secrets.", token: false };
    let scripts = Who {
        words: "On http.sock for the person, on the port with the token of browse.json. An agent's own token runs the \
                command as that agent.",
        token: true,
    };
    let private = Who { words: "On http.sock for the person, on the port with the token of browse.json.", token: true };
    let person = Who { words: "On http.sock only, for the person alone.", token: false };
    // The schemas of named types appear once, under `components`.
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for (routes, who) in
        [(&rings.open, anybody), (&rings.commands, scripts), (&rings.private, private), (&rings.person, person)]
    {
        for route in routes {
            let path = paths.entry(route.path()).or_insert_with(|| json!({}));
            let verb = if route.about().verb == Verb::Get { "get" } else { "post" };
            path[verb] = operation(route, &who, &mut generator);
        }
    }
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "gstack",
            "version": VERSION,
            "description": "The daemon's HTTP interface, on the unix socket http.sock and on a port of 127.0.0.1. \
                            docs/PROTOCOL.md explains it.",
        },
        "servers": [{
            "url": "http://127.0.0.1:{port}",
            "variables": { "port": { "default": "34567", "description": "`port` of browse.json" } },
        }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer", "description": "`token` of browse.json" } },
        },
    })
}

fn operation(route: &Route, who: &Who, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.about().summary,
        "description": who.words,
        "security": if who.token { json!([{ "token": [] }]) } else { json!([]) },
    });
    let schema = (route.about().takes)(generator);
    // The schema of `()`: the route takes nothing.
    if schema.as_value()["type"] != "null" {
        match route.about().verb {
            Verb::Post => {
                operation["requestBody"] =
                    json!({ "required": true, "content": { "application/json": { "schema": schema } } });
            }
            Verb::Get => operation["parameters"] = parameters(&schema, generator),
        }
    }
    let schema = (route.about().answers)(generator);
    let (words, content) = match route.about().form {
        Form::Json => ("The answer", json!({ "application/json": { "schema": schema } })),
        Form::Lines => {
            ("One JSON value per line, as they happen", json!({ "application/x-ndjson": { "schema": schema } }))
        }
        Form::Events => {
            let words = "Events named `activity`, each with an entry; `gap` where entries are lost";
            (words, json!({ "text/event-stream": { "schema": schema } }))
        }
        Form::TextOrJson => {
            let text = json!({ "schema": { "type": "string" } });
            let words = "The output as text; with `Accept: application/json` as JSON";
            (words, json!({ "text/plain": text, "application/json": { "schema": schema } }))
        }
    };
    let fault = generator.subschema_for::<FaultAnswer<'static>>();
    operation["responses"] = json!({
        "200": { "description": words, "content": content },
        "default": {
            "description": "What went wrong, and what to do",
            "content": { "application/json": { "schema": fault } },
        },
    });
    operation
}

/// Returns, for example, `postPolicyAdd`.
fn operation_id(route: &Route) -> String {
    let words = route.path().split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let upper = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let verb = if route.about().verb == Verb::Get { "get" } else { "post" };
    verb.to_owned() + &words.map(upper).collect::<String>()
}

/// Returns the fields of a type as query parameters. None is required, because the routes have defaults.
fn parameters(schema: &schemars::Schema, generator: &SchemaGenerator) -> Value {
    let schema = schema.as_value();
    let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    let object = name.and_then(|name| generator.definitions().get(name)).unwrap_or(schema);
    let fields = object["properties"].as_object().expect("a type with fields");
    let parameter = |(name, schema): (&String, &Value)| json!({ "name": name, "in": "query", "schema": schema });
    fields.iter().map(parameter).collect()
}

fn text() -> String {
    serde_json::to_string_pretty(&description()).unwrap() + "\n"
}

#[test]
fn the_description_of_http_is_the_one_of_these_routes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FILE);
    let wanted = text();
    if std::env::var_os("GSTACK_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "{FILE} is behind the routes. Run: GSTACK_BLESS=1 cargo test -p gstack-daemon http::openapi"
    );
}

#[test]
fn every_name_in_the_description_stands_for_something() {
    let description = description();
    let text = description.to_string();
    let named: Vec<_> =
        text.split("\"#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(named.len() > 50);
    for name in named {
        assert!(description["components"]["schemas"].get(name).is_some(), "{name}");
    }
    let paths = description["paths"].as_object().unwrap();
    let mut ids: Vec<_> = paths
        .values()
        .flat_map(|path| path.as_object().unwrap().values())
        .map(|one| one["operationId"].to_string())
        .collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "each operation has a name of its own");
}

/// Checks that every documented route exists and that the page omits no route.
#[test]
fn the_page_of_the_protocol_names_every_route() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("docs/PROTOCOL.md")).unwrap();
    let described = description();
    for path in described["paths"].as_object().unwrap().keys() {
        // A group is written once: `/conversations/list` `…/text`.
        let last = path.rsplit('/').next().unwrap();
        assert!(
            page.contains(path.as_str()) || page.contains(&format!("…/{last}")),
            "{path} is not in docs/PROTOCOL.md"
        );
    }
}
