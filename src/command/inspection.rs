//! js, eval, css, attrs, is, console, network, dialog.

use super::arguments::Arguments;
use super::context::{Context, Output};
use super::path_guard;
use super::reading::pretty;
use super::spec::{Category, Class, Flag, Kind, Parameter, Spec, TIMEOUT, parameter, selector};
use crate::browser::page::journal::{ConsoleMessage, RequestRecord};
use crate::browser::page::{ElementState, ScriptValue};
use crate::protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::time::Duration;

const SCRIPT_LIMIT: Duration = Duration::from_secs(30);

const CLEAR: Flag = Flag { name: "--clear", alias: "", value: None, help: "Forget what was collected" };

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        name: "js",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Control,
        parameters: &[Parameter {
            name: "expr",
            required: true,
            kind: Kind::Rest,
            help: "JavaScript; statements and await are allowed",
        }],
        flags: &[TIMEOUT],
        summary: "Evaluate JavaScript in the page",
        details: "The value of the last statement is printed. What stands after -- is script, whatever it looks like.",
        untrusted: false,
        writes: true,
        output: "a string as it is, other values as JSON; nothing for undefined and null",
        run: |context, arguments| Box::pin(js(context, arguments)),
    },
    Spec {
        name: "eval",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Control,
        parameters: &[parameter("file", true, Kind::Path, "A script under the working or the temp directory")],
        flags: &[TIMEOUT],
        summary: "Evaluate a JavaScript file in the page",
        details: "",
        untrusted: false,
        writes: true,
        output: "as js prints it",
        run: |context, arguments| Box::pin(eval(context, arguments)),
    },
    Spec {
        name: "css",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[
            selector(true, "The element"),
            Parameter { name: "prop", required: true, kind: Kind::Text, help: "A CSS property: color, --my-variable" },
        ],
        flags: &[],
        summary: "An element's computed style value",
        details: "",
        untrusted: false,
        writes: false,
        output: "the value",
        run: |context, arguments| Box::pin(css(context, arguments)),
    },
    Spec {
        name: "attrs",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[selector(true, "The element")],
        flags: &[],
        summary: "An element's attributes",
        details: "",
        untrusted: true,
        writes: false,
        output: "a JSON object",
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
                help: "visible, hidden, enabled, disabled, checked, editable or focused",
            },
            selector(true, "The element"),
        ],
        flags: &[],
        summary: "Ask for one state of an element",
        details: "",
        untrusted: false,
        writes: false,
        output: "true or false",
        run: |context, arguments| Box::pin(is(context, arguments)),
    },
    Spec {
        name: "console",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[],
        flags: &[CLEAR, Flag { name: "--errors", alias: "", value: None, help: "Only errors and exceptions" }],
        summary: "The page's console messages and uncaught exceptions",
        details: "From the time on when gstack first worked on the tab.",
        untrusted: true,
        writes: false,
        output: "[ISO time] [level] text, a line a message",
        run: |context, arguments| Box::pin(console(context, arguments)),
    },
    Spec {
        name: "network",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[],
        flags: &[CLEAR],
        summary: "The page's requests",
        details: "From the time on when gstack first worked on the tab.",
        untrusted: true,
        writes: false,
        output: "METHOD URL → STATUS (MSms, SIZEB), a line a request",
        run: |context, arguments| Box::pin(network(context, arguments)),
    },
    Spec {
        name: "dialog",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[],
        flags: &[CLEAR],
        summary: "The dialogs (alert, confirm, prompt) that the page opened",
        details: "",
        untrusted: true,
        writes: false,
        output: "[ISO time] [type] \"message\" → accepted or dismissed, a line a dialog",
        run: |context, arguments| Box::pin(dialog(context, arguments)),
    },
];

async fn js(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let limit = arguments.timeout(SCRIPT_LIMIT)?;
    evaluate(context, &arguments.required("expr")?, limit).await
}

async fn eval(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let limit = arguments.timeout(SCRIPT_LIMIT)?;
    let path = path_guard::input_path(context, &arguments.required("file")?)?;
    evaluate(context, &path_guard::read_text(&path).await?, limit).await
}

