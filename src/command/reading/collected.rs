//! The `console` and `dialog` commands: what gstack has collected from a page since it attached.

use crate::core::{Arguments, Context, Output};
use crate::spec::{
    Category, Class, Everyday, Flag, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, Writes, phrase,
};
use gstack_base::clock::iso;
use gstack_browser::page::journal::ConsoleMessage;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;

pub(crate) const CLEAR: Flag =
    Flag { name: "--clear", alias: "", value: None, holds: ValueType::Deletion, help: "Clear the collected entries" };

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "console",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[],
        flags: &[
            CLEAR,
            Flag {
                name: "--errors",
                alias: "",
                value: None,
                holds: ValueType::Choice,
                help: "Only errors, exceptions and warnings: --level warning",
            },
            Flag {
                name: "--level",
                alias: "",
                value: Some("LEVEL"),
                holds: ValueType::Choice,
                help: "This level and more severe ones: error, warning, info or debug",
            },
        ],
        summary: "Print the page's console messages and uncaught exceptions",
        details: "Collected since gstack first worked in the tab.",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the console")],
        output: "[ISO time] [level] text, one line per message",
        data: "[{at: string, level: string, text: string}]",
        run: |context, arguments| Box::pin(console(context, arguments)),
    },
    Spec {
        name: "dialog",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Read,
        parameters: &[],
        flags: &[CLEAR],
        summary: "List the dialogs (alert, confirm, prompt) that the page opened",
        details: "",
        untrusted: true,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the dialogs")],
        output: "[ISO time] [type] \"message\" → accepted or dismissed, one line per dialog",
        data: "",
        run: |context, arguments| Box::pin(dialog(context, arguments)),
    },
];

/// The severity of a console message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Debug,
    Info,
    Warning,
    Error,
}

impl Level {
    fn parse(name: &str) -> Result<Self, Fault> {
        match name {
            "error" => Ok(Self::Error),
            "warning" | "warn" => Ok(Self::Warning),
            "info" | "log" => Ok(Self::Info),
            "debug" => Ok(Self::Debug),
            _ => Err(Fault::new(FaultCode::BadRequest, format!("{name:?} is not a console level"))
                .hint("One of: error, warning, info, debug. Without --level all of them are shown.")),
        }
    }
    /// Returns a message's level. `console.table` and similar calls count as info.
    fn of(kind: &str) -> Self {
        match kind {
            "error" | "assert" => Self::Error,
            "warning" => Self::Warning,
            "debug" => Self::Debug,
            _ => Self::Info,
        }
    }
}

async fn console(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    if arguments.has("--clear") {
        page.clear_console();
        return Ok(Output::text("Console buffer cleared."));
    }
    let level = match arguments.value("--level") {
        Some(name) => Some(Level::parse(name)?),
        None => arguments.has("--errors").then_some(Level::Warning),
    };
    let is_wanted = |message: &ConsoleMessage| level.is_none_or(|least| Level::of(&message.level) >= least);
    let messages: Vec<ConsoleMessage> = page.console().into_iter().filter(is_wanted).collect();
    if messages.is_empty() {
        return Ok(Output::text(match level {
            Some(Level::Error) => "(no console errors)",
            Some(Level::Warning) => "(no console errors or warnings)",
            Some(_) => "(no console messages of this level)",
            None => "(no console messages)",
        }));
    }
    let lines: Vec<String> =
        messages.iter().map(|message| format!("[{}] [{}] {}", iso(message.at), message.level, message.text)).collect();
    let data: Vec<_> = messages
        .iter()
        .map(|message| json!({ "at": iso(message.at), "level": message.level, "text": message.text }))
        .collect();
    Ok(Output::from_page(lines.join("\n"), page.url()?).data(data))
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
    use super::{Level, iso};

    #[test]
    fn warnings_are_graver_than_information_and_a_level_that_is_none_is_refused() {
        assert!(Level::of("warning") > Level::of("table") && Level::of("assert") == Level::parse("error").unwrap());
        assert!(Level::of("log") > Level::of("debug"));
        assert!(Level::parse("loud").unwrap_err().hint.is_some());
    }

    #[test]
    fn times_are_iso_with_milliseconds() {
        assert_eq!(iso(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(1_767_225_600_123), "2026-01-01T00:00:00.123Z");
    }
}
