//! The tools of the page that an agent's tab shows, offered to the agent while the page offers them.
//!
//! Asks the page after each call, and maps a tool's name to its call. A call of one is a call of the command for
//! page tools: the same approval, audit and taint.

use super::error::ToolError;
use super::page_tool_list::is_page_tool;
use super::{ConversationTools, page_offers, tool_list};
use crate::agents::PageToolOffer;
use crate::policy::{ActionKind, ActionRequest, Risk};
use gstack_command::{Call, Class, Spec, registry, tool_schema};
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// A page that does not answer offers nothing.
const LOOK_LIMIT: Duration = Duration::from_secs(10);

/// Looks on each request, until the agent has ended.
pub(super) async fn follow(tools: Arc<ConversationTools>) {
    let shutdown = tools.services.tasks.shutdown();
    loop {
        tokio::select! {
            () = tools.ended.cancelled() => return,
            () = shutdown.cancelled() => return,
            () = tools.page_tools.look.notified() => {}
        }
        // A paused agent learns nothing new. Its next call asks for the next look.
        if tools.services.pauses.of(tools.conversation().id()).is_some() {
            continue;
        }
        let offers = tokio::select! {
            () = tools.ended.cancelled() => return,
            () = shutdown.cancelled() => return,
            offers = tokio::time::timeout(LOOK_LIMIT, tools.offered_by_page()) => offers.unwrap_or_default(),
        };
        tools.take_offers(offers);
    }
}

impl ConversationTools {
    /// Returns what the page in the tab that the agent works in offers. Nothing, unless the agent may read that page.
    async fn offered_by_page(&self) -> Vec<PageToolOffer> {
        let (services, conversation) = (&self.services, self.conversation());
        let working = services.tabs.sets().working(conversation);
        let Some(tab) = working.filter(|tab| services.tabs.sets().of(conversation).contains(tab)) else {
            return Vec::new();
        };
        let request = ActionRequest {
            conversation_id: conversation.id().clone(),
            kind: ActionKind::Read,
            site: services.tabs.site_of(tab),
            browser: Some(services.browsers.kind_of(Some(tab))),
            tool: None,
            risk: Risk::Plain,
        };
        if services.drivers.check_lease(tab, conversation.id()).is_err() || !services.policy.would_run(&request) {
            return Vec::new();
        }
        let Some((browser, pages)) = services.browsers.pages_with(Some(tab)) else { return Vec::new() };
        let Ok(open) = browser.tab(tab) else { return Vec::new() };
        let Ok(page) = pages.open(&open).await else { return Vec::new() };
        let tools = page.offered_tools().await.unwrap_or_default();
        page_offers::reduced(tab, &tools)
    }

    fn take_offers(&self, offers: Vec<PageToolOffer>) {
        let changed = self.page_tools.offers.send_if_modified(|known| {
            let changes = **known != offers;
            if changes {
                *known = Arc::new(offers.clone());
            }
            changes
        });
        if !changed {
            return;
        }
        // The agent is told the page's words: they are read.
        self.services.policy.with_taint_log(self.conversation().id(), |log| {
            for PageToolOffer { listed, site, .. } in &offers {
                let schema = Value::Object(listed.schema.clone());
                log.read(
                    site.as_deref().unwrap_or_default(),
                    &format!("{} {} {schema}", listed.name, listed.description),
                );
            }
        });
    }

    /// Returns the call that a page's tool stands for, and the tab whose page offers it. `None` for a tool of gstack's own.
    pub(super) fn page_tool_call(&self, tool: &str, arguments: &Value) -> Option<Result<(Call, TabId), Fault>> {
        if !is_page_tool(tool) {
            return None;
        }
        let working = self.services.tabs.sets().working(self.conversation());
        let offers = self.page_tools.offers.borrow().clone();
        let offer = offers.iter().find(|offer| offer.listed.name == tool && Some(offer.tab) == working);
        Some(match offer {
            Some(offer) => call_of(offer, arguments).map(|call| (call, offer.tab)),
            None => Err(ToolError::PageToolGone(tool.chars().take(80).collect()).into()),
        })
    }
}

fn call_of(offer: &PageToolOffer, arguments: &Value) -> Result<Call, Fault> {
    let spec = caller().ok_or_else(|| ToolError::PageToolGone(offer.listed.name.clone()))?;
    let mut given = Map::new();
    given.insert("tool".to_owned(), Value::from(offer.tool.as_str()));
    if !arguments.is_null() {
        given.insert("input".to_owned(), Value::from(arguments.to_string()));
    }
    if let Some(site) = &offer.site {
        given.insert("site".to_owned(), Value::from(site.as_str()));
    }
    Call::of(spec, tool_schema::arguments_of(spec, &Value::Object(given))?)
}

/// Returns the command that calls tools of pages, if agents are offered it.
fn caller() -> Option<&'static Spec> {
    let spec = registry::all().iter().copied().find(|spec| spec.class == Class::PageTool)?;
    tool_list::find(spec.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gstack_protocol::page_tool::ListedPageTool;
    use serde_json::json;

    #[test]
    fn a_call_names_the_pages_own_tool_and_its_site_whatever_they_look_like() {
        let listed = ListedPageTool { name: "page___x".to_owned(), description: String::new(), schema: Map::new() };
        let offer =
            PageToolOffer { listed, tool: "--site".to_owned(), site: Some("a.example".to_owned()), tab: TabId(1) };
        let call = call_of(&offer, &json!({ "a": 1 })).unwrap();
        assert_eq!(call.page_tool(), Some(("--site".to_owned(), Some("a.example".to_owned()))));
        assert_eq!(call.tool_input().as_deref(), Some(r#"{"a":1}"#));
        assert_eq!(call.class(), Class::PageTool);
    }
}
