//! The `goto`, `back`, `forward`, `reload`, `url` and `load-html` commands.

use crate::core::{Arguments, Context, Output};
use crate::privacy::{path_guard, url_guard};
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, Offered, Parameter, Spec, TIMEOUT, TabUse,
    ValueType, Verb, Writes, flag, parameter, phrase,
};
use gstack_browser::arrival::{Arrival, ArrivalKind};
use gstack_browser::page::{LoadState, Page};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use std::time::Duration;

const NAVIGATION_LIMIT: Duration = Duration::from_secs(15);

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "goto",
        aliases: &["open", "navigate"],
        category: Category::Navigation,
        class: Class::Act,
        parameters: &[Parameter {
            name: "url",
            required: true,
            kind: Kind::Text,
            holds: ValueType::Destination,
            help: "an http or https URL (localhost:3000 and example.com get their scheme), or about:blank",
        }],
        flags: &[TIMEOUT],
        summary: "Open an address in the tab",
        details: "Waits until the document is parsed (DOMContentLoaded), for 15 s at most.\nRefuses cloud metadata addresses in every spelling.",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::ThisPage,
        navigates: Navigates::TabToAddress,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Open, "{url}")],
        output: "Navigated to URL (STATUS)",
        data: "{url: string, status: number | null}",
        run: |context, arguments| Box::pin(goto(context, arguments)),
    },
    Spec {
        name: "back",
        aliases: &[],
        category: Category::Navigation,
        class: Class::Act,
        parameters: &[],
        flags: &[TIMEOUT],
        summary: "Go back in the tab's history",
        details: "",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::ThisPage,
        navigates: Navigates::History,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Go, "back")],
        output: "Back → URL",
        data: "{url: string}",
        run: |context, arguments| Box::pin(back(context, arguments)),
    },
    Spec {
        name: "forward",
        aliases: &[],
        category: Category::Navigation,
        class: Class::Act,
        parameters: &[],
        flags: &[TIMEOUT],
        summary: "Go forward in the tab's history",
        details: "",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::ThisPage,
        navigates: Navigates::History,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Go, "forward")],
        output: "Forward → URL",
        data: "{url: string}",
        run: |context, arguments| Box::pin(forward(context, arguments)),
    },
    Spec {
        name: "reload",
        aliases: &["refresh"],
        category: Category::Navigation,
        class: Class::Act,
        parameters: &[],
        flags: &[
            Flag { name: "--hard", alias: "", value: None, holds: ValueType::Choice, help: "Bypass the cache" },
            TIMEOUT,
        ],
        summary: "Reload the page",
        details: "",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::ThisPage,
        navigates: Navigates::Again,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Reload, "the page")],
        output: "Reloaded URL",
        data: "{url: string, status: number | null}",
        run: |context, arguments| Box::pin(reload(context, arguments)),
    },
    Spec {
        name: "url",
        aliases: &[],
        category: Category::Navigation,
        class: Class::Read,
        parameters: &[],
        flags: &[],
        summary: "Print the tab's URL",
        details: "",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::LookAt, "the address")],
        output: "the URL",
        data: "{url: string}",
        run: |context, _| Box::pin(url(context)),
    },
    Spec {
        name: "load-html",
        aliases: &["setcontent", "set-content"],
        category: Category::Navigation,
        class: Class::Control,
        parameters: &[parameter(
            "file",
            true,
            Kind::Text,
            ValueType::InputPath,
            "An HTML file under the working or the temp directory",
        )],
        flags: &[
            flag("--wait-until", "STATE", ValueType::Choice, "Until load, domcontentloaded or networkidle"),
            TIMEOUT,
        ],
        summary: "Replace the page's content with a file",
        details: "The URL stays the same, so the file's scripts run as that site. If the page's Content Security Policy blocks scripts, \
            about:blank shows the file instead.",
        untrusted: false,
        writes: Writes::Page,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Files),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Load, "{file}")],
        output: "Loaded HTML: file (N bytes)",
        data: "{bytes: number}",
        run: |context, arguments| Box::pin(load_html(context, arguments)),
    },
];

async fn goto(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let address = context.address(&arguments.required("url")?)?;
    let limit = arguments.timeout(NAVIGATION_LIMIT)?;
    let page = context.page().await?;
    refuse_in_frame(&page, "goto")?;
    let arrival = page.goto(address.as_str(), limit).await?;
    leave_metadata(&page, &arrival).await?;
    if arrival.kind == ArrivalKind::Download {
        return Ok(Output::text(format!("{} is a download; the page stays as it was", arrival.url)));
    }
    let text = match arrival.status {
        Some(status) => format!("Navigated to {} ({status})", arrival.url),
        None => format!("Navigated to {}", arrival.url),
    };
    Ok(Output::text(text).data(json!({ "url": arrival.url, "status": arrival.status })))
}

