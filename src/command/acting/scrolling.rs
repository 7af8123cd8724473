//! The `scroll` command.
//!
//! Owns its output text and limits.

use super::act::{ACT, ACTION_LIMIT};
use crate::core::{Arguments, Context, Output, wrong};
use crate::spec::{Offered, Spec, TIMEOUT, ValueType, Verb, When, flag, phrase, phrase_when, selector};
use gstack_base::counted::counted;
use gstack_browser::page::{Edge, Page, ScrollBy, Scrolled, Target};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::time::Duration;

/// Endless lists need a limit.
const UNTIL_LIMIT: Duration = Duration::from_secs(30);
/// How far `scroll down` goes, in pixels: most of a screen.
const STEP: f64 = 600.0;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "scroll",
    aliases: &["scrollintoview"],
    parameters: &[selector(
        false,
        ValueType::Element,
        "The element to bring into view, or down, up, left, right, top, bottom; with a flag, the box to scroll, or what lies in it",
    )],
    flags: &[
        flag("--by", "DX,DY", ValueType::Choice, "This many pixels, right and down: 0,600"),
        flag("--to", "EDGE", ValueType::Choice, "top, bottom, left or right"),
        flag(
            "--until",
            "SEL",
            ValueType::Choice,
            "Down until this is in view: text=…, CSS …; for lists that load as you scroll",
        ),
        TIMEOUT,
    ],
    summary: "Scroll an element into view, or the page or a box in it",
    details: "Without arguments: to the end of the page. --until stops where nothing more loads, at the latest after \
        --timeout (30 s), and says how far it got.",
    offered: Offered::Core,
    phrases: &[
        phrase_when(When::Flag("--by"), Verb::Scroll, "in the page"),
        phrase_when(When::Flag("--to"), Verb::Scroll, "in the page"),
        phrase_when(When::Flag("--until"), Verb::Scroll, "in the page"),
        phrase(Verb::Scroll, "to {sel}"),
        phrase(Verb::Scroll, "to the end"),
    ],
    output: "Scrolled sel into view, Scrolled to bottom, Scrolled by X,Y or Scrolled N times until SEL was in view",
    data: "{x?: number, y: number, ended?: boolean, steps?: number}",
    run: |context, arguments| Box::pin(scroll(context, arguments)),
    ..ACT
}];

async fn scroll(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.target("sel");
    if let Some(how) = arguments.text("sel").as_deref().and_then(direction)
        && ["--by", "--to", "--until"].iter().all(|flag| !arguments.has(flag))
    {
        return within(context, &arguments, None, how).await;
    }
    match (arguments.value("--by"), arguments.value("--to"), arguments.value("--until")) {
        (None, None, None) => {
            let limit = arguments.timeout(ACTION_LIMIT)?;
            context.page().await?.scroll(target.as_ref(), limit).await?;
            Ok(Output::text(match target {
                Some(target) => format!("Scrolled {target} into view"),
                None => "Scrolled to bottom".to_owned(),
            }))
        }
        (Some(by), None, None) => {
            let [x, y] = distance(&arguments, by)?;
            within(context, &arguments, target, ScrollBy::By(x, y)).await
        }
        (None, Some(to), None) => within(context, &arguments, target, ScrollBy::To(edge(to)?)).await,
        (None, None, Some(until)) => {
            let limit = arguments.timeout(UNTIL_LIMIT)?;
            let page = context.page().await?;
            scroll_until(&page, target.as_ref(), until, limit).await
        }
        _ => Err(wrong("scroll takes one of --by, --to and --until")),
    }
}

async fn within(
    context: &Context,
    arguments: &Arguments,
    target: Option<Target>,
    how: ScrollBy,
) -> Result<Output, Fault> {
    let limit = arguments.timeout(ACTION_LIMIT)?;
    let scrolled = context.page().await?.scroll_within(target.as_ref(), how, limit).await?;
    let Scrolled { x, y, ended, left, .. } = scrolled;
    if left {
        return Ok(Output::text("Scrolled, and the page navigated away"));
    }
    let end = if ended { ", to the end" } else { "" };
    Ok(Output::text(format!("Scrolled by {x},{y}{end}")).data(json!({ "x": x, "y": y, "ended": ended })))
}

async fn scroll_until(page: &Page, target: Option<&Target>, until: &str, limit: Duration) -> Result<Output, Fault> {
    let Scrolled { y, ended, busy, steps, found, left, .. } = page.scroll_until(target, until, limit).await?;
    let far = format!("{y} pixels, {}", counted(steps, "step"));
    if found {
        return Ok(
            Output::text(format!("Scrolled until {until} was in view ({far})")).data(json!({ "y": y, "steps": steps }))
        );
    }
    let (why, hint) = match (left, ended) {
        (true, _) => {
            let why = "the page navigated away".to_owned();
            (why, "Run snapshot to see the page as it is now, then scroll there if it is the right page.")
        }
        (false, true) => (
            "the end was reached, and nothing more came within 1.5 s".to_owned(),
            "Scroll to the top first if it may be further up, or name the box that scrolls: scroll <sel> --until …",
        ),
        (false, false) => (
            format!("{} s have passed{}", limit.as_secs(), if busy { ", and the page is loading more" } else { "" }),
            "Continue with the same command, or allow more time with --timeout MS.",
        ),
    };
    Err(Fault::new(FaultCode::Element, format!("{until} did not come into view: {why} ({far})")).hint(hint))
}

fn distance(arguments: &Arguments, text: &str) -> Result<[f64; 2], Fault> {
    arguments.numbers(text).ok_or_else(|| {
        Fault::new(FaultCode::BadRequest, format!("--by {text:?} is not a distance"))
            .hint("Two numbers of pixels, right and down: --by 0,600; up is --by 0,-600.")
    })
}

/// Returns what a word in place of an element means. No page has elements of these names.
fn direction(word: &str) -> Option<ScrollBy> {
    match word {
        "down" => Some(ScrollBy::By(0.0, STEP)),
        "up" => Some(ScrollBy::By(0.0, -STEP)),
        "left" => Some(ScrollBy::By(-STEP, 0.0)),
        "right" => Some(ScrollBy::By(STEP, 0.0)),
        "top" => Some(ScrollBy::To(Edge::Top)),
        "bottom" => Some(ScrollBy::To(Edge::Bottom)),
        _ => None,
    }
}

fn edge(text: &str) -> Result<Edge, Fault> {
    match text {
        "top" => Ok(Edge::Top),
        "bottom" => Ok(Edge::Bottom),
        "left" => Ok(Edge::Left),
        "right" => Ok(Edge::Right),
        other => Err(Fault::new(FaultCode::BadRequest, format!("{other:?} is not an edge"))
            .hint("One of: top, bottom, left, right.")),
    }
}
