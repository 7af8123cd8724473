//! `gstack cdp`: prints an address at which one DevTools client drives tabs, lists these addresses and ends them.
//!
//! Owns the text. The daemon owns the endpoints. With a method it is the browser command of the same name.

use super::cdp_provider;
use super::here::{Place, here};
use super::moment;
use super::terminal::{print_line, show, tell};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use gstack_client::http::Client;
use gstack_command::registry;
use gstack_protocol::cdp_endpoint::{CdpEndpoints, CdpGrant, CdpOpen, CdpOpened, CdpRevoke};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;

/// The parsed subcommand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cdp {
    Open(Box<Open>),
    List,
    Revoke {
        id: Option<String>,
    },
    /// The endpoint that agent-browser gets, without its time.
    Provider(Box<Open>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    request: CdpOpen,
    http: bool,
}

pub(super) fn command() -> Command {
    let command = registry::find("cdp");
    let of_method =
        command.map(|spec| format!("With a METHOD, sends one command: {}\n\n{}", spec.summary, spec.help()));
    Command::new("cdp")
        .about("Print an address at which Playwright, Puppeteer or another DevTools client drives tabs")
        .long_about(
            "Print an address at which Playwright, Puppeteer or another DevTools client drives tabs, and nothing else. The \
             address has a secret, which its first connection uses up. docs/DRIVERS.md shows it with each client.",
        )
        .after_long_help(of_method.unwrap_or_default())
        .subcommand_negates_reqs(true)
        .args_conflicts_with_subcommands(true)
        .args(of_client())
        .arg(
            Arg::new("ttl")
                .long("ttl")
                .value_name("TIME")
                .default_value("10m")
                .value_parser(seconds)
                .help("How long a client may connect: 30s, 10m, 8h. A connection may last longer"),
        )
        .arg(
            Arg::new("reconnect")
                .long("reconnect")
                .action(ArgAction::SetTrue)
                .help("Let a client connect again after it disconnects, until the time is up"),
        )
        .arg(Arg::new("http").long("http").action(ArgAction::SetTrue).help("Print the http:// form of the address"))
        .arg(Arg::new("method").value_name("METHOD").help("A DevTools method to send instead: Page.getLayoutMetrics"))
        .arg(
            Arg::new("parameters")
                .value_name("JSON")
                .num_args(0..)
                .trailing_var_arg(true)
                .requires("method")
                .help("The method's parameters as a JSON object"),
        )
        .subcommand(Command::new("list").about("List the addresses that are waiting for a client or in use"))
        .subcommand(
            Command::new("provider")
                .about("Serve agent-browser as its browser plugin (`browser.provider`)")
                .long_about(
                    "Answer one request from agent-browser on standard input, as its browser plugin (`browser.provider`). \
                     docs/DRIVERS.md says how to add the plugin. Its options, and --browser, --tab and --session, choose the \
                     browser and the tabs.",
                )
                .args(of_client()),
        )
        .subcommand(
            Command::new("revoke")
                .about("Revoke an address and close its connection")
                .arg(Arg::new("id").value_name("ID").help("The address's id, as `gstack cdp list` shows it. Without an id, all addresses")),
        )
}

/// Returns the options that say what the client of an address gets.
fn of_client() -> [Arg; 5] {
    [
        Arg::new("tabs")
            .long("tabs")
            .value_name("N,…")
            .value_delimiter(',')
            .value_parser(tab_number)
            .help("The tabs that the client gets. By default it gets a new one"),
        Arg::new("everyday")
            .long("everyday")
            .action(ArgAction::SetTrue)
            .help("Let the client drive tabs of your everyday browser, with your logins, through its extension"),
        Arg::new("allow")
            .long("allow")
            .value_name("WHAT,…")
            .value_delimiter(',')
            .value_parser(PossibleValuesParser::new(CdpGrant::ALL.map(CdpGrant::name)))
            .help(
                "Allow more: cookies of all sites, files in any folder, permissions of sites, profiling of all tabs in a \
                 process",
            ),
        Arg::new("keep-tabs")
            .long("keep-tabs")
            .action(ArgAction::SetTrue)
            .help("Leave the tabs that the client opens open when it disconnects. By default they close"),
        Arg::new("name").long("name").value_name("NAME").help("A name for the client, shown in `status` and the audit"),
    ]
}

