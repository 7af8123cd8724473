//! The waiting approvals and questions, for desktop notifications of background workers.
//!
//! Owns the time of each report and its browser: the one that has the approval's tab, so that no two notify
//! the person. Never answers an approval.

use super::Approvals;
use crate::ports::PortId;
use gstack_base::shorten::shorten;
use gstack_base::visible::visible;
use gstack_protocol::approval_notices::{ApprovalNotice, ApprovalsWaiting, NoticeKind, NoticeTab};
use gstack_protocol::ids::{ConversationId, TabId};
use gstack_protocol::methods::ToPanel;
use std::collections::BTreeMap;

/// The most that one message lists.
const MOST: usize = 20;
/// The longest name and the longest text of a notification, in characters.
const LONGEST_NAME: usize = 60;
const LONGEST_ASK: usize = 160;

impl Approvals {
    /// Reports each change to background workers until the daemon ends.
    pub(crate) async fn tell_backgrounds(self) {
        // Notified of changed approvals too, and of new ports and tabs.
        let mut changed = self.0.drivers.watch();
        let shutdown = self.0.tasks.shutdown();
        let mut told = BTreeMap::new();
        loop {
            self.tell_each(&mut told);
            tokio::select! {
                still = changed.changed() => if still.is_err() { return },
                () = shutdown.cancelled() => return,
            }
        }
    }

    /// Sends each port what it has not received. A new port also learns that nothing waits: its browser may still show
    /// notifications of an earlier connection.
    fn tell_each(&self, told: &mut BTreeMap<PortId, ApprovalsWaiting>) {
        // A port that has not reported its tabs yet would be told of none of their approvals.
        let mut senders = self.0.ports.senders();
        senders.retain(|(port, _)| self.0.tabs.book().has_reported(*port));
        told.retain(|port, _| senders.iter().any(|(open, _)| open == port));
        let mut lists: BTreeMap<PortId, ApprovalsWaiting> =
            senders.iter().map(|(port, _)| (*port, ApprovalsWaiting::default())).collect();
        for (tab, notice) in self.notices() {
            let mut places = senders.iter().filter_map(|(port, _)| Some((*port, self.place_in(*port, tab?)?)));
            let (port, place) = match (places.next(), tab) {
                (Some((port, place)), _) => (port, Some(place)),
                // It concerns no tab, so any browser tells the person.
                (None, None) => match lists.keys().next() {
                    Some(port) => (*port, None),
                    None => return,
                },
                // Its browser has no extension, or has not reported the tab yet. Another one would tell the person twice.
                (None, Some(_)) => continue,
            };
            if let Some(list) = lists.get_mut(&port) {
                list.waiting.push(ApprovalNotice { tab: place, ..notice });
            }
        }
        for (port, sender) in senders {
            let Some(mut list) = lists.remove(&port) else { continue };
            list.waiting.truncate(MOST);
            if told.get(&port) != Some(&list) {
                sender.send(&ToPanel::ApprovalsWaiting(list.clone()).envelope(None));
                told.insert(port, list);
            }
        }
    }

    fn place_in(&self, port: PortId, tab: TabId) -> Option<NoticeTab> {
        let tab = self.0.tabs.chrome_tab(port, tab)?;
        Some(NoticeTab { chrome_tab_id: tab.chrome_tab_id, window_id: tab.window_id })
    }

    /// Returns a notice for everything that waits, with its tab.
    fn notices(&self) -> Vec<(Option<TabId>, ApprovalNotice)> {
        let waiting = self.waiting();
        let approvals = waiting.approvals.iter().map(|one| {
            let notice = ApprovalNotice {
                id: one.approval_id.to_string(),
                kind: NoticeKind::Approval,
                from: one.driver.as_deref().map_or_else(|| self.agent_of(&one.conversation_id), name),
                of_client: one.driver.is_some(),
                ask: text(&one.ask),
                phrase: one.phrase.clone(),
                site: one.site.as_deref().map(name),
                tab: None,
            };
            (one.tab_id, notice)
        });
        let questions = waiting.questions.iter().map(|one| {
            let asked: Vec<&str> = one.parts.iter().map(|part| part.text.as_str()).collect();
            let notice = ApprovalNotice {
                id: one.question_id.to_string(),
                kind: NoticeKind::Question,
                from: self.agent_of(&one.conversation_id),
                of_client: false,
                ask: text(&asked.join(" ")),
                phrase: None,
                site: None,
                tab: None,
            };
            (self.0.conversations.get(&one.conversation_id).ok().and_then(|one| one.info().tab_id), notice)
        });
        approvals.chain(questions).collect()
    }

    /// Returns the label of the agent whose turn waits.
    fn agent_of(&self, id: &ConversationId) -> String {
        let working = self.0.tabs.book().working().remove(id);
        working.map_or_else(|| "gstack".to_owned(), |working| name(&working.agent_label))
    }
}

fn name(from: &str) -> String {
    bounded(from, LONGEST_NAME)
}

fn text(ask: &str) -> String {
    bounded(ask, LONGEST_ASK)
}

/// Returns text of a page, an agent or a client on one line. It may be megabytes long, so only what can be shown is made
/// visible.
fn bounded(text: &str, most: usize) -> String {
    let start: String = text.trim().chars().take(most + 1).collect();
    shorten(&visible(&start).replace('\n', " "), most)
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn hostile_text_is_one_short_visible_line() {
        assert_eq!(bounded(" a\nb\u{202e}c ", 60), "a b⟨U+202E⟩c");
        assert_eq!(bounded(&"x".repeat(1_000_000), 60).chars().count(), 60);
        assert!(bounded(&"\u{202e}".repeat(1_000_000), 60).chars().count() <= 60);
    }
}
