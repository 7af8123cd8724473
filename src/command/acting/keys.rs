//! The `type`, `press`, `keydown` and `keyup` commands.
//!
//! Owns their output text. `browser::page` owns the list of keys.

use super::act::{ACT, ACTION_LIMIT};
use super::interaction::told;
use crate::core::{Arguments, Context, Output};
use crate::files::{DOWNLOAD_DIR, downloads};
use crate::spec::{Kind, Navigates, Offered, Parameter, Spec, TIMEOUT, ValueType, Verb, flag, parameter, phrase};
use gstack_base::counted::counted;
use gstack_browser::page::{Filled, Page, is_named_key};
use gstack_protocol::fault::{Fault, FaultCode};
use std::time::Duration;

/// A typing error must not keep a page busy for minutes.
const MOST_PRESSES: u32 = 1000;
const LONGEST_DELAY: u64 = 1000;
const KEY: Parameter = parameter("key", true, Kind::Text, ValueType::Key, "Shift, Control, a, ArrowDown, Space …");

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "type",
        parameters: &[parameter("text", true, Kind::Rest, ValueType::Typed, "What to type")],
        flags: &[
            flag(
                "--into",
                "SEL",
                ValueType::Element,
                "The field; types after its existing text (default: the focused \
                element)",
            ),
            flag("--delay", "MS", ValueType::Choice, "A pause after each key, in milliseconds"),
            TIMEOUT,
        ],
        summary: "Type key by key, into the focused element or --into one",
        details: "`type @e3 hello` is `type --into @e3 hello`. fill replaces a field's text at once.",
        navigates: Navigates::EnterKey,
        offered: Offered::Core,
        phrases: &[phrase(Verb::Type, "")],
        output: "Typed N characters, or: Typed N characters; the field shows \"text\"",
        data: "",
        run: |context, arguments| Box::pin(type_text(context, arguments)),
        ..ACT
    },
    Spec {
        name: "press",
        aliases: &["key"],
        parameters: &[parameter(
            "key",
            true,
            Kind::Text,
            ValueType::Key,
            "Enter, Tab, Escape, ArrowDown, a, Shift+Enter, Control+A …",
        )],
        flags: &[flag("--repeat", "N", ValueType::Choice, "Number of presses (default: 1)"), DOWNLOAD_DIR],
        summary: "Press a key or a combination of keys",
        navigates: Navigates::EnterKey,
        offered: Offered::Core,
        phrases: &[phrase(Verb::Press, "{key}")],
        output: "Pressed key",
        data: "",
        run: |context, arguments| Box::pin(press(context, arguments)),
        ..ACT
    },
    Spec {
        name: "keydown",
        parameters: &[KEY],
        flags: &[TIMEOUT],
        summary: "Press a key and hold it",
        details: "Stays held until keyup. A held modifier applies to clicks and keys in this tab.",
        navigates: Navigates::EnterKey,
        phrases: &[phrase(Verb::Hold, "{key}")],
        output: "Holding key",
        data: "",
        run: |context, arguments| Box::pin(hold(context, arguments, true)),
        ..ACT
    },
    Spec {
        name: "keyup",
        parameters: &[KEY],
        flags: &[TIMEOUT],
        summary: "Release a key that keydown holds",
        navigates: Navigates::EnterKey,
        phrases: &[phrase(Verb::Release, "{key}")],
        output: "Released key",
        data: "",
        run: |context, arguments| Box::pin(hold(context, arguments, false)),
        ..ACT
    },
];

async fn type_text(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let text = arguments.required("text")?;
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let delay: Option<u64> = arguments.value("--delay").map(|text| arguments.number("--delay", text)).transpose()?;
    if delay.is_some_and(|delay| delay > LONGEST_DELAY) {
        return Err(Fault::new(FaultCode::BadRequest, format!("--delay is {LONGEST_DELAY} ms at most")));
    }
    let target = arguments.value("--into").map(gstack_browser::page::Target::parse);
    let delay = delay.map(Duration::from_millis);
    let page = context.page().await?;
    let held = page.type_text(target.as_ref(), &text, delay, limit).await?;
    let into = target.map(|target| format!(" into {target}")).unwrap_or_default();
    let done = format!("Typed {}{into}", counted(text.chars().count(), "character"));
    Ok(match held {
        Filled::Changed(Some(shows)) if shows.is_empty() => Output::text(format!("{done}; the field is empty")),
        Filled::Changed(Some(shows)) => {
            let said = format!("{done}; the field shows \"{shows}\"");
            context.told_with_page(&page, format!("{done}; the field shows:"), shows, said)
        }
        held => told(context, &page, done, held),
    })
}

async fn press(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let key = arguments.required("key")?;
    let times = arguments.value("--repeat").map_or(Ok(1), |text| arguments.number("--repeat", text))?;
    if !(1..=MOST_PRESSES).contains(&times) {
        return Err(Fault::new(FaultCode::BadRequest, format!("--repeat {times} is out of range"))
            .hint(format!("Give 1 to {MOST_PRESSES}.")));
    }
    downloads::choose_folder(context, &arguments)?;
    let page = context.page().await?;
    check_paste(context, &page, &key)?;
    page.press(&key, times).await?;
    let often = if times == 1 { String::new() } else { format!(" {times} times") };
    Ok(Output::text(format!("Pressed {}{often}", said(&key))))
}

async fn hold(context: &Context, arguments: Arguments, goes_down: bool) -> Result<Output, Fault> {
    let key = arguments.required("key")?;
    let page = context.page().await?;
    if goes_down {
        check_paste(context, &page, &key)?;
    }
    page.hold_key(&key, goes_down).await?;
    let key = said(&key);
    Ok(Output::text(if goes_down { format!("Holding {key}") } else { format!("Released {key}") }))
}

/// Fails if a model would paste the clipboard by a key that somebody holds: the key alone was judged.
fn check_paste(context: &Context, page: &Page, key: &str) -> Result<(), Fault> {
    if context.for_model && page.pastes_by_held_key(key) {
        return Err(Fault::new(
            FaultCode::Forbidden,
            "a key is held in this tab, with which this one pastes the clipboard",
        )
        .hint("Press the combination in one command, such as ControlOrMeta+v."));
    }
    Ok(())
}

/// Returns the key's name. Does not repeat letters: passwords are typed letter by letter too.
fn said(key: &str) -> &str {
    if is_named_key(key) { key } else { "a character" }
}
