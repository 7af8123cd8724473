//! The `check`, `uncheck`, `clear`, `blur` and `select-text` commands.
//!
//! Owns their output text.

use super::act::{ACT, ACTION_LIMIT};
use super::interaction::told;
use crate::core::{Arguments, Context, Output};
use crate::spec::{Navigates, Offered, Spec, TIMEOUT, ValueType, Verb, phrase, selector};
use gstack_base::counted::counted;
use gstack_protocol::fault::Fault;
use serde_json::json;

const CHECKABLE: &str = "Does nothing if it is already in that state. Fails if the click does not change it.";

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "check",
        parameters: &[selector(true, ValueType::Element, "A checkbox, radio button or switch, or its label")],
        flags: &[TIMEOUT],
        summary: "Check a checkbox, a radio button or a switch",
        details: CHECKABLE,
        navigates: Navigates::ElementsTarget,
        offered: Offered::Core,
        phrases: &[phrase(Verb::Check, "{sel}")],
        output: "Checked sel, or: sel is checked already",
        data: "{checked: boolean, clicked: boolean}",
        run: |context, arguments| Box::pin(async move { set_checked(context, &arguments, true).await }),
        ..ACT
    },
    Spec {
        name: "uncheck",
        parameters: &[selector(true, ValueType::Element, "A checkbox or switch, or its label")],
        flags: &[TIMEOUT],
        summary: "Uncheck a checkbox or a switch",
        details: CHECKABLE,
        navigates: Navigates::ElementsTarget,
        offered: Offered::Core,
        phrases: &[phrase(Verb::Uncheck, "{sel}")],
        output: "Unchecked sel, or: sel is unchecked already",
        data: "{checked: boolean, clicked: boolean}",
        run: |context, arguments| Box::pin(async move { set_checked(context, &arguments, false).await }),
        ..ACT
    },
    Spec {
        name: "clear",
        parameters: &[selector(true, ValueType::Element, "The field")],
        flags: &[TIMEOUT],
        summary: "Empty a field",
        details: "Same as fill with \"\".",
        phrases: &[phrase(Verb::Clear, "{sel}")],
        output: "Cleared sel",
        data: "",
        run: |context, arguments| Box::pin(async move { clear(context, &arguments).await }),
        ..ACT
    },
    Spec {
        name: "blur",
        flags: &[TIMEOUT],
        summary: "Remove the focus from the focused element",
        details: "Many pages then validate the field and close its drop-down list.",
        phrases: &[phrase(Verb::Leave, "the field")],
        output: "Left element, or: Nothing had the focus",
        data: "",
        run: |context, _| Box::pin(blur(context)),
        ..ACT
    },
    Spec {
        name: "select-text",
        parameters: &[selector(true, ValueType::Element, "A field, or an element that contains the text")],
        flags: &[TIMEOUT],
        summary: "Select an element's text",
        details: "Text that you type next replaces it; `press ControlOrMeta+c` copies it.",
        phrases: &[phrase(Verb::Select, "the text of {sel}")],
        output: "Selected N characters of sel",
        data: "{characters: number}",
        run: |context, arguments| Box::pin(async move { select_text(context, &arguments).await }),
        ..ACT
    },
];

async fn set_checked(context: &Context, arguments: &Arguments, checked: bool) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let clicked = context.page().await?.set_checked(&target, checked, limit).await?;
    let text = match (checked, clicked) {
        (true, true) => format!("Checked {target}"),
        (false, true) => format!("Unchecked {target}"),
        (true, false) => format!("{target} is checked already"),
        (false, false) => format!("{target} is unchecked already"),
    };
    Ok(Output::text(text).data(json!({ "checked": checked, "clicked": clicked })))
}

async fn clear(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let page = context.page().await?;
    let filled = page.fill(&target, "", limit).await?;
    Ok(told(context, &page, format!("Cleared {target}"), filled))
}

async fn blur(context: &Context) -> Result<Output, Fault> {
    let page = context.page().await?;
    Ok(match page.blur().await? {
        Some(left) => context.told_with_page(&page, "Left:".to_owned(), left.clone(), format!("Left {left}")),
        None => Output::text("Nothing had the focus"),
    })
}

async fn select_text(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let characters = context.page().await?.select_text(&target, limit).await?;
    Ok(Output::text(format!("Selected {} of {target}", counted(characters, "character")))
        .data(json!({ "characters": characters })))
}
