//! The `route` and `unroute` commands.
//!
//! Owns parsing a route, and the limits for an agent's route: it applies only to documents of the site where it was
//! allowed, sets no cookies and changes no request.

use crate::core::{Arguments, Context, Output, wrong};
use crate::network::replay;
use crate::privacy::path_guard;
use crate::spec::{
    Category, Class, Everyday, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb, When, Writes, flag,
    parameter, phrase, phrase_when, switch,
};
use crate::state::identity;
use gstack_base::counted::counted;
use gstack_base::glob::Glob;
use gstack_base::site::SiteOrPage;
use gstack_browser::page::Page;
use gstack_browser::routes::{Route, RouteAct, RouteAnswer};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// For each tab.
const MOST_ROUTES: usize = 100;
/// In milliseconds. Pages give up long before that.
const LONGEST_DELAY: u64 = 60_000;
/// The headers that an agent's response may contain, besides those that start with `X-` or `Access-Control-`: none that
/// stores anything in the browser, redirects, or makes it save a file.
const FOR_AGENTS: [&str; 7] =
    ["content-type", "content-language", "cache-control", "etag", "last-modified", "retry-after", "vary"];

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "route",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Intercept,
        parameters: &[parameter(
            "url",
            true,
            Kind::Text,
            ValueType::Choice,
            "Addresses: **/api/*, or a part; list: the routes",
        )],
        flags: &[
            switch("--abort", ValueType::Choice, "The request fails"),
            flag("--fulfill", "FILE", ValueType::InputPath, "Answer with this file"),
            flag("--har", "FILE", ValueType::InputPath, "Answer what this recording has; other requests go on"),
            flag("--status", "N", ValueType::Choice, "Answer with this status (default: 200)"),
            flag("--body", "TEXT", ValueType::Choice, "Answer with this text"),
            flag(
                "--content-type",
                "TYPE",
                ValueType::Choice,
                "Content type of the answer (default: from the file name or \
                the text)",
            ),
            crate::spec::Flag {
                name: "--header",
                alias: "--headers",
                value: Some("LINES"),
                holds: ValueType::Choice,
                help: "Name: value, one per line; for the answer, or for the request if there is no answer",
            },
            flag("--delay", "MS", ValueType::Choice, "Wait this long first"),
        ],
        summary: "Block, answer, delay or change requests to matching addresses",
        details: "Applies in this tab until unroute, even after navigation. The newest matching route wins. An \
            agent's route applies only to pages of this site.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[
            phrase_when(When::Is("url", "list"), Verb::Read, "the routes"),
            phrase_when(When::Flag("--abort"), Verb::Block, "requests to {url}"),
            phrase(Verb::Answer, "requests to {url}"),
        ],
        output: "Routed URL → what is done; list: URL → what is done (N requests), one line per route",
        data: "{url: string, act: string, status: number | null, bytes: number | null, delay: number, only: string | null, requests: number} | [{url: string, …}]",
        run: |context, arguments| Box::pin(route(context, arguments)),
    },
    Spec {
        name: "unroute",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Intercept,
        parameters: &[parameter(
            "url",
            false,
            Kind::Text,
            ValueType::Choice,
            "The route's address pattern, as it was given (default: all routes)",
        )],
        flags: &[],
        summary: "Remove one route, or all of them",
        details: "",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Core,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Remove, "the route for {url}"), phrase(Verb::Remove, "all routes")],
        output: "Removed N routes",
        data: "{count: number}",
        run: |context, arguments| Box::pin(unroute(context, arguments)),
    },
];

