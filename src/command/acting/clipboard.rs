//! The `clipboard` command.
//!
//! Owns its output text. The clipboard belongs to the person: agents are not offered it.

use super::act::ACT;
use crate::core::{Arguments, Context, Output, wrong};
use crate::spec::{Class, Kind, Spec, ValueType, Verb, When, parameter, phrase, phrase_when};
use gstack_base::counted::counted;
use gstack_protocol::fault::Fault;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "clipboard",
    class: Class::Secret,
    parameters: &[
        parameter("act", true, Kind::Text, ValueType::Choice, "read or write"),
        parameter("text", false, Kind::Rest, ValueType::Secret, "write: the text"),
    ],
    summary: "Read or write the clipboard's text",
    details: "`press ControlOrMeta+v` pastes it into what has the focus. Without a window the browser has a clipboard of its own.",
    phrases: &[phrase_when(When::Is("act", "read"), Verb::Read, "the clipboard"), phrase(Verb::Set, "the clipboard")],
    output: "the text, or: N characters on the clipboard",
    data: "",
    run: |context, arguments| Box::pin(clipboard(context, arguments)),
    ..ACT
}];

async fn clipboard(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    match (arguments.required("act")?.as_str(), arguments.text("text")) {
        ("read", None) => {
            let page = context.page().await?;
            let text = page.read_clipboard().await?;
            // The text may come from any page, or from outside the browser.
            Ok(Output { source_url: context.for_model.then(|| "the clipboard".to_owned()), ..Output::text(text) })
        }
        ("write", Some(text)) => {
            context.page().await?.write_clipboard(&text).await?;
            Ok(Output::text(format!("{} on the clipboard", counted(text.chars().count(), "character"))))
        }
        _ => Err(wrong("clipboard takes read, or write and a text")),
    }
}
