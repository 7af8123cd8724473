//! The `frame` and `focus` commands.

use crate::core::{Arguments, Context, Output, wrong};
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb,
    Writes, parameter, phrase, selector, switch,
};
use gstack_browser::page::error::PageError;
use gstack_browser::page::{FrameChoice, Target};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::time::Duration;

const ACTION_LIMIT: Duration = Duration::from_secs(5);

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "frame",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Act,
        parameters: &[parameter("sel", false, Kind::Selector, ValueType::Element, "The frame's element, or main")],
        flags: &[
            Flag {
                name: "--name",
                alias: "",
                value: Some("NAME"),
                holds: ValueType::Choice,
                help: "The frame with this name",
            },
            Flag {
                name: "--url",
                alias: "",
                value: Some("REGEX"),
                holds: ValueType::Choice,
                help: "The first frame whose URL matches",
            },
        ],
        summary: "Resolve selectors in a frame from now on",
        details: "A ref always refers to its own frame. `frame main` returns to the page.",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Acting),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Switch, "the frame")],
        output: "Switched to frame: URL, or: Switched to main frame",
        data: "{url: string}",
        run: |context, arguments| Box::pin(frame(context, arguments)),
    },
    Spec {
        name: "focus",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Act,
        parameters: &[selector(false, ValueType::Element, "An element to bring into view and give the keyboard")],
        flags: &[switch(
            "--background",
            ValueType::Choice,
            "Leave the tab and its window where they are: only the element gets the keyboard",
        )],
        summary: "Bring the tab and its window to the front, and optionally focus an element",
        details: "Without --background, the only command that changes what is in view.",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Acting),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Show, "{sel}"), phrase(Verb::Show, "the tab")],
        output: "Focused tab N, or with --background: Focused sel",
        data: "",
        run: |context, arguments| Box::pin(focus(context, arguments)),
    },
];

async fn frame(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let choice = match (arguments.text("sel"), arguments.value("--name"), arguments.value("--url")) {
        (Some(main), None, None) if main == "main" => FrameChoice::Main,
        (Some(selector), None, None) => FrameChoice::Element(Target::parse(&selector)),
        (None, Some(name), None) => FrameChoice::Name(name.to_owned()),
        (None, None, Some(pattern)) => FrameChoice::Url(pattern.to_owned()),
        _ => return Err(wrong("frame takes a selector, --name, --url or main")),
    };
    let chosen = context.page().await?.choose_frame(&choice).await.map_err(|error| match (&choice, error) {
        (FrameChoice::Url(_), PageError::BadSelector(message)) => Fault::new(FaultCode::BadRequest, message)
            .hint("--url takes a JavaScript regular expression, for instance: --url checkout"),
        (_, error) => error.into(),
    })?;
    Ok(match chosen.parent {
        Some(_) => Output::text(format!("Switched to frame: {}", chosen.url)).data(json!({ "url": chosen.url })),
        None => Output::text("Switched to main frame"),
    })
}

async fn focus(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let target = arguments.target("sel");
    let in_background = arguments.has("--background");
    if in_background && target.is_none() {
        return Err(wrong("focus --background needs an element"));
    }
    let page = context.page().await?;
    if !in_background {
        page.bring_to_front().await?;
    }
    let id = page.id();
    if let Some(target) = &target {
        page.scroll(Some(target), ACTION_LIMIT).await?;
        match page.focus(target, ACTION_LIMIT).await {
            // Any element can be scrolled into view, but not every element accepts focus.
            Err(PageError::Refused { .. } | PageError::NotReady { .. }) if !in_background => {}
            focused => focused?,
        }
        if in_background {
            return Ok(Output::text(format!("Focused {target}")));
        }
        return Ok(Output::text(format!("Focused tab {id}, {target} in view")));
    }
    Ok(Output::text(format!("Focused tab {id}")))
}