async fn route(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let address = arguments.required("url")?;
    let page = context.page().await?;
    if address == "list" {
        return listed(&page);
    }
    if address.trim().is_empty() {
        return Err(wrong("a route needs addresses").hint("Write them as **/api/*, or ** for all."));
    }
    let act = read_act(context, &arguments).await?;
    let delay = match arguments.value("--delay") {
        Some(text) => read_delay(&arguments, text)?,
        None => Duration::ZERO,
    };
    let is_idle = matches!(&act, RouteAct::Continue(headers) if headers.is_empty());
    if is_idle && delay.is_zero() {
        return Err(wrong("say what the route does: --abort, --fulfill, --har, --status, --body, --header or --delay"));
    }
    if page.routes()?.len() >= MOST_ROUTES {
        return Err(Fault::new(FaultCode::Conflict, format!("this tab has {MOST_ROUTES} routes already"))
            .hint("Remove some first: gstack unroute <url>"));
    }
    let route = Route::new(Glob::new(&address), act, delay, context.bound_to(&page)?);
    let (said, data) = (words(&route), fields(&route));
    page.add_route(route).await?;
    Ok(Output::text(format!("Routed {said}")).data(data))
}

fn read_delay(arguments: &Arguments, text: &str) -> Result<Duration, Fault> {
    let millis: u64 = arguments.number("--delay", text)?;
    if millis > LONGEST_DELAY {
        return Err(wrong(format!("--delay {millis} is too long")).hint(format!("At most {LONGEST_DELAY}, a minute.")));
    }
    Ok(Duration::from_millis(millis))
}

async fn unroute(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    let address = arguments.text("url");
    let count = page.remove_routes(address.as_deref(), context.bound_to(&page)?.as_ref()).await?;
    if let (0, Some(address)) = (count, &address) {
        return Err(Fault::new(FaultCode::NotFound, format!("there is no route for {address}"))
            .hint("See them: gstack route list"));
    }
    let told = match count {
        0 => "There was no route to remove".to_owned(),
        count => format!("Removed {}", counted(count, "route")),
    };
    Ok(Output::text(told).data(json!({ "count": count })))
}

fn listed(page: &Page) -> Result<Output, Fault> {
    let routes = page.routes()?;
    let lines: Vec<String> =
        routes.iter().map(|route| format!("{} ({})", words(route), counted(route.used(), "request"))).collect();
    let data: Vec<Value> = routes.iter().map(|route| fields(route)).collect();
    let text = if lines.is_empty() { "(no routes)".to_owned() } else { lines.join("\n") };
    Ok(Output::text(text).data(data))
}

async fn read_act(context: &Context, arguments: &Arguments) -> Result<RouteAct, Fault> {
    let answers = ["--fulfill", "--status", "--body", "--content-type"].iter().any(|flag| arguments.has(flag));
    let headers = read_headers(arguments)?;
    if let Some(file) = arguments.value("--har") {
        return match answers || arguments.has("--abort") || !headers.is_empty() {
            true => Err(wrong("--har goes with --delay alone")),
            false => replay::read(context, file).await,
        };
    }
    if arguments.has("--abort") {
        return match answers || !headers.is_empty() {
            true => Err(wrong("--abort goes with --delay alone")),
            false => Ok(RouteAct::Abort),
        };
    }
    if !answers {
        if context.for_model && !headers.is_empty() {
            return Err(Fault::new(FaultCode::Forbidden, "an agent may not set request headers")
                .hint("With --status or --body, --header sets headers of the answer."));
        }
        return Ok(RouteAct::Continue(headers));
    }
    let status = match arguments.value("--status") {
        Some(text) => arguments.number::<u16>("--status", text)?,
        None => 200,
    };
    if !(200..=599).contains(&status) {
        return Err(wrong(format!("{status} is not a status of a response")).hint("Give a number from 200 to 599."));
    }
    let (body, by_content) = read_body(context, arguments).await?;
    let has_type = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let kind = arguments.value("--content-type").or(by_content).filter(|_| !has_type);
    if let Some(name) = headers.iter().map(|(name, _)| name).find(|name| context.for_model && !is_for_agents(name)) {
        return Err(Fault::new(FaultCode::Forbidden, format!("an agent may not set {name}"))
            .hint("Leave it out: an agent's answer may not set cookies, redirect or save files."));
    }
    let kind = kind.map(|kind| ("content-type".to_owned(), kind.to_owned()));
    if kind.as_ref().is_some_and(|(_, value)| !identity::is_value(value)) {
        return Err(wrong("a content type is one line"));
    }
    let headers = kind.into_iter().chain(headers).collect();
    Ok(RouteAct::Answer(RouteAnswer { status, headers, body, answers_preflights: !context.for_model }))
}

