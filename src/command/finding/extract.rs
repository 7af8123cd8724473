//! The `extract` command.
//!
//! Owns reading the schema file and the output text. `extraction` owns the matching.

use super::extraction::{Schema, extract};
use super::look::READ;
use crate::core::{Arguments, Context, Output};
use crate::privacy::path_guard;
use crate::reading::pretty;
use crate::spec::{Flag, Spec, ValueType, Verb, phrase};
use gstack_protocol::fault::{Fault, FaultCode};

/// In bytes. Schemas are written by hand.
const LARGEST_SCHEMA: u64 = 256 * 1024;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "extract",
    flags: &[Flag {
        name: "--schema",
        alias: "",
        value: Some("FILE"),
        holds: ValueType::InputPath,
        help: "A JSON Schema: an object with properties of type string, number, integer, boolean, or array of objects",
    }],
    summary: "Extract data from the page into the shape of a JSON Schema",
    details: "Without a model: from microdata, tables, and labels with a value beside them. A property is found by \
        its name (unitPrice: \"Unit price\") or by its title. Properties that are not found are null and are listed.",
    phrases: &[phrase(Verb::Read, "the structured data")],
    output: "JSON",
    data: "unknown",
    run: |context, arguments| Box::pin(run(context, arguments)),
    ..READ
}];

async fn run(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let typed =
        arguments.value("--schema").ok_or_else(|| Fault::new(FaultCode::BadRequest, "extract needs --schema FILE"))?;
    let path = path_guard::input_path(context, typed)?;
    if path.metadata().is_ok_and(|found| found.len() > LARGEST_SCHEMA) {
        return Err(Fault::new(FaultCode::TooLarge, format!("the schema is larger than {LARGEST_SCHEMA} bytes")));
    }
    let text = tokio::fs::read_to_string(&path)
        .await
        .map_err(|error| Fault::new(FaultCode::NotFound, format!("{} can't be read: {error}", path.display())))?;
    let schema = Schema::parse(&text).map_err(|why| Fault::new(FaultCode::BadRequest, format!("{typed}: {why}")))?;
    let page = context.page().await?;
    let (value, missing) = extract(&schema, &page.facts().await?);
    let mut output = Output::from_page(pretty(&value)?, page.url()?).data(value);
    output.say((!missing.is_empty()).then(|| format!("Not found: {}", missing.join(", "))));
    Ok(output)
}
