//! Tests of the translator's output to both sides, message by message.

use super::message::Outbound;
use super::refusals;
use super::strip::Strip;
use super::translate::{About, FromExtension, Translator};
use gstack_protocol::frame::COMFORTABLE;
use gstack_protocol::ids::{ChromeTabId, TargetId, WindowId};
use gstack_protocol::relay::{Refusal, RelayAnswer, RelayDetached, RelayError, RelayEvent, RelayTabAct};
use gstack_protocol::tabs::{ChromeTab, TabsChanged};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

const TAB: ChromeTabId = ChromeTabId(7);

/// Builds a tab as the extension reports it.
pub(super) fn tab(id: i64, url: &str) -> ChromeTab {
    ChromeTab {
        chrome_tab_id: ChromeTabId(id),
        window_id: WindowId(1),
        url: url.to_owned(),
        title: "Title".to_owned(),
        fav_icon_url: None,
        active: false,
        incognito: false,
        discarded: false,
        target_id: Some(TargetId::new(format!("PAGE{id}"))),
        opener_chrome_tab_id: None,
        restored: false,
        replaces: None,
    }
}

struct Scene {
    translator: Translator,
    strip: Strip,
    next: u32,
}

/// Returns the messages to the connection, as JSON.
fn to_browser(out: &[Outbound]) -> Vec<Value> {
    let parse = |one: &Outbound| match one {
        Outbound::Browser(bytes) => Some(serde_json::from_slice(bytes).unwrap()),
        Outbound::Extension(_) => None,
    };
    out.iter().filter_map(parse).collect()
}

fn to_extension(out: &[Outbound]) -> Vec<Value> {
    let write = |one: &Outbound| match one {
        Outbound::Browser(_) => None,
        Outbound::Extension(message) => Some(serde_json::to_value(message).unwrap()),
    };
    out.iter().filter_map(write).collect()
}

impl Scene {
    fn new(tabs: Vec<ChromeTab>) -> Self {
        let mut strip = Strip::default();
        strip.apply(&TabsChanged { full: true, tabs, removed: vec![] });
        let about = About { product: Some("Chromium 156".to_owned()), can_relay: true };
        Self { translator: Translator::new(about), strip, next: 0 }
    }

    fn one() -> Self {
        Self::new(vec![tab(7, "http://a/")])
    }

    fn send(&mut self, method: &str, session: Option<&str>, params: Value) -> (u32, Vec<Outbound>) {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        (self.next, self.translator.command(message.to_string().as_bytes(), &self.strip))
    }

    fn answer(&mut self, call: u32, result: Value) -> Vec<Value> {
        let answer = RelayAnswer { call, result: Some(to_raw_value(&result).unwrap()), error: None };
        to_browser(&self.translator.heard(FromExtension::Answer(answer), &self.strip))
    }

    fn event(&mut self, session_id: Option<&str>, method: &str, params: Value) -> Vec<Value> {
        let event = RelayEvent {
            chrome_tab_id: TAB,
            session_id: session_id.map(str::to_owned),
            method: method.to_owned(),
            params: Some(to_raw_value(&params).unwrap()),
        };
        to_browser(&self.translator.heard(FromExtension::Event(event), &self.strip))
    }

    /// Attaches to the tab; returns the sessions of tab and page.
    fn attach(&mut self) -> (String, String) {
        let (id, out) =
            self.send("Target.attachToTarget", None, json!({ "targetId": "chrome-tab-7", "flatten": true }));
        assert_eq!(
            to_extension(&out),
            [json!({ "method": "relay.attach", "params": { "call": id, "chromeTabId": 7 } })]
        );
        let reply = self.answer(id, json!({ "targetId": "MAIN" }));
        let tab_session = reply[0]["result"]["sessionId"].as_str().unwrap().to_owned();
        let (_, out) = self.send("Target.setAutoAttach", Some(&tab_session), json!({ "autoAttach": true }));
        let told = to_browser(&out);
        assert_eq!(told[0]["method"], "Target.attachedToTarget");
        assert_eq!(told[0]["sessionId"], json!(tab_session));
        assert_eq!(told[0]["params"]["targetInfo"]["targetId"], "MAIN");
        assert_eq!(told[1]["result"], json!({}));
        (tab_session, told[0]["params"]["sessionId"].as_str().unwrap().to_owned())
    }
}

