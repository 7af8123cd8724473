//! click, fill, select, hover, drag, type, press, scroll, wait, viewport, dialog-accept, dialog-dismiss.

use super::arguments::{Arguments, usage};
use super::context::{Context, Output};
use super::registry;
use super::spec::{Category, Class, Flag, Kind, Parameter, Spec, TIMEOUT, selector};
use crate::browser::dialogs::DialogPolicy;
use crate::browser::page::error::PageError;
use crate::browser::page::{Clicked, LoadState, Target};
use crate::protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::time::Duration;

const ACTION_LIMIT: Duration = Duration::from_secs(5);
const WAIT_LIMIT: Duration = Duration::from_secs(15);
/// Larger windows are a typing error, and cost memory by the square.
const LARGEST_VIEWPORT: u32 = 10_000;

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        name: "click",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[selector(true, "@e3, CSS, text=…, role=button[name=\"…\"] or xpath=…")],
        flags: &[TIMEOUT],
        summary: "Click an element",
        details: "Waits until it is visible, enabled, at rest and not covered, 5 s at most, then clicks its middle.\nA click on an <option> selects it.",
        untrusted: false,
        writes: true,
        output: "Clicked sel → now at URL",
        run: |context, arguments| Box::pin(click(context, arguments)),
    },
    Spec {
        name: "fill",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[
            selector(true, "The field"),
            Parameter { name: "value", required: true, kind: Kind::Rest, help: "Its new text; \"\" empties it" },
        ],
        flags: &[TIMEOUT],
        summary: "Replace a field's text",
        details: "Clears it, sets the text, fires input and change. --timeout goes before the selector.",
        untrusted: false,
        writes: true,
        output: "Filled sel",
        run: |context, arguments| Box::pin(fill(context, arguments)),
    },
    Spec {
        name: "select",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[
            selector(true, "The <select>"),
            Parameter {
                name: "value",
                required: true,
                kind: Kind::List,
                help: "An option's value, label or text; several for a multiple <select>",
            },
        ],
        flags: &[TIMEOUT],
        summary: "Choose options of a <select>",
        details: "",
        untrusted: false,
        writes: true,
        output: "Selected \"value\" in sel",
        run: |context, arguments| Box::pin(select(context, arguments)),
    },
    Spec {
        name: "hover",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[selector(true, "The element")],
        flags: &[TIMEOUT],
        summary: "Move the pointer over an element",
        details: "",
        untrusted: false,
        writes: true,
        output: "Hovered sel",
        run: |context, arguments| Box::pin(hover(context, arguments)),
    },
    Spec {
        name: "drag",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[
            selector(true, "The element to take"),
            Parameter { name: "to", required: true, kind: Kind::Selector, help: "The element to drop it on" },
        ],
        flags: &[TIMEOUT],
        summary: "Drag an element onto another",
        details: "Presses on its middle, moves in steps, lets go on the middle of the other. Works for pages that use pointer events and for those that use HTML's drag and drop.",
        untrusted: false,
        writes: true,
        output: "Dragged sel onto to",
        run: |context, arguments| Box::pin(drag(context, arguments)),
    },
    Spec {
        name: "type",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[Parameter { name: "text", required: true, kind: Kind::Rest, help: "What to type" }],
        flags: &[],
        summary: "Type into the focused element, key by key",
        details: "",
        untrusted: false,
        writes: true,
        output: "Typed N characters",
        run: |context, arguments| Box::pin(type_text(context, arguments)),
    },
    Spec {
        name: "press",
        aliases: &["key"],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[Parameter {
            name: "key",
            required: true,
            kind: Kind::Text,
            help: "Enter, Tab, Escape, ArrowDown, a, Shift+Enter, Control+A …",
        }],
        flags: &[],
        summary: "Press a key or a combination of keys",
        details: "",
        untrusted: false,
        writes: true,
        output: "Pressed key",
        run: |context, arguments| Box::pin(press(context, arguments)),
    },
    Spec {
        name: "scroll",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[selector(false, "The element to bring into view; without it the page's end")],
        flags: &[TIMEOUT],
        summary: "Scroll an element into view, or to the page's end",
        details: "",
        untrusted: false,
        writes: true,
        output: "Scrolled sel into view, or: Scrolled to bottom",
        run: |context, arguments| Box::pin(scroll(context, arguments)),
    },
    Spec {
        name: "wait",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Read,
        parameters: &[
            selector(false, "What must become visible"),
            Parameter { name: "ms", required: false, kind: Kind::Number, help: "How long at most (15000)" },
        ],
        flags: &[
            Flag { name: "--networkidle", alias: "", value: None, help: "Until no request was open for half a second" },
            Flag { name: "--load", alias: "", value: None, help: "Until the page and its resources are loaded" },
            Flag { name: "--domcontentloaded", alias: "", value: None, help: "Until the document is parsed" },
            TIMEOUT,
        ],
        summary: "Wait for an element, the page or the network",
        details: "",
        untrusted: false,
        writes: false,
        output: "Element sel appeared, Network idle, Page loaded or DOM content loaded",
        run: |context, arguments| Box::pin(wait(context, arguments)),
    },
    Spec {
        name: "viewport",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[Parameter { name: "WxH", required: true, kind: Kind::Text, help: "Width and height: 1280x720" }],
        flags: &[],
        summary: "Set the size that the page is laid out for",
        details: "",
        untrusted: false,
        writes: true,
        output: "Viewport set to WxH",
        run: |context, arguments| Box::pin(viewport(context, arguments)),
    },
    Spec {
        name: "dialog-accept",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[Parameter { name: "text", required: false, kind: Kind::Rest, help: "The answer to prompts" }],
        flags: &[],
        summary: "Accept the tab's dialogs from now on",
        details: "For dialogs that arise while a command runs, or at any time in a headless browser.",
        untrusted: false,
        writes: true,
        output: "Dialogs will be accepted",
        run: |context, arguments| Box::pin(dialog_accept(context, arguments)),
    },
    Spec {
        name: "dialog-dismiss",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[],
        flags: &[],
        summary: "Dismiss the tab's dialogs from now on",
        details: "",
        untrusted: false,
        writes: true,
        output: "Dialogs will be dismissed",
        run: |context, _| Box::pin(dialog_dismiss(context)),
    },
];

