//! The `headers` and `credentials` commands: values sent to one site only.
//!
//! Owns the argument parsing. Never prints the values.

use crate::core::{Arguments, Context, Output, wrong};
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, Offered, Spec, TabUse, ValueType, Verb,
    Writes, flag, parameter, phrase,
};
use crate::state::identity;
use gstack_base::counted::counted;
use gstack_base::site;
use gstack_protocol::fault::Fault;
use serde_json::json;

const SITE: Flag = flag("--site", "HOST", ValueType::Choice, "The site: a.example, localhost:3000");
/// Headers that determine a request's destination and length: only the browser sets them.
const OF_THE_BROWSER: [&str; 5] = ["host", "content-length", "connection", "transfer-encoding", "upgrade"];

pub(crate) const COMMANDS: &[Spec] = &[
    Spec {
        name: "headers",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Secret,
        parameters: &[
            parameter("action", true, Kind::Text, ValueType::Choice, "set, list or clear"),
            parameter("header", false, Kind::Rest, ValueType::Secret, "set: X-Debug: 1"),
        ],
        flags: &[SITE],
        summary: "Send headers with the tab's requests to one site only",
        details: "Adds to the headers that are already set; a header of the same name is replaced. `header` sets one \
            for all sites.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Network),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Set, "request headers of a site")],
        output: "Headers for HOST: NAME, NAME; no values",
        data: "{site: string, names: string[]} | [{site: string, names: string[]}] | {count: number}",
        run: |context, arguments| Box::pin(headers(context, arguments)),
    },
    Spec {
        name: "credentials",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Secret,
        parameters: &[
            parameter("action", true, Kind::Text, ValueType::Choice, "set or clear"),
            parameter("user:password", false, Kind::Rest, ValueType::Secret, "set: the user name and password"),
        ],
        flags: &[SITE],
        summary: "Set the user name and password for HTTP authentication (basic, digest)",
        details: "Applies to this tab and the tabs it opens. Sent at most once per request; never written to disk.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Network),
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Set, "the credentials for a site")],
        output: "Signs in to HOST as USER; no password",
        data: "{site: string, user?: string}",
        run: |context, arguments| Box::pin(credentials(context, arguments)),
    },
];

/// Returns the site given by `--site`.
fn site_of(arguments: &Arguments) -> Result<Option<String>, Fault> {
    let Some(typed) = arguments.value("--site").map(str::trim) else { return Ok(None) };
    let found = if typed.contains("://") { site::of(typed) } else { site::of(&format!("https://{typed}")) };
    found.map(Some).ok_or_else(|| wrong(format!("{typed:?} is not a site")).hint("Give a host such as localhost:3000."))
}

async fn headers(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let site = site_of(&arguments)?;
    let page = context.page().await?;
    match (arguments.required("action")?.as_str(), site, arguments.text("header")) {
        ("set", Some(site), Some(header)) => {
            let parts = header.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
            let parts = parts.filter(|(name, value)| identity::is_name(name) && identity::is_value(value));
            let (name, value) = parts.ok_or_else(|| wrong("write the header as Name: value, on one line"))?;
            if OF_THE_BROWSER.contains(&name.to_ascii_lowercase().as_str()) {
                return Err(wrong(format!("only the browser can set {name}")));
            }
            let names = page.set_site_header(&site, name, value).await?;
            Ok(Output::text(format!("Headers for {site}: {}", names.join(", ")))
                .data(json!({ "site": site, "names": names })))
        }
        ("set", ..) => {
            Err(wrong("headers set needs --site HOST and a header: headers set --site a.example X-Debug: 1"))
        }
        ("list", _, None) => {
            let all = page.site_headers()?;
            let lines: Vec<String> =
                all.iter().map(|(site, names)| format!("Headers for {site}: {}", names.join(", "))).collect();
            let data: Vec<_> = all.iter().map(|(site, names)| json!({ "site": site, "names": names })).collect();
            let text = if lines.is_empty() { "(no headers of a site)".to_owned() } else { lines.join("\n") };
            Ok(Output::text(text).data(data))
        }
        ("clear", site, None) => {
            let count = page.clear_site_headers(site.as_deref()).await?;
            Ok(Output::text(format!("Cleared the headers of {}", counted(count, "site")))
                .data(json!({ "count": count })))
        }
        (other, ..) => Err(wrong(format!("headers {other} does not take these arguments"))
            .hint("headers set --site HOST Name: value, headers list, or headers clear [--site HOST].")),
    }
}

async fn credentials(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let site = site_of(&arguments)?;
    let site = site.ok_or_else(|| wrong("credentials needs --site HOST: a password is for one site"))?;
    let page = context.page().await?;
    match (arguments.required("action")?.as_str(), arguments.text("user:password")) {
        ("set", Some(given)) => {
            let (user, password) = given
                .split_once(':')
                .filter(|(user, _)| !user.is_empty())
                .ok_or_else(|| wrong("credentials set needs user:password"))?;
            page.set_credentials(&site, Some((user, password))).await?;
            Ok(Output::text(format!("Signs in to {site} as {user}")).data(json!({ "site": site, "user": user })))
        }
        ("clear", None) => {
            page.set_credentials(&site, None).await?;
            Ok(Output::text(format!("No longer signs in to {site}")).data(json!({ "site": site })))
        }
        (other, _) => Err(wrong(format!("credentials {other} does not take these arguments"))
            .hint("credentials set --site HOST user:password, or credentials clear --site HOST.")),
    }
}
