//! The `cookies`, `cookie` and `cookie-import` commands.

use super::cookie_file;
use super::storage::{OUTPUT, saved};
use crate::core::{Arguments, Context, Output, everyday, wrong};
use crate::privacy::path_guard;
use crate::reading::pretty;
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TabUse, ValueType,
    Verb, When, Writes, flag, parameter, phrase, phrase_when, switch,
};
use gstack_base::clock::now_millis;
use gstack_base::counted::counted;
use gstack_browser::page::{Cookie, Page};
use gstack_protocol::fault::{Fault, FaultCode};
use serde_json::json;
use url::Url;

const DOMAIN: Flag = flag(
    "--domain",
    "HOST",
    ValueType::Choice,
    "set: for this host; other actions: only cookies that are sent to this host",
);

pub(crate) const INSPECTION: &[Spec] = &[Spec {
    name: "cookies",
    aliases: &[],
    category: Category::Inspection,
    class: Class::Secret,
    parameters: &[
        parameter(
            "action",
            false,
            Kind::Text,
            ValueType::Choice,
            "get, set, delete, clear or export; without one, all",
        ),
        parameter("name", false, Kind::Rest, ValueType::Secret, "get, delete: NAME; set: NAME=VALUE"),
    ],
    flags: &[
        DOMAIN,
        flag("--path", "PATH", ValueType::Choice, "set: the cookie's path (default: /)"),
        flag("--expires", "SECONDS", ValueType::Choice, "set: expires after this many seconds"),
        switch("--http-only", ValueType::Choice, "set: scripts can't read it"),
        switch("--secure", ValueType::Choice, "set: only over HTTPS"),
        flag("--same-site", "MODE", ValueType::Choice, "set: Strict, Lax or None"),
        switch("--all", ValueType::Choice, "clear: the cookies of every site"),
        OUTPUT,
    ],
    summary: "Print the browser's cookies, of every site, or read, set and delete some",
    details: "Leaves out those of an <iframe credentialless>. set and clear apply to the page's site, unless --domain or --all is given. `cookie-import` reads what \
        export writes.",
    untrusted: false,
    writes: Writes::Browser,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Storage),
    everyday: Everyday::Refused(NotEveryday {
        why: everyday::ITS_COOKIES,
        instead: "Use the browser of `gstack connect`.",
    }),
    needs: Needs::Browser,
    phrases: &[
        phrase_when(When::Is("action", "set"), Verb::Set, "a cookie"),
        phrase_when(When::Is("action", "delete"), Verb::Clear, "a cookie"),
        phrase_when(When::Is("action", "clear"), Verb::Clear, "the cookies"),
        phrase_when(When::Is("action", "export"), Verb::Save, "the cookies"),
        phrase(Verb::Read, "the cookies"),
    ],
    output: "JSON; Cookie set: n=****, Deleted N cookies, Cookies saved: path",
    data: "[{name: string, value: string, domain: string, path: string, httpOnly: boolean, secure: boolean, expires?: number, sameSite?: string, …}] | {name: string, …} | {count: number} | {path: string}",
    run: |context, arguments| Box::pin(cookies(context, arguments)),
}];

pub(crate) const INTERACTION: &[Spec] = &[
    Spec {
        name: "cookie",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Secret,
        parameters: &[parameter("name=value", true, Kind::Rest, ValueType::Secret, "The cookie: theme=dark")],
        flags: &[],
        summary: "Set a cookie for the page's host",
        details: "Its path is /.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Storage),
        everyday: Everyday::Refused(NotEveryday {
            why: everyday::ITS_COOKIES,
            instead: "Sign in on the page itself, or use the browser of `gstack connect`.",
        }),
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Set, "a cookie")],
        output: "Cookie set: n=****",
        data: "",
        run: |context, arguments| Box::pin(cookie(context, arguments)),
    },
    Spec {
        name: "cookie-import",
        aliases: &[],
        category: Category::Interaction,
        class: Class::Secret,
        parameters: &[parameter("json", true, Kind::Text, ValueType::InputPath, "A JSON file: an array of cookies")],
        flags: &[],
        summary: "Set cookies from a JSON file",
        details: "Takes a missing domain or path from the page. Also reads what browser extensions export.",
        untrusted: false,
        writes: Writes::Browser,
        tab: TabUse::ThisPage,
        navigates: Navigates::Nowhere,
        offered: Offered::Extended(Capability::Storage),
        everyday: Everyday::Refused(NotEveryday {
            why: everyday::ITS_COOKIES,
            instead: "Import them into the browser of `gstack connect`.",
        }),
        needs: Needs::Browser,
        phrases: &[phrase(Verb::Set, "cookies from {json}")],
        output: "Loaded N cookies from file",
        data: "{count: number}",
        run: |context, arguments| Box::pin(cookie_import(context, arguments)),
    },
];