/// Leaves a page served from a metadata address before its content can be read. A host name that resolves to one is
/// only recognized after the response.
pub(crate) async fn leave_metadata(page: &Page, arrival: &Arrival) -> Result<(), Fault> {
    let by_address = url_guard::check_arrival(&arrival.url, arrival.remote_address.as_deref());
    let checked = by_address.and_then(|()| Ok(page.check_addresses(page.refusal_mark())?));
    let Err(refused) = checked else { return Ok(()) };
    page.goto("about:blank", NAVIGATION_LIMIT).await?;
    Err(refused)
}

async fn back(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let limit = arguments.timeout(NAVIGATION_LIMIT)?;
    let page = context.page().await?;
    refuse_in_frame(&page, "back")?;
    let arrival = page.back(limit).await?.ok_or_else(|| no_step("back"))?;
    Ok(Output::text(format!("Back → {}", arrival.url)).data(json!({ "url": arrival.url })))
}

async fn forward(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let limit = arguments.timeout(NAVIGATION_LIMIT)?;
    let page = context.page().await?;
    refuse_in_frame(&page, "forward")?;
    let arrival = page.forward(limit).await?.ok_or_else(|| no_step("forward"))?;
    Ok(Output::text(format!("Forward → {}", arrival.url)).data(json!({ "url": arrival.url })))
}

fn no_step(direction: &str) -> Fault {
    Fault::new(FaultCode::Conflict, format!("there is no page to go {direction} to in this tab's history"))
        .hint("Open an address: gstack goto <url>")
}

async fn reload(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let limit = arguments.timeout(NAVIGATION_LIMIT)?;
    let page = context.page().await?;
    refuse_in_frame(&page, "reload")?;
    let arrival = page.reload(arguments.has("--hard"), limit).await?;
    Ok(Output::text(format!("Reloaded {}", arrival.url)).data(json!({ "url": arrival.url, "status": arrival.status })))
}

async fn url(context: &Context) -> Result<Output, Fault> {
    let url = context.tab().await?.info()?.url;
    Ok(Output::text(url.clone()).data(json!({ "url": url })))
}

/// Fails inside a frame: these commands act on the whole page, so the intent would be unclear.
fn refuse_in_frame(page: &Page, command: &str) -> Result<(), Fault> {
    match page.chosen_frame() {
        None => Ok(()),
        Some(frame) => {
            Err(Fault::new(FaultCode::Conflict, format!("cannot use {command} inside a frame ({})", frame.url))
                .hint("Go back to the page first: gstack frame main"))
        }
    }
}

fn load_state(name: &str) -> Result<LoadState, Fault> {
    match name {
        "load" => Ok(LoadState::Load),
        "domcontentloaded" => Ok(LoadState::DomContentLoaded),
        "networkidle" => Ok(LoadState::NetworkIdle),
        _ => Err(Fault::new(FaultCode::BadRequest, format!("invalid --wait-until: {name:?}"))
            .hint("One of: load, domcontentloaded, networkidle.")),
    }
}

async fn load_html(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let typed = arguments.required("file")?;
    let path = path_guard::input_path(context, &typed)?;
    let html = path_guard::read_text(&path).await?;
    let state = arguments.value("--wait-until").map(load_state).transpose()?;
    let limit = arguments.timeout(NAVIGATION_LIMIT)?;
    let page = context.page().await?;
    // A script can also be an attribute, but such a file mostly has scripts too.
    let has_scripts = html.to_ascii_lowercase().contains("<script");
    let mut note = "";
    if has_scripts && page.blocks_scripts().await? {
        note = match page.may_leave() {
            true => {
                page.goto("about:blank", limit).await?;
                " into about:blank: the page's Content Security Policy blocks scripts"
            }
            false => "; the page's Content Security Policy blocks its scripts: open about:blank first",
        };
    }
    page.set_content(&html).await?;
    if let Some(state) = state {
        page.wait_until(state, limit).await?;
    }
    let bytes = html.len();
    Ok(Output::text(format!("Loaded HTML: {typed} ({bytes} bytes){note}")).data(json!({ "bytes": bytes })))
}
