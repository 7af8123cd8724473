//! The commands that gstack answers in place of the browser: targets, windows, downloads.
//!
//! Owns the answers. They know of the client's tabs only.

use super::contexts::no_context;
use super::message::{self, Command, Refusal};
use super::session::{CALL_LIMIT, Held, Role, Session};
use super::targets::{CONTEXT, Kind, TargetFilter};
use gstack_browser::devtools::target::SessionId;
use gstack_protocol::ids::TabId;
use serde_json::{Value, json};

/// The id of the browser's own target.
const BROWSER: &str = "gstack-browser";
/// Targets inside a page that a client may attach to. Service workers and shared workers belong to other tabs too.
const INNER: [&str; 2] = ["iframe", "worker"];

impl Session {
    /// Answers a command. `None`: it was sent on, and its reply comes later.
    pub(super) async fn own(&mut self, command: &Command<'_>, held: Option<&Held>) -> Result<Option<Value>, Refusal> {
        let params = message::read(command.params)?;
        match (command.method.as_ref(), held) {
            ("Target.setAutoAttach", None) => return self.auto_attach(&params).await.map(Some),
            ("Target.setAutoAttach", Some(held)) => {
                return self.auto_attach_below(command, held, params).map(|()| None);
            }
            ("Target.setDiscoverTargets", None) => self.discover(&params),
            ("Target.getTargets", _) => return Ok(Some(self.targets(&params))),
            ("Target.getTargetInfo", held) => return self.target_info(&params, held).map(Some),
            ("Target.getBrowserContexts", _) => return Ok(Some(json!({ "browserContextIds": self.contexts }))),
            ("Target.createBrowserContext", None) => return self.create_context(&params).await.map(Some),
            ("Target.disposeBrowserContext", None) => self.dispose_context(&params).await?,
            ("Target.createTarget", None) => return self.create_target(&params).await.map(Some),
            ("Target.attachToTarget", _) => return self.attach_to_target(&params).await.map(Some),
            ("Target.detachFromTarget", _) => self.detach_from_target(&params)?,
            ("Target.closeTarget", _) => {
                let (tab, _) = self.target(&params)?;
                self.close_tab(tab).await?;
                return Ok(Some(json!({ "success": true })));
            }
            ("Page.close", Some(held)) => self.close_tab(held.tab).await?,
            // The person's focus and window stay as they are; the page behaves as if it were in front.
            ("Target.activateTarget", _) => drop(self.target(&params)?),
            ("Page.bringToFront", Some(_)) => {
                if let Some(session) = &command.session_id {
                    self.tell(session, "Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }));
                }
            }
            ("Browser.setWindowBounds", _) => {}
            ("Browser.getWindowForTarget", held) => {
                let target = match held {
                    Some(held) => self.tabs.get(&held.tab).map(|leased| leased.shown.page.clone()),
                    None => Some(self.target(&params)?.0).and_then(|tab| Some(self.tabs.get(&tab)?.shown.page.clone())),
                };
                let params = json!({ "targetId": target.ok_or_else(no_target)? });
                let raw =
                    serde_json::value::to_raw_value(&params).map_err(|error| Refusal::failed(error.to_string()))?;
                return self.send_on(command, None, Some(&raw)).map(|()| None);
            }
            ("Browser.getVersion", _) => return self.send_on(command, None, None).map(|()| None),
            ("Browser.close", _) => self.ends = true,
            ("Browser.setDownloadBehavior" | "Page.setDownloadBehavior", _) => self.set_downloads(&params)?,
            (method, _) => return Err(Refusal::unknown(method)),
        }
        Ok(Some(json!({})))
    }

    async fn auto_attach(&mut self, params: &Value) -> Result<Value, Refusal> {
        if params["autoAttach"] != json!(true) {
            self.auto_attach = None;
            return Ok(json!({}));
        }
        if params["flatten"] != json!(true) {
            return Err(Refusal::denied("gstack attaches only with flatten: true"));
        }
        self.auto_attach = Some(TargetFilter::of(params));
        let tabs: Vec<TabId> = self.tabs.keys().copied().collect();
        for tab in tabs {
            self.attach_wanted(tab).await;
        }
        Ok(json!({}))
    }

    /// Lets a session attach to what is inside its target, and to nothing else.
    fn auto_attach_below(&mut self, command: &Command<'_>, held: &Held, mut params: Value) -> Result<(), Refusal> {
        let kinds: &[&str] = if held.role == Role::Direct(Kind::Tab) { &["page"] } else { &INNER };
        let is_on = params["autoAttach"] == json!(true);
        if is_on && params["flatten"] != json!(true) {
            return Err(Refusal::denied("gstack attaches only with flatten: true"));
        }
        let mut filter: Vec<Value> = kinds.iter().map(|kind| json!({ "type": kind })).collect();
        filter.push(json!({ "exclude": true }));
        params["filter"] = json!(filter);
        let raw = serde_json::value::to_raw_value(&params).map_err(|error| Refusal::failed(error.to_string()))?;
        self.send_on(command, command.session_id.as_ref(), Some(&raw))
    }

    fn discover(&mut self, params: &Value) {
        let was_on = self.discover.is_some();
        self.discover = (params["discover"] == json!(true)).then(|| TargetFilter::of(params));
        if !was_on {
            let tabs: Vec<TabId> = self.tabs.keys().copied().collect();
            tabs.into_iter().for_each(|tab| self.tell_of(tab, "Target.targetCreated"));
        }
    }

    fn targets(&self, params: &Value) -> Value {
        let filter = TargetFilter::of(params);
        let kinds: Vec<Kind> = Kind::BOTH.into_iter().filter(|kind| filter.includes(*kind)).collect();
        let of = |(tab, leased): (&TabId, &super::tabs::Leased)| {
            let infos = kinds.iter().map(|kind| leased.shown.info(*kind, self.is_attached(*tab, *kind)));
            infos.collect::<Vec<_>>()
        };
        json!({ "targetInfos": self.tabs.iter().flat_map(of).collect::<Vec<_>>() })
    }

    fn target_info(&self, params: &Value, held: Option<&Held>) -> Result<Value, Refusal> {
        let (tab, kind) = match (params.get("targetId"), held) {
            (Some(_), _) => self.target(params)?,
            (None, Some(Held { tab, role: Role::Direct(kind), .. })) => (*tab, *kind),
            (None, Some(_)) => return Err(no_target()),
            (None, None) => {
                let info = json!({
                    "targetId": BROWSER, "type": "browser", "title": "", "url": "", "attached": true,
                    "canAccessOpener": false,
                });
                return Ok(json!({ "targetInfo": info }));
            }
        };
        let leased = self.tabs.get(&tab).ok_or_else(no_target)?;
        Ok(json!({ "targetInfo": leased.shown.info(kind, self.is_attached(tab, kind)) }))
    }

    /// Returns the tab and the kind of `targetId`. Fails for one that is not the client's as for one that does not exist.
    fn target(&self, params: &Value) -> Result<(TabId, Kind), Refusal> {
        let id = params["targetId"].as_str().unwrap_or_default();
        let found = self.tabs.iter().find_map(|(tab, leased)| Some((*tab, leased.shown.kind_of(id)?)));
        found.ok_or_else(no_target)
    }

    async fn create_target(&mut self, params: &Value) -> Result<Value, Refusal> {
        let context = match params["browserContextId"].as_str() {
            None | Some(CONTEXT) => None,
            Some(id) => Some(self.contexts.get(id).cloned().ok_or_else(no_context)?),
        };
        let url = params["url"].as_str().unwrap_or_default();
        if !url.is_empty() {
            self.given.address(url)?;
        }
        let tab = self.client.new_tab(context.as_deref()).await.map_err(|fault| Refusal::failed(fault.message))?;
        if let Ok(opened) = self.browser.tab(tab) {
            // Its page has an id once it is attached to.
            opened.engage().await.map_err(|error| Refusal::failed(error.to_string()))?;
        }
        self.sync().await;
        let leased = self.tabs.get(&tab).ok_or_else(no_target)?;
        let (page, target) = (leased.shown.page.clone(), json!({ "targetId": leased.shown.page }));
        if !matches!(url, "" | "about:blank") {
            let own = |(id, held): (&SessionId, &Held)| (held.target == page).then(|| id.clone());
            let session = match self.sessions.iter().find_map(own) {
                Some(session) => self.browser.cdp().session(session),
                None => self
                    .browser
                    .tab(tab)
                    .and_then(|tab| tab.page())
                    .map_err(|error| Refusal::failed(error.to_string()))?,
            };
            session.call_json("Page.navigate", &json!({ "url": url }), CALL_LIMIT).await?;
        }
        Ok(target)
    }

    async fn attach_to_target(&mut self, params: &Value) -> Result<Value, Refusal> {
        if params["flatten"] != json!(true) {
            return Err(Refusal::denied("gstack attaches only with flatten: true"));
        }
        let id = params["targetId"].as_str().unwrap_or_default();
        let inner = self.sessions.values().find(|held| held.role == Role::Inner && held.target == id).cloned();
        if let Some(held) = inner {
            let session = self.link.attach(id).await?;
            self.sessions.insert(session.clone(), Held { parent: None, ..held });
            return Ok(json!({ "sessionId": session }));
        }
        let (tab, kind) = self.target(params)?;
        let session = self.attach(tab, kind).await?;
        Ok(json!({ "sessionId": session }))
    }

    fn detach_from_target(&mut self, params: &Value) -> Result<(), Refusal> {
        let id = params["sessionId"].as_str().map(|id| SessionId::from(id.to_owned()));
        let id = id.filter(|id| self.sessions.contains_key(id)).ok_or_else(Refusal::no_session)?;
        match self.sessions.get(&id).and_then(|held| held.parent.clone()) {
            None => self.detach(&id),
            Some(parent) => self.tell(&parent, "Target.detachFromTarget", &json!({ "sessionId": id })),
        }
        Ok(())
    }

    async fn close_tab(&mut self, tab: TabId) -> Result<(), Refusal> {
        if !self.client.may_close(tab) {
            return Err(Refusal::denied("the person gave you this tab: only the person closes it"));
        }
        let failed = |error: gstack_browser::error::BrowserError| Refusal::failed(error.to_string());
        self.browser.tab(tab).map_err(failed)?.close().await.map_err(failed)?;
        Ok(())
    }
}

fn no_target() -> Refusal {
    Refusal::failed("No target with given id found")
}
