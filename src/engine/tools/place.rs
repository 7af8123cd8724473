//! In which tab a call works: the agent's working tab, or one that it has named, and none outside of its set.
//!
//! Owns the choice and the refusal. What may be done in the tab is the policy's to say.

use super::ConversationTools;
use crate::browser::browser::Browser;
use crate::command::spec::TabUse;
use crate::command::{Call, Moves, not_in_set, tab_number};
use crate::engine::browsers::BrowsersError;
use crate::protocol::fault::Fault;
use crate::protocol::ids::TabId;
use std::sync::Arc;

/// Where a call works.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The tab that the command is run with.
    pub(super) tab: TabId,
    /// The tab that it is done to: another one where `tab` or `closetab` names it. The policy judges by its site.
    pub(super) subject: TabId,
}

impl ConversationTools {
    /// `named`: the tab of a command line's `--tab`.
    pub(super) fn place(&self, call: &Call, named: Option<TabId>) -> Result<Place, Fault> {
        let own = self.conversation().info().tab_id.ok_or(BrowsersError::NotConnected)?;
        // All tabs of a set are of one browser.
        let (browser, _) = self.engine.browsers().pages_with(Some(own)).ok_or(BrowsersError::NotConnected)?;
        if self.by_person {
            return Ok(Place { tab: own, subject: own });
        }
        let tab = match named {
            Some(named) => self.in_set(&browser, named)?,
            None => self.engine.tabs().sets().working(self.conversation()).unwrap_or(own),
        };
        let subject = match call.spec.tab {
            // Neither touches the page of the tab that it is called in, which may be gone.
            TabUse::Lists | TabUse::Opens => tab,
            TabUse::Chooses | TabUse::Closes => self.in_set(&browser, named_by(call)?.unwrap_or(tab))?,
            TabUse::ThisPage | TabUse::Every => self.in_set(&browser, tab)?,
        };
        Ok(Place { tab, subject })
    }

    fn in_set(&self, browser: &Browser, tab: TabId) -> Result<TabId, Fault> {
        let conversation = self.conversation();
        if self.engine.tabs().sets().of(conversation).contains(&tab) {
            browser.tab(tab)?;
            return Ok(tab);
        }
        // It was closed under the agent's hands: that is told, and nothing is done in another one instead.
        match browser.tab(tab) {
            Err(gone) if self.engine.tabs().sets().working(conversation) == Some(tab) => {
                Err(Fault::from(gone).hint("`tabs` lists what is yours; choose one with `tab`."))
            }
            _ => Err(not_in_set(tab)),
        }
    }

    /// `tab` and `newtab` move the agent, and nothing of the person's.
    pub(super) fn moves(&self) -> Moves {
        if self.by_person {
            return Moves::Nothing;
        }
        let (engine, conversation) = (self.engine.clone(), self.conversation().clone());
        Moves::Told(Arc::new(move |tab| {
            engine.tabs().sets().add(&conversation, tab, crate::engine::tabs::How::Agent)?;
            engine.tabs().work_in(&conversation, tab);
            Ok(())
        }))
    }
}

/// The tab that a call of `tab` or `closetab` names. What can't be read is never taken for the working tab.
fn named_by(call: &Call) -> Result<Option<TabId>, Fault> {
    call.tab().map(|typed| tab_number(&typed)).transpose()
}