async fn cookies(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let action = arguments.text("action");
    let name = arguments.text("name");
    let domain = arguments.value("--domain").map(|domain| domain.trim_start_matches('.').to_ascii_lowercase());
    let page = context.page().await?;
    let all = || page.cookies();
    let fits = |cookie: &Cookie| domain.as_deref().is_none_or(|host| is_sent_to(cookie, host));
    match (action.as_deref(), name) {
        (None, _) => printed(all().await?.into_iter().filter(fits).collect()),
        (Some("get"), Some(name)) => {
            let found: Vec<Cookie> = all().await?.into_iter().filter(|known| known.name == name && fits(known)).collect();
            if found.is_empty() { Err(none_such(&name)) } else { printed(found) }
        }
        (Some("set"), Some(given)) => {
            let cookie = read_cookie(&page, &arguments, &given)?;
            let name = cookie.name.clone();
            set(&page, &[cookie]).await?;
            Ok(Output::text(format!("Cookie set: {name}=****")).data(json!({ "name": name })))
        }
        (Some("delete"), Some(name)) => {
            let found: Vec<Cookie> = all().await?.into_iter().filter(|known| known.name == name && fits(known)).collect();
            if found.is_empty() { Err(none_such(&name)) } else { deleted(&page, &found).await }
        }
        (Some("clear"), None) => {
            let host = match (arguments.has("--all"), domain.clone()) {
                (true, _) => None,
                (false, Some(domain)) => Some(domain),
                (false, None) => web_address(&page)?.host_str().map(str::to_owned),
            };
            let goes = |cookie: &Cookie| host.as_deref().is_none_or(|host| is_sent_to(cookie, host));
            deleted(&page, &all().await?.into_iter().filter(goes).collect::<Vec<_>>()).await
        }
        (Some("export"), None) => {
            let found: Vec<Cookie> = all().await?.into_iter().filter(fits).collect();
            saved(context, &arguments, "Cookies", "cookies", &json!(found)).await
        }
        (Some(other), _) => Err(wrong(format!("cookies {other} does not take these arguments")).hint(
            "cookies get NAME, cookies set NAME=VALUE, cookies delete NAME, cookies clear, or cookies export --output PATH",
        )),
    }
}

fn printed(cookies: Vec<Cookie>) -> Result<Output, Fault> {
    let cookies = json!(cookies);
    Ok(Output::text(pretty(&cookies)?).data(cookies))
}

async fn deleted(page: &Page, cookies: &[Cookie]) -> Result<Output, Fault> {
    page.delete_cookies(cookies).await?;
    Ok(Output::text(format!("Deleted {}", counted(cookies.len(), "cookie"))).data(json!({ "count": cookies.len() })))
}

fn none_such(name: &str) -> Fault {
    Fault::new(FaultCode::NotFound, format!("there is no cookie {name}")).hint("See them: gstack cookies")
}

/// Whether requests to this host include the cookie: it belongs to the host itself or to a parent domain.
fn is_sent_to(cookie: &Cookie, host: &str) -> bool {
    match cookie.domain.strip_prefix('.') {
        Some(domain) => host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
        None => cookie.domain == host,
    }
}