fn refusal_of(message: &Value) -> Option<Refusal> {
    refusals::of_code(message["error"]["code"].as_i64()?)
}

#[test]
fn a_command_to_a_page_goes_to_its_tab_and_its_answer_comes_back_under_its_id() {
    let mut scene = Scene::one();
    let (_, page) = scene.attach();
    let (id, out) = scene.send("Page.navigate", Some(&page), json!({ "url": "http://b/" }));
    let sent = json!({ "call": id, "chromeTabId": 7, "method": "Page.navigate", "params": { "url": "http://b/" } });
    assert_eq!(to_extension(&out), [json!({ "method": "relay.command", "params": sent })]);
    let reply = scene.answer(id, json!({ "frameId": "MAIN" }));
    assert_eq!(reply, [json!({ "id": id, "sessionId": page, "result": { "frameId": "MAIN" } })]);
    // A second answer to the same request is ignored.
    assert!(scene.answer(id, json!({})).is_empty());
}

#[test]
fn frames_in_other_processes_have_sessions_of_their_own_until_they_go() {
    let mut scene = Scene::one();
    let (_, page) = scene.attach();
    let told = scene.event(None, "Target.attachedToTarget", json!({ "sessionId": "INNER", "targetInfo": {} }));
    assert_eq!(told[0]["sessionId"], json!(page));
    let (_, out) = scene.send("Runtime.enable", Some("INNER"), json!({}));
    assert_eq!(to_extension(&out)[0]["params"]["sessionId"], "INNER");
    assert_eq!(scene.event(Some("INNER"), "Page.frameNavigated", json!({}))[0]["sessionId"], "INNER");
    scene.event(None, "Target.detachedFromTarget", json!({ "sessionId": "INNER" }));
    let (_, out) = scene.send("Runtime.enable", Some("INNER"), json!({}));
    assert_eq!(to_browser(&out)[0]["error"]["code"], -32001);
}

#[test]
fn what_can_t_be_entered_is_refused_before_anything_is_asked() {
    let private = ChromeTab { incognito: true, ..tab(8, "http://a/") };
    let mut scene = Scene::new(vec![tab(7, "chrome://settings/"), private]);
    for (target, why) in
        [("chrome-tab-7", Refusal::OwnPage), ("chrome-tab-8", Refusal::Incognito), ("chrome-tab-9", Refusal::Closed)]
    {
        let (_, out) = scene.send("Target.attachToTarget", None, json!({ "targetId": target }));
        assert_eq!(refusal_of(&to_browser(&out)[0]), Some(why), "{target}");
        assert!(to_extension(&out).is_empty());
    }
    let mut old = Scene::one();
    old.translator = Translator::new(About::default());
    let (_, out) = old.send("Target.attachToTarget", None, json!({ "targetId": "chrome-tab-7" }));
    assert_eq!(refusal_of(&to_browser(&out)[0]), Some(Refusal::TooOld));
}

#[test]
fn what_reaches_beyond_the_tab_never_leaves() {
    let mut scene = Scene::one();
    let (_, page) = scene.attach();
    for method in
        ["Storage.getCookies", "Network.getAllCookies", "Browser.close", "SystemInfo.getInfo", "Target.getTargets"]
    {
        let (_, out) = scene.send(method, Some(&page), json!({}));
        assert!(to_extension(&out).is_empty(), "{method}");
        assert_eq!(refusal_of(&to_browser(&out)[0]), Some(Refusal::NotHere), "{method}");
    }
    let (_, out) = scene.send("Target.setAutoAttach", Some(&page), json!({ "autoAttach": true }));
    assert_eq!(to_extension(&out).len(), 1);
    let (_, out) = scene.send("Browser.close", None, json!({}));
    assert_eq!(refusal_of(&to_browser(&out)[0]), Some(Refusal::NotHere));
}

