//! The `network` command.
//!
//! Owns the spec and the list. `show` prints a single request in full.

use super::filter::Filter;
use super::record::{fields, is_of, line, numbered};
use super::show;
use crate::core::{Arguments, Context, Output, wrong};
use crate::privacy::redaction;
use crate::reading::CLEAR;
use crate::spec::{
    Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, When, Writes, flag,
    parameter, phrase, phrase_when,
};
use gstack_base::clock::now_millis;
use gstack_base::counted::counted;
use gstack_base::site::SiteOrPage;
use gstack_browser::page::Page;
use gstack_browser::page::journal::RequestRecord;
use gstack_protocol::fault::Fault;
use serde_json::Value;

/// The default number of requests in `list`.
const LISTED: usize = 100;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: "network",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Read,
    parameters: &[
        parameter("action", false, Kind::Text, ValueType::Choice, "list, show; without one, all requests"),
        parameter("id", false, Kind::Number, ValueType::Choice, "show: the request's number in the list"),
    ],
    flags: &[
        CLEAR,
        flag("--filter", "GLOB", ValueType::Choice, "list: addresses like **/api/*, or a part of one"),
        flag("--type", "TYPES", ValueType::Choice, "list: document, xhr, fetch, script, image, websocket …"),
        flag("--status", "STATUS", ValueType::Choice, "list: 404, 4xx, 400-499, failed or pending"),
        flag("--since", "TIME", ValueType::Choice, "list: 30s, 5m, or after the request of this number"),
        flag(
            "--limit",
            "N",
            ValueType::Choice,
            "list: the newest N (default: 100); show: characters of a body (default: 4000)",
        ),
    ],
    summary: "List the page's requests, or show one with headers, timing and bodies",
    details: "Collected since gstack first worked in the tab. Secrets are redacted.",
    untrusted: true,
    writes: Writes::Nothing,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Core,
    everyday: Everyday::Works,
    needs: Needs::Browser,
    phrases: &[phrase_when(When::Is("action", "show"), Verb::Read, "request {id}"), phrase(Verb::Read, "the requests")],
    output: "METHOD URL → STATUS (MSms, SIZEB), one line per request; list: N [TYPE] before it",
    data: "[{method: string, url: string, status: number | null, ms: number | null, bytes: number | null, failed: string | null, id?: number, type?: string, at?: string}] | {method: string, url: string, status: number | null, ms: number | null, bytes: number | null, failed: string | null, id: number, type: string, at: string, kept: boolean, initiator: string, request: {headers: [{name: string, value: string}], body: unknown}, response: unknown, timing: unknown, messages: unknown[], messagesLeftOut: number}",
    run: |context, arguments| Box::pin(network(context, arguments)),
}];

async fn network(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    if arguments.has("--clear") {
        page.clear_requests();
        return Ok(Output::text("Network buffer cleared."));
    }
    match (arguments.text("action").as_deref(), arguments.text("id")) {
        (Some("show"), Some(id)) => show::show(context, &page, &arguments, &id).await,
        (Some("show"), None) => Err(wrong("network show needs the number of a request")),
        (Some("list"), None) => list(context, &page, &arguments),
        (None, _) => all(context, &page, &arguments),
        (Some("list"), Some(id)) => Err(wrong(format!("network list does not take {id:?}"))),
        (Some(other), _) => Err(wrong(format!("network does not know {other:?}"))
            .hint("network list shows the requests with their numbers, network show ID one of them.")),
    }
}

/// Returns the requests that the client may read here, and the number of others. A model may read requests from
/// documents of the site that the tab shows. To read those of an earlier page, or of another site's frame, the tab must
/// show that site.
fn readable(context: &Context, page: &Page) -> Result<(Vec<RequestRecord>, usize), Fault> {
    let requests = page.requests();
    if !context.for_model {
        return Ok((requests, 0));
    }
    let here = SiteOrPage::of(&page.url()?);
    let count = requests.len();
    let ours: Vec<RequestRecord> = requests.into_iter().filter(|request| is_of(request, &here)).collect();
    let others = count - ours.len();
    Ok((ours, others))
}

/// Prints all requests, in the format that scripts rely on.
fn all(context: &Context, page: &Page, arguments: &Arguments) -> Result<Output, Fault> {
    if ["--filter", "--type", "--status", "--since", "--limit"].iter().any(|flag| arguments.has(flag)) {
        return list(context, page, arguments);
    }
    let (requests, others) = readable(context, page)?;
    let address = |request: &RequestRecord| match context.for_model {
        true => redaction::text(&request.url),
        false => request.url.clone(),
    };
    let lines: Vec<String> = requests.iter().map(|request| line(request, &address(request))).collect();
    let data: Vec<_> = requests.iter().map(|request| fields(request, &address(request))).collect();
    let text = if lines.is_empty() { "(no network requests)".to_owned() } else { lines.join("\n") };
    let mut output = match lines.is_empty() {
        true => Output::text(text),
        false => Output::from_page(text, page.url()?).data(data),
    };
    output.say(of_others(others));
    Ok(output)
}

fn list(context: &Context, page: &Page, arguments: &Arguments) -> Result<Output, Fault> {
    let filter = Filter::read(arguments)?;
    let limit = match arguments.value("--limit") {
        Some(text) => arguments.number("--limit", text)?,
        None => LISTED,
    };
    let (mut requests, others) = readable(context, page)?;
    let now = now_millis();
    requests.retain(|request| filter.takes(request, now));
    let earlier = requests.len().saturating_sub(limit);
    let requests = requests.split_off(earlier);
    let lines: Vec<String> = requests
        .iter()
        .map(|request| {
            let kind = if request.kind.is_empty() { "other" } else { &request.kind };
            format!("{} [{kind}] {}", request.number, line(request, &redaction::text(&request.url)))
        })
        .collect();
    let data: Vec<Value> = requests.iter().map(numbered).collect();
    let mut output = match lines.is_empty() {
        true => Output::text("(no such requests)"),
        false => Output::from_page(lines.join("\n"), page.url()?),
    };
    output.data = Some(Value::Array(data));
    output.say(
        (earlier > 0)
            .then(|| format!("… not listed: {}: --limit {}", counted(earlier, "earlier request"), earlier + limit)),
    );
    let left_out = page.requests_left_out();
    output.say((left_out > 0).then(|| format!("… no longer kept: {} before these", counted(left_out, "request"))));
    output.say(of_others(others));
    Ok(output)
}

fn of_others(others: usize) -> Option<String> {
    (others > 0).then(|| format!("… not listed: {} of documents of other sites", counted(others, "request")))
}