/// Parses `name=value` with the flags of `set`.
fn read_cookie(page: &Page, arguments: &Arguments, given: &str) -> Result<Cookie, Fault> {
    let parts = given.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
    let (name, value) =
        parts.filter(|(name, _)| !name.is_empty()).ok_or_else(|| wrong("write the cookie as name=value"))?;
    let (domain, secure) = match arguments.value("--domain") {
        Some(domain) => (domain.to_owned(), arguments.has("--secure")),
        None => {
            let url = web_address(page)?;
            (url.host_str().unwrap_or_default().to_owned(), arguments.has("--secure") || url.scheme() == "https")
        }
    };
    let expires = match arguments.value("--expires") {
        Some(text) => Some(now_millis() as f64 / 1000.0 + arguments.number::<f64>("--expires", text)?),
        None => None,
    };
    let same_site = match arguments.value("--same-site").map(str::to_ascii_lowercase).as_deref() {
        None => None,
        Some("strict") => Some("Strict".to_owned()),
        Some("lax") => Some("Lax".to_owned()),
        Some("none") => Some("None".to_owned()),
        Some(other) => {
            return Err(wrong(format!("--same-site {other:?} is not known")).hint(
                "Use Strict, Lax or \
            None.",
            ));
        }
    };
    Ok(Cookie {
        name: name.to_owned(),
        value: value.to_owned(),
        domain,
        path: arguments.value("--path").unwrap_or("/").to_owned(),
        expires,
        http_only: arguments.has("--http-only"),
        secure,
        same_site,
        partition_key: None,
    })
}

/// Returns the page's address. Fails if cookies cannot belong to it.
fn web_address(page: &Page) -> Result<Url, Fault> {
    let url = Url::parse(&page.url()?).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| {
        Fault::new(FaultCode::Conflict, "this page has no host to set a cookie for")
            .hint("Open the site first: gstack goto <url>")
    })
}

async fn cookie(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let page = context.page().await?;
    let cookie = read_cookie(&page, &arguments, &arguments.required("name=value")?)?;
    let name = cookie.name.clone();
    set(&page, &[cookie]).await?;
    Ok(Output::text(format!("Cookie set: {name}=****")))
}

/// Sets cookies. Fails if the browser does not keep one; the others stay.
async fn set(page: &Page, cookies: &[Cookie]) -> Result<(), Fault> {
    let lost = page.set_cookies(cookies).await?;
    let names: Vec<String> = lost.iter().map(|cookie| format!("{} of {}", cookie.name, cookie.domain)).collect();
    if names.is_empty() {
        return Ok(());
    }
    let fault = Fault::new(FaultCode::BadRequest, format!("the browser did not keep {}", names.join(", ")));
    Err(fault.hint("A cookie with SameSite=None must be Secure. Other cookies of the same call are set."))
}

async fn cookie_import(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let typed = arguments.required("json")?;
    let path = path_guard::input_path(context, &typed)?;
    let text = path_guard::read_text(&path).await?;
    let page = context.page().await?;
    let home = web_address(&page).ok();
    let host = home.as_ref().and_then(Url::host_str);
    let cookies = cookie_file::parse(&text, host)?;
    set(&page, &cookies).await?;
    let count = cookies.len();
    Ok(Output::text(format!("Loaded {count} cookies from {typed}")).data(json!({ "count": count })))
}

#[cfg(test)]
mod tests {
    use super::{Cookie, is_sent_to};

    #[test]
    fn a_cookie_is_sent_to_its_host_or_to_all_beneath_its_domain() {
        let cookie = |domain: &str| Cookie {
            name: "a".to_owned(),
            value: String::new(),
            domain: domain.to_owned(),
            path: "/".to_owned(),
            expires: None,
            http_only: false,
            secure: false,
            same_site: None,
            partition_key: None,
        };
        for (domain, host, sent) in [
            ("a.example", "a.example", true),
            ("a.example", "b.a.example", false),
            (".a.example", "b.a.example", true),
            (".a.example", "a.example", true),
            (".a.example", "evila.example", false),
        ] {
            assert_eq!(is_sent_to(&cookie(domain), host), sent, "{domain} {host}");
        }
    }
}
