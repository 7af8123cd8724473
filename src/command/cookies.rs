//! cookies, storage, cookie, cookie-import.

use super::arguments::{Arguments, usage};
use super::context::{Context, Output};
use super::everyday;
use super::reading::pretty;
use super::spec::{
    Category, Class, Everyday, Holds, Kind, Leads, Needs, NotEveryday, Offered, Spec, TabUse, Verb, When, Writes,
    parameter, phrase, phrase_when,
};
use super::{cookie_file, path_guard, registry, secrets};
use crate::browser::page::{Cookie, Page, PageStorage};
use crate::protocol::fault::{Fault, FaultCode};
use serde_json::{Map, Value, json};
use url::Url;

pub(super) const INSPECTION: &[Spec] = &[
    Spec {
        name: "cookies",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Secret,
        parameters: &[],
        flags: &[],
        summary: "Print the browser's cookies, of every site",
        details: "",
        untrusted: false,
        writes: Writes::Nothing,
        tab: TabUse::ThisPage,
        leads: Leads::Nowhere,
        offered: Offered::Extended,
        everyday: Everyday::Refused(NotEveryday {
            why: everyday::ITS_COOKIES,
            instead: "In the browser of `gstack connect` it works.",
        }),
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Read, "the cookies")],
        output: "JSON",
        run: |context, _| Box::pin(cookies(context)),
    },
    Spec {
        name: "storage",
        aliases: &[],
        category: Category::Inspection,
        class: Class::Secret,
        parameters: &[
            parameter("action", false, Kind::Text, Holds::Choice, "set, to set an entry of the local storage"),
            parameter("key", false, Kind::Text, Holds::Choice, "The entry's name"),
            parameter("value", false, Kind::Rest, Holds::Secret, "Its value"),
        ],
        flags: &[],
        summary: "Print the page's local and session storage, or set an entry",
        details: "Values that look like secrets, by name or by shape, are [REDACTED — N chars].",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        leads: Leads::Nowhere,
        offered: Offered::Extended,
        everyday: Everyday::Works,
        needs: Needs::Browser,
        phrases: &[
            phrase_when(When::Is("action", "set"), Verb::Set, "{key} in the storage"),
            phrase(Verb::Read, "the storage"),
        ],
        output: "JSON, or: Set localStorage[\"k\"]",
        run: |context, arguments| Box::pin(storage(context, arguments)),
    },
];

pub(super) const INTERACTION: &[Spec] = &[
    Spec {
        name: "cookie",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Secret,
        parameters: &[parameter("name=value", true, Kind::Rest, Holds::Secret, "The cookie: theme=dark")],
        flags: &[],
        summary: "Set a cookie for the page's host",
        details: "Its path is /.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        leads: Leads::Nowhere,
        offered: Offered::Extended,
        everyday: Everyday::Refused(NotEveryday {
            why: everyday::ITS_COOKIES,
            instead: "Sign in on the page itself, or use the browser of `gstack connect`.",
        }),
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Set, "a cookie")],
        output: "Cookie set: n=****",
        run: |context, arguments| Box::pin(cookie(context, arguments)),
    },
    Spec {
        name: "cookie-import",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Secret,
        parameters: &[parameter("json", true, Kind::Text, Holds::InputPath, "A JSON file: an array of cookies")],
        flags: &[],
        summary: "Set cookies from a JSON file",
        details: "Takes a missing domain or path from the page. Also reads what browser extensions export.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        leads: Leads::Nowhere,
        offered: Offered::Extended,
        everyday: Everyday::Refused(NotEveryday {
            why: everyday::ITS_COOKIES,
            instead: "Import them into the browser of `gstack connect`.",
        }),
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Set, "cookies from {json}")],
        output: "Loaded N cookies from file",
        run: |context, arguments| Box::pin(cookie_import(context, arguments)),
    },
];

async fn cookies(context: &Context) -> Result<Output, Fault> {
    let cookies = json!(context.page().await?.cookies().await?);
    Ok(Output::text(pretty(&cookies)?).data(cookies))
}

async fn storage(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let spec = registry::get("storage")?;
    match (arguments.text("action").as_deref(), arguments.text("key"), arguments.text("value")) {
        (None, ..) => {
            let storage = context.page().await?.storage().await?;
            let shown = json!({
                "localStorage": secrets::redact_entries(&storage.local_storage),
                "sessionStorage": secrets::redact_entries(&storage.session_storage),
            });
            Ok(Output::text(pretty(&shown)?).data(shown))
        }
        (Some("set"), Some(key), Some(value)) => {
            let local_storage = Map::from_iter([(key.clone(), Value::from(value))]);
            let entries = PageStorage { local_storage, ..PageStorage::default() };
            context.page().await?.set_storage(&entries).await?;
            Ok(Output::text(format!("Set localStorage[{}]", Value::from(key))))
        }
        (Some("set"), ..) => Err(usage(spec, "storage set needs a key and a value".to_owned())),
        (Some(other), ..) => Err(usage(spec, format!("storage does not know {other:?}"))),
    }
}

/// The page's address, where cookies can belong to it.
fn web_address(page: &Page) -> Result<Url, Fault> {
    let url = Url::parse(&page.url()?).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| {
        Fault::new(FaultCode::Conflict, "This page has no host that a cookie could belong to")
            .hint("Open the site first: gstack goto <url>")
    })
}

async fn cookie(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let given = arguments.required("name=value")?;
    let spec = registry::get("cookie")?;
    let Some((name, value)) = given.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
        return Err(usage(spec, "A cookie is written as name=value".to_owned()));
    };
    let page = context.page().await?;
    let url = web_address(&page)?;
    let name = name.trim();
    let cookie = Cookie {
        name: name.to_owned(),
        value: value.trim().to_owned(),
        domain: url.host_str().unwrap_or_default().to_owned(),
        path: "/".to_owned(),
        expires: None,
        http_only: false,
        secure: url.scheme() == "https",
        same_site: None,
        partition_key: None,
    };
    page.set_cookies(&[cookie]).await?;
    Ok(Output::text(format!("Cookie set: {name}=****")))
}

async fn cookie_import(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let typed = arguments.required("json")?;
    let path = path_guard::input_path(context, &typed)?;
    let text = path_guard::read_text(&path).await?;
    let page = context.page().await?;
    let home = web_address(&page).ok();
    let host = home.as_ref().and_then(Url::host_str);
    let cookies = cookie_file::parse(&text, host)?;
    page.set_cookies(&cookies).await?;
    let count = cookies.len();
    Ok(Output::text(format!("Loaded {count} cookies from {typed}")).data(json!({ "count": count })))
}