async fn read_body(context: &Context, arguments: &Arguments) -> Result<(Vec<u8>, Option<&'static str>), Fault> {
    match (arguments.value("--fulfill"), arguments.value("--body")) {
        (Some(_), Some(_)) => Err(wrong("a route answers with --fulfill or with --body, not with both")),
        (Some(file), None) => {
            let path = path_guard::input_path(context, file)?;
            Ok((path_guard::read_bytes(&path).await?, Some(kind_of_file(&path))))
        }
        (None, Some(text)) => Ok((text.as_bytes().to_vec(), Some(kind_of_text(text)))),
        (None, None) => Ok((Vec::new(), None)),
    }
}

/// Parses `Name: value`, one on each line.
fn read_headers(arguments: &Arguments) -> Result<Vec<(String, String)>, Fault> {
    let given = arguments.values("--header").join("\n");
    let lines = given.lines().map(str::trim).filter(|line| !line.is_empty());
    let header = |line: &str| {
        let parts = line.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        let parts = parts.filter(|(name, value)| identity::is_name(name) && identity::is_value(value));
        let parts = parts.map(|(name, value)| (name.to_owned(), value.to_owned()));
        parts.ok_or_else(|| wrong("write headers as Name: value, one per line"))
    };
    lines.map(header).collect()
}

pub(super) fn is_for_agents(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    FOR_AGENTS.contains(&name.as_str()) || name.starts_with("x-") || name.starts_with("access-control-")
}

fn kind_of_file(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" | "htm" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "txt" | "md" => "text/plain; charset=utf-8",
        "xml" => "application/xml",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        "pdf" => "application/pdf",
        _ => "application/octet-stream",
    }
}

fn kind_of_text(text: &str) -> &'static str {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_) | Value::Array(_)) => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}

/// Formats `**/api/* → 503 (0 bytes) after 200 ms`.
fn words(route: &Route) -> String {
    let act = match &route.act {
        RouteAct::Abort => "aborted".to_owned(),
        RouteAct::Answer(answer) => format!("{} ({} bytes)", answer.status, answer.body.len()),
        RouteAct::Replay(recorded) => counted(recorded.len(), "recorded answer"),
        RouteAct::Continue(headers) if headers.is_empty() => "delayed".to_owned(),
        RouteAct::Continue(headers) => {
            let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
            format!("sent with {}", names.join(", "))
        }
    };
    let delay = if route.delay.is_zero() { String::new() } else { format!(" after {} ms", route.delay.as_millis()) };
    let only = route.only_on.as_ref().map(|place| format!(", for pages of {place}")).unwrap_or_default();
    format!("{} → {act}{delay}{only}", route.address.pattern())
}

fn fields(route: &Route) -> Value {
    let (act, status, bytes) = match &route.act {
        RouteAct::Abort => ("abort", None, None),
        RouteAct::Answer(answer) => ("answer", Some(answer.status), Some(answer.body.len())),
        RouteAct::Replay(_) => ("replay", None, None),
        RouteAct::Continue(_) => ("continue", None, None),
    };
    json!({ "url": route.address.pattern(), "act": act, "status": status, "bytes": bytes,
        "delay": route.delay.as_millis() as u64, "only": route.only_on.as_ref().map(SiteOrPage::to_string),
        "requests": route.used() })
}

#[cfg(test)]
mod tests {
    use super::{is_for_agents, kind_of_text};

    #[test]
    fn an_agents_answer_says_nothing_that_stays_in_the_browser() {
        for name in ["Content-Type", "X-Total", "Access-Control-Allow-Origin", "etag"] {
            assert!(is_for_agents(name), "{name}");
        }
        for name in [
            "Set-Cookie",
            "set-cookie2",
            "Clear-Site-Data",
            "Strict-Transport-Security",
            "Alt-Svc",
            "Report-To",
            "LOCATION",
            "Refresh",
            "Content-Disposition",
            "Link",
        ] {
            assert!(!is_for_agents(name), "{name}");
        }
        assert_eq!(kind_of_text("[1]"), "application/json");
    }
}
