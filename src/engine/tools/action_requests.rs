//! Maps a command call to the policy's request: the kind of action, the site, and the risk.

use crate::policy::{ActionKind, ActionRequest, Risk, TaintLog};
use gstack_base::site;
use gstack_browser::page::ClickDestination;
use gstack_command::spec::{Navigates, TabUse};
use gstack_command::{Call, url_guard};
use gstack_protocol::ids::ConversationId;
use gstack_protocol::policy::{PolicyBrowser, PolicyScope, PolicyTool};

/// The tab and conversation that a call concerns.
pub(super) struct TabContext<'a> {
    pub(super) conversation_id: &'a ConversationId,
    /// The site that the tab shows.
    pub(super) site: Option<String>,
    pub(super) browser: PolicyBrowser,
    /// The page's tool that it calls.
    pub(super) tool: Option<PolicyTool>,
    pub(super) effects: Effects,
    pub(super) taint_log: &'a TaintLog,
}

/// The effects of one call beyond those of its command.
#[derive(Clone, Copy, Default)]
pub(super) struct Effects {
    /// True if the text would be typed into a password field.
    pub(super) into_password: bool,
    /// True if it submits a form, or its label says that it pays, sends or deletes.
    pub(super) submits: bool,
    /// True if it closes a tab that the agent did not open.
    pub(super) closes_theirs: bool,
    /// True if it could read a password that gstack filled in.
    pub(super) reads_secret: bool,
}

pub(super) fn request(call: &Call, context: TabContext<'_>) -> ActionRequest {
    let TabContext { conversation_id, site, browser, tool, effects, taint_log } = context;
    let Effects { into_password, submits, closes_theirs, reads_secret } = effects;
    let kind = match ActionKind::of(call.class()) {
        ActionKind::Does(PolicyScope::Act) if into_password => ActionKind::Does(PolicyScope::Password),
        ActionKind::Does(PolicyScope::Act) if submits => ActionKind::Does(PolicyScope::Submit),
        kind => kind,
    };
    let going = matches!(call.spec.navigates, Navigates::TabToAddress | Navigates::RequestToAddress);
    let (place, risk) = match kind {
        ActionKind::Does(_) if reads_secret => (site, Risk::ReadsSecret),
        // The person decides about the destination, not about the origin.
        ActionKind::Does(_) if going => of_destinations(&call.destinations(), site.as_deref(), taint_log),
        ActionKind::Does(_) if call.spec.tab == TabUse::Closes => {
            (site, if closes_theirs { Risk::ClosesTheirs } else { Risk::Plain })
        }
        ActionKind::Does(PolicyScope::Control | PolicyScope::Intercept | PolicyScope::Upload) => {
            (site, taint_log.risk_of_control())
        }
        // The clipboard content is unknown: a person or a page copied it.
        ActionKind::Does(_) if call.pastes() => (site, Risk::Carrying),
        ActionKind::Does(_) => {
            let typed = call.typed().or_else(|| call.tool_input());
            let risk = typed.map_or(Risk::Plain, |text| taint_log.risk_of_typing(site.as_deref(), &text));
            (site, risk)
        }
        ActionKind::Read | ActionKind::Secret => (site, Risk::Plain),
    };
    ActionRequest { conversation_id: conversation_id.clone(), kind, site: place, browser: Some(browser), tool, risk }
}

/// Returns one site and one risk for all addresses that a call goes to: no site if there are several, and the highest
/// risk.
fn of_destinations(addresses: &[String], from: Option<&str>, taint_log: &TaintLog) -> (Option<String>, Risk) {
    let first = addresses.first().and_then(|address| destination(address));
    let same = addresses.iter().all(|address| destination(address) == first);
    let risks = addresses.iter().map(|address| taint_log.risk_of_going(from, address));
    (first.filter(|_| same), risks.max_by_key(|risk| *risk as u8).unwrap_or(Risk::Plain))
}

/// Returns the second request of a click whose markup leads to another site.
pub(super) fn to_destination(
    of: &ActionRequest,
    destination: &ClickDestination,
    taint_log: &TaintLog,
) -> Option<ActionRequest> {
    let to = site::of(&destination.url)?;
    let risk = taint_log.risk_of_destination(of.site.as_deref(), &destination.url, destination.form);
    (risk != Risk::Plain).then(|| ActionRequest { site: Some(to), risk, ..of.clone() })
}

