//! The list of conversations: searching, restoring, compacting.
//!
//! Owns the disk access of these requests, off the runtime's own threads.

use super::error::ListingError;
use super::service::Conversations;
use crate::tasks::off_thread;
use gstack_protocol::chat::ConversationInfo;
use gstack_protocol::fault::Fault;
use gstack_protocol::frame::COMFORTABLE;
use gstack_protocol::history::{
    CompactConversations, CompactedConversations, Conversations as Page, ConversationsList,
};
use gstack_protocol::ids::ConversationId;
use std::time::Duration;

/// A search that takes longer returns what it has found so far.
const SEARCH_LIMIT: Duration = Duration::from_secs(3);
/// The limit for the conversations of one answer, as JSON, in bytes.
const LARGEST_PAGE: usize = COMFORTABLE / 2;
/// The longest search text, in bytes.
const LONGEST_SEARCH: usize = 1000;

impl Conversations {
    /// Returns conversations, newest first; with `search`, only those that contain the text, each with the surrounding
    /// words.
    pub async fn list(&self, list: ConversationsList) -> Result<Page, Fault> {
        let search = list.search.filter(|text| !text.trim().is_empty());
        if search.as_ref().is_some_and(|text| text.len() > LONGEST_SEARCH) {
            return Err(ListingError::SearchTooLong.into());
        }
        let service = self.clone();
        off_thread(move || {
            let before = list.before.as_ref();
            Ok(match search {
                Some(text) => page(service.store().search(&text, before, SEARCH_LIMIT)),
                None => {
                    let behind = |info: &ConversationInfo| before.is_none_or(|place| place.is_before(info));
                    page(service.store().list().into_iter().filter(behind).map(|info| (info, None)))
                }
            })
        })
        .await
    }

    /// Restores a deleted conversation.
    pub async fn restore(&self, id: &ConversationId) -> Result<ConversationInfo, Fault> {
        let (service, back) = (self.clone(), id.clone());
        off_thread(move || {
            let restored = service.store().restore(&back).map_err(|e| e.fault())?;
            Ok(service.get(&restored)?.info())
        })
        .await
    }

    /// Compacts the journal of one conversation, or of all idle conversations.
    pub async fn compact(&self, of: CompactConversations) -> Result<CompactedConversations, Fault> {
        let service = self.clone();
        off_thread(move || {
            let mut done = CompactedConversations::default();
            let ids: Vec<ConversationId> = match &of.conversation_id {
                Some(id) => vec![id.clone()],
                None => service.store().list().into_iter().map(|info| info.conversation_id).collect(),
            };
            for id in ids {
                match service.store().get(&id).and_then(|conversation| conversation.compact()) {
                    Ok(compacted) => {
                        done.conversations += 1;
                        done.bytes_before += compacted.before;
                        done.bytes_after += compacted.after;
                    }
                    Err(error) if of.conversation_id.is_some() => return Err(error.fault()),
                    Err(error) => done.left.push(error.to_string()),
                }
            }
            Ok(done)
        })
        .await
    }
}

/// Returns as many as fit comfortably into one message, but at least one.
fn page(found: impl IntoIterator<Item = (ConversationInfo, Option<String>)>) -> Page {
    let mut page = Page::default();
    let mut bytes = 0;
    for (info, excerpt) in found {
        bytes += serde_json::to_vec(&(&info, &excerpt)).map_or(0, |json| json.len());
        if bytes > LARGEST_PAGE && !page.conversations.is_empty() {
            page.older = true;
            break;
        }
        page.excerpts.extend(excerpt.map(|excerpt| (info.conversation_id.clone(), excerpt)));
        page.conversations.push(info);
    }
    page
}
