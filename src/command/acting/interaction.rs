//! The `fill`, `select`, `hover` and `drag` commands.

use crate::core::{Arguments, Context, Output, wrong};
use crate::spec::{
    Category, Class, Everyday, Kind, Navigates, Needs, Offered, Parameter, Spec, TIMEOUT, TabUse, ValueType, Verb,
    Writes, flag, phrase, selector,
};
use gstack_browser::page::error::PageError;
use gstack_browser::page::{Dragged, Filled, LONGEST_HOLD, Page, Target};
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
        details: "Clears it, sets the text, fires input and change, and reads the field back: it fails if the page \
            refused or cleared the text. Everything after -- is text, even if it looks like a flag.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Fill, "{sel}")],
        output: "Filled sel, or: Filled sel; the page changed the text to \"text\"",
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
        details: "Fails if the page undoes the choice.",
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
        flags: &[
            TIMEOUT,
            flag("--hold", "MS", ValueType::Choice, "Wait this long between the press and the first move"),
        ],
        summary: "Drag an element onto another",
        details: "Presses in the middle of the element, moves in steps and releases in the middle of the target. \
            Works for pages that use pointer events and for those that use HTML's drag and drop. If nothing moves, it \
            tries once more with a hold after the press.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Drag, "{sel}")],
        output: "Dragged sel onto to, or: Dragged sel onto to; nothing in the page moved",
        data: "",
        run: |context, arguments| Box::pin(drag(context, arguments)),
    },
];

async fn fill(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let value = arguments.required("value")?;
    let page = context.page().await?;
    let filled = page.fill(&target, &value, limit).await?;
    Ok(told(context, &page, format!("Filled {target}"), filled))
}

/// Returns the output of a fill: what was done, and what the page made of it.
pub(super) fn told(context: &Context, page: &Page, done: String, filled: Filled) -> Output {
    match filled {
        Filled::Same => Output::text(done),
        Filled::Gone => Output::text(format!("{done}; the page then removed the field")),
        Filled::Changed(None) => Output::text(format!("{done}; the page changed the text")),
        Filled::Changed(Some(shows)) => {
            let said = format!("{done}; the page changed the text to \"{shows}\"");
            context.told_with_page(page, format!("{done}; the page changed the text to:"), shows, said)
        }
    }
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
    let hold = arguments.value("--hold").map(|text| hold_of(&arguments, text)).transpose()?;
    let dragged = context.page().await?.drag(&from, &to, hold, limit).await?;
    let moved = match dragged {
        Dragged::Moved => "",
        Dragged::NothingMoved => "; nothing in the page moved",
        Dragged::NotAccepted => "; the page did not accept the drop there",
    };
    Ok(Output::text(format!("Dragged {from} onto {to}{moved}")))
}

fn hold_of(arguments: &Arguments, text: &str) -> Result<Duration, Fault> {
    let hold = Duration::from_millis(arguments.number("--hold", text)?);
    if hold > LONGEST_HOLD {
        return Err(wrong(format!("--hold takes at most {} ms", LONGEST_HOLD.as_millis())));
    }
    Ok(hold)
}
