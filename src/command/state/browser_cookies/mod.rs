//! The `cookie-import-browser` command: imports the cookies of an installed browser.
//!
//! Owns the choice of browser and profile, and the output text. Never prints a cookie's value, and never changes the
//! source browser.

mod database;
mod decrypt;
mod keyring;
mod profiles;
#[cfg(test)]
mod test_database;

use crate::core::{Arguments, Context, Output, everyday, wrong};
use crate::spec::{
    Capability, Category, Class, Everyday, Flag, Kind, Navigates, Needs, NotEveryday, Offered, Spec, TabUse, ValueType,
    Verb, Writes, parameter, phrase,
};
use database::{Stored, StoredCookie};
use decrypt::{Decrypted, Keys};
use gstack_browser::page::{Cookie, Page};
use gstack_protocol::fault::{Fault, FaultCode};
use keyring::Passwords;
use profiles::{Found, Profile};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const NAME: &str = "cookie-import-browser";
/// The maximum number of domains listed for each profile.
const MOST_DOMAINS: usize = 10;

pub(crate) const COMMANDS: &[Spec] = &[Spec {
    name: NAME,
    aliases: &[],
    category: Category::Interaction,
    class: Class::Secret,
    parameters: &[parameter(
        "browser",
        false,
        Kind::Text,
        ValueType::Choice,
        "chrome, chromium, edge, brave, vivaldi, \"chrome beta\" …",
    )],
    flags: &[
        Flag {
            name: "--domain",
            alias: "",
            value: Some("d"),
            holds: ValueType::Choice,
            help: "Only the cookies of this domain and its subdomains, and those sent to it",
        },
        Flag {
            name: "--profile",
            alias: "",
            value: Some("p"),
            holds: ValueType::Choice,
            help: "The profile's name or folder (default: Default)",
        },
    ],
    summary: "Import the cookies of an installed Chromium-family browser",
    details: "Without arguments: the browsers found, with their profiles and how many cookies those have.\nOn Linux \
        cookies are encrypted with a fixed key (v10) or with one from the desktop's keyring (v11). On macOS \
        gstack reads the Keychain, which asks for your permission.",
    untrusted: false,
    writes: Writes::Browser,
    tab: TabUse::ThisPage,
    navigates: Navigates::Nowhere,
    offered: Offered::Extended(Capability::Storage),
    everyday: Everyday::Refused(NotEveryday {
        why: everyday::ITS_COOKIES,
        instead: "Import them into the browser of `gstack connect`.",
    }),
    needs: Needs::BrowserUnless {
        unless: only_lists,
        run: |folders, _| Box::pin(async move { list_installed(&folders.temp_folder).await }),
    },
    phrases: &[phrase(Verb::Set, "cookies of an installed browser")],
    output: "Imported N cookies for d from browser",
    data: "[{browser: string, profile: string, title: string, cookies: number, domains: unknown}] | {browser: string, profile: string, imported: number, refused: unknown, undecryptable: number}",
    run: |context, arguments| Box::pin(run(context, arguments)),
}];

/// Whether the command only lists and imports nothing.
pub(super) fn only_lists(arguments: &Arguments) -> bool {
    arguments.text("browser").is_none() && !arguments.has("--profile") && !arguments.has("--domain")
}

/// Lists the browsers found, with the number of cookies in each profile.
pub(crate) async fn list_installed(temp_folder: &Path) -> Result<Output, Fault> {
    let folder = temp_folder.to_owned();
    blocking(move || list(&profiles::find(), &folder)).await
}

async fn run(context: &Context, arguments: Arguments) -> Result<Output, Fault> {
    let domain = arguments.value("--domain").map(plain_domain);
    if domain.as_deref() == Some("") {
        return Err(wrong("--domain needs a domain"));
    }
    if only_lists(&arguments) {
        return list_installed(&context.temp_folder).await;
    }
    let found = blocking(profiles::find).await?;
    let chosen = profiles::choose(found, arguments.text("browser").as_deref(), arguments.value("--profile"))?;
    let (folder, file) = (context.temp_folder.clone(), chosen.cookies.clone());
    let stored = blocking(move || database::read(&file, &folder)).await??;
    import(context, &chosen, stored, domain.as_deref()).await
}

async fn import(context: &Context, chosen: &Profile, stored: Stored, domain: Option<&str>) -> Result<Output, Fault> {
    let wanted: Vec<StoredCookie> =
        stored.cookies.into_iter().filter(|cookie| domain.is_none_or(|domain| is_for(&cookie.host, domain))).collect();
    let name = chosen.browser.name;
    let of = domain.map(|domain| format!(" for {domain}")).unwrap_or_default();
    if wanted.is_empty() {
        return Err(Fault::new(FaultCode::NotFound, format!("{name} ({}) has no cookies{of}", chosen.folder))
            .hint("See the browsers and profiles: gstack cookie-import-browser"));
    }
    let passwords = match wanted.iter().any(|cookie| cookie.needs_password()) {
        true => keyring::passwords(chosen.browser.name).await,
        false => Passwords::default(),
    };
    let version = stored.version;
    let asked = passwords.trouble.clone();
    let (cookies, unreadable) = blocking(move || decrypted(&wanted, version, &Keys::new(&passwords.found))).await?;
    if cookies.is_empty() {
        return Err(undecryptable(name, unreadable, asked.as_deref()));
    }
    let page = context.page().await?;
    let refused = set(&page, &cookies).await?;
    let set = cookies.len() - refused;
    let sites: BTreeSet<&str> = cookies.iter().map(|cookie| cookie.domain.trim_start_matches('.')).collect();
    let place = domain.map_or_else(|| format!("{} domains", sites.len()), str::to_owned);
    let mut text = format!("Imported {set} cookies for {place} from {name}");
    if refused > 0 {
        text.push_str(&format!("\n{refused} were refused by the browser"));
    }
    if unreadable > 0 {
        let why = asked.map(|why| format!(": {why}")).unwrap_or_default();
        text.push_str(&format!("\n{unreadable} could not be decrypted{why}"));
    }
    let data = json!({ "browser": name, "profile": chosen.folder, "imported": set, "refused": refused,
        "undecryptable": unreadable });
    Ok(Output::text(text).data(data))
}

