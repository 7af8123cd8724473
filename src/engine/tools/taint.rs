//! What a call sends to a site and reads from it, for the taint log of its conversation.
//!
//! Owns the recording. `policy` has the log, and judges by it.

use super::ConversationTools;
use gstack_base::site;
use gstack_command::{Call, Category, Output, Spec};
use gstack_protocol::chat::PageContext;
use gstack_protocol::fault::Fault;
use gstack_protocol::ids::TabId;

impl ConversationTools {
    /// Records what a call sends to a site: the typed text, and the addresses it goes to. `home` is the address of the
    /// document that it acts on, if known.
    pub(super) fn remember_sent(&self, tab: TabId, home: Option<String>, call: &Call) {
        let of_tab = || self.services.tabs.site_of(tab);
        let site = home.map_or_else(of_tab, |home| site::of(&home)).unwrap_or_default();
        let (addresses, typed) = (call.destinations(), call.typed().or_else(|| call.tool_input()));
        self.services.policy.with_taint_log(self.conversation().id(), |log| {
            addresses.iter().for_each(|address| log.went(address));
            if let Some(typed) = typed {
                log.typed(&site, &typed);
            }
        });
    }

    /// Records everything that a call lets the agent read, by site.
    pub(super) fn remember_read(&self, spec: &Spec, tab: TabId, output: &Output) {
        let conversation = self.conversation();
        if spec.category == Category::Tabs {
            // Titles and addresses belong to the site of each tab.
            let pages: Vec<PageContext> = self
                .services
                .tabs
                .sets()
                .of(conversation)
                .into_iter()
                .filter_map(|tab| self.services.tabs.shown(tab).map(|(_, page)| page))
                .collect();
            self.services
                .policy
                .with_taint_log(conversation.id(), |log| pages.iter().for_each(|page| log.saw_page(page)));
            return;
        }
        let named = output.source_url.as_deref().and_then(site::of);
        let site = named.or_else(|| self.services.tabs.site_of(tab)).unwrap_or_default();
        let data = output.data.as_ref().map(ToString::to_string).unwrap_or_default();
        let words = [output.head.as_deref(), Some(output.text.as_str()), output.note.as_deref(), Some(&data)];
        self.services.policy.with_taint_log(conversation.id(), |log| {
            words.into_iter().flatten().filter(|text| !text.is_empty()).for_each(|text| log.read(&site, text));
            if !output.files.is_empty() {
                log.read_unseen(&site);
            }
        });
    }

    /// Records the text of a fault, which may quote a page.
    pub(super) fn remember_fault(&self, tab: TabId, fault: &Fault) {
        let site = self.services.tabs.site_of(tab).unwrap_or_default();
        let text = format!("{} {}", fault.message, fault.hint.as_deref().unwrap_or_default());
        self.services.policy.with_taint_log(self.conversation().id(), |log| log.read(&site, &text));
    }
}