/// Returns what those options say.
fn for_client(matches: &ArgMatches) -> CdpOpen {
    let allowed = |name: &String| CdpGrant::ALL.into_iter().find(|grant| grant.name() == name);
    CdpOpen {
        tabs: matches.get_many::<TabId>("tabs").into_iter().flatten().copied().collect(),
        everyday: matches.get_flag("everyday"),
        allow: matches.get_many::<String>("allow").into_iter().flatten().filter_map(allowed).collect(),
        keep_tabs: matches.get_flag("keep-tabs"),
        name: matches.get_one::<String>("name").cloned(),
        ..CdpOpen::default()
    }
}

/// Returns the arguments of the browser command if a method was given.
pub(super) fn parse(matches: &ArgMatches) -> Result<Cdp, Vec<String>> {
    let text = |matches: &ArgMatches, name: &str| matches.get_one::<String>(name).cloned();
    match matches.subcommand() {
        Some(("list", _)) => return Ok(Cdp::List),
        Some(("provider", matches)) => {
            return Ok(Cdp::Provider(Box::new(Open { request: for_client(matches), http: false })));
        }
        Some((_, matches)) => return Ok(Cdp::Revoke { id: text(matches, "id") }),
        None => {}
    }
    if let Some(method) = text(matches, "method") {
        let rest = matches.get_many::<String>("parameters").into_iter().flatten().cloned();
        return Err(std::iter::once(method).chain(rest).collect());
    }
    let request = CdpOpen {
        ttl_seconds: matches.get_one::<u64>("ttl").copied().unwrap_or_default(),
        reconnect: matches.get_flag("reconnect"),
        ..for_client(matches)
    };
    Ok(Cdp::Open(Box::new(Open { request, http: matches.get_flag("http") })))
}

/// Runs the subcommand. `tab` and `browser`: the values of `--tab` and `--browser`.
pub(super) async fn run(client: &Client, wanted: Cdp, (tab, browser): Place, json: bool) -> Result<(), Fault> {
    let at_place = |mut request: CdpOpen| {
        if request.tabs.is_empty() {
            request.tabs.extend(tab);
        }
        Ok::<_, Fault>(CdpOpen { cwd: here()?.cwd, browser, ..request })
    };
    match wanted {
        Cdp::Open(open) => {
            let Open { request, http } = *open;
            let request = at_place(request)?;
            let reconnect = request.reconnect;
            let opened: CdpOpened = client.post("/cdp/open", &request).await?;
            if json {
                return show(true, &opened, String::new);
            }
            let uses = if reconnect { "any number of times" } else { "once" };
            tell(&format!(
                "A client may connect {uses}, until {}. To end it: gstack cdp revoke {}",
                moment::local(opened.expires_at),
                opened.id
            ));
            print_line(if http { &opened.http_url } else { &opened.url });
            Ok(())
        }
        Cdp::Provider(open) => cdp_provider::run(client, at_place(open.request)?).await,
        Cdp::List => {
            let endpoints: CdpEndpoints = client.get("/cdp").await?;
            show(json, &endpoints, || list(&endpoints))
        }
        Cdp::Revoke { id } => {
            let before: CdpEndpoints = client.get("/cdp").await?;
            let left: CdpEndpoints = client.post("/cdp/revoke", &CdpRevoke { id }).await?;
            show(json, &left, || revoked(&before, &left))
        }
    }
}

fn revoked(before: &CdpEndpoints, left: &CdpEndpoints) -> String {
    let is_left = |id: &str| left.endpoints.iter().any(|one| one.id == id);
    let ended: Vec<&str> = before.endpoints.iter().map(|one| one.id.as_str()).filter(|id| !is_left(id)).collect();
    match (ended.is_empty(), left.endpoints.is_empty()) {
        (true, true) => "No CDP address was open.".to_owned(),
        (true, false) => list(left),
        (false, true) => format!("Revoked: {}.", ended.join(", ")),
        (false, false) => format!("Revoked: {}. Still open:\n{}", ended.join(", "), list(left)),
    }
}