#[test]
fn when_the_person_sends_us_out_whoever_waits_hears_why_and_the_tab_is_free() {
    let mut scene = Scene::one();
    let (tab_session, page) = scene.attach();
    let (id, _) = scene.send("Runtime.evaluate", Some(&page), json!({ "expression": "1" }));
    let detached = RelayDetached { chrome_tab_id: TAB, reason: Refusal::Cancelled };
    let told = to_browser(&scene.translator.heard(FromExtension::Detached(detached), &scene.strip));
    // First the end of the session, then the failed commands: their callers can look up the reason.
    assert_eq!(told[0]["method"], "Target.detachedFromTarget");
    assert_eq!(told[0]["params"], json!({ "sessionId": tab_session, "refusal": "cancelled" }));
    assert_eq!((told[1]["id"].as_u64(), refusal_of(&told[1])), (Some(u64::from(id)), Some(Refusal::Cancelled)));
    assert!(scene.event(None, "Page.loadEventFired", json!({})).is_empty());
    let (_, out) = scene.send("Runtime.enable", Some(&page), json!({}));
    assert_eq!(to_browser(&out)[0]["error"]["code"], -32001);
    // After a new attachment, old answers and sessions are ignored.
    let (_, again) = scene.attach();
    assert_ne!(again, page);
}

#[test]
fn letting_go_tells_the_extension_and_ends_the_sessions() {
    let mut scene = Scene::one();
    let (tab_session, page) = scene.attach();
    let (id, out) = scene.send("Target.detachFromTarget", None, json!({ "sessionId": tab_session }));
    assert_eq!(to_extension(&out), [json!({ "method": "relay.detach", "params": { "chromeTabId": 7 } })]);
    assert_eq!(to_browser(&out), [json!({ "id": id, "result": {} })]);
    let (_, out) = scene.send("Runtime.enable", Some(&page), json!({}));
    assert_eq!(to_browser(&out)[0]["error"]["code"], -32001);
}

#[test]
fn errors_keep_devtools_own_code_and_ours_stand_for_a_refusal() {
    let mut scene = Scene::one();
    let (_, page) = scene.attach();
    for (code, refusal, expected) in [
        (Some(-32602), None, -32602),
        (None, None, -32000),
        (None, Some(Refusal::TooLarge), refusals::code(Refusal::TooLarge)),
    ] {
        let (call, _) = scene.send("Page.captureScreenshot", Some(&page), json!({}));
        let error = Some(RelayError { code, message: "no".to_owned(), refusal });
        let heard = FromExtension::Answer(RelayAnswer { call, result: None, error });
        let reply = to_browser(&scene.translator.heard(heard, &scene.strip));
        assert_eq!(reply[0]["error"]["code"], expected);
    }
}

#[test]
fn parameters_that_fit_into_no_message_go_in_parts_that_make_up_the_same_text() {
    let mut scene = Scene::one();
    let (_, page) = scene.attach();
    let params = json!({ "html": "\"ä".repeat(COMFORTABLE) });
    let (id, out) = scene.send("Page.setDocumentContent", Some(&page), params.clone());
    let sent = to_extension(&out);
    let (last, parts) = sent.split_last().unwrap();
    let text: String = parts.iter().map(|part| part["params"]["text"].as_str().unwrap()).collect();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), params);
    assert!(parts.iter().all(|part| part["params"]["call"] == id && part.to_string().len() < COMFORTABLE));
    assert_eq!(last["method"], "relay.command");
    assert!(last["params"].get("params").is_none());
}

#[test]
fn the_browser_itself_is_answered_for_without_asking_it() {
    let mut scene = Scene::new(vec![tab(7, "http://a/"), tab(8, "chrome://newtab/")]);
    let (_, out) = scene.send("Browser.getVersion", None, json!({}));
    assert_eq!(to_browser(&out)[0]["result"]["product"], "Chromium 156");
    let (_, out) = scene.send("Target.getTargets", None, json!({ "filter": [{ "type": "tab" }] }));
    assert_eq!(to_browser(&out)[0]["result"]["targetInfos"][1]["targetId"], "chrome-tab-8");
    let (_, out) = scene.send("Target.getTargets", None, json!({}));
    assert_eq!(to_browser(&out)[0]["result"]["targetInfos"][0]["targetId"], "PAGE7");
    let (id, out) = scene.send("Target.createTarget", None, json!({ "url": "about:blank" }));
    assert_eq!(to_extension(&out)[0]["params"], json!({ "call": id, "act": "open" }));
    assert_eq!(scene.answer(id, json!({ "chromeTabId": 9 }))[0]["result"]["targetId"], "chrome-tab-9");
}

