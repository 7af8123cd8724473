//! The `style`, `cleanup` and `prettyscreenshot` commands.

use super::screenshot::{format_of, looks_like_a_path, missing};
use crate::core::output_files::named_or_unnamed;
use crate::core::{Arguments, Context, Output, wrong};
use crate::privacy::path_guard;
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, When,
    Writes, parameter, phrase, phrase_when, selector, switch,
};
use gstack_base::counted::counted;
use gstack_browser::page::error::PageError;
use gstack_browser::page::{Area, Capture, Clutter, ImageFormat, Page, Target};
use gstack_protocol::catalogue;
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::time::Duration;

/// Flag, kind, and the noun for counting.
const KINDS: [(&str, Clutter, &str); 6] = [
    ("--ads", Clutter::Ads, "ad"),
    ("--cookies", Clutter::Cookies, "cookie banner"),
    ("--sticky", Clutter::Sticky, "sticky element"),
    ("--social", Clutter::Social, "social widget"),
    ("--overlays", Clutter::Overlays, "overlay"),
    ("--clutter", Clutter::Widgets, "clutter element"),
];
const WIDTHS: std::ops::RangeInclusive<u32> = 100..=10_000;
const HEIGHT: u32 = 900;
const SCROLL_LIMIT: Duration = Duration::from_secs(5);

pub(crate) const INTERACTION: &[Spec] = &[
    Spec {
        name: "style",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[
            selector(false, ValueType::Element, "The element; with --undo the modification's number"),
            parameter("declaration", false, Kind::Rest, ValueType::Choice, "A property and its value: color red"),
        ],
        flags: &[switch("--undo", ValueType::Choice, "Revert the last modification, or modification N")],
        summary: "Change one CSS property of an element",
        details: "It can be undone until the page navigates: style --undo reverts the last modification, style --undo \
            N the one that inspect --history lists as N. A custom property goes after --: style @e3 -- --accent red.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Visual),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase_when(When::Flag("--undo"), Verb::Undo, "the style changes"), phrase(Verb::Restyle, "{sel}")],
        output: "Style modified: sel { prop: old → new } (method), Reverted last modification or Reverted modification #N",
        data: "{property: string, old: string, new: string}",
        run: |context, arguments| Box::pin(style(context, arguments)),
    },
    Spec {
        name: "cleanup",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Act,
        parameters: &[],
        flags: &[
            switch("--ads", ValueType::Choice, "Advertisements"),
            switch("--cookies", ValueType::Choice, "Cookie banners"),
            switch("--sticky", ValueType::Choice, "Elements that stay in place while the page scrolls"),
            switch("--social", ValueType::Choice, "Share and follow buttons"),
            switch("--overlays", ValueType::Choice, "Elements that cover most of the page"),
            switch("--clutter", ValueType::Choice, "Newsletter boxes, chat widgets and the like"),
            switch("--all", ValueType::Choice, "All of these, as without a flag"),
        ],
        summary: "Hide clutter and unlock scrolling",
        details: "Keeps the site's header and navigation. A reload restores everything.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Visual),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Tidy, "the page")],
        output: "Cleaned up: …, or: No clutter elements found to remove.",
        data: "{[kind]: number}",
        run: |context, arguments| Box::pin(cleanup(context, arguments)),
    },
];

pub(crate) const VISUAL: &[Spec] = &[Spec {
    name: "prettyscreenshot",
    aliases: &["pretty"],
    category: Category::Visual,
    class: Class::Read,
    parameters: &[parameter(
        "path",
        false,
        Kind::List,
        ValueType::ElementsOrOutputPath,
        "Where to write it; words before it are more for --hide",
    )],
    flags: &[
        Flag {
            name: "--scroll-to",
            alias: "",
            value: Some("sel|text"),
            holds: ValueType::Choice,
            help: "Scroll to this first",
        },
        switch("--cleanup", ValueType::Choice, "Without clutter"),
        Flag {
            name: "--hide",
            alias: "",
            value: Some("sel"),
            holds: ValueType::Choice,
            help: "Hide these elements; takes several selectors",
        },
        Flag {
            name: "--width",
            alias: "",
            value: Some("px"),
            holds: ValueType::Choice,
            help: "Lay the page out at this width",
        },
    ],
    summary: "Take a presentable screenshot: without clutter, scrolled, at a chosen width",
    details: "Restores the page afterwards, except for the scroll position.",
    untrusted: false,
    writes: Writes::File,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Visual),
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase(Verb::Take, "a tidy screenshot")],
    output: "Screenshot saved (cleaned) (scrolled to: …) : path",
    data: "{path: string}",
    run: |context, arguments| Box::pin(prettyscreenshot(context, arguments)),
}];

async fn style(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    if arguments.has("--undo") {
        return undo(context, arguments.text("sel")).await;
    }
    let Some(target) = arguments.target("sel") else {
        return Err(wrong("style needs an element, a property and a value"));
    };
    // Given as one text (`color: red`) or as several words.
    let declaration = arguments.text("declaration").unwrap_or_default();
    let parts = declaration.trim().split_once([' ', ':']);
    let parts = parts.map(|(property, value)| (property.trim(), value.trim_start_matches([' ', ':']).trim()));
    let Some((property, value)) = parts.filter(|(property, value)| !property.is_empty() && !value.is_empty()) else {
        return Err(wrong("style needs a property and a value"));
    };
    let value = value.trim_end_matches(';');
    let page = context.page().await?;
    let change = page.set_style(&target, property, value).await?;
    let old = if change.old.is_empty() { "(none)" } else { &change.old };
    let ours = format!("Style modified: {target} {{ {property}: {value} }} (inline); before:");
    let said = format!("Style modified: {target} {{ {property}: {old} → {value} }} (inline)");
    Ok(context
        .told_with_page(&page, ours, old.to_owned(), said)
        .data(json!({ "property": property, "old": change.old, "new": value })))
}

