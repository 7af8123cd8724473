//! The `dialog-accept` and `dialog-dismiss` commands.

use crate::core::{Arguments, Context, Output};
use crate::spec::{
    Category, Class, Everyday, Kind, Navigates, Needs, Offered, Parameter, Spec, TabUse, ValueType, Verb, Writes,
    phrase,
};
use gstack_browser::dialogs::DialogPolicy;
use gstack_protocol::fault::Fault;

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "dialog-accept",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[Parameter {
            name: "text",
            required: false,
            kind: Kind::Rest,
            holds: ValueType::Typed,
            help: "The answer to prompts",
        }],
        flags: &[],
        summary: "Accept dialogs in this tab from now on",
        details: "Applies to dialogs that open while a command runs, and in a headless browser at any time.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Client,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Accept, "dialogs")],
        output: "Dialogs will be accepted",
        data: "",
        run: |context, arguments| Box::pin(dialog_accept(context, arguments)),
    },
    Spec {
        name: "dialog-dismiss",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[],
        flags: &[],
        summary: "Dismiss dialogs in this tab from now on",
        details: "",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Client,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Dismiss, "dialogs")],
        output: "Dialogs will be dismissed",
        data: "",
        run: |context, _| Box::pin(dialog_dismiss(context)),
    },
];

async fn dialog_accept(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let text = arguments.text("text");
    context.tab().await?.set_dialog_policy(DialogPolicy::Accept(text.clone()))?;
    Ok(Output::text(match text {
        Some(text) => format!("Dialogs will be accepted with text: \"{text}\""),
        None => "Dialogs will be accepted".to_owned(),
    }))
}

async fn dialog_dismiss(context: &Context) -> Result<Output, Fault> {
    context.tab().await?.set_dialog_policy(DialogPolicy::Dismiss)?;
    Ok(Output::text("Dialogs will be dismissed"))
}
