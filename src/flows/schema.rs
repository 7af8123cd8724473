//! docs/flow.schema.json, generated from the types of a flow: `GSTACK_BLESS=1 cargo test -p gstack-flows schema`.

use super::file::Step;
use super::words;
use gstack_command::registry;
use schemars::JsonSchema;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A flow of gstack: what was done once in a browser, to be run again without a model.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct FlowFile {
    /// The version of the format: 1.
    flow: u32,
    /// What it does, in one line.
    about: Option<String>,
    /// The values that a run may set with `--set NAME=VALUE`, by name. A step uses one as `{{NAME}}`.
    parameters: Option<BTreeMap<String, ParameterForm>>,
    /// In order.
    steps: Vec<Step>,
}

/// A default, or a table.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
enum ParameterForm {
    /// The value if a run sets none.
    Default(String),
    /// A parameter with more about it.
    Table(ParameterTable),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct ParameterTable {
    /// The value if a run sets none. Without it, each run must set one.
    default: Option<String>,
    /// What it is, in one line.
    about: Option<String>,
}

fn schema() -> Value {
    let mut schema = schemars::schema_for!(FlowFile).to_value();
    schema["properties"]["flow"]["const"] = json!(super::file::VERSION);
    let commands = registry::all().iter().map(|spec| spec.name).filter(|name| words::spec(name).is_ok());
    let acts: Vec<&str> = commands.chain([words::SET]).collect();
    schema["$defs"]["Step"]["properties"]["act"] =
        json!({ "description": "The browser command. Without it, the step only waits.", "enum": acts });
    schema
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/flow.schema.json");
    let wanted = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("GSTACK_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "docs/flow.schema.json is behind the types. Run: GSTACK_BLESS=1 cargo test -p gstack-flows schema"
    );
}
