//! The `click`, `dblclick`, `rightclick`, `tap` and `swipe` commands.
//!
//! Owns the flags that they share.

use super::act::{ACT, ACTION_LIMIT};
use super::mouse::button;
use crate::core::{Arguments, Context, Output};
use crate::files::{DOWNLOAD_DIR, downloads};
use crate::spec::{Flag, Kind, Navigates, Offered, Spec, TIMEOUT, ValueType, Verb, flag, parameter, phrase, selector};
use gstack_browser::page::{ClickButton, Clicked, Clicks, Modifiers, Offset, PointerKind, Swipe};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;

/// The default length of a swipe, in CSS pixels.
const SWIPE: f64 = 300.0;

const MODIFIERS: Flag = flag(
    "--modifiers",
    "KEYS",
    ValueType::Choice,
    "Keys to hold, separated by commas: Shift, Control, Alt, Meta, ControlOrMeta",
);
const POSITION: Flag = flag(
    "--position",
    "X,Y",
    ValueType::Choice,
    "Position in pixels from the element's upper left corner (default: its \
        middle)",
);

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "click",
        parameters: &[selector(true, ValueType::Element, "@e3, CSS, text=…, role=button[name=\"…\"] or xpath=…")],
        flags: &[
            flag("--button", "BUTTON", ValueType::Choice, "left, right (a context menu) or middle"),
            flag("--count", "N", ValueType::Choice, "Number of clicks, 1 to 3; 2 is a double click"),
            MODIFIERS,
            POSITION,
            TIMEOUT,
            DOWNLOAD_DIR,
        ],
        summary: "Click an element",
        details: "Waits until it is visible, enabled, at rest and not covered, 5 s at most, then clicks its \
            middle.\nA click on an <option> selects it.\nThe following lines list dialogs, downloads and tabs that \
            the click caused.",
        navigates: Navigates::ElementsTarget,
        offered: Offered::Core,
        phrases: &[phrase(Verb::Click, "{sel}")],
        output: "Clicked sel, or: … → now at URL",
        data: "{url: string}",
        run: |context, arguments| Box::pin(click_as_asked(context, arguments)),
        ..ACT
    },
    Spec {
        name: "dblclick",
        parameters: &[selector(true, ValueType::Element, "The element")],
        flags: &[MODIFIERS, POSITION, TIMEOUT, DOWNLOAD_DIR],
        summary: "Double-click an element",
        details: "Same as click --count 2.",
        navigates: Navigates::ElementsTarget,
        phrases: &[phrase(Verb::DoubleClick, "{sel}")],
        output: "Double-clicked sel, or: … → now at URL",
        data: "{url: string}",
        run: |context, arguments| {
            Box::pin(async move {
                click(context, &arguments, Clicks { count: 2, ..Clicks::default() }, "Double-clicked").await
            })
        },
        ..ACT
    },
    Spec {
        name: "rightclick",
        aliases: &["contextmenu"],
        parameters: &[selector(true, ValueType::Element, "The element")],
        flags: &[MODIFIERS, POSITION, TIMEOUT],
        summary: "Click an element with the right button",
        details: "Same as click --button right. snapshot shows a menu that the page draws, but not the browser's own.",
        navigates: Navigates::ElementsTarget,
        phrases: &[phrase(Verb::RightClick, "{sel}")],
        output: "Right-clicked sel, or: … → now at URL",
        data: "{url: string}",
        run: |context, arguments| {
            Box::pin(async move {
                let clicks = Clicks { button: ClickButton::Right, ..Clicks::default() };
                click(context, &arguments, clicks, "Right-clicked").await
            })
        },
        ..ACT
    },
    Spec {
        name: "tap",
        parameters: &[selector(true, ValueType::Element, "The element")],
        flags: &[POSITION, TIMEOUT, DOWNLOAD_DIR],
        summary: "Tap an element with a finger",
        details: "The page gets touch events, then those of a click.",
        navigates: Navigates::ElementsTarget,
        phrases: &[phrase(Verb::Tap, "{sel}")],
        output: "Tapped sel, or: … → now at URL",
        data: "{url: string}",
        run: |context, arguments| {
            Box::pin(async move {
                let clicks = Clicks { pointer: PointerKind::Touch, ..Clicks::default() };
                click(context, &arguments, clicks, "Tapped").await
            })
        },
        ..ACT
    },
    Spec {
        name: "swipe",
        parameters: &[
            parameter(
                "direction",
                true,
                Kind::Text,
                ValueType::Choice,
                "up, down, left or right: where the finger goes",
            ),
            selector(false, ValueType::Element, "The element that it starts on; without it the middle of the page"),
        ],
        flags: &[flag("--by", "N", ValueType::Choice, "Distance in pixels (default: 300)"), TIMEOUT],
        summary: "Swipe across an element or the page",
        details: "The page gets touch events. Swiping up scrolls down.",
        phrases: &[phrase(Verb::Swipe, "over {sel}"), phrase(Verb::Swipe, "over the page")],
        output: "Swiped direction over sel",
        data: "",
        run: |context, arguments| Box::pin(async move { swipe(context, &arguments).await }),
        ..ACT
    },
];