/// Returns the decrypted cookies, and how many could not be decrypted.
fn decrypted(wanted: &[StoredCookie], version: u32, keys: &Keys) -> (Vec<Cookie>, usize) {
    let mut cookies = Vec::with_capacity(wanted.len());
    let mut unreadable = 0;
    for stored in wanted {
        match decrypt::value(stored, version, keys) {
            Decrypted::Value(value) => cookies.push(stored.cookie(value)),
            Decrypted::Not => unreadable += 1,
        }
    }
    (cookies, unreadable)
}

fn undecryptable(browser: &str, count: usize, asked: Option<&str>) -> Fault {
    let why = asked.unwrap_or("the key in the keyring does not match them");
    Fault::new(FaultCode::Forbidden, format!("none of the {count} cookies of {browser} could be decrypted: {why}"))
        .hint("Unlock the keyring of your desktop session, or export the cookies with an extension and run: gstack cookie-import FILE")
}

/// Sets all cookies at once; if one is refused, sets them one by one. Returns how many were refused or not kept.
async fn set(page: &Page, cookies: &[Cookie]) -> Result<usize, Fault> {
    if let Ok(lost) = page.set_cookies(cookies).await {
        return Ok(lost.len());
    }
    let mut refused = 0;
    let mut last = None;
    for cookie in cookies {
        match page.set_cookies(std::slice::from_ref(cookie)).await {
            Ok(lost) => refused += lost.len(),
            Err(error) => {
                refused += 1;
                last = Some(error);
            }
        }
    }
    match last {
        Some(error) if refused == cookies.len() => Err(error.into()),
        _ => Ok(refused),
    }
}

fn list(found: &[Found], folder: &Path) -> Output {
    let mut blocks = Vec::new();
    let mut data = Vec::new();
    for profile in found.iter().flat_map(Found::profiles) {
        let head = format!("{}, profile {} ({})", profile.browser.name, profile.folder, profile.title);
        let read = match database::read(&profile.cookies, folder) {
            Ok(read) => read,
            Err(fault) => {
                blocks.push(format!("{head}: {}", fault.message));
                continue;
            }
        };
        let mut domains: BTreeMap<&str, usize> = BTreeMap::new();
        for cookie in &read.cookies {
            *domains.entry(cookie.host.trim_start_matches('.')).or_default() += 1;
        }
        let mut most: Vec<_> = domains.iter().collect();
        most.sort_by_key(|(domain, count)| (std::cmp::Reverse(**count), **domain));
        let mut block = format!("{head}: {} cookies of {} domains", read.cookies.len(), domains.len());
        for (domain, count) in most.iter().take(MOST_DOMAINS) {
            block.push_str(&format!("\n  {count:>5}  {domain}"));
        }
        if most.len() > MOST_DOMAINS {
            block.push_str(&format!("\n  … {} more", most.len() - MOST_DOMAINS));
        }
        blocks.push(block);
        data.push(json!({ "browser": profile.browser.name, "profile": profile.folder, "title": profile.title,
            "cookies": read.cookies.len(), "domains": domains }));
    }
    if blocks.is_empty() {
        blocks.push("(no Chromium-family browser with cookies was found)".to_owned());
    } else {
        blocks.push("Import with: gstack cookie-import-browser BROWSER --domain DOMAIN".to_owned());
    }
    Output::text(blocks.join("\n")).data(data)
}

/// Returns `example.com` for inputs such as `https://www.example.com/` and `.example.com`.
fn plain_domain(typed: &str) -> String {
    let host = typed.split("://").last().unwrap_or_default().split(['/', ':', '?']).next().unwrap_or_default();
    host.trim_start_matches('.').trim_end_matches('.').to_ascii_lowercase()
}

/// Whether a cookie belongs to the domain itself, to a subdomain, or to a parent domain that shares it.
fn is_for(host: &str, domain: &str) -> bool {
    let beneath = |inner: &str, outer: &str| inner.strip_suffix(outer).is_some_and(|rest| rest.ends_with('.'));
    let plain = host.trim_start_matches('.');
    plain == domain || beneath(plain, domain) || (host.starts_with('.') && beneath(domain, plain))
}

/// Runs blocking work (reading files, deriving keys) outside the runtime's own threads.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Fault::new(FaultCode::Internal, format!("reading the cookies was interrupted: {error}")))
}

#[cfg(test)]
mod tests {
    use super::{is_for, plain_domain};

    #[test]
    fn a_domain_takes_what_is_sent_to_it_and_to_what_lies_beneath_it() {
        for (host, yes) in [
            ("example.com", true),
            (".example.com", true),
            ("app.example.com", true),
            (".app.example.com", true),
            ("badexample.com", false),
            (".com", true),
            ("com", false),
        ] {
            assert_eq!(is_for(host, "example.com"), yes, "{host}");
        }
        assert!(is_for(".example.com", "app.example.com") && !is_for("example.com", "app.example.com"));
        for typed in ["https://Example.com/a?b", ".example.com", "example.com:8080"] {
            assert_eq!(plain_domain(typed), "example.com");
        }
    }
}
