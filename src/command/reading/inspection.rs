//! The `js`, `eval`, `css`, `attrs` and `is` commands.

use super::text::pretty;
use crate::core::{Arguments, Context, Output, wrong};
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, Offered, Parameter, Spec, TIMEOUT, TabUse,
    ValueType, Verb, Writes, flag, parameter, phrase, selector, switch,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gstack_browser::page::{ElementState, ScriptValue};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::time::Duration;

const SCRIPT_LIMIT: Duration = Duration::from_secs(30);

const OUT: Flag = flag(
    "--out",
    "PATH",
    ValueType::OutputPath,
    "Write the value to this file, under the working or the temp directory; a base64 data: URL is decoded",
);
const RAW: Flag = switch("--raw", ValueType::Choice, "With --out: write a data: URL as it is");

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "js",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Control,
        parameters: &[Parameter {
            name: "expr",
            required: true,
            kind: Kind::Rest,
            holds: ValueType::Script,
            help: "JavaScript; statements and await are allowed",
        }],
        flags: &[TIMEOUT, OUT, RAW],
        summary: "Evaluate JavaScript in the page",
        details: "Prints the value of the last statement. With a `return`, the script is the body of an async function. Everything after -- is script.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Run, "a script")],
        output: "a string as is, other values as JSON; nothing for undefined; with --out: JS result written: path (N bytes)",
        data: "unknown",
        run: |context, arguments| Box::pin(js(context, arguments)),
    },
    Spec {
        name: "eval",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Control,
        parameters: &[parameter(
            "file",
            true,
            Kind::Text,
            ValueType::InputPath,
            "A script under the working or the temp directory",
        )],
        flags: &[TIMEOUT, OUT, RAW],
        summary: "Evaluate a JavaScript file in the page",
        details: "",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Reading),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Run, "a script")],
        output: "as js prints it; with --out: Eval result written: path (N bytes)",
        data: "unknown",
        run: |context, arguments| Box::pin(eval(context, arguments)),
    },
    Spec {
        name: "css",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[
            selector(true, ValueType::Element, "The element"),
            Parameter {
                name: "prop",
                required: true,
                kind: Kind::Text,
                holds: ValueType::Choice,
                help: "A CSS property: color, --my-variable",
            },
        ],
        flags: &[],
        summary: "Print an element's computed value of a CSS property",
        details: "",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Reading),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::LookAt, "{prop} of {sel}")],
        output: "the value",
        data: "string",
        run: |context, arguments| Box::pin(css(context, arguments)),
    },
    Spec {
        name: "attrs",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[selector(true, ValueType::Element, "The element")],
        flags: &[],
        summary: "Print an element's attributes",
        details: "",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Reading),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::LookAt, "{sel}")],
        output: "a JSON object",
        data: "{[name]: string}",
        run: |context, arguments| Box::pin(attrs(context, arguments)),
    },
    Spec {
        name: "is",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[
            Parameter {
                name: "prop",
                required: true,
                kind: Kind::Text,
                holds: ValueType::Choice,
                help: "visible, hidden, enabled, disabled, checked, editable or focused",
            },
            selector(true, ValueType::Element, "The element"),
        ],
        flags: &[],
        summary: "Check one state of an element",
        details: "",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Reading),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Check, "whether {sel} is {prop}")],
        output: "true or false",
        data: "boolean",
        run: |context, arguments| Box::pin(is(context, arguments)),
    },
];

async fn js(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let limit = arguments.timeout(SCRIPT_LIMIT)?;
    evaluate(context, &arguments, "JS", &arguments.required("expr")?, limit).await
}

async fn eval(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let limit = arguments.timeout(SCRIPT_LIMIT)?;
    let path = path_guard::input_path(context, &arguments.required("file")?)?;
    evaluate(context, &arguments, "Eval", &path_guard::read_text(&path).await?, limit).await
}

