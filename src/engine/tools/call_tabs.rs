//! The tab of a call: the agent's working tab or a tab that it names, and only tabs of its set.
//!
//! Owns the choice and the refusal. The policy decides what is allowed in the tab.

use super::ConversationTools;
use super::error::ToolError;
use crate::browsers::BrowsersError;
use gstack_browser::browser::Browser;
use gstack_command::spec::TabUse;
use gstack_command::{Call, TabSwitch, not_in_set, tab_number};
use gstack_protocol::command::CommandRequest;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;
use std::sync::Arc;

/// The longest name of a browser that is repeated to whoever used it, in characters.
const MOST_NAME: usize = 32;

/// The tabs of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallTabs {
    /// The tab that the command runs with.
    pub(super) tab: TabId,
    /// The tab that the command acts on, which differs if `tab` or `closetab` names another one. The policy uses its
    /// site.
    pub(super) subject: TabId,
}

impl ConversationTools {
    /// Fails if the command line names another browser than that of the agent's tabs. Only the person gives a browser.
    pub(super) fn check_browser(&self, request: &CommandRequest) -> Result<(), Fault> {
        let Some(name) = &request.browser else { return Ok(()) };
        let working = self.services.tabs.sets().working(self.conversation());
        let of_tab = working.or(self.conversation().info().tab_id).map(|tab| self.services.browsers.with_tab(tab));
        let own = match of_tab {
            Some(of_tab) => of_tab.map(|browsers| browsers.name().to_string()),
            // A client without a tab opens its first one there.
            None => self.driver.as_ref().map(|driver| driver.opens_in.to_string()),
        };
        match own.as_ref() == Some(name) {
            true => Ok(()),
            false => Err(ToolError::OtherBrowser(name.chars().take(MOST_NAME).collect()).into()),
        }
    }

    /// Chooses the tabs of a call. `named` is the tab of the command line's `--tab`. Fails if the tab is not in the
    /// set.
    pub(super) fn tabs_of_call(&self, call: &Call, named: Option<TabId>) -> Result<CallTabs, Fault> {
        let own = self.conversation().info().tab_id.ok_or(BrowsersError::NotConnected)?;
        let (browser, _) = self.services.browsers.pages_with(Some(own)).ok_or(BrowsersError::NotConnected)?;
        if self.by_person {
            let tab = named.unwrap_or(own);
            browser.tab(tab)?;
            return Ok(CallTabs { tab, subject: tab });
        }
        let tab = match named {
            Some(named) => self.in_set(&browser, named)?,
            None => self.services.tabs.sets().working(self.conversation()).unwrap_or(own),
        };
        let subject = match call.spec.tab {
            // Neither acts on the page of the tab that it is called in, which may be gone.
            TabUse::Lists | TabUse::Opens => tab,
            TabUse::Chooses | TabUse::Closes => self.in_set(&browser, named_by(call)?.unwrap_or(tab))?,
            TabUse::ThisPage | TabUse::Every => self.in_set(&browser, tab)?,
        };
        Ok(CallTabs { tab, subject })
    }

    fn in_set(&self, browser: &Browser, tab: TabId) -> Result<TabId, Fault> {
        let conversation = self.conversation();
        if self.services.tabs.sets().of(conversation).contains(&tab) {
            // The person may have given it a tab of another browser.
            let (browser, _) = self.services.browsers.pages_with(Some(tab)).ok_or(BrowsersError::NotConnected)?;
            browser.tab(tab)?;
            return Ok(tab);
        }
        // The tab was closed while the agent worked: report it and do not act in another tab.
        match browser.tab(tab) {
            Err(gone) if self.services.tabs.sets().working(conversation) == Some(tab) => {
                Err(Fault::from(gone).hint("`tabs` lists what is yours; choose one with `tab`."))
            }
            // It may ask for a tab that another one works in.
            _ => self.services.drivers.check_free(tab, conversation.id()).and(Err(not_in_set(tab))),
        }
    }

    /// Returns how `tab` and `newtab` move the current tab: the agent's only, never the person's.
    pub(super) fn on_tab_switch(&self) -> TabSwitch {
        if self.by_person {
            return TabSwitch::Ignored;
        }
        let (tabs, conversation) = (self.services.tabs.clone(), self.conversation().clone());
        TabSwitch::Callback(Arc::new(move |tab| {
            tabs.sets().add(&conversation, tab, crate::tabs::JoinedBy::Agent)?;
            tabs.work_in(&conversation, tab);
            Ok(())
        }))
    }
}

/// Returns the tab that a call of `tab` or `closetab` names. Fails if it cannot be parsed, so that it never falls back
/// to the working tab.
fn named_by(call: &Call) -> Result<Option<TabId>, Fault> {
    call.tab().map(|typed| tab_number(&typed)).transpose()
}
