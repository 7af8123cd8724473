//! The `tabs`, `tab`, `newtab` and `closetab` commands.

use super::navigation::leave_metadata;
use crate::core::{Arguments, Context, Output, TabSwitch};
use crate::spec::{
    Category, Class, Everyday, Kind, Navigates, Needs, Offered, Parameter, Spec, TIMEOUT, TabUse, ValueType, Verb,
    Writes, phrase, switch,
};
use gstack_base::shorten::shorten;
use gstack_browser::page::titles;
use gstack_protocol::effects::Effect;
use gstack_protocol::fault::{Fault, FaultCode};
use gstack_protocol::ids::TabId;
use serde_json::json;
use std::time::Duration;

const NAVIGATION_LIMIT: Duration = Duration::from_secs(15);

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "tabs",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Read,
        parameters: &[],
        flags: &[switch("--mine", ValueType::Extent, "Only the tabs that no other driver leases")],
        summary: "List the open tabs",
        details: "→ marks the tab that commands work on. A tab that is leased shows the name of the MCP client or \
            agent that leases it.",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::Lists,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::LookAt, "the tabs")],
        output: "→ [id] title — url, one line per tab; (leased by NAME)",
        data: "[{id: number, title: string, url: string, current: boolean, inView: boolean | null, …}]",
        run: |context, arguments| Box::pin(tabs(context, arguments)),
    },
    Spec {
        name: "tab",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Act,
        parameters: &[Parameter {
            name: "id",
            required: true,
            kind: Kind::Number,
            holds: ValueType::Tab,
            help: "A tab number, as `gstack tabs` lists it",
        }],
        flags: &[],
        summary: "Switch to another tab",
        details: "Does not bring the tab to the front.",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::Chooses,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Switch, "to tab {id}")],
        output: "Switched to tab N",
        data: "{id: number}",
        run: |context, arguments| Box::pin(tab(context, arguments)),
    },
    Spec {
        name: "newtab",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Act,
        parameters: &[Parameter {
            name: "url",
            required: false,
            kind: Kind::Text,
            holds: ValueType::Destination,
            help: "A URL to open in it",
        }],
        flags: &[TIMEOUT],
        summary: "Open a tab in the background and switch to it",
        details: "",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::Opens,
        navigates: Navigates::TabToAddress,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Open, "{url} in a new tab"), phrase(Verb::Open, "a new tab")],
        output: "Opened tab N → url",
        data: "{id: number, url: string}",
        run: |context, arguments| Box::pin(newtab(context, arguments)),
    },
    Spec {
        name: "closetab",
        aliases: &[],
        category: Category::Tabs,
        class: Class::Act,
        parameters: &[Parameter {
            name: "id",
            required: false,
            kind: Kind::Number,
            holds: ValueType::Tab,
            help: "Default: the current tab",
        }],
        flags: &[],
        summary: "Close a tab",
        details: "",
        untrusted: false,
        writes: Writes::Tab,
        tab: TabUse::Closes,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Close, "tab {id}"), phrase(Verb::Close, "the tab")],
        output: "Closed tab N; if it was the current one: the current tab is M",
        data: "{id: number, current: number | null}",
        run: |context, arguments| Box::pin(closetab(context, arguments)),
    },
];

async fn tabs(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let mine = arguments.has("--mine");
    let is_shown = |tab: TabId| context.sees(tab) && !(mine && context.leased.contains_key(&tab));
    let all: Vec<_> = context.browser.tabs().into_iter().filter(|tab| is_shown(tab.id)).collect();
    if all.is_empty() {
        return Ok(Output::text("(no open tabs)").data(json!([])));
    }
    let titles = titles(&context.browser).await?;
    let current = context.tab().await.ok().map(|tab| tab.id());
    let mut lines = Vec::with_capacity(all.len());
    let mut data = Vec::with_capacity(all.len());
    for tab in &all {
        let is_current = current == Some(tab.id);
        let mark = if is_current { '→' } else { ' ' };
        let view = if tab.in_view && !is_current { " (in view)" } else { "" };
        let title = tab.page.as_ref().and_then(|page| titles.get(page)).unwrap_or(&tab.title);
        let title = listed_title(title);
        let holder = context.leased.get(&tab.id);
        let leased = holder.map(|name| format!(" (leased by {name})")).unwrap_or_default();
        lines.push(format!("{mark} [{}] {title} — {}{view}{leased}", tab.id, tab.url));
        let mut one =
            json!({ "id": tab.id, "title": title, "url": tab.url, "current": is_current, "inView": tab.in_view });
        if let Some(name) = holder {
            one["leasedBy"] = json!(name);
        }
        data.push(one);
    }
    let mut output = Output::text(lines.join("\n")).data(data);
    // Titles are page content.
    output.source_url = context.for_model.then(|| "titles and addresses of tabs".to_owned());
    Ok(output)
}

/// Shortens a title, which is page content, and puts it on one line.
pub fn listed_title(title: &str) -> String {
    const LONGEST: usize = 120;
    if title.is_empty() {
        return "(untitled)".to_owned();
    }
    let words: Vec<&str> = title.split_whitespace().collect();
    shorten(&words.join(" "), LONGEST)
}

/// Parses a tab number as typed.
pub fn tab_number(text: &str) -> Result<TabId, Fault> {
    text.parse().map_err(|_| {
        Fault::new(FaultCode::BadRequest, format!("{text:?} is not a tab number")).hint("See them: gstack tabs")
    })
}

async fn tab(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let id = tab_number(&arguments.required("id")?)?;
    context.named_tab(id)?;
    context.switch_to(id)?;
    let mut output = Output::text(format!("Switched to tab {id}")).data(json!({ "id": id }));
    output.moved_to = Some(id);
    Ok(output)
}

async fn newtab(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let address = arguments.text("url").map(|typed| context.address(&typed)).transpose()?;
    let limit = arguments.timeout(NAVIGATION_LIMIT)?;
    let tab = context.browser.new_tab().await?;
    let id = tab.id();
    context.switch_to(id)?;
    let mut url = "about:blank".to_owned();
    if let Some(address) = address {
        let page = context.pages.open(&tab).await?;
        let arrival = page.goto(address.as_str(), limit).await?;
        leave_metadata(&page, &arrival).await?;
        url = arrival.url;
    }
    let mut output = Output::text(format!("Opened tab {id} → {url}")).data(json!({ "id": id, "url": url }));
    output.moved_to = Some(id);
    Ok(output)
}

async fn closetab(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let tab = match arguments.text("id") {
        Some(text) => context.named_tab(tab_number(&text)?)?,
        None => context.tab().await?,
    };
    let id = tab.id();
    let was_current = context.browser.current_known() == Some(id);
    tab.close().await?;
    // A client with a named tab or its own tab set does not use the browser's current tab.
    let moves = was_current && matches!(context.on_tab_switch, TabSwitch::BrowserCurrent);
    let current = if moves { context.browser.current_known() } else { None };
    let text = match current {
        Some(current) => format!("Closed tab {id}; the current tab is {current}"),
        None => format!("Closed tab {id}"),
    };
    let mut output = Output::text(text).data(json!({ "id": id, "current": current }));
    output.effects.push(Effect::TabClosed { tab_id: id, current });
    Ok(output)
}