#[test]
fn only_a_page_of_the_browsers_own_is_left_for_an_empty_one() {
    let mut scene = Scene::new(vec![tab(7, "http://a/"), tab(8, "chrome://newtab/")]);
    let (_, out) = scene.send(super::translate::LEAVE_OWN_PAGE, None, json!({ "targetId": "chrome-tab-7" }));
    assert!(to_extension(&out).is_empty());
    let (id, out) = scene.send(super::translate::LEAVE_OWN_PAGE, None, json!({ "targetId": "chrome-tab-8" }));
    let act = serde_json::to_value(RelayTabAct::Leave).unwrap();
    assert_eq!(to_extension(&out)[0]["params"], json!({ "call": id, "act": act, "chromeTabId": 8 }));
}

#[test]
fn a_page_without_a_name_is_known_by_its_tab() {
    let mut scene = Scene::new(vec![ChromeTab { target_id: None, ..tab(7, "http://a/") }]);
    let (id, _) = scene.send("Target.attachToTarget", None, json!({ "targetId": "chrome-tab-7" }));
    let reply = scene.answer(id, json!({}));
    let session = reply[0]["result"]["sessionId"].as_str().unwrap().to_owned();
    let (_, out) = scene.send("Target.setAutoAttach", Some(&session), json!({}));
    let target = to_browser(&out)[0]["params"]["targetInfo"]["targetId"].clone();
    assert_eq!(target, json!(TargetId::new("chrome-page-7")));
}

/// Attaches a client to the page; returns its session.
fn guest(scene: &mut Scene) -> String {
    let (_, out) = scene.send("Relay.attachClient", None, json!({ "targetId": "MAIN" }));
    to_browser(&out)[0]["result"]["sessionId"].as_str().unwrap().to_owned()
}

#[test]
fn a_client_shares_the_session_of_a_tab_that_gstack_is_attached_to_and_of_no_other() {
    let mut scene = Scene::one();
    for target in ["MAIN", "chrome-tab-7", "chrome-tab-8", "PAGE7", ""] {
        let (_, out) = scene.send("Relay.attachClient", None, json!({ "targetId": target }));
        assert_eq!(refusal_of(&to_browser(&out)[0]), Some(Refusal::NotAttached), "{target}");
    }
    let (_, page) = scene.attach();
    let session = guest(&mut scene);
    assert_ne!(session, page);
    let (id, out) = scene.send("Page.reload", Some(&session), json!({}));
    let sent = json!({ "call": id, "chromeTabId": 7, "method": "Page.reload", "params": {} });
    assert_eq!(to_extension(&out), [json!({ "method": "relay.command", "params": sent })]);
    assert_eq!(
        scene.answer(id, json!({ "done": 1 })),
        [json!({ "id": id, "sessionId": session, "result": { "done": 1 } })]
    );
}

