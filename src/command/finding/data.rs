//! The `value`, `box` and `table` commands.
//!
//! Owns their output formats: JSON and CSV.

use super::look::READ;
use crate::core::{Arguments, Context, Output};
use crate::spec::{Category, Offered, Spec, ValueType, Verb, phrase, selector, switch};
use gstack_browser::page::{ElementBox, Table};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Map, Value, json};

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "value",
        category: Category::Inspection,
        parameters: &[selector(true, ValueType::Element, "The field")],
        summary: "Print a field's value",
        details: "For a list, prints the chosen options; for a checkbox, true or false. A password is [redacted].",
        phrases: &[phrase(Verb::LookAt, "{sel}")],
        output: "value",
        data: "string",
        run: |context, arguments| Box::pin(async move { value(context, &arguments).await }),
        ..READ
    },
    Spec {
        name: "box",
        category: Category::Inspection,
        parameters: &[selector(true, ValueType::Element, "The element")],
        summary: "Scroll an element into view and print its position and size",
        details: "In pixels of the viewport, as mouse and screenshot --clip take them.",
        untrusted: false,
        phrases: &[phrase(Verb::LookAt, "{sel}")],
        output: "X,Y,WIDTH,HEIGHT",
        data: "{x: number, y: number, width: number, height: number}",
        run: |context, arguments| Box::pin(async move { place(context, &arguments).await }),
        ..READ
    },
    Spec {
        name: "table",
        parameters: &[selector(
            false,
            ValueType::Element,
            "The table, or an element in it (default: the only table on the \
            page)",
        )],
        flags: &[switch(
            "--csv",
            ValueType::Choice,
            "Print CSV instead of JSON, which has one object per row with the \
            header names as keys",
        )],
        summary: "Print a table as JSON or CSV",
        details: "A cell that spans several rows or columns is repeated in each. Without a header, each row is a \
            list. At most 5,000 rows.",
        offered: Offered::Core,
        phrases: &[phrase(Verb::Read, "{sel}"), phrase(Verb::Read, "the page")],
        output: "JSON or CSV",
        data: "[{[header]: string | null}] | [string[]]",
        run: |context, arguments| Box::pin(async move { table(context, &arguments).await }),
        ..READ
    },
];

async fn value(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let page = context.page().await?;
    let value = page.field_value(&target).await?;
    Ok(Output::from_page(value.clone(), page.url()?).data(json!(value)))
}

async fn place(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let found = context.page().await?.element_box(&target).await?;
    let ElementBox { x, y, width, height } = found;
    Ok(Output::text(format!("{},{},{},{}", x.round(), y.round(), width.round(), height.round())).data(json!(found)))
}

async fn table(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    let table = page.table(arguments.target("sel").as_ref()).await?;
    let data = as_json(&table);
    let text = if arguments.has("--csv") { as_csv(&table) } else { lines(&data)? };
    let mut output = Output::from_page(text, page.url()?).data(data);
    if table.more > 0 {
        output.say(Some(format!("… {} more rows", table.more)));
    }
    Ok(output)
}

/// Returns one object for each row if the column names are unique, otherwise one list for each row.
fn as_json(table: &Table) -> Value {
    let mut names = table.head.clone();
    names.sort();
    names.dedup();
    let is_named = !table.head.is_empty() && names.len() == table.head.len();
    let row = |cells: &Vec<String>| match is_named {
        false => json!(cells),
        true => {
            let value = |at: usize| cells.get(at).map_or(Value::Null, |text| json!(text));
            let pairs = table.head.iter().enumerate().map(|(at, name)| (name.clone(), value(at)));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
    };
    Value::Array(table.rows.iter().map(row).collect())
}

/// Returns a JSON list with one entry on each line.
fn lines(data: &Value) -> Result<String, Fault> {
    let write = |value: &Value| {
        serde_json::to_string(value).map_err(|error| Fault::new(FaultCode::Internal, error.to_string()))
    };
    let rows: Vec<String> = data.as_array().into_iter().flatten().map(write).collect::<Result<_, _>>()?;
    Ok(if rows.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", rows.join(",\n")) })
}

/// Returns CSV according to RFC 4180, but with LF line endings.
fn as_csv(table: &Table) -> String {
    let cell = |text: &String| {
        let quoted = text.contains([',', '"', '\n', '\r']);
        if quoted { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.clone() }
    };
    let line = |cells: &Vec<String>| cells.iter().map(cell).collect::<Vec<_>>().join(",");
    let head = (!table.head.is_empty()).then_some(&table.head);
    head.into_iter().chain(&table.rows).map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{as_csv, as_json};
    use gstack_browser::page::Table;
    use serde_json::json;

    fn table(head: &[&str], rows: &[&[&str]]) -> Table {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        Table { head: words(head), rows: rows.iter().map(|row| words(row)).collect(), more: 0 }
    }

    #[test]
    fn rows_are_objects_where_the_header_tells_them_apart() {
        let named = table(&["A", "B"], &[&["1", "2"], &["3"]]);
        assert_eq!(as_json(&named), json!([{ "A": "1", "B": "2" }, { "A": "3", "B": null }]));
        let twice = table(&["A", "A"], &[&["1", "2"]]);
        assert_eq!(as_json(&twice), json!([["1", "2"]]));
        assert_eq!(as_json(&table(&[], &[])), json!([]));
    }

    #[test]
    fn csv_quotes_what_it_must() {
        let odd = table(&["Name", "Note"], &[&["Ann", "says \"hi\", twice"]]);
        assert_eq!(as_csv(&odd), "Name,Note\nAnn,\"says \"\"hi\"\", twice\"");
    }
}
