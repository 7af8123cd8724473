//! Lists and searches the conversations of a home, newest first, by their text or page.
//!
//! Owns the order and the searched fields. Reads only the records of conversations that are not open.

use super::conversations::{Inner, Known, Store};
use super::search::{self, Budget};
use super::session_file::Record;
use gstack_protocol::chat::{ConversationInfo, ConversationState, EarlierConversation};
use gstack_protocol::history::ListPlace;
use gstack_protocol::ids::{ConversationId, TurnId};
use std::time::{Duration, Instant};

impl Store {
    /// Returns the conversations with messages, newest first.
    pub fn list(&self) -> Vec<ConversationInfo> {
        let mut inner = self.lock();
        self.read_lost_records(&mut inner);
        let mut infos: Vec<ConversationInfo> = inner
            .known
            .values()
            .filter_map(|known| match known {
                Known::Open(conversation) => Some(conversation.info()),
                Known::Stored(record) => Some(record.as_deref()?.info(ConversationState::Idle, 0)),
            })
            .filter(|info| info.head > 0)
            .collect();
        infos.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then_with(|| a.conversation_id.cmp(&b.conversation_id)));
        infos
    }

    /// Returns the conversations whose title, page or messages contain a text, newest first, with an excerpt if a
    /// message matches. Reads at most `search::MOST_READ` bytes for at most `limit`, newest first, and only
    /// conversations after `before`. Blocks on disk I/O.
    pub fn search(
        &self,
        text: &str,
        before: Option<&ListPlace>,
        limit: Duration,
    ) -> Vec<(ConversationInfo, Option<String>)> {
        let wanted = text.trim().to_lowercase();
        let mut budget = Budget { bytes: search::MOST_READ, until: Instant::now() + limit };
        let behind = self.list().into_iter().filter(|info| before.is_none_or(|place| place.is_before(info)));
        let found = behind.filter_map(|info| {
            let excerpt = if budget.is_spent() {
                None
            } else {
                search::find(&self.place(&info.conversation_id), &wanted, &mut budget).unwrap_or_else(|error| {
                    tracing::warn!(conversation = %info.conversation_id, %error, "a conversation can't be searched");
                    None
                })
            };
            (excerpt.is_some() || holds(&info, &wanted)).then_some((info, excerpt))
        });
        found.collect()
    }

    /// Returns the turns whose ids begin so, with their conversations; a turn of exactly this id alone. Blocks on disk
    /// I/O.
    pub fn turns(&self, beginning: &str) -> Vec<(ConversationId, TurnId)> {
        let mut found = Vec::new();
        for info in self.list() {
            let id = info.conversation_id;
            let turns = search::turns(&self.place(&id), beginning).unwrap_or_else(|error| {
                tracing::warn!(conversation = %id, %error, "the turns of a conversation can't be read");
                Vec::new()
            });
            if let Some(whole) = turns.iter().find(|turn| turn.as_str() == beginning) {
                return vec![(id, whole.clone())];
            }
            found.extend(turns.into_iter().map(|turn| (id.clone(), turn)));
        }
        found
    }

    /// Returns the newest conversation about a page that no tab shows, except `except`.
    pub fn earlier_about(&self, url: &str, except: &ConversationId) -> Option<EarlierConversation> {
        let page = Some(without_fragment(url)?);
        let inner = self.lock();
        let about = |record: &Record| {
            let same = record.page.as_ref().is_some_and(|of| without_fragment(&of.url) == page);
            same && record.head > 0 && record.tab_id.is_none() && record.conversation_id != *except
        };
        let records = inner.known.values().filter_map(|known| match known {
            Known::Open(conversation) => Some(conversation.record()).filter(about),
            Known::Stored(record) => record.as_deref().filter(|record| about(record)).cloned(),
        });
        records.max_by_key(|record| record.updated_at).map(|record| EarlierConversation {
            conversation_id: record.conversation_id,
            title: record.title,
            updated_at: record.updated_at,
        })
    }

    /// Rebuilds lost records, so that their conversations are listed.
    fn read_lost_records(&self, inner: &mut Inner) {
        let lost = |known: &Known| matches!(known, Known::Stored(None));
        let ids: Vec<_> = inner.known.iter().filter(|(_, known)| lost(known)).map(|(id, _)| id.clone()).collect();
        for id in ids {
            if let Err(error) = self.get_in(inner, &id) {
                tracing::warn!(conversation = %id, %error, "a conversation can't be listed");
            }
        }
    }
}

/// Returns the URL without its fragment, because a fragment does not make it another page. `None` for URLs that do not
/// identify a page.
fn without_fragment(url: &str) -> Option<&str> {
    let page = url.split('#').next().unwrap_or_default();
    (page.starts_with("http://") || page.starts_with("https://") || page.starts_with("file://")).then_some(page)
}

/// Returns whether the title or page contains `text`, which is in lower case.
fn holds(info: &ConversationInfo, text: &str) -> bool {
    let page = info.page.iter().flat_map(|page| [page.url.as_str(), page.title.as_str()]);
    page.chain([info.title.as_str()]).any(|field| field.to_lowercase().contains(text))
}