#[test]
fn an_event_goes_to_those_that_enabled_its_domain() {
    let mut scene = Scene::one();
    let (_, page) = scene.attach();
    let (first, second) = (guest(&mut scene), guest(&mut scene));
    scene.send("Page.enable", Some(&page), json!({}));
    scene.send("Log.enable", Some(&first), json!({}));
    scene.send("Page.enable", Some(&second), json!({}));
    let sessions =
        |told: Vec<Value>| told.iter().map(|one| one["sessionId"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(sessions(scene.event(None, "Page.frameNavigated", json!({}))), [page.clone(), second.clone()]);
    assert_eq!(sessions(scene.event(None, "Log.entryAdded", json!({}))), std::slice::from_ref(&first));
    assert_eq!(sessions(scene.event(None, "Fetch.requestPaused", json!({}))), std::slice::from_ref(&page));
    // What another one uses is not turned off, and what nobody uses is.
    let (id, out) = scene.send("Page.disable", Some(&second), json!({}));
    assert_eq!(to_browser(&out), [json!({ "id": id, "result": {} })]);
    assert_eq!(to_extension(&scene.send("Log.disable", Some(&first), json!({})).1).len(), 1);
    scene.send("Network.enable", Some(&page), json!({}));
    scene.send("Network.enable", Some(&first), json!({}));
    let (id, out) = scene.send("Network.disable", Some(&page), json!({}));
    assert_eq!(
        to_browser(&out),
        [json!({ "id": id, "sessionId": page, "result": {} })],
        "gstack leaves it to the client"
    );
    let binding = json!({ "name": "told", "payload": "", "executionContextId": 1 });
    scene.send("Runtime.addBinding", Some(&second), json!({ "name": "told" }));
    assert_eq!(sessions(scene.event(None, "Runtime.bindingCalled", binding)), [second]);
}

#[test]
fn a_client_that_comes_later_is_told_of_the_contexts_and_frames_that_exist() {
    let mut scene = Scene::one();
    let (_, page) = scene.attach();
    scene.send("Runtime.enable", Some(&page), json!({}));
    for id in [1, 2, 3] {
        scene.event(None, "Runtime.executionContextCreated", json!({ "context": { "id": id } }));
    }
    scene.event(None, "Runtime.executionContextDestroyed", json!({ "executionContextId": 2 }));
    let frame = json!({ "sessionId": "F", "targetInfo": { "targetId": "FRAME", "type": "iframe" }, "waitingForDebugger": true });
    scene.event(None, "Target.attachedToTarget", frame);
    let session = guest(&mut scene);
    let (_, out) = scene.send("Runtime.enable", Some(&session), json!({}));
    let told: Vec<_> = to_browser(&out).iter().map(|one| one["params"]["context"]["id"].clone()).collect();
    assert_eq!(told, [json!(1), json!(3)]);
    assert!(to_browser(&scene.send("Runtime.enable", Some(&session), json!({})).1).is_empty(), "once");
    let told = to_browser(&scene.send("Target.setAutoAttach", Some(&session), json!({ "autoAttach": true })).1);
    assert_eq!(told[0]["params"]["targetInfo"]["targetId"], "FRAME");
    assert_eq!(told[0]["params"]["waitingForDebugger"], json!(false));
    let inner = told[0]["params"]["sessionId"].as_str().unwrap().to_owned();
    assert_ne!(inner, "F", "the client never uses the session of gstack");
    let (id, out) = scene.send("Runtime.evaluate", Some(&inner), json!({}));
    assert_eq!(to_extension(&out)[0]["params"]["sessionId"], "F");
    scene.answer(id, json!({}));
    let told = scene.event(None, "Target.detachedFromTarget", json!({ "sessionId": "F", "targetId": "FRAME" }));
    assert_eq!(told[1]["params"], json!({ "sessionId": inner, "targetId": "FRAME" }));
    assert_eq!(to_browser(&scene.send("Runtime.evaluate", Some(&inner), json!({})).1)[0]["error"]["code"], -32001);
}

#[test]
fn what_reaches_beyond_the_tab_and_interception_are_refused_to_a_client_and_its_sessions_end_with_the_tab() {
    let mut scene = Scene::one();
    let (tab, page) = scene.attach();
    let session = guest(&mut scene);
    for method in [
        "Storage.getCookies",
        "Network.getAllCookies",
        "Browser.close",
        "Target.getTargets",
        "Fetch.enable",
        "Fetch.continueRequest",
    ] {
        let (_, out) = scene.send(method, Some(&session), json!({}));
        assert!(to_extension(&out).is_empty() && to_browser(&out)[0]["error"].is_object(), "{method}");
    }
    // gstack's pretended focus would end under the client.
    let (_, out) = scene.send("Emulation.setFocusEmulationEnabled", Some(&page), json!({ "enabled": false }));
    assert!(to_extension(&out).is_empty());
    let (_, out) = scene.send("Target.detachFromTarget", None, json!({ "sessionId": tab }));
    let told = to_browser(&out);
    assert_eq!(
        (&told[0]["method"], &told[0]["params"]["sessionId"]),
        (&json!("Target.detachedFromTarget"), &json!(session))
    );
    assert_eq!(to_browser(&scene.send("Page.reload", Some(&session), json!({})).1)[0]["error"]["code"], -32001);
}
