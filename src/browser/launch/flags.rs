//! The browser's command line.
//!
//! Owns the flags and the rules that block metadata services. Never opens a DevTools port: any local user could drive
//! the profile through it.

use gstack_base::metadata;
use gstack_base::site_list::SiteList;
use std::path::Path;

const RULES_FLAG: &str = "--host-resolver-rules=";
const FEATURES_FLAG: &str = "--disable-features=";
const ENABLED_FLAG: &str = "--enable-features=";
/// Lets pages offer tools to agents (`document.modelContext`). A feature that is disabled too stays off.
const PAGE_TOOLS: &str = "WebMCPTesting";
/// The beginnings of the arguments, without their dashes, that resolve further hosts or send requests past the browser's
/// resolver. They do not go together with a limit to some sites.
const LIFTS_LIMIT: [&str; 10] = [
    "host-resolver-rules",
    "host-rules",
    "proxy-",
    "no-proxy-server",
    "winhttp-proxy-resolver",
    "dns-",
    "webrtc-",
    "force-webrtc-",
    // Trials turn features on, such as DNS over HTTPS.
    "force-fieldtrial",
    "variations-",
];
const ENABLED_FEATURES: &str = "enable-features";
/// Parts of the names of features that do the same.
const LIFTING_FEATURES: [&str; 4] = ["dns", "proxy", "resolver", "webrtc"];
/// Features that only serve a person who watches the browser.
const UNSEEN_FEATURES: [&str; 4] = [
    // After a click it defers tasks of the page's handlers (timers, messages) until the next frame is drawn, so that the
    // user sees the effect at once. A click of ours would wait for those tasks.
    "DeferRendererTasksAfterInput",
    // Two pages for the popups of the address bar, loaded right after the start, and others that may be opened next: half
    // of the processor time of a start (Chromium 156).
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "PreloadTopChromeWebUI",
];

/// The input of the command line.
#[derive(Clone, Debug)]
pub struct Flags<'a> {
    pub profile: &'a Path,
    pub headless: bool,
    /// Chromium refuses to run as root with its sandbox.
    pub as_root: bool,
    /// The flags from the configuration; resolver rules among them come after ours. With `only_sites`, those that would
    /// lift the limit are left out.
    pub extra: &'a [String],
    /// The only hosts that resolve.
    pub only_sites: &'a SiteList,
    /// The first tab's address; a browser that starts without shows its new tab page.
    pub first_url: Option<&'a str>,
}

/// The browser's command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    pub arguments: Vec<String>,
    /// The names of the flags from the configuration that are left out. Their values may be secret.
    pub left_out: Vec<String>,
}