async fn evaluate(context: &Context, source: &str, limit: Duration) -> Result<Output, Fault> {
    let page = context.page().await?;
    let output = match page.evaluate(source, limit).await? {
        ScriptValue::Nothing => Output::text("").data(serde_json::Value::Null),
        ScriptValue::Text(text) => Output::text(text.clone()).data(text),
        ScriptValue::Other(text) => {
            let data = serde_json::from_str(&text).unwrap_or_else(|_| json!(text));
            Output::text(text).data(data)
        }
    };
    Ok(context.told_by_page(&page, output))
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

/// `2026-01-31T12:00:00.000Z`
fn iso(millis: u64) -> String {
    let time = i64::try_from(millis).ok().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
    time.map_or_else(|| millis.to_string(), |time| format!("{time:.3}"))
}

async fn console(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    if arguments.has("--clear") {
        page.clear_console();
        return Ok(Output::text("Console buffer cleared."));
    }
    let only_errors = arguments.has("--errors");
    let is_wanted = |message: &ConsoleMessage| !only_errors || matches!(message.level.as_str(), "error" | "assert");
    let messages: Vec<ConsoleMessage> = page.console().into_iter().filter(is_wanted).collect();
    if messages.is_empty() {
        return Ok(Output::text(if only_errors { "(no console errors)" } else { "(no console messages)" }));
    }
    let lines: Vec<String> =
        messages.iter().map(|message| format!("[{}] [{}] {}", iso(message.at), message.level, message.text)).collect();
    let data: Vec<_> = messages
        .iter()
        .map(|message| json!({ "at": iso(message.at), "level": message.level, "text": message.text }))
        .collect();
    Ok(Output::from_page(lines.join("\n"), page.url()?).data(data))
}

async fn network(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    if arguments.has("--clear") {
        page.clear_requests();
        return Ok(Output::text("Network buffer cleared."));
    }
    let requests = page.requests();
    if requests.is_empty() {
        return Ok(Output::text("(no network requests)"));
    }
    let lines: Vec<String> = requests.iter().map(request_line).collect();
    let data: Vec<_> = requests
        .iter()
        .map(|request| {
            json!({ "method": request.method, "url": request.url, "status": request.status, "ms": request.took,
                "bytes": request.size, "failed": request.failed })
        })
        .collect();
    Ok(Output::from_page(lines.join("\n"), page.url()?).data(data))
}

fn request_line(request: &RequestRecord) -> String {
    let outcome = match (&request.failed, request.status) {
        (Some(reason), _) => reason.clone(),
        (None, Some(status)) => status.to_string(),
        (None, None) => "pending".to_owned(),
    };
    let mut numbers: Vec<String> = Vec::new();
    numbers.extend(request.took.map(|millis| format!("{millis}ms")));
    numbers.extend(request.size.map(|bytes| format!("{bytes}B")));
    let numbers = if numbers.is_empty() { String::new() } else { format!(" ({})", numbers.join(", ")) };
    format!("{} {} → {outcome}{numbers}", request.method, request.url)
}

async fn dialog(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let tab = context.tab().await?;
    if arguments.has("--clear") {
        tab.clear_dialogs()?;
        return Ok(Output::text("Dialog buffer cleared."));
    }
    let dialogs = tab.dialogs()?;
    if dialogs.is_empty() {
        return Ok(Output::text("(no dialogs captured)"));
    }
    let lines: Vec<String> = dialogs
        .iter()
        .map(|record| {
            let outcome = match record.accepted {
                Some(true) => "accepted",
                Some(false) => "dismissed",
                None => "open",
            };
            let answer = record.text.as_ref().map(|text| format!(" \"{text}\"")).unwrap_or_default();
            let message = record.dialog.message.replace('\n', " ");
            format!("[{}] [{}] \"{message}\" → {outcome}{answer}", iso(record.at), record.dialog.kind)
        })
        .collect();
    Ok(Output::from_page(lines.join("\n"), tab.info()?.url))
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn times_are_iso_with_milliseconds() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(1_767_225_600_123), "2026-01-01T00:00:00.123Z");
    }
}