fn list(endpoints: &CdpEndpoints) -> String {
    let line = |one: &gstack_protocol::cdp_endpoint::CdpEndpoint| {
        let who = match (&one.driver, &one.name) {
            (Some(driver), _) => format!("{driver} is connected"),
            (None, Some(name)) => format!("waits for {name}, until {}", moment::local(one.expires_at)),
            (None, None) => format!("waits, until {}", moment::local(one.expires_at)),
        };
        let tabs: Vec<String> = one.tabs.iter().map(ToString::to_string).collect();
        let tabs = if tabs.is_empty() { String::new() } else { format!("  tabs {}", tabs.join(", ")) };
        let tabs = if one.everyday { format!("{tabs}  in your everyday browser") } else { tabs };
        let allow: Vec<&str> = one.allow.iter().map(|grant| grant.name()).collect();
        let allow = if allow.is_empty() { String::new() } else { format!("  with {}", allow.join(", ")) };
        format!("{}  127.0.0.1:{}  {who}{tabs}{allow}", one.id, one.port)
    };
    if endpoints.endpoints.is_empty() {
        return "No CDP address is open.".to_owned();
    }
    endpoints.endpoints.iter().map(line).collect::<Vec<_>>().join("\n")
}

pub(super) fn tab_number(text: &str) -> Result<TabId, String> {
    text.parse().map_err(|_| format!("{text:?} is not a tab number; `gstack tabs` lists them"))
}

/// Parses `30s`, `10m`, `8h` or `2d`.
pub(super) fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a time such as 30s, 10m or 8h");
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(wrong()),
    };
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).filter(|time| *time > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_asked_for_listed_and_ended_and_a_method_is_a_browser_command() {
        let parsed = |line: &[&str]| command().try_get_matches_from(line).map(|matches| parse(&matches));
        let open = |line: &[&str]| match parsed(line).unwrap() {
            Ok(Cdp::Open(open)) => open.request,
            other => panic!("{other:?}"),
        };
        assert_eq!(open(&["cdp"]), CdpOpen { ttl_seconds: 600, ..CdpOpen::default() });
        let many =
            open(&["cdp", "--tabs", "3,5", "--ttl", "8h", "--reconnect", "--allow", "cookies,files", "--name", "ci"]);
        assert_eq!(many.tabs.iter().map(ToString::to_string).collect::<Vec<_>>(), ["3", "5"]);
        assert_eq!((many.ttl_seconds, many.reconnect), (8 * 3600, true));
        assert_eq!(many.allow, [CdpGrant::Cookies, CdpGrant::Files]);
        assert_eq!(parsed(&["cdp", "list"]).unwrap(), Ok(Cdp::List));
        let provider = |request| Ok(Cdp::Provider(Box::new(Open { request, http: false })));
        assert_eq!(parsed(&["cdp", "provider"]).unwrap(), provider(CdpOpen::default()));
        let chosen =
            parsed(&["cdp", "provider", "--everyday", "--tabs", "3,5", "--allow", "files", "--name", "bot"]).unwrap();
        let allow = vec![CdpGrant::Files];
        let name = Some("bot".to_owned());
        assert_eq!(chosen, provider(CdpOpen { tabs: many.tabs, everyday: true, allow, name, ..CdpOpen::default() }));
        assert_eq!(parsed(&["cdp", "revoke", "a1"]).unwrap(), Ok(Cdp::Revoke { id: Some("a1".to_owned()) }));
        let sent = parsed(&["cdp", "Emulation.setTimezoneOverride", r#"{"timezoneId":"Asia/Tokyo"}"#]).unwrap();
        assert_eq!(sent.unwrap_err(), ["Emulation.setTimezoneOverride", r#"{"timezoneId":"Asia/Tokyo"}"#]);
        for wrong in [
            &["cdp", "--ttl", "0s"][..],
            &["cdp", "--ttl", "10"],
            &["cdp", "--ttl", "ä"],
            &["cdp", "--tabs", "x"],
            &["cdp", "--allow", "all"],
        ] {
            assert!(parsed(wrong).is_err(), "{wrong:?}");
        }
    }
}