/// Returns the browser's arguments.
pub fn command_line(flags: &Flags<'_>) -> CommandLine {
    let mut args = vec![
        format!("--user-data-dir={}", flags.profile.display()),
        "--remote-debugging-pipe".to_owned(),
        // Allows the pipe, and only the pipe, to load our extension.
        "--enable-unsafe-extension-debugging".to_owned(),
        "--no-first-run".to_owned(),
        "--no-default-browser-check".to_owned(),
        // The keeper ends the browser by closing its pipe: that is not a crash to ask the user about.
        "--hide-crash-restore-bubble".to_owned(),
        // A page that comes back from memory is requested from no site, so no route and no list of sites would apply to it.
        "--disable-back-forward-cache".to_owned(),
    ];
    if flags.headless {
        let unseen = [
            "--headless=new",
            "--window-size=1280,720",
            "--mute-audio",
            "--password-store=basic",
            // A page is as wide as its viewport, in screenshots too. A full-page screenshot would remove the scrollbars
            // for good and so change the layout of the page.
            "--hide-scrollbars",
        ];
        args.extend(unseen.map(str::to_owned));
    } else {
        // Otherwise each start shows an infobar that calls the resolver rules below unsupported. `connect` reports the
        // relevant part itself. Pages cannot detect this flag.
        args.push("--test-type".to_owned());
    }
    if flags.as_root {
        args.push("--no-sandbox".to_owned());
    }
    let mut rules = resolver_rules();
    // Only the last such flag counts, so the values from the configuration are appended to ours.
    let mut enabled = vec![PAGE_TOOLS];
    let mut features: Vec<&str> = if flags.headless { UNSEEN_FEATURES.to_vec() } else { Vec::new() };
    let mut left_out = Vec::new();
    for extra in flags.extra {
        // The browser ignores blanks around an argument too.
        let extra = extra.trim();
        if is_kept_out(extra, flags.only_sites) {
            let name = extra.split_once('=').map_or(extra, |(name, _)| name);
            tracing::warn!(name, "left out of the browser's arguments");
            left_out.push(name.to_owned());
        } else if let Some(more) = extra.strip_prefix(RULES_FLAG) {
            // The first matching rule counts, so ours stay in force.
            rules = format!("{rules}, {more}");
        } else if let Some(more) = extra.strip_prefix(FEATURES_FLAG) {
            features.push(more);
        } else if let Some(more) = extra.strip_prefix(ENABLED_FLAG) {
            enabled.push(more);
        } else {
            args.push(extra.to_owned());
        }
    }
    args.push(format!("{ENABLED_FLAG}{}", enabled.join(",")));
    if !features.is_empty() {
        args.push(format!("{FEATURES_FLAG}{}", features.join(",")));
    }
    if let Some(only) = flags.only_sites.resolver_rules() {
        rules = format!("{rules}, {only}");
        // WebRTC sends UDP to addresses that no resolver sees; over TCP it asks the resolver.
        args.push("--webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned());
        // A proxy resolves hosts itself, so the system's is not used either.
        args.push("--no-proxy-server".to_owned());
    }
    args.push(format!("{RULES_FLAG}{rules}"));
    args.extend(flags.first_url.map(ToOwned::to_owned));
    CommandLine { arguments: args, left_out }
}

/// Returns true for an argument that would end the browser's own parsing before our rules, or lift the limit to some
/// sites. The browser takes a flag with one dash as with two.
fn is_kept_out(extra: &str, only_sites: &SiteList) -> bool {
    let Some(flag) = extra.strip_prefix("--").or_else(|| extra.strip_prefix('-')) else { return false };
    if flag.is_empty() {
        return true;
    }
    let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
    let value = value.to_ascii_lowercase();
    let lifts = LIFTS_LIMIT.iter().any(|lifting| name.starts_with(lifting))
        || (name == ENABLED_FEATURES && LIFTING_FEATURES.iter().any(|part| value.contains(part)));
    lifts && !only_sites.is_empty()
}

/// Returns the resolver rules. They also cover redirects and subresources, which no check of a typed address sees.
fn resolver_rules() -> String {
    // IPv6 hosts have no brackets here: with them a rule matches nothing.
    metadata::hosts().map(|host| format!("MAP {host} ~NOTFOUND")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Flags, UNSEEN_FEATURES, command_line};
    use gstack_base::site_list::SiteList;
    use std::path::Path;

    fn of<'a>(headless: bool, extra: &'a [String], only_sites: &'a SiteList) -> Flags<'a> {
        Flags { profile: Path::new("/p"), headless, as_root: false, extra, only_sites, first_url: None }
    }

    fn arguments(flags: &Flags<'_>) -> Vec<String> {
        command_line(flags).arguments
    }

    fn flags(extra: &[String]) -> Vec<String> {
        arguments(&of(true, extra, &SiteList::default()))
    }

    #[test]
    fn a_person_is_not_greeted_by_a_bar_about_our_flags() {
        let every = SiteList::default();
        let seen = of(false, &[], &every);
        assert!(arguments(&seen).contains(&"--test-type".to_owned()));
        assert!(!flags(&[]).contains(&"--test-type".to_owned()), "where nobody sees it there is no such bar");
    }

    #[test]
    fn a_pipe_and_never_a_port() {
        let args = flags(&[]);
        assert!(args.contains(&"--remote-debugging-pipe".to_owned()));
        assert!(!args.iter().any(|arg| arg.starts_with("--remote-debugging-port") || arg == "--no-sandbox"));
    }

    #[test]
    fn rules_of_the_configuration_come_after_ours_in_one_flag() {
        let args = flags(&["--host-resolver-rules=MAP * 127.0.0.1".to_owned(), "--lang=de".to_owned()]);
        let rules: Vec<_> = args.iter().filter(|arg| arg.starts_with("--host-resolver-rules=")).collect();
        assert_eq!(rules.len(), 1);
        assert!(rules[0].ends_with(", MAP * 127.0.0.1"));
        assert!(rules[0].contains("MAP metadata.google.internal. ~NOTFOUND"));
        assert!(args.contains(&"--lang=de".to_owned()));
    }

    #[test]
    fn the_only_sites_come_after_all_other_rules() {
        let only = SiteList::parse("localhost").unwrap();
        let args = arguments(&of(true, &[], &only));
        let rules: Vec<_> = args.iter().filter(|arg| arg.starts_with("--host-resolver-rules=")).collect();
        assert_eq!(rules.len(), 1);
        assert!(rules[0].ends_with(", MAP localhost localhost, MAP * ~NOTFOUND"), "{rules:?}");
        assert!(args.iter().any(|arg| arg.starts_with("--webrtc-ip-handling-policy=")));
        let proxied = ["--proxy-server=http://localhost:1".to_owned(), "--proxy-pac-url=http://localhost/".to_owned()];
        let args = arguments(&of(true, &proxied, &only));
        assert!(args.contains(&"--no-proxy-server".to_owned()) && !args.iter().any(|arg| arg.starts_with("--proxy")));
        assert!(flags(&proxied).contains(&proxied[0]), "without a list a proxy is used");
        assert!(!flags(&[]).iter().any(|arg| arg.starts_with("--webrtc")), "without a list nothing changes");
    }

    #[test]
    fn what_lifts_the_limit_is_left_out_and_said() {
        let only = SiteList::parse("localhost").unwrap();
        let lifting = [
            "--host-resolver-rules=MAP evil.example 127.0.0.1",
            "-host-resolver-rules=EXCLUDE *",
            "--host-rules=MAP * evil.example",
            "-proxy-server=http://localhost:1",
            " --proxy-pac-url=data:,x ",
            "--dns-over-https-templates=https://evil.example/dns-query",
            "--enable-features=Quiet,DnsOverHttps<Trial:Templates/x",
            "--force-fieldtrials=DnsOverHttps/Enabled/",
            "--force-webrtc-ip-handling-policy=default",
            "--",
        ]
        .map(str::to_owned);
        let line = command_line(&of(true, &lifting, &only));
        assert_eq!(line.left_out.len(), lifting.len(), "{:?}", line.left_out);
        assert!(line.left_out.iter().all(|name| !name.contains("evil.example")), "{:?}", line.left_out);
        assert_eq!(line.arguments, arguments(&of(true, &[], &only)), "nothing of them is passed on");
        let harmless = ["--lang=de", "--enable-features=Quiet", "https://a.example/"].map(str::to_owned);
        let line = command_line(&of(true, &harmless, &only));
        let passed_on = ["--lang=de", "--enable-features=WebMCPTesting,Quiet", "https://a.example/"].map(str::to_owned);
        assert!(line.left_out.is_empty() && passed_on.iter().all(|extra| line.arguments.contains(extra)), "{line:?}");
        // Without a list they apply, except for the one that ends the parsing before our own rules.
        let line = command_line(&of(true, &lifting, &SiteList::default()));
        assert_eq!(line.left_out, ["--"]);
    }

    #[test]
    fn features_of_the_configuration_are_turned_off_together_with_ours() {
        let every = SiteList::default();
        let disabled = |headless: bool, extra: &[String]| {
            let all = arguments(&of(headless, extra, &every));
            all.into_iter().filter(|arg| arg.starts_with("--disable-features=")).collect::<Vec<_>>()
        };
        let extra = ["--disable-features=A,B".to_owned()];
        assert_eq!(disabled(true, &extra), [format!("--disable-features={},A,B", UNSEEN_FEATURES.join(","))]);
        assert_eq!(disabled(false, &extra), ["--disable-features=A,B"]);
        let enabled = flags(&["--enable-features=C".to_owned()]);
        let enabled: Vec<_> = enabled.iter().filter(|arg| arg.starts_with("--enable-features=")).collect();
        assert_eq!(enabled, ["--enable-features=WebMCPTesting,C"]);
        assert!(disabled(false, &[]).is_empty());
    }
}