/// `what` says in the answer whose result is in a file.
async fn evaluate(
    context: &Context,
    arguments: &Arguments,
    what: &str,
    source: &str,
    limit: Duration,
) -> Result<Output, Fault> {
    let to = arguments.value("--out").map(|typed| path_guard::output_path(context, typed)).transpose()?;
    if to.is_none() && arguments.has("--raw") {
        return Err(wrong("--raw needs --out PATH"));
    }
    let page = context.page().await?;
    let value = page.evaluate(source, limit).await?;
    if let Some(path) = to {
        let text = match value {
            ScriptValue::Nothing => String::new(),
            ScriptValue::Text(text) | ScriptValue::Other(text) => text,
        };
        let content = if arguments.has("--raw") { text.into_bytes() } else { content_of(text)? };
        let bytes = content.len();
        let path = path_guard::write(path, content).await?;
        let shown = path.display().to_string();
        let mut output = Output::text(format!("{what} result written: {shown} ({bytes} bytes)"))
            .data(json!({ "path": shown, "bytes": bytes }));
        output.files.push(path);
        return Ok(output);
    }
    let output = match value {
        ScriptValue::Nothing => Output::text("").data(serde_json::Value::Null),
        ScriptValue::Text(text) => Output::text(text.clone()).data(text),
        ScriptValue::Other(text) => {
            let data = serde_json::from_str(&text).unwrap_or_else(|_| json!(text));
            Output::text(text).data(data)
        }
    };
    Ok(context.told_by_page(&page, output))
}

/// Returns what a value stands for: the bytes of a base64 `data:` URL, such as that of a canvas, or the text.
fn content_of(text: String) -> Result<Vec<u8>, Fault> {
    let encoded =
        text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("data:")).and_then(|_| text.split_once(','));
    let Some((_, encoded)) =
        encoded.filter(|(head, _)| head.split(';').any(|part| part.trim().eq_ignore_ascii_case("base64")))
    else {
        return Ok(text.into_bytes());
    };
    let encoded: String = encoded.split_whitespace().collect();
    STANDARD.decode(encoded).map_err(|_| {
        Fault::new(FaultCode::BadRequest, "the value is a data: URL with malformed base64")
            .hint("With --raw it is written as it is.")
    })
}

async fn css(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    let value = page.css(&arguments.required_target("sel")?, &arguments.required("prop")?).await?;
    Ok(context.told_by_page(&page, Output::text(value.clone()).data(value)))
}

async fn attrs(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    let attributes = page.attributes(&arguments.required_target("sel")?).await?;
    Ok(Output::from_page(pretty(&attributes)?, page.url()?).data(attributes))
}

async fn is(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let name = arguments.required("prop")?;
    let state = ElementState::parse(&name).ok_or_else(|| {
        Fault::new(FaultCode::BadRequest, format!("Unknown property: {name}"))
            .hint("One of: visible, hidden, enabled, disabled, checked, editable, focused")
    })?;
    let page = context.page().await?;
    let holds = page.is(&arguments.required_target("sel")?, state).await?;
    Ok(Output::text(holds.to_string()).data(holds))
}

#[cfg(test)]
mod tests {
    use super::content_of;

    #[test]
    fn a_picture_in_a_data_url_is_written_as_the_picture() {
        for (value, content) in [
            ("data:image/png;base64,aGVsbG8=", Some("hello")),
            ("DATA:;charset=x; BASE64,aGVs\nbG8=", Some("hello")),
            ("data:text/plain,a%20b", Some("data:text/plain,a%20b")),
            ("database64,x", Some("database64,x")),
            ("{\"a\": 1}", Some("{\"a\": 1}")),
            ("\u{fc}", Some("\u{fc}")),
            ("data:image/png;base64,???", None),
        ] {
            assert_eq!(content_of(value.to_owned()).ok().as_deref(), content.map(str::as_bytes), "{value}");
        }
    }
}