/// Returns the site that an address leads to, or `None` if it has none or cannot be parsed.
pub(super) fn destination(typed: &str) -> Option<String> {
    // As `goto` completes it: `localhost` is http, `a.example` https.
    let opened = url_guard::check(typed).ok().and_then(|url| site::of(url.as_str()));
    // `localhost:3000` also parses as a URL, with `localhost` as its scheme and no host.
    opened.or_else(|| site::of(typed)).or_else(|| site::of(&format!("https://{typed}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_command::{registry, tool_schema};
    use serde_json::{Value, json};

    fn requested(name: &str, arguments: &Value, taint_log: &TaintLog, into_password: bool) -> ActionRequest {
        let spec = registry::find(name).unwrap();
        let args = tool_schema::arguments_of(spec, arguments).unwrap();
        let call = Call::of(spec, args).unwrap();
        let conversation_id = &ConversationId::new("c1");
        request(
            &call,
            TabContext {
                conversation_id,
                site: Some("a.example".to_owned()),
                browser: PolicyBrowser::Own,
                tool: None,
                effects: Effects { into_password, closes_theirs: true, ..Effects::default() },
                taint_log,
            },
        )
    }

    #[test]
    fn where_goto_goes_is_its_address_however_it_is_spelled_and_no_other_word() {
        for (url, site) in [
            ("https://a.example/b", Some("a.example")),
            ("https://a.example:443/", Some("a.example")),
            ("http://a.example/b", Some("a.example:80")),
            ("localhost", Some("localhost:80")),
            ("https://a.example@evil.example/", Some("evil.example")),
            ("a.example/b", Some("a.example")),
            ("localhost:3000", Some("localhost:3000")),
            ("evil.example:8080/x", Some("evil.example:8080")),
            ("about:blank", None),
        ] {
            let request = requested("goto", &json!({ "url": url, "timeout": 5000 }), &TaintLog::default(), false);
            assert_eq!(request.site.as_deref(), site, "{url}");
        }
    }

    #[test]
    fn a_call_is_what_it_does_rather_than_its_class() {
        let taint_log = TaintLog::default();
        let kind = |name, arguments, into_password| requested(name, &arguments, &taint_log, into_password).kind;
        assert_eq!(kind("click", json!({"selector": "@e1"}), false), ActionKind::Does(PolicyScope::Act));
        let fill = json!({"selector": "#p", "value": "x"});
        assert_eq!(kind("fill", fill.clone(), false), ActionKind::Does(PolicyScope::Act));
        assert_eq!(kind("fill", fill, true), ActionKind::Does(PolicyScope::Password));
        assert_eq!(
            kind("download", json!({"url": "https://b.example/f"}), false),
            ActionKind::Does(PolicyScope::Download)
        );
        assert_eq!(
            kind("upload", json!({"selector": "#f", "file": ["a"]}), false),
            ActionKind::Does(PolicyScope::Upload)
        );
        assert_eq!(kind("js", json!({"expression": "1"}), false), ActionKind::Does(PolicyScope::Control));
        let route = json!({"url": "**/api", "abort": true});
        assert_eq!(kind("route", route, false), ActionKind::Does(PolicyScope::Intercept));
        assert_eq!(kind("cookies", json!({}), false), ActionKind::Secret);
        assert_eq!(kind("text", json!({}), false), ActionKind::Read);
        assert_eq!(kind("tab", json!({"id": 2}), false), ActionKind::Read);
        assert_eq!(kind("newtab", json!({}), false), ActionKind::Read);
        assert_eq!(kind("newtab", json!({"url": "https://b.example"}), false), ActionKind::Does(PolicyScope::Act));
        assert_eq!(requested("closetab", &json!({}), &taint_log, false).risk, Risk::ClosesTheirs);
    }

    #[test]
    fn what_was_read_elsewhere_shapes_what_is_typed_gone_to_and_run() {
        let mut taint_log = TaintLog::default();
        taint_log.read("mail.example", "correct horse battery staple velvet moon");
        let risk = |name, arguments| requested(name, &arguments, &taint_log, false).risk;
        let words = "correct horse battery staple velvet";
        assert_eq!(risk("fill", json!({"selector": "#q", "value": words})), Risk::Carrying);
        assert_eq!(risk("type", json!({"text": words})), Risk::Carrying);
        assert_eq!(risk("fill", json!({"selector": "#q", "value": "shoes"})), Risk::Plain);
        assert_eq!(risk("goto", json!({"url": "https://b.example/"})), Risk::NewSite);
        assert_eq!(risk("goto", json!({"url": "https://a.example/x"})), Risk::Plain);
        let leak = "https://a.example/?leak=correct-horse-battery-staple-velvet";
        assert_eq!(risk("goto", json!({"url": leak})), Risk::Carrying, "also to the site that the tab is on");
        assert_eq!(risk("newtab", json!({"url": leak})), Risk::Carrying);
        assert_eq!(risk("js", json!({"expression": "1"})), Risk::Carrying);
        assert_eq!(risk("route", json!({"url": "**/app.js", "body": "alert(1)"})), Risk::Carrying);
        assert_eq!(risk("click", json!({"selector": "@e1"})), Risk::Plain);
        assert_eq!(risk("press", json!({"key": "Control+v"})), Risk::Carrying);
        assert_eq!(risk("press", json!({"key": "Control+c"})), Risk::Plain);
    }
}