async fn click(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let page = context.page().await?;
    let clicked = page.click(&target, limit).await?;
    let url = page.url()?;
    let text = match clicked {
        Clicked::Element => format!("Clicked {target} → now at {url}"),
        Clicked::Option(text) => format!("Selected \"{text}\" (auto-routed from click on <option>) → now at {url}"),
    };
    Ok(Output::text(text).data(json!({ "url": url })))
}

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

/// Words without quotes may be one option's text: `select #country New Zealand`.
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
            // No option of that text: then each word is one.
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

async fn type_text(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let text = arguments.required("text")?;
    context.page().await?.type_text(&text).await?;
    Ok(Output::text(format!("Typed {} characters", text.chars().count())))
}

async fn press(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let key = arguments.required("key")?;
    context.page().await?.press(&key).await?;
    Ok(Output::text(format!("Pressed {key}")))
}

async fn scroll(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.target("sel");
    let limit = arguments.timeout(ACTION_LIMIT)?;
    context.page().await?.scroll(target.as_ref(), limit).await?;
    Ok(Output::text(match target {
        Some(target) => format!("Scrolled {target} into view"),
        None => "Scrolled to bottom".to_owned(),
    }))
}

async fn wait(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let states = [
        ("--networkidle", LoadState::NetworkIdle, "Network idle"),
        ("--load", LoadState::Load, "Page loaded"),
        ("--domcontentloaded", LoadState::DomContentLoaded, "DOM content loaded"),
    ];
    let asked: Vec<_> = states.iter().filter(|(flag, ..)| arguments.has(flag)).collect();
    let (first, second) = (arguments.text("sel"), arguments.text("ms"));
    let spec = registry::get("wait")?;
    let one_thing = || usage(spec, "wait takes one thing to wait for".to_owned());
    let millis = |text: Option<&String>| match text {
        Some(text) => Ok(Duration::from_millis(arguments.number("ms", text)?)),
        None => arguments.timeout(WAIT_LIMIT),
    };
    match (asked.as_slice(), first) {
        ([(_, state, words)], first) if second.is_none() => {
            let limit = millis(first.as_ref())?;
            context.page().await?.wait_until(*state, limit).await?;
            Ok(Output::text(*words))
        }
        ([], Some(selector)) => {
            let limit = millis(second.as_ref())?;
            let target = Target::parse(&selector);
            context.page().await?.wait_for(&target, limit).await?;
            Ok(Output::text(format!("Element {target} appeared")))
        }
        _ => Err(one_thing()),
    }
}

async fn viewport(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let given = arguments.required("WxH")?;
    let (width, height) = parse_size(&given).ok_or_else(|| {
        Fault::new(FaultCode::BadRequest, format!("{given:?} is no size")).hint("Write it as 1280x720.")
    })?;
    context.page().await?.set_viewport(width, height).await?;
    Ok(Output::text(format!("Viewport set to {width}x{height}")).data(json!({ "width": width, "height": height })))
}

fn parse_size(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once(['x', 'X', '×'])?;
    let side = |text: &str| text.trim().parse::<u32>().ok().filter(|side| (1..=LARGEST_VIEWPORT).contains(side));
    Some((side(width)?, side(height)?))
}

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

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!(parse_size("1280x720"), Some((1280, 720)));
        for text in ["1280", "0x5", "ax5", "1280x720x3", "99999x1"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }
}