async fn click_as_asked(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let button = button(arguments.value("--button").as_ref())?;
    let count = arguments.value("--count").map_or(Ok(1), |text| arguments.number("--count", text))?;
    if !(1..=3).contains(&count) {
        return Err(
            Fault::new(FaultCode::BadRequest, format!("--count {count} is out of range")).hint("Give 1, 2 or 3.")
        );
    }
    click(context, &arguments, Clicks { button, count, ..Clicks::default() }, "Clicked").await
}

/// Clicks according to the flags. `done`: the past tense for the output, such as `Clicked`.
async fn click(context: &Context, arguments: &Arguments, clicks: Clicks, done: &str) -> Result<Output, Fault> {
    let target = arguments.required_target("sel")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let clicks = Clicks { modifiers: modifiers(arguments)?, offset: offset(arguments)?, ..clicks };
    downloads::choose_folder(context, arguments)?;
    let page = context.page().await?;
    let before = page.url()?;
    let clicked = page.click(&target, clicks, limit).await?;
    if clicked == Clicked::Closed {
        return Ok(Output::text(format!("{done} {target} → its page closed the tab")));
    }
    let url = page.url()?;
    let now = if url == before { String::new() } else { format!(" → now at {url}") };
    let text = match clicked {
        Clicked::Closed | Clicked::Element => format!("{done} {target}{now}"),
        Clicked::Pressed => {
            format!("{done} {target}; it got the press but no click: the page moved or covered it{now}")
        }
        Clicked::Option(text) => format!("Selected \"{text}\" (auto-routed from click on <option>){now}"),
    };
    Ok(Output::text(text).data(json!({ "url": url })))
}

fn modifiers(arguments: &Arguments) -> Result<Modifiers, Fault> {
    let Some(text) = arguments.value(MODIFIERS.name) else { return Ok(Modifiers::default()) };
    Modifiers::parse(text).map_err(|why| Fault::new(FaultCode::BadRequest, format!("--modifiers: {why}")))
}

fn offset(arguments: &Arguments) -> Result<Option<Offset>, Fault> {
    let Some(text) = arguments.value(POSITION.name) else { return Ok(None) };
    let numbers: Option<(u32, u32)> =
        text.split_once(',').and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)));
    let (x, y) = numbers.ok_or_else(|| {
        Fault::new(FaultCode::BadRequest, format!("--position {text:?} is not a position"))
            .hint("Two whole numbers from the upper left corner, for instance --position 10,20.")
    })?;
    Ok(Some(Offset { x, y }))
}

async fn swipe(context: &Context, arguments: &Arguments) -> Result<Output, Fault> {
    let direction = arguments.required("direction")?;
    let far = arguments.value("--by").map_or(Ok(SWIPE), |text| arguments.number("--by", text))?;
    let swipe = match direction.as_str() {
        "up" => Swipe { x: 0.0, y: -far },
        "down" => Swipe { x: 0.0, y: far },
        "left" => Swipe { x: -far, y: 0.0 },
        "right" => Swipe { x: far, y: 0.0 },
        other => {
            return Err(Fault::new(FaultCode::BadRequest, format!("{other:?} is not a direction"))
                .hint("One of: up, down, left, right."));
        }
    };
    let target = arguments.target("sel");
    let limit = arguments.timeout(ACTION_LIMIT)?;
    context.page().await?.swipe(target.as_ref(), swipe, limit).await?;
    let over = target.map_or_else(|| "the page".to_owned(), |target| target.to_string());
    Ok(Output::text(format!("Swiped {direction} over {over}")))
}
