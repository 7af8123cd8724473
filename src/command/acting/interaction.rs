//! The `fill`, `select`, `hover` and `drag` commands.

use crate::core::{Arguments, Context, Output};
use crate::spec::{
    Category, Class, Everyday, Kind, Navigates, Needs, Offered, Parameter, Spec, TIMEOUT, TabUse, ValueType, Verb,
    Writes, phrase, selector,
};
use gstack_browser::page::Target;
use gstack_browser::page::error::PageError;
use gstack_protocol::fault::Fault;
use serde_json::json;
use std::time::Duration;

const ACTION_LIMIT: Duration = Duration::from_secs(5);

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "fill",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[
            selector(true, ValueType::Element, "The field"),
            Parameter {
                name: "value",
                required: true,
                kind: Kind::Rest,
                holds: ValueType::Typed,
                help: "Its new text; \"\" empties it",
            },
        ],
        flags: &[TIMEOUT],
        summary: "Replace a field's text",
        details: "Clears it, sets the text, fires input and change. Everything after -- is text, even if it looks \
            like a flag.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Fill, "{sel}")],
        output: "Filled sel",
        data: "",
        run: |context, arguments| Box::pin(fill(context, arguments)),
    },
    Spec {
        name: "select",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[
            selector(true, ValueType::Element, "The <select>"),
            Parameter {
                name: "value",
                required: true,
                kind: Kind::List,
                holds: ValueType::Secret,
                help: "An option's value, label or text; several for a multiple <select>",
            },
        ],
        flags: &[TIMEOUT],
        summary: "Choose options of a <select>",
        details: "",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Choose, "{value} in {sel}")],
        output: "Selected \"value\" in sel",
        data: "string[]",
        run: |context, arguments| Box::pin(select(context, arguments)),
    },
    Spec {
        name: "hover",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[selector(true, ValueType::Element, "The element")],
        flags: &[TIMEOUT],
        summary: "Move the pointer over an element",
        details: "",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::PointAt, "{sel}")],
        output: "Hovered sel",
        data: "",
        run: |context, arguments| Box::pin(hover(context, arguments)),
    },
    Spec {
        name: "drag",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[
            selector(true, ValueType::Element, "The element to take"),
            Parameter {
                name: "to",
                required: true,
                kind: Kind::Selector,
                holds: ValueType::Element,
                help: "The element to drop it on",
            },
        ],
        flags: &[TIMEOUT],
        summary: "Drag an element onto another",
        details: "Presses in the middle of the element, moves in steps and releases in the middle of the target. \
            Works for pages that use pointer events and for those that use HTML's drag and drop.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Drag, "{sel}")],
        output: "Dragged sel onto to",
        data: "",
        run: |context, arguments| Box::pin(drag(context, arguments)),
    },
];

async fn fill(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let value = arguments.required("value")?;
    context.page().await?.fill(&target, &value, limit).await?;
    Ok(Output::text(format!("Filled {target}")))
}

async fn select(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let values = arguments.list("value");
    let chosen = select_values(context, &target, values, limit).await?;
    let named: Vec<String> = chosen.iter().map(|value| format!("\"{value}\"")).collect();
    Ok(Output::text(format!("Selected {} in {target}", named.join(", "))).data(json!(chosen)))
}

/// Tries unquoted words as the text of a single option first: `select #country New Zealand`.
async fn select_values(
    context: &Context,
    target: &Target,
    values: Vec<String>,
    limit: Duration,
) -> Result<Vec<String>, Fault> {
    let page = context.page().await?;
    if values.len() > 1 {
        let whole = values.join(" ");
        match page.select(target, std::slice::from_ref(&whole), limit).await {
            Ok(_) => return Ok(vec![whole]),
            // No option has that text, so each word is an option.
            Err(PageError::Refused { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    page.select(target, &values, limit).await?;
    Ok(values)
}

async fn hover(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    context.page().await?.hover(&target, limit).await?;
    Ok(Output::text(format!("Hovered {target}")))
}

async fn drag(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let from = arguments.required_target("sel")?;
    let to = arguments.required_target("to")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    context.page().await?.drag(&from, &to, limit).await?;
    Ok(Output::text(format!("Dragged {from} onto {to}")))
}