async fn undo(context: &Context, number: Option<String>) -> Result<Output, Fault> {
    let page = context.page().await?;
    let changes = page.style_changes();
    let none = || Fault::new(FaultCode::NotFound, catalogue::NO_STYLE_CHANGE).hint(catalogue::NO_STYLE_CHANGE_NEXT);
    let Some(number) = number else {
        let last = changes.iter().rposition(|change| !change.reverted).ok_or_else(none)?;
        page.undo_style(last).await?;
        return Ok(Output::text("Reverted last modification"));
    };
    let at = number.trim_start_matches('#').parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let at = at.filter(|at| changes.get(*at).is_some_and(|change| !change.reverted)).ok_or_else(none)?;
    page.undo_style(at).await?;
    Ok(Output::text(format!("Reverted modification #{}", at + 1)))
}

async fn cleanup(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let asked: Vec<Clutter> = KINDS.iter().filter(|(flag, ..)| arguments.has(flag)).map(|(_, kind, _)| *kind).collect();
    let kinds = if asked.is_empty() || arguments.has("--all") { all_kinds() } else { asked };
    let counts = context.page().await?.clean_up(&kinds).await?;
    let named = KINDS.iter().filter_map(|(flag, _, words)| {
        let count = counts.get(flag.trim_start_matches('-'))?;
        Some(counted(*count, words))
    });
    let scrolling = counts.contains_key("scrolling").then(|| "scrolling unlocked".to_owned());
    let named: Vec<String> = named.chain(scrolling).collect();
    let text = match named.is_empty() {
        true => "No clutter elements found to remove.".to_owned(),
        false => format!("Cleaned up: {}", named.join(", ")),
    };
    Ok(Output::text(text).data(json!(counts)))
}

fn all_kinds() -> Vec<Clutter> {
    KINDS.iter().map(|(_, kind, _)| *kind).collect()
}

async fn prettyscreenshot(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let mut words = arguments.list("path");
    let mut hide = arguments.values("--hide");
    let typed = match words.last() {
        // A model chooses a file only explicitly.
        Some(_) if context.for_model => None,
        Some(last) if words.len() == 1 && hide.is_empty() || looks_like_a_path(last) => words.pop(),
        _ => None,
    };
    if hide.is_empty() && !context.for_model && !words.is_empty() {
        return Err(wrong(format!("prettyscreenshot does not take {:?}", words[0])));
    }
    hide.extend(words);
    let width: Option<u32> = arguments.value("--width").map(|text| arguments.number("--width", text)).transpose()?;
    if width.is_some_and(|width| !WIDTHS.contains(&width)) {
        return Err(wrong(format!("--width is between {} and {}", WIDTHS.start(), WIDTHS.end())));
    }
    let path = named_or_unnamed(context, typed.as_deref(), "pretty", "png")?;
    let format = typed.as_deref().and_then(format_of).unwrap_or(ImageFormat::Png);
    let scroll_to = arguments.value("--scroll-to");
    let page = context.page().await?;
    let laid_out = match width {
        Some(width) => Some(page.laid_out(width, HEIGHT).await?),
        None => None,
    };
    let looks = Looks { cleanup: arguments.has("--cleanup"), hide, scroll_to };
    let taken = looks.take(&page, format).await;
    page.unhide().await?;
    drop(laid_out);
    let Capture { bytes, cut } = taken?;
    let path = path_guard::write(path, bytes).await?;
    let mut parts = vec!["Screenshot saved".to_owned()];
    parts.extend(looks.cleanup.then(|| "(cleaned)".to_owned()));
    parts.extend(scroll_to.map(|wanted| format!("(scrolled to: {wanted})")));
    // After a part in brackets, a space precedes the colon.
    let gap = if parts.len() > 1 { " " } else { "" };
    let text = format!("{}{gap}: {}{}", parts.join(" "), path.display(), missing(cut, format));
    let mut output = Output::text(text).data(json!({ "path": path.display().to_string() }));
    output.files.push(path);
    Ok(output)
}

struct Looks<'a> {
    cleanup: bool,
    hide: Vec<String>,
    scroll_to: Option<&'a str>,
}

impl Looks<'_> {
    async fn take(&self, page: &Page, format: ImageFormat) -> Result<Capture, Fault> {
        if self.cleanup {
            page.clean_up(&all_kinds()).await?;
        }
        if !self.hide.is_empty() {
            page.hide(&self.hide).await?;
        }
        let area = match self.scroll_to {
            Some(wanted) => {
                match Target::parse(wanted) {
                    target @ Target::Ref(_) => page.scroll(Some(&target), SCROLL_LIMIT).await?,
                    Target::Selector(wanted) => page.scroll_to_first(&wanted).await.map_err(|error| match error {
                        PageError::NotFound(wanted) => Fault::new(
                            FaultCode::Element,
                            format!(
                                "no element or text on this page matches \
                                {wanted:?}"
                            ),
                        )
                        .hint("Run 'text' or 'snapshot' to see the page's content."),
                        other => other.into(),
                    })?,
                }
                Area::Viewport
            }
            None => Area::FullPage,
        };
        Ok(page.capture(&area, format).await?)
    }
}
